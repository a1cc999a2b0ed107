/* Each command is one function below; the table at the end is the way to them. */
#include "game.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "look.h"

/* With cycles suppressed, a detour of fewer moves than this is forgotten. */
#define PRUNE 4

static void say(struct game *g, char const *what)
{
    snprintf(g->message, sizeof g->message, "%s", what);
}

static enum game_result not_possible(struct game *g, char const *why)
{
    say(g, why);
    return GAME_NOT;
}

static enum game_result gone(struct game *g, int code)
{
    say(g, code == REDO_ENOSESSION ? "the session was deleted" : redo_strerror(code));
    return GAME_GONE;
}

/* A function of the library has failed, or found nothing: another player may just have moved the
 * cursor, or dropped what was asked for. */
static enum game_result failed(struct game *g)
{
    int code = redo_lasterror();
    switch (code) {
    case REDO_OK:
    case REDO_EDROPPED:
        return not_possible(g, "That position was dropped.");
    case REDO_EEXPECTED:
        return not_possible(g, "Another player was faster.");
    case REDO_ENOCURSOR: /* it was taken away: it is made anew where the player is */
        redo_setcursor(g->session, g->cursor, g->at, NULL);
        return not_possible(g, "The cursor was taken away: once more.");
    case REDO_ECLOSED:
    case REDO_ETIMEOUT:
    case REDO_ERESYNC:
        say(g, "The daemon does not answer. What comes back with it was done.");
        return GAME_AWAY;
    case REDO_EPROTOCOL:
    case REDO_EDIVERGED:
    case REDO_EDAMAGED:
    case REDO_ENOSESSION:
        return gone(g, code);
    default:
        return not_possible(g, redo_strerror(code));
    }
}

/* ---- what the library tells -------------------------------------------------------------- */

/* The cursor is elsewhere. If it was taken away the player stays where it was. */
static void moved(redo_session *session, char const *name, redo_position *position, int own,
                  void *data)
{
    struct game *g = data;
    if (!position)
        return;
    if (own)
        g->mine = position;
    if (!own) {
        g->theirs = position;
        if (position != g->at)
            say(g, "Another player has moved.");
    }
    g->at = position;
}

/* The daemon is gone, or back. What was only looked at meanwhile is left then; if the history was
 * loaded anew, positions are new ones. */
static void heard(redo_session *session, enum redo_client_event event, int code, void *data)
{
    struct game *g = data;
    g->away = event == redo_client_lost;
    if (g->away)
        g->message[0] = '\0'; /* that it is gone is what there is to show */
    if (event != redo_client_resumed && event != redo_client_reloaded)
        return;
    redo_position *cursor = redo_getcursor(session, g->cursor);
    if (cursor)
        g->at = cursor;
    else if (event == redo_client_reloaded)
        g->at = redo_getfirstposition(session);
    say(g, "The daemon is back.");
}

/* Leaves what was dropped, where no cursor has done so. */
static void settle(struct game *g)
{
    while (!g->at->inuse) /* the first position is never dropped */
        g->at = g->at->prev;
}

enum game_result game_step(struct game *g)
{
    redo_client_step(g->client, 0); /* a daemon that is gone shows in game->away */
    int status = redo_client_status(g->session);
    if (status != REDO_OK && status != REDO_ECLOSED && status != REDO_ERESYNC)
        return gone(g, status);
    settle(g);
    return GAME_DONE;
}

/* ---- commands ---------------------------------------------------------------------------- */

/* Moves the cursor by a step; none: what there is to say if that leads nowhere. */
static enum game_result step(struct game *g, enum redo_step step, int n, char const *none)
{
    int moves = 0;
    if (g->away)
        moves = look_step(&g->at, step, n);
    else if (!redo_movecursor(g->session, g->cursor, step, n, g->at, &moves))
        return failed(g);
    return moves ? GAME_DONE : not_possible(g, none);
}

static enum game_result go_to(struct game *g, redo_position *to, redo_position const *expect)
{
    if (g->away) {
        g->at = to;
        return GAME_DONE;
    }
    return redo_setcursor(g->session, g->cursor, to, expect) ? GAME_DONE : failed(g);
}

/* Whether the state is on the path to here; then the cursor goes back to it, and a short detour is
 * forgotten: its positions are dropped, and the cursor is at the last one that is left. */
