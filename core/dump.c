/* Writing and reading the dumped form. Reading trusts nothing: after the checksum, every number is
 * held against what it may be, and the tree and the chains of better pointers are walked once to
 * see that they are such. */
#include "core/dump.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/changes/changes.h"
#include "core/dump_beside.h"
#include "core/equal.h"
#include "core/records/forms.h"
#include "core/solution.h"
#include "core/varint.h"

#define MAGIC "REDO"
#define VERSION                                                                                    \
    3             /* 1: without anything of FLAGS_2, 2: of FLAG_MORE; still written where there is \
                     nothing of it */
#define HEAD 8    /* magic, version, kind, flags, 0 */
#define TAIL 8    /* XXH3 of all before, little-endian */
#define STATES 0  /* the kind of a session: each position has a state ... */
#define CHANGES 1 /* ... or the lines of a turn */
#define FLAG_CHANGED 4 /* beside the graft behavior */
#define FLAG_PROPERTIES 8
#define FLAG_AUTHORS 16
#define FLAG_CURSORS 32
#define FLAG_KEYS 64
#define FLAGS_1 15
#define FLAG_MORE 128 /* a byte that tells which parts follow, and these: records, rings, games */
#define FLAGS_2 (FLAG_AUTHORS | FLAG_CURSORS | FLAG_KEYS)
#define FLAGS_3 FLAG_MORE

/* What is told of a position after its number, parent and move. */
enum { ENDPOINT = 1, BETTER = 2, SETBETTER = 4, NEWSTATE = 8, NEXT = 16, CDR = 32, ALL = 63 };

/* ---- writing ----------------------------------------------------------------------------- */

static void write_position(struct writer *w, struct node const *n, uint32_t gap, uint32_t state,
                           int newstate)
{
    unsigned flags = (n->p.endpoint ? ENDPOINT : 0) | (n->p.better ? BETTER : 0) |
                     (n->p.setbetter ? SETBETTER : 0) | (newstate ? NEWSTATE : 0) |
                     (n->p.next ? NEXT : 0) | (n->in.cdr ? CDR : 0);
    unsigned char *start = reserve(w, 9 * VARINT_MAX), *at = start;
    at += varint_put(at, gap);
    at += varint_put(at, n->p.prev ? node_prev(n)->in.id : 0);
    at += varint_put_signed(at, n->in.move);
    *at++ = (unsigned char)flags;
    if (flags & ENDPOINT)
        *at++ = (unsigned char)n->p.endpoint;
    if (flags & BETTER)
        at += varint_put(at, node_of(n->p.better)->in.id);
    if (!(flags & NEWSTATE))
        at += varint_put(at, state);
    if (flags & NEXT)
        at += varint_put(at, n->p.next->id);
    if (flags & CDR)
        at += varint_put(at, n->in.cdr->id);
    if (!w->failed)
        w->size += (size_t)(at - start);
}

/* The version that a dump with these flags has. */
static unsigned char version_of(unsigned flags, bool changes)
{
    return flags & FLAGS_3 ? 3 : (flags & FLAGS_2) || changes ? 2 : 1;
}

