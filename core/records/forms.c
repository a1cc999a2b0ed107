#include "core/records/forms.h"

#include <stdlib.h>
#include <string.h>

#include "core/records/alternates.h"
#include "core/records/record.h"

/* Which parts there are. */
enum { RECORDS = 1, RINGS = 2, GAMES = 4, PARTS = 7 };

static void write_record(struct writer *w, uint32_t gap, struct record_bytes const *kept)
{
    write_number(w, gap);
    write_number(w, kept->size);
    write_bytes(w, kept->bytes, kept->size);
}

/* All of a ring, from the first on. */
static void write_ring(struct history const *h, struct writer *w, uint32_t first)
{
    uint32_t count = 0, before = first;
    for (uint32_t at = first; at != NOBODY; at = alternates_next(h, at))
        count++;
    write_number(w, count);
    write_number(w, first);
    for (uint32_t at = first; (at = alternates_next(h, at)) != NOBODY; before = at)
        write_number(w, at - before - 1);
}

/* ---- a dump ------------------------------------------------------------------------------ */

/* Whether it is the first of a ring: the one before it in the ring is the last. */
static bool begins_ring(struct history const *h, uint32_t number)
{
    struct alternate const *a = pool_find(&h->records.rings, number);
    return a && a->next && a->prev > number + 1;
}

static void write_rings(struct history const *h, struct writer *w)
{
    uint32_t rings = 0;
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1))
        rings += begins_ring(h, n->in.id);
    write_number(w, rings);
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1))
        if (begins_ring(h, n->in.id))
            write_ring(h, w, n->in.id);
}

void write_records(struct history const *h, struct writer *w)
{
    struct records const *r = &h->records;
    uint32_t next = 0;
    write_number(w, (r->count ? RECORDS : 0u) | (r->linked ? RINGS : 0u) | (h->games ? GAMES : 0u));
    if (r->count) {
        write_number(w, r->count);
        for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) {
            struct record_bytes const *kept = records_at(r, n->in.id);
            if (!kept)
                continue;
            write_record(w, n->in.id - next, kept);
            next = n->in.id + 1;
        }
    }
    if (r->linked)
        write_rings(h, w);
    if (h->games)
        write_games(h, w);
}

/* A record in bytes from outside: REDO_OK and *kept, REDO_EDAMAGED or REDO_ENOMEM. */
static int read_record(struct varint_reader *r, bool first, struct record_bytes **kept)
{
    struct record parts;
    uint32_t size = varint_get(r);
    if (r->bad || size > (size_t)(r->end - r->at) || size < RECORD_EMPTY)
        return REDO_EDAMAGED;
    int rc = record_check(&parts, r->at, size);
    if (rc)
        return rc == REDO_ENOMEM ? rc : REDO_EDAMAGED;
    if (size == RECORD_EMPTY && !memcmp(r->at, (unsigned char[RECORD_EMPTY]){0}, RECORD_EMPTY))
        return REDO_EDAMAGED;
    if (first && parts.list[redo_of_branch].count)
        return REDO_EDAMAGED;
    struct record_bytes *k = malloc(sizeof *k + size);
    if (!k)
        return REDO_ENOMEM;
    k->size = size;
    memcpy(k->bytes, r->at, size);
    r->at += size;
    *kept = k;
    return REDO_OK;
}

static int read_all_records(struct history *h, struct varint_reader *r)
{
    uint32_t count = varint_get(r), next = 0;
    if (r->bad || !count || count > h->count)
        return REDO_EDAMAGED;
    for (uint32_t i = 0; i < count; i++) {
        struct node *n;
        struct record_bytes *kept;
        uint32_t gap = varint_get(r);
        if (r->bad || gap > NOBODY - next || history_find(h, next + gap, &n))
            return REDO_EDAMAGED;
        int rc = read_record(r, next + gap == 0, &kept);
        if (rc)
            return rc;
        if (records_reserve(&h->records, next + gap)) {
            free(kept);
            return REDO_ENOMEM;
        }
        records_put(&h->records, next + gap, kept);
        next += gap + 1;
    }
    return REDO_OK;
}

