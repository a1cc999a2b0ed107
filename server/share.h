/* What all connections of one user hold together: bytes that are due to them and that the kernel
 * has not taken. It is bounded as a whole; while it is past the bound, a connection that holds no
 * more than an equal part of the bound is left in peace, and one that holds more is not. So what is
 * held stays below about twice the bound, and no other user is asked. Loop thread only. */
#ifndef SERVER_SHARE_H
#define SERVER_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "server/list.h"

struct share {
    uid_t uid;
    size_t conns;     /* how many have joined */
    size_t queued;    /* the sum of what they were last charged with */
    size_t snapshots; /* bytes of snapshots that they have not read to their ends; bounded apart */
    size_t uploads;   /* bytes of dumps that they have told in parts; bounded apart */
    struct link in_shares;
};

/* One more connection of this user, in a list of all shares; each that joined leaves once, charged
 * with nothing. NULL without memory. */
struct share *share_join(struct link *shares, uid_t uid);
void share_leave(struct share *share);

/* A connection that was charged with *charged bytes holds so many now. */
void share_charge(struct share *share, size_t *charged, size_t queued);

/* Past the bound, and so that a connection that holds `queued` bytes has a part in it. bound 0:
 * there is none. */
bool share_exceeded(struct share const *share, size_t bound, size_t queued);

#endif
