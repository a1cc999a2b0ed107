/* Default paths. */
#include "protocol/place.h"

#include <stdio.h>

#include "core/redo_error.h"

static int absolute(char const *path)
{
    return path != NULL && path[0] == '/';
}

static int fill(char *path, size_t size, char const *folder, char const *rest)
{
    int length = snprintf(path, size, "%s/%s", folder, rest);

    if (length < 0 || (size_t)length >= size) {
        if (size > 0)
            path[0] = '\0';
        return REDO_ERANGE;
    }
    return REDO_OK;
}

static int nowhere(char *path, size_t size)
{
    if (size > 0)
        path[0] = '\0';
    return REDO_ENAME;
}

int place_socket(struct place_environment const *environment, char *path, size_t size)
{
    if (size > PLACE_SOCKET_MAX + 1)
        size = PLACE_SOCKET_MAX + 1;
    if (absolute(environment->runtime_dir))
        return fill(path, size, environment->runtime_dir, "redod/redod.sock");
    if (environment->uid == 0)
        return fill(path, size, "/run", "redod/redod.sock");
    if (absolute(environment->home))
        return fill(path, size, environment->home, ".local/state/redod/redod.sock");
    return nowhere(path, size);
}

int place_store(struct place_environment const *environment, char *path, size_t size)
{
    if (environment->uid == 0 && !absolute(environment->runtime_dir))
        return fill(path, size, "/var/lib", "redod");
    if (absolute(environment->state_home))
        return fill(path, size, environment->state_home, "redod");
    if (absolute(environment->home))
        return fill(path, size, environment->home, ".local/state/redod");
    return nowhere(path, size);
}
