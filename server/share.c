#include "server/share.h"

#include <stdlib.h>

struct share *share_join(struct link *shares, uid_t uid)
{
    for (struct link *l = shares->next; l != shares; l = l->next) {
        struct share *share = list_entry(l, struct share, in_shares);
        if (share->uid == uid) {
            share->conns++;
            return share;
        }
    }
    struct share *share = calloc(1, sizeof *share);
    if (!share)
        return NULL;
    share->uid = uid;
    share->conns = 1;
    list_init(&share->in_shares);
    list_append(shares, &share->in_shares);
    return share;
}

void share_leave(struct share *share)
{
    if (--share->conns > 0)
        return;
    list_remove(&share->in_shares);
    free(share);
}

void share_charge(struct share *share, size_t *charged, size_t queued)
{
    share->queued += queued - *charged;
    *charged = queued;
}

bool share_exceeded(struct share const *share, size_t bound, size_t queued)
{
    return bound > 0 && share->queued > bound && queued > bound / share->conns;
}
