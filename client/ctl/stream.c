#include "client/ctl/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/rails.h"
#include "client/ctl/table.h"

#define CURSOR "stream"

static bool differs(struct stream *s, size_t line, char const *what, int64_t expected, int64_t got)
{
    if (expected == got)
        return false;
    if (s->told++ < (uint64_t)s->most)
        printf("%s:%zu: %s: expected %" PRId64 ", got %" PRId64 "\n", s->path, line, what, expected,
               got);
    return true;
}

static void break_off(struct stream *s)
{
    s->broken = true;
    s->told++;
}

bool stream_begin(struct stream *s, struct ctl *ctl, char const *path, char const *name,
                  int64_t differences, json_t const *header)
{
    *s = (struct stream){.ctl = ctl, .path = path, .most = differences};
    if (rails_session(ctl, name, &s->session) != CLI_GO)
        return false;
    s->rules = json_incref(json_object_get(header, "rules"));
    s->under_way = true;
    return true;
}

/* The table, sorted as the daemon tells it, and how many of its rows are such things. */
static json_t *read_table(struct stream *s)
{
    json_t *table;

    if (table_read(s->ctl, (struct table_wish){.handle = s->session, .position = s->position},
                   &table) == CLI_GO)
        return table;
    json_decref(table);
    break_off(s);
    return NULL;
}

static int64_t count_of(json_t const *table, char const *what)
{
    json_t *row;
    size_t i;
    int64_t count = 0;

    json_array_foreach(json_object_get(table, "objects"), i, row)
    {
        char const *is = json_string_value(json_array_get(json_array_get(row, 0), 0));
        count += is && strcmp(is, what) == 0;
    }
    return count;
}

static void play_step(struct stream *s, json_t const *record, size_t line)
{
    json_t *lines = rails_lines(json_object_get(record, "ops"));

    if (json_array_size(lines) > 0 && rails_lay(s->ctl, s->session, s->position, lines,
                                                (int)s->steps + 1, CURSOR, &s->position) != CLI_GO)
        break_off(s);
    json_decref(lines);
    s->steps++;
    json_t *table = s->broken ? NULL : read_table(s);
    json_t *nodes = json_object_get(record, "nodes"), *edges = json_object_get(record, "edges");
    if (table && nodes)
        differs(s, line, "nodes", json_integer_value(nodes), count_of(table, "node"));
    if (table && edges)
        differs(s, line, "edges", json_integer_value(edges), count_of(table, "edge"));
    json_decref(table);
}

/* Asks a query where the stream stands. */
static void ask(struct stream *s, json_t const *query, size_t line)
{
    struct rails_question question = {.company = json_object_get(query, "company"),
                                      .trains = json_object_get(query, "trains"),
                                      .rules = s->rules,
                                      .bonuses = json_object_get(query, "bonuses"),
                                      .deadline = -1};
    json_t *answer;

    if (rails_ask(s->ctl, NULL, s->session, s->position, &question, &answer) != CLI_GO) {
        break_off(s);
        return;
    }
    differs(s, line, "best", json_integer_value(json_object_get(query, "best")),
            json_integer_value(json_object_get(answer, "total")));
    differs(s, line, "proven", true, json_is_true(json_object_get(answer, "proven")));
    json_decref(answer);
    s->seen++;
}

static bool keep(struct stream *s, json_t const *query)
{
    if (s->count == s->cap) {
        size_t cap = 2 * s->cap + 64;
        struct asked *grown = realloc(s->asked, cap * sizeof *grown);
        if (!grown) {
            cli_complain("out of memory");
            return false;
        }
        s->asked = grown;
        s->cap = cap;
    }
    s->asked[s->count++] = (struct asked){
        .position = s->position, .query = json_incref((json_t *)query), .table = read_table(s)};
    return true;
}

bool stream_play(struct stream *s, json_t const *record, size_t line)
{
    bool step = json_is_array(json_object_get(record, "ops"));

    if (!step && !json_object_get(record, "query"))
        return false;
    if (s->broken)
        return true;
    if (step) {
        play_step(s, record, line);
        return true;
    }
    ask(s, record, line);
    if (!s->broken && !keep(s, record))
        break_off(s);
    return true;
}

static bool undo(struct stream *s)
{
    msgpack_object result;
    struct position p;
    struct buffer *b = ctl_request(s->ctl, "undo", 2);

    pack_int(b, s->session);
    pack_cstr(b, CURSOR);
    if (ctl_result(s->ctl, &result) != CLI_GO || !position_read(map_get(&result, "position"), &p))
        return false;
    bool moved = s->position != p.number;
    s->position = p.number;
    return moved;
}

static void go_back(struct stream *s)
{
    for (size_t i = s->count; i > 0 && !s->broken; i--) {
        struct asked *a = &s->asked[i - 1];
        while (s->position != a->position && !s->broken)
            if (!undo(s))
                break_off(s);
        if (s->broken)
            return;
        ask(s, a->query, 0);
        json_t *table = read_table(s);
        differs(s, 0, "the table after undoing", true, json_equal(table, a->table));
        json_decref(table);
    }
}

bool stream_end(struct stream *s)
{
    size_t queries = s->count;

    if (!s->broken)
        go_back(s);
    printf("%s: %" PRIu64 " steps, %zu queries, asked %" PRIu64 " times; %" PRIu64
           " differences%s\n",
           s->path, s->steps, queries, s->seen, s->told, s->broken ? "; stopped" : "");
    for (size_t i = 0; i < s->count; i++) {
        json_decref(s->asked[i].query);
        json_decref(s->asked[i].table);
    }
    free(s->asked);
    json_decref(s->rules);
    bool good = !s->told && !s->broken;
    *s = (struct stream){0};
    return good;
}
