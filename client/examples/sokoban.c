/* Sokoban, as an example of a game whose history is in redod: options, and the ways to play. The
 * rules are in board.c, the use of the history in game.c, the terminal in screen.c.
 *
 *   cc -o sokoban sokoban.c board.c game.c screen.c \
 *       $(pkg-config --cflags --libs redo-client ncursesw)
 *
 * Exit status: 0; 1 if a move of --play was not possible, or the output could not be written; 2 if
 * the options or the level are wrong; 3 if there is no daemon, or it went away. */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "game.h"
#include "screen.h"

enum { EXIT_ILLEGAL = 1, EXIT_USAGE = 2, EXIT_DAEMON = 3 };

struct options {
    int level; /* 0: the first */
    char const *levels;
    char const *session;
    char const *socket;
    char const *play;
    bool follow, suppress, print;
};

static char const usage[] =
    "usage: sokoban [options]\n"
    "  --level N        level number N of the file (default: the first)\n"
    "  --levels FILE    another file of levels, in XSB\n"
    "  --session NAME   the history to play in (default: $REDO_SESSION, or sokoban-N)\n"
    "  --socket PATH    where redod listens (default: $REDO_SOCKET, or the usual place)\n"
    "  --follow no      neither follow other frontends of the session nor lead them\n"
    "  --suppress       suppress cycles from the start\n"
    "  --play MOVES     play without a terminal, and tell each step:\n"
    "                   l u r d moves (also upper case), < undo, > redo, 1-9 redo that branch,\n"
    "                   ^ back and v forward to a branch point, * to better, 0 to the start,\n"
    "                   $ step to the solution, ! to its end, _ drop, % graft, ~ suppress\n"
    "  --print          print the history: number prev move movecount better endpoint "
    "solutionsize\n"
    "  --help           this\n";

static int complain(char const *what)
{
    fprintf(stderr, "sokoban: %s\n", what);
    return EXIT_USAGE;
}

/* Reads the options: 0 to go on, else the exit status + 1. */
static int options_read(struct options *o, int argc, char **argv)
{
    enum { LEVEL = 256, LEVELS, SESSION, SOCKET, FOLLOW, SUPPRESS, PLAY, PRINT, HELP };
    static struct option const known[] = {
        {"level", required_argument, NULL, LEVEL},
        {"levels", required_argument, NULL, LEVELS},
        {"session", required_argument, NULL, SESSION},
        {"socket", required_argument, NULL, SOCKET},
        {"follow", required_argument, NULL, FOLLOW},
        {"suppress", no_argument, NULL, SUPPRESS},
        {"play", required_argument, NULL, PLAY},
        {"print", no_argument, NULL, PRINT},
        {"help", no_argument, NULL, HELP},
        {0},
    };
    *o = (struct options){.follow = true};
    for (int got; (got = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        char *end;
        long number;
        switch (got) {
        case LEVEL:
            number = strtol(optarg, &end, 10);
            if (*end || number < 1 || number > 1000000)
                return complain("--level wants a number from 1") + 1;
            o->level = (int)number;
            break;
        case LEVELS:
            o->levels = optarg;
            break;
        case SESSION:
            o->session = optarg;
            break;
        case SOCKET:
            o->socket = optarg;
            break;
        case FOLLOW:
            if (strcmp(optarg, "yes") != 0 && strcmp(optarg, "no") != 0)
                return complain("--follow wants yes or no") + 1;
            o->follow = optarg[0] == 'y';
            break;
        case SUPPRESS:
            o->suppress = true;
            break;
        case PLAY:
            o->play = optarg;
            break;
        case PRINT:
            o->print = true;
            break;
        case HELP:
            fputs(usage, stdout);
            return 1;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE + 1;
        }
    }
    return optind == argc ? 0 : complain("there are options only") + 1;
}

/* The file of levels beside the program. */
static char *levels_path(char *path, size_t size)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    snprintf(path, size, "%s/levels.xsb", dirname(program));
    return path;
}

/* Where redod listens if nobody said otherwise. */
static char *usual_place(char *path, size_t size)
{
    char const *said = getenv("REDO_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    char const *home = getenv("HOME");
    if (said && *said)
        snprintf(path, size, "%s", said);
    else if (runtime && *runtime == '/')
        snprintf(path, size, "%s/redod/redod.sock", runtime);
    else if (geteuid() == 0)
        snprintf(path, size, "/run/redod/redod.sock");
    else
        snprintf(path, size, "%s/.local/state/redod/redod.sock", home ? home : "");
    return path;
}

static int level_read(struct board_level *level, struct options const *o)
{
    char beside[PATH_MAX];
    char const *path = o->levels ? o->levels : levels_path(beside, sizeof beside);
    enum board_error rc = board_read(level, path, o->level);
    if (rc == BOARD_OK)
        return 0;
    fprintf(stderr, "sokoban: %s: %s%s%s\n", path, board_strerror(rc),
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

/* Plays letter by letter, up to the first that is not possible. */
static int play(struct game *game, char const *letters)
{
    int status = EXIT_SUCCESS;
    for (char const *at = letters; *at && !status; at++) {
        switch (game_command(game, *at)) {
        case GAME_DONE:
            printf("%c %u %u ", *at, redo_getpositionid(game->at), game->at->movecount);
            if (game->at->better)
                printf("%u", redo_getpositionid(game->at->better));
            else
                putchar('-');
            printf(" %u\n", game->at->solutionsize);
            break;
        case GAME_NOT:
            fflush(stdout);
            fprintf(stderr, "sokoban: step %d, %c: %s\n", (int)(at - letters) + 1, *at,
                    game->message);
            status = EXIT_ILLEGAL;
            break;
        case GAME_GONE:
            return tell_gone(game);
        }
    }
    bool solved = board_solved(&game->level, redo_getsavedstate(game->at));
    printf("%s\n", solved ? "solved" : "not solved");
    return status;
}

static int play_in_terminal(struct game *game, char const *name)
{
    int signal = 0;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return complain("this is no terminal: use --play or --print");
    game_resume(game);
    switch (screen_run(game, name, &signal)) {
    case SCREEN_QUIT:
        return signal ? 128 + signal : EXIT_SUCCESS;
    case SCREEN_GONE:
        return tell_gone(game);
    case SCREEN_FAILED:
        break;
    }
    return complain("this terminal can not be used: is TERM right?");
}

int main(int argc, char **argv)
{
    struct options options;
    struct game game;
    char name[32], place[PATH_MAX];

    setlocale(LC_ALL, "");
    signal(SIGPIPE, SIG_IGN);
    int status = options_read(&options, argc, argv);
    if (status)
        return status - 1;
    status = level_read(&game.level, &options);
    if (status)
        return status;
    snprintf(name, sizeof name, "sokoban-%d", game.level.number);
    if (!options.session)
        options.session = getenv("REDO_SESSION");
    if (!options.session || !*options.session)
        options.session = name;
    if (!options.socket)
        options.socket = usual_place(place, sizeof place);
    bool alone = options.play || options.print;
    game.follow = options.follow && !alone;
    game.suppress = options.suppress;
    if (game_begin(&game, options.socket, options.session) == GAME_GONE)
        return tell_gone(&game);
    if (options.play)
        status = play(&game, options.play);
    if (options.play && options.follow && status != EXIT_DAEMON && game_share(&game) != GAME_DONE)
        status = tell_gone(&game);
    if (options.print && status != EXIT_DAEMON)
        game_print(&game, stdout);
    if (!alone)
        status = play_in_terminal(&game, options.session);
    game_end(&game);
    return end(status);
}
