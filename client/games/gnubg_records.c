/* Positions as nodes of gnubg's, one by one. */
#include <stdlib.h>
#include <string.h>

#include "client/games/gnubg_export.h"
#include "client/sgf/gnubg_parts.h"

/* --- what hangs on a branch, or an open decision --- */

/* As it was written, if it still says that. */
static bool is_raw(struct properties const *from, redo_sgf_string text, char *room,
                   redo_sgf_string *raw)
{
    if (!get_text(from, "C", raw))
        return false;
    size_t size = redo_sgf_text_decode(*raw, room, 2 * text.size);
    return size == text.size && memcmp(room, text.data, size) == 0;
}

/* Whether what is open at a place has a node of its own, which has the comment: see
 * export_pending(). */
static bool tells_open(struct place const *at)
{
    struct sheet const *s = &at->sheet;
    struct children c = {0};
    redo_sgf_string text;
    bool last = children_of(at->position, &c) && (c.count == 0 || is_alternate(c.list[0]));
    children_free(&c);
    if (!last || !at->board.dice[0] || s->choice == redo_choice_none)
        return last && get_text(&s->position, "pending", &text);
    return get_text(&s->position, "pending", &text) || s->candidates.count > 0;
}

/* The comments of a node in one: that of the branch (`from`), and those that were made where it has
 * no place for them, at the position it leads to, and at a roll that has no node of its own. Either
 * may be NULL. */
static int fetch_comment(struct exporter *ex, struct properties const *from,
                         struct place const *roll, struct place const *to, struct gnubg_record *r)
{
    struct properties const *of[] = {roll ? &roll->sheet.branch : NULL,
                                     roll ? &roll->sheet.position : NULL, from,
                                     to ? &to->sheet.position : NULL};
    redo_sgf_string texts[4], raw;
    size_t count = 0, size = 0;
    bool own = false;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i] && get_text(of[i], "comment", &texts[count]) && !(i == 3 && tells_open(to))) {
            own |= of[i] == from;
            size += texts[count++].size + 2;
        }
    if (count == 0)
        return REDO_OK;
    char *text = arena_take(&ex->arena, 3 * size + 1), *made = text + size;
    if (!text)
        return export_no_memory(ex);
    if (count == 1 && own && is_raw(from, texts[0], made, &raw)) {
        r->comment = raw;
        return REDO_OK;
    }
    redo_sgf_string all = {text, 0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text[all.size++] = '\n', text[all.size++] = '\n';
        memcpy(text + all.size, texts[i].data, texts[i].size);
        all.size += texts[i].size;
    }
    r->comment = (redo_sgf_string){made, redo_sgf_text_encode(all, 0, made, 2 * size)};
    return REDO_OK;
}

static bool ends_with(struct property const *p, char const *end)
{
    size_t size = strlen(end);
    return p->name_size > size && memcmp(p->name + p->name_size - size, end, size) == 0;
}

static bool is_one_of(struct property const *p, char const *const *names)
{
    for (; *names; names++)
        if (p->name_size == strlen(*names) && memcmp(p->name, *names, p->name_size) == 0)
            return true;
    return false;
}

/* Properties that were not understood: before or after the others. Those with the end " more" are
 * values of others. */
static int write_rest(struct exporter *ex, redo_sgf_node *node, struct properties const *from,
                      bool before)
{
    static char const *const understood[] = {"C",  "A",  "MR", "DA", "CR", "PL",  "AE",
                                             "AW", "AB", "DI", "CV", "CP", EXTRA, NULL};
    int code = REDO_OK;
    for (struct property const *p = from->first; p && code == REDO_OK; p = p->next) {
        struct property named = *p;
        bool is_before = ends_with(p, " before");
        if (is_before != before || is_one_of(p, understood))
            continue;
        if (is_before)
            named.name_size -= strlen(" before");
        code = export_property(ex->game, node, &named, ex->error);
    }
    return code;
}

