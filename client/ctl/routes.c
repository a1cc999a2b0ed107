/* routes: the best set of routes, of a case in a file or at a position of a session. A file is
 * asked about here, without a daemon. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/ctl/json.h"
#include "client/ctl/rails.h"
#include "client/ctl/routes_draw.h"
#include "client/ctl/routes_here.h"
#include "client/ctl/table.h"
#include "client/ctl/text.h"

struct wish {
    char const *company, *trains; /* NULL: as the file, or the session, says */
    int64_t deadline;             /* seconds; 0: none */
    bool json, svg;
};

static void asked_close(struct asked *a)
{
    json_decref(a->network);
    json_decref(a->company);
    json_decref(a->trains);
    json_decref(a->rules);
    json_decref(a->bonuses);
    json_decref(a->answer);
}

/* ---- trains ------------------------------------------------------------------------------- */

/* By the names that mean the same in all titles: 4 stops, 4H hexes, D any number of stops. */
static json_t *train_by_name(char const *name)
{
    char *end;
    long number = strtol(name, &end, 10);
    bool digits = *name >= '0' && *name <= '9';

    if (digits && !*end)
        return json_pack("{s:s,s:{s:I}}", "name", name, "distance", "stops", (json_int_t)number);
    if (digits && strcmp(end, "H") == 0)
        return json_pack("{s:s,s:{s:I}}", "name", name, "distance", "hexes", (json_int_t)number);
    if (strcmp(name, "D") == 0)
        return json_pack("{s:s,s:{s:I}}", "name", name, "distance", "stops", (json_int_t)999);
    return NULL;
}

/* JSON, or names with commas between them: of trains that are known (those of the file or session)
 * as they are there. */
static json_t *read_trains(char const *text, json_t const *known)
{
    json_t *trains = *text == '[' ? json_loads(text, 0, NULL) : json_array();
    char *copy = strdup(text), *rest = copy, *name;

    if (*text == '[' && !trains)
        cli_complain("--trains is no JSON");
    while (*text != '[' && trains && copy && (name = strsep(&rest, ","))) {
        json_t *train = NULL, *one;
        size_t i;
        json_array_foreach((json_t *)known, i, one)
        {
            char const *is = json_string_value(json_object_get(one, "name"));
            if (!train && is && strcmp(is, name) == 0)
                train = json_incref(one);
        }
        if (!train && !(train = train_by_name(name))) {
            cli_complain("which train is '%.40s'? 4, 4H and D are known, others by JSON: "
                         "[{\"name\": ..., \"distance\": ...}]",
                         name);
            json_decref(trains);
            trains = NULL;
            break;
        }
        json_array_append_new(trains, train);
    }
    free(copy);
    return trains;
}

/* What was said on the command line instead of what is written. */
static int take_wish(struct asked *a, struct wish const *w)
{
    if (w->company) {
        json_decref(a->company);
        a->company = json_string(w->company);
    }
    if (w->trains) {
        json_t *trains = read_trains(w->trains, a->trains);
        json_decref(a->trains);
        a->trains = trains;
        if (!trains)
            return EXIT_USAGE;
    }
    if (json_is_string(a->company) && json_is_array(a->trains))
        return CLI_GO;
    cli_complain("whose routes, with which trains? Say --company NAME --trains LIST");
    return EXIT_USAGE;
}

/* ---- a case in a file --------------------------------------------------------------------- */

static json_t *copy_of(json_t const *object, char const *key)
{
    return json_incref(json_object_get(object, key));
}

static int ask_file(struct asked *a, struct wish const *w, char const *path)
{
    struct rails rails;

    int status = rails_read_file(&rails, path);
    if (status == CLI_GO && rails.records) {
        cli_complain(
            "%s is a stream: redoctl replay plays it, redoctl import makes a session of it", path);
        status = EXIT_USAGE;
    }
    if (status == CLI_GO) {
        a->network = json_incref(rails.head);
        a->company = copy_of(rails.head, "company");
        a->trains = copy_of(rails.head, "trains");
        a->rules = copy_of(rails.head, "rules");
        a->bonuses = copy_of(rails.head, "bonuses");
        status = take_wish(a, w);
    }
    if (status == CLI_GO)
        status = answer_here(a, w->deadline, path);
    rails_close(&rails);
    return status;
}

/* ---- a position --------------------------------------------------------------------------- */

