/* Sessions: beginning, finding, listing, naming and ending them. What asks the store may return
 * CALL_LATER at any rooms_*() or job, and is then begun again: nothing is changed before the last
 * of these. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/changes/changes.h"
#include "core/dump.h"
#include "core/redo.h"
#include "server/access.h"
#include "server/begun.h"
#include "server/call.h"
#include "server/job.h"
#include "server/match.h"
#include "server/reply.h"
#include "server/rooms.h"

#define LOADED_AT_ONCE 65536 /* bytes of a dump; larger ones are loaded on the pool */

/* ---- finding ----------------------------------------------------------------------------- */

int call_fail_exists(struct call *call, char const *name, size_t size)
{
    call_fail(call, REDO_EEXISTS);
    error_add_text(&call->error, "name", name, size);
    return REDO_EEXISTS;
}

/* That this owner has no session of this name: REDO_OK, REDO_EEXISTS ... */
static int check_free(struct call *call, char const *name, size_t size, uint32_t owner)
{
    struct room *there;
    int rc = rooms_named(call, name, size, owner, &there);
    if (rc == REDO_ENOSESSION)
        return REDO_OK;
    if (rc == CALL_LATER)
        return rc;
    if (!rc) {
        call_waits_for(call, there); /* that it is there may be known when it is on disk */
        return call_fail_exists(call, name, size);
    }
    call_fail(call, rc);
    error_add_text(&call->error, "name", name, size);
    return rc;
}

static int check_name(struct call *call, char const *name, size_t size)
{
    if (size < 1 || size > ROOM_NAME_MAX || memchr(name, '\0', size)) {
        error_begin(&call->error, REDO_ENAME, "a name has 1 to %d bytes, none of them 0",
                    ROOM_NAME_MAX);
        error_add_int(&call->error, "limit", ROOM_NAME_MAX);
        error_add_int(&call->error, "given", (int64_t)size);
        return REDO_ENAME;
    }
    if (name[0] == '~') {
        error_begin(&call->error, REDO_ENAME,
                    "a name does not begin with ~: that is for ~UID/NAME, a user's session");
        error_add_text(&call->error, "name", name, size);
        return REDO_ENAME;
    }
    return REDO_OK;
}

int call_check_name_arg(struct call *call, struct arg const *name)
{
    return name->present ? check_name(call, name->bytes.data, name->bytes.size) : REDO_OK;
}

/* This client is told of the session at once, or no more so. */
static int set_relaxed(struct client *client, struct room const *room, bool relaxed)
{
    for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next) {
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            s->relaxed = relaxed;
    }
    size_t i = 0;
    while (i < client->relaxed_count && client->relaxed[i].handle != room->handle)
        i++;
    bool is = i < client->relaxed_count;
    if (is && !relaxed)
        client->relaxed[i] = client->relaxed[--client->relaxed_count];
    if (is && relaxed)
        client->relaxed[i].lost = false;
    if (is || !relaxed)
        return REDO_OK;
    struct relaxed *grown = realloc(client->relaxed, (client->relaxed_count + 1) * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    client->relaxed = grown;
    client->relaxed[client->relaxed_count++] = (struct relaxed){.handle = room->handle};
    return REDO_OK;
}

/* ---- beginning --------------------------------------------------------------------------- */

static int fail_state(struct call *call, char const *why)
{
    error_begin(&call->error, REDO_ESTATE, "%s", why);
    return REDO_ESTATE;
}

static void answer_begin(struct call *call, struct room const *room, bool created)
{
    call_waits_for(call, room);
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_SESSION_FIELDS + 1);
    reply_session_fields(b, room);
    pack_key(b, "created");
    pack_bool(b, created);
}

/* Whether two sessions are of one kind, size or schema. */
static bool is_alike(struct history const *a, struct history const *b)
{
    struct changes const *c = a->changes, *d = b->changes;
    if (a->size != b->size || a->cmpsize != b->cmpsize || !c != !d || !a->games != !b->games)
        return false;
    return !c || (c->lenient == d->lenient && c->schema.size == d->schema.size &&
                  (!c->schema.size || !memcmp(c->schema.bytes, d->schema.bytes, c->schema.size)));
}

