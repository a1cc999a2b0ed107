/* match: the games of a match, and what changes them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/ctl.h"
#include "client/ctl/json.h"
#include "client/ctl/text.h"

#define ONCE 1000 /* games told at a time */

/* ---- properties -------------------------------------------------------------------------- */

static void print_value(msgpack_object const *value)
{
    if (value->type == MSGPACK_OBJECT_STR) {
        text_print(stdout, value->via.str.ptr, value->via.str.size);
        return;
    }
    json_t *json = json_from_msgpack(value);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | json_digits(json)) : NULL;
    if (text)
        text_print(stdout, text, strlen(text));
    free(text);
    json_decref(json);
}

/* sgf:root and its kin tell how the file was written, at length. */
static bool is_of_file(msgpack_object const *key)
{
    msgpack_object_str const *name = &key->via.str;
    return key->type == MSGPACK_OBJECT_STR && name->size > 4 &&
           (memcmp(name->ptr, "sgf:", 4) == 0 || memcmp(name->ptr, "pgn:", 4) == 0);
}

/* As "name=value" each, with this before. */
static int print_properties(struct ctl *ctl, int64_t handle, char const *before)
{
    msgpack_object result;

    pack_int(ctl_request(ctl, "getproperties", 1), handle);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (result.type != MSGPACK_OBJECT_MAP)
        return ctl_fail_shape(ctl);
    for (uint32_t i = 0; i < result.via.map.size; i++) {
        msgpack_object_kv const *p = &result.via.map.ptr[i];
        if (is_of_file(&p->key))
            continue;
        fputs(before, stdout);
        before = "  ";
        if (p->key.type == MSGPACK_OBJECT_STR)
            text_print(stdout, p->key.via.str.ptr, p->key.via.str.size);
        putchar('=');
        print_value(&p->val);
    }
    return CLI_GO;
}

/* ---- the table --------------------------------------------------------------------------- */

/* A game as a row, of which what is told here outlives the answer. */
struct row {
    int64_t handle, positions, moves;
    bool gone;
    char *name; /* or NULL */
};

struct page {
    struct row rows[ONCE];
    size_t count;
    int64_t next; /* 0: none */
};

static void page_clear(struct page *page)
{
    for (size_t i = 0; i < page->count; i++)
        free(page->rows[i].name);
    page->count = 0;
}

static bool read_row(struct row *row, msgpack_object const *game)
{
    msgpack_object const *name = map_get(game, "name");

    *row = (struct row){.gone = map_get(game, "gone") != NULL};
    if (!integer_read(map_get(game, "session"), 0, INT64_MAX, &row->handle) ||
        (!row->gone && (!integer_read(map_get(game, "positions"), 0, INT64_MAX, &row->positions) ||
                        !integer_read(map_get(game, "sequence"), 0, INT64_MAX, &row->moves))))
        return false;
    if (name && name->type == MSGPACK_OBJECT_STR)
        row->name = strndup(name->via.str.ptr, name->via.str.size);
    return true;
}

static int read_page(struct ctl *ctl, char const *match, int64_t offset, struct page *page)
{
    msgpack_object result;
    int status = ctl_games(ctl, match, offset, ONCE, &result, &page->next);
    if (status != CLI_GO)
        return status;
    msgpack_object const *games = map_get(&result, "games");
    if (games->via.array.size > ONCE)
        return ctl_fail_shape(ctl);
    for (; page->count < games->via.array.size; page->count++)
        if (!read_row(&page->rows[page->count], &games->via.array.ptr[page->count]))
            return ctl_fail_shape(ctl);
    return CLI_GO;
}

static int print_row(struct ctl *ctl, int64_t place, struct row const *row)
{
    printf("%6" PRId64 " %8" PRId64 " ", place, row->handle);
    if (row->gone)
        fputs("         -", stdout);
    else
        printf("%10" PRId64, row->positions);
    fputs("  ", stdout);
    if (row->name)
        text_print(stdout, row->name, strlen(row->name));
    if (row->gone)
        fputs(row->name ? "  (in the trash)" : "(gone)", stdout);
    int status = row->gone ? CLI_GO : print_properties(ctl, row->handle, "  ");
    putchar('\n');
    return status;
}

