/* Values in msgpack, as properties have them: made in an arena, and read. Only what games need:
 * strings, lists, numbers, yes and no. */
#ifndef CLIENT_GAMES_VALUE_H
#define CLIENT_GAMES_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/sgf/redo_sgf.h"

struct arena;

/* A value that grows. Memory comes from the arena, also where it is left behind. failed: there was
 * none, and nothing of it counts. */
struct making {
    struct arena *arena;
    unsigned char *data;
    size_t size, cap;
    bool failed;
};

void make_begin(struct making *m, struct arena *arena);
void make_string(struct making *m, char const *text, size_t size);
void make_word(struct making *m, char const *text);
void make_bool(struct making *m, bool value);
void make_integer(struct making *m, int64_t value);
void make_double(struct making *m, double value);

/* The head alone; the items (of a map: pairs) follow. */
void make_array(struct making *m, size_t count);
void make_map(struct making *m, size_t count);

/* Reading: one item after the other. A reader that meets what it does not expect is bad, and gives
 * nothing from then on. */
struct reading {
    unsigned char const *at, *end;
    bool bad;
};

struct reading read_value(void const *data, size_t size);

bool read_string(struct reading *r, redo_sgf_string *text);
bool read_bool(struct reading *r, bool *value);
bool read_integer(struct reading *r, int64_t *value);
bool read_double(struct reading *r, double *value); /* an integer too */
bool read_array(struct reading *r, size_t *count);
bool read_map(struct reading *r, size_t *count);
bool read_is_string(struct reading const *r);
bool read_is_array(struct reading const *r);

/* Passes over one value of any kind. Not recursive. */
bool read_skip(struct reading *r);

/* Whether all was read and nothing is left. */
static inline bool read_ended(struct reading const *r)
{
    return !r->bad && r->at == r->end;
}

#endif
