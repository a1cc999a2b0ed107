/* The games of a match: in order, no id twice, changed by one operation, and part of its bytes. */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dump.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/suite.h"

#define TAIL 8
#define END NOBODY

static struct history *h;

static void setup(void)
{
    h = history_new("ab", 2, 0);
    ck_assert_ptr_nonnull(h);
    ck_assert_int_eq(games_begin(h), REDO_OK);
}

static void teardown(void)
{
    invariants_hold(h);
    history_free(h);
}

/* Ids as letters. */
static int edit(int value, char const *ids, uint32_t at, redo_result *result)
{
    unsigned char bytes[64 * GAMES_ID];
    for (size_t i = 0; i < strlen(ids); i++)
        games_put_id(bytes + i * GAMES_ID, (uint64_t)ids[i]);
    redo_operation op = {.kind = REDO_OP_GAMES,
                         .position = NOBODY,
                         .value = value,
                         .source = at,
                         .state = bytes,
                         .statesize = strlen(ids) * GAMES_ID};
    return history_apply(h, &op, result);
}

static void assert_games(char const *ids)
{
    ck_assert_uint_eq(h->games->count, strlen(ids));
    for (uint32_t i = 0; i < h->games->count; i++) {
        ck_assert_uint_eq(h->games->order[i], (uint64_t)ids[i]);
        ck_assert(games_has(h->games, (uint64_t)ids[i]));
    }
}

/* It changes the games to these. */
static void edits(int value, char const *ids, uint32_t at, char const *after)
{
    redo_result r;
    ck_assert_int_eq(edit(value, ids, at, &r), REDO_OK);
    ck_assert(r.changed);
    ck_assert_int_eq(r.value, (int)strlen(after));
    assert_games(after);
}

static void refused(int value, char const *ids, uint32_t at, int code)
{
    ck_assert_int_eq(edit(value, ids, at, NULL), code);
}

START_TEST(games_come_to_a_place_in_the_order_in_which_they_are_told)
{
    ck_assert(!h->changed);
    edits(redo_games_insert, "ca", END, "ca");
    ck_assert(h->changed);
    edits(redo_games_insert, "xb", 0, "xbca");
    edits(redo_games_insert, "m", 3, "xbcma");
    edits(redo_games_insert, "n", 5, "xbcman");
    refused(redo_games_insert, "o", 7, REDO_ERANGE);
    assert_games("xbcman");
}
END_TEST

START_TEST(no_game_is_there_twice)
{
    edits(redo_games_insert, "abc", END, "abc");
    refused(redo_games_insert, "db", END, REDO_EINMATCH);
    refused(redo_games_insert, "ded", END, REDO_EINMATCH);
    assert_games("abc");
}
END_TEST

START_TEST(games_are_taken_out_all_or_none)
{
    edits(redo_games_insert, "abcde", END, "abcde");
    refused(redo_games_drop, "ax", END, REDO_ENOSESSION);
    refused(redo_games_drop, "aa", END, REDO_ENOSESSION);
    edits(redo_games_drop, "da", END, "bce");
    edits(redo_games_insert, "a", END, "bcea");
    edits(redo_games_drop, "bcea", END, "");
}
END_TEST

START_TEST(they_are_put_in_an_order_among_the_others)
{
    edits(redo_games_insert, "abcde", END, "abcde");
    edits(redo_games_order, "edcba", 0, "edcba");
    edits(redo_games_order, "a", 0, "aedcb");
    edits(redo_games_order, "ae", END, "dcbae");
    edits(redo_games_order, "ed", 1, "cedba");
    refused(redo_games_order, "ed", 4, REDO_ERANGE);
    refused(redo_games_order, "ex", 0, REDO_ENOSESSION);
    refused(redo_games_order, "ee", 0, REDO_ENOSESSION);
    assert_games("cedba");
}
END_TEST

START_TEST(an_order_that_is_there_changes_nothing)
{
    redo_result r;
    edits(redo_games_insert, "abcde", END, "abcde");
    h->changed = false;
    ck_assert_int_eq(edit(redo_games_order, "bc", 1, &r), REDO_OK);
    ck_assert(!r.changed && !h->changed);
    ck_assert_int_eq(r.value, 5);
    assert_games("abcde");
}
END_TEST

