/* Two arrays of the same ids, in order and sorted: whether one is there is asked for each that
 * comes, and where it is only when it goes. Room is made in both before either is touched. */
#include "core/games.h"

#include <stdlib.h>
#include <string.h>

#include "core/history.h"

void games_put_id(unsigned char *at, uint64_t id)
{
    for (int i = 0; i < GAMES_ID; i++)
        at[i] = (unsigned char)(id >> 8 * i);
}

uint64_t games_get_id(void const *at)
{
    uint64_t id = 0;
    for (int i = 0; i < GAMES_ID; i++)
        id |= (uint64_t)((unsigned char const *)at)[i] << 8 * i;
    return id;
}

int games_begin(struct history *h)
{
    h->games = calloc(1, sizeof *h->games);
    return h->games ? REDO_OK : REDO_ENOMEM;
}

void games_free(struct games *g)
{
    if (!g)
        return;
    free(g->order);
    free(g->sorted);
    free(g);
}

void games_clear(struct games *g)
{
    free(g->order);
    free(g->sorted);
    *g = (struct games){0};
}

size_t games_memory(struct games const *g)
{
    return g ? sizeof *g + (size_t)g->cap * 2 * sizeof *g->order : 0;
}

/* The place of the first that is not below the id. */
static uint32_t place(uint64_t const *sorted, uint32_t count, uint64_t id)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_among(uint64_t const *sorted, uint32_t count, uint64_t id)
{
    uint32_t at = place(sorted, count, id);
    return at < count && sorted[at] == id;
}

bool games_has(struct games const *g, uint64_t id)
{
    return is_among(g->sorted, g->count, id);
}

static int grow(uint64_t **array, uint32_t cap)
{
    uint64_t *grown = realloc(*array, cap * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    *array = grown;
    return REDO_OK;
}

static int games_reserve(struct games *g, uint32_t more)
{
    uint32_t cap = g->cap ? g->cap : 8;
    while (cap < g->count + more)
        cap *= 2;
    if (cap == g->cap)
        return REDO_OK;
    if (grow(&g->order, cap) || grow(&g->sorted, cap))
        return REDO_ENOMEM;
    g->cap = cap;
    return REDO_OK;
}

static int compare(void const *a, void const *b)
{
    uint64_t x = *(uint64_t const *)a, y = *(uint64_t const *)b;
    return (x > y) - (x < y);
}

/* Mostly they rise as they come: sessions are numbered in the order in which they begin. */
static void sort(uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (ids[i - 1] <= ids[i])
            continue;
        qsort(ids, count, sizeof *ids, compare);
        return;
    }
}

/* Whether one is there twice. */
static bool has_twins(uint64_t const *sorted, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (sorted[i - 1] == sorted[i])
            return true;
    return false;
}

int games_load(struct games *g, unsigned char const *ids, uint32_t count)
{
    if (count > REDO_GAMES_MAX)
        return REDO_EDAMAGED;
    if (games_reserve(g, count))
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        g->order[i] = g->sorted[i] = games_get_id(ids + (size_t)i * GAMES_ID);
    g->count = count;
    sort(g->sorted, count);
    return count && (!g->sorted[0] || has_twins(g->sorted, count)) ? REDO_EDAMAGED : REDO_OK;
}

/* The ids of an operation. */
struct ids {
    unsigned char const *told; /* in the order in which they are told */
    uint64_t *sorted;
    uint32_t count;
};

static uint64_t told_at(struct ids const *ids, uint32_t i)
{
    return games_get_id(ids->told + (size_t)i * GAMES_ID);
}

static int check_insert(struct games *g, struct ids const *ids)
{
    if (!ids->sorted[0])
        return REDO_ENOSESSION;
    if (has_twins(ids->sorted, ids->count))
        return REDO_EINMATCH;
    for (uint32_t i = 0; i < ids->count; i++)
        if (games_has(g, ids->sorted[i]))
            return REDO_EINMATCH;
    return ids->count > REDO_GAMES_MAX - g->count ? REDO_EFULL : games_reserve(g, ids->count);
}

