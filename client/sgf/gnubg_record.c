/* The nodes after the root: actions, set-up, and what hangs on them. */
#include <stdlib.h>
#include <string.h>

#include "client/sgf/gnubg_parts.h"
#include "client/sgf/tree.h"

#define COUNT(table) (sizeof table / sizeof *table)
#define CANDIDATES_MAX 5000 /* no roll has so many moves */

/* --- points and moves --- */

/* A letter is a point of the board: White's own number, Black's counted from the other end; y is
 * the bar, z off the board. -1: no such letter. */
static int point_of(enum gnubg_side side, char letter)
{
    if (letter == 'y')
        return 25;
    if (letter == 'z')
        return 0;
    if (letter < 'a' || letter > 'x')
        return -1;
    int n = letter - 'a' + 1;
    return side == GNUBG_WHITE ? n : 25 - n;
}

static char letter_of(enum gnubg_side side, int point)
{
    if (point == 25)
        return 'y';
    if (point == 0)
        return 'z';
    return (char)('a' + (side == GNUBG_WHITE ? point : 25 - point) - 1);
}

static bool read_move(enum gnubg_side side, redo_sgf_string text, struct gnubg_move *move)
{
    move->count = text.size / 2;
    if (text.size % 2 != 0 || move->count > COUNT(move->hops))
        return false;
    for (size_t i = 0; i < move->count; i++) {
        int from = point_of(side, text.data[2 * i]), to = point_of(side, text.data[2 * i + 1]);
        if (from < 1 || to < 0 || to == 25)
            return false;
        move->hops[i] = (struct gnubg_hop){(uint8_t)from, (uint8_t)to};
    }
    return true;
}

static void format_move(struct out *o, enum gnubg_side side, struct gnubg_move const *move)
{
    for (size_t i = 0; i < move->count; i++) {
        char hop[2] = {letter_of(side, move->hops[i].from), letter_of(side, move->hops[i].to)};
        out_text(o, hop, 2);
    }
}

static bool read_dice(redo_sgf_string text, int dice[2])
{
    for (size_t i = 0; i < 2; i++) {
        if (text.size < 2 || text.data[i] < '1' || text.data[i] > '6')
            return false;
        dice[i] = text.data[i] - '0';
    }
    return true;
}

/* --- reading --- */

static int bad(struct parts *parts, redo_sgf_string at, char const *what)
{
    error_at(parts->game, parts->error, at.data, "%s", what);
    return -1;
}

static int read_action(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p,
                       enum gnubg_side side)
{
    static char const *const words[] = {"double", "take", "drop"};
    redo_sgf_string text = first_raw(p);
    if (r->action != GNUBG_NO_ACTION)
        return 0; /* the first one counts */
    r->player = side;
    for (size_t i = 0; i < COUNT(words); i++)
        if (word_is(text, words[i])) {
            r->action = GNUBG_DOUBLE + (int)i;
            return 1;
        }
    r->action = GNUBG_MOVE;
    if (!read_dice(text, r->dice) ||
        !read_move(side, (redo_sgf_string){text.data + 2, text.size - 2}, &r->move))
        return bad(parts, text, "neither double, take, drop, nor dice and pairs of points");
    return 1;
}

static int read_player(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    redo_sgf_string text = first_raw(p);
    if (!word_is(text, "W") && !word_is(text, "B"))
        return bad(parts, text, "a player is W or B");
    r->to_play = text.data[0] == 'W' ? GNUBG_WHITE : GNUBG_BLACK;
    if (r->board[0] || r->board[1] || r->board[2])
        r->player_last = true;
    return 1;
}

/* One value of AE, AW or AB: a point, or two with a colon between them and all between those. */
static bool read_points(struct gnubg_record *r, int which, redo_sgf_string raw)
{
    redo_sgf_string first, last;
    if (!redo_sgf_split(raw, &first, &last))
        last = first;
    if (first.size != 1 || last.size != 1 || first.data[0] < 'a' || last.data[0] > 'y')
        return false;
    for (char c = first.data[0]; c <= last.data[0]; c++) {
        if (which == 0) {
            r->clear[c == 'y' ? 24 : c - 'a'] = true;
            continue;
        }
        uint8_t *count = &r->add[which - 1][point_of(which - 1, c) - 1];
        if (++*count > 15)
            return false;
    }
    return first.data[0] <= last.data[0];
}

