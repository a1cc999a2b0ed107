#include "client/ctl/dump.h"

#include <stdlib.h>

#include "client/ctl/json.h"
#include "redo_error.h"

#define PIPELINE 256
#define BRANCHES 10000 /* asked for at once */

static json_t *number(uint32_t n)
{
    return json_integer(n == UINT32_MAX ? -1 : (json_int_t)n);
}

static void add_row(json_t *rows, struct position const *p, bool states)
{
    json_t *row = json_array();

    json_array_append_new(row, number(p->number));
    json_array_append_new(row, number(p->prev));
    json_array_append_new(row, json_integer(p->move));
    json_array_append_new(row, json_integer(p->movecount));
    json_array_append_new(row, number(p->better));
    json_array_append_new(row, json_integer(p->endpoint));
    json_array_append_new(row, json_integer(p->solutionend));
    json_array_append_new(row, json_integer(p->solutionsize));
    json_array_append_new(row, json_array());
    if (states && p->state)
        json_array_append_new(row, json_hex(p->state, p->statesize));
    json_array_append_new(rows, row);
}

/* ---- positions --------------------------------------------------------------------------- */

/* One page; *after is the number to ask with, below 0 at the beginning and after the end. The
 * numbers of branches go to counts, an array that grows with the rows. */
static int read_page(struct ctl *ctl, int64_t session, bool states, int64_t *after, json_t *rows,
                     uint32_t **counts)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "getpositions", 2);

    pack_int(b, session);
    pack_map(b, 1 + (*after >= 0));
    pack_key(b, "states");
    pack_bool(b, states);
    if (*after >= 0) {
        pack_key(b, "after");
        pack_int(b, *after);
    }
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;

    msgpack_object const *list = map_get(&result, "positions"), *next = map_get(&result, "next");
    if (!list || list->type != MSGPACK_OBJECT_ARRAY || !next)
        return ctl_fail_shape(ctl);
    size_t before = json_array_size(rows), size = before + list->via.array.size;
    uint32_t *all = realloc(*counts, (size + 1) * sizeof *all);
    if (!all) {
        cli_complain("out of memory");
        return EXIT_BAD;
    }
    *counts = all;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        struct position p;
        if (!position_read(&list->via.array.ptr[i], &p))
            return ctl_fail_shape(ctl);
        add_row(rows, &p, states);
        all[before + i] = p.nextcount;
    }
    if (!integer_read(next, 0, UINT32_MAX, after))
        *after = -1;
    return CLI_GO;
}

/* ---- branches ---------------------------------------------------------------------------- */

static uint32_t request_branches(struct ctl *ctl, int64_t session, json_t const *row, size_t offset)
{
    struct buffer *b = ctl_request(ctl, "getbranches", 3);

    pack_int(b, session);
    pack_int(b, json_integer_value(json_array_get(row, 0)));
    pack_map(b, 2);
    pack_key(b, "offset");
    pack_uint(b, offset);
    pack_key(b, "limit");
    pack_uint(b, BRANCHES);
    return ctl->id;
}

/* The answer's numbers at the end of the row's branches; *more if there are others. */
static int take_branches(struct ctl *ctl, uint32_t id, json_t const *row, bool *more)
{
    json_t *branches = json_array_get(row, 8);
    msgpack_object result;
    int code = connection_receive(&ctl->c, id, &result);

    if (code != REDO_OK)
        return ctl_fail(ctl, code, &result);
    msgpack_object const *list = map_get(&result, "positions"), *next = map_get(&result, "next");
    if (!list || list->type != MSGPACK_OBJECT_ARRAY || !next)
        return ctl_fail_shape(ctl);
    *more = next->type != MSGPACK_OBJECT_NIL;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        struct position p;
        if (!position_read(&list->via.array.ptr[i], &p))
            return ctl_fail_shape(ctl);
        json_array_append_new(branches, number(p.number));
    }
    return CLI_GO;
}

/* Those of some rows that have any, sent together; afterwards the rest of those that have very
 * many. */
static int read_branches(struct ctl *ctl, int64_t session, json_t *const *row, size_t count)
{
    uint32_t id[PIPELINE];
    bool more[PIPELINE];

    for (size_t i = 0; i < count; i++)
        id[i] = request_branches(ctl, session, row[i], 0);
    int code = connection_flush(&ctl->c), status = CLI_GO;
    if (code != REDO_OK)
        return ctl_fail(ctl, code, NULL);
    for (size_t i = 0; i < count && status == CLI_GO; i++)
        status = take_branches(ctl, id[i], row[i], &more[i]);
    for (size_t i = 0; i < count && status == CLI_GO; i++) {
        while (status == CLI_GO && more[i]) {
            size_t offset = json_array_size(json_array_get(row[i], 8));
            uint32_t next = request_branches(ctl, session, row[i], offset);
            code = connection_flush(&ctl->c);
            status = code == REDO_OK ? take_branches(ctl, next, row[i], &more[i])
                                     : ctl_fail(ctl, code, NULL);
        }
    }
    return status;
}

static int read_all_branches(struct ctl *ctl, int64_t session, json_t const *rows,
                             uint32_t const *counts)
{
    json_t *some[PIPELINE];
    size_t count = 0;
    int status = CLI_GO;

    for (size_t i = 0; i < json_array_size(rows) && status == CLI_GO; i++) {
        if (counts[i] > 0)
            some[count++] = json_array_get(rows, i);
        if (count == PIPELINE || i + 1 == json_array_size(rows)) {
            status = read_branches(ctl, session, some, count);
            count = 0;
        }
    }
    return status;
}

/* A count that its list does not bear out shows in the list. */
static void check_counts(json_t const *rows, uint32_t const *counts)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *branches = json_array_get(json_array_get(rows, i), 8);
        if (json_array_size(branches) != counts[i])
            json_array_append_new(branches, json_sprintf("nextcount is %u", counts[i]));
    }
}

int dump_read(struct ctl *ctl, int64_t session, bool states, json_t **rows)
{
    uint32_t *counts = NULL;
    int64_t after = -1;
    int status;

    *rows = json_array();
    do
        status = read_page(ctl, session, states, &after, *rows, &counts);
    while (status == CLI_GO && after >= 0);
    if (status == CLI_GO)
        status = read_all_branches(ctl, session, *rows, counts);
    if (status == CLI_GO)
        check_counts(*rows, counts);
    free(counts);
    return status;
}
