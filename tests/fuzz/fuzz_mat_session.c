/* Any bytes as a match in .mat. Each game becomes a session, which goes through bytes and is
 * written again; what was written is read as the same match, and gives the same positions. What is
 * refused has an error with a place. */
#include <string.h>

#include "client/games/mat.h"
#include "tests/fuzz/session.h"
#include "tests/text/bytes.h"

static char const *const heads[] = {
    "; [Site \"x]\"]\n; [Variation \"NackGammon\"]\n; [EventDate \"2024.03.13\"]\n\n; note\n 5 "
    "point "
    "match\n\n Game 1\n Al : 0                         Bo : 4\n",
    "0 point match\r\nGame 1\r\nKen ]\\ : 1\r\nJ\xfcrg : 2\r\n",
    " 3 point match\n\n Game 7\n : 0                              : 2\n",
    " Game 1\nA very long name of a player in : 0Bo : 0\n"};
static char const *const pieces[] = {
    "  1) 31: 8/5 6/5                 42: 8/4 6/4 \n",
    "  2)                             66: 24/18(2) 13/7(2)\n",
    "  1) 31: 8/5 6/5                 66: 24/18(2) 13/7(2)\n  2) 21: 13/11 6/5\n",
    "  3)  Doubles => 2                Takes\n",
    "  4)  Doubles => 2                Beavers => 4\n  5)  Raccoons => 8 \n",
    "  6)  Doubles => 2                Drops\n      Wins 1 point\n",
    "  7) 21: 13/11 6/5*              51: bar/24 13/8\n",
    "; a ] comment\n  8) 65: Cannot Move             64: \n",
    "      Wins 2 points and the match\n",
    "\n Game 2\n Al : 2                         Bo : 0\n",
    " 29)                             55: 13/8(2) 8/3(2)\n",
    "  9) 11: 6/off                   61: 13/7 8/7",
};

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    return fuzz_pieces(which, heads, FUZZ_COUNT(heads), pieces, FUZZ_COUNT(pieces), data, cap);
}

static redo_mat_options const options = {{65536, 1 << 20, 200, 20}, NULL};

/* The games of a match up to one that is refused. Whether it is the game after which there are no
 * doubles the others tell, so all of them are needed: false without. */
static bool sessions_of(redo_mat_match const *m, redo_session ***sessions, size_t *count)
{
    redo_session **all = calloc(200, sizeof(redo_session *)); /* no match has more parts */
    HOLD(all != NULL);
    *sessions = all;
    *count = 0;
    for (redo_mat_game const *g = redo_mat_games(m); g; g = g->next) {
        redo_sgf_error error;
        redo_session *session = game_import_mat(m, g, &error);
        if (!session) {
            HOLD(error.code == REDO_EDAMAGED && error.message[0]);
            HOLD(error.line > 0 && error.column > 0);
            return false;
        }
        HOLD(game_format(session) == GAME_GNUBG);
        fuzz_hold_all_told(session);
        all[(*count)++] = fuzz_reload(session);
        redo_endsession(session);
    }
    return *count > 0;
}

static redo_mat_match *exported(redo_session *const *all, size_t count, bool *lost)
{
    redo_sgf_error error;
    *lost = false;
    redo_mat_match *m = redo_mat_match_new();
    HOLD(m != NULL);
    for (size_t i = 0; i < count; i++)
        HOLD(game_export_mat(all[i], m, lost, &error) == REDO_OK);
    return m;
}

static void check_same(redo_session *a, redo_session *b)
{
    HOLD(redo_getsessionsize(a) == redo_getsessionsize(b));
    for (int i = 0; i < redo_getsessionsize(a); i++) {
        redo_position *p = redo_getposition(a, (unsigned)i), *q = redo_getposition(b, (unsigned)i);
        HOLD(memcmp(redo_getsavedstate(p), redo_getsavedstate(q), 66) == 0);
    }
}

static void end_all(redo_session **all, size_t count)
{
    while (count > 0)
        redo_endsession(all[--count]);
    free(all);
}

/* A last roll can be told at the end of a file alone. */
static bool has_open_roll(redo_mat_match const *m)
{
    for (redo_mat_game const *g = redo_mat_games(m); g; g = g->next)
        if (g->next && g->last && g->last->kind == REDO_MAT_ROLL)
            return true;
    return false;
}

/* The match that is made of the sessions, which is as good as that which they came from. */
static void check_sessions(redo_session **all, size_t count)
{
    redo_text_error error;
    struct bytes b = {0};
    bool lost;
    redo_mat_match *first = exported(all, count, &lost), *read;
    if (has_open_roll(first)) {
        HOLD(lost);
        redo_mat_match_free(first);
        return;
    }
    HOLD(redo_mat_write(first, 0, bytes_put, &b) == REDO_OK);
    HOLD(redo_mat_read_bytes(b.data, b.size, NULL, &read, &error) == REDO_OK);
    HOLD(redo_mat_equal(first, read));
    redo_session **again;
    size_t again_count;
    HOLD(sessions_of(read, &again, &again_count) && again_count == count);
    for (size_t i = 0; i < count; i++)
        if (!lost)
            check_same(all[i], again[i]);
    redo_mat_match *second = exported(again, count, &lost);
    HOLD(redo_mat_equal(first, second));
    redo_mat_match_free(second);
    end_all(again, count);
    redo_mat_match_free(read);
    redo_mat_match_free(first);
    bytes_free(&b);
}

static void check_match(redo_mat_match const *m)
{
    redo_session **all;
    size_t count;
    if (sessions_of(m, &all, &count))
        check_sessions(all, count);
    end_all(all, count);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    redo_mat_match *m;
    redo_text_error error;
    if (redo_mat_read_bytes(data, size, &options, &m, &error) != REDO_OK)
        return 0; /* fuzz_mat.c looks at that */
    check_match(m);
    redo_mat_match_free(m);
    return 0;
}