static int read_board(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p,
                      int which)
{
    if (r->board[which])
        return bad(parts, redo_sgf_property_name(p), "the same list twice in a node");
    r->board[which] = p;
    r->set |= GNUBG_SET_BOARD;
    for (redo_sgf_value const *v = p->first; v; v = v->next)
        if (!read_points(r, which, redo_sgf_value_raw(v)))
            return bad(parts, redo_sgf_value_raw(v),
                       "points are letters from a to y, and a player "
                       "has at most 15 chequers");
    return 1;
}

static int read_set_dice(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    redo_sgf_string text = first_raw(p);
    if (text.size != 2 || !read_dice(text, r->set_dice))
        return bad(parts, text, "dice are two digits from 1 to 6");
    r->set |= GNUBG_SET_DICE;
    return 1;
}

static int read_set_cube(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    long cube;
    redo_sgf_string text = first_raw(p);
    if (!word_integer(text, 1, 1 << 15, &cube) || (cube & (cube - 1)) != 0)
        return bad(parts, text, "a cube is a power of 2 up to 32768");
    r->cube = (unsigned)cube;
    r->set |= GNUBG_SET_CUBE;
    return 1;
}

static int read_set_owner(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    redo_sgf_string text = first_raw(p);
    if (text.size != 1 || !strchr("cwb", text.data[0]))
        return bad(parts, text, "a cube's owner is w, b or c, nobody");
    r->owner = text.data[0] == 'w' ? GNUBG_WHITE : text.data[0] == 'b' ? GNUBG_BLACK : GNUBG_NOBODY;
    r->set |= GNUBG_SET_OWNER;
    return 1;
}

/* An entry of A: a move, and after a space what is thought of it. */
static int read_candidate(struct parts *parts, enum gnubg_side side, redo_sgf_string raw,
                          struct gnubg_candidate *c)
{
    redo_sgf_string rest = raw, move = word_next(&rest);
    c->text = raw;
    if (!read_move(side, move, &c->move))
        return bad(parts, raw, "a candidate begins with up to four pairs of points");
    gnubg_candidate_analysis_read(rest, &c->analysis);
    return 1;
}

static int read_list(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    size_t count = 0;
    long made;
    for (redo_sgf_value const *v = p->first->next; v; v = v->next)
        count++;
    if (count > CANDIDATES_MAX)
        return bad(parts, first_raw(p), "too many candidates");
    if (!word_integer(first_raw(p), 0, (long)count, &made))
        return bad(parts, first_raw(p),
                   "which candidate was made: a number from 0 to that of them");
    r->has_list = true;
    r->made = (size_t)made;
    r->candidates = calloc(count + 1, sizeof *r->candidates);
    if (!r->candidates) {
        error_say(parts->error, REDO_ENOMEM, "out of memory");
        return -1;
    }
    for (redo_sgf_value const *v = p->first->next; v; v = v->next)
        if (read_candidate(parts, r->player, redo_sgf_value_raw(v), &r->candidates[r->count++]) < 0)
            return -1;
    return 1;
}

/* The numbers of candidates, from 1. */
static int read_marks(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    redo_sgf_string rest = first_raw(p), word;
    r->has_marks = true;
    r->marks_text = rest;
    while ((word = word_next(&rest)).size > 0) {
        long number;
        if (!word_integer(word, 1, (long)r->count, &number))
            return bad(parts, word, "the number of a candidate expected");
        r->candidates[number - 1].marked = true;
    }
    return 1;
}

static int read_luck(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    redo_sgf_string text = first_raw(p);
    if (!word_number(text, &r->luck.value))
        return bad(parts, text, "luck is a number");
    r->luck.known = true;
    return 1;
}

/* 1 or 2, as of GB, BM, BC. */
static bool degree(redo_sgf_property const *p, int *to)
{
    redo_sgf_string text = first_raw(p);
    if (text.size != 1 || (text.data[0] != '1' && text.data[0] != '2'))
        return false;
    *to = text.data[0] - '0';
    return true;
}

/* Marks that contradict each other, or have other values than gnubg knows, are not understood. */
static int read_class(struct gnubg_record *r, redo_sgf_property const *p, enum gnubg_side side)
{
    if (r->luck.degree || !degree(p, &r->luck.degree))
        return 0;
    r->luck.good_for = side;
    return 1;
}

