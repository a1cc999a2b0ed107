/* Plays scripts (one JSON object a line on standard input, as in tests/cases/redo-fuzz, without
 * answers) through redo.h, and writes one JSON line a script with the answer of every step. Built
 * against libredo and against libredo-client, it tests both. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo.h"
#include "told.h"

/* Bytes from hex, followed by a guard byte; *size is their number. */
static unsigned char *unhex(char const *hex, int *size)
{
    *size = (int)(strlen(hex) / 2);
    unsigned char *bytes = malloc((size_t)*size + 1);
    for (int i = 0; i < *size; i++) {
        unsigned v;
        sscanf(hex + 2 * i, "%2x", &v);
        bytes[i] = (unsigned char)v;
    }
    return bytes;
}

static json_t *hex(void const *bytes, int size)
{
    char *text = malloc(2 * (size_t)size + 1);
    for (int i = 0; i < size; i++)
        sprintf(text + 2 * i, "%02x", ((unsigned char const *)bytes)[i]);
    text[2 * size] = '\0';
    json_t *string = json_string(text);
    free(text);
    return string;
}

/* Every position ever seen, by number: a stale pointer must be refused like any other. */
struct seen {
    redo_position **all;
    size_t cap;
    uint32_t count; /* numbers given so far */
};

static void note(struct seen *seen, redo_session *session)
{
    for (;; seen->count++) {
        redo_position *p = redo_getposition(session, seen->count);
        if (!p && redo_lasterror() == REDO_EPOSITION)
            return;
        if (seen->count == seen->cap) {
            seen->cap = seen->cap * 2 + 64;
            seen->all = realloc(seen->all, seen->cap * sizeof *seen->all);
        }
        seen->all[seen->count] = p;
    }
}

static redo_position *at(struct seen const *seen, redo_session *session, json_t *op, size_t i)
{
    json_int_t id = json_integer_value(json_array_get(op, i));
    if (id < 0 || id >= seen->count)
        return redo_getposition(session, (uint32_t)id);
    return seen->all[id];
}

static json_t *number(redo_position const *p)
{
    return p ? json_integer(redo_getpositionid(p)) : json_integer(-1);
}

static json_t *row(redo_session *session, redo_position *p)
{
    json_t *branches = json_array(), *moves = json_integer(0);
    for (redo_branch *b = p->next; b; b = b->cdr)
        json_array_append_new(branches, number(b->p));
    if (p->prev) {
        redo_branch *b = p->prev->next;
        while (b->p != p)
            b = b->cdr;
        json_integer_set(moves, b->move);
    }
    json_t *row = json_array();
    json_array_append_new(row, number(p));
    json_array_append_new(row, number(p->prev));
    json_array_append_new(row, moves);
    json_array_append_new(row, json_integer(p->movecount));
    json_array_append_new(row, number(p->better));
    json_array_append_new(row, json_integer(p->endpoint));
    json_array_append_new(row, json_integer(p->solutionend));
    json_array_append_new(row, json_integer(p->solutionsize));
    if (json_array_size(branches) != p->nextcount)
        json_array_append_new(branches, json_string("nextcount differs"));
    json_array_append_new(row, branches);
    json_array_append_new(row, hex(redo_getsavedstate(p), redo_getstatesize(session)));
    return row;
}

static json_t *dump(redo_session *session, struct seen const *seen)
{
    json_t *rows = json_array();
    for (uint32_t id = 0; id < seen->count; id++) {
        redo_position *p = seen->all[id];
        if (p && p->inuse)
            json_array_append_new(rows, row(session, p));
    }
    return rows;
}

/* ---- cursors, turns ---------------------------------------------------------------------- */

static json_t *cursor(redo_session *session, struct seen const *seen, json_t *op)
{
    char const *name = json_string_value(json_array_get(op, 1));
    int step = (int)json_integer_value(json_array_get(op, 2));
    int n = (int)json_integer_value(json_array_get(op, 3)), steps = 0;
    bool expects = json_integer_value(json_array_get(op, 5)) != -1;
    redo_position *expect = expects ? at(seen, session, op, 5) : NULL, *p;
    if (expects && !expect) /* it never was, so the cursor is not there */
        return json_null();
    if (step == redo_step_drop && !expect)
        return redo_dropcursor(session, name) ? json_null() : json_pack("[i,i]", 1, -1);
    if (step == redo_step_goto) {
        redo_position *before = redo_getcursor(session, name);
        p = redo_setcursor(session, name, at(seen, session, op, 4), expect);
        steps = p != before;
    } else {
        p = redo_movecursor(session, name, step, n, expect, &steps);
    }
    return p ? json_pack("[i,o]", steps, number(p)) : json_null();
}

