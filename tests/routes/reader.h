/* Reads cases and streams of the route formats (JSON) into what the engine takes. */
#ifndef TESTS_ROUTES_READER_H
#define TESTS_ROUTES_READER_H

#include <jansson.h>

#include "core/routes/routes.h"

/* Memory of what was read; strings stay those of the JSON, which must outlive it. */
struct reader {
    void *blocks;
    char error[200];
};

void reader_close(struct reader *r);

struct ops {
    struct routes_op *ops;
    size_t count;
};

/* All of these return false, with an error, if the JSON is not of the form. */
bool read_ops(struct reader *r, json_t *list, struct ops *ops);

/* The ops that build the network of a case. */
bool read_network(struct reader *r, json_t *root, struct ops *ops);

/* Company, trains and bonuses of an object; rules of another one (may be NULL). */
bool read_question(struct reader *r, json_t *object, json_t *rules, struct routes_question *q);

struct routes_set {
    struct routes_route *routes;
    uint32_t count;
};
bool read_set(struct reader *r, json_t *list, struct routes_set *set);

#endif
