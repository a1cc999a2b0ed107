/* Checking a call's params against the signature of its method, the second half of method.h. */
#include "protocol/method.h"

#include <assert.h>
#include <string.h>

#include "protocol/frame.h"

#define SIZE_LIMIT ((INT64_C(1) << 53) - 1) /* what JavaScript and Lua can count to */

char const *object_type_name(msgpack_object const *object)
{
    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        return "nil";
    case MSGPACK_OBJECT_BOOLEAN:
        return "bool";
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return "int";
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return "float";
    case MSGPACK_OBJECT_STR:
        return "str";
    case MSGPACK_OBJECT_ARRAY:
        return "array";
    case MSGPACK_OBJECT_MAP:
        return "map";
    case MSGPACK_OBJECT_BIN:
        return "bin";
    case MSGPACK_OBJECT_EXT:
        return "ext";
    }
    return "unknown";
}

/* An integer from low to high; `outside` is the code for one that is not. */
static int read_integer(msgpack_object const *o, int64_t low, int64_t high, int outside,
                        int64_t *value)
{
    if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
        if (o->via.u64 > (uint64_t)high || (int64_t)o->via.u64 < low)
            return outside;
        *value = (int64_t)o->via.u64;
    } else if (o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
        if (o->via.i64 < low)
            return outside;
        *value = o->via.i64;
    } else {
        return REDO_ETYPE;
    }
    return REDO_OK;
}

/* The bytes of a str or a bin. */
static int read_bytes(msgpack_object const *o, struct arg *arg)
{
    if (o->type == MSGPACK_OBJECT_STR) {
        arg->bytes.data = o->via.str.ptr;
        arg->bytes.size = o->via.str.size;
    } else if (o->type == MSGPACK_OBJECT_BIN) {
        arg->bytes.data = o->via.bin.ptr;
        arg->bytes.size = o->via.bin.size;
    } else {
        return REDO_ETYPE;
    }
    return REDO_OK;
}

static int read_text(msgpack_object const *o, struct arg *arg)
{
    int code = read_bytes(o, arg);
    if (code == REDO_OK && !utf8_valid(arg->bytes.data, arg->bytes.size))
        code = REDO_EUTF8;
    return code;
}

/* Whether every str in the object is UTF-8, however deep: a loop, since a client shapes it. */
static int check_any(msgpack_object const *o)
{
    struct {
        msgpack_object const *container;
        uint32_t next; /* of a map, keys and values count */
    } open[FRAME_DEPTH_MAX];
    size_t depth = 0;

    for (;;) {
        if (o->type == MSGPACK_OBJECT_STR && !utf8_valid(o->via.str.ptr, o->via.str.size))
            return REDO_EUTF8;
        if (o->type == MSGPACK_OBJECT_ARRAY || o->type == MSGPACK_OBJECT_MAP) {
            if (depth == FRAME_DEPTH_MAX)
                return REDO_ETOOBIG; /* no frame nests that deep */
            open[depth].container = o;
            open[depth++].next = 0;
        }
        for (o = NULL; !o && depth > 0;) {
            msgpack_object const *in = open[depth - 1].container;
            uint32_t next = open[depth - 1].next++;
            if (in->type == MSGPACK_OBJECT_ARRAY && next < in->via.array.size)
                o = &in->via.array.ptr[next];
            else if (in->type == MSGPACK_OBJECT_MAP && next / 2 < in->via.map.size)
                o = next % 2 ? &in->via.map.ptr[next / 2].val : &in->via.map.ptr[next / 2].key;
            else
                depth--;
        }
        if (!o)
            return REDO_OK;
    }
}

int arg_read(enum param_type type, msgpack_object const *o, struct arg *arg)
{
    arg->type = type;
    arg->present = true;
    arg->named = false;

    switch (type) {
    case PARAM_INT:
        return read_integer(o, INT32_MIN, INT32_MAX, REDO_ERANGE, &arg->integer);
    case PARAM_SIZE:
        return read_integer(o, 0, SIZE_LIMIT, REDO_ERANGE, &arg->integer);
    case PARAM_POSITION:
        return read_integer(o, 0, (int64_t)UINT32_MAX - 1, REDO_EPOSITION, &arg->integer);
    case PARAM_COUNT:
        return read_integer(o, 1, SIZE_LIMIT, REDO_ERANGE, &arg->integer);
    case PARAM_SESSION:
        if (o->type != MSGPACK_OBJECT_STR && o->type != MSGPACK_OBJECT_BIN)
            return read_integer(o, 0, SIZE_LIMIT, REDO_ENOSESSION, &arg->integer);
        arg->named = true;
        return read_text(o, arg);
    case PARAM_STR:
        return read_text(o, arg);
    case PARAM_MAYBE:
        arg->present = o->type != MSGPACK_OBJECT_NIL;
        arg->bytes.data = NULL;
        arg->bytes.size = 0;
        return arg->present ? read_bytes(o, arg) : REDO_OK;
    case PARAM_BIN:
        return read_bytes(o, arg);
    case PARAM_BOOL:
        if (o->type != MSGPACK_OBJECT_BOOLEAN)
            return REDO_ETYPE;
        arg->boolean = o->via.boolean;
        return REDO_OK;
    case PARAM_ARRAY:
        if (o->type != MSGPACK_OBJECT_ARRAY)
            return REDO_ETYPE;
        arg->array = o->via.array;
        return REDO_OK;
    case PARAM_ANY:
        arg->any = *o;
        return check_any(o);
    case PARAM_TYPE_COUNT:
        break;
    }
    return REDO_ETYPE;
}

