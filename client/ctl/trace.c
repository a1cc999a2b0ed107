#include "client/ctl/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/json.h"
#include "client/ctl/table.h"
#include "redo_error.h"

#define CURSOR "trace"          /* stands where the game does */
#define UNNAMED_MOVES (1 << 20) /* above the numbers of those that have names */

struct entry {
    uint32_t position;
    uint32_t equal; /* the lowest entry with the same board, which may be itself */
    int move;
    unsigned char board[TRACE_STATE];
};

/* ---- telling ------------------------------------------------------------------------------ */

/* Counts a difference; whether it is to be printed. */
static bool differs(struct trace *t)
{
    return t->told++ < (uint64_t)t->wish.differences;
}

static void print_json(char const *before, json_t const *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;

    printf("%s%s", before, text ? text : "nothing");
    free(text);
}

static bool same(struct trace *t, size_t line, char const *what, json_t const *expected,
                 json_t const *got)
{
    if (json_equal(expected, got))
        return true;
    if (differs(t)) {
        printf("%s:%zu: %s: ", t->path, line, what);
        print_json("expected ", expected);
        print_json(", got ", got);
        putchar('\n');
    }
    return false;
}

/* ---- beginning ---------------------------------------------------------------------------- */

static char const *text_of(json_t const *record, char const *key)
{
    char const *text = json_string_value(json_object_get(record, key));

    return text ? text : "";
}

bool trace_begins(json_t const *record)
{
    char const *kind = text_of(record, "kind");

    return (strcmp(kind, "level") == 0 && json_is_array(json_object_get(record, "table"))) ||
           (strcmp(kind, "start") == 0 && json_is_object(json_object_get(record, "table")));
}

/* Rows [id, name, x, y, dir] as a table. */
static json_t *table_of_rows(json_t const *rows)
{
    json_t *objects = json_array(), *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        json_t *name = json_array_get(row, 1);
        json_array_append_new(
            objects, json_pack("[O,{s:O,s:O,s:O,s:O,s:O}]", json_array_get(row, 0), "name", name,
                               "x", json_array_get(row, 2), "y", json_array_get(row, 3), "dir",
                               json_array_get(row, 4), "originalname", name));
    }
    return json_pack("{s:o}", "objects", objects);
}

/* {"7": {fields}} as [[7, {fields}]]. */
static json_t *list_of(json_t const *by_id)
{
    json_t *list = json_array(), *value;
    char const *key;

    json_object_foreach((json_t *)by_id, key, value)
    {
        json_array_append_new(list, json_pack("[I,O]", (json_int_t)atoll(key), value));
    }
    return list;
}

/* The level's values as the daemon has them: vision is two of them. */
static json_t *level_of(json_t const *level)
{
    json_t *flat = json_copy((json_t *)level);
    json_t *vision = json_object_get(level, "vision");

    json_object_set(flat, "visiontarget", json_object_get(vision, "target"));
    json_object_set(flat, "vision", json_object_get(vision, "on"));
    return flat;
}

static json_t *first_table(struct trace const *t, json_t const *record)
{
    json_t const *table = json_object_get(record, "table");

    if (!t->whole)
        return table_of_rows(table);
    return json_pack("{s:o,s:o,s:o}", "objects", list_of(json_object_get(table, "objects")),
                     "cursors", list_of(json_object_get(table, "cursors")), "level",
                     level_of(json_object_get(table, "level")));
}

static int fail_json(char const *problem)
{
    cli_complain("the trace can not be sent: %s", problem);
    return EXIT_BAD;
}

static int request_begin(struct trace *t, json_t const *record)
{
    bool old_first = strcmp(text_of(record, "update_order"), "old-first") == 0;
    char const *schema = t->wish.schema ? t->wish.schema : old_first ? "baba-old-first" : "baba";
    json_t *table = first_table(t, record);
    struct buffer *b = ctl_request(t->ctl, "beginchanges", 2);

    if (!cli_utf8(schema) || (t->wish.session && !cli_utf8(t->wish.session))) {
        json_decref(table);
        return EXIT_USAGE;
    }
    pack_cstr(b, schema);
    pack_map(b, 1 + (t->wish.session != NULL));
    if (t->wish.session) {
        pack_key(b, "name");
        pack_cstr(b, t->wish.session);
    }
    pack_key(b, "table");
    char const *problem = table ? json_pack_msgpack(table, b) : "it has no table";
    json_decref(table);
    return problem ? fail_json(problem) : CLI_GO;
}

