/* Changes: each handler makes an operation of its params and applies it. */
#include "server/call.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/redo_record.h"
#include "server/reply.h"

/* What is wrong with a line. */
static void tell_fault(struct call *call, int code, struct fault const *fault)
{
    error_begin(&call->error, code, "%s", fault->what);
    if (fault->line >= 0)
        error_add_int(&call->error, "line", fault->line);
    if (fault->place >= 0)
        error_add_int(&call->error, "place", fault->place);
    if (*fault->field)
        error_add_word(&call->error, "field", fault->field);
    if (fault->expected)
        error_add_value(&call->error, "expected", fault->expected, fault->expected_size);
    if (fault->given)
        error_add_value(&call->error, "given", fault->given, fault->given_size);
}

/* Why there is no such alternate, in words. */
static char const *why_no_alternate(int code, struct room const *room, redo_operation const *op)
{
    struct history *h = room->history;
    struct node *n;
    if (code == REDO_EKIND && h->changes)
        return "a session told by change has no alternates";
    if (code == REDO_EKIND)
        return "all bytes of a state count in this session (cmpsize): it has no alternates";
    if (code != REDO_EDIFFERS || history_find(h, op->position, &n))
        return NULL;
    return memcmp(node_state(h, n), op->state, h->cmpsize) == 0
               ? "another position is there by that move"
               : "the bytes that count are not the position's: it is another board";
}

/* Words of its own for what is refused, or NULL. */
static char const *why_refused(int code, struct room const *room, redo_operation const *op)
{
    if (op->kind == REDO_OP_ALTERNATE)
        return why_no_alternate(code, room, op);
    if (code == REDO_ECONSTANT && op->kind == REDO_OP_ADD)
        return "checkequiv is 0, 1 or 2";
    if (code == REDO_ECONSTANT && op->kind == REDO_OP_GRAFT)
        return "grafting is 0, 1, 2 or 3";
    if (code == REDO_ESTATE && op->kind == REDO_OP_PLAY && !op->state)
        return "the candidate leads nowhere yet: it takes a state";
    return NULL;
}

int call_fail_operation(struct call *call, int code, struct room const *room,
                        redo_operation const *op)
{
    char const *why = why_refused(code, room, op);
    if (why)
        error_begin(&call->error, code, "%s", why);
    else
        call_fail(call, code);
    if (op->position != REDO_NOPOSITION)
        error_add_int(&call->error, "position", op->position);
    if (op->kind == REDO_OP_DUPLICATE)
        error_add_int(&call->error, "source", op->source);
    if (code == REDO_EFULL && op->kind == REDO_OP_DROPTREE) {
        error_add_word(&call->error, "limit", "subtree");
        error_add_int(&call->error, "value", ROOM_BYTES_MAX);
    } else if (code == REDO_ESTATE) {
        error_add_int(&call->error, "expected", room->history->size);
        error_add_int(&call->error, "given", (int64_t)op->statesize);
    } else if (code == REDO_ELINE || code == REDO_ENETWORK) {
        tell_fault(call, code, &room->history->changes->fault);
    } else if (code == REDO_ERANGE && op->kind == REDO_OP_GAMES) {
        error_add_int(&call->error, "at", op->source);
        error_add_int(&call->error, "games", room->history->games->count);
    } else if (code == REDO_ERANGE) {
        error_add_int(&call->error, "endpoint", op->endpoint);
    } else if (code == REDO_ECONSTANT) {
        error_add_int(&call->error, "given", op->value);
    }
    return code;
}

/* What there is to tell of a cursor that is not where it was expected. */
static void tell_cursor(struct call *call, struct room const *room, redo_operation const *op)
{
    struct cursor const *cursor = cursors_find(&room->history->cursors, op->name, op->namesize);
    error_add_text(&call->error, "cursor", op->name, op->namesize);
    if (op->source != REDO_NOPOSITION)
        error_add_int(&call->error, "expected", op->source);
    if (cursor)
        error_add_int(&call->error, "actual", cursor->position);
}

int call_fail_cursor(struct call *call, int code, struct room const *room, redo_operation const *op)
{
    call_fail(call, code);
    if (code == REDO_ELINE || code == REDO_ENETWORK)
        tell_fault(call, code, &room->history->changes->fault);
    if (code == REDO_EEXPECTED || code == REDO_ENOCURSOR)
        tell_cursor(call, room, op);
    if (code == REDO_EFULL) {
        error_add_word(&call->error, "limit", "cursors");
        error_add_int(&call->error, "value", REDO_CURSORS_MAX);
    }
    if (op->position != REDO_NOPOSITION && (code == REDO_EPOSITION || code == REDO_EDROPPED))
        error_add_int(&call->error, "position", op->position);
    return code;
}

