#include "core/routes/choose.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

/* A train that has been given a route (or none), in the search. */
struct level {
    uint32_t train;
    uint32_t pos;  /* next place to try */
    uint32_t item; /* place that is taken */
    uint32_t claims;
    uint32_t passes;
    int64_t gap;                   /* of all levels before */
    int64_t value;                 /* the same */
    uint32_t left[ROUTES_TRAINS];  /* by class: trains that come from here on */
    uint32_t first[ROUTES_TRAINS]; /* by class: the first item that can still be taken */
};

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

static void make_classes(struct chooser *c, struct listing const *listings)
{
    c->class_count = c->q->type_count;
    c->class_of = c->q->type_of;
    for (uint32_t i = 0; i < c->class_count; i++)
        c->classes[i] = (struct class){
            .listing = &listings[i], .group = c->q->types[i].group, .count = c->q->types[i].count};
}

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
    *c = (struct chooser){.q = q, .view = view, .budget = budget, .ticker = ticker, .found = found};
    c->set_words = view->set_words;
    c->groups = q->group_count;
    size_t bits = (size_t)c->groups * c->set_words * 64 + 1;
    make_classes(c, listings);
    c->prices = calloc(bits, sizeof *c->prices);
    c->best_prices = calloc(bits, sizeof *c->best_prices);
    c->usage = calloc(bits, sizeof *c->usage);
    c->tables = calloc((size_t)c->groups * c->set_words * 8 * 256 + 1, sizeof *c->tables);
    c->levels = calloc(ROUTES_TRAINS + 1, sizeof *c->levels);
    c->used = calloc((size_t)(ROUTES_TRAINS + 1) * c->groups * c->set_words + 1, 8);
    c->scratch = calloc(2 * (size_t)path_most(view), sizeof *c->scratch);
    if (c->prices && c->best_prices && c->usage && c->tables && c->levels && c->used &&
        c->scratch && make_visits(c) == REDO_OK)
        return REDO_OK;
    chooser_close(c);
    return REDO_ENOMEM;
}

static void empty_class(struct chooser *c, struct class *k)
{
    budget_realloc(c->budget, k->items, k->room * sizeof *k->items, 0);
    budget_realloc(c->budget, k->gaps, k->room * sizeof *k->gaps, 0);
    budget_realloc(c->budget, k->lex, k->room * sizeof *k->lex, 0);
    k->items = k->lex = NULL;
    k->gaps = NULL;
    k->room = k->size = 0;
}

void chooser_close(struct chooser *c)
{
    for (uint32_t i = 0; i < c->class_count; i++)
        empty_class(c, &c->classes[i]);
    for (uint32_t k = 0; c->visits && k < c->q->asked->rules.set_count; k++)
        free(c->visits[k]);
    free(c->visits);
    free(c->prices);
    free(c->best_prices);
    free(c->usage);
    free(c->tables);
    free(c->levels);
    free(c->used);
    free(c->scratch);
}

bool chooser_fill(struct chooser *c)
{
    for (uint32_t i = 0; i < c->class_count; i++) {
        struct class *k = &c->classes[i];
        uint32_t room = k->listing->count + 2; /* no route, and the end */
        empty_class(c, k);
        k->items = budget_realloc(c->budget, NULL, 0, room * sizeof *k->items);
        k->gaps = k->items ? budget_realloc(c->budget, NULL, 0, room * sizeof *k->gaps) : NULL;
        k->lex = k->gaps ? budget_realloc(c->budget, NULL, 0, room * sizeof *k->lex) : NULL;
        if (!k->lex) {
            c->budget->used -=
                (k->items ? room * sizeof *k->items : 0) + (k->gaps ? room * sizeof *k->gaps : 0);
            free(k->items);
            free(k->gaps);
            k->items = NULL;
            k->gaps = NULL;
            return false;
        }
        k->room = room;
        k->size = room - 1;
        for (uint32_t j = 0; j + 1 < k->size; j++)
            k->items[j] = j;
        k->items[k->size - 1] = CHOOSE_NONE;
    }
    return true;
}

/* --- sets --- */

static struct entry const *entry_of(struct class const *k, uint32_t item)
{
    return item == CHOOSE_NONE ? NULL : listing_at(k->listing, item);
}

/* The items of a set, by train. */
struct set {
    uint32_t items[ROUTES_TRAINS];
};

