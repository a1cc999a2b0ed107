/* The dumped form: the same for equal sessions, read back to the same, and nothing else is read. */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dump.h"
#include "core/session.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/suite.h"

#define TAIL 8

struct bytes {
    unsigned char *data;
    size_t size;
};

static struct bytes dump(redo_session const *s)
{
    struct bytes b;
    void *data;
    ck_assert_int_eq(redo_dump(s, &data, &b.size), REDO_OK);
    b.data = data;
    return b;
}

static void assert_same_dump(redo_session const *s, redo_session const *other)
{
    struct bytes a = dump(s), b = dump(other);
    ck_assert_uint_eq(a.size, b.size);
    ck_assert_mem_eq(a.data, b.data, a.size);
    free(a.data);
    free(b.data);
}

static redo_session *reload(redo_session const *s)
{
    struct bytes b = dump(s);
    redo_session *loaded = redo_load(b.data, b.size);
    ck_assert_ptr_nonnull(loaded);
    free(b.data);
    return loaded;
}

static redo_position *add(redo_session *s, uint32_t from, int move, char const *state)
{
    redo_position *p = redo_addposition(s, redo_getposition(s, from), move, state, 0, redo_check);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void checksum(unsigned char *data, size_t size)
{
    uint64_t sum = XXH3_64bits(data, size - TAIL);
    for (int i = 0; i < TAIL; i++)
        data[size - TAIL + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

/* A session with some of everything: solutions, equal positions, dropped ones, marked ones. */
static redo_session *sample(uint64_t seed, size_t size)
{
    uint8_t data[1000];
    struct play play;
    redo_operation op;
    play_bytes(seed, data, size);
    data[0] %= 200; /* not a wide one */
    struct history *h = play_begin(&play, data, size);
    while (play_next(&play, h, &op))
        history_apply(h, &op, NULL);
    struct bytes b;
    void *dumped;
    ck_assert_int_eq(history_dump(h, &dumped, &b.size), REDO_OK);
    history_free(h);
    redo_session *s = redo_load(dumped, b.size);
    ck_assert_ptr_nonnull(s);
    free(dumped);
    return s;
}

START_TEST(the_smallest_session_has_these_bytes)
{
    redo_session *s = redo_beginsession("ab", 2, 1);
    struct bytes b = dump(s);
    unsigned char expected[] = "REDO\x01\x00\x01\x00" /* version, kind, graft behavior */
                               "\x02\x01\x01\x01"     /* sizes, next number, positions */
                               "\x01"                 /* states */
                               "ab"
                               "\x00\x00\x00\x08" /* gap, parent, move, flags: a new state */
                               "........";
    checksum(expected, sizeof expected - 1);
    ck_assert_uint_eq(b.size, sizeof expected - 1);
    ck_assert_mem_eq(b.data, expected, b.size);
    free(b.data);
    redo_endsession(s);
}
END_TEST

START_TEST(what_was_loaded_is_what_was_dumped)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        redo_session *s = sample(seed, 600), *loaded = reload(s);
        invariants_hold(loaded->history);
        assert_same_dump(s, loaded);
        ck_assert_int_eq(redo_getsessionsize(s), redo_getsessionsize(loaded));
        ck_assert_int_eq(redo_hassessionchanged(s), redo_hassessionchanged(loaded));
        ck_assert_int_eq(redo_getgraftbehavior(s), redo_getgraftbehavior(loaded));
        ck_assert_int_eq(redo_getcmpsize(s), redo_getcmpsize(loaded));
        redo_endsession(s);
        redo_endsession(loaded);
    }
}
END_TEST

START_TEST(every_field_of_a_position_comes_back)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    add(s, 0, -5, "b1");
    add(s, 1, 1 << 30, "c1");
    add(s, 0, 7, "b2"); /* equal to 1, with other extra bytes */
    redo_addposition(s, redo_getposition(s, 2), 3, "z9", -7, redo_nocheck);
    redo_addposition(s, redo_getposition(s, 2), 4, "y1", 0, redo_checklater);
    redo_getnextposition(redo_getposition(s, 0), -5);
    redo_session *loaded = reload(s);
    for (uint32_t number = 0; number < 6; number++) {
        redo_position *p = redo_getposition(s, number), *q = redo_getposition(loaded, number);
        ck_assert_uint_eq(redo_getpositionid(q), number);
        ck_assert_uint_eq(p->nextcount, q->nextcount);
        ck_assert_uint_eq(p->movecount, q->movecount);
        ck_assert_uint_eq(p->solutionsize, q->solutionsize);
        ck_assert_int_eq(p->endpoint, q->endpoint);
        ck_assert_int_eq(p->solutionend, q->solutionend);
        ck_assert_uint_eq(p->setbetter, q->setbetter);
        ck_assert_mem_eq(redo_getsavedstate(p), redo_getsavedstate(q), 2);
        redo_branch *b = p->next, *c = q->next;
        for (; b && c; b = b->cdr, c = c->cdr) {
            ck_assert_int_eq(b->move, c->move);
            ck_assert_uint_eq(b->id, c->id);
        }
        ck_assert(!b && !c);
    }
    ck_assert_ptr_eq(redo_getposition(loaded, 3)->better, redo_getposition(loaded, 1));
    redo_endsession(s);
    redo_endsession(loaded);
}
END_TEST

