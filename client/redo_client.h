/* redo_client.h: what redo.h has no words for: connecting to the daemon redod, sessions with names,
 * and hearing of what others do. Link with -lredo-client.
 *
 * A program that only uses redo.h needs none of this: redo_beginsession() connects by itself, to
 * the socket in REDO_SOCKET or the default one, and begins, or joins, the session that
 * REDO_SESSION names, or a private one if that is unset. redo_lasterror() tells what failed.
 *
 * Such programs are answered at once, and what they change is on disk a moment later;
 * redo_clearsessionchanged(), by which they say that a game is saved, waits for the disk. With
 * REDO_DURABLE=1 every change waits, as it does for sessions begun with the functions below.
 *
 * The library keeps a replica of each session it is attached to. It changes inside calls only:
 * those of redo.h that change the session, and redo_client_step(). It starts no thread. A client
 * and its sessions belong to one thread at a time.
 */
#ifndef REDO_CLIENT_H
#define REDO_CLIENT_H

#include "redo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redo_client redo_client;

/* Connects to the daemon at path (NULL: REDO_SOCKET, else the default place). No call on this
 * client waits longer than timeout milliseconds (0: 10 seconds). NULL on error: REDO_ECONNECT,
 * REDO_ENAME (path too long), REDO_EPROTOCOL, REDO_ENOMEM. */
redo_client *redo_client_connect(char const *path, int timeout);

/* Ends the sessions of this client and the connection. NULL is ignored. */
void redo_client_close(redo_client *client);

/* Begins the session of that name (UTF-8, at most 255 bytes), or joins it if it exists; then
 * initialstate must still be given, and size and cmpsize must agree, or it is REDO_ESTATE. name
 * NULL: a private one, which ends with the client. NULL on error; REDO_EATTACHED if this client
 * has begun or joined that session already. */
redo_session *redo_client_beginsession(redo_client *client, char const *name,
                                       void const *initialstate, int size, int cmpsize);

/* Joins a session that exists. NULL on error: REDO_ENOSESSION, REDO_EATTACHED ... */
redo_session *redo_client_opensession(redo_client *client, char const *name);

/* Deletes the session of that name, for all. REDO_OK or a code. */
int redo_client_deletesession(redo_client *client, char const *name);

/* The client of a session, the session's name (NULL if private; the session's own), and the number
 * of operations that its replica has seen. */
redo_client *redo_client_of(redo_session const *session);
char const *redo_client_name(redo_session const *session);
uint64_t redo_client_sequence(redo_session const *session);

/* Whether the session can still be changed: REDO_OK, or why not: REDO_ENOSESSION (it was deleted),
 * REDO_ECLOSED (the daemon is gone), REDO_EDIVERGED. What was seen of it stays readable. */
int redo_client_status(redo_session const *session);

/* Has the function called for each operation applied to the replica, by whomever it was made (own:
 * 1 if by this session), after it was applied. It must not call functions that change the session.
 * result is as redo_apply() gives it. NULL: no more. */
typedef void redo_client_observer(redo_session *session, redo_operation const *operation,
                                  redo_result const *result, int own, void *data);
void redo_client_observe(redo_session *session, redo_client_observer *observer, void *data);

/* For a game's own loop: a descriptor that becomes readable when there is something to read, and
 * the function to call then. redo_client_step() waits at most timeout milliseconds (0: not at all)
 * for something to come, and applies what has come. It returns the number of operations applied, or
 * -1 on error (REDO_ECLOSED: the daemon is gone; the replicas stay readable). */
int redo_client_fd(redo_client const *client);
int redo_client_step(redo_client *client, int timeout);

#ifdef __cplusplus
}
#endif

#endif
