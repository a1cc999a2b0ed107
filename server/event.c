#include "server/event.h"

#include "protocol/method.h"
#include "server/reply.h"

static char const *method_of_cursor(redo_operation const *op)
{
    switch (op->value) {
    case redo_step_goto:
        return "setcursor";
    case redo_step_undo:
    case redo_step_undomine:
        return "undo";
    case redo_step_redo:
    case redo_step_move:
        return "redo";
    case redo_step_drop:
        return "dropcursor";
    }
    return "movecursor";
}

/* The method that makes operations of this kind. */
static char const *method_of(redo_operation const *op)
{
    switch (op->kind) {
    case REDO_OP_ADD:
        return "addposition";
    case REDO_OP_NEXT:
        return "getnextposition";
    case REDO_OP_DROP:
        return "dropposition";
    case REDO_OP_GRAFT:
        return "setgraftbehavior";
    case REDO_OP_UPDATE:
        return "updatesavedstate";
    case REDO_OP_SETBETTER:
        return "setbetterfields";
    case REDO_OP_CYCLE:
        return "suppresscycle";
    case REDO_OP_DUPLICATE:
        return "duplicatepath";
    case REDO_OP_CLEAR:
        return "clearsessionchanged";
    case REDO_OP_PROPERTY:
        return "setproperty";
    case REDO_OP_DROPTREE:
        return "dropsubtree";
    case REDO_OP_RESTORE:
        return "restoresubtree";
    case REDO_OP_CURSOR:
        return method_of_cursor(op);
    case REDO_OP_TURN:
        return "addpositions";
    }
    return "";
}

#define GONE_MAX 1000

/* The numbers of the positions that were dropped: op->position and those before it, whose nodes
 * still tell their way up. Of a dropped subtree its top says it all. */
static void pack_gone(struct buffer *b, struct room const *room, redo_operation const *op,
                      redo_result const *r)
{
    if (r->dropped > GONE_MAX || op->kind == REDO_OP_DROPTREE) {
        pack_nil(b);
        return;
    }
    pack_array(b, r->dropped);
    struct node const *n = r->dropped ? node_at(room->history, op->position) : NULL;
    for (uint32_t i = 0; i < r->dropped; i++, n = node_prev(n))
        pack_uint(b, n->in.id);
}

/* EFFECTS of methods.def: nil where they do not apply. */
static void effects_pack(struct buffer *b, struct room const *room, redo_operation const *op,
                         redo_result const *r)
{
    uint32_t number = r->position != REDO_NOPOSITION ? r->position : op->position;
    struct node *n;
    bool known = op->kind != REDO_OP_GRAFT && op->kind != REDO_OP_SETBETTER &&
                 op->kind != REDO_OP_CLEAR && op->kind != REDO_OP_PROPERTY &&
                 history_find(room->history, number, &n) == REDO_OK;
    pack_map(b, 8);
    pack_key(b, "method");
    pack_cstr(b, method_of(op));
    pack_key(b, "position");
    if (known)
        reply_position(b, room->history, n, false);
    else
        pack_nil(b);
    pack_key(b, "new");
    pack_bool(b, r->created);
    pack_key(b, "grafted");
    if (r->graftedto == REDO_NOPOSITION) {
        pack_nil(b);
    } else {
        pack_map(b, 2);
        pack_key(b, "from");
        pack_uint(b, r->graftedfrom);
        pack_key(b, "to");
        pack_uint(b, r->graftedto);
    }
    pack_key(b, "made");
    reply_made(b, r);
    pack_key(b, "dropped");
    pack_uint(b, r->dropped);
    pack_key(b, "gone");
    pack_gone(b, room, op, r);
    pack_key(b, "supersedes");
    reply_number(b, r->supersedes);
}

void event_pack(struct buffer *b, struct room const *room, redo_operation const *op,
                redo_result const *result)
{
    pack_notification(b, event_table[EVENT_OPERATION].name);
    pack_array(b, 5);
    pack_uint(b, room->handle);
    pack_uint(b, room->sequence);
    pack_bin(b, room->encoded.data, room->encoded.size);
    if (result)
        effects_pack(b, room, op, result);
    else
        pack_nil(b);
}

void event_pack_resync(struct buffer *b, uint64_t session)
{
    pack_notification(b, event_table[EVENT_RESYNC].name);
    pack_array(b, 1);
    pack_uint(b, session);
}

void event_pack_ended(struct buffer *b, struct room const *room)
{
    pack_notification(b, event_table[EVENT_ENDED].name);
    pack_array(b, 1);
    pack_uint(b, room->handle);
}
