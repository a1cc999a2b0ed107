/* A RECORD: one edit of the record of a position. What it gives is checked, the new record is put
 * together beside the old one, and takes its place: nothing is changed half. */
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/records/draft.h"
#include "core/records/record.h"

/* An edit at work. */
struct edit {
    struct history *h;
    struct node *n;
    redo_operation const *op;
    struct draft draft;
    struct pieces list;    /* the new list of it */
    unsigned char *buffer; /* what it may need for that */
    int value;             /* of the result */
};

static bool is_list(int of)
{
    return of == redo_of_candidate || of == redo_of_decision;
}

static struct record_list *list_of(struct edit *e)
{
    return &e->draft.r.list[e->op->move];
}

/* The list of an edit has other bytes, and so many more. */
static void set_list(struct edit *e, unsigned of, uint32_t count)
{
    e->draft.r.list[of].count = count;
    e->draft.list = &e->list;
    e->draft.of = of;
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
static void put_item_properties(struct edit *e, struct record_list const *list,
                                struct record_item const *item)
{
    struct pieces properties, body;
    unsigned char const *at = item->start;
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
    pieces_span(&e->list, list->at, at);
    pieces_number(&e->list, (uint32_t)body.total);
    /* What is small in them goes when this returns. */
    unsigned char *copy = e->buffer = malloc(body.total);
    for (unsigned i = 0; copy && i < body.count; i++) {
        memcpy(copy, body.all[i].data, body.all[i].size);
        copy += body.all[i].size;
    }
    pieces_put(&e->list, e->buffer, body.total);
    pieces_span(&e->list, item->end, list->end);
}

static int edit_property(struct edit *e)
{
    redo_operation const *op = e->op;
    struct record_list const *list = list_of(e);
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
        set_list(e, (unsigned)op->move, put_properties(&e->list, list, op));
        return REDO_OK;
    }
    if (!record_find_item(list, op->source, &item, NULL))
        return REDO_ENOCANDIDATE;
    put_item_properties(e, list, &item);
    set_list(e, (unsigned)op->move, list->count);
    return e->buffer ? REDO_OK : REDO_ENOMEM;
}

/* ---- items ------------------------------------------------------------------------------- */

/* Where the item in this place begins; the end if there are not so many. */
static unsigned char const *begin_of(struct record_list list, uint32_t place)
{
    struct record_item item;
    while (place-- && record_next_item(&list, &item))
        ;
    return list.at;
}

/* Whether one of them shares the analysis of the first. */
static bool any_shares(struct record_list items)
{
    struct record_item item;
    while (record_next_item(&items, &item))
        if (item.flags & ITEM_SHARED)
            return true;
    return false;
}

static bool first_shares(struct record_list items)
{
    struct record_item item;
    return record_next_item(&items, &item) && (item.flags & ITEM_SHARED);
}

/* The items with ids, the next ones. */
static size_t number_items(unsigned char *out, struct record_list items, uint32_t id)
{
    struct record_item item;
    unsigned char *at = out, bytes[VARINT_MAX];
    while (record_next_item(&items, &item)) {
        /* Its head is two numbers: the second, the id 0, is one byte. */
        unsigned char const *from = item.start;
        while (*from++ >= 0x80)
            ;
        size_t rest = (size_t)(item.end - ++from), n = varint_put(bytes, id++);
        at += varint_put(at, (uint32_t)(n + rest));
        memcpy(at, bytes, n);
        memcpy(at + n, from, rest);
        at += n + rest;
    }
    return (size_t)(at - out);
}

