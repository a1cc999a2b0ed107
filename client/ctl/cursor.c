/* cursor: current positions with names that frontends share. */
#include <inttypes.h>
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/text.h"

struct step {
    char const *word, *method;
    char const *step; /* of movecursor */
    int least, most;  /* params after the cursor's name; -1: there is none */
};

static struct step const steps[] = {
    {"list", "getcursors", NULL, -1, -1},
    {"set", "setcursor", NULL, 1, 1},
    {"undo", "undo", NULL, 0, 1},
    {"redo", "redo", NULL, 0, 1},
    {"drop", "dropcursor", NULL, 0, 0},
    {"branchback", "movecursor", "branchback", 0, 0},
    {"branchforth", "movecursor", "branchforth", 0, 0},
    {"better", "movecursor", "better", 0, 0},
    {"solution", "movecursor", "solution", 0, 1},
};

static struct step const *find(char const *word)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(steps[i].word, word) == 0)
            return &steps[i];
    return NULL;
}

static int list(struct ctl *ctl, char const *session)
{
    msgpack_object result;
    int64_t position;

    if (!ctl_pack_name(ctl_request(ctl, "getcursors", 1), session))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (result.type != MSGPACK_OBJECT_ARRAY)
        return ctl_fail_shape(ctl);
    puts("  position  cursor");
    for (uint32_t i = 0; i < result.via.array.size; i++) {
        msgpack_object const *cursor = &result.via.array.ptr[i], *name = map_get(cursor, "name");
        if (!name || name->type != MSGPACK_OBJECT_STR ||
            !integer_read(map_get(cursor, "position"), 0, UINT32_MAX, &position))
            return ctl_fail_shape(ctl);
        printf("%10" PRId64 "  ", position);
        text_print(stdout, name->via.str.ptr, name->via.str.size);
        putchar('\n');
    }
    return EXIT_GOOD;
}

/* The request of a step; false after a complaint. params: the session, the cursor, and a number. */
static bool request(struct ctl *ctl, struct step const *step, int argc, char **params, int64_t n)
{
    bool sets = strcmp(step->word, "set") == 0, option = argc > 2 && !sets;
    struct buffer *b = ctl_request(ctl, step->method, 2u + sets + (step->step != NULL) + option);
    if (!ctl_pack_name(b, params[0]) || !ctl_pack_name(b, params[1]))
        return false;
    if (step->step)
        pack_cstr(b, step->step);
    if (option) {
        pack_map(b, 1);
        pack_key(b, "n");
    }
    if (argc > 2)
        pack_int(b, n);
    return true;
}

/* Does a step and prints where the cursor is then. */
static int move(struct ctl *ctl, struct step const *step, int argc, char **params, int64_t n)
{
    msgpack_object result;
    struct position p;
    int64_t made;

    if (!request(ctl, step, argc, params, n))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO || result.type == MSGPACK_OBJECT_NIL)
        return status == CLI_GO ? EXIT_GOOD : status;
    if (!position_read(map_get(&result, "position"), &p) ||
        !integer_read(map_get(&result, "steps"), 0, INT64_MAX, &made))
        return ctl_fail_shape(ctl);
    printf("%u", p.number);
    position_print_marks(&p, false, stdout);
    fputs(made ? "\n" : " (it has not moved)\n", stdout);
    return EXIT_GOOD;
}

static int cursor(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    int64_t n = 0;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    struct step const *step = find(argv[0]);
    int params = argc - 3;
    if (!step) {
        cli_complain("'%s' is nothing to do with a cursor; see: redoctl cursor --help", argv[0]);
        return EXIT_USAGE;
    }
    if (params < step->least || params > step->most) {
        cli_complain("too %s params for '%s'; see: redoctl cursor --help",
                     params < step->least ? "few" : "many", argv[0]);
        return EXIT_USAGE;
    }
    if (params > 0 && !cli_number(argv[3], step->least ? 0 : 1, UINT32_MAX, &n)) {
        cli_complain("'%s' is not a %s", argv[3], step->least ? "position" : "number of moves");
        return EXIT_USAGE;
    }
    status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    return params < 0 ? list(ctl, argv[1]) : move(ctl, step, argc - 1, argv + 1, n);
}

struct command const command_cursor = {
    {.name = "cursor",
     .params = "DO NAME [CURSOR [N]]",
     .least = 2,
     .most = 4,
     .summary = "lists and moves a session's cursors",
     .help = "  list NAME                     all cursors, and where they are\n"
             "  set NAME CURSOR POSITION      to a position; makes it if there is none\n"
             "  undo NAME CURSOR [N]          back N moves (1)\n"
             "  redo NAME CURSOR [N]          forth N moves (1), by the way it came back\n"
             "  branchback, branchforth       to the branch point before, or after\n"
             "  better                        to the better position of the same state\n"
             "  solution NAME CURSOR [N]      N moves (1) along the best solution\n"
             "  drop NAME CURSOR              takes the cursor away\n"
             "Prints where the cursor is then, with marks:\n" MARKS_HELP},
    cursor};
