#include "core/records/draft.h"

#include <stdlib.h>

static void put_list(struct pieces *p, struct draft const *d, unsigned of)
{
    struct record_list const *list = &d->r.list[of];
    pieces_number(p, list->count);
    if (!list->count)
        return;
    if (d->list && d->of == of) {
        pieces_number(p, (uint32_t)d->list->total);
        pieces_all(p, d->list);
    } else {
        pieces_number(p, (uint32_t)(list->end - list->at));
        pieces_span(p, list->at, list->end);
    }
}

bool draft_is_empty(struct record const *r)
{
    return !r->list[0].count && !r->list[1].count && !r->choice && !r->given[redo_of_candidate] &&
           !r->given[redo_of_decision];
}

/* The whole, which tells something, in pieces. */
static int put_all(struct pieces *p, struct draft const *d)
{
    if (d->list && d->list->total > REDO_RECORD_MAX)
        return REDO_EFULL;
    pieces_init(p);
    put_list(p, d, redo_of_position);
    put_list(p, d, redo_of_branch);
    pieces_number(p, d->r.choice);
    pieces_number(p, d->r.given[redo_of_candidate]);
    put_list(p, d, redo_of_candidate);
    pieces_number(p, d->r.given[redo_of_decision]);
    pieces_number(p, d->r.decided);
    put_list(p, d, redo_of_decision);
    return p->total > REDO_RECORD_MAX ? REDO_EFULL : REDO_OK;
}

/* ---- in the place of the record there is --------------------------------------------------- */

/* Where a piece comes from, if it is a part of the record there is, and where it goes. */
struct passage {
    bool old;
    size_t from, to, size;
};

/* False if parts of the record are to be in another order, or twice. */
static bool find_passages(struct pieces const *p, struct record_bytes const *k, struct passage *all)
{
    uintptr_t base = (uintptr_t)k->bytes;
    size_t to = 0, least = 0;
    for (unsigned i = 0; i < p->count; to += p->all[i++].size) {
        uintptr_t at = (uintptr_t)p->all[i].data;
        all[i] = (struct passage){
            .old = at >= base && at - base < k->size, .to = to, .size = p->all[i].size};
        if (!all[i].old)
            continue;
        all[i].from = (size_t)(at - base);
        if (all[i].from < least)
            return false;
        least = all[i].from + all[i].size;
    }
    return true;
}

static bool is_same(struct pieces const *p, struct record_bytes const *k, struct passage const *all)
{
    if (p->total != k->size)
        return false;
    for (unsigned i = 0; i < p->count; i++)
        if (!(all[i].old && all[i].from == all[i].to) &&
            memcmp(k->bytes + all[i].to, p->all[i].data, all[i].size) != 0)
            return false;
    return true;
}

/* Those that go up, the last first, then those that go down, the first first: since they keep their
 * order, none is written over before it has moved. Then what is new. */
static void move_passages(struct pieces const *p, unsigned char *bytes, struct passage const *all)
{
    for (unsigned i = p->count; i-- > 0;)
        if (all[i].old && all[i].to > all[i].from)
            memmove(bytes + all[i].to, bytes + all[i].from, all[i].size);
    for (unsigned i = 0; i < p->count; i++)
        if (all[i].old && all[i].to < all[i].from)
            memmove(bytes + all[i].to, bytes + all[i].from, all[i].size);
    for (unsigned i = 0; i < p->count; i++)
        if (!all[i].old)
            memcpy(bytes + all[i].to, p->all[i].data, all[i].size);
}

int draft_rewrite(struct draft const *d, struct record_bytes **kept, bool *done, bool *changed)
{
    struct pieces p;
    struct passage all[PIECES_MAX];
    struct record_bytes *k = *kept;
    int rc = put_all(&p, d);
    *done = !rc && find_passages(&p, k, all);
    *changed = *done && !is_same(&p, k, all);
    if (rc || !*changed)
        return rc;
    if (p.total > k->size && !(k = realloc(k, sizeof *k + p.total)))
        return REDO_ENOMEM;
    move_passages(&p, k->bytes, all);
    size_t before = k->size;
    k->size = (uint32_t)p.total;
    *kept = k;
    if (p.total < before && (k = realloc(k, sizeof *k + p.total)))
        *kept = k;
    return REDO_OK;
}

/* ---- beside it ----------------------------------------------------------------------------- */

int draft_join(struct draft const *d, struct record_bytes **kept)
{
    struct pieces p;
    *kept = NULL;
    if (draft_is_empty(&d->r))
        return REDO_OK;
    int rc = put_all(&p, d);
    if (rc)
        return rc;
    struct record_bytes *k = malloc(sizeof *k + p.total);
    if (!k)
        return REDO_ENOMEM;
    k->size = (uint32_t)p.total;
    pieces_copy(&p, k->bytes);
    *kept = k;
    return REDO_OK;
}
