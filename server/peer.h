/* Who is at the other end, and whether they may be. The mode of the socket decides who can connect;
 * this looks again, at the credentials that the kernel noted when they did, and fails closed: a
 * socket that was made too open, or handed down, gives nothing away. Loop thread. */
#ifndef SERVER_PEER_H
#define SERVER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PEER_RULES_MAX 32

struct peer {
    uid_t uid;
    gid_t gid;
    pid_t pid; /* for the log: it may be gone, or another's, by now */
};

/* Who may connect besides the daemon's own user and root. All zero: nobody. */
struct peer_rules {
    bool any;
    size_t user_count, group_count;
    uid_t users[PEER_RULES_MAX];
    gid_t groups[PEER_RULES_MAX];
};

/* Reads a list separated by commas of user names or numbers, group names or numbers after '@', and
 * the words "owner" (nobody else) and "any"; it adds to *rules. True, or false and *bad is the
 * item that is none of these, or the first that is too many. */
bool peer_rules_parse(struct peer_rules *rules, char const *text, char const **bad);

/* The peer of a connected socket; false with errno if the kernel does not tell. */
bool peer_of(int fd, struct peer *peer);

/* The supplementary groups of the peer of a connected socket, to be freed; NULL if there are none.
 * False if the kernel does not tell, or without memory; then there are none. */
bool peer_groups(int fd, gid_t **groups, size_t *count);

/* Whether the peer of this socket may use the daemon. Supplementary groups count. */
bool peer_allowed(struct peer_rules const *rules, int fd, struct peer const *peer);

#endif
