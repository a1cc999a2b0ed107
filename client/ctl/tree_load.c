/* Getting a tree from the daemon. A small one comes in one answer of gettree, and so does a part of
 * a large one: how deep that part may go is found by bisection. Whoever asks for more than fits
 * into an answer gets the whole session, page by page; it may change meanwhile, so nothing here
 * relies on the positions of different pages to agree. */
#include <stdlib.h>

#include "client/ctl/kinds.h"
#include "client/ctl/tree.h"
#include "redo_error.h"

#define WINDOW_MAX 5000 /* nodes that surely fit into one answer */
#define PIPELINE 256    /* requests under way */

void tree_free(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->node[i].lines);
        free(tree->node[i].name);
    }
    free(tree->node);
    *tree = (struct tree){0};
}

static bool add(void *data, struct position const *p)
{
    struct tree *tree = data;

    if (tree->count == tree->cap) {
        size_t cap = tree->cap * 2 + 64;
        struct tree_node *node = realloc(tree->node, cap * sizeof *node);
        if (!node)
            return false;
        tree->node = node;
        tree->cap = cap;
    }
    tree->node[tree->count] = (struct tree_node){.p = *p,
                                                 .parent = TREE_NONE,
                                                 .first = TREE_NONE,
                                                 .sibling = TREE_NONE,
                                                 .rank = (uint32_t)tree->count};
    tree->count++;
    return true;
}

static int no_memory(void)
{
    cli_complain("out of memory");
    return EXIT_BAD;
}

/* ---- linking ----------------------------------------------------------------------------- */

static int compare_number(void const *a, void const *b)
{
    uint32_t left = ((struct tree_node const *)a)->p.number;
    uint32_t right = ((struct tree_node const *)b)->p.number;

    return left < right ? -1 : left > right;
}

uint32_t tree_find(struct tree const *tree, uint32_t number)
{
    struct tree_node const wanted = {.p.number = number};
    struct tree_node const *node =
        tree->count ? bsearch(&wanted, tree->node, tree->count, sizeof wanted, compare_number)
                    : NULL;

    return node ? (uint32_t)(node - tree->node) : TREE_NONE;
}

/* A node's place, to be sorted by its rank. */
struct ranked {
    uint32_t rank, place;
};

static int compare_rank(void const *a, void const *b)
{
    uint32_t left = ((struct ranked const *)a)->rank, right = ((struct ranked const *)b)->rank;

    return left < right ? -1 : left > right;
}

/* Makes the lists of branches: by rank, or by number. The nodes are sorted by number and know their
 * parents. */
static int link_branches(struct tree *tree, bool by_rank)
{
    struct ranked *order = malloc((tree->count + 1) * sizeof *order);

    if (!order)
        return no_memory();
    for (uint32_t i = 0; i < tree->count; i++)
        order[i] = (struct ranked){.rank = by_rank ? tree->node[i].rank : i, .place = i};
    if (by_rank)
        qsort(order, tree->count, sizeof *order, compare_rank);
    for (size_t i = tree->count; i-- > 0;) {
        struct tree_node *node = &tree->node[order[i].place];
        if (node->parent == TREE_NONE)
            continue;
        node->sibling = tree->node[node->parent].first;
        tree->node[node->parent].first = order[i].place;
    }
    free(order);
    return CLI_GO;
}

static void find_parents(struct tree *tree, uint32_t top)
{
    qsort(tree->node, tree->count, sizeof *tree->node, compare_number);
    tree->top = tree_find(tree, top);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct tree_node *node = &tree->node[i];
        node->parent = i == tree->top ? TREE_NONE : tree_find(tree, node->p.prev);
        if (node->parent != TREE_NONE)
            tree->node[node->parent].loaded++;
    }
}

uint32_t tree_walk(struct tree const *tree, uint32_t top, uint32_t at, uint32_t depth,
                   uint32_t *level)
{
    if (tree->node[at].first != TREE_NONE && *level < depth) {
        ++*level;
        return tree->node[at].first;
    }
    while (at != top && tree->node[at].sibling == TREE_NONE) {
        at = tree->node[at].parent;
        --*level;
    }
    return at == top ? TREE_NONE : tree->node[at].sibling;
}

/* ---- a part, in one answer --------------------------------------------------------------- */

