#include "core/routes/path.h"

#include <string.h>

uint32_t path_write(uint16_t *path, struct walk const *w)
{
    uint32_t first;
    path[0] = (uint16_t)w->plan->view->roots[w->root];
    path[2] = (uint16_t)walk_arcs(w, path + PATH_HEAD, &first);
    path[1] = (uint16_t)first;
    return path_size(path);
}

static uint32_t point_id(struct view const *v, uint32_t point)
{
    return network_node(v->q->net, v->nodes[point])->id;
}

uint32_t path_run(struct view const *v, uint16_t const *path, uint16_t *arcs)
{
    uint32_t first = path[1], count = path[2], at = 0;
    uint16_t const *from = path + PATH_HEAD;
    uint32_t end1 = first ? v->arcs[from[first - 1]].to : path[0];
    uint32_t end2 = count > first ? v->arcs[from[count - 1]].to : path[0];
    if (point_id(v, end1) <= point_id(v, end2)) {
        for (uint32_t i = first; i-- > 0;)
            arcs[at++] = from[i] ^ 1;
        for (uint32_t i = first; i < count; i++)
            arcs[at++] = from[i];
        return end1;
    }
    for (uint32_t i = count; i-- > first;)
        arcs[at++] = from[i] ^ 1;
    for (uint32_t i = 0; i < first; i++)
        arcs[at++] = from[i];
    return end2;
}

/* A walk over the edge ids of a run. */
struct ids {
    struct view const *v;
    uint16_t const *arcs;
    uint32_t count, arc, edge;
};

static bool next_id(struct ids *x, uint32_t *id)
{
    if (x->arc == x->count)
        return false;
    uint32_t arc = x->arcs[x->arc];
    *id = network_edge(x->v->q->net, view_edge(x->v, arc, x->edge))->id;
    if (++x->edge == view_edge_count(x->v, arc)) {
        x->edge = 0;
        x->arc++;
    }
    return true;
}

int path_compare(struct view const *v, uint16_t const *a, uint16_t const *b, uint16_t *scratch)
{
    struct ids x = {.v = v, .arcs = scratch, .count = a[2]};
    struct ids y = {.v = v, .arcs = scratch + path_most(v), .count = b[2]};
    uint32_t from_a = path_run(v, a, scratch), from_b = path_run(v, b, scratch + path_most(v));
    for (;;) {
        uint32_t p, q;
        bool more_a = next_id(&x, &p), more_b = next_id(&y, &q);
        if (!more_a || !more_b) {
            if (more_a != more_b)
                return more_a ? 1 : -1;
            p = point_id(v, from_a);
            q = point_id(v, from_b);
            return (p > q) - (p < q);
        }
        if (p != q)
            return p < q ? -1 : 1;
    }
}

void path_edges(struct view const *v, uint16_t const *path, uint64_t *edges)
{
    for (uint32_t i = 0; i < path[2]; i++)
        for (uint32_t e = 0; e < view_edge_count(v, path[PATH_HEAD + i]); e++)
            bits_set(edges, view_edge(v, path[PATH_HEAD + i], e));
}

void path_key(struct view const *v, uint16_t const *path, uint16_t const *ranks, uint16_t *scratch,
              uint64_t key[PATH_KEY])
{
    uint32_t at = 0;
    path_run(v, path, scratch);
    memset(key, 0, PATH_KEY * sizeof *key);
    for (uint32_t i = 0; i < path[2]; i++)
        for (uint32_t e = 0; e < view_edge_count(v, scratch[i]); e++, at++) {
            if (at == 4 * PATH_KEY)
                return;
            key[at / 4] |= (uint64_t)ranks[view_edge(v, scratch[i], e)] << (48 - 16 * (at % 4));
        }
}
