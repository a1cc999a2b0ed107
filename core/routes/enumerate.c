/* The search through a box: trains in turn, each with the routes that are still free.
 *
 * For each thing that a route can use there is a bit vector over the items of a class: those that
 * use it. What is free for later trains, once a route is taken, is what was free less the vectors
 * of what the route uses: a few words for thousands of items. Items stand by falling value, so the
 * first that is free is the best there is, and all trains' first ones tell whether to go on.
 *
 * When the first set by the tie rule is looked for, the same vectors are kept a second time, by the
 * order of that rule: trains take in that order, and the first set that is as good is the answer.
 */
#include <stdlib.h>
#include <string.h>

#include "core/routes/level.h"

/* Words come four at a time. */
typedef uint64_t block __attribute__((vector_size(32), may_alias));
#define BLOCK_WORDS 4

/* A class with its vectors. */
struct lane {
    struct class const *k;
    uint32_t blocks;
    block *by_value; /* a row a thing */
    block *by_rule;  /* the same */
    uint32_t *rule;  /* places of items in the order of the tie rule */
    size_t at;       /* where its vectors stand in those of a level */
};

struct step {
    uint32_t lane;
    uint32_t pos;    /* next place to look at, in the order that counts */
    uint32_t place;  /* that is taken */
    uint32_t passes; /* of all steps before */
    int64_t value;   /* the same */
    int64_t gap;     /* the same */
    block *free;     /* for all lanes, by value */
    block *ruled;    /* by the tie rule */
};

struct scan {
    struct chooser *c;
    struct box const *b;
    struct lane lanes[ROUTES_TRAINS];
    struct step steps[ROUTES_TRAINS + 1];
    uint32_t left[ROUTES_TRAINS + 1][ROUTES_TRAINS]; /* by step and lane: trains from here on */
    uint32_t things; /* rows: what is used in the view, then once-only bonuses */
    block *memory;
    size_t bytes;
    uint64_t work, limit; /* blocks looked at */
    bool by_rule;
};

/* --- sorting --- */

struct pair {
    int64_t value, gap;
    uint32_t item;
};

