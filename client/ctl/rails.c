#include "client/ctl/rails.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/json.h"
#include "client/ctl/lines.h"
#include "client/ctl/text.h"

/* ---- reading ------------------------------------------------------------------------------ */

static char const *text_of(json_t const *object, char const *key)
{
    char const *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

bool rails_begin(char const *data, size_t size)
{
    static char const *const formats[] = {"\"route-network/", "\"route-stream/"};
    size_t at = 0;

    while (at < size && strchr(" \t\r\n", data[at]) && data[at])
        at++;
    if (at == size || data[at] != '{')
        return false;
    for (int i = 0; i < 2; i++)
        if (memmem(data, size < 4096 ? size : 4096, formats[i], strlen(formats[i])))
            return true;
    return false;
}

bool rails_is_stream(json_t const *record)
{
    return strcmp(text_of(record, "format"), "route-stream/1") == 0;
}

/* A number that does not fit is left to whoever reads it, who knows what it is of. */
static json_t *load(char const *data, size_t size, size_t flags, json_error_t *error)
{
    flags |= JSON_REJECT_DUPLICATES;
    json_t *value = json_loadb(data, size, flags, error);
    return !value && json_error_code(error) == json_error_numeric_overflow
               ? json_loadb(data, size, flags | JSON_DECODE_INT_AS_REAL, error)
               : value;
}

static int fail(char const *path, size_t line, char const *why)
{
    if (line)
        cli_complain("%s:%zu: %s", path, line, why);
    else
        cli_complain("%s: %s", path, why);
    return EXIT_BAD;
}

/* What is in a record must be of the types that are counted on below. */
static char const *wrong_record(json_t const *record)
{
    if (!json_is_object(record))
        return "is no JSON object";
    if (json_object_get(record, "step"))
        return json_is_array(json_object_get(record, "ops")) ? NULL : "a step has no ops";
    if (!json_object_get(record, "query"))
        return "is neither a step nor a query";
    if (!json_is_string(json_object_get(record, "company")) ||
        !json_is_array(json_object_get(record, "trains")))
        return "a query has no company or no trains";
    return NULL;
}

static int read_records(struct rails *rails, char const *data, size_t size, char const *path)
{
    char const *end = data + size;
    size_t number = 1;

    rails->records = json_array();
    for (char const *line = data; line < end; number++) {
        char const *next = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((next ? next : end) - line);
        json_error_t error;
        json_t *record = number > 1 && length ? load(line, length, 0, &error) : NULL;
        char const *why = record ? wrong_record(record) : error.text;
        if (number > 1 && length && (!record || why)) {
            int status = fail(path, number, why);
            json_decref(record);
            return status;
        }
        if (record)
            json_array_append_new(rails->records, record);
        line = next ? next + 1 : end;
    }
    return CLI_GO;
}

int rails_read(struct rails *rails, char const *data, size_t size, char const *path)
{
    json_error_t error;

    *rails = (struct rails){0};
    if (!size)
        return fail(path, 0, "there is nothing in it");
    rails->head = load(data, size, JSON_DISABLE_EOF_CHECK, &error);
    if (!rails->head && json_error_code(&error) == json_error_invalid_syntax)
        return fail(path, 0, "it is no JSON");
    if (!json_is_object(rails->head))
        return fail(path, 0, rails->head ? "it is no JSON object" : error.text);
    if (rails_is_stream(rails->head))
        return read_records(rails, data, size, path);
    if (strcmp(text_of(rails->head, "format"), "route-network/1") != 0)
        return fail(path, 0, "its format is neither route-network/1 nor route-stream/1");
    json_t *all = load(data, size, 0, &error);
    json_decref(all);
    return all ? CLI_GO : fail(path, 0, error.text);
}

int rails_read_file(struct rails *rails, char const *path)
{
    struct lines lines;
    struct buffer all;
    char const *line;
    size_t size;
    int more;

    *rails = (struct rails){0};
    if (!lines_open(&lines, path))
        return EXIT_BAD;
    buffer_init(&all);
    while ((more = lines_next(&lines, &line, &size)) > 0) {
        buffer_append(&all, line, size);
        buffer_append(&all, "\n", 1);
    }
    int status = more < 0 ? EXIT_BAD : CLI_GO;
    if (status == CLI_GO && all.failed)
        status = fail(path, 0, "there is no memory for it");
    if (status == CLI_GO)
        status = rails_read(rails, all.data, all.size, lines.path);
    lines_close(&lines);
    buffer_free(&all);
    return status;
}

void rails_close(struct rails *rails)
{
    json_decref(rails->head);
    json_decref(rails->records);
    *rails = (struct rails){0};
}

/* ---- lines -------------------------------------------------------------------------------- */

static json_t *line_of(char const *kind, json_t *id, json_t const *thing)
{
    json_t *fields = json_copy((json_t *)thing);

    json_object_del(fields, "op");
    json_object_del(fields, "id");
    if (strncmp(kind, "remove", 6) == 0) {
        json_decref(fields);
        return json_pack("[s,O?]", kind, id);
    }
    return json_pack("[s,O?,o]", kind, id, fields);
}

json_t *rails_lines(json_t const *ops)
{
    json_t *lines = json_array(), *op;
    size_t i;

    json_array_foreach((json_t *)ops, i, op)
    {
        json_t *line = line_of(text_of(op, "op"), json_object_get(op, "id"), op);
        if (json_array_append_new(lines, line) < 0) {
            json_decref(lines);
            return NULL;
        }
    }
    return lines;
}

static json_t *case_lines(json_t const *head)
{
    static char const *const tables[] = {"nodes", "edges", "mutex"};
    static char const *const kinds[] = {"add_node", "add_edge", "add_mutex"};
    json_t *lines = json_array(), *thing;
    size_t i;

    for (int t = 0; t < 3 && lines; t++) {
        json_array_foreach(json_object_get(head, tables[t]), i, thing)
        {
            json_t *id = json_object_get(thing, "id");
            json_t *number = id ? json_incref(id) : json_integer((json_int_t)i);
            json_array_append_new(lines, line_of(kinds[t], number, thing));
            json_decref(number);
        }
    }
    return lines;
}

/* ---- the daemon --------------------------------------------------------------------------- */

static int fail_json(char const *problem)
{
    cli_complain("it can not be sent: %s", problem);
    return EXIT_BAD;
}

int rails_session(struct ctl *ctl, char const *name, int64_t *session)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "beginchanges", 2);

    pack_cstr(b, "route-network");
    pack_map(b, name != NULL);
    if (name) {
        pack_key(b, "name");
        if (!ctl_pack_name(b, name))
            return EXIT_USAGE;
    }
    int status = ctl_result(ctl, &result);
    if (status == CLI_GO && !integer_read(map_get(&result, "session"), 0, INT64_MAX, session))
        status = ctl_fail_shape(ctl);
    return status;
}