/* The session's property: what is asked at its positions. NULL: there is none. */
static int read_property(struct ctl *ctl, char const *name, json_t **asked)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "getproperties", 1);

    *asked = NULL;
    if (!ctl_pack_name(b, name))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    msgpack_object const *value = status == CLI_GO ? map_get(&result, RAILS_PROPERTY) : NULL;
    if (value && value->type == MSGPACK_OBJECT_BIN)
        *asked = json_loadb(value->via.bin.ptr, value->via.bin.size, 0, NULL);
    return status;
}

/* The question that the session's property has for this position (and this company, if one was
 * told); else its rules alone, which hold everywhere. */
static void take_property(struct asked *a, json_t const *list, uint32_t position,
                          char const *company)
{
    json_t *one;
    size_t i;

    json_array_foreach((json_t *)list, i, one)
    {
        char const *whose = json_string_value(json_object_get(one, "company"));
        if (!a->rules)
            a->rules = copy_of(one, "rules");
        if (json_integer_value(json_object_get(one, "position")) != position || a->company ||
            (company && (!whose || strcmp(whose, company) != 0)))
            continue;
        a->company = copy_of(one, "company");
        a->trains = copy_of(one, "trains");
        a->bonuses = copy_of(one, "bonuses");
    }
}

/* The table's rows as the network of a case. */
static int read_network(struct ctl *ctl, char const *name, uint32_t position, struct asked *a)
{
    json_t *table, *row;
    size_t i;

    int status = table_read(ctl, (struct table_wish){.name = name, .position = position}, &table);
    a->network = json_pack("{s:[],s:[],s:[]}", "nodes", "edges", "mutex");
    json_array_foreach(json_object_get(table, "objects"), i, row)
    {
        json_t *fields = json_array_get(row, 1), *key = json_array_get(row, 0);
        char const *what = json_string_value(json_array_get(key, 0));
        json_object_set(fields, "id", json_array_get(key, 1));
        json_t *list = json_object_get(a->network, !what                       ? ""
                                                   : strcmp(what, "node") == 0 ? "nodes"
                                                   : strcmp(what, "edge") == 0 ? "edges"
                                                                               : "mutex");
        json_array_append(list, fields);
    }
    json_decref(table);
    return status;
}

static int ask_session(struct ctl *ctl, struct asked *a, struct wish const *w, char const *name,
                       char const *number)
{
    uint32_t position;
    json_t *property;

    if (!cli_utf8(name) || !cli_position(number, &position))
        return EXIT_USAGE;
    int status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = read_property(ctl, name, &property);
    if (status != CLI_GO)
        return status;
    take_property(a, property, position, w->company);
    json_decref(property);
    status = take_wish(a, w);
    struct rails_question question = {a->company, a->trains, a->rules, a->bonuses,
                                      w->deadline ? w->deadline * 1000 : -1};
    if (status == CLI_GO)
        status = rails_ask(ctl, name, 0, position, &question, &a->answer);
    return status == CLI_GO ? read_network(ctl, name, position, a) : status;
}

/* ---- the answer --------------------------------------------------------------------------- */

static json_t const *node_of(json_t const *network, json_int_t id)
{
    json_t *node;
    size_t i;

    json_array_foreach(json_object_get(network, "nodes"), i, node)
    {
        if ((json_int_t)json_number_value(json_object_get(node, "id")) == id)
            return node;
    }
    return NULL;
}

static char const *train_of(struct asked const *a, json_t const *row)
{
    json_t *train =
        json_array_get(a->trains, (size_t)json_integer_value(json_object_get(row, "train")));
    char const *name = json_string_value(json_object_get(train, "name"));

    return name ? name : "";
}

static void print_route(struct asked const *a, json_t const *row, int width)
{
    char const *name = train_of(a, row);
    json_t *stop;
    size_t i;

    printf("%6" JSON_INTEGER_FORMAT "  ", json_integer_value(json_object_get(row, "value")));
    text_print(stdout, name, strlen(name));
    printf("%*s", width - (int)text_width(name, strlen(name)), "");
    json_array_foreach(json_object_get(row, "stops"), i, stop)
    {
        json_t const *node = node_of(a->network, json_integer_value(stop));
        char const *text = json_string_value(json_object_get(node, "name"));
        fputs(i ? " - " : "  ", stdout);
        if (text && *text)
            text_print(stdout, text, strlen(text));
        else
            printf("%" JSON_INTEGER_FORMAT, json_integer_value(stop));
    }
    putchar('\n');
}

