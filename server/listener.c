/* Claim, start, accept; see the header for the order and its reasons. */
#include "server/listener.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/inherit.h"
#include "server/log.h"

#define ACCEPTS_A_TURN 64
#define PAUSE_MS 200

static_assert(sizeof((struct sockaddr_un){0}.sun_path) == PLACE_SOCKET_MAX + 1,
              "PLACE_SOCKET_MAX is what a sockaddr_un holds");

/* ---- the path ---------------------------------------------------------------------------- */

enum found {
    FOUND_NOTHING,
    FOUND_STALE, /* a socket that nobody listens on any more */
    FOUND_LIVE,  /* somebody does: keep off */
    FOUND_OTHER, /* something else is there, as a file or a folder: keep off */
    FOUND_ERROR, /* errno */
};

static struct sockaddr_un address_of(char const *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    strcpy(address.sun_path, path); /* struct listener's path is as long */
    return address;
}

/* Only a refused connect proves a socket dead. A live daemon with a full backlog says EAGAIN. */
static enum found probe(char const *path)
{
    struct sockaddr_un address = address_of(path);
    struct stat status;
    enum found found = FOUND_LIVE;

    if (lstat(path, &status) < 0)
        return errno == ENOENT ? FOUND_NOTHING : FOUND_ERROR;
    if (!S_ISSOCK(status.st_mode))
        return FOUND_OTHER;

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return FOUND_ERROR;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        if (errno == ECONNREFUSED)
            found = FOUND_STALE;
        else if (errno == ENOENT)
            found = FOUND_NOTHING;
        else if (errno != EAGAIN && errno != EPROTOTYPE)
            found = FOUND_ERROR;
    }
    int saved = errno;
    close(fd);
    errno = saved;
    return found;
}

/* Whether the path may be ours; what is in the way is logged. */
static bool may_have(char const *path, enum found found)
{
    if (found == FOUND_LIVE)
        log_error("%s is in use by another program", path);
    else if (found == FOUND_OTHER)
        log_error("%s is not a socket; it was left as it is", path);
    else if (found == FOUND_ERROR)
        log_error("%s: %s", path, strerror(errno));
    return found == FOUND_NOTHING || found == FOUND_STALE;
}

/* That the path does not lead to something that is no socket: asked before anything is made beside
 * it. */
static bool check_kind(char const *path)
{
    struct stat status;

    return lstat(path, &status) < 0 || S_ISSOCK(status.st_mode) || may_have(path, FOUND_OTHER);
}

/* Search permission for the group and others where the mode of the socket lets them in: without it
 * they would not come as far as the socket. */
static mode_t search_bits(unsigned mode)
{
    return (mode & S_IWGRP ? S_IXGRP : 0) | (mode & S_IWOTH ? S_IXOTH : 0);
}

/* Makes the folder that the path is in, and those above it. */
static int make_folder(char const *path, unsigned mode)
{
    char folder[PLACE_SOCKET_MAX + 1];

    strcpy(folder, path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(folder, 0700) == 0;
        if (made && search_bits(mode))
            chmod(folder, 0700 | search_bits(mode)); /* if not: warn_of_folders() */
        if (!made && errno != EEXIST) {
            /* One above that can not be made, and is there, is no matter. */
            int saved = errno;
            if (access(folder, F_OK) < 0) {
                log_error("can not make the folder %s: %s", folder, strerror(saved));
                return -1;
            }
        }
        *slash = '/';
    }
    return 0;
}

/* Says so where the mode of the socket lets others in, and a folder on the way to it does not. */
static void warn_of_folders(char const *path, unsigned mode)
{
    char folder[PLACE_SOCKET_MAX + 1];
    mode_t wanted = search_bits(mode);
    struct stat status;

    if (wanted & S_IXOTH)
        wanted = S_IXOTH;
    strcpy(folder, path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        /* A folder open to all is open to the group. */
        if (wanted && stat(folder, &status) == 0 && !(status.st_mode & (wanted | S_IXOTH))) {
            log_warn(
                "whom mode %04o of the socket lets in can not come to it: the folder %s has mode "
                "%04o",
                mode, folder, (unsigned)status.st_mode & 07777);
            return;
        }
        *slash = '/';
    }
}

