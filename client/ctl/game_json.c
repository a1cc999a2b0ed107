/* A session as JSON: a line for each position, with what hangs on it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/game_files.h"
#include "client/ctl/json.h"
#include "client/games/sheet.h"
#include "redo_error.h"

static json_t *value_of(void const *data, size_t size)
{
    msgpack_unpacked unpacked;
    struct reading r = read_value(data, size);
    json_t *json = NULL;
    size_t at = 0;
    if (!read_skip(&r) || r.at != r.end) /* not complete: msgpack-c would trust it */
        return json_null();
    msgpack_unpacked_init(&unpacked);
    if (msgpack_unpack_next(&unpacked, data, size, &at) == MSGPACK_UNPACK_SUCCESS)
        json = json_from_msgpack(&unpacked.data);
    msgpack_unpacked_destroy(&unpacked);
    return json ? json : json_null();
}

static json_t *text_of(redo_sgf_string s)
{
    return s.data ? json_stringn(s.data, s.size) : json_null();
}

static void set_properties(json_t *to, char const *key, struct properties const *p)
{
    if (!p->first)
        return;
    json_t *all = json_object();
    for (struct property const *q = p->first; q; q = q->next)
        json_object_setn_new(all, q->name, q->name_size, value_of(q->value, q->size));
    json_object_set_new(to, key, all);
}

static json_t *numbers_of(double const *numbers, size_t count)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, json_real(numbers[i]));
    return all;
}

static json_t *analysis_of(struct analysis const *a)
{
    json_t *to = json_object();
    json_object_set_new(to, "kind", text_of(a->kind));
    if (a->equity == a->equity)
        json_object_set_new(to, "equity", json_real(a->equity));
    json_object_set_new(to, "numbers", numbers_of(a->numbers, a->number_count));
    if (a->deviation_count > 0)
        json_object_set_new(to, "deviations", numbers_of(a->deviations, a->deviation_count));
    if (a->context)
        json_object_set_new(to, "context", value_of(a->context, a->context_size));
    if (a->text.data)
        json_object_set_new(to, "text", text_of(a->text));
    return to;
}

static void set_items(json_t *to, char const *key, struct items const *items)
{
    if (items->count == 0)
        return;
    json_t *all = json_array();
    for (struct item const *i = items->first; i; i = i->next) {
        json_t *item = json_object();
        json_object_set_new(item, "id", json_integer(i->id));
        if (i->has_move)
            json_object_set_new(item, "move", json_integer(i->move));
        if (i->text.data)
            json_object_set_new(item, "text", text_of(i->text));
        if (i->analysis)
            json_object_set_new(item, "analysis", analysis_of(i->analysis));
        if (i->analysed == redo_analysis_shared)
            json_object_set_new(item, "shared", json_true());
        set_properties(item, "properties", &i->properties);
        json_array_append_new(all, item);
    }
    json_object_set_new(to, key, all);
}

static void set_sheet(json_t *to, struct sheet const *s)
{
    set_properties(to, "properties", &s->position);
    set_properties(to, "branch", &s->branch);
    if (s->choice == redo_choice_made)
        json_object_set_new(to, "choice", json_integer(s->chosen->id));
    else if (s->choice == redo_choice_none || s->candidates.count > 0)
        json_object_set_new(to, "choice",
                            json_string(s->choice == redo_choice_none ? "none" : "open"));
    set_items(to, "candidates", &s->candidates);
    set_items(to, "decisions", &s->decisions);
    if (s->decisions.count > 0)
        json_object_set_new(to, "decided", json_integer(s->decided));
}

static void set_alternates(json_t *to, redo_position *p)
{
    redo_position *at = redo_getfirstalternate(p);
    if (at == p && !redo_getnextalternate(p))
        return;
    json_t *all = json_array();
    for (; at; at = redo_getnextalternate(at))
        json_array_append_new(all, json_integer(redo_getpositionid(at)));
    json_object_set_new(to, "alternates", all);
}

static json_t *position_of(redo_session *session, redo_position *p, struct sheet const *s)
{
    json_t *to = json_object();
    json_object_set_new(to, "number", json_integer(redo_getpositionid(p)));
    if (p->prev) {
        json_object_set_new(to, "parent", json_integer(redo_getpositionid(p->prev)));
        json_object_set_new(to, "move", json_integer(redo_getmove(p)));
    }
    if (p->endpoint)
        json_object_set_new(to, "endpoint", json_integer(p->endpoint));
    void const *state = redo_getsavedstate(p);
    if (state)
        json_object_set_new(to, "state", json_hex(state, (size_t)redo_getstatesize(session)));
    set_alternates(to, p);
    set_sheet(to, s);
    return to;
}

static bool print(json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(json);
    if (text)
        fputs(text, stdout);
    free(text);
    return text != NULL;
}

int game_json_print(redo_session *session, char const *name, size_t name_size,
                    msgpack_object const *properties)
{
    struct arena arena = {.limit = SIZE_MAX};
    struct sheet s;
    bool good, first = true;
    fputs("{\"name\": ", stdout);
    good = print(name_size ? json_stringn(name, name_size) : json_null());
    fputs(", \"properties\": ", stdout);
    good = good && print(json_from_msgpack(properties));
    fputs(", \"positions\": [", stdout);
    uint32_t left = (uint32_t)redo_getsessionsize(session);
    for (uint32_t number = 0; left > 0 && good; number++) {
        redo_position *p = redo_getposition(session, number);
        if (!p)
            continue;
        left--;
        fputs(first ? "\n" : ",\n", stdout);
        first = false;
        good = sheet_get(p, &arena, &s) == REDO_OK && print(position_of(session, p, &s));
        arena_empty(&arena);
    }
    fputs("\n]}", stdout);
    arena_free(&arena);
    if (!good)
        cli_complain("out of memory");
    return good ? CLI_GO : EXIT_BAD;
}