/* The board of a position, by which equal ones are known. */
static int read_board(struct trace *t, struct entry *e)
{
    msgpack_object result;
    struct position p;
    struct buffer *b = ctl_request(t->ctl, "getposition", 3);

    pack_int(b, t->session);
    pack_uint(b, e->position);
    pack_map(b, 1);
    pack_key(b, "states");
    pack_bool(b, true);
    int status = ctl_result(t->ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!position_read(&result, &p) || !p.state || p.statesize != TRACE_STATE)
        return ctl_fail_shape(t->ctl);
    memcpy(e->board, p.state, TRACE_STATE);
    return CLI_GO;
}

/* Puts an entry at the end; which earlier one has the same board is found. */
static int add_entry(struct trace *t, uint32_t position, int move)
{
    if (t->count == t->cap) {
        uint32_t cap = 2 * t->cap + 64;
        struct entry *grown = realloc(t->entry, cap * sizeof *grown);
        if (!grown) {
            cli_complain("out of memory");
            return EXIT_BAD;
        }
        t->entry = grown;
        t->cap = cap;
    }
    struct entry *e = &t->entry[t->count];
    *e = (struct entry){.position = position, .move = move};
    int status = read_board(t, e);
    while (e->equal < t->count && memcmp(t->entry[e->equal].board, e->board, TRACE_STATE) != 0)
        e->equal++;
    t->equal += e->equal < t->count;
    t->count++;
    return status;
}

/* Positions are to stay where the trace has them, and the cursor begins at the first. */
static int settle(struct trace *t)
{
    msgpack_object result;
    struct buffer *b = ctl_request(t->ctl, "setgraftbehavior", 2);

    pack_int(b, t->session);
    pack_int(b, 0);
    int status = ctl_result(t->ctl, &result);
    if (status != CLI_GO)
        return status;
    b = ctl_request(t->ctl, "setcursor", 3);
    pack_int(b, t->session);
    pack_cstr(b, CURSOR);
    pack_uint(b, 0);
    status = ctl_result(t->ctl, &result);
    return status == CLI_GO ? add_entry(t, 0, 0) : status;
}

static bool check_table(struct trace *t, json_t const *record, size_t line, uint32_t position);

bool trace_begin(struct trace *t, struct ctl *ctl, struct trace_wish const *wish, char const *path,
                 json_t const *record)
{
    msgpack_object result;

    *t = (struct trace){.ctl = ctl,
                        .wish = *wish,
                        .path = path,
                        .whole = strcmp(text_of(record, "kind"), "start") == 0};
    int status = request_begin(t, record);
    if (status == CLI_GO)
        status = ctl_result(ctl, &result);
    if (status == CLI_GO && !integer_read(map_get(&result, "session"), 0, INT64_MAX, &t->session))
        status = ctl_fail_shape(ctl);
    if (status != CLI_GO)
        return false;
    t->under_way = true;
    t->moves = json_object();
    t->broken = settle(t) != CLI_GO;
    t->records = 1;
    if (!t->broken)
        t->agreed += check_table(t, record, 1, 0);
    return true;
}

/* ---- the table ---------------------------------------------------------------------------- */

/* Objects as rows [id, name, x, y, dir]. */
static json_t *rows_of(json_t const *objects)
{
    json_t *rows = json_array(), *object;
    size_t i;

    json_array_foreach(objects, i, object)
    {
        json_t *f = json_array_get(object, 1);
        json_array_append_new(rows, json_pack("[O,O?,O?,O?,O?]", json_array_get(object, 0),
                                              json_object_get(f, "name"), json_object_get(f, "x"),
                                              json_object_get(f, "y"), json_object_get(f, "dir")));
    }
    return rows;
}

static bool check_rows(struct trace *t, json_t const *record, size_t line, json_t const *objects)
{
    json_t const *rows = json_object_get(record, "table"), *told = json_object_get(record, "hash");
    bool good = true;

    if (json_is_array(rows)) {
        json_t *got = rows_of(objects);
        good = same(t, line, "table", rows, got);
        json_decref(got);
    }
    if (told) {
        char hash[17];
        trace_hash(objects, hash);
        json_t *got = json_string(hash);
        good = same(t, line, "hash", told, got) && good;
        json_decref(got);
    }
    return good;
}

