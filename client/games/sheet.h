/* What hangs on a position, in memory: made while a game is read, read while one is written. All
 * memory is an arena's, and goes with it. */
#ifndef CLIENT_GAMES_SHEET_H
#define CLIENT_GAMES_SHEET_H

#include <stdbool.h>

#include "client/games/value.h"
#include "client/sgf/tree.h"
#include "core/redo_record.h"
#include "protocol/buffer.h"

struct property {
    struct property *next;
    char const *name;
    size_t name_size;
    void const *value;
    size_t size;
};

struct properties {
    struct property *first, *last;
};

/* As redo_analysis, with no more numbers than there are. */
struct analysis {
    redo_sgf_string kind;
    double equity;
    double const *numbers, *deviations;
    size_t number_count, deviation_count;
    void const *context; /* NULL: not told */
    size_t context_size;
    redo_sgf_string text; /* data NULL: none */
};

/* A candidate or a decision. */
struct item {
    struct item *next;
    uint32_t id;
    bool has_move;
    int move;
    redo_sgf_string text; /* data NULL: none */
    enum redo_analysed analysed;
    struct analysis *analysis; /* its own */
    struct properties properties;
};

struct items {
    struct item *first, *last;
    size_t count;
};

struct sheet {
    struct arena *arena;
    bool failed; /* no memory: what is here is not all */
    struct properties position, branch;
    enum redo_choice choice;
    struct item *chosen;
    struct items candidates, decisions;
    unsigned decided;
};

/* --- properties: the value last; those of the same name are not looked for --- */

void set_made(struct sheet *s, struct properties *p, redo_sgf_string name, struct making *value);
void set_text(struct sheet *s, struct properties *p, char const *name, redo_sgf_string text);
void set_word(struct sheet *s, struct properties *p, char const *name, char const *word);
void set_bool(struct sheet *s, struct properties *p, char const *name, bool value);
void set_integer(struct sheet *s, struct properties *p, char const *name, int64_t value);
void set_double(struct sheet *s, struct properties *p, char const *name, double value);

struct property const *find_property(struct properties const *p, char const *name);

/* The value under a name, if there is one of that kind. */
bool get_text(struct properties const *p, char const *name, redo_sgf_string *text);
bool get_bool(struct properties const *p, char const *name, bool *value);
bool get_integer(struct properties const *p, char const *name, int64_t *value);
bool get_double(struct properties const *p, char const *name, double *value);

/* --- lists --- */

/* A new last item; NULL: no memory. */
struct item *items_add(struct sheet *s, struct items *items);

/* The first one that has the move; NULL: none. */
struct item *items_find(struct items const *items, int move);

/* --- of a position --- */

bool sheet_is_empty(struct sheet const *s);

/* Hangs it on the position, in place of what is there. scratch is memory to use again. REDO_OK or a
 * code. */
int sheet_put(redo_session *session, redo_position *position, struct sheet const *s,
              struct buffer *scratch);

/* Reads what hangs there; what it points to is the session's. REDO_OK or REDO_ENOMEM. */
int sheet_get(redo_position *position, struct arena *arena, struct sheet *s);

#endif