int rails_lay(struct ctl *ctl, int64_t session, uint32_t after, json_t const *lines, int move,
              char const *cursor, uint32_t *position)
{
    msgpack_object result;
    struct position p;
    struct buffer *b = ctl_request(ctl, "addchanges", cursor ? 7 : 6);

    pack_int(b, session);
    pack_uint(b, after);
    pack_int(b, move);
    char const *problem = lines ? json_pack_msgpack(lines, b) : "there is no memory";
    if (problem)
        return fail_json(problem);
    pack_int(b, 0);
    pack_int(b, 0); /* each step is a position of its own, whatever was before */
    if (cursor) {
        pack_map(b, 1);
        pack_key(b, "cursor");
        pack_cstr(b, cursor);
    }
    int status = ctl_result(ctl, &result);
    if (status == CLI_GO && !position_read(&result, &p))
        status = ctl_fail_shape(ctl);
    if (status == CLI_GO)
        *position = p.number;
    return status;
}

int rails_ask(struct ctl *ctl, char const *name, int64_t handle, uint32_t position,
              struct rails_question const *q, json_t **answer)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "routes.best", 5);

    if (!name)
        pack_int(b, handle);
    else if (!ctl_pack_name(b, name))
        return EXIT_USAGE;
    pack_uint(b, position);
    json_t const *parts[] = {q->company, q->trains, q->rules, q->bonuses};
    static char const *const keys[] = {NULL, NULL, "rules", "bonuses"};
    for (int i = 0; i < 4; i++) {
        if (i == 2)
            pack_map(b, (size_t) !!q->rules + !!q->bonuses + (q->deadline >= 0));
        if (i >= 2 && parts[i])
            pack_cstr(b, keys[i]);
        char const *problem = parts[i] ? json_pack_msgpack(parts[i], b) : NULL;
        if (problem)
            return fail_json(problem);
    }
    if (q->deadline >= 0) {
        pack_key(b, "deadline");
        pack_int(b, q->deadline);
    }
    int status = ctl_result(ctl, &result);
    *answer = status == CLI_GO ? json_from_msgpack(&result) : NULL;
    return status == CLI_GO && !*answer ? ctl_fail_shape(ctl) : status;
}

