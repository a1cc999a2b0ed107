/* The result of server.info. It is asked for once a connection at most: clear, not fast. */
#include "protocol/describe.h"

#include <string.h>

#include "protocol/pack.h"
#include "redo.h"

static void pack_field(struct buffer *b, char const *name, char const *text)
{
    pack_cstr(b, name);
    pack_cstr(b, text);
}

static void pack_param(struct buffer *b, char const *name, size_t name_size, char const *type,
                       size_t type_size)
{
    pack_map(b, 2);
    pack_key(b, "name");
    pack_str(b, name, name_size);
    pack_key(b, "type");
    pack_str(b, type, type_size);
}

static void pack_params(struct buffer *b, struct param const *param, unsigned count)
{
    pack_array(b, count);
    for (unsigned i = 0; i < count; i++) {
        char const *type = param_type_name(param[i].type);
        pack_param(b, param[i].name, param[i].size, type, strlen(type));
    }
}

static void pack_method(struct buffer *b, struct method const *method, struct signature const *s)
{
    pack_map(b, 5);
    pack_field(b, "name", method->name);
    pack_key(b, "params");
    pack_params(b, s->param, s->param_count);
    pack_key(b, "options");
    pack_params(b, s->option, s->option_count);
    pack_field(b, "result", method->result);
    pack_field(b, "doc", method->prose);
}

/* The params of events have types that no call has: words, passed on as they are. */
static void pack_event(struct buffer *b, struct event const *event)
{
    char const *params = event->params;
    size_t count = *params != '\0';

    for (char const *p = params; *p != '\0'; p++)
        count += *p == ' ';
    pack_map(b, 3);
    pack_field(b, "name", event->name);
    pack_key(b, "params");
    pack_array(b, count);
    for (; count > 0; count--) {
        size_t size = strcspn(params, " ");
        size_t name = strcspn(params, ": ");
        size_t type = name < size ? name + 1 : size;
        pack_param(b, params, name, params + type, size - type);
        params += size + 1;
    }
    pack_field(b, "doc", event->prose);
}

static void pack_errors(struct buffer *b)
{
    static struct {
        int code;
        char const *name, *text;
    } const errors[] = {
#define ERROR(name, number, text) {number, #name, text},
        REDO_ERRORS(ERROR)
#undef ERROR
    };
    size_t count = sizeof errors / sizeof *errors;

    pack_array(b, count);
    for (size_t i = 0; i < count; i++) {
        pack_map(b, 3);
        pack_key(b, "code");
        pack_int(b, errors[i].code);
        pack_field(b, "name", errors[i].name);
        pack_field(b, "text", errors[i].text);
    }
}

static void pack_limit(struct buffer *b, char const *name, uint64_t value)
{
    pack_cstr(b, name);
    pack_uint(b, value);
}

void describe_pack(struct methods const *m, char const *version, struct frame_limits const *frame,
                   struct describe_limit const *more, size_t count, size_t extra, struct buffer *b)
{
    pack_map(b, 7 + extra);
    pack_field(b, "server", "redod");
    pack_field(b, "version", version);

    pack_key(b, "methods");
    pack_array(b, METHOD_COUNT);
    for (int i = 0; i < METHOD_COUNT; i++)
        pack_method(b, &method_table[i], &m->signature[i]);

    pack_key(b, "events");
    pack_array(b, EVENT_COUNT);
    for (int i = 0; i < EVENT_COUNT; i++)
        pack_event(b, &event_table[i]);

    pack_key(b, "shapes");
    pack_array(b, shape_count);
    for (size_t i = 0; i < shape_count; i++) {
        pack_map(b, 2);
        pack_field(b, "name", shape_table[i].name);
        pack_field(b, "fields", shape_table[i].fields);
    }

    pack_key(b, "errors");
    pack_errors(b);

    pack_key(b, "limits");
    pack_map(b, 4 + count);
    pack_limit(b, "bytes", frame->bytes);
    pack_limit(b, "items", frame->items);
    pack_limit(b, "depth", frame->depth);
    pack_limit(b, "state", REDO_STATE_MAX);
    for (size_t i = 0; i < count; i++)
        pack_limit(b, more[i].name, more[i].value);
}