static int by_value(void const *a, void const *b)
{
    struct pair const *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    if (x->gap != y->gap)
        return x->gap < y->gap ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static int64_t value_at(struct class const *k, uint32_t place)
{
    struct entry const *e = class_entry(k, k->items[place]);
    return e ? e->value : 0;
}

/* Sorts items by value. Reduced values stay with them. */
static bool sort_items(struct class *k)
{
    struct pair *pairs = malloc((k->size + 1) * sizeof *pairs);
    if (!pairs)
        return false;
    for (uint32_t j = 0; j < k->size; j++)
        pairs[j] = (struct pair){value_at(k, j), k->best - k->reduced[j], k->items[j]};
    qsort(pairs, k->size, sizeof *pairs, by_value);
    for (uint32_t j = 0; j < k->size; j++) {
        k->reduced[j] = k->best - pairs[j].gap;
        k->items[j] = pairs[j].item;
    }
    free(pairs);
    return true;
}

static int64_t gap_at(struct class const *k, uint32_t place)
{
    return k->best - k->reduced[place];
}

static int by_rank(void const *a, void const *b, void *context)
{
    struct scan const *s = ((void **)context)[0];
    struct class const *k = ((void **)context)[1];
    uint32_t x = k->items[*(uint32_t const *)a], y = k->items[*(uint32_t const *)b];
    uint32_t p = x == CHOOSE_NONE ? UINT32_MAX : s->c->ranks[k->type][x];
    uint32_t q = y == CHOOSE_NONE ? UINT32_MAX : s->c->ranks[k->type][y];
    return (p > q) - (p < q);
}

/* --- vectors --- */

static void enter_item(struct scan const *s, struct lane const *l, block *rows, uint32_t item,
                       uint32_t place)
{
    struct entry const *e = class_entry(l->k, item);
    uint32_t views = s->c->set_words * 64;
    if (!e)
        return;
    BITS_EACH(bit, e->bits, s->c->set_words)
    {
        bits_set((uint64_t *)(rows + (size_t)bit * l->blocks), place);
    }
    for (uint32_t o = 0; o < s->c->q->once_count; o++)
        if (e->claims >> o & 1)
            bits_set((uint64_t *)(rows + (size_t)(views + o) * l->blocks), place);
}

static void fill_lane(struct scan *s, struct lane *l)
{
    for (uint32_t i = 0; i < l->k->size; i++)
        enter_item(s, l, l->by_value, l->k->items[i], i);
    if (!s->by_rule)
        return;
    for (uint32_t i = 0; i < l->k->size; i++)
        l->rule[i] = i;
    qsort_r(l->rule, l->k->size, sizeof *l->rule, by_rank, (void *[]){s, (void *)l->k});
    for (uint32_t i = 0; i < l->k->size; i++)
        enter_item(s, l, l->by_rule, l->k->items[l->rule[i]], i);
}

/* One block of memory for all: rows of lanes, orders, and what is free at each step. */
static bool open_scan(struct scan *s)
{
    struct box const *b = s->b;
    uint32_t count = s->c->q->asked->train_count, orders = s->by_rule ? 2 : 1;
    size_t blocks = 0, wide = 0;
    s->things = s->c->set_words * 64 + s->c->q->once_count;
    for (uint32_t i = 0; i < b->class_count; i++) {
        struct lane *l = &s->lanes[i];
        l->k = &b->classes[i];
        l->blocks = (bits_words(l->k->size) + BLOCK_WORDS - 1) / BLOCK_WORDS;
        l->at = wide;
        wide += l->blocks;
        blocks += (size_t)s->things * l->blocks * orders;
        blocks += s->by_rule ? l->k->size / 8 + 1 : 0;
    }
    blocks += wide * (count + 1) * orders;
    s->bytes = blocks * sizeof(block) + sizeof(block);
    void *memory = budget_realloc(s->c->budget, NULL, 0, s->bytes);
    if (!memory)
        return false;
    s->memory = memory;
    block *at = (block *)(((uintptr_t)memory + sizeof(block) - 1) & ~(sizeof(block) - 1));
    memset(memory, 0, s->bytes);
    for (uint32_t i = 0; i < b->class_count; i++) {
        struct lane *l = &s->lanes[i];
        l->by_value = at;
        at += (size_t)s->things * l->blocks;
        l->by_rule = at;
        at += s->by_rule ? (size_t)s->things * l->blocks : 0;
        l->rule = (uint32_t *)at;
        at += s->by_rule ? l->k->size / 8 + 1 : 0;
        fill_lane(s, l);
    }
    for (uint32_t i = 0; i <= count; i++) {
        s->steps[i].free = at;
        at += wide;
        s->steps[i].ruled = at;
        at += s->by_rule ? wide : 0;
    }
    return true;
}

static void close_scan(struct scan *s)
{
    budget_realloc(s->c->budget, s->memory, s->bytes, 0);
}

/* --- steps --- */

/* Trains of a class follow each other, those that can earn most first; by the tie rule: trains as
 * they were asked for. */
static void order_steps(struct scan *s)
{
    struct box const *b = s->b;
    uint32_t order[ROUTES_TRAINS], count = s->c->q->asked->train_count, step = 0;
    for (uint32_t i = 0; i < b->class_count; i++) {
        uint32_t j = i;
        for (; j > 0 && value_at(&b->classes[order[j - 1]], 0) < value_at(&b->classes[i], 0); j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    for (uint32_t i = 0; i < b->class_count; i++)
        for (uint32_t j = 0; j < b->classes[order[i]].count; j++)
            s->steps[step++].lane = order[i];
    for (uint32_t t = 0; t < count && s->by_rule; t++)
        s->steps[t].lane = s->c->q->type_of[t];
    for (uint32_t i = count; i-- > 0;) {
        memcpy(s->left[i], s->left[i + 1], sizeof s->left[i]);
        s->left[i][s->steps[i].lane]++;
    }
}

static void start_steps(struct scan *s)
{
    order_steps(s);
    for (uint32_t i = 0; i < s->b->class_count; i++) {
        struct lane *l = &s->lanes[i];
        for (uint32_t j = 0; j < l->k->size; j++) {
            bits_set((uint64_t *)(s->steps[0].free + l->at), j);
            if (s->by_rule)
                bits_set((uint64_t *)(s->steps[0].ruled + l->at), j);
        }
    }
}

/* What stays free: blocks [0, count) of `from` less the rows of the things. */
static void take_away(block *to, block const *from, block const *rows, uint32_t wide,
                      uint32_t const *things, uint32_t thing_count, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        block used = {0};
        for (uint32_t t = 0; t < thing_count; t++)
            used |= rows[(size_t)things[t] * wide + i];
        to[i] = from[i] & ~used;
    }
}

/* Items before this place are worth so much. */
static uint32_t places_worth(struct class const *k, int64_t value)
{
    uint32_t low = 0, high = k->size;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (value_at(k, middle) >= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t first_free(struct scan const *s, uint32_t step, uint32_t lane, uint32_t from)
{
    struct lane const *l = &s->lanes[lane];
    return bits_next((uint64_t *)(s->steps[step].free + l->at), l->blocks * BLOCK_WORDS, from);
}

static int64_t needed(struct scan const *s)
{
    return chooser_target(s->c) / SCALE; /* it is a multiple */
}

/* The best that the lanes can bring from a step on, each by its first free item; `but`: one train
 * of this lane less. */
static int64_t best_rest(struct scan const *s, uint32_t step, uint32_t but)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < s->b->class_count; i++) {
        uint32_t left = s->left[step][i] - (i == but);
        uint32_t place = left ? first_free(s, step, i, 0) : 0;
        if (left && place == BITS_NONE)
            return INT64_MIN / 2;
        sum += left ? left * value_at(s->lanes[i].k, place) : 0;
    }
    return sum;
}

/* The things that an entry uses, for lanes of its group and for others. */
static uint32_t things_of(struct scan const *s, struct entry const *e, bool same_group,
                          uint32_t *things)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < s->c->q->once_count; o++)
        if (e->claims >> o & 1)
            things[count++] = s->c->set_words * 64 + o;
    if (!same_group)
        return count;
    BITS_EACH(bit, e->bits, s->c->set_words)
    {
        things[count++] = bit;
    }
    return count;
}

