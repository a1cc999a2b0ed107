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

START_TEST(a_batch_has_many_sessions)
{
    enum { MANY = 300 };
    static struct sample s[MANY];
    char name[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "game %d", i);
        begin(&s[i], (uint64_t)i + 1, name);
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < MANY; i++)
            sample_step(&s[i], &batch);
    commit();
    for (int i = 0; i < MANY; i++) {
        assert_stored(reader, &s[i]);
        sample_end(&s[i]);
    }
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

/* ---- names ------------------------------------------------------------------------------- */

static char listed[4096];

static bool list_one(void *data, struct store_info const *info)
{
    strncat(listed, info->name, info->name_size);
    strcat(listed, " ");
    return true;
}

static char const *list(char const *prefix, char const *after, size_t limit, bool trash)
{
    listed[0] = '\0';
    ck_assert_int_eq(store_list(reader, prefix, strlen(prefix), after, strlen(after), STORE_LAST,
                                limit, trash, list_one, NULL),
                     REDO_OK);
    return listed;
}

static int find(char const *name)
{
    struct store_info info;
    return store_find(reader, name, strlen(name), 1, &info);
}

START_TEST(sessions_are_listed_by_name_in_pages)
{
    char const *names[] = {"b/2", "a", "b/1", "b", "c", "b/3"};
    struct sample s;
    for (int i = 0; i < 6; i++) {
        begin(&s, (uint64_t)i + 1, names[i]);
        sample_end(&s);
    }
    commit();
    ck_assert_str_eq(list("", "", 100, false), "a b b/1 b/2 b/3 c ");
    ck_assert_str_eq(list("b", "", 100, false), "b b/1 b/2 b/3 ");
    ck_assert_str_eq(list("b/", "", 2, false), "b/1 b/2 ");
    ck_assert_str_eq(list("b/", "b/2", 2, false), "b/3 ");
    ck_assert_str_eq(list("", "bb", 2, false), "c ");
    ck_assert_str_eq(list("x", "", 2, false), "");
}
END_TEST

START_TEST(a_deleted_session_is_in_the_trash_until_it_is_purged)
{
    struct sample s, t;
    begin(&s, 1, "game");
    sample_step(&s, &batch);
    commit();
    batch_trash(&batch, 1, 1234);
    commit();
    ck_assert_int_eq(find("game"), REDO_ENOSESSION);
    ck_assert_str_eq(list("", "", 9, false), "");
    ck_assert_str_eq(list("", "", 9, true), "game ");
    begin(&t, 2, "game"); /* the name is free again; and goes to the trash as well */
    commit();
    batch_trash(&batch, 2, 1235);
    commit();
    ck_assert_str_eq(list("", "", 9, true), "game game ");
    batch_restore(&batch, 1, "again", 5);
    batch_purge(&batch, 2);
    commit();
    ck_assert_str_eq(list("", "", 9, true), "");
    strcpy(s.name, "again");
    assert_stored(reader, &s);
    struct store_info info;
    ck_assert_int_eq(store_find_id(reader, 2, &info), REDO_ENOSESSION);
    ck_assert_int_eq(store_find_id(reader, 1, &info), REDO_OK);
    ck_assert_int_eq(info.trashed, 0);
    sample_end(&s);
    sample_end(&t);
}
END_TEST

START_TEST(a_name_can_not_be_taken_twice)
{
    struct sample s, t;
    begin(&s, 1, "game");
    commit();
    sample_step(&s, &batch);
    begin(&t, 2, "game");
    ck_assert_int_eq(store_commit(store, &batch), REDO_EEXISTS);
    batch_clear(&batch);
    s.info.sequence = 0; /* nothing of that batch counts */
    struct store_info info;
    ck_assert_int_eq(store_find_id(reader, 1, &info), REDO_OK);
    ck_assert_uint_eq(info.sequence, 0);
    ck_assert_int_eq(store_find_id(reader, 2, &info), REDO_ENOSESSION);
    sample_end(&s);
    sample_end(&t);
}
END_TEST

static struct sample *begin_of(struct sample *s, uint64_t id, char const *name, uint32_t owner)
{
    sample_begin(s, id, name, 64);
    s->info.owner = owner;
    sample_create(s, &batch);
    return s;
}

