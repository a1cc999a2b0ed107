#include "client/ctl/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "client/ctl/json.h"
#include "client/ctl/text.h"

#define KINDS_MOST 256 /* that are counted each; a schema has no more */

struct tally {
    char const *name;
    size_t size, count;
};

static msgpack_object_str const *kind_of(msgpack_object const *line)
{
    if (line->type != MSGPACK_OBJECT_ARRAY || !line->via.array.size ||
        line->via.array.ptr[0].type != MSGPACK_OBJECT_STR)
        return NULL;
    return &line->via.array.ptr[0].via.str;
}

/* Counts a kind; false if there is no room for one more. */
static bool count(struct tally *all, size_t *kinds, char const *name, size_t size)
{
    for (size_t i = 0; i < *kinds; i++) {
        if (all[i].size == size && memcmp(all[i].name, name, size) == 0) {
            all[i].count++;
            return true;
        }
    }
    if (*kinds == KINDS_MOST)
        return false;
    all[(*kinds)++] = (struct tally){name, size, 1};
    return true;
}

void kinds_print(FILE *out, msgpack_object const *lines)
{
    struct tally all[KINDS_MOST];
    size_t kinds = 0, others = 0;

    if (!lines || lines->type != MSGPACK_OBJECT_ARRAY)
        return;
    for (uint32_t i = 0; i < lines->via.array.size; i++) {
        msgpack_object_str const *name = kind_of(&lines->via.array.ptr[i]);
        others += !name || !count(all, &kinds, name->ptr, name->size);
    }
    for (size_t i = 0; i < kinds; i++) {
        fputs(i ? " " : "", out);
        text_print(out, all[i].name, all[i].size);
        fprintf(out, " %zu", all[i].count);
    }
    if (others)
        fprintf(out, "%sothers %zu", kinds ? " " : "", others);
}

char *kinds_text(msgpack_object const *lines)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    kinds_print(out, lines);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void kinds_print_turn(FILE *out, void const *data, size_t size)
{
    msgpack_unpacked turn;
    size_t at = 0;

    msgpack_unpacked_init(&turn);
    if (msgpack_unpack_next(&turn, data, size, &at) == MSGPACK_UNPACK_SUCCESS &&
        turn.data.type == MSGPACK_OBJECT_ARRAY && turn.data.via.array.size > 0)
        kinds_print(out, &turn.data.via.array.ptr[0]);
    msgpack_unpacked_destroy(&turn);
}

static bool print_json(FILE *out, msgpack_object const *value)
{
    json_t *json = json_from_msgpack(value);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | json_digits(json)) : NULL;

    if (text) /* its control characters are escaped by JSON; others are not */
        text_print(out, text, strlen(text));
    json_decref(json);
    free(text);
    return text;
}

bool line_print(FILE *out, msgpack_object const *line)
{
    bool good = print_json(out, line);

    fputc('\n', out);
    return good;
}

void kinds_print_value(FILE *out, void const *data, size_t size)
{
    msgpack_unpacked value;
    size_t at = 0;

    msgpack_unpacked_init(&value);
    if (msgpack_unpack_next(&value, data, size, &at) == MSGPACK_UNPACK_SUCCESS)
        print_json(out, &value.data);
    msgpack_unpacked_destroy(&value);
}

bool session_by_change(msgpack_object const *session)
{
    msgpack_object const *kind = map_get(session, "kind");

    return kind && kind->type == MSGPACK_OBJECT_STR && kind->via.str.size == 7 &&
           memcmp(kind->via.str.ptr, "changes", 7) == 0;
}

int kinds_request(struct ctl *ctl, char const *session, uint32_t position, msgpack_object *result)
{
    struct buffer *b = ctl_request(ctl, "getlines", 2);

    if (!ctl_pack_name(b, session))
        return EXIT_USAGE;
    pack_uint(b, position);
    int status = ctl_result(ctl, result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *lines = map_get(result, "lines");
    return lines && lines->type == MSGPACK_OBJECT_ARRAY ? CLI_GO : ctl_fail_shape(ctl);
}
