/* The client's end of a connection, against a peer on the other end of a socketpair: what the
 * daemon would send is put there before it is waited for. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client/connection.h"
#include "protocol/error.h"
#include "protocol/place.h"
#include "redo_error.h"

static struct connection c;
static int peer;
static char heard[400]; /* the methods of notifications, a blank after each */

static void notified(void *data, struct message const *m)
{
    ck_assert_ptr_eq(data, &peer);
    strncat(heard, m->method, m->method_size);
    strcat(heard, " ");
}

static void start(int timeout)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(connection_adopt(&c, pair[0], timeout), REDO_OK);
    c.notified = notified;
    c.data = &peer;
    peer = pair[1];
    heard[0] = '\0';
}

static void setup(void)
{
    start(5000);
}

static void teardown(void)
{
    connection_close(&c);
    close(peer);
}

static void say(struct buffer *b)
{
    ck_assert(!b->failed);
    ck_assert_int_eq(send(peer, b->data, b->size, 0), (ssize_t)b->size);
    buffer_free(b);
}

static void say_result(uint32_t id, int64_t result)
{
    struct buffer b = {0};

    pack_response(&b, id);
    pack_int(&b, result);
    say(&b);
}

static void say_notification(char const *method)
{
    struct buffer b = {0};

    pack_notification(&b, method);
    pack_array(&b, 0);
    say(&b);
}

static uint32_t ask(char const *method)
{
    uint32_t id;

    pack_array(connection_request(&c, method, &id), 0);
    return id;
}

static int64_t milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- answers ----------------------------------------------------------------------------- */

START_TEST(a_call_sends_the_request_and_hands_back_the_result)
{
    char sent[100];
    msgpack_object result;
    uint32_t id;
    struct buffer *b = connection_request(&c, "sum", &id);

    pack_array(b, 2);
    pack_int(b, 3);
    pack_int(b, 4);
    say_result(id, 7);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 7);

    ck_assert_int_eq(recv(peer, sent, sizeof sent, 0), 10);
    ck_assert_mem_eq(sent, "\x94\x00\x00\xa3sum\x92\x03\x04", 10);
}
END_TEST

START_TEST(a_daemons_error_is_its_code_and_its_message)
{
    struct error error;
    struct buffer b = {0};
    msgpack_object result;
    uint32_t id = ask("getposition");

    error_begin(&error, REDO_EDROPPED, "position %d has been dropped", 5);
    error_add_int(&error, "position", 5);
    error_respond(&error, false, id, &b);
    say(&b);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_EDROPPED);
    ck_assert_str_eq(c.error, "position 5 has been dropped");
    ck_assert_int_eq(result.type, MSGPACK_OBJECT_ARRAY);

    /* and the connection goes on */
    id = ask("server.ping");
    say_result(id, 1);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_OK);
    ck_assert_str_eq(c.error, "");
}
END_TEST

START_TEST(a_long_message_is_cut_between_characters)
{
    struct buffer b = {0};
    msgpack_object result;
    uint32_t id = ask("x");

    pack_array(&b, 4);
    pack_int(&b, 1);
    pack_uint(&b, id);
    pack_array(&b, 2);
    pack_int(&b, REDO_EFULL);
    char text[300];
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    pack_str(&b, text, sizeof text);
    pack_nil(&b);
    say(&b);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_EFULL);
    ck_assert_uint_eq(strlen(c.error), 254);
}
END_TEST

