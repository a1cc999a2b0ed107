/* A RECORD: one edit of the record of a position. What it gives is checked, the new record is put
 * together beside the old one, and takes its place; but a large one is rewritten where it is, so
 * that not all of it is copied, unless its parts are to be in another order. Nothing is changed
 * half. */
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/records/edit.h"

#define LARGE 65536 /* bytes of a record that is rewritten where it is */

struct record_list *edit_list(struct edit *e)
{
    return &e->draft.r.list[e->op->move];
}

void edit_set_list(struct edit *e, unsigned of, uint32_t count)
{
    e->draft.r.list[of].count = count;
    e->draft.list = &e->list;
    e->draft.of = of;
}

int edit_replace(struct edit *e, struct record_list const *list, struct record_item const *item,
                 struct pieces const *body)
{
    if (body->total > REDO_RECORD_MAX)
        return REDO_EFULL;
    if (!(e->buffer = malloc(body->total)))
        return REDO_ENOMEM;
    pieces_copy(body, e->buffer);
    pieces_span(&e->list, list->at, item->start);
    pieces_number(&e->list, (uint32_t)body->total);
    pieces_put(&e->list, e->buffer, body->total);
    pieces_span(&e->list, item->end, list->end);
    edit_set_list(e, (unsigned)e->op->move, list->count);
    return REDO_OK;
}

static bool is_list(int of)
{
    return of == redo_of_candidate || of == redo_of_decision;
}

/* ---- properties -------------------------------------------------------------------------- */

/* A list of properties in which one has another value; tells how many there are. It stays where it
 * is in their order. */
static uint32_t put_properties(struct pieces *p, struct record_list const *list,
                               redo_operation const *op)
{
    struct record_property there = {.start = list->end, .end = list->end};
    bool found = record_find_property(list, op->name, op->namesize, &there);
    if (!found)
        there.start = there.end = list->end;
    pieces_span(p, list->at, there.start);
    if (op->statesize) {
        pieces_number(p, (uint32_t)op->namesize);
        pieces_put(p, op->name, op->namesize);
        pieces_put(p, "", 1);
        pieces_number(p, (uint32_t)op->statesize);
        pieces_put(p, op->state, op->statesize);
    }
    pieces_span(p, there.end, list->end);
    return list->count - found + (op->statesize > 0);
}

/* Puts an item with other properties in its place in a list. */
static int put_item_properties(struct edit *e, struct record_list const *list,
                               struct record_item const *item)
{
    struct pieces properties, body;
    unsigned flags = item->flags & ~(unsigned)ITEM_PROPERTIES;
    pieces_init(&properties);
    pieces_init(&body);
    uint32_t count = put_properties(&properties, &item->properties, e->op);
    pieces_number(&body, item->id);
    pieces_number(&body, flags | (count ? ITEM_PROPERTIES : 0));
    if (flags & ITEM_MOVE)
        pieces_number(&body, (uint32_t)item->move << 1 ^ (uint32_t)(item->move >> 31));
    if (flags & ITEM_TEXT) {
        pieces_number(&body, item->textsize);
        pieces_put(&body, item->text, item->textsize + 1);
    }
    if (count)
        pieces_list(&body, count, &properties);
    if (item->analysis)
        pieces_span(&body, item->analysis, item->end);
    return edit_replace(e, list, item, &body);
}

static int edit_property(struct edit *e)
{
    redo_operation const *op = e->op;
    struct record_list const *list = edit_list(e);
    struct record_item item;
    if (!op->name || !record_is_name(op->name, op->namesize))
        return REDO_ENAME;
    if (op->move == redo_of_branch && !e->n->p.prev)
        return REDO_EFIRST;
    if (op->statesize > REDO_RECORD_MAX)
        return REDO_EFULL;
    if (!is_list(op->move)) {
        if (op->source)
            return REDO_ENOCANDIDATE;
        edit_set_list(e, (unsigned)op->move, put_properties(&e->list, list, op));
        return REDO_OK;
    }
    if (!record_find_item(list, op->source, &item, NULL))
        return REDO_ENOCANDIDATE;
    return put_item_properties(e, list, &item);
}

/* ---- what was made of them ---------------------------------------------------------------- */

static int edit_choose(struct edit *e)
{
    struct record *r = &e->draft.r;
    struct record_list const *list = &r->list[redo_of_candidate];
    struct record_item item;
    uint32_t id = e->op->source;
    if (id == NOBODY && list->count)
        return REDO_ECANDIDATE;
    if (id && id != NOBODY && !record_find_item(list, id, &item, NULL))
        return REDO_ENOCANDIDATE;
    r->choice = id == NOBODY ? RECORD_NONE : id ? RECORD_MADE(id) : RECORD_OPEN;
    return REDO_OK;
}

