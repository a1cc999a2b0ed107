/* Socket activation, the receiving side: sd_listen_fds(3) without its library. */
#ifndef SERVER_INHERIT_H
#define SERVER_INHERIT_H

#include <stddef.h>

/* Looks for a socket that the service manager handed down, and forgets what the environment says of
 * it, so that no child takes it for its own. 1: *fd is a listening Unix stream socket, which is
 * the caller's now, does not block and is closed on exec; path (of size bytes) is where it is
 * bound, or empty if that is in no file system. 0: there is none. -1: what there is can not be
 * used; it was logged. Once, before any thread. */
int inherit_socket(int *fd, char *path, size_t size);

#endif