/* The value is not what the param takes. */
static int refuse_value(struct error *error, int code, char const *method, struct param const *p,
                        unsigned index, msgpack_object const *o)
{
    int size = (int)p->size;

    if (code == REDO_ETYPE)
        error_begin(error, code, "%s takes %.*s as %s, and got %s", method, size, p->name,
                    param_type_name(p->type), object_type_name(o));
    else if (code == REDO_EUTF8)
        error_begin(error, code, "%s: %.*s is not valid UTF-8", method, size, p->name);
    else
        error_begin(error, code, "%s: %.*s must be %s", method, size, p->name,
                    param_type_text(p->type));
    error_add_text(error, "param", p->name, p->size);
    error_add_int(error, "index", index);
    error_add_word(error, "expected", param_type_name(p->type));
    if (code == REDO_ETYPE)
        error_add_word(error, "given", object_type_name(o));
    return code;
}

static int refuse_option(struct error *error, char const *method, char const *what,
                         struct arg const *key)
{
    size_t size = key->bytes.size;

    error_begin(error, REDO_EOPTION, "%s %s %.*s", method, what, size < 64 ? (int)size : 64,
                size ? key->bytes.data : "");
    error_add_text(error, "option", key->bytes.data, size);
    return REDO_EOPTION;
}

/* The key of an option is no text. */
static int refuse_key(struct error *error, int code, char const *method, unsigned index,
                      msgpack_object const *key)
{
    static struct param const options = {.name = "options", .size = 7, .type = PARAM_STR};

    if (code == REDO_EUTF8)
        return refuse_value(error, code, method, &options, index, key);
    error_begin(error, REDO_EOPTION, "%s takes options by name, and got a key of type %s", method,
                object_type_name(key));
    error_add_word(error, "expected", "str");
    error_add_word(error, "given", object_type_name(key));
    return REDO_EOPTION;
}

static int refuse_count(struct error *error, char const *method, struct signature const *s,
                        uint32_t given)
{
    error_begin(error, REDO_EPARAMS, "%s takes %u params%s, and got %u", method, s->param_count,
                s->takes_options ? " and a map of options" : "", given);
    error_add_int(error, "expected", s->param_count);
    error_add_int(error, "given", given);
    return REDO_EPARAMS;
}

/* Where in the signature the option of that name is; option_count if nowhere. */
static unsigned find_option(struct signature const *s, char const *name, size_t size)
{
    unsigned i = 0;

    while (i < s->option_count &&
           (s->option[i].size != size || memcmp(s->option[i].name, name, size) != 0))
        i++;
    return i;
}

static int check_options(char const *method, msgpack_object const *o, struct args *args,
                         struct error *error)
{
    struct signature const *s = args->signature;
    unsigned index = s->param_count;

    if (o->type == MSGPACK_OBJECT_NIL ||
        (o->type == MSGPACK_OBJECT_ARRAY && o->via.array.size == 0))
        return REDO_OK;
    if (o->type != MSGPACK_OBJECT_MAP) {
        error_begin(error, REDO_ETYPE, "%s takes options as map, and got %s", method,
                    object_type_name(o));
        error_add_word(error, "param", "options");
        error_add_int(error, "index", index);
        error_add_word(error, "expected", "map");
        error_add_word(error, "given", object_type_name(o));
        return REDO_ETYPE;
    }

    /* Ends after option_count + 1 keys at the latest: unknown or given twice. */
    bool seen[SIGNATURE_OPTIONS_MAX] = {false};
    for (uint32_t i = 0; i < o->via.map.size; i++) {
        msgpack_object const *key = &o->via.map.ptr[i].key;
        msgpack_object const *value = &o->via.map.ptr[i].val;
        struct arg name;
        int code = read_text(key, &name);
        if (code != REDO_OK)
            return refuse_key(error, code, method, index, key);
        unsigned at = find_option(s, name.bytes.data, name.bytes.size);
        if (at == s->option_count)
            return refuse_option(error, method, "has no option", &name);
        if (seen[at])
            return refuse_option(error, method, "got twice the option", &name);
        seen[at] = true;
        if (value->type == MSGPACK_OBJECT_NIL)
            continue;
        code = arg_read(s->option[at].type, value, &args->option[at]);
        if (code != REDO_OK)
            return refuse_value(error, code, method, &s->option[at], index, value);
    }
    return REDO_OK;
}

int method_check(struct methods const *m, enum method_symbol symbol,
                 msgpack_object_array const *params, struct args *args, struct error *error)
{
    struct signature const *s = &m->signature[symbol];
    char const *method = method_table[symbol].name;

    args->signature = s;
    if (params->size < s->param_count || params->size > s->param_count + s->takes_options)
        return refuse_count(error, method, s, params->size);
    for (unsigned i = 0; i < s->param_count; i++) {
        int code = arg_read(s->param[i].type, &params->ptr[i], &args->param[i]);
        if (code != REDO_OK)
            return refuse_value(error, code, method, &s->param[i], i, &params->ptr[i]);
    }
    args->has_options = params->size > s->param_count;
    if (!args->has_options)
        return REDO_OK;
    for (unsigned i = 0; i < s->option_count; i++) {
        args->option[i].type = s->option[i].type;
        args->option[i].present = false;
    }
    return check_options(method, &params->ptr[s->param_count], args, error);
}

struct arg const *args_given(struct args const *args, char const *name)
{
    unsigned at = find_option(args->signature, name, strlen(name));

    assert(at < args->signature->option_count);
    return &args->option[at];
}

bool args_flag(struct args const *args, char const *name, bool otherwise)
{
    struct arg const *arg = args_option(args, name);

    return arg->present ? arg->boolean : otherwise;
}

int64_t args_integer(struct args const *args, char const *name, int64_t otherwise)
{
    struct arg const *arg = args_option(args, name);

    return arg->present ? arg->integer : otherwise;
}
