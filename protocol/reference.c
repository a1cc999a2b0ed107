/* The reference of protocol/README.md, as Markdown. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "protocol/describe.h"
#include "redo.h"

#define WIDTH 98

static void put(struct buffer *b, char const *text)
{
    buffer_append(b, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void print(struct buffer *b, char const *format, ...)
{
    char line[512];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    put(b, line);
}

/* Words in lines; `first` begins the first of them and `then` the others. */
static void wrap(struct buffer *b, char const *first, char const *then, char const *text)
{
    size_t column = strlen(first);
    bool fresh = true;

    put(b, first);
    for (;;) {
        text += strspn(text, " ");
        size_t size = strcspn(text, " ");
        if (size == 0)
            break;
        if (!fresh && column + 1 + size > WIDTH) {
            put(b, "\n");
            put(b, then);
            column = strlen(then);
            fresh = true;
        }
        if (!fresh) {
            put(b, " ");
            column++;
        }
        buffer_append(b, text, size);
        column += size;
        text += size;
        fresh = false;
    }
    put(b, "\n");
}

/* `name: type, name: type`; a name that is that of its type stands alone. */
static void list_params(struct buffer *b, struct param const *param, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char const *type = param_type_name(param[i].type);
        print(b, "%s%.*s", i > 0 ? ", " : "", (int)param[i].size, param[i].name);
        if (strlen(type) != param[i].size || memcmp(type, param[i].name, param[i].size) != 0)
            print(b, ": %s", type);
    }
}

static void write_call(struct buffer *b, char const *name, struct signature const *s)
{
    print(b, "%s(", name);
    list_params(b, s->param, s->param_count);
    if (s->takes_options) {
        put(b, s->param_count > 0 ? ", {" : "{");
        list_params(b, s->option, s->option_count);
        put(b, "}");
    }
    put(b, ")");
}

static void write_methods(struct methods const *m, struct buffer *b)
{
    put(b, "## Methods\n\n"
           "A map in braces holds options: it may be left out, and so may each of them.\n\n");
    for (int i = 0; i < METHOD_COUNT; i++) {
        struct method const *method = &method_table[i];
        struct buffer call;
        print(b, "### %s\n\n", method->name);
        buffer_init(&call);
        write_call(&call, method->name, &m->signature[i]);
        buffer_append(&call, "", 1);
        wrap(b, "    ", "        ", call.failed ? "" : call.data);
        buffer_free(&call);
        wrap(b, "    -> ", "       ", method->result);
        put(b, "\n");
        wrap(b, "", "", method->prose);
        put(b, "\n");
    }
}

static void write_events(struct buffer *b)
{
    put(b, "## Events\n\n");
    for (int i = 0; i < EVENT_COUNT; i++) {
        print(b, "### Event %s\n\n", event_table[i].name);
        wrap(b, "    ", "    ", event_table[i].params);
        put(b, "\n");
        wrap(b, "", "", event_table[i].prose);
        put(b, "\n");
    }
}

void reference_write(struct methods const *m, struct buffer *b)
{
    put(b, REFERENCE_BEGIN "\n");
    write_methods(m, b);
    write_events(b);

    put(b, "## Shapes\n\nMaps with these fields; a field without a type is an integer.\n\n");
    for (size_t i = 0; i < shape_count; i++) {
        print(b, "%s\n\n", shape_table[i].name);
        wrap(b, "    ", "    ", shape_table[i].fields);
        put(b, "\n");
    }

    put(b, "## Types of params\n\n| type | what it is |\n| --- | --- |\n");
    for (int i = 0; i < PARAM_TYPE_COUNT; i++)
        print(b, "| `%s` | %s |\n", param_type_name((enum param_type)i),
              param_type_text((enum param_type)i));

    put(b, "\n## Errors\n\n| code | name | text |\n| --- | --- | --- |\n");
#define ERROR(name, number, text) print(b, "| %d | `%s` | %s |\n", number, #name, text);
    REDO_ERRORS(ERROR)
#undef ERROR

    put(b, "\n## Limits\n\nThose of a daemon that was not told otherwise.\n\n"
           "| limit | value | of what |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < limit_count; i++)
        print(b, "| `%s` | %llu | %s |\n", limit_table[i].name,
              (unsigned long long)limit_table[i].value, limit_table[i].text);
    put(b, "\n" REFERENCE_END);
}
