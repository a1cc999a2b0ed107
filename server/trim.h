/* Trimming: connections without traffic give their buffers back. One timer looks at those that have
 * had some, and only while there are any. Loop thread only. */
#ifndef SERVER_TRIM_H
#define SERVER_TRIM_H

#include "server/conn.h"

/* The timer, conns->trim, and its end. */
void trim_init(struct conns *conns);
void trim_close(struct conns *conns);

/* Bytes came, or go out. */
void trim_used(struct conn *conn);

#endif
