/* What keeps a store small and safe while it is in use: compaction, setting aside, shrinking,
 * backups. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/dump.h"
#include "core/redo_error.h"
#include "server/store/internal.h"
#include "server/store/page_vfs.h"

/* In one transaction, so that a commit waits no longer than for so much. */
#define PARTS_WRITTEN 4
#define PARTS_DELETED 16
#define ROWS_DELETED 1000

/* One transaction of upkeep. If damage is met, the store is rebuilt and it is done again, once. */
typedef int work(struct store *store, void *arg);

static int transact(struct store *store, work *do_work, void *arg)
{
    int rc = REDO_ESTORE;

    for (int tries = 0; tries < 2; tries++) {
        rc = store_write_begin(store);
        if (rc)
            return rc;
        unsigned number = store->number;
        rc = store_transaction(store);
        if (!rc) {
            rc = do_work(store, arg);
            for (int i = 0; i < SQL_STATEMENTS; i++)
                sqlite3_reset(store->db.statements[i]);
            rc = store_transaction_end(store, rc);
        }
        store_write_end(store);
        if (rc != DATABASE_DAMAGED)
            return rc;
        rc = store_rebuild(store, number);
        if (rc)
            return rc;
    }
    return REDO_ESTORE;
}

/* ---- compaction --------------------------------------------------------------------------- */

struct compaction {
    uint64_t id;
    uint32_t epoch;
    struct part part; /* the next to be written */
    char *bytes;
    size_t size;
    bool more;
};

/* A generation of parts that is not there yet, and what the session is to be like when it is done.
 */
static int compact_begin(struct store *store, void *arg)
{
    struct compaction *c = arg;
    sqlite3_stmt *s = database_statement(&store->db, SQL_PART_KEYS);
    struct session session;
    uint32_t generation = 0;
    bool lowest = false;
    int step;

    int rc = session_read(&store->db, c->id, &session);
    if (rc)
        return rc;
    if (session.epoch != c->epoch)
        return REDO_EDAMAGED;
    /* The one after the highest; after the last possible one, the first again. */
    sqlite3_bind_int64(s, 1, record_key(c->id, 0));
    sqlite3_bind_int64(s, 2, record_key(c->id, KEY_LIMIT - 1));
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        uint64_t key = (uint64_t)sqlite3_column_int64(s, 0) & (KEY_LIMIT - 1);
        generation = (uint32_t)(key >> PART_BITS);
        lowest = lowest || generation == 0;
    }
    c->part.generation = (generation + 1) % PART_GENERATIONS;
    if (c->part.generation == 0 && lowest)
        return REDO_EFULL;
    return database_error(&store->db, step);
}

static int compact_write(struct store *store, void *arg)
{
    struct compaction *c = arg;
    struct session s;
    struct part part = c->part;
    sqlite3_stmt *sum = database_statement(&store->db, SQL_JOURNAL_BYTES);
    int rc = REDO_OK;

    for (int i = 0; !rc && i < PARTS_WRITTEN && part.number < part.count; i++, part.number++) {
        size_t at = (size_t)part.number * PART_SIZE;
        size_t rest = c->size - at;
        buffer_rewind(&store->scratch, 0);
        part_put(&store->scratch, c->id, &part, c->bytes + at, rest < PART_SIZE ? rest : PART_SIZE);
        rc = row_put(&store->db, SQL_PART_PUT, part_key(c->id, part.generation, part.number),
                     &store->scratch);
    }
    c->more = part.number < part.count;
    if (rc)
        return rc;
    /* Gone or changed meanwhile: nothing of this transaction, and the parts before it, counts. */
    rc = session_read(&store->db, c->id, &s);
    if (!rc && s.epoch != c->epoch)
        rc = REDO_EDAMAGED;
    if (!rc && !c->more) {
        sqlite3_bind_int64(sum, 1, record_key(c->id, part.sequence + 1));
        sqlite3_bind_int64(sum, 2, record_key(c->id, KEY_LIMIT - 1));
        rc = database_error(&store->db, sqlite3_step(sum));
        s.info.journal_bytes = (uint64_t)sqlite3_column_int64(sum, 0);
        s.info.bytes = c->size + s.info.journal_bytes;
        s.base = part.sequence;
        if (!rc)
            rc = session_write(store, &s);
    }
    return rc;
}

