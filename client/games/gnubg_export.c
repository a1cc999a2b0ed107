/* A session to a game of gnubg's: the tree. A position whose dice were rolled has no node of its
 * own, unless they were set: it is in the node of the move. */
#include "client/games/gnubg_export.h"

#include <stdlib.h>
#include <string.h>

#include "client/games/heading.h"
#include "client/sgf/gnubg_parts.h"

int export_no_memory(struct exporter *ex)
{
    return error_say(ex->error, REDO_ENOMEM, "out of memory");
}

int export_fail(struct exporter *ex, redo_position const *position, char const *what)
{
    return error_say(ex->error, REDO_EDAMAGED, "position %u: %s", redo_getpositionid(position),
                     what);
}

/* Reads what is at the position. REDO_OK or an error. */
static int place_of(struct exporter *ex, redo_position *position, struct place *place)
{
    place->position = position;
    if (!board_of(ex->session, position, &place->board))
        return export_fail(ex, position, "its state is no position of backgammon");
    return sheet_get(position, &ex->arena, &place->sheet) == REDO_OK ? REDO_OK
                                                                     : export_no_memory(ex);
}

static redo_sgf_node *new_node(struct exporter *ex, redo_sgf_node *parent)
{
    redo_sgf_node *node = node_new(&ex->game->arena, parent);
    if (!node)
        export_no_memory(ex);
    return node;
}

static int go_on(struct exporter *ex, redo_position *position, redo_sgf_node *node)
{
    return walk_push(&ex->walk, position, node) ? REDO_OK : export_no_memory(ex);
}

static bool is_setup_branch(redo_position const *position)
{
    return redo_getmove(position) < 0;
}

/* Whether the dice have a node of their own. */
static bool is_set(struct place const *roll, size_t moves)
{
    bool set;
    return moves == 0 || (get_bool(&roll->sheet.branch, "set", &set) && set);
}

static size_t count_moves(struct children const *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += !is_setup_branch(c->list[i]);
    return count;
}

/* --- what follows a position --- */

/* The position of somebody who decides about the cube out of turn: the node of the decision tells
 * of it. It is made later than those of other branches, so it has to be the last. */
static bool is_untold(struct exporter *ex, struct place const *at, struct place const *to)
{
    struct gnubg_record const act = {
        .action = GNUBG_DOUBLE, .player = to->board.turn, .to_play = GNUBG_NOBODY};
    struct gnubg_position board = at->board;
    struct children const *all = &ex->children;
    redo_sgf_error ignored;
    bool untold;
    if (!get_bool(&to->sheet.branch, UNTOLD, &untold) || !untold ||
        to->position != all->list[all->count - 1] ||
        gnubg_position_decide(&board, &act, &ignored) != REDO_OK ||
        !board_equal(&board, &to->board))
        return false;
    for (redo_branch const *b = to->position->next; b; b = b->cdr)
        if (b->move % MOVE_AGAIN != MOVE_DOUBLE)
            return false;
    return to->position->next ||
           (to->sheet.decisions.first && to->sheet.decisions.first->analysis &&
            find_property(&to->sheet.position, "pending"));
}

static int setup_node(struct exporter *ex, redo_sgf_node *parent, struct place const *at,
                      redo_position *position, int after)
{
    struct place to;
    int code = place_of(ex, position, &to);
    if (code == REDO_OK && !after && is_untold(ex, at, &to))
        return go_on(ex, position, parent);
    redo_sgf_node *node = code == REDO_OK ? new_node(ex, parent) : NULL;
    if (code == REDO_OK && !node)
        code = REDO_ENOMEM;
    if (code == REDO_OK)
        code = export_setup(ex, node, at, &to, after);
    return code == REDO_OK ? go_on(ex, position, node) : code;
}

/* The moves after a roll, and what was set up after it. */
static int roll_nodes(struct exporter *ex, redo_sgf_node *parent, struct place const *at,
                      struct place const *roll, bool first_roll)
{
    int code = REDO_OK;
    bool first = true;
    if (!children_of(roll->position, &ex->after))
        return export_no_memory(ex);
    if (is_set(roll, count_moves(&ex->after))) {
        redo_sgf_node *node = new_node(ex, parent);
        code = node ? export_setup(ex, node, at, roll, 0) : REDO_ENOMEM;
        return code == REDO_OK ? go_on(ex, roll->position, node) : code;
    }
    for (int setup = 0; setup < 2; setup++)
        for (size_t i = 0; i < ex->after.count && code == REDO_OK; i++) {
            redo_position *position = ex->after.list[i];
            struct place to;
            if (is_setup_branch(position) != setup)
                continue;
            if (setup) {
                code = setup_node(ex, parent, at, position, redo_getmove(roll->position));
                continue;
            }
            redo_sgf_node *node = new_node(ex, parent);
            code = node ? place_of(ex, position, &to) : REDO_ENOMEM;
            if (code == REDO_OK)
                code = export_rolled(ex, node, at, roll, &to, first_roll, first);
            if (code == REDO_OK)
                code = go_on(ex, position, node);
            first = false;
        }
    return code;
}

