/* Records: what the rows of the store hold, as bytes. Each one says what it is, whose it is, how
 * long it is and what its checksum is, so that it can be told from garbage wherever it is found: in
 * its row, in a row of another table, or in a file that SQLite can not read any more (salvage.h).
 *
 *   0  "rdo" and the kind
 *   4  u32 bytes of the whole record
 *   8  u64 XXH3 of all other bytes
 *  16  u64 session
 *  24  what the kind has
 *
 * Numbers are little-endian. */
#ifndef SERVER_STORE_RECORD_H
#define SERVER_STORE_RECORD_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/buffer.h"
#include "server/store/store.h"

#define RECORD_HEAD 24

enum record_kind {
    RECORD_SESSION = 'S', /* what is kept of a session beside its content */
    RECORD_JOURNAL = 'J', /* operations */
    RECORD_PART = 'P',    /* a part of a snapshot */
    RECORD_KEPT = 'K',    /* bytes kept under a key */
    RECORD_ASIDE = 'A',   /* another record, set aside */
    RECORD_LAST = 'L',    /* the highest id ever given, in place of a session's */
};

/* Rows are ordered by session, then by a number within it. */
#define KEY_BITS 34
#define KEY_LIMIT STORE_OPERATIONS
#define ID_LIMIT STORE_IDS

static inline int64_t record_key(uint64_t id, uint64_t number)
{
    return (int64_t)(id << KEY_BITS | number);
}

static inline uint32_t get32(void const *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return le32toh(v);
}

static inline uint64_t get64(void const *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64toh(v);
}

static inline void set32(void *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, sizeof v);
}

static inline void set64(void *p, uint64_t v)
{
    v = htole64(v);
    memcpy(p, &v, sizeof v);
}

static inline void put32(struct buffer *b, uint32_t v)
{
    v = htole32(v);
    buffer_append(b, &v, sizeof v);
}

static inline void put64(struct buffer *b, uint64_t v)
{
    v = htole64(v);
    buffer_append(b, &v, sizeof v);
}

/* A record is appended to a buffer between these two; start is what b->size was before. */
void record_begin(struct buffer *b, enum record_kind kind, uint64_t id);
void record_end(struct buffer *b, size_t start);

/* Whether these bytes are a whole record of the kind, with the right checksum. */
bool record_whole(void const *data, size_t size, enum record_kind kind);

static inline uint64_t record_id(void const *data)
{
    return get64((char const *)data + 16);
}

/* ---- session ----------------------------------------------------------------------------- */

struct session {
    struct store_info info; /* its bytes are those of snapshot and journal together */
    uint64_t revision;      /* how often the record was written; of two the higher one counts */
    uint64_t base;          /* the operations up to here are in the snapshot */
    uint32_t epoch; /* how often operations were set aside; of two rows with the same numbers
                     * that of the higher one counts */
};

void session_put(struct buffer *b, struct session const *s);

/* Name and properties point into data. False: not whole, or of an unknown form. */
bool session_get(struct session *s, void const *data, size_t size);

/* ---- journal ----------------------------------------------------------------------------- */

#define JOURNAL_HEAD 40

/* The operations first, first + 1, ... of a session. An operation may be told by what differs from
 * the one before in the same row: states of a game mostly do in a few bytes. */
struct journal {
    uint64_t first;
    uint32_t count;
    uint32_t epoch;
};

/* Building a row: begin, any number of puts, end. The operation put before must still be there at
 * the next put. */
struct journal_writer {
    struct buffer *row;
    void const *before;
    size_t before_size;
    struct journal journal;
    uint64_t id;
};

void journal_begin(struct journal_writer *w, struct buffer *row, uint64_t id, uint64_t first,
                   uint32_t epoch);
void journal_put(struct journal_writer *w, void const *op, size_t size);
void journal_end(struct journal_writer *w);

/* Reading one: false if it is not whole. */
bool journal_get(struct journal *j, void const *data, size_t size);

struct journal_reader {
    unsigned char const *at, *end;
    struct buffer now, before;
};

void journal_reader_init(struct journal_reader *r);
void journal_reader_close(struct journal_reader *r);
void journal_read(struct journal_reader *r, void const *data, size_t size);

/* The next operation, in r->now until the next call: REDO_OK, REDO_EDAMAGED, REDO_ENOMEM. */
int journal_next(struct journal_reader *r);

/* ---- parts of a snapshot ------------------------------------------------------------------ */

#define PART_HEAD 56
#define PART_SIZE ((size_t)256 * 1024) /* of a snapshot's bytes in a part */
#define PART_BITS 20
#define PART_GENERATIONS ((uint32_t)1 << (KEY_BITS - PART_BITS))

struct part {
    uint64_t sequence; /* the snapshot has the operations up to here */
    uint64_t total;    /* bytes of the snapshot */
    uint32_t generation;
    uint32_t number, count;
    uint32_t epoch;
};

static inline int64_t part_key(uint64_t id, uint32_t generation, uint32_t number)
{
    return record_key(id, (uint64_t)generation << PART_BITS | number);
}

void part_put(struct buffer *b, uint64_t id, struct part const *part, void const *data,
              size_t size);
bool part_get(struct part *part, void const *data, size_t size);

/* ---- the others --------------------------------------------------------------------------- */

#define KEPT_HEAD 40  /* u64 key, i64 when */
#define ASIDE_HEAD 40 /* u64 key, i64 when */

void kept_put(struct buffer *b, enum record_kind kind, uint64_t id, uint64_t key, int64_t when,
              void const *data, size_t size);

#endif