/* A session of that name is there already; `wanted` is what was to be begun. */
static int join(struct call *call, struct room *room, struct history const *wanted,
                struct room const *match)
{
    call_waits_for(call, room);
    if (!args_flag(&call->args, "join", false))
        return call_fail_exists(call, room->name, room->name_size);
    if (match && room->match != match->handle)
        return fail_state(call, "the session exists, and is no game of that match");
    if (!is_alike(room->history, wanted)) {
        fail_state(call, wanted->games || room->history->games
                             ? "the session exists, and one of the two is no match"
                             : "the session exists with other sizes, or another schema");
        error_add_int(&call->error, "size", room->history->size);
        error_add_int(&call->error, "cmpsize", room->history->cmpsize);
        return REDO_ESTATE;
    }
    if (set_relaxed(call->client, room, args_flag(&call->args, "relaxed", false)))
        return call_fail(call, REDO_ENOMEM);
    answer_begin(call, room, false);
    return REDO_OK;
}

/* How a session is to begin. */
struct beginning {
    char const *name; /* NULL: private to the connection */
    size_t name_size;
    uint32_t mode;
    bool stored, relaxed;
    struct room *match; /* of which it is to be a game, in the same commit; NULL: of none */
};

static struct beginning beginning_of(struct call const *call, struct arg const *name)
{
    return (struct beginning){
        .name = name->present ? name->bytes.data : NULL,
        .name_size = name->present ? name->bytes.size : 0,
        .mode = (uint32_t)args_integer(&call->args, "mode", ACCESS_MODE_DEFAULT),
        .stored = true,
    };
}

/* Whether such a session can begin: REDO_OK or a failure prepared. size: of its dump. */
static int check_beginning(struct call *call, struct history const *history,
                           struct beginning const *how, size_t size)
{
    struct usage_amount more = {.sessions = 1,
                                .positions = history->count,
                                .bytes = how->stored ? size : history_memory(history)};
    int rc = how->match ? match_check_new(call, how->match, history, how->name != NULL, how->stored)
                        : REDO_OK;
    return rc ? rc : call_check_usage(call, call->client->asker->uid, more);
}

/* The match knows of its new game; both stay in memory meanwhile, whatever room is made. */
static int enter_match(struct call *call, struct room *room, struct beginning const *how)
{
    room->held = true;
    int rc = match_enter(call, how->match, room->handle, !how->relaxed);
    room->held = false;
    return rc;
}

/* A room for the history, which is the room's from here on, also on failure; a game of its match,
 * if it is to be one. Nothing of the session is in the open batch yet. */
static int enter(struct call *call, struct history *history, struct beginning const *how,
                 size_t size, struct room **entered)
{
    struct gateway *gateway = call->gateway;
    struct asker const *asker = call->client->asker;
    struct store_info info = {
        .id = how->stored ? gateway->registry.next_handle : 0,
        .name = how->name,
        .name_size = how->name_size,
        .created = time(NULL),
        .owner = asker->uid,
        .group = asker->gid,
        .mode = how->mode,
        .bytes = size,
    };
    if (how->match)
        how->match->held = true;
    struct room *room = rooms_enter(gateway, history, &info);
    int rc = room ? REDO_OK : call_fail(call, REDO_ENOMEM);
    if (!rc && how->relaxed && set_relaxed(call->client, room, true))
        rc = call_fail(call, REDO_ENOMEM);
    if (!rc && how->match)
        rc = enter_match(call, room, how);
    if (how->match)
        how->match->held = false;
    if (rc && room) {
        uint64_t id = room->handle;
        set_relaxed(call->client, room, false);
        rooms_discard(gateway, room);
        usage_leave(&gateway->usage, id); /* it is not in the store */
    }
    *entered = room;
    return rc;
}

/* Makes a room of the history, which belongs to it from here on; if it is to be stored, with its
 * dump, which is malloc()ed, and taken over too. */
