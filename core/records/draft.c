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

int draft_join(struct draft const *d, struct record_bytes **kept)
{
    struct pieces p;
    *kept = NULL;
    if (draft_is_empty(&d->r))
        return REDO_OK;
    if (d->list && d->list->total > REDO_RECORD_MAX)
        return REDO_EFULL;
    pieces_init(&p);
    put_list(&p, d, redo_of_position);
    put_list(&p, d, redo_of_branch);
    pieces_number(&p, d->r.choice);
    pieces_number(&p, d->r.given[redo_of_candidate]);
    put_list(&p, d, redo_of_candidate);
    pieces_number(&p, d->r.given[redo_of_decision]);
    pieces_number(&p, d->r.decided);
    put_list(&p, d, redo_of_decision);
    if (p.total > REDO_RECORD_MAX)
        return REDO_EFULL;
    struct record_bytes *k = malloc(sizeof *k + p.total);
    if (!k)
        return REDO_ENOMEM;
    k->size = (uint32_t)p.total;
    pieces_copy(&p, k->bytes);
    *kept = k;
    return REDO_OK;
}
