#include "look.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

redo_branch *look_solution(redo_position const *p)
{
    if (!p->solutionend || (p->endpoint == p->solutionend && p->movecount == p->solutionsize))
        return NULL;
    redo_branch *b = p->next;
    while (b && (b->p->solutionend != p->solutionend || b->p->solutionsize != p->solutionsize))
        b = b->cdr;
    return b;
}

static redo_branch *find(redo_position const *p, int move)
{
    redo_branch *b = p->next;
    while (b && b->move != move)
        b = b->cdr;
    return b;
}

/* One move of a step; NULL if it ends here. */
static redo_position *next(redo_position const *p, enum redo_step step, int move)
{
    redo_branch *branch = NULL;
    switch (step) {
    case redo_step_undo:
    case redo_step_branchback:
        return p->prev;
    case redo_step_better:
        return p->better;
    case redo_step_redo:
    case redo_step_branchforth:
        branch = p->next;
        break;
    case redo_step_move:
        branch = find(p, move);
        break;
    case redo_step_solution:
        branch = look_solution(p);
        break;
    default:
        break;
    }
    return branch ? branch->p : NULL;
}

int look_step(redo_position **at, enum redo_step step, int n)
{
    bool to_branch = step == redo_step_branchback || step == redo_step_branchforth;
    int most = to_branch ? INT_MAX : step == redo_step_move || step == redo_step_better ? 1 : n;
    int moves = 0;
    for (redo_position *p; moves < most && (p = next(*at, step, n)); moves++) {
        *at = p;
        if (to_branch && p->nextcount != 1)
            return moves + 1;
    }
    return moves;
}