static int print_match(struct ctl *ctl, char const *name)
{
    msgpack_object result;
    int64_t handle, offset = 0, games;

    if (!ctl_pack_name(ctl_request(ctl, "getsession", 1), name))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "session"), 0, INT64_MAX, &handle))
        return ctl_fail_shape(ctl);
    if (!integer_read(map_get(&result, "games"), 0, INT64_MAX, &games)) {
        cli_complain("%s is a session, and not a match", name);
        return EXIT_BAD;
    }
    struct page *page = calloc(1, sizeof *page);
    if (!page) {
        cli_complain("out of memory");
        return EXIT_BAD;
    }
    printf("%" PRId64 " games", games);
    status = print_properties(ctl, handle, "  ");
    puts("\n place   handle  positions  name, properties");
    do {
        if (status == CLI_GO)
            status = read_page(ctl, name, offset, page);
        for (size_t i = 0; status == CLI_GO && i < page->count; i++)
            status = print_row(ctl, offset + (int64_t)i, &page->rows[i]);
        offset = page->next;
        page_clear(page);
    } while (status == CLI_GO && offset);
    free(page);
    return status;
}

/* ---- changing ---------------------------------------------------------------------------- */

/* A name, or a handle: #NUMBER, by which those that are gone are known. */
static bool pack_session(struct buffer *b, char const *text)
{
    int64_t handle;

    if (text[0] != '#')
        return ctl_pack_name(b, text);
    if (!cli_number(text + 1, 0, INT64_MAX, &handle)) {
        cli_complain("'%s' is not a handle", text);
        return false;
    }
    pack_int(b, handle);
    return true;
}

static int edit(struct ctl *ctl, char const *method, char const *match, char **sessions, int count,
                int64_t at)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, method, at < 0 ? 2 : 3);

    if (!ctl_pack_name(b, match))
        return EXIT_USAGE;
    pack_array(b, (size_t)count);
    for (int i = 0; i < count; i++)
        if (!pack_session(b, sessions[i]))
            return EXIT_USAGE;
    if (at >= 0) {
        pack_map(b, 1);
        pack_key(b, "at");
        pack_int(b, at);
    }
    return ctl_result(ctl, &result);
}

static int begin(struct ctl *ctl, char const *match)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "beginmatch", 1);

    return ctl_pack_name(b, match) ? ctl_result(ctl, &result) : EXIT_USAGE;
}

static int match(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    bool new = false, add = false, drop = false, order = false;
    int64_t at = -1;
    struct cli_option const options[] = {
        {.name = "new", .type = CLI_FLAG, .value = &new, .help = "begin the match"},
        {.name = "add", .type = CLI_FLAG, .value = &add, .help = "put the sessions into it"},
        {.name = "drop",
         .type = CLI_FLAG,
         .value = &drop,
         .help = "take them out of it; the sessions stay"},
        {.name = "order",
         .type = CLI_FLAG,
         .value = &order,
         .help = "put games of it in this order"},
        {.name = "at",
         .type = CLI_NUMBER,
         .value = &at,
         .argument = "PLACE",
         .help = "where to, from 0 (without: at the end)",
         .least = 0,
         .most = 1000000},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    int edits = add + drop + order;
    if (edits > 1 || (new && (drop || order)) || (at >= 0 && !add && !order)) {
        cli_complain(
            "one of --add, --drop and --order (and --new with --add); --at goes with --add "
            "and --order");
        return EXIT_USAGE;
    }
    if ((argc > 1) != (edits > 0)) {
        cli_complain(edits ? "which sessions?"
                           : "what is to be done with the sessions: --add, "
                             "--drop or --order?");
        return EXIT_USAGE;
    }
    status = ctl_connect(ctl);
    if (status == CLI_GO && new)
        status = begin(ctl, argv[0]);
    if (status == CLI_GO && edits)
        status = edit(ctl,
                      add    ? "addgames"
                      : drop ? "dropgames"
                             : "ordergames",
                      argv[0], argv + 1, argc - 1, at);
    if (status == CLI_GO && !edits && !new)
        status = print_match(ctl, argv[0]);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_match = {
    {.name = "match",
     .params = "NAME [SESSION ...]",
     .least = 1,
     .most = -1,
     .summary = "the games of a match; adds, drops, orders them",
     .help =
         "Lists the games in order: place, handle, positions, name, and the properties of each as\n"
         "KEY=VALUE, those of the match in the first line; but for sgf:... and pgn:..., which "
         "tell\n"
         "how a file was written.\n"
         "\n"
         "  redoctl match final --new --add game1 game2   # begin it, with these games\n"
         "  redoctl match final --order game2 --at 0      # game2 first\n"
         "\n"
         "Sessions become games all or none; each can be a game of one match. A SESSION is a "
         "name,\n"
         "or '#HANDLE': so are games named that are gone. delete, undelete and purge of a match\n"
         "are of all its games.\n"},
    match};
