/* The shapes of methods.def packed from a history. */
#ifndef SERVER_REPLY_H
#define SERVER_REPLY_H

#include "protocol/pack.h"
#include "server/room.h"
#include "server/store/store.h"

#define REPLY_POSITION_FIELDS 12 /* of a POSITION, without its state */

/* The fields of a POSITION, to be packed into a map that has room for them. */
void reply_position_fields(struct buffer *b, struct fields const *f);

/* An AUTHOR, by its number. */
void reply_author(struct buffer *b, struct history const *h, uint32_t number);

/* A POSITION; with states, its state too. */
void reply_position(struct buffer *b, struct history const *h, struct node const *n, bool states);

#define REPLY_SESSION_FIELDS 20
void reply_info_fields(struct buffer *b, struct store_info const *info);
void reply_session_fields(struct buffer *b, struct room const *room);
void reply_session(struct buffer *b, struct room const *room);

/* A number, or nil for REDO_NOPOSITION; [first, count], or nil if count is 0. */
void reply_number(struct buffer *b, uint32_t number);
void reply_made(struct buffer *b, redo_result const *result);

/* The ids of objects that the last operation on a session told by change has renamed; nil if they
 * are very many. */
void reply_renamed(struct buffer *b, struct history const *h);

#endif