START_TEST(answers_of_pipelined_requests_are_asked_for_one_by_one)
{
    msgpack_object result;
    uint32_t first = ask("a"), second = ask("b"), third = ask("c");

    ck_assert_int_eq(connection_flush(&c), REDO_OK);
    say_result(first, 10);
    say_result(second, 20);
    say_result(third, 30);
    ck_assert_int_eq(connection_receive(&c, first, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 10);
    ck_assert_int_eq(connection_receive(&c, second, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 20);
    ck_assert_int_eq(connection_receive(&c, third, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 30);
}
END_TEST

START_TEST(answers_nobody_asks_for_are_passed_over)
{
    msgpack_object result;
    uint32_t first = ask("a"), second = ask("b");

    say_result(first, 10);
    say_result(second, 20);
    ck_assert_int_eq(connection_call(&c, second, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 20);
}
END_TEST

START_TEST(ids_may_wrap)
{
    msgpack_object result;

    c.nextid = UINT32_MAX;
    uint32_t first = ask("a"), second = ask("b");
    ck_assert_uint_eq(second, 0);
    say_result(first, 10);
    say_result(second, 20);
    ck_assert_int_eq(connection_call(&c, second, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 20);
}
END_TEST

START_TEST(an_answer_may_come_in_pieces)
{
    struct buffer b = {0};
    msgpack_object result;
    uint32_t id = ask("getsavedstate");

    pack_response(&b, id);
    pack_bin(&b, "0123456789", 10);
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < b.size; i++) {
            send(peer, b.data + i, 1, 0);
            usleep(500);
        }
        _exit(0);
    }
    buffer_free(&b);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_OK);
    ck_assert_uint_eq(result.via.bin.size, 10);
    ck_assert_mem_eq(result.via.bin.ptr, "0123456789", 10);
}
END_TEST

/* Answers each request with `size` bytes, and reads nothing while an answer is on its way. */
static void *answer_all(void *data)
{
    size_t size = *(size_t *)data;
    char in[4096], *text = calloc(1, size);
    struct frame frame;
    size_t used = 0;
    uint32_t id = 0;
    ssize_t got;

    frame_init(&frame);
    while ((got = recv(peer, in + used, sizeof in - used, 0)) > 0) {
        used += (size_t)got;
        while (frame_scan(&frame, &FRAME_LIMITS_DEFAULT, in, used) == FRAME_COMPLETE) {
            struct buffer b = {0};
            pack_response(&b, id++);
            pack_bin(&b, text, size);
            for (size_t sent = 0; sent < b.size;)
                sent += (size_t)send(peer, b.data + sent, b.size - sent, 0);
            buffer_free(&b);
            used -= frame.at;
            memmove(in, in + frame.at, used);
            frame_init(&frame);
        }
    }
    free(text);
    return NULL;
}

START_TEST(more_requests_than_the_socket_holds_do_not_block)
{
    enum { COUNT = 20000 };
    size_t size = 500;
    pthread_t thread;
    uint32_t first = c.nextid;
    msgpack_object result;

    ck_assert_int_eq(pthread_create(&thread, NULL, answer_all, &size), 0);
    for (int i = 0; i < COUNT; i++)
        ask("a.method.with.a.long.name.so.that.it.fills.the.socket");
    ck_assert_int_eq(connection_flush(&c), REDO_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        ck_assert_int_eq(connection_receive(&c, first + i, &result), REDO_OK);
        ck_assert_uint_eq(result.via.bin.size, size);
    }
    shutdown(c.fd, SHUT_WR);
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(a_large_answer_is_taken_whole)
{
    size_t size = 16 * 1024 * 1024;
    pthread_t thread;
    msgpack_object result;

    ck_assert_int_eq(pthread_create(&thread, NULL, answer_all, &size), 0);
    ck_assert_int_eq(connection_call(&c, ask("a"), &result), REDO_OK);
    ck_assert_uint_eq(result.via.bin.size, size);
    ck_assert_int_eq(connection_call(&c, ask("a"), &result), REDO_OK);
    shutdown(c.fd, SHUT_WR);
    pthread_join(thread, NULL);
}
END_TEST

/* ---- notifications ----------------------------------------------------------------------- */

START_TEST(notifications_are_handed_out_in_order_while_waiting)
{
    msgpack_object result;
    uint32_t id = ask("a");

    say_notification("one");
    say_notification("two");
    say_result(id, 1);
    say_notification("three");
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_OK);
    ck_assert_str_eq(heard, "one two ");
    ck_assert_int_eq(connection_step(&c, 0), REDO_OK);
    ck_assert_str_eq(heard, "one two three ");
}
END_TEST

START_TEST(a_step_takes_what_is_there_and_leaves_responses)
{
    msgpack_object result;
    uint32_t id = ask("a");

    ck_assert_int_eq(connection_flush(&c), REDO_OK);
    ck_assert_int_eq(connection_step(&c, 0), REDO_OK);
    ck_assert_str_eq(heard, "");
    say_notification("one");
    say_result(id, 7);
    say_notification("two");
    ck_assert_int_eq(connection_step(&c, 0), REDO_OK);
    ck_assert_str_eq(heard, "one ");
    ck_assert_int_eq(connection_step(&c, 0), REDO_OK);
    ck_assert_int_eq(connection_receive(&c, id, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 7);
    ck_assert_int_eq(connection_step(&c, 0), REDO_OK);
    ck_assert_str_eq(heard, "one two ");
}
END_TEST

START_TEST(a_step_waits_as_long_as_it_is_told)
{
    int64_t begin = milliseconds();

    ck_assert_int_eq(connection_step(&c, 50), REDO_OK);
    ck_assert_int_ge(milliseconds() - begin, 49);
    ck_assert_str_eq(heard, "");
}
END_TEST

START_TEST(a_step_waits_for_the_rest_of_a_message)
{
    send(peer, "\x93\x02\xa3", 3, 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        send(peer, "one\x90", 4, 0);
        _exit(0);
    }
    ck_assert_int_eq(connection_step(&c, 5000), REDO_OK);
    ck_assert_str_eq(heard, "one ");
}
END_TEST

static void on_alarm(int number)
{
}

START_TEST(a_signal_ends_a_step_and_not_a_call)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval timer = {.it_value = {.tv_usec = 20000}};
    msgpack_object result;
    int64_t begin = milliseconds();

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    ck_assert_int_eq(connection_step(&c, 4000), REDO_OK);
    ck_assert_int_lt(milliseconds() - begin, 3000);

    uint32_t id = ask("a");
    pid_t child = fork();
    if (child == 0) {
        usleep(60000);
        say_result(id, 1);
        _exit(0);
    }
    setitimer(ITIMER_REAL, &timer, NULL);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_OK);
}
END_TEST

/* ---- ends -------------------------------------------------------------------------------- */

START_TEST(a_daemon_that_hangs_up_closes_the_connection)
{
    msgpack_object result;

    shutdown(peer, SHUT_RDWR);
    ck_assert_int_eq(connection_call(&c, ask("a"), &result), REDO_ECLOSED);
    ck_assert_int_eq(c.fd, -1);
    ck_assert_int_eq(connection_call(&c, ask("a"), &result), REDO_ECLOSED);
    ck_assert_int_eq(connection_step(&c, 1000), REDO_ECLOSED);
    ck_assert_uint_eq(c.out.size, 0);
}
END_TEST

START_TEST(what_came_before_the_end_is_still_read)
{
    msgpack_object result;
    uint32_t id = ask("a");

    say_notification("one");
    say_result(id, 5);
    close(peer);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_OK);
    ck_assert_int_eq(result.via.i64, 5);
    ck_assert_str_eq(heard, "one ");
    ck_assert_int_eq(connection_step(&c, 1000), REDO_ECLOSED);
}
END_TEST

