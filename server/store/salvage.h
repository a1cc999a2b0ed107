/* Making a new database from what can be read of a damaged one. Every record says whose it is and
 * has its own checksum, so that each one that is intact is found and taken over, wherever it lies,
 * and whatever else of the file is damaged. The damaged database is only read. */
#ifndef SERVER_STORE_SALVAGE_H
#define SERVER_STORE_SALVAGE_H

#include <stdint.h>

#include "server/store/pages.h"
#include "server/store/store.h"

struct salvage {
    uint64_t sessions; /* taken over */
    uint64_t damaged;  /* of which so many lack something */
};

/* Makes a new database at `to` (which must not exist), closed and synced, from the pages `from`. A
 * code. */
int salvage(struct pages const *from, char const *to, struct salvage *told);

#endif
