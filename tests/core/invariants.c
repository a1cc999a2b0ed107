#include "tests/core/invariants.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/changes/entry.h"
#include "core/equal.h"
#include "core/records/alternates.h"
#include "core/records/record.h"

static char message[200];

__attribute__((format(printf, 1, 2))) static char const *broken(char const *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return message;
}

/* All positions in use. */
struct survey {
    struct node **all;   /* by number */
    struct node **order; /* parents before children */
    uint32_t count;      /* in order, so far */
    uint32_t *walk;      /* beside all: which walk along better pointers came by first, from 1 */
    struct node **end;   /* beside all: of that walk */
};

static struct node *in_use(struct history const *h, uint32_t number)
{
    struct node *n;
    return number != NOBODY && history_find(h, number, &n) == REDO_OK ? n : NULL;
}

#define DROPPED_MAX 100000 /* so many numbers are looked at for what was dropped */

static char const *counts(struct history const *h, struct survey *s)
{
    uint32_t count = 0, waiting = 0;
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) {
        if (in_use(h, n->in.id) != n || n->in.p != &n->p || history_of(&n->p) != h)
            return broken("%u is not itself", n->in.id);
        if (count == h->count)
            return broken("more positions than %u", count);
        s->all[count++] = n;
        waiting += n->p.setbetter;
    }
    if (count != h->count)
        return broken("%u positions in use, %u counted", count, h->count);
    if (waiting != h->waiting)
        return broken("%u positions wait, %u counted", waiting, h->waiting);
    for (uint32_t number = 0; number < h->next && number < DROPPED_MAX; number++) {
        struct node *n = pool_find(&h->nodes, number);
        if (n && !n->p.inuse && (n->p.next || n->p.better || n->p.setbetter || n->p.nextcount))
            return broken("%u was dropped, but is linked", number);
    }
    struct node *first = in_use(h, 0);
    if (!first || first->p.prev || first->in.cdr || first->p.movecount)
        return broken("the first position is no first position");
    return NULL;
}

static char const *branches(struct history const *h, struct survey *s, struct node *n)
{
    uint32_t count = 0;
    for (redo_branch *b = n->p.next; b; b = b->cdr) {
        struct node *child = node_of(b->p);
        if (in_use(h, b->id) != child || b != &child->in)
            return broken("a branch of %u leads nowhere", n->in.id);
        if (child->p.prev != &n->p)
            return broken("%u does not know its parent %u", b->id, n->in.id);
        if (child->p.movecount != n->p.movecount + 1)
            return broken("%u has %u moves, its parent %u", b->id, child->p.movecount,
                          n->p.movecount);
        if (branch_find(h, n, b->move) != child)
            return broken("move %d of %u does not find %u", b->move, n->in.id, b->id);
        if (s->count == h->count)
            return broken("more positions in the tree than there are");
        s->order[s->count++] = child;
        count++;
    }
    return count == n->p.nextcount
               ? NULL
               : broken("%u has %u branches, %u counted", n->in.id, count, n->p.nextcount);
}

static char const *tree(struct history const *h, struct survey *s)
{
    char const *wrong = NULL;
    s->order[s->count++] = in_use(h, 0);
    for (uint32_t i = 0; i < s->count && !wrong; i++)
        wrong = branches(h, s, s->order[i]);
    if (!wrong && s->count != h->count)
        wrong = broken("%u positions in the tree, %u counted", s->count, h->count);
    return wrong;
}

/* An order of solutions, as one number: none, then by value, then the shorter the better. */
static int64_t worth(int end, uint32_t size)
{
    return end ? ((int64_t)(end + 129) << 32) - size : 0;
}

static char const *solutions(struct survey const *s)
{
    for (uint32_t i = s->count; i-- > 0;) {
        struct node const *n = s->order[i];
        int64_t best = worth(n->p.endpoint, n->p.movecount);
        for (redo_branch *b = n->p.next; b; b = b->cdr) {
            int64_t below = worth(b->p->solutionend, b->p->solutionsize);
            best = below > best ? below : best;
        }
        if (worth(n->p.solutionend, n->p.solutionsize) != best ||
            (!n->p.solutionend && n->p.solutionsize))
            return broken("the solution of %u is out of date", n->in.id);
    }
    return NULL;
}

