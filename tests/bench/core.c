/* The engine in process, through redo.h: time of adds and drops near a size, and bytes of memory.
 * Prints one line `name value` a figure: nanoseconds of CPU time a call, or bytes. `run` calls it
 * several times and takes medians.
 *
 *   bench-core add SHAPE SIZE REVISITS   adds with check near SIZE positions, REVISITS percent of
 *                                        them with a state that is there already
 *   bench-core drop SIZE                 drops of leaves near SIZE positions
 *   bench-core memory SIZE REVISITS      bytes a position: at SIZE, and the most on the way
 *   bench-core empty                     bytes of a new session
 *   bench-core read MEGABYTES            no session at all: one read after the other, each at a
 *                                        random place of so much memory
 *
 * SHAPE: bushy (each position hangs on a random one: some 2 ln SIZE deep) or chain (each on the one
 * before). Near SIZE: from there to half as much again, in sessions that begin to be measured
 * anywhere between. What is random is drawn before the clock starts. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/redo.h"

#define STATE_SIZE 64

/* Small sessions are measured over and over until so many calls were timed. */
#define CALLS_LEAST 200000

static uint64_t random_state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* State number id, in which every byte depends on id, as quickly as a game has it at hand. */
static void make_state(uint64_t *state, uint64_t id)
{
    for (unsigned i = 0; i < STATE_SIZE / 8; i++)
        state[i] = (id + 1) * (UINT64_C(0x9e3779b97f4a7c15) + 2 * i);
}

struct add {
    redo_position *prev;
    int move;
    uint64_t state;
};

/* A session that grows: all positions, and how many different states it has been given. */
struct tree {
    redo_session *session;
    redo_position **all;
    size_t count;
    uint64_t states;
    bool chain;
    unsigned revisits;
};

static void tree_begin(struct tree *t, size_t most, bool chain, unsigned revisits)
{
    uint64_t state[STATE_SIZE / 8];
    make_state(state, 0);
    *t = (struct tree){.session = redo_beginsession(state, STATE_SIZE, 0),
                       .all = malloc(most * sizeof(redo_position *)),
                       .chain = chain,
                       .revisits = revisits};
    if (!t->session || !t->all)
        fail("can not begin a session");
    redo_setgraftbehavior(t->session, redo_nograft); /* revisits shall not change the shape */
    t->all[0] = redo_getfirstposition(t->session);
    t->count = t->states = 1;
}

static void tree_end(struct tree *t)
{
    redo_endsession(t->session);
    free(t->all);
}

/* Draws the adds to come. In a chain each goes on from the one before, the first from the end. */
static void tree_plan(struct tree *t, struct add *adds, size_t count)
{
    uint64_t known = t->states;
    for (size_t i = 0; i < count; i++) {
        bool revisit = draw(100) < t->revisits;
        adds[i] = (struct add){.prev = t->all[t->chain ? t->count - 1 : draw(t->count)],
                               .move = (int)(t->count + i),
                               .state = revisit ? draw(known) : t->states++};
    }
}

static void tree_grow(struct tree *t, struct add const *adds, size_t count)
{
    uint64_t state[STATE_SIZE / 8];
    redo_position *last = adds[0].prev;
    for (size_t i = 0; i < count; i++) {
        make_state(state, adds[i].state);
        last = redo_addposition(t->session, t->chain ? last : adds[i].prev, adds[i].move, state, 0,
                                redo_check);
        t->all[t->count + i] = last;
    }
    if (!last)
        fail("an add failed: %d", redo_lasterror());
    t->count += count;
}

/* Up to so many positions, in portions, so that a random one is of all that are there. */
static void tree_build(struct tree *t, size_t size)
{
    struct add *adds = malloc(65536 * sizeof *adds);
    while (t->count < size) {
        size_t portion = t->count / 8 + 1;
        if (portion > 65536)
            portion = 65536;
        if (portion > size - t->count)
            portion = size - t->count;
        tree_plan(t, adds, portion);
        tree_grow(t, adds, portion);
    }
    free(adds);
}

static size_t portion_near(size_t size)
{
    size_t portion = size / 10;
    return portion > 500000 ? 500000 : portion;
}

/* Where the growth of a table falls shall not decide: small sessions begin at many sizes. */
static size_t size_near(size_t size)
{
    return size > 100000 ? size : size + draw(size * 4 / 10);
}

