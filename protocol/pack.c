/* Text of which it is not known that it is UTF-8: what a client sent, put into a message. */
#include "protocol/pack.h"

#include "protocol/utf8.h"

void pack_text(struct buffer *b, char const *text, size_t size)
{
    if (utf8_valid(text, size)) {
        pack_str(b, text, size);
        return;
    }
    if (!buffer_reserve(b, 5 + size))
        return;
    PACK_WITH(b, msgpack_pack_str, size);
    char *out = b->data + b->size;
    for (size_t i = 0; i < size;) {
        size_t length = utf8_length(text + i, size - i);
        if (length > 0) {
            memcpy(out + i, text + i, length);
            i += length;
        } else {
            out[i++] = '?'; /* one for one: the length is announced already */
        }
    }
    b->size += size;
}
