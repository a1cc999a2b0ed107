/* One item after the other: what it has is read into a struct, held against what it may be, and
 * written. */
#include "server/given.h"

#include <string.h>

#include "core/records/record.h"
#include "server/given_parts.h"

/* ---- items ------------------------------------------------------------------------------- */

/* An item as it was given. */
struct item {
    uint32_t id; /* 0: none */
    unsigned parts;
    bool has_move, shared, unshared;
    int move;
    char const *text; /* NULL: none */
    size_t text_size;
    msgpack_object const *properties, *analysis; /* NULL: none */
};

static int read_move(struct given_place const *at, msgpack_object const *o, struct item *item)
{
    struct arg arg;
    if (given_nil(o))
        return REDO_OK;
    int rc = arg_read(PARAM_INT, o, &arg);
    if (rc == REDO_ETYPE)
        return given_fail_type(at, "move", "an int", o);
    if (rc)
        return given_fail(at, REDO_ECANDIDATE, "move", "has to be an integer of 32 bits");
    item->has_move = true;
    item->move = (int)arg.integer;
    return REDO_OK;
}

static int read_id(struct given_place const *at, msgpack_object const *o, uint32_t *id)
{
    struct arg arg;
    if (given_nil(o))
        return REDO_OK;
    if (arg_read(PARAM_COUNT, o, &arg) || arg.integer > RECORD_IDS_MAX)
        return given_fail(at, REDO_ECANDIDATE, "id", "has to be an integer from 1 to 2147483647");
    *id = (uint32_t)arg.integer;
    return REDO_OK;
}

static int read_shared(struct given_place const *at, msgpack_object const *o, struct item *item)
{
    if (!given_nil(o) && o->type != MSGPACK_OBJECT_BOOLEAN)
        return given_fail_type(at, "shared", "a bool", o);
    item->shared = !given_nil(o) && o->via.boolean;
    item->unshared = !item->shared;
    if (item->shared && !strcmp(at->list, "candidates"))
        return given_fail(at, REDO_ECANDIDATE, "shared", "is for decisions alone");
    return REDO_OK;
}

/* whole: all that a CANDIDATE has, and not the parts that can be set alone. */
static int read_field(struct given_place const *at, msgpack_object_kv const *kv, bool whole,
                      struct item *item)
{
    msgpack_object const *key = &kv->key, *value = &kv->val;
    if (given_key(key, "move")) {
        item->parts |= redo_part_move;
        return read_move(at, value, item);
    }
    if (given_key(key, "text")) {
        item->parts |= redo_part_text;
        return given_text(at, "text", value, &item->text, &item->text_size);
    }
    if (given_key(key, "analysis")) {
        item->parts |= redo_part_analysis;
        item->analysis = given_nil(value) ? NULL : value;
        return REDO_OK;
    }
    if (given_key(key, "shared"))
        return read_shared(at, value, item);
    if (whole && given_key(key, "id"))
        return read_id(at, value, &item->id);
    if (whole && given_key(key, "leads"))
        return REDO_OK;
    if (!whole || !given_key(key, "properties"))
        return given_fail_key(at, "", key);
    item->properties = value;
    return REDO_OK;
}

static int read_item(struct given_place const *at, msgpack_object const *o, bool whole,
                     struct item *item)
{
    *item = (struct item){0};
    int rc = given_check_map(at, "", o);
    for (uint32_t i = 0; !rc && i < o->via.map.size; i++)
        rc = read_field(at, &o->via.map.ptr[i], whole, item);
    if (item->shared) /* the analysis that is told beside it is that of the first */
        item->analysis = NULL;
    return rc;
}

/* Its bytes, after their length. */
static int put_item(struct given_place const *at, struct item const *item, uint32_t id,
                    struct buffer *body, struct buffer *out)
{
    struct buffer properties;
    uint32_t count = 0;
    buffer_init(&properties);
    buffer_rewind(body, 0);
    int rc = item->properties
                 ? given_properties(at, "properties", item->properties, &properties, &count)
                 : REDO_OK;
    given_put_number(body, id);
    given_put_number(body, (item->has_move ? ITEM_MOVE : 0u) | (item->text ? ITEM_TEXT : 0u) |
                               (count ? ITEM_PROPERTIES : 0u) |
                               (item->analysis ? ITEM_ANALYSIS : 0u) |
                               (item->shared ? ITEM_SHARED : 0u));
    if (item->has_move)
        given_put_signed(body, item->move);
    if (item->text)
        given_put_text(body, item->text, item->text_size);
    buffer_append(body, properties.data, properties.size);
    body->failed |= properties.failed;
    buffer_free(&properties);
    if (!rc && item->analysis)
        rc = given_analysis(at, item->analysis, body);
    given_put_sized(out, body->data, body->size);
    out->failed |= body->failed;
    return rc;
}

