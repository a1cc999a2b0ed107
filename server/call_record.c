/* Records: changing them. Each handler makes an operation of what it is given, the same one for the
 * same request, and applies it. */
#include <stdlib.h>
#include <string.h>

#include "core/operation.h"
#include "core/records/record.h"
#include "server/call.h"
#include "server/call_record.h"
#include "server/given.h"

int call_record_list(struct call *call, enum redo_of *of)
{
    struct arg const *list = args_option(&call->args, "list");
    *of = redo_of_candidate;
    if (!list->present || (list->bytes.size == 10 && !memcmp(list->bytes.data, "candidates", 10)))
        return REDO_OK;
    *of = redo_of_decision;
    if (list->bytes.size == 9 && !memcmp(list->bytes.data, "decisions", 9))
        return REDO_OK;
    error_begin(&call->error, REDO_ECONSTANT, "list is \"candidates\" or \"decisions\"");
    error_add_text(&call->error, "list", list->bytes.data, list->bytes.size);
    return REDO_ECONSTANT;
}

static char const *list_name(int of)
{
    return of == redo_of_decision ? "decisions" : "candidates";
}

/* An id that an item can have. */
static int item_id(struct call *call, enum redo_of of, struct arg const *arg, uint32_t *id)
{
    if (arg->integer >= 1 && arg->integer <= RECORD_IDS_MAX) {
        *id = (uint32_t)arg->integer;
        return REDO_OK;
    }
    call_fail(call, REDO_ENOCANDIDATE);
    error_add_word(&call->error, "list", list_name((int)of));
    error_add_int(&call->error, "candidate", arg->integer);
    return REDO_ENOCANDIDATE;
}

int call_record_of(struct call *call, enum redo_of *of, uint32_t *id)
{
    struct arg const *candidate = args_option(&call->args, "candidate");
    struct arg const *decision = args_option(&call->args, "decision");
    struct arg const *one = candidate->present ? candidate : decision;
    bool branch = args_flag(&call->args, "branch", false);
    *id = 0;
    *of = branch ? redo_of_branch : redo_of_position;
    if (branch + candidate->present + decision->present > 1) {
        error_begin(&call->error, REDO_EPARAMS,
                    "a property is of one: branch, candidate or decision");
        return REDO_EPARAMS;
    }
    if (!one->present)
        return REDO_OK;
    *of = candidate->present ? redo_of_candidate : redo_of_decision;
    return item_id(call, *of, one, id);
}

/* The session of param 0, to be changed, and that the position of param 1 is there. */
static int find(struct call *call, struct room **room)
{
    struct node *n;
    int rc = call_room_changed(call, room);
    return rc || call_known(call, *room) ? rc : call_node(call, *room, 1, &n);
}

/* ---- refusing ---------------------------------------------------------------------------- */

/* Which of the items that were to be added has the move of another: below 0 if none was found. */
static int64_t find_twice(struct room const *room, redo_operation const *op)
{
    struct record_list items, list;
    struct record there;
    size_t size;
    unsigned char const *at = op->state, *end = at + op->statesize;
    uint32_t count = 0, shift = 0;
    do
        count |= (uint32_t)(*at & 0x7f) << shift, shift += 7;
    while (at < end && *at++ >= 0x80);
    if (op->move != redo_of_candidate ||
        record_check_items(&items, count, at, (size_t)(end - at), false))
        return -1;
    void const *bytes = history_record(room->history, op->position, &size);
    record_open(&there, bytes, size);
    list = there.list[redo_of_candidate];
    /* The first so many of them have such a move if fewer have. */
    uint32_t good = 0, bad = count + 1;
    while (bad - good > 1) {
        struct record_list some = items;
        some.count = good + (bad - good) / 2;
        if (some.count <= count && record_check_moves(some, &list) == REDO_OK)
            good = some.count;
        else
            bad = some.count;
    }
    return good < count ? (int64_t)good : -1;
}

