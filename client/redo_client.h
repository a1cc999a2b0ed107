/* redo_client.h: what redo.h has no words for: connecting to the daemon redod, sessions with names,
 * hearing of what others do, and living through the loss of the daemon. Link with -lredo-client.
 *
 * A program that only uses redo.h needs none of this: redo_beginsession() connects by itself, to
 * the socket in REDO_SOCKET or the default one, and begins, or joins, the session that
 * REDO_SESSION names, or a private one if that is unset. redo_lasterror() tells what failed.
 *
 * Such programs are answered at once, and what they change is on disk a moment later;
 * redo_clearsessionchanged(), by which they say that a game is saved, waits for the disk. With
 * REDO_DURABLE=1 every change waits, as it does for sessions begun with the functions below.
 *
 * The replica. The library keeps a replica of each session it is attached to. It changes inside
 * calls only: those of redo.h that change the session, and those below that wait. All that reads
 * is answered from it, also without a daemon.
 *
 * Threads. The library starts none and keeps nothing outside of its clients. A client, its sessions
 * and their positions belong to one thread at a time; different clients to different threads, with
 * no lock. redo_lasterror() is each thread's own. The functions that the library calls (listeners,
 * observers ...) are called in the thread of the call that they come from. They may read all there
 * is and call redo_client_addposition_async(); whatever would wait or end something is refused
 * there (REDO_EDENIED).
 *
 * Time. All times are milliseconds by a clock that only goes on. No call waits longer than the
 * timeout of its client, for all of its parts together, and fails with REDO_ETIMEOUT then; it may
 * be done by the daemon all the same, now or later, and the replica shows it if it is. Only where a
 * session is begun or opened the time begins anew with each piece (1 MiB) of it that has come: what
 * is large is not refused, and a daemon that says nothing is not waited for. A late answer is
 * recognized and passed over; the connection stays, unless a request could be sent in part only.
 *
 * Loss. When the daemon is gone, restarted or has hung up, replicas and pointers stay as they are.
 * The library connects again: at once in the next call that needs the daemon, and in
 * redo_client_step() at intervals that grow from 10 milliseconds to 1 second. Sessions with names
 * are resumed: the operations that were missed are applied to the same replica, as any others.
 * Where the daemon can not tell them, the session is loaded anew: then all of its positions are new
 * ones, and pointers to those before stay readable, as dropped (inuse 0), and are refused. A
 * private session ended with its connection; it stays readable, and all else fails with
 * REDO_ENOSESSION.
 *
 * A change whose answer was lost with the connection is sent again, and not done twice: it carries
 * a key, by which the daemon knows it. Changes of relaxed sessions carry none (see
 * redo_client_setkeys()); of these, adds, moves to the front, updates and properties are sent
 * again, since they come to the same when they are done twice. Changes that can not have reached
 * the daemon are sent again in any case. What is not sent again, or finds no daemon, fails with
 * REDO_ECLOSED: at once if it was not sent, else when its time is over, and may have been done; and
 * with REDO_ERESYNC if the session had to be loaded anew meanwhile, since it may speak of what is
 * no more.
 *
 * The library never raises SIGPIPE. Signals do not end calls, but for redo_client_step(). */
#ifndef REDO_CLIENT_H
#define REDO_CLIENT_H

#include "redo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redo_client redo_client;

/* ---- clients ----------------------------------------------------------------------------- */

/* Connects to the daemon at path (NULL: REDO_SOCKET, else the default place). No call on this
 * client waits longer than timeout milliseconds (0: 10 seconds). NULL on error: REDO_ECONNECT,
 * REDO_ENAME (path too long), REDO_ENOMEM, REDO_ESYSTEM. The client is the caller's:
 * redo_client_close(). */
redo_client *redo_client_connect(char const *path, int timeout);

/* Ends the sessions of this client, with all positions, and the connection. NULL is ignored. */
void redo_client_close(redo_client *client);

/* Another timeout from now on, in milliseconds (0: 10 seconds). REDO_OK or a code. */
int redo_client_settimeout(redo_client *client, int timeout);

/* Tells the daemon who calls (UTF-8, at most 255 bytes; copied), now and whenever the
 * library connects again: positions that are made from here on bear it as their author's name.
 * REDO_OK; REDO_ENAME, REDO_EUTF8 (nothing is changed) ... */
int redo_client_setname(redo_client *client, char const *name);

/* Which changes carry a key, 25 bytes each, by which they are known when they are sent a second
 * time: 0 none, 1 all, -1 (so it is at the beginning) those of sessions that wait for the disk.
 * Looking for keys takes the daemon about as long as three changes without, which is little beside
 * the disk.
 */
