/* Adds through the client library, to the daemon at REDO_SOCKET: one by one, without waiting
 * (redo_client_addposition_async()), and as turns (redo_addpositions()). Each position follows the
 * one before, as a player moves. Prints one line `name value` a figure, adds a second:
 *
 *   single     redo_addposition() with check
 *   keyed      the same of a client that gives keys
 *   async      redo_client_addposition_async() and redo_client_flush()
 *   turns      redo_addpositions(), 1,000 at a time
 *
 *     bench-adds COUNT [SINGLES]     REDO_DURABLE=1: each is answered when it is on disk */
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "client/redo_client.h"

#define STATE_SIZE 64
#define TURN 1000

static uint64_t made;

static void const *new_state(void)
{
    static uint64_t state[STATE_SIZE / 8];
    made++;
    for (unsigned i = 0; i < STATE_SIZE / 8; i++)
        state[i] = made * (UINT64_C(0x9e3779b97f4a7c15) + 2 * i);
    return state;
}

static void report(char const *name, double start, size_t adds)
{
    printf("%s %.0f\n", name, (double)adds / (now() - start));
}

/* A session that nobody else has. */
static redo_session *begin(void)
{
    static unsigned begun;
    char name[64];
    snprintf(name, sizeof name, "adds-%d-%u", (int)getpid(), begun++);
    setenv("REDO_SESSION", name, 1);
    redo_session *session = redo_beginsession(new_state(), STATE_SIZE, 0);
    if (!session)
        fail("can not begin a session: %d", redo_lasterror());
    return session;
}

static void end(redo_session *session, size_t size)
{
    if (redo_getsessionsize(session) != (int)size + 1)
        fail("%d positions for %zu adds", redo_getsessionsize(session), size);
    redo_endsession(session);
}

static void one_by_one(char const *name, size_t count, int keys)
{
    redo_session *session = begin();
    redo_client_setkeys(redo_client_of(session), keys);
    redo_position *p = redo_getfirstposition(session);
    double start = now();
    for (size_t i = 0; i < count && p; i++)
        p = redo_addposition(session, p, (int)i, new_state(), 0, redo_check);
    if (!p)
        fail("an add failed: %d", redo_lasterror());
    report(name, start, count);
    end(session, count);
}

static void answered(redo_session *session, size_t ticket, redo_position *position, int code,
                     void *data)
{
    if (code)
        fail("an add failed: %d", code);
    ++*(size_t *)data;
}

static void without_waiting(size_t count)
{
    redo_session *session = begin();
    size_t told = 0;
    redo_add add = {.prev = redo_getfirstposition(session), .checkequiv = redo_check};
    double start = now();
    for (size_t i = 0; i < count; i++) {
        add.move = (int)i;
        add.state = new_state();
        add.after = redo_client_addposition_async(session, &add, answered, &told);
        add.prev = NULL;
        if (!add.after)
            fail("an add failed: %d", redo_lasterror());
    }
    if (redo_client_flush(redo_client_of(session), 60000) || told != count)
        fail("%zu of %zu were answered", told, count);
    report("async", start, count);
    end(session, count);
}

static void in_turns(size_t count)
{
    static redo_add adds[TURN];
    static redo_position *positions[TURN];
    static unsigned char states[TURN][STATE_SIZE];
    redo_session *session = begin();
    redo_position *p = redo_getfirstposition(session);
    double start = now();
    for (size_t i = 0; i < count; i += TURN) {
        size_t n = count - i < TURN ? count - i : TURN;
        for (size_t j = 0; j < n; j++) {
            memcpy(states[j], new_state(), STATE_SIZE);
            adds[j] = (redo_add){.prev = j ? NULL : p,
                                 .after = j ? j - 1 : 0,
                                 .move = (int)(i + j),
                                 .state = states[j],
                                 .checkequiv = redo_check};
        }
        if (redo_addpositions(session, adds, n, NULL, NULL, positions))
            fail("a turn failed: %d", redo_lasterror());
        p = positions[n - 1];
    }
    report("turns", start, count);
    end(session, count);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    size_t singles = argc > 2 ? strtoul(argv[2], NULL, 10) : count;
    one_by_one("single", singles, 0);
    one_by_one("keyed", singles, 1);
    without_waiting(count);
    in_turns(count);
    return 0;
}