static int read_skill(enum gnubg_skill *skill, redo_sgf_property const *p, bool doubtful)
{
    int how_bad = 0;
    if (*skill != GNUBG_UNMARKED || (doubtful ? first_raw(p).size > 0 : !degree(p, &how_bad)))
        return 0;
    *skill = doubtful ? GNUBG_DOUBTFUL : GNUBG_BAD + how_bad - 1;
    return 1;
}

static int read_comment(struct gnubg_record *r, redo_sgf_property const *p)
{
    r->comment = first_raw(p);
    return 1;
}

/* What can be read whatever comes before or after it in the node. */
static int read_other(struct parts *parts, struct gnubg_record *r, redo_sgf_property const *p)
{
    if (redo_sgf_property_is(p, "LU"))
        return read_luck(parts, r, p);
    if (redo_sgf_property_is(p, "GW"))
        return read_class(r, p, GNUBG_WHITE);
    if (redo_sgf_property_is(p, "GB"))
        return read_class(r, p, GNUBG_BLACK);
    if (redo_sgf_property_is(p, "DO"))
        return read_skill(&r->skill, p, true);
    if (redo_sgf_property_is(p, "BM"))
        return read_skill(&r->skill, p, false);
    if (redo_sgf_property_is(p, "DC"))
        return read_skill(&r->cube_skill, p, true);
    if (redo_sgf_property_is(p, "BC"))
        return read_skill(&r->cube_skill, p, false);
    if (redo_sgf_property_is(p, "C"))
        return read_comment(r, p);
    return 0;
}

static int read_property(struct parts *parts, redo_sgf_property const *p)
{
    struct gnubg_record *r = parts->into;
    static char const *const boards[] = {"AE", "AW", "AB"};
    if (redo_sgf_property_is(p, "W"))
        return read_action(parts, r, p, GNUBG_WHITE);
    if (redo_sgf_property_is(p, "B"))
        return read_action(parts, r, p, GNUBG_BLACK);
    if (redo_sgf_property_is(p, "PL"))
        return read_player(parts, r, p);
    for (int i = 0; i < 3; i++)
        if (redo_sgf_property_is(p, boards[i]))
            return read_board(parts, r, p, i);
    if (redo_sgf_property_is(p, "DI"))
        return read_set_dice(parts, r, p);
    if (redo_sgf_property_is(p, "CV"))
        return read_set_cube(parts, r, p);
    if (redo_sgf_property_is(p, "CP"))
        return read_set_owner(parts, r, p);
    if (redo_sgf_property_is(p, "DA")) {
        r->has_cube = true;
        gnubg_cube_analysis_read(first_raw(p), &r->cube_analysis);
        return 1;
    }
    if (redo_sgf_property_is(p, "CR") && first_raw(p).size == 0)
        return r->cube_marked = true;
    /* These need the player and the candidates, and are read when all else is. */
    if (redo_sgf_property_is(p, "A") || redo_sgf_property_is(p, "MR"))
        return 1;
    return read_other(parts, r, p);
}

static redo_sgf_property const *last_property(redo_sgf_node const *node, char const *id)
{
    redo_sgf_property const *last = NULL;
    for (redo_sgf_property const *p = node->properties; p; p = p->next)
        if (redo_sgf_property_is(p, id))
            last = p;
    return last;
}

/* Whose points the letters of a list are needs to be known. */
static int read_lists(struct parts *parts, struct gnubg_record *r, redo_sgf_node const *node)
{
    redo_sgf_property const *list = last_property(node, "A"), *marks = last_property(node, "MR");
    if (list && r->player == GNUBG_NOBODY)
        return bad(parts, redo_sgf_property_name(list), "candidates without a player");
    if (list && read_list(parts, r, list) < 0)
        return -1;
    return marks ? read_marks(parts, r, marks) : 1;
}

/* Of B and W the first in a node counts. */
static char const *const last_counts[] = {"A",  "PL", "DI", "CV", "CP", "DA", "CR", "MR", "LU",
                                          "GB", "GW", "DO", "BM", "DC", "BC", "C",  NULL};
static char const *const lists[] = {"A", "AE", "AW", "AB", NULL};

