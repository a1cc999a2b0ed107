#include "client/games/walk.h"

#include <stdlib.h>
#include <string.h>

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

/* An alternate may have been made before the game went on there: the first that is none comes to
 * the front. */
static void alternates_later(struct children *c)
{
    size_t first = 0;
    while (first < c->count && is_alternate(c->list[first]))
        first++;
    if (first == 0 || first == c->count)
        return;
    redo_position *p = c->list[first];
    memmove(c->list + 1, c->list, first * sizeof *c->list);
    c->list[0] = p;
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
    alternates_later(c);
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
