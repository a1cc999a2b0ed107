/* The main line of a game of gnubg's as a game of a .mat match, as gnubg writes it: the cube is
 * told from 1 on, whatever it began with, and between a beaver and a roll there is no take. */
#include <stdio.h>
#include <string.h>

#include "client/games/backgammon.h"
#include "client/games/generic_export.h"
#include "client/games/mat.h"
#include "client/mat/match.h"
#include "client/text/place.h"

struct exporter {
    redo_mat_match *match;
    redo_mat_game *game;
    struct gnubg_header header;
    struct gnubg_position position;
    unsigned beavers;
    bool take_due; /* of a beaver: a roll will tell it */
    int taker;
    bool rolled; /* the last roll has no move yet */
    int roller, roll[2];
    bool *lost;
    redo_sgf_error *error;
};

static int no_place(struct exporter *ex, char const *what)
{
    return error_say(ex->error, REDO_EKIND, "%s has no place in .mat", what);
}

static int put(struct exporter *ex, redo_mat_action const *a)
{
    int code = redo_mat_action_add(ex->match, ex->game, a);
    return code == REDO_OK ? code : error_say(ex->error, code, "an action can not stand in .mat");
}

/* The take of a beaver that no roll comes after. */
static int put_take(struct exporter *ex)
{
    redo_mat_action a = {.kind = REDO_MAT_TAKE, .player = ex->taker};
    if (!ex->take_due)
        return REDO_OK;
    ex->take_due = false;
    return put(ex, &a);
}

static int put_move(struct exporter *ex, struct gnubg_record const *r)
{
    char text[MOVE_TEXT_MAX];
    redo_mat_hop hops[4];
    struct gnubg_position p = ex->position;
    enum gnubg_side them = r->player == GNUBG_WHITE ? GNUBG_BLACK : GNUBG_WHITE;
    for (size_t i = 0; i < r->move.count; i++) {
        struct gnubg_hop h = r->move.hops[i];
        uint8_t *there = h.to ? &p.points[them][24 - h.to] : NULL;
        hops[i] = (redo_mat_hop){h.from, h.to, there && *there == 1};
        if (there)
            *there = 0;
    }
    redo_mat_action a = {.kind = REDO_MAT_MOVE,
                         .player = r->player == GNUBG_BLACK,
                         .dice = {r->dice[0], r->dice[1]}};
    a.text.data = text;
    a.text.size = redo_mat_move_write(hops, (int)r->move.count, text, sizeof text);
    ex->take_due = false;
    *ex->lost |= r->has_list || r->has_cube || r->luck.known || r->comment.data;
    return put(ex, &a);
}

/* A last roll: with anything after it, it would be read as one with which no move is possible. */
static int put_roll(struct exporter *ex)
{
    redo_mat_action a = {
        .kind = REDO_MAT_ROLL, .player = ex->roller, .dice = {ex->roll[0], ex->roll[1]}};
    return put(ex, &a);
}

static void note_roll(struct exporter *ex, enum gnubg_side player, int const dice[2])
{
    ex->rolled = true;
    ex->roller = player == GNUBG_BLACK;
    memcpy(ex->roll, dice, sizeof ex->roll);
    ex->take_due = false;
}

static int put_cube(struct exporter *ex, struct gnubg_record const *r)
{
    redo_mat_action a = {.player = r->player == GNUBG_BLACK};
    *ex->lost |= r->has_cube || r->comment.data;
    int code = put_take(ex);
    if (code)
        return code;
    if (r->action == GNUBG_TAKE) {
        ex->take_due = true;
        ex->taker = a.player;
        return ex->beavers > 0 ? REDO_OK : put_take(ex);
    }
    a.kind = REDO_MAT_DROP;
    if (r->action == GNUBG_DOUBLE) {
        ex->beavers = ex->position.doubled ? ex->beavers + 1 : 0;
        a.kind = ex->position.doubled ? REDO_MAT_BEAVER : REDO_MAT_DOUBLE;
        a.value = (ex->position.cube << (1 + ex->position.doubled)) / ex->header.cube;
    }
    return put(ex, &a);
}

static int put_record(struct exporter *ex, redo_sgf_game *game, redo_sgf_node const *node,
                      struct gnubg_record const *before)
{
    struct gnubg_record r;
    struct extra extra;
    if (gnubg_record_read(game, node, &r, ex->error) != REDO_OK)
        return ex->error->code;
    extra_read(node, &extra, NULL);
    int code = REDO_OK;
    bool dice = r.set == GNUBG_SET_DICE;
    /* What gnubg thought of an answer that was not given. */
    if (r.action == GNUBG_TAKE && ex->position.doubled && r.player != ex->position.turn) {
        *ex->lost = true;
        gnubg_record_free(&r);
        return REDO_OK;
    }
    if (r.action == GNUBG_MOVE && !node->first && !extra.made && before &&
        gnubg_record_is_open(before, &r)) {
        note_roll(ex, r.player, r.dice);
    } else if (dice && !node->first) { /* of a game that ended before the move */
        note_roll(ex, r.to_play == GNUBG_NOBODY ? ex->position.turn : r.to_play, r.set_dice);
    } else if (r.action == GNUBG_MOVE) {
        code = put_move(ex, &r);
    } else if (r.action != GNUBG_NO_ACTION) {
        code = put_cube(ex, &r);
    } else if (r.set && !dice) {
        code = no_place(ex, "a game with a position that was set up");
    }
    *ex->lost |= node->next != NULL;
    if (code == REDO_OK)
        code = gnubg_position_play(&ex->position, &r, ex->error);
    gnubg_record_free(&r);
    return code;
}