START_TEST(numbers_go_on_where_they_were_and_dropped_ones_stay_dropped)
{
    redo_session *s = redo_beginsession("a", 1, 0);
    add(s, 0, 1, "b");
    add(s, 0, 2, "c");
    redo_dropposition(s, redo_getposition(s, 1));
    redo_dropposition(s, redo_getposition(s, 2));
    redo_session *loaded = reload(s);
    ck_assert_ptr_null(redo_getposition(loaded, 2));
    ck_assert_int_eq(redo_lasterror(), REDO_EDROPPED);
    ck_assert_ptr_null(redo_getposition(loaded, 3));
    ck_assert_int_eq(redo_lasterror(), REDO_EPOSITION);
    ck_assert_uint_eq(redo_getpositionid(add(loaded, 0, 3, "d")), 3);
    redo_endsession(s);
    redo_endsession(loaded);
}
END_TEST

START_TEST(equal_sessions_have_equal_bytes_however_they_came_about)
{
    redo_session *s = redo_beginsession("a1", 2, 1), *other = redo_beginsession("a1", 2, 1);
    add(s, 0, 1, "b1");
    add(s, 0, 2, "c1");

    /* States taken, given up and taken again; branches brought to the front and back. */
    redo_setgraftbehavior(other, redo_nograft);
    add(other, 0, 1, "b7");
    redo_updatesavedstate(other, redo_getposition(other, 1), "b8");
    redo_updatesavedstate(other, redo_getposition(other, 0), "a8");
    redo_updatesavedstate(other, redo_getposition(other, 0), "a1");
    redo_updatesavedstate(other, redo_getposition(other, 1), "b1");
    add(other, 0, 2, "c1");
    redo_getnextposition(redo_getposition(other, 0), 1);
    redo_getnextposition(redo_getposition(other, 0), 2);
    redo_setgraftbehavior(other, redo_graft);
    assert_same_dump(s, other);
    redo_endsession(s);
    redo_endsession(other);
}
END_TEST

START_TEST(sessions_that_differ_in_anything_have_other_bytes)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    struct bytes seen[10];
    int n = 0;
    seen[n++] = dump(s);
    add(s, 0, 1, "b1");
    seen[n++] = dump(s);
    redo_clearsessionchanged(s);
    seen[n++] = dump(s);
    redo_setgraftbehavior(s, redo_nograft);
    seen[n++] = dump(s);
    redo_updatesavedstate(s, redo_getposition(s, 1), "b2");
    seen[n++] = dump(s);
    add(s, 0, 2, "c1");
    seen[n++] = dump(s);
    redo_getnextposition(redo_getposition(s, 0), 1);
    seen[n++] = dump(s);
    redo_dropposition(s, redo_getposition(s, 2));
    seen[n++] = dump(s);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            ck_assert(seen[i].size != seen[k].size ||
                      memcmp(seen[i].data, seen[k].data, seen[i].size) != 0);
    for (int i = 0; i < n; i++)
        free(seen[i].data);
    redo_endsession(s);
}
END_TEST

