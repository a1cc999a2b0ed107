#include "core/keys.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t head_of(uint32_t author, void const *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, author) % KEYS_HEADS;
}

static size_t weight(struct key const *key)
{
    return key->size + key->count * sizeof *key->items;
}

void keys_close(struct keys *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        key_free(keys_at(k, i));
    free(k->table);
    *k = (struct keys){0};
}

size_t keys_memory(struct keys const *k)
{
    return k->bytes + k->count * sizeof(struct key) + (k->table ? sizeof *k->table : 0);
}

struct key const *keys_find(struct keys const *k, uint32_t author, void const *bytes, size_t size)
{
    struct keys_table const *t = k->table;
    for (uint32_t i = t ? t->head[head_of(author, bytes, size)] : 0; i; i = t->next[i - 1]) {
        struct key const *key = t->ring[i - 1];
        if (key->author == author && key->size == size && memcmp(key->bytes, bytes, size) == 0)
            return key;
    }
    return NULL;
}

struct key *keys_make(struct keys *k, void const *bytes, size_t size, uint32_t items)
{
    if (!k->table && !(k->table = calloc(1, sizeof *k->table)))
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
    struct keys_table *t = k->table;
    struct key *oldest = keys_at(k, 0);
    uint16_t *link = &t->head[head_of(oldest->author, oldest->bytes, oldest->size)];
    while (*link != k->first + 1)
        link = &t->next[*link - 1];
    *link = t->next[k->first];
    k->bytes -= weight(oldest);
    k->first = (k->first + 1) % REDO_KEYS_MAX;
    k->count--;
    key_free(oldest);
}

void keys_keep(struct keys *k, struct key *key)
{
    while (k->count == REDO_KEYS_MAX || (k->count && k->bytes + weight(key) > KEYS_BYTES))
        forget_oldest(k);
    struct keys_table *t = k->table;
    uint32_t place = (k->first + k->count++) % REDO_KEYS_MAX;
    uint16_t *head = &t->head[head_of(key->author, key->bytes, key->size)];
    t->ring[place] = key;
    t->next[place] = *head;
    *head = (uint16_t)(place + 1);
    k->bytes += weight(key);
}