/* What an edit is refused for, in words. */
static char const *why_refused(redo_operation const *op)
{
    switch (op->value) {
    case redo_edit_add:
        return op->move == redo_of_candidate ? "two candidates have one move"
                                             : "the first decision shares no analysis";
    case redo_edit_set:
        return "neither move nor text would be left, another candidate has the move, or it is the "
               "first decision, which shares no analysis";
    case redo_edit_drop:
        return "an id is there twice";
    case redo_edit_order:
        return op->move == redo_of_candidate
                   ? "these are not the ids of all items of the list, each once"
                   : "these are not the ids of all items of the list, each once, or the first "
                     "decision would be one that shares its analysis";
    case redo_edit_choose:
        return "there are candidates: so there is a legal move";
    case redo_edit_decide:
        return "there are not so many decisions";
    case redo_edit_record:
        return "two items have one id, two candidates one move, or a property is there twice; or "
               "choice, or decided, is none of what is there";
    }
    return "that is no record";
}

static int fail_full(struct call *call, struct room const *room, redo_operation const *op)
{
    struct record r;
    size_t size;
    void const *bytes = history_record(room->history, op->position, &size);
    record_open(&r, bytes, size);
    bool items = op->value == redo_edit_add && size + op->statesize < REDO_RECORD_MAX;
    call_fail(call, REDO_EFULL);
    error_add_int(&call->error, "position", op->position);
    error_add_word(&call->error, "limit", items ? "candidates" : "record");
    error_add_int(&call->error, "value", items ? REDO_CANDIDATES_MAX : REDO_RECORD_MAX);
    return REDO_EFULL;
}

/* What there is to tell of an edit that is refused. */
static int fail_edit(struct call *call, int rc, struct room const *room, redo_operation const *op)
{
    bool of_item = op->value == redo_edit_property || op->value == redo_edit_set ||
                   op->value == redo_edit_choose;
    if (call->error.code)
        return rc;
    if (rc == REDO_EFULL)
        return fail_full(call, room, op);
    if (rc == REDO_EFIRST)
        error_begin(&call->error, rc, "no branch leads to the first position");
    else if (rc == REDO_ECANDIDATE)
        error_begin(&call->error, rc, "%s", why_refused(op));
    else if (rc == REDO_ENAME)
        error_begin(&call->error, rc, "a name has 1 to %d bytes, none of them 0", REDO_NAME_MAX);
    else
        call_fail(call, rc);
    error_add_int(&call->error, "position", op->position);
    if (rc == REDO_ENOCANDIDATE || rc == REDO_ECANDIDATE)
        error_add_word(&call->error, "list", list_name(op->move));
    if (rc == REDO_ENOCANDIDATE && of_item)
        error_add_int(&call->error, "candidate", op->source);
    if (rc == REDO_ECANDIDATE && op->value == redo_edit_add) {
        int64_t twice = find_twice(room, op);
        error_add_word(&call->error, "field", twice < 0 ? "shared" : "move");
        error_add_int(&call->error, "index", twice < 0 ? 0 : twice);
    }
    return rc;
}

/* ---- edits ------------------------------------------------------------------------------- */

/* Applies an edit whose bytes are in b, which is freed. */
static int edit(struct call *call, struct room *room, redo_operation *op, struct buffer *b,
                redo_result *r)
{
    op->kind = REDO_OP_RECORD;
    op->position = (uint32_t)call_integer(call, 1);
    op->state = b->data;
    op->statesize = b->size;
    int rc = b->failed ? call_fail(call, REDO_ENOMEM) : call_submit(call, room, op, r);
    if (rc)
        fail_edit(call, rc, room, op);
    buffer_free(b);
    return rc;
}

/* The same, answered with nil; rc: of reading what is in b. */
static int edit_only(struct call *call, struct room *room, redo_operation *op, struct buffer *b,
                     int rc)
{
    redo_result r;
    if (rc) {
        buffer_free(b);
        return rc;
    }
    rc = edit(call, room, op, b, &r);
    if (!rc)
        pack_nil(call_reply(call));
    return rc;
}

int call_setrecord(struct call *call)
{
    struct room *room;
    struct buffer b;
    redo_operation op = {.value = redo_edit_record};
    int rc = find(call, &room);
    if (rc)
        return rc;
    buffer_init(&b);
    return edit_only(call, room, &op, &b, given_record(call, &call->args.param[2].any, &b));
}

