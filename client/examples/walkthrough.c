/* The use cases of the Redo Library's document, step by step, drawn as they are drawn there.
 *
 * This is a program as it would be written for the original library: it uses nothing that is not in
 * the document. It builds with -lredo, and with -lredo-client to keep its history in the daemon.
 */
#include <stdio.h>
#include <stdlib.h>

#include "redo.h"

/* The state of the imagined game. Only the place counts when states are compared: the label is for
 * drawing, so it is among the extra bytes. */
struct state {
    int place;
    int label;
};

#define CMPSIZE ((int)sizeof(int))

static int label(redo_position const *position)
{
    struct state const *state = redo_getsavedstate(position);
    return state->label;
}

/* The oldest branch of those with a label after this one, or NULL. (The list has the branch used
 * last in front; the diagrams have the oldest on top.) */
static redo_branch const *branchafter(redo_position const *position, int last)
{
    redo_branch const *branch, *found = NULL;

    for (branch = position->next; branch; branch = branch->cdr)
        if (label(branch->p) > last && (!found || label(branch->p) < label(found->p)))
            found = branch;
    return found;
}

static void drawbranches(redo_position const *position, char const *indent)
{
    redo_branch const *branch, *next;
    char deeper[80];

    for (branch = branchafter(position, -1); branch; branch = next) {
        next = branchafter(position, label(branch->p));
        printf("%s|_ %d. %c", indent, label(branch->p), branch->move);
        if (branch->p->better)
            printf(" [%d]", label(branch->p->better));
        printf("\n");
        snprintf(deeper, sizeof deeper, "%s%s", indent, next ? "|  " : "   ");
        drawbranches(branch->p, deeper);
    }
}

static void draw(redo_session *session)
{
    redo_position const *first = redo_getfirstposition(session);

    printf("        %d. (Start)\n", label(first));
    drawbranches(first, "        ");
    printf("\n");
}

/* The user does something, and the game is at a place then. */
static redo_position *act(redo_session *session, redo_position *from, char action, int place)
{
    struct state state = {place, redo_getsessionsize(session)};
    redo_position *to = redo_addposition(session, from, action, &state, 0, redo_check);

    if (!to) {
        fprintf(stderr, "walkthrough: can not add a position\n");
        exit(1);
    }
    return to;
}

static void walk(int grafting, int drawall)
{
    struct state start = {0, 0};
    redo_session *session = redo_beginsession(&start, sizeof start, CMPSIZE);
    redo_position *p, *p2, *p6;

    if (!session) {
        fprintf(stderr, "walkthrough: can not begin a session\n");
        exit(1);
    }
    redo_setgraftbehavior(session, grafting);

    p = act(session, redo_getfirstposition(session), 'A', 1);
    p2 = act(session, p, 'A', 2);
    p = act(session, p2, 'B', 3);
    if (drawall)
        draw(session);
    p = act(session, p->prev, 'C', 4); /* undo, then C */
    if (drawall)
        draw(session);
    p = redo_getnextposition(p->prev, 'B'); /* undo, then redo B */
    act(session, p, 'B', 5);
    if (drawall)
        draw(session);
    p6 = act(session, redo_getfirstposition(session), 'B', 6);
    act(session, p6, 'C', 7);
    p = act(session, p6, 'B', 8);
    if (drawall)
        draw(session);
    act(session, p, 'B', 1); /* as after A from the start */
    if (drawall)
        draw(session);
    act(session, redo_getfirstposition(session), 'C', 2); /* as after A, A */
    draw(session);
    redo_endsession(session);
}

int main(void)
{
    walk(redo_nograft, 1);
    walk(redo_graft, 0);
    return 0;
}
