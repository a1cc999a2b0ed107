/* On its thread a search reads the network that it holds, its question, `stop`, and writes what
 * came of it and how far it is; nothing else. */
#include "server/search.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "protocol/pack.h"
#include "server/access.h"
#include "server/call.h"
#include "server/job.h"

/* ---- on a thread ------------------------------------------------------------------------- */

static int on_poll(void *context, struct routes_progress const *p)
{
    struct search *s = context;
    int goes_on = SEARCH_GOES_ON;
    if (s->deadline && uv_hrtime() >= s->deadline)
        atomic_compare_exchange_strong(&s->stop, &goes_on, SEARCH_DEADLINE);
    atomic_store_explicit(&s->best, p->best, memory_order_relaxed);
    atomic_store_explicit(&s->bound, p->bound, memory_order_relaxed);
    atomic_store_explicit(&s->stage, (int)p->stage, memory_order_relaxed);
    atomic_store_explicit(&s->share, (int)(p->share * 1000), memory_order_relaxed);
    atomic_store_explicit(&s->nodes, p->nodes + 1, memory_order_release);
    return atomic_load_explicit(&s->stop, memory_order_relaxed);
}

static void put_key(struct value_writer *w, char const *key)
{
    value_put_string(w, key, strlen(key));
}

static int find_best(struct search *s)
{
    static char const *const why[] = {NULL, "canceled", "deadline"};
    struct routes_options options = {.poll = on_poll, .context = s};
    struct routes_answer answer;
    int rc = routes_best(s->network->net, &s->question, &options, &answer, &s->fault);
    if (rc)
        return rc;
    s->keep = answer.proven && answer.stable;
    told_put_answer(&s->answer, &answer);
    put_key(&s->answer, "stopped");
    int stop = s->keep ? SEARCH_GOES_ON : atomic_load(&s->stop);
    if (stop)
        put_key(&s->answer, why[stop]);
    else
        value_put_nil(&s->answer);
    s->pairs = TOLD_ANSWER + 1;
    routes_answer_free(&answer);
    return REDO_OK;
}

static int check_set(struct search *s)
{
    struct routes_options options = {.poll = on_poll, .context = s};
    struct routes_verdict verdict;
    int rc = routes_check(s->network->net, &s->question, s->routes, s->route_count, &options,
                          &verdict, &s->fault);
    if (rc || verdict.stopped)
        return rc ? rc : REDO_ECANCELED;
    s->keep = true;
    s->pairs = told_put_verdict(&s->answer, &verdict, s->route_count);
    return REDO_OK;
}

static void put_reached(struct search *s, char const *key, uint32_t const *ids, uint32_t count,
                        bool (*reached)(struct routes_network const *net, char const *company,
                                        uint32_t id))
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += reached(s->network->net, s->question.company, ids[i]);
    put_key(&s->answer, key);
    value_put_array(&s->answer, found);
    for (uint32_t i = 0; i < count; i++)
        if (reached(s->network->net, s->question.company, ids[i]))
            value_put_int(&s->answer, ids[i]);
}

static int find_reach(struct search *s)
{
    struct routes_sizes sizes = routes_network_sizes(s->network->net);
    uint32_t *ids = malloc(((size_t)sizes.nodes + sizes.edges + sizes.mutexes + 1) * sizeof *ids);
    if (!ids)
        return REDO_ENOMEM;
    uint32_t *edges = ids + sizes.nodes;
    routes_network_ids(s->network->net, ids, edges, edges + sizes.edges);
    put_reached(s, "nodes", ids, sizes.nodes, routes_reach_node);
    put_reached(s, "edges", edges, sizes.edges, routes_reach_edge);
    s->pairs = 2;
    s->keep = true;
    free(ids);
    return REDO_OK;
}

void search_run(struct job *job)
{
    struct search *s = job->search;
    int rc = s->kind == SEARCH_BEST    ? find_best(s)
             : s->kind == SEARCH_CHECK ? check_set(s)
                                       : find_reach(s);
    job->result = rc || !s->answer.failed ? rc : REDO_ENOMEM;
}

