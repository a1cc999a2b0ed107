#include "server/store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/redo_error.h"
#include "server/store/page_vfs.h"
#include "server/store/record.h"
#include "server/store/store.h"

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

#define NAME_TABLE                                                     \
    "CREATE TABLE name(name BLOB, owner INTEGER, id INTEGER NOT NULL," \
    " PRIMARY KEY(name, owner)) WITHOUT ROWID;"

/* Every table of records has the same shape, which salvage.c knows: a number and a blob. Names are
 * what can be made again from records. */
static char const schema[] =
    "CREATE TABLE session(id INTEGER PRIMARY KEY, record BLOB NOT NULL);"
    "CREATE TABLE journal(key INTEGER PRIMARY KEY, record BLOB NOT NULL);"
    "CREATE TABLE part(key INTEGER PRIMARY KEY, record BLOB NOT NULL);"
    "CREATE TABLE kept(key INTEGER PRIMARY KEY, record BLOB NOT NULL);"
    "CREATE TABLE aside(key INTEGER PRIMARY KEY, record BLOB NOT NULL);"
    "CREATE TABLE last(key INTEGER PRIMARY KEY, record BLOB NOT NULL);" NAME_TABLE
    "CREATE TABLE trash(name BLOB, id INTEGER, PRIMARY KEY(name, id)) WITHOUT ROWID;"
    "PRAGMA application_id = " TEXT(DATABASE_APPLICATION) ";"
                                                          "PRAGMA user_version = " TEXT(
                                                              STORE_VERSION) ";";

/* secure_delete: what was deleted is overwritten where that costs nothing, so that a rebuild does
 * not find it. Checkpoints are made by store_tidy(). */
static char const settings[] = "PRAGMA synchronous = FULL;"
                               "PRAGMA wal_autocheckpoint = 0;"
                               "PRAGMA journal_size_limit = 33554432;"
                               "PRAGMA secure_delete = FAST;"
                               "PRAGMA temp_store = MEMORY;"
                               "PRAGMA cell_size_check = ON;"
                               "PRAGMA trusted_schema = OFF;";

static char const *const texts[SQL_STATEMENTS] = {
    [SQL_BEGIN] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_SESSION_GET] = "SELECT record FROM session WHERE id = ?",
    [SQL_SESSION_PUT] = "REPLACE INTO session VALUES(?, ?)",
    [SQL_SESSION_DELETE] = "DELETE FROM session WHERE id = ?",
    [SQL_SESSION_ALL] = "SELECT id FROM session WHERE id > ? ORDER BY id",
    [SQL_NAME_GET] = "SELECT id FROM name WHERE name = ? AND owner = ?",
    [SQL_NAME_PUT] = "INSERT INTO name(name, id, owner) VALUES(?, ?, ?)",
    [SQL_NAME_DELETE] = "DELETE FROM name WHERE name = ? AND id = ? AND owner = ?",
    [SQL_NAME_LIST] = "SELECT name, id FROM name WHERE (name, owner) > (?1, ?3) AND name >= ?2"
                      " ORDER BY name, owner",
    [SQL_NAME_OWNERS] = "SELECT id FROM name WHERE name = ? AND owner > ? ORDER BY owner",
    [SQL_TRASH_PUT] = "INSERT INTO trash VALUES(?, ?)",
    [SQL_TRASH_DELETE] = "DELETE FROM trash WHERE name = ? AND id = ?",
    [SQL_TRASH_LIST] = "SELECT name, id FROM trash WHERE (name, id) > (?1, ?3) AND name >= ?2"
                       " ORDER BY name, id",
    [SQL_JOURNAL_PUT] = "INSERT INTO journal VALUES(?, ?)",
    [SQL_JOURNAL_FROM] = "SELECT key, record FROM journal WHERE key BETWEEN ? AND ? ORDER BY key",
    [SQL_JOURNAL_BEFORE] = "SELECT key FROM journal WHERE key BETWEEN ? AND ?"
                           " ORDER BY key DESC LIMIT 1",
    [SQL_JOURNAL_DELETE] = "DELETE FROM journal WHERE key = ?",
    [SQL_JOURNAL_TRIM] = "DELETE FROM journal WHERE key IN"
                         " (SELECT key FROM journal WHERE key BETWEEN ? AND ? LIMIT ?)",
    [SQL_JOURNAL_BYTES] = "SELECT sum(length(record)) FROM journal WHERE key BETWEEN ? AND ?",
    [SQL_PART_PUT] = "INSERT INTO part VALUES(?, ?)",
    [SQL_PART_GET] = "SELECT record FROM part WHERE key = ?",
    [SQL_PART_KEYS] = "SELECT key FROM part WHERE key BETWEEN ? AND ? ORDER BY key",
    [SQL_PART_DELETE] = "DELETE FROM part WHERE key = ?",
    [SQL_PART_TRIM] = "DELETE FROM part WHERE key IN"
                      " (SELECT key FROM part WHERE key BETWEEN ? AND ? LIMIT ?)",
    [SQL_KEPT_PUT] = "REPLACE INTO kept VALUES(?, ?)",
    [SQL_KEPT_LIST] = "SELECT key, record FROM kept WHERE key BETWEEN ? AND ? ORDER BY key",
    [SQL_KEPT_RANGE] = "DELETE FROM kept WHERE key BETWEEN ? AND ?",
    [SQL_KEPT_DELETE] = "DELETE FROM kept WHERE key = ?",
    [SQL_ASIDE_PUT] = "INSERT INTO aside VALUES(NULL, ?)",
    [SQL_LAST_GET] = "SELECT record FROM last WHERE key = ?",
    [SQL_LAST_PUT] = "REPLACE INTO last VALUES(0, ?)",
};