/* The key of a request. */
static void take_key(struct call *call, redo_operation *op)
{
    struct arg const *key = args_option(&call->args, "key");
    if (!key || !key->present)
        return;
    op->key = key->bytes.data;
    op->keysize = key->bytes.size;
}

struct key const *call_known(struct call const *call, struct room const *room)
{
    struct arg const *key = args_option(&call->args, "key");
    if (!key || !key->present)
        return NULL;
    return room_key(room, call->client, key->bytes.data, key->bytes.size);
}

int call_check_key(struct call *call)
{
    struct arg const *key = args_option(&call->args, "key");
    if (!key || !key->present || (key->bytes.size >= 1 && key->bytes.size <= REDO_KEY_MAX))
        return REDO_OK;
    error_begin(&call->error, REDO_EKEY, "a key has 1 to %d bytes", REDO_KEY_MAX);
    error_add_int(&call->error, "limit", REDO_KEY_MAX);
    error_add_int(&call->error, "given", (int64_t)key->bytes.size);
    return REDO_EKEY;
}

/* Whether an edit of a record brings nothing. */
static bool takes_away(redo_operation const *op)
{
    bool orders = op->value == redo_edit_drop || op->value == redo_edit_order ||
                  op->value == redo_edit_choose || op->value == redo_edit_decide;
    return orders || !op->statesize;
}

/* How much more the operation may take: an upper bound. What makes nothing and brings nothing may
 * be done over a limit too, so that there is a way back. */
static struct usage_amount amount_of(struct room const *room, struct client *by,
                                     redo_operation const *op)
{
    struct history *h = room->history;
    struct usage_amount more = {.positions = history_growth(h, op)};
    bool cursor = op->kind == REDO_OP_CURSOR && op->value == redo_step_goto &&
                  !cursors_find(&h->cursors, op->name, op->namesize);
    bool brings = op->kind == REDO_OP_UPDATE || op->kind == REDO_OP_PROPERTY ||
                  op->kind == REDO_OP_TURN || op->kind == REDO_OP_ADDUNDO ||
                  (op->kind == REDO_OP_RECORD && !takes_away(op)) || cursor ||
                  (op->kind == REDO_OP_GAMES && op->value == redo_games_insert) || more.positions;
    bool drops = op->kind == REDO_OP_DROP || op->kind == REDO_OP_DROPTREE ||
                 (op->kind == REDO_OP_CURSOR && op->value == redo_step_drop) ||
                 (op->kind == REDO_OP_PROPERTY && !op->statesize) ||
                 (op->kind == REDO_OP_RECORD && takes_away(op));
    if (brings)
        more.bytes = op->statesize + (cursor ? op->namesize : 0);
    if (!room->stored)
        more.bytes += more.positions * (h->size + sizeof(struct node));
    if (!drops && room_author_new(room, by))
        more.bytes += by->name_size + 1;
    return more;
}

/* Whether the session's owner may take as much as the operation may. What is only repeated takes
 * nothing. */
static int check_usage(struct call *call, struct room const *room, redo_operation const *op)
{
    if (!call->gateway->usage.active || call_known(call, room))
        return REDO_OK;
    return call_check_usage(call, room->uid, amount_of(room, call->client, op));
}

int call_submit(struct call *call, struct room *room, redo_operation const *given,
                redo_result *result)
{
    redo_operation op = *given;
    int rc = call_check_write(call, room);
    if (rc || (rc = call_check_key(call)) || (rc = check_usage(call, room, given)))
        return rc;
    take_key(call, &op);
    if (op.keysize && conn_hung_up(call->client->conn))
        return call_fail(call, REDO_ECLOSED); /* it asks again elsewhere, or did, and was refused */
    rc = room_apply(room, call->client, call_in_hurry(call, room), &op, result);
    if (!rc)
        call_waits_for(call, room); /* for this change, too */
    else if (room->history->failed)
        room->gateway->broken = true;
    return rc;
}

int call_apply(struct call *call, struct room *room, redo_operation const *op, redo_result *result)
{
    int rc = call_submit(call, room, op, result);
    if (!rc || call->error.code)
        return rc;
    bool cursor =
        op->kind == REDO_OP_CURSOR || op->kind == REDO_OP_NEWUNDO || op->kind == REDO_OP_ADDUNDO;
    return cursor ? call_fail_cursor(call, rc, room, op) : call_fail_operation(call, rc, room, op);
}

/* Makes the operation of a call with params (session position move|state value), as far as it has
 * them, and applies it. */
static int change(struct call *call, redo_operation *op, struct room **room, redo_result *r)
{
    int rc = call_room_changed(call, room);
    return rc ? rc : call_apply(call, *room, op, r);
}

