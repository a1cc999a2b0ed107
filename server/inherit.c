/* sd_listen_fds(3): LISTEN_FDS descriptors from 3 on, if LISTEN_PID is this process. */
#include "server/inherit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/log.h"

#define FIRST_DESCRIPTOR 3

/* How many; -1: nothing that makes sense. */
static long count_from_environment(void)
{
    char const *pid = getenv("LISTEN_PID");
    char const *count = getenv("LISTEN_FDS");
    long result = 0;

    if (pid != NULL && count != NULL && strtol(pid, NULL, 10) == (long)getpid()) {
        result = strtol(count, NULL, 10);
        if (result <= 0)
            result = -1;
    }
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    return result;
}

static int option_of(int fd, int option)
{
    int value = -1;
    socklen_t size = sizeof value;

    return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

int inherit_socket(int *fd, char *path, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNSPEC};
    socklen_t length = sizeof address;
    long count = count_from_environment();

    if (count == 0)
        return 0;
    if (count != 1) {
        log_error("one socket is expected from the service manager, not %ld", count);
        return -1;
    }

    *fd = FIRST_DESCRIPTOR;
    if (option_of(*fd, SO_DOMAIN) != AF_UNIX || option_of(*fd, SO_TYPE) != SOCK_STREAM ||
        option_of(*fd, SO_ACCEPTCONN) != 1 ||
        getsockname(*fd, (struct sockaddr *)&address, &length) < 0) {
        log_error("descriptor %d, inherited, is not a listening Unix stream socket", *fd);
        return -1;
    }
    if (fcntl(*fd, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK) < 0) {
        log_error("descriptor %d, inherited, can not be set up", *fd);
        return -1;
    }

    /* A name that fills sun_path has no zero at its end; an abstract one begins with one. */
    size_t room = length - offsetof(struct sockaddr_un, sun_path);
    size_t used =
        length > offsetof(struct sockaddr_un, sun_path) ? strnlen(address.sun_path, room) : 0;
    if (used >= size) {
        log_error("the path of the inherited socket is too long");
        return -1;
    }
    memcpy(path, address.sun_path, used);
    path[used] = '\0';
    return 1;
}
