#include "client/ctl/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/frame.h"
#include "protocol/pack.h"

static char *hex_write(char const *data, size_t size)
{
    char *text = malloc(2 * size + 1);

    if (!text)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = "0123456789abcdef"[(unsigned char)data[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[(unsigned char)data[i] & 15];
    }
    text[2 * size] = '\0';
    return text;
}

json_t *json_hex(void const *data, size_t size)
{
    char *text = hex_write(data, size);
    json_t *string = text ? json_stringn_nocheck(text, 2 * size) : NULL;

    free(text);
    return string;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

unsigned char *hex_read(char const *text, size_t length, size_t *size)
{
    unsigned char *bytes = length % 2 ? NULL : malloc(length / 2 + 1);

    for (size_t i = 0; bytes && i < length / 2; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            free(bytes);
            return NULL;
        }
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    *size = length / 2;
    return bytes;
}

/* ---- from msgpack ------------------------------------------------------------------------ */
/* Recursion is bounded: no message nests deeper than FRAME_DEPTH_MAX. */

static json_t *from_bin(char const *data, size_t size)
{
    char *text = hex_write(data, size);
    json_t *object = text ? json_pack("{s:s}", "$bin", text) : NULL;

    free(text);
    return object;
}

static json_t *from_ext(msgpack_object_ext const *ext)
{
    char *text = hex_write(ext->ptr, ext->size);
    json_t *object = text ? json_pack("{s:[i,s]}", "$ext", ext->type, text) : NULL;

    free(text);
    return object;
}

static json_t *from_array(msgpack_object_array const *items)
{
    json_t *array = json_array();

    for (uint32_t i = 0; array && i < items->size; i++) {
        if (json_array_append_new(array, json_from_msgpack(&items->ptr[i])) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* The key as text, zero-terminated. */
static char *key_text(msgpack_object const *key)
{
    if (key->type == MSGPACK_OBJECT_STR)
        return strndup(key->via.str.ptr, key->via.str.size);
    json_t *value = json_from_msgpack(key);
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    return text;
}

static json_t *from_map(msgpack_object_map const *map)
{
    json_t *object = json_object();

    for (uint32_t i = 0; object && i < map->size; i++) {
        char *key = key_text(&map->ptr[i].key);
        if (!key || json_object_set_new(object, key, json_from_msgpack(&map->ptr[i].val)) < 0) {
            json_decref(object);
            object = NULL;
        }
        free(key);
    }
    return object;
}

json_t *json_from_msgpack(msgpack_object const *object)
{
    json_t *real;

    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        return json_null();
    case MSGPACK_OBJECT_BOOLEAN:
        return json_boolean(object->via.boolean);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return object->via.u64 <= INT64_MAX ? json_integer((json_int_t)object->via.u64)
                                            : json_real((double)object->via.u64);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return json_integer(object->via.i64);
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        real = json_real(object->via.f64);
        return real ? real : json_null(); /* JSON has no infinity */
    case MSGPACK_OBJECT_STR:
        return json_stringn(object->via.str.ptr, object->via.str.size);
    case MSGPACK_OBJECT_BIN:
        return from_bin(object->via.bin.ptr, object->via.bin.size);
    case MSGPACK_OBJECT_EXT:
        return from_ext(&object->via.ext);
    case MSGPACK_OBJECT_ARRAY:
        return from_array(&object->via.array);
    case MSGPACK_OBJECT_MAP:
        return from_map(&object->via.map);
    }
    return json_null();
}

/* ---- as text ----------------------------------------------------------------------------- */

static int digits_of(json_t const *value)
{
    int most = 15, one;
    char const *key;
    char text[40];
    json_t *item;
    size_t i;

    switch (json_typeof(value)) {
    case JSON_REAL:
        do
            snprintf(text, sizeof text, "%.*g", most, json_real_value(value));
        while (strtod(text, NULL) != json_real_value(value) && ++most < 17);
        break;
    case JSON_ARRAY:
        json_array_foreach((json_t *)value, i, item)
        {
            one = digits_of(item);
            most = one > most ? one : most;
        }
        break;
    case JSON_OBJECT:
        json_object_foreach((json_t *)value, key, item)
        {
            one = digits_of(item);
            most = one > most ? one : most;
        }
        break;
    default:
        break;
    }
    return most;
}

size_t json_digits(json_t const *value)
{
    return JSON_REAL_PRECISION(digits_of(value));
}

/* ---- to msgpack -------------------------------------------------------------------------- */

static char const *pack_bytes(json_t const *text, struct buffer *b)
{
    size_t size;
    unsigned char *bytes = NULL;

    if (json_is_string(text))
        bytes = hex_read(json_string_value(text), json_string_length(text), &size);
    if (!bytes)
        return "$bin needs a string of hex digits, two a byte";
    pack_bin(b, bytes, size);
    free(bytes);
    return NULL;
}

static char const *pack_value(json_t const *value, unsigned depth, struct buffer *b)
{
    char const *problem = NULL, *key;
    json_t *item;
    size_t i;

    if (depth == FRAME_DEPTH_MAX)
        return "it nests too deep";
    switch (json_typeof(value)) {
    case JSON_NULL:
        pack_nil(b);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        pack_bool(b, json_is_true(value));
        break;
    case JSON_INTEGER:
        pack_int(b, json_integer_value(value));
        break;
    case JSON_REAL:
        PACK_WITH(b, msgpack_pack_double, json_real_value(value));
        break;
    case JSON_STRING:
        pack_str(b, json_string_value(value), json_string_length(value));
        break;
    case JSON_ARRAY:
        pack_array(b, json_array_size(value));
        for (i = 0; !problem && i < json_array_size(value); i++)
            problem = pack_value(json_array_get(value, i), depth + 1, b);
        break;
    case JSON_OBJECT:
        item = json_object_get(value, "$bin");
        if (item && json_object_size(value) == 1)
            return pack_bytes(item, b);
        pack_map(b, json_object_size(value));
        json_object_foreach((json_t *)value, key, item)
        {
            pack_cstr(b, key);
            problem = pack_value(item, depth + 1, b);
            if (problem)
                break;
        }
        break;
    }
    return problem;
}

char const *json_pack_msgpack(json_t const *value, struct buffer *b)
{
    return pack_value(value, 2, b); /* in the message, in its params */
}
