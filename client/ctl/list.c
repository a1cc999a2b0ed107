/* list: the sessions there are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/text.h"

/* ---- pages ------------------------------------------------------------------------------- */

/* A page after the name *after and the handle *handle, which become the next ones to ask with; NULL
 * after the last. */
static int read_page(struct ctl *ctl, struct sessions const *sessions, char **after,
                     int64_t *handle, bool (*row)(void *data, msgpack_object const *session),
                     void *data)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "listsessions", 1);

    pack_map(b, (sessions->prefix != NULL) + 2u * (*after != NULL) + sessions->trash +
                    sessions->matches + sessions->nogames);
    if (sessions->prefix) {
        pack_key(b, "prefix");
        if (!ctl_pack_name(b, sessions->prefix))
            return EXIT_USAGE;
    }
    if (*after) {
        pack_key(b, "after");
        pack_cstr(b, *after);
        pack_key(b, "aftersession");
        pack_int(b, *handle);
    }
    if (sessions->trash) {
        pack_key(b, "trash");
        pack_bool(b, true);
    }
    if (sessions->matches) {
        pack_key(b, "matches");
        pack_bool(b, true);
    }
    if (sessions->nogames) {
        pack_key(b, "games");
        pack_bool(b, false);
    }
    free(*after);
    *after = NULL;

    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *page = map_get(&result, "sessions"), *next = map_get(&result, "next");
    if (!page || page->type != MSGPACK_OBJECT_ARRAY)
        return ctl_fail_shape(ctl);
    for (uint32_t i = 0; i < page->via.array.size; i++)
        if (!row(data, &page->via.array.ptr[i]))
            return ctl_fail_shape(ctl);
    if (next && next->type == MSGPACK_OBJECT_STR)
        *after = strndup(next->via.str.ptr, next->via.str.size);
    if (*after && !integer_read(map_get(&result, "nextsession"), 0, INT64_MAX, handle))
        return ctl_fail_shape(ctl);
    return CLI_GO;
}

int ctl_sessions(struct ctl *ctl, struct sessions sessions,
                 bool (*row)(void *data, msgpack_object const *session), void *data)
{
    char *after = NULL;
    int64_t handle = 0;
    int status;

    do {
        status = read_page(ctl, &sessions, &after, &handle, row, data);
    } while (status == CLI_GO && after);
    free(after);
    return status;
}

/* ---- rows -------------------------------------------------------------------------------- */

struct listing {
    bool names, all;
};

static bool read_yes(msgpack_object const *session, char const *key, char const **yes)
{
    msgpack_object const *value = map_get(session, key);

    if (!value || value->type != MSGPACK_OBJECT_BOOLEAN)
        return false;
    *yes = value->via.boolean ? "yes" : "no";
    return true;
}

/* The number of a key; all of them are told as numbers that are not below 0, but for times. */
static bool read_number(msgpack_object const *session, char const *key, int64_t *value)
{
    return integer_read(map_get(session, key), INT64_MIN, INT64_MAX, value);
}

static bool print_all(msgpack_object const *session)
{
    int64_t handle, size, cmpsize, graft, sequence, created;
    char const *changed;

    if (!read_number(session, "session", &handle) || !read_number(session, "size", &size) ||
        !read_number(session, "cmpsize", &cmpsize) || !read_number(session, "graft", &graft) ||
        !read_number(session, "sequence", &sequence) || !read_number(session, "begun", &created) ||
        !read_yes(session, "changed", &changed))
        return false;
    printf("%8" PRId64 " %8" PRId64 " %8" PRId64 " %5" PRId64 "  %-7s %10" PRId64 "  ", handle,
           size, cmpsize, graft, changed, sequence);
    text_print_time(stdout, created);
    fputs("  ", stdout);
    return true;
}

static bool print_session(void *data, msgpack_object const *session)
{
    struct listing const *l = data;
    msgpack_object const *name = map_get(session, "name");
    int64_t positions, bytes, used, owner, mode, games;
    char const *solved, *damaged;

    if (!name || name->type != MSGPACK_OBJECT_STR ||
        !read_number(session, "positions", &positions) || !read_number(session, "bytes", &bytes) ||
        !read_number(session, "used", &used) || !read_number(session, "owner", &owner) ||
        !read_number(session, "mode", &mode) || !read_yes(session, "solved", &solved) ||
        !read_yes(session, "damaged", &damaged))
        return false;
    if (!l->names) {
        printf("%10" PRId64 " %11" PRId64 "  ", positions, bytes);
        text_print_time(stdout, used);
        printf("  %-6s  %-7s  %10" PRId64 "  %04o  ", solved, damaged, owner, (unsigned)mode);
        if (l->all && !print_all(session))
            return false;
    } else if (owner != geteuid()) {
        printf("~%" PRId64 "/", owner); /* what it can be called by */
    }
    text_print(stdout, name->via.str.ptr, name->via.str.size);
    if (!l->names && integer_read(map_get(session, "games"), 0, UINT32_MAX, &games))
        printf("  (a match of %" PRId64 ")", games);
    putchar('\n');
    return true;
}

static int list(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct listing l = {.names = false};
    struct sessions which = {.trash = false};
    struct cli_option const options[] = {
        {.name = "names",
         .type = CLI_FLAG,
         .value = &l.names,
         .help = "only the names, one a line; ~UID/NAME of others'"},
        {.name = "matches", .type = CLI_FLAG, .value = &which.matches, .help = "only matches"},
        {.name = "no-games",
         .type = CLI_FLAG,
         .value = &which.nogames,
         .help = "without the games of matches"},
        {.name = "long", .type = CLI_FLAG, .value = &l.all, .help = "all there is to tell"},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    which.prefix = argc > 0 ? argv[0] : NULL;
    if (status == CLI_GO && !l.names)
        printf(
            " positions       bytes  used              solved  damaged       owner  mode  %sname\n",
            l.all ? "  handle     size compared graft  changed   sequence  created           "
                  : "");
    if (status == CLI_GO)
        status = ctl_sessions(ctl, which, print_session, &l);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_list = {
    {.name = "list",
     .params = "[PREFIX]",
     .most = 1,
     .summary = "lists the sessions that have names",
     .help =
         "Own sessions and others' that you may read. A line a session: its positions, the bytes\n"
         "it takes in the store, when it was used last, whether there is a solution, whether a\n"
         "part of it was found damaged, the number of the user it belongs to, its mode (see:\n"
         "redoctl chmod --help), and its name; of a match how many games it has. NAME, in all "
         "commands, is your own session of that\n"
         "name, or else another's; ~UID/NAME is the session of the user with that number.\n"
         "With --long also its handle, the bytes of a state and how many of them count in\n"
         "comparing, the graft behavior, whether it was changed since the flag was cleared,\n"
         "the number of its last operation, and when it began. With PREFIX, only names that\n"
         "begin with it.\n"},
    list};