static void write_all(struct history const *h, struct writer *w, uint32_t *stateindex)
{
    unsigned char head[HEAD] = MAGIC;
    head[6] =
        (unsigned char)(h->graft | (h->changed ? FLAG_CHANGED : 0) |
                        (h->properties.count ? FLAG_PROPERTIES : 0) |
                        (h->authors.count ? FLAG_AUTHORS : 0) |
                        (h->cursors.count ? FLAG_CURSORS : 0) | (h->keys.count ? FLAG_KEYS : 0) |
                        (records_dumped(h) ? FLAG_MORE : 0));
    head[4] = version_of(head[6], h->changes != NULL);
    head[5] = h->changes ? CHANGES : STATES;
    head[7] = 0;
    write_bytes(w, head, HEAD);
    write_number(w, h->size);
    write_number(w, h->cmpsize);
    write_number(w, h->next);
    write_number(w, h->count);

    /* First the different states, in the order in which positions come to have them. */
    uint32_t states = 0, told = 0;
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1))
        if (stateindex[n->state] == STATES_NONE)
            stateindex[n->state] = states++;
    write_number(w, states);
    for (struct node *n = history_from(h, 0); told < states; n = history_from(h, n->in.id + 1)) {
        if (stateindex[n->state] == told) {
            write_bytes(w, node_state(h, n), h->size);
            told++;
        }
    }

    uint32_t expected = 0;
    told = 0;
    for (struct node *n = history_from(h, 0); n; n = history_from(h, expected)) {
        uint32_t state = stateindex[n->state];
        write_position(w, n, n->in.id - expected, state, state == told);
        told += state == told;
        expected = n->in.id + 1;
    }

    if (h->properties.count)
        write_properties(h, w);
    if (h->authors.count)
        write_authors(h, w);
    if (h->cursors.count)
        write_cursors(h, w);
    if (h->keys.count)
        write_keys(h, w);
    if (records_dumped(h))
        write_records(h, w);
    if (h->changes)
        write_changes(h, w);

    uint64_t sum = w->failed ? 0 : XXH3_64bits(w->data, w->size);
    unsigned char tail[TAIL];
    for (int i = 0; i < TAIL; i++)
        tail[i] = (unsigned char)(sum >> 8 * i);
    write_bytes(w, tail, TAIL);
}

