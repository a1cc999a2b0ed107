/* Committing a batch: its changes are gone through in order, gathering for each session what it
 * comes to, so that however many operations a session got, one row is added and one record
 * rewritten. */
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "server/store/batch.h"
#include "server/store/internal.h"

#define ROW_FULL ((size_t)1024 * 1024) /* an operation that comes after begins another row */

/* What a batch does to a session. */
struct pending {
    struct session session;
    struct buffer text; /* its name and properties */
    struct buffer row;  /* the operations so far, if `writer` has any */
    struct journal_writer writer;
    bool purged;
};

/* ---- the sessions of a batch -------------------------------------------------------------- */

static size_t slot_of(struct store const *store, uint64_t id)
{
    return (size_t)(id * 0x9e3779b97f4a7c15u >> 20) & (store->pending_slots - 1);
}

static void index_put(struct store *store, size_t place)
{
    size_t slot = slot_of(store, store->pending[place].session.info.id);

    while (store->pending_index[slot])
        slot = (slot + 1) & (store->pending_slots - 1);
    store->pending_index[slot] = (uint32_t)place + 1;
}

/* Room for one more: at most half of the slots are taken. */
static int pending_grow(struct store *store)
{
    if (store->pending_count == store->pending_cap) {
        size_t cap = store->pending_cap ? 2 * store->pending_cap : 16;
        struct pending *p = realloc(store->pending, cap * sizeof *p);
        if (!p)
            return REDO_ENOMEM;
        memset(p + store->pending_cap, 0, (cap - store->pending_cap) * sizeof *p);
        store->pending = p;
        store->pending_cap = cap;
    }
    if (2 * (store->pending_count + 1) > store->pending_slots) {
        size_t slots = store->pending_slots ? 2 * store->pending_slots : 64;
        uint32_t *index = calloc(slots, sizeof *index);
        if (!index)
            return REDO_ENOMEM;
        free(store->pending_index);
        store->pending_index = index;
        store->pending_slots = slots;
        for (size_t i = 0; i < store->pending_count; i++)
            index_put(store, i);
    }
    return REDO_OK;
}

static struct pending *pending_find(struct store const *store, uint64_t id)
{
    if (!store->pending_slots)
        return NULL;
    for (size_t slot = slot_of(store, id); store->pending_index[slot];
         slot = (slot + 1) & (store->pending_slots - 1)) {
        struct pending *p = &store->pending[store->pending_index[slot] - 1];
        if (p->session.info.id == id)
            return p;
    }
    return NULL;
}

/* Its name and properties, copied to where they last. */
static int pending_text(struct pending *p, char const *name, size_t name_size,
                        void const *properties, size_t properties_size)
{
    struct buffer text = {0};
    struct store_info *i = &p->session.info;

    buffer_reserve(&text, name_size + properties_size + 1);
    buffer_append(&text, name, name_size);
    buffer_append(&text, properties, properties_size);
    if (text.failed)
        return REDO_ENOMEM;
    buffer_free(&p->text);
    p->text = text;
    i->name = text.data;
    i->name_size = name_size;
    i->properties = properties_size ? text.data + name_size : NULL;
    i->properties_size = properties_size;
    return REDO_OK;
}

static int pending_enter(struct store *store, struct session const *s, struct pending **entered)
{
    int rc = pending_grow(store);

    if (rc)
        return rc;
    struct pending *p = &store->pending[store->pending_count];
    p->session = *s;
    p->purged = false;
    p->writer = (struct journal_writer){0};
    rc = pending_text(p, s->info.name, s->info.name_size, s->info.properties,
                      s->info.properties_size);
    if (rc)
        return rc;
    index_put(store, store->pending_count++);
    *entered = p;
    return REDO_OK;
}

static int pending_get(struct store *store, uint64_t id, struct pending **found)
{
    struct session s;

    *found = pending_find(store, id);
    if (*found)
        return (*found)->purged ? REDO_ENOSESSION : REDO_OK;
    int rc = session_read(&store->db, id, &s);
    if (!rc)
        rc = pending_enter(store, &s, found);
    sqlite3_reset(database_statement(&store->db, SQL_SESSION_GET));
    return rc;
}

static void pending_clear(struct store *store)
{
    for (size_t i = 0; i < store->pending_count; i++) {
        struct pending *p = &store->pending[i];
        buffer_free(&p->text);
        buffer_rewind(&p->row, 0);
        if (p->row.cap > ROW_FULL)
            buffer_free(&p->row);
    }
    if (store->pending_slots)
        memset(store->pending_index, 0, store->pending_slots * sizeof *store->pending_index);
    store->pending_count = 0;
}