static int trim(struct store *store, enum statement which, int64_t from, int64_t to, int limit,
                bool *more)
{
    sqlite3_stmt *s = database_statement(&store->db, which);

    if (from > to)
        return REDO_OK;
    sqlite3_bind_int64(s, 1, from);
    sqlite3_bind_int64(s, 2, to);
    sqlite3_bind_int(s, 3, limit);
    int rc = database_run(&store->db, s);
    *more |= sqlite3_changes(store->db.sqlite) > 0;
    return rc;
}

/* Deletes what the new snapshot stands for, or if it came to nothing, it. */
static int compact_trim(struct store *store, void *arg)
{
    struct compaction *c = arg;
    uint32_t generation = c->part.generation;
    int64_t first = part_key(c->id, generation, 0);
    int64_t last = part_key(c->id, generation, ((uint32_t)1 << PART_BITS) - 1);

    c->more = false;
    int rc = trim(store, SQL_JOURNAL_TRIM, record_key(c->id, 0),
                  record_key(c->id, c->part.sequence), ROWS_DELETED, &c->more);
    if (!rc)
        rc = trim(store, SQL_PART_TRIM, record_key(c->id, 0), first - 1, PARTS_DELETED, &c->more);
    if (!rc)
        rc = trim(store, SQL_PART_TRIM, last + 1, record_key(c->id, KEY_LIMIT - 1), PARTS_DELETED,
                  &c->more);
    return rc;
}

static int compact_undo(struct store *store, void *arg)
{
    struct compaction *c = arg;

    c->more = false;
    return trim(store, SQL_PART_TRIM, part_key(c->id, c->part.generation, 0),
                part_key(c->id, c->part.generation, ((uint32_t)1 << PART_BITS) - 1), PARTS_DELETED,
                &c->more);
}

/* The session as bytes, from the store alone. */
static int compact_read(struct store *store, struct compaction *c)
{
    struct store_reader *r = store_reader_open(store);
    struct history *h = NULL;
    void *bytes = NULL;
    bool damaged = false;

    if (!r)
        return REDO_ENOMEM;
    /* Taken before the content: if something is set aside in between, the number has changed. */
    int rc = store_epoch(r, c->id, &c->epoch);
    if (!rc)
        rc = store_load(r, c->id, &h, &c->part.sequence, &damaged);
    if (!rc && damaged)
        rc = REDO_EDAMAGED;
    if (!rc)
        rc = history_dump(h, &bytes, &c->size);
    history_free(h);
    store_reader_close(r);
    c->bytes = bytes;
    c->part.total = c->size;
    c->part.count = (uint32_t)((c->size + PART_SIZE - 1) / PART_SIZE);
    if (!rc && c->size > PART_SIZE << PART_BITS)
        rc = REDO_EFULL;
    return rc;
}

int store_compact(struct store *store, uint64_t id)
{
    struct compaction c = {.id = id};
    int rc = compact_read(store, &c);

    c.part.epoch = c.epoch;
    if (!rc)
        rc = transact(store, compact_begin, &c);
    if (!rc) {
        do {
            rc = transact(store, compact_write, &c);
            c.part.number += PARTS_WRITTEN;
        } while (!rc && c.more);
        if (rc) { /* what failed is told; if taking it back fails too, it does no harm where it is
                   */
            do {
            } while (transact(store, compact_undo, &c) == REDO_OK && c.more);
        }
    }
    free(c.bytes);
    if (rc)
        return rc;
    do {
        rc = transact(store, compact_trim, &c);
    } while (!rc && c.more);
    return rc;
}

/* ---- setting aside ------------------------------------------------------------------------ */

struct aside {
    uint64_t id, sequence;
    int64_t when;
    struct buffer record, row;
};

/* A record that is whole in itself, around bytes that need not be. */
static int put_aside(struct store *store, struct aside *a, uint64_t number, void const *data,
                     size_t size)
{
    sqlite3_stmt *s = database_statement(&store->db, SQL_ASIDE_PUT);

    buffer_rewind(&a->record, 0);
    kept_put(&a->record, RECORD_ASIDE, a->id, number, a->when, data, size);
    if (a->record.failed)
        return REDO_ENOMEM;
    sqlite3_bind_blob64(s, 1, a->record.data, a->record.size, SQLITE_STATIC);
    return database_run(&store->db, s);
}

static int delete_key(struct store *store, enum statement which, int64_t key)
{
    sqlite3_stmt *s = database_statement(&store->db, which);

    sqlite3_bind_int64(s, 1, key);
    return database_run(&store->db, s);
}

