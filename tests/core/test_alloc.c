/* Lack of memory: every allocation fails once, and then from there on, in the course of many mixed
 * operations. Each call does all of it or nothing, and all goes on once there is memory again.
 *
 * The program is linked so that the allocations of the engine come by here first; and check's, so
 * that nothing is asserted while any may fail. */
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/redo_record.h"
#include "core/session.h"
#include "core/subtree.h"
#include "core/turn.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/faults.h"
#include "tests/suite.h"

struct bytes {
    void *data;
    size_t size;
};

static struct bytes dump(struct history const *h)
{
    struct bytes b;
    ck_assert_int_eq(history_dump(h, &b.data, &b.size), REDO_OK);
    return b;
}

static struct history *load(struct bytes b)
{
    struct history *h;
    ck_assert_int_eq(history_load(b.data, b.size, &h), REDO_OK);
    return h;
}

static void assert_dump(struct history const *h, struct bytes expected)
{
    invariants_hold(h);
    struct bytes b = dump(h);
    ck_assert_uint_eq(b.size, expected.size);
    ck_assert(memcmp(b.data, expected.data, b.size) == 0);
    free(b.data);
}

/* Plays bytes to the end; before each operation, it is tried on a copy of the history with each of
 * its allocations failing. Tells how many failed in all. */
static long play_with_faults(uint64_t seed, size_t size, bool for_ever)
{
    uint8_t data[2000];
    struct play play;
    redo_operation op;
    long failed = 0;
    play_bytes(seed, data, size);
    struct history *h = play_begin(&play, data, size);
    struct bytes before = dump(h);
    while (play_next(&play, h, &op)) {
        int code = history_apply(h, &op, NULL);
        struct bytes after = dump(h);
        for (long k = 0;; k++) {
            struct history *copy = load(before);
            faults_begin(k, for_ever);
            int got = history_apply(copy, &op, NULL);
            bool any = faults_end() > 0;
            failed += any;
            if (got == REDO_ENOMEM) {
                ck_assert(any);
                assert_dump(copy, before);
                ck_assert_int_eq(history_apply(copy, &op, NULL), code);
            } else {
                ck_assert_int_eq(got, code);
            }
            assert_dump(copy, after);
            history_free(copy);
            if (!any)
                break;
        }
        free(before.data);
        before = after;
    }
    free(before.data);
    history_free(h);
    return failed;
}

START_TEST(an_operation_is_done_whole_or_not_at_all_if_one_allocation_fails)
{
    long failed = 0;
    for (uint64_t seed = 0; seed < 60; seed++)
        failed += play_with_faults(seed, 1000, false);
    ck_assert_int_gt(failed, 1000);
}
END_TEST

START_TEST(an_operation_is_done_whole_or_not_at_all_if_all_memory_is_gone)
{
    for (uint64_t seed = 100; seed < 160; seed++)
        play_with_faults(seed, 1000, true);
}
END_TEST

/* A history that is not loaded anew each time: operations fail now and then, and are repeated. */
START_TEST(a_history_lives_through_many_failures)
{
    for (uint64_t seed = 200; seed < 400; seed++) {
        uint8_t data[1500];
        struct play play;
        redo_operation op;
        uint64_t random = seed;
        play_bytes(seed, data, sizeof data);
        struct history *h = play_begin(&play, data, sizeof data);
        struct bytes start = dump(h);
        struct history *never_short = load(start);
        free(start.data);
        while (play_next(&play, h, &op)) {
            int code = history_apply(never_short, &op, NULL);
            faults_begin((long)(play_random(&random) % 3), play_random(&random) % 2);
            int got = history_apply(h, &op, NULL);
            faults_end();
            if (got == REDO_ENOMEM)
                got = history_apply(h, &op, NULL);
            ck_assert_int_eq(got, code);
        }
        struct bytes expected = dump(never_short);
        assert_dump(h, expected);
        free(expected.data);
        history_free(never_short);
        history_free(h);
    }
}
END_TEST

