/* One game: a level, the session that holds its history, and the cursor that says where the player
 * is. What the player can do is a command, one character each; the terminal and --play both speak
 * them:
 *
 *   l u r d (or upper case)  a move             <  undo, back one move
 *   >  redo what was undone, else along the     1 to 9  redo along that branch, front first
 *      front branch                             m  undo, if this player made the move
 *   ^  back to the last branch point            v  forward to the next one, or the end
 *   *  to the better position                   0  to the start
 *   $  a step towards the solution              !  to the solution's end
 *   _  drop this position, if nothing follows   %  the next graft behavior
 *   ~  suppress cycles, or no more
 *
 * All who play with one cursor are at the same place. Each command that moves it says where the
 * player saw it: if another has moved it meanwhile nothing is done, since the key was meant for
 * another board.
 *
 * The history is in the daemon and may change under the player, but only within these calls. While
 * the daemon is gone it can be looked at: the commands that only go from position to position move
 * game->at, and when the daemon is back that is where the cursor is again. */
#ifndef EXAMPLES_GAME_H
#define EXAMPLES_GAME_H

#include <stdbool.h>

#include "board.h"
#include "redo_client.h"

enum game_result {
    GAME_DONE,
    GAME_NOT,  /* can not be done here, and nothing was; message says why */
    GAME_AWAY, /* the daemon does not answer; game->at shows what was done once it is back */
    GAME_GONE, /* there is no history any more, or never was; message says why */
};

struct game {
    struct board_level level;
    redo_client *client;
    redo_session *session;
    char const *cursor;    /* its name; the caller's */
    redo_position *at;     /* where the cursor is; while away, what is looked at */
    redo_position *mine;   /* where this player's last command has moved the cursor to, or NULL */
    redo_position *theirs; /* where others have moved the cursor to; see game_join() */
    bool away;             /* the daemon is gone, for now */
    bool suppress;         /* return along the path instead of adding a state that is on it */
    char message[256];     /* what there is to say of the last command; may be empty */
};

/* Begins or joins the session of that name, with game->level. socket: the path at which redod
 * listens. player: who makes positions from here on. GAME_GONE with nothing to end if that fails.
 */
enum game_result game_begin(struct game *game, char const *socket, char const *session,
                            char const *player);
void game_end(struct game *game);

/* Joins those who play with game->cursor, where they are. If nobody does, the cursor is made: where
 * an older version of this program has left the session, else at the start. As a command. */
enum game_result game_join(struct game *game);

enum game_result game_command(struct game *game, char command);

/* Takes in what others have done, and looks for a daemon that is gone; without waiting. GAME_DONE
 * or GAME_GONE. */
enum game_result game_step(struct game *game);

#endif
