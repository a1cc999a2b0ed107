#include "core/changes/changes.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "core/changes/lines.h"
#include "core/changes/steps.h"
#include "core/equal.h"
#include "core/error.h"
#include "core/history.h"

#define INTERVAL 512 /* turns between checkpoints, at first */
#define CHECKPOINTS_MAX \
    128 /* when there are so many, or they take too much, every other one goes */
#define CHECKPOINTS_BYTES ((size_t)16 * 1024 * 1024)

/* ---- turns by position ------------------------------------------------------------------- */

static struct turn **turn_place(struct changes const *c, uint32_t number)
{
    return pool_find(&c->turns, number);
}

static struct turn *turn_at(struct changes const *c, uint32_t number)
{
    struct turn **place = turn_place(c, number);
    return place ? *place : NULL;
}

static size_t turn_bytes(struct turn const *t)
{
    return sizeof *t + t->size + t->steps + 16; /* as malloc() has it */
}

static void turn_free(struct changes *c, struct turn *t)
{
    if (t)
        c->bytes -= turn_bytes(t);
    free(t);
}

static struct turn *turn_make(struct changes *c, void const *data, size_t size,
                              struct value_writer const *steps, uint32_t faults)
{
    struct turn *t = malloc(sizeof *t + size + steps->size);
    if (!t)
        return NULL;
    *t = (struct turn){.size = (uint32_t)size, .steps = (uint32_t)steps->size, .faults = faults};
    memcpy(t->data, data, size);
    if (steps->size)
        memcpy(t->data + size, steps->data, steps->size);
    c->bytes += turn_bytes(t);
    return t;
}

void changes_forget(struct history *h, struct node const *n)
{
    turn_free(h->changes, turn_at(h->changes, n->in.id));
}

struct turn const *changes_turn(struct history const *h, struct node const *n)
{
    return turn_at(h->changes, n->in.id);
}

int64_t changes_lines(void const *data, size_t size)
{
    struct turn_reader t;
    return turn_open(&t, data, size) ? (int64_t)t.count : -1;
}

/* ---- checkpoints ------------------------------------------------------------------------- */

static struct checkpoint *checkpoint_find(struct changes const *c, uint32_t number)
{
    for (uint32_t i = 0; i < c->checkpoint_count; i++)
        if (c->checkpoints[i].at == number)
            return &c->checkpoints[i];
    return NULL;
}

static void checkpoint_drop(struct changes *c, struct checkpoint *p)
{
    c->bytes -= table_memory(&p->table);
    table_close(&p->table);
    *p = c->checkpoints[--c->checkpoint_count];
}

/* Those that are not on the new, wider interval go. */
static void checkpoints_thin(struct history *h)
{
    struct changes *c = h->changes;
    c->interval *= 2;
    for (uint32_t i = c->checkpoint_count; i > 0; i--)
        if (node_at(h, c->checkpoints[i - 1].at)->p.movecount % c->interval)
            checkpoint_drop(c, &c->checkpoints[i - 1]);
}

/* The view is at n: keeps its table, if that is worth while. Where memory lacks, it is not. */
static void checkpoint_keep(struct history *h, struct view const *v, struct node const *n)
{
    struct changes *c = h->changes;
    if (!n->p.movecount || n->p.movecount % c->interval || checkpoint_find(c, n->in.id))
        return;
    size_t each = table_memory(&v->table);
    if (c->checkpoint_count == CHECKPOINTS_MAX ||
        (c->checkpoint_count && (c->checkpoint_count + 1) * each > CHECKPOINTS_BYTES)) {
        checkpoints_thin(h);
        return;
    }
    struct checkpoint *grown =
        realloc(c->checkpoints, (c->checkpoint_count + 1) * sizeof *c->checkpoints);
    if (!grown)
        return;
    c->checkpoints = grown;
    struct checkpoint *p = &grown[c->checkpoint_count];
    if (table_copy(&p->table, &v->table))
        return;
    p->at = n->in.id;
    c->bytes += table_memory(&p->table);
    c->checkpoint_count++;
}

