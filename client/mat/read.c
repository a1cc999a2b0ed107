/* Reading a match: all of its text, then line by line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "client/mat/match.h"
#include "client/mat/words.h"
#include "client/text/input.h"
#include "client/text/place.h"
#include "client/text/recode.h"
#include "client/text/utf8.h"

/* A line is of two columns. The left one begins within so many characters of the number ... */
#define LEFT 10
/* ... the right one after so many of the line. */
#define RIGHT 20

struct parser {
    redo_mat_match *match;
    redo_text_limits const *limits;
    redo_text_error *error;
    char const *begin, *end; /* the text */
    char const *at;          /* where an error is */
    char const *counted;     /* up to here, which is this place */
    unsigned long row, column;
    redo_text_string line; /* without its end */
    redo_mat_game *game;
    bool named; /* its players are there */
    int half;   /* only the first of two lines of players is */
    bool told;  /* the length is */
    bool blank; /* the empty line after tags was there */
    size_t parts;
};

void redo_mat_options_init(redo_mat_options *options)
{
    *options = (redo_mat_options)TEXT_OPTIONS;
}

static int damaged(struct parser *p, char const *at, char const *message)
{
    p->at = at;
    return error_say(p->error, REDO_EDAMAGED, "%s", message);
}

/* Whether there may be one part more. */
static int count(struct parser *p)
{
    if (p->parts++ < p->limits->nodes)
        return REDO_OK;
    p->at = p->line.data;
    return error_say(p->error, REDO_EFULL, "the match has more than %zu lines and actions",
                     p->limits->nodes);
}

static int no_memory(struct parser *p)
{
    p->at = p->line.data;
    if (p->match->arena.full)
        return error_say(p->error, REDO_EFULL, "the match takes more than %zu bytes of memory",
                         p->limits->memory);
    return error_say(p->error, REDO_ENOMEM, "out of memory");
}

/* The place of what begins there, behind all of which that was asked before. */
static void tell_place(struct parser *p, char const *at, unsigned long *line, unsigned long *column)
{
    place_advance(&p->row, &p->column, p->counted, (size_t)(at - p->counted));
    p->counted = at;
    *line = p->row;
    *column = p->column;
}

static int add_action(struct parser *p, redo_mat_action const *action, char const *at)
{
    int code = count(p);
    if (code)
        return code;
    redo_mat_action *a = action_new(p->match, p->game, action);
    if (!a)
        return no_memory(p);
    tell_place(p, at, &a->line, &a->column);
    return REDO_OK;
}

/* --- lines of moves --- */

/* Where the right column begins, from `from` on; or the end of the line. */
static char const *find_right(struct parser const *p, char const *from)
{
    char const *end = p->line.data + p->line.size;
    for (char const *s = from + 1; s < end; s++) {
        if (is_space((unsigned char)*s) || !(is_space((unsigned char)s[-1]) || s[-1] == ':'))
            continue;
        if (cell_begins((redo_text_string){s, (size_t)(end - s)}))
            return s;
        /* Something else, if it stands apart. */
        if (s - p->line.data > RIGHT && is_space((unsigned char)s[-2]))
            return s;
    }
    return end;
}

