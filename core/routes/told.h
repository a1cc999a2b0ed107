/* Networks, questions and sets as values of msgpack, in the form of the document's JSON: what is
 * told by lines of a session, by requests and in files becomes the structs of routes.h, and answers
 * become values. Unknown fields are passed over. */
#ifndef CORE_ROUTES_TOLD_H
#define CORE_ROUTES_TOLD_H

#include "core/changes/value.h"
#include "core/routes/routes.h"

/* One reading: what the structs point to lives until told_close(). */
struct told {
    struct told_block *blocks;
    char what[64]; /* the thing at hand, as faults name it: "node 5" */
    struct routes_fault *fault;
};

/* To be closed in any case. fault may be NULL. */
void told_init(struct told *t, struct routes_fault *fault);
void told_close(struct told *t);

/* All functions: REDO_OK; REDO_ENETWORK or REDO_ERANGE and the fault, which names the thing;
 * REDO_ENOMEM. Readers stand before one whole value. */

/* What ids of a thing's kind are called: "node", "edge", "mutex"; by op->kind % 3. */
extern char const *const told_names[3];

/* A thing without a field; then one field after the other. A nil value is as if the field was not
 * told. *field gets its bit (ROUTES_F_...), 0 if it is none. */
void told_thing_begin(struct told *t, struct routes_op *op, enum routes_op_kind kind, uint32_t id);
int told_thing_field(struct told *t, struct routes_op *op, char const *name, size_t size,
                     struct value_reader value, uint32_t *field);

/* What every thing must have. */
int told_thing_end(struct told *t, struct routes_op const *op);

/* A thing as a map, its id a field; `otherwise` where it has none: UINT32_MAX, it must have. */
int told_thing(struct told *t, struct value_reader map, enum routes_op_kind kind,
               uint32_t otherwise, struct routes_op *op);

/* A question. rules, bonuses: or nil. */
int told_question(struct told *t, struct value_reader company, struct value_reader trains,
                  struct value_reader rules, struct value_reader bonuses,
                  struct routes_question *question);

/* A set: [{train, stops, edges}]. */
int told_set(struct told *t, struct value_reader set, struct routes_route **routes,
             uint32_t *count);

/* The pairs of a map, to which others may be added, without its head: of an answer total, bound,
 * proven, stable, nodes, set; what came of a check, of so many routes: legal, and total, values or
 * rule, text, route, other, id; how many pairs they are. */
#define TOLD_ANSWER 6
void told_put_answer(struct value_writer *w, struct routes_answer const *answer);
uint32_t told_put_verdict(struct value_writer *w, struct routes_verdict const *verdict,
                          uint32_t count);

/* ---- for told_question.c ----------------------------------------------------------------- */

void *told_block(struct told *t, size_t count, size_t size);
int told_wrong(struct told *t, int code, char const *what);
int told_u32(struct told *t, char const *name, struct value_reader value, uint32_t high,
             uint32_t *to);
int told_i32(struct told *t, char const *name, struct value_reader value, int32_t low, int32_t high,
             int32_t *to);
int told_bool(struct told *t, char const *name, struct value_reader value, bool *to);
int told_text(struct told *t, char const *name, struct value_reader value, char const **to);
int told_word(struct told *t, char const *name, struct value_reader value, char const *const *words,
              int *to);
int told_ids(struct told *t, char const *name, struct value_reader value, struct routes_list *to);
int told_texts(struct told *t, char const *name, struct value_reader value, bool nulls,
               char const *const **to, uint32_t *count);
extern char const *const told_kinds[], *const told_tracks[];

/* The head of an array or map; false if it is another value. nil is an empty one. */
bool told_open(struct value_reader *r, enum value_type type, uint32_t *count);

/* The next pair of a map: its name (a key that is no text has an empty one), and its value. */
void told_pair(struct value_reader *r, char const **name, size_t *size, struct value_reader *value);
bool told_is(char const *name, size_t size, char const *word);

#endif