/* Works out what is free for the next step, and whether it is enough. */
static bool descend(struct scan *s, uint32_t step, uint32_t place, uint32_t *things)
{
    struct step *p = &s->steps[step], *n = p + 1;
    struct class const *k = s->lanes[p->lane].k;
    struct entry const *e = class_entry(k, k->items[place]);
    p->place = place;
    n->value = p->value + (e ? e->value : 0);
    n->gap = p->gap + gap_at(k, place);
    n->passes = p->passes + (e ? e->passes : 0);
    int64_t rest = best_rest(s, step, p->lane);
    for (uint32_t i = 0; i < s->b->class_count; i++) {
        struct lane const *l = &s->lanes[i];
        uint32_t left = s->left[step + 1][i];
        if (!left)
            continue;
        uint32_t first = first_free(s, step, i, 0);
        int64_t most = value_at(l->k, first);
        /* Less than this, and the others can not make up for it. */
        uint32_t places = places_worth(l->k, needed(s) - n->value - (rest - most));
        uint32_t blocks = (bits_words(places) + BLOCK_WORDS - 1) / BLOCK_WORDS;
        uint32_t count = e ? things_of(s, e, k->group == l->k->group, things) : 0;
        take_away(n->free + l->at, p->free + l->at, l->by_value, l->blocks, things, count, blocks);
        memset(n->free + l->at + blocks, 0, (l->blocks - blocks) * sizeof(block));
        if (s->by_rule)
            take_away(n->ruled + l->at, p->ruled + l->at, l->by_rule, l->blocks, things, count,
                      l->blocks);
        s->work += (uint64_t)(count + 1) * (s->by_rule ? l->blocks + blocks : blocks);
        uint32_t found = first_free(s, step + 1, i, 0);
        if (found == BITS_NONE)
            return false;
        rest += left * (value_at(l->k, found) - most);
        if (n->value + rest < needed(s))
            return false;
    }
    return true;
}

