/* What is said on the command line and in the environment. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

enum { EXIT_ILLEGAL = 1, EXIT_USAGE = 2, EXIT_DAEMON = 3 };

struct options {
    int level; /* 0: the first */
    char const *levels;
    char const *session; /* NULL: named after the level */
    char const *socket;
    char const *cursor;
    char const *name; /* the player's */
    char const *play; /* NULL: in the terminal */
    bool suppress, print;

    char levels_place[PATH_MAX], socket_place[PATH_MAX], login[256];
};

/* Reads the options, and finds what they leave out: 0 to go on, else the exit status + 1. */
int options_read(struct options *options, int argc, char **argv);

/* Says what is wrong; returns EXIT_USAGE. */
int options_complain(char const *what);

#endif
