#include "tests/core/changes_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/redo_record.h"
#include "core/subtree.h"
#include "core/turn.h"

#define HOLD(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

uint32_t changes_play_random(struct changes_play *p, uint32_t below)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((p->random >> 33) % below);
}

static uint32_t dice(struct changes_play *p, uint32_t below)
{
    return changes_play_random(p, below);
}

static void text(struct value_writer *w, char const *word)
{
    value_put_string(w, word, strlen(word));
}

/* ---- schemas ----------------------------------------------------------------------------- */

static void field(struct value_writer *w, char const *name, int initial, bool board, bool id)
{
    text(w, name);
    value_put_map(w, id ? 2 : 2);
    text(w, "default");
    value_put_int(w, initial);
    text(w, id ? "id" : "board");
    value_put_bool(w, id ? true : board);
}

static void parts(struct value_writer *w, char const *which, char const *a, int place,
                  char const *b, int other)
{
    text(w, which);
    value_put_map(w, b ? 2 : 1);
    text(w, a);
    value_put_int(w, place);
    if (!b)
        return;
    text(w, b);
    value_put_int(w, other);
}

static void kind(struct value_writer *w, char const *name, char const *type, int id, uint32_t more)
{
    text(w, name);
    value_put_map(w, 1 + (id > 0) + more);
    text(w, "type");
    text(w, type);
    if (!id)
        return;
    text(w, "id");
    value_put_int(w, id);
}

/* Objects with a kind, a place, a tint that does not count, and the object they hold. */
static void put_schema(struct value_writer *w, bool forgetful)
{
    value_put_map(w, 5);
    text(w, "version");
    value_put_int(w, 1);
    text(w, "objects");
    value_put_map(w, 4);
    field(w, "kind", 0, true, false);
    field(w, "x", 0, true, false);
    field(w, "tint", 0, false, false);
    field(w, "holds", 0, true, true);
    text(w, "level");
    value_put_map(w, 2);
    field(w, "sun", 0, true, false);
    field(w, "eye", 0, true, true);
    text(w, "cursors");
    value_put_map(w, 1);
    field(w, "x", 0, true, false);
    text(w, "kinds");
    value_put_map(w, 9);
    kind(w, "go", "change", 1, forgetful ? 1 : 2);
    parts(w, "old", "x", 2, NULL, 0);
    if (!forgetful)
        parts(w, "new", "x", 3, NULL, 0);
    kind(w, "new", "create", 1, 1);
    parts(w, "new", "kind", 2, "x", 3);
    kind(w, "gone", "remove", 1, 1);
    parts(w, "old", "kind", 2, "x", 3);
    kind(w, "paint", "change", 1, 2);
    parts(w, "old", "tint", 2, NULL, 0);
    parts(w, "new", "tint", 3, NULL, 0);
    kind(w, "hold", "change", 1, 2);
    parts(w, "old", "holds", 2, NULL, 0);
    parts(w, "new", "holds", 3, NULL, 0);
    kind(w, "sun", "level", 0, 2);
    parts(w, "old", "sun", 1, NULL, 0);
    parts(w, "new", "sun", 2, NULL, 0);
    kind(w, "eye", "level", 0, 2);
    parts(w, "old", "eye", 1, NULL, 0);
    parts(w, "new", "eye", 2, NULL, 0);
    kind(w, "point", "cursor", 1, 2);
    parts(w, "old", "x", 2, NULL, 0);
    parts(w, "new", "x", 3, NULL, 0);
    kind(w, "note", "opaque", 0, 0);
}

static void put_table(struct value_writer *w, uint32_t objects)
{
    value_put_map(w, 2);
    text(w, "objects");
    value_put_array(w, objects);
    for (uint32_t i = 0; i < objects; i++) {
        value_put_array(w, 2);
        value_put_int(w, i + 1);
        value_put_map(w, 2);
        text(w, "kind");
        value_put_int(w, i % 3);
        text(w, "x");
        value_put_int(w, i);
    }
    text(w, "cursors");
    value_put_array(w, 1);
    value_put_array(w, 2);
    text(w, "hand");
    value_put_map(w, 0);
}

enum { STRICT, FORGETFUL, LENIENT, PLAIN, BABA, SCHEMAS };

