/* A match in memory: structs in an arena that is freed as a whole. */
#ifndef CLIENT_MAT_MATCH_H
#define CLIENT_MAT_MATCH_H

#include <stdbool.h>

#include "client/mat/redo_mat.h"
#include "client/text/arena.h"
#include "client/text/charset.h"

struct redo_mat_match {
    long length;
    redo_mat_line *header, *last_line;
    redo_mat_game *games, *last_game;
    struct arena arena;
    char *text; /* what was read, or NULL */
    size_t text_size;
    bool changed; /* since it was read */
    char charset[CHARSET_NAME_MAX];
};

#define NUMBER_MOST 999999999

/* New last parts, whose text is not copied. NULL as arena_take(). */
redo_mat_line *line_new(redo_mat_match *match, enum redo_mat_line_kind kind, redo_text_string name,
                        redo_text_string value);
redo_mat_game *game_new(redo_mat_match *match);
redo_mat_action *action_new(redo_mat_match *match, redo_mat_game *game,
                            redo_mat_action const *action);

#endif
