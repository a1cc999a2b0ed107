#include "core/subtree.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/plan.h"
#include "core/equal.h"
#include "core/leaf.h"
#include "core/records/alternates.h"
#include "core/records/forms.h"
#include "core/solution.h"
#include "core/varint.h"

/* ---- taking ------------------------------------------------------------------------------ */

/* The form: the number of positions, then each of them, parents first, branches last to first (so
 * that putting each in front gives their order): number, parent, move, twice the endpoint (zigzag)
 * with the lowest bit telling that it waits for redo_setbetterfields(), better + 1 or 0, its state.
 * In a session told by change after its state its turn: how many bytes, and these.
 * The first one's parent is where it hung. Where the session knows of authors, or there are
 * records, then for each of them once more: its author's number, and the time if that is not 0.
 * Then what there is of records and alternates (records/forms.h). */

/* The position after n, below top: branches first to last. */
static struct node const *forwards(struct node const *top, struct node const *n)
{
    if (n->p.next)
        return node_of(n->p.next->p);
    while (n != top && !n->in.cdr)
        n = node_prev(n);
    return n == top ? NULL : node_of(n->in.cdr->p);
}

static int compare_numbers(void const *a, void const *b)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    return (x > y) - (x < y);
}

/* Those positions of the subtree that have a record or an alternate, by number: how many; 0 and
 * *numbers NULL if memory lacks. */
static uint32_t find_records(struct history const *h, struct node const *top, size_t count,
                             uint32_t **numbers)
{
    uint32_t found = 0;
    *numbers = malloc(count * sizeof **numbers);
    for (struct node const *n = top; *numbers && n; n = forwards(top, n))
        if (records_at(&h->records, n->in.id) || alternates_has(h, n->in.id))
            (*numbers)[found++] = n->in.id;
    if (found)
        qsort(*numbers, found, sizeof **numbers, compare_numbers);
    return found;
}

/* Puts what there is of them after what was put so far. */
static int put_records(struct history const *h, uint32_t const *numbers, uint32_t count,
                       void **data, size_t *size)
{
    struct writer w = {.data = *data, .size = *size, .cap = *size};
    int rc = write_some_records(h, &w, numbers, count);
    if (!rc && w.failed)
        rc = REDO_ENOMEM;
    *data = w.data;
    *size = w.size;
    return rc;
}

/* The stamps of the positions told from here to there; the bytes they take. */
static size_t put_stamps(struct history const *h, unsigned char const *from, unsigned char *to)
{
    struct varint_reader r = {.at = from, .end = to};
    unsigned char *at = to;
    varint_get(&r);
    while (r.at < r.end) {
        struct stamp stamp = authors_stamp(&h->authors, varint_get(&r));
        for (int i = 0; i < 4; i++)
            varint_get(&r);
        r.at += h->size;
        if (h->changes) {
            uint32_t turn = varint_get(&r);
            r.at += turn;
        }
        at += varint_put(at, stamp.author);
        if (stamp.author)
            at += varint_put(at, stamp.time);
    }
    return (size_t)(at - to);
}

int subtree_capture(struct history const *h, struct node const *top, void **data, size_t *size)
{
    size_t count = 0, turns = 0;
    uint32_t recorded = 0, *numbers = NULL;
    for (struct node const *n = top; n; n = forwards(top, n)) {
        count++;
        turns += h->changes ? VARINT_MAX + changes_turn(h, n)->size : 0;
    }
    unsigned char *bytes = malloc(VARINT_MAX + count * (7 * VARINT_MAX + h->size) + turns);
    struct node const **left = malloc(count * sizeof *left); /* a stack: the last on top */
    if (records_any(h))
        recorded = find_records(h, top, count, &numbers);
    if (!bytes || !left || (records_any(h) && !numbers)) {
        free(bytes);
        free(left);
        free(numbers);
        return REDO_ENOMEM;
    }
    unsigned char *at = bytes + varint_put(bytes, (uint32_t)count);
    size_t depth = 0;
    left[depth++] = top;
    while (depth) {
        struct node const *n = left[--depth];
        for (redo_branch const *b = n->p.next; b; b = b->cdr)
            left[depth++] = node_of(b->p);
        at += varint_put(at, n->in.id);
        at += varint_put(at, node_prev(n)->in.id);
        at += varint_put_signed(at, n->in.move);
        at += varint_put_signed(at, n->p.endpoint * 2 + n->p.setbetter);
        at += varint_put(at, n->p.better ? node_of(n->p.better)->in.id + 1 : 0);
        memcpy(at, node_state(h, n), h->size);
        at += h->size;
        if (h->changes) {
            struct turn const *t = changes_turn(h, n);
            at += varint_put(at, t->size);
            memcpy(at, t->data, t->size);
            at += t->size;
        }
    }
    free(left);
    if (h->authors.count || recorded)
        at += put_stamps(h, bytes, at);
    *data = bytes;
    *size = (size_t)(at - bytes);
    int rc = recorded ? put_records(h, numbers, recorded, data, size) : REDO_OK;
    free(numbers);
    if (rc)
        free(*data);
    return rc;
}

