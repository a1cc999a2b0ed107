/* What a game does most, through redo.h: the same program against the engine in process
 * (bench-reads) and against the client library (bench-reads-client, to the daemon at REDO_SOCKET).
 * Prints one line `name value` a figure, nanoseconds a call:
 *
 *   fields  a step along the path: next->p, movecount, better, solutionsize
 *   state   redo_getsavedstate()
 *   front   redo_getnextposition() of the branch that is in front
 *   other   the same of one of 4 branches that is not: it changes the order
 *   add     redo_addposition() with check; the median of single calls */
#include <string.h>

#include "bench.h"
#include "core/redo.h"

#define STATE_SIZE 64
#define FANS 64
#define CALLS 1000000

static uint64_t made;

static void const *new_state(void)
{
    static uint64_t state[STATE_SIZE / 8];
    made++;
    for (unsigned i = 0; i < STATE_SIZE / 8; i++)
        state[i] = made * (UINT64_C(0x9e3779b97f4a7c15) + 2 * i);
    return state;
}

static redo_position *add(redo_session *session, redo_position *prev, int move)
{
    redo_position *p = redo_addposition(session, prev, move, new_state(), 0, redo_check);
    if (!p)
        fail("an add failed: %d", redo_lasterror());
    return p;
}

static int compare(void const *a, void const *b)
{
    double x = *(double const *)a, y = *(double const *)b;
    return (x > y) - (x < y);
}

static void report(char const *name, double start, unsigned calls)
{
    printf("%s %.2f\n", name, (now() - start) * 1e9 / calls);
}

int main(int argc, char **argv)
{
    unsigned adds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20000;
    redo_position *at[FANS + 1];
    redo_session *session = redo_beginsession(new_state(), STATE_SIZE, 0);
    if (!session)
        fail("can not begin a session: %d", redo_lasterror());
    at[0] = redo_getfirstposition(session);
    for (unsigned i = 0; i < FANS; i++)
        for (int move = 0; move < 4; move++)
            at[i + 1] = add(session, at[i], move);

    uintptr_t sum = 0;
    double start = now();
    for (unsigned i = 0; i < CALLS / FANS; i++)
        for (redo_position const volatile *p = at[0]; p->next; p = p->next->p)
            sum += p->movecount + (uintptr_t)p->better + p->solutionsize;
    report("fields", start, CALLS);

    start = now();
    for (unsigned i = 0; i < CALLS; i++)
        sum += *(unsigned char const *)redo_getsavedstate(at[i % FANS]);
    report("state", start, CALLS);

    start = now();
    for (unsigned i = 0; i < CALLS; i++)
        sum += (uintptr_t)redo_getnextposition(at[i % FANS], 3);
    report("front", start, CALLS);

    unsigned others = adds < 20000 ? adds : CALLS; /* with a daemon each is a round trip */
    start = now();
    for (unsigned i = 0; i < others; i++)
        sum += (uintptr_t)redo_getnextposition(at[i % FANS], (int)(i / FANS % 4));
    report("other", start, others);
    if (!sum)
        fail("nothing was read");

    double *times = malloc(adds * sizeof *times);
    redo_position *p = at[FANS];
    for (unsigned i = 0; i < adds; i++) {
        start = now();
        p = add(session, p, 0);
        times[i] = now() - start;
    }
    qsort(times, adds, sizeof *times, compare);
    printf("add %.1f\n", times[adds / 2] * 1e9);
    free(times);
    redo_endsession(session);
    return 0;
}
