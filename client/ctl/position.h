/* A position as the daemon tells it, and the names that a game gives its moves. */
#ifndef CTL_POSITION_H
#define CTL_POSITION_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct position {
    uint32_t number;
    uint32_t prev;   /* UINT32_MAX: none */
    uint32_t better; /* UINT32_MAX: none */
    uint32_t movecount, solutionsize, nextcount;
    int move; /* 0 for the first */
    int endpoint, solutionend;
    bool setbetter;
    uint32_t author;   /* 0: not known */
    uint32_t time;     /* 0: not known */
    char const *state; /* NULL if it was not asked for; a piece of the message */
    uint32_t statesize;
};

/* Reads a POSITION; false if the object is none. Fields that it has besides are passed over. */
bool position_read(msgpack_object const *object, struct position *p);

/* Integers of msgpack; false if the object is none, or not from least to most. */
bool integer_read(msgpack_object const *object, int64_t least, int64_t most, int64_t *value);

/* Names of moves, from --labels. All zero: none, and moves are printed as numbers. */
struct labels {
    struct label {
        int64_t move;
        char *text;
    } * all;
    size_t count;
};

/* Reads "0=left,1=up", or, if there is no '=' in it, the file of that name, with one `0=left` a
 * line. Complains and false if it can not. */
bool labels_read(struct labels *labels, char const *source);
void labels_free(struct labels *labels);

/* Prints the label of a move, or its number. */
void labels_print(struct labels const *labels, int move, FILE *out);

/* Prints what there is to tell of a position besides its place in the tree, a blank before each:
 *   [5]  the same state is reached in fewer moves at 5
 *   *    an endpoint; *3 if its value is not 1
 *   ?    waits for setbetterfields */
void position_print_marks(struct position const *p, bool color, FILE *out);

#define MARKS_HELP                                                                         \
    "  [5]   the same state is reached in fewer moves (or sooner made, in as many) at 5\n" \
    "  *     an endpoint; its value follows if it is not 1\n"                              \
    "  ?     waits to be checked by setbetterfields\n"

#define LABELS_OPTION(field)                                                             \
    {                                                                                    \
        .name = "labels", .type = CLI_TEXT, .value = (field), .argument = "LIST",        \
        .help = "names of moves, as in 0=left,1=up; or a file with\none `0=left` a line" \
    }

/* Escapes of the terminal. */
#define COLOR_BETTER "\033[36m"
#define COLOR_ENDPOINT "\033[1;32m"
#define COLOR_SOLUTION "\033[32m"
#define COLOR_CURSOR "\033[1;33m"
#define COLOR_FAINT "\033[2m"
#define COLOR_END "\033[0m"

#endif
