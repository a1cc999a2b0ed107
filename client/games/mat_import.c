/* A game of a .mat match to a session: it is told as gnubg would in SGF, and read as that. */
#include <stdlib.h>
#include <string.h>

#include "client/games/backgammon.h"
#include "client/games/mat.h"
#include "client/text/place.h"

struct importer {
    redo_mat_game const *from;
    redo_sgf_game *game;
    redo_sgf_node *last;
    struct gnubg_position position;
    struct gnubg_header header;
    redo_sgf_error *error;
    redo_mat_action const *at; /* the one at hand, or NULL ... */
    unsigned long action;      /* ... and its number */
    char *comment; /* what was said since the last action, as it is to be written; owned */
    size_t comment_size, comment_cap;
};

static int fail(struct importer *im, char const *what)
{
    im->error->line = im->at ? im->at->line : im->from->line;
    im->error->column = im->at ? im->at->column : im->from->column;
    if (!im->at)
        return error_say(im->error, REDO_EDAMAGED, "game %lu: %.160s", im->from->number, what);
    return error_say(im->error, REDO_EDAMAGED, "game %lu, action %lu: %.140s", im->from->number,
                     im->action, what);
}

/* --- comments --- */

/* Several are lines of one. */
static int add_comment(struct importer *im, redo_mat_action const *a)
{
    size_t need = im->comment_size + 2 * a->text.size + 1;
    if (need > im->comment_cap) {
        size_t cap = need < SIZE_MAX / 2 ? 2 * need : need;
        char *grown = realloc(im->comment, cap);
        if (!grown)
            return error_say(im->error, REDO_ENOMEM, "out of memory");
        im->comment = grown;
        im->comment_cap = cap;
    }
    if (im->comment_size > 0)
        im->comment[im->comment_size++] = '\n';
    im->comment_size += redo_sgf_text_encode(a->text, 0, im->comment + im->comment_size,
                                             im->comment_cap - im->comment_size);
    return REDO_OK;
}

/* It belongs to the action before it, or to the root. */
static int put_comment(struct importer *im)
{
    redo_sgf_property *p;
    if (im->comment_size == 0)
        return REDO_OK;
    if (redo_sgf_property_add(im->game, im->last, "C", 1, &p) != REDO_OK ||
        redo_sgf_value_add(im->game, p, im->comment, im->comment_size) != REDO_OK)
        return fail(im, "a comment that can not be kept");
    im->comment_size = 0;
    return REDO_OK;
}

/* --- actions --- */

static int add(struct importer *im, struct gnubg_record const *r)
{
    redo_sgf_error why;
    if (put_comment(im) != REDO_OK)
        return im->error->code;
    if (im->position.state == GNUBG_OVER || im->position.state == GNUBG_DROPPED)
        return fail(im, "the game is over");
    if (gnubg_position_play(&im->position, r, &why) != REDO_OK)
        return fail(im, why.message);
    im->last = redo_sgf_node_add(im->game, im->last);
    if (!im->last || gnubg_record_write(im->game, im->last, r) != REDO_OK)
        return error_say(im->error, REDO_ENOMEM, "out of memory");
    return REDO_OK;
}

static int add_action(struct importer *im, enum gnubg_action action, int player)
{
    struct gnubg_record r = {.action = action,
                             .player = player ? GNUBG_BLACK : GNUBG_WHITE,
                             .to_play = GNUBG_NOBODY,
                             .owner = GNUBG_NOBODY};
    return add(im, &r);
}

/* What begins with a roll. After a beaver gnubg writes no take. */
static int add_rolled(struct importer *im, struct gnubg_record const *r)
{
    int code = im->position.doubled ? add_action(im, GNUBG_TAKE, im->position.turn) : REDO_OK;
    return code == REDO_OK ? add(im, r) : code;
}

