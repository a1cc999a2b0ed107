/* Train routes: time to proof, and what a step costs. Prints a line `name value ...` a figure;
 * times are of the processor, medians of the rounds.
 *
 *   bench-routes proof ROUNDS CASE.json...    milliseconds to the proved and ordered answer, nodes
 *                                             of the search tree, bytes of its lists
 *   bench-routes step ROUNDS STREAM.jsonl...  microseconds of a step forward, and back, in steps
 *                                             after the first; of the dearest one; and of building
 *                                             the last network anew */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/routes/reader.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + 1e-3 * (double)t.tv_nsec;
}

static void fail(char const *what, char const *why)
{
    fprintf(stderr, "bench-routes: %s: %s\n", what, why);
    exit(1);
}

static int by_time(void const *a, void const *b)
{
    double x = *(double const *)a, y = *(double const *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_time);
    return times[count / 2];
}

static struct routes_network *open_network(void)
{
    struct routes_network *net;
    if (routes_network_open(&net))
        fail("network", "out of memory");
    return net;
}

static void proof(char const *path, int rounds)
{
    struct reader reader = {0};
    struct ops ops;
    struct routes_question q;
    struct routes_fault fault = {{0}};
    struct routes_answer a;
    json_t *root = json_load_file(path, 0, NULL);
    struct routes_network *net = open_network();
    double *times = calloc((size_t)rounds, sizeof *times);
    if (!root || !times || !read_network(&reader, root, &ops) ||
        !read_question(&reader, root, json_object_get(root, "rules"), &q) ||
        routes_network_apply(net, ops.ops, ops.count, NULL, &fault))
        fail(path, reader.error[0] ? reader.error : fault.text);
    json_int_t best = json_integer_value(json_object_get(json_object_get(root, "expect"), "best"));
    uint64_t nodes = 0;
    size_t memory = 0;
    for (int i = 0; i < rounds; i++) {
        double start = now();
        if (routes_best(net, &q, NULL, &a, &fault) || !a.proven || !a.stable || a.total != best)
            fail(path, "not the best, or not proved");
        times[i] = (now() - start) / 1e3;
        nodes = a.nodes;
        memory = a.memory;
        routes_answer_free(&a);
    }
    printf("proof/%s %.3f ms %llu nodes %zu bytes\n",
           json_string_value(json_object_get(root, "case")), median(times, rounds),
           (unsigned long long)nodes, memory);
    routes_network_close(net);
    free(times);
    reader_close(&reader);
    json_decref(root);
}

/* All that is in a network, as ops that build it. */
static struct ops all_ops(struct routes_network const *net)
{
    struct routes_sizes s = routes_network_sizes(net);
    uint32_t *ids = calloc((size_t)s.nodes + s.edges + s.mutexes + 1, sizeof *ids);
    struct ops ops = {calloc((size_t)s.nodes + s.edges + s.mutexes + 1, sizeof *ops.ops), 0};
    routes_network_ids(net, ids, ids + s.nodes, ids + s.nodes + s.edges);
    for (uint32_t i = 0; i < s.nodes; i++)
        ops.ops[ops.count++] =
            (struct routes_op){.kind = ROUTES_ADD_NODE, .node = *routes_network_node(net, ids[i])};
    for (uint32_t i = 0; i < s.edges; i++)
        ops.ops[ops.count++] = (struct routes_op){
            .kind = ROUTES_ADD_EDGE, .edge = *routes_network_edge(net, ids[s.nodes + i])};
    for (uint32_t i = 0; i < s.mutexes; i++)
        ops.ops[ops.count++] =
            (struct routes_op){.kind = ROUTES_ADD_MUTEX,
                               .mutex = *routes_network_mutex(net, ids[s.nodes + s.edges + i])};
    free(ids);
    return ops;
}

static double rebuild(struct routes_network const *net)
{
    struct ops ops = all_ops(net);
    double start = now();
    struct routes_network *other = open_network();
    if (routes_network_apply(other, ops.ops, ops.count, NULL, NULL))
        fail("rebuild", "refused");
    double time = now() - start;
    routes_network_close(other);
    free(ops.ops);
    return time;
}

struct stream {
    struct ops *steps;
    int count;
    char name[64];
    json_t **lines; /* that the ops point into */
    int line_count;
};

static void read_stream(struct reader *reader, char const *path, struct stream *s)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!f)
        fail(path, "can not be read");
    while (getline(&text, &room, f) > 0) {
        json_t *line = json_loads(text, 0, NULL);
        s->lines = realloc(s->lines, (size_t)(s->line_count + 1) * sizeof *s->lines);
        s->steps = realloc(s->steps, (size_t)(s->count + 1) * sizeof *s->steps);
        s->lines[s->line_count++] = line;
        if (json_object_get(line, "stream"))
            snprintf(s->name, sizeof s->name, "%s",
                     json_string_value(json_object_get(line, "stream")));
        if (!json_object_get(line, "ops"))
            continue;
        if (!read_ops(reader, json_object_get(line, "ops"), &s->steps[s->count++]))
            fail(path, reader->error);
    }
    free(text);
    fclose(f);
}

static void one_round(struct stream const *s, double *forward, double *back, double *dearest,
                      double *anew, struct routes_sizes *sizes)
{
    struct routes_network *net = open_network();
    struct routes_step **steps = calloc((size_t)s->count, sizeof *steps);
    for (int i = 0; i < s->count; i++) {
        double start = now();
        if (routes_network_apply(net, s->steps[i].ops, s->steps[i].count, &steps[i], NULL))
            fail(s->name, "a step was refused");
        double time = now() - start;
        *forward += i ? time / (s->count - 1) : 0;
        if (i && time > *dearest)
            *dearest = time;
    }
    *anew = rebuild(net);
    *sizes = routes_network_sizes(net);
    double start = now();
    for (int i = s->count; i-- > 1;)
        routes_step_undo(net, steps[i]);
    *back = (now() - start) / (s->count - 1);
    for (int i = 0; i < s->count; i++)
        routes_step_free(steps[i]);
    free(steps);
    routes_network_close(net);
}

static void step(char const *path, int rounds)
{
    struct reader reader = {0};
    struct stream s = {0};
    struct routes_sizes sizes;
    double *times[4];
    read_stream(&reader, path, &s);
    for (int k = 0; k < 4; k++)
        times[k] = calloc((size_t)rounds, sizeof **times);
    for (int i = 0; i < rounds; i++)
        one_round(&s, &times[0][i], &times[1][i], &times[2][i], &times[3][i], &sizes);
    printf(
        "step/%s %.2f us forward %.2f us back %.2f us dearest %.2f us anew (%u nodes, %u edges)\n",
        s.name, median(times[0], rounds), median(times[1], rounds), median(times[2], rounds),
        median(times[3], rounds), sizes.nodes, sizes.edges);
    for (int k = 0; k < 4; k++)
        free(times[k]);
    for (int i = 0; i < s.line_count; i++)
        json_decref(s.lines[i]);
    free(s.lines);
    free(s.steps);
    reader_close(&reader);
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 0;
    if (argc < 4 || rounds < 1) {
        fprintf(stderr, "usage: bench-routes proof|step ROUNDS FILE...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++)
        strcmp(argv[1], "proof") == 0 ? proof(argv[i], rounds) : step(argv[i], rounds);
    return 0;
}
