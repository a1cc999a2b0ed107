/* Cursors, and the authors of positions. */
#include <string.h>

#include "server/call.h"
#include "server/page.h"
#include "server/reply.h"

/* ---- cursors ----------------------------------------------------------------------------- */

/* Moves the cursor of param 1 by the step, n moves or along the move n; answers CURSOR. */
static int move(struct call *call, struct room *room, int step, int n, uint32_t position)
{
    struct arg const *name = &call->args.param[1];
    struct arg const *expect = args_option(&call->args, "expect");
    redo_operation op = {.kind = REDO_OP_CURSOR,
                         .name = name->bytes.data,
                         .namesize = name->bytes.size,
                         .value = step,
                         .move = n,
                         .position = position,
                         .source = expect->present ? (uint32_t)expect->integer : REDO_NOPOSITION};
    redo_result r;
    int rc = call_apply(call, room, &op, &r);
    if (rc)
        return rc;
    struct buffer *b = call_reply(call);
    bool lines = room->history->changes && (step == redo_step_undo || step == redo_step_undomine ||
                                            step == redo_step_redo || step == redo_step_move);
    pack_map(b, lines ? 5 : 3);
    pack_key(b, "name");
    pack_str(b, name->bytes.data, name->bytes.size);
    pack_key(b, "position");
    call_pack_position(b, room, &r);
    pack_key(b, "steps");
    pack_int(b, r.value);
    if (lines)
        call_pack_gone_over(b, room, &op, &r);
    return REDO_OK;
}

/* The option n: how many moves; more than there can be is all. */
static int moves(struct call const *call)
{
    int64_t n = args_integer(&call->args, "n", 1);
    return n > INT32_MAX ? INT32_MAX : (int)n;
}

int call_setcursor(struct call *call)
{
    struct room *room;
    int rc = call_room_changed(call, &room);
    return rc ? rc : move(call, room, redo_step_goto, 0, (uint32_t)call_integer(call, 2));
}

int call_undo(struct call *call)
{
    struct room *room;
    bool mine = args_flag(&call->args, "mine", false);
    int rc = call_room_changed(call, &room);
    return rc ? rc
              : move(call, room, mine ? redo_step_undomine : redo_step_undo, moves(call),
                     REDO_NOPOSITION);
}

int call_redo(struct call *call)
{
    struct room *room;
    struct arg const *along = args_option(&call->args, "move"), *n = args_option(&call->args, "n");
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    if (along->present && n->present) { /* only one move is told */
        call_fail(call, REDO_EPARAMS);
        error_add_word(&call->error, "option", "n");
        return REDO_EPARAMS;
    }
    return along->present ? move(call, room, redo_step_move, (int)along->integer, REDO_NOPOSITION)
                          : move(call, room, redo_step_redo, moves(call), REDO_NOPOSITION);
}

int call_movecursor(struct call *call)
{
    static struct {
        char const *name;
        int step;
    } const steps[] = {{"branchback", redo_step_branchback},
                       {"branchforth", redo_step_branchforth},
                       {"better", redo_step_better},
                       {"solution", redo_step_solution}};
    struct arg const *word = &call->args.param[2];
    struct room *room;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strlen(steps[i].name) == word->bytes.size &&
            memcmp(steps[i].name, word->bytes.data, word->bytes.size) == 0)
            return move(call, room, steps[i].step, moves(call), REDO_NOPOSITION);
    call_fail(call, REDO_ECONSTANT);
    error_add_text(&call->error, "step", word->bytes.data, word->bytes.size);
    return REDO_ECONSTANT;
}

int call_dropcursor(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    redo_operation op = {.kind = REDO_OP_CURSOR,
                         .name = name->bytes.data,
                         .namesize = name->bytes.size,
                         .value = redo_step_drop,
                         .position = REDO_NOPOSITION,
                         .source = REDO_NOPOSITION};
    redo_result r;
    rc = call_apply(call, room, &op, &r);
    if (!rc)
        pack_nil(call_reply(call));
    return rc;
}

int call_getcursor(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct history const *h = room->history;
    struct cursor const *cursor = cursors_find(&h->cursors, name->bytes.data, name->bytes.size);
    if (!cursor) {
        call_fail(call, REDO_ENOCURSOR);
        error_add_text(&call->error, "cursor", name->bytes.data, name->bytes.size);
        return REDO_ENOCURSOR;
    }
    reply_position(call_reply(call), h, node_at(h, cursor->position),
                   args_flag(&call->args, "states", false));
    return REDO_OK;
}

int call_getcursors(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct cursors const *cursors = &room->history->cursors;
    struct buffer *b = call_reply(call);
    pack_array(b, cursors->count);
    for (uint32_t i = 0; i < cursors->count; i++) {
        pack_map(b, 2);
        pack_key(b, "name");
        pack_text(b, cursors->all[i].name, cursors->all[i].name_size);
        pack_key(b, "position");
        pack_uint(b, cursors->all[i].position);
    }
    return REDO_OK;
}

/* ---- authors ----------------------------------------------------------------------------- */

#define AUTHOR_BYTES 32 /* that one takes on a page, its name left aside; or less */

int call_getauthors(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct history const *h = room->history;
    uint64_t after = (uint64_t)args_integer(&call->args, "after", 0), all = h->authors.count;
    if (after > all)
        after = all;
    uint64_t count = 0, limit = page_limit(&call->args);
    for (size_t bytes = 0; after + count < all && count < limit && bytes < PAGE_BYTES; count++)
        bytes += AUTHOR_BYTES + h->authors.all[after + count].name_size;
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "authors");
    pack_array(b, (uint32_t)count);
    for (uint64_t i = 1; i <= count; i++)
        reply_author(b, h, (uint32_t)(after + i));
    pack_key(b, "next");
    if (after + count < all)
        pack_uint(b, after + count);
    else
        pack_nil(b);
    return REDO_OK;
}
