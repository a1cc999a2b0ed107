/* Any bytes through the whole of protocol/: scan, unpack, check, answer. What must hold:
 *
 *   - the scan says the same of the whole and of any pieces;
 *   - what it finds complete msgpack-c unpacks, to the same end;
 *   - a call that passes its check has the params that its method wants;
 *   - every error that is made of it is valid msgpack and valid UTF-8. */
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/error.h"
#include "protocol/frame.h"
#include "protocol/message.h"
#include "protocol/method.h"

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size);

#define HOLD(condition)                                                                    \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

/* Small, so that short inputs reach them. */
static struct frame_limits const limits = {.bytes = 4096, .items = 512, .depth = 8};

static struct frame scan_pieces(uint8_t const *data, size_t size, size_t step)
{
    struct frame f;
    size_t have = 0;

    frame_init(&f);
    do {
        have = size - have < step ? size : have + step;
        frame_scan(&f, &limits, data, have);
    } while (have < size && f.status == FRAME_MORE);
    return f;
}

static void check_error(struct error const *e, uint32_t id)
{
    struct buffer b;
    struct frame f;

    buffer_init(&b);
    for (int as_string = 0; as_string < 2; as_string++) {
        buffer_rewind(&b, 0);
        error_respond(e, as_string, id, &b);
        HOLD(!b.failed);
        frame_init(&f);
        HOLD(frame_scan(&f, &FRAME_LIMITS_DEFAULT, b.data, b.size) == FRAME_COMPLETE);
        HOLD(f.at == b.size && f.flags == 0);
    }
    buffer_free(&b);
}

static void check_call(struct methods const *methods, struct message const *m)
{
    struct error error;
    struct args args;

    enum method_symbol symbol = method_find(methods, m->method, m->method_size);
    if (symbol == METHOD_NONE) {
        error_begin(&error, REDO_EMETHOD, NULL);
        error_add_text(&error, "method", m->method, m->method_size);
        check_error(&error, m->id);
        return;
    }
    if (method_check(methods, symbol, &m->params, &args, &error) != REDO_OK)
        check_error(&error, m->id);
    else
        HOLD(args.signature->param_count <= m->params.size);
}

static void check_frame(struct methods const *methods, uint8_t const *data, struct frame const *f)
{
    msgpack_zone zone;
    msgpack_object object;
    struct message m;
    size_t offset = 0;
    uint32_t id;

    HOLD(msgpack_zone_init(&zone, 1024));
    msgpack_unpack_return unpacked =
        msgpack_unpack((char const *)data, f->at, &offset, &zone, &object);
    HOLD(unpacked == MSGPACK_UNPACK_SUCCESS && offset == f->at);

    int code = message_parse(&m, &zone, data, f);
    if (message_peek(data, f->at, &id) && m.type == MESSAGE_REQUEST)
        HOLD(m.has_id && m.id == id);
    if (code == REDO_OK && m.type == MESSAGE_RESPONSE) {
        char const *text;
        size_t size;
        error_read(&m.error, &code, &text, &size);
        HOLD(code != REDO_OK);
    } else if (code == REDO_OK) {
        check_call(methods, &m);
    }
    msgpack_zone_destroy(&zone);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    static struct methods methods;
    static bool ready;

    if (!ready)
        HOLD(ready = methods_init(&methods));
    while (size > 0) {
        struct frame whole = scan_pieces(data, size, size);
        for (size_t step = 1; step < 8; step += 2) {
            struct frame pieces = scan_pieces(data, size, step);
            HOLD(pieces.status == whole.status && pieces.at == whole.at);
            HOLD(pieces.flags == whole.flags);
        }
        HOLD(whole.at <= size);
        if (whole.status != FRAME_COMPLETE)
            break;
        check_frame(&methods, data, &whole);
        data += whole.at;
        size -= whole.at;
    }
    return 0;
}
