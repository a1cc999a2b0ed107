/* One table describes the options; the command line, the file, and --help come from it.
 *
 * The file: lines `key = value`, keys as the long options, '#' begins a comment line. Options that
 * take no value are `yes` or `no` there. */
#include "server/config.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/redo_error.h"

/* Where an option's value came from, and what is wrong with it. */
struct reading {
    struct config *config;
    char const *value;
    char problem[300];
};

static bool problem(struct reading *reading, char const *text)
{
    snprintf(reading->problem, sizeof reading->problem, "%s", text);
    return false;
}

static bool parse_size(struct reading *reading, size_t least, size_t *size)
{
    char *end;
    unsigned shift = 0;

    errno = 0;
    unsigned long long number = strtoull(reading->value, &end, 10);
    if (reading->value[0] < '0' || reading->value[0] > '9' || errno != 0)
        return problem(reading, "is not a number");
    if (*end == 'K' || *end == 'k')
        shift = 10;
    else if (*end == 'M' || *end == 'm')
        shift = 20;
    else if (*end == 'G' || *end == 'g')
        shift = 30;
    if (end[shift > 0] != '\0')
        return problem(reading, "is not a number (K, M or G may follow it)");
    if (number > (UINT64_C(1) << 40) >> shift)
        return problem(reading, "is more than 1024G");
    number <<= shift;
    if (number < least) {
        snprintf(reading->problem, sizeof reading->problem, "is less than %zu", least);
        return false;
    }
    *size = (size_t)number;
    return true;
}

static bool set_socket(struct reading *reading)
{
    size_t size = strlen(reading->value);

    if (size == 0)
        return problem(reading, "is not a path");
    if (size > PLACE_SOCKET_MAX) {
        snprintf(reading->problem, sizeof reading->problem,
                 "is %zu bytes long; the path of a socket has %d at most", size, PLACE_SOCKET_MAX);
        return false;
    }
    memcpy(reading->config->socket, reading->value, size + 1);
    return true;
}

static bool set_store(struct reading *reading)
{
    size_t size = strlen(reading->value);

    if (size == 0 || size >= sizeof reading->config->store)
        return problem(reading, "is not a path");
    memcpy(reading->config->store, reading->value, size + 1);
    return true;
}

static bool set_mode(struct reading *reading)
{
    char *end;
    unsigned long mode = strtoul(reading->value, &end, 8);

    if (end == reading->value || *end != '\0' || mode > 0777)
        return problem(reading, "is not a mode in octal, 0 to 0777");
    reading->config->mode = (unsigned)mode;
    return true;
}

static bool set_allow(struct reading *reading)
{
    char const *bad;

    reading->config->allow = (struct peer_rules){0}; /* the last word counts, as everywhere */
    if (peer_rules_parse(&reading->config->allow, reading->value, &bad))
        return true;
    snprintf(reading->problem, sizeof reading->problem,
             "has no known user, @group, \"owner\" or \"any\" at \"%.100s\" (%d at most)", bad,
             PEER_RULES_MAX);
    return false;
}

static bool set_log_level(struct reading *reading)
{
    static char const *const names[] = {"error", "warn", "info", "debug"};

    for (int level = LOG_LEVEL_ERROR; level <= LOG_LEVEL_DEBUG; level++) {
        if (strcmp(reading->value, names[level]) == 0) {
            reading->config->log_level = (enum log_level)level;
            return true;
        }
    }
    return problem(reading, "is not error, warn, info or debug");
}

static bool set_max_message(struct reading *reading)
{
    return parse_size(reading, 64, &reading->config->max_message);
}

static bool set_max_connections(struct reading *reading)
{
    return parse_size(reading, 1, &reading->config->max_connections);
}

static bool set_max_per_user(struct reading *reading)
{
    return parse_size(reading, 0, &reading->config->max_per_user);
}

static bool set_user_connections(struct reading *reading)
{
    return parse_size(reading, 0, &reading->config->user_connections);
}

static bool set_user_sessions(struct reading *reading)
{
    return parse_size(reading, 0, &reading->config->user_sessions);
}