static int put_result(struct exporter *ex)
{
    redo_mat_action a = {.kind = REDO_MAT_WIN, .player = ex->header.winner == GNUBG_BLACK};
    if (ex->header.winner == GNUBG_NOBODY)
        return ex->rolled ? put_roll(ex) : REDO_OK;
    *ex->lost |= ex->rolled;
    a.value = (unsigned long)ex->header.points / ex->header.cube;
    return put(ex, &a);
}

/* What gnubg tells of a match, of its first game. */
static int put_header(struct exporter *ex)
{
    static struct {
        char const *name;
        enum gnubg_text text;
    } const known[] = {{"Site", GNUBG_PC},      {"Event", GNUBG_EV},       {"Round", GNUBG_RO},
                       {"EventDate", GNUBG_DT}, {"Transcriber", GNUBG_AN}, {"", GNUBG_GC}};
    static char const *const variants[] = {"", "NackGammon", "HyperGammon (1)", "HyperGammon (2)",
                                           "HyperGammon (3)"};
    char const *variant = variants[ex->header.variant];
    int code = REDO_OK;
    redo_mat_set_length(ex->match, ex->header.length);
    for (size_t i = 0; i < sizeof known / sizeof *known && code == REDO_OK; i++) {
        char text[1024];
        redo_sgf_string raw = ex->header.texts[known[i].text];
        if (!raw.data || raw.size > sizeof text)
            continue;
        size_t size = redo_sgf_simpletext_decode(raw, text, sizeof text);
        for (size_t k = 0; known[i].text == GNUBG_DT && k < size; k++)
            text[k] = text[k] == '-' ? '.' : text[k];
        code = redo_mat_header_add(ex->match, *known[i].name ? REDO_MAT_TAG : REDO_MAT_NOTE,
                                   (redo_text_string){known[i].name, strlen(known[i].name)},
                                   (redo_text_string){text, size});
    }
    if (code == REDO_OK && *variant)
        code = redo_mat_header_add(ex->match, REDO_MAT_TAG, (redo_text_string){"Variation", 9},
                                   (redo_text_string){variant, strlen(variant)});
    return code == REDO_OK ? code : error_say(ex->error, code, "the header can not stand in .mat");
}

static int begin(struct exporter *ex)
{
    char names[2][256];
    redo_text_string name[2];
    unsigned long const score[2] = {(unsigned long)ex->header.score[0],
                                    (unsigned long)ex->header.score[1]};
    int code = redo_mat_games(ex->match) ? REDO_OK : put_header(ex);
    redo_mat_game const *before = ex->match->last_game;
    *ex->lost |= before && before->last && before->last->kind == REDO_MAT_ROLL;
    for (int i = 0; i < 2; i++) {
        redo_sgf_string raw = ex->header.texts[GNUBG_PW + i];
        size_t size = raw.data ? gnubg_name_decode(raw, names[i], sizeof names[i]) : 0;
        name[i] = (redo_text_string){names[i], size < sizeof names[i] ? size : sizeof names[i]};
    }
    if (code == REDO_OK) {
        code = redo_mat_game_add(ex->match, (unsigned long)ex->header.game + 1, name, score,
                                 &ex->game);
        if (code)
            error_say(ex->error, code, "a name can not stand in .mat");
    }
    return code;
}

static int export(struct exporter *ex, redo_sgf_game *game)
{
    struct gnubg_record before = {.action = GNUBG_NO_ACTION};
    int code = begin(ex);
    gnubg_position_start(&ex->position, &ex->header);
    for (redo_sgf_node *n = game->root->first; n && code == REDO_OK; n = n->first) {
        code = put_record(ex, game, n, n->parent->parent ? &before : NULL);
        if (code == REDO_OK && gnubg_record_read(game, n, &before, ex->error) == REDO_OK)
            gnubg_record_free(&before);
    }
    if (code == REDO_OK)
        code = put_take(ex);
    return code == REDO_OK ? put_result(ex) : code;
}

int game_export_mat(redo_session *session, redo_mat_match *match, bool *lost, redo_sgf_error *error)
{
    struct exporter ex = {.match = match, .lost = lost, .error = error};
    *error = (redo_sgf_error){.code = REDO_OK};
    if (game_format(session) != GAME_GNUBG)
        return error_say(error, REDO_EKIND, "the session is no game of backgammon");
    redo_sgf_game *game = game_export_gnubg(session, error);
    if (!game)
        return error->code;
    int code = gnubg_header_read(game, &ex.header, error);
    if (code == REDO_OK) {
        code = export(&ex, game);
        gnubg_header_free(&ex.header);
    }
    redo_sgf_game_free(game);
    return code;
}
