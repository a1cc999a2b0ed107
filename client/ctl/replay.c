/* replay: plays recorded scripts against the daemon, with the bare protocol, and tells where it
 * answers otherwise than they say.
 *
 * A script's requests depend on no answer but the first (the session's handle), so they are sent
 * many at a time. Only a dump waits for all that is before it: it takes several requests, and the
 * session must stand still meanwhile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/dump.h"
#include "client/ctl/json.h"
#include "client/ctl/lines.h"
#include "client/ctl/rails.h"
#include "client/ctl/stream.h"
#include "client/ctl/trace.h"
#include "redo_error.h"

#define PIPELINE 256                 /* steps under way */
#define PIPELINE_BYTES (1024 * 1024) /* and bytes of their requests, about */
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

/* The script being played. */
struct script {
    struct replay *replay;
    char const *where; /* "file:line name" */
    json_t *steps;
    int64_t session;
    uint64_t differences;
    char const *problem; /* what is wrong with the script itself */
};

/* ---- telling ----------------------------------------------------------------------------- */

/* Counts a difference; whether it is to be printed. Its first lines are printed here. */
static bool differs(struct script *s, size_t step)
{
    if (s->differences++ >= (uint64_t)s->replay->differences)
        return false;
    json_t *op = json_object_get(json_array_get(s->steps, step), "op");
    char *text = op ? json_dumps(op, JSON_COMPACT) : NULL;
    printf("%s: step %zu: %s\n", s->where, step, text ? text : "dump");
    free(text);
    return true;
}

static void print_json(char const *before, json_t const *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

    printf("%s%s", before, text ? text : "nothing");
    free(text);
}

static void tell(struct script *s, size_t step, char const *what, json_t const *expected,
                 json_t const *got, int code)
{
    if (!differs(s, step))
        return;
    printf("    %s: ", what);
    print_json("expected ", expected);
    print_json(", got ", got);
    if (code != REDO_OK)
        printf(" (%s: %s)", redo_errorname(code), s->replay->ctl->c.error);
    putchar('\n');
}

/* ---- requests ---------------------------------------------------------------------------- */

static int64_t integer_at(struct script *s, json_t const *op, size_t i)
{
    json_t const *value = json_array_get(op, i);

    if (!json_is_integer(value))
        s->problem = "a number is missing in an op";
    return json_integer_value(value);
}

static void pack_state_at(struct script *s, struct buffer *b, json_t const *op, size_t i)
{
    json_t const *value = json_array_get(op, i);
    size_t size = 0;
    unsigned char *bytes =
        json_is_string(value) ? hex_read(json_string_value(value), json_string_length(value), &size)
                              : NULL;

    if (!bytes)
        s->problem = "a state is missing in an op, or is not hex";
    pack_bin(b, bytes, bytes ? size : 0);
    free(bytes);
}

static void pack_integer_at(struct script *s, struct buffer *b, json_t const *op, size_t i)
{
    pack_int(b, integer_at(s, op, i));
}

/* The names of ops, and their methods; fields: 'i' an integer, 's' a state, in the order of the
 * op and of the method's params after the session. */
static struct op {
    char const *name, *method, *fields;
} const ops[] = {
    {"add", "addposition", "iisii"},      {"next", "getnextposition", "ii"},
    {"drop", "dropposition", "i"},        {"graft", "setgraftbehavior", "i"},
    {"cycle", "suppresscycle", "isi"},    {"dup", "duplicatepath", "ii"},
    {"setbetter", "setbetterfields", ""}, {"update", "updatesavedstate", "is"},
    {"clear", "clearsessionchanged", ""}, {"changed", "hassessionchanged", ""},
};

static struct op const *find_op(json_t const *op)
{
    char const *name = json_string_value(json_array_get(op, 0));