static int begin_dumped(struct call *call, struct history *history, struct beginning const *how,
                        void *dump, size_t size, struct room **begun)
{
    struct gateway *gateway = call->gateway;
    struct room *room;
    int rc = check_beginning(call, history, how, size);
    if (rc)
        history_free(history);
    else
        rc = enter(call, history, how, size, &room);
    if (rc) {
        free(dump);
        return rc;
    }
    if (how->stored) {
        gateway->registry.next_handle++;
        struct store_info info = rooms_info(room);
        batch_create_with(committer_change(&gateway->committer, !how->relaxed, &room->number),
                          &info, dump, size);
        dump = NULL;
    } else if (!how->name) {
        room->owner = call->client;
        list_append(&call->client->privates, &room->in_owner);
    }
    free(dump);
    if (how->match)
        match_take(gateway, how->match, how->match->handle, &room->handle, 1);
    *begun = room;
    return REDO_OK;
}

/* The same; in the store if it has a name and `stored`. */
static int begin(struct call *call, struct history *history, struct beginning how,
                 struct room **begun)
{
    void *dump = NULL;
    size_t size = 0;
    how.stored = how.stored && how.name && call->gateway->store;
    if (how.stored && history_dump(history, &dump, &size)) {
        history_free(history);
        return call_fail(call, REDO_ENOMEM);
    }
    return begin_dumped(call, history, &how, dump, size, begun);
}

static int begin_and_answer(struct call *call, struct history *history, struct beginning how)
{
    struct room *room;
    int rc = begin(call, history, how, &room);
    if (!rc)
        answer_begin(call, room, true);
    return rc;
}

static int check_sizes(struct call *call, struct arg const *state, int64_t size, int64_t cmpsize)
{
    if (size < 1 || size > REDO_STATE_MAX) {
        error_begin(&call->error, REDO_ESTATE, "a state has 1 to %d bytes", REDO_STATE_MAX);
        error_add_int(&call->error, "limit", REDO_STATE_MAX);
        error_add_int(&call->error, "given", size);
        return REDO_ESTATE;
    }
    if (cmpsize < 0 || cmpsize > size)
        return fail_state(call, "cmpsize is not in 0 to size");
    if ((int64_t)state->bytes.size != size) {
        fail_state(call, "size is not the length of the state");
        error_add_int(&call->error, "expected", size);
        error_add_int(&call->error, "given", (int64_t)state->bytes.size);
        return REDO_ESTATE;
    }
    return REDO_OK;
}

/* The session of that name, if it is there. Nobody begins one in another's name: asking for that is
 * refused alike whether it is there or not. */
static int find_to_join(struct call *call, struct arg const *name, struct address *a,
                        struct room **there)
{
    uint32_t uid = call->client->asker->uid;
    if (!a->told)
        a->owner = uid;
    if (a->owner == uid) {
        int rc = check_name(call, a->name, a->size);
        if (rc)
            return rc;
    } else if (!args_flag(&call->args, "join", false)) {
        call_fail(call, REDO_EDENIED);
        error_add_text(&call->error, "name", name->bytes.data, name->bytes.size);
        return REDO_EDENIED;
    }
    *there = NULL;
    int rc = rooms_named(call, a->name, a->size, a->owner, there);
    if (rc == REDO_ENOSESSION && a->owner == uid)
        return REDO_OK;
    return rc ? call_fail_session(call, rc, name) : REDO_OK;
}

/* The session is there because the same request has begun it: answered as it was then. */
static int begin_again(struct call *call, struct room *room, bool relaxed)
{
    if (set_relaxed(call->client, room, relaxed))
        return call_fail(call, REDO_ENOMEM);
    answer_begin(call, room, true);
    return REDO_OK;
}

int call_beginsession(struct call *call)
{
    uint64_t what;
    struct arg const *state = &call->args.param[0];
    int64_t size = call_integer(call, 1), cmpsize = call_integer(call, 2);
    int rc = check_sizes(call, state, size, cmpsize);
    if (rc || (rc = begun_read(call, BEGUN_STATES, &what)))
        return rc;
    struct history *history = history_new(state->bytes.data, (size_t)size, (size_t)cmpsize);
    return history ? call_begin_new(call, history, what) : call_fail(call, redo_lasterror());
}

/* The session that may be there already, and the match that is asked for; refused: why that can not
 * be had, which is no matter if it was had when the same was asked before. */
