/* The shapes RECORD and CANDIDATE of methods.def, packed from what is kept with a position. */
#ifndef SERVER_RECORD_REPLY_H
#define SERVER_RECORD_REPLY_H

#include "core/history.h"
#include "core/records/record.h"
#include "core/records/records.h"
#include "protocol/buffer.h"

#define RECORD_ANSWER_MAX ((size_t)16 * 1024 * 1024) /* bytes of one that is told at once */
#define RECORD_EVENT_MAX ((size_t)64 * 1024)         /* and in effects */

/* What is kept with a position: its bytes, in its parts. */
struct record_told {
    struct history const *history;
    struct node *node;
    void const *bytes; /* NULL: nothing */
    size_t size;
    struct record record;
};

void record_look(struct record_told *told, struct history const *h, struct node *n);

/* Whether there is anything to tell: also alternates. */
bool record_tells(struct record_told const *told);

/* A RECORD; false if it had more than `most` bytes: then nothing is packed. */
bool record_reply(struct buffer *b, struct record_told const *told, size_t most);

/* A value that is kept: as it is. */
void record_reply_value(struct buffer *b, void const *value, size_t size);

/* Items of a list, one after the other, from its beginning. */
struct record_walk {
    struct record_told const *told;
    enum redo_of of;
    struct record_list list;
    struct node *at; /* a decision: where those before it lead to, or NULL */
};

void record_walk_begin(struct record_walk *w, struct record_told const *told, enum redo_of of);

/* The next one, and where it leads to: false after the last. */
bool record_walk_next(struct record_walk *w, struct record_item *item, struct node **leads);

/* A CANDIDATE; false if it had more than `most` bytes, and nothing is packed. */
bool record_reply_item(struct buffer *b, struct record_told const *told,
                       struct record_item const *item, struct node const *leads, size_t most);

#endif