static int write_more_values(struct exporter *ex, redo_sgf_node *node,
                             struct properties const *from)
{
    int code = REDO_OK;
    for (struct property const *p = from->first; p && code == REDO_OK; p = p->next) {
        if (!ends_with(p, " more"))
            continue;
        for (redo_sgf_property *q = node->properties; q; q = q->next)
            if (q->name_size == p->name_size - 5 && memcmp(q->name, p->name, q->name_size) == 0) {
                code = export_values(ex->game, q, p, ex->error);
                break;
            }
    }
    return code;
}

/* Writes the record and what hangs around it; roll, to: as with fetch_comment(). */
int export_node(struct exporter *ex, redo_sgf_node *node, struct properties const *from,
                struct place const *roll, struct place const *to, struct gnubg_record *r)
{
    int code = fetch_comment(ex, from, roll, to, r);
    r->skill = fetch_skill(from, "skill");
    if (code == REDO_OK)
        code = write_rest(ex, node, from, true);
    if (code == REDO_OK && gnubg_record_write(ex->game, node, r) != REDO_OK)
        code = error_say(ex->error, REDO_EDAMAGED, "a text can not stand in SGF");
    if (code == REDO_OK)
        code = write_rest(ex, node, from, false);
    return code == REDO_OK ? write_more_values(ex, node, from) : code;
}

/* --- candidates --- */

static bool move_of_item(struct item const *item, int const dice[2], struct gnubg_move *move)
{
    return (item->text.data && move_parse(item->text, move)) ||
           (item->has_move && move_of_number(item->move, dice, move));
}

static int fetch_candidate(struct exporter *ex, struct item const *item, int const dice[2],
                           struct gnubg_candidate *c)
{
    redo_sgf_string entry, analysis = {"", 0};
    bool marked = false;
    if (!move_of_item(item, dice, &c->move))
        return error_say(ex->error, REDO_EDAMAGED, "a candidate has no move that gnubg knows");
    c->marked = get_bool(&item->properties, "marked", &marked) && marked;
    c->analysis.kind = GNUBG_UNKNOWN; /* the text is all that is written */
    c->text.data = NULL;
    if (item->analysis && !opinion_text(&ex->arena, item->analysis, false, &analysis))
        return export_no_memory(ex);
    c->analysis.text = analysis;
    if (get_text(&item->properties, "entry", &entry) && entry.size >= analysis.size &&
        memcmp(entry.data + entry.size - analysis.size, analysis.data, analysis.size) == 0)
        c->text = entry;
    return REDO_OK;
}

static bool marks_fit(redo_sgf_string raw, struct gnubg_record const *r)
{
    redo_sgf_string word;
    size_t count = 0, marked = 0;
    long number;
    while ((word = word_next(&raw)).size > 0) {
        if (!word_integer(word, 1, (long)r->count, &number) || !r->candidates[number - 1].marked)
            return false;
        count++;
    }
    for (size_t i = 0; i < r->count; i++)
        marked += r->candidates[i].marked;
    return count == marked;
}

/* The list that belongs to a roll; `made` is one of its items, or NULL. */
int export_list(struct exporter *ex, struct place const *roll, struct item const *made,
                struct gnubg_record *r)
{
    struct sheet const *s = &roll->sheet;
    bool yes = false;
    int64_t index;
    int code = REDO_OK;
    redo_sgf_string marks;
    if (s->candidates.count > ex->list_cap) {
        size_t cap = s->candidates.count + 64;
        free(ex->list);
        ex->list = calloc(cap, sizeof *ex->list);
        ex->list_cap = ex->list ? cap : 0;
        if (!ex->list)
            return export_no_memory(ex);
    }
    r->candidates = ex->list;
    r->made = SIZE_MAX;
    for (struct item const *i = s->candidates.first; i && code == REDO_OK; i = i->next) {
        if (i == made && is_in_list(i))
            r->made = r->count;
        if (is_in_list(i))
            code = fetch_candidate(ex, i, roll->board.dice, &r->candidates[r->count++]);
    }
    r->has_list = r->count > 0 || (get_bool(&s->position, "empty list", &yes) && yes);
    if (r->made == SIZE_MAX)
        r->made = r->count;
    if (get_integer(&s->position, "index", &index) && index >= 0 && (uint64_t)index <= r->count)
        r->made = (size_t)index;
    r->has_marks = r->has_list;
    if (get_bool(&s->position, "MR", &yes)) {
        r->has_marks &= yes;
    } else if (get_text(&s->position, "MR", &marks) && marks_fit(marks, r)) {
        r->has_marks = true;
        r->marks_text = marks;
    }
    if (r->has_list && !r->has_marks)
        for (size_t i = 0; i < r->count; i++)
            r->has_marks |= r->candidates[i].marked;
    return code;
}

