#include "core/solution.h"

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
