#include "client/ctl/routes_here.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/ctl/cli.h"
#include "client/ctl/json.h"
#include "core/routes/told.h"
#include "redo_error.h"

static int on_poll(void *context, struct routes_progress const *progress)
{
    struct timespec now;
    int64_t const *end = context;

    (void)progress;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return *end && now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000 >= *end;
}

/* JSON as a value; the part of b that begins at what it returns. */
static bool pack(json_t const *value, struct buffer *b)
{
    char const *problem = NULL;

    if (value)
        problem = json_pack_msgpack(value, b);
    else
        buffer_append(b, "\xc0", 1);
    if (!problem && b->failed)
        problem = "there is no memory for it";
    if (problem)
        cli_complain("a value of the file can not be read: %s", problem);
    return !problem;
}

/* The network of a case, laid: REDO_OK or the code. */
static int lay(struct told *t, struct value_reader r, struct routes_network *net,
               struct routes_fault *fault)
{
    uint32_t counts[3], total = 0;
    struct value_reader tables[3];
    for (int i = 0; i < 3; i++) {
        tables[i] = r;
        value_skip(&r);
        if (!told_open(&tables[i], VALUE_ARRAY, &counts[i])) {
            snprintf(fault->text, sizeof fault->text, "nodes, edges and mutex are lists");
            return REDO_ENETWORK;
        }
        total += counts[i];
    }
    struct routes_op *ops = calloc((size_t)total + 1, sizeof *ops);
    int rc = ops ? REDO_OK : REDO_ENOMEM;
    uint32_t count = 0;
    for (int i = 0; i < 3; i++)
        for (uint32_t j = 0; j < counts[i] && !rc; j++) {
            rc = told_thing(t, tables[i], (enum routes_op_kind)i, i == 2 ? j : UINT32_MAX,
                            &ops[count++]);
            if (rc && fault->text[0] == 'a') /* it has no id to be named by */
                snprintf(fault->text + strlen(fault->text),
                         sizeof fault->text - strlen(fault->text), ", at place %u of the list", j);
            value_skip(&tables[i]);
        }
    if (!rc)
        rc = routes_network_apply(net, ops, count, NULL, fault);
    free(ops);
    return rc;
}

static int search(struct asked *a, struct value_reader r[7], int64_t deadline,
                  struct routes_fault *fault)
{
    struct routes_network *net;
    struct routes_question question;
    struct routes_answer answer;
    struct value_writer w = {0};
    struct told told;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end =
        deadline ? now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000 + deadline * 1000 : 0;
    struct routes_options options = {.poll = on_poll, .context = &end};
    int rc = routes_network_open(&net);
    if (rc)
        return rc;
    told_init(&told, fault);
    rc = lay(&told, r[0], net, fault);
    if (!rc)
        rc = told_question(&told, r[3], r[4], r[5], r[6], &question);
    if (!rc)
        rc = routes_best(net, &question, &options, &answer, fault);
    if (!rc) {
        value_put_map(&w, TOLD_ANSWER);
        told_put_answer(&w, &answer);
        value_put_bytes(&w, "", 1); /* json.c's keys are read as strings */
        routes_answer_free(&answer);
        msgpack_unpacked whole;
        size_t at = 0;
        msgpack_unpacked_init(&whole);
        if (!w.failed &&
            msgpack_unpack_next(&whole, (char *)w.data, w.size, &at) == MSGPACK_UNPACK_SUCCESS)
            a->answer = json_from_msgpack(&whole.data);
        msgpack_unpacked_destroy(&whole);
        free(w.data);
        rc = a->answer ? REDO_OK : REDO_ENOMEM;
    }
    told_close(&told);
    routes_network_close(net);
    return rc;
}

int answer_here(struct asked *a, int64_t deadline, char const *path)
{
    json_t const *parts[] = {json_object_get(a->network, "nodes"),
                             json_object_get(a->network, "edges"),
                             json_object_get(a->network, "mutex"),
                             a->company,
                             a->trains,
                             a->rules,
                             a->bonuses};
    static char const *const names[] = {"nodes",  "edges", "mutex",  "company",
                                        "trains", "rules", "bonuses"};
    size_t starts[8] = {0};
    struct value_reader readers[7];
    struct routes_fault fault = {""};
    struct buffer b;
    buffer_init(&b);
    for (int i = 0; i < 7; i++) {
        bool good = pack(parts[i], &b);
        starts[i + 1] = b.size;
        bool whole = good && value_whole(b.data + starts[i], b.size - starts[i]);
        if (whole)
            continue;
        if (good)
            cli_complain("%s: %s: what is in it nests too deep", path, names[i]);
        buffer_free(&b);
        return EXIT_BAD;
    }
    for (int i = 0; i < 7; i++)
        readers[i] = (struct value_reader){(unsigned char *)b.data + starts[i],
                                           (unsigned char *)b.data + starts[i + 1]};
    readers[0].end = (unsigned char *)b.data + starts[3]; /* the three tables, one by one */
    int rc = search(a, readers, deadline, &fault);
    buffer_free(&b);
    if (!rc)
        return CLI_GO;
    cli_complain("%s: %s", path, *fault.text ? fault.text : redo_strerror(rc));
    return EXIT_BAD;
}
