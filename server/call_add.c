/* Adding positions: one, many as one turn, with a cursor that goes along; what is asked of those
 * that are there already. */
#include "server/call.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/turn.h"
#include "server/moves.h"
#include "server/reply.h"

/* With strict: the operation comes upon this position, which must have its state and endpoint. */
static int check_same(struct call *call, struct room const *room, struct node const *n,
                      redo_operation const *op)
{
    if (n->p.endpoint == op->endpoint && !history_differs(room->history, n, op))
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
    if (history_find(h, op->position, &prev) || history_check_add(h, op))
        return REDO_OK; /* for the operation itself to refuse */
    struct node *n = branch_find(h, prev, op->move);
    return n ? check_same(call, room, n, op) : REDO_OK;
}

/* The cursor that moves with what is added, as the last item of a turn: 1 if there is one, else 0;
 * or what is wrong with it, below 0. */
static int read_cursor(struct call *call, struct room *room, uint32_t after, struct turn_item *item)
{
    struct arg const *name = args_option(&call->args, "cursor");
    struct arg const *expect = args_option(&call->args, "expect");
    if (!name->present && expect->present) {
        call_fail(call, REDO_EPARAMS);
        error_add_word(&call->error, "option", "expect");
        return -REDO_EPARAMS;
    }
    if (!name->present)
        return 0;
    *item = (struct turn_item){
        .after = after,
        .op = {.kind = REDO_OP_CURSOR,
               .value = redo_step_goto,
               .name = name->bytes.data,
               .namesize = name->bytes.size,
               .position = REDO_NOPOSITION,
               .source = expect->present ? (uint32_t)expect->integer : REDO_NOPOSITION}};
    int rc = call_known(call, room) ? REDO_OK : cursors_check(room->history, &item->op);
    return rc ? -call_fail_cursor(call, rc, room, &item->op) : 1;
}

/* Applies items as a turn; if it is refused, that is told of `about`, or if it is NULL of the turn.
 */
static int apply_turn(struct call *call, struct room *room, struct turn_item const *items,
                      uint32_t count, redo_operation const *about, redo_result *r)
{
    void *data;
    redo_operation op = {.kind = REDO_OP_TURN, .position = REDO_NOPOSITION};
    int rc = turn_write(items, count, &data, &op.statesize);
    if (rc == REDO_EFULL) {
        call_fail(call, rc);
        error_add_word(&call->error, "limit", "adds");
        error_add_int(&call->error, "value", REDO_TURN_MAX);
    }
    if (rc)
        return rc == REDO_EFULL ? rc : call_fail(call, rc);
    op.state = data;
    rc = call_submit(call, room, &op, r);
    free(data);
    if (rc && !call->error.code)
        call_fail_operation(call, rc, room, about ? about : &op);
    return rc;
}

/* Adds one position, or plays a candidate, and moves a cursor to it, as one. */
static int add_with_cursor(struct call *call, struct room *room, redo_operation const *op,
                           struct turn_item *items, redo_result *r)
{
    struct node *n;
    bool check = op->kind == REDO_OP_ADD && !call_known(call, room);
    int rc = check ? history_find(room->history, op->position, &n) : REDO_OK;
    if (!rc && check)
        rc = history_check_add(room->history, op);
    if (rc)
        return call_fail_operation(call, rc, room, op);
    items[0] = (struct turn_item){.op = *op};
    return apply_turn(call, room, items, 2, op, r);
}

struct buffer *call_answer_add(struct call *call, struct room *room, redo_result const *r,
                               unsigned more)
{
    struct answer const *answer = history_answer(room->history, r);
    bool grafted = r->graftedto != REDO_NOPOSITION, copied = r->made > 1;
    bool supersedes = r->supersedes != REDO_NOPOSITION;
    bool renamed = room->history->changes && !r->repeated && room->history->changes->renamed_count;
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_POSITION_FIELDS + 1u + r->differs + grafted + copied + supersedes + renamed +
                    more);
    reply_position_fields(b, &answer->fields);
    pack_key(b, "new");
    pack_bool(b, r->created);
    if (r->differs) {
        pack_key(b, "differs");
        pack_bool(b, true);
    }
    if (grafted) {
        pack_key(b, "grafted");
        pack_map(b, 2);
        pack_key(b, "from");
        pack_uint(b, r->graftedfrom);
        pack_key(b, "to");
        pack_uint(b, r->graftedto);
    }
    if (renamed) {
        pack_key(b, "renamed");
        reply_renamed(b, room->history);
    }
    if (copied) {
        pack_key(b, "made");
        pack_array(b, 2);
        pack_uint(b, r->firstmade);
        pack_uint(b, r->made);
    }
    if (supersedes) {
        pack_key(b, "supersedes");
        pack_uint(b, r->supersedes);
    }
    return b;
}

