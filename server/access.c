#include "server/access.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/log.h"
#include "server/peer.h"
#include "server/room.h"

struct asker *asker_new(struct peer const *peer, int fd)
{
    bool all = peer->uid == 0 || peer->uid == geteuid();
    gid_t *groups = NULL;
    size_t count = 0;

    /* Without them the asker is in none: it is let see less, not more. */
    if (!all && !peer_groups(fd, &groups, &count))
        log_warn("the groups of user %lu (process %ld) are not known", (unsigned long)peer->uid,
                 (long)peer->pid);
    struct asker *asker = malloc(sizeof *asker + count * sizeof *groups);
    if (asker) {
        *asker = (struct asker){
            .holders = 1, .all = all, .uid = peer->uid, .gid = peer->gid, .group_count = count};
        if (count)
            memcpy(asker->groups, groups, count * sizeof *groups);
    }
    free(groups);
    return asker;
}

struct asker *asker_hold(struct asker *asker)
{
    asker->holders++;
    return asker;
}

void asker_release(struct asker *asker)
{
    if (asker && !--asker->holders)
        free(asker);
}

static bool in_group(struct asker const *asker, gid_t group)
{
    if (asker->gid == group)
        return true;
    for (size_t i = 0; i < asker->group_count; i++)
        if (asker->groups[i] == group)
            return true;
    return false;
}

static bool may(struct asker const *asker, uint32_t owner, uint32_t group, uint32_t mode,
                enum access access)
{
    bool own = asker->uid == owner;

    if (asker->all || (own && access != ACCESS_WRITE))
        return true;
    if (access == ACCESS_OWN)
        return false;
    mode = access_mode(mode);
    uint32_t bits = own ? mode >> 6 : in_group(asker, group) ? mode >> 3 : mode;
    return bits & 4 && (access == ACCESS_READ || bits & 2);
}

bool access_may_room(struct asker const *asker, struct room const *room, enum access access)
{
    return may(asker, room->uid, room->gid, room->mode, access);
}

bool access_may_info(struct asker const *asker, struct store_info const *info, enum access access)
{
    return may(asker, info->owner, info->group, info->mode, access);
}

bool access_mode_valid(uint64_t mode)
{
    /* The bits for writing, moved to where those for reading are, must be among those. */
    return !(mode & ~UINT64_C(0666)) && mode & 0400 && !((mode & 0222) << 1 & ~mode);
}

/* "~UID/" at the start: its length, or 0. */
static size_t read_owner(char const *text, size_t size, uint32_t *owner)
{
    uint64_t number = 0;
    size_t at = 1;

    if (size < 3 || text[0] != '~')
        return 0;
    for (; at < size && text[at] >= '0' && text[at] <= '9' && number < UINT32_MAX; at++)
        number = number * 10 + (uint64_t)(text[at] - '0');
    /* One way to write a number, so that a session has one address. */
    if (at == 1 || at == size || text[at] != '/' || number >= UINT32_MAX ||
        (text[1] == '0' && at > 2))
        return 0;
    *owner = (uint32_t)number;
    return at + 1;
}

struct address address_read(char const *text, size_t size)
{
    struct address a = {.name = text, .size = size};
    size_t head = read_owner(text, size, &a.owner);

    a.told = head > 0;
    a.name += head;
    a.size -= head;
    return a;
}
