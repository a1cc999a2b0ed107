/* What the commands share: the connection, requests, and errors told so that a person can act on
 * them. Functions that return an int return CLI_GO, or the exit status after a complaint. */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include "client/connection.h"
#include "client/ctl/cli.h"
#include "client/ctl/position.h"

struct ctl {
    struct connection c;
    bool open;
    char const *socket; /* --socket, or NULL */
    int64_t timeout;    /* --timeout, in seconds; 0: it was not said */
    int64_t patience;   /* then; 0: 10 */
    char path[120];     /* where the connection goes */
    char const *method; /* of the request at hand */
    uint32_t id;
};

/* Every command: the params are read by cli_parse() with its own entry, and the options that all
 * have (COMMON_OPTIONS) besides its own. Returns the exit status. */
struct command {
    struct cli_command cli;
    int (*run)(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv);
};

extern struct command const command_list, command_info, command_tree, command_show, command_path,
    command_solution, command_watch, command_call, command_delete, command_replay, command_rename,
    command_copy, command_trash, command_undelete, command_purge, command_drop, command_dropped,
    command_cursor, command_undrop, command_set, command_properties, command_flush, command_backup,
    command_restore, command_check, command_chmod, command_export, command_import, command_lines,
    command_table, command_diff, command_record, command_routes, command_match;

#define COMMON_OPTIONS(ctl)                                              \
    {.name = "socket",                                                   \
     .type = CLI_TEXT,                                                   \
     .value = &(ctl)->socket,                                            \
     .argument = "PATH",                                                 \
     .help = "the daemon's socket (REDO_SOCKET, or the default place)"}, \
        {.name = "timeout",                                              \
         .type = CLI_NUMBER,                                             \
         .value = &(ctl)->timeout,                                       \
         .argument = "SECONDS",                                          \
         .help = "wait no longer for an answer (10)",                    \
         .least = 1,                                                     \
         .most = 1000000},                                               \
        {.name = "help", .type = CLI_FLAG, .help = "print this"},        \
    {                                                                    \
        .name = NULL                                                     \
    }

/* Connects. */
int ctl_connect(struct ctl *ctl);

/* The same once the params are read, for a command that has no options of its own. */
int ctl_begin(struct ctl *ctl, struct cli_command const *cli, int *argc, char **argv);
void ctl_close(struct ctl *ctl);

/* Begins a request with so many params, which the caller packs. */
struct buffer *ctl_request(struct ctl *ctl, char const *method, size_t params);

/* Packs a name from the command line. Complains and false if it is not UTF-8. */
bool ctl_pack_name(struct buffer *b, char const *name);

/* Sends the request and waits for its result. */
int ctl_result(struct ctl *ctl, msgpack_object *result);

/* Complains of the code that the connection gave for the request at hand; EXIT_BAD. error is the
 * whole error that the daemon answered, or NULL. */
int ctl_fail(struct ctl *ctl, int code, msgpack_object const *error);

/* Complains of an answer that is not what the method's line says; EXIT_BAD. */
int ctl_fail_shape(struct ctl *ctl);

/* The sessions that listsessions tells, all its pages: with a prefix (NULL: all), or those in the
 * trash. row is called for each SESSION, valid in it alone, and must not use the connection; it
 * returns false if it is none. */
struct sessions {
    char const *prefix;
    bool trash;
    bool matches; /* alone */
    bool nogames; /* of matches */
};
int ctl_sessions(struct ctl *ctl, struct sessions sessions,
                 bool (*row)(void *data, msgpack_object const *session), void *data);

/* One page of the games of a match: result has an array `games`; *next is where the next page
 * begins, 0 after the last. CLI_GO, or the exit status after a complaint. */
int ctl_games(struct ctl *ctl, char const *match, int64_t offset, int64_t limit,
              msgpack_object *result, int64_t *next);

/* A request that is answered in pages of positions. */
struct pages {
    char const *method, *session;
    bool has_position; /* whether the method takes one */
    uint32_t position;
    char const *from; /* the option that `next` goes to; NULL: it goes to the position */
    bool states;
    uint64_t limit; /* positions to ask for at once; 0: many */
};

/* Asks for page after page and calls row for each position; the position, and its state, are valid
 * in it alone, and it must not use the connection. It returns false to end. */
int ctl_pages(struct ctl *ctl, struct pages pages,
              bool (*row)(void *data, struct position const *p), void *data);

#endif
