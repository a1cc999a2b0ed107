/* loadsession: beginning a session of a dump, which the request has or which was told in parts.
 * What may return CALL_LATER is begun again: nothing is changed before the last of these. */
#include "core/dump.h"
#include "server/access.h"
#include "server/beginning.h"
#include "server/begun.h"
#include "server/finding.h"
#include "server/upload.h"

#define LOADED_AT_ONCE 65536 /* bytes of a dump; larger ones are loaded on the pool */

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
    rc = beginning_make_dumped(call, history, &how, dump, size, &room);
    if (!rc)
        beginning_answer(call, room, true);
    return rc;
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
    if (call_match_option(call, &match) == CALL_LATER)
        return CALL_LATER;
    uint32_t uid = call->client->asker->uid;
    struct room *there = what && !name->present ? begun_private(call) : NULL;
    if (what && name->present &&
        rooms_named(call, name->bytes.data, name->bytes.size, uid, &there) == CALL_LATER)
        return CALL_LATER;
    if (there && begun_is(call, there, what, &rc)) {
        if (!rc && !dump->present)
            upload_drop(call->client, u);
        return rc ? rc : beginning_again(call, there, false);
    }
    rc = call_match_refused(call);
    if (!rc && name->present)
        rc = call_check_free(call, name->bytes.data, name->bytes.size, uid);
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