static char const *links(struct history const *h, struct node const *n, uint32_t *linked)
{
    uint32_t prev = NOBODY;
    for (uint32_t link = n->linked; link != NOBODY; link = node_at(h, link)->linknext) {
        struct node *other = in_use(h, link);
        if (!other || other->p.better != &n->p || other->linkprev != prev)
            return broken("%u is linked to %u, but not the other way", n->in.id, link);
        if ((*linked)++ == h->count)
            return broken("links of %u do not end", n->in.id);
        prev = link;
    }
    return NULL;
}

static uint32_t place_of(struct survey const *s, struct node const *n)
{
    uint32_t low = 0, high = s->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->all[middle]->in.id < n->in.id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Follows the chain of n, to its end or to where an earlier walk came by. */
static char const *chain(struct history *h, struct survey const *s, uint32_t place)
{
    struct node *n = s->all[place], *end = NULL;
    for (struct node *i = n; i && !end; i = node_of(i->p.better)) {
        uint32_t at = place_of(s, i);
        if (s->walk[at] == place + 1)
            return broken("better pointers of %u do not end", n->in.id);
        if (s->walk[at])
            end = s->end[at];
        else if (!i->p.better)
            end = i;
        s->walk[at] = s->walk[at] ? s->walk[at] : place + 1;
    }
    for (struct node *i = n; i && !s->end[place_of(s, i)]; i = node_of(i->p.better))
        s->end[place_of(s, i)] = end;
    if (chain_end(h, n) != end)
        return broken("better pointers of %u end elsewhere", n->in.id);
    return NULL;
}

static char const *betters(struct history const *h, struct survey const *s)
{
    uint32_t pointing = 0, linked = 0;
    char const *wrong;
    for (uint32_t i = 0; i < s->count; i++) {
        struct node *n = s->all[i];
        if ((wrong = links(h, n, &linked)))
            return wrong;
        if (!n->p.better)
            continue;
        pointing++;
        struct node *better = in_use(h, node_of(n->p.better)->in.id);
        if (!better || &better->p != n->p.better)
            return broken("better of %u is not there", n->in.id);
        if (better->p.movecount > n->p.movecount)
            return broken("better of %u has more moves", n->in.id);
        if (memcmp(node_state(h, better), node_state(h, n), h->cmpsize) != 0)
            return broken("better of %u has another state", n->in.id);
    }
    if (linked != pointing)
        return broken("%u better pointers, but %u links back", pointing, linked);
    for (uint32_t i = 0; i < s->count; i++)
        if ((wrong = chain((struct history *)h, s, i))) /* it notes what it finds */
            return wrong;
    return NULL;
}

static uint32_t entries(struct index const *x)
{
    return x->now.count + x->old.count;
}

static char const *rings(struct history const *h, struct survey const *s)
{
    uint32_t classes = 0, members = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct node *n = s->all[i];
        uint32_t number = n->in.id;
        void *state = node_state(h, n);
        struct node *first = equal_first(h, equal_hash(h, state), state);
        if (!first || first->in.id > number)
            return broken("the state of %u is not found", number);
        if (first != n)
            continue; /* its turn was that of its first */
        classes++;
        uint32_t prev = n->equalprev, at = number;
        struct node *ready = NULL;
        do {
            struct node *other = in_use(h, at);
            if (!other || other->equalprev != prev || (at != number && at <= prev))
                return broken("the ring of %u is broken at %u", number, at);
            if (memcmp(node_state(h, other), state, h->cmpsize) != 0)
                return broken("%u and %u are in one ring, but differ", number, at);
            if (!h->states.counted && other->state != n->state)
                return broken("%u and %u are equal, but stored twice", number, at);
            if (!ready && !other->p.setbetter)
                ready = other;
            members++;
            prev = at;
            at = other->equalnext;
        } while (at != number && members <= h->count);
        if (equal_ready((struct history *)h, n, NULL) != ready)
            return broken("the first that does not wait is not found, from %u", number);
    }
    if (members != h->count)
        return broken("%u positions in rings of %u", members, h->count);
    if (entries(&h->classes) != classes)
        return broken("%u classes of equal states, %u in the index", classes, entries(&h->classes));
    return NULL;
}