int history_dump(struct history const *h, void **data, size_t *size)
{
    if (!data || !size)
        return REDO_EOPERATION;
    struct writer w = {0};
    uint32_t *stateindex = malloc(h->states.next * sizeof *stateindex);
    if (!stateindex)
        return REDO_ENOMEM;
    memset(stateindex, 0xff, h->states.next * sizeof *stateindex); /* STATES_NONE */
    write_all(h, &w, stateindex);
    free(stateindex);
    if (w.failed) {
        free(w.data);
        return REDO_ENOMEM;
    }
    *data = w.data;
    *size = w.size;
    return REDO_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

struct head {
    uint32_t size, cmpsize, next, count, states;
    unsigned flags;
    bool changes;
};

static int read_head(struct varint_reader *r, size_t size, struct head *head)
{
    if (size < HEAD + TAIL || memcmp(r->at, MAGIC, 4) != 0)
        return REDO_EDAMAGED;
    if (r->at[4] > VERSION || (r->at[4] >= 1 && r->at[5] > (r->at[4] >= 2 ? CHANGES : STATES)))
        return REDO_EVERSION;
    r->end -= TAIL;
    uint64_t sum = 0;
    for (int i = 0; i < TAIL; i++)
        sum |= (uint64_t)r->end[i] << 8 * i;
    if (r->at[4] != version_of(r->at[6], r->at[5] != STATES) || r->at[7] != 0 ||
        sum != XXH3_64bits(r->at, size - TAIL))
        return REDO_EDAMAGED;
    head->flags = r->at[6];
    head->changes = r->at[5] == CHANGES;
    r->at += HEAD;
    head->size = varint_get(r);
    head->cmpsize = varint_get(r);
    head->next = varint_get(r);
    head->count = varint_get(r);
    head->states = varint_get(r);
    size_t left = (size_t)(r->end - r->at);
    if (r->bad || head->size < 1 || head->size > REDO_STATE_MAX || head->cmpsize < 1 ||
        head->cmpsize > head->size || head->count < 1 || head->next < head->count ||
        head->next == NOBODY || head->states < 1 || head->states > head->count ||
        head->count > left / 4 || head->states > left / head->size)
        return REDO_EDAMAGED;
    return REDO_OK;
}

/* While reading, numbers of positions that may come later wait in fields that are set last. */
#define PARENT(n) (n)->linkprev
#define BETTER_(n) (n)->linknext
#define NEXT_(n) (n)->linked
#define CDR_(n) (n)->equalprev
#define HASH_(n) (n)->equalnext /* of its compared bytes */

#define UNSEEN UINT32_MAX /* movecount of a position that the walk has not met yet */

static int read_position(struct history *h, struct varint_reader *r, struct head const *head,
                         uint32_t *states)
{
    uint32_t gap = varint_get(r);
    if (r->bad || gap >= head->next - h->next)
        return REDO_EDAMAGED;
    uint32_t number = h->next + gap;
    if (pool_reserve(&h->nodes, number, 1))
        return REDO_ENOMEM;
    struct node *n = node_at(h, number);
    n->in.p = &n->p;
    n->in.id = number;
    PARENT(n) = varint_get(r);
    n->in.move = varint_get_signed(r);
    unsigned flags = r->at < r->end ? *r->at++ : ALL + 1;
    if (flags & ~(unsigned)ALL || (number == 0) != (h->count == 0))
        return REDO_EDAMAGED;
    if (flags & ENDPOINT) {
        n->p.endpoint = r->at < r->end ? (signed char)*r->at++ : 0;
        if (!n->p.endpoint)
            return REDO_EDAMAGED;
    }
    BETTER_(n) = flags & BETTER ? varint_get(r) : NOBODY;
    n->state = flags & NEWSTATE ? (*states)++ : varint_get(r);
    NEXT_(n) = flags & NEXT ? varint_get(r) : NOBODY;
    CDR_(n) = flags & CDR ? varint_get(r) : NOBODY;
    if (r->bad || n->state >= *states || *states > head->states)
        return REDO_EDAMAGED;
    if (h->states.counted && !(flags & NEWSTATE))
        states_use(&h->states, n->state); /* the first use was counted when it was taken */
    n->p.setbetter = !!(flags & SETBETTER);
    h->waiting += n->p.setbetter;
    n->p.movecount = UNSEEN;
    n->p.inuse = 1;
    h->next = number + 1;
    h->count++;
    return REDO_OK;
}

static struct node *named(struct history *h, uint32_t number)
{
    struct node *n;
    return history_find(h, number, &n) == REDO_OK ? n : NULL;
}

/* Links n to its first branch and to the next one of its parent; false if there are none such. */
static int link_branches(struct history *h, struct node *n)
{
    if (NEXT_(n) != NOBODY) {
        struct node *next = named(h, NEXT_(n));
        if (!next || !next->in.id || PARENT(next) != n->in.id)
            return 0;
        n->p.next = &next->in;
    }
    if (CDR_(n) != NOBODY) {
        struct node *cdr = named(h, CDR_(n));
        if (!n->in.id || !cdr || !cdr->in.id || PARENT(cdr) != PARENT(n))
            return 0;
        n->in.cdr = &cdr->in;
    }
    return 1;
}

/* Walks the tree from the first position, once through each: counts moves and branches, and on the
 * way back works out solutions. */
static int walk_tree(struct history *h)
{
    struct node *n = node_at(h, 0);
    uint32_t seen = 0;
    unsigned depth = 0;
    for (;;) {
        if (n->p.movecount != UNSEEN)
            return REDO_EDAMAGED;
        n->p.movecount = depth;
        seen++;
        if (n->p.prev)
            n->p.prev->nextcount++;
        if (n->p.next) {
            struct node *child = node_of(n->p.next->p);
            child->p.prev = &n->p;
            n = child;
            depth++;
            continue;
        }
        for (;;) {
            solution_refresh(h, n);
            if (n->in.cdr) {
                struct node *cdr = node_of(n->in.cdr->p);
                cdr->p.prev = n->p.prev;
                n = cdr;
                break;
            }
            n = node_prev(n);
            depth--;
            if (!n)
                return seen == h->count ? REDO_OK : REDO_EDAMAGED;
            if (branch_listed(h, n))
                return REDO_ENOMEM;
        }
    }
}

/* Every position is reached once, against the direction of better pointers, from those without one:
 * else there is a loop. */
static int better_loops(struct history *h)
{
    uint32_t reached = 0;
    for (struct node *top = history_from(h, 0); top; top = history_from(h, top->in.id + 1)) {
        struct node *n = top;
        if (top->p.better)
            continue;
        reached++;
        for (;;) {
            if (n->linked != NOBODY) {
                n = node_at(h, n->linked);
            } else {
                while (n != top && n->linknext == NOBODY)
                    n = node_of(n->p.better);
                if (n == top)
                    break;
                n = node_at(h, n->linknext);
            }
            reached++;
        }
    }
    return reached != h->count;
}

#define LOOK_AHEAD 16

/* Enters positions into the rings of equal ones and sets their better pointers. */
static int link_equals(struct history *h)
{
    if (index_reserve(&h->classes, h->states.next))
        return REDO_ENOMEM;
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1))
        HASH_(n) = equal_hash(h, node_state(h, n));
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) {
        /* Where the index will be looked at soon is fetched now: else each look waits for memory.
         */
        struct node *ahead = named(h, n->in.id + LOOK_AHEAD);
        if (ahead)
            index_prefetch(&h->classes, HASH_(ahead));
        if (n->p.prev && branch_find(h, node_prev(n), n->in.move) != n)
            return REDO_EDAMAGED; /* two branches of the same move */
        void *state = node_state(h, n);
        uint32_t hash = HASH_(n);
        struct node *first = equal_first(h, hash, state);
        if (first && !h->states.counted && first->state != n->state)
            return REDO_EDAMAGED; /* the same state told twice */
        equal_enter(h, hash, first, n);
        NEXT_(n) = PARENT(n) = NOBODY;
    }
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) {
        if (BETTER_(n) == NOBODY)
            continue;
        struct node *better = named(h, BETTER_(n));
        if (!better || better->p.movecount > n->p.movecount ||
            memcmp(node_state(h, better), node_state(h, n), h->cmpsize) != 0)
            return REDO_EDAMAGED;
        BETTER_(n) = NOBODY;
        better_set(h, n, better);
    }
    return better_loops(h) ? REDO_EDAMAGED : REDO_OK;
}

