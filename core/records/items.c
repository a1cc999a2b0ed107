/* The edits of lists of items: adding some, setting parts of one, dropping some, another order. */
#include <stdlib.h>
#include <string.h>

#include "core/records/edit.h"

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

int edit_add(struct edit *e)
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
    edit_set_list(e, of, list.count + count);
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

/* Whether another candidate has this move. */
static bool is_taken(struct record_list list, uint32_t id, int move)
{
    struct record_item item;
    while (record_next_item(&list, &item))
        if (item.id != id && (item.flags & ITEM_MOVE) && item.move == move)
            return true;
    return false;
}

int edit_set(struct edit *e)
{
    redo_operation const *op = e->op;
    struct record_list const list = *edit_list(e);
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
    struct pieces body;
    pieces_init(&body);
    put_set(&body, &old, &new, parts);
    return edit_replace(e, &list, &old, &body);
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
    return (size_t)(pieces_copy(&body, at) - out);
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
    edit_set_list(e, of, kept);
    e->value = (int)count;
    return REDO_OK;
}

int edit_drop(struct edit *e)
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
    edit_set_list(e, of, list.count);
    return REDO_OK;
}

int edit_order(struct edit *e)
{
    uint32_t *ids = NULL, *sorted, count;
    int rc = read_ids(e->op, &ids, &sorted, &count);
    if (!rc && count != edit_list(e)->count)
        rc = REDO_ECANDIDATE;
    if (!rc && count)
        rc = order_items(e, ids);
    free(ids);
    return rc;
}
