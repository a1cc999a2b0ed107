/* Two sorted arrays: names are looked up and listed far more often than sessions come and go, and
 * handles only ever grow. */
#include "server/registry.h"

#include <stdlib.h>
#include <string.h>

void registry_init(struct registry *r)
{
    *r = (struct registry){.next_handle = 1};
}

void registry_close(struct registry *r)
{
    for (size_t i = 0; i < r->handle_count; i++)
        room_free(r->by_handle[i]);
    free(r->by_handle);
    free(r->by_name);
    registry_init(r);
}

static int room_for_one(struct room ***rooms, size_t count, size_t *cap)
{
    if (count < *cap)
        return REDO_OK;
    size_t wanted = *cap ? *cap * 2 : 16;
    struct room **grown = realloc(*rooms, wanted * sizeof(**rooms));
    if (!grown)
        return REDO_ENOMEM;
    *rooms = grown;
    *cap = wanted;
    return REDO_OK;
}

static int compare_names(struct room const *room, char const *name, size_t size)
{
    size_t common = room->name_size < size ? room->name_size : size;
    int order = common ? memcmp(room->name, name, common) : 0;
    return order ? order : (room->name_size > size) - (room->name_size < size);
}

static int compare(struct room const *room, char const *name, size_t size, uint32_t owner)
{
    int order = compare_names(room, name, size);
    return order ? order : (room->uid > owner) - (room->uid < owner);
}

bool registry_is_named(struct room const *room, char const *name, size_t size)
{
    return room->name && compare_names(room, name, size) == 0;
}

size_t registry_place(struct registry const *r, char const *name, size_t size, uint32_t owner)
{
    size_t low = 0, high = r->name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(r->by_name[middle], name, size, owner) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t handle_place(struct registry const *r, uint64_t handle)
{
    size_t low = 0, high = r->handle_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->by_handle[middle]->handle < handle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int registry_enter(struct registry *r, struct room *room)
{
    if (room_for_one(&r->by_handle, r->handle_count, &r->handle_cap) ||
        (room->name && room_for_one(&r->by_name, r->name_count, &r->name_cap)))
        return REDO_ENOMEM;
    if (!room->handle)
        room->handle = r->next_handle++;
    size_t at = handle_place(r, room->handle);
    memmove(r->by_handle + at + 1, r->by_handle + at,
            (r->handle_count - at) * sizeof(*r->by_handle));
    r->by_handle[at] = room;
    r->handle_count++;
    if (room->name) {
        size_t place = registry_place(r, room->name, room->name_size, room->uid);
        memmove(r->by_name + place + 1, r->by_name + place,
                (r->name_count - place) * sizeof(*r->by_name));
        r->by_name[place] = room;
        r->name_count++;
    }
    return REDO_OK;
}

void registry_leave(struct registry *r, struct room *room)
{
    size_t place = handle_place(r, room->handle);
    r->handle_count--;
    memmove(r->by_handle + place, r->by_handle + place + 1,
            (r->handle_count - place) * sizeof(*r->by_handle));
    if (!room->name)
        return;
    place = registry_place(r, room->name, room->name_size, room->uid);
    r->name_count--;
    memmove(r->by_name + place, r->by_name + place + 1,
            (r->name_count - place) * sizeof(*r->by_name));
}

static size_t sweep(struct room **rooms, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!rooms[i]->going)
            rooms[kept++] = rooms[i];
    return kept;
}

void registry_sweep(struct registry *r)
{
    r->handle_count = sweep(r->by_handle, r->handle_count);
    r->name_count = sweep(r->by_name, r->name_count);
}

struct room *registry_named(struct registry const *r, char const *name, size_t size, uint32_t owner)
{
    size_t place = registry_place(r, name, size, owner);
    if (place < r->name_count && compare(r->by_name[place], name, size, owner) == 0)
        return r->by_name[place];
    return NULL;
}

struct room *registry_handled(struct registry const *r, uint64_t handle)
{
    size_t place = handle_place(r, handle);
    if (place < r->handle_count && r->by_handle[place]->handle == handle)
        return r->by_handle[place];
    return NULL;
}
