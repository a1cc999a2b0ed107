/* Opening and closing, and what each use of the store stands on: the gate, transactions, the log.
 */
#include "server/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/redo_error.h"
#include "server/store/internal.h"
#include "server/store/page_vfs.h"
#include "server/store/pages.h"
#include "server/store/salvage.h"

#define LOG_FRAMES 8192      /* of the log: more are brought into the database by store_tidy() */
#define LOG_FRAMES_MAX 65536 /* ... and by store_commit() itself, if nobody calls that */

static void tell(char *why, size_t size, char const *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (size)
        vsnprintf(why, size, format, arguments);
    va_end(arguments);
}

void store_path(struct store const *store, unsigned number, char const *suffix, char *path)
{
    snprintf(path, STORE_PATH_MAX, "%s/redo-%u.db%s", store->folder, number, suffix);
}

/* ---- the log ------------------------------------------------------------------------------ */

/* The log's file, as the connection has it, or NULL. */
static sqlite3_file *log_file(struct store *store)
{
    sqlite3_file *file = NULL;

    sqlite3_file_control(store->db.sqlite, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    return file && file->pMethods ? file : NULL;
}

/* 0 if the log is empty. A SQLite code. */
static int read_salts(sqlite3_file *log, uint64_t *salts)
{
    unsigned char head[24];

    *salts = 0;
    if (!log)
        return SQLITE_OK;
    int rc = log->pMethods->xRead(log, head, sizeof head, 0);
    if (rc == SQLITE_OK)
        memcpy(salts, head + 16, sizeof *salts);
    return rc == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : rc;
}

static int on_commit(void *data, sqlite3 *sqlite, char const *name, int frames)
{
    struct store *store = data;

    store->log_frames = (uint32_t)frames;
    if (store->log_frames < store->log_done) /* it was begun anew */
        store->log_done = 0;
    return SQLITE_OK;
}

/* What a failed commit wrote to the log may be whole there, with only its sync missing: whoever
 * reads the log next would take it for committed. It is cut off, and that is synced. */
static int clean_log(struct store *store)
{
    sqlite3_file *log = log_file(store);
    sqlite3_int64 size = 0, good = 0;
    uint64_t salts;

    if (!log)
        return REDO_OK;
    int rc = read_salts(log, &salts);
    if (rc == SQLITE_OK && salts && salts == store->log_salts)
        good = DATABASE_WAL_HEAD +
               (sqlite3_int64)store->log_frames * (DATABASE_FRAME_HEAD + PAGE_SIZE);
    /* Else the log was begun anew, which it only is when all of it was in the database. */
    if (rc == SQLITE_OK)
        rc = log->pMethods->xFileSize(log, &size);
    if (rc == SQLITE_OK && size > good)
        rc = log->pMethods->xTruncate(log, good);
    if (rc == SQLITE_OK)
        rc = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    return database_error(&store->db, rc);
}

/* ---- the gate ----------------------------------------------------------------------------- */

static int open_database(struct store *store, int (*opening)(struct database *db, char const *path))
{
    char path[STORE_PATH_MAX];

    store_path(store, store->number, "", path);
    int rc = opening(&store->db, path);
    if (!rc)
        sqlite3_wal_hook(store->db.sqlite, on_commit, store);
    return rc;
}

/* After a failed commit: cleans the log, and forgets what the connection has in memory. */
static int clean(struct store *store)
{
    if (!store->stained)
        return REDO_OK;
    int rc = store->db.sqlite ? clean_log(store) : REDO_OK;
    if (rc)
        return rc;
    database_close(&store->db);
    store->stained = false;
    return REDO_OK;
}

int store_write_begin(struct store *store)
{
    for (int tries = 0;; tries++) {
        pthread_rwlock_rdlock(&store->gate);
        pthread_mutex_lock(&store->writing);
        int rc = clean(store);
        if (!rc && !store->db.sqlite)
            rc = open_database(store, database_open);
        if (!rc)
            return REDO_OK;
        unsigned number = store->number;
        store_write_end(store);
        if (rc == DATABASE_DAMAGED)
            rc = tries ? REDO_ESTORE : store_rebuild(store, number);
        if (rc)
            return rc;
    }
}

void store_write_end(struct store *store)
{
    pthread_mutex_unlock(&store->writing);
    pthread_rwlock_unlock(&store->gate);
}

static int checkpoint(struct store *store)
{
    int done = 0;
    int rc =
        sqlite3_wal_checkpoint_v2(store->db.sqlite, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, &done);

    if (rc == SQLITE_OK && done >= 0)
        store->log_done = (uint32_t)done;
    return rc == SQLITE_BUSY ? REDO_OK : database_error(&store->db, rc);
}

int store_transaction(struct store *store)
{
    int rc = database_do(&store->db, SQL_BEGIN);

    if (rc)
        return rc;
    /* Before anything is written: it is what tells, after a failure, what of the log to keep. */
    rc = database_error(&store->db, read_salts(log_file(store), &store->log_salts));
    if (rc)
        database_do(&store->db, SQL_ROLLBACK);
    return rc;
}

int store_transaction_end(struct store *store, int rc)
{
    if (!rc)
        rc = database_do(&store->db, SQL_COMMIT);
    if (rc) {
        if (!sqlite3_get_autocommit(store->db.sqlite))
            database_do(&store->db, SQL_ROLLBACK);
        store->stained =
            rc == REDO_EIO || rc == REDO_EFULLDISK || rc == REDO_ENOMEM || rc == DATABASE_DAMAGED;
        clean(store); /* at once if that can be; else before the next */
        return rc;
    }
    if (store->log_frames - store->log_done > LOG_FRAMES_MAX)
        checkpoint(store);
    return REDO_OK;
}

int store_upgrade(struct store *store)
{
    if (!store->version || store->version >= STORE_VERSION)
        return REDO_OK;
    int rc = open_database(store, database_open_any);
    if (rc)
        return rc;
    rc = store_transaction(store);
    if (!rc)
        rc = store_transaction_end(store, database_upgrade(&store->db));
    if (clean(store) == REDO_OK) /* else store_close() tries again */
        database_close(&store->db);
    return rc;
}

int store_tidy(struct store *store)
{
    int rc = store_write_begin(store);

    if (rc)
        return rc;
    if (store->log_frames - store->log_done > store->log_limit)
        rc = checkpoint(store);
    store_write_end(store);
    return rc == DATABASE_DAMAGED ? REDO_ESTORE : rc;
}

/* ---- putting another database in place ----------------------------------------------------- */

/* Makes changes of names in the folder last. */
static int sync_folder(struct store const *store)
{
    int fd = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd >= 0 && fsync(fd) == 0 ? REDO_OK : REDO_EIO;

    if (fd >= 0)
        close(fd);
    return rc;
}

/* A new database is made under another name: under its own there are only whole ones. */
void store_new_path(struct store const *store, char const *suffix, char *path)
{
    snprintf(path, STORE_PATH_MAX, "%s/new%s", store->folder, suffix);
}

void store_remove_new(struct store const *store)
{
    static char const *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char path[STORE_PATH_MAX];

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        store_new_path(store, suffixes[i], path);
        unlink(path);
    }
}

