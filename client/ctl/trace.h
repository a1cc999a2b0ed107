/* Traces: records of a game that tells its turns by change, one a line, as tests/cases/baba has
 * them. A level or start record begins one; turns, undos and redos follow, each with what the table
 * is afterwards. */
#ifndef CTL_TRACE_H
#define CTL_TRACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/ctl/ctl.h"

#define TRACE_STATE 20 /* bytes by which equal boards are known */

struct trace_wish {
    char const *session; /* the name to keep it under; NULL: a private one, which ends */
    char const *schema;  /* NULL: as the trace says */
    int64_t differences; /* how many are printed */
};

struct trace {
    struct ctl *ctl;
    struct trace_wish wish;
    char const *path;
    bool under_way, broken; /* broken: it can not be gone on with */
    bool whole;             /* its tables tell every field, and what lines do not */
    int64_t session;
    json_t *moves;       /* {name: number} */
    struct entry *entry; /* by the trace's numbers, from 0 */
    uint32_t count, cap;
    uint64_t turns, undos, redos, equal, records, agreed;
    uint64_t told; /* differences */
};

/* Whether a record begins a trace. */
bool trace_begins(json_t const *record);

/* Begins the session of a trace: false after a complaint, and then there is no trace. */
bool trace_begin(struct trace *t, struct ctl *ctl, struct trace_wish const *wish, char const *path,
                 json_t const *record);

/* Plays a record and compares what comes of it. */
void trace_play(struct trace *t, json_t const *record, size_t line);

/* Ends it, and prints how many records agreed: whether all did. */
bool trace_end(struct trace *t);

/* What the lines of a turn do not tell of the fields they change, taken from the table after it:
 * [[line, field, value] ...]. A new reference, or NULL. */
json_t *trace_after(json_t const *lines, json_t const *table);

/* The hash of a board as traces have it: of the objects' name, x, y, dir. */
void trace_hash(json_t const *objects, char hash[17]);

#endif
