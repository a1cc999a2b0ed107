/* A second program as it would be written for the Redo Library: of its API it uses nothing that is
 * not in the library's document. Like the example of the document it plays an imagined game, whose
 * states have a place, which counts, and a label, which does not.
 *
 *   wanderer ACTION STEPS
 *
 * It wanders in the part of the history that begins with ACTION, a letter, so many steps, or until
 * it is killed if they are 0. It tells each step once it is done: "add LABEL", "drop LABEL",
 * "label OLD NEW", "saved".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo.h"

struct state {
    int place;
    int label;
};

#define CMPSIZE ((int)sizeof(int))

static int base;  /* of the places and labels of this wanderer */
static int label; /* the last one given */

static void fail(char const *what)
{
    fprintf(stderr, "wanderer: %s\n", what);
    exit(1);
}

static int label_of(redo_position const *position)
{
    struct state const *state = redo_getsavedstate(position);

    return state->label;
}

static int place_of(redo_position const *position)
{
    struct state const *state = redo_getsavedstate(position);

    return state->place;
}

/* Acts: at another place then, of a few, so that places are come to again. */
static redo_position *act(redo_session *session, redo_position *from, char action)
{
    struct state state = {base + 1 + rand() % 20, ++label};
    redo_position *to = redo_addposition(session, from, action, &state, 0, redo_check);

    if (!to)
        fail("can not add a position");
    printf("add %d\n", label_of(to));
    return to;
}

/* Undoes a few, but stays in its part. */
static redo_position *undo(redo_position *position, int count)
{
    for (; count > 0 && position->movecount > 1; count--)
        position = position->prev;
    return position;
}

/* Redoes the branch used last, as far as it leads. */
static redo_position *redo(redo_position *position)
{
    while (position->next) {
        redo_position *next = redo_getnextposition(position, position->next->move);
        if (!next)
            fail("can not redo");
        position = next;
    }
    return position;
}

/* Drops a position at the end of a branch. */
static redo_position *drop(redo_session *session, redo_position *position)
{
    int dropped = label_of(position);
    redo_position *prev;

    if (position->next || position->movecount < 2)
        return position;
    prev = redo_dropposition(session, position);
    if (!prev || prev == position)
        fail("can not drop a position");
    printf("drop %d\n", dropped);
    return prev;
}

static void relabel(redo_session *session, redo_position *position)
{
    struct state state = {place_of(position), ++label};
    int old = label_of(position);

    redo_updatesavedstate(session, position, &state);
    if (label_of(position) != label)
        fail("can not update a state");
    printf("label %d %d\n", old, label);
}

static void save(redo_session *session)
{
    redo_clearsessionchanged(session);
    printf("saved\n");
}

static redo_position *step(redo_session *session, redo_position *position)
{
    switch (rand() % 20) {
    case 0:
        return redo(position);
    case 1:
    case 2:
        return undo(position, 1 + rand() % 6);
    case 3:
        return drop(session, position);
    case 4:
        relabel(session, position);
        return position;
    case 5:
        if (rand() % 10 == 0)
            save(session);
        return position;
    default:
        return act(session, position, (char)('A' + rand() % 4));
    }
}

int main(int argc, char **argv)
{
    struct state start = {0, 0};
    redo_session *session;
    redo_position *position;
    int steps = argc > 2 ? atoi(argv[2]) : 0;

    if (argc < 3)
        fail("usage: wanderer ACTION STEPS");
    base = argv[1][0] * 1000000;
    label = base;
    srand((unsigned)argv[1][0]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    session = redo_beginsession(&start, sizeof start, CMPSIZE);
    if (!session)
        fail("can not begin a session");
    position = act(session, redo_getfirstposition(session), argv[1][0]);
    for (int i = 0; steps == 0 || i < steps; i++)
        position = step(session, position);
    save(session);
    redo_endsession(session);
    printf("end\n");
    return 0;
}