static int add_move(struct importer *im, redo_mat_action const *a)
{
    struct gnubg_record r = {.action = GNUBG_MOVE,
                             .player = a->player ? GNUBG_BLACK : GNUBG_WHITE,
                             .to_play = GNUBG_NOBODY,
                             .owner = GNUBG_NOBODY,
                             .dice = {a->dice[0], a->dice[1]}};
    redo_mat_hop hops[4];
    int count = redo_mat_move_read(a->text, hops, 4);
    if (count < 0 || count > 4)
        return fail(im, "not a move of at most four hops");
    if (a->dice[0] < 1 || a->dice[0] > 6 || a->dice[1] < 1 || a->dice[1] > 6)
        return fail(im, "dice are from 1 to 6");
    for (int i = 0; i < count; i++)
        r.move.hops[i] = (struct gnubg_hop){(uint8_t)hops[i].from, (uint8_t)hops[i].to};
    r.move.count = (size_t)count;
    return add_rolled(im, &r);
}

static int add_roll(struct importer *im, redo_mat_action const *a)
{
    struct gnubg_record r = {.action = GNUBG_NO_ACTION,
                             .player = GNUBG_NOBODY,
                             .to_play = a->player ? GNUBG_BLACK : GNUBG_WHITE,
                             .owner = GNUBG_NOBODY,
                             .set = GNUBG_SET_DICE,
                             .set_dice = {a->dice[0], a->dice[1]}};
    return add_rolled(im, &r);
}

static int add_one(struct importer *im, redo_mat_action const *a)
{
    switch (a->kind) {
    case REDO_MAT_MOVE:
        return add_move(im, a);
    case REDO_MAT_ROLL:
        return add_roll(im, a);
    case REDO_MAT_DOUBLE:
    case REDO_MAT_BEAVER:
    case REDO_MAT_RACCOON:
        return add_action(im, GNUBG_DOUBLE, a->player);
    case REDO_MAT_TAKE:
        return add_action(im, GNUBG_TAKE, a->player);
    case REDO_MAT_DROP:
        return add_action(im, GNUBG_DROP, a->player);
    case REDO_MAT_COMMENT:
        return add_comment(im, a);
    case REDO_MAT_WIN:
        return REDO_OK;
    case REDO_MAT_OTHER:
        break;
    }
    return fail(im, "neither a move nor anything that is known");
}

/* --- the header --- */

static redo_sgf_string keep(struct importer *im, redo_text_string text, bool name)
{
    char *raw = arena_take(&im->game->arena, 2 * text.size + 1);
    size_t size = 0;
    if (!raw)
        return (redo_sgf_string){NULL, 0};
    if (!name)
        return (redo_sgf_string){raw, redo_sgf_text_encode(text, 0, raw, 2 * text.size)};
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == ']')
            raw[size++] = '\\';
        raw[size++] = text.data[i];
    }
    return (redo_sgf_string){raw, size};
}

static bool is_name(redo_text_string s, char const *name)
{
    return s.size == strlen(name) && strncasecmp(s.data, name, s.size) == 0;
}

/* 2024.03.13 as 2024-03-13. */
static redo_sgf_string keep_date(struct importer *im, redo_text_string text)
{
    redo_sgf_string date = keep(im, text, false);
    for (size_t i = 0; date.data && i < date.size; i++)
        if (date.data[i] == '.')
            ((char *)date.data)[i] = '-';
    return date;
}

/* Of every game: where the chequers stand at first. */
static void read_variant(struct importer *im, redo_mat_match const *match)
{
    static char const *const names[] = {"NackGammon", "HyperGammon (1)", "HyperGammon (2)",
                                        "HyperGammon (3)"};
    for (redo_mat_line const *l = redo_mat_header(match); l; l = l->next)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (l->kind == REDO_MAT_TAG && is_name(l->name, "Variation") &&
                is_name(l->value, names[i]))
                im->header.variant = GNUBG_NACKGAMMON + i;
}

