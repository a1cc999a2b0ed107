/* redo_record.h: what reads is answered from the history in this process, what changes becomes an
 * operation. */
#include "core/redo_record.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/records/alternates.h"
#include "core/records/record.h"
#include "core/records/writer.h"
#include "core/session.h"
#include "core/varint.h"

/* ---- reading ----------------------------------------------------------------------------- */

static uint32_t number_of(redo_position const *position)
{
    return node_of(position)->in.id;
}

/* The record of a position in use; of what is none, that of nothing. */
static int open(redo_position const *position, struct record *r, struct record_bytes const **kept)
{
    *kept = NULL;
    int rc = !position ? REDO_EPOSITION : position->inuse ? REDO_OK : REDO_EDROPPED;
    if (!rc)
        *kept = records_at(&history_of(position)->records, number_of(position));
    record_open(r, *kept ? (*kept)->bytes : NULL, *kept ? (*kept)->size : 0);
    return error_set(rc);
}

static bool is_list(enum redo_of of)
{
    return of == redo_of_candidate || of == redo_of_decision;
}

static int open_list(redo_position const *position, enum redo_of of, struct record *r,
                     struct record_bytes const **kept)
{
    int rc = open(position, r, kept);
    return rc || is_list(of) ? rc : error_set(REDO_ECONSTANT);
}

/* What is left of the list from the item on that was read last, if that is in it and not after this
 * place; else all of it. Tells the place where that begins. */
static uint32_t resume(redo_position const *position, struct record_bytes const *kept,
                       enum redo_of of, uint32_t place, struct record_list *left)
{
    struct records const *all = &history_of(position)->records;
    if (!kept || all->last.kept != kept || all->last.list != of || all->last.place > place)
        return 0;
    left->at = all->last.at;
    left->count -= all->last.place;
    return all->last.place;
}

static void remember(redo_position const *position, struct record_bytes const *kept,
                     enum redo_of of, uint32_t place, struct record_item const *item)
{
    struct records *all = &history_of(position)->records;
    all->last.kept = kept;
    all->last.list = of;
    all->last.place = place;
    all->last.at = item->start;
}

/* The item of an id among those from this place on, up to another. */
static bool find_id(struct record_list left, uint32_t id, uint32_t *place, uint32_t to,
                    struct record_item *item)
{
    for (; *place < to && record_next_item(&left, item); ++*place)
        if (item->id == id)
            return true;
    return false;
}

/* The item at a place, or of an id if that is not 0. Ids mostly rise, and are asked for one after
 * the other: the search begins at the item that was read last, if that may be before it. */
static bool find_item(redo_position const *position, struct record const *r,
                      struct record_bytes const *kept, enum redo_of of, uint32_t id,
                      uint32_t *place, struct record_item *item)
{
    struct record_list const *all = &r->list[of];
    struct record_list left = *all, one;
    uint32_t from = resume(position, kept, of, id ? UINT32_MAX : *place, &left), at = from;
    bool found = false;
    if (!id) {
        while (!found && record_next_item(&left, item))
            found = at++ == *place;
        at -= found;
    } else {
        one = left;
        if (from && record_next_item(&one, item) && item->id > id) {
            at = 0;
            found = find_id(*all, id, &at, from, item);
        }
        if (!found) {
            at = from;
            found = find_id(left, id, &at, UINT32_MAX, item);
        }
        if (!found) {
            at = 0;
            found = find_id(*all, id, &at, from, item);
        }
    }
    *place = at;
    if (found)
        remember(position, kept, of, at, item);
    return found;
}

/* Where the branch of an item leads: of a decision after those before it. */
static redo_position *leads(redo_position const *position, struct record const *r, enum redo_of of,
                            uint32_t place, struct record_item const *item)
{
    struct history const *h = history_of(position);
    struct node *at = node_of(position);
    struct record_list chain = r->list[redo_of_decision];
    struct record_item before;
    for (uint32_t i = 0; of == redo_of_decision && i < place && at; i++) {
        record_next_item(&chain, &before);
        at = before.flags & ITEM_MOVE ? branch_find(h, at, before.move) : NULL;
    }
    at = at && (item->flags & ITEM_MOVE) ? branch_find(h, at, item->move) : NULL;
    return at ? &at->p : NULL;
}