/* Members with the same compared bytes, that are in no ring yet. */
static int read_ring(struct history *h, struct varint_reader *r, uint32_t *next)
{
    uint32_t count = varint_get(r), first = varint_get(r), number = first;
    struct node *n, *other;
    if (r->bad || count < 2 || first < *next || history_find(h, first, &n))
        return REDO_EDAMAGED;
    *next = first + 1;
    if (alternates_has(h, first))
        return REDO_EDAMAGED;
    if (alternates_reserve(h, first))
        return REDO_ENOMEM;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t gap = varint_get(r), before = number;
        if (r->bad || gap >= NOBODY - number || history_find(h, number += gap + 1, &other) ||
            alternates_has(h, number) ||
            memcmp(node_state(h, n), node_state(h, other), h->cmpsize) != 0)
            return REDO_EDAMAGED;
        if (alternates_reserve(h, number))
            return REDO_ENOMEM;
        alternates_join(h, before, number);
    }
    return REDO_OK;
}

static int read_rings(struct history *h, struct varint_reader *r)
{
    uint32_t count = varint_get(r), next = 0;
    int rc = r->bad || !count || h->cmpsize == h->size ? REDO_EDAMAGED : REDO_OK;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = read_ring(h, r, &next);
    return rc;
}

int read_records(struct history *h, struct varint_reader *r)
{
    uint32_t parts = varint_get(r);
    if (r->bad || !parts)
        return REDO_EDAMAGED;
    if (parts > PARTS)
        return REDO_EVERSION;
    int rc = parts & RECORDS ? read_all_records(h, r) : REDO_OK;
    if (!rc && (parts & RINGS))
        rc = read_rings(h, r);
    return !rc && (parts & GAMES) ? read_games(h, r) : rc;
}

/* ---- a subtree --------------------------------------------------------------------------- */

static int compare_numbers(void const *a, void const *b)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    return (x > y) - (x < y);
}

/* Those after numbers[i] in its ring of which the subtree has a number are told with it. */
static void tell_ring(struct history const *h, uint32_t const *numbers, uint32_t count, uint32_t i,
                      bool *told)
{
    for (uint32_t at = numbers[i]; (at = alternates_next(h, at)) != NOBODY;) {
        uint32_t const *other = bsearch(&at, numbers, count, sizeof *numbers, compare_numbers);
        if (other)
            told[other - numbers] = true;
    }
}

/* Each ring once: told by its lowest member in the subtree. */
static int write_some_rings(struct history const *h, struct writer *w, uint32_t const *numbers,
                            uint32_t count)
{
    bool *told = calloc(count, sizeof *told); /* ... by one before it, or is in no ring */
    uint32_t rings = 0;
    if (!told)
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        told[i] |= !alternates_has(h, numbers[i]);
        if (told[i])
            continue;
        tell_ring(h, numbers, count, i, told);
        rings++;
    }
    write_number(w, rings);
    for (uint32_t i = 0; i < count; i++)
        if (!told[i])
            write_ring(h, w, alternates_first(h, numbers[i]));
    free(told);
    return REDO_OK;
}

int write_some_records(struct history const *h, struct writer *w, uint32_t const *numbers,
                       uint32_t count)
{
    uint32_t records = 0, linked = 0, next = 0;
    for (uint32_t i = 0; i < count; i++) {
        records += records_at(&h->records, numbers[i]) != NULL;
        linked += alternates_has(h, numbers[i]);
    }
    if (!records && !linked)
        return REDO_OK;
    write_number(w, (records ? RECORDS : 0u) | (linked ? RINGS : 0u));
    if (records)
        write_number(w, records);
    for (uint32_t i = 0; i < count; i++) {
        struct record_bytes const *kept = records_at(&h->records, numbers[i]);
        if (!kept)
            continue;
        write_record(w, numbers[i] - next, kept);
        next = numbers[i] + 1;
    }
    return linked ? write_some_rings(h, w, numbers, count) : REDO_OK;
}

static bool is_number(uint32_t const *numbers, uint32_t count, uint32_t number)
{
    return bsearch(&number, numbers, count, sizeof *numbers, compare_numbers) != NULL;
}