START_TEST(a_loaded_session_goes_on_as_the_one_that_was_dumped)
{
    for (uint64_t seed = 500; seed < 600; seed++) {
        redo_session *s = sample(seed, 500), *loaded = reload(s);
        uint8_t data[600];
        struct play play;
        redo_operation op;
        play_bytes(seed + 1000, data, sizeof data);
        history_free(play_begin(&play, data, sizeof data));
        play.size = s->history->size;
        while (play_next(&play, s->history, &op))
            ck_assert_int_eq(redo_apply(s, &op, NULL), redo_apply(loaded, &op, NULL));
        invariants_hold(loaded->history);
        assert_same_dump(s, loaded);
        redo_endsession(s);
        redo_endsession(loaded);
    }
}
END_TEST

/* In memory of just its size, so that a sanitizer sees a look past the end. */
static int load_code(unsigned char const *data, size_t size)
{
    unsigned char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    redo_session *s = redo_load(exact, size);
    int code = redo_lasterror();
    ck_assert((s != NULL) == (code == REDO_OK));
    if (s) {
        invariants_hold(s->history);
        struct bytes again = dump(s); /* no session has two forms */
        ck_assert_uint_eq(again.size, size);
        ck_assert_mem_eq(again.data, exact, size);
        free(again.data);
    }
    redo_endsession(s);
    free(exact);
    return code;
}

static void assert_refused(unsigned char const *data, size_t size)
{
    int code = load_code(data, size);
    if (code != REDO_EDAMAGED && code != REDO_EVERSION)
        ck_abort_msg("%zu bytes: %s", size, redo_errorname(code));
}

START_TEST(no_bytes_are_no_session)
{
    ck_assert_ptr_null(redo_load(NULL, 0));
    ck_assert_int_eq(redo_lasterror(), REDO_EDAMAGED);
    ck_assert_ptr_null(redo_load(NULL, 100));
    ck_assert_int_eq(redo_lasterror(), REDO_EDAMAGED);
    assert_refused((unsigned char const *)"", 0);
    assert_refused((unsigned char const *)"REDO", 4);
}
END_TEST

START_TEST(any_flipped_bit_is_found)
{
    redo_session *s = sample(1, 300);
    struct bytes b = dump(s);
    for (size_t i = 0; i < b.size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            b.data[i] ^= (unsigned char)(1 << bit);
            assert_refused(b.data, b.size);
            b.data[i] ^= (unsigned char)(1 << bit);
        }
    }
    ck_assert_int_eq(load_code(b.data, b.size), REDO_OK);
    free(b.data);
    redo_endsession(s);
}
END_TEST

START_TEST(any_truncation_is_found)
{
    redo_session *s = sample(1, 300);
    struct bytes b = dump(s);
    for (size_t size = 0; size < b.size; size++) {
        assert_refused(b.data, size);
        if (size < 2 * TAIL)
            continue;
        unsigned char *cut = malloc(size);
        memcpy(cut, b.data, size);
        checksum(cut, size);
        assert_refused(cut, size);
        free(cut);
    }
    free(b.data);
    redo_endsession(s);
}
END_TEST

START_TEST(bytes_behind_a_session_are_found)
{
    redo_session *s = sample(1, 300);
    struct bytes b = dump(s);
    unsigned char *more = calloc(1, b.size + 20);
    memcpy(more, b.data, b.size);
    for (size_t size = b.size + 1; size <= b.size + 20; size++) {
        memset(more + b.size - TAIL, 0, TAIL + 20);
        checksum(more, size);
        assert_refused(more, size);
    }
    free(more);
    free(b.data);
    redo_endsession(s);
}
END_TEST

START_TEST(newer_versions_and_other_kinds_are_told_from_damage)
{
    redo_session *s = sample(1, 100);
    struct bytes b = dump(s);
    b.data[4] = 4;
    ck_assert_int_eq(load_code(b.data, b.size), REDO_EVERSION);
    checksum(b.data, b.size);
    ck_assert_int_eq(load_code(b.data, b.size), REDO_EVERSION);
    b.data[4] = 0;
    checksum(b.data, b.size);
    ck_assert_int_eq(load_code(b.data, b.size), REDO_EDAMAGED);
    b.data[4] = 1;
    b.data[5] = 1;
    checksum(b.data, b.size);
    ck_assert_int_eq(load_code(b.data, b.size), REDO_EVERSION);
    free(b.data);
    redo_endsession(s);
}
END_TEST

/* ---- authors, cursors, keys -------------------------------------------------------------- */

static void apply(redo_session *s, redo_operation op)
{
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_OK);
}