static int edit_add(struct edit *e)
{
    redo_operation const *op = e->op;
    struct record *r = &e->draft.r;
    unsigned of = (unsigned)op->move;
    struct record_list const list = r->list[of];
    struct record_list items;
    struct varint_reader in = {.at = op->state,
                               .end = (unsigned char const *)op->state + op->statesize};
    uint32_t count = varint_get(&in), place = op->source < list.count ? op->source : list.count;
    if (in.bad)
        return REDO_ECANDIDATE;
    int rc = record_check_items(&items, count, in.at, (size_t)(in.end - in.at), false);
    if (rc)
        return rc;
    if (count > REDO_CANDIDATES_MAX - list.count || count > RECORD_IDS_MAX - r->given[of])
        return REDO_EFULL;
    if (of == redo_of_candidate ? any_shares(items) : !place && first_shares(items))
        return REDO_ECANDIDATE;
    if (of == redo_of_candidate && (rc = record_check_moves(items, &list)))
        return rc;
    e->value = (int)(r->given[of] + 1);
    if (!count)
        return REDO_OK;
    size_t most = op->statesize + count * (size_t)(VARINT_MAX + 1);
    if (!(e->buffer = malloc(most)))
        return REDO_ENOMEM;
    unsigned char const *at = begin_of(list, place);
    pieces_span(&e->list, list.at, at);
    pieces_put(&e->list, e->buffer, number_items(e->buffer, items, r->given[of] + 1));
    pieces_span(&e->list, at, list.end);
    set_list(e, of, list.count + count);
    r->given[of] += count;
    if (of == redo_of_candidate && r->choice == RECORD_NONE)
        r->choice = RECORD_OPEN;
    if (of == redo_of_decision && r->decided > place)
        r->decided = place;
    return REDO_OK;
}

/* The item as the parts of another make it. */
static void put_set(struct pieces *body, struct record_item const *old,
                    struct record_item const *new, unsigned parts)
{
    unsigned set = (parts & redo_part_move ? ITEM_MOVE : 0u) |
                   (parts & redo_part_text ? ITEM_TEXT : 0u) |
                   (parts & redo_part_analysis ? ITEM_ANALYSIS | ITEM_SHARED : 0u);
    unsigned flags = (old->flags & ~set) | (new->flags &set);
    struct record_item const *text = parts & redo_part_text ? new : old;
    struct record_item const *analysis = parts & redo_part_analysis ? new : old;
    int move = parts & redo_part_move ? new->move : old->move;
    pieces_number(body, old->id);
    pieces_number(body, flags);
    if (flags & ITEM_MOVE)
        pieces_number(body, (uint32_t)move << 1 ^ (uint32_t)(move >> 31));
    if (flags & ITEM_TEXT) {
        pieces_number(body, text->textsize);
        pieces_put(body, text->text, text->textsize + 1);
    }
    if (flags & ITEM_PROPERTIES) {
        pieces_number(body, old->properties.count);
        pieces_number(body, (uint32_t)(old->properties.end - old->properties.at));
        pieces_span(body, old->properties.at, old->properties.end);
    }
    if (flags & ITEM_ANALYSIS)
        pieces_span(body, analysis->analysis, analysis->end);
}

static int put_changed(struct edit *e, struct record_list const *list,
                       struct record_item const *old, struct record_item const *new, unsigned parts)
{
    struct pieces body;
    pieces_init(&body);
    put_set(&body, old, new, parts);
    unsigned char *copy = e->buffer = malloc(body.total);
    if (!copy)
        return REDO_ENOMEM;
    for (unsigned i = 0; i < body.count; copy += body.all[i++].size)
        memcpy(copy, body.all[i].data, body.all[i].size);
    pieces_span(&e->list, list->at, old->start);
    pieces_number(&e->list, (uint32_t)body.total);
    pieces_put(&e->list, e->buffer, body.total);
    pieces_span(&e->list, old->end, list->end);
    set_list(e, (unsigned)e->op->move, list->count);
    return REDO_OK;
}

/* Whether another candidate has this move. */
static bool is_taken(struct record_list list, uint32_t id, int move)
{
    struct record_item item;
    while (record_next_item(&list, &item))
        if (item.id != id && (item.flags & ITEM_MOVE) && item.move == move)
            return true;
    return false;
}

