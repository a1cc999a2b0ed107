/* Things of a network are objects, each kind with ids of its own. What thing a row is and its id
 * count as the rest does: boards are equal if they are the same network, id by id, for whoever asks
 * for routes is told ids. Names and reasons are for people, and do not count. */
#include "core/changes/route_schema.h"

#include <string.h>

/* By name, with what stands for one that is not told. */
static struct {
    char const *name;
    enum { NIL, NUMBER, WORD, FALSE } type;
    int number;
    char const *word;
    bool aside; /* does not count on boards */
} const fields[] = {
    {"what", NIL, 0, "", false},        {"id", NIL, 0, "", false},
    {"name", NIL, 0, "", true},         {"kind", NIL, 0, "", false},
    {"hex", NIL, 0, "", false},         {"hexes", NIL, 0, "", false},
    {"value", NUMBER, 0, "", false},    {"values", NIL, 0, "", false},
    {"cost", NUMBER, 1, "", false},     {"slots", NIL, 0, "", false},
    {"tokens", NIL, 0, "", false},      {"limit", NIL, 0, "", false},
    {"a", NIL, 0, "", false},           {"b", NIL, 0, "", false},
    {"track", WORD, 0, "broad", false}, {"terminal", FALSE, 0, "", false},
    {"scope", WORD, 0, "route", false}, {"nodes", NIL, 0, "", false},
    {"edges", NIL, 0, "", false},       {"why", NIL, 0, "", true},
};

#define FIELDS (sizeof fields / sizeof *fields)

static char const *const things[] = {"node", "edge", "mutex"};

static void put(struct value_writer *w, char const *text)
{
    value_put_string(w, text, strlen(text));
}

static void put_field(struct value_writer *w, size_t i)
{
    bool has_default = fields[i].type != NIL;
    put(w, fields[i].name);
    value_put_map(w, (uint32_t)has_default + fields[i].aside);
    if (has_default)
        put(w, "default");
    if (fields[i].type == NUMBER)
        value_put_int(w, fields[i].number);
    else if (fields[i].type == WORD)
        put(w, fields[i].word);
    else if (fields[i].type == FALSE)
        value_put_bool(w, false);
    if (fields[i].aside) {
        put(w, "board");
        value_put_bool(w, false);
    }
}

/* ["add_node", id, {field: value}], ["set_node", the same], ["remove_node", id] */
static void put_kind(struct value_writer *w, char const *verb, char const *type, char const *thing)
{
    char name[24];
    bool create = strcmp(type, "create") == 0, remove = strcmp(type, "remove") == 0;
    size_t size = strlen(verb);
    memcpy(name, verb, size);
    name[size++] = '_';
    memcpy(name + size, thing, strlen(thing));
    value_put_string(w, name, size + strlen(thing));
    value_put_map(w, 2 + (uint32_t)!remove + create);
    put(w, "type");
    put(w, type);
    put(w, "id");
    value_put_map(w, 1);
    put(w, thing);
    value_put_int(w, 1);
    if (remove)
        return;
    put(w, "fields");
    value_put_int(w, 2);
    if (!create)
        return;
    put(w, "new");
    value_put_map(w, 2);
    put(w, "what");
    value_put_map(w, 1);
    put(w, "value");
    put(w, thing);
    put(w, "id");
    value_put_int(w, 1);
}

bool route_schema(char const *name, size_t size, struct value_writer *w)
{
    if (size != 13 || memcmp(name, "route-network", size) != 0)
        return false;
    value_put_map(w, 3);
    put(w, "version");
    value_put_int(w, 1);
    put(w, "objects");
    value_put_map(w, FIELDS);
    for (size_t i = 0; i < FIELDS; i++)
        put_field(w, i);
    put(w, "kinds");
    value_put_map(w, 9);
    for (int i = 0; i < 3; i++) {
        put_kind(w, "add", "create", things[i]);
        put_kind(w, "set", "change", things[i]);
        put_kind(w, "remove", "remove", things[i]);
    }
    return true;
}
