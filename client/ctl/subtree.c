/* drop, dropped, undrop: parts of a session's tree, deleted and brought back. */
#include <inttypes.h>

#include "client/ctl/ctl.h"
#include "client/ctl/text.h"

#define LIST_MANY 10000 /* the daemon tells no more at once */

/* ---- drop -------------------------------------------------------------------------------- */

static int drop(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    msgpack_object result;
    uint32_t position;
    int64_t dropped, key;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!cli_position(argv[1], &position))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "dropsubtree", 2);
    if (!ctl_pack_name(b, argv[0]))
        return EXIT_USAGE;
    pack_uint(b, position);
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "dropped"), 0, INT64_MAX, &dropped))
        return ctl_fail_shape(ctl);
    printf("dropped %" PRId64 " positions; ", dropped);
    if (integer_read(map_get(&result, "key"), 0, INT64_MAX, &key)) {
        printf("they are kept under the key %" PRId64 ": redoctl undrop ", key);
        text_print(stdout, argv[0], strlen(argv[0]));
        printf(" %" PRId64 "\n", key);
    } else {
        puts("they are gone, since the session is in no store");
    }
    return EXIT_GOOD;
}

struct command const command_drop = {
    {.name = "drop",
     .params = "NAME POSITION",
     .least = 2,
     .most = 2,
     .summary = "deletes a position and all below it",
     .help = "Tells the key under which they are kept, for redoctl undrop.\n"},
    drop};

/* ---- dropped ----------------------------------------------------------------------------- */

static bool print_dropped(msgpack_object const *subtree)
{
    int64_t key, position, prev, positions, when;

    if (!integer_read(map_get(subtree, "key"), 0, INT64_MAX, &key) ||
        !integer_read(map_get(subtree, "position"), 0, UINT32_MAX, &position) ||
        !integer_read(map_get(subtree, "prev"), 0, UINT32_MAX, &prev) ||
        !integer_read(map_get(subtree, "positions"), 0, UINT32_MAX, &positions) ||
        !integer_read(map_get(subtree, "dropped"), INT64_MIN, INT64_MAX, &when))
        return false;
    printf("%10" PRId64 "  ", key);
    text_print_time(stdout, when);
    printf(" %10" PRId64 " %10" PRId64 " %10" PRId64 "\n", position, prev, positions);
    return true;
}

static int dropped(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    msgpack_object result;

    int status = ctl_begin(ctl, cli, &argc, argv);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "listsubtrees", 2);
    if (!ctl_pack_name(b, argv[0]))
        return EXIT_USAGE;
    pack_map(b, 1);
    pack_key(b, "limit");
    pack_uint(b, LIST_MANY);
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (result.type != MSGPACK_OBJECT_ARRAY)
        return ctl_fail_shape(ctl);
    puts("       key  dropped            position      below  positions");
    for (uint32_t i = 0; i < result.via.array.size; i++)
        if (!print_dropped(&result.via.array.ptr[i]))
            return ctl_fail_shape(ctl);
    return EXIT_GOOD;
}

struct command const command_dropped = {
    {.name = "dropped",
     .params = "NAME",
     .least = 1,
     .most = 1,
     .summary = "lists the dropped subtrees that are kept",
     .help =
         "A line a subtree, the first dropped first: its key, when it was dropped, its topmost\n"
         "position and the one that was before that, and how many positions it has.\n"},
    dropped};

/* ---- undrop ------------------------------------------------------------------------------ */

static int undrop(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    msgpack_object result;
    int64_t key, position, restored;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!cli_number(argv[1], 0, INT64_MAX, &key)) {
        cli_complain("'%s' is not a key; see: redoctl dropped NAME", argv[1]);
        return EXIT_USAGE;
    }
    status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "restoresubtree", 2);
    if (!ctl_pack_name(b, argv[0]))
        return EXIT_USAGE;
    pack_int(b, key);
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "position"), 0, UINT32_MAX, &position) ||
        !integer_read(map_get(&result, "restored"), 0, INT64_MAX, &restored))
        return ctl_fail_shape(ctl);
    printf("restored %" PRId64 " positions, at %" PRId64 "\n", restored, position);
    return EXIT_GOOD;
}

struct command const command_undrop = {
    {.name = "undrop",
     .params = "NAME KEY",
     .least = 2,
     .most = 2,
     .summary = "brings a dropped subtree back",
     .help = "KEY is what drop told, and dropped tells. The positions have their numbers again.\n"},
    undrop};
