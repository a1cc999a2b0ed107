/* Properties of a session: values under names, kept in order, limited, and part of its bytes. */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dump.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/suite.h"

#define TAIL 8

static struct history *h;

static void setup(void)
{
    h = history_new("ab", 2, 0);
    ck_assert_ptr_nonnull(h);
}

static void teardown(void)
{
    invariants_hold(h);
    history_free(h);
}

static int set_sized(char const *name, size_t name_size, void const *value, size_t size,
                     int *changed)
{
    redo_operation op = {.kind = REDO_OP_PROPERTY,
                         .position = NOBODY,
                         .name = name,
                         .namesize = name_size,
                         .state = value,
                         .statesize = size};
    redo_result result = {0};
    int rc = history_apply(h, &op, &result);
    *changed = result.changed;
    return rc;
}

/* Whether setting it changed anything. */
static int set(char const *name, char const *value)
{
    int changed;
    ck_assert_int_eq(set_sized(name, strlen(name), value, strlen(value), &changed), REDO_OK);
    return changed;
}

static void assert_value(char const *name, char const *value)
{
    struct property const *p = properties_find(&h->properties, name, strlen(name));
    if (!value) {
        ck_assert_ptr_null(p);
        return;
    }
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq(p->value_size, strlen(value));
    ck_assert_mem_eq(property_value(p), value, strlen(value));
}

START_TEST(a_value_is_set_replaced_and_taken_away)
{
    ck_assert(!h->changed);
    ck_assert(set("name", "one"));
    assert_value("name", "one");
    ck_assert(h->changed);
    ck_assert(set("name", "another"));
    assert_value("name", "another");
    ck_assert_uint_eq(h->properties.count, 1);
    ck_assert_uint_eq(h->properties.bytes, 4 + 7);
    ck_assert(set("name", ""));
    assert_value("name", NULL);
    ck_assert_uint_eq(h->properties.count, 0);
    ck_assert_uint_eq(h->properties.bytes, 0);
}
END_TEST

START_TEST(setting_what_is_set_changes_nothing)
{
    set("name", "one");
    h->changed = false;
    ck_assert(!set("name", "one"));
    ck_assert(!set("other", ""));
    ck_assert(!h->changed);
}
END_TEST

START_TEST(they_are_in_the_order_of_the_bytes_of_their_names)
{
    char const *const names[] = {"b", "a", "ab", "aa", "\xff", "B", "abc", "b\x01"};
    char const *const sorted[] = {"B", "a", "aa", "ab", "abc", "b", "b\x01", "\xff"};
    for (int i = 0; i < 8; i++)
        set(names[i], names[i]);
    for (uint32_t i = 0; i < 8; i++) {
        struct property const *p = &h->properties.all[i];
        ck_assert_uint_eq(p->name_size, strlen(sorted[i]));
        ck_assert_mem_eq(p->name, sorted[i], p->name_size);
    }
}
END_TEST

START_TEST(a_name_has_1_to_255_bytes)
{
    char name[REDO_NAME_MAX + 1];
    int changed;
    memset(name, 'n', sizeof name);
    ck_assert_int_eq(set_sized(name, 0, "v", 1, &changed), REDO_ENAME);
    ck_assert_int_eq(set_sized(NULL, 3, "v", 1, &changed), REDO_ENAME);
    ck_assert_int_eq(set_sized(name, REDO_NAME_MAX + 1, "v", 1, &changed), REDO_ENAME);
    ck_assert_int_eq(set_sized(name, REDO_NAME_MAX, "v", 1, &changed), REDO_OK);
    ck_assert_int_eq(set_sized("\0", 1, "v", 1, &changed), REDO_OK);
    ck_assert_int_eq(set_sized("n", 1, NULL, 4, &changed), REDO_ESTATE);
    ck_assert_uint_eq(h->properties.count, 2);
}
END_TEST

START_TEST(all_of_them_take_1_mib_at_most)
{
    int changed;
    char *value = calloc(1, REDO_PROPERTY_MAX + 1);
    ck_assert_int_eq(set_sized("a", 1, value, REDO_PROPERTY_MAX, &changed), REDO_EFULL);
    ck_assert_int_eq(set_sized("a", 1, value, REDO_PROPERTY_MAX + 1, &changed), REDO_EFULL);
    ck_assert_int_eq(set_sized("a", 1, value, SIZE_MAX, &changed), REDO_EFULL);
    ck_assert_int_eq(set_sized("a", 1, value, REDO_PROPERTY_MAX - 1, &changed), REDO_OK);
    ck_assert_int_eq(set_sized("b", 1, "v", 1, &changed), REDO_EFULL);
    assert_value("b", NULL);
    /* What is replaced makes room. */
    value[0] = 1;
    ck_assert_int_eq(set_sized("a", 1, value, REDO_PROPERTY_MAX - 1, &changed), REDO_OK);
    ck_assert(changed);
    ck_assert_int_eq(set_sized("a", 1, value, REDO_PROPERTY_MAX - 3, &changed), REDO_OK);
    ck_assert_int_eq(set_sized("b", 1, "v", 1, &changed), REDO_OK);
    ck_assert_uint_eq(h->properties.bytes, REDO_PROPERTY_MAX);
    free(value);
}
END_TEST

/* ---- in dumps ---------------------------------------------------------------------------- */

static unsigned char *dump(size_t *size)
{
    void *data;
    ck_assert_int_eq(history_dump(h, &data, size), REDO_OK);
    return data;
}

