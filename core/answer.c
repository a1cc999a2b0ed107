#include "core/answer.h"

#include <stdlib.h>
#include <string.h>

#include "core/operation.h"

struct fields history_fields(struct history const *h, struct node const *n)
{
    struct stamp stamp = authors_stamp(&h->authors, n->in.id);
    return (struct fields){
        .number = n->in.id,
        .prev = n->p.prev ? node_prev(n)->in.id : NOBODY,
        .better = n->p.better ? node_of(n->p.better)->in.id : NOBODY,
        .movecount = n->p.movecount,
        .solutionsize = n->p.solutionsize,
        .solutionend = n->p.solutionend,
        .nextcount = n->p.nextcount,
        .move = n->in.move,
        .endpoint = n->p.endpoint,
        .setbetter = n->p.setbetter,
        .author = stamp.author,
        .time = stamp.time,
    };
}

/* Those of the position in a result: it is there, or was until a moment ago. */
static struct fields fields_of(struct history const *h, redo_result const *r)
{
    if (r->position == NOBODY)
        return (struct fields){.number = NOBODY, .prev = NOBODY, .better = NOBODY};
    return history_fields(h, node_at(h, r->position));
}

struct answer const *history_answer(struct history *h, redo_result const *result)
{
    if (!result->repeated)
        h->answer.fields = fields_of(h, result);
    return &h->answer;
}

int answer_repeat(struct history *h, redo_operation const *op, struct key const *key,
                  redo_result *r)
{
    if (key->operation != operation_hash(op))
        return REDO_EKEY;
    if (key->count > h->answer.cap) {
        uint32_t *grown = realloc(h->answer.items, key->count * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        h->answer.items = grown;
        h->answer.cap = key->count;
    }
    if (key->count)
        memcpy(h->answer.items, key->items, key->count * sizeof *key->items);
    h->answer.count = key->count;
    h->answer.fields = key->fields;
    h->answer.sequence = key->sequence;
    *r = key->result;
    r->changed = 0;
    r->repeated = 1;
    return REDO_OK;
}

void answer_keep(struct history *h, redo_operation const *op, struct key *key, redo_result *r)
{
    r->changed = 1; /* the key itself */
    key->operation = operation_hash(op);
    key->author = h->authors.now.author;
    key->result = *r;
    key->fields = fields_of(h, r);
    key->sequence = h->sequence + 1;
    if (op->kind == REDO_OP_TURN) {
        key->count = h->answer.count;
        memcpy(key->items, h->answer.items, key->count * sizeof *key->items);
    }
    keys_keep(&h->keys, key);
}