/* Puts what was made under the new name in place, as the next number. */
int store_adopt_new(struct store *store)
{
    char from[STORE_PATH_MAX], to[STORE_PATH_MAX];

    store_new_path(store, "", from);
    store_path(store, store->number + 1, "", to);
    if (rename(from, to) < 0)
        return REDO_EIO;
    store->number++;
    return sync_folder(store);
}

/* What happened, for the log; the last word counts. */
static void notice(struct store *store, char const *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&store->telling);
    va_start(arguments, format);
    vsnprintf(store->news, sizeof store->news, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&store->telling);
}

bool store_notice(struct store *store, char *text, size_t size)
{
    pthread_mutex_lock(&store->telling);
    bool any = store->news[0];
    if (size)
        snprintf(text, size, "%s", store->news);
    store->news[0] = '\0';
    pthread_mutex_unlock(&store->telling);
    return any;
}

/* With the gate to itself, and the database closed. */
static int rebuild(struct store *store)
{
    char old[STORE_PATH_MAX], new[STORE_PATH_MAX];
    struct pages pages;
    struct salvage told;

    store_remove_new(store);
    store_path(store, store->number, "", old);
    store_new_path(store, "", new);
    int rc = pages_open(&pages, old);
    if (!rc)
        rc = salvage(&pages, new, &told);
    pages_close(&pages);
    if (!rc)
        rc = store_adopt_new(store);
    if (rc) {
        store_remove_new(store);
        notice(store, "%s is damaged and could not be rebuilt: %s", old, redo_strerror(rc));
        return rc;
    }
    store->log_salts = 0;
    store->log_frames = store->log_done = 0;
    notice(store,
           "%s is damaged; it stays as it is, what is intact of it was taken over into redo-%u.db: "
           "%llu sessions, of which %llu damaged",
           old, store->number, (unsigned long long)told.sessions, (unsigned long long)told.damaged);
    return REDO_OK;
}

