#include "core/solution.h"

#include <stdlib.h>

static bool beats(int end, unsigned size, int otherend, unsigned othersize)
{
    if (!end || !otherend)
        return end && !otherend;
    return end > otherend || (end == otherend && size < othersize);
}

static void consider_branches(struct node const *n, int *end, unsigned *size)
{
    for (redo_branch const *b = n->p.next; b; b = b->cdr) {
        if (beats(b->p->solutionend, b->p->solutionsize, *end, *size)) {
            *end = b->p->solutionend;
            *size = b->p->solutionsize;
        }
    }
}

uint32_t solution_length_below(struct node const *n)
{
    int end = 0;
    unsigned size = n->p.movecount;
    consider_branches(n, &end, &size);
    return size - n->p.movecount;
}

bool solution_refresh(struct history *h, struct node *n)
{
    int end = n->p.endpoint;
    unsigned size = end ? n->p.movecount : 0;
    consider_branches(n, &end, &size);
    if (n->p.solutionend == end && n->p.solutionsize == size)
        return false;
    n->p.solutionend = (signed char)end;
    n->p.solutionsize = size;
    touched_note(h->touched, n->in.id, false);
    return true;
}

void solution_raise(struct history *h, struct node *n)
{
    for (struct node *up = node_prev(n); up; up = node_prev(up)) {
        if (!beats(n->p.solutionend, n->p.solutionsize, up->p.solutionend, up->p.solutionsize))
            return;
        up->p.solutionend = n->p.solutionend;
        up->p.solutionsize = n->p.solutionsize;
        touched_note(h->touched, up->in.id, false);
    }
}

void solution_offer(struct history *h, struct node *n)
{
    struct later *later = &h->later;
    if (!later->cap) {
        solution_raise(h, n);
        return;
    }
    if (later->count == later->cap)
        solution_settle(h);
    later->numbers[later->count++] = n->in.id;
}

void solution_defer(struct history *h, uint32_t endpoints)
{
    uint32_t *numbers = endpoints > 1 ? malloc(endpoints * sizeof *numbers) : NULL;
    if (numbers)
        h->later = (struct later){.numbers = numbers, .cap = endpoints};
}

/* The better first, of those as good the one made first. */
static int settle_order(void const *a, void const *b, void *history)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    struct node const *p = node_at(history, x), *q = node_at(history, y);
    if (p->p.endpoint != q->p.endpoint)
        return q->p.endpoint - p->p.endpoint;
    if (p->p.movecount != q->p.movecount)
        return p->p.movecount < q->p.movecount ? -1 : 1;
    return (x > y) - (x < y);
}

void solution_settle(struct history *h)
{
    struct later *later = &h->later;
    if (later->count > 1)
        qsort_r(later->numbers, later->count, sizeof *later->numbers, settle_order, h);
    for (uint32_t i = 0; i < later->count; i++)
        solution_raise(h, node_at(h, later->numbers[i]));
    later->count = 0;
}

void solution_undefer(struct history *h)
{
    solution_settle(h);
    free(h->later.numbers);
    h->later = (struct later){0};
}

/* Whether what n tells, the best it can have since something was lost below it, is offered still:
 * seen at the first that does, lest dropping the branches of a wide position looks at all of them
 * each time. */
static bool offered(struct node const *n)
{
    if (!n->p.solutionend)
        return true;
    if (n->p.endpoint == n->p.solutionend && n->p.movecount == n->p.solutionsize)
        return true;
    return solution_next(n) != NULL;
}

void solution_lower(struct history *h, struct node *n)
{
    while (n && !offered(n)) {
        solution_refresh(h, n);
        n = node_prev(n);
    }
}

struct node *solution_next(struct node const *n)
{
    if (!n->p.solutionend)
        return NULL;
    if (n->p.endpoint == n->p.solutionend && n->p.movecount == n->p.solutionsize)
        return NULL;
    for (redo_branch const *b = n->p.next; b; b = b->cdr)
        if (b->p->solutionend == n->p.solutionend && b->p->solutionsize == n->p.solutionsize)
            return node_of(b->p);
    return NULL;
}

struct node *solution_below(struct node const *n)
{
    struct node *best = NULL;
    for (redo_branch const *b = n->p.next; b; b = b->cdr)
        if (b->p->solutionend && (!best || beats(b->p->solutionend, b->p->solutionsize,
                                                 best->p.solutionend, best->p.solutionsize)))
            best = node_of(b->p);
    return best;
}
