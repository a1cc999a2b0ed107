/* Connections on a loop of their own, with a handler that the test plays. The other end is a
 * SOCK_SEQPACKET socket: there each write() of the daemon stays a packet, and can be counted. */
#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol/pack.h"
#include "server/conn.h"
#include "server/log.h"

static char const ping[] = "\x94\x00\x01\xabserver.ping\x90";
#define PING_SIZE (sizeof ping - 1)

static uv_loop_t loop;
static struct conns conns;
static unsigned messages, closes;
static struct conn *order[4096]; /* whose messages came, in order */
static void (*act)(struct conn *conn);

static bool on_message(struct conn *conn, struct message const *m)
{
    ck_assert_int_eq(m->type, MESSAGE_REQUEST);
    if (messages < sizeof order / sizeof order[0])
        order[messages] = conn;
    messages++;
    if (act != NULL)
        act(conn);
    return true;
}

static void on_closed(struct conn *conn)
{
    closes++;
}

static struct conn_handler const handler = {.message = on_message, .closed = on_closed};

static void setup(void)
{
    struct conn_limits limits = {
        .frame = FRAME_LIMITS_DEFAULT, .output_soft = 1 << 16, .output_hard = 1 << 20};

    log_init(LOG_LEVEL_ERROR);
    signal(SIGPIPE, SIG_IGN); /* as the daemon does */
    messages = closes = 0;
    act = NULL;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(conns_init(&conns, &loop, &limits, &handler, NULL), 0);
}

