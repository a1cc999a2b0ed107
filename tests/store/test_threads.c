/* Commits, compaction, reading, backups and shrinking, all at once. */
#include "tests/store/sample.h"

#include <pthread.h>
#include <stdatomic.h>

#define SESSIONS 3
#define ROUNDS 150

static char folder[256];
static struct store *store;
static atomic_bool over;

static void *compact(void *arg)
{
    unsigned *count = arg;
    while (!atomic_load(&over)) {
        int rc = store_compact(store, 1 + *count % SESSIONS);
        if (rc)
            return "compacting";
        bool more;
        if (store_shrink(store, &more))
            return "shrinking";
        ++*count;
    }
    return NULL;
}

static void *read_all(void *arg)
{
    unsigned *count = arg;
    struct store_reader *r = store_reader_open(store);
    uint64_t before[SESSIONS + 1] = {0};
    char *wrong = NULL;
    while (!atomic_load(&over) && !wrong) {
        uint64_t id = 1 + *count % SESSIONS, sequence;
        struct store_info info;
        struct history *h;
        bool damaged;
        if (store_find_id(r, id, &info) || store_load(r, id, &h, &sequence, &damaged))
            wrong = "reading";
        else {
            if (damaged || sequence < info.sequence || sequence < before[id])
                wrong = "what was read";
            before[id] = sequence;
            history_free(h);
        }
        ++*count;
    }
    store_reader_close(r);
    return wrong;
}

static void *back_up(void *arg)
{
    unsigned *count = arg;
    char file[300], why[400];
    snprintf(file, sizeof file, "%s/backup", folder);
    while (!atomic_load(&over)) {
        if (store_backup(store, file, why, sizeof why))
            return "backing up";
        ++*count;
    }
    return NULL;
}

START_TEST(all_goes_on_at_once)
{
    struct sample s[SESSIONS + 1];
    struct batch batch;
    pthread_t threads[3];
    void *(*const work[3])(void *) = {compact, read_all, back_up};
    unsigned counts[3] = {0};
    sample_folder(folder, sizeof folder);
    store = sample_open(folder);
    batch_init(&batch);
    for (int i = 1; i <= SESSIONS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        sample_begin(&s[i], (uint64_t)i, name, 64);
        s[i].wild = true;
        sample_create(&s[i], &batch);
    }
    ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
    batch_clear(&batch);
    for (int t = 0; t < 3; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, work[t], &counts[t]), 0);
    for (int n = 0; n < ROUNDS; n++) {
        for (int i = 1; i <= SESSIONS; i++)
            for (int k = 0; k < 10; k++)
                sample_step(&s[i], &batch);
        ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
        ck_assert_int_eq(store_tidy(store), REDO_OK);
        batch_clear(&batch);
    }
    atomic_store(&over, true);
    for (int t = 0; t < 3; t++) {
        void *wrong;
        pthread_join(threads[t], &wrong);
        ck_assert_msg(!wrong, "%s", (char *)wrong);
        ck_assert_uint_gt(counts[t], 0);
    }
    struct store_reader *r = store_reader_open(store);
    for (int i = 1; i <= SESSIONS; i++)
        assert_stored(r, &s[i]);
    store_reader_close(r);
    store_close(store);

    /* The last backup is a whole store as well. */
    char file[300], other[300], why[400];
    snprintf(file, sizeof file, "%s/backup", folder);
    snprintf(other, sizeof other, "%s/restored", folder);
    ck_assert_int_eq(store_restore(other, file, why, sizeof why), REDO_OK);
    struct store_check check = {0};
    ck_assert_int_eq(store_check(other, false, &check, why, sizeof why), REDO_OK);
    ck_assert_uint_eq(check.whole, SESSIONS);
    ck_assert_uint_eq(check.damaged, 0);
    batch_close(&batch);
    for (int i = 1; i <= SESSIONS; i++)
        sample_end(&s[i]);
    sample_remove(folder);
}
END_TEST

TEST_MAIN_SLOW("threads", 120, all_goes_on_at_once)