static int look_around(struct call *call, struct arg const *name, bool is_match,
                       struct beginning *how, struct room **there, int *refused)
{
    *there = NULL;
    *refused = is_match ? REDO_OK : call_match_option(call, &how->match);
    if (*refused == CALL_LATER)
        return CALL_LATER;
    if (!name->present) {
        *there = begun_private(call);
        return REDO_OK;
    }
    struct address a = address_read(name->bytes.data, name->bytes.size);
    int rc = find_to_join(call, name, &a, there);
    how->name = a.name;
    how->name_size = a.size;
    return rc;
}

static int begin_new(struct call *call, struct history *history, struct arg const *name,
                     bool private, uint64_t what)
{
    struct client const *by = call->client;
    struct beginning how = beginning_of(call, name);
    struct room *there = NULL;
    int refused, rc = call_check_mode(call, args_option(&call->args, "mode"));
    if (!rc)
        rc = look_around(call, name, history->games != NULL, &how, &there, &refused);
    bool again = !rc && there && begun_is(call, there, what, &rc);
    if (!rc && again)
        rc = begin_again(call, there, args_flag(&call->args, "relaxed", false));
    else if (!rc)
        rc = refused;
    if (!rc && !again && there)
        rc = join(call, there, history, how.match);
    if (rc || there) {
        history_free(history);
        return rc;
    }
    rc = history_sign(history, by->conn->peer.uid, by->name ? by->name : "", by->name_size,
                      (uint32_t)time(NULL));
    rc = rc ? call_fail(call, rc) : begun_keep(call, history, what);
    if (rc) {
        history_free(history);
        return rc;
    }
    how.stored = !private;
    how.relaxed = args_flag(&call->args, "relaxed", false);
    return begin_and_answer(call, history, how);
}

/* Of a match that was dumped: other sessions may have the handles of its games here, or they are in
 * that match. */
static void forget_games(struct history *history)
{
    if (history->games)
        games_clear(history->games);
}

/* The history that was loaded becomes that of a session, once. */
static int prepare(struct call *call, struct upload *u, uint64_t what)
{
    if (u->prepared)
        return REDO_OK;
    forget_games(u->history);
    int rc = begun_keep(call, u->history, what);
    u->prepared = !rc;
    if (rc)
        upload_drop(call->client, u);
    return rc;
}

/* Begins a session of what was uploaded, once it is loaded, and if it is to be stored dumped. */
static int load_upload(struct call *call, struct arg const *name, uint64_t what, struct room *match,
                       struct upload *u)
{
    struct beginning how = beginning_of(call, name);
    struct room *room;
    how.match = match;
    how.stored = how.name && call->gateway->store;
    int rc = upload_load(call, u);
    if (rc || (rc = prepare(call, u, what)) || (how.stored && (rc = upload_dump(call, u))))
        return rc;
    struct history *history = u->history;
    void *dump = u->dump;
    size_t size = u->dump_size;
    u->history = NULL;
    u->dump = NULL;
    upload_drop(call->client, u);
    rc = begin_dumped(call, history, &how, dump, size, &room);
    if (!rc)
        answer_begin(call, room, true);
    return rc;
}

int call_begin_new(struct call *call, struct history *history, uint64_t what)
{
    return begin_new(call, history, args_option(&call->args, "name"),
                     args_flag(&call->args, "private", false), what);
}

/* A match has states, as it must; what it is about are its games. */
int call_beginmatch(struct call *call)
{
    uint64_t what;
    int rc = begun_read(call, BEGUN_MATCH, &what);
    if (rc)
        return rc;
    struct history *history = history_new("", 1, 1);
    if (!history)
        return call_fail(call, redo_lasterror());
    if (games_begin(history)) {
        history_free(history);
        return call_fail(call, REDO_ENOMEM);
    }
    return begin_new(call, history, &call->args.param[0], false, what);
}

/* Begins a session of a dump that the request has: of a small one at once. */
static int load_given(struct call *call, struct arg const *name, uint64_t what, struct room *match)
{
    struct arg const *dump = &call->args.param[0];
    struct upload *u = &call->client->given;
    bool begun = u->history || u->result;
    int rc = REDO_OK;
    if (!begun && dump->bytes.size > LOADED_AT_ONCE) {
        rc = upload_take(call, u, dump->bytes.data, dump->bytes.size);
    } else if (!begun) {
        rc = history_load(dump->bytes.data, dump->bytes.size, &u->history);
        if (rc)
            call_fail(call, rc);
    }
    return rc ? rc : load_upload(call, name, what, match, u);
}