static bool set_user_positions(struct reading *reading)
{
    return parse_size(reading, 0, &reading->config->user_positions);
}

static bool set_user_bytes(struct reading *reading)
{
    return parse_size(reading, 0, &reading->config->user_bytes);
}

static bool set_output_soft(struct reading *reading)
{
    return parse_size(reading, 1024, &reading->config->output_soft);
}

static bool set_output_hard(struct reading *reading)
{
    return parse_size(reading, 1024, &reading->config->output_hard);
}

/* A year at most: so no product of it overflows. */
static bool parse_seconds(struct reading *reading, size_t *seconds)
{
    size_t number;

    if (!parse_size(reading, 0, &number))
        return false;
    if (number > 31536000)
        return problem(reading, "is more than 31536000 seconds");
    *seconds = number;
    return true;
}

static bool set_output_seconds(struct reading *reading)
{
    return parse_seconds(reading, &reading->config->output_seconds);
}

static bool set_output_per_user(struct reading *reading)
{
    size_t size;

    if (!parse_size(reading, 0, &size))
        return false;
    if (size > 0 && size < 1024)
        return problem(reading, "is less than 1024, and not 0");
    reading->config->output_per_user = size;
    return true;
}

static bool set_idle_timeout(struct reading *reading)
{
    return parse_seconds(reading, &reading->config->idle_timeout);
}

static bool set_keepalive(struct reading *reading)
{
    return parse_seconds(reading, &reading->config->keepalive);
}

static bool set_stall_timeout(struct reading *reading)
{
    return parse_seconds(reading, &reading->config->stall_timeout);
}

static bool set_memory_budget(struct reading *reading)
{
    return parse_size(reading, 0, &reading->config->memory_budget);
}

static bool set_relaxed_delay(struct reading *reading)
{
    if (!parse_size(reading, 0, &reading->config->relaxed_delay))
        return false;
    return reading->config->relaxed_delay <= 60000 ||
           problem(reading, "is more than 60000 milliseconds");
}

static bool set_trash_age(struct reading *reading)
{
    return parse_size(reading, 0, &reading->config->trash_age);
}

static bool set_foreground(struct reading *reading)
{
    if (strcmp(reading->value, "yes") != 0 && strcmp(reading->value, "no") != 0)
        return problem(reading, "is not yes or no");
    reading->config->foreground = reading->value[0] == 'y';
    return true;
}

/* Those without a `set` are of the command line alone. */
static struct description {
    char const *name;
    char const *argument; /* NULL: none */
    bool (*set)(struct reading *reading);
    char const *help;
} const options[] = {
    {"socket", "PATH", set_socket, "where to listen"},
    {"store", "PATH", set_store, "the folder of the store; memory: nothing is kept"},
    {"mode", "OCTAL", set_mode,
     "mode of the socket (0600): who may come to it; folders\n"
     "that are made for it let the same ones through"},
    {"allow", "WHO", set_allow,
     "who may connect besides the daemon's user and root:\n"
     "users and @groups, separated by commas; any; owner"},
    {"max-message", "BYTES", set_max_message, "the largest message read (64M)"},
    {"max-connections", "N", set_max_connections, "connections at a time (4096)"},
    {"max-per-user", "N", set_max_per_user, "the same, of one user (0: no such limit)"},
    {"user-connections", "N", set_user_connections,
     "of one user, but root and the daemon's own, who\nhave none of these four limits (0: no "
     "limit)"},
    {"user-sessions", "N", set_user_sessions, "a user's sessions (0: no limit)"},
    {"user-positions", "N", set_user_positions, "positions of a user's sessions (0: no limit)"},
    {"user-bytes", "BYTES", set_user_bytes,
     "bytes of a user's sessions, with those that are\nin the trash (0: no limit)"},
    {"output-soft", "BYTES", set_output_soft,
     "with so much unread by a client, nothing is\nread from it (4M)"},
    {"output-seconds", "SECONDS", set_output_seconds,
     "and if it takes no more for so long, it is told\nof no more events, but once that it lags "
     "(5)"},
    {"output-hard", "BYTES", set_output_hard,
     "with so much, it is disconnected; events stop\nbefore that (64M)"},
    {"output-per-user", "BYTES", set_output_per_user,
     "with so much unread by one user's clients\ntogether, those who hold the most lag\n"
     "(256M; 0: no such limit)"},
    {"idle-timeout", "SECONDS", set_idle_timeout,
     "clients that say nothing for so long are\ndisconnected (0: never)"},
    {"keepalive", "SECONDS", set_keepalive,
     "clients that are attached and were told nothing\nfor so long are told that the daemon lives\n"
     "(0: never)"},
    {"stall-timeout", "SECONDS", set_stall_timeout,
     "clients that take nothing of what is due to\nthem for so long are disconnected (0: never)"},
    {"memory-budget", "BYTES", set_memory_budget,
     "memory that sessions may take before those that\nnobody uses leave it (1G)"},
    {"relaxed-delay", "MS", set_relaxed_delay,
     "milliseconds until changes that nobody waits for\nare on disk (100)"},
    {"trash-age", "SECONDS", set_trash_age, "after which deleted sessions are purged (0: never)"},
    {"log-level", "LEVEL", set_log_level, "error, warn, info or debug (info)"},
    {"foreground", NULL, set_foreground,
     "taken for granted: redod never forks, and logs\nto standard error, terminal or not"},
    {"config", "FILE", NULL, "read options from FILE: lines `name = value`"},
    {"version", NULL, NULL, "print the version"},
    {"help", NULL, NULL, "print this"},
};