/* Wide, grafted with all its branches, and with a solution that is copied back. */
START_TEST(grafts_of_wide_positions_survive_too)
{
    struct history *h = history_new(&(int){0}, sizeof(int), 0);
    redo_result r;
    redo_operation op = {.kind = REDO_OP_GRAFT, .value = redo_graftandcopy};
    history_apply(h, &op, NULL);
    op = (redo_operation){.kind = REDO_OP_ADD, .statesize = sizeof(int), .value = redo_check};
    for (int i = 1; i < 60; i++) {
        op.position = i < 5 ? (uint32_t)i - 1 : i < 50 ? 4 : (uint32_t)i - 1;
        op.move = i;
        op.state = &i;
        op.endpoint = i == 59;
        ck_assert_int_eq(history_apply(h, &op, &r), REDO_OK);
    }
    struct bytes before = dump(h);
    op = (redo_operation){.kind = REDO_OP_ADD,
                          .move = 99,
                          .state = &(int){4},
                          .statesize = sizeof(int),
                          .value = redo_check};
    ck_assert_int_eq(history_apply(h, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.graftedto, r.position);
    ck_assert_uint_gt(r.made, 1);
    struct bytes after = dump(h);
    history_free(h);
    bool any = true;
    for (long k = 0; any; k++) {
        struct history *copy = load(before);
        faults_begin(k, k % 2);
        int code = history_apply(copy, &op, NULL);
        any = faults_end() > 0;
        assert_dump(copy, code == REDO_OK ? after : before);
        ck_assert(code == REDO_OK || (code == REDO_ENOMEM && any));
        history_free(copy);
    }
    free(before.data);
    free(after.data);
}
END_TEST

/* A turn with all there is: an author, a cursor and a key that are new, and a path that is copied.
 */
static redo_operation turn_with_all(struct bytes *b)
{
    struct turn_item items[40] = {0};
    static int states[40];
    for (int i = 0; i < 39; i++) {
        states[i] = i < 2 ? 4 : 100 + i; /* of a longer way */
        items[i].op = (redo_operation){.kind = REDO_OP_ADD,
                                       .move = 50 + i,
                                       .state = &states[i],
                                       .statesize = sizeof(int),
                                       .value = redo_check};
        items[i].after = i > 2 ? (uint32_t)i : 0;
    }
    items[39].op = (redo_operation){
        .kind = REDO_OP_CURSOR, .name = "me", .namesize = 2, .source = REDO_NOPOSITION};
    items[39].after = 39;
    ck_assert_int_eq(turn_write(items, 40, &b->data, &b->size), REDO_OK);
    return (redo_operation){.kind = REDO_OP_TURN,
                            .state = b->data,
                            .statesize = b->size,
                            .key = "key",
                            .keysize = 3,
                            .stamp = {.uid = 1, .name = "ann", .namesize = 3, .time = 7}};
}

START_TEST(a_turn_is_all_there_or_not_at_all)
{
    for (int graft = redo_nograft; graft <= redo_graftandcopy; graft++) {
        struct history *h = history_new(&(int){0}, sizeof(int), graft % 2 ? 0 : 3);
        redo_operation op = {.kind = REDO_OP_GRAFT, .value = graft};
        history_apply(h, &op, NULL);
        op = (redo_operation){.kind = REDO_OP_ADD, .statesize = sizeof(int), .value = redo_check};
        for (int i = 1; i < 40; i++) {
            op.position = (uint32_t)i - 1;
            op.move = i;
            op.state = &i;
            op.endpoint = i == 39;
            ck_assert_int_eq(history_apply(h, &op, NULL), REDO_OK);
        }
        struct bytes before = dump(h), turn;
        op = turn_with_all(&turn);
        redo_result r;
        ck_assert_int_eq(history_apply(h, &op, &r), REDO_OK);
        ck_assert(graft < redo_copypath || r.made > 39);
        struct bytes after = dump(h);
        history_free(h);
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            bool any = true;
            for (long k = 0; any; k++) {
                struct history *copy = load(before);
                faults_begin(k, for_ever);
                int code = history_apply(copy, &op, NULL);
                any = faults_end() > 0;
                ck_assert(code == REDO_OK || (code == REDO_ENOMEM && any));
                ck_assert_int_eq(copy->failed, 0);
                assert_dump(copy, code ? before : after);
                if (code) {
                    ck_assert_int_eq(history_apply(copy, &op, NULL), REDO_OK);
                    assert_dump(copy, after);
                }
                history_free(copy);
            }
        }
        free(before.data);
        free(after.data);
        free(turn.data);
    }
}
END_TEST

/* A path that the turn itself makes and copies is not foreseen: the one case in which a lack of
 * memory leaves something half done. Then all that can be done is to read. */