static enum game_result close_cycle(struct game *g, unsigned char const *state, bool *found)
{
    redo_position *from = g->at, *to = g->at;
    *found = redo_suppresscycle(g->session, &to, state, PRUNE);
    if (!*found)
        return redo_lasterror() == REDO_OK ? GAME_DONE : failed(g);
    while (!from->inuse)
        from = from->prev;
    enum game_result rc = go_to(g, to, from);
    if (rc == GAME_DONE)
        say(g, "Back where you were on this path.");
    return rc;
}

static enum game_result move(struct game *g, char command)
{
    static char const letters[] = "lurd"; /* as the directions */
    unsigned char after[1 + BOARD_BOXES];
    bool cycle = false;
    if (g->at->endpoint)
        return not_possible(g, "The level is solved.");
    int direction = (int)(strchr(letters, command | 0x20) - letters);
    int number = board_move(&g->level, redo_getsavedstate(g->at), direction, after);
    if (number < 0)
        return not_possible(g, "Something is in the way.");
    if (g->suppress) {
        enum game_result rc = close_cycle(g, after, &cycle);
        if (cycle || rc != GAME_DONE)
            return rc;
    }
    /* The position and the cursor's way to it are one operation: both or none. */
    redo_add add = {.prev = g->at,
                    .move = number,
                    .state = after,
                    .endpoint = board_solved(&g->level, after),
                    .checkequiv = redo_check};
    int rc = redo_addpositions(g->session, &add, 1, g->cursor, g->at, NULL);
    return rc == REDO_OK ? GAME_DONE : failed(g);
}

static enum game_result undo(struct game *g, char command)
{
    return step(g, redo_step_undo, 1, "This is the start.");
}

static enum game_result undo_mine(struct game *g, char command)
{
    char const *why = g->at->prev ? "Another player made this move." : "This is the start.";
    return step(g, redo_step_undomine, 1, why);
}

static enum game_result start(struct game *g, char command)
{
    if (!g->at->prev)
        return not_possible(g, "This is the start.");
    return go_to(g, redo_getfirstposition(g->session), g->at);
}

static enum game_result redo(struct game *g, char command)
{
    return step(g, redo_step_redo, 1, "There is nothing to redo.");
}

static enum game_result redo_branch_of(struct game *g, char command)
{
    redo_branch const *branch = g->at->next;
    if (!branch)
        return not_possible(g, "There is nothing to redo.");
    for (int n = command - '0'; n > 1 && branch; n--)
        branch = branch->cdr;
    if (!branch)
        return not_possible(g, "There is no such branch.");
    return step(g, redo_step_move, branch->move, "That position was dropped.");
}

static enum game_result back(struct game *g, char command)
{
    return step(g, redo_step_branchback, 1, "This is the start.");
}

static enum game_result forward(struct game *g, char command)
{
    return step(g, redo_step_branchforth, 1, "There is nothing to redo.");
}

/* To the end of the chain, if the better position has a better one too. */
static enum game_result better(struct game *g, char command)
{
    enum game_result rc;
    do
        rc = step(g, redo_step_better, 1, "No better way to here is known.");
    while (rc == GAME_DONE && g->at->better);
    return rc;
}

static enum game_result solution(struct game *g, char command)
{
    if (!g->at->solutionend)
        return not_possible(g, "No solution from here is known.");
    return step(g, redo_step_solution, command == '!' ? INT_MAX : 1, "This is the solution's end.");
}

static enum game_result drop(struct game *g, char command)
{
    if (!g->at->prev)
        return not_possible(g, "The start can not be dropped.");
    if (g->at->next)
        return not_possible(g, "Only a position that nothing follows can be dropped.");
    redo_position *dropped = g->at; /* its cursors go to the one before by themselves */
    redo_position *prev = redo_dropposition(g->session, dropped);
    if (prev == dropped || !prev)
        return failed(g);
    say(g, "Dropped.");
    return GAME_DONE;
}

static enum game_result graft(struct game *g, char command)
{
    static char const *const said[] = {"Grafting: none.", "Grafting: graft.",
                                       "Grafting: copy path.", "Grafting: graft and copy."};
    int next = (redo_getgraftbehavior(g->session) + 1) % (redo_graftandcopy + 1);
    if (redo_setgraftbehavior(g->session, next) < 0 || redo_lasterror() != REDO_OK)
        return failed(g);
    say(g, said[next]);
    return GAME_DONE;
}

static enum game_result suppress(struct game *g, char command)
{
    g->suppress = !g->suppress;
    say(g, g->suppress ? "Cycles are suppressed." : "Cycles are kept.");
    return GAME_DONE;
}

