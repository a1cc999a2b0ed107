/* The C library against a live daemon: what redo.h and redo_client.h promise when all goes well,
 * and when the daemon, or another frontend, does something else meanwhile. REDOD is the daemon to
 * run. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "redo.h"
#include "redo_client.h"
#include "redo_record.h"
#include "tests/suite.h"

#define SIZE 4

static char folder[64], path[96];
static pid_t daemon_pid;

/* ---- the daemon --------------------------------------------------------------------------- */

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void start_daemon_with(char const *option, char const *value)
{
    daemon_pid = fork();
    if (daemon_pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        char const *redod = getenv("REDOD");
        execl(redod, redod, "--store", "memory", "--socket", path, option, value, (char *)NULL);
        _exit(127);
    }
    int64_t end = now() + 20000;
    redo_client *client;
    while (!(client = redo_client_connect(path, 1000))) {
        ck_assert_msg(now() < end && waitpid(daemon_pid, NULL, WNOHANG) == 0, "no daemon");
        usleep(5000);
    }
    redo_client_close(client);
}

static void stop_daemon(void)
{
    if (daemon_pid > 0) {
        kill(daemon_pid, SIGKILL);
        waitpid(daemon_pid, NULL, 0);
        daemon_pid = 0;
    }
}

static void setup(void)
{
    strcpy(folder, "/tmp/redo-client-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s", folder);
    setenv("REDO_SOCKET", path, 1);
    unsetenv("REDO_SESSION");
    start_daemon_with(NULL, NULL);
}

