/* Sessions told by change: beginning them, adding turns, and what is known of their tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/changes/entry.h"
#include "server/begun.h"
#include "server/call.h"
#include "server/page.h"
#include "server/reply.h"

static int fail_fault(struct call *call, int code, struct fault const *fault)
{
    if (code == REDO_ENOMEM || code == REDO_EVERSION)
        return call_fail(call, code);
    error_begin(&call->error, code, "%s", fault->what);
    snprintf(call->word, sizeof call->word, "%s", fault->field); /* the fault is the caller's */
    if (*call->word)
        error_add_text(&call->error, "field", call->word, strlen(call->word));
    return code;
}

/* An option or param of any type as bytes; empty if it is not there. */
static void pack_any(struct arg const *arg, struct buffer *b)
{
    buffer_init(b);
    if (arg->present && arg->any.type != MSGPACK_OBJECT_NIL)
        pack_object(b, &arg->any);
}

int call_beginchanges(struct call *call)
{
    struct buffer schema, table;
    struct fault fault;
    uint64_t what;
    int rc = begun_read(call, BEGUN_CHANGES, &what);
    if (rc)
        return rc;
    pack_any(&call->args.param[0], &schema);
    pack_any(args_option(&call->args, "table"), &table);
    struct history *h = NULL;
    rc = schema.failed || table.failed ? REDO_ENOMEM : REDO_OK;
    if (!rc) {
        h = changes_new(schema.size ? schema.data : NULL, schema.size,
                        table.size ? table.data : NULL, table.size,
                        args_flag(&call->args, "lenient", false), &fault);
        rc = h ? REDO_OK : redo_lasterror();
    }
    buffer_free(&schema);
    buffer_free(&table);
    if (rc)
        return rc == REDO_ENOMEM ? call_fail(call, rc) : fail_fault(call, rc, &fault);
    return call_begin_new(call, h, what);
}

/* A session told by change, as call_room() or call_room_changed() finds it; or REDO_EKIND. */
static int find_room(struct call *call, struct room **room, bool change)
{
    int rc = change ? call_room_changed(call, room) : call_room(call, room);
    if (rc || (*room)->history->changes)
        return rc;
    error_begin(&call->error, REDO_EKIND, "the session is told by states, and not by change");
    return REDO_EKIND;
}

/* ---- turns ------------------------------------------------------------------------------- */

static void pack_list(struct buffer *b, struct arg const *arg)
{
    if (!arg->present) {
        pack_nil(b);
        return;
    }
    pack_array(b, arg->array.size);
    for (uint32_t i = 0; i < arg->array.size; i++)
        pack_object(b, &arg->array.ptr[i]);
}

void call_pack_turn(struct call *call, struct arg const *lines, struct buffer *b)
{
    struct arg const *digest = args_option(&call->args, "digest");
    buffer_init(b);
    pack_array(b, 3);
    pack_list(b, lines);
    pack_list(b, args_option(&call->args, "after"));
    if (digest->present)
        pack_object(b, &digest->any);
    else
        pack_nil(b);
}

/* A turn without lines makes no position: it stays where it was. */
static int stay(struct call *call, struct room *room)
{
    struct node *n;
    int rc = call_node(call, room, 1, &n);
    if (rc)
        return rc;
    struct fields fields = history_fields(room->history, n);
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_POSITION_FIELDS + 2);
    reply_position_fields(b, &fields);
    pack_key(b, "new");
    pack_bool(b, false);
    pack_key(b, "faults");
    pack_uint(b, 0);
    return REDO_OK;
}

static uint32_t faults_of(struct room const *room, redo_result const *r)
{
    struct node *n;
    struct turn const *t =
        history_find(room->history, r->position, &n) ? NULL : changes_turn(room->history, n);
    return t ? t->faults : 0;
}

void call_pack_faults(struct buffer *b, struct room const *room, redo_result const *r)
{
    pack_key(b, "faults");
    pack_uint(b, faults_of(room, r));
}

int call_addchanges(struct call *call)
{
    struct room *room;
    int rc = find_room(call, &room, true);
    if (rc)
        return rc;
    if (!call->args.param[3].array.size)
        return stay(call, room);
    struct buffer turn;
    redo_result r;
    call_pack_turn(call, &call->args.param[3], &turn);
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = (uint32_t)call_integer(call, 1),
                         .move = (int)call_integer(call, 2),
                         .state = turn.data,
                         .statesize = turn.size,
                         .endpoint = (int)call_integer(call, 4),
                         .value = (int)call_integer(call, 5)};
    rc = turn.failed ? call_fail(call, REDO_ENOMEM) : call_add_one(call, room, &op, &r);
    buffer_free(&turn);
    if (rc)
        return rc;
    call_pack_faults(call_answer_add(call, room, &r, 1), room, &r);
    return REDO_OK;
}