static struct {
    char const *commands;
    enum game_result (*run)(struct game *g, char command);
    bool looks; /* needs no daemon */
} const table[] = {
    {"lurdLURD", move, false},
    {"<", undo, true},
    {"m", undo_mine, false},
    {">", redo, true},
    {"123456789", redo_branch_of, true},
    {"^", back, true},
    {"v", forward, true},
    {"*", better, true},
    {"$!", solution, true},
    {"0", start, true},
    {"_", drop, false},
    {"%", graft, false},
    {"~", suppress, true},
};

enum game_result game_command(struct game *g, char command)
{
    g->mine = NULL;
    g->message[0] = '\0';
    for (size_t i = 0; command && i < sizeof table / sizeof table[0]; i++) {
        if (!strchr(table[i].commands, command))
            continue;
        if (g->away && !table[i].looks) {
            say(g, "The daemon is gone: you can only look.");
            return GAME_AWAY;
        }
        enum game_result rc = table[i].run(g, command);
        settle(g);
        return rc;
    }
    return not_possible(g, "There is no such command.");
}

/* ---- the session ------------------------------------------------------------------------- */

/* Whether the session holds the level. */
static bool same_level(struct game const *g)
{
    return memcmp(redo_getsavedstate(g->at), g->level.initial, board_statesize(&g->level)) == 0;
}

static enum game_result begin(struct game *g, char const *session, char const *player)
{
    int rc = redo_client_setname(g->client, player);
    if (rc != REDO_OK)
        return gone(g, rc);
    g->session = redo_client_beginsession(g->client, session, g->level.initial,
                                          (int)board_statesize(&g->level), 0);
    if (!g->session && redo_lasterror() != REDO_ESTATE)
        return gone(g, redo_lasterror());
    if (g->session)
        g->at = redo_getfirstposition(g->session);
    if (!g->session || !same_level(g)) {
        say(g, "the session holds another level");
        return GAME_GONE;
    }
    rc = redo_client_watchcursor(g->session, g->cursor, moved, g);
    if (rc != REDO_OK)
        return gone(g, rc);
    redo_client_listen(g->client, heard, g);
    return GAME_DONE;
}

enum game_result game_begin(struct game *g, char const *socket, char const *session,
                            char const *player)
{
    g->away = false;
    g->message[0] = '\0';
    g->session = NULL;
    g->client = redo_client_connect(socket, 0);
    if (g->client) {
        enum game_result rc = begin(g, session, player);
        if (rc != GAME_DONE)
            game_end(g);
        return rc;
    }
    int code = redo_lasterror();
    if (code != REDO_ECONNECT && code != REDO_ENAME)
        return gone(g, code);
    snprintf(g->message, sizeof g->message,
             "no daemon answers at %s: start redod, or name its socket with --socket", socket);
    return GAME_GONE;
}

void game_end(struct game *g)
{
    redo_client_close(g->client);
    g->client = NULL;
    g->session = NULL;
}

/* Where an older version, which knew no cursors, has left the session: it kept the position's
 * number as a property, an unsigned one in msgpack. NULL if there is none, or no more. */
static redo_position *left_before(struct game const *g)
{
    size_t size;
    unsigned char const *value = redo_getproperty(g->session, "position", &size);
    if (!value)
        return NULL;
    uint64_t number = value[0]; /* below 128 it is its own byte */
    if (size != 1 || number >= 0x80) {
        if (number < 0xcc || number > 0xcf || size != 1 + ((size_t)1 << (number - 0xcc)))
            return NULL;
        number = 0;
        for (size_t i = 1; i < size; i++)
            number = number << 8 | value[i];
    }
    return number < REDO_NOPOSITION ? redo_getposition(g->session, (uint32_t)number) : NULL;
}

enum game_result game_join(struct game *g)
{
    redo_position *start = redo_getcursor(g->session, g->cursor);
    if (start) {
        g->at = start;
        return GAME_DONE;
    }
    start = left_before(g);
    if (!start)
        start = redo_getfirstposition(g->session);
    g->theirs = NULL;
    if (!redo_setcursor(g->session, g->cursor, start, NULL))
        return failed(g);
    /* If another has made it in the same moment, and may have moved already, that counts; also if
     * it has moved on by now. */
    if (g->theirs && !redo_setcursor(g->session, g->cursor, g->theirs, start) &&
        redo_lasterror() != REDO_EEXPECTED && redo_lasterror() != REDO_EDROPPED)
        return failed(g);
    return GAME_DONE;
}
