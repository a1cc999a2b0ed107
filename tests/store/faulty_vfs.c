#include "tests/store/faulty_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512

/* A file as those who have it open see it. The real one has what was synced. */
struct image {
    struct image *next;
    char path[512];
    unsigned opened;
    int fd;
    unsigned char *data, *dirty; /* a byte a sector */
    size_t size, cap, synced;    /* size as of the last sync */
    bool dark;
};

struct file {
    sqlite3_file base;
    struct image *image; /* NULL: passed through */
    sqlite3_file real[];
};

static struct image *images;
static sqlite3_vfs *below;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    enum faulty_mode mode;
    unsigned nth, calls;
    int error;
    bool failed;
} fault;
static int last_errno;

void faulty_arm(enum faulty_mode mode, unsigned nth, int error)
{
    fault.mode = mode;
    fault.nth = nth;
    fault.calls = 0;
    fault.error = error;
    fault.failed = false;
}

void faulty_disarm(void)
{
    faulty_arm(FAULTY_NOT, 0, 0);
}

unsigned faulty_calls(void)
{
    return fault.calls;
}

bool faulty_failed(void)
{
    return fault.failed;
}

/* Whether this call fails. */
static bool fails(void)
{
    fault.calls++;
    bool now = fault.mode == FAULTY_ONCE ? fault.calls == fault.nth
                                         : fault.mode != FAULTY_NOT && fault.calls >= fault.nth;
    if (now) {
        fault.failed = true;
        last_errno = fault.error;
        errno = fault.error;
    }
    return now;
}

/* ---- images ------------------------------------------------------------------------------ */

static void image_room(struct image *i, size_t size)
{
    if (size <= i->cap)
        return;
    size_t cap = i->cap ? i->cap : 65536;
    while (cap < size)
        cap *= 2;
    i->data = realloc(i->data, cap);
    i->dirty = realloc(i->dirty, cap / SECTOR);
    if (!i->data || !i->dirty)
        abort();
    memset(i->data + i->cap, 0, cap - i->cap);
    memset(i->dirty + i->cap / SECTOR, 0, (cap - i->cap) / SECTOR);
    i->cap = cap;
}

static struct image *image_open(char const *path)
{
    struct stat st;
    struct image *i;

    for (i = images; i; i = i->next)
        if (!i->dark && strcmp(i->path, path) == 0) {
            i->opened++;
            return i;
        }
    i = calloc(1, sizeof *i);
    if (!i || strlen(path) >= sizeof i->path)
        abort();
    strcpy(i->path, path);
    i->fd = open(path, O_RDWR | O_CLOEXEC);
    if (i->fd < 0 || fstat(i->fd, &st) < 0)
        abort();
    i->size = i->synced = (size_t)st.st_size;
    image_room(i, i->size + 1);
    if (pread(i->fd, i->data, i->size, 0) != (ssize_t)i->size)
        abort();
    i->opened = 1;
    i->next = images;
    images = i;
    return i;
}

static void image_sector(struct image *i, size_t sector, size_t size)
{
    size_t at = sector * SECTOR, rest = size - at < SECTOR ? size - at : SECTOR;

    if (pwrite(i->fd, i->data + at, rest, (off_t)at) != (ssize_t)rest)
        abort();
}

static void image_sync(struct image *i)
{
    for (size_t s = 0; s * SECTOR < i->size; s++)
        if (i->dirty[s])
            image_sector(i, s, i->size);
    if (ftruncate(i->fd, (off_t)i->size) < 0)
        abort();
    memset(i->dirty, 0, i->cap / SECTOR);
    i->synced = i->size;
}

/* All that was written, also what a sync that failed has lost track of. */
static void image_sync_all(struct image *i)
{
    memset(i->dirty, 1, i->cap / SECTOR);
    image_sync(i);
}

static void image_close(struct image *i)
{
    if (--i->opened)
        return;
    if (!i->dark)
        image_sync_all(i);
    for (struct image **at = &images; *at; at = &(*at)->next)
        if (*at == i) {
            *at = i->next;
            break;
        }
    close(i->fd);
    free(i->data);
    free(i->dirty);
    free(i);
}

static void image_write(struct image *i, void const *data, size_t size, size_t at)
{
    image_room(i, at + size);
    memcpy(i->data + at, data, size);
    for (size_t s = at / SECTOR; s * SECTOR < at + size; s++)
        i->dirty[s] = 1;
    if (at + size > i->size)
        i->size = at + size;
}

void faulty_power_cut(unsigned sectors)
{
    pthread_mutex_lock(&lock);
    for (struct image *i = images; i; i = i->next) {
        if (i->dark)
            continue;
        for (size_t s = 0; sectors && s * SECTOR < i->size; s++) {
            sectors = sectors * 1664525 + 1013904223;
            if (i->dirty[s] && sectors >> 16 & 1)
                image_sector(i, s, i->size);
        }
        i->dark = true;
    }
    pthread_mutex_unlock(&lock);
}

