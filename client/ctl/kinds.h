/* Lines of turns, in sessions told by change: how many of each kind there are, and lines as text.
 */
#ifndef CTL_KINDS_H
#define CTL_KINDS_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "client/ctl/ctl.h"

/* Prints "update 3 remove 1": how many lines of each kind, in the order in which the kinds come
 * first. Of what is no list of lines it prints nothing. */
void kinds_print(FILE *out, msgpack_object const *lines);

/* The same as text, to be freed; NULL if there is no memory. */
char *kinds_text(msgpack_object const *lines);

/* The same of a turn's bytes, as operations have them (core/changes/changes.h). */
void kinds_print_turn(FILE *out, void const *data, size_t size);

/* Prints a value, told as bytes, as JSON. */
void kinds_print_value(FILE *out, void const *data, size_t size);

/* Prints a line as JSON, and ends it; false if there is no memory. */
bool line_print(FILE *out, msgpack_object const *line);

/* Whether a SESSION is told by change. */
bool session_by_change(msgpack_object const *session);

/* Asks for the lines that led to a position: CLI_GO, *result is what getlines answers. */
int kinds_request(struct ctl *ctl, char const *session, uint32_t position, msgpack_object *result);

#endif
