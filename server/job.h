/* A job: work on the store that a request waits for, done on libuv's pool. The connection looks at
 * nothing else meanwhile; when the job is done the request is delivered again and finds the job's
 * result. So a handler reads as if the store answered at once. */
#ifndef SERVER_JOB_H
#define SERVER_JOB_H

#include <stdbool.h>
#include <uv.h>

#include "core/history.h"
#include "protocol/buffer.h"
#include "server/access.h"
#include "server/client.h"
#include "server/list.h"
#include "server/share.h"
#include "server/store/store.h"

struct gateway;
struct job;
struct search;

struct job {
    uv_work_t work;
    struct gateway *gateway;
    struct client *client;       /* that waits for it; NULL: it is gone, or nobody does */
    struct store_reader *reader; /* this job's while it runs */
    struct search *search;       /* that this job is, or NULL: see search.h */
    bool storeless;              /* run() does not touch the store */
    bool done;
    bool waiting; /* for a batch to be on disk, in gateway.waiting; or a search for its turn */
    struct link in_waiting;
    uint64_t number;     /* of that batch; of run_load: of the one that takes the session away */
    uint64_t departures; /* of sessions, when it was handed to the pool */

    /* On the pool: the one function that may touch the store. */
    void (*run)(struct job *job);
    /* On the loop, before the request is delivered again; may be NULL. */
    void (*finish)(struct job *job);

    /* What is asked, and by whom. */
    struct asker *asker; /* held; NULL: nobody, who may do everything */
    bool named;
    bool anyone;        /* also others' sessions of that name */
    uint32_t owner;     /* of the name */
    struct buffer name; /* of a session; or a path */
    struct buffer after;
    uint64_t id;
    size_t limit;
    bool trash;
    unsigned wanted; /* of a list */

    /* What came of it. */
    int result;
    struct store_info info; /* its texts point into `text` */
    struct buffer text;
    struct history *history; /* NULL, or the job's */
    uint64_t sequence;
    bool damaged;
    struct share *share; /* of the user that is charged with so many bytes of the job; or NULL */
    size_t charged;
    struct buffer packed; /* an answer, or a part of one */
    size_t count;
    size_t
        taken; /* of a match in the trash: the place, from 1, of a game whose name is taken; or 0 */
    bool more;
};

/* A job for this client (NULL: for none). NULL without memory. */
struct job *job_new(struct gateway *gateway, struct client *client);

/* The job has so many bytes, which stay charged to this share as an upload until it is freed, also
 * if their connection ends. */
void job_hold(struct job *job, struct share *share, size_t bytes);

/* Hands it to the pool. */
void job_start(struct job *job);

/* Its work is done, and what came of it is in the job: its request is delivered again. For a job
 * that did not go to the pool. */
void job_finished(struct job *job);

/* The same once the batch `number` is on disk, or lost: for who reads from the store what was
 * changed before. */
void job_start_after(struct job *job, uint64_t number);

/* Batches up to this one are on disk, or lost: starts those that waited for them. */
void jobs_committed(struct gateway *gateway, uint64_t number);

/* The job's result was used: frees it and what it still owns. */
void job_free(struct job *job);

/* The client is going: its job, if it has one, is nobody's now. */
void job_abandon(struct client *client);

/* Closes the readers; no job may be running. */
void job_close_readers(struct gateway *gateway);

/* For handlers: the job of this kind that the request waited for and that is done, or NULL. */
struct call;
struct job *call_finished(struct call *call, void (*run)(struct job *job));

/* The same, if it was about this session: the name in the request may be another's by now. */
struct job *call_finished_of(struct call *call, void (*run)(struct job *job), uint64_t id);

/* Starts a job that the request is to wait for: CALL_LATER; or REDO_ENOMEM, prepared, if there is
 * none or it could not be filled in. */
int call_start(struct call *call, struct job *job);

/* That there is a store: REDO_OK, or REDO_ESTORE prepared. */
int call_check_store(struct call *call);

#endif