int database_error(struct database *db, int rc)
{
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return REDO_OK;
    case SQLITE_NOMEM:
        return REDO_ENOMEM;
    case SQLITE_FULL:
        return REDO_EFULLDISK;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* a table is missing: nothing else is wrong with our SQL */
    case SQLITE_SCHEMA:
    case SQLITE_FORMAT:
        return DATABASE_DAMAGED;
    case SQLITE_CONSTRAINT:
        return REDO_EEXISTS;
    case SQLITE_TOOBIG:
        return REDO_EFULL;
    case SQLITE_IOERR: {
        int error = db->sqlite ? sqlite3_system_errno(db->sqlite) : 0;
        if (rc == SQLITE_IOERR_DATA || rc == SQLITE_IOERR_CORRUPTFS)
            return DATABASE_DAMAGED;
        if (rc == SQLITE_IOERR_NOMEM)
            return REDO_ENOMEM;
        return error == ENOSPC || error == EDQUOT ? REDO_EFULLDISK : REDO_EIO;
    }
    case SQLITE_CANTOPEN: {
        int error = db->sqlite ? sqlite3_system_errno(db->sqlite) : 0;
        if (error == ENOSPC || error == EDQUOT)
            return REDO_EFULLDISK;
        return error == EIO ? REDO_EIO : REDO_ESTORE;
    }
    }
    return REDO_ESTORE;
}

int database_exec(struct database *db, char const *sql)
{
    return database_error(db, sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL));
}

static int connect(struct database *db, char const *path)
{
    *db = (struct database){0};
    if (page_vfs_register() != SQLITE_OK)
        return REDO_ENOMEM;
    int rc =
        sqlite3_open_v2(path, &db->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
                            SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW,
                        PAGE_VFS);
    if (rc != SQLITE_OK)
        return database_error(db, rc);
    sqlite3_busy_timeout(db->sqlite, 10000);
    /* The log is what salvage.c needs if the database is damaged: nothing is to touch it on
     * closing. */
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return REDO_OK;
}

int database_finish(struct database *db)
{
    int rc = database_error(
        db, sqlite3_wal_checkpoint_v2(db->sqlite, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));

    if (!rc)
        sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return rc;
}

int database_create(char const *path)
{
    struct database db = {0};
    int reserved = PAGE_RESERVED;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return errno == ENOSPC || errno == EDQUOT ? REDO_EFULLDISK
               : errno == EIO                     ? REDO_EIO
                                                  : REDO_ESTORE;
    int rc = fchmod(fd, 0600) == 0 ? REDO_OK : REDO_ESTORE; /* whatever the umask made of it */
    close(fd);
    if (!rc)
        rc = connect(&db, path);
    if (!rc)
        rc = database_error(
            &db, sqlite3_file_control(db.sqlite, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved));
    if (!rc) /* auto_vacuum is what lets the file shrink */
        rc = database_exec(
            &db, "PRAGMA page_size = " TEXT(PAGE_SIZE) ";"
                                                       "PRAGMA auto_vacuum = INCREMENTAL;");
    if (!rc)
        rc = database_exec(&db, "PRAGMA journal_mode = WAL;");
    if (!rc)
        rc = database_exec(&db, settings);
    if (!rc)
        rc = database_exec(&db, "BEGIN IMMEDIATE;");
    if (!rc)
        rc = database_exec(&db, schema);
    if (!rc)
        rc = database_exec(&db, "COMMIT;");
    if (!rc)
        rc = database_finish(&db);
    database_close(&db);
    return rc == DATABASE_DAMAGED ? REDO_ESTORE : rc;
}

