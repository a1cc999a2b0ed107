#include "tell.h"

#include <string.h>

/* Cursors that a line has room for; of more it says that there are some. */
#define OTHERS 8

void tell_mark(struct game const *g, char *text, size_t size)
{
    redo_position const *p = g->at;
    while (p->better)
        p = p->better;
    unsigned fewer = g->at->movecount - p->movecount;
    if (p == g->at)
        *text = '\0';
    else if (!fewer)
        snprintf(text, size, "You have been here (in as many moves)");
    else
        snprintf(text, size, "You have been here (in %u fewer move%s)", fewer,
                 fewer == 1 ? "" : "s");
}

void tell_solution(struct game const *g, char *text, size_t size)
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

/* ---- who and where ----------------------------------------------------------------------- */

/* A name is what others say it is: it must not play tricks with the terminal. */
static void make_plain(char *name)
{
    for (; *name; name++) {
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            *name = '?';
    }
}

void tell_author(redo_position const *position, char *text, size_t size)
{
    redo_author author;
    if (!redo_getauthor(position, &author))
        snprintf(text, size, "-");
    else if (!*author.name)
        snprintf(text, size, "user %u", author.uid);
    else
        snprintf(text, size, "%s", author.name);
    make_plain(text);
}

/* "ann at 12 (by bob)", after a comma if it is not the first. Whether there is room for more. */
static bool tell_cursor(struct game const *g, char const *name, char *text, size_t size)
{
    char author[64];
    size_t length = strlen(text);
    redo_position const *p = redo_getcursor(g->session, name);
    tell_author(p, author, sizeof author);
    int more = snprintf(text + length, size - length, "%s%s at %u", length ? ", " : "", name,
                        p->movecount);
    length += (size_t)more;
    if (length < size && strcmp(author, "-") != 0)
        length += (size_t)snprintf(text + length, size - length, " (by %s)", author);
    return length < size;
}

void tell_others(struct game const *g, char *text, size_t size)
{
    char const *name;
    int told = 0;
    *text = '\0';
    for (unsigned i = 0; (name = redo_getcursorname(g->session, i)); i++) {
        if (strcmp(name, g->cursor) == 0)
            continue;
        if (told++ == OTHERS) {
            snprintf(text + strlen(text), size - strlen(text), ", ...");
            break;
        }
        if (!tell_cursor(g, name, text, size))
            break;
    }
    make_plain(text);
}

/* ---- names ------------------------------------------------------------------------------- */

char const *tell_move(int number)
{
    static char const *const names[] = {"left",      "up",      "right",      "down",
                                        "push left", "push up", "push right", "push down"};
    return number >= 0 && number < (int)(sizeof names / sizeof names[0]) ? names[number] : "?";
}

char const *tell_graft(struct game const *g)
{
    static char const *const names[] = {"none", "graft", "copy path", "graft and copy"};
    int graft = redo_getgraftbehavior(g->session);
    return graft >= 0 && graft <= redo_graftandcopy ? names[graft] : "?";
}

/* ---- the history ------------------------------------------------------------------------- */

static void print_number(FILE *out, redo_position const *p)
{
    if (p)
        fprintf(out, " %u", redo_getpositionid(p));
    else
        fputs(" -", out);
}

void tell_history(struct game const *g, FILE *out)
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
