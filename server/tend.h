/* Time: who has said nothing for too long, who takes nothing, who is to hear that the daemon lives.
 * One timer looks at all connections, twice a second, and only while there is something to look
 * for; so all times are about half a second longer than they are said to be. Loop thread only. */
#ifndef SERVER_TEND_H
#define SERVER_TEND_H

#include "server/conn.h"

/* The timer, conns->tend, and its end. */
void tend_init(struct conns *conns);
void tend_close(struct conns *conns);

/* A connection has come. */
void tend_opened(struct conn *conn);

/* Bytes came; bytes go out; the kernel took not all of them. */
void tend_heard(struct conn *conn);
void tend_sent(struct conn *conn);
void tend_blocked(struct conn *conn);

/* The connection was told to go, with a last word that it may not read. */
void tend_dismissed(struct conn *conn);

#endif
