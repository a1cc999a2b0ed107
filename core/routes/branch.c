/* Boxes divided by who uses something dear: each class of trains in turn gives one train to it, and
 * the others do without; last of all, no train uses it. */
#include <stdlib.h>
#include <string.h>

#include "core/routes/level.h"

#define MOVES 30 /* of prices, in a box within another one */

static bool uses(struct class const *k, uint32_t item, uint32_t bit)
{
    struct entry const *e = class_entry(k, item);
    return e && bits_has(e->bits, bit);
}

/* --- ties --- */

static uint32_t least_rank(struct chooser const *c, struct box const *b, uint32_t type)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < b->class_count; i++) {
        struct class const *k = &b->classes[i];
        for (uint32_t j = 0; j < k->size && k->type == type; j++)
            if (k->items[j] != CHOOSE_NONE && c->ranks[type][k->items[j]] < least)
                least = c->ranks[type][k->items[j]];
    }
    return least;
}

/* Whether no set of a box comes before the first one so far. */
static bool comes_later(struct chooser const *c, struct box const *b)
{
    uint32_t least[ROUTES_TRAINS];
    if (!c->ties || !c->ranked)
        return false;
    for (uint32_t type = 0; type < c->q->type_count; type++)
        least[type] = least_rank(c, b, type);
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        uint32_t rank = least[c->q->type_of[t]];
        if (rank != c->best_ranks[t])
            return rank > c->best_ranks[t];
    }
    return true;
}

/* --- dividing --- */

static uint32_t trains_of_group(struct box const *b, uint32_t group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->class_count; i++)
        count += b->classes[i].group == group ? b->classes[i].count : 0;
    return count;
}

static void count_users(struct chooser *c, struct box const *b, uint32_t group, uint32_t *items)
{
    memset(c->usage, 0, c->price_count * sizeof *c->usage);
    *items = 0;
    for (uint32_t i = 0; i < b->class_count; i++) {
        struct class const *k = &b->classes[i];
        for (uint32_t j = 0; j < k->size && k->group == group; j++) {
            struct entry const *e = class_entry(k, k->items[j]);
            ++*items;
            if (!e)
                continue;
            BITS_EACH(bit, e->bits, c->set_words)
            {
                c->usage[bit]++;
            }
        }
    }
}

/* The dearest that some items use and some do not; of equal ones what divides best. */
static bool find_divider(struct chooser *c, struct box *b)
{
    int64_t best = -1;
    for (uint32_t group = 0; group < c->groups; group++) {
        uint32_t items;
        if (trains_of_group(b, group) < 2)
            continue;
        count_users(c, b, group, &items);
        for (uint32_t bit = 0; bit < c->set_words * 64; bit++) {
            uint32_t users = c->usage[bit], others = items - users;
            if (!users || !others)
                continue;
            int64_t score = b->prices[(size_t)group * c->set_words * 64 + bit] * 1024 +
                            (int64_t)1023 * (users < others ? users : others) / items;
            if (score <= best)
                continue;
            best = score;
            b->group = group;
            b->bit = bit;
        }
    }
    b->child = 0;
    return best >= 0;
}

/* Copies the items of a class that use what divides the box, or that do not. */
static bool copy_class(struct chooser *c, struct box const *from, struct class const *k,
                       struct class *to, uint32_t count, bool users)
{
    bool all = k->group != from->group;
    *to = (struct class){.listing = k->listing, .type = k->type, .group = k->group, .count = count};
    if (!class_open(c, to, k->size))
        return false;
    for (uint32_t i = 0; i < k->size; i++)
        if (all || uses(k, k->items[i], from->bit) == users)
            to->items[to->size++] = k->items[i];
    return true;
}

/* Makes the part of a box in which a train of one class (or none: class_count) uses what divides
 * it. False if there is no memory. *some: it has items for each train. */
static bool make_child(struct chooser *c, struct box const *b, struct box *child, uint32_t class,
                       bool *some)
{
    *some = true;
    child->class_count = 0;
    for (uint32_t i = 0; i < b->class_count; i++) {
        struct class const *k = &b->classes[i];
        for (int users = 1; users >= 0; users--) {
            uint32_t count = users ? i == class : k->count - (i == class);
            if (!count)
                continue;
            struct class *to = &child->classes[child->class_count];
            if (!copy_class(c, b, k, to, count, users))
                return false;
            child->class_count++;
            *some &= to->size > 0;
        }
    }
    return true;
}

static void empty_box(struct chooser *c, struct box *b)
{
    for (uint32_t i = 0; i < b->class_count; i++)
        class_close(c, &b->classes[i]);
    b->class_count = 0;
}

static bool open_prices(struct chooser *c, struct box *b)
{
    if (!b->prices)
        b->prices = calloc(c->price_count, sizeof *b->prices);
    return b->prices;
}

/* Makes the next part of a box in which something may be found. *done: there is none. False if
 * there is no memory. */
static bool next_child(struct chooser *c, struct box *b, struct box *child, bool *done)
{
    bool some;
    *done = false;
    while (b->child <= b->class_count && !c->ticker->stopped) {
        uint32_t class = b->child++;
        if (class < b->class_count && b->classes[class].group != b->group)
            continue;
        if (!open_prices(c, child) || !make_child(c, b, child, class, &some)) {
            empty_box(c, child);
            return false;
        }
        memcpy(c->prices, b->prices, c->price_count * sizeof *c->prices);
        if (some && !comes_later(c, child) && price_box(c, child, MOVES))
            return true;
        empty_box(c, child);
    }
    *done = true;
    return true;
}

static bool is_open(struct chooser const *c, struct box const *b)
{
    return b->bound >= chooser_target(c) && !comes_later(c, b);
}

/* Searches a box, or finds what to divide it by. *done: it was searched. False if it failed. */
static bool begin(struct chooser *c, struct box *b, uint32_t depth, bool *done)
{
    bool by_rule = c->ties && depth == 0;
    enum search_result result = search_box(c, b, by_rule, c->patience);
    if (result == SEARCH_FAILED && c->ticker->stopped)
        return false;
    *done = result == SEARCH_DONE;
    if (*done || (depth + 1 < BOXES && find_divider(c, b)))
        return true;
    *done = true;
    return search_box(c, b, by_rule, UINT64_MAX) == SEARCH_DONE;
}

/* A guess: as if all parts of a box took as long. */
static void tell_share(struct chooser *c, uint32_t depth)
{
    double share = 0, part = 1;
    for (uint32_t i = 0; i < depth; i++) {
        struct box const *b = &c->boxes[i];
        part /= b->class_count + 1;
        share += part * (b->child - 1);
    }
    c->ticker->progress.share = share;
}

bool branch_boxes(struct chooser *c)
{
    uint32_t depth = 0;
    bool fresh = true, done;
    while (!c->ticker->stopped) {
        struct box *b = &c->boxes[depth];
        done = !is_open(c, b);
        if (!done && fresh && !begin(c, b, depth, &done))
            return false;
        fresh = false;
        if (!done && !next_child(c, b, b + 1, &done)) {
            if (search_box(c, b, false, UINT64_MAX) != SEARCH_DONE) /* as it is */
                return false;
            done = true;
        }
        if (!done) {
            depth++;
            fresh = true;
            tell_share(c, depth);
        } else if (depth > 0) {
            empty_box(c, b);
            depth--;
        } else {
            return !c->ticker->stopped;
        }
    }
    return false;
}