START_TEST(authors_and_cursors_have_these_bytes)
{
    redo_session *s = redo_beginsession("a", 1, 0);
    apply(s, (redo_operation){.kind = REDO_OP_ADD,
                              .move = 1,
                              .state = "b",
                              .statesize = 1,
                              .stamp = {.uid = 5, .name = "ann", .namesize = 3, .time = 3}});
    redo_setcursor(s, "m", redo_getposition(s, 1), NULL);
    redo_movecursor(s, "m", redo_step_undo, 1, NULL, NULL);
    struct bytes b = dump(s);
    unsigned char expected[] = "REDO\x02\x00\x35\x00" /* version; graft, changed, 16, 32 */
                               "\x01\x01\x02\x02\x02"
                               "ab"
                               "\x00\x00\x00\x18\x01" /* 0: a new state, the first branch 1 */
                               "\x00\x00\x02\x08"     /* 1 */
                               "\x01\x05\x03"
                               "ann"          /* one author: uid, name */
                               "\x00\x01\x06" /* 0 is no one's; 1 is his, the time (zigzag) */
                               "\x01\x01m\x00\x01\x02" /* one cursor, on 0; its way: 1 */
                               "........";
    checksum(expected, sizeof expected - 1);
    ck_assert_uint_eq(b.size, sizeof expected - 1);
    ck_assert_mem_eq(b.data, expected, b.size);
    free(b.data);
    redo_endsession(s);
}
END_TEST

/* A session with something of each part of version 2. */
static redo_session *told(void)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    redo_stamp const ann = {.uid = 5, .name = "ann", .namesize = 3, .time = 300};
    redo_operation op = {
        .kind = REDO_OP_ADD, .move = 1, .state = "b2", .statesize = 2, .stamp = ann};
    apply(s, op);
    op.stamp = (redo_stamp){.uid = 6, .name = "", .time = 1};
    op.position = 1;
    op.key = "key";
    op.keysize = 3;
    op.endpoint = -2;
    apply(s, op);
    add(s, 2, 2, "c3");
    redo_setcursor(s, "me", redo_getposition(s, 3), NULL);
    redo_setcursor(s, "b", redo_getposition(s, 1), NULL);
    redo_movecursor(s, "me", redo_step_undo, 2, NULL, NULL);
    apply(s, (redo_operation){.kind = REDO_OP_TURN,
                              .state = "\x02\x00\x07\x01\x00\x60\x00\x02xx"
                                       "\x01\x07\x01\x00\x62\x00\x02yy",
                              .statesize = 19,
                              .key = "t",
                              .keysize = 1,
                              .stamp = {.author = 1, .time = 2}});
    redo_dropposition(s, redo_getposition(s, 3));
    return s;
}

START_TEST(flags_and_version_tell_of_the_same_parts)
{
    redo_session *s = told(), *plain = redo_beginsession("a", 1, 0);
    struct bytes b = dump(s), p = dump(plain);
    ck_assert_int_eq(b.data[4], 2);
    ck_assert_int_eq(b.data[6] & 0xf8, 16 | 32 | 64);
    b.data[4] = 1;
    checksum(b.data, b.size);
    assert_refused(b.data, b.size);
    b.data[4] = 2;
    for (int flag = 8; flag < 256; flag *= 2) {
        b.data[6] ^= (unsigned char)flag;
        checksum(b.data, b.size);
        assert_refused(b.data, b.size);
        b.data[6] ^= (unsigned char)flag;
    }
    p.data[4] = 2;
    checksum(p.data, p.size);
    assert_refused(p.data, p.size);
    free(b.data);
    free(p.data);
    redo_endsession(s);
    redo_endsession(plain);
}
END_TEST

/* Every byte with every other value, every cut: refused, or another session that has these bytes
 * and can be played on. */
START_TEST(forged_authors_cursors_and_keys_are_refused_or_make_another_session)
{
    redo_session *s = told();
    struct bytes b = dump(s);
    int accepted = 0;
    for (size_t i = 4; i < b.size - TAIL; i++) {
        unsigned char kept = b.data[i];
        for (int value = 0; value < 256; value++) {
            b.data[i] = (unsigned char)value;
            checksum(b.data, b.size);
            int code = load_code(b.data, b.size);
            ck_assert(code == REDO_OK || code == REDO_EDAMAGED || code == REDO_EVERSION);
            accepted += code == REDO_OK;
        }
        b.data[i] = kept;
        unsigned char *cut = malloc(b.size);
        memcpy(cut, b.data, b.size);
        checksum(cut, i + TAIL);
        assert_refused(cut, i + TAIL);
        free(cut);
    }
    ck_assert_int_gt(accepted, 100);
    free(b.data);
    redo_endsession(s);
}
END_TEST