#define OPTION_COUNT (sizeof options / sizeof options[0])

/* config: still with its defaults. */
static void print_help(struct config const *config, FILE *out)
{
    fputs("redod: keeps the branching histories of games, for any number of programs.\n\n"
          "usage: redod [options]\n\n",
          out);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char left[40];
        char const *help = options[i].help;

        snprintf(left, sizeof left, "--%s %s", options[i].name,
                 options[i].argument != NULL ? options[i].argument : "");
        while (help != NULL) {
            char const *end = strchr(help, '\n');
            int size = end != NULL ? (int)(end - help) : (int)strlen(help);

            fprintf(out, "  %-25s  %.*s\n", left, size, help);
            left[0] = '\0';
            help = end != NULL ? end + 1 : NULL;
        }
    }
    fprintf(out,
            "\nUnless said otherwise, for this user and environment:\n"
            "  --socket %s\n  --store %s\n",
            config->socket[0] != '\0' ? config->socket : "(none)",
            config->store[0] != '\0' ? config->store : "(none)");
    fputs("\nSIGTERM and SIGINT end it; SIGHUP makes the socket again if its path is gone.\n", out);
}

static void set_defaults(struct config *config)
{
    struct place_environment environment = {
        .uid = geteuid(),
        .runtime_dir = getenv("XDG_RUNTIME_DIR"),
        .state_home = getenv("XDG_STATE_HOME"),
        .home = getenv("HOME"),
    };

    *config = (struct config){
        .mode = 0600,
        .log_level = LOG_LEVEL_INFO,
        .max_message = 64 * 1024 * 1024,
        .max_connections = 4096,
        .output_soft = 4 * 1024 * 1024,
        .output_seconds = 5,
        .output_hard = 64 * 1024 * 1024,
        .output_per_user = 256 * 1024 * 1024,
        .memory_budget = 1024 * 1024 * 1024,
        .relaxed_delay = 100,
    };
    /* What has no default must be said: see finish(). */
    place_socket(&environment, config->socket, sizeof config->socket);
    place_store(&environment, config->store, sizeof config->store);
}

static struct description const *find(char const *name, size_t size)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].name) == size && memcmp(options[i].name, name, size) == 0)
            return &options[i];
    return NULL;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL)
        size--;
    text[size] = '\0';
    return text;
}