/* ---- entries ----------------------------------------------------------------------------- */

/* Applies an operation on the entry of the cursor of param 1. */
static int apply_entry(struct call *call, struct room *room, redo_operation *op, redo_result *r)
{
    struct arg const *name = &call->args.param[1];
    op->name = name->bytes.data;
    op->namesize = name->bytes.size;
    op->position = op->source = REDO_NOPOSITION;
    return call_apply(call, room, op, r);
}

int call_newundo(struct call *call)
{
    struct room *room;
    redo_result r;
    struct arg const *move = args_option(&call->args, "move");
    bool drop = args_flag(&call->args, "drop", false);
    redo_operation op = {.kind = REDO_OP_NEWUNDO,
                         .move = move->present ? (int)move->integer : 0,
                         .endpoint = (int)args_integer(&call->args, "endpoint", 0),
                         .value =
                             (move->present ? redo_entry_move : 0) | (drop ? redo_entry_drop : 0)};
    int rc = find_room(call, &room, true);
    if (rc || (rc = apply_entry(call, room, &op, &r)))
        return rc;
    struct buffer *b = call_answer_add(call, room, &r, 1);
    pack_key(b, "turn");
    pack_bool(b, r.value);
    return REDO_OK;
}

int call_addundo(struct call *call)
{
    struct room *room;
    struct buffer line;
    redo_result r;
    struct arg const *after = args_option(&call->args, "after");
    int rc = find_room(call, &room, true);
    if (rc)
        return rc;
    msgpack_object_array const *told = &call->args.param[2].array;
    /* A line alone must not look like one with what it does not tell. */
    bool both = after->present || (told->size && told->ptr[0].type == MSGPACK_OBJECT_ARRAY);
    buffer_init(&line);
    if (both)
        pack_array(&line, 2);
    pack_list(&line, &call->args.param[2]);
    if (both)
        pack_list(&line, after);
    redo_operation op = {.kind = REDO_OP_ADDUNDO, .state = line.data, .statesize = line.size};
    rc = line.failed ? call_fail(call, REDO_ENOMEM) : apply_entry(call, room, &op, &r);
    buffer_free(&line);
    if (rc)
        return rc;
    struct buffer *b = call_reply(call);
    struct cursor const *cursor = cursors_find(&room->history->cursors, op.name, op.namesize);
    pack_map(b, 2);
    pack_key(b, "lines");
    pack_int(b, r.value);
    pack_key(b, "faults");
    pack_uint(b, cursor && cursor->entry ? cursor->entry->faults : 0);
    return REDO_OK;
}

/* ---- telling ----------------------------------------------------------------------------- */

/* The session of param 0 and the position of a param. */
static int find_both(struct call *call, struct room **room, unsigned param, struct node **n)
{
    int rc = find_room(call, room, false);
    return rc ? rc : call_node(call, *room, param, n);
}

/* The rows of a table into a buffer. */
static int pack_rows(struct room *room, struct table const *t, enum space space,
                     struct buffer const *after, uint32_t limit, struct buffer *b, uint32_t *next)
{
    struct value_writer w = {0};
    int rc = changes_put_rows(room->history, t, space, after->data, after->size, limit, &w, next);
    if (!rc)
        buffer_append(b, w.data, w.size);
    free(w.data);
    return rc;
}

static int pack_level(struct room *room, struct table const *t, struct buffer *b)
{
    struct value_writer w = {0};
    changes_put_level(room->history, t, &w);
    if (!w.failed)
        buffer_append(b, w.data, w.size);
    free(w.data);
    return w.failed ? REDO_ENOMEM : REDO_OK;
}

/* A table's page, but for next. */
static int pack_table(struct call *call, struct room *room, struct table const *t,
                      struct buffer const *after, struct buffer *b, uint32_t *next)
{
    struct buffer none = {0};
    uint32_t ignored;
    bool first = !after->size;
    pack_map(b, first ? 4 : 2);
    pack_key(b, "objects");
    int rc = pack_rows(room, t, SPACE_OBJECTS, after, (uint32_t)page_limit(&call->args), b, next);
    if (!rc && first) {
        pack_key(b, "level");
        rc = pack_level(room, t, b);
        pack_key(b, "cursors");
        if (!rc)
            rc = pack_rows(room, t, SPACE_CURSORS, &none, UINT32_MAX, b, &ignored);
    }
    return rc;
}

