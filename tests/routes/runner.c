/* The engine for programs: reads a JSON object a line, answers with one a line.
 *   {"ops": [...]}                           a step; the answer tells its number
 *   {"undo": true}, {"redo": true}           the last step back, or again
 *   {"question": {...}, "rules": {...}}      the best set; with "memory": that many bytes for
 * lists, with "stop": stops after so many polls;
 *                                            "patience": see routes.h
 *   ... "count": true                        the number of routes of each train too
 *   ... "check": [set, ...]                  verdicts on sets
 *   {"reach": company}                       ids of nodes and edges that are reached
 *   {"dump": true}                           all that is in the network
 *   {"new": true}                            an empty network
 * An error is {"error": name, "text": why}. With "verify": true all tables are verified after the
 * step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/redo_error.h"
#include "tests/routes/reader.h"

struct runner {
    struct routes_network *net;
    struct routes_step **steps;
    size_t done, made, room;
    long stop;
    bool verify;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static json_t *failure(int rc, char const *text)
{
    return json_pack("{s:s, s:s}", "error", redo_errorname(rc), "text", text);
}

static json_t *ids(uint32_t const *list, uint32_t count)
{
    json_t *to = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(to, json_integer(list[i]));
    return to;
}

static void forget(struct runner *r, size_t from)
{
    for (size_t i = from; i < r->made; i++)
        routes_step_free(r->steps[i]);
    r->made = from;
    if (r->done > from)
        r->done = from;
}

static json_t *told_step(struct runner *r)
{
    char const *wrong = r->verify ? routes_network_verify(r->net) : NULL;
    struct routes_sizes sizes = routes_network_sizes(r->net);
    if (wrong)
        return failure(REDO_ENETWORK, wrong);
    return json_pack("{s:I, s:I, s:I, s:I}", "step", (json_int_t)r->done, "nodes",
                     (json_int_t)sizes.nodes, "edges", (json_int_t)sizes.edges, "bytes",
                     (json_int_t)sizes.bytes);
}

static json_t *do_ops(struct runner *r, struct ops const *ops)
{
    struct routes_fault fault = {{0}};
    struct routes_step *step;
    int rc = routes_network_apply(r->net, ops->ops, ops->count, &step, &fault);
    if (rc) {
        char const *wrong = routes_network_verify(r->net);
        return failure(rc, wrong ? wrong : fault.text);
    }
    forget(r, r->done);
    if (r->made == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->steps = realloc(r->steps, r->room * sizeof(struct routes_step *));
    }
    r->steps[r->made++] = step;
    r->done++;
    return told_step(r);
}

static json_t *move(struct runner *r, bool back)
{
    int rc;
    if (back ? r->done == 0 : r->done == r->made)
        return failure(REDO_ERANGE, "there is no such step");
    rc = back ? routes_step_undo(r->net, r->steps[r->done - 1])
              : routes_step_redo(r->net, r->steps[r->done]);
    if (rc)
        return failure(rc, "step");
    r->done += back ? (size_t)-1 : 1;
    return told_step(r);
}

static int poll(void *context, struct routes_progress const *progress)
{
    struct runner *r = context;
    return r->stop >= 0 && r->stop-- == 0;
}

static json_t *tell_routes(struct routes_route const *routes, uint32_t count)
{
    json_t *set = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(set, json_pack("{s:I, s:I, s:o, s:o}", "train",
                                             (json_int_t)routes[i].train, "value",
                                             (json_int_t)routes[i].value, "stops",
                                             ids(routes[i].stops, routes[i].stop_count), "edges",
                                             ids(routes[i].edges, routes[i].edge_count)));
    return set;
}

static json_t *verdict_of(struct runner *r, struct routes_question const *q,
                          struct routes_route const *routes, uint32_t count)
{
    struct routes_verdict v;
    struct routes_fault fault = {{0}};
    int rc = routes_check(r->net, q, routes, count, NULL, &v, &fault);
    if (rc)
        return failure(rc, fault.text);
    json_t *values = json_array();
    for (uint32_t i = 0; i < count && v.rule == ROUTES_LEGAL; i++)
        json_array_append_new(values, json_integer(v.values[i]));
    return json_pack("{s:b, s:i, s:s, s:I, s:I, s:I, s:o}", "legal", v.rule == ROUTES_LEGAL, "rule",
                     (int)v.rule, "text", routes_rule_text(v.rule), "route", (json_int_t)v.route,
                     "id", (json_int_t)v.id, "total", (json_int_t)v.total, "values", values);
}

static json_t *count_all(struct runner *r, struct routes_question const *q)
{
    json_t *counts = json_array();
    for (uint32_t i = 0; i < q->train_count; i++) {
        uint64_t count = 0;
        bool complete = false;
        if (routes_count(r->net, q, i, NULL, &count, &complete, NULL) || !complete)
            count = UINT64_MAX;
        json_array_append_new(counts, json_integer((json_int_t)count));
    }
    return counts;
}

static json_t *ask(struct runner *r, json_t *line, struct reader *reader)
{
    struct routes_question q;
    struct routes_answer a;
    struct routes_fault fault = {{0}};
    struct routes_options o = {.poll = poll, .context = r};
    json_t *checks, *answer, *set;
    size_t i;
    if (!read_question(reader, json_object_get(line, "question"), json_object_get(line, "rules"),
                       &q))
        return failure(REDO_EPARAMS, reader->error);
    o.patience = (uint64_t)json_integer_value(json_object_get(line, "patience"));
    o.memory = (size_t)json_integer_value(json_object_get(line, "memory"));
    json_t *stop = json_object_get(line, "stop");
    r->stop = stop ? (long)json_integer_value(stop) : -1;
    double start = now();
    int rc = routes_best(r->net, &q, &o, &a, &fault);
    if (rc)
        return failure(rc, fault.text);
    answer = json_pack("{s:I, s:I, s:b, s:b, s:I, s:I, s:f, s:o, s:o}", "best", (json_int_t)a.total,
                       "bound", (json_int_t)a.bound, "proven", a.proven, "stable", a.stable,
                       "nodes", (json_int_t)a.nodes, "memory", (json_int_t)a.memory, "seconds",
                       now() - start, "set", tell_routes(a.routes, a.count), "verdict",
                       verdict_of(r, &q, a.routes, a.count));
    routes_answer_free(&a);
    if (json_is_true(json_object_get(line, "count")))
        json_object_set_new(answer, "candidates", count_all(r, &q));
    checks = json_array();
    json_array_foreach(json_object_get(line, "check"), i, set)
    {
        struct routes_set read;
        json_array_append_new(checks, read_set(reader, set, &read)
                                          ? verdict_of(r, &q, read.routes, read.count)
                                          : failure(REDO_EPARAMS, reader->error));
    }
    json_object_set_new(answer, "checks", checks);
    return answer;
}

static json_t *tell_reach(struct runner *r, char const *company, uint32_t const *nodes,
                          uint32_t const *edges, struct routes_sizes sizes)
{
    json_t *n = json_array(), *e = json_array();
    for (uint32_t i = 0; i < sizes.nodes; i++)
        if (routes_reach_node(r->net, company, nodes[i]))
            json_array_append_new(n, json_integer(nodes[i]));
    for (uint32_t i = 0; i < sizes.edges; i++)
        if (routes_reach_edge(r->net, company, edges[i]))
            json_array_append_new(e, json_integer(edges[i]));
    return json_pack("{s:o, s:o}", "nodes", n, "edges", e);
}

static json_t *strings(char const *const *list, uint32_t count)
{
    json_t *to = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(to, list[i] ? json_string(list[i]) : json_null());
    return to;
}

static json_t *tell_node(struct routes_node const *n)
{
    json_t *values = json_object();
    for (uint32_t i = 0; i < n->value_count; i++)
        json_object_set_new(values, n->values[i].train, json_integer(n->values[i].value));
    return json_pack("{s:I, s:i, s:i, s:s?, s:s?, s:o, s:i, s:i, s:I, s:o, s:o}", "id",
                     (json_int_t)n->id, "kind", (int)n->kind, "limit", (int)n->limit, "name",
                     n->name, "hex", n->hex, "hexes", strings(n->hexes, n->hex_count), "value",
                     (int)n->value, "cost", (int)n->cost, "slots", (json_int_t)n->slots, "tokens",
                     strings(n->tokens, n->token_count), "values", values);
}

static json_t *tell_edge(struct routes_edge const *e)
{
    return json_pack("{s:I, s:I, s:I, s:s, s:i, s:b, s:i}", "id", (json_int_t)e->id, "a",
                     (json_int_t)e->a, "b", (json_int_t)e->b, "hex", e->hex, "track", (int)e->track,
                     "terminal", (int)e->terminal, "limit", (int)e->limit);
}

static json_t *tell_mutex(struct routes_mutex const *m)
{
    return json_pack("{s:I, s:i, s:o, s:o, s:s?}", "id", (json_int_t)m->id, "scope", (int)m->scope,
                     "nodes", ids(m->nodes.ids, m->nodes.count), "edges",
                     ids(m->edges.ids, m->edges.count), "why", m->why);
}

static json_t *tell_network(struct runner *r, char const *company)
{
    struct routes_sizes sizes = routes_network_sizes(r->net);
    uint32_t *nodes = calloc(sizes.nodes + 1, 4), *edges = calloc(sizes.edges + 1, 4);
    uint32_t *mutexes = calloc(sizes.mutexes + 1, 4);
    json_t *answer;
    routes_network_ids(r->net, nodes, edges, mutexes);
    if (company) {
        answer = tell_reach(r, company, nodes, edges, sizes);
    } else {
        json_t *n = json_array(), *e = json_array(), *m = json_array();
        for (uint32_t i = 0; i < sizes.nodes; i++)
            json_array_append_new(n, tell_node(routes_network_node(r->net, nodes[i])));
        for (uint32_t i = 0; i < sizes.edges; i++)
            json_array_append_new(e, tell_edge(routes_network_edge(r->net, edges[i])));
        for (uint32_t i = 0; i < sizes.mutexes; i++)
            json_array_append_new(m, tell_mutex(routes_network_mutex(r->net, mutexes[i])));
        answer = json_pack("{s:o, s:o, s:o}", "nodes", n, "edges", e, "mutexes", m);
    }
    free(nodes);
    free(edges);
    free(mutexes);
    return answer;
}

static void renew(struct runner *r)
{
    forget(r, 0);
    routes_network_close(r->net);
    if (routes_network_open(&r->net))
        abort();
}

static json_t *answer_line(struct runner *r, json_t *line, struct reader *reader)
{
    struct ops ops;
    r->verify = json_is_true(json_object_get(line, "verify"));
    if (json_object_get(line, "new")) {
        renew(r);
        return json_object();
    }
    if (json_object_get(line, "ops") || json_object_get(line, "network")) {
        bool read = json_object_get(line, "ops")
                        ? read_ops(reader, json_object_get(line, "ops"), &ops)
                        : read_network(reader, json_object_get(line, "network"), &ops);
        return read ? do_ops(r, &ops) : failure(REDO_EPARAMS, reader->error);
    }
    if (json_object_get(line, "undo") || json_object_get(line, "redo"))
        return move(r, json_object_get(line, "undo") != NULL);
    if (json_object_get(line, "question"))
        return ask(r, line, reader);
    if (json_object_get(line, "reach"))
        return tell_network(r, json_string_value(json_object_get(line, "reach")));
    return tell_network(r, NULL);
}

int main(void)
{
    struct runner r = {.stop = -1};
    char *text = NULL;
    size_t room = 0;
    renew(&r);
    while (getline(&text, &room, stdin) > 0) {
        struct reader reader = {0};
        json_t *line = json_loads(text, 0, NULL);
        json_t *answer = line ? answer_line(&r, line, &reader) : failure(REDO_EPARAMS, "no JSON");
        json_dumpf(answer, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(answer);
        json_decref(line);
        reader_close(&reader);
    }
    free(text);
    forget(&r, 0);
    free(r.steps);
    routes_network_close(r.net);
    return 0;
}
