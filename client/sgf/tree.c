/* Games in memory, looking at them and changing them. */
#include "client/sgf/tree.h"

#include <stdlib.h>
#include <string.h>

#include "client/text/utf8.h"

redo_sgf_node *node_new(struct arena *a, redo_sgf_node *parent)
{
    redo_sgf_node *n = arena_take(a, sizeof *n);
    if (n && parent)
        sgf_tree_append(parent, n);
    return n;
}

redo_sgf_property *property_new(struct arena *a, redo_sgf_node *node, char const *name, size_t size)
{
    redo_sgf_property *p = arena_take(a, sizeof *p);
    if (!p)
        return NULL;
    p->node = node;
    p->name = name;
    p->name_size = (uint32_t)size;
    if (node->last_property)
        node->last_property->next = p;
    else
        node->properties = p;
    node->last_property = p;
    return p;
}

redo_sgf_value *value_new(struct arena *a, redo_sgf_property *property, char const *raw,
                          size_t size)
{
    redo_sgf_value *v = arena_take(a, sizeof *v);
    if (!v)
        return NULL;
    v->property = property;
    v->raw = raw;
    v->size = size;
    if (property->last)
        property->last->next = v;
    else
        property->first = v;
    property->last = v;
    return v;
}

redo_sgf_game *redo_sgf_game_new(void)
{
    redo_sgf_game *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->arena.limit = SIZE_MAX;
    strcpy(g->charset, "UTF-8");
    g->root = node_new(&g->arena, NULL);
    if (!g->root) {
        free(g);
        return NULL;
    }
    return g;
}

void redo_sgf_game_free(redo_sgf_game *game)
{
    if (!game)
        return;
    arena_free(&game->arena);
    free(game->text);
    free(game);
}

redo_sgf_node *redo_sgf_game_root(redo_sgf_game const *game)
{
    return game->root;
}

redo_sgf_string redo_sgf_game_lead(redo_sgf_game const *game)
{
    return (redo_sgf_string){game->text ? game->text : "", game->lead_size};
}

char const *redo_sgf_game_charset(redo_sgf_game const *game)
{
    return game->charset;
}

int redo_sgf_game_guessed(redo_sgf_game const *game)
{
    return game->guessed;
}

int redo_sgf_game_place(redo_sgf_game const *game, char const *text, unsigned long *line,
                        unsigned long *column)
{
    uintptr_t at = (uintptr_t)text, begin = (uintptr_t)game->text;
    if (!game->text || at < begin || at > begin + game->text_size)
        return 0;
    *line = game->line;
    *column = game->column;
    place_advance(line, column, game->text, at - begin);
    return 1;
}

redo_sgf_node *redo_sgf_node_parent(redo_sgf_node const *node)
{
    return node->parent;
}

redo_sgf_node *redo_sgf_node_first(redo_sgf_node const *node)
{
    return node->first;
}

redo_sgf_node *redo_sgf_node_next(redo_sgf_node const *node)
{
    return node->next;
}

redo_sgf_node *redo_sgf_node_previous(redo_sgf_node const *node)
{
    return node->previous;
}

redo_sgf_node *redo_sgf_node_after(redo_sgf_node const *node, redo_sgf_node const *top)
{
    return sgf_tree_after(node, top);
}

redo_sgf_node *redo_sgf_node_add(redo_sgf_game *game, redo_sgf_node *parent)
{
    return node_new(&game->arena, parent);
}

int redo_sgf_node_remove(redo_sgf_node *node)
{
    return sgf_tree_remove(node) ? REDO_OK : REDO_EFIRST;
}

bool node_in_parentheses(redo_sgf_node const *node)
{
    return !node->parent || node->variation || node->next || node->previous;
}

redo_sgf_property *redo_sgf_node_properties(redo_sgf_node const *node)
{
    return node->properties;
}

redo_sgf_property *redo_sgf_property_next(redo_sgf_property const *property)
{
    return property->next;
}

redo_sgf_string redo_sgf_property_name(redo_sgf_property const *property)
{
    return (redo_sgf_string){property->name, property->name_size};
}

static bool is_small(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}

int redo_sgf_property_is(redo_sgf_property const *property, char const *id)
{
    for (size_t i = 0; i < property->name_size; i++) {
        if (is_small((unsigned char)property->name[i]))
            continue;
        if (property->name[i] != *id)
            return 0;
        id++;
    }
    return *id == '\0';
}

redo_sgf_property *redo_sgf_node_property(redo_sgf_node const *node, char const *id)
{
    redo_sgf_property *p = node->properties;
    while (p && !redo_sgf_property_is(p, id))
        p = p->next;
    return p;
}

static bool is_name(char const *name, size_t size)
{
    bool capital = false;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)name[i];
        if (!is_letter(c) && (i == 0 || !is_digit(c)))
            return false;
        capital |= is_capital(c);
    }
    return capital && size <= UINT32_MAX;
}

int redo_sgf_property_add(redo_sgf_game *game, redo_sgf_node *node, char const *name, size_t size,
                          redo_sgf_property **property)
{
    if (!is_name(name, size))
        return REDO_ENAME;
    char const *copy = arena_copy(&game->arena, name, size);
    redo_sgf_property *p = copy ? property_new(&game->arena, node, copy, size) : NULL;
    if (property)
        *property = p;
    return p ? REDO_OK : REDO_ENOMEM;
}

void redo_sgf_property_remove(redo_sgf_property *property)
{
    redo_sgf_node *node = property->node;
    redo_sgf_property *before = NULL;
    for (redo_sgf_property *p = node->properties; p != property; p = p->next)
        before = p;
    *(before ? &before->next : &node->properties) = property->next;
    if (node->last_property == property)
        node->last_property = before;
    property->next = NULL;
}

redo_sgf_value *redo_sgf_property_values(redo_sgf_property const *property)
{
    return property->first;
}

redo_sgf_value *redo_sgf_value_next(redo_sgf_value const *value)
{
    return value->next;
}

redo_sgf_string redo_sgf_value_raw(redo_sgf_value const *value)
{
    return (redo_sgf_string){value->raw, value->size};
}

static int check_raw(char const *raw, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (raw[i] == '\\')
            i++;
        else if (raw[i] == ']')
            return REDO_EDAMAGED;
        if (i == size || raw[i] == '\0')
            return REDO_EDAMAGED;
    }
    return utf8_scan(raw, size) == size ? REDO_OK : REDO_EUTF8;
}

int redo_sgf_value_add(redo_sgf_game *game, redo_sgf_property *property, char const *raw,
                       size_t size)
{
    int code = check_raw(raw, size);
    if (code)
        return code;
    char const *copy = arena_copy(&game->arena, raw, size);
    return copy && value_new(&game->arena, property, copy, size) ? REDO_OK : REDO_ENOMEM;
}

int redo_sgf_value_set(redo_sgf_game *game, redo_sgf_value *value, char const *raw, size_t size)
{
    int code = check_raw(raw, size);
    if (code)
        return code;
    char const *copy = arena_copy(&game->arena, raw, size);
    if (!copy)
        return REDO_ENOMEM;
    value->raw = copy;
    value->size = size;
    return REDO_OK;
}

void redo_sgf_value_remove(redo_sgf_value *value)
{
    redo_sgf_property *property = value->property;
    redo_sgf_value *before = NULL;
    for (redo_sgf_value *v = property->first; v != value; v = v->next)
        before = v;
    *(before ? &before->next : &property->first) = value->next;
    if (property->last == value)
        property->last = before;
    value->next = NULL;
}