static char const *states(struct history const *h, struct survey const *s)
{
    struct states const *all = &h->states;
    uint32_t *uses = calloc(all->next, sizeof *uses);
    if (!uses)
        return broken("no memory to check states");
    char const *wrong = NULL;
    uint32_t used = 0, freed = 0;
    for (uint32_t i = 0; i < s->count && !wrong; i++) {
        uint32_t id = s->order[i]->state;
        if (id >= all->next)
            wrong = broken("the state of %u is nowhere", s->order[i]->in.id);
        else
            used += uses[id]++ == 0;
    }
    for (uint32_t id = all->free; id != STATES_NONE && !wrong; freed++) {
        if (id >= all->next || uses[id] || freed == all->next)
            wrong = broken("state %u is free, but used or nowhere", id);
        else
            memcpy(&id, states_at(all, id), sizeof id);
    }
    for (uint32_t id = 0; all->counted && id < all->next && !wrong; id++)
        if (uses[id] && *(uint32_t *)pool_at(&all->uses, id) != uses[id])
            wrong = broken("state %u is used %u times, %u counted", id, uses[id],
                           *(uint32_t *)pool_at(&all->uses, id));
    if (!wrong && freed != all->freed)
        wrong = broken("%u states are free, %u counted", freed, all->freed);
    if (!wrong && used + freed != all->next)
        wrong = broken("%u states used and %u free of %u", used, freed, all->next);
    if (!wrong && all->counted && entries(&all->index) != used)
        wrong = broken("%u states used, %u in the index", used, entries(&all->index));
    free(uses);
    return wrong;
}

static char const *cursors(struct history const *h)
{
    struct cursors const *c = &h->cursors;
    size_t bytes = c->cap * sizeof *c->all;
    if (c->count > c->cap || c->count > REDO_CURSORS_MAX)
        return broken("%u cursors", c->count);
    for (uint32_t i = 0; i < c->count; i++) {
        struct cursor const *cursor = &c->all[i];
        bytes += cursor->name_size + 1 + cursor->cap * sizeof *cursor->forth +
                 entry_bytes(cursor->entry);
        if (strlen(cursor->name) != cursor->name_size || !cursor->name_size)
            return broken("cursor %u has no good name", i);
        if (i && strcmp(c->all[i - 1].name, cursor->name) >= 0)
            return broken("cursor %s is not where it belongs", cursor->name);
        if (!in_use(h, cursor->position))
            return broken("cursor %s is on %u, which is not there", cursor->name, cursor->position);
        if (cursor->count > cursor->cap || (cursor->moved && !c->moved))
            return broken("cursor %s counts wrongly", cursor->name);
        for (uint32_t k = 0; k < cursor->count; k++)
            if (cursor->forth[k] >= h->next)
                return broken("cursor %s goes to %u", cursor->name, cursor->forth[k]);
    }
    return bytes == c->bytes ? NULL : broken("cursors take %zu bytes, %zu told", bytes, c->bytes);
}

static char const *authors(struct history const *h)
{
    struct authors const *a = &h->authors;
    size_t bytes = a->cap * sizeof *a->all;
    for (uint32_t i = 0; i < a->count; i++) {
        struct author const *author = &a->all[i];
        bytes += author->name_size + 1;
        if (strlen(author->name) != author->name_size)
            return broken("author %u has no good name", i + 1);
        if (authors_find(a, author->uid, author->name, author->name_size) != i + 1)
            return broken("author %u is found as another", i + 1);
    }
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) {
        struct stamp stamp = authors_stamp(a, n->in.id);
        if (stamp.author > a->count || (!stamp.author && stamp.time))
            return broken("%u is by %u, who is no author", n->in.id, stamp.author);
    }
    if (entries(&a->index) != a->count)
        return broken("%u authors, %u in the index", a->count, entries(&a->index));
    return bytes == a->bytes ? NULL : broken("authors take %zu bytes, %zu told", bytes, a->bytes);
}

