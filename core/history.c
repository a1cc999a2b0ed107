#include "core/history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/changes/changes.h"
#include "core/equal.h"
#include "core/error.h"
#include "core/solution.h"

#define NODES_LOW 4 /* the first slab: 16 positions */
#define NODES_TOP 6 /* a full one: 64, so that few in use among many dropped waste little */

/* Hashes are seeded with the bytes that the kernel gives each process, so that no one can prepare
 * states that collide. */
static uint64_t hash_seed(void const *session)
{
    void const *random = (void const *)getauxval(AT_RANDOM);
    return XXH3_64bits_withSeed(random ? random : &session, random ? 16 : sizeof session,
                                (uint64_t)(uintptr_t)session);
}

struct history *history_empty(uint32_t size, uint32_t cmpsize)
{
    struct history *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->size = size;
    h->cmpsize = cmpsize;
    h->graft = redo_graft;
    h->seed = hash_seed(h);
    pool_init(&h->nodes, sizeof(struct node), NODES_LOW, NODES_TOP, h);
    states_init(&h->states, size, cmpsize < size, h->seed);
    index_init(&h->classes);
    index_init(&h->ready);
    chains_init(&h->chains);
    fans_init(&h->fans);
    authors_init(&h->authors, h->seed);
    records_init(&h->records);
    return h;
}

struct history *history_new(void const *state, size_t size, size_t cmpsize)
{
    if (!state || size < 1 || size > REDO_STATE_MAX || cmpsize > size) {
        error_set(REDO_ESTATE);
        return NULL;
    }
    struct history *h = history_empty((uint32_t)size, (uint32_t)(cmpsize ? cmpsize : size));
    if (!h || history_reserve(h, 1, 1)) {
        history_free(h);
        error_set(REDO_ENOMEM);
        return NULL;
    }
    struct node *first = history_make(h, NULL, 0, states_take(&h->states, state), 0);
    equal_enter(h, equal_hash(h, state), NULL, first);
    return h;
}

int history_sign(struct history *h, uint32_t uid, char const *name, size_t size, uint32_t time)
{
    redo_stamp stamp = {.uid = uid, .name = name, .namesize = size};
    int rc = name ? authors_check(&h->authors, &stamp) : REDO_ENAME;
    if (!rc)
        rc = pool_reserve(&h->authors.stamps, 0, 1);
    if (!rc)
        authors_sign(&h->authors, 0,
                     (struct stamp){.author = authors_enter(&h->authors, &stamp), .time = time});
    return rc;
}

void history_free(struct history *h)
{
    if (!h)
        return;
    free(h->scratch);
    free(h->answer.items);
    games_free(h->games);
    records_close(&h->records);
    keys_close(&h->keys);
    cursors_close(&h->cursors);
    authors_close(&h->authors);
    properties_close(&h->properties);
    fans_close(&h->fans);
    if (h->changes) {
        for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1))
            changes_forget(h, n);
        changes_free(h->changes);
    }
    index_close(&h->classes);
    index_close(&h->ready);
    chains_close(&h->chains);
    states_close(&h->states);
    pool_close(&h->nodes);
    free(h);
}

size_t history_memory(struct history const *h)
{
    return sizeof *h + h->nodes.bytes + states_memory(&h->states) + index_bytes(&h->classes) +
           index_bytes(&h->ready) + chains_memory(&h->chains) + fans_memory(&h->fans) +
           h->properties.bytes + authors_memory(&h->authors) + h->cursors.bytes +
           keys_memory(&h->keys) + h->answer.cap * sizeof *h->answer.items +
           games_memory(h->games) + records_memory(&h->records) +
           (h->changes ? changes_memory(h->changes) : 0);
}

struct node *history_look_from(struct history const *h, uint32_t number)
{
    for (struct node *n; number < h->next; number++)
        if ((n = pool_from(&h->nodes, &number)) == NULL || n->p.inuse)
            return n;
    return NULL;
}

struct node *history_meet(struct node *a, struct node *b)
{
    while (a != b) {
        if (a->p.movecount >= b->p.movecount)
            a = node_prev(a);
        else
            b = node_prev(b);
    }
    return a;
}

struct history *history_of(redo_position const *position)
{
    struct pool const shape = {.low = NODES_LOW, .top = NODES_TOP};
    size_t offset = pool_offset(&shape, node_of(position)->in.id);
    return pool_owner(position, offset, sizeof(struct node));
}

int history_reserve(struct history *h, uint32_t positions, uint32_t states)
{
    if (positions > NOBODY - 1 - h->next)
        return REDO_EFULL;
    int rc = pool_reserve(&h->nodes, h->next, positions);
    if (!rc)
        rc = states_reserve(&h->states, states);
    if (!rc)
        rc = index_reserve(&h->classes, states);
    if (!rc)
        rc = authors_reserve(&h->authors, h->next, positions);
    if (!rc && h->changes)
        rc = pool_reserve(&h->changes->turns, h->next, positions);
    return rc;
}

uint32_t *history_scratch(struct history *h, uint32_t numbers)
{
    if (numbers > h->scratchcap) {
        uint32_t *grown = realloc(h->scratch, numbers * sizeof *grown);
        if (!grown)
            return NULL;
        h->scratch = grown;
        h->scratchcap = numbers;
    }
    return h->scratch;
}

struct node *history_make_as(struct history *h, uint32_t number, struct node *prev, int move,
                             uint32_t state, int endpoint)
{
    struct node *n = node_at(h, number); /* all zero */
    n->p.prev = prev ? &prev->p : NULL;
    n->p.endpoint = (signed char)endpoint;
    n->p.inuse = 1;
    n->in.p = &n->p;
    n->in.move = move;
    n->in.id = number;
    n->state = state;
    n->linked = n->linknext = n->linkprev = NOBODY;
    h->count++;
    if (h->authors.now.author)
        authors_sign(&h->authors, number, h->authors.now);
    touched_note(h->touched, number, true);
    if (prev) {
        n->p.movecount = prev->p.movecount + 1;
        branch_push(h, prev, n);
    }
    if (endpoint) {
        n->p.solutionend = n->p.endpoint;
        n->p.solutionsize = n->p.movecount;
        solution_offer(h, n);
    }
    return n;
}

struct node *history_make(struct history *h, struct node *prev, int move, uint32_t state,
                          int endpoint)
{
    return history_make_as(h, h->next++, prev, move, state, endpoint);
}
