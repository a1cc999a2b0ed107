/* Better pointers form trees that grow at their roots, and are cut and hung elsewhere. A position
 * whose way to its end was once long is roped, and with it all positions on that way, so that what
 * comes after one that is roped is roped too. The roped ones of a tree are kept as paths, each a
 * splay tree in the order of the chain, its end first (Sleator and Tarjan, "A data structure for
 * dynamic trees", 1983): linking, cutting and finding the end take logarithmic time, averaged. */
#include "core/chains.h"

#include "core/history.h"

#define WALK_MAX 32 /* steps along better pointers before they are roped */

/* Numbers of positions plus 1; 0: none. */
struct rope {
    uint32_t left;  /* nearer to the end */
    uint32_t right; /* farther from it */
    uint32_t up;    /* in the splay tree; of its root: what the path leads on to */
    uint32_t roped;
};

#define ROPES_LOW 4
#define ROPES_TOP 6

void chains_init(struct chains *c)
{
    *c = (struct chains){0};
    pool_init(&c->ropes, sizeof(struct rope), ROPES_LOW, ROPES_TOP, c);
}

void chains_close(struct chains *c)
{
    pool_close(&c->ropes);
}

size_t chains_memory(struct chains const *c)
{
    return c->ropes.bytes;
}

/* Without memory to go on with: what is left is to walk. */
static void give_up(struct chains *c)
{
    chains_close(c);
    chains_init(c);
}

/* ---- paths ------------------------------------------------------------------------------- */

static struct rope *rope_at(struct chains const *c, uint32_t x)
{
    return pool_at(&c->ropes, x - 1);
}

/* Whether x is the root of its splay tree. */
static bool is_root(struct chains const *c, uint32_t x)
{
    uint32_t up = rope_at(c, x)->up;
    return !up || (rope_at(c, up)->left != x && rope_at(c, up)->right != x);
}

/* x takes the place of the one above it. */
static void rotate(struct chains *c, uint32_t x)
{
    struct rope *rx = rope_at(c, x);
    uint32_t y = rx->up;
    struct rope *ry = rope_at(c, y);
    uint32_t z = ry->up;
    if (!is_root(c, y)) {
        struct rope *rz = rope_at(c, z);
        *(rz->left == y ? &rz->left : &rz->right) = x;
    }
    bool left = ry->left == x;
    uint32_t inner = left ? rx->right : rx->left;
    *(left ? &ry->left : &ry->right) = inner;
    *(left ? &rx->right : &rx->left) = y;
    if (inner)
        rope_at(c, inner)->up = y;
    ry->up = x;
    rx->up = z;
}

static void splay(struct chains *c, uint32_t x)
{
    while (!is_root(c, x)) {
        uint32_t y = rope_at(c, x)->up;
        if (!is_root(c, y)) {
            uint32_t z = rope_at(c, y)->up;
            bool straight = (rope_at(c, y)->left == x) == (rope_at(c, z)->left == y);
            rotate(c, straight ? y : x);
        }
        rotate(c, x);
    }
}

/* Makes one path of all from x to its end, with x as the root of its tree, and nothing beyond. */
static void expose(struct chains *c, uint32_t x)
{
    uint32_t last = 0;
    for (uint32_t y = x; y; y = rope_at(c, y)->up) {
        splay(c, y);
        rope_at(c, y)->right = last;
        last = y;
    }
    splay(c, x);
}

static uint32_t find_end(struct chains *c, uint32_t x)
{
    expose(c, x);
    while (rope_at(c, x)->left)
        x = rope_at(c, x)->left;
    splay(c, x);
    return x;
}

/* x is the end of its chain, which goes on with y now. */
static void tie(struct chains *c, uint32_t x, uint32_t y)
{
    expose(c, y);
    expose(c, x);
    rope_at(c, x)->up = y;
}

static void untie(struct chains *c, uint32_t x)
{
    expose(c, x);
    struct rope *rx = rope_at(c, x);
    if (rx->left)
        rope_at(c, rx->left)->up = 0;
    rx->left = 0;
}

/* ---- positions --------------------------------------------------------------------------- */

static bool is_roped(struct history const *h, struct node const *n)
{
    struct rope const *r = pool_find(&h->chains.ropes, n->in.id);
    return r && r->roped;
}

/* Ropes n and all that comes after it. */
static void rope(struct history *h, struct node *n)
{
    struct chains *c = &h->chains;
    uint32_t last = 0;
    for (; n; n = node_of(n->p.better)) {
        uint32_t x = n->in.id + 1;
        bool known = is_roped(h, n);
        if (!known && pool_reserve(&c->ropes, n->in.id, 1)) {
            give_up(c);
            return;
        }
        if (!known)
            *rope_at(c, x) = (struct rope){.roped = 1};
        if (last)
            rope_at(c, last)->up = x; /* a path of its own until it is looked along */
        if (known)
            return;
        c->any = true;
        last = x;
    }
}

struct node *chain_end(struct history *h, struct node *n)
{
    struct node *start = n;
    bool any = h->chains.any;
    for (unsigned steps = 0; n->p.better; n = node_of(n->p.better)) {
        if (any && is_roped(h, n))
            return node_at(h, find_end(&h->chains, n->in.id + 1) - 1);
        if (++steps == WALK_MAX) {
            rope(h, start);
            any = h->chains.any;
        }
    }
    return n;
}

void chain_linked(struct history *h, struct node *n)
{
    if (!h->chains.any || !is_roped(h, n))
        return;
    rope(h, node_of(n->p.better));
    if (h->chains.any)
        tie(&h->chains, n->in.id + 1, node_of(n->p.better)->in.id + 1);
}

void chain_cut(struct history *h, struct node *n)
{
    if (h->chains.any && is_roped(h, n))
        untie(&h->chains, n->in.id + 1);
}

void chain_forget(struct history *h, struct node *n)
{
    if (!h->chains.any || !is_roped(h, n))
        return;
    expose(&h->chains, n->in.id + 1);
    *rope_at(&h->chains, n->in.id + 1) = (struct rope){0};
}
