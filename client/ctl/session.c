/* info, rename, copy, delete: sessions as wholes, and the daemon itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/json.h"
#include "client/ctl/kinds.h"
#include "client/ctl/text.h"

/* ---- info -------------------------------------------------------------------------------- */

static void print_value(msgpack_object const *value)
{
    if (value->type == MSGPACK_OBJECT_NIL) {
        fputs("none", stdout);
        return;
    }
    if (value->type == MSGPACK_OBJECT_STR) {
        text_print(stdout, value->via.str.ptr, value->via.str.size);
        return;
    }
    if (value->type == MSGPACK_OBJECT_BOOLEAN) {
        fputs(value->via.boolean ? "yes" : "no", stdout);
        return;
    }
    json_t *json = json_from_msgpack(value);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | json_digits(json)) : NULL;
    if (text)
        text_print(stdout, text, strlen(text));
    free(text);
    json_decref(json);
}

static bool is_time(char const *key)
{
    return strcmp(key, "begun") == 0 || strcmp(key, "used") == 0 || strcmp(key, "trashed") == 0;
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
        int64_t number;
        if (value->type == MSGPACK_OBJECT_ARRAY)
            printf("%u", value->via.array.size);
        else if (is_time(left) && integer_read(value, INT64_MIN, INT64_MAX, &number))
            text_print_time(stdout, number);
        else if (strcmp(left, "mode") == 0 && integer_read(value, 0, INT32_MAX, &number))
            printf("%04o", (unsigned)number);
        else
            print_value(value);
        putchar('\n');
    }
}

/* What a session told by change was begun with: the name of a schema, or how large its own is. */
static int print_schema(struct ctl *ctl, char const *name)
{
    msgpack_object result;

    ctl_pack_name(ctl_request(ctl, "getschema", 1), name);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *schema = map_get(&result, "schema");
    msgpack_object const *lenient = map_get(&result, "lenient");
    if (!schema || !lenient)
        return ctl_fail_shape(ctl);
    printf("%-20s ", "schema");
    msgpack_object const *kinds = map_get(schema, "kinds");
    if (kinds && kinds->type == MSGPACK_OBJECT_MAP)
        printf("its own, of %u kinds of lines", kinds->via.map.size);
    else if (schema->type == MSGPACK_OBJECT_NIL)
        fputs("none", stdout);
    else
        print_value(schema);
    printf("\n%-20s ", "lenient");
    print_value(lenient);
    putchar('\n');
    return CLI_GO;
}

static int info(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    msgpack_object result;

    int status = ctl_begin(ctl, cli, &argc, argv);
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
    bool by_change = argc > 0 && session_by_change(&result);
    print_facts(&result, "");
    if (by_change)
        status = print_schema(ctl, argv[0]);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_info = {
    {.name = "info",
     .params = "[NAME]",
     .most = 1,
     .summary = "tells of the daemon, or of one session",
     .help =
         "Without NAME: version and limits of the daemon, and how many methods, events and errors\n"
         "it has (all of them: redoctl call server.info). With NAME: that session's facts;\n"
         "of one told by change its schema too (in full: redoctl call getschema).\n"},
    info};

/* ---- rename, copy, delete ---------------------------------------------------------------- */

/* A method of a session and, if it takes one, another name. */
static int run_method(struct ctl *ctl, struct cli_command const *cli, char const *method, int argc,
                      char **argv)
{
    msgpack_object result;

    int status = ctl_begin(ctl, cli, &argc, argv);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, method, (size_t)argc);
    for (int i = 0; i < argc; i++)
        if (!ctl_pack_name(b, argv[i]))
            return EXIT_USAGE;
    status = ctl_result(ctl, &result);
    return status == CLI_GO ? EXIT_GOOD : status;
}

static int run_rename(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    return run_method(ctl, cli, "renamesession", argc, argv);
}

struct command const command_rename = {
    {.name = "rename",
     .params = "NAME NEW",
     .least = 2,
     .most = 2,
     .summary = "gives a session another name",
     .help = "Who uses it goes on using it. A session of the new name must not be there.\n"},
    run_rename};

static int run_copy(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    return run_method(ctl, cli, "copysession", argc, argv);
}

struct command const command_copy = {
    {.name = "copy",
     .params = "NAME NEW",
     .least = 2,
     .most = 2,
     .summary = "begins a session that is a copy of another",
     .help =
         "The same positions under the same numbers; from then on the two go their own ways.\n"},
    run_copy};

static int run_delete(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    return run_method(ctl, cli, "deletesession", argc, argv);
}

struct command const command_delete = {
    {.name = "delete",
     .params = "NAME",
     .least = 1,
     .most = 1,
     .summary = "moves a session to the trash, for all who use it",
     .help = "A match goes with all its games, or not at all. What is in the trash: redoctl trash. "
             "Back from there: redoctl undelete. Gone for ever:\n"
             "redoctl purge. Of a daemon with --store memory, which has no trash, it is gone at "
             "once.\n"},
    run_delete};
