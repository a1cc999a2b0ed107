#include "server/store/record.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/varint.h"

static uint64_t checksum(unsigned char const *data, size_t size)
{
    XXH3_state_t state;

    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, data, 8);
    XXH3_64bits_update(&state, data + 16, size - 16);
    return XXH3_64bits_digest(&state);
}

void record_begin(struct buffer *b, enum record_kind kind, uint64_t id)
{
    char const mark[4] = {'r', 'd', 'o', (char)kind};

    buffer_append(b, mark, sizeof mark);
    put32(b, 0);
    put64(b, 0);
    put64(b, id);
}

void record_end(struct buffer *b, size_t start)
{
    if (b->failed)
        return;
    if (b->size - start > UINT32_MAX) {
        b->failed = true;
        return;
    }
    unsigned char *data = (unsigned char *)b->data + start;
    set32(data + 4, (uint32_t)(b->size - start));
    set64(data + 8, checksum(data, b->size - start));
}

bool record_whole(void const *data, size_t size, enum record_kind kind)
{
    unsigned char const *bytes = data;

    return size >= RECORD_HEAD && memcmp(bytes, "rdo", 3) == 0 && bytes[3] == (unsigned char)kind &&
           get32(bytes + 4) == size && get64(bytes + 8) == checksum(bytes, size);
}

/* ---- session ----------------------------------------------------------------------------- */

enum { CHANGED = 1, SOLVED = 2, DAMAGED = 4, BY_CHANGE = 8 };
#define SESSION_HEAD 128

/* That a session is a match, or a game of one, stands where its properties would, as a map of
 * msgpack of just these forms: {"games": how many}, {"match": id}, {"match": id, "with": true}. A
 * daemon that knows nothing of matches keeps it as it is. */
#define MATCH_SIZE 12
#define WITH_SIZE 18

static size_t put_match(char *out, struct store_info const *i)
{
    uint32_t number = htobe32(i->is_match ? i->games : (uint32_t)i->match);
    bool with = !i->is_match && i->with_match;

    if (!i->is_match && !i->match)
        return 0;
    out[0] = (char)(with ? 0x82 : 0x81);
    memcpy(out + 1, i->is_match ? "\xa5games\xce" : "\xa5match\xce", 7);
    memcpy(out + 8, &number, sizeof number);
    if (with)
        memcpy(out + MATCH_SIZE, "\xa4with\xc3", 6);
    return with ? WITH_SIZE : MATCH_SIZE;
}

static bool get_match(struct store_info *i, char const *in, size_t size)
{
    uint32_t number;

    if (size != MATCH_SIZE && size != WITH_SIZE)
        return false;
    memcpy(&number, in + 8, sizeof number);
    struct store_info told = {.is_match = memcmp(in + 1, "\xa5games\xce", 7) == 0,
                              .with_match = size == WITH_SIZE};
    if (told.is_match)
        told.games = be32toh(number);
    else
        told.match = be32toh(number);
    char again[WITH_SIZE];
    if (put_match(again, &told) != size || memcmp(in, again, size) != 0)
        return false;
    i->is_match = told.is_match;
    i->games = told.games;
    i->match = told.match;
    i->with_match = told.with_match;
    return true;
}

void session_put(struct buffer *b, struct session const *s)
{
    struct store_info const *i = &s->info;
    size_t start = b->size;
    char match[WITH_SIZE];
    size_t match_size = put_match(match, i);
    void const *properties = match_size ? match : i->properties;
    size_t properties_size = match_size ? match_size : i->properties_size;

    record_begin(b, RECORD_SESSION, i->id);
    put64(b, s->revision);
    put64(b, i->sequence);
    put64(b, s->base);
    put64(b, i->bytes);
    put64(b, i->journal_bytes);
    put64(b, (uint64_t)i->created);
    put64(b, (uint64_t)i->used);
    put64(b, (uint64_t)i->trashed);
    put32(b, i->size);
    put32(b, i->cmpsize);
    put32(b, i->positions);
    put32(b, i->owner);
    put32(b, i->mode);
    put32(b, s->epoch);
    unsigned char const flags[4] = {
        i->graft,
        (unsigned char)((i->changed ? CHANGED : 0) | (i->solved ? SOLVED : 0) |
                        (i->damaged ? DAMAGED : 0) | (i->by_change ? BY_CHANGE : 0)),
    };
    buffer_append(b, flags, sizeof flags);
    put32(b, (uint32_t)i->name_size);
    put32(b, (uint32_t)properties_size);
    put32(b, i->group);
    buffer_append(b, i->name, i->name_size);
    buffer_append(b, properties, properties_size);
    record_end(b, start);
}

