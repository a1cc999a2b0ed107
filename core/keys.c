#include "core/keys.h"

#include <stdlib.h>
#include <string.h>

static struct key *at(struct keys const *k, uint32_t i)
{
    return k->ring[(k->first + i) % REDO_KEYS_MAX];
}

static size_t weight(struct key const *key)
{
    return key->size + key->count * sizeof *key->items;
}

void keys_close(struct keys *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        key_free(at(k, i));
    free(k->ring);
    *k = (struct keys){0};
}

size_t keys_memory(struct keys const *k)
{
    return k->bytes + k->count * sizeof(struct key) +
           (k->ring ? REDO_KEYS_MAX * sizeof *k->ring : 0);
}

struct key const *keys_find(struct keys const *k, uint32_t author, void const *bytes, size_t size)
{
    for (uint32_t i = k->count; i > 0; i--) { /* repeated are those of a moment ago */
        struct key const *key = at(k, i - 1);
        if (key->author == author && key->size == size && memcmp(key->bytes, bytes, size) == 0)
            return key;
    }
    return NULL;
}

struct key *keys_make(struct keys *k, void const *bytes, size_t size, uint32_t items)
{
    if (!k->ring && !(k->ring = malloc(REDO_KEYS_MAX * sizeof *k->ring)))
        return NULL;
    struct key *key = calloc(1, sizeof *key);
    if (!key || (items && !(key->items = malloc(items * sizeof *key->items)))) {
        free(key);
        return NULL;
    }
    memcpy(key->bytes, bytes, size);
    key->size = (uint32_t)size;
    return key;
}

void key_free(struct key *key)
{
    if (key)
        free(key->items);
    free(key);
}

static void forget_oldest(struct keys *k)
{
    struct key *oldest = at(k, 0);
    k->bytes -= weight(oldest);
    k->first = (k->first + 1) % REDO_KEYS_MAX;
    k->count--;
    key_free(oldest);
}

void keys_keep(struct keys *k, struct key *key)
{
    while (k->count == REDO_KEYS_MAX || (k->count && k->bytes + weight(key) > KEYS_BYTES))
        forget_oldest(k);
    k->ring[(k->first + k->count++) % REDO_KEYS_MAX] = key;
    k->bytes += weight(key);
}