static bool same(redo_text_string a, redo_text_string b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* The text with single spaces between its words: more are a gap between the columns. */
static redo_text_string squeeze(struct parser *p, redo_text_string s)
{
    redo_text_string copy = {arena_copy(&p->match->arena, s.data, s.size), 0};
    char *text = (char *)copy.data;
    for (size_t i = 0; text && i < s.size; i++) {
        bool space = is_space((unsigned char)s.data[i]);
        if (!space || text[copy.size - 1] != ' ')
            text[copy.size++] = space ? ' ' : s.data[i];
    }
    return copy;
}

static bool has_gaps(redo_text_string s)
{
    for (size_t i = 1; i < s.size; i++)
        if (is_space((unsigned char)s.data[i]) &&
            (s.data[i] != ' ' || is_space((unsigned char)s.data[i - 1])))
            return true;
    return false;
}

/* Of a win with a name before it: whose that is. False: no player has it. */
static bool name_wins(struct parser const *p, redo_mat_action *action, int column)
{
    redo_text_string const *name = p->game->name;
    action->player = column;
    if (action->text.size == 0 || same(action->text, name[column]))
        return true;
    action->player = !column;
    return same(action->text, name[!column]);
}

static int add_cell(struct parser *p, char const *from, char const *to, int player)
{
    redo_mat_action action;
    redo_text_string cell = trim((redo_text_string){from, (size_t)(to - from)});
    if (cell.size == 0)
        return REDO_OK;
    cell_read(cell, &action);
    action.player = player;
    if (action.kind == REDO_MAT_WIN && !name_wins(p, &action, player))
        action = (redo_mat_action){.kind = REDO_MAT_OTHER, .player = player, .text = cell};
    if (action.kind != REDO_MAT_WIN && has_gaps(action.text)) {
        action.text = squeeze(p, action.text);
        if (!action.text.data)
            return no_memory(p);
    }
    /* Where the text stops right after the dice, so did the match. */
    if (action.kind == REDO_MAT_MOVE && action.text.size == 0 &&
        p->line.data + p->line.size == p->end && p->end - (cell.data + cell.size) <= 1)
        action.kind = REDO_MAT_ROLL;
    return add_action(p, &action, cell.data);
}

/* NAME Wins 1 point, which is one cell. */
static bool is_named_win(struct parser const *p, redo_text_string cell)
{
    redo_mat_action action;
    cell_read(cell, &action);
    return action.kind == REDO_MAT_WIN && action.text.size > 0 && name_wins(p, &action, 0);
}

static int parse_row(struct parser *p, redo_text_string rest)
{
    char const *end = p->line.data + p->line.size, *first = trim(rest).data, *right;
    if (trim(rest).size == 0)
        return REDO_OK;
    if (first - rest.data >= LEFT)
        return add_cell(p, first, end, 1);
    if (is_named_win(p, trim(rest)))
        return add_cell(p, first, end, 0);
    right = find_right(p, first);
    int code = add_cell(p, first, right, 0);
    return code ? code : add_cell(p, right, end, 1);
}

/* A line without a number: who won, by name or by where it stands. */
static int parse_win(struct parser *p)
{
    redo_mat_action action;
    redo_text_string s = trim(p->line);
    cell_read(s, &action);
    if (action.kind != REDO_MAT_WIN || !name_wins(p, &action, s.data - p->line.data > RIGHT))
        return damaged(p, s.data, "this is no line of moves: a number and ) expected");
    return add_action(p, &action, s.data);
}

static int parse_comment(struct parser *p)
{
    redo_mat_action action = {.kind = REDO_MAT_COMMENT};
    redo_text_string s = trim(p->line);
    action.text = trim((redo_text_string){s.data + 1, s.size - 1});
    return add_action(p, &action, s.data);
}

/* --- other lines --- */

static int parse_players(struct parser *p)
{
    redo_text_string name[2];
    unsigned long score[2];
    bool one;
    if (!players_read(p->line, name, score, &one) || (p->half && !one))
        return damaged(p, trim(p->line).data, "the players expected: NAME : SCORE, twice");
    if (one) {
        p->game->name[p->half] = name[0];
        p->game->score[p->half] = score[0];
        p->named = p->half++ == 1;
        return REDO_OK;
    }
    memcpy(p->game->name, name, sizeof name);
    memcpy(p->game->score, score, sizeof score);
    p->named = true;
    return REDO_OK;
}

static int begin_game(struct parser *p, unsigned long number)
{
    static redo_text_string const none = {"", 0};
    int code = count(p);
    if (code)
        return code;
    if (p->game && !p->named)
        return damaged(p, p->line.data, "the players of the game before are missing");
    p->game = game_new(p->match);
    if (!p->game)
        return no_memory(p);
    p->game->number = number;
    tell_place(p, trim(p->line).data, &p->game->line, &p->game->column);
    p->game->name[0] = p->game->name[1] = none;
    p->named = false;
    p->half = 0;
    return REDO_OK;
}

static int parse_header(struct parser *p)
{
    redo_text_string name, value;
    enum redo_mat_line_kind kind = line_read(p->line, &name, &value);
    if (p->told && kind == REDO_MAT_LINE && value.size > 0)
        return damaged(p, value.data, "Game and its number expected");
    /* The empty line after tags belongs to them; those after the length are of no account. */
    if (kind == REDO_MAT_LINE && value.size == 0 &&
        (p->told ||
         (!p->blank && p->match->last_line && p->match->last_line->kind == REDO_MAT_TAG))) {
        p->blank = true;
        return REDO_OK;
    }
    int code = count(p);
    if (code)
        return code;
    p->blank = false;
    return line_new(p->match, kind, name, value) ? REDO_OK : no_memory(p);
}

static int parse_game_line(struct parser *p)
{
    redo_text_string rest = p->line, s = trim(p->line);
    if (s.size == 0)
        return REDO_OK;
    if (s.data[0] == ';')
        return parse_comment(p);
    if (!p->named)
        return parse_players(p);
    return row_number_read(&rest) ? parse_row(p, rest) : parse_win(p);
}

static int parse_line(struct parser *p)
{
    unsigned long number;
    if (match_line_read(p->line, &number)) {
        if (p->told || p->game)
            return damaged(p, trim(p->line).data, "a second match: a file has one");
        p->told = true;
        p->match->length = (long)number;
        return REDO_OK;
    }
    if (match_line_beyond(p->line))
        return damaged(p, trim(p->line).data, "a length above 999999999");
    if (game_line_read(p->line, &number))
        return begin_game(p, number);
    return p->game ? parse_game_line(p) : parse_header(p);
}

/* The line at p->at, which then is at the next one. */
static void next_line(struct parser *p, char const **next)
{
    char const *s = *next;
    while (s < p->end && *s != '\n' && *s != '\r')
        s++;
    p->line = (redo_text_string){*next, (size_t)(s - *next)};
    if (s < p->end)
        s += s + 1 < p->end && s[0] == '\r' && s[1] == '\n' ? 2 : 1;
    *next = s;
}

static int parse_match(struct parser *p)
{
    char const *next = p->begin, *zero = memchr(p->begin, '\0', (size_t)(p->end - p->begin));
    int code = REDO_OK;
    if (zero)
        return damaged(p, zero, "a zero byte: this is no match");
    if (p->end - next >= 3 && memcmp(next, "\xef\xbb\xbf", 3) == 0)
        next += 3;
    p->match->length = -1;
    while (code == REDO_OK && next < p->end) {
        next_line(p, &next);
        code = parse_line(p);
    }
    if (code == REDO_OK && !p->told && !p->game)
        return damaged(p, p->end, "there is no match: its length or a game expected");
    if (code == REDO_OK && p->game && !p->named)
        return damaged(p, p->end, "the players of the last game are missing");
    return code;
}

/* --- the text --- */

static int read_error(struct input const *in, struct recode const *r, redo_text_error *error)
{
    if (r->code == REDO_EOPTION)
        return error_say(error, REDO_EOPTION, "no charset '%s' is known here", r->option);
    if (r->code != REDO_EUTF8)
        return error_say(error, REDO_ESYSTEM, "the input can not be read");
    error->line = error->column = 1;
    place_advance(&error->line, &error->column, in->bytes, in->size);
    return error_say(error, REDO_EUTF8, "bytes that are no text in %s", r->charset.name);
}

static int too_large(redo_text_limits const *limits, redo_text_error *error)
{
    error->line = error->column = 1;
    return error_say(error, REDO_EFULL, "the match has more than %zu bytes", limits->bytes);
}

static int read_all(struct input *in, struct recode const *r, redo_text_limits const *limits,
                    redo_text_error *error)
{
    while (!in->final) {
        int code = input_more(in);
        if (code == REDO_ENOMEM)
            return error_say(error, REDO_ENOMEM, "out of memory");
        if (code)
            return read_error(in, r, error);
        if (in->size > limits->bytes)
            return too_large(limits, error);
    }
    return REDO_OK;
}

static int take_text(redo_mat_match *m, struct input const *in, struct recode const *r,
                     redo_text_limits const *limits, redo_text_error *error)
{
    size_t valid = utf8_scan(in->bytes, in->size);
    if (valid < in->size && r->charset.utf8) {
        error->line = error->column = 1;
        place_advance(&error->line, &error->column, in->bytes, valid);
        return error_say(error, REDO_EUTF8, "the byte %02x is no text in UTF-8",
                         (unsigned char)in->bytes[valid]);
    }
    strcpy(m->charset, r->charset.name[0]  ? r->charset.name
                       : valid == in->size ? "UTF-8"
                                           : "ISO-8859-1");
    m->text_size = in->size;
    if (valid < in->size)
        m->text = utf8_from_latin1(in->bytes, &m->text_size);
    else if ((m->text = malloc(in->size + 1)))
        memcpy(m->text, in->bytes, in->size);
    if (!m->text)
        return error_say(error, REDO_ENOMEM, "out of memory");
    return m->text_size > limits->bytes ? too_large(limits, error) : REDO_OK;
}

static int parse_text(redo_mat_match *m, redo_text_limits const *limits, redo_text_error *error)
{
    struct parser p = {.match = m,
                       .limits = limits,
                       .error = error,
                       .begin = m->text,
                       .end = m->text + m->text_size,
                       .counted = m->text,
                       .row = 1,
                       .column = 1};
    m->arena.limit = limits->memory > m->text_size ? limits->memory - m->text_size : 0;
    int code = parse_match(&p);
    m->arena.limit = SIZE_MAX;
    m->arena.full = false;
    if (code == REDO_OK)
        return REDO_OK;
    error->line = error->column = 1;
    place_advance(&error->line, &error->column, m->text, (size_t)(p.at - p.begin));
    return code;
}

static int read_match(struct input *in, struct recode *r, redo_text_limits const *limits,
                      redo_mat_match **match, redo_text_error *error)
{
    int code = read_all(in, r, limits, error);
    if (code)
        return code;
    redo_mat_match *m = redo_mat_match_new();
    code = m ? take_text(m, in, r, limits, error) : error_say(error, REDO_ENOMEM, "out of memory");
    if (code == REDO_OK)
        code = parse_text(m, limits, error);
    if (code) {
        redo_mat_match_free(m);
        return code;
    }
    m->changed = false;
    *match = m;
    return REDO_OK;
}

static int open_and_read(struct recode *r, redo_mat_options const *options, redo_mat_match **match,
                         redo_text_error *error)
{
    struct input in;
    input_init(&in, recode_read, r);
    int code = read_match(&in, r, &options->limits, match, error);
    input_close(&in);
    recode_close(r);
    return code;
}

static int read_with(redo_text_source *source, void *data, void const *bytes, size_t size,
                     redo_mat_options const *options, redo_mat_match **match,
                     redo_text_error *error)
{
    redo_mat_options usual;
    *match = NULL;
    *error = (redo_text_error){0};
    redo_mat_options_init(&usual);
    if (!options)
        options = &usual;
    struct recode *r = malloc(sizeof *r);
    if (!r)
        return error_say(error, REDO_ENOMEM, "out of memory");
    recode_init(r, source, data, bytes, size, options->charset);
    int code = open_and_read(r, options, match, error);
    free(r);
    return code;
}

int redo_mat_read(redo_text_source *source, void *data, redo_mat_options const *options,
                  redo_mat_match **match, redo_text_error *error)
{
    return read_with(source, data, NULL, 0, options, match, error);
}

int redo_mat_read_bytes(void const *bytes, size_t size, redo_mat_options const *options,
                        redo_mat_match **match, redo_text_error *error)
{
    return read_with(NULL, NULL, bytes, size, options, match, error);
}
