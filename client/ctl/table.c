/* table: the objects at a position of a session told by change. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/json.h"
#include "client/ctl/table.h"
#include "client/ctl/text.h"

/* ---- getting it --------------------------------------------------------------------------- */

static int request_page(struct ctl *ctl, struct table_wish const *wish, struct buffer const *after,
                        msgpack_object *result)
{
    struct buffer *b = ctl_request(ctl, "gettable", 3);

    if (!wish->name)
        pack_int(b, wish->handle);
    else if (!ctl_pack_name(b, wish->name))
        return EXIT_USAGE;
    pack_uint(b, wish->position);
    pack_map(b, after->size ? 1 : 0);
    if (after->size) {
        pack_key(b, "after");
        buffer_append(b, after->data, after->size);
    }
    return ctl_result(ctl, result);
}

/* The page's objects to the table's; the first page has level and cursors too. */
static int take_page(struct ctl *ctl, msgpack_object const *page, json_t *table)
{
    static char const *const keys[] = {"objects", "level", "cursors"};

    for (int i = 0; i < 3; i++) {
        msgpack_object const *value = map_get(page, keys[i]);
        json_t *json = value ? json_from_msgpack(value) : NULL;
        json_t *before = json_object_get(table, keys[i]);
        if (json && before)
            json_array_extend(before, json);
        else if (json)
            json_object_set(table, keys[i], json);
        json_decref(json);
    }
    if (!json_is_array(json_object_get(table, "objects")) ||
        !json_is_object(json_object_get(table, "level")) ||
        !json_is_array(json_object_get(table, "cursors")))
        return ctl_fail_shape(ctl);
    return CLI_GO;
}

int table_read(struct ctl *ctl, struct table_wish wish, json_t **table)
{
    struct buffer after = {0};
    msgpack_object result;
    bool more = true;
    int status = CLI_GO;

    *table = json_object();
    while (status == CLI_GO && more) {
        status = request_page(ctl, &wish, &after, &result);
        if (status == CLI_GO)
            status = take_page(ctl, &result, *table);
        if (status != CLI_GO)
            break;
        msgpack_object const *next = map_get(&result, "next");
        more = next && next->type != MSGPACK_OBJECT_NIL;
        buffer_rewind(&after, 0);
        if (more)
            pack_object(&after, next);
    }
    buffer_free(&after);
    return status;
}

/* ---- columns ------------------------------------------------------------------------------ */

#define COLUMNS_MOST 65 /* the id, and the fields that a schema may have */

struct column {
    char const *name;
    size_t width;
    bool told; /* some object has another value than 0, false or an empty one */
};

static bool is_nothing(json_t const *value)
{
    return !value || json_is_null(value) || json_is_false(value) ||
           (json_is_integer(value) && json_integer_value(value) == 0) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

/* A value as it is printed, to be freed. */
static char *cell(json_t const *value)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    if (json_is_string(value)) {
        text_print(out, json_string_value(value), json_string_length(value));
    } else if (value) {
        char *dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        text_print(out, dump ? dump : "", dump ? strlen(dump) : 0);
        free(dump);
    }
    return fclose(out) == 0 ? text : NULL;
}

