/* Reading: finding and listing sessions, and their content. Each reader has its own connection, and
 * sees the last commit before each of its calls. */
#include <stdlib.h>
#include <string.h>

#include "core/redo_error.h"
#include "server/store/internal.h"

struct store_reader {
    struct store *store;
    struct database db;
    unsigned number;    /* of the database that it has open */
    struct buffer text; /* name and properties of the last session told */
};

struct store_reader *store_reader_open(struct store *store)
{
    struct store_reader *r = calloc(1, sizeof *r);

    if (r)
        r->store = store;
    return r;
}

void store_reader_close(struct store_reader *r)
{
    if (!r)
        return;
    database_close(&r->db);
    buffer_free(&r->text);
    free(r);
}

/* ---- the gate ----------------------------------------------------------------------------- */

typedef int reading(struct store_reader *r, void *arg);

static int ready(struct store_reader *r)
{
    char path[STORE_PATH_MAX];

    if (r->db.sqlite && r->number == r->store->number)
        return REDO_OK;
    database_close(&r->db);
    r->number = r->store->number;
    store_path(r->store, r->number, "", path);
    return database_open(&r->db, path);
}

/* Reads inside the gate. If something is damaged, the store is rebuilt and the reading begun again:
 * it must not mind that it has begun before. */
static int guarded(struct store_reader *r, reading *read, void *arg)
{
    int rc = REDO_ESTORE;

    for (int tries = 0; tries < 2; tries++) {
        pthread_rwlock_rdlock(&r->store->gate);
        unsigned number = r->store->number;
        rc = ready(r);
        if (!rc)
            rc = read(r, arg);
        for (int i = 0; r->db.sqlite && i < SQL_STATEMENTS; i++)
            sqlite3_reset(r->db.statements[i]);
        pthread_rwlock_unlock(&r->store->gate);
        if (rc != DATABASE_DAMAGED)
            return rc;
        rc = store_rebuild(r->store, number);
        if (rc)
            return rc;
    }
    return REDO_ESTORE;
}

/* ---- sessions ----------------------------------------------------------------------------- */

int session_read(struct database *db, uint64_t id, struct session *s)
{
    void const *data;
    size_t size;

    if (id >= ID_LIMIT)
        return REDO_ENOSESSION;
    int rc = database_get(db, database_statement(db, SQL_SESSION_GET), (int64_t)id, &data, &size);
    if (rc)
        return rc;
    if (!data)
        return REDO_ENOSESSION;
    return session_get(s, data, size) && s->info.id == id ? REDO_OK : DATABASE_DAMAGED;
}

/* The information, its name and properties copied to where they last. */
static int take_info(struct store_reader *r, struct session const *s, struct store_info *info)
{
    *info = s->info;
    buffer_rewind(&r->text, 0);
    buffer_reserve(&r->text, info->name_size + info->properties_size + 1);
    buffer_append(&r->text, s->info.name, s->info.name_size);
    buffer_append(&r->text, s->info.properties, s->info.properties_size);
    if (r->text.failed)
        return REDO_ENOMEM;
    info->name = r->text.data;
    info->properties = info->properties_size ? r->text.data + info->name_size : NULL;
    return REDO_OK;
}

struct find {
    char const *name;
    size_t size;
    uint32_t owner;
    uint64_t id;
    struct store_info *info;
};

static int read_id(struct store_reader *r, void *arg)
{
    struct find *f = arg;
    struct session s;
    int rc = session_read(&r->db, f->id, &s);

    return rc ? rc : take_info(r, &s, f->info);
}

static int read_name(struct store_reader *r, void *arg)
{
    struct find *f = arg;
    sqlite3_stmt *s = database_statement(&r->db, SQL_NAME_GET);

    sqlite3_bind_blob64(s, 1, f->size ? f->name : "", f->size, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, f->owner);
    int rc = sqlite3_step(s);
    if (rc == SQLITE_DONE)
        return REDO_ENOSESSION;
    if (rc != SQLITE_ROW)
        return database_error(&r->db, rc);
    f->id = (uint64_t)sqlite3_column_int64(s, 0);
    rc = read_id(r, f);
    return rc == REDO_ENOSESSION ? DATABASE_DAMAGED : rc;
}