/* ---- views ------------------------------------------------------------------------------- */

static void view_lose(struct view *v)
{
    if (v->there)
        table_close(&v->table);
    v->there = false;
}

static int view_copy(struct view *v, struct table const *table, uint32_t at)
{
    view_lose(v);
    if (table_copy(&v->table, table))
        return REDO_ENOMEM;
    v->at = at;
    v->there = true;
    return REDO_OK;
}

static int view_up(struct history *h, struct view *v)
{
    struct turn const *t = turn_at(h->changes, v->at);
    int rc = t ? steps_undo(&v->table, t->data + t->size, t->steps) : REDO_OK;
    if (!rc)
        v->at = node_prev(node_at(h, v->at))->in.id;
    return rc;
}

static int view_down(struct history *h, struct view *v, struct node const *n)
{
    struct turn const *t = turn_at(h->changes, n->in.id);
    int rc = t ? steps_do(&v->table, t->data + t->size, t->steps) : REDO_OK;
    if (rc)
        return rc;
    v->at = n->in.id;
    checkpoint_keep(h, v, n);
    return REDO_OK;
}

/* Where two ways meet. */
static struct node *meet(struct node *a, struct node *b)
{
    while (a != b) {
        if (a->p.movecount >= b->p.movecount)
            a = node_prev(a);
        else
            b = node_prev(b);
    }
    return a;
}

/* The checkpoint nearest before n, or at it, but after `past`. */
static struct checkpoint *checkpoint_before(struct history *h, struct node *n,
                                            struct node const *past)
{
    struct changes *c = h->changes;
    if (!c->checkpoint_count)
        return NULL;
    for (; n != past; n = node_prev(n)) {
        struct checkpoint *p = n->p.movecount % c->interval ? NULL : checkpoint_find(c, n->in.id);
        if (p)
            return p;
    }
    return NULL;
}