static void teardown(void)
{
    stop_daemon();
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* ---- what tests share --------------------------------------------------------------------- */

static redo_client *connect_to(void)
{
    redo_client *client = redo_client_connect(NULL, 0);
    ck_assert_ptr_nonnull(client);
    return client;
}

static redo_session *join(redo_client *client, char const *name)
{
    redo_session *session = redo_client_beginsession(client, name, "aaaa", SIZE, 3);
    ck_assert_msg(session != NULL, "%s", redo_strerror(redo_lasterror()));
    return session;
}

static redo_position *add(redo_session *session, redo_position *prev, int move, char const *state)
{
    redo_position *p = redo_addposition(session, prev, move, state, 0, redo_check);
    ck_assert_msg(p != NULL, "%s", redo_strerror(redo_lasterror()));
    return p;
}

static redo_position *first(redo_session *session)
{
    return redo_getfirstposition(session);
}

static void step(redo_client *client, int count)
{
    int64_t end = now() + 10000;
    while (count > 0) {
        int applied = redo_client_step(client, 1000);
        ck_assert_int_ge(applied, 0);
        ck_assert_msg(now() < end, "%d operations did not come", count);
        count -= applied;
    }
    ck_assert_int_eq(count, 0);
}

static void dump(redo_session *session, void **data, size_t *size)
{
    ck_assert_int_eq(redo_dump(session, data, size), REDO_OK);
}

static void assert_equal(redo_session *a, redo_session *b)
{
    void *one, *two;
    size_t size, other;
    dump(a, &one, &size);
    dump(b, &two, &other);
    ck_assert_uint_eq(size, other);
    ck_assert_mem_eq(one, two, size);
    free(one);
    free(two);
}

#define assert_fails(call, value, code)             \
    do {                                            \
        ck_assert((call) == (value));               \
        ck_assert_int_eq(redo_lasterror(), (code)); \
    } while (0)

/* Every function that changes the session fails with the code. */
static void assert_no_change(redo_session *session, redo_position *p, int code)
{
    redo_position *at = p;
    redo_position *front = p->next ? p->next->p : NULL;
    unsigned before = (unsigned)redo_getsessionsize(session);
    assert_fails(redo_addposition(session, p, 77, "xxxx", 0, redo_check), NULL, code);
    assert_fails(redo_dropposition(session, p), p, code);
    redo_updatesavedstate(session, p, "aaa.");
    ck_assert_int_eq(redo_lasterror(), code);
    assert_fails(redo_suppresscycle(session, &at, "xxxx", 0), 0, code);
    ck_assert_ptr_eq(at, p);
    assert_fails(redo_duplicatepath(session, p, p), 0, code);
    ck_assert_ptr_eq(p->next ? p->next->p : NULL, front);
    ck_assert_uint_eq((unsigned)redo_getsessionsize(session), before);
}

/* ---- beginning ---------------------------------------------------------------------------- */

START_TEST(begin_connects_to_redo_socket_and_is_private)
{
    redo_session *session = redo_beginsession("aaaa", SIZE, 0);
    ck_assert_ptr_nonnull(session);
    ck_assert_ptr_null(redo_client_name(session));
    ck_assert_int_eq(redo_getsessionsize(session), 1);
    ck_assert_int_eq(redo_getcmpsize(session), SIZE);
    redo_position *p = add(session, first(session), 5, "bbbb");
    ck_assert_mem_eq(redo_getsavedstate(p), "bbbb", SIZE);
    ck_assert_uint_eq(redo_client_sequence(session), 1);
    redo_session *other = redo_beginsession("aaaa", SIZE, 0);
    ck_assert_int_eq(redo_getsessionsize(other), 1);
    redo_endsession(other);
    redo_endsession(session);
}
END_TEST

START_TEST(begin_joins_the_session_that_redo_session_names)
{
    setenv("REDO_SESSION", "level 3", 1);
    redo_session *one = redo_beginsession("aaaa", SIZE, 0);
    ck_assert_ptr_nonnull(one);
    ck_assert_str_eq(redo_client_name(one), "level 3");
    add(one, first(one), 1, "bbbb");
    redo_session *two = redo_beginsession("zzzz", SIZE, 0);
    ck_assert_ptr_nonnull(two);
    ck_assert_int_eq(redo_getsessionsize(two), 2);
    ck_assert_mem_eq(redo_getsavedstate(first(two)), "aaaa", SIZE);
    assert_equal(one, two);
    redo_endsession(one);
    redo_endsession(two);
    redo_client *client = connect_to();
    redo_session *kept = redo_client_opensession(client, "level 3");
    ck_assert_int_eq(redo_getsessionsize(kept), 2);
    redo_client_close(client);
}
END_TEST

START_TEST(joining_with_other_sizes_is_refused)
{
    setenv("REDO_SESSION", "n", 1);
    redo_session *session = redo_beginsession("aaaa", SIZE, 0);
    assert_fails(redo_beginsession("aaaaa", SIZE + 1, 0), NULL, REDO_ESTATE);
    assert_fails(redo_beginsession("aaaa", SIZE, 2), NULL, REDO_ESTATE);
    add(session, first(session), 1, "bbbb");
    redo_endsession(session);
}
END_TEST

START_TEST(unfit_states_and_sizes_are_refused)
{
    redo_client *client = connect_to();
    assert_fails(redo_beginsession(NULL, SIZE, 0), NULL, REDO_ESTATE);
    assert_fails(redo_beginsession("aaaa", 0, 0), NULL, REDO_ESTATE);
    assert_fails(redo_beginsession("aaaa", -1, 0), NULL, REDO_ESTATE);
    assert_fails(redo_beginsession("aaaa", SIZE, SIZE + 1), NULL, REDO_ESTATE);
    assert_fails(redo_beginsession("aaaa", SIZE, -1), NULL, REDO_ESTATE);
    assert_fails(redo_client_beginsession(client, "n", "a", REDO_STATE_MAX + 1, 0), NULL,
                 REDO_ESTATE);
    ck_assert_ptr_nonnull(join(client, "n"));
    redo_client_close(client);
}
END_TEST

START_TEST(unfit_names_are_refused)
{
    redo_client *client = connect_to();
    char name[300];
    memset(name, 'x', sizeof name);
    name[256] = '\0';
    assert_fails(redo_client_beginsession(client, name, "aaaa", SIZE, 0), NULL, REDO_ENAME);
    assert_fails(redo_client_beginsession(client, "", "aaaa", SIZE, 0), NULL, REDO_ENAME);
    assert_fails(redo_client_beginsession(client, "a\xff", "aaaa", SIZE, 0), NULL, REDO_EUTF8);
    assert_fails(redo_client_opensession(client, NULL), NULL, REDO_ENAME);
    assert_fails(redo_client_opensession(client, "nobody"), NULL, REDO_ENOSESSION);
    ck_assert_int_eq(redo_client_deletesession(client, NULL), REDO_ENAME);
    ck_assert_int_eq(redo_client_deletesession(client, "nobody"), REDO_ENOSESSION);
    name[255] = '\0';
    ck_assert_str_eq(redo_client_name(join(client, name)), name);
    redo_client_close(client);
}
END_TEST

START_TEST(without_a_daemon_beginning_fails)
{
    stop_daemon();
    assert_fails(redo_beginsession("aaaa", SIZE, 0), NULL, REDO_ECONNECT);
    assert_fails(redo_load("x", 1), NULL, REDO_ECONNECT);
    assert_fails(redo_client_connect(NULL, 0), NULL, REDO_ECONNECT);
    setenv("REDO_SOCKET", "/nowhere/at/all", 1);
    assert_fails(redo_beginsession("aaaa", SIZE, 0), NULL, REDO_ECONNECT);
    ck_assert_int_eq(redo_client_step(NULL, 0), -1);
    ck_assert_int_eq(redo_lasterror(), REDO_ECONNECT);
    ck_assert_int_eq(redo_client_fd(NULL), -1);
    redo_endsession(NULL);
    redo_client_close(NULL);
    char longer[300];
    memset(longer, 'x', sizeof longer);
    longer[299] = '\0';
    assert_fails(redo_client_connect(longer, 0), NULL, REDO_ENAME);
}
END_TEST

START_TEST(second_beginning_of_a_session_on_one_client_is_refused_and_the_first_goes_on)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_session *session = join(client, "n"), *theirs = join(other, "n");
    assert_fails(redo_client_beginsession(client, "n", "aaaa", SIZE, 3), NULL, REDO_EATTACHED);
    assert_fails(redo_client_opensession(client, "n"), NULL, REDO_EATTACHED);
    add(session, first(session), 1, "bbbb");
    add(theirs, first(theirs), 2, "cccc");
    step(client, 1);
    ck_assert_int_eq(redo_getsessionsize(session), 3);
    assert_equal(session, theirs);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(one_client_has_several_sessions)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_session *session[20];
    char name[20];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "s%d", i);
        session[i] = join(client, i % 2 ? name : NULL);
        ck_assert_ptr_eq(redo_client_of(session[i]), client);
    }
    redo_session *theirs = join(other, "s7");
    add(theirs, first(theirs), 1, "bbbb");
    for (int i = 0; i < 20; i++)
        add(session[i], first(session[i]), 9, "cccc");
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(redo_getsessionsize(session[i]), i == 7 ? 3 : 2);
    assert_fails(redo_addposition(session[3], first(session[4]), 1, "bbbb", 0, 0), NULL,
                 REDO_EFOREIGN);
    redo_endsession(session[6]);
    add(session[5], first(session[5]), 10, "dddd");
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