bool subtree_look(void const *data, size_t size, uint32_t *parent, uint32_t *top, uint32_t *count)
{
    struct varint_reader r = {.at = data, .end = (unsigned char const *)data + size};
    *count = varint_get(&r);
    *top = varint_get(&r);
    *parent = varint_get(&r);
    return !r.bad && *count;
}

/* ---- dropping ---------------------------------------------------------------------------- */

/* Drops all of it: how many. */
static uint32_t drop_all(struct history *h, struct node *top)
{
    struct node *parent = node_prev(top), *n = top;
    uint32_t dropped = 0;
    branch_remove(h, parent, top);
    solution_lower(h, parent);
    for (;;) {
        while (n->p.next)
            n = node_of(n->p.next->p);
        struct node *up = node_prev(n);
        leaf_forget(h, n);
        dropped++;
        if (n == top)
            break;
        branch_remove(h, up, n);
        n = up;
    }
    h->changed = true;
    return dropped;
}

int subtree_apply_drop(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc)
        return rc;
    if (!n->p.prev)
        return REDO_EFIRST;
    r->position = node_prev(n)->in.id;
    r->dropped = drop_all(h, n);
    r->changed = 1;
    return REDO_OK;
}

/* ---- bringing back ----------------------------------------------------------------------- */

struct item {
    uint32_t number, parent, better;
    int move, endpoint;
    bool waits; /* for redo_setbetterfields() */
    void const *state;
    void const *turn; /* of a session told by change */
    size_t turn_size;
    struct stamp stamp;
};

static bool read_stamps(struct history const *h, struct varint_reader *r, struct item *items,
                        uint32_t count)
{
    bool none = r->at == r->end; /* kept when the session knew of no authors */
    for (uint32_t i = 0; i < count; i++) {
        struct stamp *stamp = &items[i].stamp;
        *stamp = (struct stamp){0};
        if (none)
            continue;
        stamp->author = varint_get(r);
        if (stamp->author)
            stamp->time = varint_get(r);
        if (stamp->author > h->authors.count)
            return false;
    }
    return !r->bad;
}

static bool read_item(struct history const *h, struct varint_reader *r, struct item *item)
{
    item->number = varint_get(r);
    item->parent = varint_get(r);
    item->move = varint_get_signed(r);
    int end = varint_get_signed(r);
    item->waits = end & 1;
    item->endpoint = (end - item->waits) / 2;
    item->better = varint_get(r) - 1;
    if (r->bad || (size_t)(r->end - r->at) < h->size || item->endpoint < -128 ||
        item->endpoint > 127 || item->number >= h->next)
        return false;
    item->state = r->at;
    r->at += h->size;
    item->turn_size = h->changes ? varint_get(r) : 0;
    item->turn = r->at;
    if (r->bad || item->turn_size > (size_t)(r->end - r->at))
        return false;
    r->at += item->turn_size;
    return true;
}

/* A move from a parent, to see that none comes twice. */
struct way {
    uint32_t parent;
    int move;
};

static int compare_ways(void const *a, void const *b)
{
    struct way const *x = a, *y = b;
    if (x->parent != y->parent)
        return (x->parent > y->parent) - (x->parent < y->parent);
    return (x->move > y->move) - (x->move < y->move);
}

