/* What the daemon was told: on the command line, in a file, or nothing (then the defaults). What
 * the command line says goes before what the file says. Read once, at the start. */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "protocol/place.h"
#include "server/log.h"
#include "server/peer.h"

struct config {
    char socket[PLACE_SOCKET_MAX + 1]; /* never empty after config_read() */
    char store[PATH_MAX];              /* a folder; "memory": nothing is kept */
    unsigned mode;                     /* of the socket */
    struct peer_rules allow;
    enum log_level log_level;
    size_t max_message;      /* bytes of a message read */
    size_t max_connections;  /* in all ... */
    size_t max_per_user;     /* ... and of one user; 0: no limit of its own */
    size_t user_connections; /* of one user, but of root and the daemon's own; 0: no limit ... */
    size_t user_sessions;    /* ... and the same of what that user's sessions come to */
    size_t user_positions;
    size_t user_bytes;
    size_t output_soft;     /* bytes queued for a connection that stop reading from it, ... */
    size_t output_seconds;  /* ... that, if it takes no more for so long, stop its events, ... */
    size_t output_hard;     /* ... and that end it */
    size_t output_per_user; /* bytes queued for all connections of one user; 0: no such limit */
    size_t idle_timeout;    /* seconds of silence that end a connection; 0: never */
    size_t keepalive;       /* seconds after which one is told that the daemon lives; 0: never */
    size_t stall_timeout;   /* seconds of taking nothing of what is due that end one; 0: never */
    size_t memory_budget;   /* bytes that sessions may take in memory; those in use may take more */
    size_t trash_age;       /* seconds after which what was deleted is purged; 0: never */
    size_t relaxed_delay;   /* milliseconds until what is relaxed is on disk */
    bool foreground;        /* accepted for those who ask; the daemon never forks */
};

enum config_result {
    CONFIG_RUN,  /* go on */
    CONFIG_DONE, /* --help or --version: it was printed to `out`; exit 0 */
    CONFIG_BAD,  /* a line to `err` says what is wrong and where; exit 2 */
};

/* Reads the environment (for defaults), the file that --config names, and the command line. */
enum config_result config_read(struct config *config, int argc, char **argv, FILE *out, FILE *err);

#endif
