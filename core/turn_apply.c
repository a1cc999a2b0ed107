/* Turns done: all of one is looked at, room is made for it, then it is done item by item. */
#include "core/turn_apply.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/entry.h"
#include "core/copy.h"
#include "core/equal.h"
#include "core/records/records.h"
#include "core/solution.h"
#include "core/turn.h"
#include "core/varint.h"

#define ANSWERS_BELOW (UINT32_C(1) << 31) /* numbers that the answers to a turn have room for */
#define TURN_COPIES (UINT32_C(1) << 22)   /* positions that may be made by copying in one turn */

/* Whether all of a turn can be applied, as far as it can be seen: all but memory. */
static int check_turn(struct history const *h, struct turn_item const *items, uint32_t count)
{
    int rc = REDO_OK;
    for (uint32_t i = 0; i < count && !rc; i++) {
        redo_operation const *op = &items[i].op;
        struct node *n;
        if (!items[i].after)
            rc = history_find(h, op->position, &n);
        if (!rc)
            rc = op->kind == REDO_OP_ADD      ? history_check_add(h, op)
                 : op->kind == REDO_OP_CURSOR ? cursors_check(h, op)
                                              : REDO_OK; /* it is the first to be applied */
    }
    return rc;
}

/* Whether an equal position is there, or is made earlier in the turn: `seen` leads to the items
 * that were looked at. */
static bool is_known(struct history const *h, struct turn_item const *items, uint32_t i,
                     struct index *seen)
{
    redo_operation const *op = &items[i].op;
    uint32_t other, hash = equal_hash(h, op->state);
    struct index_walk walk = index_walk(seen, hash);
    while ((other = index_next(seen, &walk)) != INDEX_NONE)
        if (memcmp(items[other].op.state, op->state, h->cmpsize) == 0)
            return true;
    if (equal_first(h, hash, op->state))
        return true;
    index_insert(seen, hash, i);
    return false;
}

/* How many positions the adds of a turn may make by copying paths: of those that are there, and of
 * those that the turn makes itself, which grow with it. */
static int copies_of_turn(struct history *h, struct turn_item const *items, uint32_t count,
                          uint64_t *copies)
{
    uint64_t longest = 0, made = 0, copied = 0;
    bool ends = false;
    struct index seen;
    struct node *n;
    *copies = 0;
    if (!history_copies_paths(h))
        return REDO_OK;
    index_init(&seen);
    if (index_reserve(&seen, count)) {
        index_close(&seen);
        return REDO_ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        redo_operation const *op = &items[i].op;
        if (op->kind != REDO_OP_ADD || history_check_state(h, op))
            continue;
        uint32_t length = history_copies(h, op);
        copied = length > copied ? length : copied;
        if (!items[i].after && history_find(h, op->position, &n) == REDO_OK)
            longest = n->p.movecount > longest ? n->p.movecount : longest;
        ends |= op->endpoint != 0;
        made += is_known(h, items, i, &seen) && op->value == redo_check && !op->endpoint;
    }
    index_close(&seen);
    if (ends && longest + count > copied)
        copied = longest + count;
    *copies = made * copied;
    return REDO_OK;
}

/* Room for a turn: all that it needs, but for paths that it makes itself, or longer, and copies. */
static int reserve_turn(struct history *h, struct turn_item const *items, uint32_t adds)
{
    uint64_t positions = adds, copies;
    bool equals = false;
    int rc = copies_of_turn(h, items, adds, &copies);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < adds; i++) {
        redo_operation const *op = &items[i].op;
        positions += history_copies(h, op);
        equals |= op->value == redo_check && !op->endpoint;
    }
    if (copies > TURN_COPIES || h->next + adds + copies > ANSWERS_BELOW)
        return REDO_EFULL;
    if (adds > h->answer.cap) {
        uint32_t *grown = realloc(h->answer.items, adds * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        h->answer.items = grown;
        h->answer.cap = adds;
    }
    rc = history_reserve(h, (uint32_t)positions, adds);
    if (!rc && equals && h->graft != redo_nograft && !history_scratch(h, h->count + adds))
        rc = REDO_ENOMEM;
    return rc;
}

