/* A part of a session's tree in memory, as it is to be drawn. */
#ifndef CTL_TREE_H
#define CTL_TREE_H

#include "client/ctl/ctl.h"

#define TREE_NONE UINT32_MAX

/* Nodes name each other by their places in tree->node. */
struct tree_node {
    struct position p; /* without state */
    uint32_t parent, first, sibling;
    uint32_t loaded;  /* how many branches of it are here; p.nextcount says how many there are */
    uint32_t rank;    /* nodes with the same parent: smaller for more recently used */
    bool on_solution; /* on the best solution path from the top */
    char *lines;      /* of the turn that led here, by kind; NULL in a session told by states */
    char *name;       /* of the move that led here; NULL: it has none but its number */
};

struct tree {
    struct tree_node *node; /* by number of the position */
    size_t count, cap;
    uint32_t top;   /* the place of the position asked for */
    uint32_t depth; /* what is deeper is left out */
    uint32_t shown; /* nodes that are not left out */
    int64_t whole;  /* positions of the session */
    bool by_change; /* the session is told by change */
};

struct tree_wish {
    char const *session;
    uint32_t top;   /* the position */
    int64_t depth;  /* moves below it */
    int64_t limit;  /* of nodes; 0: all */
    bool by_recent; /* branches most recently used first, else in the order they were made */
};

/* Loads what there is below the position, so deep that no more nodes than wished for are shown and
 * no move's branches are shown in part; if even one move is too many, the most recently used. On
 * any status tree_free() is due. */
int tree_load(struct tree *tree, struct ctl *ctl, struct tree_wish const *wish);
void tree_free(struct tree *tree);

/* Loads the lines of what is shown, of a session told by change; called by tree_load(). */
int tree_load_lines(struct tree *tree, struct ctl *ctl, char const *session);

/* Loads the names of the moves to what is shown; called by tree_load(). */
int tree_load_names(struct tree *tree, struct ctl *ctl, char const *session);

/* The place of a position, TREE_NONE if it is not here. */
uint32_t tree_find(struct tree const *tree, uint32_t number);

/* A walk over what is shown, each node before its branches: the place after `at`; TREE_NONE after
 * the last. *level counts moves below `top`, which is where the walk began, and does not go past
 * `depth`. */
uint32_t tree_walk(struct tree const *tree, uint32_t top, uint32_t at, uint32_t depth,
                   uint32_t *level);

struct tree_style {
    struct labels labels;
    uint32_t cursor; /* a position, TREE_NONE: none */
    int width;       /* columns */
    bool color;
};

/* Draws it to out. */
int tree_draw(struct tree const *tree, struct tree_style const *style, FILE *out);

#endif
