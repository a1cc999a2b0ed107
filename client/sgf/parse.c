/* The parser: one pass over the text of a game. The stack is the tree itself: a closing parenthesis
 * leads from the node before it up to the one that began the variation. Each node is climbed over
 * once, when the variation it stands in ends, so all of it is linear. */
#include "client/sgf/parse.h"

#include <string.h>

struct parser {
    redo_sgf_game *game;
    redo_sgf_limits const *limits;
    redo_sgf_error *error;
    char const *text;
    size_t size;
    size_t at;
    size_t space; /* where the spaces before at begin */
    redo_sgf_node *node;
    bool opened;      /* a ( was read, and its first node not yet */
    size_t open;      /* where that ( is */
    size_t open_from; /* and the spaces before it */
    size_t depth, nodes;
};

static int no_memory(struct parser *p)
{
    if (p->game->arena.full)
        return error_say(p->error, REDO_EFULL, "the game takes more than %zu bytes of memory",
                         p->limits->memory);
    return error_say(p->error, REDO_ENOMEM, "out of memory");
}

/* The spaces before the token at p->at; the next ones begin after it. */
static char const *take_space(struct parser *p, uint32_t *size)
{
    *size = (uint32_t)(p->at - p->space);
    return p->text + p->space;
}

static int begin_node(struct parser *p)
{
    if (p->node && p->node->first && !p->opened)
        return error_say(p->error, REDO_EDAMAGED, "a node after the variations: a ( is missing");
    if (p->nodes == p->limits->nodes)
        return error_say(p->error, REDO_EFULL, "the game has more than %zu nodes",
                         p->limits->nodes);
    redo_sgf_node *n = node_new(&p->game->arena, p->node);
    if (!n)
        return no_memory(p);
    p->nodes++;
    if (!p->node)
        p->game->root = n;
    if (p->opened) {
        n->variation = true;
        n->open = p->text + p->open_from;
        n->open_size = (uint32_t)(p->open - p->open_from);
    }
    p->opened = false;
    p->node = n;
    return REDO_OK;
}

/* Whether the node has properties, and its semicolon comes only now. */
static bool lacks_semicolon(redo_sgf_node const *n)
{
    return n->bare && !n->first && !n->space;
}

static int parse_semicolon(struct parser *p)
{
    if (!p->opened && lacks_semicolon(p->node)) {
        p->node->last_property->semicolon = true;
    } else {
        int code = begin_node(p);
        if (code)
            return code;
    }
    p->node->space = take_space(p, &p->node->space_size);
    p->space = ++p->at;
    return REDO_OK;
}

static int parse_open(struct parser *p)
{
    if (p->opened)
        return error_say(p->error, REDO_EDAMAGED, "a variation must begin with a node: ; expected");
    if (p->depth == p->limits->depth)
        return error_say(p->error, REDO_EFULL, "variations are nested deeper than %zu",
                         p->limits->depth);
    p->depth++;
    p->opened = true;
    p->open = p->at;
    p->open_from = p->space;
    p->space = ++p->at;
    return REDO_OK;
}

static int parse_close(struct parser *p)
{
    if (p->opened)
        return error_say(p->error, REDO_EDAMAGED, "a variation without a node");
    redo_sgf_node *n = p->node;
    while (!n->variation)
        n = n->parent;
    n->close = take_space(p, &n->close_size);
    p->node = n->parent;
    p->depth--;
    p->space = ++p->at;
    return REDO_OK;
}

/* Where the value that begins at p->at ends: the ]. */
static size_t find_end(struct parser const *p)
{
    size_t at = p->at;
    while (at < p->size && p->text[at] != ']')
        at += p->text[at] == '\\' ? 2 : 1;
    return at;
}

