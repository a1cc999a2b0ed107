/* Any byte flipped, any length cut: the store opens, every session that is intact is served, a
 * damaged one up to the damage, and it says so. All bytes and lengths with REDO_TEST_LONG=1, else
 * every so many. */
#include "tests/store/sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>

#define SESSIONS 4
#define STEPS 60

/* The store as it was made, file by file, and what each session was after each operation. */
static struct {
    char names[2][32];
    struct bytes files[2];
} made;
static struct bytes states[SESSIONS + 1][STEPS + 1];
static uint64_t finals[SESSIONS + 1];
static uint64_t last_before[SESSIONS + 1]; /* its length before the last batch */
static char const *const names[SESSIONS + 1] = {NULL, "compacted", "fresh", "mixed",
                                                "long/name of it"};

static bool is_long(void)
{
    char const *text = getenv("REDO_TEST_LONG");
    return text && strcmp(text, "1") == 0;
}

static struct bytes read_file(char const *path)
{
    struct bytes b = {malloc(1 << 22), 0};
    int fd = open(path, O_RDONLY);
    ssize_t n;
    ck_assert_int_ge(fd, 0);
    while ((n = read(fd, (char *)b.data + b.size, (1 << 22) - b.size)) > 0)
        b.size += (size_t)n;
    close(fd);
    return b;
}

static void write_file(char const *folder, char const *name, void const *data, size_t size)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
    close(fd);
}

static void empty_folder(char const *folder)
{
    char path[600];
    struct dirent *e;
    DIR *dir = opendir(folder);
    while (dir && (e = readdir(dir))) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (dir)
        closedir(dir);
}

/* What there would be after a kill: database and log, both with something in them. */
static void make(char const *folder, uint32_t size)
{
    struct store *store = sample_open(folder);
    struct sample s[SESSIONS + 1];
    struct batch batch;
    batch_init(&batch);
    for (int i = 1; i <= SESSIONS; i++) {
        sample_begin(&s[i], (uint64_t)i, names[i], size);
        sample_create(&s[i], &batch);
        states[i][0] = sample_dump(s[i].history);
    }
    ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
    batch_clear(&batch);
    for (int n = 1; n <= STEPS; n++) {
        for (int i = 1; i <= SESSIONS; i++) {
            last_before[i] = s[i].info.sequence;
            if ((n + i) % 3 == 0)
                continue;
            sample_step(&s[i], &batch);
            finals[i] = s[i].info.sequence;
            states[i][finals[i]] = sample_dump(s[i].history);
        }
        if (n % 4 == 0 || n > STEPS - 4) {
            ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
            batch_clear(&batch);
        }
        if (n == STEPS / 2) {
            ck_assert_int_eq(store_compact(store, 1), REDO_OK);
            ck_assert_int_eq(store_compact(store, 3), REDO_OK);
            store_close(store); /* all goes into the database */
            store = sample_open(folder);
        }
    }
    char path[400];
    for (int f = 0; f < 2; f++) {
        strcpy(made.names[f], f ? "redo-1.db-wal" : "redo-1.db");
        snprintf(path, sizeof path, "%s/%s", folder, made.names[f]);
        made.files[f] = read_file(path);
    }
    store_close(store);
    batch_close(&batch);
    for (int i = 1; i <= SESSIONS; i++)
        sample_end(&s[i]);
}

static struct {
    unsigned opened, rebuilt, damaged, behind;
} seen;

/* What a session came to. */
struct outcome {
    bool found, damaged;
    uint64_t sequence;
};

static bool other_name;

static bool take_name(void *data, struct store_info const *info)
{
    other_name = true;
    return true;
}

static struct outcome look(struct store_reader *r, int i, char const *what)
{
    struct outcome o = {0};
    struct store_info info;
    struct history *h;
    int rc = store_find(r, names[i], strlen(names[i]), 1, &info);
    if (rc == REDO_ENOSESSION) {
        /* Its name is lost with its record: then it is there under its number. */
        rc = store_find_id(r, (uint64_t)i, &info);
        if (!rc)
            ck_assert_msg(info.damaged, "%s: session %d has another name", what, i);
    }
    if (rc == REDO_ENOSESSION)
        return o;
    ck_assert_msg(rc == REDO_OK, "%s: finding %d: %s", what, i, redo_strerror(rc));
    ck_assert_msg(info.id == (uint64_t)i, "%s: %d is %d", what, i, (int)info.id);
    o.found = true;
    rc = store_load(r, info.id, &h, &o.sequence, &o.damaged);
    o.damaged |= info.damaged || rc == REDO_EDAMAGED;
    if (rc == REDO_EDAMAGED) {
        o.sequence = 0;
        return o;
    }
    ck_assert_msg(rc == REDO_OK, "%s: loading %d: %s", what, i, redo_strerror(rc));
    ck_assert_msg(o.sequence <= finals[i], "%s: %d goes too far", what, i);
    struct bytes is = sample_dump(h);
    ck_assert_msg(bytes_equal(is, states[i][o.sequence]), "%s: %d is not as it was after %d", what,
                  i, (int)o.sequence);
    free(is.data);
    history_free(h);
    return o;
}

