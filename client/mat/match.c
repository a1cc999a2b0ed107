/* Matches in memory, and adding to them. */
#include "client/mat/match.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "client/mat/words.h"
#include "client/text/place.h"
#include "client/text/utf8.h"

redo_mat_line *line_new(redo_mat_match *match, enum redo_mat_line_kind kind, redo_text_string name,
                        redo_text_string value)
{
    redo_mat_line *l = arena_take(&match->arena, sizeof *l);
    if (!l)
        return NULL;
    *l = (redo_mat_line){NULL, kind, name, value};
    *(match->last_line ? &match->last_line->next : &match->header) = l;
    match->last_line = l;
    match->changed = true;
    return l;
}

redo_mat_game *game_new(redo_mat_match *match)
{
    redo_mat_game *g = arena_take(&match->arena, sizeof *g);
    if (!g)
        return NULL;
    *(match->last_game ? &match->last_game->next : &match->games) = g;
    match->last_game = g;
    match->changed = true;
    return g;
}

redo_mat_action *action_new(redo_mat_match *match, redo_mat_game *game,
                            redo_mat_action const *action)
{
    redo_mat_action *a = arena_take(&match->arena, sizeof *a);
    if (!a)
        return NULL;
    *a = *action;
    a->next = NULL;
    *(game->last ? &game->last->next : &game->first) = a;
    game->last = a;
    match->changed = true;
    return a;
}

redo_mat_match *redo_mat_match_new(void)
{
    redo_mat_match *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->arena.limit = SIZE_MAX;
    m->changed = true;
    strcpy(m->charset, "UTF-8");
    return m;
}

void redo_mat_match_free(redo_mat_match *match)
{
    if (!match)
        return;
    arena_free(&match->arena);
    free(match->text);
    free(match);
}

long redo_mat_length(redo_mat_match const *match)
{
    return match->length;
}

void redo_mat_set_length(redo_mat_match *match, long length)
{
    match->changed |= length != match->length;
    match->length = length < -1 ? -1 : length > NUMBER_MOST ? NUMBER_MOST : length;
}

char const *redo_mat_charset(redo_mat_match const *match)
{
    return match->charset;
}

redo_mat_line const *redo_mat_header(redo_mat_match const *match)
{
    return match->header;
}

redo_mat_game const *redo_mat_games(redo_mat_match const *match)
{
    return match->games;
}

static bool same(redo_text_string a, redo_text_string b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* Whether it is text of one line without spaces around it. */
static int check_text(redo_text_string s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] == '\0' || s.data[i] == '\n' || s.data[i] == '\r')
            return REDO_EDAMAGED;
    if (trim(s).size != s.size)
        return REDO_EDAMAGED;
    return utf8_scan(s.data, s.size) == s.size ? REDO_OK : REDO_EUTF8;
}

/* Puts the strings behind each other, NULL ends them. NULL: no memory. */
static redo_text_string join(redo_mat_match *m, redo_text_string const *parts, size_t count)
{
    redo_text_string s = {NULL, 0};
    for (size_t i = 0; i < count; i++)
        s.size += parts[i].size;
    char *text = arena_take(&m->arena, s.size + 1), *at = text;
    for (size_t i = 0; text && i < count; i++) {
        if (parts[i].size > 0)
            memcpy(at, parts[i].data, parts[i].size);
        at += parts[i].size;
    }
    s.data = text;
    return s;
}

/* The line is made and read, and must be the same. */
int redo_mat_header_add(redo_mat_match *match, enum redo_mat_line_kind kind, redo_text_string name,
                        redo_text_string value)
{
    static redo_text_string const tag[] = {{"; [", 3}, {" \"", 2}, {"\"]", 2}}, note = {"; ", 2};
    redo_text_string parts[] = {tag[0], name, tag[1], value, tag[2]}, notes[] = {note, value};
    redo_text_string line, read_name, read_value, none = {"", 0};
    unsigned long number;
    if (kind != REDO_MAT_TAG)
        name = none;
    line = kind == REDO_MAT_TAG    ? join(match, parts, 5)
           : kind == REDO_MAT_NOTE ? join(match, notes, 2)
                                   : join(match, &value, 1);
    if (!line.data)
        return REDO_ENOMEM;
    int code = check_text(trim(line));
    if (code)
        return code;
    if (line_read(line, &read_name, &read_value) != kind || !same(read_name, name) ||
        !same(read_value, value) || match_line_read(line, &number) ||
        game_line_read(line, &number) ||
        (line.size >= 3 && memcmp(line.data, "\xef\xbb\xbf", 3) == 0))
        return REDO_EDAMAGED;
    return line_new(match, kind, read_name, read_value) ? REDO_OK : REDO_ENOMEM;
}

