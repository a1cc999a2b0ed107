/* Each command is one function below; the table at the end is the way to them. */
#include "game.h"

#include <string.h>

/* With cycles suppressed, a detour of fewer moves than this is forgotten. */
#define PRUNE 4

static enum game_result not_possible(struct game *g, char const *why)
{
    snprintf(g->message, sizeof g->message, "%s", why);
    return GAME_NOT;
}

static enum game_result gone(struct game *g, int code)
{
    char const *name = code == REDO_ENOSESSION ? "the session was deleted"
                       : code == REDO_ECLOSED  ? "the daemon has gone away"
                                               : redo_strerror(code);
    snprintf(g->message, sizeof g->message, "%s", name);
    return GAME_GONE;
}

/* A function of the library has failed, or found nothing: another frontend may just have dropped
 * what was asked for. */
static enum game_result failed(struct game *g)
{
    int code = redo_lasterror();
    switch (code) {
    case REDO_OK:
    case REDO_EDROPPED:
        return not_possible(g, "That position was dropped.");
    case REDO_ECLOSED:
    case REDO_ETIMEOUT:
    case REDO_EPROTOCOL:
    case REDO_EDIVERGED:
    case REDO_ENOSESSION:
        return gone(g, code);
    default:
        return not_possible(g, redo_strerror(code));
    }
}

/* ---- other frontends --------------------------------------------------------------------- */

/* Where the session's players are is a property of it, since undo, say, changes nothing in the
 * history: the position's number, an unsigned one in msgpack. */
static char const shared_name[] = "position";

enum game_result game_share(struct game *g)
{
    uint32_t number = redo_getpositionid(g->at);
    unsigned char const value[] = {0xce, number >> 24, number >> 16, number >> 8, number};
    int rc = redo_setproperty(g->session, shared_name, value, sizeof value);
    return rc == REDO_OK ? GAME_DONE : failed(g);
}

