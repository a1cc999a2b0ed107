/* Makes the store of this release that is kept in tests/cases/stores/, as a kill would have left
 * it, and the text that tells what is in it:
 *
 *   make-store FOLDER        (tests/cases/stores/vN; to be done once a version of the schema)
 */
#include "tests/store/sample.h"
#include "tests/store/tell.h"

#define SAMPLES 6

static char *target;
static char folder[256];
static struct store *store;
static struct batch batch;

static void commit(void)
{
    ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
    batch_clear(&batch);
}

static void copy(char const *name)
{
    char from[600], to[600];
    static char bytes[1 << 20];

    snprintf(from, sizeof from, "%s/%s", folder, name);
    snprintf(to, sizeof to, "%s/%s", target, name);
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    ck_assert(in && out);
    size_t size = fread(bytes, 1, sizeof bytes, in);
    ck_assert_uint_eq(fwrite(bytes, 1, size, out), size);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
}

static void play(struct sample *s, int steps)
{
    for (int i = 0; i < steps; i++) {
        sample_step(s, &batch);
        if (i % 3 == 0)
            commit();
    }
    commit();
}

START_TEST(make)
{
    struct sample s[SAMPLES];
    char const *names[SAMPLES] = {
        "plain", "compacted", "in the trash", "set aside", "\xc3\xa9t\xc3\xa9/wild", "plain"};
    struct buffer text = {0};
    char path[600];

    sample_folder(folder, sizeof folder);
    batch_init(&batch);
    store = sample_open(folder);
    for (int i = 0; i < SAMPLES; i++) {
        sample_begin(&s[i], (uint64_t)i + 1, names[i], 8 + (uint32_t)i);
        s[i].wild = i == 4;
        s[i].info.owner = i == 5 ? 2 : 1; /* each has a "plain" */
        s[i].info.group = 3;
        sample_create(&s[i], &batch);
    }
    batch_create(&batch, &(struct store_info){.id = 9, .name = "gone", .name_size = 4}, "x", 1);
    commit();
    batch_purge(&batch, 9);
    for (int i = 0; i < SAMPLES; i++)
        play(&s[i], 20);
    ck_assert_int_eq(store_compact(store, 2), REDO_OK);
    batch_trash(&batch, 3, 2000);
    commit();
    ck_assert_int_eq(store_set_aside(store, 4, 15), REDO_OK);
    batch_keep(&batch, 1, 7, 3000, "subtree", 7);
    commit();
    store_close(store); /* in the database; what comes now is in the log */
    store = sample_open(folder);
    play(&s[0], 5);
    play(&s[1], 5);
    batch_access(&batch, 5, 1000, 1001, 0640);
    commit();
    copy("redo-1.db");
    copy("redo-1.db-wal");
    struct store_reader *r = store_reader_open(store);
    tell_store(r, &text);
    store_reader_close(r);
    store_close(store);
    snprintf(path, sizeof path, "%s/expected.txt", target);
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text.data, 1, text.size, out), text.size);
    fclose(out);
    buffer_free(&text);
    batch_close(&batch);
    for (int i = 0; i < SAMPLES; i++)
        sample_end(&s[i]);
    sample_remove(folder);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    target = argv[1];
    Suite *s = suite_create("make");
    TCase *c = tcase_create("make");
    tcase_add_test(c, make);
    suite_add_tcase(s, c);
    return run_suite(s);
}
