/* One loop: draw, wait for a key or for the daemon, do it. Everything is drawn anew each time;
 * curses finds out what has changed. The layout is worked out from the window's size: the panel
 * stands beside the board, or below it in short form; a board that is too large is shown around the
 * player. */
#define _GNU_SOURCE 1 /* ppoll() */

#include "screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PANEL_WIDTH 36

enum color { PLAIN, WALL, BOX, DONE, GOAL, PLAYER, MARK };

enum mode { PLAYING, CHOOSING, HELPING };

struct screen {
    struct game *game;
    char const *name;
    enum mode mode;
    redo_position *choice; /* whose branches are to choose from */
    int help_top;          /* the first line of the help that is shown */
};

static char const *const help[] = {
    "arrows, hjkl   move",
    "u              undo",
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
};
enum { HELP_LINES = sizeof help / sizeof help[0] };

static volatile sig_atomic_t ended; /* by this signal */

static void on_signal(int number)
{
    ended = number;
}

/* ---- drawing ----------------------------------------------------------------------------- */

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

static void solution_text(struct game const *g, char *text, size_t size)
{
    unsigned known = redo_getfirstposition(g->session)->solutionsize, here = g->at->solutionsize;
    if (!known)
        snprintf(text, size, "none known");
    else if (!here)
        snprintf(text, size, "%u, none from here", known);
    else if (here != known)
        snprintf(text, size, "%u, from here %u", known, here);
    else
        snprintf(text, size, "%u", known);
}

