/* One loop: each object is read to where it belongs; an array or map makes places for its items,
 * and is gone on with once they are all read. A map is read as an array of keys and values. */
#include "protocol/unpack.h"

#include <endian.h>
#include <string.h>

#include "protocol/frame.h"
#include "redo_error.h"

_Static_assert(sizeof(msgpack_object_kv) == 2 * sizeof(msgpack_object), "a pair is two objects");

struct level {
    msgpack_object *next; /* place of the next item */
    uint32_t left;        /* items to come */
};

/* A big-endian number of 1, 2, 4 or 8 bytes; *at goes past it. */
static inline uint64_t read_number(uint8_t const **at, unsigned width)
{
    uint8_t const *from = *at;
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    *at += width;
    switch (width) {
    case 1:
        return *from;
    case 2:
        memcpy(&two, from, sizeof two);
        return be16toh(two);
    case 4:
        memcpy(&four, from, sizeof four);
        return be32toh(four);
    default:
        memcpy(&eight, from, sizeof eight);
        return be64toh(eight);
    }
}

static inline void set_uint(msgpack_object *o, uint64_t value)
{
    o->type = MSGPACK_OBJECT_POSITIVE_INTEGER;
    o->via.u64 = value;
}

static inline void set_int(msgpack_object *o, int64_t value)
{
    o->type = value < 0 ? MSGPACK_OBJECT_NEGATIVE_INTEGER : MSGPACK_OBJECT_POSITIVE_INTEGER;
    o->via.i64 = value;
}

static void set_float(msgpack_object *o, uint64_t bits, bool wide)
{
    uint32_t narrow = (uint32_t)bits;
    float value;
    o->type = wide ? MSGPACK_OBJECT_FLOAT64 : MSGPACK_OBJECT_FLOAT32;
    memcpy(&value, &narrow, sizeof value);
    o->via.f64 = value;
    if (wide)
        memcpy(&o->via.f64, &bits, sizeof bits);
}

/* str, bin and ext lie in the data. */
static inline uint8_t const *set_bytes(msgpack_object *o, msgpack_object_type type,
                                       uint8_t const *at, uint32_t size)
{
    o->type = type;
    if (type == MSGPACK_OBJECT_EXT) {
        o->via.ext.type = (int8_t)*at++;
        o->via.ext.ptr = (char const *)at;
        o->via.ext.size = size;
    } else { /* of one shape */
        o->via.bin.ptr = (char const *)at;
        o->via.bin.size = size;
    }
    return at + size;
}

/* Reads what has no items, whose first byte is this and whose rest *at is at; false for an array or
 * a map. */
static inline bool set_plain(msgpack_object *o, uint8_t first, uint8_t const **at)
{
    uint32_t size;

    switch (first) {
    case 0x00 ... 0x7f:
        set_uint(o, first);
        return true;
    case 0xe0 ... 0xff:
        set_int(o, (int8_t)first);
        return true;
    case 0xa0 ... 0xbf:
        *at = set_bytes(o, MSGPACK_OBJECT_STR, *at, first & 0x1f);
        return true;
    case 0xc0:
        o->type = MSGPACK_OBJECT_NIL;
        return true;
    case 0xc2:
    case 0xc3:
        o->type = MSGPACK_OBJECT_BOOLEAN;
        o->via.boolean = first & 1;
        return true;
    case 0xc4 ... 0xc6:
        size = (uint32_t)read_number(at, 1u << (first - 0xc4));
        *at = set_bytes(o, MSGPACK_OBJECT_BIN, *at, size);
        return true;
    case 0xc7 ... 0xc9:
        size = (uint32_t)read_number(at, 1u << (first - 0xc7));
        *at = set_bytes(o, MSGPACK_OBJECT_EXT, *at, size);
        return true;
    case 0xca:
    case 0xcb:
        set_float(o, read_number(at, first == 0xca ? 4 : 8), first == 0xcb);
        return true;
    case 0xcc:
        set_uint(o, read_number(at, 1));
        return true;
    case 0xcd:
        set_uint(o, read_number(at, 2));
        return true;
    case 0xce:
        set_uint(o, read_number(at, 4));
        return true;
    case 0xcf:
        set_uint(o, read_number(at, 8));
        return true;
    case 0xd0:
        set_int(o, (int8_t)read_number(at, 1));
        return true;
    case 0xd1:
        set_int(o, (int16_t)read_number(at, 2));
        return true;
    case 0xd2:
        set_int(o, (int32_t)read_number(at, 4));
        return true;
    case 0xd3:
        set_int(o, (int64_t)read_number(at, 8));
        return true;
    case 0xd4 ... 0xd8:
        *at = set_bytes(o, MSGPACK_OBJECT_EXT, *at, 1u << (first - 0xd4));
        return true;
    case 0xd9 ... 0xdb:
        size = (uint32_t)read_number(at, 1u << (first - 0xd9));
        *at = set_bytes(o, MSGPACK_OBJECT_STR, *at, size);
        return true;
    }
    return false;
}

/* An array or a map, and places for its items; the level at which they are read. REDO_OK or
 * REDO_ENOMEM. */
static inline int set_items(msgpack_object *o, msgpack_zone *zone, uint8_t first,
                            uint8_t const **at, struct level *level)
{
    bool map = first < 0x90 || first >= 0xde; /* and not 0xc1: with that no frame is complete */
    uint32_t items = first < 0xa0 ? first & 0x0f : (uint32_t)read_number(at, first & 1 ? 4 : 2);
    size_t places = map ? 2 * (size_t)items : items;
    msgpack_object *first_item = NULL;

    if (places > 0 && !(first_item = msgpack_zone_malloc(zone, places * sizeof *first_item)))
        return REDO_ENOMEM;
    o->type = map ? MSGPACK_OBJECT_MAP : MSGPACK_OBJECT_ARRAY;
    if (map)
        o->via.map = (msgpack_object_map){items, (msgpack_object_kv *)first_item};
    else
        o->via.array = (msgpack_object_array){items, first_item};
    *level = (struct level){first_item, (uint32_t)places};
    return REDO_OK;
}

int unpack(msgpack_object *object, msgpack_zone *zone, void const *data)
{
    uint8_t const *at = data;
    struct level stack[FRAME_DEPTH_MAX + 1];
    unsigned depth = 0;

    stack[0] = (struct level){object, 1};
    for (;;) {
        while (stack[depth].left == 0) {
            if (depth == 0)
                return REDO_OK;
            depth--;
        }
        stack[depth].left--;
        msgpack_object *o = stack[depth].next++;
        uint8_t first = *at++;
        if (set_plain(o, first, &at))
            continue;
        if (set_items(o, zone, first, &at, &stack[depth + 1]))
            return REDO_ENOMEM;
        depth++;
    }
}
