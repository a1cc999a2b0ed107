/* The records of a history's positions: each as bytes (record.h) under the number of its position,
 * and the rings of alternates (alternates.h). A history without any takes no memory for them. */
#ifndef CORE_RECORDS_RECORDS_H
#define CORE_RECORDS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pool.h"
#include "core/redo.h"

struct history;
struct node;

/* The bytes of a record. */
struct record_bytes {
    uint32_t size;
    unsigned char bytes[];
};

struct records {
    struct pool kept;  /* number of a position -> struct record_bytes *, or NULL */
    struct pool rings; /* number of a position -> struct alternate, all 0 if it has none */
    uint32_t count;    /* positions with a record */
    uint32_t linked;   /* positions with alternates */
    size_t bytes;      /* of records */
    struct { /* the item that was read last, so that reading one after the other is quick */
        struct record_bytes const *kept; /* NULL: none */
        unsigned list;
        uint32_t place;
        unsigned char const *at;
    } last;
};

void records_init(struct records *r);
void records_close(struct records *r);
size_t records_memory(struct records const *r);

/* The record of a position, NULL if it has none. */
static inline struct record_bytes *records_at(struct records const *r, uint32_t number)
{
    struct record_bytes **place = r->count ? pool_find(&r->kept, number) : NULL;
    return place ? *place : NULL;
}

/* The same as bytes; NULL and 0: none. What record_open() reads. */
void const *history_record(struct history const *h, uint32_t number, size_t *size);

/* Sets the record of a position (NULL: none), which is taken over; it has to be checked, and not to
 * be that of nothing. Room for it must be there: records_reserve(). */
void records_put(struct records *r, uint32_t number, struct record_bytes *kept);

/* The place of a record that is there, for who writes in it; then what was its size. */
struct record_bytes **records_place(struct records *r, uint32_t number);
void records_rewritten(struct records *r, uint32_t number, uint32_t before);

/* REDO_OK or REDO_ENOMEM. */
static inline int records_reserve(struct records *r, uint32_t number)
{
    return pool_reserve(&r->kept, number, 1);
}

/* A position is dropped: its record goes, and it leaves its ring. */
void records_forget(struct history *h, struct node const *n);

static inline void records_drop(struct history *h, struct records const *r, struct node const *n)
{
    if (r->count || r->linked)
        records_forget(h, n);
}

/* ---- operations, as history_apply() ------------------------------------------------------- */

int records_apply(struct history *h, redo_operation const *op, redo_result *r);
int records_play(struct history *h, redo_operation const *op, redo_result *r);

/* Of a PLAY the ADD that it is, if its move is not there yet: false if it is, or nothing can be
 * played. */
bool records_play_adds(struct history const *h, redo_operation const *op, redo_operation *add);

/* The lowest move from 0, or the highest below 0, that no branch from there has, and none of the
 * candidates there: REDO_OK or REDO_ENOMEM. */
int records_free_move(struct history const *h, struct node const *n, bool below, int *move);

#endif
