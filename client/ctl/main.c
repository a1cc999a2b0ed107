/* redoctl: a person's hands on the daemon: looks at its sessions, and calls whatever it offers. */
#include <string.h>

#include "client/ctl/ctl.h"
#include "protocol/standard.h"

static struct command const *const commands[] = {
    &command_list,       &command_info,   &command_tree,   &command_show,    &command_path,
    &command_solution,   &command_watch,  &command_call,   &command_replay,  &command_set,
    &command_properties, &command_rename, &command_copy,   &command_delete,  &command_trash,
    &command_undelete,   &command_purge,  &command_drop,   &command_dropped, &command_undrop,
    &command_cursor,     &command_flush,  &command_export, &command_import,  &command_backup,
    &command_restore,    &command_check,  &command_chmod,  &command_lines,   &command_table,
    &command_diff,       &command_record, &command_routes, &command_match,
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(struct cli_option const *options)
{
    puts("redoctl: looks at the histories that redod keeps, keeps them safe, and calls its "
         "methods.\n\n"
         "usage: redoctl [options] COMMAND ...\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %-20s  %s\n", commands[i]->cli.name, commands[i]->cli.params,
               commands[i]->cli.summary);
    puts("\noptions of every command but check and restore, which ask no daemon:");
    cli_print_options(options, stdout);
    puts("\nmore on a command: redoctl COMMAND --help");
}

static struct command const *find(char const *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->cli.name, name) == 0)
            return commands[i];
    return NULL;
}

/* What is not written is an error too: the disk may be full. */
static int end(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_complain("can not write the output");
        return status == EXIT_GOOD ? EXIT_BAD : status;
    }
    return status;
}

static int run(struct ctl *ctl, int argc, char **argv)
{
    static struct cli_command const cli = {.name = "", .params = "COMMAND", .most = -1};
    bool help = false, version = false;
    struct cli_option const options[] = {
        {.name = "version", .type = CLI_FLAG, .value = &version, .help = "print the version"},
        {.name = "help", .type = CLI_FLAG, .value = &help},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(&cli, options, true, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (help) {
        print_help(options + 2);
        return EXIT_GOOD;
    }
    if (version) {
        printf("redoctl %s\n", REDOCTL_VERSION);
        return EXIT_GOOD;
    }
    if (argc == 1 && strcmp(argv[0], "help") == 0) {
        print_help(options + 2);
        return EXIT_GOOD;
    }
    struct command const *command = argc > 0 ? find(argv[0]) : NULL;
    if (!command) {
        if (argc > 0)
            cli_complain("'%s' is not a command; see: redoctl --help", argv[0]);
        else
            cli_complain("which command? see: redoctl --help");
        return EXIT_USAGE;
    }
    return command->run(ctl, &command->cli, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    struct ctl ctl = {.open = false};
    standard_hold();
    int status = run(&ctl, argc - 1, argv + 1);

    ctl_close(&ctl);
    return end(status);
}
