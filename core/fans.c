#include "core/fans.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/history.h"

/* A fan is made when a position gets so many branches, and given up when it has few again. */
#define FAN_FROM 17
#define FAN_UNTIL 8

struct spoke {
    uint32_t child; /* the branch's position; in a free spoke: the next free one */
    uint32_t pred;  /* the position of the branch before it in the list, or NOBODY */
};

struct fan {
    uint32_t parent;
    struct spoke *spokes;
    uint32_t cap;
    uint32_t used;      /* spokes from here on were never used */
    uint32_t free;      /* first spoke to be used again, or NOBODY */
    struct index index; /* move -> spoke */
};

/* Of numbers of positions, which no one chooses; moves can be chosen, see hash_move(). */
static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

void fans_init(struct fans *f)
{
    *f = (struct fans){0};
    index_init(&f->index);
}

static void fan_free(struct fan *fan)
{
    index_close(&fan->index);
    free(fan->spokes);
    free(fan);
}

void fans_close(struct fans *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        fan_free(f->all[i]);
    free(f->all);
    index_close(&f->index);
    *f = (struct fans){0};
}

size_t fans_memory(struct fans const *f)
{
    size_t bytes = f->cap * sizeof *f->all + index_bytes(&f->index);
    for (uint32_t i = 0; i < f->count; i++)
        bytes += sizeof **f->all + f->all[i]->cap * sizeof(struct spoke) +
                 index_bytes(&f->all[i]->index);
    return bytes;
}

static uint32_t fan_slot(struct fans const *f, uint32_t parent)
{
    if (!f->count)
        return INDEX_NONE;
    struct index_walk walk = index_walk(&f->index, mix(parent));
    uint32_t slot;
    while ((slot = index_next(&f->index, &walk)) != INDEX_NONE)
        if (f->all[slot]->parent == parent)
            break;
    return slot;
}

static struct fan *fan_of(struct history const *h, struct node const *parent)
{
    uint32_t slot = fan_slot(&h->fans, parent->in.id);
    return slot == INDEX_NONE ? NULL : h->fans.all[slot];
}

static void fan_drop(struct fans *f, uint32_t parent)
{
    uint32_t slot = fan_slot(f, parent);
    index_erase(&f->index, mix(parent), slot);
    fan_free(f->all[slot]);
    uint32_t last = --f->count;
    if (slot != last) {
        f->all[slot] = f->all[last];
        index_replace(&f->index, mix(f->all[slot]->parent), last, slot);
    }
}

/* Seeded, so that no one can choose moves that collide. */
static uint32_t hash_move(struct history const *h, int move)
{
    return (uint32_t)XXH3_64bits_withSeed(&move, sizeof move, h->seed);
}

static struct spoke *spoke_of(struct history const *h, struct fan const *fan, int move)
{
    struct index_walk walk = index_walk(&fan->index, hash_move(h, move));
    uint32_t i;
    while ((i = index_next(&fan->index, &walk)) != INDEX_NONE)
        if (node_at(h, fan->spokes[i].child)->in.move == move)
            return &fan->spokes[i];
    return NULL;
}

/* False if memory lacks. */
static bool spoke_add(struct history const *h, struct fan *fan, struct node const *n, uint32_t pred)
{
    if (index_reserve(&fan->index, 1))
        return false;
    uint32_t i = fan->free;
    if (i == NOBODY) {
        if (fan->used == fan->cap) {
            uint32_t cap = fan->cap ? fan->cap * 2 : 2 * FAN_FROM;
            struct spoke *spokes = realloc(fan->spokes, cap * sizeof *spokes);
            if (!spokes)
                return false;
            fan->spokes = spokes;
            fan->cap = cap;
        }
        i = fan->used++;
    } else {
        fan->free = fan->spokes[i].child;
    }
    fan->spokes[i] = (struct spoke){.child = n->in.id, .pred = pred};
    index_insert(&fan->index, hash_move(h, n->in.move), i);
    return true;
}

static bool fan_register(struct fans *f, struct fan *fan)
{
    if (f->count == f->cap) {
        uint32_t cap = f->cap ? f->cap * 2 : 4;
        struct fan **all = realloc(f->all, cap * sizeof(*all));
        if (!all)
            return false;
        f->all = all;
        f->cap = cap;
    }
    if (index_reserve(&f->index, 1))
        return false;
    index_insert(&f->index, mix(fan->parent), f->count);
    f->all[f->count++] = fan;
    return true;
}

/* Makes the fan of a position from its list; without memory there will be none. */
static void fan_make(struct history *h, struct node *parent)
{
    struct fan *fan = calloc(1, sizeof *fan);
    if (!fan)
        return;
    fan->parent = parent->in.id;
    fan->free = NOBODY;
    uint32_t pred = NOBODY;
    for (redo_branch *b = parent->p.next; b; b = b->cdr) {
        if (!spoke_add(h, fan, node_of(b->p), pred)) {
            fan_free(fan);
            return;
        }
        pred = b->id;
    }
    if (!fan_register(&h->fans, fan))
        fan_free(fan);
}

int branch_listed(struct history *h, struct node *parent)
{
    if (parent->p.nextcount < FAN_FROM)
        return REDO_OK;
    fan_make(h, parent);
    return fan_of(h, parent) ? REDO_OK : REDO_ENOMEM;
}

