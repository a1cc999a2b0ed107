/* Turns: many positions as one operation, all or none. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/dump.h"
#include "core/redo_record.h"
#include "core/session.h"
#include "core/turn.h"
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
    void *data;
    size_t size;
};

static struct bytes dump(redo_session *session)
{
    struct bytes b;
    ck_assert_int_eq(redo_dump(session, &b.data, &b.size), REDO_OK);
    return b;
}

/* Frees both. */
static void assert_same(struct bytes a, struct bytes b)
{
    ck_assert_uint_eq(a.size, b.size);
    ck_assert_mem_eq(a.data, b.data, a.size);
    free(a.data);
    free(b.data);
}

static redo_position *at(uint32_t number)
{
    return redo_getposition(s, number);
}

#define FIRST redo_getfirstposition(s)

START_TEST(a_turn_adds_what_single_adds_would)
{
    redo_add const adds[] = {{.prev = FIRST, .move = 1, .state = "bb", .checkequiv = redo_check},
                             {.after = 0, .move = 2, .state = "cc", .checkequiv = redo_check},
                             {.after = 1, .move = 3, .state = "aa", .checkequiv = redo_check},
                             {.after = 0, .move = 4, .state = "dd", .endpoint = 3},
                             {.prev = FIRST, .move = 9, .state = "cc", .checkequiv = redo_check},
                             {.prev = FIRST, .move = 1, .state = "bb"}};
    redo_position *p[6];
    ck_assert_int_eq(redo_addpositions(s, adds, 6, NULL, NULL, p), REDO_OK);
    for (uint32_t i = 0; i < 5; i++)
        ck_assert_ptr_eq(p[i], at(i + 1));
    ck_assert_ptr_eq(p[5], p[0]);       /* it is there */
    ck_assert_ptr_eq(p[2]->prev, p[4]); /* grafted, since 5 is the shorter way */

    redo_session *other = redo_beginsession("aa", 2, 0);
    redo_position *q[6];
    for (int i = 0; i < 6; i++)
        q[i] =
            redo_addposition(other, adds[i].prev ? redo_getfirstposition(other) : q[adds[i].after],
                             adds[i].move, adds[i].state, adds[i].endpoint, adds[i].checkequiv);
    assert_same(dump(s), dump(other));
    redo_endsession(other);
}
END_TEST

START_TEST(a_turn_puts_its_cursor_on_its_last_position)
{
    redo_add const adds[] = {{.prev = FIRST, .move = 1, .state = "bb"},
                             {.after = 0, .move = 2, .state = "cc"}};
    ck_assert_int_eq(redo_addpositions(s, adds, 2, "me", NULL, NULL), REDO_OK);
    ck_assert_ptr_eq(redo_getcursor(s, "me"), at(2));
    ck_assert_int_eq(redo_addpositions(s, adds, 1, "me", at(2), NULL), REDO_OK);
    ck_assert_ptr_eq(redo_getcursor(s, "me"), at(1)); /* back, and it remembers */
    ck_assert_ptr_eq(redo_movecursor(s, "me", redo_step_redo, 1, NULL, NULL), at(2));
}
END_TEST

