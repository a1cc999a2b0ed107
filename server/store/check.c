/* A store that nobody uses: looking through it, repairing it, putting a backup in its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/redo_error.h"
#include "server/store/internal.h"
#include "server/store/page_vfs.h"
#include "server/store/pages.h"
#include "server/store/salvage.h"

static void tell(char *why, size_t size, char const *what, int rc)
{
    if (size && !*why)
        snprintf(why, size, "%s: %s", what, redo_strerror(rc));
}

/* Pages whose newest version is not whole. */
static uint64_t count_damaged(struct pages const *pages)
{
    unsigned char page[PAGE_SIZE];
    uint64_t count = 0;
    bool whole;

    for (uint32_t n = 1; n <= pages->count; n++)
        if (pages_read(pages, n, 0, page, &whole) && !whole)
            count++;
    return count;
}

/* ---- checking ----------------------------------------------------------------------------- */

static int check_one(struct database *db, uint64_t id, struct store_check *check, bool *damaged,
                     uint64_t *kept)
{
    struct history *h = NULL;
    struct session s;

    *kept = 0;
    *damaged = false;
    int rc = load_session(db, id, NULL, &h, kept, damaged);
    history_free(h);
    char const *what = rc == REDO_EDAMAGED ? "no snapshot of it is whole"
                       : *damaged          ? "operations are missing or damaged"
                                           : NULL;
    if (rc == REDO_EDAMAGED) {
        *damaged = true;
        rc = REDO_OK;
    }
    if (!rc)
        rc = session_read(db, id, &s);
    if (!rc && check->tell)
        check->tell(check->data, &s.info, *kept, what);
    sqlite3_reset(database_statement(db, SQL_SESSION_GET));
    check->whole += !rc && !*damaged;
    check->damaged += !rc && *damaged;
    return rc;
}

static int next_session(struct database *db, uint64_t *id)
{
    sqlite3_stmt *s = database_statement(db, SQL_SESSION_ALL);

    sqlite3_bind_int64(s, 1, *id == UINT64_MAX ? -1 : (int64_t)*id);
    int rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        *id = (uint64_t)sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? REDO_ENOSESSION : database_error(db, rc);
}

/* All sessions of a database; the damaged ones are set aside in `repair`, if that is not NULL. */
static int check_all(struct database *db, struct store *repair, struct store_check *check)
{
    uint64_t id = UINT64_MAX, kept;
    bool damaged;
    int rc;

    while (!(rc = next_session(db, &id))) {
        rc = check_one(db, id, check, &damaged, &kept);
        if (!rc && damaged && repair)
            rc = store_set_aside(repair, id, kept);
        if (rc)
            return rc;
    }
    return rc == REDO_ENOSESSION ? REDO_OK : rc;
}

/* Whether the file is shorter than its first page says: one that was cut between two pages has none
 * that is damaged. Nothing is opened but to read: SQLite would tidy its log. */
static bool cut_short(struct store const *store)
{
    char path[STORE_PATH_MAX];
    unsigned char head[32];
    struct stat st;

    store_path(store, store->number, "", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool whole = fstat(fd, &st) == 0 && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head;
    close(fd);
    if (!whole)
        return true; /* even the schema takes more */
    uint64_t size = (uint64_t)head[16] << 8 | head[17];
    uint64_t count = (uint64_t)head[28] << 24 | head[29] << 16 | head[30] << 8 | head[31];
    return (uint64_t)st.st_size < count * (size == 1 ? 65536 : size);
}

/* What is there is looked at in a copy made of all that can be read: so what is told is what a
 * repair would keep. */
static int check_store(struct store *store, bool repair, struct store_check *check)
{
    char path[STORE_PATH_MAX];
    struct database db = {0};
    struct pages pages;
    struct salvage told;
    bool damaged = false;
    int rc = store_inspect(store, &pages, &damaged);

    store->log_salts = pages.log_salts;
    store->log_frames = pages.log_frames;
    store_new_path(store, "", path);
    if (!rc) {
        check->pages = count_damaged(&pages);
        damaged = damaged || check->pages;
        if (!check->pages && cut_short(store)) {
            damaged = true;
            check->pages = 1; /* at least one is not there */
        }
        rc = salvage(&pages, path, &told);
    }
    pages_close(&pages);
    if (!rc && repair && !damaged) {
        rc = store_upgrade(store);
        damaged = rc == DATABASE_DAMAGED;
        rc = damaged ? REDO_OK : rc;
    }
    if (rc)
        return rc;
    if (repair && damaged) {
        rc = store_adopt_new(store);
        store->log_salts = store->log_frames = 0;
        store_path(store, store->number, "", path);
    } else if (repair) {
        store_path(store, store->number, "", path);
    }
    if (!rc)
        rc = database_open(&db, path);
    if (!rc)
        rc = check_all(&db, repair ? store : NULL, check);
    database_close(&db);
    return rc;
}

int store_check(char const *folder, bool repair, struct store_check *check, char *why,
                size_t why_size)
{
    struct store *store = store_new();

    if (why_size)
        *why = '\0';
    if (!store)
        return REDO_ENOMEM;
    check->whole = check->damaged = check->pages = 0;
    int rc = store_attach(store, folder, false, why, why_size);
    bool attached = !rc;
    if (!rc && store->number)
        rc = check_store(store, repair, check);
    if (attached)
        store_remove_new(store);
    if (rc == DATABASE_DAMAGED)
        rc = REDO_ESTORE;
    if (rc)
        tell(why, why_size, folder, rc);
    store_close(store);
    return rc;
}

/* ---- restoring ---------------------------------------------------------------------------- */

/* That a file is a whole store of a version that is known. */
static int check_backup(char const *file)
{
    unsigned char head[PAGE_SIZE];
    struct pages pages;
    int rc = pages_open(&pages, file);

    if (!rc && (!pages_newest(&pages, 1, head) || count_damaged(&pages)))
        rc = REDO_EDAMAGED;
    if (!rc) {
        uint32_t version, application, count;
        memcpy(&version, head + 60, 4);
        memcpy(&application, head + 68, 4);
        memcpy(&count, head + 28, 4);
        if (be32toh(application) != DATABASE_APPLICATION || be32toh(count) != pages.stored)
            rc = REDO_EDAMAGED;
        else if (be32toh(version) > STORE_VERSION)
            rc = REDO_EVERSION;
    }
    pages_close(&pages);
    return rc;
}

static int copy_file(char const *from, char const *to)
{
    char bytes[65536];
    ssize_t n = 0;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool done = in >= 0 && out >= 0 && fchmod(out, 0600) == 0;

    while (done && (n = read(in, bytes, sizeof bytes)) > 0)
        done = write(out, bytes, (size_t)n) == n;
    done = done && n == 0 && fsync(out) == 0;
    int error = errno;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return done ? REDO_OK : error == ENOSPC || error == EDQUOT ? REDO_EFULLDISK : REDO_EIO;
}

int store_restore(char const *folder, char const *file, char *why, size_t why_size)
{
    char path[STORE_PATH_MAX];
    struct store *store = store_new();

    if (why_size)
        *why = '\0';
    if (!store)
        return REDO_ENOMEM;
    int rc = check_backup(file);
    if (rc)
        tell(why, why_size, file, rc);
    else
        rc = store_attach(store, folder, true, why, why_size);
    if (!rc) {
        store_new_path(store, "", path);
        rc = copy_file(file, path);
        if (!rc)
            rc = store_adopt_new(store);
        if (rc) {
            tell(why, why_size, folder, rc);
            store_remove_new(store);
        }
    }
    store_close(store);
    return rc;
}