/* The candidates that are not in the list. */
int export_unanalysed(struct exporter *ex, redo_sgf_node *node, struct place const *roll)
{
    for (struct item const *i = roll->sheet.candidates.first; i; i = i->next) {
        char text[16 + MOVE_TEXT_MAX + 1] = "candidate:";
        struct gnubg_move move;
        size_t size = strlen(text);
        if (!is_listed(i) || is_in_list(i))
            continue;
        if (!move_of_item(i, roll->board.dice, &move))
            return error_say(ex->error, REDO_EDAMAGED, "a candidate has no move that gnubg knows");
        size += move_format(&move, text + size, MOVE_TEXT_MAX);
        text[size] = '\0';
        if (extra_word(ex->game, node, text) != REDO_OK)
            return export_no_memory(ex);
    }
    return REDO_OK;
}

/* --- the cube --- */

int export_cube_text(struct exporter *ex, struct analysis const *a, struct gnubg_record *r)
{
    if (!opinion_text(&ex->arena, a, true, &r->cube_analysis.text))
        return export_no_memory(ex);
    r->has_cube = r->cube_analysis.text.size > 0;
    return REDO_OK;
}

bool item_is_marked(struct item const *item)
{
    bool marked;
    return get_bool(&item->properties, "marked", &marked) && marked;
}

/* What a branch says itself comes before what it shares. */
int export_cube(struct exporter *ex, struct properties const *branch, struct sheet const *decisions,
                struct item const *item, bool usual, struct gnubg_record *r)
{
    redo_sgf_string text;
    bool yes;
    struct analysis const *a = item ? item->analysis : NULL;
    int code = REDO_OK;
    if (item && item->analysed == redo_analysis_shared && decisions->decisions.first)
        a = decisions->decisions.first->analysis;
    if (get_bool(branch, "cube", &yes))
        usual = yes;
    if (get_text(branch, "DA", &text)) {
        r->has_cube = true;
        r->cube_analysis.text = text;
    } else if (usual && a) {
        code = export_cube_text(ex, a, r);
        r->cube_marked = item_is_marked(item);
    } else if (usual && item && item != decisions->decisions.first) {
        r->cube_marked = item_is_marked(item);
    }
    if (get_bool(branch, "CR", &yes))
        r->cube_marked = yes;
    r->cube_skill = fetch_skill(branch, "cube skill");
    return code;
}

bool chain_of(struct exporter *ex, redo_position *position, redo_position **begin, unsigned *depth)
{
    struct gnubg_position board;
    *depth = 0;
    while (position && board_of(ex->session, position, &board) && board.doubled) {
        if (redo_getmove(position) < 0 || redo_getmove(position) >= MOVE_AGAIN)
            return false;
        position = position->prev;
        ++*depth;
    }
    *begin = position;
    return position && *depth > 0;
}

struct item const *item_at(struct items const *items, unsigned place)
{
    struct item const *item = items->first;
    while (item && place-- > 0)
        item = item->next;
    return item;
}

/* The decision that an action is, and the sheet it is in. */
static struct item const *decision_of(struct exporter *ex, struct place const *at,
                                      struct place const *to, struct sheet *chain)
{
    redo_position *begin;
    unsigned depth = 0;
    int move = redo_getmove(to->position);
    *chain = at->sheet;
    if (move >= MOVE_AGAIN)
        return NULL;
    if (at->board.doubled && (!chain_of(ex, at->position, &begin, &depth) ||
                              sheet_get(begin, &ex->arena, chain) != REDO_OK))
        return NULL;
    struct item const *item = item_at(&chain->decisions, depth);
    return item && item->has_move && item->move == move ? item : NULL;
}