START_TEST(a_turn_with_anything_wrong_adds_nothing)
{
    redo_position *gone = redo_addposition(s, FIRST, 8, "xx", 0, redo_nocheck);
    redo_dropposition(s, gone);
    redo_session *other = redo_beginsession("aa", 2, 0);
    redo_position *foreign = redo_getfirstposition(other);
    redo_add const good = {.prev = FIRST, .move = 1, .state = "bb"};
    struct {
        redo_add add;
        int code;
    } const bad[] = {
        {{.prev = gone, .state = "cc"}, REDO_EDROPPED},
        {{.prev = foreign, .state = "cc"}, REDO_EFOREIGN},
        {{.after = 1, .state = "cc"}, REDO_EPOSITION}, /* itself */
        {{.after = SIZE_MAX, .state = "cc"}, REDO_EPOSITION},
        {{.after = 0}, REDO_ESTATE},
        {{.after = 0, .state = "cc", .endpoint = 128}, REDO_ERANGE},
        {{.after = 0, .state = "cc", .checkequiv = 3}, REDO_ECONSTANT},
    };
    struct bytes before = dump(s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        redo_add const adds[] = {good, bad[i].add, good};
        ck_assert_int_eq(redo_addpositions(s, adds, 3, "me", NULL, NULL), bad[i].code);
        ck_assert_int_eq(redo_lasterror(), bad[i].code);
    }
    ck_assert_int_eq(redo_addpositions(s, &good, 1, "", NULL, NULL), REDO_ENAME);
    ck_assert_int_eq(redo_addpositions(s, &good, 1, "me", FIRST, NULL), REDO_ENOCURSOR);
    ck_assert_int_eq(redo_addpositions(s, &good, 0, NULL, NULL, NULL), REDO_ERANGE);
    ck_assert_int_eq(redo_addpositions(s, NULL, 1, NULL, NULL, NULL), REDO_ERANGE);
    ck_assert_int_eq(redo_addpositions(s, &good, REDO_TURN_MAX + 1, NULL, NULL, NULL), REDO_EFULL);
    ck_assert_int_eq(redo_addpositions(NULL, &good, 1, NULL, NULL, NULL), REDO_ENOSESSION);
    assert_same(before, dump(s));
    redo_endsession(other);
}
END_TEST

START_TEST(a_turn_from_where_the_cursor_is_not_adds_nothing)
{
    redo_add const add = {.prev = FIRST, .move = 1, .state = "bb"};
    redo_setcursor(s, "me", FIRST, NULL);
    ck_assert_int_eq(redo_addpositions(s, &add, 1, "me", FIRST, NULL), REDO_OK);
    struct bytes before = dump(s);
    redo_add const next = {.prev = FIRST, .move = 2, .state = "cc"};
    ck_assert_int_eq(redo_addpositions(s, &next, 1, "me", FIRST, NULL), REDO_EEXPECTED);
    assert_same(before, dump(s));
}
END_TEST

START_TEST(a_candidate_is_played_and_the_cursor_goes_there_as_one)
{
    redo_candidate const c = {.hasmove = 1, .move = 7, .text = "a", .textsize = 1};
    redo_candidate const d = {.text = "b", .textsize = 1};
    redo_addcandidates(s, FIRST, redo_of_candidate, 0, &c, NULL, 1, NULL);
    redo_addcandidates(s, FIRST, redo_of_candidate, 1, &d, NULL, 1, NULL);
    struct turn_item items[3] = {
        {.op = {.kind = REDO_OP_PLAY,
                .move = redo_of_candidate,
                .source = 1,
                .state = "bb",
                .statesize = 2}},
        {.op = {.kind = REDO_OP_CURSOR, .name = "me", .namesize = 2, .source = REDO_NOPOSITION},
         .after = 1}};
    redo_operation op = {.kind = REDO_OP_TURN}, play;
    redo_result r;
    void *data;
    ck_assert_int_eq(turn_write(items, 2, &data, &op.statesize), REDO_OK);
    op.state = data;
    ck_assert(turn_plays(&op, &play) && play.source == 1 && play.statesize == 2);
    ck_assert_uint_eq(history_growth(s->history, &op), 1);
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.position == 1 && r.created && r.changed && r.made == 1);
    ck_assert_ptr_eq(redo_getcursor(s, "me"), at(1));
    uint32_t id;
    ck_assert(redo_getchoice(FIRST, &id) == redo_choice_made && id == 1);
    ck_assert_uint_eq(history_growth(s->history, &op), 0);
    free(data);

    /* Nothing is played, and no cursor made, if one of the two can not be done. */
    struct bytes before = dump(s);
    items[0].op.source = 9;
    items[1].op.name = "it";
    ck_assert_int_eq(turn_write(items, 2, &data, &op.statesize), REDO_OK);
    op.state = data;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_ENOCANDIDATE);
    free(data);
    items[0].op.source = 2;
    items[1].op.source = 1;
    ck_assert_int_eq(turn_write(items, 2, &data, &op.statesize), REDO_OK);
    op.state = data;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_ENOCURSOR);
    free(data);
    /* It is the only thing of its turn. */
    items[2] = items[1];
    items[2].after = 2;
    items[1] = items[0];
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(turn_write(items, 3 - (unsigned)i, &data, &op.statesize), REDO_OK);
        op.state = data;
        ck_assert_int_eq(redo_apply(s, &op, &r), REDO_EOPERATION);
        free(data);
    }
    items[1].op = (redo_operation){
        .kind = REDO_OP_ADD, .move = 1, .state = "cc", .statesize = 2, .position = 0};
    ck_assert_int_eq(turn_write(items, 2, &data, &op.statesize), REDO_OK);
    op.state = data;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_EOPERATION);
    free(data);
    assert_same(before, dump(s));
}
END_TEST