/* One answer of gettree, instead of what was in the tree before. */
static int load_answer(struct tree *tree, struct ctl *ctl, struct tree_wish const *wish,
                       int64_t depth, bool *complete)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "gettree", 3);

    tree->count = 0;
    if (!ctl_pack_name(b, wish->session))
        return EXIT_USAGE;
    pack_uint(b, wish->top);
    pack_map(b, 2);
    pack_key(b, "depth");
    pack_int(b, depth);
    pack_key(b, "limit");
    pack_int(b, wish->limit);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;

    msgpack_object const *positions = map_get(&result, "positions");
    msgpack_object const *end = map_get(&result, "complete");
    if (!positions || positions->type != MSGPACK_OBJECT_ARRAY || positions->via.array.size == 0 ||
        !end || end->type != MSGPACK_OBJECT_BOOLEAN)
        return ctl_fail_shape(ctl);
    for (uint32_t i = 0; i < positions->via.array.size; i++) {
        struct position p;
        if (!position_read(&positions->via.array.ptr[i], &p))
            return ctl_fail_shape(ctl);
        if (!add(tree, &p))
            return no_memory();
    }
    *complete = end->via.boolean;
    return CLI_GO;
}

/* How many moves below the first node the deepest is. */
static int64_t depth_of(struct tree const *tree)
{
    uint32_t deepest = tree->node[0].p.movecount;

    for (size_t i = 1; i < tree->count; i++)
        if (tree->node[i].p.movecount > deepest)
            deepest = tree->node[i].p.movecount;
    return deepest - tree->node[0].p.movecount;
}

static int load_part(struct tree *tree, struct ctl *ctl, struct tree_wish const *wish)
{
    bool complete;
    int status = load_answer(tree, ctl, wish, wish->depth, &complete);

    if (status != CLI_GO || complete)
        return status;
    /* The answer went down one line after the other and was cut: what fits is less deep than that.
     */
    int64_t fits = 0, fails = depth_of(tree);
    while (status == CLI_GO && fails - fits > 1) {
        int64_t middle = fits + (fails - fits) / 2;
        status = load_answer(tree, ctl, wish, middle, &complete);
        *(complete ? &fits : &fails) = middle;
    }
    if (status == CLI_GO)
        status = load_answer(tree, ctl, wish, fits > 0 ? fits : 1, &complete);
    return status;
}

/* ---- all, in pages ----------------------------------------------------------------------- */

/* The ranks of the branches of a position, the most recently used first. */
struct ranking {
    struct tree *tree;
    uint32_t next;
};

static bool rank_branch(void *data, struct position const *p)
{
    struct ranking *ranking = data;
    uint32_t place = tree_find(ranking->tree, p->number);

    if (place != TREE_NONE)
        ranking->tree->node[place].rank = ranking->next;
    ranking->next++;
    return true;
}

static int rank_one(struct tree *tree, struct ctl *ctl, char const *session, uint32_t number)
{
    struct ranking ranking = {.tree = tree};

    return ctl_pages(ctl,
                     (struct pages){.method = "getbranches",
                                    .session = session,
                                    .has_position = true,
                                    .position = number,
                                    .from = "offset"},
                     rank_branch, &ranking);
}

/* The answer to a getbranches. A position that was dropped meanwhile has no branches. *more: they
 * did not fit into one answer. */
static int rank_answer(struct tree *tree, struct ctl *ctl, uint32_t id, bool *more)
{
    struct ranking ranking = {.tree = tree};
    msgpack_object result;
    int code = connection_receive(&ctl->c, id, &result);

    *more = false;
    if (code != REDO_OK)
        return code == REDO_EDROPPED ? CLI_GO : ctl_fail(ctl, code, &result);
    msgpack_object const *positions = map_get(&result, "positions"),
                         *next = map_get(&result, "next");
    if (!positions || positions->type != MSGPACK_OBJECT_ARRAY || !next)
        return ctl_fail_shape(ctl);
    *more = next->type != MSGPACK_OBJECT_NIL;
    for (uint32_t i = 0; i < positions->via.array.size; i++) {
        struct position p;
        if (!position_read(&positions->via.array.ptr[i], &p))
            return ctl_fail_shape(ctl);
        rank_branch(&ranking, &p);
    }
    return CLI_GO;
}

