/* What traces have beside lines: the values that a line does not tell, and the hash of a board. */
#include <stdlib.h>
#include <string.h>

#include "client/ctl/sha256.h"
#include "client/ctl/trace.h"

/* ---- values that lines do not tell -------------------------------------------------------- */

/* Kinds that set a field without telling to what: where the id is, and where the value before
 * is (as several places if there are more than one). */
static struct untold {
    char const *kind, *field;
    size_t id, old, places;
} const untold[] = {
    {"backset", "back_init", 2, 3, 1},
    {"colour", "colour", 1, 2, 3},
    {"followed", "followed", 1, 2, 1},
    {"done", "float", 5, 7, 1},
};

/* Kinds whose value before tells what a line before them has set. */
static struct untold const befores[] = {
    {"float", "float", 2, 3, 1},
    {"remove", "followed", 5, 15, 1},
    {"remove", "back_init", 5, 16, 1},
};

static json_t *key_of(json_t const *line, struct untold const *u)
{
    return json_sprintf("%lld %s", (long long)json_integer_value(json_array_get(line, u->id)),
                        u->field);
}

static json_t *old_value(json_t const *line, struct untold const *u)
{
    if (u->places == 1)
        return json_incref(json_array_get(line, u->old));
    json_t *value = json_array();
    for (size_t i = 0; i < u->places; i++)
        json_array_append(value, json_array_get(line, u->old + i));
    return value;
}

static bool is_kind(json_t const *line, struct untold const *u)
{
    char const *kind = json_string_value(json_array_get(line, 0));

    return kind && strcmp(kind, u->kind) == 0;
}

static void remember(json_t *later, json_t const *line, struct untold const *u)
{
    json_t *key = key_of(line, u);

    json_object_set_new(later, json_string_value(key), old_value(line, u));
    json_decref(key);
}

/* An object that is removed later in the turn has these then. */
static void remember_removed(json_t *later, json_t const *line)
{
    long long id = (long long)json_integer_value(json_array_get(line, 5));
    json_t *of_float = json_sprintf("%lld float", id), *colour = json_sprintf("%lld colour", id);

    json_object_set_new(later, json_string_value(of_float), json_integer(0));
    json_object_set_new(later, json_string_value(colour), json_pack("[i,i,i]", 0, 3, 1));
    json_decref(of_float);
    json_decref(colour);
}

/* The value after a line: what a later line says was before it, or the table's. */
static json_t *value_after(json_t const *line, struct untold const *u, json_t const *later,
                           json_t const *objects)
{
    char id[32];
    json_t *key = key_of(line, u);
    json_t *value = json_object_get(later, json_string_value(key));

    snprintf(id, sizeof id, "%lld", (long long)json_integer_value(json_array_get(line, u->id)));
    if (!value)
        value = json_object_get(json_object_get(objects, id), u->field);
    json_decref(key);
    return value;
}

json_t *trace_after(json_t const *lines, json_t const *table)
{
    json_t *later = json_object(), *after = json_array();
    json_t const *objects = json_object_get(table, "objects");

    for (size_t i = json_array_size(lines); i-- > 0;) {
        json_t const *line = json_array_get(lines, i);
        for (size_t k = 0; k < sizeof untold / sizeof *untold; k++) {
            if (!is_kind(line, &untold[k]))
                continue;
            json_t *value = value_after(line, &untold[k], later, objects);
            if (value)
                json_array_insert_new(after, 0,
                                      json_pack("[I,s,O]", (json_int_t)i, untold[k].field, value));
            remember(later, line, &untold[k]);
        }
        for (size_t k = 0; k < sizeof befores / sizeof *befores; k++)
            if (is_kind(line, &befores[k]))
                remember(later, line, &befores[k]);
        if (is_kind(line, &befores[1]))
            remember_removed(later, line);
    }
    json_decref(later);
    return after;
}

/* ---- the hash of a board ------------------------------------------------------------------ */

static char *row_text(json_t const *fields)
{
    char *text;
    json_t *row =
        json_sprintf("%s,%lld,%lld,%lld", json_string_value(json_object_get(fields, "name")),
                     (long long)json_integer_value(json_object_get(fields, "x")),
                     (long long)json_integer_value(json_object_get(fields, "y")),
                     (long long)json_integer_value(json_object_get(fields, "dir")));

    text = row ? strdup(json_string_value(row)) : NULL;
    json_decref(row);
    return text;
}

static int compare(void const *a, void const *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The rows with semicolons between them; the rows are freed. */
static char *join(char **rows, size_t count, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    for (size_t i = 0; i < count; i++) {
        if (out)
            fprintf(out, "%s%s", i ? ";" : "", rows[i]);
        free(rows[i]);
    }
    if (out)
        fclose(out);
    return text;
}

void trace_hash(json_t const *objects, char hash[17])
{
    size_t count = 0, size = 0;
    char **rows = calloc(json_array_size(objects) + 1, sizeof *rows);
    unsigned char digest[32];

    for (size_t i = 0; rows && i < json_array_size(objects); i++) {
        char *row = row_text(json_array_get(json_array_get(objects, i), 1));
        if (row)
            rows[count++] = row;
    }
    if (rows)
        qsort(rows, count, sizeof *rows, compare);
    char *text = rows ? join(rows, count, &size) : NULL;
    sha256(text ? text : "", size, digest);
    for (int i = 0; i < 8; i++)
        snprintf(hash + 2 * i, 3, "%02x", digest[i]);
    free(text);
    free(rows);
}
