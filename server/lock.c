/* flock(2): it belongs to the open file, so that a library that opens and closes the same file does
 * not lose it for us (as POSIX locks do), and it is gone with the process, however that ends. */
#include "server/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The owner writes its id after it has the lock; who comes in between reads an empty file or the
 * id of an owner long dead, and looks again, for a second at most. */
static pid_t read_holder(int fd)
{
    struct timespec pause = {0, 10 * 1000 * 1000};
    char text[24];

    for (int tries = 0; tries < 100; tries++) {
        ssize_t size = pread(fd, text, sizeof text - 1, 0);

        if (size > 0) {
            text[size] = '\0';
            long pid = strtol(text, NULL, 10);
            if (strchr(text, '\n') != NULL && pid > 0 &&
                (kill((pid_t)pid, 0) == 0 || errno == EPERM))
                return (pid_t)pid;
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int write_holder(int fd)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)size, 0) != size)
        return -1;
    return 0;
}

int lock_take(struct lock *lock, char const *path, pid_t *holder)
{
    int result = -1;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);

    lock->fd = -1;
    *holder = 0;
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        if (write_holder(fd) == 0) {
            lock->fd = fd;
            return LOCK_TAKEN;
        }
    } else if (errno == EWOULDBLOCK) {
        *holder = read_holder(fd);
        result = LOCK_HELD;
    }
    int saved = errno;
    close(fd);
    errno = saved;
    return result;
}

bool lock_stands(struct lock const *lock, char const *path)
{
    struct stat ours, theirs;

    return lock->fd >= 0 && fstat(lock->fd, &ours) == 0 && lstat(path, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

void lock_close(struct lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}
