/* A game that tells changes, by redo.h alone: built with each of the two libraries. What it prints
 * is the same. */
#include <redo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_bytes(char const *what, void const *bytes, size_t size)
{
    printf("%s ", what);
    for (size_t i = 0; i < size; i++)
        printf("%02x", ((unsigned char const *)bytes)[i]);
    putchar('\n');
}

static void print_code(char const *what, int code)
{
    printf("%s: %s\n", what, code ? redo_errorname(code) : "good");
}

static void print_fault(redo_session *session)
{
    redo_fault fault;
    if (!redo_getfault(session, &fault)) {
        puts("no fault");
        return;
    }
    printf("fault: %s, line %ld, place %ld, field %s\n", fault.what, fault.line, fault.place,
           fault.field);
    print_bytes("  expected", fault.expected, fault.expectedsize);
    print_bytes("  given", fault.given, fault.givensize);
}

static void print_position(char const *what, redo_position const *p)
{
    if (!p) {
        print_code(what, redo_lasterror());
        return;
    }
    printf("%s: position %u, moves %u", what, redo_getpositionid(p), p->movecount);
    if (p->better)
        printf(", better %u", redo_getpositionid(p->better));
    putchar('\n');
}

static void print_table(redo_session *session, redo_position const *p)
{
    void *data;
    size_t size;
    int code = redo_gettable(session, p, &data, &size);
    print_code("table", code);
    if (code)
        return;
    print_bytes("table", data, size);
    free(data);
}

/* ["update", "b", x, 0, 0, oldx, 0, 0, 1, 0] */
static size_t put_line(unsigned char *at, int x, int old)
{
    unsigned char const line[] = {0x9a,
                                  0xa6,
                                  'u',
                                  'p',
                                  'd',
                                  'a',
                                  't',
                                  'e',
                                  0xa1,
                                  'b',
                                  (unsigned char)x,
                                  0,
                                  0,
                                  (unsigned char)old,
                                  0,
                                  0,
                                  1,
                                  0};
    memcpy(at, line, sizeof line);
    return sizeof line;
}

static redo_position *turn(redo_session *session, redo_position *prev, int move, int x, int old)
{
    unsigned char bytes[64] = {0x93, 0x91};
    size_t size = 2 + put_line(bytes + 2, x, old);
    memcpy(bytes + size, "\xc0\xc0", 2);
    return redo_addchanges(session, prev, move, bytes, size + 2, 0, redo_check);
}

static void add_line(redo_session *session, char const *cursor, int x, int old)
{
    unsigned char line[64];
    print_code("addundo", redo_addundo(session, cursor, line, put_line(line, x, old)));
}

static void step(redo_session *session, char const *what,
                 redo_position *(*go)(redo_session *, char const *, void **, size_t *))
{
    void *lines;
    size_t size;
    redo_position *p = go(session, "c", &lines, &size);
    print_position(what, p);
    if (!p)
        return;
    print_bytes("  lines", lines, size);
    free(lines);
}

static void play_turns(redo_session *session)
{
    redo_position *first = redo_getfirstposition(session);
    redo_position *p = turn(session, first, 0, 6, 5), *deep = NULL;
    print_position("turn", p);
    print_position("the same move", turn(session, first, 0, 6, 5));
    print_position("back", deep = turn(session, p, 1, 5, 6));
    print_position("on", deep = turn(session, p, 2, 7, 6));
    print_position("deeper", deep = turn(session, deep, 0, 8, 7));
    print_position("refused", turn(session, first, 7, 6, 9));
    print_fault(session);
    print_position("a shorter way", p = turn(session, first, 3, 7, 5));
    print_table(session, deep);
    void *way;
    size_t size;
    print_code("diff", redo_getdiff(session, deep, first, &way, &size));
    print_bytes("way", way, size);
    free(way);
    void const *lines;
    print_code("lines", redo_getlines(deep, &lines, &size));
    print_bytes("lines", lines, size);
    print_code("lines of the first", redo_getlines(first, &lines, &size));
}

static void play_lines(redo_session *session)
{
    int move = 40;
    print_position("newundo", redo_newundo(session, "c", &move));
    add_line(session, "c", 1, 5);
    add_line(session, "c", 2, 7);
    print_fault(session);
    add_line(session, "c", 2, 1);
    print_position("newundo", redo_newundo(session, "c", NULL));
    add_line(session, "c", 3, 2);
    print_code("dropundo", redo_dropundo(session, "c"));
    step(session, "undo", redo_undo);
    step(session, "undo at the first", redo_undo);
    step(session, "redo", redo_redo);
    print_table(session, redo_getcursor(session, "c"));
}

static void refused(redo_session *session)
{
    redo_fault fault = {0};
    redo_position *first = redo_getfirstposition(session);
    redo_session *none = redo_beginchanges("\xa4keke", 5, NULL, 0, 0, &fault);
    print_code(none ? "begun" : fault.what, redo_lasterror());
    print_position("no turn", redo_addchanges(session, first, 9, "\x05", 1, 0, redo_check));
    print_position("no bytes", redo_addchanges(session, first, 9, NULL, 0, 0, redo_check));
    print_position("a state", redo_addposition(session, first, 9, "01234567890123456789", 0, 0));
    redo_add one = {.prev = first, .move = 9, .state = "01234567890123456789"};
    print_code("states", redo_addpositions(session, &one, 1, NULL, NULL, NULL));
    print_code("no name", redo_addundo(session, "", "\x91\xa1x", 3));
    print_code("no line", redo_addundo(session, "c", "\x05", 1));
    print_code("nothing", redo_addundo(session, "c", NULL, 0));
    print_position("no name", redo_newundo(session, "", NULL));
}

int main(void)
{
    /* {"objects": [[1, {"name": "b", "x": 5}]]} */
    static char const table[] = "\x81\xa7"
                                "objects\x91\x92\x01\x82\xa4"
                                "name\xa1"
                                "b\xa1"
                                "x\x05";
    redo_fault fault = {0};
    redo_session *session = redo_beginchanges("\xa4"
                                              "baba",
                                              5, table, sizeof table - 1, 0, &fault);
    if (!session) {
        fprintf(stderr, "%s %s\n", redo_errorname(redo_lasterror()), fault.what ? fault.what : "");
        return 1;
    }
    play_turns(session);
    play_lines(session);
    refused(session);
    printf("%d positions\n", redo_getsessionsize(session));
    redo_endsession(session);
    return 0;
}
