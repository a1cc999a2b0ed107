/* Sessions of the daemon as games in a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/game_files.h"
#include "client/ctl/snapshot.h"
#include "client/games/games.h"
#include "client/games/mat.h"
#include "redo_error.h"

#define ONCE 10000 /* games of a match told at once */

/* --- which sessions --- */

struct handles {
    int64_t *list; /* owned */
    size_t count, cap;
    bool match;
};

static int no_memory(void)
{
    cli_complain("out of memory");
    return EXIT_BAD;
}

static int add_handle(struct handles *h, int64_t handle)
{
    if (h->count == h->cap) {
        size_t cap = h->cap ? 2 * h->cap : 64;
        int64_t *list = realloc(h->list, cap * sizeof *list);
        if (!list)
            return no_memory();
        h->list = list;
        h->cap = cap;
    }
    h->list[h->count++] = handle;
    return CLI_GO;
}

static int read_games(struct ctl *ctl, char const *name, struct handles *h)
{
    msgpack_object result;
    int64_t offset = 0, handle, next = 1;
    while (next > 0) {
        int status = ctl_games(ctl, name, offset, ONCE, &result, &next);
        if (status != CLI_GO)
            return status;
        msgpack_object const *games = map_get(&result, "games");
        for (uint32_t i = 0; i < games->via.array.size; i++) {
            msgpack_object const *game = &games->via.array.ptr[i];
            if (map_get(game, "gone"))
                continue;
            if (!integer_read(map_get(game, "session"), 0, INT64_MAX, &handle))
                return ctl_fail_shape(ctl);
            status = add_handle(h, handle);
            if (status != CLI_GO)
                return status;
        }
        offset = next;
    }
    return CLI_GO;
}

/* The session itself, or the games of a match. */
static int find(struct ctl *ctl, char const *name, struct handles *h)
{
    msgpack_object result;
    int64_t handle, games;
    if (!ctl_pack_name(ctl_request(ctl, "getsession", 1), name))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "session"), 0, INT64_MAX, &handle))
        return ctl_fail_shape(ctl);
    h->match = integer_read(map_get(&result, "games"), 0, INT64_MAX, &games);
    return h->match ? read_games(ctl, name, h) : add_handle(h, handle);
}

/* --- writing --- */

static int put(void *data, char const *bytes, size_t size)
{
    return fwrite(bytes, 1, size, stdout) == size ? 0 : REDO_EIO;
}

static void complain(struct snapshot const *s, redo_sgf_error const *e)
{
    cli_complain("%.*s can not be written in this form: %s",
                 (int)(s->name_size < 200 ? s->name_size : 200), s->name, e->message);
}

static void print_string(redo_sgf_string s)
{
    fwrite(s.data, 1, s.size, stdout);
}

/* last: what comes after the last game of a file is written too. */
static int write_sgf(redo_session *session, struct snapshot const *s, bool first, bool last)
{
    redo_sgf_error error;
    redo_sgf_game *game = game_export_sgf(session, &error);
    if (!game) {
        complain(s, &error);
        return EXIT_BAD;
    }
    print_string(game_lead(session, first));
    int code = redo_sgf_game_write(game, 0, put, NULL);
    redo_sgf_game_free(game);
    if (last)
        print_string(game_tail(session));
    if (code == REDO_OK || code == REDO_EIO) /* of which main() tells */
        return CLI_GO;
    return no_memory();
}

static int write_pgn(redo_session *session, struct snapshot const *s)
{
    redo_sgf_error error;
    redo_pgn_game *game = game_export_pgn(session, &error);
    if (!game) {
        complain(s, &error);
        return EXIT_BAD;
    }
    int code = redo_pgn_game_write(game, put, NULL);
    redo_pgn_game_free(game);
    return code == REDO_OK || code == REDO_EIO ? CLI_GO : no_memory();
}

