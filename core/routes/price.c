/* Prices by the subgradient method: what more than one train would use becomes dearer, what none
 * would use cheaper. */
#include <string.h>

#include "core/routes/choose.h"

static int64_t *claim_prices(struct chooser const *c)
{
    return c->prices + c->price_count - ROUTES_ONCE;
}

/* Sums of prices by the value of each byte of set bits, so that an entry is priced by look-ups. */
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
            c->claim_table[v & (v - 1)] + claim_prices(c)[(uint32_t)__builtin_ctz(v)];
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

static void price_class(struct chooser *c, struct class *k)
{
    k->best = INT64_MIN;
    for (uint32_t j = 0; j < k->size; j++) {
        struct entry const *e = class_entry(k, k->items[j]);
        k->reduced[j] = e ? reduced_value(c, k->group, e) : 0;
        if (k->reduced[j] > k->best) {
            k->best = k->reduced[j];
            k->best_item = k->items[j];
        }
    }
    ticker_add(c->ticker, k->size / 16 + 1);
}

/* Reduced values of all items, and the bound that follows. */
static void price_items(struct chooser *c, struct box *b)
{
    int64_t bound = 0;
    make_tables(c);
    for (size_t i = 0; i < c->price_count; i++)
        bound += c->prices[i];
    for (uint32_t i = 0; i < b->class_count; i++) {
        price_class(c, &b->classes[i]);
        bound += b->classes[i].count * b->classes[i].best;
    }
    b->bound = bound;
}

/* Drops items that are in no set that is looked for. Of the first box those stay that are in sets
 * as good as the best one, for when these are looked for. False if some train has none left. */
static bool drop_items(struct chooser *c, struct box *b)
{
    int64_t target = b == c->boxes ? SCALE * c->found->total : chooser_target(c);
    int64_t room = b->bound - target;
    for (uint32_t i = 0; i < b->class_count; i++) {
        struct class *k = &b->classes[i];
        uint32_t kept = 0;
        for (uint32_t j = 0; j < k->size; j++) {
            if (k->best - k->reduced[j] > room)
                continue;
            k->items[kept] = k->items[j];
            k->reduced[kept++] = k->reduced[j];
        }
        k->size = kept;
        if (!kept)
            return false;
    }
    return true;
}

static void count_usage(struct chooser *c, struct box const *b)
{
    uint32_t *claims = c->usage + c->price_count - ROUTES_ONCE;
    memset(c->usage, 0, c->price_count * sizeof *c->usage);
    for (uint32_t i = 0; i < b->class_count; i++) {
        struct class const *k = &b->classes[i];
        struct entry const *e = class_entry(k, k->best_item);
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

static bool move_prices(struct chooser *c, struct box const *b, double pace)
{
    int64_t norm = 0;
    count_usage(c, b);
    for (size_t i = 0; i < c->price_count; i++)
        norm += wish(c->prices[i], c->usage[i]) * wish(c->prices[i], c->usage[i]);
    if (norm == 0)
        return false;
    int64_t step = (int64_t)(pace * (double)(b->bound - SCALE * c->found->total) / (double)norm);
    for (size_t i = 0; i < c->price_count; i++) {
        c->prices[i] += (step + 1) * wish(c->prices[i], c->usage[i]);
        c->prices[i] = c->prices[i] < 0 ? 0 : c->prices[i];
    }
    return true;
}

#define PATIENCE 5 /* moves without a better bound before the pace is halved */
#define SLOWEST 0.01
#define SETS_EVERY 4 /* moves, in the first box */

bool price_box(struct chooser *c, struct box *b, uint32_t moves)
{
    size_t bytes = c->price_count * sizeof *c->prices;
    uint32_t count = c->q->asked->train_count, worse = 0;
    bool first = b == c->boxes;
    double pace = 1;
    price_items(c, b);
    for (uint32_t t = 0; t < count && t < 4 && first && moves; t++)
        greedy_set(c, b, t, false);
    int64_t best = b->bound;
    memcpy(b->prices, c->prices, bytes);
    for (uint32_t i = 0; i < moves && pace > SLOWEST && !c->ticker->stopped; i++) {
        if (b->bound < chooser_target(c) || !drop_items(c, b) || !move_prices(c, b, pace))
            break;
        price_items(c, b);
        if (b->bound < best) {
            worse = 0;
            best = b->bound;
            memcpy(b->prices, c->prices, bytes);
        } else if (++worse == PATIENCE) {
            worse = 0;
            pace /= 2;
            memcpy(c->prices, b->prices, bytes);
            price_items(c, b);
        }
        if (first && i % SETS_EVERY == 0)
            greedy_set(c, b, i / SETS_EVERY % count, true);
    }
    memcpy(c->prices, b->prices, bytes);
    price_items(c, b);
    if (!first && !c->ties)
        greedy_set(c, b, 0, true);
    return drop_items(c, b) && b->bound >= chooser_target(c);
}
