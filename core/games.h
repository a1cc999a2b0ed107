/* The games of a match: ids of sessions, in order, no id twice. What an id stands for is the
 * daemon's affair: nothing here asks for it, so that a replica has the same list. */
#ifndef CORE_GAMES_H
#define CORE_GAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/redo.h"

struct history;

struct games {
    uint64_t *order;
    uint64_t *sorted; /* the same, rising */
    uint32_t count, cap;
};

/* Makes a match of a history of states that has nothing but its first position: REDO_OK or
 * REDO_ENOMEM. */
int games_begin(struct history *h);

void games_free(struct games *g); /* NULL is fine */
size_t games_memory(struct games const *g);

/* Takes all games out. */
void games_clear(struct games *g);

bool games_has(struct games const *g, uint64_t id);

/* Takes the ids in the order given, of which there are none yet. REDO_OK; REDO_EDAMAGED (one is 0,
 * or there twice, or they are too many); REDO_ENOMEM. Only games_free() is left after a failure. */
int games_load(struct games *g, unsigned char const *ids, uint32_t count);

/* Writes one id as it stands in an operation, and reads it. */
void games_put_id(unsigned char *at, uint64_t id);
uint64_t games_get_id(void const *at);

#define GAMES_ID 8 /* bytes */

/* GAMES, as history_apply(). Nothing is changed unless it is REDO_OK: REDO_ENOTMATCH;
 * REDO_EOPERATION (no ids); REDO_ECONSTANT; REDO_ERANGE (no such place); REDO_EINMATCH (inserted
 * where it is already, or twice); REDO_ENOSESSION (not in the match, or named twice, or 0);
 * REDO_EFULL; REDO_ENOMEM. */
int games_apply(struct history *h, redo_operation const *op, redo_result *r);

#endif
