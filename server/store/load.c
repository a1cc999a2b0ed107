/* A session's content from its rows: the newest snapshot that is whole, and the operations after
 * it, up to the first that is missing, damaged or does not fit. */
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/redo_error.h"
#include "server/store/internal.h"

/* ---- the snapshot ------------------------------------------------------------------------- */

struct snapshot {
    uint32_t generation;
    uint64_t sequence;
    uint32_t epoch;
};

/* A part's record: REDO_OK and *part; REDO_EDAMAGED; DATABASE_DAMAGED; a code. Reset is the
 * caller's. */
static int read_part(struct database *db, uint64_t id, uint32_t generation, uint32_t number,
                     struct part *part, void const **data, size_t *size)
{
    sqlite3_stmt *s = database_statement(db, SQL_PART_GET);

    sqlite3_reset(s);
    int rc = database_get(db, s, part_key(id, generation, number), data, size);
    if (rc)
        return rc;
    if (!*data || !part_get(part, *data, *size) || record_id(*data) != id ||
        part->generation != generation || part->number != number)
        return REDO_EDAMAGED;
    return REDO_OK;
}

/* All parts of a snapshot as one: *bytes is malloc()ed. */
static int read_snapshot(struct database *db, uint64_t id, struct snapshot const *snapshot,
                         char **bytes, size_t *size)
{
    struct part first, part;
    void const *data;
    size_t part_size;
    char *all = NULL;
    size_t at = 0;
    int rc = read_part(db, id, snapshot->generation, 0, &first, &data, &part_size);

    for (uint32_t n = 0; !rc && n < first.count; n++) {
        rc = read_part(db, id, snapshot->generation, n, &part, &data, &part_size);
        if (rc)
            break;
        part_size -= PART_HEAD;
        if (part.count != first.count || part.sequence != first.sequence ||
            part.total != first.total || part_size > first.total - at) {
            rc = REDO_EDAMAGED;
            break;
        }
        if (!all && !(all = malloc(first.total)))
            rc = REDO_ENOMEM;
        else
            memcpy(all + at, (char const *)data + PART_HEAD, part_size);
        at += part_size;
    }
    sqlite3_reset(database_statement(db, SQL_PART_GET));
    if (!rc && at != first.total)
        rc = REDO_EDAMAGED;
    if (rc) {
        free(all);
        return rc;
    }
    *bytes = all;
    *size = at;
    return REDO_OK;
}

#define SNAPSHOTS 8 /* looked at; there are two at most, but for what crashes left behind */

/* The snapshots whose parts are all there, as their keys tell, newest first; *broken: there are
 * parts that belong to none. */
static int find_snapshots(struct database *db, uint64_t id, struct snapshot *found, unsigned *count)
{
    sqlite3_stmt *s = database_statement(db, SQL_PART_KEYS);
    uint32_t generations[SNAPSHOTS];
    unsigned many = 0;
    int rc;

    *count = 0;
    sqlite3_bind_int64(s, 1, record_key(id, 0));
    sqlite3_bind_int64(s, 2, record_key(id, KEY_LIMIT - 1));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        uint64_t key = (uint64_t)sqlite3_column_int64(s, 0) & (KEY_LIMIT - 1);
        uint32_t generation = (uint32_t)(key >> PART_BITS);
        if (!many || generations[many - 1] != generation) {
            if (many == SNAPSHOTS)
                break;
            generations[many++] = generation;
        }
    }
    sqlite3_reset(s);
    rc = database_error(db, rc);
    for (unsigned i = 0; !rc && i < many; i++) {
        struct part part;
        void const *data;
        size_t size;
        rc = read_part(db, id, generations[i], 0, &part, &data, &size);
        if (rc == REDO_EDAMAGED) {
            rc = REDO_OK;
            continue;
        }
        struct snapshot one = {generations[i], part.sequence, part.epoch};
        unsigned at = (*count)++;
        for (; at && found[at - 1].sequence < one.sequence; at--)
            found[at] = found[at - 1];
        found[at] = one;
    }
    sqlite3_reset(database_statement(db, SQL_PART_GET));
    return rc;
}