/* ---- the bytes --------------------------------------------------------------------------- */

static int apply_bytes(char const *bytes, size_t size, redo_result *r)
{
    redo_operation op = {.kind = REDO_OP_TURN, .state = bytes, .statesize = size};
    return redo_apply(s, &op, r);
}

#define APPLY(bytes) apply_bytes(bytes, sizeof bytes - 1, NULL)

START_TEST(a_turn_has_these_bytes)
{
    redo_result r;
    char const bytes[] =
        "\x03"                         /* items */
        "\x00\x07\x01\x00\x02\x00\x02" /* after none, size; add to 0, move 1, check */
        "bb"
        "\x01\x07\x01\x00\x04\x06\x00" /* after the first; move 2, endpoint 3 */
        "cc"
        "\x02\x08\x0d\x01\x00\x00\x00\x02" /* after the second: cursor, goto */
        "me";
    ck_assert_int_eq(apply_bytes(bytes, sizeof bytes - 1, &r), REDO_OK);
    ck_assert_uint_eq(r.position, 2);
    ck_assert_uint_eq(r.firstmade, 1);
    ck_assert_uint_eq(r.made, 2);
    ck_assert_int_eq(r.value, 2);
    ck_assert_ptr_eq(redo_getcursor(s, "me"), at(2));
    ck_assert_int_eq(at(2)->endpoint, 3);
    ck_assert_uint_eq(s->history->answer.count, 2);
    ck_assert_uint_eq(s->history->answer.items[0], 1 << 1 | 1);
    ck_assert_uint_eq(s->history->answer.items[1], 2 << 1 | 1);

    struct turn_item *items;
    uint32_t count;
    struct bytes again;
    ck_assert_int_eq(turn_read(bytes, sizeof bytes - 1, &items, &count), REDO_OK);
    ck_assert_int_eq(turn_write(items, count, &again.data, &again.size), REDO_OK);
    ck_assert_uint_eq(again.size, sizeof bytes - 1);
    ck_assert_mem_eq(again.data, bytes, again.size);
    free(again.data);
    free(items);
}
END_TEST

