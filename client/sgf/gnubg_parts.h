/* What reading and writing of headers and records share. */
#ifndef CLIENT_SGF_GNUBG_PARTS_H
#define CLIENT_SGF_GNUBG_PARTS_H

#include "client/sgf/gnubg.h"
#include "client/sgf/parse.h"
#include "client/sgf/words.h"

/* An error at a piece of text of the game. */
int error_at(redo_sgf_game const *game, redo_sgf_error *error, char const *text, char const *format,
             ...) __attribute__((format(printf, 4, 5)));

/* The first value, which is there in what was read; an empty one if there is none. */
redo_sgf_string first_raw(redo_sgf_property const *p);

static inline bool has(redo_sgf_string s)
{
    return s.data != NULL;
}

/* For each property of a node in turn: the function gives 1 if it understands it, 0 if not,
 * negative on an error (of which it has told). Those not understood, and what of the others does
 * not count, go to rests, whose list is to be freed. REDO_OK, REDO_ENOMEM or the error's code. */
struct parts {
    redo_sgf_game *game;
    redo_sgf_error *error;
    void *into;
    int (*understand)(struct parts *parts, redo_sgf_property const *p);
    char const *const *last_counts; /* ids of which the last one in a node counts; NULL ends them */
    char const *const *lists;       /* ids of which all values count */
};
int parts_read(struct parts *parts, redo_sgf_node const *node, struct gnubg_rests *rests);

/* Adds properties to a node; the first failure stays in code. */
struct writing {
    redo_sgf_game *game;
    redo_sgf_node *node;
    struct gnubg_rests const *rests;
    redo_sgf_property *last;
    int code;
};
void write_value(struct writing *w, redo_sgf_string raw);
void write_property(struct writing *w, char const *id, redo_sgf_string raw);
void write_text(struct writing *w, char const *id, char const *raw);
void write_copy(struct writing *w, redo_sgf_property const *p);
/* All of what is in rests of that kind, but GNUBG_REST_MORE. */
void write_rests(struct writing *w, enum gnubg_rest_kind kind);

#endif