static uint64_t const *points_of(struct chooser const *c, struct set const *s, uint32_t train)
{
    return listing_points(c->classes[c->class_of[train]].listing, s->items[train]);
}

static bool visits_all(struct chooser const *c, struct set const *s)
{
    for (uint32_t k = 0; k < c->q->asked->rules.set_count; k++) {
        bool visited = !c->visits[k];
        for (uint32_t t = 0; t < c->q->asked->train_count && !visited; t++)
            visited = s->items[t] != CHOOSE_NONE &&
                      bits_meet(c->visits[k], points_of(c, s, t), c->view->point_words);
        if (!visited)
            return false;
    }
    return true;
}

/* Whether routes hang together: those met so far spread until none is added. */
static bool hangs_together(struct chooser const *c, struct set const *s)
{
    uint32_t count = c->q->asked->train_count, run = 0, met, before = 0;
    for (uint32_t t = 0; t < count; t++)
        run |= s->items[t] != CHOOSE_NONE ? 1u << t : 0;
    met = run & -run;
    while (met != before) {
        before = met;
        for (uint32_t t = 0; t < count; t++)
            for (uint32_t u = 0; u < count && met >> t & 1; u++)
                if (run >> u & 1 &&
                    bits_meet(points_of(c, s, t), points_of(c, s, u), c->view->point_words))
                    met |= 1u << u;
    }
    return met == run;
}

static bool obeys_rules(struct chooser const *c, struct set const *s)
{
    uint32_t passes = 0, runs = 0;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        struct entry const *e = entry_of(&c->classes[c->class_of[t]], s->items[t]);
        runs += e != NULL;
        passes += e && e->passes;
    }
    return runs == 0 || (passes <= c->q->bypass_max && visits_all(c, s) &&
                         (!c->q->meet || hangs_together(c, s)));
}

static int64_t total_of(struct chooser const *c, struct set const *s)
{
    int64_t total = 0;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        struct entry const *e = entry_of(&c->classes[c->class_of[t]], s->items[t]);
        total += e ? e->value : 0;
    }
    return total;
}

static void keep(struct chooser *c, struct set const *s)
{
    struct found *f = c->found;
    f->total = total_of(c, s);
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        struct class const *k = &c->classes[c->class_of[t]];
        struct entry const *e = entry_of(k, s->items[t]);
        f->runs[t] = e != NULL;
        if (!e)
            continue;
        uint16_t const *path = listing_path(k->listing, s->items[t]);
        f->values[t] = e->value;
        memcpy(f->paths + (size_t)t * f->path_room, path, path_size(path) * sizeof *path);
    }
    c->ticker->progress.best = f->total;
}

static void offer(struct chooser *c, struct set const *s)
{
    if (total_of(c, s) > c->found->total && obeys_rules(c, s))
        keep(c, s);
}

/* --- greedy sets --- */

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

static bool meets(struct chooser const *c, struct set const *s, struct class const *k,
                  uint32_t item)
{
    bool alone = true;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        if (s->items[t] == CHOOSE_NONE)
            continue;
        alone = false;
        if (bits_meet(points_of(c, s, t), listing_points(k->listing, item), c->view->point_words))
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

/* Gives a train the best route that fits the others: by reduced value, or by value. */
static void give(struct chooser *c, struct set *s, struct using *u, uint32_t train, bool reduced,
                 bool visiting)
{
    struct class const *k = &c->classes[c->class_of[train]];
    int64_t best = INT64_MIN;
    uint32_t item = CHOOSE_NONE;
    for (uint32_t i = 0; i < k->size; i++) {
        struct entry const *e = entry_of(k, k->items[i]);
        int64_t worth = reduced ? k->gaps[i] : e ? e->value : 0;
        if (!e || worth <= best || !fits(c, k, e, u) || (e->value <= 0 && !visiting))
            continue;
        if ((c->q->meet && !meets(c, s, k, k->items[i])) ||
            (visiting && !visits_one(c, k, k->items[i])))
            continue;
        best = worth;
        item = k->items[i];
    }
    s->items[train] = item;
    if (item != CHOOSE_NONE)
        use(c, k, entry_of(k, item), u);
    ticker_add(c->ticker, k->size / 16 + 1);
}

static void use_others(struct chooser *c, struct set const *s, struct using *u, uint32_t but)
{
    memset(u->used, 0, 8 * (size_t)c->groups * c->set_words);
    u->claims = u->passes = 0;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++)
        if (t != but && s->items[t] != CHOOSE_NONE)
            use(c, &c->classes[c->class_of[t]], entry_of(&c->classes[c->class_of[t]], s->items[t]),
                u);
}

