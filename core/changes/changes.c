#include "core/changes/inside.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/changes/lines.h"
#include "core/changes/plan.h"
#include "core/changes/steps.h"
#include "core/equal.h"
#include "core/error.h"
#include "core/history.h"

/* ---- turns by position ------------------------------------------------------------------- */

struct turn **turn_place(struct changes const *c, uint32_t number)
{
    return pool_find(&c->turns, number);
}

struct turn *turn_at(struct changes const *c, uint32_t number)
{
    struct turn **place = turn_place(c, number);
    return place ? *place : NULL;
}

static size_t turn_bytes(struct turn const *t)
{
    return sizeof *t + t->size + t->steps + 16; /* as malloc() has it */
}

void turn_free(struct changes *c, struct turn *t)
{
    if (t)
        c->bytes -= turn_bytes(t);
    free(t);
}

struct turn *turn_make(struct changes *c, void const *data, size_t size,
                       struct value_writer const *steps, uint32_t faults)
{
    struct turn *t = malloc(sizeof *t + size + steps->size);
    if (!t)
        return NULL;
    *t = (struct turn){.size = (uint32_t)size, .steps = (uint32_t)steps->size, .faults = faults};
    memcpy(t->data, data, size);
    if (steps->size)
        memcpy(t->data + size, steps->data, steps->size);
    c->bytes += turn_bytes(t);
    return t;
}

void changes_forget(struct history *h, struct node const *n)
{
    turn_free(h->changes, turn_at(h->changes, n->in.id));
}

struct turn const *changes_turn(struct history const *h, struct node const *n)
{
    return turn_at(h->changes, n->in.id);
}

int64_t changes_lines(void const *data, size_t size)
{
    struct turn_reader t;
    return turn_open(&t, data, size) ? (int64_t)t.count : -1;
}

/* ---- a position's state ------------------------------------------------------------------ */

static void put_state(unsigned char state[CHANGES_STATE], struct digest d, uint32_t apart)
{
    uint64_t low = htole64(d.low), high = htole64(d.high);
    apart = htole32(apart);
    memcpy(state, &low, 8);
    memcpy(state + 8, &high, 8);
    memcpy(state + 16, &apart, 4);
}

#define APART_UNIQUE UINT32_MAX /* equal to none: the digest is the number of the position */
#define APART_MAX 64            /* boards of one digest; with more, one is equal to none */

bool changes_unique(void const *state, uint32_t number, unsigned char own[CHANGES_STATE])
{
    uint32_t apart;
    memcpy(&apart, (char const *)state + 16, sizeof apart);
    put_state(own, (struct digest){.low = number}, APART_UNIQUE);
    return apart == APART_UNIQUE;
}

/* Whether a board is that of positions which have this state already, or of ones that are planned.
 */
static int compare_board(struct history *h, struct plan *plan, struct table const *t,
                         void const *state, bool *there, bool *same)
{
    struct changes *c = h->changes;
    struct node *first = equal_first(h, equal_hash(h, state), state);
    *there = first;
    if (!first)
        return plan ? plan_compare(h, plan, t, state, there, same) : REDO_OK;
    int rc = view_go(h, &c->other, first);
    return rc ? rc : table_same_board(t, &c->other.table, same, NULL);
}

/* The state of the position that gets this number: the board's digest, and which of the boards of
 * that digest it is. */
static int find_state(struct history *h, struct plan *plan, struct table const *t,
                      struct digest const *given, uint32_t number,
                      unsigned char state[CHANGES_STATE])
{
    struct changes *c = h->changes;
    if (!c->has_schema && given) {
        put_state(state, *given, 0);
        return REDO_OK;
    }
    for (uint32_t apart = 0; c->has_schema && !t->unknown && apart < APART_MAX; apart++) {
        bool there, same;
        put_state(state, t->digest, apart);
        int rc = compare_board(h, plan, t, state, &there, &same);
        if (rc || !there || same)
            return rc;
    }
    put_state(state, (struct digest){.low = number}, APART_UNIQUE);
    return REDO_OK;
}

/* Has the processor fetch what find_state() will look at first. */
static void expect_state(struct history const *h, struct table const *t)
{
    unsigned char state[CHANGES_STATE];
    if (!h->changes->has_schema)
        return;
    put_state(state, t->digest, 0);
    index_prefetch(&h->classes, equal_hash(h, state));
}

/* ---- adding ------------------------------------------------------------------------------ */

/* The digest that the game gives, as one of ours. */
static int read_digest(struct changes *c, struct turn_reader const *t, struct digest *d)
{
    size_t size;
    int rc = values_form(&c->values, t->digest, t->digest_size, &size);
    if (rc)
        return rc;
    XXH128_hash_t hash = XXH3_128bits(c->values.scratch, size);
    *d = (struct digest){.low = hash.low64, .high = hash.high64};
    return REDO_OK;
}

