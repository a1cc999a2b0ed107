/* Alternates: positions with the same compared bytes and other extra bytes, of which each was made
 * as an alternate of another. They form a ring, in the order of their numbers, which is that in
 * which they were made; the first of them is the one with the lowest. A ring of one is none. */
#ifndef CORE_RECORDS_ALTERNATES_H
#define CORE_RECORDS_ALTERNATES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/redo.h"

struct history;

/* Of a position, the numbers plus 1; 0: it is in no ring. */
struct alternate {
    uint32_t next, prev;
};

bool alternates_has(struct history const *h, uint32_t number);

/* The first of a position's ring, or itself; the one after it, or REDO_NOPOSITION. */
uint32_t alternates_first(struct history const *h, uint32_t number);
uint32_t alternates_next(struct history const *h, uint32_t number);

/* Puts a position that is in no ring into that of another, or makes one of the two; there is room
 * for both (alternates_reserve()). It is found the sooner the nearer the other's number is. */
void alternates_join(struct history *h, uint32_t other, uint32_t number);
int alternates_reserve(struct history *h, uint32_t number); /* REDO_OK or REDO_ENOMEM */

/* Takes a position out of its ring, if it is in one. */
void alternates_leave(struct history *h, uint32_t number);

/* An ALTERNATE, as history_apply(). */
int alternates_apply(struct history *h, redo_operation const *op, redo_result *r);

/* How many positions it makes: 1, or 0. */
uint32_t alternates_growth(struct history const *h, redo_operation const *op);

#endif