/* Objects or cursors, by id in both. */
static bool check_by_id(struct trace *t, size_t line, char const *what, json_t const *expected,
                        json_t const *rows)
{
    json_t *got = json_object(), *row;
    char key[32];
    size_t i;

    json_array_foreach(rows, i, row)
    {
        snprintf(key, sizeof key, "%lld", (long long)json_integer_value(json_array_get(row, 0)));
        json_object_set(got, key, json_array_get(row, 1));
    }
    bool good = same(t, line, what, expected, got);
    json_decref(got);
    return good;
}

static bool check_whole(struct trace *t, json_t const *expected, size_t line, json_t const *table)
{
    json_t *level = level_of(json_object_get(expected, "level"));
    bool good = same(t, line, "level", level, json_object_get(table, "level"));

    json_decref(level);
    good = check_by_id(t, line, "objects", json_object_get(expected, "objects"),
                       json_object_get(table, "objects")) &&
           good;
    return check_by_id(t, line, "cursors", json_object_get(expected, "cursors"),
                       json_object_get(table, "cursors")) &&
           good;
}

/* Whether the table at a position is the record's. */
static bool check_table(struct trace *t, json_t const *record, size_t line, uint32_t position)
{
    json_t *table;
    bool good = true;

    t->broken = table_read(t->ctl, (struct table_wish){.handle = t->session, .position = position},
                           &table) != CLI_GO;
    if (t->broken)
        good = false;
    else if (!t->whole)
        good = check_rows(t, record, line, json_object_get(table, "objects"));
    else if (json_object_get(record, "table"))
        good = check_whole(t, json_object_get(record, "table"), line, table);
    json_decref(table);
    return good;
}

/* ---- records ------------------------------------------------------------------------------ */

/* A number for a move: each name has one. Where moves have no names each entry has its own. */
static int move_number(struct trace *t, json_t const *record)
{
    char const *name = json_string_value(json_object_get(record, "move"));

    if (!name)
        return UNNAMED_MOVES + (int)t->count;
    json_t *number = json_object_get(t->moves, name);
    if (!number) {
        number = json_integer((json_int_t)json_object_size(t->moves));
        json_object_set_new(t->moves, name, number);
    }
    return (int)json_integer_value(number);
}

/* The entry that a record names; NULL, and the trace is broken, if it is not there. */
static struct entry *entry_of(struct trace *t, json_t const *record, char const *key)
{
    json_t const *number = json_object_get(record, key);
    json_int_t entry = json_integer_value(number);

    if (json_is_integer(number) && entry >= 0 && entry < t->count)
        return &t->entry[entry];
    cli_complain("%s: the trace names an entry that is not there, or none, as `%s`", t->path, key);
    t->broken = true;
    return NULL;
}

static int request_turn(struct trace *t, json_t const *record, struct entry const *from, int move)
{
    json_t const *lines = json_object_get(record, "lines");
    json_t *after = t->whole ? trace_after(lines, json_object_get(record, "table")) : NULL;
    struct buffer *b = ctl_request(t->ctl, "addchanges", 7);

    pack_int(b, t->session);
    pack_uint(b, from->position);
    pack_int(b, move);
    char const *problem =
        json_is_array(lines) ? json_pack_msgpack(lines, b) : "a turn has no lines";
    pack_int(b, json_is_true(json_object_get(record, "won")));
    pack_int(b, 1);
    pack_map(b, 1 + (after != NULL));
    pack_key(b, "cursor");
    pack_cstr(b, CURSOR);
    if (after) {
        pack_key(b, "after");
        problem = problem ? problem : json_pack_msgpack(after, b);
    }
    json_decref(after);
    return problem ? fail_json(problem) : CLI_GO;
}

/* Which known board, if any, the turn led to. */
static bool check_equal(struct trace *t, json_t const *record, size_t line)
{
    uint32_t last = t->count - 1, equal = t->entry[last].equal;

    if (t->whole)
        return true; /* such traces do not tell */
    json_t *got = equal < last ? json_integer(equal) : NULL;
    json_t const *expected = json_object_get(record, "equal");
    bool good = (!expected && !got) || same(t, line, "equal", expected, got);
    json_decref(got);
    return good;
}

