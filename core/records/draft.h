/* A record as it is to be: parts of the one there is, and new bytes, put together without being
 * copied until the end. */
#ifndef CORE_RECORDS_DRAFT_H
#define CORE_RECORDS_DRAFT_H

#include <string.h>

#include "core/records/record.h"
#include "core/records/records.h"
#include "core/varint.h"

#define PIECES_MAX 48

/* Bytes that follow each other, in pieces that stay where they are. Not to be moved itself. */
struct pieces {
    size_t total, used;
    unsigned count;
    struct {
        void const *data;
        size_t size;
    } all[PIECES_MAX];
    unsigned char small[PIECES_MAX * VARINT_MAX]; /* numbers */
};

static inline void pieces_init(struct pieces *p)
{
    p->total = p->used = p->count = 0;
}

static inline void pieces_put(struct pieces *p, void const *data, size_t size)
{
    if (!size)
        return;
    p->all[p->count].data = data;
    p->all[p->count++].size = size;
    p->total += size;
}

/* What is from here to there. */
static inline void pieces_span(struct pieces *p, unsigned char const *from, unsigned char const *to)
{
    pieces_put(p, from, (size_t)(to - from));
}

static inline void pieces_number(struct pieces *p, uint32_t v)
{
    unsigned char *at = p->small + p->used;
    size_t n = varint_put(at, v);
    if (p->count &&
        (unsigned char const *)p->all[p->count - 1].data + p->all[p->count - 1].size == at) {
        p->all[p->count - 1].size += n;
        p->total += n;
    } else {
        pieces_put(p, at, n);
    }
    p->used += n;
}

static inline void pieces_all(struct pieces *p, struct pieces const *other)
{
    for (unsigned i = 0; i < other->count; i++)
        pieces_put(p, other->all[i].data, other->all[i].size);
}

/* All of them in one: where they end. */
static inline unsigned char *pieces_copy(struct pieces const *p, unsigned char *out)
{
    for (unsigned i = 0; i < p->count; out += p->all[i++].size)
        memcpy(out, p->all[i].data, p->all[i].size);
    return out;
}

/* A list of so many, of these pieces. */
static inline void pieces_list(struct pieces *p, uint32_t count, struct pieces const *in)
{
    pieces_number(p, count);
    if (!count)
        return;
    pieces_number(p, (uint32_t)in->total);
    pieces_all(p, in);
}

struct draft {
    struct record r;           /* its parts; its counts and numbers may be set */
    struct pieces const *list; /* what takes the place of one of its lists ... */
    unsigned of;               /* ... this one */
};

/* The whole: REDO_OK and *kept, malloc()ed, or NULL if it tells nothing; REDO_EFULL; REDO_ENOMEM.
 */
int draft_join(struct draft const *d, struct record_bytes **kept);

/* The same in the place of the record that it is a draft of, of which only what has another place
 * then is moved: for a record that is not nothing. REDO_OK; or a code, and nothing is changed. Not
 * *done: its parts are in another order, so that it has to be joined. */
int draft_rewrite(struct draft const *d, struct record_bytes **kept, bool *done, bool *changed);

/* Whether a record tells nothing. */
bool draft_is_empty(struct record const *r);

#endif