/* ---- others ------------------------------------------------------------------------------- */

START_TEST(replica_stands_still_between_calls_and_follows_in_a_step)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_session *mine = join(client, "n"), *theirs = join(other, "n");
    for (int i = 1; i <= 10; i++)
        add(theirs, first(theirs), i, "bbbb");
    ck_assert_int_eq(redo_getsessionsize(mine), 1);
    ck_assert_ptr_null(first(mine)->next);
    struct pollfd p = {.fd = redo_client_fd(client), .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, 5000), 1);
    step(client, 10);
    assert_equal(mine, theirs);
    ck_assert_int_eq(redo_client_step(client, 0), 0);
    ck_assert_int_eq(redo_client_step(client, 20), 0);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(position_that_another_dropped_stays_readable_and_is_refused)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_session *mine = join(client, "n"), *theirs = join(other, "n");
    redo_position *parent = add(mine, first(mine), 1, "bbbb"), *p = add(mine, parent, 2, "cccc");
    step(other, 2);
    uint32_t number = redo_getpositionid(p);
    redo_position *same = redo_getposition(theirs, number);
    ck_assert_ptr_nonnull(same);
    ck_assert_ptr_ne(redo_dropposition(theirs, same), same);
    ck_assert_uint_eq(p->inuse, 1); /* until a call */
    assert_fails(redo_addposition(mine, p, 3, "dddd", 0, 0), NULL, REDO_EDROPPED);
    ck_assert_uint_eq(p->inuse, 0);
    ck_assert_uint_eq(p->movecount, 2);
    ck_assert_ptr_eq(p->prev, parent);
    ck_assert_ptr_null(parent->next);
    assert_no_change(mine, p, REDO_EDROPPED);
    assert_fails(redo_getnextposition(p, 1), NULL, REDO_EDROPPED);
    assert_fails(redo_getsavedstate(p), NULL, REDO_EDROPPED);
    assert_fails(redo_getposition(mine, number), NULL, REDO_EDROPPED);
    redo_position *again = add(mine, parent, 2, "cccc");
    ck_assert_ptr_ne(again, p);
    ck_assert_uint_eq(redo_getpositionid(again), number + 1);
    ck_assert_uint_eq(p->inuse, 0);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(session_that_another_deleted_stays_readable_and_is_refused)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_session *mine = join(client, "n"), *beside = join(client, "m");
    redo_position *p = add(mine, first(mine), 1, "bbbb");
    ck_assert_int_eq(redo_client_deletesession(other, "n"), REDO_OK);
    ck_assert_int_eq(redo_client_status(mine), REDO_OK); /* until a call */
    assert_no_change(mine, p, REDO_ENOSESSION);
    ck_assert_int_eq(redo_client_status(mine), REDO_ENOSESSION);
    ck_assert_int_eq(redo_client_status(beside), REDO_OK);
    assert_fails(redo_setgraftbehavior(mine, redo_nograft), redo_graft, REDO_ENOSESSION);
    assert_fails(redo_setbetterfields(mine), -1, REDO_ENOSESSION);
    assert_fails(redo_clearsessionchanged(mine), 0, REDO_ENOSESSION);
    ck_assert_mem_eq(redo_getsavedstate(p), "bbbb", SIZE);
    ck_assert_int_eq(redo_getsessionsize(mine), 2);
    redo_session *anew = join(client, "n");
    ck_assert_int_eq(redo_getsessionsize(anew), 1);
    redo_endsession(mine);
    add(anew, first(anew), 2, "cccc");
    add(beside, first(beside), 2, "cccc");
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(own_session_can_be_deleted_by_name_while_it_is_held)
{
    redo_client *client = connect_to();
    redo_session *mine = join(client, "n");
    ck_assert_int_eq(redo_client_deletesession(client, "n"), REDO_OK);
    assert_no_change(mine, first(mine), REDO_ENOSESSION);
    redo_endsession(mine);
    redo_client_close(client);
}
END_TEST

