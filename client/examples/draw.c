/* Drawing with curses. Everything is drawn anew each time; curses finds out what has changed. The
 * layout is worked out from the window's size: the panel stands beside the board, or below it in
 * short form; a board that is too large is shown around the player. */
#include "draw.h"

#include <curses.h>
#include <stdarg.h>
#include <string.h>

#include "tell.h"

#define PANEL_WIDTH 36
#define PANEL_LINES 9

enum color { PLAIN, WALL, BOX, DONE, GOAL, PLAYER, MARK };

static char const *const help[] = {
    "arrows, hjkl   move",
    "u              undo",
    "m              undo, but only your own move",
    "r              redo; where there are several branches, choose one",
    "b              back to the last branch point",
    "f              forward to the next branch point, or the end",
    "0              to the start",
    "B              to the better position: the same board in fewer moves",
    "s              a step towards the solution",
    "S              to the solution's end",
    "g              grafting: what a shorter way to a known board takes over",
    "c              suppress cycles: going in circles leaves no trace",
    "d              drop this position, if nothing follows it",
    "?              this help",
    "q              quit; the history stays, and can be played on",
    "",
    "All who play with one cursor move together. A key that another player",
    "was faster than does nothing: look at the new board, and press again.",
    "While the daemon is gone the board stays, and keys that must ask it do",
    "nothing; the game goes on by itself when it is back.",
};
enum { HELP_LINES = sizeof help / sizeof help[0] };

static attr_t attributes(enum color color)
{
    static attr_t const plain[] = {[WALL] = A_DIM,    [BOX] = A_BOLD,    [DONE] = A_BOLD,
                                   [GOAL] = A_NORMAL, [PLAYER] = A_BOLD, [MARK] = A_BOLD};
    if (color == PLAIN)
        return A_NORMAL;
    return has_colors() ? plain[color] | COLOR_PAIR(color) : plain[color];
}

/* Writes text as far as it fits into the window. */
static void put(int y, int x, enum color color, char const *text)
{
    if (y < 0 || y >= LINES || x < 0 || x >= COLS)
        return;
    attrset(attributes(color));
    mvaddnstr(y, x, text, COLS - x);
    attrset(A_NORMAL);
}

__attribute__((format(printf, 4, 5))) static void putf(int y, int x, enum color color,
                                                       char const *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(y, x, color, text);
}

static enum color cell_color(char cell)
{
    switch (cell) {
    case '#':
        return WALL;
    case '$':
        return BOX;
    case '*':
        return DONE;
    case '.':
        return GOAL;
    case '@':
    case '+':
        return PLAYER;
    default:
        return PLAIN;
    }
}

/* Where to begin so that `at` is in the middle, of `size` of which `room` are seen. */
static int scrolled(int size, int room, int at)
{
    int first = at - room / 2;
    if (first > size - room)
        first = size - room;
    return first < 0 ? 0 : first;
}

/* Draws the board into so many lines from `top`; cells are one or two columns wide. */
static void draw_board(struct game const *g, int top, int lines, int wide)
{
    struct board_level const *level = &g->level;
    unsigned char const *state = redo_getsavedstate(g->at);
    int columns = COLS / wide;
    int first_x = scrolled(level->width, columns, state[0] % level->width);
    int first_y = scrolled(level->height, lines, state[0] / level->width);
    for (int y = first_y; y < level->height && y - first_y < lines; y++) {
        for (int x = first_x; x < level->width && x - first_x < columns; x++) {
            char cell = board_cell(level, state, y * level->width + x);
            char text[3] = {cell, cell == '#' ? '#' : ' ', '\0'};
            text[wide] = '\0';
            put(top + y - first_y, (x - first_x) * wide, cell_color(cell), text);
        }
    }
}

static void draw_panel(struct game const *g, int y, int x)
{
    char text[64];
    putf(y++, x, PLAIN, "Moves     %u", g->at->movecount);
    putf(y++, x, PLAIN, "Position  %u of %d", redo_getpositionid(g->at),
         redo_getsessionsize(g->session));
    tell_author(g->at, text, sizeof text);
    putf(y++, x, PLAIN, "Made by   %s", text);
    putf(y++, x, PLAIN, "Branches  %u", g->at->nextcount);
    tell_solution(g, text, sizeof text);
    putf(y++, x, PLAIN, "Solution  %s", text);
    putf(y++, x, PLAIN, "Grafting  %s", tell_graft(g));
    putf(y++, x, PLAIN, "Cycles    %s", g->suppress ? "suppressed" : "kept");
    tell_mark(g, text, sizeof text);
    char *paren = strchr(text, '(');
    if (paren) {
        paren[-1] = '\0';
        put(y++, x, MARK, text);
        put(y++, x, MARK, paren);
    }
}