void redo_client_setkeys(redo_client *client, int keys);

/* What happens to the sessions of a client beside operations. */
enum redo_client_event {
    redo_client_lost = 1,     /* the daemon is gone: the replica stands still, and is readable */
    redo_client_resumed = 2,  /* it is there again, and the replica has what was missed */
    redo_client_reloaded = 3, /* the replica was replaced: pointers to positions are of dropped
                                 ones; the session's first position, its cursors and the numbers of
                                 positions are where to start from */
    redo_client_ended = 4     /* it can not be changed any more; code tells why */
};

/* Has the function called for each of these. It is called from within other calls: see Threads
 * above. NULL: no more. code: REDO_OK but for redo_client_lost and redo_client_ended. */
typedef void redo_client_listener(redo_session *session, enum redo_client_event event, int code,
                                  void *data);
void redo_client_listen(redo_client *client, redo_client_listener *listener, void *data);

/* ---- sessions ---------------------------------------------------------------------------- */

/* Begins the session of that name (UTF-8, at most 255 bytes), or joins it if it exists; then
 * initialstate must still be given, and size and cmpsize must agree, or it is REDO_ESTATE. name
 * NULL: a private one, which ends with the connection. The session is the client's until
 * redo_endsession(). NULL on error; REDO_EATTACHED if this client has begun or joined that session
 * already. */
redo_session *redo_client_beginsession(redo_client *client, char const *name,
                                       void const *initialstate, int size, int cmpsize);

/* The same for a session told by change, with schema, table, lenient and fault as
 * redo_beginchanges() takes them. If it exists, schema and lenient must agree (REDO_ESTATE), and
 * its own first table stands. REDO_ESCHEMA and REDO_ETABLE are found here, before the daemon is
 * asked.
 *
 * The replica is of the same engine: tables, lines and ways between positions are told from it, and
 * of a line that the daemon has refused redo_getfault() tells here too. redo_client_opensession()
 * opens such sessions as any other. */
redo_session *redo_client_beginchanges(redo_client *client, char const *name, void const *schema,
                                       size_t schemasize, void const *table, size_t tablesize,
                                       int lenient, redo_fault *fault);

/* Joins a session that exists; in the second form only to look at it: whatever would change it
 * fails with REDO_EDENIED, and is not even asked. NULL on error: REDO_ENOSESSION, REDO_EATTACHED
 * ... */
redo_session *redo_client_opensession(redo_client *client, char const *name);
redo_session *redo_client_opensession_readonly(redo_client *client, char const *name);

/* Deletes the session of that name, for all; a match with all its games, or nothing. REDO_OK or a
 * code. */
int redo_client_deletesession(redo_client *client, char const *name);

/* The client of a session, the session's name (NULL if private; the session's own), and the number
 * of the last operation that its replica has seen. */
redo_client *redo_client_of(redo_session const *session);
char const *redo_client_name(redo_session const *session);
uint64_t redo_client_sequence(redo_session const *session);

/* Whether the session can be changed: REDO_OK, or why not. For ever: REDO_ENOSESSION (it was
 * deleted, or was private), REDO_EDENIED, REDO_EDAMAGED, REDO_EDIVERGED. For now: REDO_ECLOSED (the
 * daemon is gone), REDO_ERESYNC (what was missed is being told). What was seen of it stays
 * readable. */
int redo_client_status(redo_session const *session);

/* Has the function called for each operation applied to the replica, by whomever it was made (own:
 * 1 if by this session; 0 also for its own that come after a loss), after it was applied. result is
 * as redo_apply() gives it; both are valid until it returns. NULL: no more. */
typedef void redo_client_observer(redo_session *session, redo_operation const *operation,
                                  redo_result const *result, int own, void *data);
void redo_client_observe(redo_session *session, redo_client_observer *observer, void *data);

/* Has the function called whenever the cursor of that name is elsewhere, by whatever operation and
 * by whomever (own as above), and once after the session was loaded anew: position is where it is
 * now, NULL if there is no such cursor (any more). Each name has one such function; NULL: no more.
 * The name is copied. REDO_OK, REDO_ENAME, REDO_ENOMEM. */
typedef void redo_client_cursorwatcher(redo_session *session, char const *name,
                                       redo_position *position, int own, void *data);
int redo_client_watchcursor(redo_session *session, char const *name,
                            redo_client_cursorwatcher *watcher, void *data);

/* The handle of a session, which the daemon gives once and never again. */
uint64_t redo_client_handle(redo_session const *session);