bool session_get(struct session *s, void const *data, size_t size)
{
    char const *p = data;

    if (!record_whole(data, size, RECORD_SESSION) || size < SESSION_HEAD)
        return false;
    struct store_info info = {
        .id = record_id(data),
        .sequence = get64(p + 32),
        .bytes = get64(p + 48),
        .journal_bytes = get64(p + 56),
        .created = (int64_t)get64(p + 64),
        .used = (int64_t)get64(p + 72),
        .trashed = (int64_t)get64(p + 80),
        .size = get32(p + 88),
        .cmpsize = get32(p + 92),
        .positions = get32(p + 96),
        .owner = get32(p + 100),
        .mode = get32(p + 104),
        .graft = (unsigned char)p[112],
        .changed = p[113] & CHANGED,
        .solved = p[113] & SOLVED,
        .damaged = p[113] & DAMAGED,
        .by_change = p[113] & BY_CHANGE,
        .name = p + SESSION_HEAD,
        .name_size = get32(p + 116),
        .properties_size = get32(p + 120),
        .group = get32(p + 124),
    };
    if (info.name_size > size - SESSION_HEAD ||
        info.properties_size != size - SESSION_HEAD - info.name_size || info.id >= ID_LIMIT ||
        info.sequence >= KEY_LIMIT)
        return false;
    if (get_match(&info, info.name + info.name_size, info.properties_size))
        info.properties_size = 0;
    info.properties = info.properties_size ? info.name + info.name_size : NULL;
    *s = (struct session){
        .info = info,
        .revision = get64(p + 24),
        .base = get64(p + 40),
        .epoch = get32(p + 108),
    };
    return true;
}

/* ---- journal ----------------------------------------------------------------------------- */

#define SAME_MIN 3 /* equal bytes that are worth ending a run of different ones */

void journal_begin(struct journal_writer *w, struct buffer *row, uint64_t id, uint64_t first,
                   uint32_t epoch)
{
    *w = (struct journal_writer){.row = row, .journal = {first, 0, epoch}, .id = id};
    row->size = 0;
    record_begin(row, RECORD_JOURNAL, id);
    put64(row, first);
    put32(row, 0);
    put32(row, epoch);
}

static size_t same_bytes(unsigned char const *a, unsigned char const *b, size_t from, size_t size)
{
    size_t at = from;

    while (at + 8 <= size && memcmp(a + at, b + at, 8) == 0)
        at += 8;
    while (at < size && a[at] == b[at])
        at++;
    return at - from;
}

/* Where the run of different bytes that begins at `from` ends. */
static size_t different_end(unsigned char const *a, unsigned char const *b, size_t from,
                            size_t size)
{
    size_t at = from, same = 0;

    while (at < size && same < SAME_MIN)
        same = a[at] == b[at] ? same + 1 : 0, at++;
    return same == SAME_MIN || at == size ? at - same : at;
}

/* The operation as runs of bytes that are the same and bytes that are not; false if that takes as
 * much as the operation itself. */
static bool put_difference(struct buffer *row, unsigned char const *before, unsigned char const *op,
                           size_t size)
{
    size_t start = row->size;

    if (!buffer_reserve(row, size + 3 * VARINT_MAX))
        return true; /* failed; no use in trying the other way */
    unsigned char *out = (unsigned char *)row->data + start, *begin = out;
    out += varint_put(out, (uint32_t)size << 1 | 1);
    unsigned char *limit = out + size;
    for (size_t at = 0; at < size;) {
        size_t same = same_bytes(before, op, at, size);
        size_t end = different_end(before, op, at + same, size);
        size_t count = end - at - same;
        if (out + count + 2 * VARINT_MAX > limit)
            return false;
        out += varint_put(out, (uint32_t)same);
        out += varint_put(out, (uint32_t)count);
        memcpy(out, op + at + same, count);
        out += count;
        at = end;
    }
    row->size += (size_t)(out - begin);
    return true;
}

