/* Any bytes through the whole of protocol/: scan, unpack, check, answer. What must hold:
 *
 *   - the scan says the same of the whole and of any pieces;
 *   - what it finds complete msgpack-c unpacks, to the same end, and we to the same objects;
 *   - a call that passes its check has the params that its method wants;
 *   - every error that is made of it is valid msgpack and valid UTF-8. */
#include <msgpack.h>
#include <string.h>

#include "protocol/error.h"
#include "protocol/frame.h"
#include "protocol/message.h"
#include "protocol/method.h"
#include "protocol/unpack.h"
#include "tests/fuzz/fuzz.h"

/* Calls of many forms, for the mutations to begin with. */
#define EXAMPLE(text)         \
    {                         \
        text, sizeof text - 1 \
    }
static struct {
    char const *data;
    size_t size;
} const examples[] = {
    EXAMPLE("\x94\x00\x01\xabserver.ping\x90"),
    EXAMPLE("\x94\x00\xcd\x01\x00\xabserver.info\x90\x93\x02\xa1n\x91\xc0"),
    EXAMPLE("\x94\x00\x02\xac"
            "beginsession\x94\xc4\x04\x01\x02\x03\x04\x04\x00"
            "\x82\xa4name\xa1s\xa4join\xc3"),
    EXAMPLE("\x94\x00\xce\xff\xff\xff\xff\xab"
            "addposition\x97\xa1s\xce\xff\xff\xff\xfe\xd1\xff"
            "\x00\xc5\x00\x02\xff\x00\x00\x01\x81\xa6strict\xc3"),
    EXAMPLE("\x94\x00\x03\xac"
            "addpositions\x92\x01\x92\x95\x00\x01\xc4\x01x\x00\x01\x95\xff\x02"
            "\xc4\x01y\x00\x01"),
    EXAMPLE("\x94\x00\x04\xac"
            "getpositions\x92\x01\x83\xa5"
            "after\x09\xa5limit\xcc\xc8\xa6states"
            "\xc2"),
    EXAMPLE("\x94\x01\x05\x93\x07\xa2no\x81\xa5param\xa4move\xc0"),
    EXAMPLE("\x96\xd4\x01\x00\xc7\x03\x01xyz\xca\x3f\x80\x00\x00\xcb\x3f\xf0\x00\x00\x00\x00\x00"
            "\x00\xd9\x03\xe2\x82\xac\xdf\x00\x00\x00\x01\xa1k\xdd\x00\x00\x00\x01\xc0"),
};

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    which %= sizeof examples / sizeof *examples;
    memcpy(data, examples[which].data, examples[which].size);
    return examples[which].size;
}

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

/* Floats by their bits: a NaN is the same as itself. */
static bool same(msgpack_object const *a, msgpack_object const *b)
{
    if (a->type != b->type)
        return false;
    bool all = true;
    switch (a->type) {
    case MSGPACK_OBJECT_ARRAY:
        all = a->via.array.size == b->via.array.size;
        for (uint32_t i = 0; all && i < a->via.array.size; i++)
            all = same(&a->via.array.ptr[i], &b->via.array.ptr[i]);
        return all;
    case MSGPACK_OBJECT_MAP:
        all = a->via.map.size == b->via.map.size;
        for (uint32_t i = 0; all && i < a->via.map.size; i++)
            all = same(&a->via.map.ptr[i].key, &b->via.map.ptr[i].key) &&
                  same(&a->via.map.ptr[i].val, &b->via.map.ptr[i].val);
        return all;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return memcmp(&a->via.f64, &b->via.f64, sizeof a->via.f64) == 0;
    default:
        return msgpack_object_equal(*a, *b);
    }
}

static void check_frame(struct methods const *methods, uint8_t const *data, struct frame const *f)
{
    msgpack_zone zone;
    msgpack_object object, ours;
    struct message m;
    size_t offset = 0;
    uint32_t id;

    HOLD(msgpack_zone_init(&zone, 1024));
    msgpack_unpack_return unpacked =
        msgpack_unpack((char const *)data, f->at, &offset, &zone, &object);
    HOLD(unpacked == MSGPACK_UNPACK_SUCCESS && offset == f->at);
    HOLD(unpack(&ours, &zone, data) == REDO_OK && same(&object, &ours));

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
