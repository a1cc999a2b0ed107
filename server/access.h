/* Who may do what with a session: it has an owner (who began it), a group, and a mode as a file
 * has, of the bits for reading and writing. Who may not read it is answered as if it was not there.
 * The daemon's own user and root may do everything. */
#ifndef SERVER_ACCESS_H
#define SERVER_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/store/store.h"

struct peer;
struct room;

#define ACCESS_MODE_DEFAULT 0600

/* Who asks, as the kernel noted at connect(). It never changes, so that jobs may look at it while
 * its connection ends; holders are counted on the loop thread alone. */
struct asker {
    unsigned holders;
    bool all; /* may do everything */
    uid_t uid;
    gid_t gid;
    size_t group_count; /* supplementary ones */
    gid_t groups[];
};

/* The peer of this socket, held once. NULL without memory. */
struct asker *asker_new(struct peer const *peer, int fd);

struct asker *asker_hold(struct asker *asker);
void asker_release(struct asker *asker); /* NULL is fine */

enum access {
    ACCESS_READ = 1,
    ACCESS_WRITE = 2, /* and read */
    ACCESS_OWN = 4,   /* rename, delete, restore, purge, set the mode */
};

/* Whether the asker may do that with a session of this owner, group and mode. An owner may always
 * read. */
bool access_may_room(struct asker const *asker, struct room const *room, enum access access);
bool access_may_info(struct asker const *asker, struct store_info const *info, enum access access);

/* Whether a session can have this mode: nothing but reading and writing, of which writing goes with
 * reading, and the owner may read. */
bool access_mode_valid(uint64_t mode);

/* The mode of a session, where 0 stands for the one that a session of an older store has. */
static inline uint32_t access_mode(uint32_t mode)
{
    return mode ? mode : ACCESS_MODE_DEFAULT;
}

/* How a session is named in a request: "~UID/NAME" is that user's, any other text the asker's own
 * or, if there is none, what the asker may read of that name. */
struct address {
    bool told; /* whose it is */
    uint32_t owner;
    char const *name; /* a piece of the text */
    size_t size;
};
struct address address_read(char const *text, size_t size);

#endif
