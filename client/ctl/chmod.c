/* chmod: who may read and change a session. */
#include <stdlib.h>

#include "client/ctl/ctl.h"

/* As chmod(1) takes it, in octal. Whether it is the mode of a session the daemon says. */
static bool read_mode(char const *text, long *mode)
{
    char *end;

    *mode = strtol(text, &end, 8);
    if (text[0] >= '0' && text[0] <= '7' && *end == '\0' && *mode <= 07777)
        return true;
    cli_complain("'%s' is not a mode in octal, as 0640", text);
    return false;
}

static int run_chmod(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    msgpack_object result;
    long mode;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!read_mode(argv[0], &mode))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "setsessionmode", 2);
    if (!ctl_pack_name(b, argv[1]))
        return EXIT_USAGE;
    pack_int(b, mode);
    status = ctl_result(ctl, &result);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_chmod = {
    {.name = "chmod",
     .params = "MODE NAME",
     .least = 2,
     .most = 2,
     .summary = "says who may read and change a session",
     .help =
         "MODE is in octal, as of a file: 600 nobody but the owner, 640 its group may read it, "
         "660\n"
         "and change it, 644 all may read it, 666 and change it. It counts at once. For the owner\n"
         "of the session, the daemon's user and root.\n"},
    run_chmod};
