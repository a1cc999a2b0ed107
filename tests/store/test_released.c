/* The stores of all releases (tests/cases/stores/) open, and tell what they told then. */
#include "tests/store/faulty_vfs.h"
#include "tests/store/sample.h"
#include "tests/store/tell.h"

#include <errno.h>
#include <fcntl.h>

static struct buffer read_file(char const *folder, char const *name)
{
    struct buffer b = {0};
    char path[600];
    ssize_t n;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY);
    ck_assert_msg(fd >= 0, "%s", path);
    do {
        ck_assert(buffer_reserve(&b, 65536));
        n = read(fd, b.data + b.size, 65536);
        ck_assert_int_ge(n, 0);
        b.size += (size_t)n;
    } while (n);
    close(fd);
    return b;
}

static void copy(char const *from, char const *to, char const *name)
{
    char path[600];
    struct buffer b = read_file(from, name);
    snprintf(path, sizeof path, "%s/%s", to, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, b.data, b.size), (ssize_t)b.size);
    close(fd);
    buffer_free(&b);
}

static char const *const versions[] = {"v1", "v2"};

static char from[400], folder[256], why[600];

/* A copy of the store of a version, as it was left, in a folder of its own. */
static void lay_out(char const *version)
{
    snprintf(from, sizeof from, "%s/%s", getenv("REDO_STORES"), version);
    sample_folder(folder, sizeof folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    copy(from, folder, "redo-1.db");
    copy(from, folder, "redo-1.db-wal");
}

/* That the store, which must open, tells what it told when it was made. */
static void assert_tells(struct buffer const *expected, char const *what)
{
    struct store *store = sample_open(folder);
    struct store_reader *r = store_reader_open(store);
    struct buffer text = {0};
    tell_store(r, &text);
    ck_assert_msg(text.size == expected->size && !memcmp(text.data, expected->data, text.size),
                  "%s: it tells\n%.*s", what, (int)text.size, text.data);
    buffer_free(&text);
    store_reader_close(r);
    store_close(store);
}

START_TEST(a_store_opens_and_tells_what_it_told)
{
    lay_out(versions[_i]);
    struct buffer expected = read_file(from, "expected.txt");
    struct store *store = sample_open(folder);
    ck_assert_msg(!store_notice(store, why, sizeof why), "%s", why);
    store_close(store);
    assert_tells(&expected, "opened");
    assert_tells(&expected, "opened again");
    buffer_free(&expected);
    sample_remove(folder);
}
END_TEST

/* The first one of version 1. */
START_TEST(an_older_store_takes_a_name_of_two_owners_once_it_was_opened)
{
    struct sample s;
    struct batch batch;
    lay_out("v1");
    struct store *store = sample_open(folder);
    batch_init(&batch);
    sample_begin(&s, 20, "plain", 8);
    s.info.owner = 77;
    sample_create(&s, &batch);
    ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
    struct store_reader *r = store_reader_open(store);
    struct store_info info;
    assert_stored(r, &s);
    ck_assert_int_eq(store_find(r, "plain", 5, 1, &info), REDO_OK);
    ck_assert_uint_eq(info.id, 1);
    ck_assert_int_eq(store_find(r, "plain", 5, 2, &info), REDO_ENOSESSION);
    store_reader_close(r);
    store_close(store);
    batch_close(&batch);
    sample_end(&s);
    sample_remove(folder);
}
END_TEST

START_TEST(a_repair_of_an_older_store_that_is_whole_leaves_one_of_this_version)
{
    struct store_check check = {0};
    lay_out("v1");
    struct buffer expected = read_file(from, "expected.txt");
    ck_assert_int_eq(store_check(folder, true, &check, why, sizeof why), REDO_OK);
    ck_assert_uint_eq(check.pages, 0);
    assert_tells(&expected, "after the repair");
    buffer_free(&expected);
    sample_remove(folder);
}
END_TEST

static bool is_one_of_them(void *data, struct store_info const *info)
{
    unsigned *count = data;
    ck_assert_msg(info->damaged || info->owner == (info->id == 5 ? 1000 : 1), "%u is of %u",
                  (unsigned)info->id, info->owner);
    ++*count;
    return true;
}

START_TEST(an_older_store_that_is_damaged_becomes_one_of_this_version)
{
    char path[600];
    struct store *store;
    for (size_t at = 100; at < 14336; at += 157) {
        unsigned char byte;
        unsigned count = 0;
        lay_out("v1");
        snprintf(path, sizeof path, "%s/redo-1.db", folder);
        int fd = open(path, O_RDWR);
        ck_assert_int_eq(pread(fd, &byte, 1, (off_t)at), 1);
        byte ^= 0x10;
        ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
        close(fd);
        int rc = store_open(&store, folder, why, sizeof why);
        ck_assert_msg(rc == REDO_OK, "byte %zu: %s", at, why);
        struct store_reader *r = store_reader_open(store);
        for (int trash = 0; trash <= 1; trash++)
            ck_assert_int_eq(store_list(r, "", 0, "", 0, 0, 100, trash, is_one_of_them, &count),
                             REDO_OK);
        ck_assert_msg(count == 5, "byte %zu: %u sessions", at, count);
        store_reader_close(r);
        store_close(store);
        sample_remove(folder);
    }
}
END_TEST

static unsigned calls_of_opening(void)
{
    lay_out("v1");
    faulty_disarm();
    store_close(sample_open(folder));
    unsigned calls = faulty_calls();
    sample_remove(folder);
    return calls;
}

START_TEST(an_older_store_survives_a_failure_of_any_call_while_it_is_brought_up_to_date)
{
    static enum faulty_mode const modes[] = {FAULTY_ONCE, FAULTY_ONWARD, FAULTY_DARK};
    char what[100];
    faulty_install();
    unsigned calls = calls_of_opening(), failures = 0;
    ck_assert_uint_gt(calls, 10);
    for (unsigned n = 1; n <= calls; n++) {
        for (int mode = 0; mode < 3; mode++) {
            struct store *store = NULL;
            snprintf(what, sizeof what, "call %u of %u, mode %d", n, calls, mode);
            lay_out("v1");
            struct buffer expected = read_file(from, "expected.txt");
            faulty_arm(modes[mode], n, n % 2 ? EIO : ENOSPC);
            int rc = store_open(&store, folder, why, sizeof why);
            ck_assert_msg(!rc || (*why && faulty_failed()), "%s: %s", what, why);
            failures += rc != REDO_OK;
            if (modes[mode] == FAULTY_DARK)
                faulty_power_cut(n * 7919);
            if (!rc)
                store_close(store);
            faulty_disarm();
            assert_tells(&expected, what);
            buffer_free(&expected);
            sample_remove(folder);
        }
    }
    ck_assert_uint_gt(failures, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("released");
    TCase *c = tcase_create("released");
    tcase_add_loop_test(c, a_store_opens_and_tells_what_it_told, 0,
                        sizeof versions / sizeof *versions);
    tcase_add_test(c, an_older_store_takes_a_name_of_two_owners_once_it_was_opened);
    tcase_add_test(c, a_repair_of_an_older_store_that_is_whole_leaves_one_of_this_version);
    tcase_add_test(c, an_older_store_that_is_damaged_becomes_one_of_this_version);
    tcase_add_test(c, an_older_store_survives_a_failure_of_any_call_while_it_is_brought_up_to_date);
    tcase_set_timeout(c, 120);
    suite_add_tcase(s, c);
    return run_suite(s);
}