void journal_put(struct journal_writer *w, void const *op, size_t size)
{
    unsigned char head[VARINT_MAX];

    w->journal.count++;
    if (w->before_size != size || !put_difference(w->row, w->before, op, size)) {
        buffer_append(w->row, head, varint_put(head, (uint32_t)size << 1));
        buffer_append(w->row, op, size);
    }
    w->before = op;
    w->before_size = size;
}

void journal_end(struct journal_writer *w)
{
    if (!w->row->failed)
        set32(w->row->data + 32, w->journal.count);
    record_end(w->row, 0);
}

bool journal_get(struct journal *j, void const *data, size_t size)
{
    char const *p = data;

    if (!record_whole(data, size, RECORD_JOURNAL) || size < JOURNAL_HEAD)
        return false;
    *j = (struct journal){get64(p + 24), get32(p + 32), get32(p + 36)};
    return j->first > 0 && j->first < KEY_LIMIT && j->count > 0;
}

void journal_reader_init(struct journal_reader *r)
{
    *r = (struct journal_reader){0};
}

void journal_reader_close(struct journal_reader *r)
{
    buffer_free(&r->now);
    buffer_free(&r->before);
}

void journal_read(struct journal_reader *r, void const *data, size_t size)
{
    r->at = (unsigned char const *)data + JOURNAL_HEAD;
    r->end = (unsigned char const *)data + size;
    r->now.size = r->before.size = 0;
}

/* The bytes of the operation before, changed where they differ. */
static int read_difference(struct journal_reader *r, struct varint_reader *v, size_t size)
{
    size_t left = size;

    if (r->before.size != size)
        return REDO_EDAMAGED;
    while (left) {
        size_t same = varint_get(v), count = varint_get(v);
        if (v->bad || same > left || count > left - same || same + count == 0 ||
            count > (size_t)(v->end - v->at))
            return REDO_EDAMAGED;
        buffer_append(&r->now, r->before.data + (size - left), same);
        buffer_append(&r->now, v->at, count);
        v->at += count;
        left -= same + count;
    }
    return REDO_OK;
}

int journal_next(struct journal_reader *r)
{
    struct varint_reader v = {.at = r->at, .end = r->end};
    uint32_t head = varint_get(&v);
    size_t size = head >> 1;

    /* It has no more bytes than are there, or than the one before it has. */
    if (v.bad || size == 0)
        return REDO_EDAMAGED;
    struct buffer before = r->before;
    r->before = r->now;
    r->now = before;
    r->now.size = 0;
    if (head & 1) {
        int rc = read_difference(r, &v, size);
        if (rc)
            return rc;
    } else {
        if (size > (size_t)(v.end - v.at))
            return REDO_EDAMAGED;
        buffer_append(&r->now, v.at, size);
        v.at += size;
    }
    r->at = v.at;
    return r->now.failed ? REDO_ENOMEM : REDO_OK;
}

/* ---- parts of a snapshot ------------------------------------------------------------------ */

void part_put(struct buffer *b, uint64_t id, struct part const *part, void const *data, size_t size)
{
    size_t start = b->size;

    record_begin(b, RECORD_PART, id);
    put64(b, part->sequence);
    put64(b, part->total);
    put32(b, part->generation);
    put32(b, part->number);
    put32(b, part->count);
    put32(b, part->epoch);
    buffer_append(b, data, size);
    record_end(b, start);
}

bool part_get(struct part *part, void const *data, size_t size)
{
    char const *p = data;

    if (!record_whole(data, size, RECORD_PART) || size <= PART_HEAD)
        return false;
    *part = (struct part){
        .sequence = get64(p + 24),
        .total = get64(p + 32),
        .generation = get32(p + 40),
        .number = get32(p + 44),
        .count = get32(p + 48),
        .epoch = get32(p + 52),
    };
    return part->number < part->count && part->count <= (uint32_t)1 << PART_BITS &&
           part->generation < PART_GENERATIONS && part->sequence < KEY_LIMIT &&
           part->total <= (uint64_t)part->count * PART_SIZE;
}

/* ---- the others --------------------------------------------------------------------------- */

void kept_put(struct buffer *b, enum record_kind kind, uint64_t id, uint64_t key, int64_t when,
              void const *data, size_t size)
{
    size_t start = b->size;

    record_begin(b, kind, id);
    put64(b, key);
    put64(b, (uint64_t)when);
    buffer_append(b, data, size);
    record_end(b, start);
}