START_TEST(bytes_that_are_no_turn_are_refused)
{
    struct bytes before = dump(s);
#define ADD                        \
    "\x00\x07\x01\x00\x02\x00\x02" \
    "bb"
#define CURSOR                         \
    "\x01\x07\x0d\x01\x00\x00\x00\x01" \
    "m"
    ck_assert_int_eq(APPLY(""), REDO_EOPERATION);
    ck_assert_int_eq(apply_bytes(NULL, 0, NULL), REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x00"), REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x02" ADD), REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x01" ADD "x"), REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x02" ADD "\x00\x00......."), REDO_EOPERATION); /* of no bytes */
    ck_assert_int_eq(APPLY("\x01" CURSOR), REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x02" CURSOR ADD), REDO_EOPERATION); /* not last */
    ck_assert_int_eq(APPLY("\x03" ADD CURSOR CURSOR), REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x01\x01\x07\x01\x00\x02\x00\x02"
                           "bb"),
                     REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x02" ADD "\x01\x07\x01\x01\x02\x00\x02"
                           "bb"),
                     REDO_EOPERATION); /* after an item, and with a position */
    ck_assert_int_eq(APPLY("\x02" ADD "\x01\x07\x0d\x01\x00\x02\x02\x01"
                           "m"),
                     REDO_EOPERATION); /* undo */
    ck_assert_int_eq(APPLY("\x01\x00\x0a\x41\x01k\x00\x02\x00\x02"
                           "bbx"),
                     REDO_EOPERATION); /* a key */
    ck_assert_int_eq(APPLY("\x01\x00\x09\x81\x01\x00\x00\x02\x00\x02"
                           "bb"),
                     REDO_EOPERATION);
    ck_assert_int_eq(APPLY("\x02" ADD "\x00\x02\x03\x00......"), REDO_EOPERATION); /* a drop */
    ck_assert_int_eq(APPLY("\xff\xff\xff\xff\x0f" ADD), REDO_EOPERATION);
    assert_same(before, dump(s));
    ck_assert_int_eq(APPLY("\x02" ADD CURSOR), REDO_OK);
}
END_TEST

START_TEST(any_cut_or_changed_turn_is_refused_or_is_one)
{
    char const bytes[] = "\x03" ADD "\x01\x07\x01\x00\x04\x06\x00"
                         "cc" CURSOR;
    struct bytes start = dump(s);
    for (size_t i = 0; i < sizeof bytes - 1; i++) {
        for (int value = 0; value < 256; value++) {
            char *changed = malloc(sizeof bytes - 1);
            memcpy(changed, bytes, sizeof bytes - 1);
            changed[i] = (char)value;
            redo_session *mine = s, *before = redo_load(start.data, start.size);
            s = before;
            int code = apply_bytes(changed, sizeof bytes - 1, NULL);
            invariants_hold(s->history);
            if (code)
                assert_same(dump(s), dump(mine));
            struct turn_item *items;
            uint32_t count;
            if (!turn_read(changed, sizeof bytes - 1, &items, &count)) {
                struct bytes again;
                ck_assert_int_eq(turn_write(items, count, &again.data, &again.size), REDO_OK);
                ck_assert_uint_eq(again.size, sizeof bytes - 1);
                ck_assert_mem_eq(again.data, changed, again.size);
                free(again.data);
                free(items);
            }
            redo_endsession(s);
            s = mine;
            free(changed);
        }
        char *cut = malloc(i + 1);
        memcpy(cut, bytes, i);
        ck_assert_int_eq(apply_bytes(cut, i, NULL), REDO_EOPERATION);
        free(cut);
    }
    free(start.data);
}
END_TEST

START_TEST(a_new_cursor_of_a_turn_is_told_as_moved_also_at_the_first_position)
{
    ck_assert_int_eq(APPLY("\x02" ADD "\x00\x07\x0d\x01\x00\x00\x00\x01"
                           "m"),
                     REDO_OK);
    struct cursor *cursor = cursors_find(&s->history->cursors, "m", 1);
    ck_assert_ptr_nonnull(cursor);
    ck_assert_uint_eq(cursor->position, 0);
    ck_assert(cursor->moved);
}
END_TEST

/* A dump that says that two thousand million positions have been: numbers must not wrap. */
START_TEST(numbers_that_an_answer_has_no_room_for_make_the_session_full)
{
    redo_add const add = {.prev = FIRST, .move = 1, .state = "bb"};
    s->history->next = (UINT32_C(1) << 31) - 1;
    ck_assert_int_eq(redo_addpositions(s, &add, 1, NULL, NULL, NULL), REDO_OK);
    redo_add const more = {.prev = FIRST, .move = 2, .state = "bb"};
    struct bytes before = dump(s);
    ck_assert_int_eq(redo_addpositions(s, &more, 1, NULL, NULL, NULL), REDO_EFULL);
    assert_same(before, dump(s));
    ck_assert_ptr_nonnull(redo_addposition(s, FIRST, 2, "bb", 0, redo_nocheck));
}
END_TEST