static void insert(struct games *g, struct ids const *ids, uint32_t at)
{
    memmove(g->order + at + ids->count, g->order + at, (g->count - at) * sizeof *g->order);
    for (uint32_t i = 0; i < ids->count; i++)
        g->order[at + i] = told_at(ids, i);
    /* Merged from the end, where there is room. */
    uint32_t left = g->count, more = ids->count;
    while (more) {
        bool old = left && g->sorted[left - 1] > ids->sorted[more - 1];
        uint64_t id = old ? g->sorted[--left] : ids->sorted[--more];
        g->sorted[left + more] = id;
    }
    g->count += ids->count;
}

static int check_there(struct games const *g, struct ids const *ids)
{
    if (has_twins(ids->sorted, ids->count))
        return REDO_ENOSESSION;
    for (uint32_t i = 0; i < ids->count; i++)
        if (!games_has(g, ids->sorted[i]))
            return REDO_ENOSESSION;
    return REDO_OK;
}

/* Leaves those out that are among the ids; how many are left. */
static uint32_t leave_out(uint64_t *all, uint32_t count, struct ids const *ids)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_among(ids->sorted, ids->count, all[i]))
            all[kept++] = all[i];
    return kept;
}

static void drop(struct games *g, struct ids const *ids)
{
    leave_out(g->order, g->count, ids);
    g->count = leave_out(g->sorted, g->count, ids);
}

/* Whether they are there already, in this order: the others are in theirs in any case. */
static bool is_ordered(struct games const *g, struct ids const *ids, uint32_t at)
{
    for (uint32_t i = 0; i < ids->count; i++)
        if (g->order[at + i] != told_at(ids, i))
            return false;
    return true;
}

static void put_in_order(struct games *g, struct ids const *ids, uint32_t at)
{
    uint32_t rest = leave_out(g->order, g->count, ids);
    memmove(g->order + at + ids->count, g->order + at, (rest - at) * sizeof *g->order);
    for (uint32_t i = 0; i < ids->count; i++)
        g->order[at + i] = told_at(ids, i);
}

static int edit(struct games *g, redo_operation const *op, struct ids const *ids, bool *changed)
{
    bool inserts = op->value == redo_games_insert, drops = op->value == redo_games_drop;
    int rc = inserts ? check_insert(g, ids) : check_there(g, ids);
    if (rc)
        return rc;
    uint32_t others = inserts ? g->count : g->count - ids->count;
    uint32_t at = op->source == NOBODY ? others : op->source;
    if (at > others)
        return REDO_ERANGE;
    *changed = inserts || drops || !is_ordered(g, ids, at);
    if (inserts)
        insert(g, ids, at);
    else if (drops)
        drop(g, ids);
    else if (*changed)
        put_in_order(g, ids, at);
    return REDO_OK;
}

int games_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    if (!h->games)
        return REDO_ENOTMATCH;
    if (op->value < redo_games_insert || op->value > redo_games_order)
        return REDO_ECONSTANT;
    if (!op->state || op->statesize < GAMES_ID || op->statesize % GAMES_ID)
        return REDO_EOPERATION;
    if (op->statesize / GAMES_ID > REDO_GAMES_MAX)
        return REDO_EFULL;
    struct ids ids = {.told = op->state, .count = (uint32_t)(op->statesize / GAMES_ID)};
    ids.sorted = malloc(ids.count * sizeof *ids.sorted);
    if (!ids.sorted)
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < ids.count; i++)
        ids.sorted[i] = told_at(&ids, i);
    sort(ids.sorted, ids.count);
    bool changed = false;
    int rc = edit(h->games, op, &ids, &changed);
    free(ids.sorted);
    if (rc)
        return rc;
    r->value = (int)h->games->count;
    r->changed = changed;
    h->changed |= changed;
    return REDO_OK;
}
