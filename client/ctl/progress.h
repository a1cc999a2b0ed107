/* A bar on a terminal that tells how much of a file is done; nothing where standard error is none.
 */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool on;
    uint64_t total; /* bytes; 0: not known */
    int64_t shown;  /* when, in milliseconds */
};

void progress_begin(struct progress *p, uint64_t total);

/* So many bytes are done; what else is told behind the bar. Shown some times a second. */
void progress_show(struct progress *p, uint64_t done, uint64_t count, char const *of);

/* Clears the line. */
void progress_end(struct progress *p);

#endif
