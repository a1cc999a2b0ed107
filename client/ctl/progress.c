#include "client/ctl/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/connection.h"

#define WIDTH 40
#define EVERY 100 /* milliseconds */

void progress_begin(struct progress *p, uint64_t total)
{
    *p = (struct progress){.on = isatty(STDERR_FILENO), .total = total};
}

void progress_show(struct progress *p, uint64_t done, uint64_t count, char const *of)
{
    char bar[WIDTH + 1];
    if (!p->on || connection_now() - p->shown < EVERY)
        return;
    p->shown = connection_now();
    if (p->total == 0) {
        fprintf(stderr, "\r%.1f MB  %" PRIu64 " %s ", (double)done / 1e6, count, of);
        return;
    }
    if (done > p->total)
        done = p->total;
    size_t full = (size_t)(done * WIDTH / p->total);
    memset(bar, '.', WIDTH);
    memset(bar, '#', full);
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3" PRIu64 "%%  %" PRIu64 " %s ", bar, done * 100 / p->total, count,
            of);
}

void progress_end(struct progress *p)
{
    if (p->on && p->shown)
        fputs("\r\033[K", stderr);
}
