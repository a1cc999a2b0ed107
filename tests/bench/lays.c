/* Steps of a stream of track as turns of a session, in process: microseconds of CPU to add one
 * (lines, table, digest, network and reach), and to bring the network that is asked about back by
 * one. Prints lines `name value`; medians of the rounds.
 *
 *   bench-lays ROUNDS STREAM.jsonl... */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/changes/changes.h"
#include "core/history.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + 1e-3 * (double)t.tv_nsec;
}

static void fail(char const *what)
{
    fprintf(stderr, "bench-lays: %s\n", what);
    exit(1);
}

static void put(struct value_writer *w, json_t *v)
{
    char const *key;
    json_t *item;
    size_t i;
    if (json_is_integer(v)) {
        value_put_int(w, json_integer_value(v));
    } else if (json_is_string(v)) {
        value_put_string(w, json_string_value(v), json_string_length(v));
    } else if (json_is_boolean(v)) {
        value_put_bool(w, json_is_true(v));
    } else if (json_is_array(v)) {
        value_put_array(w, (uint32_t)json_array_size(v));
        json_array_foreach(v, i, item) put(w, item);
    } else if (json_is_object(v)) {
        value_put_map(w, (uint32_t)json_object_size(v));
        json_object_foreach(v, key, item)
        {
            value_put_string(w, key, strlen(key));
            put(w, item);
        }
    } else {
        value_put_nil(w);
    }
}

/* The ops of a step as a turn. Fields that are no field of it do no harm. */
static struct value_writer turn_of(json_t *ops)
{
    struct value_writer w = {0};
    json_t *op;
    size_t i;
    value_put_array(&w, 3);
    value_put_array(&w, (uint32_t)json_array_size(ops));
    json_array_foreach(ops, i, op)
    {
        json_t *fields = json_copy(op);
        bool removes = strncmp(json_string_value(json_object_get(op, "op")), "remove", 6) == 0;
        json_object_del(fields, "op");
        json_object_del(fields, "id");
        value_put_array(&w, removes ? 2 : 3);
        put(&w, json_object_get(op, "op"));
        put(&w, json_object_get(op, "id"));
        if (!removes)
            put(&w, fields);
        json_decref(fields);
    }
    value_put_nil(&w);
    value_put_nil(&w);
    return w;
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

/* All steps forth, each after the first timed; then back, asking for the network at each. */
static void one_round(struct value_writer const *turns, uint32_t count, double *forth, double *back)
{
    struct fault fault;
    struct board_network *network;
    struct history *h = changes_new("\xadroute-network", 14, NULL, 0, false, &fault);
    double start = 0;
    for (uint32_t i = 0; h && i < count; i++) {
        redo_operation op = {.kind = REDO_OP_ADD,
                             .position = i,
                             .move = 1,
                             .state = turns[i].data,
                             .statesize = turns[i].size};
        if (i == 1)
            start = now();
        if (history_apply(h, &op, NULL))
            fail("a turn is refused");
    }
    *forth = (now() - start) / (count - 1);
    if (!h || changes_network(h, node_at(h, count), &network, NULL))
        fail("no network");
    start = now();
    for (uint32_t i = count; i-- > 1;)
        if (changes_network(h, node_at(h, i), &network, NULL))
            fail("no network");
    *back = (now() - start) / (count - 1);
    history_free(h);
}

static void measure(char const *path, int rounds)
{
    struct value_writer *turns = NULL;
    uint32_t count = 0;
    char *text = NULL, name[64] = "";
    size_t room = 0;
    FILE *f = fopen(path, "r");
    while (f && getline(&text, &room, f) > 0) {
        json_t *line = json_loads(text, 0, NULL);
        if (json_object_get(line, "stream"))
            snprintf(name, sizeof name, "%s", json_string_value(json_object_get(line, "stream")));
        if (json_array_size(json_object_get(line, "ops"))) {
            turns = realloc(turns, (count + 1) * sizeof *turns);
            turns[count++] = turn_of(json_object_get(line, "ops"));
        }
        json_decref(line);
    }
    if (!f || count < 2)
        fail(path);
    double *forth = calloc((size_t)rounds, sizeof *forth);
    double *back = calloc((size_t)rounds, sizeof *back);
    for (int i = 0; i < rounds; i++)
        one_round(turns, count, &forth[i], &back[i]);
    printf("%s/add %.2f\n%s/back %.2f\n", name, median(forth, rounds), name, median(back, rounds));
    while (count)
        free(turns[--count].data);
    free(turns);
    free(forth);
    free(back);
    free(text);
    fclose(f);
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1)
        fail("ROUNDS STREAM.jsonl...");
    for (int i = 2; i < argc; i++)
        measure(argv[i], rounds);
    return 0;
}