static char ids[200];

static bool list_id(void *data, struct store_info const *info)
{
    snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%u:%u ", info->owner,
             (unsigned)info->id);
    return true;
}

static char const *list_ids(char const *after, int64_t key, size_t limit)
{
    ids[0] = '\0';
    ck_assert_int_eq(
        store_list(reader, "", 0, after, strlen(after), key, limit, false, list_id, NULL), REDO_OK);
    return ids;
}

START_TEST(owners_have_names_of_their_own)
{
    struct sample s, t, u;
    begin_of(&s, 1, "game", 30);
    begin_of(&t, 2, "game", 10);
    begin_of(&u, 3, "game", 4000000000u);
    commit();
    assert_stored(reader, &s);
    assert_stored(reader, &t);
    assert_stored(reader, &u);
    batch_trash(&batch, 2, 1234); /* the others stay */
    commit();
    assert_stored(reader, &s);
    assert_stored(reader, &u);
    batch_restore(&batch, 2, "game", 4);
    commit();
    assert_stored(reader, &t);
    reopen();
    assert_stored(reader, &t);
    ids[0] = '\0';
    ck_assert_int_eq(store_named(reader, "game", 4, list_id, NULL), REDO_OK);
    ck_assert_str_eq(ids, "10:2 30:1 4000000000:3 ");
    sample_end(&s);
    sample_end(&t);
    sample_end(&u);
}
END_TEST

START_TEST(sessions_of_one_name_are_listed_by_owner_in_pages)
{
    struct sample s;
    for (int i = 0; i < 6; i++)
        sample_end(begin_of(&s, (uint64_t)i + 1, i % 2 ? "b" : "a", 60 - 10 * (uint32_t)i));
    commit();
    ck_assert_str_eq(list_ids("", 0, 100), "20:5 40:3 60:1 10:6 30:4 50:2 ");
    ck_assert_str_eq(list_ids("a", 20, 2), "40:3 60:1 ");
    ck_assert_str_eq(list_ids("a", 60, 2), "10:6 30:4 ");
    ck_assert_str_eq(list_ids("a", STORE_LAST, 2), "10:6 30:4 ");
    ck_assert_str_eq(list_ids("a", -1, 2), "20:5 40:3 ");
    ck_assert_str_eq(list_ids("b", 49, 9), "50:2 ");
    ck_assert_str_eq(list_ids("b", 50, 9), "");
}
END_TEST

START_TEST(another_owner_takes_the_name_along)
{
    struct sample s, t;
    begin_of(&s, 1, "game", 10);
    begin_of(&t, 2, "game", 20);
    commit();
    batch_access(&batch, 1, 20, 5, 0644);
    ck_assert_int_eq(store_commit(store, &batch), REDO_EEXISTS);
    batch_clear(&batch);
    assert_stored(reader, &s);
    batch_access(&batch, 1, 30, 5, 0644);
    commit();
    s.info.owner = 30;
    assert_stored(reader, &s);
    assert_stored(reader, &t);
    ck_assert_str_eq(list_ids("", 0, 9), "20:2 30:1 ");
    sample_end(&s);
    sample_end(&t);
}
END_TEST

START_TEST(renaming_frees_the_old_name)
{
    struct sample s;
    begin(&s, 1, "old");
    commit();
    batch_rename(&batch, 1, "new", 3);
    batch_access(&batch, 1, 1, 7, 0644);
    sample_step(&s, &batch);
    commit();
    ck_assert_int_eq(find("old"), REDO_ENOSESSION);
    strcpy(s.name, "new");
    assert_stored(reader, &s);
    struct store_info info;
    ck_assert_int_eq(store_find_id(reader, 1, &info), REDO_OK);
    ck_assert_uint_eq(info.owner, 1);
    ck_assert_uint_eq(info.group, 7);
    ck_assert_uint_eq(info.mode, 0644);
    sample_end(&s);
}
END_TEST

/* ---- matches ----------------------------------------------------------------------------- */

/* Session 1, a match, and 2 to 4, in one commit. */
static void begin_match(struct sample *s)
{
    char const *names[] = {"match", "a", "b", "c"};
    for (int i = 0; i < 4; i++) {
        sample_begin(&s[i], (uint64_t)i + 1, names[i], 64);
        s[i].info.is_match = !i;
        sample_create(&s[i], &batch);
    }
    commit();
}

