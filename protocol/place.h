/* Where the socket and the store are when nobody said so. The daemon and its clients must come to
 * the same answer, so it is computed here, once, from values of the environment that the caller
 * hands in. Nothing is looked up, made or opened. Any thread. */
#ifndef PROTOCOL_PLACE_H
#define PROTOCOL_PLACE_H

#include <stddef.h>

/* Bytes of the longest path a Unix socket can have on Linux, without the terminating zero. */
#define PLACE_SOCKET_MAX 107

/* What counts. A variable that is unset, empty or not an absolute path is as good as NULL, as the
 * XDG base directory specification asks. */
struct place_environment {
    unsigned long uid;       /* effective */
    char const *runtime_dir; /* XDG_RUNTIME_DIR */
    char const *state_home;  /* XDG_STATE_HOME */
    char const *home;        /* HOME */
};

/* Writes the path of the socket, zero-terminated, to path:
 *   $XDG_RUNTIME_DIR/redod/redod.sock            where that is set,
 *   /run/redod/redod.sock                        for root,
 *   $HOME/.local/state/redod/redod.sock          else.
 * REDO_OK; REDO_ENAME if there is no home either; REDO_ERANGE if it does not fit into size bytes
 * or is longer than PLACE_SOCKET_MAX. On error path is an empty string. */
int place_socket(struct place_environment const *environment, char *path, size_t size);

/* The same for the folder of the store: /var/lib/redod for root without XDG_RUNTIME_DIR, else
 * $XDG_STATE_HOME/redod or $HOME/.local/state/redod. */
int place_store(struct place_environment const *environment, char *path, size_t size);

#endif
