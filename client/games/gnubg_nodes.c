/* Nodes of gnubg's one by one: which positions they lead to, and what hangs where. */
#include <stdio.h>
#include <string.h>

#include "client/games/gnubg_import.h"
#include "client/sgf/gnubg_parts.h"

/* Gives up the dialect. */
static int refuse(struct importer *im, char const *what)
{
    return error_say(im->error, REDO_EDAMAGED, "%s", what);
}

/* --- set-up --- */

/* Dice alone, before the roll: the same as a roll. */
static bool is_roll(struct gnubg_record const *r, struct entry const *from,
                    struct extra const *extra)
{
    return r->set == GNUBG_SET_DICE && r->to_play != GNUBG_NOBODY && !extra->there &&
           from->board.dice[0] == 0 && !from->board.doubled;
}

static int roll_number(struct gnubg_position const *p, enum gnubg_side player, int const dice[2])
{
    int number = 10 * dice[0] + dice[1];
    if (player == p->turn)
        return number;
    return number + (player == GNUBG_WHITE ? MOVE_OF_WHITE : MOVE_OF_BLACK);
}

static void hang_setup(struct sheet *s, redo_sgf_node const *node)
{
    for (redo_sgf_property const *p = node->properties; p; p = p->next) {
        char name[3] = "";
        if (!is_setup(p))
            continue;
        size_t size = 0;
        for (size_t i = 0; i < p->name_size && size < 2; i++)
            if (is_capital((unsigned char)p->name[i]))
                name[size++] = p->name[i];
        hang_raw(s, &s->branch, name, p->first);
    }
}

/* The same board with other extra bytes, in a side line: NULL if it is none of these. */
static struct entry *add_alternate(struct importer *im, redo_sgf_node const *node,
                                   struct gnubg_record const *r, struct extra const *extra,
                                   struct entry *of, struct gnubg_position const *board)
{
    if (!node->previous || !(r->set & (GNUBG_SET_CUBE | GNUBG_SET_OWNER) || extra->has_board) ||
        !board_same_compared(&of->board, board) || board_equal(&of->board, board) ||
        redo_getfirstalternate(of->position) != of->position)
        return NULL;
    for (redo_position *p = of->position; p; p = redo_getnextalternate(p))
        if (board_equal(&im->entries[redo_getpositionid(p)]->board, board))
            return NULL;
    return importer_add_alternate(im, of, board);
}

static int import_setup(struct importer *im, redo_sgf_node *node, struct gnubg_record const *r,
                        struct entry *from)
{
    struct extra extra;
    struct gnubg_position board = from->board;
    struct entry *to;
    if (r->has_list || r->has_cube || r->cube_marked || r->cube_skill != GNUBG_UNMARKED ||
        r->has_marks)
        return refuse(im, "analysis where nothing was decided");
    int code = setup_play(&board, node, r, &extra, im->error);
    if (code)
        return code;
    if (extra.has_after) {
        redo_position *p = redo_getnextposition(from->position, extra.after);
        if (!p)
            return refuse(im, "a node after a roll that is not there");
        from = im->entries[redo_getpositionid(p)];
    }
    if (is_roll(r, from, &extra)) {
        to = importer_add(im, from, roll_number(&from->board, r->to_play, r->set_dice), &board,
                          node);
        if (!to)
            return im->error->code;
        to->roll = to->rolls = true;
        set_bool(&to->sheet, &to->sheet.branch, "set", true);
    } else {
        to = add_alternate(im, node, r, &extra, from, &board);
        if (!to)
            to = importer_add(im, from, from->next_setup, &board, node);
        if (!to)
            return im->error->code;
        to->rolls = true;
        hang_setup(&to->sheet, node);
    }
    hang_luck(&to->sheet, &to->sheet.branch, &r->luck);
    hang_common(&to->sheet, &to->sheet.branch, r);
    node->at = to;
    return REDO_OK;
}

/* --- chequer moves --- */

