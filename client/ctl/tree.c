/* tree: a session's tree as a diagram. */
#include "client/ctl/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LIMIT_DEFAULT 400
#define WIDTH_DEFAULT 240 /* where there is no terminal */

static int64_t terminal_width(void)
{
    struct winsize size;

    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return WIDTH_DEFAULT;
}

/* Says what is not to be seen, and how to see it. */
static void print_rest(struct tree const *tree, struct tree_wish const *wish, uint32_t cursor)
{
    bool left_out = false, cursor_shown = cursor == TREE_NONE;
    uint32_t level = 0;
    int64_t shown = 0;

    for (uint32_t at = tree->top; at != TREE_NONE;
         at = tree_walk(tree, tree->top, at, tree->depth, &level)) {
        struct tree_node const *node = &tree->node[at];
        shown++;
        left_out |= node->p.nextcount > (level < tree->depth ? node->loaded : 0);
        cursor_shown |= node->p.number == cursor;
    }
    if (!cursor_shown)
        printf("\n(position %u is not shown)\n", cursor);
    if (!left_out)
        return;
    printf("\n(%" PRId64 " positions shown", shown);
    if (wish->top == 0)
        printf(" of %" PRId64, tree->whole);
    printf(", %u moves deep; to see more: ", tree->depth);
    if (tree->depth < wish->depth)
        printf("--limit N, --limit 0 for all, ");
    else
        printf("--depth N, ");
    printf("or begin further down: redoctl tree NAME POSITION)\n");
}

static int draw(struct ctl *ctl, struct tree_wish const *wish, struct tree_style const *style)
{
    struct tree tree;

    int status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    status = tree_load(&tree, ctl, wish);
    if (status == CLI_GO)
        status = tree_draw(&tree, style, stdout);
    if (status == CLI_GO)
        print_rest(&tree, wish, style->cursor);
    tree_free(&tree);
    return status == CLI_GO ? EXIT_GOOD : status;
}

static int tree_command(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct tree_wish wish = {.depth = INT32_MAX, .limit = LIMIT_DEFAULT};
    struct tree_style style = {.cursor = TREE_NONE};
    char const *labels = NULL;
    int order = 0, color = 0;
    int64_t width = terminal_width(), cursor = -1;
    struct cli_option const options[] = {
        {.name = "depth",
         .type = CLI_NUMBER,
         .value = &wish.depth,
         .argument = "N",
         .help = "no more than N moves deep",
         .least = 0,
         .most = INT32_MAX},
        {.name = "limit",
         .type = CLI_NUMBER,
         .value = &wish.limit,
         .argument = "N",
         .help = "no more than N positions (400); 0: all",
         .least = 0,
         .most = INT32_MAX},
        {.name = "order",
         .type = CLI_CHOICE,
         .value = &order,
         .argument = "ORDER",
         .help = "of branches: made (as they were made; the default)\n"
                 "or recent (most recently used first)",
         .choices = "made recent"},
        LABELS_OPTION(&labels),
        {.name = "cursor",
         .type = CLI_NUMBER,
         .value = &cursor,
         .argument = "POSITION",
         .help = "mark this position",
         .least = 0,
         .most = UINT32_MAX - 1},
        {.name = "width",
         .type = CLI_NUMBER,
         .value = &width,
         .argument = "COLUMNS",
         .help = "the terminal's; 240 if there is none",
         .least = 1,
         .most = 100000},
        {.name = "color",
         .type = CLI_CHOICE,
         .value = &color,
         .argument = "WHEN",
         .help = "auto (on a terminal, unless NO_COLOR is set),\nalways or never",
         .choices = COLOR_CHOICES},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if ((argc > 1 && !cli_position(argv[1], &wish.top)) || !labels_read(&style.labels, labels))
        return EXIT_USAGE;
    wish.session = argv[0];
    wish.by_recent = order == 1;
    style.cursor = cursor < 0 ? TREE_NONE : (uint32_t)cursor;
    style.width = (int)width;
    style.color = cli_color(color);
    status = draw(ctl, &wish, &style);
    labels_free(&style.labels);
    return status;
}

struct command const command_tree = {
    {.name = "tree",
     .params = "NAME [POSITION]",
     .least = 1,
     .most = 2,
     .summary = "draws the tree, or what is below a position",
     .help =
         "A row a position: its number, the move that led there (the text of the candidate that "
         "was\n"
         "played, the dice of a roll, else its label or number), and marks:\n" MARKS_HELP
         "  +     on the best solution path from the top of the diagram\n"
         "  <     the position given with --cursor\n"
         "  (3 below), (3 more)   so many branches of it are not shown\n"
         "  ...   its branches are drawn further down, as a tree of its own: there was no room\n"
         "        to the right\n"
         "Of a session told by change, after the move: the lines of the turn, by kind, as in\n"
         "`update 3 remove 1`.\n"
         "\n"
         "A large tree is shown only so many moves deep that the limit holds; the last line\n"
         "then says so.\n"},
    tree_command};
