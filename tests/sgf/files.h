/* Reading and writing whole files for the tests of SGF. */
#ifndef TESTS_SGF_FILES_H
#define TESTS_SGF_FILES_H

#include "client/sgf/redo_sgf.h"
#include "tests/text/bytes.h"

struct games {
    redo_sgf_game *game[16384];
    size_t count;
    redo_sgf_string tail;
    redo_sgf_reader *reader;
    int code;
};

/* Reads all games; options may be NULL. On an error what came before it is there. */
struct games *games_read(void const *data, size_t size, redo_sgf_options const *options);
void games_close(struct games *g);

/* All games and the tail, as redo_sgf_game_write() does. */
struct bytes games_write(struct games const *g, int flags);

#endif