static json_t *turn(redo_session *session, struct seen const *seen, json_t *op)
{
    json_t *list = json_array_get(op, 1), *mark = json_array_get(op, 2), *item, *answer;
    size_t count = json_array_size(list), i;
    redo_add *adds = calloc(count + 1, sizeof *adds);
    redo_position **positions = calloc(count + 1, sizeof(*positions)), *expect = NULL;
    char const *name = json_string_value(json_array_get(mark, 0));
    bool fits = true;
    json_array_foreach(list, i, item)
    {
        json_int_t after = json_integer_value(json_array_get(item, 0));
        char const *state = json_string_value(json_array_get(item, 3));
        int size;
        adds[i] = (redo_add){.prev = after ? NULL : at(seen, session, item, 1),
                             .after = (size_t)(after - 1),
                             .move = (int)json_integer_value(json_array_get(item, 2)),
                             .state = unhex(state, &size),
                             .endpoint = (int)json_integer_value(json_array_get(item, 4)),
                             .checkequiv = (int)json_integer_value(json_array_get(item, 5))};
        fits &= (after || adds[i].prev) && size == redo_getstatesize(session);
    }
    if (name && json_integer_value(json_array_get(mark, 3)) != -1)
        fits &= (expect = at(seen, session, mark, 3)) != NULL;
    if (fits && !redo_addpositions(session, adds, count, name, expect, positions)) {
        answer = json_array();
        for (i = 0; i < count; i++)
            json_array_append_new(answer, number(positions[i]));
    } else {
        answer = json_null();
    }
    for (i = 0; i < count; i++)
        free((void *)adds[i].state);
    free(adds);
    free(positions);
    return answer;
}

/* Where the cursors are, and who made what. */
static json_t *beside(redo_session *session, struct seen const *seen)
{
    json_t *cursors = json_array(), *authors = json_array();
    char const *name;
    redo_author a;
    for (unsigned i = 0; (name = redo_getcursorname(session, i)); i++)
        json_array_append_new(cursors,
                              json_pack("[s,o]", name, number(redo_getcursor(session, name))));
    for (uint32_t id = 0; id < seen->count; id++)
        if (seen->all[id] && seen->all[id]->inuse && redo_getauthor(seen->all[id], &a))
            json_array_append_new(authors,
                                  json_pack("[I,I,I,s,I]", (json_int_t)id, (json_int_t)a.number,
                                            (json_int_t)a.uid, a.name, (json_int_t)a.time));
    return json_pack("{s:o,s:o}", "cursors", cursors, "authors", authors);
}

/* Dumps the session and goes on with what is loaded from that, which must be the same. */
static json_t *reload(redo_session **session, struct seen *seen)
{
    void *data, *again = NULL;
    size_t size, size_again;
    if (redo_dump(*session, &data, &size))
        return json_string("can not be dumped");
    redo_session *loaded = redo_load(data, size);
    bool same = loaded && !redo_dump(loaded, &again, &size_again) && size == size_again &&
                !memcmp(data, again, size);
    free(data);
    free(again);
    if (!same)
        return json_string("differs once it is loaded");
    redo_endsession(*session);
    *session = loaded;
    for (uint32_t id = 0; id < seen->count; id++)
        seen->all[id] = redo_getposition(loaded, id);
    return json_integer(1);
}

/* ------------------------------------------------------------------------------------------ */