struct history *changes_play_begin(struct changes_play *p, uint64_t seed)
{
    struct value_writer schema = {0}, table = {0};
    struct fault fault;
    *p = (struct changes_play){.random = seed * 2 + 1, .schema = (unsigned)(seed % SCHEMAS)};
    dice(p, 2);
    if (p->schema == BABA)
        text(&schema, "baba");
    else if (p->schema != PLAIN)
        put_schema(&schema, p->schema == FORGETFUL);
    if (p->schema != PLAIN && p->schema != BABA)
        put_table(&table, dice(p, 5));
    struct history *h =
        changes_new(schema.size ? schema.data : NULL, schema.size, table.size ? table.data : NULL,
                    table.size, p->schema == LENIENT, &fault);
    if (!h)
        fprintf(stderr, "%s %s\n", fault.what, fault.field);
    HOLD(h);
    free(schema.data);
    free(table.data);
    return h;
}

void changes_play_end(struct changes_play *p)
{
    free(p->bytes.data);
    free(p->second.data);
    free(p->turn.data);
}

/* ---- lines ------------------------------------------------------------------------------- */

static void put_number(struct history const *h, uint32_t value, struct value_writer *w)
{
    size_t size;
    void const *data = values_at(&h->changes->values, value, &size);
    value_put_bytes(w, data, size);
}

/* An object of a table: its row, or NULL. */
static uint32_t const *pick(struct changes_play *p, struct table const *t)
{
    uint32_t slots = t->rows[SPACE_OBJECTS].slots, slot = slots ? dice(p, slots) : 0;
    for (uint32_t i = 0; i < slots; i++, slot = (slot + 1) % slots)
        if (table_row(t, SPACE_OBJECTS, slot)[0])
            return table_row(t, SPACE_OBJECTS, slot);
    return NULL;
}

static void put_id(struct changes_play *p, struct history *h, struct table const *t,
                   struct value_writer *w)
{
    uint32_t const *row = pick(p, t);
    if (row && dice(p, 4))
        put_number(h, row[0], w);
    else
        value_put_int(w, dice(p, 12));
}

/* A change of one field of a row: its kind, id, old value, new value. */
static void put_change(struct changes_play *p, struct history *h, struct table const *t,
                       char const *name, uint32_t const *row, bool id, int f,
                       struct value_writer *w)
{
    bool ids = strcmp(name, "hold") == 0 || strcmp(name, "eye") == 0;
    value_put_array(w, id ? 4 : 3);
    text(w, name);
    if (id)
        put_number(h, row[0], w);
    if (row[1 + f] && dice(p, 40))
        put_number(h, row[1 + f], w);
    else
        value_put_int(w, 77);
    if (ids)
        put_id(p, h, t, w);
    else
        value_put_int(w, dice(p, 3));
}

static void put_odd_line(struct changes_play *p, struct value_writer *w)
{
    static char const *const kinds[] = {"go", "new", "gone", "note", "update", "none"};
    uint32_t count = dice(p, 5);
    value_put_array(w, 1 + count);
    text(w, kinds[dice(p, 6)]);
    for (uint32_t i = 0; i < count; i++)
        value_put_int(w, dice(p, 9));
}

static void put_update(struct changes_play *p, struct history *h, uint32_t const *row,
                       struct value_writer *w)
{
    value_put_array(w, 10);
    text(w, "update");
    put_number(h, row[1], w);
    for (int i = 0; i < 3; i++)
        value_put_int(w, dice(p, 3));
    for (int i = 0; i < 3; i++)
        put_number(h, row[2 + i], w);
    put_number(h, row[0], w);
    text(w, "handle");
}

static void put_create(struct changes_play *p, struct history *h, char const *name,
                       struct value_writer *w)
{
    bool baba = p->schema == BABA;
    uint32_t id = dice(p, 3) ? (uint32_t)h->changes->highest + 1 : dice(p, 30);
    value_put_array(w, baba ? 8 : 4);
    text(w, name);
    if (baba)
        text(w, "rock");
    value_put_int(w, id);
    if (baba) {
        value_put_int(w, -1);
        text(w, "create");
        value_put_int(w, dice(p, 2));
        value_put_int(w, 0);
        value_put_int(w, 0);
        return;
    }
    value_put_int(w, dice(p, 2));
    value_put_int(w, dice(p, 3));
}

static void put_remove(struct changes_play *p, struct history *h, uint32_t const *row,
                       struct value_writer *w)
{
    if (p->schema == BABA) {
        value_put_array(w, 6);
        text(w, "remove");
        for (int i = 0; i < 4; i++)
            put_number(h, row[1 + i], w);
        put_number(h, row[0], w);
        return;
    }
    value_put_array(w, 4);
    text(w, "gone");
    put_number(h, row[0], w);
    put_number(h, row[1], w);
    put_number(h, row[2], w);
}