/* One line of the file; false with reading->problem. */
static bool read_line(struct reading *reading, char *line)
{
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#')
        return true;

    char *equals = strchr(line, '=');
    if (equals == NULL)
        return problem(reading, "not `key = value`");
    *equals = '\0';

    char const *key = trim(line);
    struct description const *option = find(key, strlen(key));
    if (option == NULL || option->set == NULL) {
        snprintf(reading->problem, sizeof reading->problem, "unknown key '%.100s'", key);
        return false;
    }
    reading->value = trim(equals + 1);
    if (option->set(reading))
        return true;

    char why[sizeof reading->problem];
    memcpy(why, reading->problem, sizeof why);
    snprintf(reading->problem, sizeof reading->problem, "%.30s %.250s", key, why);
    return false;
}

static bool read_file(struct config *config, char const *path, FILE *err)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool good = true;

    if (file == NULL) {
        fprintf(err, "redod: %s: %s\n", path, strerror(errno));
        return false;
    }
    while (good && getline(&line, &room, file) >= 0) {
        struct reading reading = {.config = config};

        number++;
        good = read_line(&reading, line);
        if (!good)
            fprintf(err, "redod: %s:%u: %s\n", path, number, reading.problem);
    }
    if (good && ferror(file)) {
        fprintf(err, "redod: %s: %s\n", path, strerror(errno));
        good = false;
    }
    free(line);
    fclose(file);
    return good;
}

/* Goes through the command line. With `file`, only --config, --help and --version are looked at. */
static enum config_result read_arguments(struct config *config, int argc, char **argv,
                                         char const **file, FILE *out, FILE *err)
{
    struct option table[OPTION_COUNT + 1] = {0};
    int index = 0, letter;

    for (size_t i = 0; i < OPTION_COUNT; i++)
        table[i] = (struct option){
            .name = options[i].name,
            .has_arg = options[i].argument != NULL ? required_argument : no_argument,
        };

    optind = 0; /* start over: this is gone through twice */
    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":", table, &index)) != -1) {
        if (letter != 0) {
            fprintf(err, "redod: %s %s (see --help)\n", argv[optind - 1],
                    letter == ':' ? "needs a value" : "is not an option, or not used as one");
            return CONFIG_BAD;
        }

        struct description const *option = &options[index];
        struct reading reading = {.config = config, .value = optarg != NULL ? optarg : "yes"};
        if (option->set != NULL) {
            if (file == NULL && !option->set(&reading)) {
                fprintf(err, "redod: --%s %s\n", option->name, reading.problem);
                return CONFIG_BAD;
            }
        } else if (strcmp(option->name, "config") == 0) {
            if (file != NULL)
                *file = optarg;
        } else {
            if (strcmp(option->name, "help") == 0)
                print_help(config, out);
            else
                fprintf(out, "redod %s\n", REDOD_VERSION);
            return CONFIG_DONE;
        }
    }
    if (optind < argc) {
        fprintf(err, "redod: '%s' is not an option (see --help)\n", argv[optind]);
        return CONFIG_BAD;
    }
    return CONFIG_RUN;
}

static enum config_result finish(struct config const *config, FILE *err)
{
    if (config->socket[0] == '\0') {
        fputs("redod: no place for the socket: XDG_RUNTIME_DIR and HOME are unset, or too long; "
              "say --socket PATH\n",
              err);
        return CONFIG_BAD;
    }
    if (config->store[0] == '\0') {
        fputs("redod: no place for the store: HOME is unset, or too long; say --store PATH\n", err);
        return CONFIG_BAD;
    }
    if (config->output_hard < config->output_soft) {
        fputs("redod: output-hard is less than output-soft\n", err);
        return CONFIG_BAD;
    }
    return CONFIG_RUN;
}

enum config_result config_read(struct config *config, int argc, char **argv, FILE *out, FILE *err)
{
    char const *file = NULL;

    set_defaults(config);
    enum config_result result = read_arguments(config, argc, argv, &file, out, err);
    if (result == CONFIG_RUN && file != NULL && !read_file(config, file, err))
        result = CONFIG_BAD;
    if (result == CONFIG_RUN)
        result = read_arguments(config, argc, argv, NULL, out, err);
    if (result == CONFIG_RUN)
        result = finish(config, err);
    return result;
}