/* ---- matches ----------------------------------------------------------------------------- */

/* Begins the match of that name, or joins it: a session whose games are other sessions. Its replica
 * knows their handles, in order (redo_getgames(), redo.h), and is told of changes as any. NULL on
 * error: REDO_ESTATE: there is a session of that name that is no match ... */
redo_session *redo_client_beginmatch(redo_client *client, char const *name);

/* Puts sessions, by their handles, into the match of that name, at a place from 0 or (at below 0)
 * at the end; takes them out of it; puts some of its games in this order, at the place that they
 * have among the others. All or none; 100,000 at a time. REDO_OK; REDO_ENOTMATCH, REDO_EINMATCH,
 * REDO_ENOSESSION, REDO_EDENIED, REDO_EKIND, REDO_ERANGE ... */
int redo_client_addgames(redo_client *client, char const *match, uint64_t const *games,
                         size_t count, long at);
int redo_client_dropgames(redo_client *client, char const *match, uint64_t const *games,
                          size_t count);
int redo_client_ordergames(redo_client *client, char const *match, uint64_t const *games,
                           size_t count, long at);

/* What is known of a game; valid until the function that it is told to returns. */
typedef struct redo_client_game {
    uint64_t session;
    char const *name; /* or NULL */
    int gone;         /* it is in the trash, or for ever gone, or may not be read */
    uint64_t positions, sequence;
    uint32_t owner;
} redo_client_game;

/* Tells of all games of the match of that name, in order, until the function returns other than 0.
 * REDO_OK or a code. */
typedef int redo_client_gameteller(redo_client_game const *game, void *data);
int redo_client_getgames(redo_client *client, char const *match, redo_client_gameteller *teller,
                         void *data);

/* ---- adding without waiting -------------------------------------------------------------- */

/* Adds a position as redo_addposition() does, but returns at once: its number in the order of such
 * adds of this session, from 1 (its ticket), or 0 on error. add->prev is the position that it
 * follows, or NULL: that of the add whose ticket is add->after, which need not be answered yet. The
 * state is copied.
 *
 * What came of it is told to the function (which may be NULL), within a later call that waits, in
 * the order of the tickets: the position, or NULL and the code; REDO_EPOSITION if the one it
 * follows could not be made. Where one fails, those after it are done all the same.
 *
 * Adds gather, and go out when 256 have, in the next redo_client_step() or redo_client_flush(), or
 * before the next change of the session; as one operation (REDO_OP_TURN) all that have gathered
 * while the ones before were on their way. Up to 2,048 of a session (or states of 8 MiB) may be
 * unanswered; then it waits for some to be, and fails with REDO_ETIMEOUT, REDO_ECLOSED, or within a
 * function that the library called REDO_EFULL. If the connection breaks they wait for the next one;
 * if the session has to be loaded anew they fail with REDO_ERESYNC.
 *
 * 0 on error: REDO_EPOSITION (no such ticket), REDO_EDROPPED, REDO_EFOREIGN, REDO_ESTATE,
 * REDO_ENOMEM, or what redo_client_status() tells. */
typedef void redo_client_added(redo_session *session, size_t ticket, redo_position *position,
                               int code, void *data);
size_t redo_client_addposition_async(redo_session *session, redo_add const *add,
                                     redo_client_added *added, void *data);

/* Sends the adds that have gathered and waits until all of this client are answered, at most
 * timeout milliseconds (below 0: as long as any call of this client may). REDO_OK also if some have
 * failed: that is told to their functions; REDO_ETIMEOUT, or REDO_ECLOSED if the daemon is gone:
 * those that are left go on being tried by redo_client_step(). */
int redo_client_flush(redo_client *client, int timeout);

/* ---- a game's own loop ------------------------------------------------------------------- */

/* Waits at most timeout milliseconds (0: not at all) for something to come, and does what there is
 * to do: applies what has come, sends what the socket did not take before, connects again when it
 * is time and resumes. It returns early on a signal. Returns the number of operations applied; or
 * -1 on error: REDO_ECLOSED, the daemon is gone, which is no reason to end: go on calling it.
 * Within it nothing takes longer but making a replica from a snapshot that has come: about a second
 * for a million positions. */
int redo_client_step(redo_client *client, int timeout);

/* A descriptor that is readable when redo_client_step() has something to do: for poll(), select(),
 * epoll ... It is the same for the client's life, also when the daemon is lost, and the client's:
 * not to be read from or closed. -1 on error (REDO_ESYSTEM). */
int redo_client_fd(redo_client *client);

#ifdef __cplusplus
}
#endif

#endif