static void read_tags(struct importer *im, redo_mat_match const *match)
{
    static struct {
        char const *name;
        enum gnubg_text text;
    } const known[] = {{"Event", GNUBG_EV},
                       {"Round", GNUBG_RO},
                       {"Site", GNUBG_PC},
                       {"Place", GNUBG_PC},
                       {"Transcriber", GNUBG_AN}};
    for (redo_mat_line const *l = redo_mat_header(match); l; l = l->next) {
        if (l->kind == REDO_MAT_NOTE && !im->header.texts[GNUBG_GC].data)
            im->header.texts[GNUBG_GC] = keep(im, l->value, false);
        if (l->kind != REDO_MAT_TAG)
            continue;
        if (is_name(l->name, "EventDate"))
            im->header.texts[GNUBG_DT] = keep_date(im, l->value);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (is_name(l->name, known[i].name))
                im->header.texts[known[i].text] = keep(im, l->value, false);
    }
}

/* The first game in which someone lacks one point. */
static bool is_crawford(redo_mat_match const *match, redo_mat_game const *game)
{
    long length = redo_mat_length(match);
    for (redo_mat_game const *g = redo_mat_games(match); g; g = g->next)
        if (length > 1 && ((long)g->score[0] == length - 1 || (long)g->score[1] == length - 1))
            return g == game;
    return false;
}

static int read_header(struct importer *im, redo_mat_match const *match, bool first)
{
    long length = redo_mat_length(match);
    if (length > 32767 || im->from->score[0] > 32767 || im->from->score[1] > 32767 ||
        im->from->number > 32768)
        return fail(im, "a number that is larger than gnubg has any");
    im->header.texts[GNUBG_FF] = (redo_sgf_string){"4", 1};
    im->header.texts[GNUBG_PW] = keep(im, im->from->name[0], true);
    im->header.texts[GNUBG_PB] = keep(im, im->from->name[1], true);
    im->header.length = length > 0 ? (int)length : 0;
    im->header.game = im->from->number > 0 ? (int)im->from->number - 1 : 0;
    im->header.score[0] = (int)im->from->score[0];
    im->header.score[1] = (int)im->from->score[1];
    if (length > 0)
        im->header.rules = GNUBG_CRAWFORD;
    if (is_crawford(match, im->from))
        im->header.rules |= GNUBG_CRAWFORD_GAME;
    read_variant(im, match);
    if (first)
        read_tags(im, match);
    return REDO_OK;
}

static void read_result(struct importer *im)
{
    for (redo_mat_action const *a = im->from->first; a; a = a->next) {
        if (a->kind != REDO_MAT_WIN || a->value == 0 || a->value > 1000000)
            continue;
        im->header.winner = a->player ? GNUBG_BLACK : GNUBG_WHITE;
        im->header.points = (int)a->value;
        im->header.resigned =
            im->position.state == GNUBG_PLAYING || im->position.state == GNUBG_NOT_BEGUN;
    }
}

static int build(struct importer *im, redo_mat_match const *match, bool first)
{
    int code = read_header(im, match, first);
    gnubg_position_start(&im->position, &im->header);
    im->last = redo_sgf_game_root(im->game);
    for (redo_mat_action const *a = im->from->first; a && code == REDO_OK; a = a->next) {
        im->at = a;
        im->action++;
        code = add_one(im, a);
    }
    if (code == REDO_OK)
        code = put_comment(im);
    im->at = code == REDO_OK ? NULL : im->at;
    free(im->comment);
    read_result(im);
    if (code == REDO_OK && gnubg_header_write(im->game, &im->header) != REDO_OK)
        code = fail(im, "a name that can not be kept");
    return code;
}

redo_session *game_import_mat(redo_mat_match const *match, redo_mat_game const *game,
                              redo_sgf_error *error)
{
    struct importer im = {.from = game,
                          .game = redo_sgf_game_new(),
                          .header = {.cube = 1, .winner = GNUBG_NOBODY},
                          .error = error};
    redo_session *session = NULL;
    *error = (redo_sgf_error){.code = REDO_OK};
    if (!im.game) {
        error_say(error, REDO_ENOMEM, "out of memory");
        return NULL;
    }
    if (build(&im, match, game == redo_mat_games(match)) == REDO_OK) {
        redo_sgf_error why;
        session = game_import_gnubg(im.game, true, &why);
        if (!session) {
            fail(&im, why.message);
            error->code = why.code;
        }
    }
    redo_sgf_game_free(im.game);
    return session;
}