static int tell(redo_position const *position, enum redo_of of, uint32_t id, uint32_t place,
                redo_candidate *candidate)
{
    struct record r;
    struct record_bytes const *kept;
    struct record_item item;
    if (open_list(position, of, &r, &kept) || !find_item(position, &r, kept, of, id, &place, &item))
        return 0;
    if (candidate)
        *candidate = (redo_candidate){
            .id = item.id,
            .hasmove = (item.flags & ITEM_MOVE) != 0,
            .move = item.move,
            .text = item.text,
            .textsize = item.textsize,
            .analysed = item.flags & ITEM_SHARED     ? redo_analysis_shared
                        : item.flags & ITEM_ANALYSIS ? redo_analysis_own
                                                     : redo_analysis_none,
            .leads = leads(position, &r, of, place, &item),
        };
    return 1;
}

unsigned redo_getcandidatecount(redo_position const *position, enum redo_of list)
{
    struct record r;
    struct record_bytes const *kept;
    return open_list(position, list, &r, &kept) ? 0 : r.list[list].count;
}

int redo_getcandidate(redo_position const *position, enum redo_of list, unsigned place,
                      redo_candidate *candidate)
{
    return tell(position, list, 0, place, candidate);
}

int redo_findcandidate(redo_position const *position, enum redo_of list, uint32_t id,
                       redo_candidate *candidate)
{
    return id ? tell(position, list, id, 0, candidate) : 0;
}

int redo_getanalysis(redo_position const *position, enum redo_of list, uint32_t id,
                     redo_analysis *analysis)
{
    struct record r;
    struct record_bytes const *kept;
    struct record_item item;
    uint32_t place;
    redo_analysis unused;
    if (open_list(position, list, &r, &kept) || !id ||
        !find_item(position, &r, kept, list, id, &place, &item))
        return 0;
    return record_analysis(&r, &item, analysis ? analysis : &unused);
}

enum redo_choice redo_getchoice(redo_position const *position, uint32_t *id)
{
    struct record r;
    struct record_bytes const *kept;
    open(position, &r, &kept);
    if (r.choice == RECORD_OPEN || r.choice == RECORD_NONE)
        return r.choice == RECORD_OPEN ? redo_choice_open : redo_choice_none;
    if (id)
        *id = r.choice - 1;
    return redo_choice_made;
}

unsigned redo_getdecided(redo_position const *position)
{
    struct record r;
    struct record_bytes const *kept;
    open(position, &r, &kept);
    return r.decided;
}

/* The properties of a position, a branch or an item. */
static bool find_properties(redo_position const *position, enum redo_of of, uint32_t id,
                            struct record_list *list)
{
    struct record r;
    struct record_bytes const *kept;
    struct record_item item;
    uint32_t place;
    if (open(position, &r, &kept))
        return false;
    if (of == redo_of_position || of == redo_of_branch) {
        *list = r.list[of];
        return !id;
    }
    if (!is_list(of) || !id || !find_item(position, &r, kept, of, id, &place, &item))
        return false;
    *list = item.properties;
    return true;
}

void const *redo_getpositionproperty(redo_position const *position, enum redo_of of, uint32_t id,
                                     char const *name, size_t *size)
{
    struct record_list list;
    struct record_property property = {0};
    if (!name || !find_properties(position, of, id, &list) ||
        !record_find_property(&list, name, strlen(name), &property))
        property = (struct record_property){0};
    if (size)
        *size = property.size;
    return property.value;
}

char const *redo_getpositionpropertyname(redo_position const *position, enum redo_of of,
                                         uint32_t id, unsigned place, size_t *size)
{
    struct record_list list;
    struct record_property property;
    if (size)
        *size = 0;
    if (!find_properties(position, of, id, &list))
        return NULL;
    for (unsigned i = 0; record_next_property(&list, &property); i++) {
        if (i < place)
            continue;
        if (size)
            *size = property.namesize;
        return property.name;
    }
    return NULL;
}

static redo_position *by_number(struct history const *h, uint32_t number)
{
    return number == NOBODY ? NULL : &node_at(h, number)->p;
}