static int edit_set(struct edit *e)
{
    redo_operation const *op = e->op;
    struct record_list const list = *list_of(e);
    struct record_list items;
    struct record_item old, new;
    struct varint_reader in = {.at = op->state,
                               .end = (unsigned char const *)op->state + op->statesize};
    uint32_t parts = varint_get(&in), place;
    if (in.bad || parts > (redo_part_move | redo_part_text | redo_part_analysis))
        return REDO_ECANDIDATE;
    int rc = record_check_items(&items, 1, in.at, (size_t)(in.end - in.at), true);
    if (rc)
        return rc;
    record_next_item(&items, &new);
    unsigned allowed = (parts & redo_part_move ? ITEM_MOVE : 0u) |
                       (parts & redo_part_text ? ITEM_TEXT : 0u) |
                       (parts & redo_part_analysis ? ITEM_ANALYSIS | ITEM_SHARED : 0u);
    if (new.flags & ~allowed)
        return REDO_ECANDIDATE;
    if (!record_find_item(&list, op->source, &old, &place))
        return REDO_ENOCANDIDATE;
    unsigned flags = (old.flags & ~allowed) | new.flags;
    if (!(flags & (ITEM_MOVE | ITEM_TEXT)) ||
        ((new.flags &ITEM_SHARED) && (op->move == redo_of_candidate || !place)) ||
        (op->move == redo_of_candidate && (new.flags &ITEM_MOVE) &&
         is_taken(list, old.id, new.move)))
        return REDO_ECANDIDATE;
    return put_changed(e, &list, &old, &new, parts);
}

/* ---- many of them ------------------------------------------------------------------------ */

/* An item by its id. */
struct named {
    uint32_t id, place;
    unsigned char const *start, *end;
};

static int compare_named(void const *a, void const *b)
{
    uint32_t x = ((struct named const *)a)->id, y = ((struct named const *)b)->id;
    return (x > y) - (x < y);
}

static void name_all(struct record_list list, struct named *all)
{
    struct record_item item;
    for (uint32_t i = 0; record_next_item(&list, &item); i++)
        all[i] = (struct named){item.id, i, item.start, item.end};
}

/* The ids that an edit tells: how many, and they. REDO_OK and *ids, the caller's; *sorted, the same
 * once more, by number. */
static int read_ids(redo_operation const *op, uint32_t **ids, uint32_t **sorted, uint32_t *count)
{
    struct varint_reader in = {.at = op->state,
                               .end = (unsigned char const *)op->state + op->statesize};
    *count = varint_get(&in);
    if (in.bad || *count > (size_t)(in.end - in.at))
        return REDO_ECANDIDATE;
    *ids = malloc((*count + 1) * 2 * sizeof **ids);
    if (!*ids)
        return REDO_ENOMEM;
    *sorted = *ids + *count;
    for (uint32_t i = 0; i < *count; i++)
        (*sorted)[i] = (*ids)[i] = varint_get(&in);
    return in.bad || in.at != in.end || !record_differ(*sorted, *count) ? REDO_ECANDIDATE : REDO_OK;
}