START_TEST(the_answer_kept_with_a_forged_key_leads_nowhere)
{
    redo_session *s = told();
    struct key *key = s->history->keys.table->ring[0];
    redo_result const good = key->result;
    uint32_t const beyond = s->history->next;
    struct {
        uint32_t *field;
    } const fields[] = {{&key->result.position},
                        {&key->result.graftedfrom},
                        {&key->result.graftedto},
                        {&key->result.supersedes},
                        {&key->result.firstmade},
                        {&key->fields.number},
                        {&key->fields.prev},
                        {&key->fields.better},
                        {&s->history->keys.table->ring[1]->items[0]}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint32_t kept = *fields[i].field;
        *fields[i].field = i == 8 ? beyond << 1 : beyond;
        struct bytes b = dump(s);
        assert_refused(b.data, b.size);
        free(b.data);
        *fields[i].field = kept;
    }
    key->fields.author = 3;
    struct bytes b = dump(s);
    assert_refused(b.data, b.size);
    free(b.data);
    key->fields.author = 2;
    key->result = good;
    b = dump(s);
    ck_assert_int_eq(load_code(b.data, b.size), REDO_OK);
    free(b.data);
    redo_endsession(s);
}
END_TEST

/* Each byte takes every other value, with the right checksum: what is accepted (another move, say)
 * is a history through and through, the rest is refused. */
START_TEST(a_forged_byte_is_refused_or_makes_another_session)
{
    int accepted = 0, refused = 0;
    for (uint64_t seed = 1; seed < 4; seed++) {
        redo_session *s = sample(seed, 160);
        struct bytes b = dump(s);
        for (size_t i = 0; i < b.size - TAIL; i++) {
            unsigned char kept = b.data[i];
            for (int value = 0; value < 256; value++) {
                if (value == kept)
                    continue;
                b.data[i] = (unsigned char)value;
                checksum(b.data, b.size);
                int code = load_code(b.data, b.size);
                ck_assert(code == REDO_OK || code == REDO_EDAMAGED || code == REDO_EVERSION);
                accepted += code == REDO_OK;
                refused += code != REDO_OK;
            }
            b.data[i] = kept;
        }
        free(b.data);
        redo_endsession(s);
    }
    ck_assert_int_gt(accepted, 100);
    ck_assert_int_gt(refused, 100);
}
END_TEST

START_TEST(two_forged_bytes_too)
{
    uint64_t seed = 11;
    for (int round = 0; round < 20; round++) {
        redo_session *s = sample(play_random(&seed), 160);
        struct bytes b = dump(s);
        unsigned char *forged = malloc(b.size);
        for (int i = 0; i < 1000; i++) {
            memcpy(forged, b.data, b.size);
            for (int k = 0; k < 2; k++) {
                size_t at = 6 + play_random(&seed) % (b.size - TAIL - 6);
                forged[at] += (unsigned char)(play_random(&seed) % 9 - 4);
            }
            checksum(forged, b.size);
            int code = load_code(forged, b.size);
            ck_assert(code == REDO_OK || code == REDO_EDAMAGED || code == REDO_EVERSION);
        }
        free(forged);
        free(b.data);
        redo_endsession(s);
    }
}
END_TEST

/* Sessions written by hand: after the head and one state "a", positions as gap, parent, move, flags
 * and what those call for. */
static int load_forged(unsigned char count, unsigned char const *positions, size_t size)
{
    unsigned char data[200] = "REDO\x01\x00\x01\x00\x01\x01";
    data[10] = data[11] = count;
    data[12] = 1;
    data[13] = 'a';
    memcpy(data + 14, positions, size);
    checksum(data, 14 + size + TAIL);
    return load_code(data, 14 + size + TAIL);
}

#define LOAD_FORGED(count, ...) \
    load_forged(count, (unsigned char[]){__VA_ARGS__}, sizeof(unsigned char[]){__VA_ARGS__})