redo_position *redo_getfirstalternate(redo_position const *position)
{
    if (error_set(!position ? REDO_EPOSITION : position->inuse ? REDO_OK : REDO_EDROPPED))
        return NULL;
    struct history const *h = history_of(position);
    return by_number(h, alternates_first(h, number_of(position)));
}

redo_position *redo_getnextalternate(redo_position const *position)
{
    if (error_set(!position ? REDO_EPOSITION : position->inuse ? REDO_OK : REDO_EDROPPED))
        return NULL;
    struct history const *h = history_of(position);
    return by_number(h, alternates_next(h, number_of(position)));
}

void const *redo_getrecord(redo_position const *position, size_t *size)
{
    struct record r;
    struct record_bytes const *kept;
    open(position, &r, &kept);
    if (size)
        *size = kept ? kept->size : 0;
    return kept ? kept->bytes : NULL;
}

/* ---- changing ---------------------------------------------------------------------------- */

static int check_position(redo_session const *session, redo_position const *position)
{
    if (!session || !position)
        return error_set(session ? REDO_EPOSITION : REDO_ENOSESSION);
    if (pool_find(&session->history->nodes, number_of(position)) != node_of(position))
        return error_set(REDO_EFOREIGN);
    return position->inuse ? REDO_OK : error_set(REDO_EDROPPED);
}

/* A RECORD. */
static redo_operation edit(redo_position const *position, enum redo_of of, enum redo_edit edit,
                           uint32_t source, void const *state, size_t size)
{
    return (redo_operation){.kind = REDO_OP_RECORD,
                            .position = number_of(position),
                            .move = of,
                            .value = edit,
                            .source = source,
                            .state = state,
                            .statesize = size};
}

static int submit(redo_session *session, redo_operation const *op, redo_result *result)
{
    return error_set(session->submit(session, op, result));
}

int redo_setpositionproperty(redo_session *session, redo_position *position, enum redo_of of,
                             uint32_t id, char const *name, void const *value, size_t size)
{
    if (check_position(session, position))
        return redo_lasterror();
    if (!name || !*name || (size && !value))
        return error_set(REDO_ENAME);
    redo_operation op = edit(position, of, redo_edit_property, id, value, size);
    op.name = name;
    op.namesize = strlen(name);
    return submit(session, &op, NULL);
}

/* Submits what was written, if it could be. */
static int submit_written(redo_session *session, redo_operation *op, int rc, void const *data,
                          size_t size, redo_result *result)
{
    op->state = data;
    op->statesize = size;
    return rc ? error_set(rc) : submit(session, op, result);
}

int redo_addcandidates(redo_session *session, redo_position *position, enum redo_of list,
                       unsigned place, redo_candidate const *candidates,
                       redo_analysis const *const *analyses, size_t count, uint32_t *ids)
{
    struct record_writer w = {0};
    void const *data = NULL;
    size_t size = 0;
    redo_result result;
    if (check_position(session, position))
        return redo_lasterror();
    if (!is_list(list))
        return error_set(REDO_ECONSTANT);
    if (count > REDO_CANDIDATES_MAX)
        return error_set(REDO_EFULL);
    if (count && !candidates)
        return error_set(REDO_ECANDIDATE);
    record_writer_begin_items(&w);
    for (size_t i = 0; i < count; i++) {
        redo_candidate one = candidates[i];
        one.id = 0;
        record_writer_item(&w, list, &one, analyses ? analyses[i] : NULL);
    }
    int rc = record_writer_items(&w, list, &data, &size);
    redo_operation op = edit(position, list, redo_edit_add, place, NULL, 0);
    rc = submit_written(session, &op, rc, data, size, &result);
    for (size_t i = 0; !rc && ids && i < count; i++)
        ids[i] = (uint32_t)result.value + (uint32_t)i;
    record_writer_close(&w);
    return rc;
}