START_TEST(the_order_of_setting_does_not_show_in_the_bytes)
{
    char name[] = "?";
    size_t size, other;
    for (int i = 0; i < 26; i++) {
        name[0] = (char)('a' + i);
        set(name, "value");
    }
    unsigned char *first = dump(&size);
    for (int i = 25; i >= 0; i--) {
        name[0] = (char)('a' + i);
        set(name, "");
        set(name, "another");
        set(name, "value");
    }
    unsigned char *second = dump(&other);
    ck_assert_uint_eq(size, other);
    ck_assert_mem_eq(first, second, size);
    free(first);
    free(second);
}
END_TEST

START_TEST(they_come_back_from_a_dump)
{
    size_t size, other;
    set("zero", "\x01");
    set("alpha", "value of it");
    unsigned char *first = dump(&size);
    history_free(h);
    ck_assert_int_eq(history_load(first, size, &h), REDO_OK);
    assert_value("zero", "\x01");
    assert_value("alpha", "value of it");
    ck_assert_uint_eq(h->properties.bytes, 4 + 1 + 5 + 11);
    unsigned char *second = dump(&other);
    ck_assert_uint_eq(size, other);
    ck_assert_mem_eq(first, second, size);
    free(first);
    free(second);
}
END_TEST

/* Loads a session whose properties are these bytes, with a checksum that fits. */
static int load_with(char const *bytes, size_t size)
{
    unsigned char data[1000];
    size_t plain;
    unsigned char *none = dump(&plain);
    size_t n = plain - TAIL;
    memcpy(data, none, n);
    free(none);
    data[6] |= 8; /* it has properties */
    memcpy(data + n, bytes, size);
    n += size;
    uint64_t sum = XXH3_64bits(data, n);
    for (int i = 0; i < TAIL; i++)
        data[n++] = (unsigned char)(sum >> 8 * i);
    struct history *loaded = NULL;
    int rc = history_load(data, n, &loaded);
    if (!rc)
        history_free(loaded);
    return rc;
}

#define LOAD(bytes) load_with(bytes, sizeof bytes - 1)

START_TEST(hostile_dumps_are_refused)
{
    ck_assert_int_eq(LOAD("\x01\x01\x01"
                          "ab"),
                     REDO_OK);
    ck_assert_int_eq(LOAD("\x02\x01\x01"
                          "ax\x01\x01"
                          "bx"),
                     REDO_OK);
    ck_assert_int_eq(LOAD(""), REDO_EDAMAGED);
    ck_assert_int_eq(LOAD("\x00"), REDO_EDAMAGED); /* none, and yet the flag */
    ck_assert_int_eq(LOAD("\x02\x01\x01"
                          "bx\x01\x01"
                          "ax"),
                     REDO_EDAMAGED); /* not in order */
    ck_assert_int_eq(LOAD("\x02\x01\x01"
                          "ax\x01\x01"
                          "ay"),
                     REDO_EDAMAGED); /* twice */
    ck_assert_int_eq(LOAD("\x01\x00\x01"
                          "b"),
                     REDO_EDAMAGED); /* no name */
    ck_assert_int_eq(LOAD("\x01\x01\x00"
                          "a"),
                     REDO_EDAMAGED); /* no value */
    ck_assert_int_eq(LOAD("\x01\x80\x02\x01"
                          "a"),
                     REDO_EDAMAGED); /* a name too long */
    ck_assert_int_eq(LOAD("\x01\x01\xff\xff\xff\xff\x0f"
                          "a"),
                     REDO_EDAMAGED); /* a value longer than all */
    ck_assert_int_eq(LOAD("\xff\xff\xff\xff\x0f\x01\x01"
                          "ab"),
                     REDO_EDAMAGED); /* more than there are */
    ck_assert_int_eq(LOAD("\x01\x01\x01"
                          "abc"),
                     REDO_EDAMAGED); /* bytes behind */
    ck_assert_int_eq(LOAD("\x01\x81\x00\x01"
                          "ab"),
                     REDO_EDAMAGED); /* a longer form of a number */
}
END_TEST

START_TEST(a_random_play_of_them_is_that_of_a_plain_array)
{
    char const *plain[26] = {0}, *const values[] = {"", "a", "bb", "ccc", "dddd"};
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        unsigned n = (unsigned)(play_random(&seed) % 26), v = (unsigned)(play_random(&seed) % 5);
        char name[] = {(char)('a' + n), (char)('z' - n), 0};
        int changes = v ? plain[n] != values[v] : plain[n] != NULL;
        ck_assert_int_eq(set(name, values[v]), changes);
        plain[n] = v ? values[v] : NULL;
        assert_value(name, plain[n]);
    }
    uint32_t count = 0;
    for (int n = 0; n < 26; n++)
        count += plain[n] != NULL;
    ck_assert_uint_eq(h->properties.count, count);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        a_value_is_set_replaced_and_taken_away,
        setting_what_is_set_changes_nothing,
        they_are_in_the_order_of_the_bytes_of_their_names,
        a_name_has_1_to_255_bytes,
        all_of_them_take_1_mib_at_most,
        the_order_of_setting_does_not_show_in_the_bytes,
        they_come_back_from_a_dump,
        hostile_dumps_are_refused,
        a_random_play_of_them_is_that_of_a_plain_array,
    };
    Suite *suite = suite_create("properties");
    TCase *tcase = tcase_create("properties");

    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