static int recall_all(struct history *h, struct varint_reader *r, uint32_t const *numbers,
                      uint32_t count, struct recalled *recalled)
{
    uint32_t records = varint_get(r), next = 0;
    if (r->bad || !records || records > count)
        return REDO_EDAMAGED;
    if (!(recalled->all = malloc(records * sizeof *recalled->all)))
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < records; i++) {
        uint32_t gap = varint_get(r), number = next + gap;
        if (r->bad || gap > NOBODY - next || !is_number(numbers, count, number))
            return REDO_EDAMAGED;
        int rc = read_record(r, false, &recalled->all[i].kept);
        if (rc)
            return rc;
        recalled->all[i].number = number;
        recalled->count++;
        if (records_reserve(&h->records, number))
            return REDO_ENOMEM;
        next = number + 1;
    }
    return REDO_OK;
}

static int recall_rings(struct history *h, struct varint_reader *r, uint32_t const *numbers,
                        uint32_t count, struct recalled *recalled)
{
    struct node *n;
    uint32_t rings = recalled->ring_count = varint_get(r);
    if (r->bad || !rings || h->changes || h->cmpsize == h->size)
        return REDO_EDAMAGED;
    recalled->rings = *r;
    for (uint32_t i = 0; i < rings; i++) {
        uint32_t members = varint_get(r), number = 0;
        if (r->bad || members < 2 || members > (size_t)(r->end - r->at))
            return REDO_EDAMAGED;
        for (uint32_t k = 0; k < members; k++) {
            uint32_t gap = varint_get(r);
            if (r->bad || gap >= h->next || number + gap + (k > 0) >= h->next)
                return REDO_EDAMAGED;
            number += gap + (k > 0);
            if ((!history_find(h, number, &n) || is_number(numbers, count, number)) &&
                alternates_reserve(h, number))
                return REDO_ENOMEM;
        }
    }
    recalled->rings.end = r->at;
    return REDO_OK;
}

int recall_records(struct history *h, struct varint_reader *r, uint32_t const *numbers,
                   uint32_t count, struct recalled *recalled)
{
    uint32_t parts = varint_get(r);
    if (r->bad || !parts)
        return REDO_EDAMAGED;
    if (parts > PARTS)
        return REDO_EVERSION;
    int rc = parts & RECORDS ? recall_all(h, r, numbers, count, recalled) : REDO_OK;
    return !rc && (parts & RINGS) ? recall_rings(h, r, numbers, count, recalled) : rc;
}

/* The members that are there, and equal to the first of them, and in no ring yet join the ring of
 * that, or form one with it. */
static void enter_ring(struct history *h, struct varint_reader *r)
{
    uint32_t members = varint_get(r), number = 0, at = NOBODY;
    struct node *n, *first = NULL;
    struct varint_reader again = *r;
    /* A ring that is there is joined, whichever of its members comes first. */
    for (uint32_t k = 0; k < members; k++) {
        number += varint_get(&again) + (k > 0);
        if (at == NOBODY && !history_find(h, number, &n) && alternates_has(h, number)) {
            first = n;
            at = number;
        }
    }
    number = 0;
    for (uint32_t k = 0; k < members; k++) {
        number += varint_get(r) + (k > 0);
        if (history_find(h, number, &n) || alternates_has(h, number))
            continue;
        if (!first) {
            first = n;
            at = number;
        } else if (memcmp(node_state(h, n), node_state(h, first), h->cmpsize) == 0) {
            alternates_join(h, at, number);
            at = number;
        }
    }
}

void enter_recalled(struct history *h, struct recalled *recalled)
{
    for (uint32_t i = 0; i < recalled->count; i++)
        records_put(&h->records, recalled->all[i].number, recalled->all[i].kept);
    recalled->count = 0;
    for (uint32_t i = 0; i < recalled->ring_count; i++)
        enter_ring(h, &recalled->rings);
}

void close_recalled(struct recalled *recalled)
{
    for (uint32_t i = 0; i < recalled->count; i++)
        free(recalled->all[i].kept);
    free(recalled->all);
}
