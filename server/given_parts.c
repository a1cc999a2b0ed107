#include "server/given_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/records/number.h"
#include "core/records/record.h"
#include "core/varint.h"
#include "protocol/frame.h"
#include "server/given.h"

char const *given_list_name(enum redo_of of)
{
    return of == redo_of_decision ? "decisions" : "candidates";
}

/* What is wrong, with the field: "candidates, item 3: analysis.kind ...". */
int given_fail(struct given_place const *at, int code, char const *field, char const *what)
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

int given_fail_type(struct given_place const *at, char const *field, char const *expected,
                    msgpack_object const *given)
{
    char what[64];
    snprintf(what, sizeof what, "has to be %s, and not %s", expected, object_type_name(given));
    return given_fail(at, REDO_ECANDIDATE, field, what);
}

int given_fail_key(struct given_place const *at, char const *field, msgpack_object const *key)
{
    char what[96];
    struct arg arg;
    bool text = arg_read(PARAM_STR, key, &arg) == REDO_OK;
    size_t size = text ? arg.bytes.size : 0;
    if (size)
        snprintf(what, sizeof what, "has no field %.*s", size < 64 ? (int)size : 64,
                 arg.bytes.data);
    else
        snprintf(what, sizeof what, "has a key that is no name");
    return given_fail(at, REDO_ECANDIDATE, field, what);
}

/* ---- bytes ------------------------------------------------------------------------------- */

void given_put_number(struct buffer *b, uint32_t v)
{
    if (buffer_reserve(b, VARINT_MAX))
        b->size += varint_put((unsigned char *)b->data + b->size, v);
}

void given_put_signed(struct buffer *b, int32_t v)
{
    if (buffer_reserve(b, VARINT_MAX))
        b->size += varint_put_signed((unsigned char *)b->data + b->size, v);
}

/* With a 0 after them. */
void given_put_text(struct buffer *b, char const *text, size_t size)
{
    given_put_number(b, (uint32_t)size);
    buffer_append(b, text, size);
    buffer_append(b, "", 1);
}

