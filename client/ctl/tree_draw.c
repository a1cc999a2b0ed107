/* Drawing a tree: a row a position,
 *
 *     0. (Start)
 *     |_ 1. A
 *     |  |_ 2. B
 *     |_ 3. C
 *
 * each move three columns further to the right. What would go too far to the right is drawn as a
 * tree of its own further down, so that the size of the drawing is that of the tree, however deep:
 *
 *     0. (Start)
 *     |_ 1. A
 *        |_ 2. B ...
 *
 *     2. B (depth 2)
 *     |_ 4. D
 */
#include <stdlib.h>
#include <string.h>

#include "client/ctl/text.h"
#include "client/ctl/tree.h"

#define STEP 3  /* columns a move */
#define TEXT 20 /* columns left for the text of the rightmost row */
#define LEVELS_MIN 4

/* Places of positions of which the branches are still to be drawn; the next is the last. */
struct later {
    uint32_t *place, *depth;
    size_t count, cap;
};

struct drawing {
    struct tree const *tree;
    struct tree_style const *style;
    FILE *out;
    char *margin;    /* STEP columns a level: "|  " where more branches follow further down */
    uint32_t levels; /* moves that fit into the width */
    struct later later;
};

static bool draw_later(struct later *later, uint32_t place, uint32_t depth)
{
    if (later->count == later->cap) {
        size_t cap = later->cap * 2 + 16;
        uint32_t *places = realloc(later->place, cap * sizeof *places);
        if (!places)
            return false;
        later->place = places;
        uint32_t *depths = realloc(later->depth, cap * sizeof *depths);
        if (!depths)
            return false;
        later->depth = depths;
        later->cap = cap;
    }
    later->place[later->count] = place;
    later->depth[later->count++] = depth;
    return true;
}

/* What comes after the margin in a row. */
static void draw_position(struct drawing *d, struct tree_node const *node)
{
    struct tree_style const *style = d->style;

    fprintf(d->out, "%u. ", node->p.number);
    if (node->p.prev == UINT32_MAX)
        fputs("(Start)", d->out);
    else if (node->name)
        text_print(d->out, node->name, strlen(node->name));
    else
        labels_print(&style->labels, node->p.move, d->out);
    if (node->lines && *node->lines)
        fprintf(d->out, style->color ? COLOR_FAINT " %s" COLOR_END : " %s", node->lines);
    position_print_marks(&node->p, style->color, d->out);
    if (node->on_solution)
        fputs(style->color ? COLOR_SOLUTION " +" COLOR_END : " +", d->out);
    if (node->p.number == style->cursor)
        fputs(style->color ? COLOR_CURSOR " <" COLOR_END : " <", d->out);
}

static void draw_faint(struct drawing *d, char const *format, uint32_t number)
{
    fputs(d->style->color ? COLOR_FAINT : "", d->out);
    fprintf(d->out, format, number);
    fputs(d->style->color ? COLOR_END : "", d->out);
}

/* The part of the tree below `top` that fits into the width; depth: of top in the whole tree. */
static bool draw_section(struct drawing *d, uint32_t top, uint32_t depth)
{
    struct tree const *tree = d->tree;
    uint32_t left = tree->depth - depth, level = 0;
    uint32_t levels = left < d->levels ? left : d->levels;
    size_t first = d->later.count;

    for (uint32_t at = top; at != TREE_NONE; at = tree_walk(tree, top, at, levels, &level)) {
        struct tree_node const *node = &tree->node[at];
        if (level > 0) {
            fwrite(d->margin, STEP, level - 1, d->out);
            fputs("|_ ", d->out);
            memcpy(d->margin + STEP * (level - 1), node->sibling != TREE_NONE ? "|  " : "   ",
                   STEP);
        }
        draw_position(d, node);
        if (level == 0 && depth > 0)
            draw_faint(d, " (depth %u)", depth);
        uint32_t here = depth + level < tree->depth ? node->loaded : 0;
        if (node->p.nextcount > here)
            draw_faint(d, here ? " (%u more)" : " (%u below)", node->p.nextcount - here);
        if (level == levels && here > 0) {
            draw_faint(d, " ...", 0);
            if (!draw_later(&d->later, at, depth + level))
                return false;
        }
        putc('\n', d->out);
    }
    /* They are taken from the end: turned round, they come in the order of their rows. */
    for (size_t i = first, j = d->later.count; i + 1 < j--; i++) {
        uint32_t place = d->later.place[i], at = d->later.depth[i];
        d->later.place[i] = d->later.place[j];
        d->later.depth[i] = d->later.depth[j];
        d->later.place[j] = place;
        d->later.depth[j] = at;
    }
    return true;
}

int tree_draw(struct tree const *tree, struct tree_style const *style, FILE *out)
{
    int room = (style->width - TEXT) / STEP;
    struct drawing d = {.tree = tree,
                        .style = style,
                        .out = out,
                        .levels = room < LEVELS_MIN ? LEVELS_MIN : (uint32_t)room};

    d.margin = malloc(STEP * (size_t)d.levels);
    bool good = d.margin && draw_section(&d, tree->top, 0);
    while (good && d.later.count > 0) {
        d.later.count--;
        putc('\n', out);
        good = draw_section(&d, d.later.place[d.later.count], d.later.depth[d.later.count]);
    }
    free(d.margin);
    free(d.later.place);
    free(d.later.depth);
    if (!good)
        cli_complain("out of memory");
    return good ? CLI_GO : EXIT_BAD;
}