int gnubg_record_read(redo_sgf_game *game, redo_sgf_node const *node, struct gnubg_record *record,
                      redo_sgf_error *error)
{
    *record = (struct gnubg_record){.player = GNUBG_NOBODY, .owner = GNUBG_NOBODY};
    struct parts parts = {game, error, record, read_property, last_counts, lists};
    record->to_play = GNUBG_NOBODY;
    record->begin = node->properties ? node->properties->name : NULL;
    int code = parts_read(&parts, node, &record->rests);
    if (record->action == GNUBG_NO_ACTION)
        record->player = record->to_play;
    if (code == REDO_OK && read_lists(&parts, record, node) < 0)
        code = error->code;
    if (code)
        gnubg_record_free(record);
    return code;
}

void gnubg_record_free(struct gnubg_record *record)
{
    free(record->candidates);
    free(record->rests.list);
    record->candidates = NULL;
    record->count = 0;
    record->rests = (struct gnubg_rests){0};
}

bool gnubg_record_is_open(struct gnubg_record const *before, struct gnubg_record const *last)
{
    return before->action == GNUBG_NO_ACTION && before->set & GNUBG_SET_DICE &&
           last->action == GNUBG_MOVE && before->player == last->player &&
           memcmp(before->set_dice, last->dice, sizeof last->dice) == 0;
}

/* --- writing --- */

static void write_action(struct writing *w, struct gnubg_record const *r)
{
    static char const *const words[] = {"", "", "double", "take", "drop"};
    char text[16];
    struct out o = {text, 0, sizeof text};
    if (r->action == GNUBG_NO_ACTION)
        return;
    if (r->action == GNUBG_MOVE) {
        out_format(&o, "%d%d", r->dice[0], r->dice[1]);
        format_move(&o, r->player, &r->move);
    } else {
        out_string(&o, words[r->action]);
    }
    write_property(w, r->player == GNUBG_WHITE ? "W" : "B", (redo_sgf_string){text, o.size});
}

static void write_list_of_points(struct writing *w, struct gnubg_record const *r,
                                 enum gnubg_side side)
{
    bool first = true;
    for (int point = 1; point <= 25; point++)
        for (int n = r->add[side][point - 1]; n > 0; n--) {
            char letter = letter_of(side, point);
            if (first)
                write_property(w, side == GNUBG_WHITE ? "AW" : "AB", (redo_sgf_string){&letter, 1});
            else
                write_value(w, (redo_sgf_string){&letter, 1});
            first = false;
        }
}

static void write_cleared(struct writing *w, struct gnubg_record const *r)
{
    int count = 0;
    for (int i = 0; i < 25; i++)
        count += r->clear[i];
    if (count == 25) {
        write_text(w, "AE", "a:y");
        return;
    }
    for (int i = 0, written = 0; i < 25; i++) {
        char letter = (char)('a' + i);
        if (r->clear[i] && written++ == 0)
            write_property(w, "AE", (redo_sgf_string){&letter, 1});
        else if (r->clear[i])
            write_value(w, (redo_sgf_string){&letter, 1});
    }
}

static void write_board(struct writing *w, struct gnubg_record const *r)
{
    bool as_read = r->board[0] || r->board[1] || r->board[2];
    if (!as_read) {
        write_cleared(w, r);
        write_list_of_points(w, r, GNUBG_WHITE);
        write_list_of_points(w, r, GNUBG_BLACK);
        return;
    }
    for (int i = 0; i < 3; i++)
        if (r->board[i])
            write_copy(w, r->board[i]);
}

static void write_set_up(struct writing *w, struct gnubg_record const *r)
{
    char text[16];
    struct out o = {text, 0, sizeof text};
    bool player = r->to_play != GNUBG_NOBODY;
    char const *name = r->to_play == GNUBG_WHITE ? "W" : "B";
    if (player && !r->player_last)
        write_text(w, "PL", name);
    if (r->set & GNUBG_SET_BOARD)
        write_board(w, r);
    if (player && r->player_last)
        write_text(w, "PL", name);
    if (r->set & GNUBG_SET_DICE) {
        out_format(&o, "%d%d", r->set_dice[0], r->set_dice[1]);
        write_property(w, "DI", (redo_sgf_string){text, o.size});
    }
    if (r->set & GNUBG_SET_CUBE) {
        o.size = 0;
        out_format(&o, "%u", r->cube);
        write_property(w, "CV", (redo_sgf_string){text, o.size});
    }
    if (r->set & GNUBG_SET_OWNER)
        write_text(w, "CP", r->owner == GNUBG_WHITE ? "w" : r->owner == GNUBG_BLACK ? "b" : "c");
}

