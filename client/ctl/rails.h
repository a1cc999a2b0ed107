/* Files of track: a case (one JSON object, "route-network/1") is a network and a question about it;
 * a stream (JSON lines, "route-stream/1") is a network that grows step by step, with questions
 * between. What they say becomes lines of a session with the schema route-network. */
#ifndef CTL_RAILS_H
#define CTL_RAILS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/ctl/ctl.h"

struct rails {
    json_t *head;    /* the case; or the header of the stream */
    json_t *records; /* of a stream: its steps and queries; NULL: it is a case */
};

/* Whether bytes look like one of them: they begin as JSON does, and name the format. */
bool rails_begin(char const *data, size_t size);

/* CLI_GO, or EXIT_BAD after a complaint; to be closed in any case. */
int rails_read(struct rails *rails, char const *data, size_t size, char const *path);
int rails_read_file(struct rails *rails, char const *path);
void rails_close(struct rails *rails);

/* Whether a record of JSON lines is the header of a stream. */
bool rails_is_stream(json_t const *record);

/* The lines of a turn for the ops of a step; for the network of a case. New references, or NULL
 * without memory. */
json_t *rails_lines(json_t const *ops);

/* A session of this name (NULL: a private one) for networks: its handle. */
int rails_session(struct ctl *ctl, char const *name, int64_t *session);

/* Adds a turn after a position: the new one. cursor: put there, or NULL. */
int rails_lay(struct ctl *ctl, int64_t session, uint32_t after, json_t const *lines, int move,
              char const *cursor, uint32_t *position);

/* The same question in a request: company, trains, {rules, bonuses and so on}. */
struct rails_question {
    json_t const *company, *trains, *rules, *bonuses; /* the last two may be NULL */
    int64_t deadline;                                 /* milliseconds; below 0: none */
};

/* Asks the daemon for the best set; *answer: ROUTES as JSON, a new reference. Of the session, name
 * or, if that is NULL, handle. */
int rails_ask(struct ctl *ctl, char const *name, int64_t handle, uint32_t position,
              struct rails_question const *question, json_t **answer);

/* Begins a session of what the file holds; name: or the one it has. */
int rails_import(struct ctl *ctl, struct rails const *rails, char const *path, char const *name);

/* The property in which an imported session has the questions of its file:
 * [{position, company, trains, rules, bonuses, best}]. */
#define RAILS_PROPERTY "routes"

#endif