START_TEST(a_session_whose_turn_was_cut_short_can_only_be_read)
{
    enum { LONG = 3000 };
    struct turn_item *items = calloc(LONG + 1, sizeof *items);
    int *states = calloc(LONG + 1, sizeof *states);
    for (int i = 0; i <= LONG; i++) {
        states[i] = i < LONG ? i + 1 : 2; /* in the end, a short way to the second */
        items[i].op = (redo_operation){.kind = REDO_OP_ADD,
                                       .move = i,
                                       .endpoint = i == LONG - 1,
                                       .state = &states[i],
                                       .statesize = sizeof(int),
                                       .value = redo_check};
        items[i].after = i < LONG ? (uint32_t)i : 0;
    }
    struct bytes b;
    ck_assert_int_eq(turn_write(items, LONG + 1, &b.data, &b.size), REDO_OK);
    redo_operation const turn = {.kind = REDO_OP_TURN, .state = b.data, .statesize = b.size},
                         clear = {.kind = REDO_OP_CLEAR};
    bool any = true, cut_short = false;
    for (long k = 0; any; k++) {
        struct history *h = history_new(&(int){0}, sizeof(int), 0);
        h->graft = redo_copypath;
        faults_begin(k, true);
        int code = history_apply(h, &turn, NULL);
        any = faults_end() > 0;
        ck_assert(code == REDO_OK || code == REDO_ENOMEM);
        invariants_hold(h);
        if (h->failed) {
            ck_assert_int_eq(code, REDO_ENOMEM);
            ck_assert_int_eq(history_apply(h, &clear, NULL), REDO_ENOMEM);
            free(dump(h).data);
            cut_short = true;
        } else if (code) {
            ck_assert_uint_eq(h->count, 1);
        }
        history_free(h);
    }
    ck_assert(cut_short);
    free(b.data);
    free(states);
    free(items);
}
END_TEST

START_TEST(the_first_position_is_signed_or_not)
{
    bool any = true;
    for (long k = 0; any; k++) {
        struct history *h = history_new("a", 1, 0);
        struct bytes before = dump(h);
        faults_begin(k, true);
        int code = history_sign(h, 1, "ann", 3, 5);
        any = faults_end() > 0;
        ck_assert_int_eq(code, any ? REDO_ENOMEM : REDO_OK);
        if (code)
            assert_dump(h, before);
        free(before.data);
        history_free(h);
    }
}
END_TEST

START_TEST(a_session_begins_or_not)
{
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        for (int cmpsize = 1; cmpsize <= 4; cmpsize += 3) {
            bool any = true;
            for (long k = 0; any; k++) {
                faults_begin(k, for_ever);
                redo_session *s = redo_beginsession("abcd", 4, cmpsize);
                any = faults_end() > 0;
                ck_assert(any == !s);
                if (!s)
                    ck_assert_int_eq(redo_lasterror(), REDO_ENOMEM);
                else
                    invariants_hold(s->history);
                redo_endsession(s);
            }
        }
    }
}
END_TEST

/* Sessions of which there are many kinds of things to dump and load. */
static struct history *played(uint64_t seed)
{
    uint8_t data[1000];
    struct play play;
    redo_operation op;
    play_bytes(seed, data, sizeof data);
    struct history *h = play_begin(&play, data, sizeof data);
    while (play_next(&play, h, &op))
        history_apply(h, &op, NULL);
    return h;
}

START_TEST(a_session_is_dumped_or_not)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct history *h = played(seed);
        bool any = true;
        for (long k = 0; any; k++) {
            struct bytes b = {0};
            faults_begin(k, seed % 2);
            int code = history_dump(h, &b.data, &b.size);
            any = faults_end() > 0;
            ck_assert_int_eq(code, any ? REDO_ENOMEM : REDO_OK);
            ck_assert(any == !b.data);
            free(b.data);
        }
        history_free(h);
    }
}
END_TEST

START_TEST(a_session_is_loaded_or_not)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct history *h = played(seed);
        struct bytes b = dump(h);
        history_free(h);
        bool any = true;
        for (long k = 0; any; k++) {
            h = NULL;
            faults_begin(k, seed % 2);
            int code = history_load(b.data, b.size, &h);
            any = faults_end() > 0;
            ck_assert_int_eq(code, any ? REDO_ENOMEM : REDO_OK);
            ck_assert(any == !h);
            if (h)
                assert_dump(h, b);
            history_free(h);
        }
        free(b.data);
    }
}
END_TEST