int call_gettable(struct call *call)
{
    struct room *room;
    struct node *n;
    struct table const *t;
    struct buffer after, page;
    uint32_t next;
    int rc = find_both(call, &room, 1, &n);
    if (rc)
        return rc;
    buffer_init(&page);
    pack_any(args_option(&call->args, "after"), &after);
    rc = after.failed ? REDO_ENOMEM : changes_table(room->history, n, &t);
    if (!rc)
        rc = pack_table(call, room, t, &after, &page, &next);
    if (!rc && page.failed)
        rc = REDO_ENOMEM;
    if (!rc) {
        struct buffer *b = call_reply(call);
        size_t size;
        void const *last = values_at(&room->history->changes->values, next, &size);
        buffer_append(b, page.data, page.size);
        pack_key(b, "next");
        buffer_append(b, last, size); /* of no value: nil */
    }
    buffer_free(&after);
    buffer_free(&page);
    return rc ? call_fail(call, rc) : REDO_OK;
}

int call_getlines(struct call *call)
{
    struct room *room;
    struct node *n;
    int rc = find_both(call, &room, 1, &n);
    if (rc)
        return rc;
    struct turn const *t = changes_turn(room->history, n);
    if (!t) {
        error_begin(&call->error, REDO_EFIRST,
                    "the first position has no lines: no turn led to it");
        return REDO_EFIRST;
    }
    struct value_writer faulty = {0};
    if ((rc = changes_put_faulty(room->history, n, &faulty))) {
        free(faulty.data);
        return call_fail(call, rc);
    }
    struct value_reader r = {t->data, t->data + t->size}, item;
    static char const *const names[] = {"lines", "after", "digest"};
    struct buffer *b = call_reply(call);
    value_next(&r);
    pack_map(b, 5);
    for (int i = 0; i < 3; i++) {
        item = r;
        value_skip(&r);
        pack_cstr(b, names[i]);
        buffer_append(b, item.at, (size_t)(r.at - item.at));
    }
    pack_key(b, "faults");
    pack_uint(b, t->faults);
    pack_key(b, "faulty");
    buffer_append(b, faulty.data, faulty.size);
    free(faulty.data);
    return REDO_OK;
}

/* The lines of a turn, in the order of their happening or the other way round; adds how many they
 * are. */
static bool put_lines(struct buffer *b, struct turn const *t, bool backwards, uint32_t *told)
{
    struct value_reader r = {t->data, t->data + t->size};
    value_next(&r);
    uint32_t count = value_next(&r).count;
    unsigned char const **starts = malloc((count + 1) * sizeof *starts);
    if (!starts)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        starts[i] = r.at;
        value_skip(&r);
    }
    starts[count] = r.at;
    *told += count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = backwards ? count - 1 - i : i;
        buffer_append(b, starts[k], (size_t)(starts[k + 1] - starts[k]));
    }
    free(starts);
    return true;
}

/* The same as one array. */
static bool pack_lines(struct buffer *b, struct turn const *t, bool backwards)
{
    uint32_t count = 0;
    pack_array(b, (uint32_t)changes_lines(t->data, t->size));
    return put_lines(b, t, backwards, &count);
}

/* What the lines of a turn do not tell. */
static void pack_after(struct buffer *b, struct turn const *t)
{
    struct value_reader r = {t->data, t->data + t->size};
    value_next(&r);
    value_skip(&r);
    unsigned char const *after = r.at;
    value_skip(&r);
    buffer_append(b, after, (size_t)(r.at - after));
}

/* The positions whose turns were gone over: those that an undo has put on the way, or those before
 * the one that a redo has come to. In the order in which their lines are told; NULL: there are none
 * to be told. */
static struct node **gone_over(struct room *room, redo_operation const *op, redo_result const *r)
{
    struct history *h = room->history;
    bool redo = op->value == redo_step_redo || op->value == redo_step_move;
    struct cursor const *cursor = cursors_find(&h->cursors, op->name, op->namesize);
    uint32_t steps = (uint32_t)r->value;
    struct node **list;
    if (r->repeated || !cursor || steps > PAGE_BYTES / 8 ||
        !(list = malloc((steps + 1) * sizeof *list)))
        return NULL;
    struct node *n = node_at(h, cursor->position);
    for (uint32_t i = 0; i < steps; i++) {
        list[redo ? steps - 1 - i : i] = n;
        if (redo)
            n = node_prev(n);
        else
            list[i] = node_at(h, cursor->forth[cursor->count - steps + i]);
    }
    return list;
}

