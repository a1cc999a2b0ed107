/* Actions of the cube, and what is thought of it. Decisions are a chain that begins where the
 * double was, or could have been, offered. */
#include <string.h>

#include "client/games/gnubg_import.h"
#include "client/sgf/gnubg_parts.h"

static bool same_text(redo_sgf_string a, redo_sgf_string b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static struct item *add_decision(struct sheet *s, int move)
{
    static char const *const names[] = {"double", "take", "drop", "beaver", "raccoon"};
    struct item *item = items_add(s, &s->decisions);
    if (!item)
        return NULL;
    char const *name = names[(move - MOVE_DOUBLE) % 5];
    item->id = (uint32_t)s->decisions.count;
    item->has_move = true;
    item->move = move;
    item->text = (redo_sgf_string){name, strlen(name)};
    return item;
}

static void mark(struct sheet *s, struct item *item, bool marked)
{
    if (marked)
        set_bool(s, &item->properties, "marked", true);
}

static bool is_marked(struct item const *item)
{
    bool marked;
    return get_bool(&item->properties, "marked", &marked) && marked;
}

/* An analysis for the first of the chain, of a node that leads from there: as its own, if there is
 * none yet or it is the same. Else, it stays with the branch. */
static void hang_first(struct sheet *s, struct item *item, struct entry *to,
                       struct gnubg_record const *r, bool fresh)
{
    bool marked = is_marked(item);
    if (r->has_cube && !item->analysis) {
        item->analysis = opinion_of_cube(s, &r->cube_analysis);
        if (item->analysis)
            item->analysed = redo_analysis_own;
        if (!fresh && !marked)
            fresh = true;
        to->has_cube = item->analysis != NULL;
        if (!item->analysis) /* an empty one */
            set_text(&to->sheet, &to->sheet.branch, "DA", r->cube_analysis.text);
    } else if (r->has_cube) {
        to->has_cube = same_text(item->analysis->text, r->cube_analysis.text);
        if (!to->has_cube)
            set_text(&to->sheet, &to->sheet.branch, "DA", r->cube_analysis.text);
    }
    if (fresh) {
        mark(s, item, r->cube_marked);
        marked = is_marked(item);
    }
    /* Where it has the analysis, a mark goes without saying. */
    if (r->cube_marked != (to->has_cube && marked))
        set_bool(&to->sheet, &to->sheet.branch, "CR", r->cube_marked);
}

void import_cube(struct importer *im, struct entry *at, struct entry *roll,
                 struct gnubg_record const *r)
{
    struct sheet *s = &at->sheet;
    struct item *item = s->decisions.first;
    bool fresh = !item;
    if (!r->has_cube) {
        if (r->cube_marked)
            set_bool(&roll->sheet, &roll->sheet.branch, "CR", true);
        return;
    }
    if (!item)
        item = add_decision(s, MOVE_DOUBLE);
    if (item)
        hang_first(s, item, roll, r, fresh);
}

bool import_pending_cube(struct importer *im, struct entry *roll, struct gnubg_record const *r)
{
    redo_position *before = roll->position->prev;
    struct entry *at = before && roll->roll ? im->entries[redo_getpositionid(before)] : NULL;
    if (!at || !r->has_cube || at->board.dice[0] || at->board.doubled ||
        at->sheet.decisions.first || before->nextcount != 1)
        return false;
    struct analysis *opinion = opinion_of_cube(&at->sheet, &r->cube_analysis);
    struct item *item = opinion ? add_decision(&at->sheet, MOVE_DOUBLE) : NULL;
    if (!item)
        return false;
    item->analysis = opinion;
    item->analysed = redo_analysis_own;
    mark(&at->sheet, item, r->cube_marked);
    set_bool(&roll->sheet, &roll->sheet.position, "cube", true);
    return true;
}

/* --- actions --- */

static int number_of(struct gnubg_record const *r, struct entry const *from, bool answers)
{
    if (r->action == GNUBG_TAKE)
        return MOVE_TAKE;
    if (r->action == GNUBG_DROP)
        return MOVE_DROP;
    if (!answers)
        return MOVE_DOUBLE;
    return from->depth == 1 ? MOVE_BEAVER : MOVE_RACCOON;
}

/* The analysis of an answer: that of the double, another, or none. */
static void hang_answer(struct sheet *s, struct item *item, struct gnubg_record const *r,
                        struct entry *to)
{
    struct item const *first = s->decisions.first;
    if (r->has_cube && first->analysis && same_text(first->analysis->text, r->cube_analysis.text)) {
        item->analysed = redo_analysis_shared;
    } else if (r->has_cube) {
        item->analysis = opinion_of_cube(s, &r->cube_analysis);
        if (item->analysis)
            item->analysed = redo_analysis_own;
        else
            set_text(&to->sheet, &to->sheet.branch, "DA", r->cube_analysis.text);
    }
    mark(s, item, r->cube_marked);
}

static void hang_raw_cube(struct entry *to, struct gnubg_record const *r)
{
    if (r->has_cube)
        set_text(&to->sheet, &to->sheet.branch, "DA", r->cube_analysis.text);
    if (r->cube_marked)
        set_bool(&to->sheet, &to->sheet.branch, "CR", true);
}

/* The action's place in the chain of decisions, if it has one. */
static void hang_decision(struct entry *from, struct entry *to, struct gnubg_record const *r,
                          int move, bool answers, bool first_child)
{
    struct entry *chain = answers ? from->chain : from;
    unsigned depth = answers ? from->depth : 0;
    if (redo_getmove(to->position) != move || !chain ||
        (answers && chain->sheet.decisions.count != depth)) {
        hang_raw_cube(to, r);
        return;
    }
    struct sheet *s = &chain->sheet;
    struct item *item = answers ? NULL : s->decisions.first;
    bool fresh = !item;
    if (!item && !(item = add_decision(s, move)))
        return;
    if (answers)
        hang_answer(s, item, r, to);
    else
        hang_first(s, item, to, r, fresh);
    if (s->decided == depth && first_child)
        s->decided = depth + 1;
    to->chain = chain;
    to->depth = depth + 1;
}

int import_open(struct importer *im, redo_sgf_node *node, struct gnubg_record const *r,
                struct entry *at)
{
    if (at->sheet.decisions.first || r->has_list || r->has_marks || r->luck.known || r->set)
        return importer_fail(im, REDO_EDECISION);
    struct item *item = add_decision(&at->sheet, MOVE_DOUBLE);
    if (!item)
        return importer_fail(im, REDO_ENOMEM);
    item->analysis = opinion_of_cube(&at->sheet, &r->cube_analysis);
    if (item->analysis)
        item->analysed = redo_analysis_own;
    mark(&at->sheet, item, r->cube_marked);
    node->at = NULL;
    return REDO_OK;
}

/* gnubg saves what it thinks of the cube after a position was set up as a double that nobody made.
 */
static bool is_pending(redo_sgf_node const *node, struct gnubg_record const *r,
                       struct entry const *from)
{
    struct extra extra;
    extra_read(node, &extra, NULL);
    return r->action == GNUBG_DOUBLE && r->has_cube && from->rolls && !from->roll &&
           !from->board.doubled && from->board.dice[0] == 0 && is_alone(node) && !extra.made;
}

static int import_pending(redo_sgf_node *node, struct gnubg_record const *r, struct entry *at)
{
    struct sheet *s = &at->sheet;
    struct item *item = add_decision(s, MOVE_DOUBLE);
    if (!item)
        return REDO_ENOMEM;
    item->analysis = opinion_of_cube(s, &r->cube_analysis);
    if (item->analysis)
        item->analysed = redo_analysis_own;
    mark(s, item, r->cube_marked);
    set_word(s, &s->position, "pending",
             r->player == GNUBG_WHITE ? "white doubles" : "black doubles");
    hang_skill(s, &s->position, "cube skill", r->cube_skill);
    hang_common(s, &s->position, r);
    node->at = NULL;
    return REDO_OK;
}

/* A hint asked while a double is not answered is saved as a take by the side that doubled. */
static bool is_pending_take(redo_sgf_node const *node, struct gnubg_record const *r,
                            struct entry const *from)
{
    struct extra extra;
    extra_read(node, &extra, NULL);
    return r->action == GNUBG_TAKE && r->has_cube && r->cube_analysis.text.size > 0 &&
           from->board.doubled && r->player != from->board.turn && from->chain &&
           from->chain->sheet.decisions.count == from->depth && is_alone(node) && !extra.made;
}

static int import_pending_take(redo_sgf_node *node, struct gnubg_record const *r, struct entry *at)
{
    struct sheet *s = &at->sheet;
    struct item *item = add_decision(&at->chain->sheet, MOVE_TAKE);
    if (!item)
        return REDO_ENOMEM;
    hang_answer(&at->chain->sheet, item, r, at);
    set_word(s, &s->position, "pending", r->player == GNUBG_WHITE ? "white takes" : "black takes");
    hang_skill(s, &s->position, "cube skill", r->cube_skill);
    hang_common(s, &s->position, r);
    node->at = NULL;
    return REDO_OK;
}

/* Where somebody decides who was not the one to act, as after a board that was set up (gnubg saves
 * all of these for White), the decision has a position of its own, of which no node tells. */
static struct entry *find_decider(struct importer *im, struct gnubg_record const *r,
                                  struct entry *from)
{
    struct gnubg_position board = from->board;
    if (from->board.turn == BOARD_NOBODY_YET ||
        gnubg_position_decide(&board, r, im->error) != REDO_OK || board_equal(&board, &from->board))
        return from;
    for (redo_branch const *b = from->position->next; b; b = b->cdr) {
        struct entry *e = im->entries[b->id];
        if (e->untold && board_equal(&e->board, &board))
            return e;
    }
    struct entry *to = importer_add(im, from, from->next_setup, &board, NULL);
    if (!to)
        return NULL;
    to->rolls = to->untold = true;
    set_bool(&to->sheet, &to->sheet.branch, UNTOLD, true);
    return to;
}

int import_action(struct importer *im, redo_sgf_node *node, struct gnubg_record const *r,
                  struct entry *from)
{
    if (is_pending_take(node, r, from))
        return import_pending_take(node, r, from);
    bool answers = from->board.doubled && r->player == from->board.turn;
    if (!answers && r->action == GNUBG_DOUBLE)
        from = find_decider(im, r, from);
    if (!from)
        return im->error->code;
    struct gnubg_position after = from->board;
    bool first_child = !from->last;
    if (is_pending(node, r, from))
        return import_pending(node, r, from);
    int move = number_of(r, from, answers);
    int code = gnubg_position_play(&after, r, im->error);
    if (code)
        return code;
    struct entry *to = importer_add(im, from, move, &after, node);
    if (!to)
        return im->error->code;
    hang_decision(from, to, r, move, answers, first_child);
    hang_skill(&to->sheet, &to->sheet.branch, "cube skill", r->cube_skill);
    hang_common(&to->sheet, &to->sheet.branch, r);
    node->at = to;
    return REDO_OK;
}