static int load(struct call *call)
{
    struct arg const *dump = &call->args.param[0], *name = args_option(&call->args, "name");
    struct upload *u = &call->client->upload;
    int rc = call_check_name_arg(call, name);
    if (rc || (rc = call_check_mode(call, args_option(&call->args, "mode"))))
        return rc;
    uint64_t what;
    struct room *match;
    if ((rc = begun_read(call, BEGUN_LOADED, &what)))
        return rc;
    int refused = call_match_option(call, &match);
    if (refused == CALL_LATER)
        return refused;
    uint32_t uid = call->client->asker->uid;
    struct room *there = what && !name->present ? begun_private(call) : NULL;
    if (what && name->present &&
        rooms_named(call, name->bytes.data, name->bytes.size, uid, &there) == CALL_LATER)
        return CALL_LATER;
    if (there && begun_is(call, there, what, &rc)) {
        if (!rc && !dump->present)
            upload_drop(call->client, u);
        return rc ? rc : begin_again(call, there, false);
    }
    rc = refused;
    if (!rc && name->present)
        rc = check_free(call, name->bytes.data, name->bytes.size, uid);
    if (rc) {
        if (rc != CALL_LATER && u->history)
            upload_drop(call->client, u); /* it takes more than what it was made of */
        return rc;
    }
    return dump->present ? load_given(call, name, what, match)
                         : load_upload(call, name, what, match, u);
}

int call_loadsession(struct call *call)
{
    int rc = load(call);
    if (rc != CALL_LATER)
        upload_drop(call->client, &call->client->given);
    return rc;
}

/* ---- telling ----------------------------------------------------------------------------- */

int call_getsession(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        reply_session(call_reply(call), room);
    return rc;
}

int call_opensession(struct call *call)
{
    struct arg const *name = &call->args.param[0];
    struct room *room;
    int rc = rooms_addressed(call, name->bytes.data, name->bytes.size, &room);
    if (rc)
        return call_fail_session(call, rc, name);
    if (set_relaxed(call->client, room, args_flag(&call->args, "relaxed", false)))
        return call_fail(call, REDO_ENOMEM);
    call_waits_for(call, room);
    reply_session(call_reply(call), room);
    return REDO_OK;
}

/* ---- ending ------------------------------------------------------------------------------ */

void call_dismiss(struct call *call, struct room *room)
{
    room_dismiss(room);
    rooms_discard(call->gateway, room);
}

