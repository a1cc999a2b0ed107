/* Who made a position, and when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/dump.h"
#include "core/session.h"
#include "tests/core/invariants.h"
#include "tests/suite.h"

static redo_session *s;

static void setup(void)
{
    s = redo_beginsession("aa", 2, 0);
    ck_assert_ptr_nonnull(s);
}

static void teardown(void)
{
    invariants_hold(s->history);
    redo_endsession(s);
}

struct bytes {
    unsigned char *data;
    size_t size;
};

static struct bytes dump(void)
{
    struct bytes b;
    void *data;
    ck_assert_int_eq(redo_dump(s, &data, &b.size), REDO_OK);
    b.data = data;
    return b;
}

static void reload(void)
{
    struct bytes before = dump();
    redo_endsession(s);
    s = redo_load(before.data, before.size);
    ck_assert_ptr_nonnull(s);
    struct bytes after = dump();
    ck_assert_uint_eq(after.size, before.size);
    ck_assert_mem_eq(after.data, before.data, after.size);
    free(before.data);
    free(after.data);
}

/* By an author as the daemon would find it: by number where it is known. */
static redo_stamp by(uint32_t uid, char const *name, uint32_t time)
{
    uint32_t known = authors_find(&s->history->authors, uid, name, strlen(name));
    if (known)
        return (redo_stamp){.author = known, .time = time};
    return (redo_stamp){.uid = uid, .name = name, .namesize = strlen(name), .time = time};
}

static int apply(redo_operation op, redo_stamp stamp, redo_result *r)
{
    redo_result result;
    op.stamp = stamp;
    return redo_apply(s, &op, r ? r : &result);
}

static redo_operation adding(uint32_t prev, int move, char const *state)
{
    return (redo_operation){.kind = REDO_OP_ADD,
                            .position = prev,
                            .move = move,
                            .state = state,
                            .statesize = 2,
                            .value = redo_check};
}

static uint32_t add(redo_stamp stamp, uint32_t prev, int move, char const *state)
{
    redo_result r;
    ck_assert_int_eq(apply(adding(prev, move, state), stamp, &r), REDO_OK);
    return r.position;
}

static void assert_author(uint32_t position, uint32_t number, uint32_t uid, char const *name,
                          uint32_t time)
{
    redo_author a;
    ck_assert_int_eq(redo_getauthor(redo_getposition(s, position), &a), 1);
    ck_assert_uint_eq(a.number, number);
    ck_assert_uint_eq(a.uid, uid);
    ck_assert_str_eq(a.name, name);
    ck_assert_uint_eq(a.time, time);
}

static bool is_unknown(uint32_t position)
{
    return !redo_getauthor(redo_getposition(s, position), NULL);
}

