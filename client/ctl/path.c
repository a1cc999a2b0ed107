/* path, solution: lines of moves through the tree. */
#include "client/ctl/ctl.h"
#include "client/ctl/text.h"

struct printer {
    struct labels labels;
    bool moves;    /* only those, on one line */
    uint32_t from; /* the first position of the line: its move is not part of it */
    size_t count;  /* positions so far */
};

static bool print_row(void *data, struct position const *p)
{
    struct printer *printer = data;
    bool first = printer->count++ == 0;

    if (printer->moves) {
        if (first)
            return true;
        if (printer->count > 2)
            putchar(' ');
        labels_print(&printer->labels, p->move, stdout);
        return true;
    }
    printf("%u. ", p->number);
    if (p->prev == UINT32_MAX)
        fputs("(Start)", stdout);
    else
        labels_print(&printer->labels, p->move, stdout);
    position_print_marks(p, false, stdout);
    putchar('\n');
    return true;
}

/* Both commands: the pages are those of a path or of a solution. */
static int print_line(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv,
                      struct pages pages)
{
    struct printer printer = {.moves = false};
    char const *labels = NULL;
    struct cli_option const options[] = {{.name = "moves",
                                          .type = CLI_FLAG,
                                          .value = &printer.moves,
                                          .help = "only the moves, on one line"},
                                         LABELS_OPTION(&labels),
                                         COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    pages.session = argv[0];
    pages.has_position = true;
    if ((argc > 1 && !cli_position(argv[1], &pages.position)) ||
        !labels_read(&printer.labels, labels))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = ctl_pages(ctl, pages, print_row, &printer);
    if (status == CLI_GO && printer.moves && printer.count > 0)
        putchar('\n');
    labels_free(&printer.labels);
    if (status == CLI_GO && printer.count == 0) {
        cli_complain("no solution leads through position %u", pages.position);
        return EXIT_BAD;
    }
    return status == CLI_GO ? EXIT_GOOD : status;
}

static int path(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    return print_line(ctl, cli, argc, argv, (struct pages){.method = "getpath", .from = "offset"});
}

struct command const command_path = {
    {.name = "path",
     .params = "NAME POSITION",
     .least = 2,
     .most = 2,
     .summary = "the path from the first position to one",
     .help = "A line a position: its number, the move that led there, and marks:\n" MARKS_HELP},
    path};

static int solution(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    return print_line(ctl, cli, argc, argv, (struct pages){.method = "getsolution"});
}

struct command const command_solution = {
    {.name = "solution",
     .params = "NAME [POSITION]",
     .least = 1,
     .most = 2,
     .summary = "the best solution from a position (the first)",
     .help = "A line a position, from the one given to the end: its number, the move that led\n"
             "there, and marks:\n" MARKS_HELP "If no solution is known the exit status is 1.\n"},
    solution};
