/* The track network of a table, in sessions of the schema "route-network": kept up as the table of
 * a view goes from position to position, by what has changed in it since. A turn is held against it
 * before it is added, so that each position of such a session is a network; in a lenient session it
 * may be none, which whoever asks is told. */
#ifndef CORE_CHANGES_NETWORK_H
#define CORE_CHANGES_NETWORK_H

#include "core/changes/table.h"
#include "core/routes/routes.h"

struct history;
struct node;

/* Rows that have changed since the network was last brought up to date. */
struct table_log {
    struct noted {
        uint32_t number; /* of the value that is the row's id */
        uint32_t id;
        unsigned char what; /* 0 node, 1 edge, 2 mutex, 3 none of them */
    } * all;
    uint32_t count, cap;
    bool whole; /* all may have changed */
};

/* A network that is not changed while somebody holds it: its view goes on with another then. Who
 * holds one may read it on another thread; holding and releasing is the session's thread's. */
struct board_network {
    struct routes_network *net;
    uint32_t holders; /* the view is one, while it has it */
};

static inline struct board_network *network_hold(struct board_network *b)
{
    b->holders++;
    return b;
}
void network_release(struct board_network *b); /* NULL is fine */

/* A row of this id has changed, comes or goes: before the values of a refused operation are
 * forgotten. Where memory lacks, the whole table has. */
void network_note(struct table_log *log, struct values const *values, uint32_t number);
void network_forget_log(struct table_log *log);

struct view;

/* Brings the network of a view to its table: REDO_OK; or REDO_ENETWORK, and *fault names the thing;
 * REDO_ENOMEM. After an error it is as it was. */
int network_sync(struct view *v, struct routes_fault *fault);

/* The network at a position: REDO_OK and *network, valid until the next call with this history, or
 * as long as it is held; REDO_EKIND: the session is not of that schema; else as above. */
int changes_network(struct history *h, struct node *n, struct board_network **network,
                    struct routes_fault *fault);

#endif
