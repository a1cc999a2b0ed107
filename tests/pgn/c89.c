/* The public header is C89. */
#include "redo_pgn.h"

int main(void)
{
    redo_pgn_game *game = redo_pgn_game_new();
    redo_pgn_game_free(game);
    return game ? 0 : 1;
}
