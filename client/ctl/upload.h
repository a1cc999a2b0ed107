/* Sessions made here, sent to the daemon one after the other: one of them as a session, several as
 * the games of a match. Requests are pipelined. All or nothing: upload_undo() takes back what was
 * made, and nothing else. Each session begins as a game of the match, so wherever this ends, and by
 * whatever, there is one match that has all that was made; until it is whole it is marked. */
#ifndef CTL_UPLOAD_H
#define CTL_UPLOAD_H

#include "client/ctl/ctl.h"
#include "core/redo.h"

#define UPLOAD_WINDOW 64 /* requests whose answers are due */

struct upload {
    struct ctl *ctl;
    char const *name;
    size_t limit; /* bytes of a message */
    bool failed;
    /* The first one waits until it is known whether there are others. */
    void *held; /* malloc()ed, or NULL */
    size_t held_size;
    struct buffer properties; /* of the first, for the match: names and values */
    size_t property_count;
    uint64_t games, positions;
    int64_t match, last; /* handles, or 0; last: of the session that was made last */
    struct {
        uint32_t id;
        bool loads; /* it begins a session */
        char const *method;
    } due[UPLOAD_WINDOW];
    size_t due_first, due_count;
};

/* Connects. As all here: CLI_GO, or the exit status after a complaint. */
int upload_begin(struct upload *u, struct ctl *ctl, char const *name);

/* Takes the session over and ends it. */
int upload_session(struct upload *u, redo_session *session);

/* What is due is sent and answered: all is on disk. tail: a property of the last session, or NULL.
 */
int upload_end(struct upload *u, char const *tail, size_t tail_size);

/* Deletes, for ever, what was made. Complains if that fails. */
void upload_undo(struct upload *u);
void upload_close(struct upload *u);

#endif
