/* Sessions told by change, through the client library: the replica knows tables, equal boards and
 * why a line was refused, as the daemon does. */
#include "tests/client/live.h"
#include "tests/suite.h"

#define BABA \
    "\xa4"   \
    "baba"

/* {"objects": [[1, {"name": "b", "x": 5}]]} */
static char const table[] = "\x81\xa7"
                            "objects\x91\x92\x01\x82\xa4"
                            "name\xa1"
                            "b\xa1"
                            "x\x05";

static redo_session *begin(redo_client *client, char const *name, int lenient)
{
    redo_session *session = redo_client_beginchanges(client, name, BABA, sizeof BABA - 1, table,
                                                     sizeof table - 1, lenient, NULL);
    ck_assert_msg(session != NULL, "%s", redo_strerror(redo_lasterror()));
    return session;
}

/* A turn of one line: object 1 goes from x `old` to `new` (y and dir are 0). */
static size_t put_turn(unsigned char *at, int new, int old)
{
    unsigned char const bytes[] = {0x93,
                                   0x91,
                                   0x9a,
                                   0xa6,
                                   'u',
                                   'p',
                                   'd',
                                   'a',
                                   't',
                                   'e',
                                   0xa1,
                                   'b',
                                   (unsigned char)new,
                                   0,
                                   0,
                                   (unsigned char)old,
                                   0,
                                   0,
                                   1,
                                   0,
                                   0xc0,
                                   0xc0};
    memcpy(at, bytes, sizeof bytes);
    return sizeof bytes;
}

static int try_turn(redo_session *session, redo_result *result, uint32_t prev, int move, int new,
                    int old)
{
    unsigned char turn[64];
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = prev,
                         .move = move,
                         .value = redo_check,
                         .state = turn,
                         .statesize = put_turn(turn, new, old)};
    return redo_apply(session, &op, result);
}

static uint32_t turn_to(redo_session *session, uint32_t prev, int move, int new, int old)
{
    redo_result result;
    ck_assert_int_eq(try_turn(session, &result, prev, move, new, old), REDO_OK);
    return result.position;
}

START_TEST(equal_boards_are_found_in_the_replica)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = begin(client, "n", 0);
    turn_to(session, turn_to(session, 0, 0, 6, 5), 1, 5, 6);
    redo_position *zero = first(session), *one = zero->next->p, *two = one->next->p;
    ck_assert_ptr_eq(one->better, NULL);
    ck_assert_ptr_eq(two->better, zero);
    ck_assert_mem_eq(redo_getsavedstate(two), redo_getsavedstate(zero), 20);
    redo_client_close(client);
}
END_TEST

START_TEST(a_refused_line_is_explained_by_the_replica_and_nothing_is_added)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = begin(client, "n", 0);
    ck_assert_int_eq(try_turn(session, NULL, 0, 0, 6, 9), REDO_ELINE);
    redo_fault fault;
    ck_assert_int_eq(redo_getfault(session, &fault), 1);
    ck_assert_int_eq(fault.line, 0);
    ck_assert_int_eq(fault.place, 5);
    ck_assert_str_eq(fault.field, "x");
    ck_assert_uint_eq(fault.expectedsize, 1);
    ck_assert_mem_eq(fault.expected, "\x05", 1);
    ck_assert_mem_eq(fault.given, "\x09", 1);
    ck_assert_int_eq(redo_getsessionsize(session), 1);
    ck_assert_int_eq(redo_client_status(session), REDO_OK);
    ck_assert_uint_eq(turn_to(session, 0, 0, 6, 5), 1); /* and it goes on */
    redo_client_close(client);
}
END_TEST

/* ["float", "b", 1, old, new] */
static int line_of(redo_session *session, char const *cursor, int old, int new)
{
    unsigned char const line[] = {
        0x95, 0xa5, 'f', 'l', 'o', 'a', 't', 0xa1, 'b', 1, (unsigned char)old, (unsigned char)new};
    return redo_addundo(session, cursor, line, sizeof line);
}