/* Reads all items, and sees that they form a subtree that can hang below parent. */
static int check_items(struct history const *h, struct node const *parent, void const *data,
                       size_t size, struct item *items, uint32_t count, uint32_t *numbers,
                       struct way *ways, struct varint_reader *rest)
{
    struct varint_reader r = {.at = data, .end = (unsigned char const *)data + size};
    varint_get(&r);
    for (uint32_t i = 0; i < count; i++) {
        struct item *item = &items[i];
        struct node *n;
        if (!read_item(h, &r, item))
            return REDO_EDAMAGED;
        if (history_find(h, item->number, &n) == REDO_OK)
            return REDO_EINUSE;
        numbers[i] = item->number;
        ways[i] = (struct way){item->parent, item->move};
    }
    if (!read_stamps(h, &r, items, count))
        return REDO_EDAMAGED;
    *rest = r;
    if (branch_find(h, parent, items[0].move))
        return REDO_EDIFFERS;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    qsort(ways, count, sizeof *ways, compare_ways);
    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] == numbers[i - 1] || compare_ways(&ways[i], &ways[i - 1]) == 0)
            return REDO_EDAMAGED;
    return REDO_OK;
}

/* Whether each position's parent comes before it; the first one's is given. Numbers that were seen
 * are marked in the slabs' own places, which are not in use. */
static int check_order(struct history *h, struct item const *items, uint32_t count)
{
    int rc = REDO_OK;
    for (uint32_t i = 0; i < count && !rc; i++) {
        struct node *n = pool_find(&h->nodes, items[i].number);
        struct node *up = i ? pool_find(&h->nodes, items[i].parent) : NULL;
        if (i && (!up || up->p.inuse || up->linked != up->in.id || up->in.id != items[i].parent))
            rc = REDO_EDAMAGED;
        n->in.id = n->linked = items[i].number; /* the mark: no dropped position links itself */
    }
    for (uint32_t i = 0; i < count; i++)
        ((struct node *)pool_find(&h->nodes, items[i].number))->linked = NOBODY;
    return rc;
}

static int make_room(struct history *h, struct item const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (pool_reserve(&h->nodes, items[i].number, 1) ||
            (items[i].stamp.author && pool_reserve(&h->authors.stamps, items[i].number, 1)) ||
            (h->changes && pool_reserve(&h->changes->turns, items[i].number, 1)))
            return REDO_ENOMEM;
    if (states_reserve(&h->states, count) || index_reserve(&h->classes, count))
        return REDO_ENOMEM;
    return check_order(h, items, count);
}

static int compare_places(void const *a, void const *b)
{
    return compare_numbers(a, b); /* the number comes first */
}

/* Plans the turns of a subtree, as they are where it is to hang: each item gets the state that it
 * has there. */
static int plan_turns(struct history *h, struct node *parent, struct item *items, uint32_t count,
                      struct plan *plan)
{
    struct place {
        uint32_t number, place;
    } *places = malloc(count * sizeof *places);
    int rc = places ? REDO_OK : REDO_ENOMEM;
    for (uint32_t i = 0; !rc && i < count; i++)
        places[i] = (struct place){items[i].number, i + 1};
    if (!rc)
        qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; !rc && i < count; i++) {
        struct place *up =
            i ? bsearch(&items[i].parent, places, count, sizeof *places, compare_places) : NULL;
        rc = plan_add(h, plan, parent, up ? up->place : 0, items[i].turn, items[i].turn_size,
                      items[i].number);
    }
    free(places);
    plan_leave(h, plan);
    for (uint32_t i = 0; !rc && i < count; i++)
        items[i].state = plan->all[i].state;
    return rc == REDO_EOPERATION ? REDO_EDAMAGED : rc;
}

/* By number, the last made first. */
static int compare_made(void const *a, void const *b)
{
    uint32_t x = (*(struct item *const *)a)->number, y = (*(struct item *const *)b)->number;
    return (x < y) - (x > y);
}

/* Of the positions that are back in rings that of these bytes that came last, or NULL. */
static struct node *came_before(struct history const *h, struct index const *back, uint32_t hash,
                                void const *state)
{
    struct index_walk walk = index_walk(back, hash);
    uint32_t number;
    while ((number = index_next(back, &walk)) != INDEX_NONE)
        if (memcmp(node_state(h, node_at(h, number)), state, h->cmpsize) == 0)
            return node_at(h, number);
    return NULL;
}

/* Their states, and their places in the rings of equal positions: the last made first, so that each
 * is looked for from where the one before it has come, and a ring is walked once. order: room for
 * as many pointers. `back` has room for as many insertions. */