/* One line that mostly fits the table that there was before the turn. */
static void put_line(struct changes_play *p, struct history *h, struct table const *t,
                     struct value_writer *w)
{
    uint32_t const *row = p->schema == PLAIN ? NULL : pick(p, t);
    uint32_t what = dice(p, 14);
    bool baba = p->schema == BABA;
    if (p->schema == PLAIN || !dice(p, 50))
        put_odd_line(p, w);
    else if (!row || what < 3)
        put_create(p, h, baba ? "create" : "new", w);
    else if (what < 5)
        put_remove(p, h, row, w);
    else if (baba)
        put_update(p, h, row, w);
    else if (what < 9)
        put_change(p, h, t, "go", row, true, 1, w);
    else if (what < 10)
        put_change(p, h, t, "paint", row, true, 2, w);
    else if (what < 11)
        put_change(p, h, t, "hold", row, true, 3, w);
    else if (what < 12)
        put_change(p, h, t, "sun", table_row(t, SPACE_LEVEL, 0), false, 0, w);
    else if (what < 13)
        put_change(p, h, t, "eye", table_row(t, SPACE_LEVEL, 0), false, 1, w);
    else if (t->rows[SPACE_CURSORS].count)
        put_change(p, h, t, "point", table_row(t, SPACE_CURSORS, 0), true, 0, w);
    else
        put_odd_line(p, w);
}

static void put_turn(struct changes_play *p, struct history *h, struct table const *t,
                     struct value_writer *w)
{
    uint32_t count = dice(p, 8) ? 1 : 2 + dice(p, 3);
    value_put_array(w, 3);
    value_put_array(w, count);
    for (uint32_t i = 0; i < count; i++)
        put_line(p, h, t, w);
    if (p->schema == FORGETFUL && dice(p, 3)) {
        value_put_array(w, 1);
        value_put_array(w, 3);
        value_put_int(w, dice(p, count));
        text(w, dice(p, 3) ? "x" : "holds");
        value_put_int(w, dice(p, 3));
    } else {
        value_put_nil(w);
    }
    if (p->schema == PLAIN && dice(p, 2))
        value_put_int(w, dice(p, 6));
    else
        value_put_nil(w);
}

/* ---- operations -------------------------------------------------------------------------- */

static struct node *position(struct changes_play *p, struct history *h)
{
    struct node *n;
    if (!dice(p, 3))
        return history_from(h, 0);
    for (int i = 0; i < 20; i++) /* mostly the last ones */
        if (!history_find(h, h->next - 1 - dice(p, h->next < 8 ? h->next : 8), &n))
            return n;
    return history_from(h, 0);
}

static redo_operation add(struct changes_play *p, struct history *h)
{
    struct node *n = position(p, h);
    struct table const *t;
    HOLD(changes_table(h, n, &t) == REDO_OK);
    put_turn(p, h, t, &p->bytes);
    return (redo_operation){.kind = REDO_OP_ADD,
                            .position = n->in.id,
                            .move = (int)dice(p, 20),
                            .endpoint = dice(p, 10) ? 0 : (int)dice(p, 3) - 1,
                            .value = dice(p, 6) ? redo_check : (int)dice(p, 3),
                            .state = p->bytes.data,
                            .statesize = p->bytes.size};
}

static redo_operation with_cursor(struct changes_play *p, struct history *h, uint32_t what)
{
    redo_operation op = {.kind = REDO_OP_CURSOR, .name = p->name, .namesize = 1, .source = NOBODY};
    p->name[0] = (char)('a' + dice(p, 2));
    struct cursor const *cursor = cursors_find(&h->cursors, p->name, 1);
    struct table const *t;
    HOLD(!changes_table(h, node_at(h, cursor ? cursor->position : 0), &t));
    op.position = position(p, h)->in.id;
    op.move = 1 + (int)dice(p, 3);
    if (what == 0) {
        op.value = (int)dice(p, 10);
    } else if (what == 1) {
        op.value = redo_step_undo;
    } else if (what < 5) {
        op.kind = REDO_OP_NEWUNDO;
        op.value = (int)dice(p, 8) ? (int)dice(p, 2) : (int)dice(p, 4);
        op.endpoint = dice(p, 6) ? 0 : 1;
    } else {
        op.kind = REDO_OP_ADDUNDO;
        if (p->schema == FORGETFUL && dice(p, 2)) {
            value_put_array(&p->bytes, 2);
            put_line(p, h, t, &p->bytes);
            value_put_array(&p->bytes, 1);
            value_put_array(&p->bytes, 2);
            text(&p->bytes, dice(p, 3) ? "x" : "tint");
            value_put_int(&p->bytes, dice(p, 3));
        } else {
            put_line(p, h, t, &p->bytes);
        }
        op.state = p->bytes.data;
        op.statesize = p->bytes.size;
    }
    return op;
}