void commit_close(struct store *store)
{
    pending_clear(store);
    for (size_t i = 0; i < store->pending_cap; i++)
        buffer_free(&store->pending[i].row);
    free(store->pending);
    free(store->pending_index);
}

/* ---- rows --------------------------------------------------------------------------------- */

int row_put(struct database *db, enum statement which, int64_t key, struct buffer const *record)
{
    sqlite3_stmt *s = database_statement(db, which);

    if (record->failed)
        return REDO_ENOMEM;
    sqlite3_bind_int64(s, 1, key);
    sqlite3_bind_blob64(s, 2, record->data, record->size, SQLITE_STATIC);
    return database_run(db, s);
}

static int delete_range(struct database *db, enum statement which, int64_t from, int64_t to)
{
    sqlite3_stmt *s = database_statement(db, which);

    sqlite3_bind_int64(s, 1, from);
    sqlite3_bind_int64(s, 2, to);
    if (sqlite3_bind_parameter_count(s) == 3)
        sqlite3_bind_int64(s, 3, -1);
    return database_run(db, s);
}

static int delete_one(struct database *db, enum statement which, int64_t key)
{
    sqlite3_stmt *s = database_statement(db, which);

    sqlite3_bind_int64(s, 1, key);
    return database_run(db, s);
}

static int name_change(struct database *db, enum statement which, struct store_info const *info)
{
    sqlite3_stmt *s = database_statement(db, which);

    sqlite3_bind_blob64(s, 1, info->name_size ? info->name : "", info->name_size, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, (int64_t)info->id);
    if (!info->trashed)
        sqlite3_bind_int64(s, 3, info->owner);
    return database_run(db, s);
}

int name_enter(struct database *db, struct store_info const *info)
{
    return name_change(db, info->trashed ? SQL_TRASH_PUT : SQL_NAME_PUT, info);
}

static int name_leave(struct database *db, struct store_info const *info)
{
    return name_change(db, info->trashed ? SQL_TRASH_DELETE : SQL_NAME_DELETE, info);
}

int session_write(struct store *store, struct session *s)
{
    s->revision++;
    buffer_rewind(&store->scratch, 0);
    session_put(&store->scratch, s);
    return row_put(&store->db, SQL_SESSION_PUT, (int64_t)s->info.id, &store->scratch);
}

/* The operations gathered so far become a row. */
static int flush_row(struct store *store, struct pending *p)
{
    if (!p->writer.journal.count)
        return REDO_OK;
    p->writer.row = &p->row; /* it may have moved with the others */
    journal_end(&p->writer);
    int rc = row_put(&store->db, SQL_JOURNAL_PUT,
                     record_key(p->session.info.id, p->writer.journal.first), &p->row);
    p->session.info.bytes += p->row.size;
    p->session.info.journal_bytes += p->row.size;
    p->writer = (struct journal_writer){0};
    return rc;
}

/* ---- changes ------------------------------------------------------------------------------ */

static int put_snapshot(struct store *store, uint64_t id, struct part *part, char const *data,
                        size_t size)
{
    part->total = size;
    part->count = (uint32_t)((size + PART_SIZE - 1) / PART_SIZE);
    for (part->number = 0; part->number < part->count; part->number++) {
        size_t at = (size_t)part->number * PART_SIZE;
        buffer_rewind(&store->scratch, 0);
        part_put(&store->scratch, id, part, data + at,
                 size - at < PART_SIZE ? size - at : PART_SIZE);
        int rc = row_put(&store->db, SQL_PART_PUT, part_key(id, part->generation, part->number),
                         &store->scratch);
        if (rc)
            return rc;
    }
    return REDO_OK;
}

static int raise_last(struct store *store, uint64_t id)
{
    void const *data;
    size_t size;
    sqlite3_stmt *s = database_statement(&store->db, SQL_LAST_GET);
    int rc = database_get(&store->db, s, 0, &data, &size);
    uint64_t last = 0;

    if (!rc && data) {
        if (record_whole(data, size, RECORD_LAST))
            last = record_id(data);
        else
            rc = DATABASE_DAMAGED;
    }
    sqlite3_reset(s);
    if (rc || id <= last)
        return rc;
    s = database_statement(&store->db, SQL_LAST_PUT);
    buffer_rewind(&store->scratch, 0);
    record_begin(&store->scratch, RECORD_LAST, id);
    record_end(&store->scratch, 0);
    if (store->scratch.failed)
        return REDO_ENOMEM;
    sqlite3_bind_blob64(s, 1, store->scratch.data, store->scratch.size, SQLITE_STATIC);
    return database_run(&store->db, s);
}