static void draw_panel(struct game const *g, int y, int x)
{
    char solution[64], mark[64];
    solution_text(g, solution, sizeof solution);
    game_mark(g, mark, sizeof mark);
    putf(y++, x, PLAIN, "Moves     %u", g->at->movecount);
    putf(y++, x, PLAIN, "Position  %u of %d", redo_getpositionid(g->at),
         redo_getsessionsize(g->session));
    putf(y++, x, PLAIN, "Branches  %u", g->at->nextcount);
    putf(y++, x, PLAIN, "Solution  %s", solution);
    putf(y++, x, PLAIN, "Grafting  %s", game_graftname(g));
    putf(y++, x, PLAIN, "Cycles    %s", g->suppress ? "suppressed" : "kept");
    char *paren = strchr(mark, '(');
    if (paren) {
        paren[-1] = '\0';
        put(y++, x, MARK, mark);
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
    game_mark(g, mark, sizeof mark);
    putf(y, 0, PLAIN, "Moves %u  Pos %u  Br %u  Sol %s", g->at->movecount,
         redo_getpositionid(g->at), g->at->nextcount, solution);
    if (*mark && (int)strlen(mark) > COLS) { /* "Been here" is enough */
        memmove(mark, mark + strlen("You have "), strlen(mark + strlen("You have ")) + 1);
        *mark = 'B';
    }
    put(y + 1, 0, MARK, mark);
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
    putf(y++, x, MARK, "%-*s", WIDTH, " Redo which? (Enter: 1, Esc: none)");
    int n = 1;
    for (redo_branch const *b = g->at->next; b && n <= count; b = b->cdr, n++) {
        char solution[32] = "no solution known";
        if (b->p->solutionend)
            snprintf(solution, sizeof solution, "solution in %u", b->p->solutionsize);
        snprintf(line, sizeof line, " %d  %-10s  position %-6u  %s", n, game_movename(b->move),
                 b->id, solution);
        putf(y++, x, PLAIN, "%-*s", WIDTH, line);
    }
    memset(line, '-', WIDTH);
    put(y, x, MARK, line);
}

/* The last line: a message, or what the key for help is. */
static void draw_last(struct game const *g)
{
    if (g->message[0])
        put(LINES - 1, 0, MARK, g->message);
    else if (g->at->endpoint)
        putf(LINES - 1, 0, MARK, "Solved in %u moves. u takes one back, q leaves.",
             g->at->movecount);
    else
        put(LINES - 1, 0, PLAIN, "? help  q quit");
}

static void draw(struct screen const *s)
{
    struct game const *g = s->game;
    erase();
    if (s->mode == HELPING) {
        for (int i = s->help_top; i < HELP_LINES && i - s->help_top < LINES - 1; i++)
            put(i - s->help_top, 0, PLAIN, help[i]);
        put(LINES - 1, 0, MARK, "any key: on");
        refresh();
        return;
    }
    int top = LINES >= 10 ? 2 : 0, lines = LINES - top - 1;
    bool beside = lines >= 8 && COLS >= g->level.width + 2 + PANEL_WIDTH;
    int columns = beside ? COLS - PANEL_WIDTH - 2 : COLS;
    int wide = columns >= 2 * g->level.width ? 2 : 1;
    if (top)
        putf(0, 0, PLAIN, "Level %d  %s", g->level.number, s->name);
    if (!beside && lines > 4)
        lines -= 2;
    draw_board(g, top, lines, wide);
    if (beside)
        draw_panel(g, top, g->level.width * wide + 2);
    else if (LINES - top - 1 > 4)
        draw_short_panel(g, LINES - 3);
    draw_last(g);
    if (s->mode == CHOOSING)
        draw_choice(g);
    move(LINES - 1, COLS - 1);
    refresh();
}

/* ---- keys -------------------------------------------------------------------------------- */

static char const *command_of(int key)
{
    switch (key) {
    case KEY_LEFT:
    case 'h':
        return "l";
    case KEY_UP:
    case 'k':
        return "u";
    case KEY_RIGHT:
    case 'l':
        return "r";
    case KEY_DOWN:
    case 'j':
        return "d";
    case 'u':
        return "<";
    case 'r':
        return ">";
    case 'b':
        return "^";
    case 'f':
        return "v";
    case '0':
        return "0";
    case 'B':
        return "*";
    case 's':
        return "$";
    case 'S':
        return "!";
    case 'g':
        return "%";
    case 'c':
        return "~";
    case 'd':
        return "_";
    default:
        return "";
    }
}

/* A key while a branch is to be chosen. */
static enum game_result choose(struct screen *s, int key)
{
    s->mode = PLAYING;
    if (key == '\n' || key == '\r' || key == KEY_ENTER || key == 'r')
        return game_command(s->game, '1');
    if (key >= '1' && key <= '9')
        return game_command(s->game, (char)key);
    return GAME_NOT;
}

/* Does what a key asks for; true if it is to leave. */
static enum game_result press(struct screen *s, int key, bool *leave)
{
    struct game *g = s->game;
    if (key == KEY_RESIZE)
        return GAME_NOT; /* drawn anew anyway */
    if (s->mode == HELPING) {
        s->help_top += LINES > 1 ? LINES - 1 : 1;
        if (s->help_top >= HELP_LINES)
            s->mode = PLAYING;
        return GAME_NOT;
    }
    g->message[0] = '\0';
    if (s->mode == CHOOSING)
        return choose(s, key);
    if (key == 'q') {
        *leave = true;
    } else if (key == '?') {
        s->mode = HELPING;
        s->help_top = 0;
    } else if (key == 'r' && g->at->nextcount > 1) {
        s->mode = CHOOSING;
        s->choice = g->at;
    } else {
        char const *command = command_of(key);
        return *command ? game_command(g, *command) : GAME_NOT;
    }
    return GAME_NOT;
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* Waits for a key, the daemon or a signal. Signals come in here and nowhere else, so that none is
 * missed between looking and waiting. False if the terminal is gone. */
static bool wait_for_something(struct game const *g, sigset_t const *signals)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = redo_client_fd(g->client), .events = POLLIN}};
    if (ppoll(fds, 2, NULL, signals) < 0)
        return errno == EINTR;
    return !(fds[0].revents & (POLLERR | POLLNVAL)) &&
           (fds[0].revents & (POLLIN | POLLHUP)) != POLLHUP;
}

static enum screen_result loop(struct screen *s, sigset_t const *signals)
{
    struct game *g = s->game;
    bool leave = false, reading = false;
    while (!ended && !leave) {
        if (game_step(g) == GAME_GONE)
            return SCREEN_GONE;
        if (s->mode == CHOOSING && (g->at != s->choice || g->at->nextcount < 2))
            s->mode = PLAYING; /* someone else has moved */
        draw(s);
        if (!reading && !wait_for_something(g, signals))
            return SCREEN_QUIT;
        int key = getch();
        reading = key != ERR;
        if (reading && press(s, key, &leave) == GAME_GONE)
            return SCREEN_GONE;
    }
    return SCREEN_QUIT;
}

static void colors_init(void)
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

enum screen_result screen_run(struct game *game, char const *name, int *signal)
{
    static int const ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct screen s = {.game = game, .name = name};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked, before;

    SCREEN *terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
        return SCREEN_FAILED;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGWINCH);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        sigaction(ending[i], &action, NULL);
        sigaddset(&blocked, ending[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, &before);
    cbreak();
    noecho();
    nodelay(stdscr, TRUE);
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    colors_init();

    enum screen_result result = loop(&s, &before);

    endwin();
    delscreen(terminal);
    sigprocmask(SIG_SETMASK, &before, NULL);
    *signal = ended;
    return result;
}
