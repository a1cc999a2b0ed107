/* Changes: each handler makes an operation of its params and applies it. */
#include "server/call.h"

#include <stdlib.h>

#include "server/moves.h"
#include "server/reply.h"

/* What there is to tell of an operation that is refused. */
static int fail_operation(struct call *call, int code, struct room const *room,
                          redo_operation const *op)
{
    call_fail(call, code);
    if (op->position != REDO_NOPOSITION)
        error_add_int(&call->error, "position", op->position);
    if (op->kind == REDO_OP_DUPLICATE)
        error_add_int(&call->error, "source", op->source);
    if (code == REDO_ESTATE) {
        error_add_int(&call->error, "expected", room->history->size);
        error_add_int(&call->error, "given", (int64_t)op->statesize);
    } else if (code == REDO_ERANGE) {
        error_add_int(&call->error, "endpoint", op->endpoint);
    } else if (code == REDO_ECONSTANT) {
        error_add_int(&call->error, "given", op->value);
    }
    return code;
}

int call_apply(struct call *call, struct room *room, redo_operation const *op, redo_result *result)
{
    int rc = call_check_write(call, room);
    if (rc)
        return rc;
    rc = room_apply(room, call->client, call_in_hurry(call, room), op, result);
    if (!rc) {
        call_waits_for(call, room); /* for this change, too */
        return REDO_OK;
    }
    return fail_operation(call, rc, room, op);
}

/* With strict: the operation comes upon this position, which must have its state and endpoint. */
static int check_same(struct call *call, struct room const *room, struct node const *n,
                      redo_operation const *op)
{
    struct history *h = room->history;
    if (n->p.endpoint == op->endpoint && !memcmp(node_state(h, n), op->state, h->size))
        return REDO_OK;
    call_fail(call, REDO_EDIFFERS);
    error_add_int(&call->error, "position", n->in.id);
    error_add_int(&call->error, "endpoint", n->p.endpoint);
    return REDO_EDIFFERS;
}

/* With strict: whether the move is there with another state or endpoint. */
static int check_strict(struct call *call, struct room const *room, redo_operation const *op)
{
    struct node *prev;
    struct history *h = room->history;
    if (history_find(h, op->position, &prev) || op->statesize != h->size)
        return REDO_OK; /* for the operation itself to refuse */
    struct node *n = branch_find(h, prev, op->move);
    return n ? check_same(call, room, n, op) : REDO_OK;
}

int call_addposition(struct call *call)
{
    struct room *room;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = (uint32_t)call_integer(call, 1),
                         .move = (int)call_integer(call, 2),
                         .state = call->args.param[3].bytes.data,
                         .statesize = call->args.param[3].bytes.size,
                         .endpoint = (int)call_integer(call, 4),
                         .value = (int)call_integer(call, 5)};
    if (args_flag(&call->args, "strict", false) && (rc = check_strict(call, room, &op)))
        return rc;
    redo_result r;
    if ((rc = call_apply(call, room, &op, &r)))
        return rc;
    bool grafted = r.graftedto != REDO_NOPOSITION, copied = r.made > 1;
    bool supersedes = r.supersedes != REDO_NOPOSITION;
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_POSITION_FIELDS + 1u + r.differs + grafted + copied + supersedes);
    reply_position_fields(b, node_at(room->history, r.position));
    pack_key(b, "new");
    pack_bool(b, r.created);
    if (r.differs) {
        pack_key(b, "differs");
        pack_bool(b, true);
    }
    if (grafted) {
        pack_key(b, "grafted");
        pack_map(b, 2);
        pack_key(b, "from");
        pack_uint(b, r.graftedfrom);
        pack_key(b, "to");
        pack_uint(b, r.graftedto);
    }
    if (copied) {
        pack_key(b, "made");
        pack_array(b, 2);
        pack_uint(b, r.firstmade);
        pack_uint(b, r.made);
    }
    if (supersedes) {
        pack_key(b, "supersedes");
        pack_uint(b, r.supersedes);
    }
    return REDO_OK;
}

/* One item of a bulk add. */
struct item {
    redo_operation op;
    int64_t prev; /* below 0: a place in the list */
    /* With strict, where it leads: */
    struct node *node; /* a position that is there, or NULL: */
    uint32_t maker;    /* the one that this item makes, or one before it */
};

#define ITEM_FIELDS 5