START_TEST(positions_bear_who_made_them_and_when)
{
    redo_stamp none = {0};
    add(by(1000, "ann", 77), 0, 1, "bb");
    add(by(1000, "bob", UINT32_MAX), 1, 1, "cc");
    add(by(0, "ann", 0), 2, 1, "dd");
    add(none, 3, 1, "ee");
    add(by(1000, "ann", 78), 4, 1, "ff");
    for (int i = 0; i < 2; i++) {
        ck_assert(is_unknown(0));
        assert_author(1, 1, 1000, "ann", 77);
        assert_author(2, 2, 1000, "bob", UINT32_MAX);
        assert_author(3, 3, 0, "ann", 0);
        ck_assert(is_unknown(4));
        assert_author(5, 1, 1000, "ann", 78);
        reload();
    }
    ck_assert(!redo_getauthor(NULL, NULL));
    redo_position *p = redo_getposition(s, 5);
    redo_dropposition(s, p);
    ck_assert(!redo_getauthor(p, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_EDROPPED);
}
END_TEST

START_TEST(a_move_that_is_there_keeps_its_author)
{
    add(by(1, "ann", 1), 0, 1, "bb");
    add(by(2, "bob", 2), 0, 1, "bb");
    assert_author(1, 1, 1, "ann", 1);
    ck_assert_uint_eq(s->history->authors.count, 1); /* he changed nothing */
}
END_TEST

START_TEST(copies_and_turns_are_signed_by_who_caused_them)
{
    redo_setgraftbehavior(s, redo_copypath);
    redo_stamp ann = by(1, "ann", 1);
    add(ann, 0, 1, "bb");
    add(by(1, "ann", 2), 1, 1, "cc");
    redo_operation op = adding(2, 1, "dd");
    op.endpoint = 1;
    apply(op, by(1, "ann", 3), NULL);
    ck_assert_uint_eq(add(by(2, "bob", 4), 0, 2, "cc"), 4);
    assert_author(5, 2, 2, "bob", 4); /* the copy of 3 */
    assert_author(3, 1, 1, "ann", 3);
    redo_operation dup = {.kind = REDO_OP_DUPLICATE, .position = 4, .source = 1};
    redo_result r;
    ck_assert_int_eq(apply(dup, by(3, "eve", 5), &r), REDO_OK);
    ck_assert_uint_eq(r.made, 1);
    assert_author(r.firstmade, 3, 3, "eve", 5);
    redo_operation turn = {.kind = REDO_OP_TURN,
                           .state =
                               "\x02\x00\x07\x01\x00\x60\x00\x00xx\x01\x07\x01\x00\x62\x00\x00yy",
                           .statesize = 19};
    ck_assert_int_eq(apply(turn, by(4, "tom", 6), &r), REDO_OK);
    ck_assert_uint_eq(r.made, 2);
    assert_author(r.firstmade, 4, 4, "tom", 6);
    assert_author(r.position, 4, 4, "tom", 6);
    reload();
}
END_TEST

START_TEST(stamps_that_tell_of_no_one_are_refused_and_change_nothing)
{
    char name[REDO_AUTHOR_MAX + 1];
    memset(name, 'x', sizeof name);
    add(by(1, "ann", 1), 0, 1, "bb");
    struct bytes before = dump();
    redo_operation const op = adding(0, 2, "cc");
    ck_assert_int_eq(apply(op, (redo_stamp){.author = 2}, NULL), REDO_EPARAMS);
    ck_assert_int_eq(apply(op, (redo_stamp){.author = UINT32_MAX}, NULL), REDO_EPARAMS);
    ck_assert_int_eq(apply(op, (redo_stamp){.time = 2}, NULL), REDO_EPARAMS);
    ck_assert_int_eq(apply(op, (redo_stamp){.uid = 1, .name = "ann", .namesize = 3}, NULL),
                     REDO_EPARAMS); /* known: he has a number */
    ck_assert_int_eq(apply(op, (redo_stamp){.author = 1, .name = "bob", .namesize = 3}, NULL),
                     REDO_EPARAMS);
    ck_assert_int_eq(apply(op, (redo_stamp){.name = name, .namesize = sizeof name}, NULL),
                     REDO_ENAME);
    ck_assert_int_eq(apply(op, (redo_stamp){.name = "a\0b", .namesize = 3}, NULL), REDO_ENAME);
    ck_assert_int_eq(apply(adding(9, 2, "cc"), by(2, "bob", 1), NULL), REDO_EPOSITION);
    struct bytes after = dump();
    ck_assert_uint_eq(after.size, before.size);
    ck_assert_mem_eq(after.data, before.data, after.size);
    free(before.data);
    free(after.data);
    add((redo_stamp){.uid = 1, .name = name, .namesize = REDO_AUTHOR_MAX}, 0, 3, "dd");
    add((redo_stamp){.uid = 1, .name = "", .namesize = 0}, 0, 4, "ee");
    assert_author(3, 3, 1, "", 0);
    reload();
}
END_TEST

START_TEST(undoing_ones_own_moves_stops_before_anothers)
{
    redo_stamp none = {0};
    for (int i = 0; i < 6; i++)
        add(i < 2 ? by(1, "ann", 1) : by(2, "bob", 1), (uint32_t)i, 1,
            (char[]){'b', (char)('b' + i)});
    redo_setcursor(s, "a", redo_getposition(s, 6), NULL);
    redo_operation op = {.kind = REDO_OP_CURSOR,
                         .name = "a",
                         .namesize = 1,
                         .value = redo_step_undomine,
                         .move = 100,
                         .source = REDO_NOPOSITION};
    redo_result r;
    ck_assert_int_eq(apply(op, by(1, "ann", 2), &r), REDO_OK); /* not hers */
    ck_assert_int_eq(r.value, 0);
    ck_assert(!r.changed);
    ck_assert_int_eq(apply(op, by(3, "eve", 2), &r), REDO_OK);
    ck_assert_int_eq(r.value, 0);
    ck_assert_uint_eq(s->history->authors.count, 2);
    ck_assert_int_eq(apply(op, none, &r), REDO_OK);
    ck_assert_int_eq(r.value, 0);
    op.move = 1;
    ck_assert_int_eq(apply(op, by(2, "bob", 2), &r), REDO_OK);
    ck_assert_int_eq(r.value, 1);
    op.move = 100;
    ck_assert_int_eq(apply(op, by(2, "bob", 2), &r), REDO_OK);
    ck_assert_int_eq(r.value, 3);
    ck_assert_uint_eq(r.position, 2);
    ck_assert_int_eq(apply(op, by(1, "ann", 2), &r), REDO_OK); /* to the first, which is no one's */
    ck_assert_uint_eq(r.position, 0);
    ck_assert_ptr_eq(redo_movecursor(s, "a", redo_step_redo, 6, NULL, NULL),
                     redo_getposition(s, 6));
}
END_TEST

START_TEST(the_first_position_can_be_signed_too)
{
    ck_assert_int_eq(history_sign(s->history, 5, NULL, 0, 9), REDO_ENAME);
    ck_assert_int_eq(history_sign(s->history, 5, "a\0b", 3, 9), REDO_ENAME);
    ck_assert(is_unknown(0));
    ck_assert_int_eq(history_sign(s->history, 5, "ann", 3, 9), REDO_OK);
    assert_author(0, 1, 5, "ann", 9);
    reload();
    assert_author(0, 1, 5, "ann", 9);
}
END_TEST

START_TEST(without_authors_a_session_takes_no_memory_for_any)
{
    size_t before = history_memory(s->history);
    redo_stamp none = {0};
    uint32_t last = 0;
    for (int i = 0; i < 10000; i++)
        last = add(none, last, i, (char[]){(char)i, (char)(i >> 8)});
    ck_assert_uint_eq(s->history->authors.stamps.bytes, 0);
    ck_assert_uint_eq(authors_memory(&s->history->authors), 0);
    size_t plain = history_memory(s->history);
    add(by(1, "ann", 1), last, 1, "bb");
    ck_assert_uint_gt(plain, before);
    ck_assert_uint_lt(history_memory(s->history) - plain, 5000);
    struct bytes b = dump();
    ck_assert_int_eq(b.data[4], 2);
    free(b.data);
}
END_TEST

START_TEST(sessions_without_authors_cursors_and_keys_are_dumped_as_they_always_were)
{
    redo_stamp none = {0};
    add(none, 0, 1, "bb");
    redo_setcursor(s, "a", redo_getfirstposition(s), NULL);
    struct bytes b = dump();
    ck_assert_int_eq(b.data[4], 2);
    free(b.data);
    redo_dropcursor(s, "a");
    b = dump();
    ck_assert_int_eq(b.data[4], 1);
    free(b.data);
}
END_TEST

START_TEST(the_most_authors_take_no_time_and_one_more_is_refused)
{
    clock_t start = clock();
    redo_operation graft = {.kind = REDO_OP_GRAFT};
    for (uint32_t i = 0; i < REDO_AUTHORS_MAX; i++) {
        char name[20];
        snprintf(name, sizeof name, "u%u", i / 2);
        graft.value = i % 2;
        ck_assert_int_eq(apply(graft, by(i % 2, name, 1), NULL), REDO_OK);
    }
    graft.value = 3;
    ck_assert_int_eq(apply(graft, by(7, "one more", 1), NULL), REDO_EFULL);
    ck_assert_int_eq(apply(graft, by(0, "u5", 1), NULL), REDO_OK);
    reload();
    ck_assert_uint_eq(authors_find(&s->history->authors, 1, "u5", 2), 12);
    ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 10);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        positions_bear_who_made_them_and_when,
        a_move_that_is_there_keeps_its_author,
        copies_and_turns_are_signed_by_who_caused_them,
        stamps_that_tell_of_no_one_are_refused_and_change_nothing,
        undoing_ones_own_moves_stops_before_anothers,
        the_first_position_can_be_signed_too,
        without_authors_a_session_takes_no_memory_for_any,
        sessions_without_authors_cursors_and_keys_are_dumped_as_they_always_were,
        the_most_authors_take_no_time_and_one_more_is_refused,
    };
    Suite *suite = suite_create("authors");
    TCase *tcase = tcase_create("authors");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
