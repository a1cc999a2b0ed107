/* A disk that can be told to be slow or to fail: put before a program by LD_PRELOAD, it stands in
 * for fsync() and fdatasync(). The file that SYNC_CONTROL names says what each sync does, read anew
 * every time: "ok"; "wait" until it says something else; "fail", and nothing is synced; "fail N":
 * the Nth sync from when that was first read, and later ones are as "ok". */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int fsync(int fd);
int fdatasync(int fd);

static atomic_int counted;

static void read_control(char *text, size_t size)
{
    char const *path = getenv("SYNC_CONTROL");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
}

static int sync_file(int fd, char const *name)
{
    char text[32];
    int nth;
    for (;;) {
        read_control(text, sizeof text);
        if (strncmp(text, "wait", 4) != 0)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    if (sscanf(text, "fail %d", &nth) == 1) {
        if (atomic_fetch_add(&counted, 1) + 1 == nth) {
            errno = EIO;
            return -1;
        }
    } else {
        atomic_store(&counted, 0);
        if (strncmp(text, "fail", 4) == 0) {
            errno = EIO;
            return -1;
        }
    }
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return real(fd);
}

int fsync(int fd)
{
    return sync_file(fd, "fsync");
}

int fdatasync(int fd)
{
    return sync_file(fd, "fdatasync");
}
