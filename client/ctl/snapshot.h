/* A session as bytes, as it is at one sequence number. */
#ifndef CTL_SNAPSHOT_H
#define CTL_SNAPSHOT_H

#include "client/ctl/ctl.h"
#include "protocol/archive.h"

struct snapshot {
    struct buffer dump;
    char name[ARCHIVE_NAME_MAX];
    size_t name_size;
    int64_t created, sequence, positions;
};

/* By its name, or if that is NULL its handle. CLI_GO, or the exit status after a complaint. */
int snapshot_read(struct ctl *ctl, char const *name, int64_t handle, struct snapshot *s);

#endif
