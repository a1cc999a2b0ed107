/* show: all there is to tell of one position. */
#include <inttypes.h>

#include "client/ctl/ctl.h"
#include "client/ctl/kinds.h"
#include "client/ctl/text.h"

struct shown {
    struct labels labels;
    size_t count; /* branches printed */
};

static void print_number(char const *name, uint32_t number)
{
    if (number == UINT32_MAX)
        printf("%-13s none\n", name);
    else
        printf("%-13s %u\n", name, number);
}

static void print_fields(struct position const *p, struct labels const *labels)
{
    print_number("number", p->number);
    print_number("prev", p->prev);
    printf("%-13s ", "move");
    if (p->prev == UINT32_MAX)
        fputs("none", stdout);
    else
        labels_print(labels, p->move, stdout);
    printf("\n%-13s %u\n", "movecount", p->movecount);
    print_number("better", p->better);
    printf("%-13s %d\n%-13s %d\n%-13s %u\n%-13s %u\n%-13s %s\n", "endpoint", p->endpoint,
           "solutionend", p->solutionend, "solutionsize", p->solutionsize, "nextcount",
           p->nextcount, "setbetter", p->setbetter ? "yes" : "no");
}

static void print_state(struct position const *p)
{
    printf("%-13s %u bytes\n", "state", p->statesize);
    text_print_dump(stdout, p->state, p->statesize);
}

/* Who made it, and when, as far as that is known. */
static int print_made(struct ctl *ctl, char const *name, struct position const *p)
{
    msgpack_object result;
    int64_t uid;

    if (p->time) {
        printf("%-13s ", "made");
        text_print_time(stdout, p->time);
        putchar('\n');
    }
    if (!p->author)
        return CLI_GO;
    struct buffer *b = ctl_request(ctl, "getauthors", 2);
    ctl_pack_name(b, name);
    pack_map(b, 2);
    pack_key(b, "after");
    pack_uint(b, p->author - 1);
    pack_key(b, "limit");
    pack_uint(b, 1);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *authors = map_get(&result, "authors");
    if (!authors || authors->type != MSGPACK_OBJECT_ARRAY || authors->via.array.size != 1)
        return ctl_fail_shape(ctl);
    msgpack_object const *author = map_get(authors->via.array.ptr, "name");
    if (!author || author->type != MSGPACK_OBJECT_STR ||
        !integer_read(map_get(authors->via.array.ptr, "uid"), 0, UINT32_MAX, &uid))
        return ctl_fail_shape(ctl);
    printf("%-13s ", "author");
    text_print(stdout, author->via.str.ptr, author->via.str.size);
    printf("%s(user %" PRId64 ")\n", author->via.str.size ? " " : "", uid);
    return CLI_GO;
}
/* The turn that led to a position, if it is of a session told by change, in place of a state: there
 * that is a digest of the board. */
static int print_turn(struct ctl *ctl, char const *name, struct position const *p)
{
    msgpack_object result;
    int64_t faults;

    printf("%-13s ", "board");
    text_print_hex(stdout, p->state, p->statesize, p->statesize);
    putchar('\n');
    if (p->prev == UINT32_MAX)
        return CLI_GO;
    int status = kinds_request(ctl, name, p->number, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "faults"), 0, INT64_MAX, &faults))
        return ctl_fail_shape(ctl);
    printf("%-13s ", "lines");
    kinds_print(stdout, map_get(&result, "lines"));
    putchar('\n');
    if (faults)
        printf("%-13s %lld\n", "faults", (long long)faults);
    return CLI_GO;
}

/* Whether the session is told by change. */
static int ask_kind(struct ctl *ctl, char const *name, bool *by_change)
{
    msgpack_object result;

    if (!ctl_pack_name(ctl_request(ctl, "getsession", 1), name))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    *by_change = status == CLI_GO && session_by_change(&result);
    return status;
}

static bool print_branch(void *data, struct position const *p)
{
    struct shown *shown = data;

    if (shown->count++ == 0)
        puts("branches      most recently used first");
    printf("  %u. ", p->number);
    labels_print(&shown->labels, p->move, stdout);
    position_print_marks(p, false, stdout);
    if (p->solutionend)
        printf(" +%u", p->solutionsize);
    putchar('\n');
    return true;
}

static int print_position(struct ctl *ctl, char const *name, uint32_t number, struct shown *shown)
{
    struct position p;
    msgpack_object result;
    bool by_change;

    int status = ask_kind(ctl, name, &by_change);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "getposition", 3);
    ctl_pack_name(b, name);
    pack_uint(b, number);
    pack_map(b, 1);
    pack_key(b, "states");
    pack_bool(b, true);
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!position_read(&result, &p) || !p.state)
        return ctl_fail_shape(ctl);
    print_fields(&p, &shown->labels);
    if (!by_change)
        print_state(&p);
    status = by_change ? print_turn(ctl, name, &p) : CLI_GO;
    if (status == CLI_GO)
        status = print_made(ctl, name, &p);
    if (status != CLI_GO)
        return status;
    return ctl_pages(ctl,
                     (struct pages){.method = "getbranches",
                                    .session = name,
                                    .has_position = true,
                                    .position = number,
                                    .from = "offset"},
                     print_branch, shown);
}

static int show(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct shown shown = {.count = 0};
    char const *labels = NULL;
    uint32_t number;
    struct cli_option const options[] = {LABELS_OPTION(&labels), COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!cli_position(argv[1], &number) || !labels_read(&shown.labels, labels))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = print_position(ctl, argv[0], number, &shown);
    labels_free(&shown.labels);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_show = {
    {.name = "show",
     .params = "NAME POSITION",
     .least = 2,
     .most = 2,
     .summary = "all that is known of a position",
     .help =
         "Its fields, its state in hex and ASCII, who made it and when, and its branches, most\n"
         "recently used first, each with its marks:\n" MARKS_HELP
         "  +12   a solution leads through it, 12 moves long\n"
         "Of a session told by change, in place of the state: the board's digest and the\n"
         "lines that led there, counted by kind; the lines themselves: redoctl lines.\n"},
    show};
