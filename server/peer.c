/* SO_PEERCRED and SO_PEERGROUPS (unix(7), since Linux 4.13): as they were at connect(). */
#include "server/peer.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME_BYTES 64
#define GROUPS_MAX 65536 /* NGROUPS_MAX */

static bool parse_number(char const *text, unsigned long *number)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && *number < (uid_t)-1;
}

static bool add_user(struct peer_rules *rules, char const *name)
{
    unsigned long number;
    struct passwd *user = NULL;

    if (rules->user_count == PEER_RULES_MAX)
        return false;
    if (!parse_number(name, &number) && (user = getpwnam(name)) == NULL)
        return false;
    rules->users[rules->user_count++] = user != NULL ? user->pw_uid : (uid_t)number;
    return true;
}

static bool add_group(struct peer_rules *rules, char const *name)
{
    unsigned long number;
    struct group *group = NULL;

    if (rules->group_count == PEER_RULES_MAX)
        return false;
    if (!parse_number(name, &number) && (group = getgrnam(name)) == NULL)
        return false;
    rules->groups[rules->group_count++] = group != NULL ? group->gr_gid : (gid_t)number;
    return true;
}

bool peer_rules_parse(struct peer_rules *rules, char const *text, char const **bad)
{
    char name[NAME_BYTES];

    while (*text != '\0') {
        size_t size = strcspn(text, ",");

        *bad = text;
        if (size == 0 || size >= sizeof name)
            return false;
        memcpy(name, text, size);
        name[size] = '\0';
        if (strcmp(name, "any") == 0)
            rules->any = true;
        else if (strcmp(name, "owner") != 0 &&
                 !(name[0] == '@' ? add_group(rules, name + 1) : add_user(rules, name)))
            return false;
        text += size;
        if (*text == ',')
            text++;
    }
    return true;
}

bool peer_of(int fd, struct peer *peer)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
        return false;
    /* A kernel that does not know says so with -1 (or, for the pid, 0). */
    if (size != sizeof credentials || credentials.uid == (uid_t)-1) {
        errno = ENODATA;
        return false;
    }
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    peer->pid = credentials.pid;
    return true;
}

static bool group_listed(struct peer_rules const *rules, gid_t group)
{
    for (size_t i = 0; i < rules->group_count; i++)
        if (rules->groups[i] == group)
            return true;
    return false;
}

bool peer_groups(int fd, gid_t **groups, size_t *count)
{
    socklen_t size = 0;

    *groups = NULL;
    *count = 0;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) < 0 && errno != ERANGE)
        return false;
    if (size == 0)
        return true;
    if (size > GROUPS_MAX * sizeof(gid_t) || (*groups = malloc(size)) == NULL)
        return false;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, *groups, &size) < 0) {
        free(*groups);
        *groups = NULL;
        return false;
    }
    *count = size / sizeof(gid_t);
    return true;
}

static bool groups_listed(struct peer_rules const *rules, int fd)
{
    gid_t *groups;
    size_t count;
    bool listed = false;

    if (!peer_groups(fd, &groups, &count))
        return false;
    for (size_t i = 0; i < count && !listed; i++)
        listed = group_listed(rules, groups[i]);
    free(groups);
    return listed;
}

bool peer_allowed(struct peer_rules const *rules, int fd, struct peer const *peer)
{
    if (peer->uid == 0 || peer->uid == geteuid() || rules->any)
        return true;
    for (size_t i = 0; i < rules->user_count; i++)
        if (rules->users[i] == peer->uid)
            return true;
    return rules->group_count > 0 && (group_listed(rules, peer->gid) || groups_listed(rules, fd));
}