/* The same in two lines. */
static void draw_short_panel(struct game const *g, int y)
{
    char mark[64];
    unsigned known = redo_getfirstposition(g->session)->solutionsize;
    char solution[16] = "-";
    if (known)
        snprintf(solution, sizeof solution, "%u", known);
    tell_mark(g, mark, sizeof mark);
    putf(y, 0, PLAIN, "Moves %u  Pos %u  Br %u  Sol %s", g->at->movecount,
         redo_getpositionid(g->at), g->at->nextcount, solution);
    if (*mark && (int)strlen(mark) > COLS) { /* "Been here" is enough */
        memmove(mark, mark + strlen("You have "), strlen(mark + strlen("You have ")) + 1);
        *mark = 'B';
    }
    put(y + 1, 0, MARK, mark);
}

/* Which game this is, and where the others are in it. */
static void draw_title(struct game const *g, char const *session)
{
    char others[256];
    putf(0, 0, PLAIN, "Level %d  %s  cursor %s", g->level.number, session, g->cursor);
    tell_others(g, others, sizeof others);
    if (*others)
        putf(1, 0, PLAIN, "Others: %s", others);
}

/* The branches to choose from, over the middle of the window. */
static void draw_choice(struct game const *g)
{
    enum { WIDTH = 56 };
    int count = g->at->nextcount > 9 ? 9 : (int)g->at->nextcount;
    int height = count + 3;
    int x = COLS > WIDTH ? (COLS - WIDTH) / 2 : 0;
    int y = LINES > height ? (LINES - height) / 2 : 0;
    char line[128];
    memset(line, '-', WIDTH);
    line[WIDTH] = '\0';
    put(y++, x, MARK, line);
    putf(y++, x, MARK, "%-*s", WIDTH, " Redo which? (Enter: what was undone, or 1; Esc: none)");
    int n = 1;
    for (redo_branch const *b = g->at->next; b && n <= count; b = b->cdr, n++) {
        char solution[32] = "no solution known";
        if (b->p->solutionend)
            snprintf(solution, sizeof solution, "solution in %u", b->p->solutionsize);
        snprintf(line, sizeof line, " %d  %-10s  position %-6u  %s", n, tell_move(b->move), b->id,
                 solution);
        putf(y++, x, PLAIN, "%-*s", WIDTH, line);
    }
    memset(line, '-', WIDTH);
    put(y, x, MARK, line);
}

/* The last line: what there is to say, or what the key for help is. */
static void draw_last(struct game const *g)
{
    if (g->message[0])
        put(LINES - 1, 0, MARK, g->message);
    else if (g->away)
        put(LINES - 1, 0, MARK, "The daemon is gone. The game goes on when it is back.");
    else if (g->at->endpoint)
        putf(LINES - 1, 0, MARK, "Solved in %u moves. u takes one back, q leaves.",
             g->at->movecount);
    else
        put(LINES - 1, 0, PLAIN, "? help  q quit");
}

void draw_game(struct game const *g, char const *session, bool choosing)
{
    erase();
    int top = LINES >= 10 ? 2 : 0, lines = LINES - top - 1;
    bool beside = lines >= PANEL_LINES && COLS >= g->level.width + 2 + PANEL_WIDTH;
    int columns = beside ? COLS - PANEL_WIDTH - 2 : COLS;
    int wide = columns >= 2 * g->level.width ? 2 : 1;
    if (top)
        draw_title(g, session);
    if (!beside && lines > 4)
        lines -= 2;
    draw_board(g, top, lines, wide);
    if (beside)
        draw_panel(g, top, g->level.width * wide + 2);
    else if (LINES - top - 1 > 4)
        draw_short_panel(g, LINES - 3);
    draw_last(g);
    if (choosing)
        draw_choice(g);
    move(LINES - 1, COLS - 1);
    refresh();
}

int draw_help(int top)
{
    erase();
    for (int i = top; i < HELP_LINES && i - top < LINES - 1; i++)
        put(i - top, 0, PLAIN, help[i]);
    put(LINES - 1, 0, MARK, "any key: on");
    refresh();
    int next = top + (LINES > 1 ? LINES - 1 : 1);
    return next < HELP_LINES ? next : 0;
}

void draw_init(void)
{
    static short const colors[] = {
        [WALL] = COLOR_BLUE,    [BOX] = COLOR_YELLOW,  [DONE] = COLOR_GREEN,
        [GOAL] = COLOR_MAGENTA, [PLAYER] = COLOR_CYAN, [MARK] = COLOR_YELLOW};
    if (!has_colors())
        return;
    start_color();
    use_default_colors();
    for (short color = WALL; color <= MARK; color++)
        init_pair(color, colors[color], -1);
}