int redo_setcandidate(redo_session *session, redo_position *position, enum redo_of list,
                      uint32_t id, unsigned parts, redo_candidate const *candidate,
                      redo_analysis const *analysis)
{
    struct record_writer w = {0};
    void const *data = NULL;
    size_t size = 0;
    if (check_position(session, position))
        return redo_lasterror();
    if (!candidate)
        return error_set(REDO_ECANDIDATE);
    int rc = record_writer_parts(&w, parts, candidate, analysis, &data, &size);
    redo_operation op = edit(position, list, redo_edit_set, id, NULL, 0);
    rc = submit_written(session, &op, rc, data, size, NULL);
    record_writer_close(&w);
    return rc;
}

static int submit_ids(redo_session *session, redo_position *position, enum redo_of list,
                      enum redo_edit kind, uint32_t const *ids, size_t count)
{
    if (check_position(session, position))
        return redo_lasterror();
    if (count > REDO_CANDIDATES_MAX || (count && !ids))
        return error_set(REDO_ECANDIDATE);
    unsigned char *bytes = malloc((count + 1) * VARINT_MAX);
    if (!bytes)
        return error_set(REDO_ENOMEM);
    size_t size = varint_put(bytes, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        size += varint_put(bytes + size, ids[i]);
    redo_operation op = edit(position, list, kind, 0, bytes, size);
    int rc = submit(session, &op, NULL);
    free(bytes);
    return rc;
}

int redo_dropcandidates(redo_session *session, redo_position *position, enum redo_of list,
                        uint32_t const *ids, size_t count)
{
    return submit_ids(session, position, list, redo_edit_drop, ids, count);
}

int redo_ordercandidates(redo_session *session, redo_position *position, enum redo_of list,
                         uint32_t const *ids, size_t count)
{
    return submit_ids(session, position, list, redo_edit_order, ids, count);
}

int redo_choose(redo_session *session, redo_position *position, enum redo_choice choice,
                uint32_t id)
{
    if (check_position(session, position))
        return redo_lasterror();
    if (choice != redo_choice_open && choice != redo_choice_none && choice != redo_choice_made)
        return error_set(REDO_ECONSTANT);
    if (choice == redo_choice_made && (!id || id == NOBODY))
        return error_set(REDO_ENOCANDIDATE);
    uint32_t source = choice == redo_choice_made ? id : choice == redo_choice_none ? NOBODY : 0;
    redo_operation op = edit(position, redo_of_candidate, redo_edit_choose, source, NULL, 0);
    return submit(session, &op, NULL);
}

int redo_decide(redo_session *session, redo_position *position, unsigned count)
{
    if (check_position(session, position))
        return redo_lasterror();
    redo_operation op = edit(position, redo_of_decision, redo_edit_decide, count, NULL, 0);
    return submit(session, &op, NULL);
}

/* The position in a result; of an operation that was repeated it may be gone by now. */
static redo_position *outcome(redo_session const *session, redo_result const *result)
{
    return pool_find(&session->history->nodes, result->position);
}

redo_position *redo_playcandidate(redo_session *session, redo_position *position, enum redo_of list,
                                  uint32_t id, void const *state, size_t size, int endpoint,
                                  int checkequiv)
{
    redo_result result;
    if (check_position(session, position))
        return NULL;
    redo_operation op = {.kind = REDO_OP_PLAY,
                         .position = number_of(position),
                         .source = id,
                         .move = list,
                         .endpoint = endpoint,
                         .value = checkequiv,
                         .state = state,
                         .statesize = state ? size : 0};
    return submit(session, &op, &result) ? NULL : outcome(session, &result);
}

redo_position *redo_addalternate(redo_session *session, redo_position *position, int const *move,
                                 void const *state)
{
    redo_result result;
    if (check_position(session, position))
        return NULL;
    redo_operation op = {.kind = REDO_OP_ALTERNATE,
                         .position = number_of(position),
                         .value = move != NULL,
                         .move = move ? *move : 0,
                         .state = state,
                         .statesize = state ? session->history->size : 0};
    return submit(session, &op, &result) ? NULL : outcome(session, &result);
}

int redo_setrecord(redo_session *session, redo_position *position, void const *record, size_t size)
{
    if (check_position(session, position))
        return redo_lasterror();
    if (size && !record)
        return error_set(REDO_ECANDIDATE);
    redo_operation op = edit(position, redo_of_position, redo_edit_record, 0, record, size);
    return submit(session, &op, NULL);
}
