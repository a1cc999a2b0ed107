/* A route written down: the root's place among the points, how many arcs its first arm has, how
 * many there are, then the arcs, each arm from the root outwards. */
#ifndef CORE_ROUTES_PATH_H
#define CORE_ROUTES_PATH_H

#include "core/routes/walk.h"

#define PATH_HEAD 3

static inline uint32_t path_size(uint16_t const *path)
{
    return PATH_HEAD + path[2];
}

/* Most numbers that a path of a view takes. */
static inline uint32_t path_most(struct view const *v)
{
    return PATH_HEAD + v->point_count + 1;
}

/* Writes the route at hand; returns its size. */
uint32_t path_write(uint16_t *path, struct walk const *w);

/* The arcs in the order of the tie rule: from the end with the smaller stop id. Returns the point
 * where it begins. */
uint32_t path_run(struct view const *v, uint16_t const *path, uint16_t *arcs);

/* The order of the tie rule: by edge ids; routes without edges by their stop. scratch: room for
 * two paths. */
int path_compare(struct view const *v, uint16_t const *a, uint16_t const *b, uint16_t *scratch);

/* Slots of its edges, into bits. */
void path_edges(struct view const *v, uint16_t const *path, uint64_t *edges);

#define PATH_KEY 4

/* Its first edges, by ranks that rise with their ids, four to a word: where keys differ, they are
 * in the order of the tie rule, so that few paths must be compared. Ranks: by slot, from 1. */
void path_key(struct view const *v, uint16_t const *path, uint16_t const *ranks, uint16_t *scratch,
              uint64_t key[PATH_KEY]);

#endif
