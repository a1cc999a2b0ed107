#include "client/games/layout.h"

#include <string.h>

enum { IN_LINE, OPEN, OPENED, CLOSE, NAME, VALUE };

#define LOOKED_AT 1000 /* nodes, to find the style */

void layout_plain(struct layout_style *style)
{
    static char const *const plain[STYLES] = {"\n", "\n", "", "", "", ""};
    for (int i = 0; i < STYLES; i++)
        style->space[i] = (redo_sgf_string){plain[i], strlen(plain[i])};
}

bool layout_style_is_plain(struct layout_style const *style)
{
    struct layout_style plain;
    layout_plain(&plain);
    for (int i = 0; i < STYLES; i++)
        if (style->space[i].size != plain.space[i].size ||
            memcmp(style->space[i].data, plain.space[i].data, plain.space[i].size) != 0)
            return false;
    return true;
}

struct finding {
    struct layout_style *style;
    bool found[STYLES];
};

static void find(struct finding *f, int which, char const *space, size_t size)
{
    if (f->found[which] || !space)
        return;
    f->found[which] = true;
    f->style->space[which] = (redo_sgf_string){space, size};
}

static void find_in_node(struct finding *f, redo_sgf_node const *n)
{
    if (n->variation && n->parent)
        find(f, OPEN, n->open, n->open_size);
    if (n->variation)
        find(f, CLOSE, n->close, n->close_size);
    if (!n->bare)
        find(f, n->variation ? OPENED : IN_LINE, n->space, n->space_size);
    for (redo_sgf_property const *p = n->properties; p; p = p->next) {
        find(f, NAME, p->space, p->space_size);
        for (redo_sgf_value const *v = p->first; v; v = v->next)
            find(f, VALUE, v->space, v->space_size);
    }
}

void layout_style_of(struct layout_style *style, redo_sgf_game const *game)
{
    struct finding f = {.style = style};
    int looked_at = 0;
    layout_plain(style);
    for (redo_sgf_node const *n = game->root; n && looked_at < LOOKED_AT; looked_at++) {
        find_in_node(&f, n);
        n = redo_sgf_node_after(n, game->root);
    }
}

static bool is(struct layout_style const *style, int which, char const *space, size_t size)
{
    redo_sgf_string s = style->space[which];
    return size == s.size && (size == 0 || (space && memcmp(space, s.data, size) == 0));
}

bool layout_has_style(struct layout_style const *style, redo_sgf_node const *n)
{
    bool root = !n->parent;
    if (n->bare || n->variation != node_in_parentheses(n) ||
        !is(style, n->variation ? OPENED : IN_LINE, n->space, n->space_size))
        return false;
    if (n->variation && ((!root && !is(style, OPEN, n->open, n->open_size)) ||
                         !is(style, CLOSE, n->close, n->close_size)))
        return false;
    /* The variation of an only child can not be told from a line. */
    if (n->variation && !root && !n->next && !n->previous)
        return false;
    for (redo_sgf_property const *p = n->properties; p; p = p->next) {
        if (!is(style, NAME, p->space, p->space_size))
            return false;
        for (redo_sgf_value const *v = p->first; v; v = v->next)
            if (!is(style, VALUE, v->space, v->space_size))
                return false;
    }
    return true;
}

void layout_tell(redo_sgf_node const *n, struct buffer *b)
{
    buffer_rewind(b, 0);
    if (n->variation && n->parent) {
        buffer_append(b, n->open, n->open_size);
        buffer_append(b, "(", 1);
    }
    if (!n->bare) {
        buffer_append(b, n->space, n->space_size);
        buffer_append(b, ";", 1);
    }
    for (redo_sgf_property const *p = n->properties; p; p = p->next) {
        buffer_append(b, p->space, p->space_size);
        buffer_append(b, "P", 1);
        for (redo_sgf_value const *v = p->first; v; v = v->next) {
            buffer_append(b, v->space, v->space_size);
            buffer_append(b, "[]", 2);
        }
        if (p->semicolon) {
            buffer_append(b, n->space, n->space_size);
            buffer_append(b, ";", 1);
        }
    }
    if (n->variation) {
        buffer_append(b, n->close, n->close_size);
        buffer_append(b, ")", 1);
    }
}

/* --- the way back --- */

static void apply_style(struct layout_style const *style, redo_sgf_node *n)
{
    redo_sgf_string const *s = style->space;
    bool opens = node_in_parentheses(n);
    n->bare = false;
    n->open = s[OPEN].data;
    n->open_size = (uint32_t)s[OPEN].size;
    n->close = s[CLOSE].data;
    n->close_size = (uint32_t)s[CLOSE].size;
    n->space = s[opens ? OPENED : IN_LINE].data;
    n->space_size = (uint32_t)s[opens ? OPENED : IN_LINE].size;
    for (redo_sgf_property *p = n->properties; p; p = p->next) {
        p->semicolon = false;
        p->space = s[NAME].data;
        p->space_size = (uint32_t)s[NAME].size;
        for (redo_sgf_value *v = p->first; v; v = v->next) {
            v->space = s[VALUE].data;
            v->space_size = (uint32_t)s[VALUE].size;
        }
    }
}

/* The spaces before a token, which is taken too. False: another token comes. */
static bool take(redo_sgf_string *told, char const *token, char const **space, uint32_t *size)
{
    size_t n = 0, token_size = strlen(token);
    while (n < told->size && is_space((unsigned char)told->data[n]))
        n++;
    if (told->size - n < token_size || memcmp(told->data + n, token, token_size) != 0)
        return false;
    *space = told->data;
    *size = (uint32_t)n;
    told->data += n + token_size;
    told->size -= n + token_size;
    return true;
}

static bool apply_property(redo_sgf_string *told, redo_sgf_property *p)
{
    if (!take(told, "P", &p->space, &p->space_size))
        return false;
    for (redo_sgf_value *v = p->first; v; v = v->next)
        if (!take(told, "[]", &v->space, &v->space_size))
            return false;
    return true;
}

static bool apply_told(redo_sgf_node *n, redo_sgf_string told)
{
    n->variation = !n->parent || take(&told, "(", &n->open, &n->open_size);
    bool semicolon = take(&told, ";", &n->space, &n->space_size);
    n->bare = !semicolon;
    if (n->bare && !n->properties)
        return false;
    for (redo_sgf_property *p = n->properties; p; p = p->next) {
        if (!apply_property(&told, p))
            return false;
        if (!semicolon && take(&told, ";", &n->space, &n->space_size))
            semicolon = p->semicolon = true;
    }
    if (n->variation && !take(&told, ")", &n->close, &n->close_size))
        return false;
    return told.size == 0 && n->variation == node_in_parentheses(n) && (!n->bare || n->variation);
}

void layout_apply(struct layout_style const *style, redo_sgf_node *node, redo_sgf_string told)
{
    if (told.data && apply_told(node, told))
        return;
    node->variation = false;
    apply_style(style, node);
}
