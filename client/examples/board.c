/* Levels are read row by row; a level ends with the first line that is none of its rows. */
#include "board.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- levels ------------------------------------------------------------------------------ */

/* A level while it is read. Rows are kept apart until the width is known. */
struct draft {
    char rows[BOARD_CELLS][BOARD_CELLS];
    int width, height;
    bool large;
};

static bool is_row(char const *line, size_t length)
{
    return strspn(line, "#@+$*. ") == length && strchr(line, '#') != NULL;
}

static void add_row(struct draft *draft, char const *line, size_t length)
{
    if (length > BOARD_CELLS || draft->height == BOARD_CELLS) {
        draft->large = true;
        return;
    }
    char *row = draft->rows[draft->height++];
    memset(row, ' ', BOARD_CELLS);
    memcpy(row, line, length);
    if ((int)length > draft->width)
        draft->width = (int)length;
}

static enum board_error finish(struct draft const *draft, struct board_level *level)
{
    if (draft->large || draft->width * draft->height > BOARD_CELLS)
        return BOARD_ELARGE;
    int players = 0, goals = 0;
    level->width = draft->width;
    level->height = draft->height;
    level->boxes = 0;
    for (int cell = 0; cell < level->width * level->height; cell++) {
        char c = draft->rows[cell / level->width][cell % level->width];
        bool goal = strchr(".+*", c) != NULL;
        level->cells[cell] = c == '#' ? '#' : goal ? '.' : ' ';
        goals += goal;
        if (c == '@' || c == '+') {
            players++;
            level->initial[0] = (unsigned char)cell;
        } else if (c == '$' || c == '*') {
            if (level->boxes == BOARD_BOXES)
                return BOARD_ELARGE;
            level->initial[1 + level->boxes++] = (unsigned char)cell;
        }
    }
    if (players != 1)
        return BOARD_EPLAYER;
    if (level->boxes == 0 || level->boxes != goals)
        return BOARD_EBOXES;
    return BOARD_OK;
}

/* The number that a comment gives to the level after it, or 0. */
static int comment_number(char const *line)
{
    if (*line != ';')
        return 0;
    char *end;
    errno = 0;
    long number = strtol(line + 1, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return end == line + 1 || *end || errno || number < 1 || number > 1000000 ? 0 : (int)number;
}

enum board_error board_read(struct board_level *level, char const *path, int number)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return BOARD_EFILE;
    struct draft *draft = calloc(1, sizeof *draft);
    char *line = NULL;
    size_t cap = 0;
    int next = 1; /* the number of the level that comes, or is being read */
    enum board_error rc = draft ? BOARD_ENONE : BOARD_EFILE;

    for (bool end = false; draft && !end;) {
        ssize_t got = getline(&line, &cap, file);
        end = got < 0;
        size_t length = end ? 0 : strcspn(line, "\r\n");
        if (!end)
            line[length] = '\0';
        if (!end && is_row(line, length)) {
            add_row(draft, line, length);
            continue;
        }
        if (draft->height > 0 || draft->large) {
            if (!number || next == number) {
                level->number = next;
                rc = finish(draft, level);
                break;
            }
            next++;
            draft->width = draft->height = 0;
            draft->large = false;
        }
        if (!end && comment_number(line))
            next = comment_number(line);
    }
    if (rc == BOARD_ENONE && ferror(file))
        rc = BOARD_EFILE;
    int saved = errno;
    free(line);
    free(draft);
    fclose(file);
    errno = saved;
    return rc;
}

char const *board_strerror(enum board_error error)
{
    switch (error) {
    case BOARD_OK:
        return "no error";
    case BOARD_EFILE:
        return "can not be read";
    case BOARD_ENONE:
        return "there is no level of that number";
    case BOARD_ELARGE:
        return "the level is too large: it may have 256 cells and 64 boxes";
    case BOARD_EPLAYER:
        return "the level must have one player";
    case BOARD_EBOXES:
        return "the level must have boxes, and as many goals";
    }
    return "unknown error";
}

/* ---- rules ------------------------------------------------------------------------------- */

/* The cell next to one, or -1 beyond the edge. */
static int neighbor(struct board_level const *level, int cell, int direction)
{
    int x = cell % level->width, y = cell / level->width;
    x += direction == BOARD_RIGHT ? 1 : direction == BOARD_LEFT ? -1 : 0;
    y += direction == BOARD_DOWN ? 1 : direction == BOARD_UP ? -1 : 0;
    return x < 0 || y < 0 || x >= level->width || y >= level->height ? -1 : y * level->width + x;
}

/* Which box stands on a cell, counted from 1 as in the state; 0 if none does. */
static int box_on(struct board_level const *level, unsigned char const *state, int cell)
{
    for (int box = 1; box <= level->boxes; box++) {
        if (state[box] == cell)
            return box;
    }
    return 0;
}

static bool is_free(struct board_level const *level, int cell)
{
    return cell >= 0 && level->cells[cell] != '#';
}

/* Puts a box elsewhere and keeps the boxes in rising order. */
static void shift_box(struct board_level const *level, unsigned char *state, int box, int to)
{
    for (; box > 1 && state[box - 1] > to; box--)
        state[box] = state[box - 1];
    for (; box < level->boxes && state[box + 1] < to; box++)
        state[box] = state[box + 1];
    state[box] = (unsigned char)to;
}

int board_move(struct board_level const *level, unsigned char const *state, int direction,
               unsigned char *after)
{
    int to = neighbor(level, state[0], direction);
    if (!is_free(level, to))
        return -1;
    int box = box_on(level, state, to);
    int beyond = box ? neighbor(level, to, direction) : -1;
    if (box && (!is_free(level, beyond) || box_on(level, state, beyond)))
        return -1;
    memcpy(after, state, board_statesize(level));
    after[0] = (unsigned char)to;
    if (box)
        shift_box(level, after, box, beyond);
    return direction + (box ? BOARD_PUSH : 0);
}

bool board_solved(struct board_level const *level, unsigned char const *state)
{
    for (int box = 1; box <= level->boxes; box++) {
        if (level->cells[state[box]] != '.')
            return false;
    }
    return true;
}

char board_cell(struct board_level const *level, unsigned char const *state, int cell)
{
    bool goal = level->cells[cell] == '.';
    if (cell == state[0])
        return goal ? '+' : '@';
    if (box_on(level, state, cell))
        return goal ? '*' : '$';
    return level->cells[cell];
}