/* ---- large ones -------------------------------------------------------------------------- */

#define MANY 100000

START_TEST(a_hundred_thousand_positions_are_a_turn_on_a_small_stack)
{
    struct rlimit small = {256 * 1024, 256 * 1024};
    setrlimit(RLIMIT_STACK, &small);
    clock_t start = clock();
    redo_add *adds = calloc(MANY, sizeof *adds);
    uint16_t *states = calloc(MANY, sizeof *states);
    for (size_t i = 0; i < MANY; i++) {
        states[i] = (uint16_t)i;
        adds[i] = (redo_add){.prev = i ? NULL : FIRST,
                             .after = i ? i - 1 : 0,
                             .move = (int)i,
                             .state = &states[i],
                             .endpoint = i == MANY - 1,
                             .checkequiv = redo_check};
    }
    redo_position **p = calloc(MANY, sizeof *p);
    ck_assert_int_eq(redo_addpositions(s, adds, MANY, "me", NULL, p), REDO_OK);
    ck_assert_int_eq(redo_getsessionsize(s), MANY + 1);
    ck_assert_ptr_eq(redo_getcursor(s, "me"), p[MANY - 1]);
    ck_assert_uint_eq(p[MANY - 1]->movecount, MANY);
    ck_assert_uint_eq(FIRST->solutionsize, MANY);
    ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 20);
    free(p);
    free(states);
    free(adds);
}
END_TEST

START_TEST(a_turn_has_a_million_positions_at_most)
{
    size_t const count = REDO_TURN_MAX + 1;
    struct turn_item *items = calloc(count + 1, sizeof *items), *read;
    for (size_t i = 0; i < count; i++)
        items[i].op =
            (redo_operation){.kind = REDO_OP_ADD, .move = (int)i, .state = "aa", .statesize = 2};
    struct bytes b;
    uint32_t n;
    ck_assert_int_eq(turn_write(items, (uint32_t)count, &b.data, &b.size), REDO_OK);
    ck_assert_int_eq(turn_read(b.data, b.size, &read, &n), REDO_EFULL);
    free(b.data);
    items[count - 1].op = (redo_operation){
        .kind = REDO_OP_CURSOR, .source = REDO_NOPOSITION, .name = "me", .namesize = 2};
    ck_assert_int_eq(turn_write(items, (uint32_t)count, &b.data, &b.size), REDO_OK);
    ck_assert_int_eq(turn_read(b.data, b.size, &read, &n), REDO_OK);
    ck_assert_uint_eq(n, count);
    free(read);
    free(b.data);
    ck_assert_int_eq(turn_write(items, (uint32_t)count + 1, &b.data, &b.size), REDO_EFULL);
    free(items);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        a_turn_adds_what_single_adds_would,
        a_turn_puts_its_cursor_on_its_last_position,
        a_turn_with_anything_wrong_adds_nothing,
        a_turn_from_where_the_cursor_is_not_adds_nothing,
        a_candidate_is_played_and_the_cursor_goes_there_as_one,
        a_turn_has_these_bytes,
        bytes_that_are_no_turn_are_refused,
        any_cut_or_changed_turn_is_refused_or_is_one,
        a_new_cursor_of_a_turn_is_told_as_moved_also_at_the_first_position,
        numbers_that_an_answer_has_no_room_for_make_the_session_full,
        a_hundred_thousand_positions_are_a_turn_on_a_small_stack,
        a_turn_has_a_million_positions_at_most,
    };
    Suite *suite = suite_create("turns");
    TCase *tcase = tcase_create("turns");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