static void bring_back_states(struct history *h, struct item *items, uint32_t count,
                              struct item **order, struct index *back)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = &items[i];
    qsort(order, count, sizeof(*order), compare_made);
    equal_forget_ready(h);
    for (uint32_t i = 0; i < count; i++) {
        struct item *item = order[i];
        uint32_t hash = equal_hash(h, item->state);
        struct node *first = equal_first(h, hash, item->state);
        struct node *near = first ? came_before(h, back, hash, item->state) : NULL;
        struct node *n = node_at(h, item->number);
        *n = (struct node){.in.id = item->number};
        n->state =
            first && !h->states.counted ? first->state : states_take(&h->states, item->state);
        n->p.setbetter = item->waits;
        equal_insert(h, hash, first, near, n);
        if (near)
            index_replace(back, hash, near->in.id, item->number);
        else
            index_insert(back, hash, item->number);
    }
}

static void bring_back(struct history *h, struct node *parent, struct item const *item)
{
    uint32_t state = node_at(h, item->number)->state;
    history_make_as(h, item->number, parent, item->move, state, item->endpoint);
    authors_sign(&h->authors, item->number, item->stamp);
    h->waiting += item->waits;
}

/* What was better than a position that is back, if it still is. */
static void relink(struct history *h, struct item const *item)
{
    struct node *n = node_at(h, item->number), *better;
    if (item->better == NOBODY || history_find(h, item->better, &better) || better == n ||
        better->p.movecount > n->p.movecount || chain_end(h, better) == n ||
        memcmp(node_state(h, better), node_state(h, n), h->cmpsize) != 0)
        return;
    better_set(h, n, better);
}

static int restore(struct history *h, struct node *parent, void const *data, size_t size,
                   redo_result *result)
{
    struct varint_reader r = {.at = data, .end = (unsigned char const *)data + size};
    uint32_t count = varint_get(&r);
    if (r.bad || !count || count > size / (5 + (size_t)h->size))
        return REDO_EDAMAGED;
    struct item *items = malloc(count * sizeof *items);
    uint32_t *numbers = malloc(count * sizeof *numbers);
    struct way *ways = malloc(count * sizeof *ways);
    struct item **order = malloc(count * sizeof(*order));
    struct index back;
    uint32_t endpoints = 0;
    index_init(&back);
    struct plan plan = {0};
    struct recalled recalled = {0};
    int rc =
        items && numbers && ways && order && !index_reserve(&back, count) ? REDO_OK : REDO_ENOMEM;
    if (!rc)
        rc = check_items(h, parent, data, size, items, count, numbers, ways, &r);
    if (!rc && r.at != r.end)
        rc = recall_records(h, &r, numbers, count, &recalled);
    if (!rc && r.at != r.end)
        rc = REDO_EDAMAGED;
    if (!rc)
        rc = make_room(h, items, count);
    if (!rc && h->changes)
        rc = plan_turns(h, parent, items, count, &plan);
    for (uint32_t i = 0; !rc && i < count; i++)
        endpoints += items[i].endpoint != 0;
    if (!rc) {
        bring_back_states(h, items, count, order, &back);
        solution_defer(h, endpoints);
    }
    for (uint32_t i = 0; !rc && i < count; i++) {
        bring_back(h, i ? node_at(h, items[i].parent) : parent, &items[i]);
        if (h->changes)
            plan_enter(h, &plan, i, node_at(h, items[i].number));
    }
    for (uint32_t i = 0; !rc && i < count; i++)
        relink(h, &items[i]);
    if (!rc) {
        solution_undefer(h);
        enter_recalled(h, &recalled);
        touched_order(h->touched, parent->in.id);
        result->position = items[0].number;
        result->value = (int)count;
        result->changed = 1;
        h->changed = true;
    }
    if (h->changes)
        plan_close(h, &plan);
    close_recalled(&recalled);
    free(items);
    free(numbers);
    free(ways);
    free(order);
    index_close(&back);
    return rc;
}

int subtree_apply_restore(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *parent;
    int rc = history_find(h, op->position, &parent);
    if (rc)
        return rc;
    if (!op->state || !op->statesize)
        return REDO_EDAMAGED;
    return restore(h, parent, op->state, op->statesize, r);
}