#define STEPS_KEPT 4096 /* bytes */
#define MARKS 512       /* of items of a turn, which is parsed again from where they end */

/* Room for the steps of a turn, which stays from turn to turn. */
static struct value_writer take_steps(struct changes *c)
{
    struct value_writer steps = c->steps;
    c->steps = (struct value_writer){0};
    return steps;
}

static void keep_steps(struct changes *c, struct value_writer const *steps)
{
    if (c->steps.data || steps->cap > STEPS_KEPT)
        free(steps->data);
    else
        c->steps = (struct value_writer){.data = steps->data, .cap = steps->cap};
}

/* The main table is a network, if it has to be. */
static int check_network(struct changes *c)
{
    struct routes_fault fault = {""};
    if (!c->schema.routes || c->lenient)
        return REDO_OK;
    int rc = network_sync(&c->main, &fault);
    if (rc == REDO_ENETWORK) {
        fault_clear(&c->fault);
        memcpy(c->fault.what, fault.text, sizeof fault.text);
    }
    return rc;
}

int changes_compile_here(struct history *h, struct plan *plan, void const *data, size_t size,
                         uint32_t number, struct turn **turn, unsigned char state[CHANGES_STATE])
{
    struct changes *c = h->changes;
    unsigned char const *marks[MARKS];
    struct turn_reader reader;
    struct digest given;
    fault_clear(&c->fault);
    *turn = NULL;
    if (size > REDO_STATE_MAX || !turn_open_marking(&reader, data, size, marks, MARKS))
        return REDO_EOPERATION;
    int rc = reader.digest ? read_digest(c, &reader, &given) : REDO_OK;
    if (rc)
        return rc;
    struct run run = {.c = c,
                      .table = &c->main.table,
                      .mode = c->lenient ? LINES_LENIENT : LINES_STRICT,
                      .steps = take_steps(c),
                      .fault = &c->fault};
    rc = lines_run(&run, &reader);
    if (!rc)
        rc = check_network(c);
    if (!rc)
        expect_state(h, &c->main.table);
    if (!rc && !(*turn = turn_make(c, data, size, &run.steps, run.faults)))
        rc = REDO_ENOMEM;
    else if (!rc)
        rc = find_state(h, plan, &c->main.table, reader.digest ? &given : NULL, number, state);
    if (rc && !run.lost)
        run.lost = steps_undo(&c->main.table, run.steps.data, run.steps.size);
    if (rc && *turn) {
        turn_free(c, *turn);
        *turn = NULL;
    }
    if (run.lost)
        view_lose(&c->main);
    keep_steps(c, &run.steps);
    return rc;
}

/* They are found by running the turn once more, where it was played, and taking it back. */
static int find_faulty(struct history *h, struct node *n, struct value_writer *which,
                       uint32_t *count)
{
    struct changes *c = h->changes;
    struct turn const *t = changes_turn(h, n);
    struct turn_reader reader;
    struct fault ignored;
    int rc = view_go(h, &c->other, node_prev(n));
    if (rc)
        return rc;
    struct run run = {
        .c = c, .table = &c->other.table, .mode = LINES_LENIENT, .fault = &ignored, .which = which};
    turn_open(&reader, t->data, t->size);
    rc = lines_run(&run, &reader);
    *count = run.faults;
    if (!run.lost)
        run.lost = steps_undo(&c->other.table, run.steps.data, run.steps.size);
    if (run.lost)
        view_lose(&c->other);
    free(run.steps.data);
    return rc ? REDO_ENOMEM : REDO_OK;
}

int changes_put_faulty(struct history *h, struct node *n, struct value_writer *w)
{
    struct turn const *t = changes_turn(h, n);
    struct value_writer which = {0};
    uint32_t count = 0;
    int rc = t->faults ? find_faulty(h, n, &which, &count) : REDO_OK;
    if (!rc) {
        value_put_array(w, count);
        value_put_bytes(w, which.data, which.size);
        rc = w->failed || which.failed ? REDO_ENOMEM : REDO_OK;
    }
    free(which.data);
    return rc;
}

int changes_compile(struct history *h, struct node *prev, void const *data, size_t size,
                    struct turn **turn, unsigned char state[CHANGES_STATE])
{
    *turn = NULL;
    int rc = view_go(h, &h->changes->main, prev);
    return rc ? rc : changes_compile_here(h, NULL, data, size, h->next, turn, state);
}

void changes_abandon(struct history *h, struct node *prev, struct turn *turn)
{
    struct changes *c = h->changes;
    (void)prev; /* where the main table is again */
    if (c->main.there && steps_undo(&c->main.table, turn->data + turn->size, turn->steps))
        view_lose(&c->main);
    turn_free(c, turn);
}