START_TEST(a_turn_is_told_line_by_line_and_undone_with_its_lines)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = begin(client, "n", 0);
    void *lines, *after, *before;
    size_t size, after_size, before_size;
    redo_fault fault;
    ck_assert_int_eq(redo_gettable(session, first(session), &before, &before_size), REDO_OK);
    ck_assert_ptr_eq(redo_newundo(session, "c", NULL), first(session));
    ck_assert_int_eq(line_of(session, "c", 0, 1), REDO_OK);
    ck_assert_int_eq(line_of(session, "c", 0, 2), REDO_ELINE);
    ck_assert_int_eq(redo_getfault(session, &fault), 1);
    ck_assert_str_eq(fault.field, "float");
    ck_assert_int_eq(line_of(session, "c", 1, 2), REDO_OK);
    ck_assert_ptr_eq(redo_undo(session, "c", &lines, &size), first(session));
    ck_assert_uint_eq(size, 1 + 2 * 12);
    ck_assert_mem_eq((char *)lines + size - 2, "\x00\x01", 2); /* the oldest last */
    ck_assert_int_eq(redo_getsessionsize(session), 2);
    ck_assert_int_eq(redo_gettable(session, first(session), &after, &after_size), REDO_OK);
    ck_assert_uint_eq(after_size, before_size);
    ck_assert_mem_eq(after, before, after_size);
    assert_as_stored(session);
    free(lines);
    free(after);
    free(before);
    redo_client_close(client);
}
END_TEST

START_TEST(a_lenient_session_takes_such_lines)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = begin(client, "n", 1);
    ck_assert_uint_eq(turn_to(session, 0, 0, 6, 9), 1);
    redo_client_close(client);
}
END_TEST

START_TEST(who_joins_or_opens_has_the_same_session)
{
    redo_client *one = connect_to(NULL), *two = connect_to(NULL), *three = connect_to(NULL);
    redo_session *begun = begin(one, "n", 0);
    turn_to(begun, 0, 0, 6, 5);
    redo_session *joined = begin(two, "n", 0), *opened = redo_client_opensession(three, "n");
    ck_assert_ptr_ne(opened, NULL);
    assert_equal(begun, joined);
    turn_to(joined, 1, 0, 7, 6);
    ck_assert_int_eq(redo_client_step(one, 60000), 1);
    ck_assert_int_eq(redo_client_step(three, 60000), 1);
    assert_equal(begun, opened);
    assert_equal(begun, joined);
    redo_client_close(one);
    redo_client_close(two);
    redo_client_close(three);
}
END_TEST

