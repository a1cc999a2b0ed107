/* Sessions of games, for the targets that make them. */
#ifndef TESTS_FUZZ_SESSION_H
#define TESTS_FUZZ_SESSION_H

#include <string.h>

#include "client/games/games.h"
#include "core/redo.h"
#include "tests/fuzz/fuzz.h"

/* The session through its bytes, as the daemon has them. The caller's, beside the other. */
static inline redo_session *fuzz_reload(redo_session *session)
{
    void *data;
    size_t size;
    HOLD(redo_dump(session, &data, &size) == REDO_OK);
    redo_session *loaded = redo_load(data, size);
    HOLD(loaded != NULL);
    free(data);
    return loaded;
}

/* An example of a head and five pieces after it, by `which`; returns its size. */
static inline size_t fuzz_pieces(uint64_t which, char const *const *heads, size_t head_count,
                                 char const *const *pieces, size_t piece_count, uint8_t *data,
                                 size_t cap)
{
    size_t size = 0;
    for (int i = 0; i < 6; i++) {
        size_t count = i ? piece_count : head_count;
        char const *piece = (i ? pieces : heads)[which % count];
        which /= count;
        HOLD(size + strlen(piece) <= cap);
        memcpy(data + size, piece, strlen(piece));
        size += strlen(piece);
    }
    return size;
}

/* All that hangs in a session that was read has a place in its form. */
static inline void fuzz_hold_all_told(redo_session *session)
{
    struct game_left_out sum = {0};
    HOLD(game_count_left_out(session, &sum) == REDO_OK);
    HOLD(sum.properties + sum.candidates + sum.analyses + sum.decisions == 0);
}

#define FUZZ_COUNT(table) (sizeof table / sizeof *table)

#endif
