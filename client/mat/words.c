#include "client/mat/words.h"

#include <string.h>
#include <strings.h>

#include "client/mat/match.h"
#include "client/text/place.h"

static redo_text_string from(redo_text_string s, size_t at)
{
    return (redo_text_string){s.data + at, s.size - at};
}

static void skip_space(redo_text_string *s)
{
    size_t i = 0;
    while (i < s->size && is_space((unsigned char)s->data[i]))
        i++;
    *s = from(*s, i);
}

redo_text_string trim(redo_text_string s)
{
    skip_space(&s);
    while (s.size > 0 && is_space((unsigned char)s.data[s.size - 1]))
        s.size--;
    return s;
}

bool take_word(redo_text_string *s, char const *word)
{
    redo_text_string rest = *s;
    size_t size = strlen(word);
    skip_space(&rest);
    if (rest.size < size || strncasecmp(rest.data, word, size) != 0 ||
        (rest.size > size &&
         (is_letter((unsigned char)rest.data[size]) || is_digit((unsigned char)rest.data[size]))))
        return false;
    *s = from(rest, size);
    return true;
}

bool take_char(redo_text_string *s, char c)
{
    redo_text_string rest = *s;
    skip_space(&rest);
    if (rest.size == 0 || rest.data[0] != c)
        return false;
    *s = from(rest, 1);
    return true;
}

bool take_number(redo_text_string *s, unsigned long *number)
{
    redo_text_string rest = *s;
    unsigned long n = 0;
    size_t i = 0;
    skip_space(&rest);
    for (; i < rest.size && is_digit((unsigned char)rest.data[i]); i++) {
        n = n * 10 + (unsigned long)(rest.data[i] - '0');
        if (n > NUMBER_MOST)
            return false;
    }
    if (i == 0)
        return false;
    *number = n;
    *s = from(rest, i);
    return true;
}

/* --- columns --- */

static struct {
    char const *word;
    enum redo_mat_kind kind;
} const words[] = {
    {"Doubles", REDO_MAT_DOUBLE},  {"Double", REDO_MAT_DOUBLE}, {"Redoubles", REDO_MAT_DOUBLE},
    {"Beavers", REDO_MAT_BEAVER},  {"Beaver", REDO_MAT_BEAVER}, {"Raccoons", REDO_MAT_RACCOON},
    {"Raccoon", REDO_MAT_RACCOON}, {"Takes", REDO_MAT_TAKE},    {"Take", REDO_MAT_TAKE},
    {"Accepts", REDO_MAT_TAKE},    {"Drops", REDO_MAT_DROP},    {"Drop", REDO_MAT_DROP},
    {"Passes", REDO_MAT_DROP},     {"Pass", REDO_MAT_DROP},
};

static bool has_value(enum redo_mat_kind kind)
{
    return kind == REDO_MAT_DOUBLE || kind == REDO_MAT_BEAVER || kind == REDO_MAT_RACCOON;
}

static bool is_die(char c)
{
    return c >= '1' && c <= '6';
}

/* 31: or 3-1: */
static bool take_dice(redo_text_string *s, int dice[2])
{
    size_t second = s->size > 1 && s->data[1] == '-' ? 2 : 1;
    if (s->size < second + 2 || !is_die(s->data[0]) || !is_die(s->data[second]) ||
        s->data[second + 1] != ':')
        return false;
    dice[0] = s->data[0] - '0';
    dice[1] = s->data[second] - '0';
    *s = from(*s, second + 2);
    return true;
}

static bool cube_read(redo_text_string cell, redo_mat_action *action)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        redo_text_string rest = cell;
        unsigned long value = 0;
        if (!take_word(&rest, words[i].word))
            continue;
        if (has_value(words[i].kind)) {
            if (take_char(&rest, '='))
                take_char(&rest, '>');
            take_number(&rest, &value);
        }
        if (trim(rest).size > 0)
            return false;
        action->kind = words[i].kind;
        action->value = value;
        return true;
    }
    return false;
}

