/* The listening socket: found among what the service manager handed down, or made here; and who
 * comes in through it. Of all daemons that want one path a single one gets it, and a live one is
 * never displaced: the lock comes first (PATH.lock, beside the socket), then a connect that tells a
 * live socket from one left behind, and only the latter is unlinked. At the end the path is
 * unlinked if it still is ours; an inherited socket never is.
 *
 * The socket is bound here and not by uv_pipe_bind(), which in libuv 1.44 cuts off long paths
 * without a word (libuv#4036) and at the end unlinks the path whoever owns it by then
 * (libuv#1332). Loop thread only. */
#ifndef SERVER_LISTENER_H
#define SERVER_LISTENER_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "protocol/place.h"
#include "server/lock.h"
#include "server/peer.h"

struct listener;

/* A connection came in. The callee takes over fd, which does not block. The peer was looked at and
 * may be here. */
typedef void listener_cb(struct listener *listener, int fd, struct peer const *peer);

struct listener {
    uv_poll_t poll;   /* readable: somebody waits */
    uv_timer_t pause; /* running while accepting is of no use: no descriptors, no memory */
    char path[PLACE_SOCKET_MAX + 1]; /* empty: inherited, and in no file system */
    unsigned mode;
    struct peer_rules const *rules; /* the caller's, for as long as this lives */
    struct lock lock;
    int fd;
    int spare;      /* given up to accept and close when there are no more descriptors */
    bool inherited; /* not ours to make, to change or to unlink */
    bool polling;   /* the two handles are initialized */
    dev_t device;   /* of the path, if we made it */
    ino_t inode;
    listener_cb *connected;
    void *data; /* the owner's */
};

/* Finds the inherited socket, or makes the folder of `path` (mode 0700, and search permission
 * for those whom `mode` lets connect), and takes the lock. After it, this process is the one that
 * may serve the path; nobody can connect yet. 0, or -1: what is in the way (another daemon, and its
 * id) was logged, and nothing is held. */
int listener_claim(struct listener *listener, char const *path, unsigned mode,
                   struct peer_rules const *rules);

/* Binds and listens, unless inherited, and calls `connected` from now on. 0, or -1 and the reason
 * was logged; listener_close() is due in either case. */
int listener_start(struct listener *listener, uv_loop_t *loop, listener_cb *connected, void *data);

/* Makes the socket again if its path is gone; who is connected, or waits to be, stays. A path that
 * leads to something else by now is left alone. */
void listener_restore(struct listener *listener);

/* No more connections: closes the descriptor, unlinks what is ours, starts to close the handles
 * (the struct stays until the loop has run). The lock is kept: see listener_release(). Harmless
 * when called again. */
void listener_close(struct listener *listener);

/* Gives back the lock: another daemon may start. The last thing, after all is stored. */
void listener_release(struct listener *listener);

#endif