static void end_match(struct sample *s)
{
    for (int i = 0; i < 4; i++)
        sample_end(&s[i]);
}

static void assert_game(uint64_t id, uint64_t match, bool trashed, bool with)
{
    struct store_info info;
    ck_assert_int_eq(store_find_id(reader, id, &info), REDO_OK);
    ck_assert(!info.is_match);
    ck_assert_uint_eq(info.match, match);
    ck_assert_int_eq(info.trashed != 0, trashed);
    ck_assert_int_eq(info.with_match, with);
}

static void assert_match(uint32_t games)
{
    struct store_info info;
    ck_assert_int_eq(store_find_id(reader, 1, &info), REDO_OK);
    ck_assert(info.is_match && !info.match);
    ck_assert_uint_eq(info.games, games);
    ck_assert_ptr_null(info.properties);
}

static uint64_t const games[] = {2, 3, 4};

START_TEST(a_session_knows_its_match_and_a_match_how_many_games_it_has)
{
    struct sample s[4];
    begin_match(s);
    assert_match(0);
    batch_games(&batch, 1, 3, 1, games, 3);
    sample_step(&s[1], &batch);
    sample_step(&s[0], &batch);
    commit();
    assert_match(3);
    for (uint64_t id = 2; id <= 4; id++)
        assert_game(id, 1, false, false);
    assert_stored(reader, &s[1]);
    batch_games(&batch, 1, 2, 0, games + 1, 1);
    batch_rename(&batch, 3, "other", 5);
    commit();
    assert_match(2);
    assert_game(2, 1, false, false);
    assert_game(3, 0, false, false);
    ck_assert_int_eq(find("other"), REDO_OK);
    store_close(store);
    store_reader_close(reader);
    store = sample_open(folder);
    reader = store_reader_open(store);
    assert_match(2);
    assert_game(4, 1, false, false);
    end_match(s);
}
END_TEST

START_TEST(games_go_and_come_back_with_their_match)
{
    struct sample s[4];
    begin_match(s);
    batch_games(&batch, 1, 3, 1, games, 3);
    batch_trash(&batch, 3, 1000);
    commit();
    batch_trash(&batch, 1, 1234);
    batch_trash_games(&batch, games, 3, 1234);
    commit();
    ck_assert_int_eq(find("a"), REDO_ENOSESSION);
    assert_game(2, 1, true, true);
    assert_game(3, 1, true, false); /* it was there before */
    assert_game(4, 1, true, true);
    assert_match(3);
    batch_restore(&batch, 1, "match", 5);
    batch_restore_games(&batch, games, 3);
    commit();
    ck_assert_int_eq(find("a"), REDO_OK);
    ck_assert_int_eq(find("b"), REDO_ENOSESSION);
    assert_game(4, 1, false, false);
    assert_stored(reader, &s[1]);
    batch_trash(&batch, 1, 1234);
    batch_trash_games(&batch, games, 3, 1234);
    batch_restore(&batch, 2, "a", 1); /* by itself */
    commit();
    assert_game(2, 1, false, false);
    batch_purge(&batch, 1);
    batch_purge_games(&batch, games, 3);
    commit();
    struct store_info info;
    ck_assert_int_eq(store_find_id(reader, 4, &info), REDO_ENOSESSION);
    assert_game(2, 0, false, false);
    assert_game(3, 0, true, false);
    end_match(s);
}
END_TEST

START_TEST(a_name_that_is_taken_brings_nothing_back)
{
    struct sample s[4], t;
    begin_match(s);
    batch_games(&batch, 1, 3, 1, games, 3);
    batch_trash(&batch, 1, 1234);
    batch_trash_games(&batch, games, 3, 1234);
    begin(&t, 5, "b");
    commit();
    batch_restore(&batch, 1, "match", 5);
    batch_restore_games(&batch, games, 3);
    ck_assert_int_eq(store_commit(store, &batch), REDO_EEXISTS);
    batch_clear(&batch);
    ck_assert_int_eq(find("match"), REDO_ENOSESSION);
    assert_game(2, 1, true, true);
    sample_end(&t);
    end_match(s);
}
END_TEST

