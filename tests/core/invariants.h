/* What must hold of every history, whatever was done to it: checked whole, from the plainest
 * reading, by tests and fuzzers. */
#ifndef TESTS_CORE_INVARIANTS_H
#define TESTS_CORE_INVARIANTS_H

#include "core/history.h"

/* NULL if all holds; else what does not, in a buffer that the next call writes over. */
char const *invariants_broken(struct history const *h);

/* Ends the process, saying why, if something does not hold. */
void invariants_hold(struct history const *h);

#endif