int store_find(struct store_reader *r, char const *name, size_t size, uint32_t owner,
               struct store_info *info)
{
    return guarded(r, read_name,
                   &(struct find){.name = name, .size = size, .owner = owner, .info = info});
}

int store_find_id(struct store_reader *r, uint64_t id, struct store_info *info)
{
    return guarded(r, read_id, &(struct find){.id = id, .info = info});
}

struct each {
    uint64_t const *ids;
    size_t count;
    size_t told; /* of them; reading may begin again */
    bool (*each)(void *data, struct store_info const *info);
    void *data;
};

static int read_each(struct store_reader *r, void *arg)
{
    struct each *e = arg;

    while (e->told < e->count) {
        struct session session;
        struct store_info info;
        int rc = session_read(&r->db, e->ids[e->told], &session);
        if (!rc)
            rc = take_info(r, &session, &info);
        sqlite3_reset(database_statement(&r->db, SQL_SESSION_GET));
        if (rc && rc != REDO_ENOSESSION)
            return rc;
        e->told++;
        if (!rc && !e->each(e->data, &info))
            break;
    }
    return REDO_OK;
}

int store_each(struct store_reader *r, uint64_t const *ids, size_t count,
               bool (*each)(void *data, struct store_info const *info), void *data)
{
    return guarded(r, read_each,
                   &(struct each){.ids = ids, .count = count, .each = each, .data = data});
}

struct epoch {
    uint64_t id;
    uint32_t *epoch;
};

static int read_epoch(struct store_reader *r, void *arg)
{
    struct epoch *e = arg;
    struct session s;
    int rc = session_read(&r->db, e->id, &s);

    if (!rc)
        *e->epoch = s.epoch;
    return rc;
}

int store_epoch(struct store_reader *r, uint64_t id, uint32_t *epoch)
{
    return guarded(r, read_epoch, &(struct epoch){id, epoch});
}

static int read_last(struct store_reader *r, void *arg)
{
    uint64_t *id = arg;
    void const *data;
    size_t size;
    int rc = database_get(&r->db, database_statement(&r->db, SQL_LAST_GET), 0, &data, &size);

    if (rc)
        return rc;
    if (data && !record_whole(data, size, RECORD_LAST))
        return DATABASE_DAMAGED;
    *id = data ? record_id(data) : 0;
    return REDO_OK;
}

int store_last_id(struct store_reader *r, uint64_t *id)
{
    return guarded(r, read_last, id);
}

struct listing {
    char const *prefix;
    size_t prefix_size;
    struct buffer after; /* the name told last */
    int64_t after_key;   /* and its owner; in the trash: and its id */
    size_t left;
    bool trash;
    bool (*each)(void *data, struct store_info const *info);
    void *data;
};

static int read_list(struct store_reader *r, void *arg)
{
    struct listing *l = arg;
    sqlite3_stmt *s = database_statement(&r->db, l->trash ? SQL_TRASH_LIST : SQL_NAME_LIST);
    sqlite3_stmt *get = database_statement(&r->db, SQL_SESSION_GET);
    int rc = SQLITE_DONE;

    sqlite3_bind_blob64(s, 1, l->after.size ? l->after.data : "", l->after.size, SQLITE_TRANSIENT);
    sqlite3_bind_blob64(s, 2, l->prefix_size ? l->prefix : "", l->prefix_size, SQLITE_STATIC);
    sqlite3_bind_int64(s, 3, l->after_key);
    while (l->left && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        char const *name = sqlite3_column_blob(s, 0);
        size_t size = (size_t)sqlite3_column_bytes(s, 0);
        struct session session;
        struct store_info info;
        if (size < l->prefix_size ||
            (l->prefix_size && memcmp(name, l->prefix, l->prefix_size) != 0))
            return REDO_OK;
        int code = session_read(&r->db, (uint64_t)sqlite3_column_int64(s, 1), &session);
        if (!code && (session.info.name_size != size ||
                      (size && memcmp(session.info.name, name, size) != 0)))
            code = DATABASE_DAMAGED;
        if (!code)
            code = take_info(r, &session, &info);
        sqlite3_reset(get);
        if (code)
            return code == REDO_ENOSESSION ? DATABASE_DAMAGED : code;
        l->after.size = 0;
        buffer_append(&l->after, info.name, info.name_size);
        l->after_key = l->trash ? (int64_t)info.id : info.owner;
        l->left--;
        if (l->after.failed)
            return REDO_ENOMEM;
        if (!l->each(l->data, &info))
            return REDO_OK;
    }
    return database_error(&r->db, rc);
}

