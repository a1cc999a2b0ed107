/* Streams of track replayed: each step is laid and its sizes are compared, each query is asked and
 * its total compared; at the end all is undone, and at each query asked again. */
#ifndef CTL_STREAM_H
#define CTL_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/ctl/ctl.h"

struct stream {
    struct ctl *ctl;
    char const *path;
    int64_t most; /* differences that are printed */
    bool under_way, broken;
    int64_t session;
    uint32_t position;
    json_t *rules;
    struct asked {
        uint32_t position;
        json_t *query, *table;
    } * asked;
    size_t count, cap;
    uint64_t steps, told, seen; /* told: differences */
};

/* Begins the session of a stream (name: to keep it, or NULL): false after a complaint. */
bool stream_begin(struct stream *s, struct ctl *ctl, char const *path, char const *name,
                  int64_t differences, json_t const *header);

/* Plays a step, or asks a query. False: the record is neither. */
bool stream_play(struct stream *s, json_t const *record, size_t line);

/* Goes back over all, and prints how it went: whether nothing differed. */
bool stream_end(struct stream *s);

#endif