/* A session that was cut short can go on, and all of them can be written to, without harm to
 * others. */
static void go_on(struct store *store, struct store_reader *r, struct outcome const *o,
                  char const *what)
{
    struct batch batch;
    batch_init(&batch);
    for (int i = 1; i <= SESSIONS; i++) {
        struct history *h;
        uint64_t sequence;
        bool damaged;
        if (!o[i].found || store_load(r, (uint64_t)i, &h, &sequence, &damaged) != REDO_OK)
            continue;
        if (damaged) {
            ck_assert_int_eq(store_set_aside(store, (uint64_t)i, sequence), REDO_OK);
            history_free(h);
            ck_assert_int_eq(store_load(r, (uint64_t)i, &h, &sequence, &damaged), REDO_OK);
            ck_assert_msg(!damaged && sequence == o[i].sequence, "%s: set aside %d", what, i);
        }
        redo_operation op = {.kind = REDO_OP_GRAFT, .value = h->graft ^ 1};
        unsigned char encoded[32];
        size_t size = redo_operation_encode(&op, encoded, sizeof encoded);
        struct store_info info = {.id = (uint64_t)i, .sequence = sequence + 1, .positions = 1};
        batch_operation(&batch, &info, encoded, size);
        history_free(h);
    }
    int rc = store_commit(store, &batch);
    ck_assert_msg(rc == REDO_OK, "%s: committing: %s", what, redo_strerror(rc));
    for (int i = 1; i <= SESSIONS; i++) {
        struct history *h;
        uint64_t sequence;
        bool damaged;
        if (!o[i].found || store_load(r, (uint64_t)i, &h, &sequence, &damaged) != REDO_OK)
            continue;
        ck_assert_msg(!damaged && sequence == o[i].sequence + 1, "%s: %d after going on", what, i);
        history_free(h);
    }
    batch_close(&batch);
}

/* Opens the store with these files and sees what is there. */
static void try(char const *folder, struct bytes const *files, struct outcome *o, char const *what,
                bool on)
{
    char why[600] = "", text[600];
    struct store *store;
    empty_folder(folder);
    for (int f = 0; f < 2; f++)
        if (files[f].data)
            write_file(folder, made.names[f], files[f].data, files[f].size);
    int rc = store_open(&store, folder, why, sizeof why);
    ck_assert_msg(rc == REDO_OK, "%s: %s", what, why);
    struct store_reader *r = store_reader_open(store);
    seen.opened++;
    for (int i = 1; i <= SESSIONS; i++) {
        o[i] = look(r, i, what);
        seen.damaged += o[i].damaged;
        seen.behind += o[i].sequence < finals[i];
    }
    rc = store_list(r, "", 0, "", 0, 0, 100, false, take_name, NULL);
    ck_assert_msg(rc == REDO_OK, "%s: listing", what);
    if (on)
        go_on(store, r, o, what);
    seen.rebuilt += store_notice(store, text, sizeof text) && strstr(text, "taken over");
    store_reader_close(r);
    store_close(store);
}