void changes_enter(struct history *h, struct node *n, struct turn *turn)
{
    *turn_place(h->changes, n->in.id) = turn;
    h->changes->main.at = n->in.id;
    checkpoint_keep(h, &h->changes->main, n);
}

void changes_drop(struct history *h, struct node *n)
{
    struct changes *c = h->changes;
    struct checkpoint *p = checkpoint_find(c, n->in.id);
    struct view *views[] = {&c->main, &c->other};
    for (int i = 0; i < 2; i++)
        if (views[i]->there && views[i]->at == n->in.id && view_up(h, views[i]))
            view_lose(views[i]);
    if (p)
        checkpoint_drop(c, p);
    struct turn **place = turn_place(c, n->in.id);
    turn_free(c, *place);
    *place = NULL;
}

/* ---- beginning --------------------------------------------------------------------------- */

void changes_free(struct changes *c)
{
    if (!c)
        return;
    while (c->checkpoint_count)
        checkpoint_drop(c, c->checkpoints);
    free(c->checkpoints);
    view_lose(&c->main);
    view_lose(&c->other);
    network_release(c->main.network);
    network_release(c->other.network);
    network_forget_log(&c->main.log);
    network_forget_log(&c->other.log);
    table_close(&c->initial);
    schema_close(&c->schema);
    values_close(&c->values);
    pool_close(&c->turns);
    free(c->steps.data);
    free(c->path);
    free(c->renamed);
    free(c->copies);
    free(c);
}

void changes_begin(struct changes *c)
{
    if (c->refused) /* only now: c->fault tells some of them */
        values_forget(&c->values, c->values_before);
    c->refused = false;
    fault_clear(&c->fault);
    c->values_before = c->values.count;
    c->highest_before = c->highest;
    c->renamed_count = 0;
}

void changes_refuse(struct changes *c)
{
    c->refused = true;
    c->highest = c->highest_before;
    c->renamed_count = 0;
}

size_t changes_memory(struct changes const *c)
{
    size_t size = sizeof *c + c->bytes + values_memory(&c->values) + c->turns.bytes +
                  table_memory(&c->initial) + c->path_cap * sizeof *c->path + c->steps.cap +
                  c->schema.size + 2 * (size_t)c->renamed_cap * sizeof *c->renamed;
    if (c->main.there)
        size += table_memory(&c->main.table);
    if (c->other.there)
        size += table_memory(&c->other.table);
    if (c->main.network)
        size += routes_network_sizes(c->main.network->net).bytes;
    if (c->other.network)
        size += routes_network_sizes(c->other.network->net).bytes;
    return size;
}

static int begin(struct changes *c, uint64_t seed, void const *schema, size_t schema_size,
                 void const *table, size_t table_size, struct fault *fault)
{
    int rc = values_init(&c->values, seed);
    if (!rc && schema) {
        c->has_schema = true;
        rc = schema_read(&c->schema, &c->values, schema, schema_size, fault);
    }
    if (!rc)
        rc = table_init(&c->initial, &c->schema, &c->values);
    if (!rc && table && !schema)
        rc = changes_wrong_table(fault, "without a schema there is no table");
    else if (!rc && table)
        rc = changes_read_table(c, table, table_size, fault);
    return rc;
}

int changes_init(struct history *h, void const *schema, size_t schema_size, void const *table,
                 size_t table_size, bool lenient, struct fault *fault)
{
    struct changes *c = calloc(1, sizeof *c);
    *fault = (struct fault){.line = -1, .place = -1};
    if (!c)
        return REDO_ENOMEM;
    h->changes = c;
    c->lenient = lenient;
    c->interval = CHANGES_INTERVAL;
    pool_init(&c->turns, sizeof(struct turn *), 4, 10, c);
    return begin(c, h->seed, schema, schema_size, table, table_size, fault);
}

/* The first table is a network, if it has to be. */
static int check_first(struct history *h, struct fault *fault)
{
    struct changes *c = h->changes;
    if (!c->schema.routes || c->lenient)
        return REDO_OK;
    int rc = view_copy(&c->main, &c->initial, 0);
    if (!rc)
        rc = check_network(c);
    if (rc == REDO_ENETWORK)
        *fault = c->fault;
    return rc;
}