/* ---- whose turn it is -------------------------------------------------------------------- */

static unsigned running_of(struct searches const *all, uint32_t uid)
{
    unsigned count = 0;
    for (struct link *l = all->all.next; l != &all->all; l = l->next) {
        struct search const *s = list_entry(l, struct search, in_all);
        count += s->running && s->uid == uid;
    }
    return count;
}

static void hand_over(struct search *s)
{
    list_remove(&s->job->in_waiting);
    s->job->waiting = false;
    s->running = true;
    s->searches->running++;
    workers_hand(&s->searches->workers, &s->work);
}

/* The one that waits and whose user has the fewest under way, of these the first. */
static struct search *next_waiting(struct searches *all)
{
    struct search *next = NULL;
    unsigned fewest = 0;
    for (struct link *l = all->all.next; l != &all->all; l = l->next) {
        struct search *s = list_entry(l, struct search, in_all);
        unsigned count = s->job->waiting ? running_of(all, s->uid) : 0;
        if (!s->job->waiting || (next && count >= fewest))
            continue;
        next = s;
        fewest = count;
    }
    return next;
}

static void go_on(struct searches *all)
{
    struct search *s;
    while (all->running < SEARCHES_RUNNING && (s = next_waiting(all)))
        hand_over(s);
}

static void on_work(struct work *work)
{
    search_run(list_entry(work, struct search, work)->job);
}

static void on_worked(struct work *work)
{
    struct job *job = list_entry(work, struct search, work)->job;
    if (work->code)
        job->result = work->code;
    job_finished(job);
}

/* Before its request is delivered again. */
static void on_done(struct job *job)
{
    struct search *s = job->search;
    struct searches *all = s->searches;
    s->running = false;
    all->running--;
    list_remove(&s->in_all);
    network_release(s->network);
    s->network = NULL;
    if (job->gateway->closing)
        return;
    if (!job->result && s->keep)
        routes_cache_keep(&all->cache, s->key.data, s->key.size, s->answer.data, s->answer.size);
    go_on(all);
}

/* ---- looks at them ----------------------------------------------------------------------- */

static void tell_progress(struct search *s, uint64_t now)
{
    struct client *client = s->job->client;
    uint64_t nodes = atomic_load_explicit(&s->nodes, memory_order_acquire);
    static char const *const stages[] = {"listing", "choosing", "ordering"};
    if (!nodes || now - s->told < s->interval || conn_lags(client->conn, 256) ||
        conn_share_exceeded(client->conn, 256))
        return;
    s->told = now;
    struct buffer *b = outbox_event(&client->outbox, false, 0, s->session);
    pack_notification(b, event_table[EVENT_ROUTES].name);
    pack_array(b, 8);
    pack_uint(b, s->session);
    pack_uint(b, s->position);
    if (s->id_size)
        pack_str(b, s->id, s->id_size);
    else
        pack_nil(b);
    pack_cstr(b, stages[atomic_load_explicit(&s->stage, memory_order_relaxed)]);
    pack_int(b, atomic_load_explicit(&s->best, memory_order_relaxed));
    pack_int(b, atomic_load_explicit(&s->bound, memory_order_relaxed));
    pack_int(b, atomic_load_explicit(&s->share, memory_order_relaxed));
    pack_uint(b, nodes - 1);
    outbox_account(&client->outbox);
}

/* One that waits past its deadline gets a thread, for it needs it only for a moment. */
static void look_at(struct search *s, uint64_t now)
{
    if (s->deadline && now >= s->deadline)
        search_stop(s, SEARCH_DEADLINE);
    if (s->job->client && s->running && s->interval)
        tell_progress(s, now);
}

