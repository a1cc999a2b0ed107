/* The trash: sessions that were deleted longer ago than --trash-age are purged, some at a time.
 * Loop thread only. */
#ifndef SERVER_TRASH_H
#define SERVER_TRASH_H

#include <stdint.h>
#include <uv.h>

struct gateway;

struct trash {
    struct gateway *gateway;
    int64_t age; /* seconds */
    uv_timer_t timer;
};

/* age 0: nothing is ever purged by itself. */
void trash_init(struct trash *t, struct gateway *gateway, int64_t age);

/* Starts to close the timer. */
void trash_close(struct trash *t);

#endif