enum { ENDPOINT = 1, BETTER = 2, SETBETTER = 4, NEWSTATE = 8, NEXT = 16, CDR = 32 };

START_TEST(forged_trees_are_refused)
{
    /* As it should be: 0 with the branches 2 and 1. */
    ck_assert_int_eq(LOAD_FORGED(3, 0, 0, 0, NEWSTATE | NEXT, 2, /* */
                                 0, 0, 2, 0, 0,                  /* */
                                 0, 0, 4, CDR, 0, 1),
                     REDO_OK);
    /* 1 is its own branch. */
    ck_assert_int_eq(LOAD_FORGED(2, 0, 0, 0, NEWSTATE, 0, 1, 2, NEXT, 0, 1), REDO_EDAMAGED);
    /* 1 and 2 are each other's, and the first has none. */
    ck_assert_int_eq(LOAD_FORGED(3, 0, 0, 0, NEWSTATE, /* */
                                 0, 2, 2, NEXT, 0, 2,  /* */
                                 0, 1, 2, NEXT, 0, 1),
                     REDO_EDAMAGED);
    /* The list of branches never ends. */
    ck_assert_int_eq(LOAD_FORGED(3, 0, 0, 0, NEWSTATE | NEXT, 1, /* */
                                 0, 0, 2, CDR, 0, 2,             /* */
                                 0, 0, 4, CDR, 0, 1),
                     REDO_EDAMAGED);
    /* A branch leads to the first. */
    ck_assert_int_eq(LOAD_FORGED(2, 0, 0, 0, NEWSTATE | NEXT, 1, 0, 0, 2, NEXT, 0, 0),
                     REDO_EDAMAGED);
    /* 2 is in no list. */
    ck_assert_int_eq(LOAD_FORGED(3, 0, 0, 0, NEWSTATE | NEXT, 1, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0),
                     REDO_EDAMAGED);
    /* 2 is in the list of one that is not its parent. */
    ck_assert_int_eq(LOAD_FORGED(3, 0, 0, 0, NEWSTATE | NEXT, 1, /* */
                                 0, 0, 2, CDR, 0, 2,             /* */
                                 0, 1, 4, 0, 0),
                     REDO_EDAMAGED);
    /* The same move twice. */
    ck_assert_int_eq(LOAD_FORGED(3, 0, 0, 0, NEWSTATE | NEXT, 2, /* */
                                 0, 0, 2, 0, 0,                  /* */
                                 0, 0, 2, CDR, 0, 1),
                     REDO_EDAMAGED);
}
END_TEST

START_TEST(forged_better_pointers_are_refused)
{
    /* As it should be: 1 is worse than 0. */
    ck_assert_int_eq(LOAD_FORGED(2, 0, 0, 0, NEWSTATE | NEXT, 1, 0, 0, 2, BETTER, 0, 0), REDO_OK);
    /* The first is worse than a longer one. */
    ck_assert_int_eq(LOAD_FORGED(2, 0, 0, 0, NEWSTATE | NEXT | BETTER, 1, 1, 0, 0, 2, 0, 0),
                     REDO_EDAMAGED);
    /* One is worse than itself; two than each other; one than what is not there. */
    ck_assert_int_eq(LOAD_FORGED(2, 0, 0, 0, NEWSTATE | NEXT, 1, 0, 0, 2, BETTER, 1, 0),
                     REDO_EDAMAGED);
    ck_assert_int_eq(LOAD_FORGED(3, 0, 0, 0, NEWSTATE | NEXT, 2, /* */
                                 0, 0, 2, BETTER, 2, 0,          /* */
                                 0, 0, 4, BETTER | CDR, 1, 0, 1),
                     REDO_EDAMAGED);
    ck_assert_int_eq(LOAD_FORGED(2, 0, 0, 0, NEWSTATE | NEXT, 1, 0, 0, 2, BETTER, 7, 0),
                     REDO_EDAMAGED);
}
END_TEST