static int path_room(struct changes *c, uint32_t count)
{
    if (count <= c->path_cap)
        return REDO_OK;
    uint32_t *grown = realloc(c->path, (count + count / 2) * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    c->path = grown;
    c->path_cap = count + count / 2;
    return REDO_OK;
}

/* Takes a view to a position: by the way there, or from a checkpoint if that is nearer. */
static int view_go(struct history *h, struct view *v, struct node *to)
{
    struct changes *c = h->changes;
    int rc = v->there ? REDO_OK : view_copy(v, &c->initial, 0);
    if (rc)
        return rc;
    struct node *from = node_at(h, v->at), *top = meet(from, to);
    uint32_t up = from->p.movecount - top->p.movecount;
    if (up + (to->p.movecount - top->p.movecount) > c->interval) {
        struct checkpoint *p = checkpoint_before(h, to, top);
        if (p && (rc = view_copy(v, &p->table, p->at)))
            return rc;
        if (p)
            top = node_at(h, p->at);
        up = p ? 0 : up;
    }
    uint32_t count = to->p.movecount - top->p.movecount;
    if (path_room(c, count))
        return REDO_ENOMEM;
    while (up-- && !rc)
        rc = view_up(h, v);
    for (uint32_t i = count; i > 0; i--, to = node_prev(to))
        c->path[i - 1] = to->in.id;
    for (uint32_t i = 0; i < count && !rc; i++)
        rc = view_down(h, v, node_at(h, c->path[i]));
    return rc;
}

int changes_table(struct history *h, struct node *n, struct table const **table)
{
    struct changes *c = h->changes;
    struct view *v = c->main.there && c->main.at == n->in.id ? &c->main : &c->other;
    int rc = view_go(h, v, n);
    *table = &v->table;
    return rc;
}

/* ---- a position's state ------------------------------------------------------------------ */

static void put_state(unsigned char state[CHANGES_STATE], struct digest d, uint32_t apart)
{
    uint64_t low = htole64(d.low), high = htole64(d.high);
    apart = htole32(apart);
    memcpy(state, &low, 8);
    memcpy(state + 8, &high, 8);
    memcpy(state + 16, &apart, 4);
}

#define APART_UNIQUE UINT32_MAX /* equal to none: the digest is the number of the position */

/* The state of the next position: the board's digest, and which of the boards of that digest it is.
 */
static int find_state(struct history *h, struct table const *t, struct digest const *given,
                      unsigned char state[CHANGES_STATE])
{
    struct changes *c = h->changes;
    if (!c->has_schema && given) {
        put_state(state, *given, 0);
        return REDO_OK;
    }
    if (!c->has_schema || t->unknown) {
        put_state(state, (struct digest){.low = h->next}, APART_UNIQUE);
        return REDO_OK;
    }
    for (uint32_t apart = 0;; apart++) {
        bool same;
        put_state(state, t->digest, apart);
        struct node *first = equal_first(h, equal_hash(h, state), state);
        if (!first)
            return REDO_OK;
        int rc = view_go(h, &c->other, first);
        if (!rc)
            rc = table_same_board(t, &c->other.table, &same, NULL);
        if (rc || same)
            return rc;
    }
}

/* ---- adding ------------------------------------------------------------------------------ */

/* The digest that the game gives, as one of ours. */
static int read_digest(struct changes *c, struct turn_reader const *t, struct digest *d)
{
    uint32_t number;
    int rc = values_enter(&c->values, t->digest, t->digest_size, &number);
    if (!rc)
        *d = (struct digest){.low = values_hash(&c->values, number), .high = 1};
    return rc;
}

int changes_compile(struct history *h, struct node *prev, void const *data, size_t size,
                    struct turn **turn, unsigned char state[CHANGES_STATE])
{
    struct changes *c = h->changes;
    struct turn_reader reader;
    struct digest given;
    c->fault = (struct fault){.line = -1, .place = -1};
    if (size > REDO_STATE_MAX || !turn_open(&reader, data, size))
        return REDO_EOPERATION;
    int rc = view_go(h, &c->main, prev);
    if (!rc && reader.digest)
        rc = read_digest(c, &reader, &given);
    if (rc)
        return rc;
    struct run run = {.c = c,
                      .table = &c->main.table,
                      .mode = c->lenient ? LINES_LENIENT : LINES_STRICT,
                      .fault = &c->fault};
    rc = lines_run(&run, &reader);
    if (!rc && !(*turn = turn_make(c, data, size, &run.steps, run.faults)))
        rc = REDO_ENOMEM;
    else if (!rc)
        rc = find_state(h, &c->main.table, reader.digest ? &given : NULL, state);
    if (rc && !run.lost)
        run.lost = steps_undo(&c->main.table, run.steps.data, run.steps.size);
    if (rc && *turn) {
        turn_free(c, *turn);
        *turn = NULL;
    }
    if (run.lost)
        view_lose(&c->main);
    free(run.steps.data);
    return rc;
}

void changes_abandon(struct history *h, struct node *prev, struct turn *turn)
{
    struct changes *c = h->changes;
    (void)prev; /* where the main table is again */
    if (steps_undo(&c->main.table, turn->data + turn->size, turn->steps))
        view_lose(&c->main);
    turn_free(c, turn);
}

void changes_enter(struct history *h, struct node *n, struct turn *turn)
{
    *turn_place(h->changes, n->in.id) = turn;
    h->changes->main.at = n->in.id;
    checkpoint_keep(h, &h->changes->main, n);
}

void changes_drop(struct history *h, struct node *n)
{
    struct changes *c = h->changes;
    struct checkpoint *p = checkpoint_find(c, n->in.id);
    struct view *views[] = {&c->main, &c->other};
    for (int i = 0; i < 2; i++)
        if (views[i]->there && views[i]->at == n->in.id && view_up(h, views[i]))
            view_lose(views[i]);
    if (p)
        checkpoint_drop(c, p);
    struct turn **place = turn_place(c, n->in.id);
    turn_free(c, *place);
    *place = NULL;
}

/* ---- moving a subtree -------------------------------------------------------------------- */

/* Turns that are others in their new place. */
struct moved {
    struct moved_turn {
        uint32_t number;
        struct turn *turn;
    } * all;
    uint32_t count, cap;
    struct renaming renaming;
};

void changes_stay(struct history *h)
{
    struct changes *c = h->changes;
    if (!c->moved)
        return;
    for (uint32_t i = 0; i < c->moved->count; i++)
        turn_free(c, c->moved->all[i].turn);
    free(c->moved->renaming.from);
    free(c->moved->renaming.to);
    free(c->moved->all);
    free(c->moved);
    c->moved = NULL;
}

void changes_move(struct history *h)
{
    struct changes *c = h->changes;
    for (uint32_t i = 0; c->moved && i < c->moved->count; i++) {
        struct moved_turn *m = &c->moved->all[i];
        struct turn **place = turn_place(c, m->number);
        struct checkpoint *p = checkpoint_find(c, m->number);
        turn_free(c, *place);
        *place = m->turn;
        m->turn = NULL;
        if (p)
            checkpoint_drop(c, p);
    }
    if (c->moved)
        c->moved->count = 0;
    changes_stay(h);
}

/* The objects of the board there by those of the one here. */
static int pair_objects(struct table const *here, struct table const *there, struct renaming *n)
{
    bool same;
    uint32_t slots = here->rows[SPACE_OBJECTS].slots;
    uint32_t *pairs = malloc((slots + 1) * sizeof *pairs);
    int rc = pairs ? table_same_board(here, there, &same, pairs) : REDO_ENOMEM;
    for (uint32_t i = 0; !rc && same && i < slots; i++) {
        uint32_t from = table_row(here, SPACE_OBJECTS, i)[0];
        uint32_t to = from ? table_row(there, SPACE_OBJECTS, pairs[i])[0] : 0;
        if (from != to)
            rc = renaming_add(n, from, to);
    }
    free(pairs);
    return rc;
}

/* A turn's bytes with other lines. */
static int rebuild(struct turn const *t, struct value_writer const *lines, struct value_writer *w)
{
    struct turn_reader reader;
    turn_open(&reader, t->data, t->size);
    struct value_reader r = {t->data, t->data + t->size};
    value_next(&r);
    value_skip(&r); /* the lines; what follows stays */
    value_put_array(w, 3);
    value_put_array(w, reader.count);
    value_put_bytes(w, lines->data, lines->size);
    value_put_bytes(w, r.at, (size_t)(r.end - r.at));
    return w->failed ? REDO_ENOMEM : REDO_OK;
}

/* The turn of n anew, on the main table, which goes on by it. */
static int move_turn(struct history *h, struct node const *n)
{
    struct changes *c = h->changes;
    struct moved *m = c->moved;
    struct turn const *old = turn_at(c, n->in.id);
    struct turn_reader reader;
    struct fault ignored;
    struct run run = {.c = c,
                      .table = &c->main.table,
                      .mode = LINES_MOVED,
                      .renaming = &m->renaming,
                      .fault = &ignored};
    struct value_writer bytes = {0};
    turn_open(&reader, old->data, old->size);
    int rc = lines_run(&run, &reader);
    if (!rc)
        rc = rebuild(old, &run.lines, &bytes);
    if (!rc && m->count == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : 16;
        struct moved_turn *grown = realloc(m->all, cap * sizeof *grown);
        rc = grown ? REDO_OK : REDO_ENOMEM;
        if (grown) {
            m->all = grown;
            m->cap = cap;
        }
    }
    struct turn *turn = rc ? NULL : turn_make(c, bytes.data, bytes.size, &run.steps, old->faults);
    if (turn)
        m->all[m->count++] = (struct moved_turn){n->in.id, turn};
    else if (!run.lost && steps_undo(&c->main.table, run.steps.data, run.steps.size))
        run.lost = true;
    if (run.lost)
        view_lose(&c->main);
    free(bytes.data);
    free(run.steps.data);
    free(run.lines.data);
    return turn ? REDO_OK : rc ? rc : REDO_ENOMEM;
}

/* Undoes the turn that was made anew last but for those undone before; c->path has for each turn
 * that is done how many names there were before it, and its place in c->moved. */
static int leave_turn(struct history *h, uint32_t depth)
{
    struct changes *c = h->changes;
    struct turn const *t = c->moved->all[c->path[2 * depth - 1]].turn;
    if (steps_undo(&c->main.table, t->data + t->size, t->steps)) {
        view_lose(&c->main);
        return REDO_ENOMEM;
    }
    c->moved->renaming.count = c->path[2 * depth - 2];
    return REDO_OK;
}

static int come_to_turn(struct history *h, struct node const *n, uint32_t depth)
{
    struct changes *c = h->changes;
    if (path_room(c, 2 * depth + 2))
        return REDO_ENOMEM;
    c->path[2 * depth] = c->moved->renaming.count;
    int rc = move_turn(h, n);
    c->path[2 * depth + 1] = c->moved->count - 1;
    return rc;
}

/* Goes through the subtree below top, and back: on the way down each turn is made anew, on the way
 * up it is undone, and names are as before. */
static int move_subtree(struct history *h, struct node *top)
{
    struct changes *c = h->changes;
    uint32_t depth = 0;
    struct node *n = node_of(top->p.next->p);
    int rc = come_to_turn(h, n, depth);
    while (!rc) {
        depth++;
        if (n->p.next) {
            n = node_of(n->p.next->p);
        } else {
            while ((rc = leave_turn(h, depth--)) == REDO_OK && !n->in.cdr && node_prev(n) != top)
                n = node_prev(n);
            if (rc || !n->in.cdr)
                return rc;
            n = node_of(n->in.cdr->p);
        }
        rc = come_to_turn(h, n, depth);
    }
    while (c->main.there && depth)
        leave_turn(h, depth--);
    return rc;
}

int changes_plan_move(struct history *h, struct node *longer)
{
    struct changes *c = h->changes;
    if (!c->has_schema || !longer->p.next)
        return REDO_OK;
    int rc = view_go(h, &c->other, longer);
    if (rc || table_same(&c->main.table, &c->other.table))
        return rc;
    if (!(c->moved = calloc(1, sizeof *c->moved)))
        return REDO_ENOMEM;
    rc = pair_objects(&c->other.table, &c->main.table, &c->moved->renaming);
    if (!rc)
        rc = move_subtree(h, longer);
    if (rc)
        changes_stay(h);
    return rc;
}

/* ---- beginning --------------------------------------------------------------------------- */

void changes_free(struct changes *c)
{
    if (!c)
        return;
    while (c->checkpoint_count)
        checkpoint_drop(c, c->checkpoints);
    free(c->checkpoints);
    view_lose(&c->main);
    view_lose(&c->other);
    table_close(&c->initial);
    schema_close(&c->schema);
    values_close(&c->values);
    pool_close(&c->turns);
    free(c->path);
    free(c);
}

size_t changes_memory(struct changes const *c)
{
    size_t size = sizeof *c + c->bytes + c->values.bytes + c->turns.bytes +
                  table_memory(&c->initial) + c->path_cap * sizeof *c->path;
    if (c->main.there)
        size += table_memory(&c->main.table);
    if (c->other.there)
        size += table_memory(&c->other.table);
    return size;
}

static int wrong_table(struct fault *fault, char const *what)
{
    *fault = (struct fault){.line = -1, .place = -1};
    memcpy(fault->what, what, strlen(what) + 1);
    return REDO_ETABLE;
}

/* The fields of a row, {field: value}. */
static int read_cells(struct changes *c, struct value_reader *r, enum space space, uint32_t *row,
                      struct fault *fault)
{
    struct value map = value_next(r), name;
    if (map.type != VALUE_MAP)
        return wrong_table(fault, "the fields of a table are maps");
    for (uint32_t i = 0; i < map.count; i++) {
        name = value_next(r);
        unsigned char const *start = r->at;
        int field = name.type == VALUE_STRING
                        ? schema_field(&c->schema, space, name.string.data, name.string.size)
                        : -1;
        if (field < 0)
            return wrong_table(fault, "the table has a field that the schema has not");
        value_skip(r);
        int rc = values_enter(&c->values, start, (size_t)(r->at - start), &row[1 + field]);
        if (rc)
            return rc;
    }
    return REDO_OK;
}

static void initial_row(struct changes const *c, enum space space, uint32_t *row)
{
    for (uint32_t f = 0; f < c->schema.field_count[space]; f++)
        row[1 + f] = c->schema.fields[space][f].initial;
}

/* [[id, {field: value}] ...] */
static int read_rows(struct changes *c, struct value_reader *r, enum space space,
                     struct fault *fault)
{
    uint32_t row[SCHEMA_FIELDS_MAX + 1];
    struct value all = value_next(r);
    if (all.type != VALUE_ARRAY)
        return wrong_table(fault, "objects and cursors are arrays of [id, fields]");
    for (uint32_t i = 0; i < all.count; i++) {
        struct value pair = value_next(r);
        unsigned char const *start = r->at;
        if (pair.type != VALUE_ARRAY || pair.count != 2 || !value_skip(r))
            return wrong_table(fault, "objects and cursors are arrays of [id, fields]");
        int rc = values_enter(&c->values, start, (size_t)(r->at - start), &row[0]);
        initial_row(c, space, row);
        if (!rc)
            rc = read_cells(c, r, space, row, fault);
        if (!rc && table_find(&c->initial, space, row[0]) != TABLE_NONE)
            rc = wrong_table(fault, "two of a table have one id");
        if (!rc)
            rc = table_reserve(&c->initial, space, 1);
        if (rc)
            return rc;
        table_add(&c->initial, space, row);
        if (space == SPACE_OBJECTS)
            lines_note_id(c, row[0]);
    }
    return REDO_OK;
}

static int read_level(struct changes *c, struct value_reader *r, struct fault *fault)
{
    uint32_t row[SCHEMA_FIELDS_MAX + 1] = {1};
    initial_row(c, SPACE_LEVEL, row);
    int rc = read_cells(c, r, SPACE_LEVEL, row, fault);
    for (uint32_t f = 0; !rc && f < c->schema.field_count[SPACE_LEVEL]; f++)
        table_set(&c->initial, SPACE_LEVEL, table_find(&c->initial, SPACE_LEVEL, 1), f, row[1 + f]);
    return rc;
}

static int read_table(struct changes *c, void const *data, size_t size, struct fault *fault)
{
    static char const *const names[SPACES] = {"objects", "level", "cursors"};
    struct value_reader r = {data, (unsigned char const *)data + size};
    if (!value_whole(data, size))
        return wrong_table(fault, "the table is no value of msgpack, or too deep");
    struct value map = value_next(&r), name;
    int rc = map.type == VALUE_MAP
                 ? REDO_OK
                 : wrong_table(fault, "a table is a map of objects, level and cursors");
    for (uint32_t i = 0; !rc && i < map.count; i++) {
        int space = -1;
        name = value_next(&r);
        for (int k = 0; k < SPACES && name.type == VALUE_STRING; k++)
            if (name.string.size == strlen(names[k]) &&
                memcmp(name.string.data, names[k], name.string.size) == 0)
                space = k;
        if (space < 0)
            rc = wrong_table(fault, "a table has objects, level and cursors, nothing else");
        else
            rc = space == SPACE_LEVEL ? read_level(c, &r, fault)
                                      : read_rows(c, &r, (enum space)space, fault);
    }
    return rc;
}

static int begin(struct changes *c, void const *schema, size_t schema_size, void const *table,
                 size_t table_size, struct fault *fault)
{
    int rc = values_init(&c->values);
    if (!rc && schema) {
        c->has_schema = true;
        rc = schema_read(&c->schema, &c->values, schema, schema_size, fault);
    }
    if (!rc)
        rc = table_init(&c->initial, &c->schema, &c->values);
    if (!rc && table && !schema)
        rc = wrong_table(fault, "without a schema there is no table");
    else if (!rc && table)
        rc = read_table(c, table, table_size, fault);
    return rc;
}

int changes_init(struct history *h, void const *schema, size_t schema_size, void const *table,
                 size_t table_size, bool lenient, struct fault *fault)
{
    struct changes *c = calloc(1, sizeof *c);
    *fault = (struct fault){.line = -1, .place = -1};
    if (!c)
        return REDO_ENOMEM;
    h->changes = c;
    c->lenient = lenient;
    c->interval = INTERVAL;
    pool_init(&c->turns, sizeof(struct turn *), 4, 10, c);
    return begin(c, schema, schema_size, table, table_size, fault);
}

struct history *changes_new(void const *schema, size_t schema_size, void const *table,
                            size_t table_size, bool lenient, struct fault *fault)
{
    unsigned char state[CHANGES_STATE];
    struct history *h = history_empty(CHANGES_STATE, CHANGES_STATE);
    int rc =
        h ? changes_init(h, schema, schema_size, table, table_size, lenient, fault) : REDO_ENOMEM;
    if (!rc)
        rc = find_state(h, &h->changes->initial, NULL, state);
    if (!rc)
        rc = history_reserve(h, 1, 1);
    if (rc) {
        history_free(h);
        error_set(rc);
        return NULL;
    }
    struct node *first = history_make(h, NULL, 0, states_take(&h->states, state), 0);
    equal_enter(h, equal_hash(h, state), NULL, first);
    return h;
}

/* ---- loading ----------------------------------------------------------------------------- */

int changes_put_turn(struct history *h, struct node *n, void const *data, size_t size)
{
    struct changes *c = h->changes;
    struct value_writer none = {0};
    struct turn_reader reader;
    if (size > REDO_STATE_MAX || !turn_open(&reader, data, size))
        return REDO_EDAMAGED;
    if (pool_reserve(&c->turns, n->in.id, 1))
        return REDO_ENOMEM;
    struct turn *t = turn_make(c, data, size, &none, 0);
    *turn_place(c, n->in.id) = t;
    return t ? REDO_OK : REDO_ENOMEM;
}

/* Whether the state of a position is that of its table, as far as it is from there. */
static bool is_state_of(struct history *h, struct node const *n, struct turn_reader const *reader)
{
    struct changes *c = h->changes;
    unsigned char state[CHANGES_STATE];
    uint32_t apart;
    char const *told = node_state(h, n);
    if (!c->has_schema || c->main.table.unknown) {
        struct digest given = {0};
        if (c->has_schema || !reader->digest)
            return memcmp(told + 16, "\xff\xff\xff\xff", 4) == 0;
        return !read_digest(c, reader, &given) &&
               (put_state(state, given, 0), memcmp(state, told, CHANGES_STATE) == 0);
    }
    memcpy(&apart, told + 16, sizeof apart);
    put_state(state, c->main.table.digest, le32toh(apart));
    return memcmp(state, told, CHANGES_STATE) == 0;
}

/* The steps of a turn, on the main table, which is at the position before. */
static int compile_again(struct history *h, struct node *n)
{
    struct changes *c = h->changes;
    struct turn **place = turn_place(c, n->in.id), *old = *place;
    struct turn_reader reader;
    struct fault ignored;
    struct run run = {.c = c, .table = &c->main.table, .mode = LINES_LENIENT, .fault = &ignored};
    turn_open(&reader, old->data, old->size);
    int rc = lines_run(&run, &reader);
    struct turn *turn =
        rc ? NULL : turn_make(c, old->data, old->size, &run.steps, c->lenient ? run.faults : 0);
    free(run.steps.data);
    if (!turn)
        return rc == REDO_ELINE || rc == REDO_EOPERATION ? REDO_EDAMAGED : REDO_ENOMEM;
    turn_free(c, old);
    *place = turn;
    c->main.at = n->in.id;
    checkpoint_keep(h, &c->main, n);
    return is_state_of(h, n, &reader) ? REDO_OK : REDO_EDAMAGED;
}

int changes_compile_all(struct history *h)
{
    struct changes *c = h->changes;
    struct node *n = node_at(h, 0);
    int rc = view_copy(&c->main, &c->initial, 0);
    while (!rc) {
        if (n->p.next) {
            n = node_of(n->p.next->p);
        } else {
            while (!rc && n->p.prev && !n->in.cdr) {
                rc = view_up(h, &c->main);
                n = node_prev(n);
            }
            if (rc || !n->p.prev)
                return rc;
            rc = view_up(h, &c->main);
            n = node_of(n->in.cdr->p);
        }
        if (!rc)
            rc = compile_again(h, n);
    }
    return rc;
}

int changes_put_initial(struct history *h, struct value_writer *w)
{
    struct table const *t = &h->changes->initial;
    uint32_t next;
    value_put_map(w, 3);
    value_put_string(w, "objects", 7);
    int rc = changes_put_rows(h, t, SPACE_OBJECTS, NULL, 0, UINT32_MAX, w, &next);
    value_put_string(w, "level", 5);
    changes_put_level(h, t, w);
    value_put_string(w, "cursors", 7);
    return rc ? rc : changes_put_rows(h, t, SPACE_CURSORS, NULL, 0, UINT32_MAX, w, &next);
}

/* ---- telling ----------------------------------------------------------------------------- */

static void put_value(struct changes const *c, uint32_t number, struct value_writer *w)
{
    size_t size;
    void const *data = values_at(&c->values, number, &size);
    value_put_bytes(w, data, size);
}

static void put_fields(struct changes const *c, enum space space, uint32_t const *row,
                       struct value_writer *w)
{
    uint32_t known = 0, count = c->schema.field_count[space];
    for (uint32_t f = 0; f < count; f++)
        known += row[1 + f] != VALUE_UNKNOWN;
    value_put_map(w, known);
    for (uint32_t f = 0; f < count; f++) {
        struct field const *field = &c->schema.fields[space][f];
        if (row[1 + f] == VALUE_UNKNOWN)
            continue;
        value_put_string(w, field->name, field->name_size);
        put_value(c, row[1 + f], w);
    }
}

static int compare_ids(void const *a, void const *b, void *values)
{
    return values_compare(values, *(uint32_t const *)a, *(uint32_t const *)b);
}

int changes_put_rows(struct history *h, struct table const *t, enum space space, void const *after,
                     size_t after_size, uint32_t limit, struct value_writer *w, uint32_t *next)
{
    struct changes *c = h->changes;
    uint32_t last, *ids, count = 0;
    *next = VALUE_UNKNOWN;
    int rc = after_size ? values_enter(&c->values, after, after_size, &last) : REDO_OK;
    if (rc)
        return rc;
    if (!(ids = malloc((t->rows[space].count + 1) * sizeof *ids)))
        return REDO_ENOMEM;
    for (uint32_t slot = 0; slot < t->rows[space].slots; slot++) {
        uint32_t id = table_row(t, space, slot)[0];
        if (id && (!after_size || values_compare(&c->values, id, last) > 0))
            ids[count++] = id;
    }
    qsort_r(ids, count, sizeof *ids, compare_ids, &c->values);
    if (count > limit) {
        count = limit;
        *next = ids[limit - 1];
    }
    value_put_array(w, count);
    for (uint32_t i = 0; i < count; i++) {
        value_put_array(w, 2);
        put_value(c, ids[i], w);
        put_fields(c, space, table_row(t, space, table_find(t, space, ids[i])), w);
    }
    free(ids);
    return w->failed ? REDO_ENOMEM : REDO_OK;
}

void changes_put_level(struct history *h, struct table const *t, struct value_writer *w)
{
    put_fields(h->changes, SPACE_LEVEL, table_row(t, SPACE_LEVEL, table_find(t, SPACE_LEVEL, 1)),
               w);
}