/* What the lines of a turn do not tell, their numbers by so many more. */
static uint32_t pack_after_from(struct buffer *b, struct turn const *t, uint32_t first)
{
    struct value_reader r = {t->data, t->data + t->size};
    value_next(&r);
    value_skip(&r);
    struct value all = value_next(&r);
    uint32_t count = all.type == VALUE_ARRAY ? all.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        value_next(&r);
        struct value line = value_next(&r);
        unsigned char const *start = r.at;
        value_skip(&r);
        value_skip(&r);
        pack_array(b, 3);
        pack_uint(b, first + (uint64_t)line.integer);
        buffer_append(b, start, (size_t)(r.at - start));
    }
    return count;
}

static void pack_counted(struct buffer *b, struct buffer const *items, uint32_t count)
{
    pack_array(b, count);
    buffer_append(b, items->data, items->size);
}

void call_pack_gone_over(struct buffer *b, struct room *room, redo_operation const *op,
                         redo_result const *r)
{
    struct buffer lines, after;
    struct node **list = gone_over(room, op, r);
    bool undo = op->value == redo_step_undo || op->value == redo_step_undomine, told = list;
    uint32_t count = 0, after_count = 0;
    buffer_init(&lines);
    buffer_init(&after);
    for (int i = 0; told && i < r->value; i++) {
        struct turn const *t = changes_turn(room->history, list[i]);
        if (!undo)
            after_count += pack_after_from(&after, t, count);
        told = put_lines(&lines, t, undo, &count) && lines.size < PAGE_BYTES;
    }
    told = told && !lines.failed && !after.failed;
    pack_key(b, "lines");
    if (told)
        pack_counted(b, &lines, count);
    else
        pack_nil(b);
    pack_key(b, "after");
    if (told && after_count)
        pack_counted(b, &after, after_count);
    else
        pack_nil(b);
    buffer_free(&lines);
    buffer_free(&after);
    free(list);
}

/* The turn that led to a position, undone or done. */
static bool pack_step(struct room *room, struct node *n, bool undo, struct buffer *b)
{
    struct turn const *t = changes_turn(room->history, n);
    pack_array(b, 4);
    pack_uint(b, n->in.id);
    pack_bool(b, undo);
    bool packed = pack_lines(b, t, undo);
    if (undo)
        pack_nil(b);
    else
        pack_after(b, t);
    return packed;
}

/* The first `count` positions on the way from top to a position below it; NULL without memory. */
static struct node **way_down(struct node const *top, struct node *to, size_t count)
{
    struct node **way = malloc((count + 1) * sizeof *way);
    for (struct node *n = to; way && n != top; n = node_prev(n)) {
        size_t steps = n->p.movecount - top->p.movecount;
        if (steps <= count)
            way[steps - 1] = n;
    }
    return way;
}

/* Steps from one position towards another, as many as there is room for; where they got to. */
static struct node *pack_steps(struct room *room, struct node *from, struct node *to, size_t limit,
                               struct buffer *b, size_t *count)
{
    struct node *top = history_meet(from, to);
    size_t down = to->p.movecount - top->p.movecount;
    if (down > limit)
        down = limit;
    struct node **way = way_down(top, to, down);
    bool good = way;
    *count = 0;
    for (; good && from != top && *count < limit && b->size < PAGE_BYTES; ++*count) {
        good = pack_step(room, from, true, b);
        from = node_prev(from);
    }
    bool turned = from == top;
    for (size_t i = 0; good && turned && i < down && *count < limit && b->size < PAGE_BYTES;
         i++, ++*count) {
        good = pack_step(room, way[i], false, b);
        from = way[i];
    }
    free(way);
    b->failed |= !good;
    return from;
}

int call_getdiff(struct call *call)
{
    struct room *room;
    struct node *from, *to;
    int rc = find_both(call, &room, 1, &from);
    if (rc || (rc = call_node(call, room, 2, &to)))
        return rc;
    struct buffer steps;
    size_t count;
    buffer_init(&steps);
    struct node *end = pack_steps(room, from, to, page_limit(&call->args), &steps, &count);
    if (steps.failed) {
        buffer_free(&steps);
        return call_fail(call, REDO_ENOMEM);
    }
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "steps");
    pack_array(b, count);
    buffer_append(b, steps.data, steps.size);
    pack_key(b, "next");
    if (end == to)
        pack_nil(b);
    else
        pack_uint(b, end->in.id);
    buffer_free(&steps);
    return REDO_OK;
}

int call_getschema(struct call *call)
{
    struct room *room;
    int rc = find_room(call, &room, false);
    if (rc)
        return rc;
    struct changes const *c = room->history->changes;
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "schema");
    if (c->has_schema)
        buffer_append(b, c->schema.bytes, c->schema.size);
    else
        pack_nil(b);
    pack_key(b, "lenient");
    pack_bool(b, c->lenient);
    return REDO_OK;
}
