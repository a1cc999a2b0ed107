/* Answers: what an operation has answered (history_answer()), also if it is repeated: a key keeps
 * it. */
#ifndef CORE_ANSWER_H
#define CORE_ANSWER_H

#include "core/history.h"

/* An operation whose key is known: what came of it the first time. REDO_OK, REDO_EKEY (it was
 * another) or REDO_ENOMEM. */
int answer_repeat(struct history *h, redo_operation const *op, struct key const *key,
                  redo_result *r);

/* The operation was done: keeps what came of it under its key, which is the history's from here on.
 */
void answer_keep(struct history *h, redo_operation const *op, struct key *key, redo_result *r);

#endif