static int take_lock(struct lock *lock, char const *path)
{
    char name[PLACE_SOCKET_MAX + sizeof ".lock"];
    pid_t holder;

    snprintf(name, sizeof name, "%s.lock", path);
    switch (lock_take(lock, name, &holder)) {
    case LOCK_TAKEN:
        return 0;
    case LOCK_HELD:
        if (holder > 0)
            log_error("another redod, process %ld, has %s", (long)holder, path);
        else
            log_error("another process has %s locked", name);
        return -1;
    default:
        log_error("can not lock %s: %s", name, strerror(errno));
        return -1;
    }
}

/* A listening socket at the path, of the mode asked for and never, not even for a moment, of a
 * wider one; -1 and it was logged. */
static int bind_path(struct listener *listener)
{
    struct sockaddr_un address = address_of(listener->path);
    struct stat status;
    enum found found = probe(listener->path);

    if (!may_have(listener->path, found))
        return -1;
    if (found == FOUND_STALE) {
        log_info("%s was left behind; it is made anew", listener->path);
        unlink(listener->path);
    }

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    mode_t mask = umask(0177);
    bool bound = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    int saved = errno;
    umask(mask);
    errno = saved;
    if (bound && lstat(listener->path, &status) == 0) {
        listener->device = status.st_dev;
        listener->inode = status.st_ino;
        if (chmod(listener->path, listener->mode) == 0 && listen(fd, SOMAXCONN) == 0)
            return fd;
        saved = errno;
        unlink(listener->path);
        errno = saved;
    }
    log_error("can not listen on %s: %s", listener->path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- who comes in ------------------------------------------------------------------------ */

static void on_pause_over(uv_timer_t *timer);
static void on_readable(uv_poll_t *poll, int status, int events);

static void pause_accepting(struct listener *listener)
{
    uv_poll_stop(&listener->poll);
    uv_timer_start(&listener->pause, on_pause_over, PAUSE_MS, 0);
}

static void on_pause_over(uv_timer_t *timer)
{
    struct listener *listener = timer->data;

    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

/* Out of descriptors. A client that waits in the backlog would wait for ever, and the loop would
 * spin on it: with the spare descriptor it is let in and shown out. */
static void show_out(struct listener *listener)
{
    int error = errno;

    log_limited(LOG_KIND_LIMIT, LOG_LEVEL_WARN, "a connection was refused: %s", strerror(error));
    if (listener->spare >= 0) {
        close(listener->spare);
        int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            close(fd);
    }
    listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (listener->spare < 0)
        pause_accepting(listener);
}

static void admit(struct listener *listener, int fd)
{
    struct peer peer;

    if (!peer_of(fd, &peer)) {
        log_limited(LOG_KIND_PEER, LOG_LEVEL_WARN, "a peer of unknown credentials was refused: %s",
                    strerror(errno));
        close(fd);
    } else if (!peer_allowed(listener->rules, fd, &peer)) {
        log_limited(LOG_KIND_PEER, LOG_LEVEL_WARN, "user %lu (process %ld) was refused",
                    (unsigned long)peer.uid, (long)peer.pid);
        close(fd);
    } else {
        listener->connected(listener, fd, &peer);
    }
}

/* Lets in who waits, up to a number. False if nobody is left, or nobody can be let in now. */
static bool accept_one(struct listener *listener)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd >= 0) {
        admit(listener, fd);
        return true;
    }
    switch (errno) {
    case EAGAIN:
        return false;
    case EINTR:
    case ECONNABORTED:
        return true;
    case EMFILE:
    case ENFILE:
        show_out(listener);
        return listener->spare >= 0;
    default:
        log_limited(LOG_KIND_LIMIT, LOG_LEVEL_WARN, "can not accept: %s", strerror(errno));
        pause_accepting(listener);
        return false;
    }
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct listener *listener = poll->data;

    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPTS_A_TURN && listener->fd >= 0; i++)
        if (!accept_one(listener))
            break;
}

/* ---- life -------------------------------------------------------------------------------- */

