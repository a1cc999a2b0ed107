/* lines, diff: the lines of turns, in sessions told by change. */
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/kinds.h"

static int no_memory(void)
{
    cli_complain("out of memory");
    return EXIT_BAD;
}

/* ---- lines ------------------------------------------------------------------------------- */

static int print_lines(msgpack_object const *lines)
{
    if (!lines || lines->type != MSGPACK_OBJECT_ARRAY)
        return EXIT_GOOD;
    for (uint32_t i = 0; i < lines->via.array.size; i++)
        if (!line_print(stdout, &lines->via.array.ptr[i]))
            return no_memory();
    return EXIT_GOOD;
}

static int lines(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    bool after = false;
    uint32_t number;
    msgpack_object result;
    struct cli_option const options[] = {
        {.name = "after",
         .type = CLI_FLAG,
         .value = &after,
         .help = "instead: what was told besides of the values after it,\n[line, field, value]"},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!cli_position(argv[1], &number))
        return EXIT_USAGE;
    if (number == 0) {
        cli_complain("the first position has no lines: no turn led there");
        return EXIT_BAD;
    }
    status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = kinds_request(ctl, argv[0], number, &result);
    return status == CLI_GO ? print_lines(map_get(&result, after ? "after" : "lines")) : status;
}

struct command const command_lines = {
    {.name = "lines",
     .params = "NAME POSITION",
     .least = 2,
     .most = 2,
     .summary = "the lines of the turn that led to a position",
     .help = "As JSON, one a line, in the order in which they happened. For sessions told by\n"
             "change.\n"},
    lines};

/* ---- diff -------------------------------------------------------------------------------- */

/* [number, undo, lines, ...] as `- 7 [...]` or `+ 7 [...]`. */
static int print_step(struct ctl *ctl, msgpack_object const *step)
{
    msgpack_object const *item = step->via.array.ptr;
    int64_t number;

    if (step->type != MSGPACK_OBJECT_ARRAY || step->via.array.size < 3 ||
        !integer_read(&item[0], 0, UINT32_MAX, &number) || item[1].type != MSGPACK_OBJECT_BOOLEAN ||
        item[2].type != MSGPACK_OBJECT_ARRAY)
        return ctl_fail_shape(ctl);
    for (uint32_t i = 0; i < item[2].via.array.size; i++) {
        printf("%c %u ", item[1].via.boolean ? '-' : '+', (unsigned)number);
        if (!line_print(stdout, &item[2].via.array.ptr[i]))
            return no_memory();
    }
    return CLI_GO;
}

/* A page of steps from *from on, which becomes where to go on from; *more: if there is. */
static int diff_page(struct ctl *ctl, char const *session, uint32_t *from, uint32_t to, bool *more)
{
    msgpack_object result;
    int64_t next;
    struct buffer *b = ctl_request(ctl, "getdiff", 3);

    if (!ctl_pack_name(b, session))
        return EXIT_USAGE;
    pack_uint(b, *from);
    pack_uint(b, to);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *steps = map_get(&result, "steps"), *on = map_get(&result, "next");
    if (!steps || steps->type != MSGPACK_OBJECT_ARRAY || !on)
        return ctl_fail_shape(ctl);
    for (uint32_t i = 0; i < steps->via.array.size && status == CLI_GO; i++)
        status = print_step(ctl, &steps->via.array.ptr[i]);
    *more = on->type != MSGPACK_OBJECT_NIL;
    if (status == CLI_GO && *more) {
        if (!integer_read(on, 0, UINT32_MAX, &next) || !steps->via.array.size)
            return ctl_fail_shape(ctl);
        *from = (uint32_t)next;
    }
    return status;
}

static int diff(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    uint32_t from, to;
    bool more = true;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!cli_position(argv[1], &from) || !cli_position(argv[2], &to))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    while (status == CLI_GO && more)
        status = diff_page(ctl, argv[0], &from, to, &more);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_diff = {
    {.name = "diff",
     .params = "NAME FROM TO",
     .least = 3,
     .most = 3,
     .summary = "the lines that lead from one position to another",
     .help = "For sessions told by change. A line each:\n"
             "  - 7 [...]   a line of position 7 to be undone\n"
             "  + 9 [...]   a line to be done, on the way to position 9\n"
             "in the order in which to apply them: back to where the two ways part, newest lines\n"
             "first, and forth from there.\n"},
    diff};