START_TEST(the_last_words_to_a_request_too_big_to_send_are_read)
{
    struct error error;
    struct buffer b = {0};
    msgpack_object result;
    uint32_t id;
    struct buffer *out = connection_request(&c, "x", &id);
    size_t size = 16 * 1024 * 1024;
    char *text = calloc(1, size);

    pack_array(out, 1);
    pack_bin(out, text, size);
    error_begin(&error, REDO_ETOOBIG, NULL);
    error_respond(&error, false, id, &b);
    say(&b);
    close(peer);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_ETOOBIG);
    free(text);
}
END_TEST

START_TEST(no_answer_in_time_closes_the_connection)
{
    msgpack_object result;
    int64_t begin = milliseconds();

    teardown();
    start(60);
    ck_assert_int_eq(connection_call(&c, ask("a"), &result), REDO_ETIMEOUT);
    ck_assert_int_ge(milliseconds() - begin, 59);
    ck_assert_int_eq(c.fd, -1);
}
END_TEST

START_TEST(an_answer_that_trickles_does_not_outlast_the_timeout)
{
    msgpack_object result;
    int64_t begin = milliseconds();

    teardown();
    start(100);
    pid_t child = fork();
    if (child == 0) {
        struct buffer b = {0};
        pack_response(&b, 0);
        pack_bin_head(&b, 200);
        for (size_t i = 0; i < 200; i++) {
            send(peer, i < b.size ? b.data + i : "x", 1, MSG_NOSIGNAL);
            usleep(10000);
        }
        _exit(0);
    }
    ck_assert_int_eq(connection_call(&c, ask("a"), &result), REDO_ETIMEOUT);
    ck_assert_int_lt(milliseconds() - begin, 1500);
}
END_TEST

START_TEST(what_is_not_the_protocol_closes_the_connection)
{
    static char const *const wrong[] = {"\xc1",
                                        "HTTP",
                                        "\x90",
                                        "\x94\x01\x05\xc0\xc0",
                                        "\x94\x00\x00\xa1x\x90",
                                        "\x94\x01\x00\x2a\xc0"};
    static size_t const size[] = {1, 4, 1, 5, 6, 5};

    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        msgpack_object result;

        teardown();
        start(5000);
        ck_assert_int_eq(send(peer, wrong[i], size[i], 0), (ssize_t)size[i]);
        ck_assert_int_eq(connection_call(&c, ask("a"), &result), REDO_EPROTOCOL);
        ck_assert_int_eq(c.fd, -1);
    }
}
END_TEST

/* ---- connecting -------------------------------------------------------------------------- */

START_TEST(the_path_is_the_one_given_or_the_environments_or_the_default)
{
    char path[PLACE_SOCKET_MAX + 1];

    setenv("REDO_SOCKET", "/env/sock", 1);
    setenv("XDG_RUNTIME_DIR", "/run/user/5", 1);
    ck_assert_int_eq(connection_path("/my/sock", path, sizeof path), REDO_OK);
    ck_assert_str_eq(path, "/my/sock");
    ck_assert_int_eq(connection_path(NULL, path, sizeof path), REDO_OK);
    ck_assert_str_eq(path, "/env/sock");
    unsetenv("REDO_SOCKET");
    ck_assert_int_eq(connection_path(NULL, path, sizeof path), REDO_OK);
    ck_assert_str_eq(path, "/run/user/5/redod/redod.sock");
}
END_TEST