/* The answer of one operation: null if it was refused. */
static json_t *perform(redo_session **held, struct seen *seen, struct told *told, json_t *op,
                       json_t **pos)
{
    redo_session *session = *held;
    char const *name = json_string_value(json_array_get(op, 0));
    json_t *answer = NULL;
    unsigned char *state = NULL;
    int size;
#define INT(i) ((int)json_integer_value(json_array_get(op, i)))
#define STATE(i) (state = unhex(json_string_value(json_array_get(op, i)), &size))
#define WRONGSIZE(i) /* which redo.h can not see: a state has no length there */ \
    (strlen(json_string_value(json_array_get(op, i))) != 2 * (size_t)redo_getstatesize(session))
#define POSITION(i) at(seen, session, op, i)
    if ((!strcmp(name, "add") && WRONGSIZE(3)) || (!strcmp(name, "cycle") && WRONGSIZE(2)) ||
        (!strcmp(name, "update") && WRONGSIZE(2)))
        return json_null();
    if (!strcmp(name, "add")) {
        redo_position *p = redo_addposition(session, POSITION(1), INT(2), STATE(3), INT(4), INT(5));
        answer = p ? number(p) : json_null();
    } else if (!strcmp(name, "next")) {
        redo_position *p = redo_getnextposition(POSITION(1), INT(2));
        answer = !p && redo_lasterror() ? json_null() : number(p);
    } else if (!strcmp(name, "drop")) {
        redo_position *p = POSITION(1), *up = redo_dropposition(session, p);
        int code = redo_lasterror();
        answer = code == REDO_OK || code == REDO_EBRANCHES || code == REDO_EFIRST ? number(up)
                                                                                  : json_null();
    } else if (!strcmp(name, "graft")) {
        int before = redo_setgraftbehavior(session, INT(1));
        answer = redo_lasterror() ? json_null() : json_integer(before);
    } else if (!strcmp(name, "cycle")) {
        redo_position *p = POSITION(1);
        int found = redo_suppresscycle(session, &p, STATE(2), INT(3));
        answer = redo_lasterror() ? json_null() : json_integer(found);
        *pos = redo_lasterror() ? NULL : number(p);
    } else if (!strcmp(name, "dup")) {
        int copied = redo_duplicatepath(session, POSITION(1), POSITION(2));
        answer = redo_lasterror() ? json_null() : json_integer(copied);
    } else if (!strcmp(name, "setbetter")) {
        answer = json_integer(redo_setbetterfields(session));
    } else if (!strcmp(name, "update")) {
        redo_updatesavedstate(session, POSITION(1), STATE(2));
        answer = redo_lasterror() ? json_null() : json_integer(0);
    } else if (!strcmp(name, "clear")) {
        answer = json_integer(redo_clearsessionchanged(session));
    } else if (!strcmp(name, "changed")) {
        answer = json_integer(redo_hassessionchanged(session));
    } else if (!strcmp(name, "droptree")) {
        int dropped = redo_dropsubtree(session, POSITION(1));
        answer = dropped ? json_integer(dropped) : json_null();
    } else if (!strcmp(name, "cursor")) {
        answer = cursor(session, seen, op);
    } else if (!strcmp(name, "turn")) {
        answer = turn(session, seen, op);
    } else if (!strcmp(name, "told")) {
        answer = told_apply(told, session, op);
    } else if (!strcmp(name, "beside")) {
        answer = beside(session, seen);
    } else if (!strcmp(name, "reload")) {
        answer = reload(held, seen);
    }
    free(state);
    return answer ? answer : json_string("unknown operation");
}

static int play(json_t *script)
{
    int size;
    unsigned char *initial = unhex(json_string_value(json_object_get(script, "initial")), &size);
    redo_session *session = redo_beginsession(
        initial, size, (int)json_integer_value(json_object_get(script, "cmpsize")));
    free(initial);
    if (!session) {
        fprintf(stderr, "runner: can not begin a session: %s\n", redo_strerror(redo_lasterror()));
        return 1;
    }
    struct seen seen = {0};
    struct told told = {0};
    note(&seen, session);
    json_t *steps = json_array(), *step;
    size_t i;
    json_array_foreach(json_object_get(script, "steps"), i, step)
    {
        json_t *op = json_object_get(step, "op"), *out = json_object(), *pos = NULL;
        if (op && strcmp(json_string_value(json_array_get(op, 0)), "dump")) {
            json_object_set(out, "op", op);
            json_object_set_new(out, "ret", perform(&session, &seen, &told, op, &pos));
            if (pos)
                json_object_set_new(out, "pos", pos);
            note(&seen, session);
        } else {
            json_object_set_new(out, "dump", dump(session, &seen));
        }
        json_object_set_new(out, "size", json_integer(redo_getsessionsize(session)));
        json_object_set_new(out, "chg", json_integer(redo_hassessionchanged(session)));
        json_array_append_new(steps, out);
    }
    json_t *answer =
        json_pack("{s:O?,s:o}", "name", json_object_get(script, "name"), "steps", steps);
    json_dumpf(answer, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    json_decref(answer);
    free(seen.all);
    told_close(&told);
    redo_endsession(session);
    return 0;
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0;
    int failed = 0;
    while (!failed && getline(&line, &cap, stdin) > 0) {
        json_error_t error;
        json_t *script = json_loads(line, 0, &error);
        if (!script) {
            fprintf(stderr, "runner: %s at column %d\n", error.text, error.column);
            failed = 1;
            break;
        }
        failed = play(script);
        json_decref(script);
    }
    free(line);
    return failed;
}
