/* The stores of all releases (tests/cases/stores/) open, and tell what they told then. */
#include "tests/store/sample.h"
#include "tests/store/tell.h"

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

static char const *const versions[] = {"v1"};

START_TEST(a_store_opens_and_tells_what_it_told)
{
    char from[400], folder[256], why[600];
    snprintf(from, sizeof from, "%s/%s", getenv("REDO_STORES"), versions[_i]);
    sample_folder(folder, sizeof folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    copy(from, folder, "redo-1.db");
    copy(from, folder, "redo-1.db-wal");
    struct buffer expected = read_file(from, "expected.txt");
    for (int again = 0; again <= 1; again++) {
        struct store *store = sample_open(folder);
        ck_assert_msg(!store_notice(store, why, sizeof why), "%s", why);
        struct store_reader *r = store_reader_open(store);
        struct buffer text = {0};
        tell_store(r, &text);
        ck_assert_uint_eq(text.size, expected.size);
        ck_assert_mem_eq(text.data, expected.data, text.size);
        buffer_free(&text);
        store_reader_close(r);
        store_close(store);
    }
    buffer_free(&expected);
    sample_remove(folder);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("released");
    TCase *c = tcase_create("released");
    tcase_add_loop_test(c, a_store_opens_and_tells_what_it_told, 0,
                        sizeof versions / sizeof *versions);
    suite_add_tcase(s, c);
    return run_suite(s);
}