void faulty_kill(void)
{
    pthread_mutex_lock(&lock);
    for (struct image *i = images; i; i = i->next) {
        if (i->dark)
            continue;
        image_sync_all(i);
        i->dark = true;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- a file ------------------------------------------------------------------------------ */

static struct file *file_of(sqlite3_file *file)
{
    return (struct file *)file;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return file_of(file)->real;
}

/* With the lock: that the file can be used and this call is not the one to fail. */
static bool enter(struct image *i)
{
    pthread_mutex_lock(&lock);
    if (i->dark) {
        last_errno = EIO;
        return false;
    }
    return !fails();
}

static int leave(int rc)
{
    pthread_mutex_unlock(&lock);
    return rc;
}

static int f_close(sqlite3_file *file)
{
    pthread_mutex_lock(&lock);
    if (file_of(file)->image)
        image_close(file_of(file)->image);
    file_of(file)->image = NULL;
    pthread_mutex_unlock(&lock);
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int f_read(sqlite3_file *file, void *data, int amount, sqlite3_int64 offset)
{
    struct image *i = file_of(file)->image;
    size_t size = (size_t)amount, at = (size_t)offset;

    if (!enter(i))
        return leave(SQLITE_IOERR_READ);
    size_t there = at >= i->size ? 0 : i->size - at < size ? i->size - at : size;
    memcpy(data, i->data + (there ? at : 0), there);
    memset((char *)data + there, 0, size - there);
    return leave(there < size ? SQLITE_IOERR_SHORT_READ : SQLITE_OK);
}

static int f_write(sqlite3_file *file, void const *data, int amount, sqlite3_int64 offset)
{
    struct image *i = file_of(file)->image;

    if (!enter(i)) {
        if (!i->dark && fault.mode != FAULTY_DARK)
            image_write(i, data, (size_t)amount / 2, (size_t)offset);
        return leave(last_errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE);
    }
    image_write(i, data, (size_t)amount, (size_t)offset);
    return leave(SQLITE_OK);
}

static int f_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct image *i = file_of(file)->image;

    if (!enter(i))
        return leave(SQLITE_IOERR_TRUNCATE);
    if ((size_t)size < i->size) {
        memset(i->data + size, 0, i->size - (size_t)size);
        i->size = (size_t)size;
    }
    return leave(SQLITE_OK);
}

static int f_sync(sqlite3_file *file, int flags)
{
    struct image *i = file_of(file)->image;

    if (!enter(i)) {
        if (!i->dark && fault.mode != FAULTY_DARK) /* lost, and no later sync will know */
            memset(i->dirty, 0, i->cap / SECTOR);
        return leave(SQLITE_IOERR_FSYNC);
    }
    image_sync(i);
    return leave(SQLITE_OK);
}

static int f_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct image *i = file_of(file)->image;

    if (!enter(i))
        return leave(SQLITE_IOERR_FSTAT);
    *size = (sqlite3_int64)i->size;
    return leave(SQLITE_OK);
}

static int f_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int f_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int f_reserved(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int f_control(sqlite3_file *file, int op, void *arg)
{
    if (op == SQLITE_FCNTL_LAST_ERRNO) {
        *(int *)arg = last_errno;
        return SQLITE_OK;
    }
    if (op == SQLITE_FCNTL_SIZE_HINT || op == SQLITE_FCNTL_CHUNK_SIZE)
        return SQLITE_OK;
    return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int f_sector(sqlite3_file *file)
{
    return SECTOR;
}

static int f_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int f_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
    pthread_mutex_lock(&lock);
    bool bad = fails();
    pthread_mutex_unlock(&lock);
    if (bad)
        return SQLITE_IOERR_SHMMAP;
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, at);
}

static int f_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void f_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int f_shm_unmap(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

static sqlite3_io_methods const methods = {
    2,          f_close,       f_read,      f_write,   f_truncate, f_sync,   f_size,
    f_lock,     f_unlock,      f_reserved,  f_control, f_sector,   f_device, f_shm_map,
    f_shm_lock, f_shm_barrier, f_shm_unmap, NULL,      NULL,
};

/* ---- the VFS ----------------------------------------------------------------------------- */

static int v_open(sqlite3_vfs *vfs, char const *name, sqlite3_file *file, int flags, int *out)
{
    struct file *f = file_of(file);

    f->base.pMethods = NULL;
    f->image = NULL;
    pthread_mutex_lock(&lock);
    bool bad = fails();
    pthread_mutex_unlock(&lock);
    if (bad)
        return SQLITE_CANTOPEN;
    int rc = below->xOpen(below, name, f->real, flags, out);
    if (rc != SQLITE_OK)
        return rc;
    pthread_mutex_lock(&lock);
    f->image = image_open(name);
    pthread_mutex_unlock(&lock);
    f->base.pMethods = &methods;
    return SQLITE_OK;
}

static int v_delete(sqlite3_vfs *vfs, char const *name, int sync)
{
    pthread_mutex_lock(&lock);
    bool bad = fails();
    pthread_mutex_unlock(&lock);
    return bad ? SQLITE_IOERR_DELETE : below->xDelete(below, name, sync);
}

static int v_access(sqlite3_vfs *vfs, char const *name, int flags, int *out)
{
    return below->xAccess(below, name, flags, out);
}

static int v_full_pathname(sqlite3_vfs *vfs, char const *name, int size, char *out)
{
    return below->xFullPathname(below, name, size, out);
}

static int v_randomness(sqlite3_vfs *vfs, int size, char *out)
{
    return below->xRandomness(below, size, out);
}

static int v_sleep(sqlite3_vfs *vfs, int microseconds)
{
    return below->xSleep(below, microseconds);
}

static int v_current_time(sqlite3_vfs *vfs, double *out)
{
    return below->xCurrentTime(below, out);
}

static int v_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    return last_errno;
}

static sqlite3_vfs faulty = {
    .iVersion = 1,
    .mxPathname = 512,
    .zName = "faulty",
    .xOpen = v_open,
    .xDelete = v_delete,
    .xAccess = v_access,
    .xFullPathname = v_full_pathname,
    .xRandomness = v_randomness,
    .xSleep = v_sleep,
    .xCurrentTime = v_current_time,
    .xGetLastError = v_last_error,
};

void faulty_install(void)
{
    if (below)
        return;
    below = sqlite3_vfs_find("unix");
    faulty.szOsFile = (int)sizeof(struct file) + below->szOsFile;
    sqlite3_vfs_register(&faulty, 1);
}