int call_add_one(struct call *call, struct room *room, redo_operation const *op, redo_result *r)
{
    int rc;
    struct turn_item items[2];
    bool strict = op->kind == REDO_OP_ADD && args_flag(&call->args, "strict", false);
    if (strict && !call_known(call, room) && (rc = check_strict(call, room, op)))
        return rc;
    int cursor = read_cursor(call, room, 1, &items[1]);
    if (cursor < 0)
        return -cursor;
    return cursor ? add_with_cursor(call, room, op, items, r) : call_apply(call, room, op, r);
}

/* A session told by change takes addchanges alone. */
static int find_room(struct call *call, struct room **room)
{
    int rc = call_room_changed(call, room);
    if (rc || !(*room)->history->changes)
        return rc;
    error_begin(&call->error, REDO_EKIND, "the session is told by change: it takes addchanges");
    return REDO_EKIND;
}

int call_addposition(struct call *call)
{
    struct room *room;
    int rc = find_room(call, &room);
    if (rc)
        return rc;
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = (uint32_t)call_integer(call, 1),
                         .move = (int)call_integer(call, 2),
                         .state = call->args.param[3].bytes.data,
                         .statesize = call->args.param[3].bytes.size,
                         .endpoint = (int)call_integer(call, 4),
                         .value = (int)call_integer(call, 5)};
    redo_result r;
    if ((rc = call_add_one(call, room, &op, &r)))
        return rc;
    call_answer_add(call, room, &r, 0);
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
                     size_t index, bool known, struct item *item)
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
    int rc = place || known ? REDO_OK : history_find(room->history, item->op.position, &n);
    if (!rc && !known)
        rc = history_check_add(room->history, &item->op);
    return rc ? call_fail_operation(call, rc, room, &item->op) : REDO_OK;
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
    bool known = call_known(call, room); /* looked for once, not for each item */
    bool strict = args_flag(&call->args, "strict", false) && !known;
    struct moves moves = {0};
    if (strict && moves_init(&moves, list->size, room->history->seed))
        return call_fail(call, REDO_ENOMEM);
    int rc = REDO_OK;
    for (uint32_t i = 0; !rc && i < list->size; i++) {
        rc = read_item(call, room, &list->ptr[i], i, known, &items[i]);
        if (!rc && strict)
            rc = check_strict_item(call, room, items, i, &moves);
        if (rc)
            error_add_int(&call->error, "index", i);
    }
    moves_close(&moves);
    return rc;
}

/* What each of the items of a turn came upon. */
static void answer_items(struct call *call, struct room *room, redo_result const *r)
{
    struct answer const none = {0};
    struct answer const *answer = r ? history_answer(room->history, r) : &none;
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "numbers");
    pack_array(b, answer->count);
    for (uint32_t i = 0; i < answer->count; i++)
        pack_uint(b, answer->items[i] >> 1);
    pack_key(b, "new");
    pack_array(b, answer->count);
    for (uint32_t i = 0; i < answer->count; i++)
        pack_bool(b, answer->items[i] & 1);
}

/* The items as a turn, with a cursor if one is to move. */
static int add_items(struct call *call, struct room *room, struct item const *items, uint32_t count,
                     redo_result *r)
{
    struct turn_item *turn = malloc((count + 1) * sizeof *turn);
    if (!turn)
        return call_fail(call, REDO_ENOMEM);
    for (uint32_t i = 0; i < count; i++) {
        bool place = items[i].prev < 0;
        turn[i] =
            (struct turn_item){.op = items[i].op, .after = place ? (uint32_t)-items[i].prev : 0};
    }
    int cursor = read_cursor(call, room, count, &turn[count]);
    int rc = cursor < 0 ? -cursor : apply_turn(call, room, turn, count + (uint32_t)cursor, NULL, r);
    free(turn);
    return rc;
}

int call_addpositions(struct call *call)
{
    struct room *room;
    int rc = find_room(call, &room);
    if (rc)
        return rc;
    msgpack_object_array const *list = &call->args.param[1].array;
    if (!list->size) { /* nothing to do */
        answer_items(call, room, NULL);
        return REDO_OK;
    }
    redo_result r;
    struct item *items = malloc(list->size * sizeof *items);
    rc = items ? read_items(call, room, list, items) : call_fail(call, REDO_ENOMEM);
    if (!rc)
        rc = add_items(call, room, items, list->size, &r);
    if (!rc)
        answer_items(call, room, &r);
    free(items);
    return rc;
}
