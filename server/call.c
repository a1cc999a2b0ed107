#include "server/call.h"

#include <string.h>

call_handler *const call_handlers[METHOD_COUNT] = {
    [METHOD_SERVER_HELLO] = call_server_hello,
    [METHOD_SERVER_INFO] = call_server_info,
    [METHOD_SERVER_PING] = call_server_ping,
    [METHOD_FLUSH] = call_flush,
    [METHOD_BACKUP] = call_backup,
    [METHOD_BEGINSESSION] = call_beginsession,
    [METHOD_LOADSESSION] = call_loadsession,
    [METHOD_LOADPART] = call_loadpart,
    [METHOD_OPENSESSION] = call_opensession,
    [METHOD_ENDSESSION] = call_endsession,
    [METHOD_DELETESESSION] = call_deletesession,
    [METHOD_LISTSESSIONS] = call_listsessions,
    [METHOD_RESTORESESSION] = call_restoresession,
    [METHOD_PURGESESSION] = call_purgesession,
    [METHOD_RENAMESESSION] = call_renamesession,
    [METHOD_COPYSESSION] = call_copysession,
    [METHOD_SETSESSIONMODE] = call_setsessionmode,
    [METHOD_BEGINMATCH] = call_beginmatch,
    [METHOD_ADDGAMES] = call_addgames,
    [METHOD_DROPGAMES] = call_dropgames,
    [METHOD_ORDERGAMES] = call_ordergames,
    [METHOD_GETGAMES] = call_getgames,
    [METHOD_GETSESSION] = call_getsession,
    [METHOD_GETFIRSTPOSITION] = call_getfirstposition,
    [METHOD_GETSESSIONSIZE] = call_getsessionsize,
    [METHOD_ADDPOSITION] = call_addposition,
    [METHOD_ADDPOSITIONS] = call_addpositions,
    [METHOD_SETGRAFTBEHAVIOR] = call_setgraftbehavior,
    [METHOD_GETGRAFTBEHAVIOR] = call_getgraftbehavior,
    [METHOD_GETSAVEDSTATE] = call_getsavedstate,
    [METHOD_GETNEXTPOSITION] = call_getnextposition,
    [METHOD_DROPPOSITION] = call_dropposition,
    [METHOD_UPDATESAVEDSTATE] = call_updatesavedstate,
    [METHOD_SETBETTERFIELDS] = call_setbetterfields,
    [METHOD_SUPPRESSCYCLE] = call_suppresscycle,
    [METHOD_DUPLICATEPATH] = call_duplicatepath,
    [METHOD_DROPSUBTREE] = call_dropsubtree,
    [METHOD_RESTORESUBTREE] = call_restoresubtree,
    [METHOD_LISTSUBTREES] = call_listsubtrees,
    [METHOD_PURGESUBTREE] = call_purgesubtree,
    [METHOD_SETPROPERTY] = call_setproperty,
    [METHOD_GETPROPERTIES] = call_getproperties,
    [METHOD_HASSESSIONCHANGED] = call_hassessionchanged,
    [METHOD_CLEARSESSIONCHANGED] = call_clearsessionchanged,
    [METHOD_SETCURSOR] = call_setcursor,
    [METHOD_UNDO] = call_undo,
    [METHOD_REDO] = call_redo,
    [METHOD_MOVECURSOR] = call_movecursor,
    [METHOD_DROPCURSOR] = call_dropcursor,
    [METHOD_GETCURSOR] = call_getcursor,
    [METHOD_GETCURSORS] = call_getcursors,
    [METHOD_GETAUTHORS] = call_getauthors,
    [METHOD_GETRECORD] = call_getrecord,
    [METHOD_GETRECORDS] = call_getrecords,
    [METHOD_READRECORD] = call_readrecord,
    [METHOD_GETCANDIDATES] = call_getcandidates,
    [METHOD_SETRECORD] = call_setrecord,
    [METHOD_GETPOSITIONPROPERTY] = call_getpositionproperty,
    [METHOD_SETPOSITIONPROPERTY] = call_setpositionproperty,
    [METHOD_ADDCANDIDATES] = call_addcandidates,
    [METHOD_SETCANDIDATE] = call_setcandidate,
    [METHOD_DROPCANDIDATES] = call_dropcandidates,
    [METHOD_ORDERCANDIDATES] = call_ordercandidates,
    [METHOD_CHOOSE] = call_choose,
    [METHOD_DECIDE] = call_decide,
    [METHOD_PLAYCANDIDATE] = call_playcandidate,
    [METHOD_ADDALTERNATE] = call_addalternate,
    [METHOD_GETALTERNATES] = call_getalternates,
    [METHOD_BEGINCHANGES] = call_beginchanges,
    [METHOD_ADDCHANGES] = call_addchanges,
    [METHOD_NEWUNDO] = call_newundo,
    [METHOD_ADDUNDO] = call_addundo,
    [METHOD_GETTABLE] = call_gettable,
    [METHOD_GETLINES] = call_getlines,
    [METHOD_GETSCHEMA] = call_getschema,
    [METHOD_ROUTES_BEST] = call_routes_best,
    [METHOD_ROUTES_CHECK] = call_routes_check,
    [METHOD_ROUTES_REACH] = call_routes_reach,
    [METHOD_ROUTES_CANCEL] = call_routes_cancel,
    [METHOD_GETDIFF] = call_getdiff,
    [METHOD_GETPOSITION] = call_getposition,
    [METHOD_GETBRANCHES] = call_getbranches,
    [METHOD_GETPATH] = call_getpath,
    [METHOD_GETSOLUTION] = call_getsolution,
    [METHOD_GETTREE] = call_gettree,
    [METHOD_GETPOSITIONS] = call_getpositions,
    [METHOD_ATTACH] = call_attach,
    [METHOD_READSNAPSHOT] = call_readsnapshot,
    [METHOD_DETACH] = call_detach,
    [METHOD_APPLY] = call_apply_encoded,
};

struct buffer *call_reply(struct call *call)
{
    if (call->message->type != MESSAGE_REQUEST) {
        buffer_rewind(&call->gateway->nowhere, 0);
        return &call->gateway->nowhere;
    }
    struct buffer *out =
        outbox_answer(&call->client->outbox, call->waits, call->number, call->message->id);
    pack_response(out, call->message->id);
    return out;
}

/* The option of changing methods that has a relaxed client wait for the disk this once. */
static bool wants_durable(struct call const *call)
{
    struct signature const *s = call->args.signature;
    for (unsigned i = 0; call->args.has_options && i < s->option_count; i++)
        if (s->option[i].size == 7 && memcmp(s->option[i].name, "durable", 7) == 0)
            return call->args.option[i].present && call->args.option[i].boolean;
    return false;
}

bool call_in_hurry(struct call const *call, struct room const *room)
{
    return room->stored && (!room_relaxed(room, call->client) || wants_durable(call));
}

void call_waits_for(struct call *call, struct room const *room)
{
    call->waits = call_in_hurry(call, room);
    call->number = room->number;
    if (call->waits && call->number > call->gateway->committer.committed)
        committer_flush(&call->gateway->committer);
}

int call_fail(struct call *call, int code)
{
    error_begin(&call->error, code, NULL);
    return code;
}

struct batch *call_batch(struct call *call)
{
    call->waits = true;
    return committer_change(&call->gateway->committer, true, &call->number);
}
