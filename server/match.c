#include "server/match.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/access.h"
#include "server/rooms.h"

static int fail_game(struct call *call, int code, uint64_t id)
{
    call_fail(call, code);
    error_add_int(&call->error, "session", (int64_t)id);
    return code;
}

/* Those of these games, rising, that are in memory: handles rise there too. */
static size_t in_memory(struct gateway *gateway, uint64_t const *ids, size_t count,
                        struct room **rooms)
{
    struct registry const *r = &gateway->registry;
    size_t found = 0, k = 0;
    for (size_t i = 0; i < r->handle_count && k < count; i++) {
        while (k < count && ids[k] < r->by_handle[i]->handle)
            k++;
        if (k < count && ids[k] == r->by_handle[i]->handle)
            rooms[found++] = r->by_handle[i];
    }
    return found;
}

/* ---- deleting ---------------------------------------------------------------------------- */

static bool note_game(void *data, struct store_info const *info)
{
    struct job *job = data;
    if (info->trashed || info->match != job->id)
        return true;
    if (!access_may_info(job->asker, info, ACCESS_OWN)) {
        job->more = true;
        job->limit = (size_t)info->id;
        return false;
    }
    buffer_append(&job->packed, &info->id, sizeof info->id);
    job->count++;
    return true;
}

/* The games that are to go with a match: job->after has their ids, rising. */
static void run_find_games(struct job *job)
{
    job->result = store_each(job->reader, (uint64_t const *)(void *)job->after.data,
                             job->after.size / sizeof(uint64_t), note_game, job);
    if (!job->result)
        job->result = job->packed.failed ? REDO_ENOMEM : job->more ? REDO_EDENIED : REDO_OK;
}

/* The games that go with the match now: those that were found, as far as they are in it still, and
 * those that have come into it since, which are in memory; rising, in *ids, which is malloc()ed.
 * False: one that has come is not, so all have to be looked for again. */
static bool gather(struct gateway const *gateway, struct room const *match, struct job const *job,
                   uint64_t *ids, size_t *count)
{
    struct games const *g = match->history->games;
    uint64_t const *looked_for = (uint64_t const *)(void *)job->after.data,
                   *found = (uint64_t const *)(void *)job->packed.data;
    size_t looked_count = job->after.size / sizeof *looked_for, l = 0, f = 0;
    *count = 0;
    for (size_t i = 0; i < g->count; i++) {
        uint64_t id = g->sorted[i];
        while (l < looked_count && looked_for[l] < id)
            l++;
        while (f < job->count && found[f] < id)
            f++;
        bool is_new = l == looked_count || looked_for[l] != id;
        if (is_new && !registry_handled(&gateway->registry, id))
            return false;
        if (is_new || (f < job->count && found[f] == id))
            ids[(*count)++] = id;
    }
    return true;
}

static int look_for_games(struct call *call, struct room const *match)
{
    struct job *job = job_new(call->gateway, call->client);
    if (job) {
        struct games const *g = match->history->games;
        job->run = run_find_games;
        job->id = match->handle;
        buffer_append(&job->after, g->sorted, g->count * sizeof *g->sorted);
    }
    return call_start(call, job);
}

/* *ids: as gather() has them, also if others put games into the match all the time. */
static int find_games(struct call *call, struct room const *match, uint64_t **ids, size_t *count)
{
    struct games const *g = match->history->games;
    struct job *job = call_finished_of(call, run_find_games, match->handle);
    bool denied = job && job->result == REDO_EDENIED;
    *ids = NULL;
    if (!job || call->gateway->turned > job->departures ||
        (denied && !games_has(g, (uint64_t)job->limit)))
        return look_for_games(call, match);
    if (job->result)
        return denied ? fail_game(call, REDO_EDENIED, job->limit) : call_fail(call, job->result);
    *ids = malloc((g->count + 1) * sizeof **ids);
    if (!*ids)
        return call_fail(call, REDO_ENOMEM);
    return gather(call->gateway, match, job, *ids, count) ? REDO_OK : look_for_games(call, match);
}

static int check_rooms(struct call *call, struct room *const *rooms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!access_may_room(call->client->asker, rooms[i], ACCESS_OWN))
            return fail_game(call, REDO_EDENIED, rooms[i]->handle);
    return REDO_OK;
}

/* They are in the open batch, or there is no store: takes them away from all. */
static void dismiss(struct call *call, struct room *match, struct room **rooms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rooms[i]->number = call->number;
        room_dismiss(rooms[i]);
    }
    match->number = call->number;
    room_dismiss(match);
    rooms_discard_all(call->gateway, rooms, count);
    rooms_discard(call->gateway, match);
    pack_nil(call_reply(call));
}