void given_put_sized(struct buffer *b, void const *data, size_t size)
{
    given_put_number(b, (uint32_t)size);
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
void given_put_list(struct buffer *b, uint32_t count, struct buffer const *items)
{
    given_put_number(b, count);
    if (count)
        given_put_sized(b, items->data, items->size);
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

bool given_nil(msgpack_object const *o)
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
    if (given_nil(value) || pack_valid(out, value))
        return REDO_OK;
    error_begin(&call->error, REDO_ETYPE,
                "the value has more than %d arrays and maps in one another", GIVEN_DEPTH);
    error_add_word(&call->error, "param", "value");
    error_add_int(&call->error, "limit", GIVEN_DEPTH);
    return REDO_ETYPE;
}

bool given_key(msgpack_object const *key, char const *name)
{
    struct arg arg;
    return arg_read(PARAM_STR, key, &arg) == REDO_OK && arg.bytes.size == strlen(name) &&
           !memcmp(arg.bytes.data, name, arg.bytes.size);
}

/* Text; nil and empty: none. */
int given_text(struct given_place const *at, char const *field, msgpack_object const *o,
               char const **text, size_t *size)
{
    struct arg arg;
    if (given_nil(o))
        return REDO_OK;
    int rc = arg_read(PARAM_STR, o, &arg);
    if (rc == REDO_EUTF8)
        return given_fail(at, REDO_ECANDIDATE, field, "is not valid UTF-8");
    if (rc)
        return given_fail_type(at, field, "a str", o);
    if (arg.bytes.size > REDO_TEXT_MAX)
        return given_fail(at, REDO_EFULL, field, "has more than 65535 bytes");
    *text = arg.bytes.size ? arg.bytes.data : NULL;
    *size = arg.bytes.size;
    return REDO_OK;
}

static int read_float(struct given_place const *at, char const *field, msgpack_object const *o,
                      double *value)
{
    if (o->type == MSGPACK_OBJECT_FLOAT32 || o->type == MSGPACK_OBJECT_FLOAT64)
        *value = o->via.f64;
    else if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        *value = (double)o->via.u64;
    else if (o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        *value = (double)o->via.i64;
    else
        return given_fail_type(at, field, "a float", o);
    return isfinite(*value) ? REDO_OK
                            : given_fail(at, REDO_ECANDIDATE, field, "is not a finite number");
}

static int read_numbers(struct given_place const *at, char const *field, msgpack_object const *o,
                        double *numbers, size_t *count)
{
    if (given_nil(o))
        return REDO_OK;
    if (o->type != MSGPACK_OBJECT_ARRAY)
        return given_fail_type(at, field, "an array", o);
    if (o->via.array.size > REDO_NUMBERS_MAX)
        return given_fail(at, REDO_EFULL, field, "has more than 64 numbers");
    int rc = REDO_OK;
    for (uint32_t i = 0; !rc && i < o->via.array.size; i++)
        rc = read_float(at, field, &o->via.array.ptr[i], &numbers[i]);
    *count = o->via.array.size;
    return rc;
}

#define FIELDS_MAX 10 /* that a map of ours has, or more */

/* A map of fields; none is given twice. */
int given_check_map(struct given_place const *at, char const *field, msgpack_object const *o)
{
    if (o->type != MSGPACK_OBJECT_MAP)
        return given_fail_type(at, field, "a map", o);
    if (o->via.map.size > FIELDS_MAX)
        return given_fail(at, REDO_ECANDIDATE, field, "has more keys than there are fields");
    for (uint32_t i = 0; i < o->via.map.size; i++)
        for (uint32_t j = 0; j < i; j++)
            if (msgpack_object_equal(o->via.map.ptr[i].key, o->via.map.ptr[j].key))
                return given_fail(at, REDO_ECANDIDATE, field, "has a key twice");
    return REDO_OK;
}

/* ---- properties -------------------------------------------------------------------------- */

/* A list of them; those that are nil are left out. */
int given_properties(struct given_place const *at, char const *field, msgpack_object const *o,
                     struct buffer *out, uint32_t *count)
{
    struct buffer value, all;
    struct arg name;
    int rc = REDO_OK;
    *count = 0;
    if (given_nil(o))
        return REDO_OK;
    if (o->type != MSGPACK_OBJECT_MAP)
        return given_fail_type(at, field, "a map", o);
    buffer_init(&value);
    buffer_init(&all);
    for (uint32_t i = 0; !rc && i < o->via.map.size; i++) {
        msgpack_object_kv const *kv = &o->via.map.ptr[i];
        buffer_rewind(&value, 0);
        if (arg_read(PARAM_STR, &kv->key, &name) ||
            !record_is_name(name.bytes.data, name.bytes.size))
            rc =
                given_fail(at, REDO_ENAME, field, "has a name that has not 1 to 255 bytes, or a 0");
        else if (!given_nil(&kv->val) && !pack_valid(&value, &kv->val))
            rc = given_fail(at, REDO_ECANDIDATE, field,
                            "has a value with more than 16 arrays and maps in one another");
        if (rc || given_nil(&kv->val))
            continue;
        given_put_text(&all, name.bytes.data, name.bytes.size);
        given_put_sized(&all, value.data, value.size);
        all.failed |= value.failed;
        ++*count;
    }
    if (!rc && *count)
        given_put_list(out, *count, &all);
    buffer_free(&value);
    buffer_free(&all);
    return rc;
}

/* ---- analysis ---------------------------------------------------------------------------- */

/* The fields are in any order. */
static int read_analysis_field(struct given_place const *at, msgpack_object_kv const *kv,
                               redo_analysis *a, msgpack_object const **context)
{
    msgpack_object const *key = &kv->key, *value = &kv->val;
    if (given_key(key, "kind"))
        return given_text(at, "kind", value, &a->kind, &a->kindsize);
    if (given_key(key, "equity"))
        return given_nil(value) ? REDO_OK : read_float(at, "equity", value, &a->equity);
    if (given_key(key, "numbers"))
        return read_numbers(at, "numbers", value, a->numbers, &a->numbercount);
    if (given_key(key, "deviations"))
        return read_numbers(at, "deviations", value, a->deviations, &a->deviationcount);
    if (given_key(key, "text"))
        return given_text(at, "text", value, &a->text, &a->textsize);
    if (!given_key(key, "context"))
        return given_fail_key(at, "", key);
    *context = given_nil(value) ? NULL : value;
    return REDO_OK;
}

static int put_context(struct given_place const *at, msgpack_object const *context,
                       struct buffer *out)
{
    struct buffer value;
    buffer_init(&value);
    bool good = pack_valid(&value, context);
    given_put_sized(out, value.data, value.size);
    out->failed |= value.failed;
    buffer_free(&value);
    return good ? REDO_OK
                : given_fail(at, REDO_ECANDIDATE, "context",
                             "has more than 16 arrays and maps in one another");
}

int given_analysis(struct given_place const *outer, msgpack_object const *o, struct buffer *out)
{
    struct given_place at = *outer;
    msgpack_object const *context = NULL;
    redo_analysis a;
    a.kind = a.text = NULL;
    a.kindsize = a.textsize = a.numbercount = a.deviationcount = 0;
    a.equity = (double)NAN;
    int rc = given_check_map(outer, "analysis", o);
    at.in = "analysis.";
    for (uint32_t i = 0; !rc && i < o->via.map.size; i++)
        rc = read_analysis_field(&at, &o->via.map.ptr[i], &a, &context);
    if (rc)
        return rc;
    if (!a.kind || !record_is_name(a.kind, a.kindsize))
        return given_fail(&at, REDO_ECANDIDATE, "kind",
                          "has to have 1 to 255 bytes, none of them 0");
    if (a.deviationcount > a.numbercount)
        return given_fail(&at, REDO_ECANDIDATE, "deviations", "are more than the numbers");
    given_put_number(out, (isnan(a.equity) ? 0u : ANALYSIS_EQUITY) |
                              (context ? ANALYSIS_CONTEXT : 0u) | (a.text ? ANALYSIS_TEXT : 0u));
    given_put_text(out, a.kind, a.kindsize);
    put_reals(out, &a.equity, !isnan(a.equity));
    given_put_number(out, (uint32_t)a.numbercount);
    given_put_number(out, (uint32_t)a.deviationcount);
    put_reals(out, a.numbers, a.numbercount);
    put_reals(out, a.deviations, a.deviationcount);
    if (context)
        rc = put_context(&at, context, out);
    if (a.text)
        given_put_text(out, a.text, a.textsize);
    return rc;
}