int call_endsession(struct call *call)
{
    struct room *room;
    int rc = call_room_anew(call, &room);
    if (rc)
        return rc;
    struct link *all = &call->client->subscriptions, *next;
    for (struct link *l = all->next; l != all; l = next) {
        next = l->next;
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            subscription_end(s);
    }
    set_relaxed(call->client, room, false);
    if (room->owner)
        call_dismiss(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

struct batch *call_batch(struct call *call)
{
    call->waits = true;
    return committer_change(&call->gateway->committer, true, &call->number);
}

int call_renamesession(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room;
    int rc = call_check_name_arg(call, name);
    if (rc || (rc = call_room_owned(call, &room)))
        return rc;
    if (!room->name)
        return call_fail(call, REDO_ENAME);
    if (room->name_size == name->bytes.size &&
        !memcmp(room->name, name->bytes.data, name->bytes.size)) {
        reply_session(call_reply(call), room); /* it has that name, as when this is asked again */
        return REDO_OK;
    }
    if ((rc = check_free(call, name->bytes.data, name->bytes.size, room->uid)))
        return rc;
    char *copy = malloc(name->bytes.size + 1);
    if (!copy)
        return call_fail(call, REDO_ENOMEM);
    memcpy(copy, name->bytes.data, name->bytes.size);
    copy[name->bytes.size] = '\0';
    /* Under its old name the store shows it until the batch is on disk. */
    if (room->stored && rooms_leave(call->gateway, room->handle, LEAVING_NAME)) {
        free(copy);
        return call_fail(call, REDO_ENOMEM);
    }
    registry_leave(&call->gateway->registry, room);
    free(room->name);
    room->name = copy;
    room->name_size = name->bytes.size;
    registry_enter(&call->gateway->registry, room); /* into the place it left */
    if (room->stored) {
        batch_rename(call_batch(call), room->handle, room->name, room->name_size);
        room->number = call->number;
    }
    reply_session(call_reply(call), room);
    return REDO_OK;
}

/* A session of an older store has no group: it gets its owner's when the owner first says who may.
 */
static void set_mode(struct room *room, struct asker const *asker, uint32_t mode)
{
    if (!room->mode && asker->uid == room->uid)
        room->gid = asker->gid;
    room->mode = mode;
}

int call_setsessionmode(struct call *call)
{
    struct arg const *mode = &call->args.param[1];
    struct room *room;
    int rc = call_room_owned(call, &room);
    if (rc || (rc = call_check_mode(call, mode)))
        return rc;
    set_mode(room, call->client->asker, (uint32_t)mode->integer);
    if (room->stored) {
        batch_access(call_batch(call), room->handle, room->uid, room->gid, room->mode);
        room->number = call->number;
    }
    room_expel(room);
    reply_session(call_reply(call), room);
    return REDO_OK;
}

/* A stored session is copied from the store, on the pool: it may be large. job->name is the copy's.
 */
static void run_copy(struct job *job)
{
    struct store_info other;
    void *dump;
    size_t size;
    job->result = store_load(job->reader, job->id, &job->history, &job->sequence, &job->damaged);
    if (!job->result)
        job->result = history_dump(job->history, &dump, &size);
    if (job->result)
        return;
    job->packed = (struct buffer){.data = dump, .size = size, .cap = size};
    job->more =
        store_find(job->reader, job->name.data, job->name.size, job->asker->uid, &other) == REDO_OK;
}

static int copy_stored(struct call *call, struct room const *room, struct beginning const *how,
                       struct room **begun)
{
    struct job *job = call_finished_of(call, run_copy, room->handle);
    uint32_t owner = call->client->asker->uid;
    if (!job || (!job->more && rooms_name_departed_since(job, how->name, how->name_size, owner))) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_copy;
            job->id = room->handle;
            buffer_append(&job->name, how->name, how->name_size);
        }
        return call_start(call, job);
    }
    if (job->result)
        return call_fail(call, job->result);
    if (job->more || registry_named(&call->gateway->registry, how->name, how->name_size, owner))
        return call_fail_exists(call, how->name, how->name_size);
    struct history *history = job->history;
    job->history = NULL; /* the room's, or gone */
    void *dump = job->packed.data;
    size_t size = job->packed.size;
    buffer_init(&job->packed);
    return begin_dumped(call, history, how, dump, size, begun);
}

static int copy_in_memory(struct call *call, struct room const *room, struct beginning how,
                          struct room **begun)
{
    void *dump;
    size_t size;
    struct history *history;
    int rc = check_free(call, how.name, how.name_size, call->client->asker->uid);
    if (rc)
        return rc;
    rc = history_dump(room->history, &dump, &size);
    if (!rc) {
        rc = history_load(dump, size, &history);
        free(dump);
    }
    if (rc)
        return call_fail(call, rc);
    how.stored = !room->name; /* what is not to touch the disk does not by a copy either */
    return begin(call, history, how, begun);
}

/* A session is in one match at most: a copy of a match could not have the games of the first. */
static int fail_copy(struct call *call)
{
    error_begin(&call->error, REDO_EKIND, "a match can not be copied: its games are in that one");
    return REDO_EKIND;
}

int call_copysession(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room, *begun;
    int rc = call_check_name_arg(call, name);
    if (rc || (rc = call_check_mode(call, args_option(&call->args, "mode"))) ||
        (rc = call_room(call, &room)))
        return rc;
    if (room->history->games)
        return fail_copy(call);
    struct beginning how = beginning_of(call, name);
    how.relaxed = room_relaxed(room, call->client);
    rc = room->stored ? copy_stored(call, room, &how, &begun)
                      : copy_in_memory(call, room, how, &begun);
    if (rc)
        return rc;
    call_waits_for(call, begun);
    reply_session(call_reply(call), begun);
    return REDO_OK;
}