static bool add_id(void *data, struct store_info const *info)
{
    uint64_t *sum = data;
    *sum = *sum * 10 + info->id;
    return *sum < 1000;
}

START_TEST(games_that_are_gone_are_passed_over)
{
    struct sample s[4];
    uint64_t sum = 0, some[] = {4, 9, 2, 3, 1};
    begin_match(s);
    batch_purge(&batch, 3);
    batch_games(&batch, 1, 3, 1, games, 3);
    commit();
    batch_trash_games(&batch, games, 3, 5);
    batch_restore_games(&batch, games, 3);
    batch_purge_games(&batch, some + 1, 1);
    commit();
    assert_match(3);
    assert_game(2, 1, false, false);
    assert_game(4, 1, false, false);
    ck_assert_int_eq(store_each(reader, some, 5, add_id, &sum), REDO_OK);
    ck_assert_uint_eq(sum, 421);
    end_match(s);
}
END_TEST

/* ---- operations -------------------------------------------------------------------------- */

START_TEST(a_sequence_number_that_does_not_follow_is_refused)
{
    struct sample s;
    begin(&s, 1, "game");
    commit();
    sample_step(&s, &batch);
    batch_clear(&batch); /* lost */
    sample_step(&s, &batch);
    ck_assert_int_eq(store_commit(store, &batch), REDO_ESTORE);
    batch_clear(&batch);
    batch_operation(&batch, &(struct store_info){.id = 9, .sequence = 1}, "\x09", 1);
    ck_assert_int_eq(store_commit(store, &batch), REDO_ENOSESSION);
    sample_end(&s);
}
END_TEST

static uint64_t told_first, told_last;
static size_t told_bytes;

static bool tell_operation(void *data, uint64_t sequence, void const *op, size_t size)
{
    redo_operation o;
    if (!told_first)
        told_first = sequence;
    else
        ck_assert_uint_eq(sequence, told_last + 1);
    told_last = sequence;
    told_bytes += size;
    ck_assert_uint_eq(redo_operation_decode(op, size, &o), size);
    return !data || sequence < *(uint64_t *)data;
}

static int operations(uint64_t from, uint64_t to, uint64_t *stop)
{
    told_first = told_last = 0;
    return store_operations(reader, 1, from, to, tell_operation, stop);
}

START_TEST(operations_are_told_from_a_number_on)
{
    struct sample s;
    begin(&s, 1, "game");
    commit();
    for (int i = 0; i < 30; i++) {
        sample_step(&s, &batch);
        if (i % 7 == 0)
            commit();
    }
    commit();
    ck_assert_int_eq(operations(1, 30, NULL), REDO_OK);
    ck_assert_uint_eq(told_first, 1);
    ck_assert_uint_eq(told_last, 30);
    ck_assert_int_eq(operations(11, 17, NULL), REDO_OK);
    ck_assert_uint_eq(told_first, 11);
    ck_assert_uint_eq(told_last, 17);
    uint64_t stop = 13;
    ck_assert_int_eq(operations(11, 17, &stop), REDO_OK);
    ck_assert_uint_eq(told_last, 13);
    ck_assert_int_eq(operations(31, 30, NULL), REDO_OK);
    ck_assert_uint_eq(told_last, 0);
    ck_assert_int_eq(operations(20, 31, NULL), REDO_ERANGE);
    ck_assert_int_eq(store_compact(store, 1), REDO_OK);
    ck_assert_int_eq(operations(30, 30, NULL), REDO_ERANGE);
    sample_step(&s, &batch);
    commit();
    ck_assert_int_eq(operations(31, 31, NULL), REDO_OK);
    ck_assert_int_eq(operations(30, 31, NULL), REDO_ERANGE);
    sample_end(&s);
}
END_TEST

START_TEST(large_states_and_wild_ones_come_back)
{
    struct sample s, t;
    sample_begin(&s, 1, "large", 3000);
    sample_begin(&t, 2, "wild", 100);
    s.wild = t.wild = true;
    sample_create(&s, &batch);
    sample_create(&t, &batch);
    for (int i = 0; i < 600; i++) {
        sample_step(&s, &batch);
        sample_step(&t, &batch);
        if (i % 100 == 99)
            s.wild = !s.wild;
    }
    commit(); /* more than a row */
    assert_stored(reader, &s);
    assert_stored(reader, &t);
    sample_end(&s);
    sample_end(&t);
}
END_TEST

