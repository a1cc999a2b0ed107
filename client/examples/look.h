/* Looking through a history without changing it, as the steps of a cursor would go: so it works
 * without a daemon, in what this process has of the history. Only the way back that a cursor
 * remembers is not known here: redo goes along the front branches. */
#ifndef EXAMPLES_LOOK_H
#define EXAMPLES_LOOK_H

#include "redo.h"

/* Goes from *at by one of the steps redo_step_undo to redo_step_solution, and n as
 * redo_movecursor() takes it; returns the number of moves. */
int look_step(redo_position **at, enum redo_step step, int n);

/* The branch that the best solution takes, of several the first; NULL at its end, or without one.
 */
redo_branch *look_solution(redo_position const *position);

#endif