static int read_item(struct call *call, struct room *room, msgpack_object const *object,
                     size_t index, struct item *item)
{
    static struct {
        char const *name;
        enum param_type type;
    } const expected[ITEM_FIELDS] = {{"prev", PARAM_POSITION},
                                     {"move", PARAM_INT},
                                     {"state", PARAM_BIN},
                                     {"endpoint", PARAM_INT},
                                     {"checkequiv", PARAM_INT}};
    struct arg arg[ITEM_FIELDS];
    if (object->type != MSGPACK_OBJECT_ARRAY)
        return call_fail(call, REDO_ETYPE);
    if (object->via.array.size != ITEM_FIELDS)
        return call_fail(call, REDO_EPARAMS);
    msgpack_object const *fields = object->via.array.ptr;
    bool place = fields[0].type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
    for (int i = place ? 1 : 0; i < ITEM_FIELDS; i++) {
        int rc = arg_read(expected[i].type, &fields[i], &arg[i]);
        if (rc) {
            call_fail(call, rc);
            error_add_word(&call->error, "field", expected[i].name);
            return rc;
        }
    }
    item->prev = place ? fields[0].via.i64 : arg[0].integer;
    item->op = (redo_operation){.kind = REDO_OP_ADD,
                                .position = place ? REDO_NOPOSITION : (uint32_t)item->prev,
                                .move = (int)arg[1].integer,
                                .state = arg[2].bytes.data,
                                .statesize = arg[2].bytes.size,
                                .endpoint = (int)arg[3].integer,
                                .value = (int)arg[4].integer};
    if (place && item->prev < -(int64_t)index) {
        call_fail(call, REDO_EPOSITION);
        error_add_word(&call->error, "field", expected[0].name);
        return REDO_EPOSITION;
    }
    struct node *n;
    int rc = place ? REDO_OK : history_find(room->history, item->op.position, &n);
    if (!rc)
        rc = history_check_add(room->history, &item->op);
    return rc ? fail_operation(call, rc, room, &item->op) : REDO_OK;
}

/* With strict: whether what the item comes upon, in the history or earlier in the list, has another
 * state or endpoint. */
static int check_strict_item(struct call *call, struct room *room, struct item *items, uint32_t i,
                             struct moves *moves)
{
    struct history *h = room->history;
    struct item *item = &items[i], *before = item->prev < 0 ? &items[-1 - item->prev] : NULL;
    struct node *prev = before ? before->node : node_at(h, item->op.position);
    redo_operation const *op = &item->op;

    item->node = prev ? branch_find(h, prev, op->move) : NULL;
    if (item->node)
        return check_same(call, room, item->node, op);
    uint64_t parent = prev ? prev->in.id : UINT64_C(1) << 32 | before->maker;
    item->maker = moves_note(moves, parent, op->move, i);
    redo_operation const *made = &items[item->maker].op;
    if (made->endpoint == op->endpoint && !memcmp(made->state, op->state, h->size))
        return REDO_OK;
    call_fail(call, REDO_EDIFFERS);
    error_add_int(&call->error, "item", item->maker);
    return REDO_EDIFFERS;
}

/* Reads all items and refuses the whole if one of them can not be added. */
static int read_items(struct call *call, struct room *room, msgpack_object_array const *list,
                      struct item *items)
{
    bool strict = args_flag(&call->args, "strict", false);
    struct moves moves = {0};
    if (strict && moves_init(&moves, list->size, room->history->seed))
        return call_fail(call, REDO_ENOMEM);
    int rc = REDO_OK;
    for (uint32_t i = 0; !rc && i < list->size; i++) {
        rc = read_item(call, room, &list->ptr[i], i, &items[i]);
        if (!rc && strict)
            rc = check_strict_item(call, room, items, i, &moves);
        if (rc)
            error_add_int(&call->error, "index", i);
    }
    moves_close(&moves);
    return rc;
}

int call_addpositions(struct call *call)
{
    struct room *room;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    msgpack_object_array const *list = &call->args.param[1].array;
    struct item *items = malloc((list->size ? list->size : 1) * sizeof *items);
    redo_result *results = malloc((list->size ? list->size : 1) * sizeof *results);
    rc = items && results ? read_items(call, room, list, items) : call_fail(call, REDO_ENOMEM);
    for (size_t i = 0; !rc && i < list->size; i++) {
        if (items[i].prev < 0)
            items[i].op.position = results[-1 - items[i].prev].position;
        rc = call_apply(call, room, &items[i].op, &results[i]);
        if (rc) { /* memory, or numbers, have run out: what is done stays, and is told */
            error_add_int(&call->error, "index", (int64_t)i);
            error_add_int(&call->error, "added", (int64_t)i);
        }
    }
    if (!rc) {
        struct buffer *b = call_reply(call);
        pack_map(b, 2);
        pack_key(b, "numbers");
        pack_array(b, list->size);
        for (size_t i = 0; i < list->size; i++)
            pack_uint(b, results[i].position);
        pack_key(b, "new");
        pack_array(b, list->size);
        for (size_t i = 0; i < list->size; i++)
            pack_bool(b, results[i].created);
    }
    free(items);
    free(results);
    return rc;
}

/* Makes the operation of a call with params (session position move|state value), as far as it has
 * them, and applies it. */
static int change(struct call *call, redo_operation *op, struct room **room, redo_result *r)
{
    int rc = call_room_changed(call, room);
    return rc ? rc : call_apply(call, *room, op, r);
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
        reply_position(b, room->history, node_at(room->history, r.position), false);
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
    redo_result r;
    if ((rc = call_apply(call, room, &op, &r)))
        return rc;
    struct buffer *b = call_reply(call);
    pack_map(b, 12);
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
    pack_uint(b, room->sequence);
    return REDO_OK;
}
