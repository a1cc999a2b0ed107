/* Tables that go from position to position, by the steps of turns, and copies of them on the way:
 * so that any position is near one. */
#include "core/changes/inside.h"

#include <stdlib.h>

#include "core/changes/steps.h"
#include "core/error.h"

#define INTERVAL 512 /* turns between checkpoints, at first */
#define CHECKPOINTS_MAX \
    128 /* when there are so many, or they take too much, every other one goes */
#define CHECKPOINTS_BYTES ((size_t)16 * 1024 * 1024)

/* ---- checkpoints ------------------------------------------------------------------------- */

struct checkpoint *checkpoint_find(struct changes const *c, uint32_t number)
{
    for (uint32_t i = 0; i < c->checkpoint_count; i++)
        if (c->checkpoints[i].at == number)
            return &c->checkpoints[i];
    return NULL;
}

void checkpoint_drop(struct changes *c, struct checkpoint *p)
{
    c->bytes -= table_memory(&p->table);
    table_close(&p->table);
    *p = c->checkpoints[--c->checkpoint_count];
}

/* Those that are not on the new, wider interval go. */
static void checkpoints_thin(struct history *h)
{
    struct changes *c = h->changes;
    c->interval *= 2;
    for (uint32_t i = c->checkpoint_count; i > 0; i--)
        if (node_at(h, c->checkpoints[i - 1].at)->p.movecount % c->interval)
            checkpoint_drop(c, &c->checkpoints[i - 1]);
}

/* The view is at n: keeps its table, if that is worth while. Where memory lacks, it is not. */
void checkpoint_keep(struct history *h, struct view const *v, struct node const *n)
{
    struct changes *c = h->changes;
    if (!n->p.movecount || n->p.movecount % c->interval || checkpoint_find(c, n->in.id))
        return;
    size_t each = table_memory(&v->table);
    if (c->checkpoint_count == CHECKPOINTS_MAX ||
        (c->checkpoint_count && (c->checkpoint_count + 1) * each > CHECKPOINTS_BYTES)) {
        checkpoints_thin(h);
        return;
    }
    struct checkpoint *grown =
        realloc(c->checkpoints, (c->checkpoint_count + 1) * sizeof *c->checkpoints);
    if (!grown)
        return;
    c->checkpoints = grown;
    struct checkpoint *p = &grown[c->checkpoint_count];
    if (table_copy(&p->table, &v->table))
        return;
    p->at = n->in.id;
    c->bytes += table_memory(&p->table);
    c->checkpoint_count++;
}

/* ---- views ------------------------------------------------------------------------------- */

void view_lose(struct view *v)
{
    if (v->there)
        table_close(&v->table);
    v->there = false;
}

int view_copy(struct view *v, struct table const *table, uint32_t at)
{
    view_lose(v);
    if (table_copy(&v->table, table))
        return REDO_ENOMEM;
    v->at = at;
    v->there = true;
    if (table->schema->routes) {
        v->table.log = &v->log;
        v->log.whole = true;
    }
    return REDO_OK;
}

int view_up(struct history *h, struct view *v)
{
    struct turn const *t = turn_at(h->changes, v->at);
    int rc = t ? steps_undo(&v->table, t->data + t->size, t->steps) : REDO_OK;
    if (!rc)
        v->at = node_prev(node_at(h, v->at))->in.id;
    return rc;
}

static int view_down(struct history *h, struct view *v, struct node const *n)
{
    struct turn const *t = turn_at(h->changes, n->in.id);
    int rc = t ? steps_do(&v->table, t->data + t->size, t->steps) : REDO_OK;
    if (rc)
        return rc;
    v->at = n->in.id;
    checkpoint_keep(h, v, n);
    return REDO_OK;
}

/* The checkpoint nearest before n, or at it; NULL: that is the first position. */
static struct checkpoint *checkpoint_before(struct history *h, struct node *n)
{
    struct changes *c = h->changes;
    if (!c->checkpoint_count)
        return NULL;
    for (; n; n = node_prev(n)) {
        struct checkpoint *p = n->p.movecount % c->interval ? NULL : checkpoint_find(c, n->in.id);
        if (p)
            return p;
    }
    return NULL;
}

int path_room(struct changes *c, uint32_t count)
{
    if (count <= c->path_cap)
        return REDO_OK;
    uint32_t *grown = realloc(c->path, (count + count / 2) * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    c->path = grown;
    c->path_cap = count + count / 2;
    return REDO_OK;
}

/* Where to set out for a position: from where the view is, by way of `top`, or, if that is nearer,
 * from a checkpoint or from the first position: then the view is there, and so is top. */
static int set_out(struct history *h, struct view *v, struct node *to, struct node **top)
{
    struct changes *c = h->changes;
    if (v->there) {
        struct node *from = node_at(h, v->at);
        *top = history_meet(from, to);
        uint64_t way = (uint64_t)(from->p.movecount - (*top)->p.movecount) +
                       (to->p.movecount - (*top)->p.movecount);
        if (way <= c->interval)
            return REDO_OK;
        struct checkpoint *p = checkpoint_before(h, to);
        uint32_t start = p ? node_at(h, p->at)->p.movecount : 0;
        if (way <= to->p.movecount - start)
            return REDO_OK;
    }
    struct checkpoint *p = checkpoint_before(h, to);
    *top = p ? node_at(h, p->at) : node_at(h, 0);
    return view_copy(v, p ? &p->table : &c->initial, (*top)->in.id);
}

int view_go(struct history *h, struct view *v, struct node *to)
{
    struct changes *c = h->changes;
    struct node *top;
    if (v->there && v->at == to->in.id)
        return REDO_OK;
    int rc = set_out(h, v, to, &top);
    if (rc)
        return rc;
    uint32_t count = to->p.movecount - top->p.movecount;
    if (path_room(c, count))
        return REDO_ENOMEM;
    while (!rc && v->at != top->in.id)
        rc = view_up(h, v);
    for (uint32_t i = count; i > 0; i--, to = node_prev(to))
        c->path[i - 1] = to->in.id;
    for (uint32_t i = 0; i < count && !rc; i++)
        rc = view_down(h, v, node_at(h, c->path[i]));
    return rc;
}

int changes_table(struct history *h, struct node *n, struct table const **table)
{
    struct changes *c = h->changes;
    struct view *v = c->main.there && c->main.at == n->in.id ? &c->main : &c->other;
    int rc = view_go(h, v, n);
    *table = &v->table;
    return rc;
}