/* Three candidates at a position that has none, or one of them played, mostly with a cursor. */
static redo_operation played(struct changes_play *p, struct history *h)
{
    static char const candidates[] = "\x03\x03\x00\x01\x02\x03\x00\x01\x04\x05\x00\x02\x01"
                                     "a";
    redo_operation op = add(p, h);
    if (!records_at(&h->records, op.position))
        return (redo_operation){.kind = REDO_OP_RECORD,
                                .position = op.position,
                                .move = redo_of_candidate,
                                .value = redo_edit_add,
                                .state = candidates,
                                .statesize = sizeof candidates};
    op.kind = REDO_OP_PLAY;
    op.move = redo_of_candidate;
    op.source = 1 + dice(p, 10) % 4;
    if (!dice(p, 4))
        op.statesize = 0;
    if (!dice(p, 3))
        return op;
    p->name[0] = (char)('a' + dice(p, 2));
    struct turn_item items[2] = {
        {.op = op},
        {.op = {.kind = REDO_OP_CURSOR, .name = p->name, .namesize = 1, .source = NOBODY},
         .after = 1}};
    void *data;
    size_t size;
    HOLD(turn_write(items, 2, &data, &size) == REDO_OK);
    p->turn.size = 0;
    value_put_bytes(&p->turn, data, size);
    free(data);
    return (redo_operation){
        .kind = REDO_OP_TURN, .position = NOBODY, .state = p->turn.data, .statesize = p->turn.size};
}

redo_operation changes_play_next(struct changes_play *p, struct history *h)
{
    redo_operation op = {.position = position(p, h)->in.id};
    uint32_t what = dice(p, 40);
    p->bytes.size = 0;
    if (what >= 30)
        return with_cursor(p, h, what - 30);
    op.move = (int)dice(p, 20);
    if (what < 2) {
        op.kind = REDO_OP_DROP;
    } else if (what < 3) {
        op.kind = REDO_OP_GRAFT;
        op.value = (int)dice(p, 4);
    } else if (what < 4) {
        op.kind = REDO_OP_SETBETTER;
    } else if (what < 5) {
        struct node *n = position(p, h);
        void *data;
        size_t size;
        if (n->p.prev && !subtree_capture(h, n, &data, &size)) {
            p->second.size = 0;
            value_put_bytes(&p->second, data, size);
            free(data);
        }
        op.position = n->in.id;
        op.kind = REDO_OP_DROPTREE;
    } else if (what < 7 && p->second.size) {
        uint32_t parent, top, count;
        subtree_look(p->second.data, p->second.size, &parent, &top, &count);
        op.position = dice(p, 4) ? parent : op.position;
        op.kind = REDO_OP_RESTORE;
        op.state = p->second.data;
        op.statesize = p->second.size;
    } else if (what < 8) {
        op.kind = REDO_OP_DUPLICATE;
        op.source = position(p, h)->in.id;
    } else if (what < 9) {
        op.kind = REDO_OP_NEXT;
    } else if (what < 14) {
        op = played(p, h);
    } else {
        op = add(p, h);
    }
    return op;
}

/* ---- what holds -------------------------------------------------------------------------- */

void changes_hold(struct history *h)
{
    void *data, *again;
    size_t size, again_size;
    struct history *copy = NULL;
    HOLD(history_dump(h, &data, &size) == REDO_OK);
    HOLD(history_load(data, size, &copy) == REDO_OK);
    HOLD(history_dump(copy, &again, &again_size) == REDO_OK);
    HOLD(size == again_size && memcmp(data, again, size) == 0);
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) {
        struct table const *t, *u;
        struct value_writer a = {0}, b = {0};
        uint32_t next;
        HOLD(changes_table(h, n, &t) == REDO_OK);
        HOLD(changes_table(copy, node_at(copy, n->in.id), &u) == REDO_OK);
        HOLD(!changes_put_rows(h, t, SPACE_OBJECTS, NULL, 0, UINT32_MAX, &a, &next));
        HOLD(!changes_put_rows(copy, u, SPACE_OBJECTS, NULL, 0, UINT32_MAX, &b, &next));
        HOLD(!changes_put_rows(h, t, SPACE_CURSORS, NULL, 0, UINT32_MAX, &a, &next));
        HOLD(!changes_put_rows(copy, u, SPACE_CURSORS, NULL, 0, UINT32_MAX, &b, &next));
        changes_put_level(h, t, &a);
        changes_put_level(copy, u, &b);
        HOLD(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
        free(a.data);
        free(b.data);
    }
    history_free(copy);
    free(data);
    free(again);
}
