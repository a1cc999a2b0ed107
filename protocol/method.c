/* The tables, and finding a method by its name. */
#include "protocol/method.h"

#include <string.h>

struct method const method_table[METHOD_COUNT] = {
#define METHOD(symbol, name, params, result, prose) {name, params, result, prose},
#include "protocol/methods.def"
};

struct event const event_table[EVENT_COUNT] = {
#define EVENT(symbol, name, params, prose) {name, params, prose},
#include "protocol/methods.def"
};

struct shape const shape_table[] = {
#define SHAPE(name, fields) {name, fields},
#include "protocol/methods.def"
};

size_t const shape_count = sizeof shape_table / sizeof *shape_table;

struct limit const limit_table[] = {
#define LIMIT(name, value, text) {name, value, text},
#include "protocol/methods.def"
};

size_t const limit_count = sizeof limit_table / sizeof *limit_table;

_Static_assert(METHOD_COUNT < METHOD_SLOTS / 2, "chains stay short, and a symbol fits its slot");

/* Of the first and the last eight bytes, and the size: read at once, where a hash of byte after
 * byte would take longer than all else here. Nothing can be flooded: only our own names are in the
 * table. */
static unsigned name_hash(char const *name, size_t size)
{
    uint64_t first = 0, last = 0;

    if (size >= sizeof first) {
        memcpy(&first, name, sizeof first);
        memcpy(&last, name + size - sizeof last, sizeof last);
    } else {
        memcpy(&first, name, size);
    }
    first = (first ^ (last << 29 | last >> 35) ^ size) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(first >> 32) & (METHOD_SLOTS - 1);
}

bool methods_init(struct methods *m)
{
    memset(m->slot, 0, sizeof m->slot);
    for (int i = 0; i < METHOD_COUNT; i++) {
        if (!signature_parse(&m->signature[i], method_table[i].params))
            return false;
        char const *name = method_table[i].name;
        unsigned at = name_hash(name, strlen(name));
        while (m->slot[at] != 0)
            at = (at + 1) & (METHOD_SLOTS - 1);
        m->slot[at] = (uint8_t)(i + 1);
    }
    return true;
}

#define NAME_MAX_SIZE 64 /* no method's name is longer: a long one is not worth its hash */

enum method_symbol method_find(struct methods const *m, char const *name, size_t size)
{
    if (size > NAME_MAX_SIZE)
        return METHOD_NONE;
    unsigned at = name_hash(name, size);
    for (; m->slot[at] != 0; at = (at + 1) & (METHOD_SLOTS - 1)) {
        char const *known = method_table[m->slot[at] - 1].name;
        if (strlen(known) == size && memcmp(known, name, size) == 0)
            return (enum method_symbol)(m->slot[at] - 1);
    }
    return METHOD_NONE;
}