/* The operations of a row up to a->sequence, as a row of the next epoch in a->row. */
static int cut_row(struct aside *a, struct journal const *j, void const *data, size_t size,
                   uint32_t epoch)
{
    struct journal_reader ops;
    struct journal_writer w;
    int rc = REDO_OK;

    journal_reader_init(&ops);
    journal_read(&ops, data, size);
    journal_begin(&w, &a->row, a->id, j->first, epoch);
    for (uint64_t n = j->first; !rc && n <= a->sequence; n++) {
        rc = journal_next(&ops);
        if (rc)
            break;
        /* Each as it is: what it might differ from does not stay where it is. */
        w.before_size = 0;
        journal_put(&w, ops.now.data, ops.now.size);
    }
    journal_end(&w);
    journal_reader_close(&ops);
    return rc ? rc : a->row.failed ? REDO_ENOMEM : REDO_OK;
}

static int aside_rows(struct store *store, struct aside *a, uint32_t epoch)
{
    sqlite3_stmt *s = database_statement(&store->db, SQL_JOURNAL_FROM);
    int64_t at = record_key(a->id, 0);

    for (;;) {
        sqlite3_reset(s);
        sqlite3_bind_int64(s, 1, at);
        sqlite3_bind_int64(s, 2, record_key(a->id, KEY_LIMIT - 1));
        int step = sqlite3_step(s);
        if (step != SQLITE_ROW)
            return database_error(&store->db, step);
        int64_t key = sqlite3_column_int64(s, 0);
        void const *data = sqlite3_column_blob(s, 1);
        size_t size = (size_t)sqlite3_column_bytes(s, 1);
        struct journal j;
        bool whole = data && journal_get(&j, data, size) && record_key(a->id, j.first) == key;
        at = key + 1;
        if (whole && j.first + j.count <= a->sequence + 1)
            continue;
        int rc = put_aside(store, a, (uint64_t)key & (KEY_LIMIT - 1), data, size);
        bool cut = whole && j.first <= a->sequence;
        if (!rc && cut)
            rc = cut_row(a, &j, data, size, epoch);
        sqlite3_reset(s);
        if (!rc)
            rc = delete_key(store, SQL_JOURNAL_DELETE, key);
        if (!rc && cut)
            rc = row_put(&store->db, SQL_JOURNAL_PUT, key, &a->row);
        if (rc)
            return rc;
    }
}

/* Parts that are damaged in themselves, or belong to a snapshot that was of no use. */
static int aside_parts(struct store *store, struct aside *a)
{
    sqlite3_stmt *keys = database_statement(&store->db, SQL_PART_KEYS);
    sqlite3_stmt *get = database_statement(&store->db, SQL_PART_GET);
    int64_t at = record_key(a->id, 0);

    for (;;) {
        void const *data;
        size_t size;
        struct part part;
        sqlite3_reset(keys);
        sqlite3_reset(get);
        sqlite3_bind_int64(keys, 1, at);
        sqlite3_bind_int64(keys, 2, record_key(a->id, KEY_LIMIT - 1));
        int step = sqlite3_step(keys);
        if (step != SQLITE_ROW)
            return database_error(&store->db, step);
        int64_t key = sqlite3_column_int64(keys, 0);
        sqlite3_reset(keys);
        at = key + 1;
        int rc = database_get(&store->db, get, key, &data, &size);
        if (!rc && part_get(&part, data, size) && part.sequence <= a->sequence)
            continue;
        if (!rc)
            rc = put_aside(store, a, (uint64_t)key & (KEY_LIMIT - 1), data, size);
        sqlite3_reset(get);
        if (!rc)
            rc = delete_key(store, SQL_PART_DELETE, key);
        if (rc)
            return rc;
    }
}

static int set_aside(struct store *store, void *arg)
{
    struct aside *a = arg;
    struct buffer text = {0};
    struct session s;
    int rc = session_read(&store->db, a->id, &s);

    if (rc)
        return rc;
    buffer_append(&text, s.info.name, s.info.name_size);
    buffer_append(&text, s.info.properties, s.info.properties_size);
    if (text.failed)
        rc = REDO_ENOMEM;
    s.info.name = text.data;
    s.info.properties = s.info.properties_size ? text.data + s.info.name_size : NULL;
    sqlite3_reset(database_statement(&store->db, SQL_SESSION_GET));
    s.epoch++;
    s.info.damaged = true;
    s.info.sequence = a->sequence;
    if (!rc)
        rc = aside_rows(store, a, s.epoch);
    if (!rc)
        rc = aside_parts(store, a);
    if (!rc)
        rc = session_write(store, &s);
    buffer_free(&text);
    return rc;
}

