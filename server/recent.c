#include "server/recent.h"

#include <stdlib.h>

void recent_close(struct recent *r)
{
    buffer_free(&r->bytes);
    free(r->all);
    *r = (struct recent){0};
}

size_t recent_memory(struct recent const *r)
{
    return r->bytes.cap + r->cap * sizeof *r->all;
}

static struct recent_operation *at(struct recent const *r, size_t i)
{
    return &r->all[(r->first + i) % r->cap];
}

static bool grow(struct recent *r)
{
    size_t cap = r->cap ? r->cap * 2 : 16;
    struct recent_operation *grown = malloc(cap * sizeof *grown);
    if (!grown)
        return false;
    for (size_t i = 0; i < r->count; i++)
        grown[i] = *at(r, i);
    free(r->all);
    r->all = grown;
    r->cap = cap;
    r->first = 0;
    return true;
}

/* Takes the oldest away. Its bytes go once half of all there are have gone. */
static void drop_oldest(struct recent *r)
{
    r->effects -= at(r, 0)->effects;
    r->first = (r->first + 1) % r->cap;
    r->count--;
    size_t dead = (r->count ? at(r, 0)->start : r->gone + r->bytes.size) - r->gone;
    if (dead > r->bytes.size / 2) {
        buffer_consume(&r->bytes, dead);
        r->gone += dead;
    }
}

static size_t size_of(struct recent const *r)
{
    return r->gone + r->bytes.size - at(r, 0)->start;
}

void recent_add(struct recent *r, uint64_t sequence, uint64_t number, void const *data, size_t size,
                uint64_t committed)
{
    if (r->count && sequence != r->sequence + 1)
        recent_close(r);
    if (r->count == r->cap && !grow(r)) {
        recent_close(r);
        return;
    }
    size_t start = r->gone + r->bytes.size;
    buffer_append(&r->bytes, data, size);
    if (r->bytes.failed) {
        recent_close(r);
        return;
    }
    r->count++;
    r->sequence = sequence;
    *at(r, r->count - 1) =
        (struct recent_operation){.start = start, .size = size, .number = number};
    while (r->count > 1 && at(r, 0)->number <= committed &&
           (r->count > RECENT_COUNT || size_of(r) - r->effects > RECENT_BYTES ||
            r->effects > RECENT_EFFECTS))
        drop_oldest(r);
}

void recent_add_effects(struct recent *r, void const *data, size_t size)
{
    if (!r->count)
        return;
    buffer_append(&r->bytes, data, size);
    if (r->bytes.failed) {
        recent_close(r);
        return;
    }
    at(r, r->count - 1)->effects = size;
    r->effects += size;
}

bool recent_has(struct recent const *r, uint64_t from, uint64_t last)
{
    return from > last || (r->count && r->sequence == last && from > last - r->count);
}

bool recent_has_effects(struct recent const *r, uint64_t from, uint64_t last)
{
    if (!recent_has(r, from, last))
        return false;
    for (uint64_t n = from; n <= last; n++)
        if (!at(r, r->count - 1 - (size_t)(last - n))->effects)
            return false;
    return true;
}

void const *recent_effects_at(struct recent const *r, uint64_t sequence, size_t *size)
{
    struct recent_operation const *op = at(r, r->count - 1 - (size_t)(r->sequence - sequence));
    *size = op->effects;
    return r->bytes.data + (op->start + op->size - r->gone);
}

void const *recent_at(struct recent const *r, uint64_t sequence, size_t *size, uint64_t *number)
{
    struct recent_operation const *op = at(r, r->count - 1 - (size_t)(r->sequence - sequence));
    *size = op->size;
    *number = op->number;
    return r->bytes.data + (op->start - r->gone);
}
