/* sd_notify(3): one datagram to a Unix socket, the name a path, or abstract after '@'. */
#include "server/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/log.h"

void notify_send(char const *state)
{
    char const *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (name == NULL || name[0] == '\0')
        return;

    size_t size = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || size >= sizeof address.sun_path) {
        log_warn("NOTIFY_SOCKET is no address of a socket");
        return;
    }
    memcpy(address.sun_path, name, size);
    if (name[0] == '@')
        address.sun_path[0] = '\0';

    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
                         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size)) < 0)
        log_warn("can not notify %s: %s", name, strerror(errno));
    if (fd >= 0)
        close(fd);
}