static bool has_token(struct asked const *a)
{
    json_t *node, *token;
    size_t i, j;

    json_array_foreach(json_object_get(a->network, "nodes"), i, node)
    {
        json_array_foreach(json_object_get(node, "tokens"), j, token)
        {
            if (json_equal(token, a->company))
                return true;
        }
    }
    return false;
}

static void print_answer(struct asked const *a)
{
    json_t *set = json_object_get(a->answer, "set"), *row;
    int width = 6;
    size_t i;

    json_array_foreach(set, i, row)
    {
        int wide = (int)text_width(train_of(a, row), strlen(train_of(a, row)));
        width = wide > width ? wide : width;
    }
    printf(" value  %-*s  stops\n", width, "train");
    json_array_foreach(set, i, row)
    {
        print_route(a, row, width);
    }
    if (json_array_size(set) == 0 && !has_token(a)) {
        fputs("        (no token of ", stdout);
        text_print(stdout, json_string_value(a->company), json_string_length(a->company));
        puts(" is on the track)");
    }
    printf("%6" JSON_INTEGER_FORMAT "  ", json_integer_value(json_object_get(a->answer, "total")));
    if (json_is_true(json_object_get(a->answer, "proven")))
        puts("in all: no set is worth more");
    else
        printf("in all: the best found in time; no set is worth more than %" JSON_INTEGER_FORMAT
               "\n",
               json_integer_value(json_object_get(a->answer, "bound")));
}

static int print_json(json_t const *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT | JSON_PRESERVE_ORDER);

    if (!text) {
        cli_complain("out of memory");
        return EXIT_BAD;
    }
    puts(text);
    free(text);
    return CLI_GO;
}

static int routes(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct wish w = {0};
    struct asked a = {0};
    struct cli_option const options[] = {
        {.name = "company",
         .type = CLI_TEXT,
         .value = &w.company,
         .argument = "NAME",
         .help = "whose routes (as the file or the session says)"},
        {.name = "trains",
         .type = CLI_TEXT,
         .value = &w.trains,
         .argument = "LIST",
         .help = "names as in 2,4,D, or JSON as cases have it"},
        {.name = "deadline",
         .type = CLI_NUMBER,
         .value = &w.deadline,
         .argument = "SECONDS",
         .help = "then tell the best so far, and what is proved",
         .least = 1,
         .most = 1000000},
        {.name = "json", .type = CLI_FLAG, .value = &w.json, .help = "print one object"},
        {.name = "svg",
         .type = CLI_FLAG,
         .value = &w.svg,
         .help = "draw the network with the set in colors"},
        COMMON_OPTIONS(ctl)};

    ctl->patience = 1000000; /* a search takes its time; --deadline ends it */
    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (argc == 1 && strcmp(argv[0], "-") != 0 && access(argv[0], F_OK) != 0) {
        cli_complain("there is no file %s; of a session: redoctl routes NAME POSITION", argv[0]);
        return EXIT_USAGE;
    }
    status = argc == 1 ? ask_file(&a, &w, argv[0]) : ask_session(ctl, &a, &w, argv[0], argv[1]);
    if (status == CLI_GO && w.svg)
        status = routes_svg(a.network, json_object_get(a.answer, "set"));
    else if (status == CLI_GO && w.json)
        status = print_json(a.answer);
    else if (status == CLI_GO)
        print_answer(&a);
    asked_close(&a);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_routes = {
    {.name = "routes",
     .params = "CASE.json | NAME POSITION",
     .least = 1,
     .most = 2,
     .summary = "tells the set of train routes that pays most",
     .help =
         "CASE.json: a question in the form route-network/1, - for standard input; it is answered\n"
         "without a daemon. Or a position of a session of track (schema route-network): what is "
         "asked\n"
         "there is what the imported file asked, or --company and --trains.\n"
         "\n"
         "--trains 4,3H,D: trains by the names of those that are known there; else four stops, "
         "three\n"
         "hexes, any number of stops. Others as JSON: '[{\"name\": \"4\", \"distance\": "
         "{\"stops\": 4}}]'.\n"
         "\n"
         "--json: {total, bound, proven, stable, nodes, set: [{train, value, stops, edges}]}, ids "
         "of "
         "the\n"
         "network, trains counted from 0. --svg: on standard output, drawn by neato, of "
         "Graphviz.\n"},
    routes};
