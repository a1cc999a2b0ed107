/* A game of gnubg's to a session: the tree, and what all nodes have. */
#include "client/games/gnubg_import.h"

#include <stdlib.h>

#include "client/games/generic_export.h"
#include "client/games/heading.h"
#include "client/sgf/gnubg_parts.h"

/* How often in a game a move may be found taken: looking on would take ever longer, and no game is
 * like that. */
#define TAKEN_MOST 5000000

int importer_fail(struct importer *im, int code)
{
    return error_say(im->error, code, "%s", redo_strerror(code));
}

static struct entry *hold(struct importer *im, redo_position *position,
                          struct gnubg_position const *board)
{
    if (im->count == im->cap) {
        size_t cap = im->cap ? 2 * im->cap : 64;
        struct entry **entries = realloc(im->entries, cap * sizeof *entries);
        if (!entries) {
            importer_fail(im, REDO_ENOMEM);
            return NULL;
        }
        im->entries = entries;
        im->cap = cap;
    }
    struct entry *e = arena_take(&im->arena, sizeof *e);
    if (!e) {
        importer_fail(im, REDO_ENOMEM);
        return NULL;
    }
    e->position = position;
    e->board = *board;
    e->next_setup = -1;
    e->sheet.arena = &im->arena;
    return im->entries[im->count++] = e;
}

/* Whether the game's last position comes with this node. */
static int endpoint_of(struct importer const *im, redo_sgf_node const *node)
{
    return node == im->last && im->finished;
}

struct entry *importer_add(struct importer *im, struct entry *from, int move,
                           struct gnubg_position const *board, redo_sgf_node const *node)
{
    struct board state;
    board_write(board, &state);
    int wanted = move;
    if (move >= 0 && move == from->again)
        move = from->again_made;
    while (redo_getnextposition(from->position, move)) {
        if (move < 0) {
            move--;
        } else if (im->taken++ == TAKEN_MOST || move > INT32_MAX - MOVE_AGAIN) {
            importer_fail(im, REDO_EFULL);
            return NULL;
        } else {
            move += MOVE_AGAIN;
        }
    }
    if (move > wanted) {
        from->again = wanted;
        from->again_made = move;
    }
    if (move < 0)
        from->next_setup = move - 1;
    redo_position *position = redo_addposition(im->session, from->position, move, state.bytes,
                                               endpoint_of(im, node), redo_nocheck);
    if (!position) {
        importer_fail(im, redo_lasterror());
        return NULL;
    }
    struct entry *e = hold(im, position, board);
    if (e)
        from->last = e;
    return e;
}

struct entry *importer_add_alternate(struct importer *im, struct entry *of,
                                     struct gnubg_position const *board)
{
    struct board state;
    board_write(board, &state);
    redo_position *position = redo_addalternate(im->session, of->position, NULL, state.bytes);
    if (!position || redo_getpositionid(position) != im->count) {
        importer_fail(im, position ? REDO_EDIFFERS : redo_lasterror());
        return NULL;
    }
    struct entry *e = hold(im, position, board);
    if (e)
        of->last = e;
    return e;
}

/* --- the tree --- */

static int import_node(struct importer *im, redo_sgf_node *node)
{
    struct entry *from = node->parent->at;
    struct gnubg_record record;
    struct extra extra;
    if (!extra_read(node, &extra, NULL))
        return error_at(im->game, im->error, redo_sgf_node_property(node, EXTRA)->name,
                        "a property %s of another program", EXTRA);
    if (extra.end && !node->first) {
        node->at = from;
        return REDO_OK;
    }
    if (!from)
        return error_say(im->error, REDO_EDAMAGED, "a node after a decision that is still open");
    int code = gnubg_record_read(im->game, node, &record, im->error);
    if (code)
        return code;
    code = import_record(im, node, &record, from);
    if (code && im->error->line == 0)
        redo_sgf_game_place(im->game, record.begin, &im->error->line, &im->error->column);
    gnubg_record_free(&record);
    return code;
}

static void find_last(struct importer *im, struct gnubg_header const *h)
{
    struct gnubg_record record;
    redo_sgf_error ignored;
    redo_sgf_node *n = im->game->root;
    while (n->first)
        n = n->first;
    im->last = n;
    im->finished = h->winner != GNUBG_NOBODY;
    if (n->parent && gnubg_record_read(im->game, n, &record, &ignored) == REDO_OK) {
        im->finished |= record.action == GNUBG_DROP;
        gnubg_record_free(&record);
    }
}

/* The names and values of what is the same for each decision. */
static void hang_ids(struct sheet *s, struct gnubg_position const *board)
{
    char position[GNUBG_POSITION_ID], match[GNUBG_MATCH_ID];
    board_ids(board, position, match);
    set_word(s, &s->position, "position_id", position);
    set_word(s, &s->position, "match_id", match);
    if (board->dice[0]) {
        char dice[3] = {(char)('0' + board->dice[0]), (char)('0' + board->dice[1]), '\0'};
        set_word(s, &s->position, "dice", dice);
    }
}