/* Takes trains one by one, beginning with the one told, and then exchanges routes one by one while
 * that helps. */
static void make_set(struct chooser *c, uint32_t start, bool reduced)
{
    uint32_t count = c->q->asked->train_count;
    struct using u = {.used = c->used};
    struct set s;
    bool ruled = c->q->asked->rules.set_count > 0;
    memset(s.items, 0xff, sizeof s.items);
    use_others(c, &s, &u, CHOOSE_NONE);
    for (uint32_t i = 0; i < count && !c->ticker->stopped; i++)
        give(c, &s, &u, (start + i) % count, reduced, ruled && i == 0);
    offer(c, &s);
    for (int round = 0; round < 4 && !ruled && !c->ticker->stopped; round++) {
        int64_t before = total_of(c, &s);
        for (uint32_t t = 0; t < count; t++) {
            use_others(c, &s, &u, t);
            give(c, &s, &u, t, false, false);
        }
        if (total_of(c, &s) <= before)
            break;
    }
    offer(c, &s);
}

/* --- prices --- */

static void make_tables(struct chooser *c)
{
    size_t bytes = (size_t)c->groups * c->set_words * 8;
    for (size_t i = 0; i < bytes; i++) {
        int64_t *table = c->tables + i * 256;
        for (uint32_t v = 1; v < 256; v++)
            table[v] = table[v & (v - 1)] + c->prices[i * 8 + (uint32_t)__builtin_ctz(v)];
    }
    for (uint32_t v = 1; v < 1u << c->q->once_count; v++)
        c->claim_table[v] =
            c->claim_table[v & (v - 1)] + c->claim_prices[(uint32_t)__builtin_ctz(v)];
}

static int64_t reduced_value(struct chooser const *c, uint32_t group, struct entry const *e)
{
    int64_t const *table = c->tables + (size_t)group * c->set_words * 8 * 256;
    int64_t sum = SCALE * e->value - c->claim_table[e->claims];
    for (uint32_t w = 0; w < c->set_words; w++) {
        uint64_t bits = e->bits[w];
        for (int i = 0; i < 8; i++, table += 256, bits >>= 8)
            sum -= table[bits & 255];
    }
    return sum;
}

/* Reduced values of all items, and the bound that follows. */
static void price_items(struct chooser *c)
{
    size_t bits = (size_t)c->groups * c->set_words * 64;
    int64_t bound = 0;
    make_tables(c);
    for (size_t i = 0; i < bits; i++)
        bound += c->prices[i];
    for (uint32_t i = 0; i < c->q->once_count; i++)
        bound += c->claim_prices[i];
    for (uint32_t i = 0; i < c->class_count; i++) {
        struct class *k = &c->classes[i];
        k->best = 0;
        k->best_item = CHOOSE_NONE;
        for (uint32_t j = 0; j < k->size; j++) {
            struct entry const *e = entry_of(k, k->items[j]);
            k->gaps[j] = e ? reduced_value(c, k->group, e) : 0;
            if (k->gaps[j] > k->best) {
                k->best = k->gaps[j];
                k->best_item = k->items[j];
            }
        }
        bound += k->count * k->best;
        ticker_add(c->ticker, k->size / 16 + 1);
    }
    c->bound = bound;
}

static void tell_bound(struct chooser *c)
{
    int64_t bound = c->bound / SCALE; /* neither is negative */
    if (!c->partial && bound < c->ticker->progress.bound)
        c->ticker->progress.bound = bound;
}