static int check_count(struct call *call, uint32_t count)
{
    if (count <= REDO_CANDIDATES_MAX)
        return REDO_OK;
    call_fail(call, REDO_EFULL);
    error_add_word(&call->error, "limit", "candidates");
    error_add_int(&call->error, "value", REDO_CANDIDATES_MAX);
    return REDO_EFULL;
}

/* The highest id among items that may have some. */
static int highest_id(struct given_place *at, msgpack_object_array const *list, uint32_t *id)
{
    struct item item;
    *id = 0;
    for (uint32_t i = 0; i < list->size; i++) {
        at->index = i;
        int rc = read_item(at, &list->ptr[i], true, &item);
        if (rc)
            return rc;
        *id = item.id > *id ? item.id : *id;
    }
    return REDO_OK;
}

/* Items, with their ids and others after `last`, or all with 0; *last becomes the last that was
 * given. */
static int put_items(struct given_place *at, msgpack_object_array const *list, uint32_t *last,
                     struct buffer *out)
{
    struct buffer body;
    struct item item;
    struct arg any;
    int rc = REDO_OK;
    buffer_init(&body);
    for (uint32_t i = 0; !rc && i < list->size; i++) {
        at->index = i;
        if (arg_read(PARAM_ANY, &list->ptr[i], &any))
            rc = given_fail(at, REDO_ECANDIDATE, "", "has a str that is not valid UTF-8");
        else
            rc = read_item(at, &list->ptr[i], true, &item);
        if (!rc && !item.has_move && !item.text)
            rc = given_fail(at, REDO_ECANDIDATE, "", "has neither move nor text");
        if (!rc && item.shared && !i && last)
            rc = given_fail(at, REDO_ECANDIDATE, "shared", "is not for the first decision");
        uint32_t id = !last ? 0 : item.id ? item.id : ++*last;
        if (!rc)
            rc = put_item(at, &item, id, &body, out);
    }
    buffer_free(&body);
    return rc;
}

int given_items(struct call *call, msgpack_object_array const *list, enum redo_of of,
                struct buffer *out)
{
    struct given_place at = {.call = call, .list = given_list_name(of), .in = ""};
    int rc = check_count(call, list->size);
    given_put_number(out, list->size);
    return rc ? rc : put_items(&at, list, NULL, out);
}

int given_changes(struct call *call, msgpack_object const *map, enum redo_of of, bool shares,
                  struct buffer *out)
{
    struct given_place at = {.call = call, .list = given_list_name(of), .index = -1, .in = ""};
    struct buffer body;
    struct item item;
    int rc = read_item(&at, map, false, &item);
    if (rc)
        return rc;
    if (item.shared || (item.unshared && shares))
        item.parts |= redo_part_analysis;
    given_put_number(out, item.parts);
    buffer_init(&body);
    rc = put_item(&at, &item, 0, &body, out);
    buffer_free(&body);
    return rc;
}

int given_ids(struct call *call, msgpack_object_array const *list, struct buffer *out)
{
    int rc = check_count(call, list->size);
    given_put_number(out, list->size);
    for (uint32_t i = 0; !rc && i < list->size; i++) {
        struct arg arg;
        rc = arg_read(PARAM_SIZE, &list->ptr[i], &arg);
        if (!rc && (arg.integer < 1 || arg.integer > RECORD_IDS_MAX))
            rc = REDO_ENOCANDIDATE;
        if (!rc) {
            given_put_number(out, (uint32_t)arg.integer);
            continue;
        }
        call_fail(call, rc);
        error_add_word(&call->error, "param", "candidates");
        error_add_int(&call->error, "item", i);
    }
    return rc;
}

/* ---- records ----------------------------------------------------------------------------- */

/* A record as it was given; NULL: that field was not. */
struct whole {
    msgpack_object const *properties, *branch, *choice, *candidates, *decided, *decisions;
};

