/* All rooms of the daemon: by handle, and those with names by name, in the order of their bytes,
 * and then of their owners. Loop thread only. */
#ifndef SERVER_REGISTRY_H
#define SERVER_REGISTRY_H

#include "server/room.h"

struct registry {
    struct room **by_name;
    size_t name_count, name_cap;
    struct room **by_handle; /* rising */
    size_t handle_count, handle_cap;
    uint64_t next_handle;
};

void registry_init(struct registry *r);

/* Frees all rooms: nobody may be subscribed to one any more. */
void registry_close(struct registry *r);

/* Enters a room, whose owner must not have that name there yet, and gives it a handle if it has
 * none. REDO_OK or REDO_ENOMEM. */
int registry_enter(struct registry *r, struct room *room);

/* Takes a room out; and all those that are going. */
void registry_leave(struct registry *r, struct room *room);
void registry_sweep(struct registry *r);

struct room *registry_named(struct registry const *r, char const *name, size_t size,
                            uint32_t owner);
struct room *registry_handled(struct registry const *r, uint64_t handle);

/* The place in by_name of the first room whose name, and then owner, is not before these. */
size_t registry_place(struct registry const *r, char const *name, size_t size, uint32_t owner);

/* Whether it is called exactly so. */
bool registry_is_named(struct room const *room, char const *name, size_t size);

#endif
