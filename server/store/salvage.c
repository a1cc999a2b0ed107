#include "server/store/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/history.h"
#include "core/redo_error.h"
#include "server/store/internal.h"
#include "server/store/page_vfs.h"

#define USABLE (PAGE_SIZE - PAGE_RESERVED)
#define MARK_BYTES 8 /* of a record: what it is and how long */

static uint32_t big32(unsigned char const *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static unsigned big16(unsigned char const *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* ---- finding records ---------------------------------------------------------------------- */

/* Where an intact record is. */
struct found {
    uint64_t id;
    uint64_t number; /* within its kind: sequence number, part, key ... */
    uint64_t order;  /* of two with the same number that with the higher order counts */
    unsigned char kind;
    uint32_t page;
    uint16_t version, offset;
};

struct search {
    struct pages const *pages;
    struct buffer found; /* of struct found */
    struct buffer record;
    unsigned char *free; /* a bit a page: SQLite has no use for it */
};

/* How many bytes of a record lie in the page where it begins, if it is the second column of a row
 * whose first is the row's number. */
static size_t local_bytes(uint64_t size)
{
    size_t head = 3;

    for (uint64_t type = 2 * size + 12; type >= 128; type >>= 7)
        head++;
    uint64_t payload = head + size;
    size_t most = USABLE - 35, least = (USABLE - 12) * 32 / 255 - 23;
    if (payload <= most)
        return size;
    size_t local = least + (size_t)((payload - least) % (USABLE - 4));
    return (local <= most ? local : least) - head;
}

/* Reads what should be a record at an offset of a page into s->record. */
static bool read_record(struct search *s, unsigned char const *page, size_t offset)
{
    struct buffer *r = &s->record;
    unsigned char next[PAGE_SIZE];
    uint32_t size = get32(page + offset + 4);
    bool whole;

    r->size = 0;
    if (size < RECORD_HEAD || size / (USABLE - 4) > s->pages->count)
        return false;
    size_t local = local_bytes(size);
    if (offset + local > USABLE || (local < size && offset + local + 4 > USABLE))
        return false;
    buffer_append(r, page + offset, local);
    uint32_t number = local < size ? big32(page + offset + local) : 0;
    while (r->size < size && !r->failed) {
        if (!pages_read(s->pages, number, 0, next, &whole))
            return false;
        size_t rest = size - r->size;
        buffer_append(r, next + 4, rest < USABLE - 4 ? rest : USABLE - 4);
        number = big32(next);
    }
    return !r->failed;
}

/* What an intact record is; false if it is none, or of a kind that is made anew. */
static bool understand(struct buffer const *r, struct found *f)
{
    void const *data = r->data;
    struct session session;
    struct journal journal;
    struct part part;

    f->kind = (unsigned char)r->data[3];
    f->id = record_id(data);
    f->number = f->order = 0;
    if (f->id >= ID_LIMIT)
        return false;
    switch (f->kind) {
    case RECORD_SESSION:
        if (!session_get(&session, data, r->size))
            return false;
        f->order = session.revision;
        return true;
    case RECORD_JOURNAL:
        if (!journal_get(&journal, data, r->size))
            return false;
        f->number = journal.first;
        f->order = journal.epoch;
        return true;
    case RECORD_PART:
        if (!part_get(&part, data, r->size))
            return false;
        f->number = (uint64_t)part.generation << PART_BITS | part.number;
        f->order = part.sequence;
        return true;
    case RECORD_KEPT:
        if (!record_whole(data, r->size, RECORD_KEPT) || r->size < KEPT_HEAD)
            return false;
        f->number = get64(r->data + 24);
        f->order = get64(r->data + 32);
        return f->number < KEY_LIMIT;
    case RECORD_ASIDE:
        if (!record_whole(data, r->size, RECORD_ASIDE) || r->size < ASIDE_HEAD)
            return false;
        f->number = get64(r->data + 24);
        f->order = get64(r->data + 32);
        return true;
    case RECORD_LAST:
        return record_whole(data, r->size, RECORD_LAST);
    }
    return false;
}

/* Takes note of the record at this place, if there is one. */
static void note(struct search *s, unsigned char const *page, uint32_t number, unsigned version,
                 size_t offset)
{
    struct found f = {.page = number, .version = (uint16_t)version, .offset = (uint16_t)offset};

    if (offset + MARK_BYTES > USABLE || memcmp(page + offset, "rdo", 3) != 0)
        return;
    if (read_record(s, page, offset) && understand(&s->record, &f))
        buffer_append(&s->found, &f, sizeof f);
    if (s->record.failed)
        s->found.failed = true;
}

static size_t skip_varint(unsigned char const *page, size_t at)
{
    for (int i = 0; i < 8 && at < USABLE && page[at] & 0x80; i++)
        at++;
    return at + 1;
}

/* A leaf of a table that is whole: its rows are where it says. */
static void search_leaf(struct search *s, unsigned char const *page, uint32_t number,
                        unsigned version)
{
    unsigned rows = big16(page + 3);

    if (number == 1 || page[0] != 0x0d)
        return;
    for (unsigned i = 0; i < rows && 8 + 2 * i + 2 <= USABLE; i++) {
        size_t at = big16(page + 8 + 2 * i);
        if (at + MARK_BYTES > USABLE)
            continue;
        at = skip_varint(page, at); /* bytes of the row */
        at = skip_varint(page, at); /* its number */
        if (at < USABLE && page[at] < 16)
            note(s, page, number, version, at + page[at]);
    }
}

static void search_all(struct search *s, unsigned char const *page, uint32_t number,
                       unsigned version)
{
    for (size_t at = 0; at + MARK_BYTES <= USABLE; at++)
        if (page[at] == 'r')
            note(s, page, number, version, at);
}

static bool is_free(struct search const *s, uint32_t number)
{
    return s->free[number / 8] >> number % 8 & 1;
}

static void mark_free(struct search *s, uint32_t number)
{
    if (number >= 1 && number <= s->pages->count)
        s->free[number / 8] |= (unsigned char)(1 << number % 8);
}

/* Pages that are not in use may still look like leaves of a table. As far as their list can be
 * read. */
static void find_free(struct search *s)
{
    unsigned char page[PAGE_SIZE];

    if (!pages_newest(s->pages, 1, page))
        return;
    uint32_t trunk = big32(page + 32);
    for (uint32_t i = 0; i < s->pages->count && trunk; i++) {
        if (!pages_newest(s->pages, trunk, page))
            return;
        mark_free(s, trunk);
        uint32_t leaves = big32(page + 4);
        for (uint32_t k = 0; k < leaves && 8 + 4 * k + 4 <= USABLE; k++)
            mark_free(s, big32(page + 8 + 4 * k));
        trunk = big32(page);
    }
}

/* Orders what is to be taken first before the others with the same id, kind and number. */
static int by_record(void const *a, void const *b)
{
    struct found const *f = a, *g = b;

    if (f->id != g->id)
        return f->id < g->id ? -1 : 1;
    if (f->kind != g->kind)
        return f->kind < g->kind ? -1 : 1;
    if (f->number != g->number)
        return f->number < g->number ? -1 : 1;
    if (f->order != g->order)
        return f->order > g->order ? -1 : 1;
    return f->version < g->version ? -1 : f->version > g->version;
}

static int search_pages(struct search *s)
{
    unsigned char page[PAGE_SIZE];

    s->free = calloc(s->pages->count / 8 + 1, 1);
    if (!s->free)
        return REDO_ENOMEM;
    find_free(s);
    for (uint32_t n = 1; n <= s->pages->count; n++) {
        bool whole = is_free(s, n);
        /* Where the newest version is damaged, those before it may have what is lost in it. */
        for (unsigned v = 0; !whole && v < UINT16_MAX && pages_read(s->pages, n, v, page, &whole);
             v++) {
            if (whole)
                search_leaf(s, page, n, v);
            else
                search_all(s, page, n, v);
        }
    }
    if (s->found.failed)
        return REDO_ENOMEM;
    if (s->found.size)
        qsort(s->found.data, s->found.size / sizeof(struct found), sizeof(struct found), by_record);
    return REDO_OK;
}

/* ---- taking them over --------------------------------------------------------------------- */

struct builder {
    struct search search;
    struct store into; /* of which the database and the scratch space are used */
    struct salvage *told;
    uint64_t last_id;
};

static struct found const *record_at(struct builder *b, size_t i)
{
    return (struct found const *)b->search.found.data + i;
}

static size_t record_count(struct builder *b)
{
    return b->search.found.size / sizeof(struct found);
}

/* The record itself, in b->search.record. */
static int fetch(struct builder *b, struct found const *f)
{
    unsigned char page[PAGE_SIZE];
    bool whole;

    if (!pages_read(b->search.pages, f->page, f->version, page, &whole) ||
        !read_record(&b->search, page, f->offset))
        return b->search.record.failed ? REDO_ENOMEM : REDO_EIO;
    return REDO_OK;
}

static int take(struct builder *b, struct found const *f, enum statement which, int64_t key)
{
    int rc = fetch(b, f);

    return rc ? rc : row_put(&b->into.db, which, key, &b->search.record);
}

static int take_aside(struct builder *b, struct found const *f)
{
    sqlite3_stmt *s = database_statement(&b->into.db, SQL_ASIDE_PUT);
    int rc = fetch(b, f);

    if (rc)
        return rc;
    sqlite3_bind_blob64(s, 1, b->search.record.data, b->search.record.size, SQLITE_STATIC);
    return database_run(&b->into.db, s);
}

/* Of the session whose records begin at i: everything but the record of the session itself.
 * *has: there is any content. */
static int take_content(struct builder *b, size_t i, size_t end, bool *has)
{
    uint64_t epoch = 0;
    int rc = REDO_OK;

    for (struct found const *before = NULL; !rc && i < end; i++) {
        struct found const *f = record_at(b, i);
        bool again = before && before->kind == f->kind && before->number == f->number;
        before = f;
        if (again && f->kind != RECORD_ASIDE)
            continue;
        switch (f->kind) {
        case RECORD_JOURNAL:
            if (f->order < epoch) /* set aside when the one before it was written */
                break;
            epoch = f->order;
            *has = true;
            rc = take(b, f, SQL_JOURNAL_PUT, record_key(f->id, f->number));
            break;
        case RECORD_PART:
            *has = true;
            rc = take(b, f, SQL_PART_PUT, record_key(f->id, f->number));
            break;
        case RECORD_KEPT:
            rc = take(b, f, SQL_KEPT_PUT, record_key(f->id, f->number));
            break;
        case RECORD_ASIDE:
            rc = take_aside(b, f);
            break;
        case RECORD_LAST:
            if (f->id > b->last_id)
                b->last_id = f->id;
            break;
        }
    }
    return rc;
}

/* Enters the session under its name, or one like it if that is taken. */
static int enter(struct builder *b, struct session *s, char *name, size_t size)
{
    char base[300];
    int rc = name_enter(&b->into.db, &s->info);

    snprintf(base, sizeof base, "%.*s", (int)(s->info.name_size < 255 ? s->info.name_size : 255),
             s->info.name);
    for (int n = 2; rc == REDO_EEXISTS && n < 1000; n++) {
        s->info.name_size = (size_t)snprintf(name, size, "%s~%d", base, n);
        s->info.name = name;
        rc = name_enter(&b->into.db, &s->info);
    }
    return rc;
}

/* Loads what was taken over of the session, and makes its record tell what it comes to. */
static int settle(struct builder *b, struct session *s, bool damaged)
{
    struct database *db = &b->into.db;
    struct history *h = NULL;
    uint64_t sequence = 0;
    bool broken = true;
    int rc = session_write(&b->into, s);

    if (!rc)
        rc = load_session(db, s->info.id, NULL, &h, &sequence, &broken);
    if (rc == REDO_EDAMAGED)
        rc = REDO_OK;
    if (rc)
        return rc;
    if (h && broken && sequence > s->info.sequence) {
        /* The newest record of the session is lost, the operations are not. */
        s->info.sequence = sequence;
        s->info.positions = h->count;
        s->info.graft = h->graft;
        s->info.changed = h->changed;
        s->info.size = h->size;
        s->info.cmpsize = h->cmpsize;
        s->info.by_change = h->changes != NULL;
        s->info.solved = node_at(h, 0)->p.solutionsize > 0 || node_at(h, 0)->p.solutionend != 0;
    }
    s->info.damaged = s->info.damaged || broken || damaged;
    if (h && s->base > sequence)
        s->base = sequence;
    history_free(h);
    b->told->sessions++;
    b->told->damaged += broken || damaged;
    return session_write(&b->into, s);
}

static int take_session(struct builder *b, size_t i, size_t end)
{
    uint64_t id = record_at(b, i)->id;
    struct buffer text = {0};
    struct session s = {0};
    char name[400];
    bool has = false, known = false;
    int rc = take_content(b, i, end, &has);

    for (; !rc && i < end && !known; i++) {
        if (record_at(b, i)->kind != RECORD_SESSION)
            continue;
        rc = fetch(b, record_at(b, i)); /* the first is the newest */
        if (!rc && session_get(&s, b->search.record.data, b->search.record.size))
            known = true;
    }
    if (rc || (!known && !has))
        return rc;
    if (known) { /* the text is in a buffer that is about to be used again */
        buffer_append(&text, b->search.record.data, b->search.record.size);
        if (text.failed || !session_get(&s, text.data, text.size))
            rc = REDO_ENOMEM;
    } else {
        s.info.id = id;
        s.info.name = name;
        s.info.name_size =
            (size_t)snprintf(name, sizeof name, "recovered-%llu", (unsigned long long)id);
        s.info.mode = 0600;
        s.info.owner = (uint32_t)getuid();
    }
    if (id > b->last_id)
        b->last_id = id;
    if (!rc)
        rc = enter(b, &s, name, sizeof name);
    if (!rc)
        rc = settle(b, &s, !known);
    buffer_free(&text);
    return rc;
}

static int take_all(struct builder *b)
{
    size_t count = record_count(b), end;
    int rc = REDO_OK;

    for (size_t i = 0; !rc && i < count; i = end) {
        for (end = i + 1; end < count && record_at(b, end)->id == record_at(b, i)->id;)
            end++;
        rc = take_session(b, i, end);
    }
    if (rc || !b->last_id)
        return rc;
    buffer_rewind(&b->into.scratch, 0);
    record_begin(&b->into.scratch, RECORD_LAST, b->last_id);
    record_end(&b->into.scratch, 0);
    sqlite3_stmt *s = database_statement(&b->into.db, SQL_LAST_PUT);
    sqlite3_bind_blob64(s, 1, b->into.scratch.data, b->into.scratch.size, SQLITE_STATIC);
    return b->into.scratch.failed ? REDO_ENOMEM : database_run(&b->into.db, s);
}

/* Without a log: until it is whole nobody looks at it. */
static int build(struct builder *b, char const *to)
{
    struct database *db = &b->into.db;
    int rc = database_create(to);

    if (!rc)
        rc = database_open(db, to);
    if (!rc)
        rc = database_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
    if (!rc)
        rc = database_do(db, SQL_BEGIN);
    if (!rc)
        rc = take_all(b);
    if (!rc)
        rc = database_do(db, SQL_COMMIT);
    if (!rc)
        rc = database_exec(db, "PRAGMA journal_mode = WAL;");
    if (!rc)
        rc = database_finish(db);
    database_close(db);
    if (!rc) {
        int fd = open(to, O_RDWR | O_CLOEXEC);
        if (fd < 0 || fsync(fd) < 0)
            rc = errno == ENOSPC || errno == EDQUOT ? REDO_EFULLDISK : REDO_EIO;
        if (fd >= 0)
            close(fd);
    }
    return rc == DATABASE_DAMAGED ? REDO_ESTORE : rc;
}

int salvage(struct pages const *from, char const *to, struct salvage *told)
{
    struct builder *b = calloc(1, sizeof *b);

    if (!b)
        return REDO_ENOMEM;
    *told = (struct salvage){0};
    b->search.pages = from;
    b->told = told;
    int rc = search_pages(&b->search);
    if (!rc)
        rc = build(b, to);
    buffer_free(&b->search.found);
    buffer_free(&b->search.record);
    free(b->search.free);
    buffer_free(&b->into.scratch);
    free(b);
    return rc;
}
