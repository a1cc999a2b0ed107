/* A call: one request at work. Handlers find in it who asks and what, and answer through it. A
 * handler first does what was asked, then calls call_reply() and packs the result: events that the
 * request caused come before its response. On error it returns call_fail(), having changed
 * nothing. */
#ifndef SERVER_CALL_H
#define SERVER_CALL_H

#include "protocol/method.h"
#include "protocol/pack.h"
#include "server/client.h"
#include "server/conn.h"
#include "server/gateway.h"
#include "server/room.h"

struct call {
    struct gateway *gateway;
    struct client *client;
    struct message const *message;
    struct args args;
    bool waits;         /* the answer tells of what is not on disk yet ... */
    uint64_t number;    /* ... until this batch is */
    struct error error; /* what is answered if the handler does not return REDO_OK */
    char word[256];     /* a text among its details that has no other place to last in */
};

typedef int call_handler(struct call *call);

/* By method. Every one has a handler. */
extern call_handler *const call_handlers[METHOD_COUNT];

/* Begins the response: the caller packs the result into the buffer. */
struct buffer *call_reply(struct call *call);

/* Prepares the error with this code and its own text; details may be added to call->error.
 * Returns the code. */
int call_fail(struct call *call, int code);

/* The same for one that is about the session that this param or option names; CALL_LATER is
 * returned as it is. */
int call_fail_session(struct call *call, int code, struct arg const *arg);

/* The handler is to be called again when the client's job is done; it returns this, and nothing
 * else has been done. Never a code of the table. */
#define CALL_LATER (-1)

/* The session that param 0 names, if this client may read it: REDO_OK, REDO_ENOSESSION or another
 * failure, CALL_LATER. */
int call_room(struct call *call, struct room **room);

/* The same for who is about to change it, or to do what is its owner's to do: or REDO_EDENIED. */
int call_room_changed(struct call *call, struct room **room);
int call_room_owned(struct call *call, struct room **room);

/* Whether this client may change a session that it may read: REDO_OK, or REDO_EDENIED prepared. */
int call_check_write(struct call *call, struct room const *room);

/* The match that the option `match` names, for who may change it; NULL if it is not given: REDO_OK,
 * REDO_ENOTMATCH or another failure, CALL_LATER. A failure is known for the rest of the request,
 * which may look for something else in the store after it; call_match_refused() is it then, or
 * REDO_OK: to be told when what it tells of is on disk. */
int call_match_option(struct call *call, struct room **match);
int call_match_refused(struct call *call);

/* Whether this user may take so much more: REDO_OK, or REDO_EFULL prepared. */
int call_check_usage(struct call *call, uint32_t uid, struct usage_amount more);

/* Whether an argument, if it is there, can be a session's name: REDO_OK or REDO_ENAME. */
int call_check_name_arg(struct call *call, struct arg const *name);

int call_check_name(struct call *call, char const *name, size_t size);

/* That this owner has no session of this name: REDO_OK, REDO_EEXISTS ... or CALL_LATER. */
int call_check_free(struct call *call, char const *name, size_t size, uint32_t owner);

/* REDO_EEXISTS, and which name. */
int call_fail_exists(struct call *call, char const *name, size_t size);

/* The open batch, for a change that somebody waits for: the answer is held until it is on disk. */
struct batch *call_batch(struct call *call);

/* Takes the room away from all who attend it, and out of memory. */
void call_dismiss(struct call *call, struct room *room);

/* Whether a mode, if it is given, is one: REDO_OK, or REDO_ERANGE prepared. */
int call_check_mode(struct call *call, struct arg const *mode);

/* The same for who begins anew or leaves: call_room() refuses a client that was told at once of
 * changes that are lost (REDO_ERESYNC) until then. */
int call_room_anew(struct call *call, struct room **room);

/* This call wants what it changes in the room to be on disk as soon as can be. */
bool call_in_hurry(struct call const *call, struct room const *room);

/* The answer tells of this room: it waits for its last change, unless the client is relaxed. */
void call_waits_for(struct call *call, struct room const *room);

/* The position that the param names: REDO_OK, REDO_EPOSITION or REDO_EDROPPED. */
int call_node(struct call *call, struct room *room, unsigned param, struct node **node);

/* What came of this request the first time, if its key is known: then nothing that may have changed
 * since is held against it. Else NULL. */