int call_setpositionproperty(struct call *call)
{
    struct arg const *name = &call->args.param[2];
    struct room *room;
    struct buffer b;
    enum redo_of of;
    redo_operation op = {
        .value = redo_edit_property, .name = name->bytes.data, .namesize = name->bytes.size};
    int rc = find(call, &room);
    if (rc || (rc = call_record_of(call, &of, &op.source)))
        return rc;
    op.move = (int)of;
    if (!record_is_name(name->bytes.data, name->bytes.size)) {
        op.position = (uint32_t)call_integer(call, 1);
        return fail_edit(call, REDO_ENAME, room, &op);
    }
    buffer_init(&b);
    return edit_only(call, room, &op, &b, given_value(call, &call->args.param[3].any, &b));
}

int call_addcandidates(struct call *call)
{
    struct room *room;
    struct buffer b;
    enum redo_of of;
    redo_result r;
    int64_t at = args_integer(&call->args, "at", REDO_CANDIDATES_MAX);
    redo_operation op = {.value = redo_edit_add};
    int rc = find(call, &room);
    if (rc || (rc = call_record_list(call, &of)))
        return rc;
    op.move = (int)of;
    op.source = at < REDO_CANDIDATES_MAX ? (uint32_t)at : REDO_CANDIDATES_MAX;
    buffer_init(&b);
    msgpack_object_array const *list = &call->args.param[2].array;
    if ((rc = given_items(call, list, of, &b))) {
        buffer_free(&b);
        return rc;
    }
    if ((rc = edit(call, room, &op, &b, &r)))
        return rc;
    struct buffer *out = call_reply(call);
    pack_map(out, 1);
    pack_key(out, "ids");
    pack_array(out, list->size);
    for (uint32_t i = 0; i < list->size; i++)
        pack_uint(out, (uint32_t)r.value + i);
    return REDO_OK;
}

/* Whether the item shares the analysis of the first. */
static bool is_shared(struct room const *room, redo_operation const *op)
{
    struct record r;
    struct record_item item;
    size_t size;
    void const *bytes = history_record(room->history, op->position, &size);
    record_open(&r, bytes, size);
    return record_find_item(&r.list[op->move], op->source, &item, NULL) &&
           (item.flags & ITEM_SHARED);
}

/* The bytes of the edit: those of the request as it was the first time, if it is repeated. */
static int make_changes(struct call *call, struct room const *room, redo_operation *op,
                        struct buffer *b)
{
    struct key const *known = call_known(call, room);
    bool shares = known || is_shared(room, op);
    for (;;) {
        int rc = given_changes(call, &call->args.param[3].any, (enum redo_of)op->move, shares, b);
        op->state = b->data;
        op->statesize = b->size;
        if (rc || !known || !shares || operation_hash(op) == known->operation)
            return rc;
        shares = false;
        buffer_rewind(b, 0);
    }
}

int call_setcandidate(struct call *call)
{
    struct room *room;
    struct buffer b;
    enum redo_of of;
    redo_operation op = {.kind = REDO_OP_RECORD,
                         .value = redo_edit_set,
                         .position = (uint32_t)call_integer(call, 1)};
    int rc = find(call, &room);
    if (rc || (rc = call_record_list(call, &of)) ||
        (rc = item_id(call, of, &call->args.param[2], &op.source)))
        return rc;
    op.move = (int)of;
    buffer_init(&b);
    return edit_only(call, room, &op, &b, make_changes(call, room, &op, &b));
}

/* The two that take a list of ids. */
static int edit_ids(struct call *call, enum redo_edit what)
{
    struct room *room;
    struct buffer b;
    enum redo_of of;
    redo_operation op = {.value = (int)what};
    int rc = find(call, &room);
    if (rc || (rc = call_record_list(call, &of)))
        return rc;
    op.move = (int)of;
    buffer_init(&b);
    return edit_only(call, room, &op, &b, given_ids(call, &call->args.param[2].array, &b));
}

int call_dropcandidates(struct call *call)
{
    return edit_ids(call, redo_edit_drop);
}

int call_ordercandidates(struct call *call)
{
    return edit_ids(call, redo_edit_order);
}

