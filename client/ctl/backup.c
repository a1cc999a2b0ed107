/* backup, flush: what the daemon does with its disk when it is asked to. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/ctl/ctl.h"

/* ---- backup ------------------------------------------------------------------------------ */

/* The daemon has another working directory. The folder of the file must be there; the file need
 * not. */
static bool make_absolute(char const *file, char *path, size_t size)
{
    char folder[PATH_MAX], whole[PATH_MAX];
    char const *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    size_t length = slash ? (size_t)(slash - file) + 1 : 0;

    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || length >= sizeof folder) {
        cli_complain("'%s' is not a file", file);
        return false;
    }
    memcpy(folder, length ? file : "./", length ? length : 2);
    folder[length ? length : 2] = '\0';
    if (!realpath(folder, whole)) {
        cli_complain("%s: %s", folder, strerror(errno));
        return false;
    }
    int written = snprintf(path, size, "%s/%s", strcmp(whole, "/") == 0 ? "" : whole, name);
    if (written > 0 && (size_t)written < size)
        return true;
    cli_complain("'%s' is too long a path", file);
    return false;
}

static int backup(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    bool force = false;
    char path[PATH_MAX];
    struct stat made;
    msgpack_object result;
    struct cli_option const options[] = {
        {.name = "force", .type = CLI_FLAG, .value = &force, .help = "replace FILE if it is there"},
        COMMON_OPTIONS(ctl)};

    ctl->patience = 24 * 3600;
    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!make_absolute(argv[0], path, sizeof path))
        return EXIT_BAD;
    if (!force && lstat(path, &made) == 0) {
        cli_complain("%s is there already; to replace it: --force", path);
        return EXIT_BAD;
    }
    status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "backup", 2);
    if (!ctl_pack_name(b, path))
        return EXIT_USAGE;
    pack_map(b, 1);
    pack_key(b, "force");
    pack_bool(b, force);
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (stat(path, &made) < 0) { /* another name space, or a moment too late */
        cli_complain("the daemon has written %s, but it can not be seen from here: %s", path,
                     strerror(errno));
        return EXIT_BAD;
    }
    printf("%" PRIu64 " bytes in %s\n", (uint64_t)made.st_size, path);
    return EXIT_GOOD;
}

struct command const command_backup = {
    {.name = "backup",
     .params = "FILE",
     .least = 1,
     .most = 1,
     .summary = "copies the whole store to a file, while it is in use",
     .help = "FILE has all sessions as they were when the copy began, the trash too. The daemon\n"
             "writes it, as its own user, and does so for that user and root alone. The copy is\n"
             "waited for as long as it takes (a day, without --timeout).\n"
             "To make a store of it again: redoctl restore FILE\n"},
    backup};

/* ---- flush ------------------------------------------------------------------------------- */

static int flush(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    msgpack_object result;

    int status = ctl_begin(ctl, cli, &argc, argv);
    if (status != CLI_GO)
        return status;
    ctl_request(ctl, "flush", 0);
    status = ctl_result(ctl, &result);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_flush = {
    {.name = "flush",
     .params = "",
     .summary = "waits until all changes so far are on disk",
     .help =
         "What relaxed clients did may wait for the disk for a moment; after this it does not.\n"},
    flush};