START_TEST(what_is_no_edit_is_refused)
{
    refused(-1, "a", END, REDO_ECONSTANT);
    refused(3, "a", END, REDO_ECONSTANT);
    refused(redo_games_insert, "", END, REDO_EOPERATION);
    redo_operation op = {.kind = REDO_OP_GAMES, .source = END, .state = "1234567", .statesize = 7};
    ck_assert_int_eq(history_apply(h, &op, NULL), REDO_EOPERATION);
    op.state = "\0\0\0\0\0\0\0";
    op.statesize = 8;
    ck_assert_int_eq(history_apply(h, &op, NULL), REDO_ENOSESSION);
    op.value = redo_games_drop;
    ck_assert_int_eq(history_apply(h, &op, NULL), REDO_ENOSESSION);
    assert_games("");
}
END_TEST

START_TEST(what_is_no_match_has_no_games)
{
    history_free(h);
    h = history_new("ab", 2, 0);
    refused(redo_games_insert, "a", END, REDO_ENOTMATCH);
    ck_assert_ptr_null(h->games);
}
END_TEST

START_TEST(a_match_has_a_million_games_at_most)
{
    size_t const most = REDO_GAMES_MAX;
    unsigned char *ids = malloc((most + 1) * GAMES_ID);
    ck_assert_ptr_nonnull(ids);
    for (size_t i = 0; i <= most; i++)
        games_put_id(ids + i * GAMES_ID, most + 1 - i);
    redo_operation op = {
        .kind = REDO_OP_GAMES, .source = END, .state = ids, .statesize = (most + 1) * GAMES_ID};
    ck_assert_int_eq(history_apply(h, &op, NULL), REDO_EFULL);
    op.statesize = most * GAMES_ID;
    ck_assert_int_eq(history_apply(h, &op, NULL), REDO_OK);
    ck_assert_uint_eq(h->games->count, most);
    refused(redo_games_insert, "\1", END, REDO_EFULL);
    op.value = redo_games_drop;
    ck_assert_int_eq(history_apply(h, &op, NULL), REDO_OK);
    assert_games("");
    free(ids);
}
END_TEST

START_TEST(a_key_stands_for_an_edit)
{
    unsigned char id[GAMES_ID];
    redo_result first, again;
    games_put_id(id, 7);
    redo_operation op = {.kind = REDO_OP_GAMES,
                         .source = END,
                         .state = id,
                         .statesize = sizeof id,
                         .key = "k",
                         .keysize = 1};
    ck_assert_int_eq(history_apply(h, &op, &first), REDO_OK);
    ck_assert_int_eq(history_apply(h, &op, &again), REDO_OK);
    ck_assert(again.repeated && !again.changed);
    ck_assert_int_eq(again.value, first.value);
    op.source = 0;
    ck_assert_int_eq(history_apply(h, &op, &again), REDO_EKEY);
}
END_TEST

/* ---- bytes ------------------------------------------------------------------------------- */

static void dump(void **data, size_t *size)
{
    ck_assert_int_eq(history_dump(h, data, size), REDO_OK);
}

START_TEST(they_come_back_from_a_dump)
{
    void *data, *again;
    size_t size, size_again;
    for (int i = 0; i < 2; i++) { /* without games it is a match all the same */
        dump(&data, &size);
        ck_assert_int_eq(((char *)data)[4], 3);
        ck_assert_int_eq(((unsigned char *)data)[6] & 128, 128);
        history_free(h);
        ck_assert_int_eq(history_load(data, size, &h), REDO_OK);
        ck_assert_ptr_nonnull(h->games);
        assert_games(i ? "cab" : "");
        dump(&again, &size_again);
        ck_assert_uint_eq(size, size_again);
        ck_assert_mem_eq(data, again, size);
        free(data);
        free(again);
        if (!i)
            edits(redo_games_insert, "cab", END, "cab");
    }
}
END_TEST