/* Characters, not bytes, so that columns stay straight. */
static size_t width_of(char const *text)
{
    size_t width = 0;

    for (; text && *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void widen(struct column *column, json_t const *value)
{
    char *text = cell(value);
    size_t width = width_of(text);

    if (width > column->width)
        column->width = width;
    column->told |= !is_nothing(value);
    free(text);
}

static struct column *column_of(struct column *all, size_t *count, char const *name)
{
    for (size_t i = 1; i < *count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    if (*count == COLUMNS_MOST)
        return NULL;
    all[*count] = (struct column){.name = name, .width = width_of(name)};
    return &all[(*count)++];
}

/* What columns there are, and how wide. */
static size_t measure(json_t const *rows, struct column *all)
{
    size_t count = 1, i;
    json_t *row, *value;
    char const *key;

    all[0] = (struct column){.name = "id", .width = 2, .told = true};
    json_array_foreach(rows, i, row)
    {
        widen(&all[0], json_array_get(row, 0));
        json_object_foreach(json_array_get(row, 1), key, value)
        {
            struct column *column = column_of(all, &count, key);
            if (column)
                widen(column, value);
        }
    }
    return count;
}

/* Numbers stand to the right. */
static void print_cell(json_t const *value, size_t width, bool last)
{
    char *text = cell(value);
    size_t used = width_of(text);
    int rest = used < width ? (int)(width - used) : 0;

    if (json_is_number(value))
        printf("%*s%s", rest, "", text ? text : "");
    else
        printf("%s%*s", text ? text : "", last ? 0 : rest, "");
    free(text);
}

static void print_rows(json_t const *rows, bool all_fields)
{
    struct column all[COLUMNS_MOST];
    size_t count = measure(rows, all), last = 0, i;
    json_t *row;

    for (size_t c = 1; c < count; c++)
        if (all_fields || all[c].told)
            last = c;
    for (size_t c = 0; c <= last; c++)
        if (all_fields || all[c].told)
            printf("%s%-*s", c ? "  " : "", c == last ? 0 : (int)all[c].width, all[c].name);
    putchar('\n');
    json_array_foreach(rows, i, row)
    {
        print_cell(json_array_get(row, 0), all[0].width, last == 0);
        for (size_t c = 1; c <= last; c++) {
            if (!all_fields && !all[c].told)
                continue;
            fputs("  ", stdout);
            print_cell(json_object_get(json_array_get(row, 1), all[c].name), all[c].width,
                       c == last);
        }
        putchar('\n');
    }
}

static void print_columns(json_t *table, bool all_fields)
{
    char const *key;
    json_t *value;

    print_rows(json_object_get(table, "objects"), all_fields);
    json_object_foreach(json_object_get(table, "level"), key, value)
    {
        if (!all_fields && is_nothing(value))
            continue;
        fputs("level  ", stdout);
        text_print(stdout, key, strlen(key));
        fputs(" ", stdout);
        print_cell(value, 0, true);
        putchar('\n');
    }
    if (json_array_size(json_object_get(table, "cursors")) > 0) {
        puts("cursors");
        print_rows(json_object_get(table, "cursors"), all_fields);
    }
}

/* ---- the command -------------------------------------------------------------------------- */

static int find_cursor(struct ctl *ctl, char const *session, char const *cursor, uint32_t *position)
{
    msgpack_object result;
    struct position p;
    struct buffer *b = ctl_request(ctl, "getcursor", 2);

    if (!ctl_pack_name(b, session) || !ctl_pack_name(b, cursor))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status == CLI_GO && !position_read(&result, &p))
        status = ctl_fail_shape(ctl);
    if (status == CLI_GO)
        *position = p.number;
    return status;
}

static int print_table(struct ctl *ctl, struct table_wish wish, bool json, bool all_fields)
{
    json_t *table;

    int status = table_read(ctl, wish, &table);
    if (status == CLI_GO && json) {
        json_dumpf(table, stdout, JSON_COMPACT);
        putchar('\n');
    } else if (status == CLI_GO) {
        print_columns(table, all_fields);
    }
    json_decref(table);
    return status == CLI_GO ? EXIT_GOOD : status;
}

static int table(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    char const *cursor = NULL;
    bool json = false, all_fields = false;
    uint32_t position = 0;
    struct cli_option const options[] = {
        {.name = "cursor",
         .type = CLI_TEXT,
         .value = &cursor,
         .argument = "CURSOR",
         .help = "at the position where this cursor is"},
        {.name = "json",
         .type = CLI_FLAG,
         .value = &json,
         .help = "as one JSON object, as beginchanges takes it"},
        {.name = "all",
         .type = CLI_FLAG,
         .value = &all_fields,
         .help = "fields too that are 0, false or empty everywhere"},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (argc > 1 && cursor) {
        cli_complain("a position, or --cursor, not both");
        return EXIT_USAGE;
    }
    if (argc > 1 && !cli_position(argv[1], &position))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    if (status == CLI_GO && cursor)
        status = find_cursor(ctl, argv[0], cursor, &position);
    if (status != CLI_GO)
        return status;
    return print_table(ctl, (struct table_wish){.name = argv[0], .position = position}, json,
                       all_fields);
}

struct command const command_table = {
    {.name = "table",
     .params = "NAME [POSITION]",
     .least = 1,
     .most = 2,
     .summary = "the objects of a session told by change",
     .help = "At a position, or the first one: a line an object, by id; then the values of the\n"
             "level, and the map cursors, if there are any.\n"},
    table};
