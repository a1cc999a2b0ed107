#include "core/records/records.h"

#include <stdlib.h>

#include "core/history.h"
#include "core/records/alternates.h"

#define LOW 4 /* as the slabs of positions */
#define TOP 8

void records_init(struct records *r)
{
    pool_init(&r->kept, sizeof(struct record_bytes *), LOW, TOP, r);
    pool_init(&r->rings, sizeof(struct alternate), LOW, TOP, r);
}

void records_close(struct records *r)
{
    struct record_bytes **place;
    for (uint32_t i = 0; r->count && (place = pool_from(&r->kept, &i)); i++) {
        r->count -= *place != NULL;
        free(*place);
    }
    pool_close(&r->kept);
    pool_close(&r->rings);
}

size_t records_memory(struct records const *r)
{
    return r->kept.bytes + r->rings.bytes + r->bytes;
}

void const *history_record(struct history const *h, uint32_t number, size_t *size)
{
    struct record_bytes const *kept = records_at(&h->records, number);
    *size = kept ? kept->size : 0;
    return kept ? kept->bytes : NULL;
}

void records_put(struct records *r, uint32_t number, struct record_bytes *kept)
{
    struct record_bytes **place = pool_at(&r->kept, number);
    r->last.kept = NULL;
    if (*place) {
        r->bytes -= sizeof **place + (*place)->size;
        r->count--;
        free(*place);
    }
    if (kept) {
        r->bytes += sizeof *kept + kept->size;
        r->count++;
    }
    *place = kept;
}

struct record_bytes **records_place(struct records *r, uint32_t number)
{
    r->last.kept = NULL;
    return pool_at(&r->kept, number);
}

void records_rewritten(struct records *r, uint32_t number, uint32_t before)
{
    r->bytes += (*records_place(r, number))->size;
    r->bytes -= before;
}

void records_forget(struct history *h, struct node const *n)
{
    if (records_at(&h->records, n->in.id))
        records_put(&h->records, n->in.id, NULL);
    alternates_leave(h, n->in.id);
}