static void teardown(void)
{
    conns_end(&conns);
    conns_close(&conns);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static struct conn *make(int type, int *other)
{
    struct peer peer = {.uid = 1, .gid = 1, .pid = 1};
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    *other = pair[1];
    struct conn *conn = conn_open(&conns, pair[0], &peer);
    ck_assert_ptr_nonnull(conn);
    return conn;
}

/* A few turns of the loop, none of which sleeps. */
static void turn(void)
{
    for (int i = 0; i < 8; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
}

static void respond(struct conn *conn)
{
    pack_response(conn_out(conn), 1);
    pack_nil(conn_out(conn));
    conn_touch(conn);
}

static unsigned packets(int fd)
{
    char bytes[1 << 16];
    unsigned count = 0;

    while (recv(fd, bytes, sizeof bytes, 0) > 0)
        count++;
    return count;
}

START_TEST(all_responses_of_a_turn_go_out_in_one_write)
{
    char pings[100 * PING_SIZE];
    int other;

    make(SOCK_SEQPACKET, &other);
    act = respond;
    for (int i = 0; i < 100; i++)
        memcpy(pings + i * PING_SIZE, ping, PING_SIZE);
    ck_assert_int_eq(send(other, pings, sizeof pings, 0), sizeof pings);
    turn();
    ck_assert_uint_eq(messages, 100);
    ck_assert_uint_eq(packets(other), 1);
    close(other);
}
END_TEST

static struct conn *listener;

static void tell_listener(struct conn *conn)
{
    respond(listener);
    respond(conn);
}

START_TEST(what_other_connections_cause_goes_out_in_one_write)
{
    int one, two, heard;

    make(SOCK_SEQPACKET, &one);
    make(SOCK_SEQPACKET, &two);
    listener = make(SOCK_SEQPACKET, &heard);
    act = tell_listener;
    uv_run(&loop, UV_RUN_NOWAIT); /* it has begun to read */
    ck_assert_int_eq(send(one, ping, PING_SIZE, 0), PING_SIZE);
    ck_assert_int_eq(send(two, ping, PING_SIZE, 0), PING_SIZE);
    turn();
    ck_assert_uint_eq(messages, 2);
    ck_assert_uint_eq(packets(heard), 1);
    ck_assert_uint_eq(packets(one), 1);
    close(one);
    close(two);
    close(heard);
}
END_TEST

START_TEST(finishing_connection_waits_for_a_response_that_is_held)
{
    char byte[64];
    int other;
    struct conn *conn = make(SOCK_STREAM, &other);

    act = conn_hold;
    ck_assert_int_eq(send(other, ping, PING_SIZE, 0), PING_SIZE);
    shutdown(other, SHUT_WR);
    turn();
    ck_assert_uint_eq(messages, 1);
    ck_assert_uint_eq(closes, 0);
    respond(conn);
    conn_release(conn);
    turn();
    ck_assert_uint_eq(closes, 1);
    ck_assert_int_gt(recv(other, byte, sizeof byte, 0), 0);
    ck_assert_int_eq(recv(other, byte, sizeof byte, 0), 0);
    close(other);
}
END_TEST

START_TEST(reader_past_the_hard_limit_is_ended_and_others_stay)
{
    static char const bytes[1000];
    int slow, other;
    struct conn *conn = make(SOCK_STREAM, &slow);

    make(SOCK_STREAM, &other);
    for (int i = 0; i < 3000 && closes == 0; i++) {
        pack_bin(conn_out(conn), bytes, sizeof bytes);
        conn_touch(conn);
        ck_assert_uint_le(conn_queued(conn), (1 << 20) + 2000);
        if (i % 10 == 0)
            turn();
    }
    turn();
    ck_assert_uint_eq(closes, 1);
    ck_assert_uint_eq(conns.count, 1);
    act = respond;
    ck_assert_int_eq(send(other, ping, PING_SIZE, 0), PING_SIZE);
    turn();
    ck_assert_uint_eq(messages, 1);
    close(slow);
    close(other);
}
END_TEST

START_TEST(past_the_hard_limit_in_one_callback_memory_is_bounded)
{
    static char const bytes[1000];
    int slow;
    struct conn *conn = make(SOCK_STREAM, &slow);

    for (int i = 0; i < 100000; i++) {
        pack_bin(conn_out(conn), bytes, sizeof bytes);
        conn_touch(conn);
        ck_assert_uint_le(conn->out.cap, 4 << 20);
    }
    ck_assert_uint_eq(closes, 0);
    turn();
    ck_assert_uint_eq(closes, 1);
    close(slow);
}
END_TEST

/* Bytes that the peer has not asked for, and does not read. */
static void tell(struct conn *conn, size_t size)
{
    static char const bytes[1 << 16];

    pack_bin(conn_out(conn), bytes, (uint32_t)size);
    conn_touch(conn);
}

/* So that the kernel takes no more. */
static void block(struct conn *conn)
{
    while (!conn->writing) {
        tell(conn, 10000);
        turn();
    }
}

START_TEST(reader_lags_past_the_soft_limit_when_the_kernel_takes_no_more)
{
    int slow;
    struct conn *conn = make(SOCK_STREAM, &slow);

    tell(conn, 1 << 16);
    tell(conn, 1 << 16);
    ck_assert(!conn_lags(conn, 100)); /* what comes at once is no sign */
    block(conn);
    ck_assert(!conn_lags(conn, 100));
    while (conn_queued(conn) <= 1 << 16)
        tell(conn, 10000);
    ck_assert(conn_lags(conn, 100));
    for (int i = 0; i < 100; i++) {
        packets(slow);
        turn();
    }
    ck_assert_uint_eq(conn_queued(conn), 0);
    ck_assert(!conn_lags(conn, 100));
    close(slow);
}
END_TEST

START_TEST(reader_that_waits_for_the_disk_does_not_lag)
{
    int other;
    struct conn *conn = make(SOCK_STREAM, &other);

    conn->withheld = 1 << 19;
    ck_assert(!conn_lags(conn, 100));
    conn->withheld = 1 << 20; /* but there is an end to that too */
    ck_assert(conn_lags(conn, 100));
    conn->withheld = 0;
    close(other);
}
END_TEST

START_TEST(reader_lags_after_the_time_it_is_given)
{
    int slow;
    struct conn *conn = make(SOCK_STREAM, &slow);

    conns.limits.soft_ms = 20;
    block(conn);
    while (conn_queued(conn) <= 1 << 16)
        tell(conn, 10000);
    uint64_t begin = uv_now(&loop);
    while (!conn_lags(conn, 100))
        turn();
    ck_assert_uint_ge(uv_now(&loop) - begin, 20);
    close(slow);
}
END_TEST

START_TEST(connections_of_a_user_have_a_bound_together)
{
    int ones[3];
    struct conn *conn[3];

    conns.limits.output_user = 90000;
    for (int i = 0; i < 3; i++)
        conn[i] = make(SOCK_STREAM, &ones[i]);
    conn[0]->withheld = 60000;
    conn_touch(conn[0]);
    conn[1]->withheld = 20000;
    conn_touch(conn[1]);
    ck_assert(!conn_share_exceeded(conn[0], 0));
    ck_assert(!conn_share_exceeded(conn[2], 10000));
    ck_assert(conn_share_exceeded(conn[0], 10001));
    ck_assert(!conn_share_exceeded(conn[1], 10000)); /* no more than its part */
    conn[0]->withheld = conn[1]->withheld = 0;
    conn_end(conn[0]);
    ck_assert(!conn_share_exceeded(conn[1], 60000)); /* what it held is forgotten */
    for (int i = 0; i < 3; i++)
        close(ones[i]);
}
END_TEST

static void respond_at_length(struct conn *conn)
{
    pack_response(conn_out(conn), 1);
    tell(conn, 10000);
}

START_TEST(past_the_bound_of_its_user_a_connection_is_not_read_from_until_it_reads)
{
    int slow, other;
    struct conn *conn = make(SOCK_STREAM, &slow);

    make(SOCK_STREAM, &other);
    conns.limits.output_soft = 1 << 20;
    conns.limits.output_user = 40000;
    act = respond_at_length;
    for (int i = 0; i < 200; i++) {
        ck_assert_int_eq(send(slow, ping, PING_SIZE, 0), PING_SIZE);
        turn();
    }
    ck_assert(conn->choked && messages < 200);
    ck_assert_uint_lt(conn_queued(conn), 60000);
    for (int i = 0; i < 100; i++) {
        packets(slow);
        turn();
    }
    ck_assert_uint_eq(messages, 200);
    close(slow);
    close(other);
}
END_TEST

START_TEST(many_messages_of_one_do_not_delay_those_of_another)
{
    static char pings[2000 * PING_SIZE];
    int busy, other;
    struct conn *second;

    make(SOCK_STREAM, &busy);
    second = make(SOCK_STREAM, &other);
    for (int i = 0; i < 2000; i++)
        memcpy(pings + i * PING_SIZE, ping, PING_SIZE);
    ck_assert_int_eq(send(busy, pings, sizeof pings, 0), sizeof pings);
    ck_assert_int_eq(send(other, ping, PING_SIZE, 0), PING_SIZE);
    for (int i = 0; i < 30; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(messages, 2001);
    unsigned at = 0;
    while (order[at] != second)
        at++;
    ck_assert_uint_lt(at, 600);
    close(busy);
    close(other);
}
END_TEST

/* Longer than a turn, and no less however busy the machine is. */
static void take_long(struct conn *conn)
{
    uint64_t began = uv_hrtime();
    (void)conn;
    while (uv_hrtime() - began < 2 * 1000 * 1000)
        ;
}

START_TEST(slow_messages_of_one_are_handled_one_a_turn)
{
    char pings[3 * PING_SIZE];
    int one, other;
    struct conn *first = make(SOCK_STREAM, &one), *second = make(SOCK_STREAM, &other);

    conns.limits.turn_us = 1000;
    act = take_long;
    for (int i = 0; i < 3; i++)
        memcpy(pings + i * PING_SIZE, ping, PING_SIZE);
    ck_assert_int_eq(send(one, pings, sizeof pings, 0), sizeof pings);
    ck_assert_int_eq(send(other, pings, sizeof pings, 0), sizeof pings);
    for (int i = 0; i < 100 && messages < 6; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(messages, 6);
    for (int i = 0; i < 6; i += 2) { /* in turn, whoever was first */
        ck_assert_ptr_ne(order[i], order[i + 1]);
        ck_assert(order[i] == first || order[i] == second);
    }
    close(one);
    close(other);
}
END_TEST

START_TEST(connection_ended_by_its_own_message_is_told_of_once)
{
    int other;

    make(SOCK_STREAM, &other);
    act = conn_end;
    ck_assert_int_eq(send(other, ping, PING_SIZE, 0), PING_SIZE);
    ck_assert_int_eq(send(other, ping, PING_SIZE, 0), PING_SIZE);
    turn();
    ck_assert_uint_eq(messages, 1);
    ck_assert_uint_eq(closes, 1);
    close(other);
}
END_TEST

static void end_listener(struct conn *conn)
{
    conn_end(listener);
    respond(conn);
}

START_TEST(connection_can_be_ended_by_the_message_of_another)
{
    static char pings[600 * PING_SIZE];
    int other, ended;

    /* With input left over, and output due: on all lists. */
    listener = make(SOCK_STREAM, &ended);
    for (int i = 0; i < 600; i++)
        memcpy(pings + i * PING_SIZE, ping, PING_SIZE);
    ck_assert_int_eq(send(ended, pings, sizeof pings, 0), sizeof pings);
    act = respond;
    uv_run(&loop, UV_RUN_NOWAIT);
    make(SOCK_STREAM, &other);
    act = end_listener;
    ck_assert_int_eq(send(other, ping, PING_SIZE, 0), PING_SIZE);
    turn();
    ck_assert_uint_eq(closes, 1);
    ck_assert_uint_eq(conns.count, 1);
    close(ended);
    close(other);
}
END_TEST

START_TEST(peer_that_is_gone_ends_the_connection)
{
    int other;

    struct conn *conn = make(SOCK_STREAM, &other);
    close(other);
    respond(conn);
    turn();
    ck_assert_uint_eq(closes, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conn");
    TCase *tests = tcase_create("conn");

    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, all_responses_of_a_turn_go_out_in_one_write);
    tcase_add_test(tests, what_other_connections_cause_goes_out_in_one_write);
    tcase_add_test(tests, finishing_connection_waits_for_a_response_that_is_held);
    tcase_add_test(tests, reader_past_the_hard_limit_is_ended_and_others_stay);
    tcase_add_test(tests, past_the_hard_limit_in_one_callback_memory_is_bounded);
    tcase_add_test(tests, reader_lags_past_the_soft_limit_when_the_kernel_takes_no_more);
    tcase_add_test(tests, reader_that_waits_for_the_disk_does_not_lag);
    tcase_add_test(tests, reader_lags_after_the_time_it_is_given);
    tcase_add_test(tests, connections_of_a_user_have_a_bound_together);
    tcase_add_test(tests, past_the_bound_of_its_user_a_connection_is_not_read_from_until_it_reads);
    tcase_add_test(tests, many_messages_of_one_do_not_delay_those_of_another);
    tcase_add_test(tests, slow_messages_of_one_are_handled_one_a_turn);
    tcase_add_test(tests, connection_ended_by_its_own_message_is_told_of_once);
    tcase_add_test(tests, connection_can_be_ended_by_the_message_of_another);
    tcase_add_test(tests, peer_that_is_gone_ends_the_connection);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
