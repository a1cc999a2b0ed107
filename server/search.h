/* Searches: questions about routes, answered on threads of their own while the loop goes on. A few
 * run at a time, others wait. One ends early when it is canceled, its deadline is over, or whoever
 * asked is gone. Loop thread only, but for search_run(). */
#ifndef SERVER_SEARCH_H
#define SERVER_SEARCH_H

#include <stdatomic.h>
#include <uv.h>

#include "core/changes/network.h"
#include "core/routes/told.h"
#include "protocol/buffer.h"
#include "server/list.h"
#include "server/routes_cache.h"
#include "server/workers.h"

struct call;
struct client;
struct gateway;
struct job;

#define SEARCHES_RUNNING 2 /* at a time */
#define SEARCH_TICK 20     /* milliseconds between looks at those that are under way */
#define SEARCHES_BYTES ((size_t)256 << 20) /* of networks and questions of a user's searches */
#define SEARCH_ID 64                       /* bytes that name one */

/* One more thread is for those that are stopped before it was their turn: they tell what there is
 * to be told at once. */
_Static_assert(WORKERS_MOST == SEARCHES_RUNNING + 1, "a thread for each, and one");

struct searches {
    struct link all;     /* of struct search.in_all, in the order of their coming */
    unsigned running;    /* handed to the workers */
    uv_timer_t timer;    /* active while there are any */
    bool ready, ticking; /* the timer is there; is active */
    struct workers workers;
    struct routes_cache cache;
};

enum search_kind { SEARCH_BEST, SEARCH_CHECK, SEARCH_REACH };

/* Why it ended before it was done. */
enum search_stop { SEARCH_GOES_ON, SEARCH_CANCELED, SEARCH_DEADLINE };

struct search {
    struct job *job; /* whose it is */
    struct searches *searches;
    struct link in_all;
    struct work work;
    bool running;
    uint32_t uid; /* of who asks */
    char id[SEARCH_ID];
    size_t id_size;   /* 0: it has none */
    uint64_t session; /* handle */
    uint32_t position;
    uint64_t deadline; /* of uv_hrtime(), or 0 */
    uint64_t interval; /* of progress events, in nanoseconds, or 0: none */
    uint64_t told;     /* when the last went out */
    bool waits;        /* the answer tells of what is not on disk ... */
    uint64_t number;   /* ... before this batch is */
    struct buffer key; /* of the cache; the question stands in it */

    /* What is asked; read on the thread. */
    enum search_kind kind;
    struct board_network *network; /* held; NULL: it was released */
    struct told reading;           /* owns what the question points to */
    struct routes_question question;
    struct routes_route *routes; /* of a check */
    uint32_t route_count;

    /* Between loop and thread. */
    atomic_int stop; /* enum search_stop */
    atomic_int_least64_t best, bound;
    atomic_uint_least64_t nodes; /* 0: nothing is known yet */
    atomic_int stage, share;     /* share: in thousandths */

    /* What came of it. */
    struct value_writer answer; /* pairs of a map ... */
    uint32_t pairs;             /* ... so many */
    bool keep;                  /* it holds for ever */
    struct routes_fault fault;
};

/* 0, or libuv's error. */
int searches_init(struct searches *s, uv_loop_t *loop);

/* The loop is to run on until those under way have ended. */
void searches_close(struct searches *s);

/* Stops those of this user that have the id; their number. */
unsigned searches_cancel(struct searches *s, uint32_t uid, char const *id, size_t size);

/* Whether a user's searches hold so many bytes that there can not be another one. */
bool searches_full(struct searches const *s, uint32_t uid);

/* A search for this client's request, as a job that is not started: its search. NULL without
 * memory.
 */
struct search *search_new(struct gateway *gateway, struct client *client);

/* Has it run, or wait for its turn. */
void search_start(struct search *search);

/* Has it end soon. */
void search_stop(struct search *search, enum search_stop why);

/* For job.c alone: the job is freed. NULL is fine. */
void search_free(struct search *search);

/* The function that answers it, by which its job is known. */
void search_run(struct job *job);

#endif