START_TEST(a_session_of_another_kind_or_schema_is_not_joined)
{
    redo_client *client = connect_to(NULL), *other = connect_to(NULL);
    join(client, "states");
    begin(client, "n", 0);
    ck_assert_ptr_eq(
        redo_client_beginchanges(other, "states", BABA, sizeof BABA - 1, NULL, 0, 0, NULL), NULL);
    ck_assert_int_eq(redo_lasterror(), REDO_ESTATE);
    ck_assert_ptr_eq(redo_client_beginchanges(other, "n", NULL, 0, NULL, 0, 0, NULL), NULL);
    ck_assert_int_eq(redo_lasterror(), REDO_ESTATE);
    ck_assert_ptr_eq(redo_client_beginsession(other, "n", "01234567890123456789", 20, 0), NULL);
    ck_assert_int_eq(redo_lasterror(), REDO_ESTATE);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(a_schema_or_table_that_is_none_is_refused_and_the_client_goes_on)
{
    static struct {
        char const *schema;
        size_t schema_size;
        char const *table;
        size_t table_size;
        int code;
    } const bad[] = {
        {"\xa4"
         "keke",
         5, NULL, 0, REDO_ESCHEMA},
        {"\xa4"
         "ba",
         3, NULL, 0, REDO_ESCHEMA}, /* cut */
        {"\xa4"
         "baba\xc0",
         6, NULL, 0, REDO_ESCHEMA}, /* two values */
        {"\x05", 1, NULL, 0, REDO_ESCHEMA},
        {"\xc1", 1, NULL, 0, REDO_ESCHEMA}, /* not msgpack */
        {BABA, 5, "\x81\xa7objects\x05", 10, REDO_ETABLE},
        {BABA, 5, "\x81\xa7objects\x90\x90", 11, REDO_ETABLE},
        {BABA, 5, "\x81", 1, REDO_ETABLE},
    };
    redo_client *client = connect_to(NULL);
    redo_fault fault;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_ptr_eq(redo_client_beginchanges(client, "n", bad[i].schema, bad[i].schema_size,
                                                  bad[i].table, bad[i].table_size, 0, &fault),
                         NULL);
        ck_assert_uint_gt(strlen(fault.what), 0);
        ck_assert_msg(redo_lasterror() == bad[i].code, "%zu: %s", i,
                      redo_errorname(redo_lasterror()));
    }
    ck_assert_uint_eq(turn_to(begin(client, "n", 0), 0, 0, 6, 5), 1);
    redo_client_close(client);
}
END_TEST

START_TEST(a_private_one_ends_with_its_client)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = begin(client, NULL, 0);
    ck_assert_ptr_eq(redo_client_name(session), NULL);
    ck_assert_uint_eq(turn_to(session, 0, 0, 6, 5), 1);
    redo_client_close(client);
}
END_TEST

START_TEST(it_goes_on_after_a_daemon_that_was_killed)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = begin(client, "n", 0);
    uint32_t at = turn_to(session, 0, 0, 6, 5);
    restart_daemon();
    at = turn_to(session, at, 1, 7, 6);
    ck_assert_int_eq(try_turn(session, NULL, at, 0, 6, 9), REDO_ELINE);
    redo_fault fault;
    ck_assert_int_eq(redo_getfault(session, &fault), 1);
    ck_assert_str_eq(fault.field, "x");
    assert_as_stored(session);
    redo_client_close(client);
}
END_TEST

START_TEST(an_add_of_a_state_without_waiting_is_refused)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = begin(client, "n", 0);
    redo_add one = {.prev = first(session), .state = "01234567890123456789"};
    ck_assert_uint_eq(redo_client_addposition_async(session, &one, NULL, NULL), 0);
    ck_assert_int_eq(redo_lasterror(), REDO_EKIND);
    redo_client_close(client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("changes");
    TCase *stored = tcase_create("stored"), *memory = tcase_create("memory");
    tcase_set_timeout(stored, 120);
    tcase_set_timeout(memory, 120);
    tcase_add_checked_fixture(stored, setup, teardown);
    tcase_add_checked_fixture(memory, setup_in_memory, teardown);
    tcase_add_test(memory, equal_boards_are_found_in_the_replica);
    tcase_add_test(memory, a_refused_line_is_explained_by_the_replica_and_nothing_is_added);
    tcase_add_test(memory, a_turn_is_told_line_by_line_and_undone_with_its_lines);
    tcase_add_test(memory, a_lenient_session_takes_such_lines);
    tcase_add_test(memory, who_joins_or_opens_has_the_same_session);
    tcase_add_test(memory, a_session_of_another_kind_or_schema_is_not_joined);
    tcase_add_test(memory, a_schema_or_table_that_is_none_is_refused_and_the_client_goes_on);
    tcase_add_test(memory, a_private_one_ends_with_its_client);
    tcase_add_test(stored, it_goes_on_after_a_daemon_that_was_killed);
    tcase_add_test(memory, an_add_of_a_state_without_waiting_is_refused);
    suite_add_tcase(suite, stored);
    suite_add_tcase(suite, memory);
    return run_suite(suite);
}
