/* Operations with a stamp and a key, made from a script and applied through redo_apply(). */
#ifndef TESTS_RUNNER_TOLD_H
#define TESTS_RUNNER_TOLD_H

#include <jansson.h>

#include "redo.h"

/* Authors of the session, in their order, by what the operations answered. */
struct told {
    struct {
        json_int_t uid;
        char *name;
    } * authors;
    size_t count;
};

void told_close(struct told *t);

/* Applies op (["told", stamp, key, operation]): its answer, or null if it is refused. */
json_t *told_apply(struct told *t, redo_session *session, json_t *op);

#endif
