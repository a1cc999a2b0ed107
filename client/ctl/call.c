/* call: any method of the daemon, params and result as JSON. */
#include <stdlib.h>
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/json.h"

/* The params as one array; NULL after a complaint. */
static json_t *read_params(int count, char **text)
{
    json_t *params = json_array();

    for (int i = 0; params && i < count; i++) {
        json_error_t error;
        json_t *value =
            json_loads(text[i], JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
        if (!value) {
            cli_complain("param '%s' is not JSON (%s); a string needs its quotes: '\"%s\"'",
                         text[i], error.text, "text");
            json_decref(params);
            return NULL;
        }
        if (count == 1 && json_is_array(value)) {
            json_decref(params);
            return value;
        }
        json_array_append_new(params, value);
    }
    return params;
}

/* Packs the params, the array itself left out. */
static int pack_params(json_t const *params, struct buffer *b)
{
    for (size_t i = 0; i < json_array_size(params); i++) {
        char const *problem = json_pack_msgpack(json_array_get(params, i), b);
        if (problem) {
            cli_complain("param %zu can not be sent: %s", i, problem);
            return EXIT_USAGE;
        }
    }
    return CLI_GO;
}

static int print_result(msgpack_object const *result)
{
    json_t *json = json_from_msgpack(result);
    size_t flags = JSON_ENCODE_ANY | (isatty(STDOUT_FILENO) ? JSON_INDENT(2) : 0);
    bool good = json && json_dumpf(json, stdout, flags | json_digits(json)) == 0;

    json_decref(json);
    putchar('\n');
    if (good)
        return EXIT_GOOD;
    cli_complain("can not print the result");
    return EXIT_BAD;
}

static int call(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    msgpack_object result;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    json_t *params = read_params(argc - 1, argv + 1);
    if (!params)
        return EXIT_USAGE;
    struct buffer packed = {0};
    status = pack_params(params, &packed);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status == CLI_GO) {
        struct buffer *b = ctl_request(ctl, argv[0], json_array_size(params));
        buffer_append(b, packed.data, packed.size);
        b->failed |= packed.failed;
        status = ctl_result(ctl, &result);
    }
    json_decref(params);
    buffer_free(&packed);
    return status == CLI_GO ? print_result(&result) : status;
}

struct command const command_call = {
    {.name = "call",
     .params = "METHOD [PARAM ...]",
     .least = 1,
     .most = -1,
     .summary = "calls a method, with JSON for params and result",
     .help =
         "Each PARAM is a JSON value; a single one that is an array stands for all params (so a\n"
         "lone param that is an array is written [[...]]). Bytes are {\"$bin\": \"00ff\"}, in\n"
         "hex, both ways. The result is one line, or, on a terminal, indented.\n"
         "\n"
         "  redoctl call beginsession '{\"$bin\": \"0000\"}' 2 0 '{\"name\": \"level-3\"}'\n"
         "  redoctl call getposition '[\"level-3\", 0, {\"states\": true}]'\n"
         "\n"
         "All methods: protocol/README.md, or redoctl call server.info. A private session ends\n"
         "with the connection, which is to say at once.\n"},
    call};