static int read_beside(struct history *h, struct varint_reader *r, struct head const *head)
{
    int rc = head->flags & FLAG_PROPERTIES ? read_properties(h, r) : REDO_OK;
    if (!rc && (head->flags & FLAG_AUTHORS))
        rc = read_authors(h, r);
    if (!rc && (head->flags & FLAG_CURSORS))
        rc = read_cursors(h, r, head->next);
    if (!rc && (head->flags & FLAG_KEYS))
        rc = read_keys(h, r, head->next);
    if (!rc && (head->flags & FLAG_MORE))
        rc = read_records(h, r);
    if (!rc && head->changes && h->games)
        rc = REDO_EDAMAGED; /* a match is of states */
    if (!rc && head->changes)
        rc = read_changes(h, r);
    return rc;
}

static int read_all(struct history *h, struct varint_reader *r, struct head const *head)
{
    h->changed = !!(head->flags & FLAG_CHANGED);
    h->graft = head->flags & 3;
    if (states_reserve(&h->states, head->states))
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < head->states; i++, r->at += head->size)
        if (states_take(&h->states, r->at) != i)
            return REDO_EDAMAGED; /* the same state told twice */
    uint32_t states = 0;
    for (uint32_t i = 0; i < head->count; i++) {
        int rc = read_position(h, r, head, &states);
        if (rc)
            return rc;
    }
    int rc = read_beside(h, r, head);
    if (rc)
        return rc;
    if (r->at != r->end || states != head->states)
        return REDO_EDAMAGED;
    struct node *first = named(h, 0);
    if (PARENT(first) || first->in.move)
        return REDO_EDAMAGED;
    for (struct node *n = first; n; n = history_from(h, n->in.id + 1))
        if (!link_branches(h, n))
            return REDO_EDAMAGED;
    h->next = head->next;
    rc = walk_tree(h);
    if (!rc)
        rc = link_equals(h);
    return rc || !h->changes ? rc : changes_compile_all(h);
}

int history_load(void const *data, size_t size, struct history **loaded)
{
    if (!data)
        return REDO_EDAMAGED;
    struct varint_reader r = {.at = data, .end = (unsigned char const *)data + size};
    struct head head;
    int rc = read_head(&r, size, &head);
    if (rc)
        return rc;
    struct history *h = history_empty(head.size, head.cmpsize);
    if (!h)
        return REDO_ENOMEM;
    rc = read_all(h, &r, &head);
    if (rc) {
        history_free(h);
        return rc;
    }
    *loaded = h;
    return REDO_OK;
}
