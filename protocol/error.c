/* Making, packing and reading errors. */
#include "protocol/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "protocol/pack.h"

void error_begin(struct error *e, int code, char const *format, ...)
{
    e->code = code;
    e->count = 0;
    if (!format) {
        snprintf(e->message, sizeof e->message, "%s", redo_strerror(code));
        return;
    }
    va_list list;
    va_start(list, format);
    vsnprintf(e->message, sizeof e->message, format, list);
    va_end(list);
}

static void add(struct error *e, struct error_detail detail)
{
    if (e->count < ERROR_DETAILS_MAX)
        e->detail[e->count++] = detail;
}

void error_add_int(struct error *e, char const *name, int64_t value)
{
    add(e, (struct error_detail){.name = name, .integer = value});
}

void error_add_text(struct error *e, char const *name, char const *text, size_t size)
{
    /* Of an empty str msgpack-c may give NULL, which would make it an integer. */
    add(e, (struct error_detail){.name = name, .text = size ? text : "", .size = size});
}

void error_add_value(struct error *e, char const *name, void const *data, size_t size)
{
    add(e, (struct error_detail){.name = name, .text = data, .size = size, .packed = true});
}

void error_add_word(struct error *e, char const *name, char const *text)
{
    error_add_text(e, name, text, strlen(text));
}

void error_pack(struct error const *e, bool as_string, struct buffer *b)
{
    if (as_string) {
        char text[ERROR_MESSAGE_MAX + 40];
        snprintf(text, sizeof text, "%s: %s", redo_errorname(e->code), e->message);
        pack_text(b, text, strlen(text));
        return;
    }
    pack_array(b, 3);
    pack_int(b, e->code);
    pack_text(b, e->message, strlen(e->message));
    pack_map(b, e->count);
    for (unsigned i = 0; i < e->count; i++) {
        struct error_detail const *d = &e->detail[i];
        pack_cstr(b, d->name);
        if (d->packed)
            buffer_append(b, d->text, d->size);
        else if (d->text)
            pack_text(b, d->text, d->size);
        else
            pack_int(b, d->integer);
    }
}

void error_respond(struct error const *e, bool as_string, uint32_t id, struct buffer *b)
{
    pack_array(b, 4);
    pack_uint(b, 1);
    pack_uint(b, id);
    error_pack(e, as_string, b);
    pack_nil(b);
}

/* The code of the name that a string error begins with. */
static int code_of(char const *text, size_t size)
{
#define CODE(name, number, prose)                                               \
    if (size > sizeof #name && memcmp(text, #name ": ", sizeof #name + 1) == 0) \
        return name;
    REDO_ERRORS(CODE)
#undef CODE
    return REDO_EPROTOCOL;
}

void error_read(msgpack_object const *object, int *code, char const **message, size_t *size)
{
    *code = REDO_EPROTOCOL;
    *message = "";
    *size = 0;

    if (object->type == MSGPACK_OBJECT_STR) {
        *message = object->via.str.ptr;
        *size = object->via.str.size;
        *code = code_of(*message, *size);
        return;
    }
    if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size < 2)
        return;
    msgpack_object const *item = object->via.array.ptr;
    if (item[0].type != MSGPACK_OBJECT_POSITIVE_INTEGER || item[0].via.u64 == REDO_OK ||
        item[0].via.u64 > INT32_MAX)
        return;
    *code = (int)item[0].via.u64;
    if (item[1].type == MSGPACK_OBJECT_STR) {
        *message = item[1].via.str.ptr;
        *size = item[1].via.str.size;
    }
}