START_TEST(a_path_longer_than_a_socket_can_have_is_no_name)
{
    char path[PLACE_SOCKET_MAX + 1], given[PLACE_SOCKET_MAX + 2];

    memset(given, 'x', sizeof given);
    given[PLACE_SOCKET_MAX + 1] = '\0';
    ck_assert_int_eq(connection_path(given, path, sizeof path), REDO_ENAME);
    given[PLACE_SOCKET_MAX] = '\0';
    ck_assert_int_eq(connection_path(given, path, sizeof path), REDO_OK);
}
END_TEST

START_TEST(where_nobody_listens_connecting_says_why)
{
    struct connection other;

    ck_assert_int_eq(connection_open(&other, "/nowhere/redod.sock", 1000), REDO_ECONNECT);
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(a_daemon_that_accepts_nobody_is_not_waited_for_longer_than_told)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct connection others[3];
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), opened = 0, code = REDO_OK;

    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/redo-connection-%d", (int)getpid());
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(listener, 0), 0);
    int64_t begin = milliseconds();
    while (opened < 3 && code == REDO_OK) {
        code = connection_open(&others[opened], address.sun_path, 50);
        opened += code == REDO_OK;
    }
    ck_assert_int_eq(code, REDO_ECONNECT);
    ck_assert_int_eq(errno, ETIMEDOUT);
    ck_assert_int_ge(opened, 1);
    ck_assert_int_lt(milliseconds() - begin, 2000);
    while (opened > 0)
        connection_close(&others[--opened]);
    close(listener);
    unlink(address.sun_path);
}
END_TEST

START_TEST(a_key_is_found_in_maps_alone)
{
    msgpack_object result;
    struct buffer b = {0};
    uint32_t id = ask("a");

    pack_response(&b, id);
    pack_map(&b, 2);
    pack_key(&b, "ab");
    pack_int(&b, 1);
    pack_key(&b, "a");
    pack_int(&b, 2);
    say(&b);
    ck_assert_int_eq(connection_call(&c, id, &result), REDO_OK);
    ck_assert_int_eq(map_get(&result, "a")->via.i64, 2);
    ck_assert_ptr_null(map_get(&result, "b"));
    ck_assert_ptr_null(map_get(map_get(&result, "a"), "a"));
    ck_assert_ptr_null(map_get(NULL, "a"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("connection");
    TCase *tests = tcase_create("connection");

    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, a_call_sends_the_request_and_hands_back_the_result);
    tcase_add_test(tests, a_daemons_error_is_its_code_and_its_message);
    tcase_add_test(tests, a_long_message_is_cut_between_characters);
    tcase_add_test(tests, answers_of_pipelined_requests_are_asked_for_one_by_one);
    tcase_add_test(tests, answers_nobody_asks_for_are_passed_over);
    tcase_add_test(tests, ids_may_wrap);
    tcase_add_test(tests, an_answer_may_come_in_pieces);
    tcase_add_test(tests, more_requests_than_the_socket_holds_do_not_block);
    tcase_add_test(tests, a_large_answer_is_taken_whole);
    tcase_add_test(tests, notifications_are_handed_out_in_order_while_waiting);
    tcase_add_test(tests, a_step_takes_what_is_there_and_leaves_responses);
    tcase_add_test(tests, a_step_waits_as_long_as_it_is_told);
    tcase_add_test(tests, a_step_waits_for_the_rest_of_a_message);
    tcase_add_test(tests, a_signal_ends_a_step_and_not_a_call);
    tcase_add_test(tests, a_daemon_that_hangs_up_closes_the_connection);
    tcase_add_test(tests, what_came_before_the_end_is_still_read);
    tcase_add_test(tests, the_last_words_to_a_request_too_big_to_send_are_read);
    tcase_add_test(tests, no_answer_in_time_closes_the_connection);
    tcase_add_test(tests, an_answer_that_trickles_does_not_outlast_the_timeout);
    tcase_add_test(tests, what_is_not_the_protocol_closes_the_connection);
    tcase_add_test(tests, the_path_is_the_one_given_or_the_environments_or_the_default);
    tcase_add_test(tests, a_path_longer_than_a_socket_can_have_is_no_name);
    tcase_add_test(tests, where_nobody_listens_connecting_says_why);
    tcase_add_test(tests, a_daemon_that_accepts_nobody_is_not_waited_for_longer_than_told);
    tcase_add_test(tests, a_key_is_found_in_maps_alone);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
