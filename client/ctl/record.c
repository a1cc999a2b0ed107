/* record: what an analyst has hung on a position. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/json.h"
#include "client/ctl/text.h"

#define TEXT_WIDTH 40   /* columns of the texts of items, at most */
#define CUBE_NUMBERS 14 /* of a decision, where a program thinks of it as gnubg does */

struct wish {
    char const *name;
    uint32_t position;
    struct labels labels;
    bool json, set, branch;
    int64_t candidate, decision; /* 0: none */
};

/* ---- printing ---------------------------------------------------------------------------- */

static void print_string(json_t const *text)
{
    text_print(stdout, json_string_value(text), json_string_length(text));
}

/* A value: a string as it is, else JSON. */
static void print_value(json_t const *value)
{
    if (json_is_string(value)) {
        print_string(value);
        return;
    }
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | json_digits(value));
    if (text)
        text_print(stdout, text, strlen(text));
    free(text);
}

/* Characters, not bytes, so that columns stay straight. */
static size_t width_of(json_t const *text)
{
    char const *at = json_string_value(text);
    size_t width = 0;

    for (; at && *at; at++)
        width += ((unsigned char)*at & 0xc0) != 0x80;
    return width;
}

static bool is_shown_above(char const *name)
{
    static char const *const names[] = {"position_id", "match_id", "dice", "comment"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* An array of numbers with blanks between them, anything else as it is. */
static void print_dice(json_t const *dice)
{
    json_t *one;
    size_t i;

    if (!json_is_array(dice)) {
        print_value(dice);
        return;
    }
    json_array_foreach(dice, i, one)
    {
        if (i)
            putchar(' ');
        print_value(one);
    }
}

/* The lines of a text, each under the first. */
static void print_comment(json_t const *comment)
{
    char const *at = json_string_value(comment), *end = at + json_string_length(comment);

    fputs("comment       ", stdout);
    while (at < end) {
        char const *stop = memchr(at, '\n', (size_t)(end - at));
        text_print(stdout, at, (size_t)((stop ? stop : end) - at));
        at = stop ? stop + 1 : end;
        if (at < end)
            fputs("\n              ", stdout);
    }
    putchar('\n');
}

static void print_known(json_t *properties)
{
    json_t *position = json_object_get(properties, "position_id");
    json_t *match = json_object_get(properties, "match_id");
    json_t *dice = json_object_get(properties, "dice");
    json_t *comment = json_object_get(properties, "comment");

    if (json_is_string(position) || json_is_string(match)) {
        fputs("board         ", stdout);
        if (json_is_string(position))
            print_string(position);
        if (json_is_string(position) && json_is_string(match))
            putchar(':');
        if (json_is_string(match))
            print_string(match);
        putchar('\n');
    }
    if (dice && !json_is_null(dice)) {
        fputs("dice          ", stdout);
        print_dice(dice);
        putchar('\n');
    }
    if (json_is_string(comment))
        print_comment(comment);
}

/* The others, a line each. */
static void print_properties(char const *title, json_t *properties, bool all)
{
    char const *key;
    json_t *value;
    bool first = true;

    json_object_foreach(properties, key, value)
    {
        if (!all && is_shown_above(key) && (strcmp(key, "dice") == 0 || json_is_string(value)))
            continue;
        printf("%-14s", first ? title : "");
        first = false;
        text_print(stdout, key, strlen(key));
        fputs(": ", stdout);
        print_value(value);
        putchar('\n');
    }
}

static bool equity_of(json_t const *item, double *equity)
{
    json_t *value = json_object_get(json_object_get(item, "analysis"), "equity");

    *equity = json_is_number(value) ? json_number_value(value) : 0;
    return json_is_number(value);
}

/* Those of an array from a place on, so many at most. */
static void print_numbers(char const *title, json_t const *numbers, size_t from, size_t count)
{
    size_t size = json_array_size(numbers);

    if (from >= size)
        return;
    printf("        %s", title);
    for (size_t i = from; i < size && i - from < count; i++) {
        double number = json_number_value(json_array_get(numbers, i));
        printf(number > -1e6 && number < 1e6 ? " %.4f" : " %.4g", number);
    }
    putchar('\n');
}

/* What is thought of a decision: seven numbers for no double and seven for double, take, as
 * redo_record.h has them, or others as they are. */
static void print_cube(json_t const *analysis)
{
    json_t *numbers = json_object_get(analysis, "numbers");
    json_t *deviations = json_object_get(analysis, "deviations");

    if (json_array_size(numbers) == CUBE_NUMBERS) {
        size_t half = CUBE_NUMBERS / 2;
        print_numbers("no double   ", numbers, 0, half);
        print_numbers("  deviations", deviations, 0, half);
        print_numbers("double, take", numbers, half, half);
        print_numbers("  deviations", deviations, half, half);
    } else {
        print_numbers("numbers   ", numbers, 0, SIZE_MAX);
        print_numbers("deviations", deviations, 0, SIZE_MAX);
    }
}

static void print_item_text(json_t const *item, struct labels const *labels, size_t width)
{
    json_t *text = json_object_get(item, "text"), *move = json_object_get(item, "move");
    size_t used = width_of(text);

    if (json_is_string(text)) {
        print_string(text);
    } else if (json_is_integer(move)) {
        fputs("move ", stdout);
        labels_print(labels, (int)json_integer_value(move), stdout);
        used = width; /* its own width is not worth counting */
    }
    if (used < width)
        printf("%*s", (int)(width - used), "");
}

static void print_analysis(json_t const *item, double const *best)
{
    json_t *analysis = json_object_get(item, "analysis"), *kind = json_object_get(analysis, "kind");
    double equity;

    if (!json_is_object(analysis))
        return;
    if (!equity_of(item, &equity))
        fputs("                   ", stdout);
    else if (best && equity != *best)
        printf("  %+8.4f %+8.4f", equity, equity - *best);
    else
        printf("  %+8.4f %8s", equity, "");
    fputs("  ", stdout);
    print_string(kind);
    if (json_is_true(json_object_get(item, "shared")))
        fputs(" (shared)", stdout);
}

static size_t widest(json_t const *items)
{
    size_t width = 0, i;
    json_t *item;

    json_array_foreach(items, i, item)
    {
        size_t of = width_of(json_object_get(item, "text"));
        width = of > width ? of : width;
    }
    return width < TEXT_WIDTH ? width : TEXT_WIDTH;
}

struct ranked {
    json_t *item;
    size_t place; /* in the list */
    bool analysed;
    double equity;
};

static int compare_ranks(void const *a, void const *b)
{
    struct ranked const *x = a, *y = b;
    if (x->analysed != y->analysed)
        return x->analysed ? -1 : 1;
    if (x->equity != y->equity)
        return x->equity > y->equity ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Whether all that have an equity were analysed in the same way, so that equities compare. */
static bool are_alike(struct ranked const *all, size_t count)
{
    json_t *first = NULL;
    for (size_t i = 0; i < count; i++) {
        json_t *analysis = json_object_get(all[i].item, "analysis");
        if (!all[i].analysed)
            continue;
        if (first &&
            (!json_equal(json_object_get(first, "kind"), json_object_get(analysis, "kind")) ||
             !json_equal(json_object_get(first, "context"), json_object_get(analysis, "context"))))
            return false;
        first = first ? first : analysis;
    }
    return true;
}

/* The items of a list, candidates best first; the caller frees them. NULL: no memory, or none. */
static struct ranked *rank(json_t *items, bool decisions)
{
    size_t count = json_array_size(items);
    struct ranked *all = count ? calloc(count, sizeof *all) : NULL;
    for (size_t i = 0; all && i < count; i++) {
        all[i] = (struct ranked){.item = json_array_get(items, i), .place = i};
        all[i].analysed = equity_of(all[i].item, &all[i].equity);
    }
    if (all && !decisions && are_alike(all, count))
        qsort(all, count, sizeof *all, compare_ranks);
    return all;
}

static void print_item(struct ranked const *r, bool mark, size_t width, double const *best,
                       struct labels const *labels)
{
    json_t *leads = json_object_get(r->item, "leads");

    printf("%c %4lld  ", mark ? '*' : ' ',
           (long long)json_integer_value(json_object_get(r->item, "id")));
    print_item_text(r->item, labels, width);
    print_analysis(r->item, best);
    if (json_is_integer(leads))
        printf("  -> %lld", (long long)json_integer_value(leads));
    putchar('\n');
}

/* The items of a list, those that were played or made with a mark. */
static int print_items(char const *title, json_t *record, struct labels const *labels,
                       bool decisions)
{
    json_t *items = json_object_get(record, title), *choice = json_object_get(record, "choice");
    size_t made = (size_t)json_integer_value(json_object_get(record, "decided"));
    size_t width = widest(items), count = json_array_size(items);
    struct ranked *all = rank(items, decisions);

    if (count && !all) {
        cli_complain("out of memory");
        return EXIT_BAD;
    }
    if (count)
        puts(title);
    double const *best = count && !decisions && all[0].analysed ? &all[0].equity : NULL;
    for (size_t i = 0; i < count; i++) {
        json_t *item = all[i].item, *analysis = json_object_get(item, "analysis");
        bool mark = decisions ? i < made : json_equal(json_object_get(item, "id"), choice) == 1;
        print_item(&all[i], mark, width, best, labels);
        if (decisions && !json_is_true(json_object_get(item, "shared")))
            print_cube(analysis);
        print_properties("        ", json_object_get(item, "properties"), true);
    }
    free(all);
    return CLI_GO;
}

static void print_header(json_t const *position, struct labels const *labels)
{
    json_t *prev = json_object_get(position, "prev");

    printf("position      %lld",
           (long long)json_integer_value(json_object_get(position, "number")));
    if (json_is_integer(prev)) {
        fputs(", move ", stdout);
        labels_print(labels, (int)json_integer_value(json_object_get(position, "move")), stdout);
        printf(" from %lld", (long long)json_integer_value(prev));
    }
    putchar('\n');
}

static void print_alternates(json_t const *alternates)
{
    json_t *number;
    size_t i;

    if (!json_array_size(alternates))
        return;
    fputs("alternates   ", stdout);
    json_array_foreach(alternates, i, number)
        printf(" %lld", (long long)json_integer_value(number));
    putchar('\n');
}

static int print_record(json_t *position, json_t *record, struct labels const *labels)
{
    json_t *properties = json_object_get(record, "properties");
    json_t *choice = json_object_get(record, "choice");

    print_header(position, labels);
    print_known(properties);
    if (json_is_string(choice) && strcmp(json_string_value(choice), "none") == 0)
        puts("candidates    none: there is no legal move");
    int status = print_items("candidates", record, labels, false);
    if (status == CLI_GO)
        status = print_items("decisions", record, labels, true);
    print_properties("properties", properties, false);
    print_properties("branch", json_object_get(record, "branch"), true);
    print_alternates(json_object_get(record, "alternates"));
    return status;
}

/* ---- asking ------------------------------------------------------------------------------ */

/* The result of a method of (session position), as JSON; of another shape: not. */
static int ask(struct ctl *ctl, char const *method, struct wish const *wish, json_t **json)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, method, 2);

    if (!ctl_pack_name(b, wish->name))
        return EXIT_USAGE;
    pack_uint(b, wish->position);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    *json = json_from_msgpack(&result);
    return json_is_object(*json) ? CLI_GO : ctl_fail_shape(ctl);
}

static int print(struct ctl *ctl, struct wish const *wish)
{
    json_t *position = NULL, *record = NULL;
    int status = ask(ctl, "getposition", wish, &position);

    if (status == CLI_GO)
        status = ask(ctl, "getrecord", wish, &record);
    if (status == CLI_GO && wish->json) {
        json_dumpf(record, stdout,
                   (isatty(STDOUT_FILENO) ? JSON_INDENT(2) : JSON_COMPACT) | json_digits(record));
        putchar('\n'); /* main() looks whether it went well */
    } else if (status == CLI_GO) {
        status = print_record(position, record, &wish->labels);
    }
    json_decref(position);
    json_decref(record);
    return status;
}

/* Sets the property; the value is JSON. */
static int set(struct ctl *ctl, struct wish const *wish, char const *name, char const *text)
{
    msgpack_object result;
    json_error_t error;
    unsigned options = wish->branch + (wish->candidate > 0) + (wish->decision > 0);
    json_t *value =
        json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

    if (!value) {
        cli_complain("'%s' is not JSON (%s); a string needs its quotes: '\"text\"'", text,
                     error.text);
        return EXIT_USAGE;
    }
    struct buffer *b = ctl_request(ctl, "setpositionproperty", 5);
    char const *problem = NULL;
    int status = ctl_pack_name(b, wish->name) ? CLI_GO : EXIT_USAGE;
    pack_uint(b, wish->position);
    if (status == CLI_GO && !ctl_pack_name(b, name))
        status = EXIT_USAGE;
    if (status == CLI_GO && (problem = json_pack_msgpack(value, b))) {
        cli_complain("'%s' can not be sent: %s", text, problem);
        status = EXIT_USAGE;
    }
    json_decref(value);
    if (status != CLI_GO)
        return status;
    pack_map(b, options);
    if (wish->branch) {
        pack_key(b, "branch");
        pack_bool(b, true);
    }
    if (wish->candidate) {
        pack_key(b, "candidate");
        pack_int(b, wish->candidate);
    }
    if (wish->decision) {
        pack_key(b, "decision");
        pack_int(b, wish->decision);
    }
    return ctl_result(ctl, &result);
}

static int check(struct wish const *wish, int argc)
{
    bool of = wish->branch || wish->candidate || wish->decision;

    if (wish->set && argc != 4)
        cli_complain("--set takes a name and a value: redoctl record NAME POSITION --set KEY JSON");
    else if (!wish->set && argc != 2)
        cli_complain("to set a property: redoctl record NAME POSITION --set KEY JSON");
    else if (of && !wish->set)
        cli_complain("--branch, --candidate and --decision go with --set");
    else
        return CLI_GO;
    return EXIT_USAGE;
}

static int record(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    char const *labels = NULL;
    struct wish wish = {.name = NULL};
    struct cli_option const options[] = {
        {.name = "json", .type = CLI_FLAG, .value = &wish.json, .help = "as one JSON object"},
        {.name = "set",
         .type = CLI_FLAG,
         .value = &wish.set,
         .help = "KEY JSON: keep a value under a key instead; null takes it away"},
        {.name = "branch",
         .type = CLI_FLAG,
         .value = &wish.branch,
         .help = "... with the branch that leads there"},
        {.name = "candidate",
         .type = CLI_NUMBER,
         .value = &wish.candidate,
         .argument = "ID",
         .help = "... with a candidate",
         .least = 1,
         .most = UINT32_MAX},
        {.name = "decision",
         .type = CLI_NUMBER,
         .value = &wish.decision,
         .argument = "ID",
         .help = "... with a decision",
         .least = 1,
         .most = UINT32_MAX},
        LABELS_OPTION(&labels),
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = check(&wish, argc);
    if (status != CLI_GO)
        return status;
    wish.name = argv[0];
    if (!cli_position(argv[1], &wish.position) || !labels_read(&wish.labels, labels))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = wish.set ? set(ctl, &wish, argv[2], argv[3]) : print(ctl, &wish);
    labels_free(&wish.labels);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_record = {
    {.name = "record",
     .params = "NAME POSITION",
     .least = 2,
     .most = 4,
     .summary = "what is kept with a position: candidates, analysis",
     .help = "The candidates, best first, each with its id, its equity, the difference to the "
             "best, and\n"
             "where it leads; * marks the one that was played, and the decisions that were made. "
             "Where\n"
             "candidates were analysed in different ways they are in the order of their list, in "
             "which\n"
             "programs that rank them put the best first. Then properties, and alternates: "
             "positions with the same\n"
             "board and another score or cube.\n"
             "\n"
             "  redoctl record game 12 --set comment '\"A mistake.\"'\n"},
    record};
