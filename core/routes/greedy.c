/* Sets that are made quickly, so that there is a good one before the search begins. */
#include <string.h>

#include "core/routes/choose.h"

/* What a set that is being made uses. */
struct using
{
    uint64_t *used; /* a row a group */
    uint32_t claims, passes;
};

static bool fits(struct chooser const *c, struct class const *k, struct entry const *e,
                 struct using const *u)
{
    return !(u->claims & e->claims) && u->passes + e->passes <= c->q->bypass_max &&
           !bits_meet(u->used + (size_t)k->group * c->set_words, e->bits, c->set_words);
}

static void use(struct chooser const *c, struct class const *k, struct entry const *e,
                struct using *u)
{
    u->claims |= e->claims;
    u->passes += e->passes;
    bits_add(u->used + (size_t)k->group * c->set_words, e->bits, c->set_words);
}

static uint64_t const *slot_points(struct chooser const *c, struct set const *s, uint32_t slot)
{
    return listing_points(&c->listings[s->types[slot]], s->items[slot]);
}

static bool meets(struct chooser const *c, struct set const *s, struct class const *k,
                  uint32_t item)
{
    bool alone = true;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        if (s->items[t] == CHOOSE_NONE)
            continue;
        alone = false;
        if (bits_meet(slot_points(c, s, t), listing_points(k->listing, item), c->view->point_words))
            return true;
    }
    return alone;
}

static bool visits_one(struct chooser const *c, struct class const *k, uint32_t item)
{
    for (uint32_t r = 0; r < c->q->asked->rules.set_count; r++)
        if (c->visits[r] &&
            !bits_meet(c->visits[r], listing_points(k->listing, item), c->view->point_words))
            return false;
    return true;
}

/* The item of a class that is best for a slot beside the others: by reduced value, or by value. */
static uint32_t pick(struct chooser *c, struct class const *k, struct set const *s,
                     struct using const *u, bool reduced, bool visiting)
{
    int64_t best = INT64_MIN;
    uint32_t item = CHOOSE_NONE;
    for (uint32_t i = 0; i < k->size; i++) {
        struct entry const *e = class_entry(k, k->items[i]);
        int64_t worth = reduced ? k->reduced[i] : e ? e->value : 0;
        if (!e || worth <= best || !fits(c, k, e, u) || (e->value <= 0 && !visiting))
            continue;
        if ((c->q->meet && !meets(c, s, k, k->items[i])) ||
            (visiting && !visits_one(c, k, k->items[i])))
            continue;
        best = worth;
        item = k->items[i];
    }
    ticker_add(c->ticker, k->size / 16 + 1);
    return item;
}

static void use_others(struct chooser *c, struct box const *b, uint32_t const *classes,
                       struct set const *s, struct using *u, uint32_t but)
{
    memset(u->used, 0, 8 * (size_t)c->groups * c->set_words);
    u->claims = u->passes = 0;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++)
        if (t != but && s->items[t] != CHOOSE_NONE)
            use(c, &b->classes[classes[t]], class_entry(&b->classes[classes[t]], s->items[t]), u);
}

/* The class of each slot. */
static void fill_slots(struct box const *b, struct set *s, uint32_t *classes)
{
    uint32_t slot = 0;
    for (uint32_t i = 0; i < b->class_count; i++)
        for (uint32_t j = 0; j < b->classes[i].count; j++, slot++) {
            s->items[slot] = CHOOSE_NONE;
            s->types[slot] = b->classes[i].type;
            classes[slot] = i;
        }
}

/* Slots take in turn, beginning with the one told; then routes are exchanged one by one while that
 * helps. What a rule on the set asks for is left to luck, but for the first slot. */
void greedy_set(struct chooser *c, struct box const *b, uint32_t start, bool reduced)
{
    uint32_t count = c->q->asked->train_count, classes[ROUTES_TRAINS];
    struct using u = {.used = c->used};
    struct set s;
    bool ruled = c->q->asked->rules.set_count > 0;
    fill_slots(b, &s, classes);
    use_others(c, b, classes, &s, &u, CHOOSE_NONE);
    for (uint32_t i = 0; i < count && !c->ticker->stopped; i++) {
        uint32_t slot = (start + i) % count;
        struct class const *k = &b->classes[classes[slot]];
        s.items[slot] = pick(c, k, &s, &u, reduced, ruled && i == 0);
        if (s.items[slot] != CHOOSE_NONE)
            use(c, k, class_entry(k, s.items[slot]), &u);
    }
    set_offer(c, &s);
    for (int round = 0; round < 4 && !ruled && !c->ticker->stopped; round++) {
        int64_t before = set_total(c, &s);
        for (uint32_t t = 0; t < count && !c->ticker->stopped; t++) {
            use_others(c, b, classes, &s, &u, t);
            s.items[t] = pick(c, &b->classes[classes[t]], &s, &u, false, false);
        }
        if (set_total(c, &s) <= before)
            break;
    }
    set_offer(c, &s);
}