static int create(struct store *store, struct change const *c)
{
    struct session s = {.info = c->info, .base = c->info.sequence};
    struct part part = {.sequence = c->info.sequence};
    struct pending *p;

    if (c->info.id >= ID_LIMIT || c->info.sequence >= KEY_LIMIT || c->size > PART_SIZE << PART_BITS)
        return REDO_EFULL;
    if (pending_find(store, c->info.id) || c->size == 0)
        return REDO_ESTORE;
    int rc = raise_last(store, c->info.id);
    if (rc)
        return rc;
    s.info.bytes = c->size;
    s.info.journal_bytes = 0;
    s.info.damaged = false;
    rc = name_enter(&store->db, &s.info);
    if (!rc)
        rc = put_snapshot(store, s.info.id, &part, c->data, c->size);
    return rc ? rc : pending_enter(store, &s, &p);
}

static int operation(struct store *store, struct pending *p, struct change const *c)
{
    struct store_info *i = &p->session.info;

    if (c->info.sequence != i->sequence + 1)
        return REDO_ESTORE; /* a gap, or the same number twice: nothing that could be loaded again
                             */
    if (c->info.sequence >= KEY_LIMIT)
        return REDO_EFULL;
    if (p->writer.journal.count && p->row.size >= ROW_FULL) {
        int rc = flush_row(store, p);
        if (rc)
            return rc;
    }
    p->writer.row = &p->row;
    if (!p->writer.journal.count)
        journal_begin(&p->writer, &p->row, i->id, c->info.sequence, p->session.epoch);
    journal_put(&p->writer, c->data, c->size);
    i->sequence = c->info.sequence;
    i->positions = c->info.positions;
    i->graft = c->info.graft;
    i->changed = c->info.changed;
    i->solved = c->info.solved;
    i->used = c->info.used;
    return REDO_OK;
}

static int rename_session(struct store *store, struct pending *p, char const *name, size_t size,
                          int64_t trashed)
{
    struct store_info *i = &p->session.info;
    int rc = name_leave(&store->db, i);

    if (!rc)
        rc = pending_text(p, name, size, i->properties, i->properties_size);
    i->trashed = trashed;
    i->with_match = false;
    return rc ? rc : name_enter(&store->db, i);
}

/* A name is its owner's: with another owner it is another one. */
static int set_access(struct store *store, struct pending *p, struct store_info const *to)
{
    struct store_info *i = &p->session.info;
    bool given = i->owner != to->owner;
    int rc = given ? name_leave(&store->db, i) : REDO_OK;

    i->owner = to->owner;
    i->group = to->group;
    i->mode = to->mode;
    return rc || !given ? rc : name_enter(&store->db, i);
}

static int purge(struct store *store, struct pending *p)
{
    struct database *db = &store->db;
    uint64_t id = p->session.info.id;
    int64_t from = record_key(id, 0), to = record_key(id, KEY_LIMIT - 1);
    int rc = name_leave(db, &p->session.info);

    if (!rc)
        rc = delete_range(db, SQL_PART_TRIM, from, to);
    if (!rc)
        rc = delete_range(db, SQL_JOURNAL_TRIM, from, to);
    if (!rc)
        rc = delete_range(db, SQL_KEPT_RANGE, from, to);
    if (!rc)
        rc = delete_one(db, SQL_SESSION_DELETE, (int64_t)id);
    p->purged = true;
    return rc;
}

static int keep(struct store *store, struct change const *c)
{
    if (c->key >= KEY_LIMIT)
        return REDO_ERANGE;
    buffer_rewind(&store->scratch, 0);
    kept_put(&store->scratch, RECORD_KEPT, c->info.id, c->key, c->when, c->data, c->size);
    return row_put(&store->db, SQL_KEPT_PUT, record_key(c->info.id, c->key), &store->scratch);
}

/* ---- games -------------------------------------------------------------------------------- */

static int change_game(struct store *store, struct pending *p, struct change const *c)
{
    struct store_info *i = &p->session.info;
    int rc = REDO_OK;

    switch (c->kind) {
    case CHANGE_GAMES:
        i->match = (uint64_t)c->when;
        i->with_match = i->with_match && i->match;
        break;
    case CHANGE_TRASH_GAMES:
        if (!i->trashed) {
            rc = rename_session(store, p, i->name, i->name_size, c->when ? c->when : 1);
            i->with_match = true;
        }
        break;
    case CHANGE_RESTORE_GAMES:
        if (i->trashed && i->with_match)
            rc = rename_session(store, p, i->name, i->name_size, 0);
        break;
    default: /* one that is not in the trash with its match, but there, or by itself, is let go */
        if (i->trashed && i->with_match)
            rc = purge(store, p);
        i->match = 0;
        break;
    }
    return rc;
}