/* ---- import ------------------------------------------------------------------------------- */

static int set_property(struct ctl *ctl, int64_t session, json_t const *value)
{
    msgpack_object result;
    char *text = json_dumps(value, JSON_COMPACT);
    struct buffer *b = ctl_request(ctl, "setproperty", 3);

    pack_int(b, session);
    pack_cstr(b, RAILS_PROPERTY);
    pack_bin(b, text ? text : "", text ? strlen(text) : 0);
    free(text);
    return ctl_result(ctl, &result);
}

/* What is asked of a position, as the property has it. */
static json_t *question_at(uint32_t position, json_t const *asked, json_t const *rules)
{
    static char const *const keys[] = {"company", "trains", "bonuses", "best"};
    json_t *question = json_pack("{s:I}", "position", (json_int_t)position);

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(asked, keys[i]);
        if (value)
            json_object_set(question, keys[i], value);
    }
    if (rules)
        json_object_set(question, "rules", (json_t *)rules);
    json_t *best = json_object_get(json_object_get(asked, "expect"), "best");
    if (best)
        json_object_set(question, "best", best);
    return question;
}

static int lay_case(struct ctl *ctl, json_t const *head, int64_t session, json_t *asked,
                    uint32_t *at)
{
    json_t *lines = case_lines(head);

    int status = rails_lay(ctl, session, 0, lines, 1, NULL, at);
    json_decref(lines);
    if (status == CLI_GO)
        json_array_append_new(asked, question_at(*at, head, json_object_get(head, "rules")));
    return status;
}

static int lay_stream(struct ctl *ctl, struct rails const *rails, int64_t session, json_t *asked,
                      uint32_t *at)
{
    json_t *record;
    size_t i;

    json_array_foreach(rails->records, i, record)
    {
        if (json_object_get(record, "query")) {
            json_array_append_new(asked,
                                  question_at(*at, record, json_object_get(rails->head, "rules")));
            continue;
        }
        json_t *lines = rails_lines(json_object_get(record, "ops"));
        int status =
            json_array_size(lines) == 0 ? CLI_GO : rails_lay(ctl, session, *at, lines, 1, NULL, at);
        json_decref(lines);
        if (status != CLI_GO) {
            cli_complain("that was step %" PRId64,
                         (int64_t)json_integer_value(json_object_get(record, "step")));
            return status;
        }
    }
    return CLI_GO;
}

/* What is begun and can not be finished goes. */
static void take_back(struct ctl *ctl, int64_t session)
{
    msgpack_object result;

    if (ctl->c.fd < 0)
        return;
    pack_int(ctl_request(ctl, "deletesession", 1), session);
    if (ctl_result(ctl, &result) != CLI_GO)
        cli_complain("the session that was begun stays");
}

int rails_import(struct ctl *ctl, struct rails const *rails, char const *path, char const *name)
{
    int64_t session;
    uint32_t at = 0;
    json_t *asked = json_array();

    if (!name)
        name = text_of(rails->head, rails->records ? "stream" : "case");
    if (!*name) {
        cli_complain("%s has no name: say --name NAME", path);
        json_decref(asked);
        return EXIT_USAGE;
    }
    int status = rails_session(ctl, name, &session);
    if (status == CLI_GO) {
        status = rails->records ? lay_stream(ctl, rails, session, asked, &at)
                                : lay_case(ctl, rails->head, session, asked, &at);
        if (status == CLI_GO && json_array_size(asked))
            status = set_property(ctl, session, asked);
        if (status != CLI_GO)
            take_back(ctl, session);
    }
    if (status == CLI_GO) {
        printf("%" PRIu32 " turn%s and %zu question%s in ", at, at == 1 ? "" : "s",
               json_array_size(asked), json_array_size(asked) == 1 ? "" : "s");
        text_print(stdout, name, strlen(name));
        putchar('\n');
    }
    json_decref(asked);
    return status;
}
