/* list, info, delete: sessions as wholes, and the daemon itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/json.h"
#include "client/ctl/text.h"

/* ---- list -------------------------------------------------------------------------------- */

/* One session of a page; false if it is none. */
static bool print_session(msgpack_object const *session, bool names)
{
    msgpack_object const *name = map_get(session, "name"), *changed = map_get(session, "changed");
    int64_t positions, size, cmpsize;

    if (!name || name->type != MSGPACK_OBJECT_STR || !changed ||
        changed->type != MSGPACK_OBJECT_BOOLEAN ||
        !integer_read(map_get(session, "positions"), 0, INT64_MAX, &positions) ||
        !integer_read(map_get(session, "size"), 0, INT64_MAX, &size) ||
        !integer_read(map_get(session, "cmpsize"), 0, INT64_MAX, &cmpsize))
        return false;
    if (!names)
        printf("%10" PRId64 " %8" PRId64 " %8" PRId64 "  %-7s  ", positions, size, cmpsize,
               changed->via.boolean ? "yes" : "no");
    text_print(stdout, name->via.str.ptr, name->via.str.size);
    putchar('\n');
    return true;
}

/* A page after the name *after, which becomes the next one to ask with, NULL after the last. */
static int list_page(struct ctl *ctl, char const *prefix, char **after, bool names)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "listsessions", 1);

    pack_map(b, (prefix != NULL) + (*after != NULL));
    if (prefix) {
        pack_key(b, "prefix");
        if (!ctl_pack_name(b, prefix))
            return EXIT_USAGE;
    }
    if (*after) {
        pack_key(b, "after");
        pack_cstr(b, *after);
    }
    free(*after);
    *after = NULL;

    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *sessions = map_get(&result, "sessions"), *next = map_get(&result, "next");
    if (!sessions || sessions->type != MSGPACK_OBJECT_ARRAY)
        return ctl_fail_shape(ctl);
    for (uint32_t i = 0; i < sessions->via.array.size; i++)
        if (!print_session(&sessions->via.array.ptr[i], names))
            return ctl_fail_shape(ctl);
    if (next && next->type == MSGPACK_OBJECT_STR)
        *after = strndup(next->via.str.ptr, next->via.str.size);
    return CLI_GO;
}

static int list(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    bool names = false;
    char *after = NULL;
    struct cli_option const options[] = {
        {.name = "names", .type = CLI_FLAG, .value = &names, .help = "only the names, one a line"},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status == CLI_GO && !names)
        puts(" positions     size compared  changed  name");
    while (status == CLI_GO) {
        status = list_page(ctl, argc > 0 ? argv[0] : NULL, &after, names);
        if (!after)
            break;
    }
    free(after);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_list = {
    {.name = "list",
     .params = "[PREFIX]",
     .most = 1,
     .summary = "lists the sessions that have names",
     .help = "A line a session: its positions, the bytes of a state and how many of them count in\n"
             "comparing, whether it was changed since the flag was cleared, and its name. With\n"
             "PREFIX, only names that begin with it.\n"},
    list};

/* ---- info -------------------------------------------------------------------------------- */

static void print_value(msgpack_object const *value)
{
    if (value->type == MSGPACK_OBJECT_STR) {
        text_print(stdout, value->via.str.ptr, value->via.str.size);
        return;
    }
    if (value->type == MSGPACK_OBJECT_BOOLEAN) {
        fputs(value->via.boolean ? "yes" : "no", stdout);
        return;
    }
    json_t *json = json_from_msgpack(value);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (text)
        text_print(stdout, text, strlen(text));
    free(text);
    json_decref(json);
}

/* A map as lines `key  value`; of lists their length, of maps in it their own lines. */
static void print_facts(msgpack_object const *map, char const *before)
{
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        msgpack_object const *key = &map->via.map.ptr[i].key, *value = &map->via.map.ptr[i].val;
        char left[40] = "";

        if (key->type == MSGPACK_OBJECT_STR)
            snprintf(left, sizeof left, "%s%.*s", before, (int)key->via.str.size, key->via.str.ptr);
        if (value->type == MSGPACK_OBJECT_MAP && !*before) {
            print_facts(value, "limit ");
            continue;
        }
        printf("%-20s ", left);
        if (value->type == MSGPACK_OBJECT_ARRAY)
            printf("%u", value->via.array.size);
        else
            print_value(value);
        putchar('\n');
    }
}

static int info(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    msgpack_object result;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, argc > 0 ? "getsession" : "server.info", argc > 0);
    if (argc > 0 && !ctl_pack_name(b, argv[0]))
        return EXIT_USAGE;
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (result.type != MSGPACK_OBJECT_MAP)
        return ctl_fail_shape(ctl);
    if (argc == 0)
        printf("%-20s %s\n", "socket", ctl->path);
    print_facts(&result, "");
    return EXIT_GOOD;
}

struct command const command_info = {
    {.name = "info",
     .params = "[NAME]",
     .most = 1,
     .summary = "tells of the daemon, or of one session",
     .help =
         "Without NAME: version and limits of the daemon, and how many methods, events and errors\n"
         "it has (all of them: redoctl call server.info). With NAME: that session's facts.\n"},
    info};

/* ---- delete ------------------------------------------------------------------------------ */

static int delete (struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    msgpack_object result;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    if (!ctl_pack_name(ctl_request(ctl, "deletesession", 1), argv[0]))
        return EXIT_USAGE;
    status = ctl_result(ctl, &result);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_delete = {{.name = "delete",
                                        .params = "NAME",
                                        .least = 1,
                                        .most = 1,
                                        .summary = "deletes a session, for all who use it",
                                        .help = "Its history is gone; there is no way back.\n"},
                                       delete};