int store_rebuild(struct store *store, unsigned number)
{
    int rc = REDO_OK;

    pthread_rwlock_wrlock(&store->gate);
    if (store->number == number) {
        rc = clean(store); /* else what failed would be taken for committed */
        if (!rc) {
            database_close(&store->db);
            rc = rebuild(store);
        }
    }
    pthread_rwlock_unlock(&store->gate);
    return rc == DATABASE_DAMAGED ? REDO_ESTORE : rc;
}

/* ---- opening ------------------------------------------------------------------------------ */

/* The folder and those above it that are missing. */
static int make_folder(char const *folder)
{
    char path[STORE_PATH_MAX];
    size_t size = strlen(folder);

    if (size == 0 || size >= sizeof path)
        return -1;
    memcpy(path, folder, size + 1);
    for (char *slash = path + 1;; slash++) {
        if (*slash != '/' && *slash != '\0')
            continue;
        char end = *slash;
        *slash = '\0';
        if (mkdir(path, 0700) == 0) {
            if (chmod(path, 0700) < 0) /* whatever the umask made of it */
                return -1;
        } else if (errno != EEXIST) {
            return -1;
        }
        *slash = end;
        if (!end)
            return 0;
    }
}

static bool number_of(char const *name, unsigned *number)
{
    int end = 0;

    return sscanf(name, "redo-%9u.db%n", number, &end) == 1 && end && !name[end] && *number;
}

/* The highest number of a database in the folder, 0 if there is none. */
static int find_number(struct store *store)
{
    DIR *dir = opendir(store->folder);
    struct dirent *entry;
    unsigned number;

    if (!dir)
        return REDO_ESTORE;
    store->number = 0;
    while ((entry = readdir(dir)))
        if (number_of(entry->d_name, &number) && number > store->number)
            store->number = number;
    closedir(dir);
    return REDO_OK;
}

static int create_first(struct store *store)
{
    char path[STORE_PATH_MAX];

    store_new_path(store, "", path);
    int rc = database_create(path);
    if (!rc)
        rc = store_adopt_new(store);
    return rc;
}

static int take_lock(struct store *store, char *why, size_t why_size)
{
    char path[STORE_PATH_MAX];
    pid_t holder;

    snprintf(path, sizeof path, "%s/lock", store->folder);
    switch (lock_take(&store->lock, path, &holder)) {
    case LOCK_TAKEN:
        if (fchmod(store->lock.fd, 0600) == 0)
            return REDO_OK;
        break;
    case LOCK_HELD:
        tell(why, why_size, "%s belongs to process %ld", store->folder, (long)holder);
        return REDO_ELOCKED;
    }
    tell(why, why_size, "%s: %s", path, strerror(errno));
    return REDO_ESTORE;
}

int store_attach(struct store *store, char const *folder, bool make, char *why, size_t why_size)
{
    if (strlen(folder) >= sizeof store->folder) {
        tell(why, why_size, "the name of the folder is too long");
        return REDO_ESTORE;
    }
    strcpy(store->folder, folder);
    if (make && make_folder(folder) < 0) {
        tell(why, why_size, "%s: %s", folder, strerror(errno));
        return REDO_ESTORE;
    }
    int rc = take_lock(store, why, why_size);
    if (rc)
        return rc;
    store_remove_new(store);
    rc = find_number(store);
    if (rc)
        tell(why, why_size, "%s: %s", folder, strerror(errno));
    return rc;
}

