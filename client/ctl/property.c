/* set, properties: values kept under names with a session, as JSON. */
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/json.h"

static int set(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    msgpack_object result;
    json_error_t error;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    json_t *value =
        json_loads(argv[2], JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!value) {
        cli_complain("'%s' is not JSON (%s); a string needs its quotes: '\"text\"'", argv[2],
                     error.text);
        return EXIT_USAGE;
    }
    status = ctl_connect(ctl);
    if (status == CLI_GO) {
        struct buffer *b = ctl_request(ctl, "setproperty", 3);
        char const *problem = NULL;
        if (!ctl_pack_name(b, argv[0]) || !ctl_pack_name(b, argv[1]))
            status = EXIT_USAGE;
        else if ((problem = json_pack_msgpack(value, b))) {
            cli_complain("'%s' can not be sent: %s", argv[2], problem);
            status = EXIT_USAGE;
        }
    }
    json_decref(value);
    if (status == CLI_GO)
        status = ctl_result(ctl, &result);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_set = {
    {.name = "set",
     .params = "NAME KEY JSON",
     .least = 3,
     .most = 3,
     .summary = "keeps a value under a key with a session",
     .help = "As in: redoctl set sokoban-1 title '\"The first\"'. null takes it away.\n"
             "Bytes are {\"$bin\": \"00ff\"}, in hex.\n"},
    set};

static int properties(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    msgpack_object result;

    int status = ctl_begin(ctl, cli, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!ctl_pack_name(ctl_request(ctl, "getproperties", 1), argv[0]))
        return EXIT_USAGE;
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    json_t *json = json_from_msgpack(&result);
    size_t indent = isatty(STDOUT_FILENO) ? JSON_INDENT(2) : 0;
    bool good = json && json_dumpf(json, stdout, indent | json_digits(json)) == 0;
    json_decref(json);
    putchar('\n');
    if (good)
        return EXIT_GOOD;
    cli_complain("can not print the properties");
    return EXIT_BAD;
}

struct command const command_properties = {
    {.name = "properties",
     .params = "NAME",
     .least = 1,
     .most = 1,
     .summary = "the values kept with a session, as JSON",
     .help = "One object of all of them; bytes are {\"$bin\": \"00ff\"}.\n"},
    properties};