struct seen {
    int count, own;
    redo_operation last;
    redo_result result;
    int size; /* of the session when told */
};

static void see(redo_session *session, redo_operation const *op, redo_result const *result, int own,
                void *data)
{
    struct seen *seen = data;
    seen->count++;
    seen->own += own;
    seen->last = *op;
    seen->result = *result;
    seen->size = redo_getsessionsize(session);
}

START_TEST(observer_is_told_of_each_operation_and_whose_it_is)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_client_setkeys(client, 0); /* each is kept otherwise, whatever it changes */
    redo_session *mine = join(client, "n"), *theirs = join(other, "n");
    struct seen seen = {0};
    redo_client_observe(mine, see, &seen);
    redo_position *p = add(mine, first(mine), 7, "bbbb");
    ck_assert_int_eq(seen.count, 1);
    ck_assert_int_eq(seen.own, 1);
    ck_assert_int_eq((int)seen.last.kind, REDO_OP_ADD);
    ck_assert_int_eq(seen.last.move, 7);
    ck_assert_uint_eq(seen.result.position, redo_getpositionid(p));
    ck_assert_uint_eq(seen.result.created, 1);
    ck_assert_int_eq(seen.size, 2);
    step(other, 1);
    redo_dropposition(theirs, redo_getposition(theirs, 1));
    ck_assert_int_eq(seen.count, 1);
    step(client, 1);
    ck_assert_int_eq(seen.count, 2);
    ck_assert_int_eq(seen.own, 1);
    ck_assert_int_eq((int)seen.last.kind, REDO_OP_DROP);
    ck_assert_uint_eq(seen.result.dropped, 1);
    /* What changes nothing is no operation. */
    redo_setgraftbehavior(mine, redo_graft);
    ck_assert_int_eq(seen.count, 2);
    redo_client_observe(mine, NULL, NULL);
    add(mine, first(mine), 8, "cccc");
    ck_assert_int_eq(seen.count, 2);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(result_of_an_operation_is_the_same_as_in_process)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_client_setkeys(client, 0); /* each is kept otherwise, whatever it changes */
    redo_session *mine = join(client, "n"), *theirs = join(other, "n");
    redo_position *one = add(mine, first(mine), 1, "bbbb"), *two = add(mine, one, 2, "cccc");
    redo_addposition(mine, two, 3, "dddd", 1, redo_check);
    redo_setgraftbehavior(mine, redo_graftandcopy);
    add(theirs, first(theirs), 9, "zzzz"); /* comes in between */
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = 0,
                         .move = 5,
                         .state = "cccX",
                         .statesize = SIZE,
                         .value = redo_check};
    redo_result r;
    ck_assert_int_eq(redo_apply(mine, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.position, 5);
    ck_assert_uint_eq(r.graftedfrom, 2);
    ck_assert_uint_eq(r.graftedto, 5);
    ck_assert_uint_eq(r.supersedes, 2);
    ck_assert_uint_eq(r.firstmade, 5);
    ck_assert_uint_eq(r.made, 2);
    ck_assert_uint_eq(r.created, 1);
    ck_assert_int_eq(redo_apply(mine, &op, &r), REDO_OK); /* known, and in front already */
    ck_assert_uint_eq(r.position, 5);
    ck_assert_uint_eq(r.created | r.differs | r.changed, 0);
    ck_assert_uint_eq(r.firstmade, REDO_NOPOSITION);
    ck_assert_uint_eq(r.supersedes, REDO_NOPOSITION);
    op.state = "cccY";
    ck_assert_int_eq(redo_apply(mine, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.differs, 1);
    op.statesize = SIZE - 1;
    ck_assert_int_eq(redo_apply(mine, &op, &r), REDO_ESTATE);
    op = (redo_operation){.kind = (enum redo_operation_kind)99};
    ck_assert_int_eq(redo_apply(mine, &op, &r), REDO_EOPERATION);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

/* ---- records ------------------------------------------------------------------------------ */

START_TEST(record_that_one_frontend_makes_is_in_the_replica_of_another)
{
    redo_client *one = connect_to(), *two = connect_to();
    redo_session *a = join(one, "record"), *b = join(two, "record");
    redo_candidate c[] = {{.text = "24/18", .textsize = 5}, {.hasmove = 1, .move = 7}}, got;
    redo_analysis analysis = {
        .kind = "evaluation", .kindsize = 10, .equity = 0.25, .numbers = {1}, .numbercount = 1};
    redo_analysis const *given[] = {&analysis, NULL};
    uint32_t ids[2], chosen;
    ck_assert_int_eq(redo_addcandidates(a, first(a), redo_of_candidate, 0, c, given, 2, ids),
                     REDO_OK);
    redo_position *p =
        redo_playcandidate(a, first(a), redo_of_candidate, ids[0], "bbbb", SIZE, 0, redo_check);
    ck_assert_msg(p != NULL, "%s", redo_strerror(redo_lasterror()));
    redo_position *alternate = redo_addalternate(a, p, NULL, "bbbc");
    ck_assert_ptr_nonnull(alternate);
    ck_assert_int_eq(redo_setpositionproperty(a, p, redo_of_branch, 0, "mark", "\x01", 1), REDO_OK);
    assert_fails(redo_playcandidate(a, p, redo_of_candidate, 1, "cccc", SIZE, 0, redo_check), NULL,
                 REDO_ENOCANDIDATE);
    step(two, 4);
    ck_assert(redo_getchoice(first(b), &chosen) == redo_choice_made && chosen == ids[0]);
    ck_assert(redo_findcandidate(first(b), redo_of_candidate, ids[0], &got));
    ck_assert_str_eq(got.text, "24/18");
    ck_assert_uint_eq(redo_getpositionid(got.leads), redo_getpositionid(p));
    ck_assert(redo_getanalysis(first(b), redo_of_candidate, ids[0], &analysis));
    ck_assert(analysis.equity == 0.25);
    assert_equal(a, b);
    redo_client_close(one);
    redo_client_close(two);
}
END_TEST

/* ---- loading ------------------------------------------------------------------------------ */

START_TEST(dump_is_loaded_through_the_daemon)
{
    redo_session *session = redo_beginsession("aaaa", SIZE, 3);
    redo_position *p = first(session);
    for (int i = 0; i < 300; i++) {
        char state[SIZE + 1];
        snprintf(state, sizeof state, "%04d", i % 50);
        p = add(session, i % 7 ? p : first(session), i, state);
    }
    void *data;
    size_t size;
    dump(session, &data, &size);
    redo_session *copy = redo_load(data, size);
    ck_assert_msg(copy != NULL, "%s", redo_strerror(redo_lasterror()));
    assert_equal(session, copy);
    ck_assert_ptr_null(redo_client_name(copy));
    add(copy, first(copy), 1000, "bbbb");
    ck_assert_int_eq(redo_getsessionsize(session), 301);
    ((unsigned char *)data)[size / 2] ^= 1;
    assert_fails(redo_load(data, size), NULL, REDO_EDAMAGED);
    assert_fails(redo_load(data, 3), NULL, REDO_EDAMAGED);
    assert_fails(redo_load(NULL, 3), NULL, REDO_EDAMAGED);
    ((unsigned char *)data)[size / 2] ^= 1;
    ((unsigned char *)data)[4] = 4;
    assert_fails(redo_load(data, size), NULL, REDO_EVERSION);
    free(data);
    redo_endsession(session);
    redo_endsession(copy);
}
END_TEST

START_TEST(dump_over_the_limit_of_the_daemon_is_refused_with_its_code)
{
    stop_daemon();
    start_daemon_with("--max-message", "100000");
    char *large = calloc(1, 200000);
    assert_fails(redo_load(large, 200000), NULL, REDO_ETOOBIG);
    assert_fails(redo_beginsession(large, 200000, 0), NULL, REDO_ETOOBIG);
    redo_session *session = redo_beginsession(large, 90000, 0);
    ck_assert_ptr_nonnull(session);
    redo_endsession(session);
    free(large);
}
END_TEST

START_TEST(session_with_states_of_16_mebibytes_is_joined)
{
    char *large = calloc(1, REDO_STATE_MAX);
    redo_client *client = connect_to(), *other = connect_to();
    redo_session *one = redo_client_beginsession(client, "n", large, REDO_STATE_MAX, 0);
    ck_assert_msg(one != NULL, "%s", redo_strerror(redo_lasterror()));
    large[REDO_STATE_MAX - 1] = 1;
    ck_assert_ptr_nonnull(redo_addposition(one, first(one), 1, large, 0, redo_check));
    redo_session *two = redo_client_opensession(other, "n");
    ck_assert_msg(two != NULL, "%s", redo_strerror(redo_lasterror()));
    large[0] = 1;
    ck_assert_ptr_nonnull(redo_addposition(one, first(one), 2, large, 0, redo_check));
    step(other, 1);
    ck_assert_mem_eq(redo_getsavedstate(redo_getposition(two, 2)), large, REDO_STATE_MAX);
    redo_client_close(client);
    redo_client_close(other);
    free(large);
}
END_TEST

/* ---- the daemon goes, or stands still ----------------------------------------------------- */

START_TEST(killed_daemon_makes_calls_fail_and_leaves_the_replica_readable)
{
    redo_client *client = connect_to();
    redo_session *session = join(client, "n"), *own = redo_beginsession("aaaa", SIZE, 0);
    redo_position *p = add(session, first(session), 1, "bbbb");
    add(session, p, 2, "cccc");
    add(session, p, 3, "dddd");
    add(own, first(own), 1, "bbbb");
    stop_daemon();
    for (int i = 0; i < 2; i++) {
        assert_fails(redo_addposition(session, p, 4, "eeee", 0, 0), NULL, REDO_ECLOSED);
        assert_no_change(session, p, REDO_ECLOSED);
        assert_no_change(own, first(own), REDO_ENOSESSION); /* that ended with its connection */
        assert_fails(redo_getnextposition(p, 2), NULL,
                     REDO_ECLOSED); /* would move it to the front */
        ck_assert_int_eq(redo_client_step(client, 100), -1);
        ck_assert_int_eq(redo_lasterror(), REDO_ECLOSED);
        assert_fails(redo_client_opensession(client, "n"), NULL, REDO_ECLOSED);
        ck_assert_int_eq(redo_client_status(session), REDO_ECLOSED);
    }
    ck_assert_ptr_nonnull(redo_getnextposition(p, 3)); /* is in front */
    ck_assert_int_eq(redo_getsessionsize(session), 4);
    ck_assert_uint_eq(p->inuse, 1);
    ck_assert_uint_eq(p->nextcount, 2);
    ck_assert_mem_eq(redo_getsavedstate(p), "bbbb", SIZE);
    void *data;
    size_t size;
    dump(session, &data, &size);
    free(data);
    redo_endsession(session);
    redo_endsession(own);
    redo_client_close(client);
}
END_TEST

START_TEST(what_a_killed_daemon_has_sent_is_still_taken_in)
{
    redo_client *client = connect_to(), *other = connect_to();
    redo_session *mine = join(client, "n"), *theirs = join(other, "n");
    for (int i = 0; i < 5; i++)
        add(theirs, first(theirs), i, "bbbb");
    stop_daemon();
    int applied = 0, got;
    while ((got = redo_client_step(client, 1000)) > 0)
        applied += got;
    ck_assert_int_eq(got, -1);
    ck_assert_int_eq(applied, 5);
    assert_equal(mine, theirs);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(stopped_daemon_ends_a_call_in_time)
{
    redo_client *client = redo_client_connect(NULL, 300);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    kill(daemon_pid, SIGSTOP);
    int64_t begun = now();
    assert_fails(redo_addposition(session, p, 2, "cccc", 0, 0), NULL, REDO_ETIMEOUT);
    int64_t took = now() - begun;
    ck_assert_msg(took >= 290 && took < 2000, "%d ms", (int)took);
    assert_fails(redo_dropposition(session, p), p, REDO_ETIMEOUT);
    ck_assert_uint_eq(p->inuse, 1);
    begun = now();
    redo_client *another = redo_client_connect(NULL, 300);
    if (another) { /* the kernel takes the connection for it */
        assert_fails(redo_client_opensession(another, "n"), NULL, REDO_ETIMEOUT);
        redo_client_close(another);
    }
    took = now() - begun;
    ck_assert_msg(took < 2000, "%d ms", (int)took);
    kill(daemon_pid, SIGCONT);
    redo_client_settimeout(client, 10000);
    ck_assert_ptr_nonnull(add(session, p, 3, "dddd")); /* late answers are passed over */
    ck_assert_int_eq(redo_getsessionsize(session), 4); /* and what was asked for was done */
    redo_client_close(client);
}
END_TEST

START_TEST(ending_a_session_of_a_stopped_daemon_ends_in_time)
{
    redo_client *client = redo_client_connect(NULL, 200);
    join(client, "n");
    join(client, "m");
    join(client, NULL);
    kill(daemon_pid, SIGSTOP);
    int64_t begun = now();
    redo_client_close(client);
    int64_t took = now() - begun;
    kill(daemon_pid, SIGCONT);
    ck_assert_msg(took < 1000, "%d ms", (int)took);
}
END_TEST

static void on_signal(int number)
{
}

START_TEST(signals_do_not_end_a_call)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    redo_client *client = redo_client_connect(NULL, 5000);
    redo_session *session = join(client, "n");
    kill(daemon_pid, SIGSTOP);
    pid_t me = getpid(), child = fork();
    if (child == 0) {
        for (int i = 0; i < 20; i++) {
            usleep(10000);
            kill(me, SIGUSR1);
        }
        kill(daemon_pid, SIGCONT);
        _exit(0);
    }
    add(session, first(session), 1, "bbbb");
    waitpid(child, NULL, 0);
    redo_client_close(client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client");
    TCase *cases = tcase_create("client");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, begin_connects_to_redo_socket_and_is_private);
    tcase_add_test(cases, begin_joins_the_session_that_redo_session_names);
    tcase_add_test(cases, joining_with_other_sizes_is_refused);
    tcase_add_test(cases, unfit_states_and_sizes_are_refused);
    tcase_add_test(cases, unfit_names_are_refused);
    tcase_add_test(cases, without_a_daemon_beginning_fails);
    tcase_add_test(cases,
                   second_beginning_of_a_session_on_one_client_is_refused_and_the_first_goes_on);
    tcase_add_test(cases, one_client_has_several_sessions);
    tcase_add_test(cases, replica_stands_still_between_calls_and_follows_in_a_step);
    tcase_add_test(cases, position_that_another_dropped_stays_readable_and_is_refused);
    tcase_add_test(cases, session_that_another_deleted_stays_readable_and_is_refused);
    tcase_add_test(cases, own_session_can_be_deleted_by_name_while_it_is_held);
    tcase_add_test(cases, observer_is_told_of_each_operation_and_whose_it_is);
    tcase_add_test(cases, result_of_an_operation_is_the_same_as_in_process);
    tcase_add_test(cases, dump_is_loaded_through_the_daemon);
    tcase_add_test(cases, record_that_one_frontend_makes_is_in_the_replica_of_another);
    tcase_add_test(cases, dump_over_the_limit_of_the_daemon_is_refused_with_its_code);
    tcase_add_test(cases, session_with_states_of_16_mebibytes_is_joined);
    tcase_add_test(cases, killed_daemon_makes_calls_fail_and_leaves_the_replica_readable);
    tcase_add_test(cases, what_a_killed_daemon_has_sent_is_still_taken_in);
    tcase_add_test(cases, stopped_daemon_ends_a_call_in_time);
    tcase_add_test(cases, ending_a_session_of_a_stopped_daemon_ends_in_time);
    tcase_add_test(cases, signals_do_not_end_a_call);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
