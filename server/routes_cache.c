#include "server/routes_cache.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

struct cached_routes {
    struct cached_routes *next; /* in its slot */
    struct link in_recent;
    uint64_t hash;
    size_t key_size, size;
    char data[]; /* the key, the answer */
};

void routes_cache_init(struct routes_cache *c)
{
    memset(c->slots, 0, sizeof c->slots);
    list_init(&c->recent);
    c->bytes = 0;
}

static size_t bytes_of(struct cached_routes const *e)
{
    return sizeof *e + e->key_size + e->size + 16;
}

static void drop(struct routes_cache *c, struct cached_routes *e)
{
    struct cached_routes **place = &c->slots[e->hash & (ROUTES_CACHE_SLOTS - 1)];
    while (*place != e)
        place = &(*place)->next;
    *place = e->next;
    list_remove(&e->in_recent);
    c->bytes -= bytes_of(e);
    free(e);
}

void routes_cache_close(struct routes_cache *c)
{
    while (!list_empty(&c->recent))
        drop(c, list_entry(c->recent.next, struct cached_routes, in_recent));
}

static struct cached_routes *find(struct routes_cache *c, uint64_t hash, void const *key,
                                  size_t size)
{
    struct cached_routes *e = c->slots[hash & (ROUTES_CACHE_SLOTS - 1)];
    while (e && (e->hash != hash || e->key_size != size || memcmp(e->data, key, size) != 0))
        e = e->next;
    return e;
}

void const *routes_cache_find(struct routes_cache *c, void const *key, size_t key_size,
                              size_t *size)
{
    struct cached_routes *e = find(c, XXH3_64bits(key, key_size), key, key_size);
    if (!e)
        return NULL;
    list_remove(&e->in_recent);
    list_append(&c->recent, &e->in_recent);
    *size = e->size;
    return e->data + e->key_size;
}

void routes_cache_keep(struct routes_cache *c, void const *key, size_t key_size, void const *answer,
                       size_t size)
{
    uint64_t hash = XXH3_64bits(key, key_size);
    if (key_size + size > ROUTES_CACHE_BYTES / 16 || find(c, hash, key, key_size))
        return;
    struct cached_routes *e = malloc(sizeof *e + key_size + size);
    if (!e)
        return;
    struct cached_routes **place = &c->slots[hash & (ROUTES_CACHE_SLOTS - 1)];
    *e = (struct cached_routes){.next = *place, .hash = hash, .key_size = key_size, .size = size};
    memcpy(e->data, key, key_size);
    memcpy(e->data + key_size, answer, size);
    *place = e;
    list_append(&c->recent, &e->in_recent);
    c->bytes += bytes_of(e);
    while (c->bytes > ROUTES_CACHE_BYTES)
        drop(c, list_entry(c->recent.next, struct cached_routes, in_recent));
}