int store_list(struct store_reader *r, char const *prefix, size_t prefix_size, char const *after,
               size_t after_size, int64_t after_key, size_t limit, bool trash,
               bool (*each)(void *data, struct store_info const *info), void *data)
{
    struct listing l = {.prefix = prefix,
                        .prefix_size = prefix_size,
                        .after_key = after_size ? after_key : -1,
                        .left = limit,
                        .trash = trash,
                        .each = each,
                        .data = data};
    buffer_append(&l.after, after, after_size);
    int rc = l.after.failed ? REDO_ENOMEM : guarded(r, read_list, &l);
    buffer_free(&l.after);
    return rc;
}

struct owners {
    char const *name;
    size_t size;
    int64_t after; /* the owner told last */
    bool (*each)(void *data, struct store_info const *info);
    void *data;
};

static int read_owners(struct store_reader *r, void *arg)
{
    struct owners *o = arg;
    sqlite3_stmt *s = database_statement(&r->db, SQL_NAME_OWNERS);
    sqlite3_stmt *get = database_statement(&r->db, SQL_SESSION_GET);
    int rc;

    sqlite3_bind_blob64(s, 1, o->size ? o->name : "", o->size, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, o->after);
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        struct session session;
        struct store_info info;
        int code = session_read(&r->db, (uint64_t)sqlite3_column_int64(s, 0), &session);
        if (!code)
            code = take_info(r, &session, &info);
        sqlite3_reset(get);
        if (code)
            return code == REDO_ENOSESSION ? DATABASE_DAMAGED : code;
        o->after = info.owner;
        if (!o->each(o->data, &info))
            return REDO_OK;
    }
    return database_error(&r->db, rc);
}

int store_named(struct store_reader *r, char const *name, size_t size,
                bool (*each)(void *data, struct store_info const *info), void *data)
{
    return guarded(r, read_owners, &(struct owners){name, size, -1, each, data});
}

/* ---- content ------------------------------------------------------------------------------ */

struct content {
    uint64_t id;
    struct store_replay *replay; /* or NULL */
    struct history **history;
    uint64_t *sequence;
    bool *damaged;
};

static int read_content(struct store_reader *r, void *arg)
{
    struct content *c = arg;

    /* One view of all rows: a compaction may come in between. */
    int rc = database_exec(&r->db, "BEGIN");
    if (!rc)
        rc = load_session(&r->db, c->id, c->replay, c->history, c->sequence, c->damaged);
    for (int i = 0; i < SQL_STATEMENTS; i++)
        sqlite3_reset(r->db.statements[i]);
    if (!sqlite3_get_autocommit(r->db.sqlite))
        database_do(&r->db, SQL_ROLLBACK);
    return rc;
}

int store_load(struct store_reader *r, uint64_t id, struct history **history, uint64_t *sequence,
               bool *damaged)
{
    struct content c = {id, NULL, history, sequence, damaged};

    *history = NULL;
    return guarded(r, read_content, &c);
}

int store_replay(struct store_reader *r, uint64_t id, struct store_replay *replay,
                 struct history **history, uint64_t *sequence)
{
    bool damaged;
    struct content c = {id, replay, history, sequence, &damaged};

    *history = NULL;
    int rc = guarded(r, read_content, &c);
    if (!rc && *sequence < replay->since) {
        history_free(*history);
        *history = NULL;
        rc = REDO_ERANGE;
    }
    return rc;
}

struct range {
    uint64_t id, from, to;
    bool (*each)(void *data, uint64_t sequence, void const *op, size_t size);
    void *data;
};