static int add_items(struct history *h, struct turn_item *items, uint32_t adds, redo_result *r)
{
    uint32_t first = h->next, endpoints = 0;
    for (uint32_t i = 0; i < adds; i++)
        endpoints += items[i].op.endpoint != 0;
    solution_defer(h, endpoints);
    for (uint32_t i = 0; i < adds; i++) {
        redo_result one = history_nothing;
        if (items[i].after)
            items[i].op.position = h->answer.items[items[i].after - 1] >> 1;
        bool plays = items[i].op.kind == REDO_OP_PLAY;
        int rc = h->next >= ANSWERS_BELOW ? REDO_EFULL
                 : plays                  ? records_play(h, &items[i].op, &one)
                                          : history_add(h, &items[i].op, &one);
        if (rc && !i) { /* nothing is done yet */
            solution_undefer(h);
            return rc;
        }
        if (rc) { /* copying a path has taken more memory than there is, or numbers */
            solution_undefer(h);
            return h->failed = rc;
        }
        h->answer.items[h->answer.count++] = one.position << 1 | one.created;
        one.changed |= r->changed;
        if (adds == 1)
            *r = one; /* all that there is to tell of it */
        r->position = one.position;
        r->created = one.created;
        r->changed = one.changed;
    }
    solution_undefer(h);
    r->firstmade = first;
    r->made = h->next - first;
    r->value = (int)adds;
    return REDO_OK;
}

static int run_turn(struct history *h, struct turn_item *items, uint32_t count, redo_result *r)
{
    struct turn_item *last = &items[count - 1];
    bool cursor = last->op.kind == REDO_OP_CURSOR, made = false;
    uint32_t adds = count - cursor;
    int rc = h->changes && adds > 1 ? REDO_EKIND : check_turn(h, items, count);
    if (!rc && cursor && entry_is_open(h, &last->op))
        rc = REDO_EENTRY;
    if (!rc)
        rc = reserve_turn(h, items, adds);
    if (!rc && cursor)
        rc = cursors_prepare(h, &last->op, &made);
    if (rc)
        return rc;
    rc = add_items(h, items, adds, r);
    if (rc && made)
        cursors_drop(&h->cursors, cursors_find(&h->cursors, last->op.name, last->op.namesize));
    if (rc || !cursor)
        return rc;
    redo_result moved = history_nothing;
    if (last->after)
        last->op.position = h->answer.items[last->after - 1] >> 1;
    last->op.source = NOBODY; /* as expected: that was seen before */
    rc = cursors_apply(h, &last->op, &moved);
    if (made) { /* also if it is at the first position, where it was made */
        cursor_moved(&h->cursors, cursors_find(&h->cursors, last->op.name, last->op.namesize));
        r->changed = 1;
    }
    r->changed |= moved.changed;
    return rc;
}

int turn_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    struct turn_item *items;
    uint32_t count;
    int rc = op->state ? turn_read(op->state, op->statesize, &items, &count) : REDO_EOPERATION;
    if (rc)
        return rc;
    rc = run_turn(h, items, count, r);
    free(items);
    return rc;
}

uint64_t turn_growth(struct history *h, redo_operation const *op)
{
    struct turn_item *items;
    uint32_t count;
    if (!op->state || turn_read(op->state, op->statesize, &items, &count))
        return 0;
    uint64_t growth;
    if (copies_of_turn(h, items, count, &growth))
        growth = NOBODY; /* the turn would fail, too */
    for (uint32_t i = 0; i < count; i++)
        growth += items[i].op.kind == REDO_OP_PLAY ? history_growth(h, &items[i].op)
                                                   : items[i].op.kind == REDO_OP_ADD;
    free(items);
    return growth;
}

uint32_t turn_answers(redo_operation const *op)
{
    struct varint_reader r = {.at = op->state,
                              .end = (unsigned char const *)op->state + op->statesize};
    uint32_t count = op->kind == REDO_OP_TURN && op->state ? varint_get(&r) : 0;
    return count <= REDO_TURN_MAX + 1 && count <= op->statesize ? count : 0;
}
