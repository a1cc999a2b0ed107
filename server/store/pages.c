#include "server/store/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/redo_error.h"
#include "server/store/database.h"
#include "server/store/page_vfs.h"

#define FRAME (DATABASE_FRAME_HEAD + PAGE_SIZE)

static uint32_t big32(unsigned char const *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* All of [data, data+size) at offset; false at the end of the file, or where it can not be read. */
static bool read_at(int fd, void *data, size_t size, off_t offset)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = pread(fd, (char *)data + done, size - done, offset + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* ---- the log ------------------------------------------------------------------------------ */

struct sum {
    uint32_t a, b;
};

/* SQLite's checksum over words in the order of bytes that the log's header names. */
static struct sum add(struct sum s, unsigned char const *data, size_t size, bool big)
{
    for (size_t i = 0; i < size; i += 8) {
        uint32_t x = big32(data + i), y = big32(data + i + 4);
        if (!big) {
            x = __builtin_bswap32(x);
            y = __builtin_bswap32(y);
        }
        s.a += x + s.b;
        s.b += y + s.a;
    }
    return s;
}

static struct sum stored_sum(unsigned char const *at)
{
    return (struct sum){big32(at), big32(at + 4)};
}

static bool same(struct sum s, struct sum t)
{
    return s.a == t.a && s.b == t.b;
}

/* What is known of a frame of the log on its own: its checksum goes on from that of the frame
 * before, as stored there, so a damaged frame does not hide those after it. */
struct glance {
    uint32_t page;
    bool ours; /* of this use of the log */
    bool whole;
    bool commit; /* the last of a transaction */
};

struct log_head {
    unsigned char bytes[DATABASE_WAL_HEAD];
    bool whole, big;
    unsigned char salts[8];
};

static bool read_head(struct pages const *p, struct log_head *head)
{
    unsigned char first[DATABASE_FRAME_HEAD];

    if (!read_at(p->log, head->bytes, sizeof head->bytes, 0))
        return false;
    uint32_t magic = big32(head->bytes);
    head->big = magic & 1;
    head->whole =
        (magic | 1) == 0x377f0683 && big32(head->bytes + 4) == 3007000 &&
        big32(head->bytes + 8) == PAGE_SIZE &&
        same(add((struct sum){0, 0}, head->bytes, 24, head->big), stored_sum(head->bytes + 24));
    memcpy(head->salts, head->bytes + 16, 8);
    if (!head->whole) { /* then the first frame knows */
        head->big = false;
        if (!read_at(p->log, first, sizeof first, DATABASE_WAL_HEAD))
            return false;
        memcpy(head->salts, first + 8, 8);
    }
    return true;
}

static int read_glances(struct pages const *p, struct log_head const *head, struct glance *glances,
                        uint32_t count)
{
    unsigned char *frame = malloc(FRAME);
    struct sum before = stored_sum(head->bytes + 24);

    if (!frame)
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct glance *g = &glances[i];
        if (!read_at(p->log, frame, FRAME, DATABASE_WAL_HEAD + (off_t)i * FRAME)) {
            *g = (struct glance){0};
            continue;
        }
        struct sum sum = add(add(before, frame, 8, head->big), frame + DATABASE_FRAME_HEAD,
                             PAGE_SIZE, head->big);
        before = stored_sum(frame + 16);
        g->page = big32(frame);
        g->commit = big32(frame + 4) != 0;
        /* A frame of an earlier use has other values in both halves. */
        bool first = memcmp(frame + 8, head->salts, 4) == 0;
        bool second = memcmp(frame + 12, head->salts + 4, 4) == 0;
        g->ours = first || second;
        g->whole = first && second && g->page && same(sum, before);
    }
    free(frame);
    return REDO_OK;
}

/* How many frames count; log_frames and state are set. */
static uint32_t judge(struct pages *p, struct log_head const *head, struct glance const *glances,
                      uint32_t count)
{
    uint32_t end = 0; /* after the last frame that is ours */
    uint32_t proven =
        0; /* after the last transaction that was synced: another was begun after it */
    uint32_t intact = 0; /* what SQLite will read */
    bool chain = head->whole;

    for (uint32_t i = 0; i < count; i++) {
        chain = chain && glances[i].whole;
        if (chain && glances[i].commit)
            intact = i + 1;
        if (glances[i].ours)
            end = i + 1;
    }
    for (uint32_t i = 0; i + 1 < end; i++)
        if (glances[i].ours && glances[i].commit)
            proven = i + 1;
    p->log_frames = intact;
    if (proven <= intact) {
        bool committed = end > intact && glances[end - 1].commit;
        p->state = committed ? LOG_TORN : LOG_CLEAN;
        return intact;
    }
    p->state = LOG_BROKEN;
    /* The last transaction counts if all of it is there. */
    bool last = glances[end - 1].commit;
    for (uint32_t i = proven; i < end; i++)
        last = last && glances[i].whole;
    return last ? end : proven;
}

static int by_page(void const *a, void const *b)
{
    struct frame const *f = a, *g = b;

    if (f->page != g->page)
        return f->page < g->page ? -1 : 1;
    return f->frame > g->frame ? -1 : 1;
}

static int read_log(struct pages *p)
{
    struct log_head head;
    struct stat st;

    if (fstat(p->log, &st) < 0)
        return REDO_EIO;
    if (st.st_size < DATABASE_WAL_HEAD + FRAME || !read_head(p, &head))
        return REDO_OK;
    if ((st.st_size - DATABASE_WAL_HEAD) / FRAME > UINT32_MAX)
        return REDO_EIO;
    uint32_t count = (uint32_t)((st.st_size - DATABASE_WAL_HEAD) / FRAME);
    struct glance *glances = calloc(count, sizeof *glances);
    if (!glances)
        return REDO_ENOMEM;
    int rc = read_glances(p, &head, glances, count);
    if (!rc) {
        count = judge(p, &head, glances, count);
        memcpy(&p->log_salts, head.salts, sizeof p->log_salts);
        p->frames = calloc(count ? count : 1, sizeof *p->frames);
        if (!p->frames)
            rc = REDO_ENOMEM;
    }
    for (uint32_t i = 0; !rc && i < count; i++)
        if (glances[i].ours || glances[i].whole)
            p->frames[p->frame_count++] = (struct frame){glances[i].page, i, glances[i].whole};
    free(glances);
    if (p->frames)
        qsort(p->frames, p->frame_count, sizeof *p->frames, by_page);
    return rc;
}

/* ---- pages -------------------------------------------------------------------------------- */

int pages_open(struct pages *p, char const *path)
{
    char log[4200];
    struct stat st;

    *p = (struct pages){.database = -1, .log = -1};
    snprintf(log, sizeof log, "%s-wal", path);
    p->database = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (p->database < 0 || fstat(p->database, &st) < 0 || !S_ISREG(st.st_mode))
        return REDO_EIO;
    if ((st.st_size + PAGE_SIZE - 1) / PAGE_SIZE > UINT32_MAX)
        return REDO_EIO;
    p->stored = (uint32_t)((st.st_size + PAGE_SIZE - 1) / PAGE_SIZE);
    p->log = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (p->log < 0 && errno != ENOENT)
        return REDO_EIO;
    int rc = p->log < 0 ? REDO_OK : read_log(p);
    p->count = p->stored;
    /* A number that a damaged frame has can be any: pages are not taken to be more than were
     * written. */
    uint64_t most = (uint64_t)p->stored + p->frame_count;
    for (size_t i = 0; i < p->frame_count; i++)
        if (p->frames[i].page > p->count && (p->frames[i].whole || p->frames[i].page <= most))
            p->count = p->frames[i].page;
    return rc;
}

void pages_close(struct pages *p)
{
    if (p->database >= 0)
        close(p->database);
    if (p->log >= 0)
        close(p->log);
    free(p->frames);
    *p = (struct pages){.database = -1, .log = -1};
}

/* The place of the newest frame of a page among the frames. */
static size_t first_frame(struct pages const *p, uint32_t number)
{
    size_t low = 0, high = p->frame_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->frames[middle].page < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool pages_read(struct pages const *p, uint32_t number, unsigned version, unsigned char *page,
                bool *whole)
{
    size_t at = first_frame(p, number) + version;
    off_t offset;

    if (at < p->frame_count && p->frames[at].page == number) {
        *whole = p->frames[at].whole;
        offset = DATABASE_WAL_HEAD + (off_t)p->frames[at].frame * FRAME + DATABASE_FRAME_HEAD;
        return read_at(p->log, page, PAGE_SIZE, offset);
    }
    bool logged = at > 0 && at <= p->frame_count && version && p->frames[at - 1].page == number;
    if ((version && !logged) || number < 1 || number > p->stored)
        return false;
    offset = (off_t)(number - 1) * PAGE_SIZE;
    memset(page, 0, PAGE_SIZE);
    if (read_at(p->database, page, PAGE_SIZE, offset)) {
        *whole = page_whole(page, number);
        return true;
    }
    /* The last page, cut off; or one that the disk does not give any more. */
    *whole = false;
    return pread(p->database, page, PAGE_SIZE, offset) > 0;
}

bool pages_newest(struct pages const *p, uint32_t number, unsigned char *page)
{
    bool whole;

    return pages_read(p, number, 0, page, &whole) && whole;
}