static int edit_decide(struct edit *e)
{
    struct record *r = &e->draft.r;
    if (e->op->source > r->list[redo_of_decision].count)
        return REDO_ECANDIDATE;
    r->decided = e->op->source;
    return REDO_OK;
}

/* An id that was given is not given again, by whichever record of the two. */
static bool keep_given(struct record *r, uint32_t const given[4])
{
    bool kept = false;
    for (unsigned of = redo_of_candidate; of <= redo_of_decision; of++) {
        if (r->given[of] >= given[of])
            continue;
        r->given[of] = given[of];
        kept = true;
    }
    return kept;
}

static int edit_whole(struct edit *e)
{
    redo_operation const *op = e->op;
    uint32_t given[4];
    if (!op->statesize) {
        record_open(&e->draft.r, NULL, 0);
        return REDO_OK;
    }
    memcpy(given, e->draft.r.given, sizeof given);
    int rc = record_check(&e->draft.r, op->state, op->statesize);
    if (!rc && e->draft.r.list[redo_of_branch].count && !e->n->p.prev)
        rc = REDO_EFIRST;
    if (!rc && !draft_is_empty(&e->draft.r))
        e->as_told = !keep_given(&e->draft.r, given);
    return rc;
}

/* A whole record has the one form that it is kept in. */
static int copy_whole(redo_operation const *op, struct record_bytes **kept)
{
    struct record_bytes *k = *kept = malloc(sizeof *k + op->statesize);
    if (!k)
        return REDO_ENOMEM;
    k->size = (uint32_t)op->statesize;
    memcpy(k->bytes, op->state, op->statesize);
    return REDO_OK;
}

static int run(struct edit *e)
{
    int of = e->op->move;
    bool both = e->op->value >= redo_edit_add && e->op->value <= redo_edit_order;
    if (of < redo_of_position || of > redo_of_decision || (both && !is_list(of)))
        return REDO_ECONSTANT;
    switch (e->op->value) {
    case redo_edit_property:
        return edit_property(e);
    case redo_edit_add:
        return edit_add(e);
    case redo_edit_set:
        return edit_set(e);
    case redo_edit_drop:
        return edit_drop(e);
    case redo_edit_order:
        return edit_order(e);
    case redo_edit_choose:
        return edit_choose(e);
    case redo_edit_decide:
        return edit_decide(e);
    case redo_edit_record:
        return edit_whole(e);
    }
    return REDO_ECONSTANT;
}

static bool same(struct record_bytes const *a, struct record_bytes const *b)
{
    if (!a || !b)
        return a == b;
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* The edit in the place of the record there is; not *done: it can not be done so. */
static int rewrite(struct history *h, struct edit *e, bool *done, bool *changed)
{
    struct record_bytes **place = records_place(&h->records, e->n->in.id);
    uint32_t before = (*place)->size;
    int rc = draft_rewrite(&e->draft, place, done, changed);
    records_rewritten(&h->records, e->n->in.id, before);
    return rc;
}

int records_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    struct edit e; /* not set to 0: most of it is room */
    struct record_bytes *old, *kept = NULL;
    int rc = history_find(h, op->position, &e.n);
    if (rc)
        return rc;
    if (op->statesize && !op->state)
        return REDO_ESTATE;
    e.op = op;
    e.buffer = NULL;
    e.value = 0;
    e.as_told = false;
    e.draft.list = NULL;
    pieces_init(&e.list);
    old = records_at(&h->records, op->position);
    record_open(&e.draft.r, old ? old->bytes : NULL, old ? old->size : 0);
    rc = run(&e);
    bool done = false, changed = false;
    if (!rc && old && old->size >= LARGE && !e.as_told && !draft_is_empty(&e.draft.r))
        rc = rewrite(h, &e, &done, &changed);
    if (!rc && !done)
        rc = e.as_told ? copy_whole(op, &kept) : draft_join(&e.draft, &kept);
    free(e.buffer);
    if (!rc && done) {
        r->changed = changed;
        h->changed |= changed;
    } else if (!rc && same(old, kept)) {
        free(kept);
    } else if (!rc && (rc = kept ? records_reserve(&h->records, op->position) : REDO_OK)) {
        free(kept);
    } else if (!rc) {
        records_put(&h->records, op->position, kept);
        r->changed = 1;
        h->changed = true;
    }
    if (!rc)
        r->value = e.value;
    return rc;
}
