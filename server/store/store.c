/* Opening and closing, and what each use of the store stands on: the gate, transactions, the log. */
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

#define LOG_FRAMES 8192     /* of the log: more are brought into the database by store_tidy() */
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

static uint64_t log_salts(sqlite3_file *log)
{
    unsigned char head[24];
    uint64_t salts;

    if (!log || log->pMethods->xRead(log, head, sizeof head, 0) != SQLITE_OK)
        return 0;
    memcpy(&salts, head + 16, sizeof salts);
    return salts;
}

static int on_commit(void *data, sqlite3 *sqlite, char const *name, int frames)
{
    struct store *store = data;

    store->log_frames = (uint32_t)frames;
    if (store->log_frames < store->log_done) /* it was begun anew */
        store->log_done = 0;
    return SQLITE_OK;
}

/* What a failed commit wrote to the log may be whole there, with only its sync missing: whoever reads
 * the log next would take it for committed. It is cut off, and that is synced. */
static int clean_log(struct store *store)
{
    sqlite3_file *log = log_file(store);
    sqlite3_int64 size = 0, good = 0;

    if (!log)
        return REDO_OK;
    if (store->log_salts && log_salts(log) == store->log_salts)
        good = DATABASE_WAL_HEAD +
               (sqlite3_int64)store->log_frames * (DATABASE_FRAME_HEAD + PAGE_SIZE);
    /* Else the log was begun anew, which it only is when all of it was in the database. */
    int rc = log->pMethods->xFileSize(log, &size);
    if (rc == SQLITE_OK && size > good)
        rc = log->pMethods->xTruncate(log, good);
    if (rc == SQLITE_OK)
        rc = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    return database_error(&store->db, rc);
}

/* ---- the gate ----------------------------------------------------------------------------- */

static int open_database(struct store *store)
{
    char path[STORE_PATH_MAX];

    store_path(store, store->number, "", path);
    int rc = database_open(&store->db, path);
    if (!rc)
        sqlite3_wal_hook(store->db.sqlite, on_commit, store);
    return rc;
}

int store_write_begin(struct store *store)
{
    for (int tries = 0;; tries++) {
        pthread_rwlock_rdlock(&store->gate);
        pthread_mutex_lock(&store->writing);
        int rc = REDO_OK;
        if (store->stained && store->db.sqlite) {
            rc = clean_log(store);
            if (!rc)
                database_close(&store->db);
        }
        if (!rc)
            store->stained = false;
        if (!rc && !store->db.sqlite)
            rc = open_database(store);
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
    int rc = sqlite3_wal_checkpoint_v2(store->db.sqlite, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
                                       &done);

    if (rc == SQLITE_OK && done >= 0)
        store->log_done = (uint32_t)done;
    return rc == SQLITE_BUSY ? REDO_OK : database_error(&store->db, rc);
}

int store_transaction(struct store *store)
{
    return database_do(&store->db, SQL_BEGIN);
}

int store_transaction_end(struct store *store, int rc)
{
    if (!rc)
        rc = database_do(&store->db, SQL_COMMIT);
    if (rc) {
        if (!sqlite3_get_autocommit(store->db.sqlite))
            database_do(&store->db, SQL_ROLLBACK);
        store->stained = true;
        return rc;
    }
    store->log_salts = log_salts(log_file(store));
    if (store->log_frames - store->log_done > LOG_FRAMES_MAX)
        checkpoint(store);
    return REDO_OK;
}

int store_tidy(struct store *store)
{
    int rc = store_write_begin(store);

    if (rc)
        return rc;
    if (store->log_frames - store->log_done > LOG_FRAMES)
        rc = checkpoint(store);
    store_write_end(store);
    return rc == DATABASE_DAMAGED ? REDO_ESTORE : rc;
}

/* ---- putting another database in place ----------------------------------------------------- */

int store_sync_folder(struct store const *store)
{
    int fd = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd >= 0 && fsync(fd) == 0 ? REDO_OK : REDO_EIO;

    if (fd >= 0)
        close(fd);
    return rc;
}

int store_rebuild(struct store *store, unsigned number)
{
    return REDO_ESTORE;
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

/* A new database is made under another name: under its own there are only whole ones. */
static void new_path(struct store const *store, char const *suffix, char *path)
{
    snprintf(path, STORE_PATH_MAX, "%s/new%s", store->folder, suffix);
}

static void remove_new(struct store const *store)
{
    static char const *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char path[STORE_PATH_MAX];

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        new_path(store, suffixes[i], path);
        unlink(path);
    }
}

/* Puts what was made under the new name in place, as the next number. */
static int adopt_new(struct store *store)
{
    char from[STORE_PATH_MAX], to[STORE_PATH_MAX];

    new_path(store, "", from);
    store_path(store, store->number + 1, "", to);
    if (rename(from, to) < 0)
        return REDO_EIO;
    store->number++;
    return store_sync_folder(store);
}

static int create_first(struct store *store)
{
    char path[STORE_PATH_MAX];

    new_path(store, "", path);
    int rc = database_create(path);
    if (!rc)
        rc = adopt_new(store);
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

static int prepare(struct store *store, char *why, size_t why_size)
{
    if (make_folder(store->folder) < 0) {
        tell(why, why_size, "%s: %s", store->folder, strerror(errno));
        return REDO_ESTORE;
    }
    int rc = take_lock(store, why, why_size);
    if (rc)
        return rc;
    remove_new(store);
    rc = find_number(store);
    if (!rc && !store->number)
        rc = create_first(store);
    if (!rc) {
        rc = store_write_begin(store);
        if (!rc)
            store_write_end(store);
    }
    if (rc)
        tell(why, why_size, "%s: %s", store->folder, redo_strerror(rc));
    return rc;
}

int store_open(struct store **opened, char const *folder, char *why, size_t why_size)
{
    struct store *store = calloc(1, sizeof *store);

    tell(why, why_size, "%s", "");
    if (!store)
        return REDO_ENOMEM;
    store->lock.fd = -1;
    pthread_rwlock_init(&store->gate, NULL);
    pthread_mutex_init(&store->writing, NULL);
    int rc = REDO_ESTORE;
    if (strlen(folder) < sizeof store->folder) {
        strcpy(store->folder, folder);
        rc = prepare(store, why, why_size);
    } else {
        tell(why, why_size, "the name of the folder is too long");
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
    if (!store->stained || clean_log(store) == REDO_OK)
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
    buffer_free(&store->scratch);
    commit_close(store);
    free(store);
}
