/* A session's whole tree as rows of JSON, as scripts have them:
 * [number, parent (-1: none), move from the parent (the first: 0), movecount, better (-1: none),
 * endpoint, solutionend, solutionsize, [branches, most recently used first]], and the state in hex.
 */
#ifndef CTL_DUMP_H
#define CTL_DUMP_H

#include <jansson.h>

#include "client/ctl/ctl.h"

/* Reads it with getpositions and getbranches. *rows is a new reference, also if it is incomplete
 * for want of memory or of an answer (EXIT_BAD, after a complaint). */
int dump_read(struct ctl *ctl, int64_t session, bool states, json_t **rows);

#endif