/* The position that was shared last; NULL if there is none, or no more. */
static redo_position *shared(struct game const *g)
{
    size_t size;
    unsigned char const *value = redo_getproperty(g->session, shared_name, &size);
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

/* Of this frontend and another, that one leads which was the last to tell its position. */
static void observe(redo_session *session, redo_operation const *op, redo_result const *result,
                    int own, void *data)
{
    struct game *g = data;
    size_t size = sizeof shared_name - 1;
    if (op->kind == REDO_OP_PROPERTY && op->namesize == size &&
        memcmp(op->name, shared_name, size) == 0)
        g->elsewhere = g->follow && !own;
}

/* After anything that may have changed the history: follows, and leaves what was dropped. */
static void settle(struct game *g)
{
    if (g->elsewhere) {
        redo_position *to = shared(g);
        if (to && to != g->at) {
            g->at = to;
            snprintf(g->message, sizeof g->message, "Another frontend has moved.");
        }
        g->elsewhere = false;
    }
    while (!g->at->inuse) /* the first position is never dropped */
        g->at = g->at->prev;
}

enum game_result game_step(struct game *g)
{
    int applied = redo_client_step(g->client, 0), status = redo_client_status(g->session);
    if (status != REDO_OK)
        return gone(g, status);
    if (applied <= 0)
        return GAME_NOT;
    settle(g);
    return GAME_DONE;
}

/* ---- commands ---------------------------------------------------------------------------- */

static enum game_result move(struct game *g, char command)
{
    static char const letters[] = "lurd"; /* as the directions */
    unsigned char after[1 + BOARD_BOXES];
    if (g->at->endpoint)
        return not_possible(g, "The level is solved.");
    int direction = (int)(strchr(letters, command | 0x20) - letters);
    int number = board_move(&g->level, redo_getsavedstate(g->at), direction, after);
    if (number < 0)
        return not_possible(g, "Something is in the way.");

    redo_position *to = g->at;
    if (g->suppress) {
        if (redo_suppresscycle(g->session, &to, after, PRUNE)) {
            g->at = to;
            snprintf(g->message, sizeof g->message, "Back where you were on this path.");
            return GAME_DONE;
        }
        if (redo_lasterror() != REDO_OK)
            return failed(g);
    }
    int endpoint = board_solved(&g->level, after);
    to = redo_addposition(g->session, g->at, number, after, endpoint, redo_check);
    if (!to)
        return failed(g);
    g->at = to;
    return GAME_DONE;
}

static enum game_result undo(struct game *g, char command)
{
    if (!g->at->prev)
        return not_possible(g, "This is the start.");
    g->at = g->at->prev;
    return GAME_DONE;
}

static enum game_result start(struct game *g, char command)
{
    if (!g->at->prev)
        return not_possible(g, "This is the start.");
    g->at = redo_getfirstposition(g->session);
    return GAME_DONE;
}

/* Goes along a branch, which thereby becomes the front one. */
static enum game_result go(struct game *g, redo_branch const *branch)
{
    redo_position *to = redo_getnextposition(g->at, branch->move);
    if (!to)
        return failed(g);
    g->at = to;
    return GAME_DONE;
}

static enum game_result redo(struct game *g, char command)
{
    redo_branch const *branch = g->at->next;
    if (!branch)
        return not_possible(g, "There is nothing to redo.");
    for (int n = command == '>' ? 1 : command - '0'; n > 1 && branch; n--)
        branch = branch->cdr;
    return branch ? go(g, branch) : not_possible(g, "There is no such branch.");
}

static enum game_result back(struct game *g, char command)
{
    redo_position *p = g->at->prev;
    while (p && p->nextcount < 2)
        p = p->prev;
    if (!p)
        return not_possible(g, "There is no branch point before.");
    g->at = p;
    return GAME_DONE;
}

static enum game_result forward(struct game *g, char command)
{
    if (!g->at->next)
        return not_possible(g, "There is nothing to redo.");
    do
        g->at = g->at->next->p;
    while (g->at->nextcount == 1);
    return GAME_DONE;
}

static enum game_result better(struct game *g, char command)
{
    redo_position *p = game_better(g);
    if (!p)
        return not_possible(g, "No better way to here is known.");
    g->at = p;
    return GAME_DONE;
}

/* The branch that the best solution takes, of several the first; NULL at its end. */
static redo_branch *solution_branch(redo_position const *p)
{
    if (p->endpoint == p->solutionend && p->movecount == p->solutionsize)
        return NULL;
    redo_branch *b = p->next;
    while (b && (b->p->solutionend != p->solutionend || b->p->solutionsize != p->solutionsize))
        b = b->cdr;
    return b;
}

static enum game_result solution(struct game *g, char command)
{
    if (!g->at->solutionend)
        return not_possible(g, "No solution from here is known.");
    redo_branch *branch = solution_branch(g->at);
    if (!branch)
        return not_possible(g, "This is the solution's end.");
    enum game_result rc;
    do
        rc = go(g, branch);
    while (rc == GAME_DONE && command == '!' && (branch = solution_branch(g->at)));
    return rc;
}

static enum game_result drop(struct game *g, char command)
{
    if (!g->at->prev)
        return not_possible(g, "The start can not be dropped.");
    if (g->at->next)
        return not_possible(g, "Only a position that nothing follows can be dropped.");
    redo_position *prev = redo_dropposition(g->session, g->at);
    if (prev == g->at || !prev)
        return failed(g);
    g->at = prev;
    snprintf(g->message, sizeof g->message, "Dropped.");
    return GAME_DONE;
}

static enum game_result graft(struct game *g, char command)
{
    int next = (redo_getgraftbehavior(g->session) + 1) % (redo_graftandcopy + 1);
    if (redo_setgraftbehavior(g->session, next) < 0 || redo_lasterror() != REDO_OK)
        return failed(g);
    snprintf(g->message, sizeof g->message, "Grafting: %s.", game_graftname(g));
    return GAME_DONE;
}

static enum game_result suppress(struct game *g, char command)
{
    g->suppress = !g->suppress;
    snprintf(g->message, sizeof g->message, "Cycles are %s.", g->suppress ? "suppressed" : "kept");
    return GAME_DONE;
}

static struct {
    char const *commands;
    enum game_result (*run)(struct game *g, char command);
} const table[] = {
    {"lurdLURD", move}, {"<", undo},   {">123456789", redo}, {"^", back},
    {"v", forward},     {"*", better}, {"$!", solution},     {"0", start},
    {"_", drop},        {"%", graft},  {"~", suppress},
};

enum game_result game_command(struct game *g, char command)
{
    g->message[0] = '\0';
    for (size_t i = 0; command && i < sizeof table / sizeof table[0]; i++) {
        if (!strchr(table[i].commands, command))
            continue;
        redo_position const *before = g->at;
        enum game_result rc = table[i].run(g, command);
        if (rc != GAME_GONE && g->follow && g->at != before) {
            enum game_result told = game_share(g);
            rc = told == GAME_DONE ? rc : told;
        }
        if (rc != GAME_GONE)
            settle(g);
        return rc;
    }
    return not_possible(g, "There is no such command.");
}

/* ---- the session ------------------------------------------------------------------------- */

enum game_result game_begin(struct game *g, char const *socket, char const *name)
{
    int size = (int)board_statesize(&g->level);
    g->elsewhere = false;
    g->message[0] = '\0';
    g->session = NULL;
    g->client = redo_client_connect(socket, 0);
    if (!g->client) {
        int code = redo_lasterror();
        gone(g, code);
        if (code == REDO_ECONNECT || code == REDO_ENAME)
            snprintf(g->message, sizeof g->message,
                     "no daemon answers at %s: start redod, or name its socket with --socket",
                     socket);
        return GAME_GONE;
    }
    g->session = redo_client_beginsession(g->client, name, g->level.initial, size, 0);
    if (!g->session) {
        gone(g, redo_lasterror());
    } else {
        g->at = redo_getfirstposition(g->session);
        if (memcmp(redo_getsavedstate(g->at), g->level.initial, (size_t)size) == 0) {
            redo_client_observe(g->session, observe, g);
            return GAME_DONE;
        }
    }
    if (g->session || redo_lasterror() == REDO_ESTATE)
        snprintf(g->message, sizeof g->message, "the session holds another level");
    game_end(g);
    return GAME_GONE;
}

void game_end(struct game *g)
{
    redo_client_close(g->client);
    g->client = NULL;
    g->session = NULL;
}

void game_resume(struct game *g)
{
    redo_position *to = g->follow ? shared(g) : NULL;
    if (to) {
        g->at = to;
        return;
    }
    while (g->at->next)
        g->at = g->at->next->p;
}

/* ---- telling ----------------------------------------------------------------------------- */

redo_position *game_better(struct game const *g)
{
    redo_position *p = g->at->better;
    while (p && p->better)
        p = p->better;
    return p;
}

void game_mark(struct game const *g, char *text, size_t size)
{
    redo_position const *p = game_better(g);
    if (!p)
        *text = '\0';
    else if (p->movecount == g->at->movecount)
        snprintf(text, size, "You have been here (in as many moves)");
    else
        snprintf(text, size, "You have been here (in %u fewer move%s)",
                 g->at->movecount - p->movecount, g->at->movecount - p->movecount == 1 ? "" : "s");
}

char const *game_movename(int number)
{
    static char const *const names[] = {"left",      "up",      "right",      "down",
                                        "push left", "push up", "push right", "push down"};
    return number >= 0 && number < (int)(sizeof names / sizeof names[0]) ? names[number] : "?";
}

char const *game_graftname(struct game const *g)
{
    static char const *const names[] = {"none", "graft", "copy path", "graft and copy"};
    int graft = redo_getgraftbehavior(g->session);
    return graft >= 0 && graft <= redo_graftandcopy ? names[graft] : "?";
}

static void print_number(FILE *out, redo_position const *p)
{
    if (p)
        fprintf(out, " %u", redo_getpositionid(p));
    else
        fputs(" -", out);
}

void game_print(struct game const *g, FILE *out)
{
    int count = redo_getsessionsize(g->session);
    for (uint32_t number = 0; count > 0; number++) {
        redo_position const *p = redo_getposition(g->session, number);
        if (!p)
            continue; /* dropped */
        count--;
        fprintf(out, "%u", number);
        print_number(out, p->prev);
        if (p->prev)
            fprintf(out, " %d", redo_getmove(p));
        else
            fputs(" -", out);
        fprintf(out, " %u", p->movecount);
        print_number(out, p->better);
        fprintf(out, " %d %u\n", p->endpoint, p->solutionsize);
    }
}