/* Keeps a copy of a log whose last transaction SQLite is about to drop. */
static void keep_log(struct store *store)
{
    char from[STORE_PATH_MAX], to[STORE_PATH_MAX], bytes[4096];
    ssize_t n = -1;

    store_path(store, store->number, "-wal", from);
    for (unsigned i = 1; i < 1000; i++) {
        snprintf(to, sizeof to, "%s/redo-%u-interrupted-%u.wal", store->folder, store->number, i);
        int in = open(from, O_RDONLY | O_CLOEXEC);
        int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        bool exists = out < 0 && errno == EEXIST;
        while (in >= 0 && out >= 0 && (n = read(in, bytes, sizeof bytes)) > 0)
            if (write(out, bytes, (size_t)n) != n)
                break;
        if (out >= 0)
            close(out);
        if (in >= 0)
            close(in);
        if (!exists)
            break;
    }
    notice(store, "the last change before the store was interrupted is not whole: %s has it", to);
}

int store_inspect(struct store *store, struct pages *pages, bool *damaged)
{
    unsigned char head[PAGE_SIZE];
    char path[STORE_PATH_MAX];

    store_path(store, store->number, "", path);
    int rc = pages_open(pages, path);
    if (rc)
        return rc;
    *damaged = pages->state == LOG_BROKEN || !pages_newest(pages, 1, head);
    if (*damaged)
        return REDO_OK;
    /* The place of the version, the size of the pages and their checksum do not change with
     * versions. */
    uint32_t version, application;
    memcpy(&version, head + 60, 4);
    memcpy(&application, head + 68, 4);
    if (be32toh(application) != DATABASE_APPLICATION)
        return REDO_OK; /* opening it says what it is */
    store->version = be32toh(version);
    return store->version > STORE_VERSION ? REDO_EVERSION : REDO_OK;
}

static int inspect(struct store *store, char *why, size_t why_size)
{
    struct pages pages;
    bool damaged = false;
    int rc = store_inspect(store, &pages, &damaged);

    store->log_salts = pages.log_salts;
    store->log_frames = pages.log_frames;
    enum log_state state = pages.state;
    pages_close(&pages); /* before SQLite opens it */
    if (rc == REDO_EVERSION)
        tell(why, why_size, "%s is of a newer version than %d, the last that is known here",
             store->folder, STORE_VERSION);
    else if (rc)
        tell(why, why_size, "%s: %s", store->folder, redo_strerror(rc));
    if (rc)
        return rc;
    if (state == LOG_TORN && !damaged)
        keep_log(store);
    rc = damaged ? rebuild(store) : store_upgrade(store);
    return rc == DATABASE_DAMAGED ? store_rebuild(store, store->number) : rc;
}

struct store *store_new(void)
{
    struct store *store = calloc(1, sizeof *store);

    if (!store)
        return NULL;
    store->lock.fd = -1;
    store->log_limit = LOG_FRAMES;
    /* Who rebuilds goes before those who read one after the other without end. */
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&store->gate, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    pthread_mutex_init(&store->writing, NULL);
    pthread_mutex_init(&store->telling, NULL);
    return store;
}

int store_open(struct store **opened, char const *folder, char *why, size_t why_size)
{
    struct store *store = store_new();

    tell(why, why_size, "%s", "");
    if (!store)
        return REDO_ENOMEM;
    int rc = store_attach(store, folder, true, why, why_size);
    if (!rc) {
        rc = store->number ? inspect(store, why, why_size) : create_first(store);
        if (!rc)
            rc = store_write_begin(store);
        if (!rc)
            store_write_end(store);
        if (rc && why_size && !*why && !store_notice(store, why, why_size))
            tell(why, why_size, "%s: %s", folder, redo_strerror(rc));
    }
    if (rc) {
        store_close(store);
        return rc;
    }
    *opened = store;
    return REDO_OK;
}

/* A store that is whole is left as one file. */
static void close_database(struct store *store)
{
    if (!store->db.sqlite)
        return;
    if (clean(store) == REDO_OK && store->db.sqlite)
        database_finish(&store->db);
    database_close(&store->db);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    close_database(store);
    lock_close(&store->lock);
    pthread_rwlock_destroy(&store->gate);
    pthread_mutex_destroy(&store->writing);
    pthread_mutex_destroy(&store->telling);
    buffer_free(&store->scratch);
    commit_close(store);
    free(store);
}