static int delete_in_memory(struct call *call, struct room *match)
{
    struct games const *g = match->history->games;
    struct room **rooms = malloc((g->count + 1) * sizeof(struct room *));
    if (!rooms)
        return call_fail(call, REDO_ENOMEM);
    size_t count = in_memory(call->gateway, g->sorted, g->count, rooms);
    int rc = check_rooms(call, rooms, count);
    if (!rc)
        dismiss(call, match, rooms, count);
    free(rooms);
    return rc;
}

static int delete_found(struct call *call, struct room *match, uint64_t const *ids, size_t games)
{
    struct gateway *gateway = call->gateway;
    struct room **rooms = malloc((games + 1) * sizeof(struct room *));
    if (!rooms)
        return call_fail(call, REDO_ENOMEM);
    size_t count = in_memory(gateway, ids, games, rooms);
    int rc = check_rooms(call, rooms, count);
    if (!rc && rooms_leave_match(gateway, match->handle, LEAVING_TO_TRASH, ids, games))
        rc = call_fail(call, REDO_ENOMEM);
    if (!rc) {
        struct batch *batch = committer_change(&gateway->committer, true, &call->number);
        int64_t now = time(NULL);
        call->waits = true;
        batch_trash(batch, match->handle, now);
        batch_trash_games(batch, ids, games, now);
        dismiss(call, match, rooms, count);
    }
    free(rooms);
    return rc;
}

int match_delete(struct call *call, struct room *match)
{
    uint64_t *ids;
    size_t count = 0;
    if (!match->stored)
        return delete_in_memory(call, match);
    int rc = find_games(call, match, &ids, &count);
    if (!rc)
        rc = delete_found(call, match, ids, count);
    free(ids);
    return rc;
}

/* ---- coming back ------------------------------------------------------------------------- */

/* A game that was deleted with its match, in job->packed; its name in job->after. */
struct trashed {
    uint64_t id, bytes;
    uint32_t owner, positions;
    size_t name, name_size;
};

static bool note_trashed(void *data, struct store_info const *info)
{
    struct job *job = data;
    if (!info->trashed || !info->with_match || info->match != job->id)
        return true;
    if (job->asker && !access_may_info(job->asker, info, ACCESS_OWN)) {
        job->result = REDO_EDENIED;
        job->limit = (size_t)info->id;
        return false;
    }
    struct trashed t = {.id = info->id,
                        .bytes = info->bytes,
                        .owner = info->owner,
                        .positions = info->positions,
                        .name = job->after.size,
                        .name_size = info->name_size};
    buffer_append(&job->packed, &t, sizeof t);
    buffer_append(&job->after, info->name, info->name_size);
    job->count++;
    return true;
}

static struct trashed trashed_at(struct job const *job, size_t i)
{
    struct trashed t;
    memcpy(&t, job->packed.data + i * sizeof t, sizeof t);
    return t;
}

void match_look_trashed(struct job *job)
{
    struct games const *g = job->history->games;
    struct store_info other;
    int rc = store_each(job->reader, g->sorted, g->count, note_trashed, job);
    if (rc || job->result) {
        job->result = rc ? rc : job->result;
        return;
    }
    if (job->packed.failed || job->after.failed)
        job->result = REDO_ENOMEM;
    for (size_t i = 0; !job->result && i < job->count; i++) {
        struct trashed t = trashed_at(job, i);
        if (store_find(job->reader, job->after.data + t.name, t.name_size, t.owner, &other))
            continue;
        job->taken = i + 1;
        break;
    }
}

int match_fail_trashed(struct call *call, struct job const *job)
{
    return fail_game(call, job->result, job->limit);
}

static int fail_taken(struct call *call, struct job const *job, struct trashed const *t)
{
    error_begin(&call->error, REDO_EEXISTS,
                "a session of a game's name exists: rename it, and the match can come back");
    error_add_text(&call->error, "name", job->after.data + t->name, t->name_size);
    error_add_int(&call->error, "session", (int64_t)t->id);
    return REDO_EEXISTS;
}

/* Whether each owner may have that many more; few are different ones. */
static int check_usage(struct call *call, struct job const *job)
{
    struct usage const *u = &call->gateway->usage;
    int rc = REDO_OK;
    for (size_t k = 0; u->active && !rc && k < u->user_count; k++) {
        uint32_t uid = u->users[k].uid;
        struct usage_amount more = {0};
        if (uid == job->info.owner) {
            more.sessions++;
            more.positions += job->info.positions;
        }
        for (size_t i = 0; i < job->count; i++) {
            struct trashed t = trashed_at(job, i);
            if (t.owner != uid)
                continue;
            more.sessions++;
            more.positions += t.positions;
        }
        rc = more.sessions ? call_check_usage(call, uid, more) : REDO_OK;
    }
    return rc;
}

bool match_is_stale(struct job const *job)
{
    for (size_t i = 0; job->history && job->history->games && !job->taken && i < job->count; i++) {
        struct trashed t = trashed_at(job, i);
        if (rooms_name_departed_since(job, job->after.data + t.name, t.name_size, t.owner))
            return true;
    }
    return false;
}

