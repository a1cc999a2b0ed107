/* redo_text.h: what the readers and writers of game records share (redo_sgf.h, redo_pgn.h,
 * redo_mat.h): pieces of text, places in it, limits, and where bytes come from and go. It has no
 * functions.
 */
#ifndef REDO_TEXT_H
#define REDO_TEXT_H

#include <stddef.h>

#include "redo_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Some UTF-8 text, not ended by a zero. */
typedef struct redo_text_string {
    char const *data;
    size_t size;
} redo_text_string;

/* What is wrong, and where: line and column count from 1, the column in characters; 0 where the
 * input is not at fault. The message is one line of English without the place. */
typedef struct redo_text_error {
    int code;
    unsigned long line;
    unsigned long column;
    char message[200];
} redo_text_error;

/* What one game (of a match: the match) may take. More is REDO_EFULL, told before it is taken. */
typedef struct redo_text_limits {
    size_t bytes;  /* in the file, and of its text as UTF-8 */
    size_t memory; /* in all */
    size_t nodes;  /* moves and the like */
    size_t depth;  /* of variations in variations */
} redo_text_limits;

typedef struct redo_text_options {
    redo_text_limits limits;
    char const *charset; /* of the input, a name that iconv knows; NULL: as each reader tells */
} redo_text_options;

/* Gives up to size bytes of the input: how many it put into buffer, 0 at the end, negative if it
 * failed, which ends reading with REDO_ESYSTEM. */
typedef long redo_text_source(void *data, char *buffer, size_t size);

/* Takes size bytes of output. Anything but 0 ends writing, which then returns it. */
typedef int redo_text_sink(void *data, char const *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