/* Ranks the branches of all nodes that have several, many requests at a time. */
static int rank_all(struct tree *tree, struct ctl *ctl, char const *session)
{
    for (uint32_t at = 0; at < tree->count;) {
        uint32_t id[PIPELINE], place[PIPELINE];
        unsigned count = 0;

        for (; at < tree->count && count < PIPELINE; at++) {
            if (tree->node[at].loaded < 2)
                continue;
            struct buffer *b = ctl_request(ctl, "getbranches", 3);
            if (!ctl_pack_name(b, session))
                return EXIT_USAGE;
            pack_uint(b, tree->node[at].p.number);
            pack_map(b, 1);
            pack_key(b, "limit");
            pack_uint(b, WINDOW_MAX);
            id[count] = ctl->id;
            place[count++] = at;
        }
        int code = connection_flush(&ctl->c);
        if (code != REDO_OK)
            return ctl_fail(ctl, code, NULL);
        bool more[PIPELINE];
        for (unsigned i = 0; i < count; i++) {
            int status = rank_answer(tree, ctl, id[i], &more[i]);
            if (status != CLI_GO)
                return status;
        }
        for (unsigned i = 0; i < count; i++) {
            int status =
                more[i] ? rank_one(tree, ctl, session, tree->node[place[i]].p.number) : CLI_GO;
            if (status != CLI_GO)
                return status;
        }
    }
    return CLI_GO;
}

/* How deep the tree may be shown so that at most limit nodes are. */
static int choose_depth(struct tree *tree, int64_t limit)
{
    size_t *at_level = calloc(tree->count + 1, sizeof *at_level), sum = 0;
    uint32_t level = 0;

    if (!at_level)
        return no_memory();
    for (uint32_t at = tree->top; at != TREE_NONE;
         at = tree_walk(tree, tree->top, at, tree->depth, &level))
        at_level[level]++;
    for (level = 0; level < tree->count && at_level[level] > 0; level++) {
        sum += at_level[level];
        if (limit > 0 && sum > (size_t)limit)
            break;
    }
    free(at_level);
    if (level > 0 && level - 1 < tree->depth)
        tree->depth = level - 1;
    return CLI_GO;
}

static int load_all(struct tree *tree, struct ctl *ctl, struct tree_wish const *wish)
{
    int status = ctl_pages(
        ctl, (struct pages){.method = "getpositions", .session = wish->session, .from = "after"},
        add, tree);

    if (status != CLI_GO)
        return status;
    find_parents(tree, wish->top);
    return wish->by_recent ? rank_all(tree, ctl, wish->session) : CLI_GO;
}

/* ---- both -------------------------------------------------------------------------------- */

static bool mark_solution(void *data, struct position const *p)
{
    struct tree *tree = data;
    uint32_t place = tree_find(tree, p->number);

    if (place != TREE_NONE)
        tree->node[place].on_solution = true;
    return place != TREE_NONE; /* once it has left the tree it does not come back */
}

static int load_facts(struct tree *tree, struct ctl *ctl, char const *session)
{
    msgpack_object result;

    if (!ctl_pack_name(ctl_request(ctl, "getsession", 1), session))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status == CLI_GO &&
        !integer_read(map_get(&result, "positions"), 0, INT64_MAX, &tree->whole))
        status = ctl_fail_shape(ctl);
    tree->by_change = status == CLI_GO && session_by_change(&result);
    return status;
}

int tree_load(struct tree *tree, struct ctl *ctl, struct tree_wish const *wish)
{
    bool part = wish->limit > 0 && wish->limit <= WINDOW_MAX;

    *tree = (struct tree){.depth = (uint32_t)wish->depth};
    int status = load_facts(tree, ctl, wish->session);
    if (status == CLI_GO && !part) /* an error if the position is not there */
        status = load_answer(tree, ctl, &(struct tree_wish){wish->session, wish->top, 0, 1, false},
                             0, &(bool){false});
    if (status != CLI_GO)
        return status;
    tree->count = 0;
    status = part ? load_part(tree, ctl, wish) : load_all(tree, ctl, wish);
    if (status != CLI_GO)
        return status;
    if (part)
        find_parents(tree, wish->top);
    if (tree->top == TREE_NONE)
        return ctl_fail_shape(ctl);
    status = link_branches(tree, wish->by_recent);
    if (status == CLI_GO)
        status = choose_depth(tree, part ? 0 : wish->limit);
    if (status == CLI_GO && tree->by_change)
        status = tree_load_lines(tree, ctl, wish->session);
    if (status == CLI_GO)
        status = tree_load_names(tree, ctl, wish->session);
    if (status != CLI_GO || !tree->node[tree->top].p.solutionend)
        return status;
    return ctl_pages(ctl,
                     (struct pages){.method = "getsolution",
                                    .session = wish->session,
                                    .has_position = true,
                                    .position = wish->top,
                                    .limit = 1000},
                     mark_solution, tree);
}