/* --- nodes --- */

/* Whether the record leads where the position is, as far as gnubg knows. */
static int check(struct exporter *ex, struct place const *at, struct place const *to,
                 struct gnubg_record const *r)
{
    struct gnubg_position p = at->board;
    redo_sgf_error why;
    if (gnubg_position_play(&p, r, &why) != REDO_OK)
        return export_fail(ex, to->position, why.message);
    if (!board_same_compared(&p, &to->board) || p.cube != to->board.cube ||
        p.owner != to->board.owner)
        return export_fail(ex, to->position, "it is not where its move leads");
    return REDO_OK;
}

static int fetch_move(struct exporter *ex, struct place const *roll, struct place const *to,
                      struct gnubg_record *r, struct item const **made)
{
    redo_sgf_string text;
    int number = redo_getmove(to->position);
    *made = items_find(&roll->sheet.candidates, number);
    if (get_text(&to->sheet.branch, "move", &text) && move_parse(text, &r->move))
        return REDO_OK;
    if ((*made && move_of_item(*made, roll->board.dice, &r->move)) ||
        move_of_number(number, roll->board.dice, &r->move))
        return REDO_OK;
    return export_fail(ex, to->position, "what move leads there is told by no candidate");
}

struct gnubg_record move_record(struct place const *roll)
{
    struct gnubg_record r = {.action = GNUBG_MOVE,
                             .player = roll->board.turn,
                             .to_play = GNUBG_NOBODY,
                             .owner = GNUBG_NOBODY,
                             .dice = {roll->board.dice[0], roll->board.dice[1]}};
    return r;
}

/* Values that the branch has for itself, as they are. */
static int write_own(struct exporter *ex, redo_sgf_node *node, struct properties const *branch,
                     char const *name)
{
    struct property const *p = find_property(branch, name);
    struct reading r = p ? read_value(p->value, p->size) : (struct reading){NULL, NULL, true};
    if (!p || (!read_is_string(&r) && !read_is_array(&r)))
        return REDO_OK;
    return export_property(ex->game, node, p, ex->error);
}

int export_move(struct exporter *ex, redo_sgf_node *node, struct place const *roll,
                struct place const *to, bool first, bool made)
{
    struct gnubg_record r = move_record(roll);
    struct item const *item;
    int code = fetch_move(ex, roll, to, &r, &item);
    if (code == REDO_OK)
        code = check(ex, roll, to, &r);
    if (code == REDO_OK && first)
        code = export_list(ex, roll, item, &r);
    if (code == REDO_OK)
        code = export_cube(ex, &to->sheet.branch, &roll->sheet, NULL, false, &r);
    fetch_luck(&to->sheet.branch, &r.luck);
    if (code == REDO_OK)
        code = export_node(ex, node, &to->sheet.branch, NULL, to, &r);
    if (code == REDO_OK && first)
        code = export_unanalysed(ex, node, roll);
    if (code == REDO_OK && !first)
        code = write_own(ex, node, &to->sheet.branch, "A");
    if (code == REDO_OK && !first)
        code = write_own(ex, node, &to->sheet.branch, "MR");
    if (code == REDO_OK && made && extra_word(ex->game, node, "made") != REDO_OK)
        code = export_no_memory(ex);
    return code;
}

int export_rolled(struct exporter *ex, redo_sgf_node *node, struct place const *at,
                  struct place const *roll, struct place const *to, bool first_roll, bool first)
{
    struct gnubg_record r = move_record(roll);
    struct item const *item;
    int code = fetch_move(ex, roll, to, &r, &item);
    if (code == REDO_OK)
        code = check(ex, at, to, &r);
    if (code == REDO_OK && first)
        code = export_list(ex, roll, item, &r);
    if (code == REDO_OK && first)
        code = export_cube(ex, &roll->sheet.branch, &at->sheet, at->sheet.decisions.first,
                           first_roll, &r);
    if (first)
        fetch_luck(&roll->sheet.branch, &r.luck);
    if (code == REDO_OK)
        code = export_node(ex, node, &to->sheet.branch, first ? roll : NULL, to, &r);
    return code == REDO_OK && first ? export_unanalysed(ex, node, roll) : code;
}