/* Export takes for granted that the node of the double tells of the cube, or if there is none that
 * of the first roll. */
static void hang_flag(struct importer *im, struct entry *e)
{
    bool first_double = e->chain && e->depth == 1;
    if ((!e->roll || e->rolls) && !first_double)
        return;
    struct entry *before = im->entries[redo_getpositionid(e->position->prev)];
    struct item const *first = before->sheet.decisions.first;
    bool usual = first && first->analysis && (first_double || !before->followed);
    before->followed |= !first_double;
    if (e->has_cube != usual)
        set_bool(&e->sheet, &e->sheet.branch, "cube", e->has_cube);
}

/* All that was gathered goes to the session. Entries are in the order of their numbers. */
static int put_sheets(struct importer *im)
{
    int code = REDO_OK;
    for (size_t i = 0; i < im->count; i++)
        hang_flag(im, im->entries[i]);
    for (size_t i = 0; i < im->count && code == REDO_OK; i++) {
        struct entry *e = im->entries[i];
        hang_ids(&e->sheet, &e->board);
        code = sheet_put(im->session, e->position, &e->sheet, &im->scratch);
    }
    return code == REDO_OK ? REDO_OK : importer_fail(im, code);
}

static void bring_main_line(struct importer *im)
{
    for (size_t i = 0; i < im->count; i++) {
        redo_position *p = im->entries[i]->position;
        redo_branch const *first = p->next;
        for (redo_branch const *b = first; b; b = b->cdr)
            if (b->id < first->id)
                first = b;
        if (first && first != p->next)
            redo_getnextposition(p, first->move);
    }
}

static int put_file(struct importer *im, bool first)
{
    struct making m;
    redo_sgf_string lead = redo_sgf_game_lead(im->game);
    if (first ? lead.size == 0 : lead.size == 1 && lead.data[0] == '\n')
        return REDO_OK;
    make_begin(&m, &im->arena);
    make_string(&m, lead.data, lead.size);
    return m.failed ? REDO_ENOMEM : redo_setproperty(im->session, "sgf:lead", m.data, m.size);
}

static int begin(struct importer *im, struct gnubg_header const *h, bool first)
{
    struct gnubg_position start;
    struct board state;
    gnubg_position_start(&start, h);
    start.turn = BOARD_NOBODY_YET;
    board_write(&start, &state);
    im->session = redo_beginsession(state.bytes, BOARD_SIZE, BOARD_COMPARED);
    if (!im->session)
        return importer_fail(im, redo_lasterror());
    redo_setgraftbehavior(im->session, redo_nograft);
    int code = heading_put(im->session, im->game, h, &im->arena);
    if (code == REDO_OK)
        code = put_file(im, first);
    if (code)
        return importer_fail(im, code);
    im->game->root->at = hold(im, redo_getfirstposition(im->session), &start);
    return im->game->root->at ? REDO_OK : im->error->code;
}

static int import(struct importer *im, bool first)
{
    struct gnubg_header header;
    int code = gnubg_header_read(im->game, &header, im->error);
    if (code)
        return code;
    find_last(im, &header);
    code = begin(im, &header, first);
    gnubg_header_free(&header);
    for (redo_sgf_node *n = im->game->root;
         code == REDO_OK && (n = redo_sgf_node_after(n, im->game->root));)
        code = import_node(im, n);
    if (code == REDO_OK)
        code = put_sheets(im);
    if (code == REDO_OK)
        bring_main_line(im);
    return code;
}

/* Nothing may be lost: what is not given back as it was is not taken. */
static int verify(struct importer *im)
{
    redo_sgf_game *back = game_export_gnubg(im->session, im->error);
    if (!back)
        return im->error->code;
    bool same = same_games(im->game, back);
    redo_sgf_game_free(back);
    return same ? REDO_OK
                : error_say(im->error, REDO_EDAMAGED,
                            "something in the game has no place in "
                            "records of backgammon");
}

redo_session *game_import_gnubg(redo_sgf_game *game, bool first, redo_sgf_error *error)
{
    struct importer im = {.game = game, .error = error, .arena = {.limit = SIZE_MAX}};
    *error = (redo_sgf_error){.code = REDO_OK};
    buffer_init(&im.scratch);
    int code = import(&im, first);
    if (code == REDO_OK)
        code = verify(&im);
    buffer_free(&im.scratch);
    arena_free(&im.arena);
    free(im.entries);
    if (code == REDO_OK) {
        redo_clearsessionchanged(im.session);
        return im.session;
    }
    redo_endsession(im.session);
    return NULL;
}