    for (size_t i = 0; name && i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

/* Requests of a step under way. */
struct pending {
    size_t step;
    struct op const *op;
    uint32_t id;    /* of the op */
    uint32_t facts; /* of the getsession after it */
};

static void request_facts(struct script *s, uint32_t *id)
{
    struct buffer *b = ctl_request(s->replay->ctl, "getsession", 1);

    pack_int(b, s->session);
    *id = s->replay->ctl->id;
}

static void request_step(struct script *s, size_t step, json_t const *op, struct pending *p)
{
    *p = (struct pending){.step = step, .op = find_op(op)};
    if (!p->op) {
        s->problem = "an op is not known";
        return;
    }
    struct buffer *b = ctl_request(s->replay->ctl, p->op->method, 1 + strlen(p->op->fields));
    p->id = s->replay->ctl->id;
    pack_int(b, s->session);
    for (size_t i = 0; p->op->fields[i]; i++) {
        if (p->op->fields[i] == 's')
            pack_state_at(s, b, op, i + 1);
        else
            pack_integer_at(s, b, op, i + 1);
    }
    request_facts(s, &p->facts);
}

/* ---- answers ----------------------------------------------------------------------------- */

static bool lost(struct script *s)
{
    return s->replay->ctl->c.fd < 0;
}

static json_t *flag(msgpack_object const *object)
{
    return json_integer(object && object->type == MSGPACK_OBJECT_BOOLEAN && object->via.boolean);
}

/* The result of an op in the words of a script; *pos only for cycle. */
static json_t *answer_of(struct op const *op, msgpack_object const *result, json_t **pos)
{
    switch (op->name[0]) {
    case 'a':
        return json_from_msgpack(map_get(result, "number") ? map_get(result, "number") : result);
    case 'n':
        return result->type == MSGPACK_OBJECT_NIL
                   ? json_integer(-1)
                   : json_from_msgpack(map_get(result, "number") ? map_get(result, "number")
                                                                 : result);
    case 'u':
        return result->type == MSGPACK_OBJECT_NIL ? json_integer(0) : json_from_msgpack(result);
    case 'd': /* drop, dup */
        return op->name[1] == 'u' ? flag(map_get(result, "copied")) : json_from_msgpack(result);
    case 'c':
        if (op->name[1] == 'y') {
            msgpack_object const *position = map_get(result, "position");
            *pos = position ? json_from_msgpack(position) : json_null();
            return flag(map_get(result, "found"));
        }
        return flag(result);
    }
    return json_from_msgpack(result);
}

/* Whether an error of the daemon is its word on the op's arguments. */
static bool refused(int code)
{
    return code == REDO_EPOSITION || code == REDO_EDROPPED || code == REDO_ESTATE ||
           code == REDO_ERANGE || code == REDO_ECONSTANT;
}

/* What the daemon answered to an op. Of a refusal null; of another error its code, as text. */
static json_t *read_answer(struct pending const *p, json_t const *op, int code,
                           msgpack_object const *result, json_t **pos)
{
    if (code == REDO_OK)
        return answer_of(p->op, result, pos);
    if (strcmp(p->op->name, "drop") == 0 && (code == REDO_EBRANCHES || code == REDO_EFIRST))
        return json_incref(json_array_get(op, 1));
    return refused(code) ? json_null() : json_string(redo_errorname(code));
}

static void check_facts(struct script *s, size_t step, msgpack_object const *facts)
{
    json_t *expected = json_array_get(s->steps, step);
    msgpack_object const *positions = map_get(facts, "positions");
    json_t *size = positions ? json_from_msgpack(positions) : json_null();
    json_t *changed = flag(map_get(facts, "changed"));

    if (!json_equal(size, json_object_get(expected, "size")))
        tell(s, step, "size", json_object_get(expected, "size"), size, REDO_OK);
    if (!json_equal(changed, json_object_get(expected, "chg")))
        tell(s, step, "chg", json_object_get(expected, "chg"), changed, REDO_OK);
    json_decref(size);
    json_decref(changed);
}

/* Takes the answers to a step and compares them. */
static void check_step(struct script *s, struct pending const *p)
{
    struct connection *c = &s->replay->ctl->c;
    json_t *step = json_array_get(s->steps, p->step), *pos = NULL;
    msgpack_object result;

    s->replay->ctl->method = p->op->method;
    int code = connection_receive(c, p->id, &result);
    if (lost(s)) {
        ctl_fail(s->replay->ctl, code, NULL);
        return;
    }
    json_t *got = read_answer(p, json_object_get(step, "op"), code, &result, &pos);
    if (!json_equal(got, json_object_get(step, "ret")))
        tell(s, p->step, "ret", json_object_get(step, "ret"), got, code);
    else if (pos && !json_equal(pos, json_object_get(step, "pos")))
        tell(s, p->step, "pos", json_object_get(step, "pos"), pos, code);
    json_decref(got);
    json_decref(pos);

    s->replay->ctl->method = "getsession";
    code = connection_receive(c, p->facts, &result);
    if (code != REDO_OK) {
        ctl_fail(s->replay->ctl, code, lost(s) ? NULL : &result);
        s->differences++;
        return;
    }
    check_facts(s, p->step, &result);
}

/* Sends what is packed and takes all answers. */
static void settle(struct script *s, struct pending const *pending, size_t *count)
{
    int code = connection_flush(&s->replay->ctl->c);

    if (code != REDO_OK)
        ctl_fail(s->replay->ctl, code, NULL);
    for (size_t i = 0; i < *count && !lost(s); i++)
        check_step(s, &pending[i]);
    *count = 0;
}

/* ---- dumps ------------------------------------------------------------------------------- */

static void print_row(char const *sign, json_t const *row)
{
    print_json(sign, row);
    putchar('\n');
}

static json_int_t number_of(json_t const *row)
{
    return row ? json_integer_value(json_array_get(row, 0)) : INT64_MAX;
}

/* The rows of two dumps that differ, in the order of their numbers. */
static void compare_dumps(struct script *s, size_t step, json_t const *expected, json_t const *got)
{
    size_t i = 0, j = 0, rows = 0;
    bool print = false;

    while (i < json_array_size(expected) || j < json_array_size(got)) {
        json_t const *left = json_array_get(expected, i), *right = json_array_get(got, j);
        json_int_t first = number_of(left), second = number_of(right);
        if (first == second && json_equal(left, right)) {
            i++;
            j++;
            continue;
        }
        if (rows++ == 0)
            print = differs(s, step);
        if (print && rows <= 20) {
            if (first <= second)
                print_row("    expected ", left);
            if (second <= first)
                print_row("    got      ", right);
        }
        i += first <= second;
        j += second <= first;
    }
    if (print && rows > 20)
        printf("    ... and %zu rows more\n", rows - 20);
}

static void check_dump(struct script *s, size_t step)
{
    struct ctl *ctl = s->replay->ctl;
    json_t *expected = json_object_get(json_array_get(s->steps, step), "dump"), *got = NULL;
    bool states = json_array_size(json_array_get(expected, 0)) > 9;
    msgpack_object result;
    uint32_t id;

    request_facts(s, &id);
    if (ctl_result(ctl, &result) != CLI_GO) {
        s->differences++;
        return;
    }
    check_facts(s, step, &result);
    if (dump_read(ctl, s->session, states, &got) != CLI_GO)
        s->differences++;
    else
        compare_dumps(s, step, expected, got);
    json_decref(got);
}

/* ---- scripts ----------------------------------------------------------------------------- */

static void play_steps(struct script *s)
{
    struct pending pending[PIPELINE];
    struct buffer const *out = &s->replay->ctl->c.out;
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(s->steps) && !lost(s) && !s->problem; i++) {
        json_t *step = json_array_get(s->steps, i), *op = json_object_get(step, "op");
        if (op) {
            request_step(s, i, op, &pending[count]);
            count += !s->problem;
        }
        if (count == PIPELINE || out->size > PIPELINE_BYTES || !op)
            settle(s, pending, &count);
        if (!op && json_is_array(json_object_get(step, "dump")) && !lost(s))
            check_dump(s, i);
        else if (!op)
            s->problem = "a step has neither op nor dump";
    }
    if (!lost(s) && !s->problem)
        settle(s, pending, &count);
}

static int begin_session(struct script *s, json_t const *script)
{
    struct ctl *ctl = s->replay->ctl;
    json_t const *initial = json_object_get(script, "initial");
    msgpack_object result;
    size_t size = 0;
    unsigned char *state = json_is_string(initial) ? hex_read(json_string_value(initial),
                                                              json_string_length(initial), &size)
                                                   : NULL;

    if (!state) {
        s->problem = "it has no initial state in hex";
        return EXIT_BAD;
    }
    struct buffer *b = ctl_request(ctl, "beginsession", 3);
    pack_bin(b, state, size);
    pack_int(b, json_integer_value(json_object_get(script, "size")));
    pack_int(b, json_integer_value(json_object_get(script, "cmpsize")));
    free(state);
    int status = ctl_result(ctl, &result);
    if (status == CLI_GO && !integer_read(map_get(&result, "session"), 0, INT64_MAX, &s->session))
        status = ctl_fail_shape(ctl);
    return status;
}

static void end_session(struct script *s)
{
    msgpack_object result;

    connection_flush(&s->replay->ctl->c); /* a script may have stopped half-way */
    pack_int(ctl_request(s->replay->ctl, "endsession", 1), s->session);
    if (ctl_result(s->replay->ctl, &result) != CLI_GO)
        s->differences++;
}

static void play(struct replay *r, json_t const *script, char const *where)
{
    struct script s = {.replay = r, .where = where, .steps = json_object_get(script, "steps")};

    int status = begin_session(&s, script);
    if (status == CLI_GO) {
        play_steps(&s);
        if (!lost(&s))
            end_session(&s);
    }
    if (s.problem)
        printf("%s: can not be played: %s\n", where, s.problem);
    if (s.differences > (uint64_t)r->differences)
        printf("%s: and %" PRIu64 " differences more\n", where,
               s.differences - (uint64_t)r->differences);
    bool good = status == CLI_GO && !s.problem && s.differences == 0 && !lost(&s);
    r->passed += good;
    r->failed += !good;
    r->steps += json_array_size(s.steps);
    if (good && r->verbose)
        printf("%s: %zu steps, good\n", where, json_array_size(s.steps));
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
            play(r, script, where);
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