/* Whether the record has anything that belongs to the roll. */
static bool tells_of_roll(struct gnubg_record const *r)
{
    return r->has_list || r->has_marks || r->luck.known || r->luck.degree || r->has_cube ||
           r->cube_marked || r->cube_skill != GNUBG_UNMARKED;
}

static int number_of(struct gnubg_record const *r, struct entry const *roll)
{
    if (r->has_list && r->made < r->count) {
        struct item const *item = roll->sheet.candidates.first;
        for (size_t i = 0; i < r->made; i++)
            item = item->next;
        if (item->has_move)
            return item->move;
    }
    return move_number(&r->move, r->dice);
}

/* The roll before the move: the one that was just followed, if the record says no more of it. */
static struct entry *find_roll(struct importer *im, struct gnubg_record const *r,
                               struct entry *from, struct gnubg_position const *board,
                               redo_sgf_node const *node)
{
    struct entry *roll = from->last;
    if (roll && roll->roll && !roll->rolls && board_equal(&roll->board, board) &&
        !tells_of_roll(r) && roll->last &&
        !redo_getnextposition(roll->position, move_number(&r->move, r->dice)))
        return roll;
    roll = importer_add(im, from, roll_number(&from->board, r->player, r->dice), board, NULL);
    if (roll) {
        roll->roll = true;
        import_cube(im, from, roll, r);
        hang_luck(&roll->sheet, &roll->sheet.branch, &r->luck);
        hang_skill(&roll->sheet, &roll->sheet.branch, "cube skill", r->cube_skill);
    }
    return roll;
}

static redo_sgf_string text_of(struct importer *im, struct gnubg_move const *move)
{
    char *text = arena_take(&im->arena, MOVE_TEXT_MAX);
    return (redo_sgf_string){text ? text : "", text ? move_format(move, text, MOVE_TEXT_MAX) : 0};
}