static bool play_turn(struct trace *t, json_t const *record, size_t line)
{
    msgpack_object result;
    int64_t number;
    struct entry const *from = entry_of(t, record, "from");
    int move = move_number(t, record);

    if (!from)
        return false;
    int status = request_turn(t, record, from, move);
    if (status == CLI_GO)
        status = ctl_result(t->ctl, &result);
    if (status == CLI_GO && !integer_read(map_get(&result, "number"), 0, UINT32_MAX, &number))
        status = ctl_fail_shape(t->ctl);
    if (status == CLI_GO)
        status = add_entry(t, (uint32_t)number, move);
    t->turns++;
    t->broken = status != CLI_GO;
    if (t->broken)
        return false;
    bool good = check_equal(t, record, line);
    return check_table(t, record, line, (uint32_t)number) && good;
}

/* A step of the cursor, with a number (redo: the move) or without. */
static int step(struct trace *t, char const *method, struct entry const *to, int64_t *number)
{
    msgpack_object result;
    bool redo = strcmp(method, "redo") == 0;
    struct buffer *b = ctl_request(t->ctl, method, 2 + redo);

    pack_int(b, t->session);
    pack_cstr(b, CURSOR);
    if (redo) {
        pack_map(b, 1);
        pack_key(b, "move");
        pack_int(b, to->move);
    }
    int status = ctl_result(t->ctl, &result);
    if (status == CLI_GO &&
        !integer_read(map_get(map_get(&result, "position"), "number"), 0, UINT32_MAX, number))
        status = ctl_fail_shape(t->ctl);
    return status;
}

static bool play_step(struct trace *t, json_t const *record, size_t line, char const *method)
{
    struct entry const *to = entry_of(t, record, "entry");
    int64_t number;

    if (!to)
        return false;
    t->broken = step(t, method, to, &number) != CLI_GO;
    if (t->broken)
        return false;
    json_t *expected = json_integer(to->position), *got = json_integer(number);
    bool good = same(t, line, "position", expected, got);
    json_decref(expected);
    json_decref(got);
    return check_table(t, record, line, (uint32_t)number) && good;
}

/* The last record has the counts, and mostly the table. */
static bool check_end(struct trace *t, json_t const *record, size_t line)
{
    struct {
        char const *key;
        uint64_t got;
    } const counts[] = {
        {"entries", t->count - 1}, {"turns", t->turns}, {"undos", t->undos},
        {"redos", t->redos},       {"equal", t->equal},
    };
    bool good = true;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        json_t const *expected = json_object_get(record, counts[i].key);
        json_t *got = json_integer((json_int_t)counts[i].got);
        good = (!expected || same(t, line, counts[i].key, expected, got)) && good;
        json_decref(got);
    }
    return good;
}

void trace_play(struct trace *t, json_t const *record, size_t line)
{
    char const *kind = text_of(record, "kind");
    bool good;

    if (t->broken)
        return;
    t->records++;
    if (strcmp(kind, "turn") == 0) {
        good = play_turn(t, record, line);
    } else if (strcmp(kind, "undo") == 0) {
        t->undos++;
        good = play_step(t, record, line, "undo");
    } else if (strcmp(kind, "redo") == 0) {
        t->redos++;
        good = play_step(t, record, line, "redo");
    } else if (strcmp(kind, "end") == 0) {
        good = check_end(t, record, line);
    } else {
        cli_complain("%s:%zu: a record of the kind '%s' is not known", t->path, line, kind);
        good = false;
    }
    t->agreed += good;
}

/* ---- ending ------------------------------------------------------------------------------- */

bool trace_end(struct trace *t)
{
    msgpack_object result;
    bool good = !t->broken && t->agreed == t->records;

    if (t->told > (uint64_t)t->wish.differences)
        printf("%s: and %" PRIu64 " differences more\n", t->path,
               t->told - (uint64_t)t->wish.differences);
    printf("%s: %" PRIu64 " turns, %" PRIu64 " undos, %" PRIu64 " redos, %" PRIu64
           " to a known board: %" PRIu64 " of %" PRIu64 " records agree%s\n",
           t->path, t->turns, t->undos, t->redos, t->equal, t->agreed, t->records,
           t->broken ? ", and there it stopped" : "");
    if (t->ctl->c.fd >= 0 && !t->wish.session) {
        pack_int(ctl_request(t->ctl, "endsession", 1), t->session);
        good = ctl_result(t->ctl, &result) == CLI_GO && good;
    }
    json_decref(t->moves);
    free(t->entry);
    *t = (struct trace){.under_way = false};
    return good;
}