/* Writes with `format` into memory that is as large as it says. */
static redo_sgf_string make(struct writing *w, struct gnubg_analysis const *a,
                            size_t (*format)(struct gnubg_analysis const *, char *, size_t),
                            struct out const *before)
{
    size_t size = format(a, NULL, 0);
    char *text = malloc(before->size + size + 1);
    if (!text) {
        w->code = REDO_ENOMEM;
        return (redo_sgf_string){NULL, 0};
    }
    memcpy(text, before->bytes, before->size);
    format(a, text + before->size, size);
    return (redo_sgf_string){text, before->size + size};
}

static void write_cube_analysis(struct writing *w, struct gnubg_record const *r)
{
    struct out nothing = {"", 0, 0};
    if (!r->has_cube)
        return;
    if (has(r->cube_analysis.text)) {
        write_property(w, "DA", r->cube_analysis.text);
        return;
    }
    redo_sgf_string text = make(w, &r->cube_analysis, gnubg_cube_analysis_format, &nothing);
    if (has(text))
        write_property(w, "DA", text);
    free((char *)text.data);
}

static void write_candidate(struct writing *w, struct gnubg_record const *r,
                            struct gnubg_candidate const *c)
{
    char move[16];
    struct out o = {move, 0, sizeof move};
    if (has(c->text)) {
        write_value(w, c->text);
        return;
    }
    format_move(&o, r->player, &c->move);
    out_string(&o, " ");
    redo_sgf_string text = make(w, &c->analysis, gnubg_candidate_analysis_format, &o);
    if (has(text))
        write_value(w, text);
    free((char *)text.data);
}

static void write_list(struct writing *w, struct gnubg_record const *r)
{
    char text[32];
    struct out o = {text, 0, sizeof text};
    if (!r->has_list)
        return;
    out_format(&o, "%zu", r->made);
    write_property(w, "A", (redo_sgf_string){text, o.size});
    for (size_t i = 0; i < r->count; i++)
        write_candidate(w, r, &r->candidates[i]);
}

static void write_marks(struct writing *w, struct gnubg_record const *r)
{
    if (!r->has_marks)
        return;
    if (has(r->marks_text)) {
        write_property(w, "MR", r->marks_text);
        return;
    }
    char *text = malloc(r->count * 24 + 1);
    if (!text) {
        w->code = REDO_ENOMEM;
        return;
    }
    struct out o = {text, 0, r->count * 24};
    for (size_t i = 0; i < r->count; i++)
        if (r->candidates[i].marked)
            out_format(&o, "%zu ", i + 1);
    write_property(w, "MR", (redo_sgf_string){text, o.size});
    free(text);
}

static void write_luck(struct writing *w, struct gnubg_luck const *luck)
{
    char text[64];
    struct out o = {text, 0, sizeof text};
    if (luck->known) {
        out_number(&o, &luck->value, 5);
        write_property(w, "LU", (redo_sgf_string){text, o.size});
    }
    if (luck->degree)
        write_text(w, luck->good_for == GNUBG_WHITE ? "GW" : "GB", luck->degree == 1 ? "1" : "2");
}

static void write_skill(struct writing *w, enum gnubg_skill skill, char const *doubtful,
                        char const *wrong)
{
    if (skill == GNUBG_DOUBTFUL)
        write_text(w, doubtful, "");
    else if (skill != GNUBG_UNMARKED)
        write_text(w, wrong, skill == GNUBG_BAD ? "1" : "2");
}

/* In gnubg's order. */
int gnubg_record_write(redo_sgf_game *game, redo_sgf_node *node, struct gnubg_record const *r)
{
    struct writing w = {game, node, &r->rests, NULL, REDO_OK};
    write_rests(&w, GNUBG_REST_BEFORE);
    write_set_up(&w, r);
    write_action(&w, r);
    write_cube_analysis(&w, r);
    if (r->cube_marked)
        write_text(&w, "CR", "");
    write_list(&w, r);
    write_marks(&w, r);
    write_luck(&w, &r->luck);
    write_skill(&w, r->skill, "DO", "BM");
    write_skill(&w, r->cube_skill, "DC", "BC");
    if (has(r->comment))
        write_property(&w, "C", r->comment);
    write_rests(&w, GNUBG_REST_AFTER);
    return w.code;
}