/* A last action after set-up reads as one that was not made. */
static bool looks_open(struct exporter *ex, struct place const *to)
{
    size_t count = 0;
    for (size_t i = 0; i < ex->children.count; i++)
        count += !is_alternate(ex->children.list[i]);
    return count == 1 && to->position->nextcount == 0;
}

static int child_nodes(struct exporter *ex, redo_sgf_node *parent, struct place const *at,
                       redo_position *position, bool *rolled, bool *moved)
{
    struct place to;
    redo_sgf_node *node;
    int code = REDO_OK;
    if (is_setup_branch(position))
        return setup_node(ex, parent, at, position, 0);
    code = place_of(ex, position, &to);
    if (code)
        return code;
    if (to.board.dice[0]) {
        code = roll_nodes(ex, parent, at, &to, !*rolled);
        *rolled = true;
        return code;
    }
    node = new_node(ex, parent);
    if (!node)
        return REDO_ENOMEM;
    if (at->board.dice[0] && !to.board.doubled) {
        code = export_move(ex, node, at, &to, !*moved, looks_open(ex, &to));
        *moved = true;
    } else {
        code =
            export_action(ex, node, at, &to, looks_open(ex, &to) && is_setup_branch(at->position));
    }
    return code == REDO_OK ? go_on(ex, position, node) : code;
}

/* Whether one of the nodes after the last one that was there tells what is thought of the cube. */
static bool tells_cube(redo_sgf_node const *parent, redo_sgf_node const *last)
{
    for (redo_sgf_node const *n = last ? last->next : parent->first; n; n = n->next)
        for (redo_sgf_property const *p = n->properties; p; p = p->next)
            if (redo_sgf_property_is(p, "DA"))
                return true;
    return false;
}

/* Whether what is open after the first roll does. */
static int is_told_later(struct exporter *ex, struct place const *at, bool *told)
{
    *told = false;
    for (size_t i = 0; i < ex->children.count && at->sheet.decisions.first; i++) {
        struct place to;
        int code = place_of(ex, ex->children.list[i], &to);
        if (code)
            return code;
        if (to.board.dice[0] && !is_setup_branch(to.position)) {
            *told = pending_tells_cube(to.position, &to.sheet);
            break;
        }
    }
    return REDO_OK;
}

static int position_nodes(struct exporter *ex, struct walk_step const *step)
{
    struct place at;
    bool rolled = false, moved = false;
    redo_sgf_node *parent = step->data, *last = parent->last;
    int code = place_of(ex, step->position, &at);
    if (code)
        return code;
    if (!children_of(step->position, &ex->children))
        return export_no_memory(ex);
    if (ex->children.count == 0 || is_alternate(ex->children.list[0])) {
        code = export_pending(ex, parent, &at);
        if (code == REDO_OK && ex->children.count > 0 && !parent->first) {
            /* Or an alternate would be the main line. */
            redo_sgf_node *node = new_node(ex, parent);
            code = node ? extra_word(ex->game, node, "end") : REDO_ENOMEM;
        }
    }
    for (size_t i = 0; i < ex->children.count && code == REDO_OK; i++)
        code = child_nodes(ex, parent, &at, ex->children.list[i], &rolled, &moved);
    /* Not as the first: that would be the main line. */
    bool told = true;
    if (code == REDO_OK && parent->first && !tells_cube(parent, last))
        code = is_told_later(ex, &at, &told);
    if (code == REDO_OK && !told)
        code = export_open(ex, parent, &at);
    return code;
}

static int export(struct exporter *ex)
{
    struct walk_step step;
    int code = heading_write(ex->session, ex->game, ex->error);
    if (code == REDO_OK)
        code = go_on(ex, redo_getfirstposition(ex->session), ex->game->root);
    while (code == REDO_OK && walk_pop(&ex->walk, &step)) {
        code = position_nodes(ex, &step);
        if (code == REDO_EDAMAGED && strncmp(ex->error->message, "position ", 9) != 0)
            code = export_where(ex->error, "at or after position", step.position);
        arena_empty(&ex->arena);
    }
    return code;
}

redo_sgf_game *game_export_gnubg(redo_session *session, redo_sgf_error *error)
{
    struct exporter ex = {.error = error, .session = session, .arena = {.limit = SIZE_MAX}};
    *error = (redo_sgf_error){.code = REDO_OK};
    if (redo_getstatesize(session) != BOARD_SIZE || redo_getcmpsize(session) != BOARD_COMPARED) {
        error_say(error, REDO_EKIND, "its states are no positions of backgammon");
        return NULL;
    }
    ex.game = redo_sgf_game_new();
    int code = ex.game ? export(&ex) : export_no_memory(&ex);
    walk_free(&ex.walk);
    children_free(&ex.children);
    children_free(&ex.after);
    arena_free(&ex.arena);
    free(ex.list);
    if (code == REDO_OK)
        return ex.game;
    redo_sgf_game_free(ex.game);
    return NULL;
}