void call_pack_position(struct buffer *b, struct room *room, redo_result const *r)
{
    pack_map(b, REPLY_POSITION_FIELDS);
    reply_position_fields(b, &history_answer(room->history, r)->fields);
}

int call_setgraftbehavior(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {
        .kind = REDO_OP_GRAFT, .position = REDO_NOPOSITION, .value = (int)call_integer(call, 1)};
    int rc = change(call, &op, &room, &r);
    if (!rc)
        pack_int(call_reply(call), r.value);
    return rc;
}

int call_getnextposition(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_NEXT,
                         .position = (uint32_t)call_integer(call, 1),
                         .move = (int)call_integer(call, 2)};
    int rc = change(call, &op, &room, &r);
    if (rc)
        return rc;
    struct buffer *b = call_reply(call);
    if (r.position == REDO_NOPOSITION)
        pack_nil(b);
    else
        call_pack_position(b, room, &r);
    return REDO_OK;
}

int call_dropposition(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_DROP, .position = (uint32_t)call_integer(call, 1)};
    int rc = change(call, &op, &room, &r);
    if (!rc)
        pack_uint(call_reply(call), r.position);
    return rc;
}

int call_updatesavedstate(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_UPDATE,
                         .position = (uint32_t)call_integer(call, 1),
                         .state = call->args.param[2].bytes.data,
                         .statesize = call->args.param[2].bytes.size};
    int rc = change(call, &op, &room, &r);
    if (!rc)
        pack_nil(call_reply(call));
    return rc;
}

int call_setbetterfields(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_SETBETTER, .position = REDO_NOPOSITION};
    int rc = change(call, &op, &room, &r);
    if (!rc)
        pack_int(call_reply(call), r.value);
    return rc;
}

int call_suppresscycle(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_CYCLE,
                         .position = (uint32_t)call_integer(call, 1),
                         .state = call->args.param[2].bytes.data,
                         .statesize = call->args.param[2].bytes.size,
                         .value = (int)call_integer(call, 3)};
    int rc = change(call, &op, &room, &r);
    if (rc)
        return rc;
    struct buffer *b = call_reply(call);
    pack_map(b, 3);
    pack_key(b, "found");
    pack_bool(b, r.value);
    pack_key(b, "position");
    pack_uint(b, r.position);
    pack_key(b, "dropped");
    pack_uint(b, r.dropped);
    return REDO_OK;
}

int call_duplicatepath(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_DUPLICATE,
                         .position = (uint32_t)call_integer(call, 1),
                         .source = (uint32_t)call_integer(call, 2)};
    int rc = change(call, &op, &room, &r);
    if (rc)
        return rc;
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "copied");
    pack_bool(b, r.value);
    pack_key(b, "made");
    reply_made(b, &r);
    return REDO_OK;
}

int call_clearsessionchanged(struct call *call)
{
    struct room *room;
    redo_result r;
    redo_operation op = {.kind = REDO_OP_CLEAR, .position = REDO_NOPOSITION};
    int rc = change(call, &op, &room, &r);
    if (!rc)
        pack_bool(call_reply(call), r.value);
    return rc;
}

int call_apply_encoded(struct call *call)
{
    struct arg const *bytes = &call->args.param[1];
    redo_operation op;
    struct room *room;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    if (!redo_operation_decode(bytes->bytes.data, bytes->bytes.size, &op))
        return call_fail(call, REDO_EOPERATION);
    if (op.kind == REDO_OP_GAMES) {
        error_begin(&call->error, REDO_EOPERATION,
                    "games of a match: addgames, dropgames and ordergames");
        return REDO_EOPERATION;
    }
    redo_result r;
    if ((rc = call_apply(call, room, &op, &r)))
        return rc;
    struct buffer *b = call_reply(call);
    pack_map(b, 13);
    pack_key(b, "value");
    pack_int(b, r.value);
    pack_key(b, "position");
    reply_number(b, r.position);
    pack_key(b, "created");
    pack_bool(b, r.created);
    pack_key(b, "differs");
    pack_bool(b, r.differs);
    pack_key(b, "changed");
    pack_bool(b, r.changed);
    pack_key(b, "graftedfrom");
    reply_number(b, r.graftedfrom);
    pack_key(b, "graftedto");
    reply_number(b, r.graftedto);
    pack_key(b, "supersedes");
    reply_number(b, r.supersedes);
    pack_key(b, "firstmade");
    reply_number(b, r.firstmade);
    pack_key(b, "made");
    pack_uint(b, r.made);
    pack_key(b, "dropped");
    pack_uint(b, r.dropped);
    pack_key(b, "sequence");
    pack_uint(b, r.repeated ? room->history->answer.sequence : room->sequence);
    pack_key(b, "repeated");
    pack_bool(b, r.repeated);
    return REDO_OK;
}
