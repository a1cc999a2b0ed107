#include "options.h"

#include <getopt.h>
#include <libgen.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redo.h"

/* The cursor of all who do not name one. */
#define SHARED_CURSOR "game"

static char const usage[] =
    "usage: sokoban [options]\n"
    "  --level N        level number N of the file (default: the first)\n"
    "  --levels FILE    another file of levels, in XSB\n"
    "  --session NAME   the history to play in (default: $REDO_SESSION, or sokoban-N)\n"
    "  --socket PATH    where redod listens (default: $REDO_SOCKET, or the usual place)\n"
    "  --cursor NAME    play with a cursor of your own, or with those who name the same; without,\n"
    "                   all players of the session are at one place (the cursor \"game\"). A move\n"
    "                   that another player was faster than is not made\n"
    "  --name NAME      who plays: positions remember who made them (default: the login name)\n"
    "  --suppress       suppress cycles from the start\n"
    "  --play MOVES     play without a terminal, from where the cursor is, and tell each step:\n"
    "                   l u r d moves (also upper case), < undo, m undo own moves only,\n"
    "                   > redo, 1-9 redo that branch, ^ back and v forward to a branch point,\n"
    "                   * to better, 0 to the start, $ step to the solution, ! to its end,\n"
    "                   _ drop, % graft, ~ suppress\n"
    "  --print          print the history: number prev move movecount better endpoint "
    "solutionsize\n"
    "  --help           this\n";

int options_complain(char const *what)
{
    fprintf(stderr, "sokoban: %s\n", what);
    return EXIT_USAGE;
}

/* ---- what is left out -------------------------------------------------------------------- */

/* The file of levels beside the program. */
static char *levels_beside(char *path, size_t size)
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

static char *login_name(char *name, size_t size)
{
    struct passwd const *user = getpwuid(getuid());
    if (user)
        snprintf(name, size, "%s", user->pw_name);
    else
        snprintf(name, size, "user %u", (unsigned)getuid());
    return name;
}

static void fill(struct options *o)
{
    if (!o->levels)
        o->levels = levels_beside(o->levels_place, sizeof o->levels_place);
    if (!o->session)
        o->session = getenv("REDO_SESSION");
    if (o->session && !*o->session)
        o->session = NULL;
    if (!o->socket)
        o->socket = usual_place(o->socket_place, sizeof o->socket_place);
    if (!o->cursor)
        o->cursor = SHARED_CURSOR;
    if (!o->name)
        o->name = login_name(o->login, sizeof o->login);
}

/* ---- what is said ------------------------------------------------------------------------ */

static int set_level(struct options *o, char const *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (*end || number < 1 || number > 1000000)
        return options_complain("--level wants a number from 1") + 1;
    o->level = (int)number;
    return 0;
}

/* A name that is kept with the session. */
static int set_name(char const **name, char const *text)
{
    if (!*text || strlen(text) > REDO_CURSOR_MAX)
        return options_complain("--cursor and --name want 1 to 255 bytes") + 1;
    *name = text;
    return 0;
}

enum { LEVEL = 256, LEVELS, SESSION, SOCKET, CURSOR, NAME, SUPPRESS, PLAY, PRINT, HELP };

static int set(struct options *o, int option, char const *text)
{
    switch (option) {
    case LEVEL:
        return set_level(o, text);
    case LEVELS:
        o->levels = text;
        return 0;
    case SESSION:
        o->session = text;
        return 0;
    case SOCKET:
        o->socket = text;
        return 0;
    case CURSOR:
        return set_name(&o->cursor, text);
    case NAME:
        return set_name(&o->name, text);
    case SUPPRESS:
        o->suppress = true;
        return 0;
    case PLAY:
        o->play = text;
        return 0;
    case PRINT:
        o->print = true;
        return 0;
    case HELP:
        fputs(usage, stdout);
        return 1;
    default:
        fputs(usage, stderr);
        return EXIT_USAGE + 1;
    }
}

int options_read(struct options *o, int argc, char **argv)
{
    static struct option const known[] = {
        {"level", required_argument, NULL, LEVEL},
        {"levels", required_argument, NULL, LEVELS},
        {"session", required_argument, NULL, SESSION},
        {"socket", required_argument, NULL, SOCKET},
        {"cursor", required_argument, NULL, CURSOR},
        {"name", required_argument, NULL, NAME},
        {"suppress", no_argument, NULL, SUPPRESS},
        {"play", required_argument, NULL, PLAY},
        {"print", no_argument, NULL, PRINT},
        {"help", no_argument, NULL, HELP},
        {0},
    };
    *o = (struct options){0};
    for (int got; (got = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int status = set(o, got, optarg);
        if (status)
            return status;
    }
    if (optind != argc)
        return options_complain("there are options only") + 1;
    fill(o);
    return 0;
}