static void make_in(char *folder, size_t size, uint32_t state)
{
    setenv("TMPDIR", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", 1);
    sample_folder(folder, size);
    make(folder, state);
}

static void tell_seen(char const *what)
{
    if (getenv("VERBOSE"))
        printf("%s: %u opened, %u rebuilt; of the sessions in them %u damaged, %u cut short\n",
               what, seen.opened, seen.rebuilt, seen.damaged, seen.behind);
}

START_TEST(any_byte_flipped)
{
    char folder[256], what[100];
    struct outcome o[SESSIONS + 1];
    size_t step = is_long() ? 1 : 37;
    make_in(folder, sizeof folder, 16);
    for (int f = 0; f < 2; f++) {
        unsigned char *bytes = made.files[f].data;
        for (size_t at = 0; at < made.files[f].size; at += step) {
            unsigned char bit = (unsigned char)(1 << (at / step) % 8),
                          all = at % 5 == 0 ? 0xff : bit;
            snprintf(what, sizeof what, "%s byte %zu ^ %02x", made.names[f], at, all);
            bytes[at] ^= all;
            try(folder, made.files, o, what, at / step % 3 == 0);
            bytes[at] ^= all;
            unsigned hurt = 0;
            for (int i = 1; i <= SESSIONS; i++) {
                ck_assert_msg(o[i].found, "%s: %d is lost", what, i);
                if (o[i].damaged)
                    hurt++;
                /* Only of the last batch in the log it can not be told that it was there. */
                else if (o[i].sequence != finals[i])
                    ck_assert_msg(f == 1 && o[i].sequence >= last_before[i],
                                  "%s: %d ends at %d and not %d, and nobody says so", what, i,
                                  (int)o[i].sequence, (int)finals[i]);
            }
            ck_assert_msg(hurt <= 1, "%s: %u are damaged", what, hurt);
        }
    }
    tell_seen("flipped");
    sample_remove(folder);
}
END_TEST

START_TEST(any_length_cut)
{
    char folder[256], what[100];
    struct outcome o[SESSIONS + 1];
    size_t step = is_long() ? 1 : 41;
    make_in(folder, sizeof folder, 16);
    for (int f = 0; f < 2; f++) {
        struct bytes files[2] = {made.files[0], made.files[1]};
        for (size_t size = 0; size < made.files[f].size; size += step) {
            snprintf(what, sizeof what, "%s cut at %zu", made.names[f], size);
            files[f].size = size;
            try(folder, files, o, what, size / step % 3 == 0);
        }
    }
    /* A log that is gone altogether, and a database that is. */
    struct bytes database[2] = {made.files[0], {NULL, 0}};
    try(folder, database, o, "without a log", true);
    for (int i = 1; i <= SESSIONS; i++)
        ck_assert(o[i].found);
    tell_seen("cut");
    sample_remove(folder);
}
END_TEST

START_TEST(pages_overwritten)
{
    char folder[256], what[100];
    struct outcome o[SESSIONS + 1];
    make_in(folder, sizeof folder, 48);
    for (int f = 0; f < 2; f++) {
        unsigned char *bytes = made.files[f].data;
        unsigned char saved[1024];
        for (size_t at = 0; at + 1024 <= made.files[f].size; at += 1024) {
            for (int with = 0; with < 3; with++) {
                snprintf(what, sizeof what, "%s overwritten at %zu, %d", made.names[f], at, with);
                memcpy(saved, bytes + at, 1024);
                for (int i = 0; i < 1024; i++)
                    bytes[at + (size_t)i] = (unsigned char)(with == 0   ? 0
                                                            : with == 1 ? 0xff
                                                                        : i * 7 + i / 256);
                try(folder, made.files, o, what, true);
                memcpy(bytes + at, saved, 1024);
            }
        }
    }
    tell_seen("overwritten");
    sample_remove(folder);
}
END_TEST

static bool check_owner(void *data, struct store_info const *info)
{
    char const *what = data;
    char lost[40];
    bool named = info->name_size == 4 && !memcmp(info->name, "game", 4);
    snprintf(lost, sizeof lost, "recovered-%u", (unsigned)info->id);
    ck_assert_msg(!named || info->owner == info->id * 10, "%s: %u has another owner", what,
                  (unsigned)info->id);
    ck_assert_msg(named || (info->damaged && info->name_size == strlen(lost) &&
                            !memcmp(info->name, lost, info->name_size)),
                  "%s: %u is called %.*s", what, (unsigned)info->id, (int)info->name_size,
                  info->name);
    return true;
}

START_TEST(owners_of_one_name_keep_it_through_damage)
{
    char folder[256], path[400], what[100], why[600];
    setenv("TMPDIR", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", 1);
    sample_folder(folder, sizeof folder);
    struct store *store = sample_open(folder);
    struct batch batch;
    batch_init(&batch);
    for (unsigned i = 1; i <= 3; i++) {
        struct sample s;
        sample_begin(&s, i, "game", 16);
        s.info.owner = i * 10;
        sample_create(&s, &batch);
        sample_end(&s);
    }
    ck_assert_int_eq(store_commit(store, &batch), REDO_OK);
    batch_close(&batch);
    store_close(store);
    snprintf(path, sizeof path, "%s/redo-1.db", folder);
    struct bytes file = read_file(path);
    for (size_t at = 100; at < file.size; at += is_long() ? 1 : 61) {
        unsigned char *byte = (unsigned char *)file.data + at;
        snprintf(what, sizeof what, "byte %zu", at);
        empty_folder(folder);
        *byte ^= 0x10;
        write_file(folder, "redo-1.db", file.data, file.size);
        *byte ^= 0x10;
        int rc = store_open(&store, folder, why, sizeof why);
        ck_assert_msg(rc == REDO_OK, "%s: %s", what, why);
        struct store_reader *r = store_reader_open(store);
        rc = store_list(r, "", 0, "", 0, 0, 100, false, check_owner, what);
        ck_assert_msg(rc == REDO_OK, "%s: %s", what, redo_strerror(rc));
        store_reader_close(r);
        store_close(store);
    }
    free(file.data);
    sample_remove(folder);
}
END_TEST

static unsigned told_damaged, told_whole, told_lost;

static void tell_checked(void *data, struct store_info const *info, uint64_t kept, char const *what)
{
    if (what)
        told_damaged++;
    if (what && strstr(what, "no snapshot"))
        told_lost++; /* repairing can not help it */
    if (!what)
        told_whole++;
    ck_assert_uint_le(kept, finals[info->id]);
}

START_TEST(check_tells_and_repairs)
{
    char folder[256], why[600];
    make_in(folder, sizeof folder, 16);
    struct store_check check = {.tell = tell_checked};
    for (size_t at = 4 * 1024; at < made.files[0].size; at += is_long() ? 3 : 401) {
        unsigned char *byte = (unsigned char *)made.files[0].data + at;
        empty_folder(folder);
        *byte ^= 0x10;
        for (int f = 0; f < 2; f++)
            write_file(folder, made.names[f], made.files[f].data, made.files[f].size);
        for (int repair = 0; repair <= 1; repair++) {
            told_damaged = told_whole = told_lost = 0;
            int rc = store_check(folder, repair, &check, why, sizeof why);
            ck_assert_msg(rc == REDO_OK, "byte %zu: %s", at, why);
            ck_assert_uint_eq(check.whole + check.damaged, SESSIONS);
            ck_assert_uint_eq(told_whole, check.whole);
            ck_assert_uint_eq(told_damaged, check.damaged);
            ck_assert_uint_le(check.damaged, 1);
        }
        /* After a repair nothing else is left to complain about. */
        ck_assert_int_eq(store_check(folder, false, &check, why, sizeof why), REDO_OK);
        ck_assert_uint_eq(check.damaged, told_lost / 2);
        ck_assert_uint_eq(check.pages, 0);
        /* The file that was damaged is there as it was. */
        char path[400];
        snprintf(path, sizeof path, "%s/redo-1.db", folder);
        struct bytes now = read_file(path);
        if (told_damaged)
            ck_assert(bytes_equal(now, made.files[0]));
        free(now.data);
        *byte ^= 0x10;
    }
    sample_remove(folder);
}
END_TEST

START_TEST(a_newer_store_is_refused_and_untouched)
{
    char folder[256], why[600];
    struct store *store;
    make_in(folder, sizeof folder, 16);
    store = sample_open(folder);
    store_close(store);
    /* The version, and the page's checksum made right by writing through the store's own layer. */
    char path[400], sql[600];
    snprintf(path, sizeof path, "%s/redo-1.db", folder);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", STORE_VERSION + 1);
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, "redo"), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct bytes before = read_file(path);
    ck_assert_int_eq(store_open(&store, folder, why, sizeof why), REDO_EVERSION);
    ck_assert_ptr_nonnull(strstr(why, "newer version"));
    struct store_check check = {0};
    ck_assert_int_eq(store_check(folder, true, &check, why, sizeof why), REDO_EVERSION);
    struct bytes after = read_file(path);
    ck_assert(bytes_equal(before, after));
    free(before.data);
    free(after.data);
    sample_remove(folder);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("damage");
    TCase *c = tcase_create("damage");
    tcase_set_timeout(c, is_long() ? 3600 : 120);
    tcase_add_test(c, any_byte_flipped);
    tcase_add_test(c, any_length_cut);
    tcase_add_test(c, pages_overwritten);
    tcase_add_test(c, owners_of_one_name_keep_it_through_damage);
    tcase_add_test(c, check_tells_and_repairs);
    tcase_add_test(c, a_newer_store_is_refused_and_untouched);
    suite_add_tcase(s, c);
    return run_suite(s);
}