/* That the file is what it should be; also reads the schema. */
static int verify(struct database *db)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db->sqlite,
                                "SELECT a.application_id, u.user_version"
                                " FROM pragma_application_id a, pragma_user_version u",
                                -1, &s, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(s);
    int code = database_error(db, rc);
    if (!code && (rc != SQLITE_ROW || sqlite3_column_int(s, 0) != DATABASE_APPLICATION ||
                  sqlite3_column_int(s, 1) != STORE_VERSION))
        code = DATABASE_DAMAGED;
    sqlite3_finalize(s);
    for (int i = 0; !code && i < SQL_STATEMENTS; i++)
        if (!database_statement(db, (enum statement)i))
            code = database_error(db, sqlite3_extended_errcode(db->sqlite));
    return code;
}

int database_open_any(struct database *db, char const *path)
{
    int rc = connect(db, path);

    if (!rc)
        rc = database_exec(db, settings);
    if (rc)
        database_close(db);
    return rc;
}

int database_open(struct database *db, char const *path)
{
    int rc = database_open_any(db, path);

    if (!rc)
        rc = verify(db);
    if (rc)
        database_close(db);
    return rc;
}

/* ---- from version 1 ------------------------------------------------------------------------ */

/* Enters one name with the owner that the session's record tells. */
static int enter_name(struct database *db, sqlite3_stmt *put, sqlite3_stmt *from)
{
    void const *record = sqlite3_column_blob(from, 2);
    struct session session;

    if (!record || !session_get(&session, record, (size_t)sqlite3_column_bytes(from, 2)))
        return DATABASE_DAMAGED;
    sqlite3_bind_value(put, 1, sqlite3_column_value(from, 0));
    sqlite3_bind_value(put, 2, sqlite3_column_value(from, 1));
    sqlite3_bind_int64(put, 3, session.info.owner);
    return database_run(db, put);
}

static int enter_names(struct database *db)
{
    sqlite3_stmt *from = NULL, *put = NULL;
    int code = REDO_OK;
    int rc = sqlite3_prepare_v2(db->sqlite,
                                "SELECT n.name, n.id, s.record FROM name_1 n"
                                " LEFT JOIN session s ON s.id = n.id",
                                -1, &from, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db->sqlite, texts[SQL_NAME_PUT], -1, &put, NULL);
    while (rc == SQLITE_OK && !code && (rc = sqlite3_step(from)) == SQLITE_ROW) {
        code = enter_name(db, put, from);
        rc = SQLITE_OK;
    }
    if (!code)
        code = database_error(db, rc);
    sqlite3_finalize(from);
    sqlite3_finalize(put);
    return code;
}

int database_upgrade(struct database *db)
{
    int rc = database_exec(db, "ALTER TABLE name RENAME TO name_1;" NAME_TABLE);

    if (!rc)
        rc = enter_names(db);
    if (!rc)
        rc = database_exec(db, "DROP TABLE name_1; PRAGMA user_version = " TEXT(STORE_VERSION) ";");
    return rc;
}

void database_close(struct database *db)
{
    for (int i = 0; i < SQL_STATEMENTS; i++)
        sqlite3_finalize(db->statements[i]);
    sqlite3_close(db->sqlite);
    *db = (struct database){0};
}

sqlite3_stmt *database_statement(struct database *db, enum statement which)
{
    sqlite3_stmt **s = &db->statements[which];

    if (!*s)
        sqlite3_prepare_v3(db->sqlite, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL);
    return *s;
}

int database_run(struct database *db, sqlite3_stmt *statement)
{
    int rc = sqlite3_step(statement);
    int code = database_error(db, rc);

    sqlite3_reset(statement);
    return code;
}

int database_do(struct database *db, enum statement which)
{
    return database_run(db, database_statement(db, which));
}

int database_get(struct database *db, sqlite3_stmt *statement, int64_t key, void const **data,
                 size_t *size)
{
    sqlite3_bind_int64(statement, 1, key);
    int rc = sqlite3_step(statement);
    *data = NULL;
    *size = 0;
    if (rc == SQLITE_ROW) {
        *data = sqlite3_column_blob(statement, 0);
        *size = (size_t)sqlite3_column_bytes(statement, 0);
        if (!*data) /* a blob that can not be had: no memory, a page of it is damaged, or it is
                       empty */
            return database_error(db, sqlite3_errcode(db->sqlite) == SQLITE_ROW
                                          ? SQLITE_CORRUPT
                                          : sqlite3_extended_errcode(db->sqlite));
    }
    return database_error(db, rc);
}
