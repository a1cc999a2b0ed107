/* Writing a game, as it was read or plain. Not recursive: the tree has the way back. */
#include <string.h>
#include <strings.h>

#include "client/sgf/tree.h"
#include "client/text/output.h"

struct writer {
    struct output out;
    redo_sgf_game const *game;
    bool plain;
    bool declare; /* CA[UTF-8] has to be added to the root */
};

static void put(struct writer *w, char const *text, size_t size)
{
    output_put(&w->out, text, size);
}

static void put_char(struct writer *w, char c)
{
    put(w, &c, 1);
}

/* The spaces as read, or the plain ones. */
static void put_space(struct writer *w, char const *space, size_t size, char const *plain)
{
    if (w->plain || !space)
        put(w, plain, strlen(plain));
    else
        put(w, space, size);
}

static void put_value(struct writer *w, redo_sgf_value const *v, char const *raw, size_t size)
{
    put_space(w, v->space, v->space_size, "");
    put_char(w, '[');
    put(w, raw, size);
    put_char(w, ']');
}

static bool is_utf8(redo_sgf_value const *v)
{
    return (v->size == 5 && strncasecmp(v->raw, "UTF-8", 5) == 0) ||
           (v->size == 4 && strncasecmp(v->raw, "UTF8", 4) == 0);
}

static void put_property(struct writer *w, redo_sgf_property const *p)
{
    if (!p->first)
        return;
    put_space(w, p->space, p->space_size, "");
    put(w, p->name, p->name_size);
    bool charset = p->node == w->game->root && redo_sgf_property_is(p, "CA");
    for (redo_sgf_value const *v = p->first; v; v = v->next) {
        bool other = charset && !is_utf8(v);
        put_value(w, v, other ? "UTF-8" : v->raw, other ? 5 : v->size);
    }
    if (p->semicolon && !w->plain) {
        put(w, p->node->space, p->node->space_size);
        put_char(w, ';');
    }
}

/* Whether the node can be written without a ; in front of it, as it was read: that comes later, or
 * what follows shows that the node ends. */
static bool is_bare(struct writer const *w, redo_sgf_node const *n)
{
    bool values = false;
    if (w->plain || !n->bare || !node_in_parentheses(n))
        return false;
    for (redo_sgf_property const *p = n->properties; p; p = p->next) {
        values |= p->first != NULL;
        if (p->first && p->semicolon)
            return true;
    }
    return values && (!n->first || node_in_parentheses(n->first));
}

static void put_node(struct writer *w, redo_sgf_node const *n)
{
    bool opens = node_in_parentheses(n), root = !n->parent;
    if (opens) {
        if (!root)
            put_space(w, n->open, n->open_size, "\n");
        put_char(w, '(');
    }
    if (!is_bare(w, n)) {
        put_space(w, n->space, n->space_size, opens ? "" : "\n");
        put_char(w, ';');
    }
    if (w->declare && root)
        put(w, "CA[UTF-8]", 9);
    for (redo_sgf_property const *p = n->properties; p; p = p->next)
        put_property(w, p);
}

/* After the last node of a line: closes what ends there, and gives the node to go on with. */
static redo_sgf_node const *close_line(struct writer *w, redo_sgf_node const *n)
{
    for (;;) {
        if (node_in_parentheses(n)) {
            put_space(w, n->close, n->close_size, "");
            put_char(w, ')');
        }
        if (n == w->game->root || n->next)
            return n->next;
        n = n->parent;
    }
}

static void put_game(struct writer *w)
{
    redo_sgf_game const *g = w->game;
    if (!w->plain && g->text)
        put(w, g->text, g->lead_size);
    for (redo_sgf_node const *n = g->root; n && w->out.code == 0;) {
        put_node(w, n);
        n = n->first ? n->first : close_line(w, n);
    }
    if (w->plain || !g->text)
        put_char(w, '\n');
    output_flush(&w->out);
}

int redo_sgf_game_write(redo_sgf_game const *game, int flags, redo_sgf_sink *sink, void *data)
{
    struct writer w = {.game = game};
    if (output_init(&w.out, sink, data))
        return REDO_ENOMEM;
    redo_sgf_property const *declared = redo_sgf_node_property(game->root, "CA");
    w.plain = flags & REDO_SGF_PLAIN;
    w.declare = game->converted && !(declared && declared->first) && !(flags & REDO_SGF_NO_CHARSET);
    put_game(&w);
    output_close(&w.out);
    return w.out.code;
}