/* Drops items that are in no set as good as the best one. */
static void drop_items(struct chooser *c)
{
    int64_t room = c->bound - SCALE * c->found->total;
    for (uint32_t i = 0; i < c->class_count; i++) {
        struct class *k = &c->classes[i];
        uint32_t kept = 0;
        for (uint32_t j = 0; j < k->size; j++) {
            if (k->best - k->gaps[j] > room)
                continue;
            k->items[kept] = k->items[j];
            k->gaps[kept++] = k->gaps[j];
        }
        k->size = kept;
    }
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

static void find_step(struct chooser *c)
{
    c->step = 0;
    for (uint32_t i = 0; i < c->class_count; i++)
        for (uint32_t j = 0; j < c->classes[i].size; j++) {
            struct entry const *e = entry_of(&c->classes[i], c->classes[i].items[j]);
            if (e && e->value && (c->step == 0 || e->value % c->step))
                c->step = gcd(e->value, c->step);
        }
    if (c->step == 0)
        c->step = 1;
}

/* Whether no set can be better than the best one: totals are multiples of the step. */
static bool is_settled(struct chooser const *c)
{
    return c->bound < SCALE * (c->found->total + c->step);
}

static void count_usage(struct chooser *c, uint32_t *claims)
{
    memset(c->usage, 0, (size_t)c->groups * c->set_words * 64 * sizeof *c->usage);
    memset(claims, 0, ROUTES_ONCE * sizeof *claims);
    for (uint32_t i = 0; i < c->class_count; i++) {
        struct class const *k = &c->classes[i];
        struct entry const *e = entry_of(k, k->best_item);
        uint32_t *usage = c->usage + (size_t)k->group * c->set_words * 64;
        if (!e)
            continue;
        BITS_EACH(bit, e->bits, c->set_words)
        {
            usage[bit] += k->count;
        }
        for (uint32_t o = 0; o < c->q->once_count; o++)
            claims[o] += (e->claims >> o & 1) * k->count;
    }
}

/* What a price would be moved by: up where more than one uses it, down where none does. */
static int64_t wish(int64_t price, uint32_t usage)
{
    return usage == 0 && price == 0 ? 0 : (int64_t)usage - 1;
}

static void move_prices(struct chooser *c, double pace)
{
    size_t bits = (size_t)c->groups * c->set_words * 64;
    uint32_t claims[ROUTES_ONCE];
    int64_t norm = 0;
    count_usage(c, claims);
    for (size_t i = 0; i < bits; i++)
        norm += wish(c->prices[i], c->usage[i]) * wish(c->prices[i], c->usage[i]);
    for (uint32_t i = 0; i < c->q->once_count; i++)
        norm += wish(c->claim_prices[i], claims[i]) * wish(c->claim_prices[i], claims[i]);
    if (norm == 0)
        return;
    int64_t room = c->bound - SCALE * c->found->total;
    int64_t step = (int64_t)(pace * (double)room / (double)norm) + 1;
    for (size_t i = 0; i < bits; i++) {
        c->prices[i] += step * wish(c->prices[i], c->usage[i]);
        c->prices[i] = c->prices[i] < 0 ? 0 : c->prices[i];
    }
    for (uint32_t i = 0; i < c->q->once_count; i++) {
        c->claim_prices[i] += step * wish(c->claim_prices[i], claims[i]);
        c->claim_prices[i] = c->claim_prices[i] < 0 ? 0 : c->claim_prices[i];
    }
}

static void copy_prices(struct chooser *c, bool back)
{
    size_t bytes = (size_t)c->groups * c->set_words * 64 * sizeof *c->prices;
    memcpy(back ? c->prices : c->best_prices, back ? c->best_prices : c->prices, bytes);
    memcpy(back ? c->claim_prices : c->best_claim_prices,
           back ? c->best_claim_prices : c->claim_prices, sizeof c->claim_prices);
}

#define PACES 150  /* moves at most */
#define PATIENCE 5 /* moves without a better bound before the pace is halved */
#define SLOWEST 0.01

void chooser_price(struct chooser *c)
{
    uint32_t count = c->q->asked->train_count, worse = 0;
    double pace = 1;
    price_items(c);
    for (uint32_t t = 0; t < count && t < 4; t++)
        make_set(c, t, false);
    find_step(c);
    int64_t best = c->bound;
    copy_prices(c, false);
    tell_bound(c);
    for (int i = 0; i < PACES && pace > SLOWEST && !is_settled(c) && !c->ticker->stopped; i++) {
        drop_items(c);
        move_prices(c, pace);
        price_items(c);
        if (c->bound < best) {
            worse = 0;
            best = c->bound;
            copy_prices(c, false);
            tell_bound(c);
        } else if (++worse == PATIENCE) {
            worse = 0;
            pace /= 2;
            copy_prices(c, true);
            price_items(c);
        }
        if (i % 4 == 0)
            make_set(c, (uint32_t)i / 4 % count, true);
    }
    copy_prices(c, true);
    price_items(c);
    drop_items(c);
    find_step(c);
}

/* --- the search --- */

static uint64_t *level_used(struct chooser const *c, uint32_t level, uint32_t group)
{
    return c->used + ((size_t)level * c->groups + group) * c->set_words;
}

static bool can_take(struct chooser const *c, uint32_t level, struct class const *k, uint32_t place)
{
    struct entry const *e = entry_of(k, k->items[place]);
    struct level const *l = &c->levels[level];
    return !e || (!(l->claims & e->claims) && l->passes + e->passes <= c->q->bypass_max &&
                  !bits_meet(level_used(c, level, k->group), e->bits, c->set_words));
}

/* Gaps that the trains from this level on can not avoid: each class's first item that can still be
 * taken. Stops when it is more than there is room for. */
static int64_t least_gaps(struct chooser *c, uint32_t level, int64_t room)
{
    struct level *l = &c->levels[level];
    int64_t sum = 0;
    for (uint32_t i = 0; i < c->class_count && sum <= room; i++) {
        struct class const *k = &c->classes[i];
        uint32_t place = l->first[i];
        if (!l->left[i])
            continue;
        while (k->gaps[place] <= room && !can_take(c, level, k, place))
            place++;
        ticker_add(c->ticker, (place - l->first[i]) / 8);
        l->first[i] = place;
        sum += l->left[i] * k->gaps[place];
    }
    return sum;
}

/* Gives the level's train an item; the next level begins from there. rising: later trains of the
 * class take no earlier item. False if it leaves no room. */
static bool descend(struct chooser *c, uint32_t level, uint32_t place, int64_t room, bool rising)
{
    struct level *l = &c->levels[level], *n = l + 1;
    uint32_t class = c->class_of[l->train];
    struct class const *k = &c->classes[class];
    struct entry const *e = entry_of(k, k->items[place]);
    uint32_t train = n->train;
    *n = *l;
    n->train = train;
    n->left[class]--;
    if (rising && n->first[class] < place)
        n->first[class] = place;
    n->gap += k->gaps[place];
    l->item = place;
    memcpy(level_used(c, level + 1, 0), level_used(c, level, 0),
           8 * (size_t)c->groups * c->set_words);
    if (e) {
        n->value += e->value;
        n->claims |= e->claims;
        n->passes += e->passes;
        bits_add(level_used(c, level + 1, k->group), e->bits, c->set_words);
    }
    return n->gap + least_gaps(c, level + 1, room - n->gap) <= room;
}

static void read_levels(struct chooser const *c, uint32_t count, struct set *s)
{
    for (uint32_t i = 0; i < count; i++) {
        struct level const *l = &c->levels[i];
        s->items[l->train] = c->classes[c->class_of[l->train]].items[l->item];
    }
}

/* The end of a list is an item with a gap for which there is never room. */
#define END_GAP (INT64_MAX / 64)

struct pair {
    int64_t gap;
    uint32_t item;
};

static int by_gap(void const *a, void const *b)
{
    struct pair const *x = a, *y = b;
    if (x->gap != y->gap)
        return x->gap < y->gap ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* From reduced values to gaps, in rising order. */
static bool sort_items(struct chooser *c)
{
    for (uint32_t i = 0; i < c->class_count; i++) {
        struct class *k = &c->classes[i];
        struct pair *pairs = malloc((k->size + 1) * sizeof *pairs);
        if (!pairs)
            return false;
        for (uint32_t j = 0; j < k->size; j++)
            pairs[j] = (struct pair){k->best - k->gaps[j], k->items[j]};
        qsort(pairs, k->size, sizeof *pairs, by_gap);
        for (uint32_t j = 0; j < k->size; j++) {
            k->gaps[j] = pairs[j].gap;
            k->items[j] = pairs[j].item;
        }
        free(pairs);
        k->gaps[k->size] = END_GAP;
    }
    return true;
}

static void start_levels(struct chooser *c, bool by_size)
{
    uint32_t count = c->q->asked->train_count;
    memset(&c->levels[0], 0, sizeof c->levels[0]);
    memset(level_used(c, 0, 0), 0, 8 * (size_t)c->groups * c->set_words);
    for (uint32_t t = 0; t < count; t++) {
        c->levels[t].train = t;
        c->levels[0].left[c->class_of[t]]++;
    }
    for (uint32_t i = 1; i < count && by_size; i++) {
        uint32_t train = c->levels[i].train, j = i, class = c->class_of[train];
        for (; j > 0; j--) {
            uint32_t other = c->class_of[c->levels[j - 1].train];
            if (c->classes[other].size < c->classes[class].size ||
                (c->classes[other].size == c->classes[class].size && other <= class))
                break;
            c->levels[j].train = c->levels[j - 1].train;
        }
        c->levels[j].train = train;
    }
}

bool chooser_search(struct chooser *c)
{
    uint32_t count = c->q->asked->train_count, level = 0;
    if (!sort_items(c))
        return false;
    start_levels(c, true);
    while (!c->ticker->stopped) {
        struct level *l = &c->levels[level];
        struct class const *k = &c->classes[c->class_of[l->train]];
        int64_t room = c->bound - SCALE * (c->found->total + c->step);
        if (room < 0)
            return true;
        if (k->gaps[l->pos] + l->gap > room) {
            if (level-- == 0)
                return true;
            continue;
        }
        uint32_t place = l->pos++;
        ticker_add(c->ticker, 1);
        if (!can_take(c, level, k, place) || !descend(c, level, place, room, true))
            continue;
        if (level + 1 == count) {
            struct set s;
            read_levels(c, count, &s);
            offer(c, &s);
            continue;
        }
        level++;
        c->levels[level].pos = c->levels[level].first[c->class_of[c->levels[level].train]];
    }
    return false;
}

/* --- the tie rule --- */

struct key {
    uint64_t key;
    uint32_t place;
};

struct order {
    struct chooser *c;
    struct class const *k;
};

static int by_tie_rule(void const *a, void const *b, void *context)
{
    struct key const *x = a, *y = b;
    struct order const *o = context;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    uint32_t p = o->k->items[x->place], q = o->k->items[y->place];
    if (p != CHOOSE_NONE && q != CHOOSE_NONE) {
        int order = path_compare(o->c->view, listing_path(o->k->listing, p),
                                 listing_path(o->k->listing, q), o->c->scratch);
        if (order)
            return order;
    }
    return (p > q) - (p < q);
}

static bool sort_by_tie_rule(struct chooser *c, struct class *k)
{
    struct order order = {c, k};
    struct key *keys = malloc((k->size + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t i = 0; i < k->size; i++) {
        uint32_t item = k->items[i];
        keys[i].place = i;
        keys[i].key = item == CHOOSE_NONE
                          ? UINT64_MAX
                          : path_key(c->view, listing_path(k->listing, item), c->scratch);
    }
    qsort_r(keys, k->size, sizeof *keys, by_tie_rule, &order);
    for (uint32_t i = 0; i < k->size; i++)
        k->lex[i] = keys[i].place;
    free(keys);
    return true;
}

/* The place in the tie rule's order from which a train may take: after those that an earlier train
 * of its class has passed over. */
static uint32_t first_place(struct chooser const *c, uint32_t level)
{
    for (uint32_t t = level; t-- > 0;)
        if (c->class_of[t] == c->class_of[level])
            return c->levels[t].pos - 1;
    return 0;
}

bool chooser_order(struct chooser *c)
{
    uint32_t count = c->q->asked->train_count, level = 0;
    int64_t room = c->bound - SCALE * c->found->total;
    for (uint32_t i = 0; i < c->class_count; i++)
        if (!sort_by_tie_rule(c, &c->classes[i]))
            return false;
    start_levels(c, false);
    while (!c->ticker->stopped) {
        struct level *l = &c->levels[level];
        struct class const *k = &c->classes[c->class_of[l->train]];
        if (l->pos == k->size) {
            if (level-- == 0)
                return false;
            continue;
        }
        uint32_t place = k->lex[l->pos++];
        ticker_add(c->ticker, 1);
        if (k->gaps[place] + l->gap > room || !can_take(c, level, k, place) ||
            !descend(c, level, place, room, false))
            continue;
        if (level + 1 < count) {
            level++;
            c->levels[level].pos = first_place(c, level);
            continue;
        }
        struct set s;
        read_levels(c, count, &s);
        if (total_of(c, &s) == c->found->total && obeys_rules(c, &s)) {
            keep(c, &s);
            return true;
        }
    }
    return false;
}
