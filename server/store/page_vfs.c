#include "server/store/page_vfs.h"

#include <endian.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define CONTENT (PAGE_SIZE - PAGE_RESERVED)

/* SQLite writes each page to its log by itself, and what stands before it too. Those that follow
 * one another go below together: at the latest when the log is synced, before which nothing in it
 * counts, or looked at. */
#define TOGETHER 65536

struct file {
    sqlite3_file base;
    sqlite3_file *real; /* of the VFS below */
    bool paged;         /* the database itself */
    bool log;           /* its write-ahead log */
    char *waiting;      /* bytes of a log to be written from `at` on; TOGETHER, owned, or NULL */
    int waiting_size;
    sqlite3_int64 at;
};

static struct file *file_of(sqlite3_file *file)
{
    return (struct file *)file;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return file_of(file)->real;
}

/* The VFS below is looked up each time: tests put others there. */
static sqlite3_vfs *below(void)
{
    return sqlite3_vfs_find(NULL);
}

static uint64_t page_sum(void const *page, uint32_t number)
{
    return htole64(XXH3_64bits_withSeed(page, CONTENT, number));
}

bool page_whole(void const *page, uint32_t number)
{
    static char const zeros[PAGE_SIZE];
    uint64_t sum = page_sum(page, number);

    return memcmp((char const *)page + CONTENT, &sum, sizeof sum) == 0 ||
           memcmp(page, zeros, PAGE_SIZE) == 0;
}

/* ---- a file ------------------------------------------------------------------------------ */

/* Writes what waits. */
static int settle(struct file *f)
{
    int size = f->waiting_size;

    f->waiting_size = 0;
    return size ? f->real->pMethods->xWrite(f->real, f->waiting, size, f->at) : SQLITE_OK;
}

/* What waits then was never synced, so nobody was told that it is there. */
static int file_close(sqlite3_file *file)
{
    struct file *f = file_of(file);
    int rc = f->real->pMethods ? f->real->pMethods->xClose(f->real) : SQLITE_OK;

    free(f->waiting);
    free(f->real);
    f->waiting = NULL;
    f->real = NULL;
    return rc;
}

static bool is_page(struct file const *f, int amount, sqlite3_int64 offset)
{
    return f->paged && amount == PAGE_SIZE && offset % PAGE_SIZE == 0;
}

static int file_read(sqlite3_file *file, void *data, int amount, sqlite3_int64 offset)
{
    struct file *f = file_of(file);
    int rc = settle(f);

    if (rc == SQLITE_OK)
        rc = f->real->pMethods->xRead(f->real, data, amount, offset);
    if (!is_page(f, amount, offset))
        return rc;
    if (rc == SQLITE_IOERR_SHORT_READ ||
        (rc == SQLITE_OK && !page_whole(data, (uint32_t)(offset / PAGE_SIZE + 1))))
        return SQLITE_IOERR_DATA;
    return rc;
}

static int write_log(struct file *f, void const *data, int amount, sqlite3_int64 offset)
{
    int rc = SQLITE_OK;

    if (f->at + f->waiting_size != offset || f->waiting_size + amount > TOGETHER) {
        rc = settle(f);
        f->at = offset;
    }
    if (rc == SQLITE_OK && !f->waiting && !(f->waiting = malloc(TOGETHER)))
        rc = SQLITE_IOERR_NOMEM;
    if (rc != SQLITE_OK)
        return rc;
    memcpy(f->waiting + f->waiting_size, data, (size_t)amount);
    f->waiting_size += amount;
    return SQLITE_OK;
}

static int file_write(sqlite3_file *file, void const *data, int amount, sqlite3_int64 offset)
{
    struct file *f = file_of(file);
    char page[PAGE_SIZE];

    if (f->log && amount <= TOGETHER)
        return write_log(f, data, amount, offset);
    if (is_page(f, amount, offset)) {
        uint64_t sum = page_sum(data, (uint32_t)(offset / PAGE_SIZE + 1));
        memcpy(page, data, CONTENT);
        memcpy(page + CONTENT, &sum, sizeof sum);
        data = page;
    }
    int rc = settle(f);
    return rc ? rc : f->real->pMethods->xWrite(f->real, data, amount, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct file *f = file_of(file);
    int rc = settle(f);

    return rc ? rc : f->real->pMethods->xTruncate(f->real, size);
}

static int file_sync(sqlite3_file *file, int flags)
{
    struct file *f = file_of(file);
    int rc = settle(f);

    return rc ? rc : f->real->pMethods->xSync(f->real, flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct file *f = file_of(file);
    int rc = settle(f);

    return rc ? rc : f->real->pMethods->xFileSize(f->real, size);
}

static int file_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int file_reserved(sqlite3_file *file, int *reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), reserved);
}

static int file_control(sqlite3_file *file, int op, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int file_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int file_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, at);
}

static int file_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int file_shm_unmap(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

static sqlite3_io_methods const file_methods = {
    .iVersion = 2, /* without memory-mapped pages, which would not be checked */
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* ---- the VFS ----------------------------------------------------------------------------- */

static int vfs_open(sqlite3_vfs *vfs, char const *name, sqlite3_file *file, int flags, int *out)
{
    struct file *f = file_of(file);
    sqlite3_vfs *real = below();

    *f = (struct file){.paged = flags & SQLITE_OPEN_MAIN_DB, .log = flags & SQLITE_OPEN_WAL};
    f->real = calloc(1, (size_t)real->szOsFile);
    if (!f->real)
        return SQLITE_NOMEM;
    int rc = real->xOpen(real, name, f->real, flags, out);
    if (rc != SQLITE_OK) {
        file_close(file);
        return rc;
    }
    f->base.pMethods = &file_methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, char const *name, int sync)
{
    return below()->xDelete(below(), name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, char const *name, int flags, int *out)
{
    return below()->xAccess(below(), name, flags, out);
}

static int vfs_full_pathname(sqlite3_vfs *vfs, char const *name, int size, char *out)
{
    return below()->xFullPathname(below(), name, size, out);
}

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *out)
{
    return below()->xRandomness(below(), size, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    return below()->xSleep(below(), microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *out)
{
    return below()->xCurrentTime(below(), out);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    return below()->xGetLastError(below(), size, out);
}

static sqlite3_vfs page_vfs = {
    .iVersion = 1,
    .szOsFile = sizeof(struct file),
    .mxPathname = 4096,
    .zName = PAGE_VFS,
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_pathname,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_current_time,
    .xGetLastError = vfs_last_error,
};

static int registered;

static void register_once(void)
{
    registered = sqlite3_vfs_register(&page_vfs, 0);
}

int page_vfs_register(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, register_once);
    return registered;
}
