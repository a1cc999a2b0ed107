/* A script's requests depend on no answer but the first (the session's handle), so they are sent
 * many at a time. Only a dump waits for all that is before it: it takes several requests, and the
 * session must stand still meanwhile. */
#include "client/ctl/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/dump.h"
#include "client/ctl/json.h"
#include "redo_error.h"

#define PIPELINE 256                 /* steps under way */
#define PIPELINE_BYTES (1024 * 1024) /* and bytes of their requests, about */

/* The script being played. */
struct script {
    struct ctl *ctl;
    char const *where; /* "file:line name" */
    json_t *steps;
    int64_t session;
    uint64_t differences;
    uint64_t most;       /* of them are printed */
    char const *problem; /* what is wrong with the script itself */
};

/* ---- telling ----------------------------------------------------------------------------- */

/* Counts a difference; whether it is to be printed. Its first lines are printed here. */
static bool differs(struct script *s, size_t step)
{
    if (s->differences++ >= s->most)
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
        printf(" (%s: %s)", redo_errorname(code), s->ctl->c.error);
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
    struct buffer *b = ctl_request(s->ctl, "getsession", 1);

    pack_int(b, s->session);
    *id = s->ctl->id;
}

static void request_step(struct script *s, size_t step, json_t const *op, struct pending *p)
{
    *p = (struct pending){.step = step, .op = find_op(op)};
    if (!p->op) {
        s->problem = "an op is not known";
        return;
    }
    struct buffer *b = ctl_request(s->ctl, p->op->method, 1 + strlen(p->op->fields));
    p->id = s->ctl->id;
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
    return s->ctl->c.fd < 0;
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
    struct connection *c = &s->ctl->c;
    json_t *step = json_array_get(s->steps, p->step), *pos = NULL;
    msgpack_object result;

    s->ctl->method = p->op->method;
    int code = connection_receive(c, p->id, &result);
    if (lost(s)) {
        ctl_fail(s->ctl, code, NULL);
        return;
    }
    json_t *got = read_answer(p, json_object_get(step, "op"), code, &result, &pos);
    if (!json_equal(got, json_object_get(step, "ret")))
        tell(s, p->step, "ret", json_object_get(step, "ret"), got, code);
    else if (pos && !json_equal(pos, json_object_get(step, "pos")))
        tell(s, p->step, "pos", json_object_get(step, "pos"), pos, code);
    json_decref(got);
    json_decref(pos);

    s->ctl->method = "getsession";
    code = connection_receive(c, p->facts, &result);
    if (code != REDO_OK) {
        ctl_fail(s->ctl, code, lost(s) ? NULL : &result);
        s->differences++;
        return;
    }
    check_facts(s, p->step, &result);
}

/* Sends what is packed and takes all answers. */
static void settle(struct script *s, struct pending const *pending, size_t *count)
{
    int code = connection_flush(&s->ctl->c);

    if (code != REDO_OK)
        ctl_fail(s->ctl, code, NULL);
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
    struct ctl *ctl = s->ctl;
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
    struct buffer const *out = &s->ctl->c.out;
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
    struct ctl *ctl = s->ctl;
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

    connection_flush(&s->ctl->c); /* a script may have stopped half-way */
    pack_int(ctl_request(s->ctl, "endsession", 1), s->session);
    if (ctl_result(s->ctl, &result) != CLI_GO)
        s->differences++;
}

bool script_play(struct ctl *ctl, json_t const *script, char const *where, int64_t differences)
{
    struct script s = {.ctl = ctl,
                       .where = where,
                       .steps = json_object_get(script, "steps"),
                       .most = (uint64_t)differences};

    int status = begin_session(&s, script);
    if (status == CLI_GO) {
        play_steps(&s);
        if (!lost(&s))
            end_session(&s);
    }
    if (s.problem)
        printf("%s: can not be played: %s\n", where, s.problem);
    if (s.differences > s.most)
        printf("%s: and %" PRIu64 " differences more\n", where, s.differences - s.most);
    return status == CLI_GO && !s.problem && s.differences == 0 && !lost(&s);
}
