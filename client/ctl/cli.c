#include "client/ctl/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protocol/utf8.h"

void cli_complain(char const *format, ...)
{
    va_list list;

    fflush(stdout); /* so that the two come in their order where they end up together */
    fputs("redoctl: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

bool cli_number(char const *text, int64_t least, int64_t most, int64_t *number)
{
    char *end;

    errno = 0;
    if ((text[0] < '0' || text[0] > '9') && text[0] != '-')
        return false;
    *number = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0' && end != text && *number >= least && *number <= most;
}

bool cli_utf8(char const *name)
{
    if (utf8_valid(name, strlen(name)))
        return true;
    cli_complain("a name must be UTF-8");
    return false;
}

bool cli_position(char const *text, uint32_t *position)
{
    int64_t number;

    if (!cli_number(text, 0, UINT32_MAX - 1, &number)) {
        cli_complain("'%s' is not the number of a position", text);
        return false;
    }
    *position = (uint32_t)number;
    return true;
}

bool cli_color(int choice)
{
    char const *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (choice != 0)
        return choice == 1;
    return isatty(STDOUT_FILENO) && !(no && no[0]) && !(terminal && !strcmp(terminal, "dumb"));
}

/* The place of a word among words separated by blanks, -1 if it is not there. */
static int place_of(char const *word, char const *words)
{
    size_t size = strlen(word);

    for (int place = 0;; place++) {
        size_t length = strcspn(words, " ");
        if (length == size && memcmp(words, word, size) == 0)
            return place;
        if (!words[length])
            return -1;
        words += length + 1;
    }
}

static bool set(struct cli_option const *option, char const *value)
{
    switch (option->type) {
    case CLI_FLAG:
        *(bool *)option->value = true;
        return true;
    case CLI_TEXT:
        *(char const **)option->value = value;
        return true;
    case CLI_NUMBER:
        if (cli_number(value, option->least, option->most, option->value))
            return true;
        cli_complain("--%s needs a number from %lld to %lld, not '%s'", option->name,
                     (long long)option->least, (long long)option->most, value);
        return false;
    case CLI_CHOICE:
        *(int *)option->value = place_of(value, option->choices);
        if (*(int *)option->value >= 0)
            return true;
        cli_complain("--%s is one of %s, not '%s'", option->name, option->choices, value);
        return false;
    }
    return false;
}

void cli_print_options(struct cli_option const *options, FILE *out)
{
    for (; options->name; options++) {
        char left[60];
        char const *help = options->help;

        snprintf(left, sizeof left, "--%s %s", options->name,
                 options->argument ? options->argument : "");
        while (help) {
            size_t size = strcspn(help, "\n");
            fprintf(out, "  %-20s  %.*s\n", left, (int)size, help);
            left[0] = '\0';
            help = help[size] ? help + size + 1 : NULL;
        }
    }
}

static void print_help(struct cli_command const *command, struct cli_option const *options)
{
    printf("usage: redoctl %s [options]%s%s\n\n%s\n", command->name, *command->params ? " " : "",
           command->params, command->summary);
    if (command->help)
        printf("\n%s", command->help);
    puts("\noptions:");
    cli_print_options(options, stdout);
}

static struct cli_option const *find(struct cli_option const *options, char const *name,
                                     size_t size)
{
    for (; options->name; options++)
        if (strlen(options->name) == size && memcmp(options->name, name, size) == 0)
            return options;
    return NULL;
}

static struct cli_option const *find_letter(struct cli_option const *options, char letter)
{
    while (options->name && options->letter != letter)
        options++;
    return options->name ? options : NULL;
}

static int not_an_option(struct cli_command const *command, char const *word)
{
    if (*command->name)
        cli_complain("'%s' is not an option of %s; see: redoctl %s --help", word, command->name,
                     command->name);
    else /* redoctl itself */
        cli_complain("'%s' is not an option of every command; those of one come after it; "
                     "see: redoctl --help",
                     word);
    return EXIT_USAGE;
}

/* Reads argv[*at], which begins with two dashes, or is one and a letter, and its value. */
static int parse_option(struct cli_command const *command, struct cli_option const *options,
                        int argc, char **argv, int *at)
{
    bool letter = argv[*at][1] != '-';
    char const *name = argv[*at] + (letter ? 1 : 2);
    size_t size = strcspn(name, "=");
    char const *value = name[size] ? name + size + 1 : NULL;
    struct cli_option const *option =
        letter ? find_letter(options, *name) : find(options, name, size);

    if (strcmp(name, "help") == 0 && !(option && option->value)) {
        print_help(command, options);
        return EXIT_GOOD;
    }
    if (!option)
        return not_an_option(command, argv[*at]);
    if (option->type == CLI_FLAG && value) {
        cli_complain("--%s takes no value", option->name);
        return EXIT_USAGE;
    }
    if (option->type != CLI_FLAG && !value) {
        if (++*at == argc) {
            cli_complain("--%s needs a value", option->name);
            return EXIT_USAGE;
        }
        value = argv[*at];
    }
    return set(option, value) ? CLI_GO : EXIT_USAGE;
}

int cli_parse(struct cli_command const *command, struct cli_option const *options, bool in_order,
              int *argc, char **argv)
{
    int count = 0;
    bool options_end = false;

    for (int at = 0; at < *argc; at++) {
        char *word = argv[at];
        if (options_end || word[0] != '-' || !word[1] || (word[1] >= '0' && word[1] <= '9')) {
            argv[count++] = word;
            options_end |= in_order;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (strcmp(word, "-h") == 0)
            word = argv[at] = "--help";
        if (word[1] != '-' && (word[2] || !find_letter(options, word[1])))
            return not_an_option(command, word);
        int status = parse_option(command, options, *argc, argv, &at);
        if (status != CLI_GO)
            return status;
    }
    *argc = count;
    if (count < command->least || (command->most >= 0 && count > command->most)) {
        cli_complain("usage: redoctl %s [options]%s%s; see: redoctl %s --help", command->name,
                     *command->params ? " " : "", command->params, command->name);
        return EXIT_USAGE;
    }
    return CLI_GO;
}
