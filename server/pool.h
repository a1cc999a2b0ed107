/* libuv's pool, which reads the store. libuv makes its threads when there is the first work, all at
 * once, and ends the process if it can not: here that is found out before anybody is served. */
#ifndef SERVER_POOL_H
#define SERVER_POOL_H

#include <uv.h>

/* 0, and the threads are made; or libuv's error. The work is the pool's until the loop has run. */
int pool_begin(uv_loop_t *loop, uv_work_t *first);

#endif