static double cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench_add(bool chain, size_t size, unsigned revisits)
{
    size_t portion = portion_near(size);
    struct add *adds = malloc(portion * sizeof *adds);
    double spent = 0;
    size_t calls = 0;
    while (calls < CALLS_LEAST) {
        struct tree t;
        tree_begin(&t, size * 3 / 2 + portion, chain, revisits);
        tree_build(&t, size_near(size));
        tree_plan(&t, adds, portion);
        double start = cpu_time();
        tree_grow(&t, adds, portion);
        spent += cpu_time() - start;
        calls += portion;
        tree_end(&t);
    }
    printf("add %.1f\n", spent * 1e9 / (double)calls);
    free(adds);
}

/* Drops of positions added last, in a random order; then they are leaves. */
static void bench_drop(size_t size)
{
    size_t portion = portion_near(size);
    struct add *adds = malloc(portion * sizeof *adds);
    double spent = 0;
    size_t calls = 0;
    while (calls < CALLS_LEAST) {
        struct tree t;
        size_t at = size_near(size);
        tree_begin(&t, at + portion, false, 30);
        tree_build(&t, at);
        tree_plan(&t, adds, portion);
        tree_grow(&t, adds, portion);
        redo_position **leaves = t.all + at;
        for (size_t i = portion - 1; i > 0; i--) {
            size_t j = draw(i + 1);
            redo_position *other = leaves[j];
            leaves[j] = leaves[i];
            leaves[i] = other;
        }
        double start = cpu_time();
        for (size_t i = 0; i < portion; i++)
            redo_dropposition(t.session, leaves[i]);
        spent += cpu_time() - start;
        if ((size_t)redo_getsessionsize(t.session) != at)
            fail("drops failed");
        calls += portion;
        tree_end(&t);
    }
    printf("drop %.1f\n", spent * 1e9 / (double)calls);
    free(adds);
}

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void bench_memory(size_t size, unsigned revisits)
{
    struct tree t;
    double worst = 0, last = 0;
    size_t before = allocated();
    tree_begin(&t, size, false, revisits);
    size_t own = malloc_usable_size(t.all);
    while (t.count < size) {
        size_t to = t.count + t.count / 50 + 1;
        tree_build(&t, to < size ? to : size);
        last = (double)(allocated() - before - own) / (double)t.count;
        if (t.count >= size / 10 && last > worst)
            worst = last;
    }
    printf("bytes %.1f\nworst %.1f\n", last, worst);
    tree_end(&t);
}

static void bench_empty(void)
{
    enum { SESSIONS = 1000 };
    static redo_session *sessions[SESSIONS];
    uint64_t state[STATE_SIZE / 8];
    make_state(state, 0);
    size_t before = allocated();
    for (int i = 0; i < SESSIONS; i++)
        sessions[i] = redo_beginsession(state, STATE_SIZE, 0);
    printf("bytes %.0f\n", (double)(allocated() - before) / SESSIONS);
    for (int i = 0; i < SESSIONS; i++)
        redo_endsession(sessions[i]);
}

static void bench_read(size_t megabytes)
{
    enum { LINE = 64, READS = 2000000 };
    size_t count = megabytes * 1024 * 1024 / LINE;
    char *memory = malloc(count * LINE);
    uint32_t *order = malloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) { /* one circle through all */
        size_t j = draw(i);
        uint32_t other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
    for (size_t i = 0; i < count; i++)
        *(void **)(memory + LINE * (size_t)order[i]) =
            memory + LINE * (size_t)order[(i + 1) % count];
    void *at = memory;
    double start = cpu_time();
    for (int i = 0; i < READS; i++)
        at = *(void **)at;
    double spent = cpu_time() - start;
    printf("read %.1f\n", at ? spent * 1e9 / READS : 0);
    free(order);
    free(memory);
}

int main(int argc, char **argv)
{
    char const *what = argc > 1 ? argv[1] : "";
    if (argc == 5 && !strcmp(what, "add"))
        bench_add(!strcmp(argv[2], "chain"), strtoul(argv[3], NULL, 10),
                  (unsigned)strtoul(argv[4], NULL, 10));
    else if (argc == 3 && !strcmp(what, "drop"))
        bench_drop(strtoul(argv[2], NULL, 10));
    else if (argc == 4 && !strcmp(what, "memory"))
        bench_memory(strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
    else if (argc == 2 && !strcmp(what, "empty"))
        bench_empty();
    else if (argc == 3 && !strcmp(what, "read"))
        bench_read(strtoul(argv[2], NULL, 10));
    else
        fail("see the head of core.c");
    return 0;
}