static int write_json(struct ctl *ctl, int64_t handle, redo_session *session,
                      struct snapshot const *s, bool first)
{
    msgpack_object result;
    if (!first)
        fputs(",\n", stdout);
    pack_int(ctl_request(ctl, "getproperties", 1), handle);
    int status = ctl_result(ctl, &result);
    return status == CLI_GO ? game_json_print(session, s->name, s->name_size, &result) : status;
}

/* What is told when all is written; and a .mat match, which is written as a whole, at the end. */
struct writing {
    int format;
    struct game_left_out left_out;
    redo_mat_match *mat;
    bool mat_lost;
};

static int add_mat(redo_session *session, struct snapshot const *s, struct writing *w)
{
    redo_sgf_error error;
    if (game_export_mat(session, w->mat, &w->mat_lost, &error) == REDO_OK)
        return CLI_GO;
    complain(s, &error);
    return EXIT_BAD;
}

static int write_mat(struct writing *w)
{
    int code = redo_mat_write(w->mat, REDO_MAT_PLAIN, put, NULL);
    if (w->mat_lost)
        cli_complain("analysis, comments and side lines are not in it: .mat has no place for them");
    return code == REDO_OK || code == REDO_EIO ? CLI_GO : no_memory();
}

static void tell_left_out(struct writing const *w)
{
    struct {
        size_t count;
        char const *one, *several;
    } const kinds[] = {{w->left_out.properties, "property", "properties"},
                       {w->left_out.candidates, "candidate", "candidates"},
                       {w->left_out.analyses, "analysis", "analyses"},
                       {w->left_out.decisions, "decision", "decisions"}};
    char text[200];
    size_t size = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].count > 0)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%zu %s",
                                     size > 0 ? ", " : "", kinds[i].count,
                                     kinds[i].count == 1 ? kinds[i].one : kinds[i].several);
    if (size > 0)
        cli_complain("%s not in it, for which %s has no place", text,
                     w->format == GAME_FORMAT_PGN ? "PGN" : "SGF");
}

static int write_one(struct ctl *ctl, int64_t handle, bool first, bool last, struct writing *w)
{
    struct snapshot s = {.created = 0};
    int status = snapshot_read(ctl, NULL, handle, &s);
    if (status == CLI_GO) {
        redo_session *session = redo_load(s.dump.data, s.dump.size);
        buffer_free(&s.dump);
        if (!session) {
            cli_complain("%s", redo_strerror(redo_lasterror()));
            return EXIT_BAD;
        }
        status = w->format == GAME_FORMAT_MAT    ? add_mat(session, &s, w)
                 : w->format == GAME_FORMAT_PGN  ? write_pgn(session, &s)
                 : w->format == GAME_FORMAT_JSON ? write_json(ctl, handle, session, &s, first)
                                                 : write_sgf(session, &s, first, last);
        bool counts = w->format == GAME_FORMAT_SGF || w->format == GAME_FORMAT_PGN;
        if (status == CLI_GO && counts && game_count_left_out(session, &w->left_out))
            status = no_memory();
        redo_endsession(session);
    }
    buffer_free(&s.dump);
    return status;
}

int game_files_export(struct ctl *ctl, char const *name, int format)
{
    struct handles h = {0};
    struct writing w = {.format = format, .mat = redo_mat_match_new()};
    if (!w.mat)
        return no_memory();
    int status = find(ctl, name, &h);
    bool list = h.match && format == GAME_FORMAT_JSON;
    if (status == CLI_GO && list)
        fputs("[\n", stdout);
    for (size_t i = 0; i < h.count && status == CLI_GO; i++)
        status = write_one(ctl, h.list[i], i == 0, i + 1 == h.count, &w);
    if (status == CLI_GO && format == GAME_FORMAT_JSON)
        fputs(list ? "\n]\n" : "\n", stdout);
    if (status == CLI_GO && format == GAME_FORMAT_MAT)
        status = write_mat(&w);
    if (status == CLI_GO)
        tell_left_out(&w);
    redo_mat_match_free(w.mat);
    free(h.list);
    return status;
}