/* "open", "none" or an id: what the edit has as its source. */
static int read_choice(struct call *call, uint32_t *source)
{
    msgpack_object const *choice = &call->args.param[2].any;
    struct arg arg;
    if (arg_read(PARAM_STR, choice, &arg) == REDO_OK) {
        *source = arg.bytes.size == 4 && !memcmp(arg.bytes.data, "none", 4) ? REDO_NOPOSITION : 0;
        if (*source || (arg.bytes.size == 4 && !memcmp(arg.bytes.data, "open", 4)))
            return REDO_OK;
    } else if (arg_read(PARAM_SIZE, choice, &arg) == REDO_OK) {
        return item_id(call, redo_of_candidate, &arg, source);
    }
    error_begin(&call->error, REDO_ECONSTANT,
                "choice is \"open\", \"none\" or the id of a candidate");
    error_add_word(&call->error, "param", "choice");
    return REDO_ECONSTANT;
}

int call_choose(struct call *call)
{
    struct room *room;
    struct buffer b;
    redo_operation op = {.value = redo_edit_choose, .move = redo_of_candidate};
    int rc = find(call, &room);
    if (rc)
        return rc;
    buffer_init(&b);
    return edit_only(call, room, &op, &b, read_choice(call, &op.source));
}

int call_decide(struct call *call)
{
    struct room *room;
    struct buffer b;
    int64_t count = call_integer(call, 2);
    redo_operation op = {.value = redo_edit_decide, .move = redo_of_decision};
    int rc = find(call, &room);
    if (rc)
        return rc;
    op.source = count < REDO_CANDIDATES_MAX ? (uint32_t)count : REDO_CANDIDATES_MAX + 1;
    buffer_init(&b);
    return edit_only(call, room, &op, &b, REDO_OK);
}

/* ---- positions --------------------------------------------------------------------------- */

/* What is played: a state, or a turn; b holds the turn. */
static int read_played(struct call *call, struct room const *room, redo_operation *op,
                       struct buffer *b)
{
    struct arg const *state = &call->args.param[3], *lines = args_option(&call->args, "lines");
    bool by_change = room->history->changes;
    if (by_change ? state->present
                  : lines->present || args_option(&call->args, "after")->present ||
                        args_option(&call->args, "digest")->present) {
        error_begin(&call->error, REDO_EKIND, "%s",
                    by_change ? "the session is told by change: state is nil, and lines an option"
                              : "the session is told by states, and not by lines");
        error_add_word(&call->error, by_change ? "param" : "option", by_change ? "state" : "lines");
        return REDO_EKIND;
    }
    op->state = state->bytes.data;
    op->statesize = state->bytes.size;
    if (!lines->present || !lines->array.size)
        return REDO_OK;
    call_pack_turn(call, lines, b);
    op->state = b->data;
    op->statesize = b->size;
    return b->failed ? call_fail(call, REDO_ENOMEM) : REDO_OK;
}

int call_playcandidate(struct call *call)
{
    struct room *room;
    struct buffer b;
    enum redo_of of;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_PLAY,
                         .position = (uint32_t)call_integer(call, 1),
                         .endpoint = (int)call_integer(call, 4),
                         .value = (int)call_integer(call, 5)};
    int rc = find(call, &room);
    if (rc || (rc = call_record_list(call, &of)) ||
        (rc = item_id(call, of, &call->args.param[2], &op.source)))
        return rc;
    op.move = (int)of;
    buffer_init(&b);
    rc = read_played(call, room, &op, &b);
    if (!rc)
        rc = call_add_one(call, room, &op, &r);
    buffer_free(&b);
    if (rc == REDO_ENOCANDIDATE || rc == REDO_EDECISION) {
        error_add_word(&call->error, "list", list_name(op.move));
        error_add_int(&call->error, "candidate", op.source);
    }
    if (rc)
        return rc;
    bool faults = room->history->changes;
    struct buffer *out = call_answer_add(call, room, &r, faults);
    if (faults)
        call_pack_faults(out, room, &r);
    return REDO_OK;
}

int call_addalternate(struct call *call)
{
    struct arg const *state = &call->args.param[2], *move = args_option(&call->args, "move");
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_ALTERNATE,
                         .position = (uint32_t)call_integer(call, 1),
                         .state = state->bytes.data,
                         .statesize = state->bytes.size,
                         .value = move->present,
                         .move = move->present ? (int)move->integer : 0};
    int rc = find(call, &room);
    if (rc || (rc = call_apply(call, room, &op, &r)))
        return rc;
    call_answer_add(call, room, &r, 0);
    return REDO_OK;
}