int store_set_aside(struct store *store, uint64_t id, uint64_t sequence)
{
    struct aside a = {.id = id, .sequence = sequence, .when = time(NULL)};

    if (sequence >= KEY_LIMIT)
        return REDO_ERANGE;
    int rc = transact(store, set_aside, &a);
    buffer_free(&a.record);
    buffer_free(&a.row);
    return rc;
}

/* ---- shrinking ---------------------------------------------------------------------------- */

#define SHRINK_PAGES 1024 /* in one go */
#define SPARE_PAGES 4096  /* free pages that are no trouble, as every quarter of the file is not */

static int pragma(struct database *db, char const *text, int64_t *value)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db->sqlite, text, -1, &s, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(s);
    *value = rc == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    int code = database_error(db, rc);
    sqlite3_finalize(s);
    return code;
}

static int shrink(struct store *store, void *arg)
{
    bool *more = arg;
    int64_t free_pages, pages;
    char text[64];
    int rc = pragma(&store->db, "PRAGMA freelist_count", &free_pages);

    if (!rc)
        rc = pragma(&store->db, "PRAGMA page_count", &pages);
    if (rc)
        return rc;
    *more = false;
    if (free_pages <= SPARE_PAGES || free_pages <= pages / 4)
        return REDO_OK;
    snprintf(text, sizeof text, "PRAGMA incremental_vacuum(%d)", SHRINK_PAGES);
    rc = database_exec(&store->db, text);
    *more = free_pages - SHRINK_PAGES > SPARE_PAGES &&
            free_pages - SHRINK_PAGES > (pages - SHRINK_PAGES) / 4;
    return rc;
}

int store_shrink(struct store *store, bool *more)
{
    *more = false;
    int rc = transact(store, shrink, more);
    return rc ? rc : store_tidy(store);
}

/* ---- backup ------------------------------------------------------------------------------- */

#define BACKUP_PAGES 1024 /* in one step */

/* From a connection of its own, which holds on to what it sees at first: commits go on meanwhile,
 * and do not make it begin again. */
static int copy_pages(struct database *from, char const *to)
{
    struct database into = {0};
    int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return errno == ENOSPC || errno == EDQUOT ? REDO_EFULLDISK : REDO_ESYSTEM;
    int rc = fchmod(fd, 0600) == 0 ? REDO_OK : REDO_ESYSTEM;
    close(fd);
    int code =
        sqlite3_open_v2(to, &into.sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, PAGE_VFS);
    if (!rc)
        rc = database_error(&into, code);
    if (!rc)
        rc = database_exec(&into, "PRAGMA synchronous = FULL; PRAGMA journal_mode = MEMORY;");
    sqlite3_backup *backup =
        rc ? NULL : sqlite3_backup_init(into.sqlite, "main", from->sqlite, "main");
    if (!rc && !backup)
        rc = database_error(&into, sqlite3_extended_errcode(into.sqlite));
    if (backup) {
        do {
            code = sqlite3_backup_step(backup, BACKUP_PAGES);
        } while (code == SQLITE_OK);
        rc = database_error(&into, code);
        code = sqlite3_backup_finish(backup);
        if (!rc)
            rc = database_error(&into, code);
    }
    sqlite3_close(into.sqlite);
    return rc;
}

static int sync_file(char const *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd >= 0 && fsync(fd) == 0 ? REDO_OK : REDO_EIO;

    if (fd >= 0)
        close(fd);
    return rc;
}

int store_backup(struct store *store, char const *file, char *why, size_t why_size)
{
    char path[STORE_PATH_MAX], part[STORE_PATH_MAX];
    struct database from = {0};
    int64_t pages;
    int rc = REDO_EFULL;

    if ((size_t)snprintf(part, sizeof part, "%s.part", file) < sizeof part) {
        unlink(part);
        pthread_rwlock_rdlock(&store->gate);
        store_path(store, store->number, "", path);
        rc = database_open(&from, path);
        if (!rc)
            rc = database_exec(&from, "BEGIN");
        if (!rc)
            rc = pragma(&from, "SELECT count(*) FROM last", &pages);
        if (!rc)
            rc = copy_pages(&from, part);
        database_close(&from);
        pthread_rwlock_unlock(&store->gate);
    }
    if (!rc)
        rc = sync_file(part);
    if (!rc && rename(part, file) < 0)
        rc = REDO_ESYSTEM;
    if (rc == DATABASE_DAMAGED)
        rc = REDO_EDAMAGED;
    if (rc) {
        unlink(part);
        if (why_size)
            snprintf(why, why_size, "%s: %s", file, redo_strerror(rc));
    }
    return rc;
}
