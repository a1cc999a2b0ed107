/* One game: a level, the session that holds its history, and the position the player is at. What
 * the player can do is a command, one character each; the terminal and --play both speak them:
 *
 *   l u r d (or upper case)  a move             <  undo, to the position before
 *   >  redo along the front branch              1 to 9  redo along that branch, front first
 *   ^  back to the last branch point            v  forward to the next one, or the end
 *   *  to the better position                   0  to the start
 *   $  a step towards the solution              !  to the solution's end
 *   _  drop this position, if nothing follows   %  the next graft behavior
 *   ~  suppress cycles, or no more
 *
 * The history is in the daemon and may change under the player, but only within these calls. */
#ifndef EXAMPLES_GAME_H
#define EXAMPLES_GAME_H

#include <stdio.h>

#include "board.h"
#include "redo_client.h"

enum game_result {
    GAME_DONE,
    GAME_NOT,  /* can not be done here, and nothing was; message says why */
    GAME_GONE, /* there is no history any more, or never was; message says why */
};

struct game {
    struct board_level level;
    redo_client *client;
    redo_session *session;
    redo_position *at;
    bool follow;       /* share the player's position with the session's other frontends */
    bool suppress;     /* return along the path instead of adding a state that is on it */
    bool elsewhere;    /* another frontend was the last to set the shared position */
    char message[256]; /* what there is to say of the last command; may be empty */
};

/* Begins or joins the session of that name, with game->level; the player is at the start. socket:
 * the path at which redod listens. GAME_GONE with nothing to end if that fails. */
enum game_result game_begin(struct game *game, char const *socket, char const *name);
void game_end(struct game *game);

/* Puts the player where the session's players are; if nobody has said so, where the front branches
 * lead: the line that was played last. Without game->follow always there. */
void game_resume(struct game *game);

/* Tells the session's other frontends where the player is. Commands do that by themselves, if
 * game->follow is set. As a command. */
enum game_result game_share(struct game *game);

enum game_result game_command(struct game *game, char command);

/* Takes in what others have done, without waiting. GAME_DONE, GAME_NOT if there was nothing, or
 * GAME_GONE. */
enum game_result game_step(struct game *game);

/* The best position of the same state, at the end of the chain; NULL if this is it. */
redo_position *game_better(struct game const *game);

/* "You have been here (in 2 fewer moves)", or "". */
void game_mark(struct game const *game, char *text, size_t size);

/* "push left" */
char const *game_movename(int move);

char const *game_graftname(struct game const *game);

/* The history, a line a position in the order of their numbers:
 * number prev move movecount better endpoint solutionsize, a "-" for none. */
void game_print(struct game const *game, FILE *out);

#endif