/* ---- upkeep ------------------------------------------------------------------------------ */

START_TEST(compaction_keeps_the_session)
{
    struct sample s, t;
    struct store_info info;
    begin(&s, 1, "game");
    begin(&t, 2, "other");
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 50; i++) {
            sample_step(&s, &batch);
            sample_step(&t, &batch);
            if (i % 5 == 0)
                commit();
        }
        commit();
        ck_assert_int_eq(store_compact(store, 1), REDO_OK);
        assert_stored(reader, &s);
        assert_stored(reader, &t);
        ck_assert_int_eq(store_find_id(reader, 1, &info), REDO_OK);
        ck_assert_uint_eq(info.journal_bytes, 0);
        ck_assert_uint_gt(info.bytes, 0);
    }
    ck_assert_int_eq(store_compact(store, 7), REDO_ENOSESSION);
    sample_step(&s, &batch);
    commit();
    reopen();
    assert_stored(reader, &s);
    sample_end(&s);
    sample_end(&t);
}
END_TEST

static long file_pages(void)
{
    char path[300];
    struct stat st;
    snprintf(path, sizeof path, "%s/redo-1.db", folder);
    ck_assert_int_eq(stat(path, &st), 0);
    return (long)(st.st_size / 1024);
}

START_TEST(free_space_is_given_back)
{
    struct sample s;
    bool more;
    sample_begin(&s, 1, "game", 3000);
    s.wild = true;
    sample_create(&s, &batch);
    for (int i = 0; i < 5000; i++) {
        sample_step(&s, &batch);
        if (i % 500 == 0)
            commit();
    }
    commit();
    reopen();
    long full = file_pages();
    ck_assert_int_gt(full, 12000);
    batch_purge(&batch, 1);
    commit();
    int calls = 0;
    do {
        ck_assert_int_eq(store_shrink(store, &more), REDO_OK);
        calls++;
    } while (more);
    ck_assert_int_gt(calls, 3);
    reopen();
    ck_assert_int_lt(file_pages(), full / 2);
    sample_end(&s);
}
END_TEST

static unsigned kept_count;

static bool tell_kept(void *data, uint64_t key, int64_t when, void const *kept, size_t size)
{
    ck_assert_uint_eq(size, 5);
    if (data)
        ck_assert_mem_eq(kept, "bytes", 5);
    else
        ck_assert_ptr_null(kept);
    ck_assert_int_eq(when, (int64_t)key + 100);
    kept_count++;
    return true;
}

START_TEST(bytes_are_kept_under_keys)
{
    struct sample s;
    begin(&s, 1, "game");
    commit();
    for (uint64_t key = 0; key < 10; key++)
        batch_keep(&batch, 1, key, (int64_t)key + 100, "bytes", 5);
    commit();
    batch_forget(&batch, 1, 4);
    commit();
    ck_assert_int_eq(store_kept(reader, 1, 0, false, tell_kept, NULL), REDO_OK);
    ck_assert_uint_eq(kept_count, 9);
    ck_assert_int_eq(store_kept(reader, 1, 9, true, tell_kept, &s), REDO_OK);
    ck_assert_uint_eq(kept_count, 10);
    batch_purge(&batch, 1);
    commit();
    ck_assert_int_eq(store_kept(reader, 1, 0, false, tell_kept, NULL), REDO_OK);
    ck_assert_uint_eq(kept_count, 10);
    sample_end(&s);
}
END_TEST

static unsigned checked;

static void tell_checked(void *data, struct store_info const *info, uint64_t kept, char const *what)
{
    ck_assert_ptr_null(what);
    ck_assert_uint_eq(kept, info->sequence);
    checked++;
}

