/* Reading and writing whole files for the tests of PGN. */
#ifndef TESTS_PGN_FILES_H
#define TESTS_PGN_FILES_H

#include "client/pgn/redo_pgn.h"
#include "tests/text/bytes.h"

struct games {
    redo_pgn_game *game[16384];
    size_t count;
    redo_pgn_reader *reader;
    int code;
};

/* Reads all games; options may be NULL. On an error what came before it is there. */
struct games *games_read(void const *data, size_t size, redo_pgn_options const *options);
void games_close(struct games *g);

/* All games. */
struct bytes games_write(struct games const *g);

#endif
