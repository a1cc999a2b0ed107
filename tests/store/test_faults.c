/* A disk that fails and power that is cut, at every call of a script of mixed operations: what was
 * acknowledged is there, what was not is there whole or not at all, and work goes on when the disk
 * does. Every call with REDO_TEST_LONG=1, else every so many. */
#include "tests/store/faulty_vfs.h"
#include "tests/store/sample.h"

#include <errno.h>
#include <fcntl.h>

#include "server/store/internal.h"

#define SESSIONS 3

static char folder[256];
static struct store *store;
static struct store_reader *reader;
static struct sample samples[SESSIONS + 1];
static bool made[SESSIONS + 1];          /* there, as far as was acknowledged */
static bool dirty[SESSIONS + 1];         /* its history is ahead of what was acknowledged */
static struct bytes acked[SESSIONS + 1]; /* the last acknowledged content; data NULL: none */
static uint64_t acked_sequence[SESSIONS + 1];
static char acked_name[SESSIONS + 1][64];
static struct batch batch;

static bool is_long(void)
{
    char const *text = getenv("REDO_TEST_LONG");
    return text && strcmp(text, "1") == 0;
}

/* ---- the script -------------------------------------------------------------------------- */

static void acknowledge(int i)
{
    free(acked[i].data);
    acked[i] = sample_dump(samples[i].history);
    acked_sequence[i] = samples[i].info.sequence;
    strcpy(acked_name[i], samples[i].name);
    made[i] = true;
    dirty[i] = false;
}

static int commit(void)
{
    int rc = store_commit(store, &batch);
    batch_clear(&batch);
    for (int i = 1; !rc && i <= SESSIONS; i++)
        if (dirty[i])
            acknowledge(i);
    return rc;
}

static void begin(int i, char const *name, uint32_t size)
{
    sample_begin(&samples[i], (uint64_t)i, name, size);
    sample_create(&samples[i], &batch);
    dirty[i] = true;
}

static void steps(int i, int count)
{
    for (int n = 0; n < count; n++)
        sample_step(&samples[i], &batch);
    dirty[i] = true;
}

static int run_step(int step)
{
    bool more;

    switch (step) {
    case 0:
        begin(1, "one", 24);
        begin(2, "two", 24);
        return commit();
    case 1:
    case 2:
    case 3:
        steps(1, 3);
        steps(2, 2);
        return commit();
    case 4:
        begin(3, "three", 700);
        samples[3].wild = true;
        steps(3, 30);
        return commit();
    case 5:
        steps(2, 1);
        strcpy(samples[2].name, "second");
        samples[2].info.name = samples[2].name;
        samples[2].info.name_size = 6;
        batch_rename(&batch, 2, "second", 6);
        steps(1, 1);
        return commit();
    case 6:
        return store_compact(store, 1);
    case 7:
        steps(1, 2);
        steps(2, 2);
        return commit();
    case 8:
        return store_tidy(store);
    case 9:
        steps(1, 2);
        steps(3, 5);
        return commit();
    case 10:
        store->log_limit = 0;
        return store_tidy(store);
    case 11: /* the log is begun anew */
        steps(1, 1);
        steps(2, 1);
        return commit();
    case 12:
        return store_compact(store, 3);
    case 13:
        steps(3, 3);
        steps(2, 3);
        return commit();
    case 14:
        return store_shrink(store, &more);
    case 15:
        return store_tidy(store);
    case 16:
        steps(3, 1);
        steps(1, 1);
        return commit();
    }
    return -1;
}

#define STEPS 17

/* ---- what is there ----------------------------------------------------------------------- */

/* After a failure: the session as the store has it, which must be what was acknowledged. */
static void revert(int i, char const *what)
{
    bool damaged;
    struct store_info info;
    if (!made[i]) {
        int rc = store_find_id(reader, (uint64_t)i, &info);
        ck_assert_msg(rc == REDO_ENOSESSION, "%s: session %d: %s", what, i, redo_strerror(rc));
        sample_end(&samples[i]);
    } else {
        struct sample *s = &samples[i];
        uint64_t sequence = 0;
        history_free(s->history);
        int rc = store_load(reader, (uint64_t)i, &s->history, &sequence, &damaged);
        ck_assert_msg(rc == REDO_OK && !damaged, "%s: loading %d: %s", what, i, redo_strerror(rc));
        ck_assert_msg(sequence == acked_sequence[i], "%s: %d is at %d, not %d", what, i,
                      (int)sequence, (int)acked_sequence[i]);
        struct bytes is = sample_dump(s->history);
        ck_assert_msg(bytes_equal(is, acked[i]), "%s: %d is not as it was", what, i);
        free(is.data);
        rc = store_find(reader, acked_name[i], strlen(acked_name[i]), 1, &info);
        ck_assert_msg(rc == REDO_OK && info.id == (uint64_t)i, "%s: no %s", what, acked_name[i]);
        s->info.sequence = sequence;
        strcpy(s->name, acked_name[i]);
        s->info.name = s->name;
        s->info.name_size = strlen(s->name);
    }
    dirty[i] = false;
}