/* A name must not look like one with its score, nor the left one, with which a line begins, like a
 * comment. */
static int check_name(redo_text_string s, bool left)
{
    unsigned long number;
    int code = check_text(s);
    for (size_t i = 0; code == REDO_OK && i < s.size; i++) {
        redo_text_string rest = {s.data + i + 1, s.size - i - 1};
        if (s.data[i] == ':' && take_number(&rest, &number))
            code = REDO_EDAMAGED;
    }
    return code == REDO_OK && left && s.size > 0 && s.data[0] == ';' ? REDO_EDAMAGED : code;
}

int redo_mat_game_add(redo_mat_match *match, unsigned long number, redo_text_string const name[2],
                      unsigned long const score[2], redo_mat_game **game)
{
    redo_text_string copies[2];
    for (int i = 0; i < 2; i++) {
        int code = check_name(name[i], i == 0);
        if (code)
            return code;
        if (score[i] > NUMBER_MOST || number > NUMBER_MOST)
            return REDO_EDAMAGED;
        copies[i] = join(match, &name[i], 1);
        if (!copies[i].data)
            return REDO_ENOMEM;
    }
    redo_mat_game *g = game_new(match);
    if (!g)
        return REDO_ENOMEM;
    g->number = number;
    memcpy(g->name, copies, sizeof copies);
    memcpy(g->score, score, sizeof g->score);
    if (game)
        *game = g;
    return REDO_OK;
}

/* Whether words of the text would be taken for the other column. */
static bool splits(redo_text_string s)
{
    for (size_t i = 1; i < s.size; i++) {
        if (!is_space((unsigned char)s.data[i - 1]))
            continue;
        if (s.data[i - 1] != ' ')
            return true;
        if (is_space((unsigned char)s.data[i]) ||
            cell_begins((redo_text_string){s.data + i, s.size - i}))
            return true;
    }
    return false;
}

static bool is_possible(redo_mat_game const *game, redo_mat_action const *a)
{
    redo_mat_action read;
    bool dice = a->dice[0] >= 1 && a->dice[0] <= 6 && a->dice[1] >= 1 && a->dice[1] <= 6;
    if (a->value > NUMBER_MOST || a->player < 0 || a->player > 1)
        return false;
    switch (a->kind) {
    case REDO_MAT_MOVE:
        return dice && !splits(a->text) && (a->text.size == 0 || !cell_begins(a->text));
    case REDO_MAT_ROLL:
        return dice && a->text.size == 0;
    case REDO_MAT_WIN:
        return a->text.size == 0 ||
               (same(a->text, game->name[a->player]) && !splits(a->text) && !cell_begins(a->text));
    case REDO_MAT_OTHER:
        cell_read(a->text, &read);
        return a->text.size > 0 && read.kind == REDO_MAT_OTHER && !splits(a->text);
    case REDO_MAT_COMMENT:
        return true;
    default:
        return a->text.size == 0;
    }
}

int redo_mat_action_add(redo_mat_match *match, redo_mat_game *game, redo_mat_action const *action)
{
    redo_mat_action copy = *action;
    if (!copy.text.data)
        copy.text = (redo_text_string){"", 0};
    int code = check_text(copy.text);
    if (code)
        return code;
    if (!is_possible(game, &copy))
        return REDO_EDAMAGED;
    copy.text = join(match, &copy.text, 1);
    if (!copy.text.data)
        return REDO_ENOMEM;
    if (copy.kind == REDO_MAT_COMMENT)
        copy.player = 0;
    copy.line = copy.column = 0;
    return action_new(match, game, &copy) ? REDO_OK : REDO_ENOMEM;
}
