/* Bounds: how much a connection has queued, and whether that is too much; with conn_queued(),
 * conn_lags() and conn_share_exceeded(). What follows of it (to read no more, to read again, to
 * end) is done by who asks. Loop thread only. */
#ifndef SERVER_BOUNDS_H
#define SERVER_BOUNDS_H

#include "server/conn.h"

/* Its user's share knows how much is queued now. */
void bounds_charge(struct conn *conn);

/* Chokes it if too much is queued: whether it is choked. */
bool bounds_choke(struct conn *conn);

/* Output has gone out: whether it was choked and is no more. */
bool bounds_relieve(struct conn *conn);

#endif
