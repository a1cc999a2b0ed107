/* One item after the other: what it has is read into a struct, held against what it may be, and
 * written. */
#include "server/given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/records/number.h"
#include "core/records/record.h"
#include "core/varint.h"
#include "protocol/frame.h"

/* Where reading stands. */
struct place {
    struct call *call;
    char const *list; /* "candidates", "decisions"; NULL: in no list */
    int64_t index;    /* of the item; below 0: it is the only one */
    char const *in;   /* what stands before the names of fields: "", "analysis." */
};

static char const *list_name(enum redo_of of)
{
    return of == redo_of_decision ? "decisions" : "candidates";
}

/* What is wrong, with the field: "candidates, item 3: analysis.kind ...". */
static int fail(struct place const *at, int code, char const *field, char const *what)
{
    struct error *e = &at->call->error;
    char *word = at->call->word;
    snprintf(word, sizeof at->call->word, "%s%s", at->in, *field || *at->in ? field : "it");
    if (at->index < 0)
        error_begin(e, code, "%s %s", word, what);
    else
        error_begin(e, code, "%s, item %lld: %s %s", at->list, (long long)at->index, word, what);
    if (at->list)
        error_add_word(e, "list", at->list);
    if (at->index >= 0)
        error_add_int(e, "index", at->index);
    error_add_word(e, "field", word);
    return code;
}

static int fail_type(struct place const *at, char const *field, char const *expected,
                     msgpack_object const *given)
{
    char what[64];
    snprintf(what, sizeof what, "is %s, and not %s", expected, object_type_name(given));
    return fail(at, REDO_ECANDIDATE, field, what);
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void put_number(struct buffer *b, uint32_t v)
{
    if (buffer_reserve(b, VARINT_MAX))
        b->size += varint_put((unsigned char *)b->data + b->size, v);
}

static void put_signed(struct buffer *b, int32_t v)
{
    if (buffer_reserve(b, VARINT_MAX))
        b->size += varint_put_signed((unsigned char *)b->data + b->size, v);
}

/* With a 0 after them. */
static void put_text(struct buffer *b, char const *text, size_t size)
{
    put_number(b, (uint32_t)size);
    buffer_append(b, text, size);
    buffer_append(b, "", 1);
}

static void put_sized(struct buffer *b, void const *data, size_t size)
{
    put_number(b, (uint32_t)size);
    buffer_append(b, data, size);
}

static void put_reals(struct buffer *b, double const *values, size_t count)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < count; i++) {
        number_put_real(bytes, values[i]);
        buffer_append(b, bytes, sizeof bytes);
    }
}

/* So many, and if there are any the bytes that they take. */
static void put_list(struct buffer *b, uint32_t count, struct buffer const *items)
{
    put_number(b, count);
    if (count)
        put_sized(b, items->data, items->size);
    b->failed |= items->failed;
}

/* ---- values ------------------------------------------------------------------------------ */

bool given_value_valid(void const *data, size_t size)
{
    struct frame frame;
    struct frame_limits limits = FRAME_LIMITS_DEFAULT;
    limits.bytes = REDO_RECORD_MAX;
    limits.depth = GIVEN_DEPTH;
    frame_init(&frame);
    return frame_scan(&frame, &limits, data, size) == FRAME_COMPLETE && frame.at == size &&
           frame_code(&frame) == REDO_OK;
}

static bool is_nil(msgpack_object const *o)
{
    return o->type == MSGPACK_OBJECT_NIL;
}

/* Packs it; false if it nests too deep. */
static bool pack_valid(struct buffer *b, msgpack_object const *o)
{
    size_t start = b->size;
    pack_object(b, o);
    return b->failed || given_value_valid(b->data + start, b->size - start);
}

int given_value(struct call *call, msgpack_object const *value, struct buffer *out)
{
    if (is_nil(value) || pack_valid(out, value))
        return REDO_OK;
    error_begin(&call->error, REDO_ETYPE,
                "the value has more than %d arrays and maps in one another", GIVEN_DEPTH);
    error_add_word(&call->error, "param", "value");
    error_add_int(&call->error, "limit", GIVEN_DEPTH);
    return REDO_ETYPE;
}

static bool is_key(msgpack_object const *key, char const *name)
{
    struct arg arg;
    return arg_read(PARAM_STR, key, &arg) == REDO_OK && arg.bytes.size == strlen(name) &&
           !memcmp(arg.bytes.data, name, arg.bytes.size);
}