static void open_store(char const *what)
{
    char why[600];
    int rc = store_open(&store, folder, why, sizeof why);
    ck_assert_msg(rc == REDO_OK, "%s: opening: %s", what, why);
    reader = store_reader_open(store);
}

static void close_store(void)
{
    store_reader_close(reader);
    store_close(store);
}

static void start(char const *what)
{
    faulty_disarm();
    sample_folder(folder, sizeof folder);
    batch_init(&batch);
    open_store(what);
    memset(made, 0, sizeof made);
    memset(dirty, 0, sizeof dirty);
    memset(acked, 0, sizeof acked);
}

static void finish(void)
{
    faulty_disarm();
    close_store();
    for (int i = 1; i <= SESSIONS; i++) {
        free(acked[i].data);
        if (made[i] || dirty[i])
            sample_end(&samples[i]);
    }
    batch_close(&batch);
    sample_remove(folder);
}

/* All sessions are whole and as acknowledged; or all that were in the batch that was on its way are
 * as they would have been with it. */
static void verify(char const *what)
{
    faulty_disarm();
    int with = 0, without = 0;
    for (int i = 1; i <= SESSIONS; i++) {
        struct history *h = NULL;
        uint64_t sequence = 0;
        bool damaged = false;
        int rc = store_load(reader, (uint64_t)i, &h, &sequence, &damaged);
        if (!made[i] && !dirty[i]) {
            ck_assert_msg(rc == REDO_ENOSESSION, "%s: there is %d", what, i);
            continue;
        }
        if (rc == REDO_ENOSESSION && !made[i]) {
            without++;
            continue;
        }
        ck_assert_msg(rc == REDO_OK && !damaged, "%s: loading %d: %s, damaged %d", what, i,
                      redo_strerror(rc), damaged);
        struct bytes is = sample_dump(h);
        if (!dirty[i]) {
            ck_assert_msg(bytes_equal(is, acked[i]), "%s: %d is not as acknowledged: %d not %d",
                          what, i, (int)sequence, (int)acked_sequence[i]);
        } else {
            struct bytes ahead = sample_dump(samples[i].history);
            if (bytes_equal(is, ahead))
                with++;
            else if (made[i] && bytes_equal(is, acked[i]))
                without++;
            else
                ck_abort_msg("%s: %d is neither as acknowledged nor as in the batch: %d", what, i,
                             (int)sequence);
            free(ahead.data);
        }
        free(is.data);
        history_free(h);
    }
    ck_assert_msg(!with || !without, "%s: half of a batch", what);
}

/* ---- tests ------------------------------------------------------------------------------- */

static unsigned count_calls(void)
{
    start("counting");
    for (int step = 0; step < STEPS; step++)
        ck_assert_int_eq(run_step(step), REDO_OK);
    unsigned calls = faulty_calls();
    verify("counting");
    finish();
    return calls;
}

