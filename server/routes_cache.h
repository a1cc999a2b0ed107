/* Answers about routes that hold for ever, by the board's digest and the question: equal boards
 * share them. Bounded: the one not asked for the longest goes first. Loop thread only. */
#ifndef SERVER_ROUTES_CACHE_H
#define SERVER_ROUTES_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "server/list.h"

#define ROUTES_CACHE_BYTES ((size_t)16 << 20) /* keys, answers and what keeps them */
#define ROUTES_CACHE_SLOTS 4096               /* a power of two */

struct routes_cache {
    struct cached_routes *slots[ROUTES_CACHE_SLOTS];
    struct link recent; /* of struct cached_routes.in_recent, the oldest first */
    size_t bytes;
};

void routes_cache_init(struct routes_cache *c);
void routes_cache_close(struct routes_cache *c);

/* The answer under a key, valid until the next call; NULL: there is none. */
void const *routes_cache_find(struct routes_cache *c, void const *key, size_t key_size,
                              size_t *size);

/* Keeps copies. Where memory lacks, or the answer is a large part of the bound, it is not kept. */
void routes_cache_keep(struct routes_cache *c, void const *key, size_t key_size, void const *answer,
                       size_t size);

#endif