START_TEST(the_api_tells_of_the_lack_of_memory)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    redo_position *root = redo_getfirstposition(s);
    void *data = NULL;
    size_t size;
    for (int i = 0; i < 15; i++)
        redo_addposition(s, root, i, "b1", 0, redo_check);
    faults_begin(0, true);
    redo_position *p = redo_addposition(s, root, 99, "c1", 0, redo_check);
    int add_error = redo_lasterror();
    redo_updatesavedstate(s, root, "a2");
    int update_error = redo_lasterror();
    int dump_error = redo_dump(s, &data, &size);
    faults_end();
    ck_assert_ptr_null(p);
    ck_assert_int_eq(add_error, REDO_ENOMEM);
    ck_assert_int_eq(update_error, REDO_ENOMEM);
    ck_assert_int_eq(dump_error, REDO_ENOMEM);
    ck_assert_ptr_null(data);
    ck_assert_mem_eq(redo_getsavedstate(root), "a1", 2);
    ck_assert_int_eq(redo_getsessionsize(s), 16);

    ck_assert_int_eq(redo_dump(s, &data, &size), REDO_OK);
    faults_begin(0, true);
    redo_session *loaded = redo_load(data, size);
    faults_end();
    ck_assert_ptr_null(loaded);
    ck_assert_int_eq(redo_lasterror(), REDO_ENOMEM);
    free(data);
    redo_endsession(s);
}
END_TEST

/* With records and alternates, as bytes. */
START_TEST(a_subtree_is_captured_or_not)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    redo_position *p = redo_addposition(s, redo_getfirstposition(s), 1, "b1", 0, redo_check);
    redo_candidate c = {.hasmove = 1, .move = 3};
    void *whole, *data;
    size_t whole_size, size;
    long k = 0;
    redo_addcandidates(s, p, redo_of_candidate, 0, &c, NULL, 1, NULL);
    redo_addalternate(s, p, NULL, "b2");
    ck_assert_int_eq(subtree_capture(s->history, node_of(p), &whole, &whole_size), REDO_OK);
    for (bool any = true; any; k++) {
        faults_begin(k, k % 2);
        int rc = subtree_capture(s->history, node_of(p), &data, &size);
        any = faults_end() > 0;
        ck_assert_int_eq(rc, any ? REDO_ENOMEM : REDO_OK);
        ck_assert(any || (size == whole_size && memcmp(data, whole, size) == 0));
        if (!any)
            free(data);
    }
    ck_assert_int_gt(k, 4);
    free(whole);
    redo_endsession(s);
}
END_TEST

/* All that makes and reads a record by the API. */
START_TEST(a_record_is_changed_or_not)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    redo_position *root = redo_getfirstposition(s);
    redo_candidate c[40];
    for (int i = 0; i < 40; i++)
        c[i] = (redo_candidate){.text = "m", .textsize = 1};
    long failed = 0;
    for (long k = 0, left = 6; left; k++) {
        uint32_t ids[40];
        int rc = REDO_OK;
        for (unsigned i = 0; i < 40; i++)
            ids[i] = 40 - i;
        faults_begin(k, false);
        switch (left) {
        case 6:
            rc = redo_addcandidates(s, root, redo_of_candidate, 0, c, NULL, 40, ids);
            break;
        case 5:
            rc = redo_ordercandidates(s, root, redo_of_candidate, ids, 40);
            break;
        case 4:
            rc = redo_setcandidate(s, root, redo_of_candidate, 3, redo_part_text, c, NULL);
            break;
        case 3:
            rc = redo_setpositionproperty(s, root, redo_of_candidate, 3, "k", "v", 1);
            break;
        case 2:
            redo_playcandidate(s, root, redo_of_candidate, 3, "b1", 2, 0, redo_check);
            rc = redo_lasterror();
            break;
        case 1:
            rc = redo_dropcandidates(s, root, redo_of_candidate, ids, 39);
            break;
        }
        bool any = faults_end() > 0;
        ck_assert_int_eq(rc, any ? REDO_ENOMEM : REDO_OK);
        failed += any;
        ck_assert_uint_eq(redo_getcandidatecount(root, redo_of_candidate), left == 6 && any ? 0
                                                                           : left == 1 && !any
                                                                               ? 1
                                                                               : 40);
        invariants_hold(s->history);
        if (!any) {
            left--;
            k = -1;
        }
    }
    ck_assert_int_gt(failed, 10);
    redo_endsession(s);
}
END_TEST

TEST_MAIN_SLOW("alloc", 60, an_operation_is_done_whole_or_not_at_all_if_one_allocation_fails,
               an_operation_is_done_whole_or_not_at_all_if_all_memory_is_gone,
               a_history_lives_through_many_failures, a_turn_is_all_there_or_not_at_all,
               a_session_whose_turn_was_cut_short_can_only_be_read,
               the_first_position_is_signed_or_not, grafts_of_wide_positions_survive_too,
               a_session_begins_or_not, a_session_is_dumped_or_not, a_session_is_loaded_or_not,
               the_api_tells_of_the_lack_of_memory, a_subtree_is_captured_or_not,
               a_record_is_changed_or_not)
