/* One loop: draw, wait for a key or for the daemon, do it. */
#define _GNU_SOURCE 1 /* ppoll() */

#include "screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draw.h"

enum mode { PLAYING, CHOOSING, HELPING };

struct screen {
    struct game *game;
    char const *name;
    enum mode mode;
    redo_position *choice; /* whose branches are to choose from */
    int help_top;          /* the first line of the help that is shown ... */
    int help_next;         /* ... and of its next page; 0 if there is none */
};

static volatile sig_atomic_t ended; /* by this signal */

static void on_signal(int number)
{
    ended = number;
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
    case 'm':
        return "m";
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
        return game_command(s->game, '>');
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
        s->help_top = s->help_next;
        s->mode = s->help_top ? HELPING : PLAYING;
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
        if (s->mode == HELPING)
            s->help_next = draw_help(s->help_top);
        else
            draw_game(g, s->name, s->mode == CHOOSING);
        if (!reading && !wait_for_something(g, signals))
            return SCREEN_QUIT;
        int key = getch();
        reading = key != ERR;
        if (reading && press(s, key, &leave) == GAME_GONE)
            return SCREEN_GONE;
    }
    return SCREEN_QUIT;
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
    draw_init();

    enum screen_result result = loop(&s, &before);

    endwin();
    delscreen(terminal);
    sigprocmask(SIG_SETMASK, &before, NULL);
    *signal = ended;
    return result;
}
