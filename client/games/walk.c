#include "client/games/walk.h"

#include <stdlib.h>

bool is_alternate(redo_position const *position)
{
    redo_position *first = redo_getfirstalternate(position);
    return first && first != position;
}

static int compare(void const *a, void const *b)
{
    redo_position *const *p = a, *const *q = b;
    uint32_t x = redo_getpositionid(*p), y = redo_getpositionid(*q);
    return x < y ? -1 : x > y;
}

/* Room for `count` of `size` each. */
static bool reserve(void **list, size_t *cap, size_t count, size_t size)
{
    if (count <= *cap)
        return true;
    size_t more = *cap ? 2 * *cap : 8;
    while (more < count)
        more *= 2;
    void *grown = realloc(*list, more * size);
    if (!grown)
        return false;
    *list = grown;
    *cap = more;
    return true;
}

/* Puts alternates behind the others; these are few. */
static void alternates_last(struct children *c)
{
    size_t to = 0;
    bool any = false;
    for (size_t i = 0; i < c->count; i++)
        any |= is_alternate(c->list[i]);
    if (!any)
        return;
    redo_position **list = malloc(c->count * sizeof *list);
    if (!list) { /* then they stay among them: the first is looked for below */
        return;
    }
    for (int late = 0; late < 2; late++)
        for (size_t i = 0; i < c->count; i++)
            if (is_alternate(c->list[i]) == late)
                list[to++] = c->list[i];
    free(c->list);
    c->list = list;
    c->cap = c->count;
}

bool children_of(redo_position const *position, struct children *c)
{
    c->count = 0;
    if (!reserve((void **)&c->list, &c->cap, position->nextcount, sizeof *c->list))
        return false;
    bool sorted = true;
    for (redo_branch *b = position->next; b; b = b->cdr) {
        sorted &= c->count == 0 || b->id > redo_getpositionid(c->list[c->count - 1]);
        c->list[c->count++] = b->p;
    }
    if (!sorted)
        qsort(c->list, c->count, sizeof *c->list, compare);
    alternates_last(c);
    return true;
}

void children_free(struct children *c)
{
    free(c->list);
    *c = (struct children){0};
}

bool walk_push(struct walk *w, redo_position *position, void *data)
{
    if (!reserve((void **)&w->steps, &w->cap, w->count + 1, sizeof *w->steps))
        return false;
    w->steps[w->count++] = (struct walk_step){position, data};
    return true;
}

bool walk_pop(struct walk *w, struct walk_step *step)
{
    if (w->count == 0)
        return false;
    *step = w->steps[--w->count];
    return true;
}

void walk_free(struct walk *w)
{
    free(w->steps);
    *w = (struct walk){0};
}