static void offer_steps(struct scan *s)
{
    struct set set;
    for (uint32_t i = 0; i < s->c->q->asked->train_count; i++) {
        struct class const *k = s->lanes[s->steps[i].lane].k;
        set.items[i] = k->items[s->steps[i].place];
        set.types[i] = k->type;
    }
    set_offer(s->c, &set);
}

/* The next free item of a step, as a place by value; BITS_NONE after the last. */
static uint32_t next_place(struct scan *s, uint32_t step)
{
    struct step *p = &s->steps[step];
    struct lane const *l = &s->lanes[p->lane];
    block const *row = (s->by_rule ? p->ruled : p->free) + l->at;
    uint32_t place = bits_next((uint64_t const *)row, l->blocks * BLOCK_WORDS, p->pos);
    if (place == BITS_NONE)
        return place;
    p->pos = place + 1;
    return s->by_rule ? l->rule[place] : place;
}

/* A train takes nothing that an earlier train of its class has passed over. */
static void start_step(struct scan *s, uint32_t step)
{
    struct step *p = &s->steps[step];
    p->pos = 0;
    for (uint32_t i = step; i-- > 0;)
        if (s->steps[i].lane == p->lane) {
            p->pos = s->steps[i].pos - 1;
            return;
        }
}

static enum search_result look_at(struct scan *s, uint32_t *things)
{
    uint32_t count = s->c->q->asked->train_count, step = 0;
    uint64_t told = 0;
    while (!s->c->ticker->stopped) {
        struct step *p = &s->steps[step];
        struct class const *k = s->lanes[p->lane].k;
        int64_t room = s->b->bound - chooser_target(s->c);
        uint32_t place = room < 0 ? BITS_NONE : next_place(s, step);
        if (++s->work - told > 256) {
            ticker_add(s->c->ticker, (s->work - told) / 16);
            told = s->work;
        }
        if (s->work > s->limit)
            return SEARCH_LONG;
        /* By value, what follows is worth no more. */
        if (place == BITS_NONE ||
            (!s->by_rule &&
             p->value + value_at(k, place) + best_rest(s, step, p->lane) < needed(s))) {
            if (step-- == 0)
                return SEARCH_DONE;
            continue;
        }
        struct entry const *e = class_entry(k, k->items[place]);
        if (p->gap + gap_at(k, place) > room ||
            p->passes + (e ? e->passes : 0) > s->c->q->bypass_max)
            continue;
        if (step + 1 < count) {
            if (descend(s, step, place, things))
                start_step(s, ++step);
            continue;
        }
        p->place = place;
        offer_steps(s);
        if (s->by_rule && s->c->ranked)
            return SEARCH_DONE;
    }
    return SEARCH_FAILED;
}

enum search_result search_box(struct chooser *c, struct box *b, bool by_rule, uint64_t limit)
{
    struct scan *s = calloc(1, sizeof *s);
    uint32_t *things = calloc((size_t)c->set_words * 64 + ROUTES_ONCE, sizeof *things);
    enum search_result result = SEARCH_FAILED;
    bool sorted = s && things;
    for (uint32_t i = 0; i < b->class_count && sorted; i++)
        sorted = sort_items(&b->classes[i]);
    if (sorted) {
        *s = (struct scan){.c = c, .b = b, .by_rule = by_rule, .limit = limit};
        if (open_scan(s)) {
            start_steps(s);
            result = look_at(s, things);
            close_scan(s);
        }
    }
    free(s);
    free(things);
    return result;
}