START_TEST(two_branches_of_one_move_are_refused_among_many)
{
    unsigned char positions[200], *at = positions;
    memcpy(at, (unsigned char[]){0, 0, 0, NEWSTATE | NEXT, 1}, 5);
    at += 5;
    for (unsigned char i = 1; i <= 20; i++) {
        unsigned char p[] = {
            0, 0, (unsigned char)(2 * i), i < 20 ? CDR : 0, 0, (unsigned char)(i + 1)};
        memcpy(at, p, i < 20 ? 6 : 5);
        at += i < 20 ? 6 : 5;
    }
    ck_assert_int_eq(load_forged(21, positions, (size_t)(at - positions)), REDO_OK);
    at[-3] = 2 * 7; /* the last has the move of the seventh */
    ck_assert_int_eq(load_forged(21, positions, (size_t)(at - positions)), REDO_EDAMAGED);
}
END_TEST

/* Numbers of thousands of millions in a few bytes: read at once, without memory for what is not
 * there. */
START_TEST(numbers_far_apart_cost_little)
{
    unsigned char data[] = "REDO\x01\x00\x01\x00\x01\x01"
                           "\xfe\xff\xff\xff\x0f" /* next: 2^32 - 2 */
                           "\x02\x01"
                           "a"
                           "\x00\x00\x00\x18\xfd\xff\xff\xff\x0f" /* 0, with branch 2^32 - 3 */
                           "\xfc\xff\xff\xff\x0f\x00\x02\x00\x00" /* that */
                           "........";
    size_t size = sizeof data - 1;
    checksum(data, size);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(load_code(data, size), REDO_OK);
    redo_session *s = redo_load(data, size);
    ck_assert_uint_lt(history_memory(s->history), 2 * 1024 * 1024);
    redo_position *last = redo_getposition(s, UINT32_MAX - 2);
    ck_assert_ptr_nonnull(last);
    ck_assert_ptr_null(redo_getposition(s, UINT32_MAX - 3));
    ck_assert_int_eq(redo_lasterror(), REDO_EDROPPED);

    /* And no number is left. */
    ck_assert_ptr_null(redo_addposition(s, last, 1, "b", 0, redo_check));
    ck_assert_int_eq(redo_lasterror(), REDO_EFULL);
    ck_assert_ptr_nonnull(redo_addposition(s, redo_getposition(s, 0), 1, "b", 0, redo_check));
    redo_endsession(s);
}
END_TEST

START_TEST(large_counts_without_bytes_ask_for_no_memory)
{
    unsigned char const counts[][15] = {
        {0x01, 0x01, 0xff, 0xff, 0xff, 0xff, 0x0e, 0xff, 0xff, 0xff, 0xff, 0x0e, 0x01},
        {0x80, 0x80, 0x80, 0x08, 0x01, 0x01, 0x01, 0x01},
        {0x01, 0x01, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0x0e},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        unsigned char data[100] = "REDO\x01\x00\x01\x00";
        memcpy(data + 8, counts[i], sizeof counts[i]);
        checksum(data, sizeof data);
        assert_refused(data, sizeof data);
    }
}
END_TEST

START_TEST(dumping_to_nowhere_is_refused)
{
    redo_session *s = redo_beginsession("a", 1, 0);
    void *data;
    size_t size;
    ck_assert_int_ne(redo_dump(s, NULL, &size), REDO_OK);
    ck_assert_int_ne(redo_dump(s, &data, NULL), REDO_OK);
    redo_endsession(s);
}
END_TEST

TEST_MAIN_SLOW("dump", 60, the_smallest_session_has_these_bytes, what_was_loaded_is_what_was_dumped,
               every_field_of_a_position_comes_back,
               numbers_go_on_where_they_were_and_dropped_ones_stay_dropped,
               equal_sessions_have_equal_bytes_however_they_came_about,
               sessions_that_differ_in_anything_have_other_bytes,
               a_loaded_session_goes_on_as_the_one_that_was_dumped, no_bytes_are_no_session,
               any_flipped_bit_is_found, any_truncation_is_found,
               authors_and_cursors_have_these_bytes, flags_and_version_tell_of_the_same_parts,
               forged_authors_cursors_and_keys_are_refused_or_make_another_session,
               the_answer_kept_with_a_forged_key_leads_nowhere, bytes_behind_a_session_are_found,
               newer_versions_and_other_kinds_are_told_from_damage,
               a_forged_byte_is_refused_or_makes_another_session, two_forged_bytes_too,
               forged_trees_are_refused, forged_better_pointers_are_refused,
               two_branches_of_one_move_are_refused_among_many, numbers_far_apart_cost_little,
               large_counts_without_bytes_ask_for_no_memory, dumping_to_nowhere_is_refused)