static int parse_value(struct parser *p, redo_sgf_property *property)
{
    uint32_t space_size;
    char const *space = take_space(p, &space_size);
    p->at++;
    size_t end = find_end(p);
    if (end >= p->size) {
        p->at--;
        return error_say(p->error, REDO_EDAMAGED,
                         "the value that begins here has no end: ] expected");
    }
    redo_sgf_value *v = value_new(&p->game->arena, property, p->text + p->at, end - p->at);
    if (!v)
        return no_memory(p);
    v->space = space;
    v->space_size = space_size;
    p->space = p->at = end + 1;
    return REDO_OK;
}

static void skip_space(struct parser *p)
{
    while (p->at < p->size && is_space((unsigned char)p->text[p->at]))
        p->at++;
}

/* The name at p->at, and the spaces before it. */
static int parse_name(struct parser *p, redo_sgf_property **property)
{
    uint32_t space_size;
    char const *space = take_space(p, &space_size), *name = p->text + p->at;
    bool capital = false;
    size_t end = p->at;
    while (end < p->size &&
           (is_letter((unsigned char)p->text[end]) || is_digit((unsigned char)p->text[end])))
        capital |= is_capital((unsigned char)p->text[end++]);
    if (!capital)
        return error_say(p->error, REDO_EDAMAGED, "a property name needs a capital letter");
    *property = property_new(&p->game->arena, p->node, name, end - p->at);
    if (!*property)
        return no_memory(p);
    (*property)->space = space;
    (*property)->space_size = space_size;
    p->space = p->at = end;
    return REDO_OK;
}

static int parse_property(struct parser *p)
{
    redo_sgf_property *property;
    int code = REDO_OK;
    if (p->opened) {
        code = begin_node(p);
        if (code)
            return code;
        p->node->bare = true;
    } else if (p->node->first) {
        return error_say(p->error, REDO_EDAMAGED, "a property after the variations of its node");
    }
    code = parse_name(p, &property);
    skip_space(p);
    if (code == REDO_OK && (p->at == p->size || p->text[p->at] != '['))
        return error_say(p->error, REDO_EDAMAGED, "a property needs a value: [ expected");
    while (code == REDO_OK && p->at < p->size && p->text[p->at] == '[') {
        code = parse_value(p, property);
        if (code == REDO_OK)
            skip_space(p);
    }
    return code;
}

static int stray(struct parser *p)
{
    unsigned char c = (unsigned char)p->text[p->at];
    if (c == '[')
        return error_say(p->error, REDO_EDAMAGED, "a value without a property");
    if (c > ' ' && c < 0x7f)
        return error_say(p->error, REDO_EDAMAGED, "'%c' is no part of SGF outside of a value", c);
    return error_say(p->error, REDO_EDAMAGED,
                     "a character that is no part of SGF outside of a value");
}

static int parse_token(struct parser *p)
{
    char c = p->text[p->at];
    if (c == ';')
        return parse_semicolon(p);
    if (c == '(')
        return parse_open(p);
    if (c == ')')
        return parse_close(p);
    if (is_letter((unsigned char)c))
        return parse_property(p);
    return stray(p);
}

static int check_zeros(struct parser *p)
{
    char const *zero = memchr(p->text, '\0', p->size);
    if (!zero)
        return REDO_OK;
    p->at = (size_t)(zero - p->text);
    return error_say(p->error, REDO_EDAMAGED,
                     "a zero byte: this is no SGF, or in UTF-16 or UTF-32");
}

int parse_game(redo_sgf_game *game, redo_sgf_limits const *limits, size_t *at,
               redo_sgf_error *error)
{
    struct parser p = {.game = game,
                       .limits = limits,
                       .error = error,
                       .text = game->text,
                       .size = game->text_size,
                       .at = game->lead_size,
                       .space = game->lead_size};
    int code = check_zeros(&p);
    if (code == REDO_OK)
        code = parse_open(&p);
    while (code == REDO_OK && p.depth > 0) {
        skip_space(&p);
        if (p.at == p.size)
            code = error_say(error, REDO_EDAMAGED, "the game has no end: ) expected");
        else
            code = parse_token(&p);
    }
    *at = p.at;
    return code;
}
