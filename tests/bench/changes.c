/* Sessions told by change, in process, beside those of states; all times are of the CPU.
 *
 *     bench-changes OBJECTS LINES     ns a turn of so many lines on a table of so many objects
 * (turn), ns an add of a 64-byte state (state), taking turns */
#include <string.h>
#include <time.h>

#include "core/changes/changes.h"
#include "core/history.h"
#include "tests/bench/bench.h"

enum { STATE_SIZE = 64, BATCH = 1000, BATCHES = 50, LINES_MAX = 64, OBJECTS_MAX = 10000 };

static double cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint32_t draw(uint32_t below)
{
    static uint64_t x = 1;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x % below);
}

static void put_text(struct value_writer *w, char const *text)
{
    value_put_string(w, text, strlen(text));
}

static char const *name_of(uint32_t object)
{
    return object % 2 ? "rock" : "wall";
}

/* Objects stand in rows of 30. */
static struct history *begin_changes(uint32_t objects)
{
    struct value_writer table = {0}, schema = {0};
    struct fault fault;
    put_text(&schema, "baba");
    value_put_map(&table, 1);
    put_text(&table, "objects");
    value_put_array(&table, objects);
    for (uint32_t i = 0; i < objects; i++) {
        value_put_array(&table, 2);
        value_put_int(&table, i + 1);
        value_put_map(&table, 3);
        put_text(&table, "name");
        put_text(&table, name_of(i));
        put_text(&table, "x");
        value_put_int(&table, i % 30);
        put_text(&table, "y");
        value_put_int(&table, i / 30);
    }
    struct history *h =
        changes_new(schema.data, schema.size, table.data, table.size, false, &fault);
    if (!h)
        fail("the session can not begin: %s", fault.what);
    free(table.data);
    free(schema.data);
    return h;
}

/* Some objects move along their rows: to where they were at last, in x. */
static void put_turn(struct value_writer *w, uint32_t objects, uint32_t lines, uint32_t *x)
{
    uint32_t object = draw(objects);
    w->size = 0;
    value_put_array(w, 3);
    value_put_array(w, lines);
    for (uint32_t i = 0; i < lines; i++, object = (object + 101) % objects) {
        uint32_t to = draw(1000);
        value_put_array(w, 10);
        put_text(w, "update");
        put_text(w, name_of(object));
        value_put_int(w, to);
        value_put_int(w, object / 30);
        value_put_int(w, 0);
        value_put_int(w, x[object]);
        value_put_int(w, object / 30);
        value_put_int(w, 0);
        value_put_int(w, object + 1);
        value_put_int(w, 1000 + object);
        x[object] = to;
    }
    value_put_nil(w);
    value_put_nil(w);
}

/* Adds each after the one before; the ns they took. */
static double add(struct history *h, struct value_writer const *states, uint32_t *at)
{
    double start = cpu_time();
    for (int i = 0; i < BATCH; i++) {
        redo_operation op = {.kind = REDO_OP_ADD,
                             .position = *at,
                             .move = i,
                             .value = redo_check,
                             .state = states[i].data,
                             .statesize = states[i].size};
        redo_result result;
        int rc = history_apply(h, &op, &result);
        if (rc)
            fail("an add is refused: %d", rc);
        *at = result.position;
    }
    return cpu_time() - start;
}

int main(int argc, char **argv)
{
    static struct value_writer turns[BATCH], states[BATCH];
    static uint32_t x[OBJECTS_MAX];
    uint32_t objects = argc == 3 ? (uint32_t)atoi(argv[1]) : 0;
    uint32_t lines = argc == 3 ? (uint32_t)atoi(argv[2]) : 0, at = 0, state_at = 0;
    if (objects < 1 || objects > OBJECTS_MAX || lines < 1 || lines > LINES_MAX)
        fail("see the head of changes.c");
    uint64_t state[STATE_SIZE / 8] = {0};
    struct history *changes = begin_changes(objects);
    struct history *plain = history_new(state, STATE_SIZE, 0);
    double turn = 0, plainly = 0;
    for (uint32_t i = 0; i < objects; i++)
        x[i] = i % 30;
    for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i < BATCH; i++) {
            put_turn(&turns[i], objects, lines, x);
            state[0]++;
            states[i].size = 0;
            value_put_bytes(&states[i], state, sizeof state);
        }
        turn += add(changes, turns, &at);
        plainly += add(plain, states, &state_at);
    }
    printf("turn %.0f\nstate %.0f\n", turn / BATCHES / BATCH, plainly / BATCHES / BATCH);
    history_free(changes);
    history_free(plain);
    for (int i = 0; i < BATCH; i++) {
        free(turns[i].data);
        free(states[i].data);
    }
    return 0;
}
