#include "core/routes/choose.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/level.h"

int found_open(struct found *f, struct view const *v)
{
    *f = (struct found){.path_room = path_most(v)};
    f->paths = calloc((size_t)ROUTES_TRAINS * f->path_room, sizeof *f->paths);
    return f->paths ? REDO_OK : REDO_ENOMEM;
}

void found_close(struct found *f)
{
    free(f->paths);
}

/* --- opening --- */

static int make_visits(struct chooser *c)
{
    struct routes_rules const *rules = &c->q->asked->rules;
    c->visits = calloc(rules->set_count + 1, sizeof *c->visits);
    if (!c->visits)
        return REDO_ENOMEM;
    for (uint32_t k = 0; k < rules->set_count; k++) {
        if (!c->q->visit[k])
            continue;
        c->visits[k] = calloc(c->view->point_words + 1, 8);
        if (!c->visits[k])
            return REDO_ENOMEM;
        for (uint32_t p = 0; p < c->view->point_count; p++)
            if (bits_has(c->q->visit[k], c->view->nodes[p]))
                bits_set(c->visits[k], p);
    }
    return REDO_OK;
}

int chooser_open(struct chooser *c, struct question const *q, struct view const *view,
                 struct listing const *listings, struct budget *budget, struct ticker *ticker,
                 struct found *found)
{
    *c = (struct chooser){.q = q,
                          .view = view,
                          .listings = listings,
                          .budget = budget,
                          .ticker = ticker,
                          .found = found};
    c->set_words = view->set_words;
    c->groups = q->group_count;
    c->step = 1;
    c->patience = CHOOSE_PATIENCE;
    c->price_count = (size_t)c->groups * c->set_words * 64 + ROUTES_ONCE;
    c->prices = calloc(c->price_count, sizeof *c->prices);
    c->usage = calloc(c->price_count, sizeof *c->usage);
    c->tables = calloc((size_t)c->groups * c->set_words * 8 * 256 + 1, sizeof *c->tables);
    c->boxes = calloc(BOXES, sizeof *c->boxes);
    c->used = calloc((size_t)c->groups * c->set_words + 1, 8);
    c->scratch = calloc(2 * (size_t)path_most(view), sizeof *c->scratch);
    if (c->prices && c->usage && c->tables && c->boxes && c->used && c->scratch &&
        make_visits(c) == REDO_OK) {
        c->boxes[0].prices = calloc(c->price_count, sizeof *c->prices);
        if (c->boxes[0].prices)
            return REDO_OK;
    }
    chooser_close(c);
    return REDO_ENOMEM;
}

bool class_open(struct chooser *c, struct class *k, uint32_t room)
{
    k->items = budget_realloc(c->budget, NULL, 0, room * sizeof *k->items);
    k->reduced = k->items ? budget_realloc(c->budget, NULL, 0, room * sizeof *k->reduced) : NULL;
    k->room = room;
    if (k->reduced)
        return true;
    if (k->items)
        budget_realloc(c->budget, k->items, room * sizeof *k->items, 0);
    k->items = NULL;
    k->room = 0;
    return false;
}

void class_close(struct chooser *c, struct class *k)
{
    budget_realloc(c->budget, k->items, k->room * sizeof *k->items, 0);
    budget_realloc(c->budget, k->reduced, k->room * sizeof *k->reduced, 0);
    *k = (struct class){0};
}

static void empty_box(struct chooser *c, struct box *b)
{
    for (uint32_t i = 0; i < b->class_count; i++)
        class_close(c, &b->classes[i]);
    b->class_count = 0;
}

void chooser_empty(struct chooser *c)
{
    for (uint32_t i = 0; i < BOXES; i++)
        empty_box(c, &c->boxes[i]);
}

void chooser_close(struct chooser *c)
{
    if (c->boxes)
        chooser_empty(c);
    for (uint32_t i = 0; c->boxes && i < BOXES; i++)
        free(c->boxes[i].prices);
    for (uint32_t k = 0; c->visits && k < c->q->asked->rules.set_count; k++)
        free(c->visits[k]);
    for (uint32_t t = 0; t < c->q->type_count; t++)
        free(c->ranks[t]);
    free(c->edge_ranks);
    free(c->visits);
    free(c->prices);
    free(c->usage);
    free(c->tables);
    free(c->boxes);
    free(c->used);
    free(c->scratch);
}

bool chooser_fill(struct chooser *c)
{
    struct box *b = &c->boxes[0];
    c->ties = false;
    chooser_empty(c);
    for (uint32_t i = 0; i < c->q->type_count; i++) {
        struct class *k = &b->classes[i];
        uint32_t count = c->listings[i].count;
        *k = (struct class){.listing = &c->listings[i],
                            .type = i,
                            .group = c->q->types[i].group,
                            .count = c->q->types[i].count};
        b->class_count = i + 1;
        if (!class_open(c, k, count + 1)) /* and no route */
            return false;
        k->size = count + 1;
        for (uint32_t j = 0; j < count; j++)
            k->items[j] = j;
        k->items[count] = CHOOSE_NONE;
    }
    return true;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* Totals of better sets are multiples of what all values are multiples of. */
static void find_step(struct chooser *c)
{
    struct box const *b = &c->boxes[0];
    c->step = 0;
    for (uint32_t i = 0; i < b->class_count; i++)
        for (uint32_t j = 0; j < b->classes[i].size; j++) {
            struct entry const *e = class_entry(&b->classes[i], b->classes[i].items[j]);
            if (e && e->value && (c->step == 0 || e->value % c->step))
                c->step = gcd(e->value, c->step);
        }
    /* The total so far may be of routes that are not listed. */
    c->step = c->step ? gcd(c->found->total, c->step) : 1;
}

#define FIRST_MOVES 150

void chooser_price(struct chooser *c)
{
    struct box *b = &c->boxes[0];
    find_step(c);
    price_box(c, b, FIRST_MOVES);
    int64_t bound = b->bound / SCALE; /* neither is negative */
    if (!c->partial && bound < c->ticker->progress.bound)
        c->ticker->progress.bound = bound;
}

bool chooser_search(struct chooser *c)
{
    c->ties = false;
    find_step(c);
    return branch_boxes(c);
}