static void on_tick(uv_timer_t *timer)
{
    struct searches *all = timer->data;
    uint64_t now = uv_hrtime();
    struct link *next;
    for (struct link *l = all->all.next; l != &all->all; l = next) {
        struct search *s = list_entry(l, struct search, in_all);
        next = l->next;
        if (s->job->client && conn_peer_gone(s->job->client->conn)) {
            conn_end(
                s->job->client->conn); /* frees it, if it waits: and nothing else in the list */
            continue;
        }
        look_at(s, now);
    }
    if (list_empty(&all->all)) {
        uv_timer_stop(timer);
        all->ticking = false;
    }
}

int searches_init(struct searches *s, uv_loop_t *loop)
{
    list_init(&s->all);
    s->running = 0;
    int rc = workers_init(&s->workers, loop);
    if (rc)
        return rc;
    uv_timer_init(loop, &s->timer); /* never fails */
    s->timer.data = s;
    s->ready = true;
    s->ticking = false;
    routes_cache_init(&s->cache);
    return 0;
}

void searches_close(struct searches *s)
{
    if (s->ready)
        uv_close((uv_handle_t *)&s->timer, NULL);
    s->ready = false;
    workers_close(&s->workers);
    routes_cache_close(&s->cache);
}

unsigned searches_cancel(struct searches *all, uint32_t uid, char const *id, size_t size)
{
    unsigned count = 0;
    for (struct link *l = all->all.next; l != &all->all; l = l->next) {
        struct search *s = list_entry(l, struct search, in_all);
        if (s->uid != uid || s->id_size != size || memcmp(s->id, id, size) != 0 || !size)
            continue;
        count += atomic_load(&s->stop) == SEARCH_GOES_ON;
        search_stop(s, SEARCH_CANCELED);
    }
    return count;
}

/* What its question takes, and its part of a network that others may hold too, as the view of its
 * session mostly does. */
static size_t bytes_of(struct search const *s)
{
    struct board_network const *b = s->network;
    size_t network = b ? routes_network_sizes(b->net).bytes : 0;
    return 2 * s->key.size + (b && b->holders > 2 ? network / (b->holders - 1) : network);
}

bool searches_full(struct searches const *all, uint32_t uid)
{
    size_t bytes = 0;
    for (struct link *l = all->all.next; l != &all->all; l = l->next) {
        struct search const *s = list_entry(l, struct search, in_all);
        bytes += s->uid == uid ? bytes_of(s) : 0;
    }
    return bytes >= SEARCHES_BYTES;
}

/* ---- a search ---------------------------------------------------------------------------- */

struct search *search_new(struct gateway *gateway, struct client *client)
{
    struct search *s = calloc(1, sizeof *s);
    struct job *job = s ? job_new(gateway, client) : NULL;
    if (!job) {
        free(s);
        return NULL;
    }
    s->job = job;
    s->searches = &gateway->searches;
    s->uid = client->asker->uid;
    list_init(&s->in_all);
    buffer_init(&s->key);
    told_init(&s->reading, &s->fault);
    job->search = s;
    job->run = search_run;
    job->finish = on_done;
    s->work.run = on_work;
    s->work.done = on_worked;
    return s;
}

void search_start(struct search *s)
{
    struct searches *all = s->searches;
    list_append(&all->all, &s->in_all);
    list_init(&s->job->in_waiting);
    s->job->waiting = true;
    if (atomic_load(&s->stop))
        hand_over(s);
    go_on(all);
    if (!all->ticking)
        uv_timer_start(&all->timer, on_tick, SEARCH_TICK, SEARCH_TICK);
    all->ticking = true;
}

void search_stop(struct search *s, enum search_stop why)
{
    int goes_on = SEARCH_GOES_ON;
    atomic_compare_exchange_strong(&s->stop, &goes_on, (int)why);
    if (s->job->waiting)
        hand_over(s);
}

void search_free(struct search *s)
{
    if (!s)
        return;
    list_remove(&s->in_all);
    network_release(s->network);
    told_close(&s->reading);
    buffer_free(&s->key);
    free(s->answer.data);
    free(s);
}
