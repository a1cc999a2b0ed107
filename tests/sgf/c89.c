/* The public header is C89. */
#include "redo_sgf.h"

int main(void)
{
    redo_sgf_game *game = redo_sgf_game_new();
    redo_sgf_game_free(game);
    return game ? 0 : 1;
}
