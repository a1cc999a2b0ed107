/* The table is Unicode's "Well-Formed UTF-8 Byte Sequences" (3-7): after the first byte only the
 * second has a range of its own, all others are 80..BF. */
#include "protocol/utf8.h"

#include <string.h>

static inline bool begin(struct utf8 *u, uint8_t byte)
{
    *u = (struct utf8){0, 0x80, 0xbf};
    if (byte < 0x80)
        return true;
    if (byte < 0xc2 || byte > 0xf4)
        return false;
    if (byte < 0xe0) {
        u->need = 1;
        return true;
    }
    u->need = byte < 0xf0 ? 2 : 3;
    switch (byte) {
    case 0xe0: /* below: overlong */
        u->low = 0xa0;
        break;
    case 0xed: /* above: surrogates */
        u->high = 0x9f;
        break;
    case 0xf0: /* below: overlong */
        u->low = 0x90;
        break;
    case 0xf4: /* above: more than U+10FFFF */
        u->high = 0x8f;
        break;
    }
    return true;
}

static inline bool step(struct utf8 *u, uint8_t byte)
{
    if (u->need == 0)
        return begin(u, byte);
    if (byte < u->low || byte > u->high)
        return false;
    *u = (struct utf8){u->need - 1, 0x80, 0xbf};
    return true;
}

bool utf8_feed(struct utf8 *u, void const *data, size_t size)
{
    uint8_t const *bytes = data;
    size_t i = 0;

    while (i < size) {
        /* Most text is ASCII: eight bytes at a time where it is. */
        if (u->need == 0) {
            uint64_t eight;
            while (size - i >= sizeof eight) {
                memcpy(&eight, bytes + i, sizeof eight);
                if (eight & UINT64_C(0x8080808080808080))
                    break;
                i += sizeof eight;
            }
            if (i == size)
                break;
        }
        if (!step(u, bytes[i++]))
            return false;
    }
    return true;
}

bool utf8_valid(void const *data, size_t size)
{
    struct utf8 u = {0};

    return utf8_feed(&u, data, size) && u.need == 0;
}

size_t utf8_length(void const *data, size_t size)
{
    uint8_t const *bytes = data;
    struct utf8 u = {0};

    for (size_t i = 0; i < size && i < 4; i++) {
        if (!step(&u, bytes[i]))
            return 0;
        if (u.need == 0)
            return i + 1;
    }
    return 0;
}