int export_action(struct exporter *ex, redo_sgf_node *node, struct place const *at,
                  struct place const *to, bool made)
{
    struct gnubg_record r = {.to_play = GNUBG_NOBODY, .owner = GNUBG_NOBODY};
    struct sheet chain;
    struct item const *item = decision_of(ex, at, to, &chain);
    r.player = at->board.doubled ? at->board.turn : to->board.roller;
    if (to->board.doubled)
        r.action = GNUBG_DOUBLE;
    else if (at->board.doubled)
        r.action = to->board.state == GNUBG_DROPPED ? GNUBG_DROP : GNUBG_TAKE;
    else
        return export_fail(ex, to->position, "nothing leads there: no dice, and no double");
    int code = check(ex, at, to, &r);
    if (code == REDO_OK)
        code = export_cube(ex, &to->sheet.branch, &chain, item, true, &r);
    if (code == REDO_OK)
        code = export_node(ex, node, &to->sheet.branch, NULL, to, &r);
    if (code == REDO_OK && made && r.has_cube && extra_word(ex->game, node, "made") != REDO_OK)
        code = export_no_memory(ex);
    return code;
}

/* The properties of a set-up node as they were: whether they still make that position. */
static int write_setup(struct exporter *ex, redo_sgf_node *node, struct place const *at,
                       struct place const *to, bool *fits)
{
    static char const *const names[] = {"PL", "AE", "AW", "AB", "DI", "CV", "CP", EXTRA, NULL};
    struct gnubg_record r;
    struct gnubg_position p = at->board;
    struct extra extra;
    redo_sgf_error ignored;
    int code = REDO_OK;
    *fits = false;
    for (struct property const *q = to->sheet.branch.first; q && code == REDO_OK; q = q->next)
        if (is_one_of(q, names)) {
            code = export_property(ex->game, node, q, ex->error);
            *fits = true;
        }
    if (code || !*fits)
        return code;
    *fits = false;
    if (gnubg_record_read(ex->game, node, &r, &ignored) == REDO_OK) {
        *fits =
            setup_play(&p, node, &r, &extra, &ignored) == REDO_OK && board_equal(&p, &to->board);
        gnubg_record_free(&r);
    }
    if (!*fits)
        node->properties = node->last_property = NULL;
    return REDO_OK;
}

int export_setup(struct exporter *ex, redo_sgf_node *node, struct place const *at,
                 struct place const *to, int after)
{
    struct gnubg_record r = {
        .player = GNUBG_NOBODY, .to_play = GNUBG_NOBODY, .owner = GNUBG_NOBODY};
    bool fits = false;
    int code = write_rest(ex, node, &to->sheet.branch, true);
    redo_sgf_property *before = node->last_property;
    if (code == REDO_OK && !before && !after)
        code = write_setup(ex, node, at, to, &fits);
    /* A node without any of them sets nothing up. */
    if (code == REDO_OK && !fits && !(board_equal(&at->board, &to->board) && !after) &&
        setup_write(ex->game, node, &at->board, &to->board, after) != REDO_OK)
        code = export_no_memory(ex);
    /* Else it might be another side line, and what is open beside it would have been done. */
    if (code == REDO_OK && !fits && is_alternate(to->position) &&
        extra_length(ex->game, node, &to->board) != REDO_OK)
        code = export_no_memory(ex);
    fetch_luck(&to->sheet.branch, &r.luck);
    if (code == REDO_OK)
        code = fetch_comment(ex, &to->sheet.branch, NULL, to, &r);
    if (code == REDO_OK && gnubg_record_write(ex->game, node, &r) != REDO_OK)
        code = error_say(ex->error, REDO_EDAMAGED, "a comment can not stand in SGF");
    if (code == REDO_OK)
        code = write_rest(ex, node, &to->sheet.branch, false);
    return code == REDO_OK ? write_more_values(ex, node, &to->sheet.branch) : code;
}
