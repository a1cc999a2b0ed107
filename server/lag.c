#include "server/lag.h"

#include "server/client.h"
#include "server/conn.h"
#include "server/event.h"
#include "server/gateway.h"
#include "server/log.h"
#include "server/room.h"

static bool is_lagging(struct subscription const *s)
{
    return !list_empty(&s->in_lagging);
}

static void mark(struct gateway *gateway, struct subscription *s)
{
    if (!is_lagging(s))
        list_append(&gateway->lagging, &s->in_lagging);
}

static bool has_one_to_drop(struct client const *client)
{
    for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next)
        if (!is_lagging(list_entry(l, struct subscription, in_client)))
            return true;
    return false;
}

/* Of a user's clients that are attached the one that holds the most; one whose socket takes no more
 * goes before one for which only the disk is waited. */
static struct client *find_largest(struct gateway *gateway, struct share const *share)
{
    struct client *largest = NULL;
    bool blocked = false;
    for (struct link *l = gateway->clients.next; l != &gateway->clients; l = l->next) {
        struct client *client = list_entry(l, struct client, in_clients);
        struct conn const *conn = client->conn;
        if (conn->share != share || !has_one_to_drop(client))
            continue;
        if (!largest || conn->writing > blocked ||
            (conn->writing == blocked && conn_queued(conn) > conn_queued(largest->conn))) {
            largest = client;
            blocked = conn->writing;
        }
    }
    return largest;
}

bool lag_admits(struct gateway *gateway, struct subscription *s, size_t size)
{
    if (is_lagging(s))
        return false;
    outbox_account(&s->client->outbox);
    if (conn_lags(s->client->conn, size)) {
        mark(gateway, s);
        return false;
    }
    /* Each time that this is so, somebody is dropped: it is not so for long. */
    if (conn_share_exceeded(s->client->conn, size)) {
        struct client *client = find_largest(gateway, s->client->conn->share);
        for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next)
            mark(gateway, list_entry(l, struct subscription, in_client));
    }
    return !is_lagging(s);
}

void lag_settle(struct gateway *gateway)
{
    while (!list_empty(&gateway->lagging)) {
        struct subscription *s = list_entry(gateway->lagging.next, struct subscription, in_lagging);
        struct conn *conn = s->client->conn;
        struct room *room = s->room;
        log_limited(LOG_KIND_READER, LOG_LEVEL_WARN,
                    "connection %llu (user %lu, process %ld) lags, and is told no more of session "
                    "%llu: %zu bytes are due to it",
                    (unsigned long long)conn->number, (unsigned long)conn->peer.uid,
                    (long)conn->peer.pid, (unsigned long long)room->handle, conn_queued(conn));
        /* Should what it was told last be lost, this becomes `resync`. */
        event_pack_lagged(outbox_event(&s->client->outbox, room->stored && !s->relaxed,
                                       room->number, room->handle),
                          room->handle, s->told);
        conn_choke(conn); /* lest it attaches again before it has read, only to lag again */
        subscription_end(s);
    }
}
