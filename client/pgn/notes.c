/* What hangs on games and moves: tag pairs, comments, NAGs. */
#include <string.h>

#include "client/pgn/token.h"
#include "client/pgn/tree.h"
#include "client/text/utf8.h"

redo_pgn_tag *redo_pgn_game_tags(redo_pgn_game const *game)
{
    return game->tags;
}

redo_pgn_tag *redo_pgn_tag_next(redo_pgn_tag const *tag)
{
    return tag->next;
}

redo_text_string redo_pgn_tag_name(redo_pgn_tag const *tag)
{
    return tag->name;
}

redo_text_string redo_pgn_tag_value(redo_pgn_tag const *tag)
{
    return tag->value;
}

redo_pgn_tag *redo_pgn_game_tag(redo_pgn_game const *game, char const *name)
{
    size_t size = strlen(name);
    redo_pgn_tag *t = game->tags;
    while (t && !(t->name.size == size && memcmp(t->name.data, name, size) == 0))
        t = t->next;
    return t;
}

static bool is_name(char const *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!token_is_name((unsigned char)name[i]))
            return false;
    return size > 0;
}

/* Whether none of those bytes is in the text, nor a zero, and it is UTF-8. */
static int check(char const *text, size_t size, char const *without)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0' || strchr(without, text[i]))
            return REDO_EDAMAGED;
    return utf8_scan(text, size) == size ? REDO_OK : REDO_EUTF8;
}

int redo_pgn_tag_add(redo_pgn_game *game, char const *name, size_t name_size, char const *value,
                     size_t size)
{
    if (!is_name(name, name_size))
        return REDO_ENAME;
    int code = check(value, size, "\r\n");
    if (code)
        return code;
    redo_text_string n = {arena_copy(&game->arena, name, name_size), name_size};
    redo_text_string v = {arena_copy(&game->arena, value, size), size};
    return n.data && v.data && tag_new(game, n, v) ? REDO_OK : REDO_ENOMEM;
}

int redo_pgn_tag_set(redo_pgn_game *game, redo_pgn_tag *tag, char const *value, size_t size)
{
    int code = check(value, size, "\r\n");
    if (code)
        return code;
    char const *copy = arena_copy(&game->arena, value, size);
    if (!copy)
        return REDO_ENOMEM;
    tag->value = (redo_text_string){copy, size};
    return REDO_OK;
}

void redo_pgn_tag_remove(redo_pgn_game *game, redo_pgn_tag *tag)
{
    redo_pgn_tag *before = NULL;
    for (redo_pgn_tag *t = game->tags; t != tag; t = t->next)
        before = t;
    *(before ? &before->next : &game->tags) = tag->next;
    if (game->last_tag == tag)
        game->last_tag = before;
    tag->next = NULL;
}

static struct comments *list_at(redo_pgn_node *node, enum redo_pgn_where where)
{
    if (where == REDO_PGN_BEFORE)
        return node->parent ? &node->before : &node->after;
    if (where == REDO_PGN_END)
        return node->parent ? &node->after : &node->before;
    return &node->after;
}

redo_pgn_comment *redo_pgn_node_comments(redo_pgn_node const *node, enum redo_pgn_where where)
{
    if (where == REDO_PGN_END && node->parent)
        return NULL;
    return list_at((redo_pgn_node *)node, where)->first;
}

redo_pgn_comment *redo_pgn_comment_next(redo_pgn_comment const *comment)
{
    return comment->next;
}

redo_text_string redo_pgn_comment_text(redo_pgn_comment const *comment)
{
    return (redo_text_string){comment->text, comment->size};
}

int redo_pgn_comment_line(redo_pgn_comment const *comment)
{
    return comment->line;
}

int redo_pgn_comment_add(redo_pgn_game *game, redo_pgn_node *node, enum redo_pgn_where where,
                         char const *text, size_t size, int line)
{
    if (where == REDO_PGN_END && node->parent)
        return REDO_EDAMAGED;
    int code = check(text, size, line ? "\r\n" : "\r}");
    if (code)
        return code;
    char const *copy = arena_copy(&game->arena, text, size);
    return copy && comment_new(&game->arena, list_at(node, where), copy, size, line != 0)
               ? REDO_OK
               : REDO_ENOMEM;
}

void redo_pgn_comments_clear(redo_pgn_node *node, enum redo_pgn_where where)
{
    if (where != REDO_PGN_END || !node->parent)
        *list_at(node, where) = (struct comments){0};
}

redo_pgn_nag *redo_pgn_node_nags(redo_pgn_node const *node)
{
    return node->nags;
}

redo_pgn_nag *redo_pgn_nag_next(redo_pgn_nag const *nag)
{
    return nag->next;
}

unsigned redo_pgn_nag_number(redo_pgn_nag const *nag)
{
    return nag->number;
}

redo_text_string redo_pgn_nag_sign(redo_pgn_nag const *nag)
{
    char const *sign = nag->sign ? nag->sign : "";
    return (redo_text_string){sign, strlen(sign)};
}

int redo_pgn_nag_add(redo_pgn_game *game, redo_pgn_node *node, unsigned number, char const *sign)
{
    unsigned means = number;
    if (!node->parent || number > REDO_PGN_NAG_MOST)
        return REDO_EDAMAGED;
    if (sign && (!(sign = token_sign(sign, strlen(sign), &means)) || means != number))
        return REDO_EDAMAGED;
    return nag_new(&game->arena, node, number, sign) ? REDO_OK : REDO_ENOMEM;
}

void redo_pgn_nags_clear(redo_pgn_node *node)
{
    node->nags = node->last_nag = NULL;
}