int listener_claim(struct listener *listener, char const *path, unsigned mode,
                   struct peer_rules const *rules)
{
    memset(listener, 0, sizeof *listener);
    listener->mode = mode;
    listener->rules = rules;
    listener->lock.fd = -1;
    listener->spare = -1;
    listener->fd = -1;
    snprintf(listener->path, sizeof listener->path, "%s", path);

    int inherited = inherit_socket(&listener->fd, listener->path, sizeof listener->path);
    if (inherited < 0)
        return -1;
    listener->inherited = inherited > 0;
    if (!listener->inherited &&
        (!check_kind(listener->path) || make_folder(listener->path, mode) < 0))
        return -1;
    if (listener->path[0] != '\0' && take_lock(&listener->lock, listener->path) < 0)
        return -1;
    if (!listener->inherited && !may_have(listener->path, probe(listener->path))) {
        lock_close(&listener->lock);
        return -1;
    }
    return 0;
}

int listener_start(struct listener *listener, uv_loop_t *loop, listener_cb *connected, void *data)
{
    listener->connected = connected;
    listener->data = data;
    if (!listener->inherited && (listener->fd = bind_path(listener)) < 0)
        return -1;
    listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);

    int error = uv_poll_init(loop, &listener->poll, listener->fd);
    if (error == 0) {
        uv_timer_init(loop, &listener->pause); /* never fails */
        listener->poll.data = listener->pause.data = listener;
        listener->polling = true;
        error = uv_poll_start(&listener->poll, UV_READABLE, on_readable);
    }
    if (error != 0) {
        log_error("can not listen: %s", uv_strerror(error));
        return -1;
    }
    if (listener->inherited)
        log_info("listening on %s, inherited",
                 listener->path[0] != '\0' ? listener->path : "a socket without a path");
    else
        log_info("listening on %s", listener->path);
    if (!listener->inherited)
        warn_of_folders(listener->path, listener->mode);
    return 0;
}

/* The lock file was beside the socket and may be gone with it. A lock on a file that others can not
 * find is none. */
static bool restore_lock(struct listener *listener)
{
    char name[PLACE_SOCKET_MAX + sizeof ".lock"];
    struct lock lock;

    snprintf(name, sizeof name, "%s.lock", listener->path);
    if (lock_stands(&listener->lock, name))
        return true;
    if (take_lock(&lock, listener->path) < 0)
        return false;
    lock_close(&listener->lock);
    listener->lock = lock;
    return true;
}

void listener_restore(struct listener *listener)
{
    struct stat status;

    if (listener->fd < 0 || !listener->polling || listener->inherited)
        return;
    if (lstat(listener->path, &status) == 0) {
        if (status.st_dev != listener->device || status.st_ino != listener->inode)
            log_warn("%s is another's by now; it is left alone", listener->path);
        return;
    }
    if (make_folder(listener->path, listener->mode) < 0 || !restore_lock(listener))
        return;

    int fd = bind_path(listener);
    if (fd < 0)
        return;
    /* The new socket takes the number of the old. Who waits at the old is let in before. */
    uv_poll_stop(&listener->poll);
    uv_timer_stop(&listener->pause);
    while (accept_one(listener))
        ;
    uv_timer_stop(&listener->pause);
    if (dup3(fd, listener->fd, O_CLOEXEC) < 0)
        log_error("can not listen on %s: %s", listener->path, strerror(errno));
    else
        log_info("listening on %s again", listener->path);
    close(fd);
    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

static bool path_is_ours(struct listener const *listener)
{
    struct stat status;

    return !listener->inherited && listener->inode != 0 && lstat(listener->path, &status) == 0 &&
           status.st_dev == listener->device && status.st_ino == listener->inode;
}

void listener_close(struct listener *listener)
{
    if (listener->polling) {
        uv_close((uv_handle_t *)&listener->poll, NULL);
        uv_close((uv_handle_t *)&listener->pause, NULL);
        listener->polling = false;
    }
    if (listener->fd >= 0) {
        if (path_is_ours(listener))
            unlink(listener->path);
        close(listener->fd);
        listener->fd = -1;
    }
    if (listener->spare >= 0)
        close(listener->spare);
    listener->spare = -1;
}

void listener_release(struct listener *listener)
{
    lock_close(&listener->lock);
}
