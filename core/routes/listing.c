#include "core/routes/listing.h"

#include <stdlib.h>
#include <string.h>

bool ticker_add(struct ticker *t, uint64_t nodes)
{
    t->progress.nodes += nodes;
    if (t->progress.nodes >= t->next) {
        t->next = t->progress.nodes + ROUTES_POLL;
        if (t->poll && !t->stopped)
            t->stopped = t->poll(t->context, &t->progress) != 0;
    }
    return t->stopped;
}

void *budget_realloc(struct budget *b, void *old, size_t before, size_t now)
{
    if (now == 0) {
        b->used -= before;
        free(old);
        return NULL;
    }
    if (now > before && now - before > b->limit - b->used)
        return NULL;
    void *p = realloc(old, now);
    if (!p)
        return NULL;
    b->used += now - before;
    if (b->used > b->most)
        b->most = b->used;
    return p;
}

void listing_init(struct listing *l, struct plan const *plan, struct budget *budget,
                  bool keeps_points)
{
    struct view const *v = plan->view;
    *l = (struct listing){.plan = plan, .budget = budget, .keeps_points = keeps_points};
    l->stride =
        sizeof(struct entry) + 8 * ((size_t)v->set_words + (keeps_points ? v->point_words : 0));
}

void listing_close(struct listing *l)
{
    budget_realloc(l->budget, l->entries, l->capacity * l->stride, 0);
    budget_realloc(l->budget, l->paths, l->path_capacity * sizeof *l->paths, 0);
    l->entries = NULL;
    l->paths = NULL;
    l->count = l->capacity = 0;
    l->path_count = l->path_capacity = 0;
}

static bool reserve(struct listing *l, uint32_t entries, uint32_t path)
{
    while (l->capacity - l->count < entries) {
        uint64_t more = l->capacity ? (uint64_t)l->capacity + l->capacity / 2 : 256;
        if (more > UINT32_MAX)
            return false;
        void *p = budget_realloc(l->budget, l->entries, l->capacity * l->stride, more * l->stride);
        if (!p)
            return false;
        l->entries = p;
        l->capacity = (uint32_t)more;
    }
    while (l->path_capacity - l->path_count < path) {
        uint64_t more = l->path_capacity ? l->path_capacity + l->path_capacity / 2 : 4096;
        void *p = budget_realloc(l->budget, l->paths, l->path_capacity * sizeof *l->paths,
                                 more * sizeof *l->paths);
        if (!p)
            return false;
        l->paths = p;
        l->path_capacity = more;
    }
    return true;
}

/* The stations that the walk goes by. */
static void write_points(struct view const *v, struct walk const *w, uint64_t *points)
{
    memset(points, 0, 8 * v->point_words);
    bits_set(points, v->roots[w->root]);
    for (uint32_t d = 1; d <= w->depth; d++) {
        uint32_t to = v->arcs[w->frames[d].arc].to;
        if (view_is_station(v, to))
            bits_set(points, to);
    }
}

bool listing_add(struct listing *l, struct walk const *w, struct worth const *worths,
                 uint32_t count)
{
    struct view const *v = l->plan->view;
    if (!reserve(l, count, path_most(v)))
        return false;
    uint64_t path = l->path_count;
    l->path_count += path_write(l->paths + path, w);
    for (uint32_t i = 0; i < count; i++) {
        struct entry *e = listing_at(l, l->count++);
        e->value = worths[i].value;
        e->claims = worths[i].claims;
        e->passes = walk_top(w)->passed > 0;
        e->path = path;
        memcpy(e->bits, walk_set_bits(w), 8 * v->set_words);
        if (l->keeps_points)
            write_points(v, w, e->bits + v->set_words);
    }
    return true;
}
