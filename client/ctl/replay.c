/* replay: plays what was recorded against the daemon, scripts, traces and streams, and tells where
 * it answers otherwise than they say. */
#include <inttypes.h>
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/lines.h"
#include "client/ctl/rails.h"
#include "client/ctl/script.h"
#include "client/ctl/stream.h"
#include "client/ctl/trace.h"

#define DIFFERENCES_DEFAULT 3

struct replay {
    struct ctl *ctl;
    int64_t differences; /* how many of a script are printed */
    bool verbose;
    struct trace_wish wish;
    struct trace trace;   /* the one under way, if there is one */
    uint64_t traces;      /* begun */
    struct stream stream; /* the same */
    uint64_t streams;

    uint64_t passed, failed;
    uint64_t levels;   /* lines without steps */
    uint64_t shortest; /* scripts with another rule */
    uint64_t recorded; /* lines that record what is not to be played: divergences */
    uint64_t steps;
};

/* ---- scripts ----------------------------------------------------------------------------- */

static void play_script(struct replay *r, json_t const *script, char const *where)
{
    size_t steps = json_array_size(json_object_get(script, "steps"));
    bool good = script_play(r->ctl, script, where, r->differences);

    r->passed += good;
    r->failed += !good;
    r->steps += steps;
    if (good && r->verbose)
        printf("%s: %zu steps, good\n", where, steps);
}

static char const *text_of(json_t const *script, char const *key)
{
    char const *text = json_string_value(json_object_get(script, key));

    return text ? text : "";
}

/* ---- traces ------------------------------------------------------------------------------ */

static void end_trace(struct replay *r)
{
    if (!r->trace.under_way)
        return;
    bool good = trace_end(&r->trace);
    r->passed += good;
    r->failed += !good;
}

/* A record of a trace, which may be the first of one. False: it is none. */
static bool read_record(struct replay *r, struct lines const *lines, json_t const *record)
{
    if (trace_begins(record)) {
        end_trace(r);
        r->wish.differences = r->differences;
        r->traces++;
        r->failed += !trace_begin(&r->trace, r->ctl, &r->wish, lines->path, record);
        return true;
    }
    if (!r->trace.under_way || !json_object_get(record, "kind"))
        return false;
    trace_play(&r->trace, record, lines->number);
    if (strcmp(text_of(record, "kind"), "end") == 0)
        end_trace(r);
    return true;
}

/* ---- streams ----------------------------------------------------------------------------- */

static void end_stream(struct replay *r)
{
    if (!r->stream.under_way)
        return;
    bool good = stream_end(&r->stream);
    r->passed += good;
    r->failed += !good;
}

/* A record of a stream, which may be its header. False: it is none. */
static bool read_stream(struct replay *r, struct lines const *lines, json_t const *record)
{
    if (!rails_is_stream(record))
        return r->stream.under_way && stream_play(&r->stream, record, lines->number);
    end_stream(r);
    r->streams++;
    r->failed +=
        !stream_begin(&r->stream, r->ctl, lines->path, r->wish.session, r->differences, record);
    return true;
}

/* ---- files ------------------------------------------------------------------------------- */

/* One line of a file. */
static void read_line(struct replay *r, struct lines const *lines, char const *line, size_t size)
{
    char where[300];
    json_error_t error;
    json_t *script = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);

    snprintf(where, sizeof where, "%s:%zu %.100s", lines->path, lines->number,
             text_of(script, "name"));
    if (!json_is_object(script)) {
        printf("%s: not a script: %s\n", where, script ? "no JSON object" : error.text);
        r->failed++;
    } else if (read_stream(r, lines, script) || read_record(r, lines, script)) {
    } else if (json_is_array(json_object_get(script, "steps"))) {
        if (strcmp(text_of(script, "rule"), "shortest") == 0)
            r->shortest++;
        else
            play_script(r, script, where);
    } else if (json_object_get(script, "ops")) {
        if (r->recorded++ == 0)
            printf("%s: has ops instead of steps: a record of what differs, no script; left out "
                   "(and all others like it)\n",
                   where);
    } else {
        r->levels++;
    }
    json_decref(script);
}

static void read_file(struct replay *r, char const *path)
{
    struct lines lines;
    char const *line;
    size_t size;
    int result = 0;

    if (!lines_open(&lines, path)) {
        r->failed++;
        return;
    }
    while (r->ctl->c.fd >= 0 && (result = lines_next(&lines, &line, &size)) > 0)
        if (size > 0)
            read_line(r, &lines, line, size);
    r->failed += result < 0;
    end_trace(r);
    end_stream(r);
    lines_close(&lines);
}

static int replay(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct replay r = {.ctl = ctl, .differences = DIFFERENCES_DEFAULT};
    struct cli_option const options[] = {{.name = "differences",
                                          .type = CLI_NUMBER,
                                          .value = &r.differences,
                                          .argument = "N",
                                          .help = "of a script, print the first N (3)",
                                          .least = 1,
                                          .most = INT32_MAX},
                                         {.name = "session",
                                          .type = CLI_TEXT,
                                          .value = &r.wish.session,
                                          .argument = "NAME",
                                          .help =
                                              "of a trace or a stream: keep it, as a session of\n"
                                              "this name"},
                                         {.name = "schema",
                                          .type = CLI_TEXT,
                                          .value = &r.wish.schema,
                                          .argument = "SCHEMA",
                                          .help = "of a trace: baba or baba-old-first, instead\n"
                                                  "of what its first record says"},
                                         {.name = "verbose",
                                          .type = CLI_FLAG,
                                          .value = &r.verbose,
                                          .help = "name the scripts that pass, too"},
                                         COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    for (int i = 0; i < argc && ctl->c.fd >= 0; i++)
        read_file(&r, argv[i]);
    if (ctl->c.fd < 0)
        puts("stopped: the connection is gone");
    if ((!r.traces && !r.streams) || r.steps || r.shortest || r.levels || r.recorded)
        printf("%" PRIu64 " steps; left out: %" PRIu64 " with the rule \"shortest\", %" PRIu64
               " without steps, %" PRIu64 " that are no scripts\n",
               r.steps, r.shortest, r.levels, r.recorded);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", r.passed, r.failed);
    return r.failed == 0 && ctl->c.fd >= 0 ? EXIT_GOOD : EXIT_BAD;
}

struct command const command_replay = {
    {.name = "replay",
     .params = "FILE ...",
     .least = 1,
     .most = -1,
     .summary = "plays recorded scripts and compares every answer",
     .help =
         "FILE: JSON Lines, plain or gzipped, - for standard input; a script a line, as described\n"
         "in tests/cases/README.md. Each is played in a private session of the daemon. What\n"
         "differs is printed: the script, the step, what was expected, and what came. Left out,\n"
         "and counted, are lines without steps (levels), lines with ops instead (divergences), "
         "and\n"
         "scripts with the rule \"shortest\".\n"
         "\n"
         "Or a trace, a record a line, of a game that tells its turns by change, as described in\n"
         "tests/cases/baba/README.md: played into a session, each undo and redo with a cursor, "
         "and\n"
         "the table compared after every one. It is told how many records agree.\n"
         "\n"
         "Or a stream of track (route-stream/1): its steps are laid as turns, and each query is "
         "asked\n"
         "where it stands, and again after all is undone to it. Totals, sizes and tables are "
         "compared.\n"
         "\n"
         "The last line is `N passed, N failed`; the exit\n"
         "status is 0 only if none failed.\n"},
    replay};