START_TEST(a_backup_is_the_store_as_it_was)
{
    struct sample s;
    char file[300], why[300];
    begin(&s, 1, "game");
    for (int i = 0; i < 200; i++)
        sample_step(&s, &batch);
    commit();
    snprintf(file, sizeof file, "%s/backup", folder);
    ck_assert_int_eq(store_backup(store, file, why, sizeof why), REDO_OK);
    ck_assert_int_eq(store_backup(store, file, why, sizeof why), REDO_OK); /* again */
    struct stat st;
    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    batch_purge(&batch, 1);
    commit();
    close_all();
    ck_assert_int_eq(store_restore(folder, file, why, sizeof why), REDO_OK);
    open_all();
    assert_stored(reader, &s);

    /* One byte of it is another: refused. */
    FILE *f = fopen(file, "r+");
    ck_assert_ptr_nonnull(f);
    fseek(f, 9 * 1024 + 5, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, -1, SEEK_CUR);
    fputc(byte ^ 1, f);
    fclose(f);
    close_all();
    ck_assert_int_eq(store_restore(folder, file, why, sizeof why), REDO_EDAMAGED);
    struct store_check check = {.tell = tell_checked};
    ck_assert_int_eq(store_check(folder, false, &check, why, sizeof why), REDO_OK);
    ck_assert_uint_eq(check.whole, 1);
    ck_assert_uint_eq(check.damaged, 0);
    ck_assert_uint_eq(checked, 1);
    open_all();
    assert_stored(reader, &s);
    sample_end(&s);
}
END_TEST

/* ---- the files --------------------------------------------------------------------------- */

START_TEST(files_are_private_under_any_umask)
{
    struct sample s;
    struct stat st;
    char path[400];
    char const *names[] = {"lock", "redo-1.db", "redo-1.db-wal", "redo-1.db-shm"};
    mode_t masks[] = {0, 0777};
    begin(&s, 1, "game");
    for (int m = 0; m < 2; m++) {
        mode_t before = umask(masks[m]);
        char other[300];
        snprintf(other, sizeof other, "%s/%d/deep", folder, m);
        struct store *st2 = sample_open(other);
        ck_assert_int_eq(store_commit(st2, &batch), REDO_OK);
        umask(before);
        ck_assert_int_eq(stat(other, &st), 0);
        ck_assert_uint_eq(st.st_mode & 0777, 0700);
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "%s/%s", other, names[i]);
            ck_assert_msg(stat(path, &st) == 0, "%s", path);
            ck_assert_msg((st.st_mode & 0777) == 0600, "%s %o", path, st.st_mode);
        }
        store_close(st2);
    }
    sample_end(&s);
}
END_TEST

START_TEST(a_store_has_one_owner)
{
    struct store *other;
    char why[300];
    ck_assert_int_eq(store_open(&other, folder, why, sizeof why), REDO_ELOCKED);
    char pid[32];
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    ck_assert_ptr_nonnull(strstr(why, pid));
    struct store_check check = {0};
    ck_assert_int_eq(store_check(folder, true, &check, why, sizeof why), REDO_ELOCKED);
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
    tcase_add_test(c, a_batch_has_many_sessions);
    tcase_add_test(c, the_highest_id_is_remembered);
    tcase_add_test(c, sessions_are_listed_by_name_in_pages);
    tcase_add_test(c, a_deleted_session_is_in_the_trash_until_it_is_purged);
    tcase_add_test(c, a_name_can_not_be_taken_twice);
    tcase_add_test(c, owners_have_names_of_their_own);
    tcase_add_test(c, sessions_of_one_name_are_listed_by_owner_in_pages);
    tcase_add_test(c, another_owner_takes_the_name_along);
    tcase_add_test(c, renaming_frees_the_old_name);
    tcase_add_test(c, a_session_knows_its_match_and_a_match_how_many_games_it_has);
    tcase_add_test(c, games_go_and_come_back_with_their_match);
    tcase_add_test(c, a_name_that_is_taken_brings_nothing_back);
    tcase_add_test(c, games_that_are_gone_are_passed_over);
    tcase_add_test(c, a_sequence_number_that_does_not_follow_is_refused);
    tcase_add_test(c, operations_are_told_from_a_number_on);
    tcase_add_test(c, large_states_and_wild_ones_come_back);
    tcase_add_test(c, compaction_keeps_the_session);
    tcase_add_test(c, free_space_is_given_back);
    tcase_add_test(c, bytes_are_kept_under_keys);
    tcase_add_test(c, a_backup_is_the_store_as_it_was);
    tcase_add_test(c, files_are_private_under_any_umask);
    tcase_add_test(c, a_store_has_one_owner);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