static int load_snapshot(struct database *db, uint64_t id, struct history **history,
                         uint64_t *sequence)
{
    struct snapshot found[SNAPSHOTS];
    unsigned count;
    int rc = find_snapshots(db, id, found, &count);

    for (unsigned i = 0; !rc && i < count; i++) {
        char *bytes = NULL;
        size_t size;
        rc = read_snapshot(db, id, &found[i], &bytes, &size);
        if (!rc)
            rc = history_load(bytes, size, history);
        free(bytes);
        if (!rc) {
            *sequence = found[i].sequence;
            return REDO_OK;
        }
        if (rc == REDO_EDAMAGED || rc == REDO_EVERSION)
            rc = REDO_OK; /* an older one will do, if the operations since are there */
    }
    return rc ? rc : REDO_EDAMAGED;
}

/* ---- operations --------------------------------------------------------------------------- */

static void touch(struct history *h, struct touched *touched)
{
    if (touched)
        touched_clear(touched);
    h->touched = touched;
}

/* Applies those of a row that come after *sequence. REDO_EDAMAGED: up to the first that can not be.
 */
static int replay_row(struct history *h, struct journal const *j, struct journal_reader *ops,
                      struct store_replay *told, uint64_t *sequence)
{
    for (uint64_t n = j->first; n < j->first + j->count; n++) {
        redo_operation op;
        redo_result result;
        int rc = journal_next(ops);
        if (rc)
            return rc;
        if (n <= *sequence)
            continue;
        if (!redo_operation_decode(ops->now.data, ops->now.size, &op))
            return REDO_EDAMAGED;
        bool tell = told && n > told->since;
        if (tell)
            touch(h, told->touched);
        h->sequence = n - 1;
        rc = history_apply(h, &op, &result);
        h->touched = NULL;
        if (rc == REDO_ENOMEM)
            return rc;
        if (rc || !result.changed)
            return REDO_EDAMAGED;
        *sequence = n;
        if (tell)
            told->tell(told, h, n, &op, &result, ops->now.data, ops->now.size);
    }
    return REDO_OK;
}

static int replay(struct database *db, uint64_t id, struct history *h, struct store_replay *told,
                  uint64_t *sequence)
{
    uint64_t base = *sequence;
    sqlite3_stmt *s = database_statement(db, SQL_JOURNAL_FROM);
    struct journal_reader ops;
    int step, rc = REDO_OK;

    journal_reader_init(&ops);
    sqlite3_bind_int64(s, 1, record_key(id, 0));
    sqlite3_bind_int64(s, 2, record_key(id, KEY_LIMIT - 1));
    while (!rc && (step = sqlite3_step(s)) == SQLITE_ROW) {
        void const *data = sqlite3_column_blob(s, 1);
        size_t size = (size_t)sqlite3_column_bytes(s, 1);
        struct journal j;
        if (!data || !journal_get(&j, data, size) || record_id(data) != id ||
            sqlite3_column_int64(s, 0) != record_key(id, j.first))
            rc = REDO_EDAMAGED;
        else if (j.first + j.count <= *sequence + 1)
            continue; /* in the snapshot */
        else if (j.first > *sequence + 1 || (j.first <= *sequence && *sequence != base))
            rc = REDO_EDAMAGED; /* a gap; or a row begins within another */
        if (!rc) {
            journal_read(&ops, data, size);
            rc = replay_row(h, &j, &ops, told, sequence);
        }
    }
    if (!rc)
        rc = database_error(db, step);
    sqlite3_reset(s);
    journal_reader_close(&ops);
    return rc;
}

int load_session(struct database *db, uint64_t id, struct store_replay *told,
                 struct history **history, uint64_t *sequence, bool *damaged)
{
    struct session s;
    uint64_t expected;
    int rc = session_read(db, id, &s);

    expected = rc ? 0 : s.info.sequence;
    sqlite3_reset(database_statement(db, SQL_SESSION_GET));
    if (rc)
        return rc;
    *history = NULL;
    rc = load_snapshot(db, id, history, sequence);
    if (!rc && told && *sequence > told->since)
        rc = REDO_ERANGE;
    if (!rc)
        rc = replay(db, id, *history, told, sequence);
    /* The record of the session tells how far its operations went, so that losing the last of them
     * is seen as well. */
    *damaged = rc == REDO_EDAMAGED || (!rc && *sequence != expected);
    if (rc == REDO_EDAMAGED && *history)
        rc = REDO_OK;
    if (rc) {
        history_free(*history);
        *history = NULL;
    }
    return rc;
}
