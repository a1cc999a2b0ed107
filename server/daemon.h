/* The daemon as a whole: one loop, and all that lives in it. It is up when its clients can connect
 * and be answered, and then, not before, tells the service manager. A signal ends it within 5
 * seconds: nobody new comes in, what is due goes out, connections end, the gateway closes.
 * Loop thread only. */
#ifndef SERVER_DAEMON_H
#define SERVER_DAEMON_H

#include <stdbool.h>
#include <uv.h>

#include "server/config.h"
#include "server/conn.h"
#include "server/gateway.h"
#include "server/listener.h"

struct daemon {
    struct config config;
    uv_loop_t loop;
    struct listener listener;
    struct conns conns;
    struct gateway gateway;
    uv_signal_t terminate, interrupt, hangup;
    uv_timer_t deadline; /* for connections that take long to end */
    bool stopping;       /* no new connections; those there are finish */
    bool stopped;        /* there are none any more */
};

/* Takes the lock, opens what the gateway keeps, listens, gets ready. daemon->config is filled in
 * and stays the caller's. 0; or -1: the reason was logged, everything is given back. */
int daemon_init(struct daemon *daemon);

/* Serves until a signal or daemon_stop(), and until all is closed. */
void daemon_run(struct daemon *daemon);

/* Begins the end. Harmless when it has begun. */
void daemon_stop(struct daemon *daemon);

/* After daemon_run(): frees the loop, gives the lock back. */
void daemon_close(struct daemon *daemon);

#endif
