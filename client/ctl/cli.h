/* The command line of one command: options described by a table, from which parsing and --help
 * come. Long options, anywhere, of which one may have a letter too ("-o FILE"); "--" ends them;
 * "-1" is a number and no option. */
#ifndef CTL_CLI_H
#define CTL_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    EXIT_GOOD = 0,
    EXIT_BAD = 1,   /* it went wrong */
    EXIT_USAGE = 2, /* it was called wrongly */
};

enum cli_type {
    CLI_FLAG,   /* value is a bool */
    CLI_TEXT,   /* char const *, a piece of argv */
    CLI_NUMBER, /* int64_t, least to most */
    CLI_CHOICE, /* int: the place of the word in choices */
};

struct cli_option {
    char const *name; /* without the two dashes */
    char letter;      /* 0: none */
    enum cli_type type;
    void *value;
    char const *argument; /* what --help calls it; NULL for a flag */
    char const *help;     /* may have several lines */
    int64_t least, most;
    char const *choices; /* separated by blanks */
};

struct cli_command {
    char const *name;
    char const *params;  /* as --help shows them, options left out */
    int least, most;     /* number of params; most below 0: any */
    char const *summary; /* one line */
    char const *help;    /* more, ends with a newline; or NULL */
};

/* Reads argv[0..argc) against the options, which end with one without a name. On return argv begins
 * with the params, *argc of them. in_order: options end at the first param. CLI_GO; or
 * EXIT_GOOD (--help was printed; an option `help` with a value is the caller's), EXIT_USAGE (told
 * on standard error). */
#define CLI_GO (-1)
int cli_parse(struct cli_command const *command, struct cli_option const *options, bool in_order,
              int *argc, char **argv);

/* Prints the options as --help does. */
void cli_print_options(struct cli_option const *options, FILE *out);

/* A message to standard error, "redoctl: " before it and a newline after it. */
__attribute__((format(printf, 1, 2))) void cli_complain(char const *format, ...);

/* A number in decimal; false if it is none, or not from least to most. */
bool cli_number(char const *text, int64_t least, int64_t most, int64_t *number);

/* Whether a name is UTF-8; complains and false if not. */
bool cli_utf8(char const *name);

/* The number of a position; complains and false if it is none. */
bool cli_position(char const *text, uint32_t *position);

/* Whether to print colors: choice is the value of --color, a CLI_CHOICE of COLOR_CHOICES. */
#define COLOR_CHOICES "auto always never"
bool cli_color(int choice);

#endif