static char const *keys(struct history const *h)
{
    struct keys const *k = &h->keys;
    size_t bytes = 0;
    if (k->count > REDO_KEYS_MAX || k->first >= REDO_KEYS_MAX)
        return broken("%u keys from %u", k->count, k->first);
    for (uint32_t i = 0; i < k->count; i++) {
        struct key const *key = keys_at(k, i);
        bytes += key->size + key->count * sizeof *key->items;
        if (keys_find(k, key->author, key->bytes, key->size) != key)
            return broken("key %u is found as another", i);
        if (key->author > h->authors.count)
            return broken("key %u is of no author", i);
    }
    if (k->count > 1 && bytes > KEYS_BYTES)
        return broken("keys of %zu bytes", bytes);
    return bytes == k->bytes ? NULL : broken("keys take %zu bytes, %zu told", bytes, k->bytes);
}

static char const *games(struct games const *g)
{
    for (uint32_t i = 0; g && i < g->count; i++) {
        if (i ? g->sorted[i - 1] >= g->sorted[i] : !g->sorted[i])
            return broken("game %u is out of order, twice, or none", i);
        if (!games_has(g, g->order[i]))
            return broken("game %u is not known to be there", i);
    }
    return NULL;
}

/* Records are in their one form; alternates are equal, and in rings by rising number. */
static char const *records(struct history const *h)
{
    struct records const *all = &h->records;
    uint32_t count = 0, linked = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < h->next && i < DROPPED_MAX; i++) {
        struct node *n = in_use(h, i), *other;
        struct record_bytes const *kept = records_at(all, i);
        struct record r;
        if ((kept || alternates_has(h, i)) && !n)
            return broken("%u was dropped, but has a record", i);
        if (kept && record_check(&r, kept->bytes, kept->size))
            return broken("the record of %u is none", i);
        if (kept && !i && r.list[redo_of_branch].count)
            return broken("the first position has a branch");
        if (kept && !r.choice && !r.given[redo_of_candidate] && !r.given[redo_of_decision] &&
            !r.list[0].count && !r.list[1].count)
            return broken("the record of %u tells nothing", i);
        count += kept != NULL;
        bytes += kept ? sizeof *kept + kept->size : 0;
        if (!alternates_has(h, i))
            continue;
        linked++;
        uint32_t first = alternates_first(h, i), at = first, seen = 0;
        for (; at != NOBODY && at != i; at = alternates_next(h, at))
            seen++;
        if (at != i || (!seen && alternates_next(h, i) == NOBODY))
            return broken("%u is in no ring", i);
        if (!(other = in_use(h, first)) || first > i ||
            memcmp(node_state(h, n), node_state(h, other), h->cmpsize) != 0)
            return broken("%u is no alternate of %u", i, first);
    }
    if (h->next < DROPPED_MAX && (count != all->count || bytes != all->bytes))
        return broken("%u records of %zu bytes, %u of %zu counted", count, bytes, all->count,
                      all->bytes);
    if (h->next < DROPPED_MAX && linked != all->linked)
        return broken("%u alternates, %u counted", linked, all->linked);
    return NULL;
}

char const *invariants_broken(struct history const *h)
{
    struct survey s = {.all = calloc(h->count, sizeof *s.all),
                       .order = calloc(h->count, sizeof *s.order),
                       .walk = calloc(h->count, sizeof *s.walk),
                       .end = calloc(h->count, sizeof *s.end)};
    char const *wrong = NULL;
    if (!s.all || !s.order || !s.walk || !s.end)
        wrong = broken("no memory to check");
    if (!wrong)
        wrong = counts(h, &s);
    if (!wrong)
        wrong = tree(h, &s);
    if (!wrong)
        wrong = solutions(&s);
    if (!wrong)
        wrong = betters(h, &s);
    if (!wrong)
        wrong = rings(h, &s);
    if (!wrong)
        wrong = states(h, &s);
    if (!wrong)
        wrong = cursors(h);
    if (!wrong)
        wrong = authors(h);
    if (!wrong)
        wrong = keys(h);
    if (!wrong)
        wrong = games(h->games);
    if (!wrong)
        wrong = records(h);
    free(s.all);
    free(s.order);
    free(s.walk);
    free(s.end);
    return wrong;
}

void invariants_hold(struct history const *h)
{
    char const *wrong = invariants_broken(h);
    if (!wrong)
        return;
    fprintf(stderr, "does not hold: %s\n", wrong);
    abort();
}