START_TEST(what_is_no_match_is_dumped_as_before)
{
    void *data;
    size_t size;
    history_free(h);
    h = history_new("ab", 2, 0);
    dump(&data, &size);
    ck_assert_int_eq(((char *)data)[4], 1);
    ck_assert_int_eq(((unsigned char *)data)[6], redo_graft);
    free(data);
}
END_TEST

/* A match with this as what follows its positions: what comes of it. */
static int load(void const *part, size_t size)
{
    void *dumped;
    size_t all;
    struct history *loaded = NULL;
    dump(&dumped, &all);
    size_t head = all - TAIL - 2; /* without: 4, how many (0) */
    unsigned char *bytes = malloc(head + size + TAIL);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, dumped, head);
    memcpy(bytes + head, part, size);
    uint64_t sum = XXH3_64bits(bytes, head + size);
    for (int i = 0; i < TAIL; i++)
        bytes[head + size + (size_t)i] = (unsigned char)(sum >> 8 * i);
    int code = history_load(bytes, head + size + TAIL, &loaded);
    free(dumped);
    free(bytes);
    history_free(loaded);
    return code;
}

#define LOAD(part) load(part, sizeof(part) - 1)
#define ONE "\1\0\0\0\0\0\0\0"
#define TWO "\2\0\0\0\0\0\0\0"

START_TEST(hostile_dumps_are_refused)
{
    ck_assert_int_eq(LOAD("\4\2" TWO ONE), REDO_OK);
    ck_assert_int_eq(LOAD("\4\2" ONE ONE), REDO_EDAMAGED);               /* twice */
    ck_assert_int_eq(LOAD("\4\1\0\0\0\0\0\0\0\0"), REDO_EDAMAGED);       /* no id */
    ck_assert_int_eq(LOAD("\4\2" ONE), REDO_EDAMAGED);                   /* cut off */
    ck_assert_int_eq(LOAD("\4\1" ONE "a"), REDO_EDAMAGED);               /* bytes behind */
    ck_assert_int_eq(LOAD("\4\xff\xff\xff\xff\x0f" ONE), REDO_EDAMAGED); /* more than there are */
    ck_assert_int_eq(LOAD("\4"), REDO_EDAMAGED);                         /* not how many */
    ck_assert_int_eq(LOAD("\0"), REDO_EDAMAGED);                         /* nothing at all */
    ck_assert_int_eq(LOAD("\x84\0"), REDO_EDAMAGED);                     /* unknown parts */
    ck_assert_int_eq(LOAD("\x0c\0"), REDO_EVERSION); /* a part that is not known yet */
    ck_assert_int_eq(LOAD(""), REDO_EDAMAGED);
}
END_TEST

START_TEST(a_random_play_of_edits_is_that_of_a_plain_string)
{
    uint64_t seed = 11;
    char plain[27] = "";
    for (int i = 0; i < 3000; i++) {
        char id[2] = {(char)('a' + play_random(&seed) % 26), 0};
        char *there = strchr(plain, *id);
        size_t others = strlen(plain) - (there != NULL), at = play_random(&seed) % (others + 1);
        int value = !there ? redo_games_insert
                           : (int)(play_random(&seed) % 3 ? redo_games_order : redo_games_drop);
        if (there)
            memmove(there, there + 1, strlen(there));
        if (value != redo_games_drop) {
            memmove(plain + at + 1, plain + at, strlen(plain + at) + 1);
            plain[at] = *id;
        }
        ck_assert_int_eq(edit(value, id, (uint32_t)at, NULL), REDO_OK);
        assert_games(plain);
    }
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        games_come_to_a_place_in_the_order_in_which_they_are_told,
        no_game_is_there_twice,
        games_are_taken_out_all_or_none,
        they_are_put_in_an_order_among_the_others,
        an_order_that_is_there_changes_nothing,
        what_is_no_edit_is_refused,
        what_is_no_match_has_no_games,
        a_match_has_a_million_games_at_most,
        a_key_stands_for_an_edit,
        they_come_back_from_a_dump,
        what_is_no_match_is_dumped_as_before,
        hostile_dumps_are_refused,
        a_random_play_of_edits_is_that_of_a_plain_string,
    };
    Suite *suite = suite_create("games");
    TCase *tcase = tcase_create("games");

    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
