/* Sokoban, as an example of a game whose history is in redod: the ways to play. The rules are in
 * board.c, the use of the history in game.c (and look.c, without the daemon), what there is to tell
 * of it in tell.c, the terminal in screen.c and draw.c, the options in options.c.
 *
 *   cc -o sokoban sokoban.c board.c draw.c game.c look.c options.c screen.c tell.c \
 *       $(pkg-config --cflags --libs redo-client ncursesw)
 *
 * Exit status: 0; 1 if a move of --play was not possible, or the output could not be written; 2 if
 * the options or the level are wrong; 3 if there is no daemon, or it went away under --play, or the
 * session was deleted. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "game.h"
#include "options.h"
#include "screen.h"
#include "tell.h"

/* How long a key may wait for the daemon, in milliseconds. */
#define PATIENCE 3000

static int level_read(struct board_level *level, struct options const *o)
{
    enum board_error rc = board_read(level, o->levels, o->level);
    if (rc == BOARD_OK)
        return 0;
    fprintf(stderr, "sokoban: %s: %s%s%s\n", o->levels, board_strerror(rc),
            rc == BOARD_EFILE ? ": " : "", rc == BOARD_EFILE ? strerror(errno) : "");
    return EXIT_USAGE;
}

static int tell_gone(struct game const *game)
{
    fflush(stdout);
    fprintf(stderr, "sokoban: %s\n", game->message);
    return EXIT_DAEMON;
}

/* What is not written is an error too: the disk may be full. */
static int end(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "sokoban: can not write the output%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return status ? status : EXIT_FAILURE;
}

static void tell_step(struct game const *game, char letter)
{
    /* Another may have moved on by now. */
    redo_position const *at = game->mine ? game->mine : game->at;
    printf("%c %u %u ", letter, redo_getpositionid(at), at->movecount);
    if (at->better)
        printf("%u", redo_getpositionid(at->better));
    else
        putchar('-');
    printf(" %u\n", at->solutionsize);
}

/* Plays letter by letter, up to the first that is not possible. */
static int play(struct game *game, char const *letters)
{
    int status = EXIT_SUCCESS;
    for (char const *at = letters; *at && !status; at++) {
        switch (game_command(game, *at)) {
        case GAME_DONE:
            tell_step(game, *at);
            break;
        case GAME_NOT:
            fflush(stdout);
            fprintf(stderr, "sokoban: step %d, %c: %s\n", (int)(at - letters) + 1, *at,
                    game->message);
            status = EXIT_ILLEGAL;
            break;
        case GAME_AWAY:
        case GAME_GONE:
            return tell_gone(game);
        }
    }
    bool solved = board_solved(&game->level, redo_getsavedstate(game->at));
    printf("%s\n", solved ? "solved" : "not solved");
    return status;
}

static int play_in_terminal(struct game *game, char const *session)
{
    int signal = 0;
    redo_client_settimeout(game->client, PATIENCE);
    switch (screen_run(game, session, &signal)) {
    case SCREEN_QUIT:
        return signal ? 128 + signal : EXIT_SUCCESS;
    case SCREEN_GONE:
        return tell_gone(game);
    case SCREEN_FAILED:
        break;
    }
    return options_complain("this terminal can not be used: is TERM right?");
}

static bool in_terminal(struct options const *o)
{
    return !o->play && !o->print;
}

/* Does what the options say, with a game that has begun. */
static int run(struct game *game, struct options const *o, char const *session)
{
    int status = EXIT_SUCCESS;
    if ((in_terminal(o) || o->play) && game_join(game) != GAME_DONE)
        return tell_gone(game);
    if (in_terminal(o))
        return play_in_terminal(game, session);
    if (o->play)
        status = play(game, o->play);
    if (o->print && status != EXIT_DAEMON)
        tell_history(game, stdout);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    struct game game = {0};
    char after_level[32];

    setlocale(LC_ALL, "");
    signal(SIGPIPE, SIG_IGN);
    int status = options_read(&options, argc, argv);
    if (status)
        return status - 1;
    status = level_read(&game.level, &options);
    if (status)
        return status;
    if (in_terminal(&options) && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return options_complain("this is no terminal: use --play or --print");
    snprintf(after_level, sizeof after_level, "sokoban-%d", game.level.number);
    char const *session = options.session ? options.session : after_level;
    game.cursor = options.cursor;
    game.suppress = options.suppress;
    if (game_begin(&game, options.socket, session, options.name) == GAME_GONE)
        return tell_gone(&game);
    status = run(&game, &options, session);
    game_end(&game);
    return end(status);
}