/* A session that nothing else of the batch is about yet: done with at once, lest a match of very
 * many games takes as much memory. */
static int change_unmet(struct store *store, uint64_t id, struct change const *c)
{
    struct pending p = {.purged = false};
    int rc = session_read(&store->db, id, &p.session);

    if (!rc)
        rc = pending_text(&p, p.session.info.name, p.session.info.name_size,
                          p.session.info.properties, p.session.info.properties_size);
    sqlite3_reset(database_statement(&store->db, SQL_SESSION_GET));
    if (rc)
        return rc == REDO_ENOSESSION ? REDO_OK : rc;
    rc = change_game(store, &p, c);
    if (!rc && !p.purged)
        rc = session_write(store, &p.session);
    buffer_free(&p.text);
    return rc;
}

static int change_games(struct store *store, struct change const *c)
{
    int rc = REDO_OK;

    if (c->kind == CHANGE_GAMES) {
        struct pending *match;
        rc = pending_get(store, c->info.id, &match);
        if (!rc)
            match->session.info.games = (uint32_t)c->key;
    }
    for (size_t at = 0; !rc && at < c->size; at += sizeof(uint64_t)) {
        uint64_t id;
        memcpy(&id, (char const *)c->data + at, sizeof id);
        struct pending *p = pending_find(store, id);
        if (!p)
            rc = change_unmet(store, id, c);
        else if (!p->purged)
            rc = change_game(store, p, c);
    }
    return rc;
}

static int apply(struct store *store, struct change const *c)
{
    struct pending *p;

    if (c->kind == CHANGE_CREATE)
        return create(store, c);
    if (c->kind >= CHANGE_GAMES)
        return change_games(store, c);
    int rc = pending_get(store, c->info.id, &p);
    if (rc)
        return rc;
    struct store_info *i = &p->session.info;
    switch (c->kind) {
    case CHANGE_CREATE:
    case CHANGE_GAMES:
    case CHANGE_TRASH_GAMES:
    case CHANGE_RESTORE_GAMES:
    case CHANGE_PURGE_GAMES:
        break;
    case CHANGE_OPERATION:
        return operation(store, p, c);
    case CHANGE_RENAME:
        return rename_session(store, p, c->info.name, c->info.name_size, i->trashed);
    case CHANGE_RESTORE:
        return rename_session(store, p, c->info.name, c->info.name_size, 0);
    case CHANGE_TRASH:
        return rename_session(store, p, i->name, i->name_size, c->when ? c->when : 1);
    case CHANGE_ACCESS:
        return set_access(store, p, &c->info);
    case CHANGE_PURGE:
        return purge(store, p);
    case CHANGE_KEEP:
        return keep(store, c);
    case CHANGE_FORGET:
        return c->key >= KEY_LIMIT
                   ? REDO_ERANGE
                   : delete_one(&store->db, SQL_KEPT_DELETE, record_key(c->info.id, c->key));
    }
    return REDO_ESTORE;
}

static int apply_all(struct store *store, struct batch const *batch)
{
    struct change change;
    int rc = REDO_OK;

    for (size_t at = 0; !rc && batch_next(batch, &at, &change);)
        rc = apply(store, &change);
    for (size_t i = 0; !rc && i < store->pending_count; i++) {
        struct pending *p = &store->pending[i];
        if (p->purged)
            continue;
        rc = flush_row(store, p);
        if (!rc)
            rc = session_write(store, &p->session);
    }
    pending_clear(store);
    return rc;
}

int store_commit(struct store *store, struct batch const *batch)
{
    int rc = REDO_ESTORE;

    if (batch->changes.failed)
        return REDO_ENOMEM;
    if (!batch->count)
        return REDO_OK;
    for (int tries = 0; tries < 2; tries++) {
        rc = store_write_begin(store);
        if (rc)
            return rc;
        unsigned number = store->number;
        rc = store_transaction(store);
        if (!rc)
            rc = store_transaction_end(store, apply_all(store, batch));
        store_write_end(store);
        if (rc != DATABASE_DAMAGED)
            return rc;
        rc = store_rebuild(store, number);
        if (rc)
            return rc;
    }
    return REDO_ESTORE;
}