void branch_push(struct history *h, struct node *parent, struct node *n)
{
    redo_branch *head = parent->p.next;
    n->in.cdr = head;
    parent->p.next = &n->in;
    parent->p.nextcount++;
    touched_note(h->touched, parent->in.id, true);
    /* One that has become narrower has its fan still. */
    struct fan *fan = parent->p.nextcount > FAN_UNTIL ? fan_of(h, parent) : NULL;
    if (!fan) {
        if (parent->p.nextcount < FAN_FROM)
            return;
        /* Tried again at each doubling only, lest a lack of memory makes every push slow. */
        if ((parent->p.nextcount & (parent->p.nextcount - 1)) == 0 ||
            parent->p.nextcount == FAN_FROM)
            fan_make(h, parent);
        return;
    }
    spoke_of(h, fan, head->move)->pred = n->in.id;
    if (!spoke_add(h, fan, n, NOBODY))
        fan_drop(&h->fans, parent->in.id);
}

static redo_branch *predecessor(struct node const *parent, struct node const *n)
{
    redo_branch *b = NULL;
    for (redo_branch *i = parent->p.next; i != &n->in; i = i->cdr)
        b = i;
    return b;
}

void branch_remove(struct history *h, struct node *parent, struct node *n)
{
    struct fan *fan = parent->p.nextcount >= FAN_UNTIL ? fan_of(h, parent) : NULL;
    redo_branch *pred;
    if (fan) {
        struct spoke *spoke = spoke_of(h, fan, n->in.move);
        uint32_t i = (uint32_t)(spoke - fan->spokes);
        pred = spoke->pred == NOBODY ? NULL : &node_at(h, spoke->pred)->in;
        if (n->in.cdr)
            spoke_of(h, fan, n->in.cdr->move)->pred = spoke->pred;
        index_erase(&fan->index, hash_move(h, n->in.move), i);
        spoke->child = fan->free;
        fan->free = i;
    } else {
        pred = predecessor(parent, n);
    }
    *(pred ? &pred->cdr : &parent->p.next) = n->in.cdr;
    n->in.cdr = NULL;
    parent->p.nextcount--;
    touched_note(h->touched, parent->in.id, true);
    if (fan && parent->p.nextcount < FAN_UNTIL)
        fan_drop(&h->fans, parent->in.id);
}

bool branch_front(struct history *h, struct node *parent, struct node *n)
{
    if (parent->p.next == &n->in)
        return false;
    struct fan *fan = parent->p.nextcount >= FAN_UNTIL ? fan_of(h, parent) : NULL;
    redo_branch *pred;
    if (fan) {
        struct spoke *spoke = spoke_of(h, fan, n->in.move);
        pred = &node_at(h, spoke->pred)->in;
        if (n->in.cdr)
            spoke_of(h, fan, n->in.cdr->move)->pred = spoke->pred;
        spoke_of(h, fan, parent->p.next->move)->pred = n->in.id;
        spoke->pred = NOBODY;
    } else {
        pred = predecessor(parent, n);
    }
    pred->cdr = n->in.cdr;
    n->in.cdr = parent->p.next;
    parent->p.next = &n->in;
    return true;
}

void branch_last(struct history *h, struct node *parent, struct node *n)
{
    redo_branch *second = n->in.cdr, *last = second;
    if (!second)
        return;
    while (last->cdr)
        last = last->cdr;
    struct fan *fan = parent->p.nextcount >= FAN_UNTIL ? fan_of(h, parent) : NULL;
    if (fan) {
        spoke_of(h, fan, second->move)->pred = NOBODY;
        spoke_of(h, fan, n->in.move)->pred = last->id;
    }
    parent->p.next = second;
    last->cdr = &n->in;
    n->in.cdr = NULL;
    touched_order(h->touched, parent->in.id);
}

struct node *branch_find(struct history const *h, struct node const *parent, int move)
{
    if (parent->p.nextcount >= FAN_UNTIL) {
        struct fan *fan = fan_of(h, parent);
        if (fan) {
            struct spoke *spoke = spoke_of(h, fan, move);
            return spoke ? node_at(h, spoke->child) : NULL;
        }
    }
    for (redo_branch *b = parent->p.next; b; b = b->cdr)
        if (b->move == move)
            return node_of(b->p);
    return NULL;
}

void branch_takeover(struct history *h, struct node *from, struct node *to)
{
    uint32_t slot = from->p.nextcount >= FAN_UNTIL ? fan_slot(&h->fans, from->in.id) : INDEX_NONE;
    if (slot != INDEX_NONE) {
        index_erase(&h->fans.index, mix(from->in.id), slot);
        h->fans.all[slot]->parent = to->in.id;
        index_insert(&h->fans.index, mix(to->in.id), slot); /* the erased one made room */
    }
    for (redo_branch *b = from->p.next; b; b = b->cdr)
        b->p->prev = &to->p;
    to->p.next = from->p.next;
    to->p.nextcount = from->p.nextcount;
    from->p.next = NULL;
    from->p.nextcount = 0;
    touched_order(h->touched, from->in.id);
    touched_order(h->touched, to->in.id);
}