/* Tells the operations of a row that are in the range; false once each() wants no more. */
static int tell_row(struct range *g, struct journal const *j, void const *data, size_t size,
                    bool *more)
{
    struct journal_reader ops;
    int rc = REDO_OK;

    journal_reader_init(&ops);
    journal_read(&ops, data, size);
    for (uint64_t n = j->first; *more && n < j->first + j->count && n <= g->to; n++) {
        rc = journal_next(&ops);
        if (rc)
            break;
        if (n == g->from) {
            *more = g->each(g->data, n, ops.now.data, ops.now.size);
            g->from++;
        }
    }
    journal_reader_close(&ops);
    return rc;
}

static int read_range(struct store_reader *r, void *arg)
{
    struct range *g = arg;
    sqlite3_stmt *before = database_statement(&r->db, SQL_JOURNAL_BEFORE);
    sqlite3_stmt *s = database_statement(&r->db, SQL_JOURNAL_FROM);
    bool more = true;
    int rc;

    if (g->from > g->to)
        return REDO_OK;
    if (g->id >= ID_LIMIT || g->to >= KEY_LIMIT)
        return REDO_ERANGE;
    sqlite3_bind_int64(before, 1, record_key(g->id, 0));
    sqlite3_bind_int64(before, 2, record_key(g->id, g->from));
    rc = sqlite3_step(before);
    if (rc != SQLITE_ROW)
        return rc == SQLITE_DONE ? REDO_ERANGE : database_error(&r->db, rc);
    sqlite3_bind_int64(s, 1, sqlite3_column_int64(before, 0));
    sqlite3_bind_int64(s, 2, record_key(g->id, g->to));
    while (more && g->from <= g->to && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        void const *data = sqlite3_column_blob(s, 1);
        size_t size = (size_t)sqlite3_column_bytes(s, 1);
        struct journal j;
        if (!journal_get(&j, data, size) || record_id(data) != g->id)
            return REDO_EDAMAGED;
        if (j.first > g->from || j.first + j.count <= g->from)
            return REDO_ERANGE;
        int code = tell_row(g, &j, data, size, &more);
        if (code)
            return code;
    }
    if (more && rc == SQLITE_DONE && g->from <= g->to)
        return REDO_ERANGE;
    return database_error(&r->db, rc);
}

int store_operations(struct store_reader *r, uint64_t id, uint64_t from, uint64_t to,
                     bool (*each)(void *data, uint64_t sequence, void const *op, size_t size),
                     void *data)
{
    return guarded(r, read_range, &(struct range){id, from, to, each, data});
}

struct kept {
    uint64_t id, from;
    bool with_data;
    bool (*each)(void *data, uint64_t key, int64_t when, void const *kept, size_t size);
    void *data;
};

static int read_kept(struct store_reader *r, void *arg)
{
    struct kept *k = arg;
    sqlite3_stmt *s = database_statement(&r->db, SQL_KEPT_LIST);
    int rc;

    if (k->id >= ID_LIMIT || k->from >= KEY_LIMIT)
        return REDO_OK;
    sqlite3_bind_int64(s, 1, record_key(k->id, k->from));
    sqlite3_bind_int64(s, 2, record_key(k->id, KEY_LIMIT - 1));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        char const *data = sqlite3_column_blob(s, 1);
        size_t size = (size_t)sqlite3_column_bytes(s, 1);
        if (!data || !record_whole(data, size, RECORD_KEPT) || size < KEPT_HEAD)
            return DATABASE_DAMAGED;
        uint64_t key = get64(data + 24);
        k->from = key + 1;
        if (!k->each(k->data, key, (int64_t)get64(data + 32),
                     k->with_data ? data + KEPT_HEAD : NULL, size - KEPT_HEAD))
            return REDO_OK;
    }
    return database_error(&r->db, rc);
}

int store_kept(struct store_reader *r, uint64_t id, uint64_t from, bool with_data,
               bool (*each)(void *data, uint64_t key, int64_t when, void const *kept, size_t size),
               void *data)
{
    return guarded(r, read_kept, &(struct kept){id, from, with_data, each, data});
}