/* Text; nil and empty: none. */
static int read_text(struct place const *at, char const *field, msgpack_object const *o,
                     char const **text, size_t *size)
{
    struct arg arg;
    if (is_nil(o))
        return REDO_OK;
    int rc = arg_read(PARAM_STR, o, &arg);
    if (rc == REDO_EUTF8)
        return fail(at, REDO_ECANDIDATE, field, "is not valid UTF-8");
    if (rc)
        return fail_type(at, field, "a str", o);
    if (arg.bytes.size > REDO_TEXT_MAX)
        return fail(at, REDO_EFULL, field, "has more than 65535 bytes");
    *text = arg.bytes.size ? arg.bytes.data : NULL;
    *size = arg.bytes.size;
    return REDO_OK;
}

static int read_float(struct place const *at, char const *field, msgpack_object const *o,
                      double *value)
{
    if (o->type == MSGPACK_OBJECT_FLOAT32 || o->type == MSGPACK_OBJECT_FLOAT64)
        *value = o->via.f64;
    else if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        *value = (double)o->via.u64;
    else if (o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        *value = (double)o->via.i64;
    else
        return fail_type(at, field, "a float", o);
    return isfinite(*value) ? REDO_OK : fail(at, REDO_ECANDIDATE, field, "is not a finite number");
}

static int read_numbers(struct place const *at, char const *field, msgpack_object const *o,
                        double *numbers, size_t *count)
{
    if (is_nil(o))
        return REDO_OK;
    if (o->type != MSGPACK_OBJECT_ARRAY)
        return fail_type(at, field, "an array", o);
    if (o->via.array.size > REDO_NUMBERS_MAX)
        return fail(at, REDO_EFULL, field, "has more than 64 numbers");
    int rc = REDO_OK;
    for (uint32_t i = 0; !rc && i < o->via.array.size; i++)
        rc = read_float(at, field, &o->via.array.ptr[i], &numbers[i]);
    *count = o->via.array.size;
    return rc;
}

#define FIELDS_MAX 10 /* that a map of ours has, or more */

/* A map of fields; none is given twice. */
static int check_map(struct place const *at, char const *field, msgpack_object const *o)
{
    if (o->type != MSGPACK_OBJECT_MAP)
        return fail_type(at, field, "a map", o);
    if (o->via.map.size > FIELDS_MAX)
        return fail(at, REDO_ECANDIDATE, field, "has more keys than there are fields");
    for (uint32_t i = 0; i < o->via.map.size; i++)
        for (uint32_t j = 0; j < i; j++)
            if (msgpack_object_equal(o->via.map.ptr[i].key, o->via.map.ptr[j].key))
                return fail(at, REDO_ECANDIDATE, field, "has a key twice");
    return REDO_OK;
}

/* ---- properties -------------------------------------------------------------------------- */

/* A list of them; those that are nil are left out. */
static int put_properties(struct place const *at, char const *field, msgpack_object const *o,
                          struct buffer *out, uint32_t *count)
{
    struct buffer value, all;
    struct arg name;
    int rc = REDO_OK;
    *count = 0;
    if (is_nil(o))
        return REDO_OK;
    if (o->type != MSGPACK_OBJECT_MAP)
        return fail_type(at, field, "a map", o);
    buffer_init(&value);
    buffer_init(&all);
    for (uint32_t i = 0; !rc && i < o->via.map.size; i++) {
        msgpack_object_kv const *kv = &o->via.map.ptr[i];
        buffer_rewind(&value, 0);
        if (arg_read(PARAM_STR, &kv->key, &name) ||
            !record_is_name(name.bytes.data, name.bytes.size))
            rc = fail(at, REDO_ENAME, field, "has a name that has not 1 to 255 bytes, or a 0");
        else if (!is_nil(&kv->val) && !pack_valid(&value, &kv->val))
            rc = fail(at, REDO_ECANDIDATE, field,
                      "has a value with more than 16 arrays and maps in one another");
        if (rc || is_nil(&kv->val))
            continue;
        put_text(&all, name.bytes.data, name.bytes.size);
        put_sized(&all, value.data, value.size);
        all.failed |= value.failed;
        ++*count;
    }
    if (!rc && *count)
        put_list(out, *count, &all);
    buffer_free(&value);
    buffer_free(&all);
    return rc;
}

/* ---- analysis ---------------------------------------------------------------------------- */

/* The fields are in any order. */
static int read_analysis_field(struct place const *at, msgpack_object_kv const *kv,
                               redo_analysis *a, msgpack_object const **context)
{
    msgpack_object const *key = &kv->key, *value = &kv->val;
    if (is_key(key, "kind"))
        return read_text(at, "kind", value, &a->kind, &a->kindsize);
    if (is_key(key, "equity"))
        return is_nil(value) ? REDO_OK : read_float(at, "equity", value, &a->equity);
    if (is_key(key, "numbers"))
        return read_numbers(at, "numbers", value, a->numbers, &a->numbercount);
    if (is_key(key, "deviations"))
        return read_numbers(at, "deviations", value, a->deviations, &a->deviationcount);
    if (is_key(key, "text"))
        return read_text(at, "text", value, &a->text, &a->textsize);
    if (!is_key(key, "context"))
        return fail(at, REDO_ECANDIDATE, "", "has a key that no field has");
    *context = is_nil(value) ? NULL : value;
    return REDO_OK;
}

static int put_context(struct place const *at, msgpack_object const *context, struct buffer *out)
{
    struct buffer value;
    buffer_init(&value);
    bool good = pack_valid(&value, context);
    put_sized(out, value.data, value.size);
    out->failed |= value.failed;
    buffer_free(&value);
    return good ? REDO_OK
                : fail(at, REDO_ECANDIDATE, "context",
                       "has more than 16 arrays and maps in one another");
}

static int put_analysis(struct place const *outer, msgpack_object const *o, struct buffer *out)
{
    struct place at = *outer;
    msgpack_object const *context = NULL;
    redo_analysis a;
    a.kind = a.text = NULL;
    a.kindsize = a.textsize = a.numbercount = a.deviationcount = 0;
    a.equity = (double)NAN;
    int rc = check_map(outer, "analysis", o);
    at.in = "analysis.";
    for (uint32_t i = 0; !rc && i < o->via.map.size; i++)
        rc = read_analysis_field(&at, &o->via.map.ptr[i], &a, &context);
    if (rc)
        return rc;
    if (!a.kind || !record_is_name(a.kind, a.kindsize))
        return fail(&at, REDO_ECANDIDATE, "kind", "has 1 to 255 bytes, none of them 0");
    if (a.deviationcount > a.numbercount)
        return fail(&at, REDO_ECANDIDATE, "deviations", "are more than the numbers");
    put_number(out, (isnan(a.equity) ? 0u : ANALYSIS_EQUITY) | (context ? ANALYSIS_CONTEXT : 0u) |
                        (a.text ? ANALYSIS_TEXT : 0u));
    put_text(out, a.kind, a.kindsize);
    put_reals(out, &a.equity, !isnan(a.equity));
    put_number(out, (uint32_t)a.numbercount);
    put_number(out, (uint32_t)a.deviationcount);
    put_reals(out, a.numbers, a.numbercount);
    put_reals(out, a.deviations, a.deviationcount);
    if (context)
        rc = put_context(&at, context, out);
    if (a.text)
        put_text(out, a.text, a.textsize);
    return rc;
}

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

static int read_move(struct place const *at, msgpack_object const *o, struct item *item)
{
    struct arg arg;
    if (is_nil(o))
        return REDO_OK;
    int rc = arg_read(PARAM_INT, o, &arg);
    if (rc == REDO_ETYPE)
        return fail_type(at, "move", "an int", o);
    if (rc)
        return fail(at, REDO_ECANDIDATE, "move", "is an integer of 32 bits");
    item->has_move = true;
    item->move = (int)arg.integer;
    return REDO_OK;
}

static int read_id(struct place const *at, msgpack_object const *o, uint32_t *id)
{
    struct arg arg;
    if (is_nil(o))
        return REDO_OK;
    if (arg_read(PARAM_COUNT, o, &arg) || arg.integer > RECORD_IDS_MAX)
        return fail(at, REDO_ECANDIDATE, "id", "is an integer from 1 to 2147483647");
    *id = (uint32_t)arg.integer;
    return REDO_OK;
}

static int read_shared(struct place const *at, msgpack_object const *o, struct item *item)
{
    if (!is_nil(o) && o->type != MSGPACK_OBJECT_BOOLEAN)
        return fail_type(at, "shared", "a bool", o);
    item->shared = !is_nil(o) && o->via.boolean;
    item->unshared = !item->shared;
    if (item->shared && !strcmp(at->list, "candidates"))
        return fail(at, REDO_ECANDIDATE, "shared", "is for decisions alone");
    return REDO_OK;
}

/* whole: all that a CANDIDATE has, and not the parts that can be set alone. */
static int read_field(struct place const *at, msgpack_object_kv const *kv, bool whole,
                      struct item *item)
{
    msgpack_object const *key = &kv->key, *value = &kv->val;
    if (is_key(key, "move")) {
        item->parts |= redo_part_move;
        return read_move(at, value, item);
    }
    if (is_key(key, "text")) {
        item->parts |= redo_part_text;
        return read_text(at, "text", value, &item->text, &item->text_size);
    }
    if (is_key(key, "analysis")) {
        item->parts |= redo_part_analysis;
        item->analysis = is_nil(value) ? NULL : value;
        return REDO_OK;
    }
    if (is_key(key, "shared"))
        return read_shared(at, value, item);
    if (whole && is_key(key, "id"))
        return read_id(at, value, &item->id);
    if (whole && is_key(key, "leads"))
        return REDO_OK;
    if (!whole || !is_key(key, "properties"))
        return fail(at, REDO_ECANDIDATE, "", "has a key that no field has");
    item->properties = value;
    return REDO_OK;
}

static int read_item(struct place const *at, msgpack_object const *o, bool whole, struct item *item)
{
    *item = (struct item){0};
    int rc = check_map(at, "", o);
    for (uint32_t i = 0; !rc && i < o->via.map.size; i++)
        rc = read_field(at, &o->via.map.ptr[i], whole, item);
    if (item->shared) /* the analysis that is told beside it is that of the first */
        item->analysis = NULL;
    return rc;
}

/* Its bytes, after their length. */
static int put_item(struct place const *at, struct item const *item, uint32_t id,
                    struct buffer *body, struct buffer *out)
{
    struct buffer properties;
    uint32_t count = 0;
    buffer_init(&properties);
    buffer_rewind(body, 0);
    int rc = item->properties
                 ? put_properties(at, "properties", item->properties, &properties, &count)
                 : REDO_OK;
    put_number(body, id);
    put_number(body, (item->has_move ? ITEM_MOVE : 0u) | (item->text ? ITEM_TEXT : 0u) |
                         (count ? ITEM_PROPERTIES : 0u) | (item->analysis ? ITEM_ANALYSIS : 0u) |
                         (item->shared ? ITEM_SHARED : 0u));
    if (item->has_move)
        put_signed(body, item->move);
    if (item->text)
        put_text(body, item->text, item->text_size);
    buffer_append(body, properties.data, properties.size);
    body->failed |= properties.failed;
    buffer_free(&properties);
    if (!rc && item->analysis)
        rc = put_analysis(at, item->analysis, body);
    put_sized(out, body->data, body->size);
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
static int highest_id(struct place *at, msgpack_object_array const *list, uint32_t *id)
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
static int put_items(struct place *at, msgpack_object_array const *list, uint32_t *last,
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
            rc = fail(at, REDO_ECANDIDATE, "", "has a str that is not valid UTF-8");
        else
            rc = read_item(at, &list->ptr[i], true, &item);
        if (!rc && !item.has_move && !item.text)
            rc = fail(at, REDO_ECANDIDATE, "", "has neither move nor text");
        if (!rc && item.shared && !i && last)
            rc = fail(at, REDO_ECANDIDATE, "shared", "is not for the first decision");
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
    struct place at = {.call = call, .list = list_name(of), .in = ""};
    int rc = check_count(call, list->size);
    put_number(out, list->size);
    return rc ? rc : put_items(&at, list, NULL, out);
}

int given_changes(struct call *call, msgpack_object const *map, enum redo_of of, bool shares,
                  struct buffer *out)
{
    struct place at = {.call = call, .list = list_name(of), .index = -1, .in = ""};
    struct buffer body;
    struct item item;
    int rc = read_item(&at, map, false, &item);
    if (rc)
        return rc;
    if (item.shared || (item.unshared && shares))
        item.parts |= redo_part_analysis;
    put_number(out, item.parts);
    buffer_init(&body);
    rc = put_item(&at, &item, 0, &body, out);
    buffer_free(&body);
    return rc;
}

int given_ids(struct call *call, msgpack_object_array const *list, struct buffer *out)
{
    int rc = check_count(call, list->size);
    put_number(out, list->size);
    for (uint32_t i = 0; !rc && i < list->size; i++) {
        struct arg arg;
        rc = arg_read(PARAM_SIZE, &list->ptr[i], &arg);
        if (!rc && (arg.integer < 1 || arg.integer > RECORD_IDS_MAX))
            rc = REDO_ENOCANDIDATE;
        if (!rc) {
            put_number(out, (uint32_t)arg.integer);
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

static int read_whole(struct place const *at, msgpack_object const *map, struct whole *w)
{
    struct {
        char const *name;
        msgpack_object const **to;
    } const fields[] = {{"properties", &w->properties}, {"branch", &w->branch},
                        {"choice", &w->choice},         {"candidates", &w->candidates},
                        {"decided", &w->decided},       {"decisions", &w->decisions},
                        {"position", NULL},             {"alternates", NULL}};
    int rc = check_map(at, "record", map);
    for (uint32_t i = 0; !rc && i < map->via.map.size; i++) {
        msgpack_object_kv const *kv = &map->via.map.ptr[i];
        size_t f = 0, count = sizeof fields / sizeof *fields;
        while (f < count && !is_key(&kv->key, fields[f].name))
            f++;
        if (f == count)
            rc = fail(at, REDO_ECANDIDATE, "record", "has a key that no field has");
        else if (fields[f].to && !is_nil(&kv->val))
            *fields[f].to = &kv->val;
    }
    return rc;
}

static int put_map(struct place const *at, char const *field, msgpack_object const *o,
                   struct buffer *out)
{
    uint32_t count = 0;
    int rc = o ? put_properties(at, field, o, out, &count) : REDO_OK;
    if (!count)
        put_number(out, 0);
    return rc;
}

/* The number of ids given so far, `decided` if it is told, and the items. */
static int put_whole_list(struct call *call, enum redo_of of, msgpack_object const *o,
                          uint32_t const *decided, struct buffer *out)
{
    struct place at = {.call = call, .list = list_name(of), .index = -1, .in = ""};
    struct buffer items;
    uint32_t last = 0;
    if (o && o->type != MSGPACK_OBJECT_ARRAY)
        return fail_type(&at, list_name(of), "an array", o);
    uint32_t count = o ? o->via.array.size : 0;
    int rc = check_count(call, count);
    if (!rc && o)
        rc = highest_id(&at, &o->via.array, &last);
    if (!rc && last > RECORD_IDS_MAX - count)
        rc = fail(&at, REDO_EFULL, "id", "leaves no room for others");
    if (rc)
        return rc;
    buffer_init(&items);
    if (o)
        rc = put_items(&at, &o->via.array, &last, &items);
    put_number(out, last);
    if (decided)
        put_number(out, *decided);
    put_list(out, count, &items);
    buffer_free(&items);
    return rc;
}

static int read_choice(struct place const *at, msgpack_object const *o, uint32_t *choice)
{
    struct arg arg;
    *choice = RECORD_OPEN;
    if (!o || is_key(o, "open"))
        return REDO_OK;
    if (is_key(o, "none"))
        *choice = RECORD_NONE;
    else if (arg_read(PARAM_COUNT, o, &arg) || arg.integer > RECORD_IDS_MAX)
        return fail(at, REDO_ECANDIDATE, "choice", "is \"open\", \"none\" or an id");
    else
        *choice = RECORD_MADE((uint32_t)arg.integer);
    return REDO_OK;
}

static int read_decided(struct place const *at, msgpack_object const *o, uint32_t *decided)
{
    struct arg arg;
    *decided = 0;
    if (!o)
        return REDO_OK;
    if (arg_read(PARAM_SIZE, o, &arg) || arg.integer > REDO_CANDIDATES_MAX)
        return fail(at, REDO_ECANDIDATE, "decided", "is a number of decisions");
    *decided = (uint32_t)arg.integer;
    return REDO_OK;
}

int given_record(struct call *call, msgpack_object const *map, struct buffer *out)
{
    struct place const at = {.call = call, .index = -1, .in = ""};
    struct whole w = {0};
    uint32_t choice, decided;
    if (is_nil(map))
        return REDO_OK;
    int rc = read_whole(&at, map, &w);
    if (rc || (rc = put_map(&at, "properties", w.properties, out)) ||
        (rc = put_map(&at, "branch", w.branch, out)) ||
        (rc = read_choice(&at, w.choice, &choice)) ||
        (rc = read_decided(&at, w.decided, &decided)))
        return rc;
    put_number(out, choice);
    rc = put_whole_list(call, redo_of_candidate, w.candidates, NULL, out);
    return rc ? rc : put_whole_list(call, redo_of_decision, w.decisions, &decided, out);
}