int match_check_return(struct call *call, struct job const *job, char const *name, size_t size)
{
    struct registry const *r = &call->gateway->registry;
    for (size_t i = 0; i < job->count; i++) {
        struct trashed t = trashed_at(job, i);
        char const *its = job->after.data + t.name;
        bool same = t.owner == job->info.owner && t.name_size == size && !memcmp(its, name, size);
        if (same || job->taken == i + 1 || registry_named(r, its, t.name_size, t.owner))
            return fail_taken(call, job, &t);
    }
    return check_usage(call, job);
}

void match_return(struct call *call, struct job const *job)
{
    struct gateway *gateway = call->gateway;
    uint64_t *ids = malloc((job->count + 1) * sizeof *ids);
    struct batch *batch = committer_change(&gateway->committer, true, &call->number);
    for (size_t i = 0; ids && i < job->count; i++) {
        struct trashed t = trashed_at(job, i);
        ids[i] = t.id;
        usage_enter(&gateway->usage, t.id, t.owner, t.positions, t.bytes, call->number);
    }
    if (ids)
        batch_restore_games(batch, ids, job->count);
    else
        batch->changes.failed = true; /* all of it is undone */
    free(ids);
    rooms_return(gateway);
}

/* ---- for ever ---------------------------------------------------------------------------- */

int match_purge(struct gateway *gateway, uint64_t id, struct job const *job, uint64_t *number)
{
    struct games const *g = job->history->games;
    uint64_t *going = malloc((job->count + 1) * sizeof *going);
    struct room **rooms = malloc((g->count + 1) * sizeof(struct room *));
    int rc = going && rooms ? members_reserve(&gateway->members, g->count) : REDO_ENOMEM;
    size_t count = 0, there = rc ? 0 : in_memory(gateway, g->sorted, g->count, rooms);
    for (size_t i = 0; !rc && i < job->count; i++) {
        uint64_t game = trashed_at(job, i).id;
        if (!registry_handled(&gateway->registry, game)) /* else it is being restored */
            going[count++] = game;
    }
    if (!rc)
        rc = rooms_leave_match(gateway, id, LEAVING_FOR_EVER, going, count);
    if (!rc) {
        struct batch *batch = committer_change(&gateway->committer, false, number);
        batch_purge(batch, id);
        batch_purge_games(batch, g->sorted, g->count);
        for (size_t i = 0; i < g->count; i++)
            members_set(&gateway->members, g->sorted[i], 0, *number);
        for (size_t i = 0; i < there; i++) {
            rooms[i]->match = 0;
            rooms[i]->number = *number;
        }
    }
    free(rooms);
    free(going);
    return rc;
}

/* ---- in and out -------------------------------------------------------------------------- */

static int fail_new(struct call *call, char const *why)
{
    error_begin(&call->error, REDO_EKIND, "%s", why);
    return REDO_EKIND;
}

int match_check_new(struct call *call, struct room const *match, struct history const *history,
                    bool named, bool stored)
{
    if (!match->name)
        return fail_new(call, "a private match has no games");
    if (!named)
        return fail_new(call, "a game of a match has a name");
    if (history->games)
        return fail_new(call, "a match is no game of another");
    if (stored != match->stored)
        return fail_new(call, "the session is kept in memory alone, and a match is not");
    return REDO_OK;
}

int match_enter(struct call *call, struct room *match, uint64_t game, bool hurry)
{
    unsigned char told[GAMES_ID];
    redo_operation op = {.kind = REDO_OP_GAMES,
                         .position = REDO_NOPOSITION,
                         .source = REDO_NOPOSITION,
                         .value = redo_games_insert,
                         .state = told,
                         .statesize = sizeof told};
    redo_result r;
    bool author = room_author_new(match, call->client);
    struct usage_amount more = {.bytes = sizeof told + (author ? call->client->name_size + 1 : 0)};
    games_put_id(told, game);
    int rc = call_check_usage(call, match->uid, more);
    if (rc)
        return rc;
    if (members_reserve(&call->gateway->members, 1))
        return call_fail(call, REDO_ENOMEM);
    /* Not by call_apply(): the key that the call may have is the new session's. */
    rc = room_apply(match, call->client, hurry, &op, &r);
    if (!rc)
        return REDO_OK;
    call->gateway->broken |= match->history->failed;
    return call_fail_operation(call, rc, match, &op);
}

void match_take(struct gateway *gateway, struct room *match, uint64_t of, uint64_t const *ids,
                size_t count)
{
    if (match->stored)
        batch_games(committer_change(&gateway->committer, false, &match->number), match->handle,
                    match->history->games->count, of, ids, count);
    for (size_t i = 0; i < count; i++) {
        struct room *room = registry_handled(&gateway->registry, ids[i]);
        if (room)
            room->match = of;
        if (!match->stored)
            continue;
        members_set(&gateway->members, ids[i], of, match->number);
        if (room)
            room->number = match->number;
    }
}