static bool is_id(uint32_t const *sorted, uint32_t count, uint32_t id)
{
    while (count) {
        uint32_t half = count / 2;
        if (sorted[half] == id)
            return true;
        if (sorted[half] < id) {
            sorted += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return false;
}

/* What the first of a chain shared becomes its own. */
static size_t put_own(unsigned char *out, struct record_item const *item,
                      struct record_item const *first)
{
    struct pieces body;
    struct record_item own = *first;
    own.flags &= ITEM_ANALYSIS;
    pieces_init(&body);
    put_set(&body, item, &own, redo_part_analysis);
    unsigned char *at = out + varint_put(out, (uint32_t)body.total);
    for (unsigned i = 0; i < body.count; at += body.all[i++].size)
        memcpy(at, body.all[i].data, body.all[i].size);
    return (size_t)(at - out);
}

/* What is left of a list: how many, and their bytes. */
static int drop_items(struct edit *e, uint32_t const *sorted, uint32_t count)
{
    struct record *r = &e->draft.r;
    unsigned of = (unsigned)e->op->move;
    struct record_list left = r->list[of];
    struct record_item item, first;
    uint32_t kept = 0, before = left.count;
    unsigned char *at = e->buffer = malloc(2 * (size_t)(left.end - left.at) + 4 * VARINT_MAX);
    if (!at)
        return REDO_ENOMEM;
    for (uint32_t i = 0; record_next_item(&left, &item); i++) {
        if (!i)
            first = item;
        if (is_id(sorted, count, item.id)) {
            if (of == redo_of_decision && r->decided > i)
                r->decided = i;
            if (of == redo_of_candidate && r->choice == RECORD_MADE(item.id))
                r->choice = RECORD_OPEN;
        } else if (!kept++ && (item.flags & ITEM_SHARED)) {
            at += put_own(at, &item, &first);
        } else {
            memcpy(at, item.start, (size_t)(item.end - item.start));
            at += item.end - item.start;
        }
    }
    if (before - kept != count)
        return REDO_ENOCANDIDATE;
    pieces_put(&e->list, e->buffer, (size_t)(at - e->buffer));
    set_list(e, of, kept);
    e->value = (int)count;
    return REDO_OK;
}

static int edit_drop(struct edit *e)
{
    uint32_t *ids = NULL, *sorted, count;
    int rc = read_ids(e->op, &ids, &sorted, &count);
    if (!rc && count)
        rc = drop_items(e, sorted, count);
    free(ids);
    return rc;
}

static int order_items(struct edit *e, uint32_t const *ids)
{
    struct record *r = &e->draft.r;
    unsigned of = (unsigned)e->op->move;
    struct record_list list = r->list[of], ordered;
    struct named *all = malloc(list.count * sizeof *all);
    unsigned char *at = e->buffer = malloc((size_t)(list.end - list.at));
    int rc = all && at ? REDO_OK : REDO_ENOMEM;
    if (!rc) {
        name_all(list, all);
        qsort(all, list.count, sizeof *all, compare_named);
    }
    for (uint32_t i = 0; !rc && i < list.count; i++) {
        struct named key = {.id = ids[i]};
        struct named const *one = bsearch(&key, all, list.count, sizeof *all, compare_named);
        if (!one) {
            rc = REDO_ECANDIDATE;
            break;
        }
        memcpy(at, one->start, (size_t)(one->end - one->start));
        at += one->end - one->start;
        if (of == redo_of_decision && r->decided > i && one->place != i)
            r->decided = i;
    }
    free(all);
    if (rc)
        return rc;
    ordered = (struct record_list){.count = list.count, .at = e->buffer, .end = at};
    if (first_shares(ordered))
        return REDO_ECANDIDATE;
    pieces_put(&e->list, e->buffer, (size_t)(at - e->buffer));
    set_list(e, of, list.count);
    return REDO_OK;
}

static int edit_order(struct edit *e)
{
    uint32_t *ids = NULL, *sorted, count;
    int rc = read_ids(e->op, &ids, &sorted, &count);
    if (!rc && count != list_of(e)->count)
        rc = REDO_ECANDIDATE;
    if (!rc && count)
        rc = order_items(e, ids);
    free(ids);
    return rc;
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

static int edit_whole(struct edit *e)
{
    redo_operation const *op = e->op;
    if (!op->statesize) {
        record_open(&e->draft.r, NULL, 0);
        return REDO_OK;
    }
    int rc = record_check(&e->draft.r, op->state, op->statesize);
    if (!rc && e->draft.r.list[redo_of_branch].count && !e->n->p.prev)
        rc = REDO_EFIRST;
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

int records_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    struct edit e; /* not set to 0: most of it is room */
    struct record_bytes *old, *kept = NULL;
    int rc = history_find(h, op->position, &e.n);
    if (rc)
        return rc;
    if (op->statesize && !op->state)
        return REDO_ESTATE;
    e.h = h;
    e.op = op;
    e.buffer = NULL;
    e.value = 0;
    e.draft.list = NULL;
    pieces_init(&e.list);
    old = records_at(&h->records, op->position);
    record_open(&e.draft.r, old ? old->bytes : NULL, old ? old->size : 0);
    rc = run(&e);
    if (!rc)
        rc = op->value == redo_edit_record && !draft_is_empty(&e.draft.r)
                 ? copy_whole(op, &kept)
                 : draft_join(&e.draft, &kept);
    free(e.buffer);
    if (!rc && same(old, kept)) {
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