struct history *changes_new(void const *schema, size_t schema_size, void const *table,
                            size_t table_size, bool lenient, struct fault *fault)
{
    unsigned char state[CHANGES_STATE];
    struct history *h = history_empty(CHANGES_STATE, CHANGES_STATE);
    int rc =
        h ? changes_init(h, schema, schema_size, table, table_size, lenient, fault) : REDO_ENOMEM;
    if (!rc)
        rc = check_first(h, fault);
    if (!rc)
        rc = find_state(h, NULL, &h->changes->initial, NULL, 0, state);
    if (!rc)
        rc = history_reserve(h, 1, 1);
    if (rc) {
        history_free(h);
        error_set(rc);
        return NULL;
    }
    struct node *first = history_make(h, NULL, 0, states_take(&h->states, state), 0);
    equal_enter(h, equal_hash(h, state), NULL, first);
    return h;
}

/* ---- loading ----------------------------------------------------------------------------- */

int changes_put_turn(struct history *h, struct node *n, void const *data, size_t size)
{
    struct changes *c = h->changes;
    struct value_writer none = {0};
    struct turn_reader reader;
    if (size > REDO_STATE_MAX || !turn_open(&reader, data, size))
        return REDO_EDAMAGED;
    if (pool_reserve(&c->turns, n->in.id, 1))
        return REDO_ENOMEM;
    struct turn *t = turn_make(c, data, size, &none, 0);
    *turn_place(c, n->in.id) = t;
    return t ? REDO_OK : REDO_ENOMEM;
}

/* Whether the state of a position is that of its table, as far as it is from there; reader: its
 * turn, NULL for the first. REDO_OK, REDO_EDAMAGED, REDO_ENOMEM. */
static int check_state_of(struct history *h, struct node const *n, struct turn_reader const *reader)
{
    struct changes *c = h->changes;
    unsigned char state[CHANGES_STATE];
    char const *told = node_state(h, n);
    struct digest given = c->main.table.digest;
    uint32_t apart;
    memcpy(&apart, told + 16, sizeof apart);
    apart = le32toh(apart);
    if (!c->has_schema && reader && reader->digest) {
        int rc = read_digest(c, reader, &given);
        if (rc || apart)
            return rc ? rc : REDO_EDAMAGED;
    } else if (!c->has_schema || c->main.table.unknown || apart == APART_UNIQUE) {
        given = (struct digest){.low = n->in.id};
        apart = APART_UNIQUE;
    } else if (apart >= APART_MAX) {
        return REDO_EDAMAGED;
    }
    put_state(state, given, apart);
    return memcmp(state, told, CHANGES_STATE) == 0 ? REDO_OK : REDO_EDAMAGED;
}

/* The steps of a turn, on the main table, which is at the position before. */
static int compile_again(struct history *h, struct node *n)
{
    struct changes *c = h->changes;
    struct turn **place = turn_place(c, n->in.id), *old = *place;
    struct turn_reader reader;
    struct fault ignored;
    struct run run = {.c = c,
                      .table = &c->main.table,
                      .mode = c->lenient ? LINES_LENIENT : LINES_STRICT,
                      .fault = &ignored};
    turn_open(&reader, old->data, old->size);
    int rc = lines_run(&run, &reader);
    struct turn *turn = rc ? NULL : turn_make(c, old->data, old->size, &run.steps, run.faults);
    free(run.steps.data);
    if (!turn)
        return rc == REDO_ELINE || rc == REDO_EOPERATION ? REDO_EDAMAGED : REDO_ENOMEM;
    rc = check_state_of(h, n, &reader); /* which reads the old bytes */
    if (!rc && (rc = check_network(c)) == REDO_ENETWORK)
        rc = REDO_EDAMAGED;
    turn_free(c, old);
    *place = turn;
    c->main.at = n->in.id;
    if (!rc)
        checkpoint_keep(h, &c->main, n);
    return rc;
}

/* No turn has an id above what was told. */
static int settle_highest(struct changes *c)
{
    if (c->highest > c->told_highest)
        return REDO_EDAMAGED;
    c->highest = c->told_highest;
    return REDO_OK;
}

int changes_take_highest(struct changes *c, int64_t highest)
{
    if (highest < c->highest || highest > INT64_MAX / 2 + UINT32_MAX)
        return REDO_EDAMAGED;
    c->told_highest = highest;
    return REDO_OK;
}

int changes_compile_all(struct history *h)
{
    struct changes *c = h->changes;
    struct node *n = node_at(h, 0);
    int rc = view_copy(&c->main, &c->initial, 0);
    if (!rc)
        rc = check_state_of(h, n, NULL);
    while (!rc) {
        if (n->p.next) {
            n = node_of(n->p.next->p);
        } else {
            while (!rc && n->p.prev && !n->in.cdr) {
                rc = view_up(h, &c->main);
                n = node_prev(n);
            }
            if (!rc && !n->p.prev)
                return settle_highest(c);
            rc = rc ? rc : view_up(h, &c->main);
            n = rc ? n : node_of(n->in.cdr->p);
        }
        if (!rc)
            rc = compile_again(h, n);
    }
    return rc;
}