static int read_whole(struct given_place const *at, msgpack_object const *map, struct whole *w)
{
    struct {
        char const *name;
        msgpack_object const **to;
    } const fields[] = {{"properties", &w->properties},
                        {"branch", &w->branch},
                        {"choice", &w->choice},
                        {"candidates", &w->candidates},
                        {"decided", &w->decided},
                        {"decisions", &w->decisions},
                        {"position", NULL},
                        {"alternates", NULL}};
    int rc = given_check_map(at, "record", map);
    for (uint32_t i = 0; !rc && i < map->via.map.size; i++) {
        msgpack_object_kv const *kv = &map->via.map.ptr[i];
        size_t f = 0, count = sizeof fields / sizeof *fields;
        while (f < count && !given_key(&kv->key, fields[f].name))
            f++;
        if (f == count)
            rc = given_fail_key(at, "record", &kv->key);
        else if (fields[f].to && !given_nil(&kv->val))
            *fields[f].to = &kv->val;
    }
    return rc;
}

static int put_map(struct given_place const *at, char const *field, msgpack_object const *o,
                   struct buffer *out)
{
    uint32_t count = 0;
    int rc = o ? given_properties(at, field, o, out, &count) : REDO_OK;
    if (!count)
        given_put_number(out, 0);
    return rc;
}

/* The number of ids given so far, `decided` if it is told, and the items. */
static int put_whole_list(struct call *call, enum redo_of of, msgpack_object const *o,
                          uint32_t const *decided, struct buffer *out)
{
    struct given_place at = {.call = call, .list = given_list_name(of), .index = -1, .in = ""};
    struct buffer items;
    uint32_t last = 0;
    if (o && o->type != MSGPACK_OBJECT_ARRAY)
        return given_fail_type(&at, given_list_name(of), "an array", o);
    uint32_t count = o ? o->via.array.size : 0;
    int rc = check_count(call, count);
    if (!rc && o)
        rc = highest_id(&at, &o->via.array, &last);
    if (!rc && last > RECORD_IDS_MAX - count)
        rc = given_fail(&at, REDO_EFULL, "id", "leaves no room for others");
    if (rc)
        return rc;
    buffer_init(&items);
    if (o)
        rc = put_items(&at, &o->via.array, &last, &items);
    given_put_number(out, last);
    if (decided)
        given_put_number(out, *decided);
    given_put_list(out, count, &items);
    buffer_free(&items);
    return rc;
}

static int read_choice(struct given_place const *at, msgpack_object const *o, uint32_t *choice)
{
    struct arg arg;
    *choice = RECORD_OPEN;
    if (!o || given_key(o, "open"))
        return REDO_OK;
    if (given_key(o, "none"))
        *choice = RECORD_NONE;
    else if (arg_read(PARAM_COUNT, o, &arg) || arg.integer > RECORD_IDS_MAX)
        return given_fail(at, REDO_ECANDIDATE, "choice", "has to be \"open\", \"none\" or an id");
    else
        *choice = RECORD_MADE((uint32_t)arg.integer);
    return REDO_OK;
}

static int read_decided(struct given_place const *at, msgpack_object const *o, uint32_t *decided)
{
    struct arg arg;
    *decided = 0;
    if (!o)
        return REDO_OK;
    if (arg_read(PARAM_SIZE, o, &arg) || arg.integer > REDO_CANDIDATES_MAX)
        return given_fail(at, REDO_ECANDIDATE, "decided", "has to be a number of decisions");
    *decided = (uint32_t)arg.integer;
    return REDO_OK;
}

int given_record(struct call *call, msgpack_object const *map, struct buffer *out)
{
    struct given_place const at = {.call = call, .index = -1, .in = ""};
    struct whole w = {0};
    uint32_t choice, decided;
    if (given_nil(map))
        return REDO_OK;
    int rc = read_whole(&at, map, &w);
    if (rc || (rc = put_map(&at, "properties", w.properties, out)) ||
        (rc = put_map(&at, "branch", w.branch, out)) ||
        (rc = read_choice(&at, w.choice, &choice)) || (rc = read_decided(&at, w.decided, &decided)))
        return rc;
    given_put_number(out, choice);
    rc = put_whole_list(call, redo_of_candidate, w.candidates, NULL, out);
    return rc ? rc : put_whole_list(call, redo_of_decision, w.decisions, &decided, out);
}