static bool same_text(redo_sgf_string a, redo_sgf_string b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* The candidate that the move is: of the list, or a new one. */
static struct item *find_made(struct importer *im, struct gnubg_record const *r, int number,
                              struct entry *roll)
{
    struct sheet *s = &roll->sheet;
    struct item *item = items_find(&s->candidates, number);
    if (item || !(item = items_add(s, &s->candidates)))
        return item;
    item->id = (uint32_t)s->candidates.count;
    item->has_move = true;
    item->move = number;
    item->text = text_of(im, &r->move);
    set_bool(s, &item->properties, "unlisted", true);
    return item;
}

/* What belongs to the roll, where another node has that already. */
static void hang_list_raw(struct entry *to, redo_sgf_node const *node)
{
    static char const *const ids[] = {"A", "MR"};
    for (size_t i = 0; i < 2; i++)
        for (redo_sgf_property const *p = node->properties; p; p = p->next)
            if (redo_sgf_property_is(p, ids[i]) && p->first)
                hang_raw(&to->sheet, &to->sheet.branch, ids[i], p->first);
}

static void hang_cube_raw(struct sheet *s, struct properties *to, struct gnubg_record const *r)
{
    if (r->has_cube)
        set_text(s, to, "DA", r->cube_analysis.text);
    if (r->cube_marked)
        set_bool(s, to, "CR", true);
    hang_skill(s, to, "cube skill", r->cube_skill);
}

/* A decision that is still open, written as if it had been made. */
static int import_pending(struct importer *im, redo_sgf_node *node, struct gnubg_record const *r,
                          struct entry *at, redo_sgf_property const *action)
{
    struct sheet *s = &at->sheet;
    int code = hang_list(s, r);
    if (code == REDO_OK)
        code = hang_more(s, node, r->dice);
    set_text(s, &s->position, "pending", first_raw(action));
    if (r->has_list && r->made > 0)
        set_integer(s, &s->position, "index", (int64_t)r->made);
    hang_luck(s, &s->position, &r->luck);
    if (import_pending_cube(im, at, r))
        hang_skill(s, &s->position, "cube skill", r->cube_skill);
    else
        hang_cube_raw(s, &s->position, r);
    hang_common(s, &s->position, r);
    node->at = NULL; /* nothing comes after it */
    return code;
}

static redo_sgf_property const *action_of(redo_sgf_node const *node)
{
    redo_sgf_property const *p = node->properties;
    while (p && !redo_sgf_property_is(p, "W") && !redo_sgf_property_is(p, "B"))
        p = p->next;
    return p;
}

static void hang_move(struct importer *im, struct gnubg_record const *r, struct entry *roll,
                      struct entry *to, bool first)
{
    struct sheet *s = &roll->sheet;
    bool none = r->move.count == 0 && s->candidates.count == 0;
    int number = redo_getmove(to->position);
    if (none && first) {
        s->choice = redo_choice_none;
    } else if (!none || s->choice != redo_choice_none) {
        struct item *item = find_made(im, r, number, roll);
        if (item && first) {
            s->choice = redo_choice_made;
            s->chosen = item;
        }
        redo_sgf_string text = text_of(im, &r->move);
        if (item && !same_text(item->text, text))
            set_text(&to->sheet, &to->sheet.branch, "move", text);
    }
    if (!r->has_list || !first)
        return;
    size_t place = 0;
    for (struct item const *i = s->candidates.first; i && i != s->chosen; i = i->next)
        place++;
    if (place < r->count ? place != r->made : r->made != r->count)
        set_integer(s, &s->position, "index", (int64_t)r->made);
}

static int import_move(struct importer *im, redo_sgf_node *node, struct gnubg_record const *r,
                       struct entry *from)
{
    struct gnubg_position before = from->board, after = from->board;
    struct extra extra;
    struct entry *roll = from, *to;
    int code = gnubg_position_decide(&before, r, im->error);
    if (code == REDO_OK)
        code = gnubg_position_play(&after, r, im->error);
    if (code)
        return code;
    extra_read(node, &extra, NULL);
    bool there = from->board.dice[0] && board_equal(&before, &from->board);
    if (there && from->rolls && is_alone(node) && !extra.made)
        return import_pending(im, node, r, from, action_of(node));
    if (!there)
        roll = find_roll(im, r, from, &before, node);
    if (!roll)
        return im->error->code;
    bool first = !roll->last && roll->sheet.candidates.count == 0;
    if (first)
        code = hang_list(&roll->sheet, r);
    if (first && code == REDO_OK)
        code = hang_more(&roll->sheet, node, r->dice);
    if (code)
        return importer_fail(im, code);
    int number = number_of(r, roll);
    if (redo_getnextposition(roll->position, number))
        return refuse(im, "a move that was made twice after one roll");
    to = importer_add(im, roll, number, &after, node);
    if (!to)
        return im->error->code;
    hang_move(im, r, roll, to, first);
    if (!first)
        hang_list_raw(to, node);
    if (there) {
        hang_luck(&to->sheet, &to->sheet.branch, &r->luck);
        hang_cube_raw(&to->sheet, &to->sheet.branch, r);
    }
    hang_common(&to->sheet, &to->sheet.branch, r);
    node->at = to;
    return REDO_OK;
}

int import_record(struct importer *im, redo_sgf_node *node, struct gnubg_record const *r,
                  struct entry *from)
{
    struct extra extra;
    extra_read(node, &extra, NULL);
    if (r->action == GNUBG_NO_ACTION)
        return extra.open && r->has_cube ? import_open(im, node, r, from)
                                         : import_setup(im, node, r, from);
    if (r->set || r->to_play != GNUBG_NOBODY)
        return refuse(im, "set-up and an action in one node");
    if (r->action == GNUBG_MOVE)
        return import_move(im, node, r, from);
    if (r->has_list || r->has_marks || r->luck.known || r->luck.degree)
        return refuse(im, "candidates or luck at an action of the cube");
    return import_action(im, node, r, from);
}
