/* store.h as who uses it sees it. */
#include "tests/store/sample.h"

static char folder[256];
static struct store *store;
static struct store_reader *reader;
static struct batch batch;

static void open_all(void)
{
    store = sample_open(folder);
    reader = store_reader_open(store);
    ck_assert_ptr_nonnull(reader);
}

static void close_all(void)
{
    store_reader_close(reader);
    store_close(store);
}

static void reopen(void)
{
    close_all();
    open_all();
}

static void setup(void)
{
    sample_folder(folder, sizeof folder);
    batch_init(&batch);
    open_all();
}

static void teardown(void)
{
    close_all();
    batch_close(&batch);
    sample_remove(folder);
}

static void commit(void)
{
    ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
    batch_clear(&batch);
}

static struct sample *begin(struct sample *s, uint64_t id, char const *name)
{
    sample_begin(s, id, name, 64);
    sample_create(s, &batch);
    return s;
}

START_TEST(a_session_comes_back_as_it_was)
{
    struct sample s;
    begin(&s, 1, "game");
    commit();
    assert_stored(reader, &s);
    for (int i = 0; i < 100; i++) {
        sample_step(&s, &batch);
        if (i % 9 == 0)
            commit();
    }
    commit();
    assert_stored(reader, &s);
    reopen();
    assert_stored(reader, &s);
    sample_end(&s);
}
END_TEST

START_TEST(a_session_is_made_and_changed_in_one_batch)
{
    struct sample s, t;
    begin(&s, 1, "one");
    begin(&t, 2, "two");
    for (int i = 0; i < 20; i++) {
        sample_step(&s, &batch);
        sample_step(&t, &batch);
    }
    commit();
    assert_stored(reader, &s);
    assert_stored(reader, &t);
    sample_end(&s);
    sample_end(&t);
}
END_TEST

START_TEST(the_highest_id_is_remembered)
{
    struct sample s;
    uint64_t last = 9;
    ck_assert_int_eq(store_last_id(reader, &last), REDO_OK);
    ck_assert_uint_eq(last, 0);
    begin(&s, 41, "gone");
    commit();
    batch_purge(&batch, 41);
    commit();
    reopen();
    ck_assert_int_eq(store_last_id(reader, &last), REDO_OK);
    ck_assert_uint_eq(last, 41);
    sample_end(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store");
    TCase *c = tcase_create("store");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, a_session_comes_back_as_it_was);
    tcase_add_test(c, a_session_is_made_and_changed_in_one_batch);
    tcase_add_test(c, the_highest_id_is_remembered);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