struct key const *call_known(struct call const *call, struct room const *room);

/* Whether the call's key, if it has one, is one: REDO_OK, or REDO_EKEY prepared. */
int call_check_key(struct call *call);

/* Applies an operation, if this client may, with the key of the call if it has one: REDO_OK, or a
 * failure that may be prepared (call->error.code is set) or not. */
int call_submit(struct call *call, struct room *room, redo_operation const *op,
                redo_result *result);

/* The same: REDO_OK, or the failure prepared with what there is to tell of it. */
int call_apply(struct call *call, struct room *room, redo_operation const *op, redo_result *result);

/* What there is to tell of an operation that is refused, one about no cursor; the code. */
int call_fail_operation(struct call *call, int code, struct room const *room,
                        redo_operation const *op);

/* The failure of an operation on a cursor, prepared. Returns the code. */
int call_fail_cursor(struct call *call, int code, struct room const *room,
                     redo_operation const *op);

/* The rest of beginning a session, of call_beginsession() and call_beginchanges(); what: as
 * begun_read() has it. */
struct arg;
int call_begin_new(struct call *call, struct history *history, uint64_t what);

/* Adds one position, or plays a candidate, with the options cursor, expect, key and of an add
 * strict, and what came of it. */
int call_add_one(struct call *call, struct room *room, redo_operation const *op, redo_result *r);

/* Packs what came of it, with room for `more` fields, which the caller packs. */
struct buffer *call_answer_add(struct call *call, struct room *room, redo_result const *r,
                               unsigned more);

/* Packs the lines that an undo or a redo of a session told by change has gone over, and what they
 * do not tell: two fields, nil if they are more than a page, or not known any more. */
void call_pack_gone_over(struct buffer *b, struct room *room, redo_operation const *op,
                         redo_result const *r);

/* A turn's bytes (core/changes/changes.h), of lines and the options after and digest. */
void call_pack_turn(struct call *call, struct arg const *lines, struct buffer *b);

/* Packs how many lines of the turn that was added did not fit: one field. */
void call_pack_faults(struct buffer *b, struct room const *room, redo_result const *r);

/* The POSITION that an operation has answered, as it was when it did. */
void call_pack_position(struct buffer *b, struct room *room, redo_result const *r);

static inline int64_t call_integer(struct call const *call, unsigned param)
{
    return call->args.param[param].integer;
}

call_handler call_server_hello, call_server_info, call_server_ping, call_flush, call_backup;
call_handler call_beginsession, call_loadsession, call_loadpart, call_opensession, call_endsession,
    call_deletesession, call_listsessions, call_getsession, call_restoresession, call_purgesession,
    call_renamesession, call_copysession, call_setsessionmode;
call_handler call_addposition, call_addpositions, call_setgraftbehavior, call_getnextposition,
    call_dropposition, call_updatesavedstate, call_setbetterfields, call_suppresscycle,
    call_duplicatepath, call_clearsessionchanged, call_apply_encoded;
call_handler call_getfirstposition, call_getsessionsize, call_getgraftbehavior, call_getsavedstate,
    call_hassessionchanged, call_getposition, call_getbranches, call_getpath, call_getsolution,
    call_gettree, call_getpositions;
call_handler call_dropsubtree, call_restoresubtree, call_listsubtrees, call_purgesubtree,
    call_setproperty, call_getproperties;
call_handler call_setcursor, call_undo, call_redo, call_movecursor, call_dropcursor, call_getcursor,
    call_getcursors, call_getauthors;
call_handler call_beginchanges, call_addchanges, call_newundo, call_addundo, call_gettable,
    call_getlines, call_getdiff, call_getschema;
call_handler call_getrecord, call_getrecords, call_readrecord, call_getcandidates, call_setrecord,
    call_getpositionproperty, call_setpositionproperty, call_addcandidates, call_setcandidate,
    call_dropcandidates, call_ordercandidates, call_choose, call_decide, call_playcandidate,
    call_addalternate, call_getalternates;
call_handler call_routes_best, call_routes_check, call_routes_reach, call_routes_cancel;
/* A routes.cancel behind a request of this connection that waits: it is done now, and answered in
 * its turn. */
void call_routes_overheard(struct call *call);
call_handler call_attach, call_readsnapshot, call_detach;
call_handler call_beginmatch, call_addgames, call_dropgames, call_ordergames, call_getgames;

#endif
