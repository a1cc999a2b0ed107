/* A session begins: of a history there comes a room, and what the store keeps of it, if it is to be
 * stored; and what is answered then. */
#ifndef SERVER_BEGINNING_H
#define SERVER_BEGINNING_H

#include "server/call.h"

/* How a session is to begin. */
struct beginning {
    char const *name; /* NULL: private to the connection */
    size_t name_size;
    uint32_t mode;
    bool stored, relaxed;
};

/* As the call says; its name is this argument. */
struct beginning beginning_of(struct call const *call, struct arg const *name);

/* Makes a room of the history, which belongs to it from here on; if it is to be stored, with its
 * dump, which is malloc()ed, and taken over too. REDO_OK, or a failure prepared. */
int beginning_make_dumped(struct call *call, struct history *history, struct beginning const *how,
                          void *dump, size_t size, struct room **begun);

/* The same; in the store if it has a name and `stored`. */
int beginning_make(struct call *call, struct history *history, struct beginning how,
                   struct room **begun);

/* Answers with what began, or was there (not created). */
void beginning_answer(struct call *call, struct room const *room, bool created);

/* The session is there because the same request has begun it: answered as it was then. */
int beginning_again(struct call *call, struct room *room, bool relaxed);

#endif
