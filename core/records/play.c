/* A PLAY: the branch of a candidate or a decision is followed, or made as by an ADD, and the record
 * tells that it was. */
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/records/draft.h"

/* What is to be played. */
struct play {
    struct record r;
    struct record_item item;
    uint32_t place;
    struct node *from; /* where its branch is, or will be */
    bool given;        /* a move, which it had none */
    int move;
};

/* From the position along the decisions before the one at this place. */
static int follow(struct history const *h, struct play *p)
{
    struct record_list chain = p->r.list[redo_of_decision];
    struct record_item item;
    for (uint32_t i = 0; i < p->place && record_next_item(&chain, &item); i++) {
        p->from = item.flags & ITEM_MOVE ? branch_find(h, p->from, item.move) : NULL;
        if (!p->from)
            return REDO_EDECISION;
    }
    return REDO_OK;
}

/* Moves count from 0 upwards, or from -1 downwards. */
static void mark(unsigned char *taken, uint32_t count, bool below, int move)
{
    int64_t at = below ? -1 - (int64_t)move : move;
    if (at >= 0 && at < count)
        taken[at / 8] |= (unsigned char)(1 << at % 8);
}

int records_free_move(struct history const *h, struct node const *n, bool below, int *move)
{
    struct record there;
    struct record_item item;
    size_t size;
    void const *data = history_record(h, n->in.id, &size);
    record_open(&there, data, size);
    struct record_list candidates = there.list[redo_of_candidate];
    uint32_t count = candidates.count + n->p.nextcount + 1;
    unsigned char few[32] = {0}, *taken = few;
    if (count > 8 * sizeof few && !(taken = calloc(count / 8 + 1, 1)))
        return REDO_ENOMEM;
    while (record_next_item(&candidates, &item))
        if (item.flags & ITEM_MOVE)
            mark(taken, count, below, item.move);
    for (redo_branch const *b = n->p.next; b; b = b->cdr)
        mark(taken, count, below, b->move);
    int at = 0;
    while (taken[at / 8] >> at % 8 & 1)
        at++;
    if (taken != few)
        free(taken);
    *move = below ? -1 - at : at;
    return REDO_OK;
}

static int find(struct history const *h, redo_operation const *op, struct play *p)
{
    size_t size;
    int rc = history_find(h, op->position, &p->from);
    if (rc)
        return rc;
    if (op->move != redo_of_candidate && op->move != redo_of_decision)
        return REDO_ECONSTANT;
    void const *data = history_record(h, op->position, &size);
    record_open(&p->r, data, size);
    if (!record_find_item(&p->r.list[op->move], op->source, &p->item, &p->place))
        return REDO_ENOCANDIDATE;
    if (op->move == redo_of_decision && (rc = follow(h, p)))
        return rc;
    p->given = !(p->item.flags & ITEM_MOVE);
    p->move = p->item.move;
    return p->given ? records_free_move(h, p->from, false, &p->move) : REDO_OK;
}

/* The record with the move of what is played, and that it was. */
static int draw_up(struct play const *p, redo_operation const *op, struct record_bytes **kept)
{
    struct draft d = {.r = p->r};
    struct record_item const *item = &p->item;
    struct record_list const *list = &p->r.list[op->move];
    struct pieces pieces;
    if (op->move == redo_of_candidate)
        d.r.choice = RECORD_MADE(item->id);
    else if (d.r.decided <= p->place)
        d.r.decided = p->place + 1;
    if (p->given) {
        /* Its text, and what follows that, stay as they are: it has one, since it had no move. */
        unsigned char head[VARINT_MAX], number[VARINT_MAX], tail[VARINT_MAX];
        unsigned char const *rest = (unsigned char const *)item->text;
        size_t n = varint_put(head, item->id), m = varint_put_signed(number, p->move),
               k = varint_put(tail, item->textsize);
        unsigned char flags = (unsigned char)(item->flags | ITEM_MOVE);
        pieces_init(&pieces);
        pieces_span(&pieces, list->at, item->start);
        pieces_number(&pieces, (uint32_t)(n + 1 + m + k + (size_t)(item->end - rest)));
        pieces_put(&pieces, head, n);
        pieces_put(&pieces, &flags, 1);
        pieces_put(&pieces, number, m);
        pieces_put(&pieces, tail, k);
        pieces_span(&pieces, rest, item->end);
        pieces_span(&pieces, item->end, list->end);
        d.list = &pieces;
        d.of = (unsigned)op->move;
        return draft_join(&d, kept);
    }
    return draft_join(&d, kept);
}

static redo_operation add_of(struct play const *p, redo_operation const *op)
{
    return (redo_operation){.kind = REDO_OP_ADD,
                            .position = p->from->in.id,
                            .move = p->move,
                            .endpoint = op->endpoint,
                            .value = op->value,
                            .state = op->state,
                            .statesize = op->statesize};
}

bool records_play_adds(struct history const *h, redo_operation const *op, redo_operation *add)
{
    struct play p;
    if (find(h, op, &p) || branch_find(h, p.from, p.move))
        return false;
    *add = add_of(&p, op);
    return true;
}

/* The branch is there, and no state, or turn, was given. */
static int go(struct history *h, struct play const *p, struct node *to, redo_operation const *op,
              redo_result *r)
{
    if (op->endpoint < -128 || op->endpoint > 127)
        return REDO_ERANGE;
    if (op->value < redo_nocheck || op->value > redo_checklater)
        return REDO_ECONSTANT;
    r->position = to->in.id;
    r->changed = branch_front(h, p->from, to);
    return REDO_OK;
}

int records_play(struct history *h, redo_operation const *op, redo_result *r)
{
    struct play p;
    struct record_bytes *kept;
    int rc = find(h, op, &p);
    if (rc || (rc = draw_up(&p, op, &kept)))
        return rc;
    redo_operation add = add_of(&p, op);
    struct node *there = branch_find(h, p.from, p.move);
    rc = there && !op->statesize ? go(h, &p, there, op, r) : history_add(h, &add, r);
    struct record_bytes *old = rc ? NULL : records_at(&h->records, op->position);
    if (rc || (old->size == kept->size && memcmp(old->bytes, kept->bytes, old->size) == 0)) {
        free(kept);
        return rc;
    }
    records_put(&h->records, op->position, kept);
    r->changed = 1;
    h->changed = true;
    return REDO_OK;
}