/* Wins 2 points, after which and before which text may stand. */
static bool win_read(redo_text_string cell, redo_mat_action *action)
{
    for (size_t i = 0; i + 4 <= cell.size; i++) {
        redo_text_string rest = from(cell, i);
        unsigned long points;
        if ((i > 0 && !is_space((unsigned char)cell.data[i - 1])) || !take_word(&rest, "Wins") ||
            !take_number(&rest, &points))
            continue;
        if (!take_word(&rest, "points") && !take_word(&rest, "point"))
            continue;
        action->match =
            take_word(&rest, "and") && take_word(&rest, "the") && take_word(&rest, "match");
        take_char(&rest, '.');
        if (trim(rest).size > 0)
            continue;
        action->kind = REDO_MAT_WIN;
        action->value = points;
        action->text = trim((redo_text_string){cell.data, i});
        return true;
    }
    return false;
}

void cell_read(redo_text_string cell, redo_mat_action *action)
{
    redo_text_string rest = cell;
    *action = (redo_mat_action){.text = {cell.data, 0}};
    if (take_dice(&rest, action->dice)) {
        action->kind = REDO_MAT_MOVE;
        action->text = trim(rest);
    } else if (!cube_read(cell, action) && !win_read(cell, action)) {
        *action = (redo_mat_action){.kind = REDO_MAT_OTHER, .text = cell};
    }
}

bool cell_begins(redo_text_string s)
{
    int dice[2];
    redo_text_string rest = s;
    if (s.size == 0 || is_space((unsigned char)s.data[0]))
        return false;
    if (take_dice(&rest, dice) || take_word(&rest, "Wins") || take_word(&rest, "Losses"))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take_word(&rest, words[i].word))
            return true;
    return false;
}

/* --- lines --- */

/* NAME "VALUE"]; the value goes to the last quote. */
static bool tag_read(redo_text_string s, redo_text_string *name, redo_text_string *value)
{
    if (s.size < 2 || s.data[s.size - 1] != ']' || s.data[s.size - 2] != '"')
        return false;
    char const *quote = memchr(s.data, '"', s.size - 2);
    if (!quote)
        return false;
    size_t at = (size_t)(quote - s.data);
    *name = trim((redo_text_string){s.data, at});
    *value = (redo_text_string){quote + 1, s.size - at - 3};
    return name->size > 0;
}

enum redo_mat_line_kind line_read(redo_text_string line, redo_text_string *name,
                                  redo_text_string *value)
{
    redo_text_string rest = trim(line);
    *name = (redo_text_string){rest.data, 0};
    *value = rest;
    if (!take_char(&rest, ';'))
        return REDO_MAT_LINE;
    *value = trim(rest);
    return take_char(&rest, '[') && tag_read(rest, name, value) ? REDO_MAT_TAG : REDO_MAT_NOTE;
}

/* Takes NAME : SCORE off the front. */
static bool take_player(redo_text_string *line, redo_text_string *name, unsigned long *score)
{
    for (size_t i = 0; i < line->size; i++) {
        redo_text_string rest = from(*line, i);
        if (rest.data[0] == ':' && take_char(&rest, ':') && take_number(&rest, score)) {
            *name = trim((redo_text_string){line->data, i});
            *line = rest;
            return true;
        }
    }
    return false;
}

bool players_read(redo_text_string line, redo_text_string name[2], unsigned long score[2],
                  bool *one)
{
    if (!take_player(&line, &name[0], &score[0]))
        return false;
    line = trim(line);
    *one = line.size == 0;
    return *one || (take_player(&line, &name[1], &score[1]) && trim(line).size == 0);
}

bool match_line_read(redo_text_string line, unsigned long *length)
{
    return take_number(&line, length) && take_word(&line, "point") && take_word(&line, "match") &&
           trim(line).size == 0;
}

bool match_line_beyond(redo_text_string line)
{
    size_t digits = 0;
    skip_space(&line);
    while (digits < line.size && is_digit((unsigned char)line.data[digits]))
        digits++;
    line = from(line, digits);
    return digits > 0 && take_word(&line, "point") && take_word(&line, "match") &&
           trim(line).size == 0;
}

bool game_line_read(redo_text_string line, unsigned long *number)
{
    return take_word(&line, "Game") && take_number(&line, number) && trim(line).size == 0;
}

bool row_number_read(redo_text_string *line)
{
    unsigned long number;
    redo_text_string rest = *line;
    if (!take_number(&rest, &number) || rest.size == 0 || rest.data[0] != ')')
        return false;
    *line = from(rest, 1);
    return true;
}