static void set_up(void)
{
    setenv("TMPDIR", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", 1);
    faulty_install();
}

static bool is_code(int rc, int error)
{
    /* Not every call that fails has to do with the disk being full. */
    return rc == REDO_EIO || rc == REDO_ESTORE || (error == ENOSPC && rc == REDO_EFULLDISK);
}

static void fail_once(unsigned n, int error)
{
    char what[100];
    snprintf(what, sizeof what, "call %u fails with %d", n, error);
    start(what);
    faulty_arm(FAULTY_ONCE, n, error);
    for (int step = 0; step < STEPS; step++) {
        int rc = run_step(step);
        if (!rc)
            continue;
        ck_assert_msg(faulty_failed() && is_code(rc, error), "%s: step %d: %s", what, step,
                      redo_strerror(rc));
        for (int i = 1; i <= SESSIONS; i++)
            if (made[i] || dirty[i])
                revert(i, what);
        rc = run_step(step);
        ck_assert_msg(rc == REDO_OK, "%s: step %d again: %s", what, step, redo_strerror(rc));
    }
    verify(what);
    faulty_power_cut(0);
    close_store();
    open_store(what);
    verify(what);
    finish();
}

START_TEST(a_call_fails_and_work_goes_on)
{
    unsigned calls = count_calls(), stride = is_long() ? 1 : 7;
    if (getenv("VERBOSE"))
        printf("%u calls\n", calls);
    ck_assert_uint_gt(calls, 200);
    for (unsigned n = 1; n <= calls; n += stride) {
        fail_once(n, EIO);
        fail_once(n + (n + 3 <= calls ? 3 : 0), ENOSPC);
    }
}
END_TEST

START_TEST(all_calls_fail_until_the_disk_is_well_again)
{
    unsigned calls = count_calls(), stride = is_long() ? 1 : 7;
    for (unsigned n = 1; n <= calls; n += stride) {
        char what[100];
        int error = n % 2 ? ENOSPC : EIO;
        snprintf(what, sizeof what, "calls fail from %u on", n);
        start(what);
        faulty_arm(FAULTY_ONWARD, n, error);
        for (int step = 0; step < STEPS; step++) {
            int rc = run_step(step);
            if (!rc)
                continue;
            ck_assert_msg(faulty_failed() && is_code(rc, error), "%s: step %d: %s", what, step,
                          redo_strerror(rc));
            if (n % 3 == 0) { /* once more in vain */
                batch_operation(&batch, &(struct store_info){.id = 1, .sequence = 99}, "\x09", 1);
                ck_assert_int_ne(store_commit(store, &batch), REDO_OK);
                batch_clear(&batch);
            }
            faulty_disarm();
            for (int i = 1; i <= SESSIONS; i++)
                if (made[i] || dirty[i])
                    revert(i, what);
            rc = run_step(step);
            ck_assert_msg(rc == REDO_OK, "%s: step %d again: %s", what, step, redo_strerror(rc));
        }
        verify(what);
        close_store();
        open_store(what);
        verify(what);
        finish();
    }
}
END_TEST

START_TEST(the_power_is_cut)
{
    unsigned calls = count_calls(), stride = is_long() ? 1 : 7;
    for (unsigned n = 1; n <= calls; n += stride) {
        for (unsigned sectors = 0; sectors < (is_long() ? 8 : 3); sectors++) {
            char what[100];
            int rc = REDO_OK;
            snprintf(what, sizeof what, "the power is cut at call %u (%u)", n, sectors);
            start(what);
            faulty_arm(FAULTY_DARK, n, EIO);
            for (int step = 0; !rc && step < STEPS; step++)
                rc = run_step(step);
            faulty_power_cut(sectors * 7919 + sectors * n);
            close_store();
            faulty_disarm();
            open_store(what);
            verify(what);
            finish();
        }
    }
}
END_TEST

/* A failed call, told as failed, and then the process is killed: what failed must not come back. If
 * the disk stays away it may, whole. */
START_TEST(what_failed_does_not_come_back_after_a_kill)
{
    unsigned calls = count_calls(), stride = is_long() ? 1 : 3;
    for (unsigned n = 1; n <= calls; n += stride) {
        for (int onward = 0; onward <= 1; onward++) {
            char what[100];
            int rc = REDO_OK;
            snprintf(what, sizeof what, "call %u fails%s, then a kill", n,
                     onward ? " and all after" : "");
            start(what);
            faulty_arm(onward ? FAULTY_ONWARD : FAULTY_ONCE, n, EIO);
            for (int step = 0; !rc && step < STEPS; step++)
                rc = run_step(step);
            faulty_disarm();
            faulty_kill();
            close_store();
            open_store(what);
            if (!onward)
                for (int i = 1; i <= SESSIONS; i++)
                    if (dirty[i])
                        revert(i, what);
            verify(what);
            finish();
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("faults");
    TCase *c = tcase_create("faults");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_set_timeout(c, is_long() ? 3600 : 120);
    tcase_add_test(c, a_call_fails_and_work_goes_on);
    tcase_add_test(c, all_calls_fail_until_the_disk_is_well_again);
    tcase_add_test(c, the_power_is_cut);
    tcase_add_test(c, what_failed_does_not_come_back_after_a_kill);
    suite_add_tcase(s, c);
    return run_suite(s);
}
