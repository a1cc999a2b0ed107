/* Games in memory, looking at them and changing them. */
#include "client/pgn/tree.h"

#include <stdlib.h>
#include <string.h>

#include "client/pgn/token.h"
#include "client/text/place.h"
#include "client/text/utf8.h"

redo_pgn_node *pgn_node_new(struct arena *a, redo_pgn_node *parent, char const *move, size_t size)
{
    redo_pgn_node *n = arena_take(a, sizeof *n);
    if (!n)
        return NULL;
    n->move = move;
    n->size = (uint32_t)size;
    if (parent)
        pgn_tree_append(parent, n);
    return n;
}

redo_pgn_tag *tag_new(redo_pgn_game *game, redo_text_string name, redo_text_string value)
{
    redo_pgn_tag *t = arena_take(&game->arena, sizeof *t);
    if (!t)
        return NULL;
    t->name = name;
    t->value = value;
    if (game->last_tag)
        game->last_tag->next = t;
    else
        game->tags = t;
    game->last_tag = t;
    return t;
}

void comments_append(struct comments *list, struct comments *from)
{
    if (!from->first)
        return;
    if (list->last)
        list->last->next = from->first;
    else
        list->first = from->first;
    list->last = from->last;
    *from = (struct comments){0};
}

redo_pgn_comment *comment_new(struct arena *a, struct comments *list, char const *text, size_t size,
                              bool line)
{
    redo_pgn_comment *c = arena_take(a, sizeof *c);
    if (!c)
        return NULL;
    c->text = text;
    c->size = size;
    c->line = line;
    comments_append(list, &(struct comments){c, c});
    return c;
}

redo_pgn_nag *nag_new(struct arena *a, redo_pgn_node *node, unsigned number, char const *sign)
{
    redo_pgn_nag *n = arena_take(a, sizeof *n);
    if (!n)
        return NULL;
    n->number = number;
    n->sign = sign;
    if (node->last_nag)
        node->last_nag->next = n;
    else
        node->nags = n;
    node->last_nag = n;
    return n;
}

bool node_follows(redo_pgn_node const *node)
{
    redo_pgn_node const *p = node->parent;
    if (!p || node->previous)
        return false;
    /* The variations of the move before stand between it and this one. */
    return p->previous || !p->next;
}

/* The piece placement, the side to move, castling, en passant, half moves, the number. */
void game_start_by_tags(redo_pgn_game *game)
{
    redo_pgn_tag const *fen = redo_pgn_game_tag(game, "FEN");
    game->number = 1;
    game->black = false;
    if (!fen)
        return;
    char const *s = fen->value.data;
    size_t size = fen->value.size, field = 0;
    unsigned long number = 0;
    for (size_t i = 0; i < size && field < 6; i++) {
        if (s[i] == ' ')
            field++;
        else if (field == 1)
            game->black = s[i] == 'b';
        else if (field == 5 && is_digit((unsigned char)s[i]) && number <= NUMBER_MOST / 10)
            number = number * 10 + (unsigned long)(s[i] - '0');
    }
    if (number > 0 && number <= NUMBER_MOST)
        game->number = number;
}

redo_pgn_game *redo_pgn_game_new(void)
{
    redo_pgn_game *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->arena.limit = SIZE_MAX;
    g->number = 1;
    strcpy(g->charset, "UTF-8");
    g->root = pgn_node_new(&g->arena, NULL, "", 0);
    if (!g->root) {
        free(g);
        return NULL;
    }
    return g;
}

void redo_pgn_game_free(redo_pgn_game *game)
{
    if (!game)
        return;
    arena_free(&game->arena);
    free(game->text);
    free(game);
}

redo_pgn_node *redo_pgn_game_root(redo_pgn_game const *game)
{
    return game->root;
}

char const *redo_pgn_game_charset(redo_pgn_game const *game)
{
    return game->charset;
}

enum redo_pgn_result redo_pgn_game_result(redo_pgn_game const *game)
{
    return game->result;
}

void redo_pgn_game_set_result(redo_pgn_game *game, enum redo_pgn_result result)
{
    game->result = result;
}

void redo_pgn_game_start(redo_pgn_game const *game, unsigned long *number, int *black)
{
    *number = game->number;
    *black = game->black;
}

void redo_pgn_game_set_start(redo_pgn_game *game, unsigned long number, int black)
{
    game->number = number < NUMBER_MOST ? number : NUMBER_MOST;
    game->black = black != 0;
}

redo_pgn_node *redo_pgn_node_parent(redo_pgn_node const *node)
{
    return node->parent;
}

redo_pgn_node *redo_pgn_node_first(redo_pgn_node const *node)
{
    return node->first;
}

redo_pgn_node *redo_pgn_node_next(redo_pgn_node const *node)
{
    return node->next;
}

redo_pgn_node *redo_pgn_node_previous(redo_pgn_node const *node)
{
    return node->previous;
}

redo_pgn_node *redo_pgn_node_after(redo_pgn_node const *node, redo_pgn_node const *top)
{
    return pgn_tree_after(node, top);
}

redo_text_string redo_pgn_node_move(redo_pgn_node const *node)
{
    return (redo_text_string){node->move, node->size};
}

int redo_pgn_node_add(redo_pgn_game *game, redo_pgn_node *parent, char const *move, size_t size,
                      redo_pgn_node **node)
{
    if (!token_is_move(move, size))
        return REDO_EDAMAGED;
    if (utf8_scan(move, size) < size)
        return REDO_EUTF8;
    char const *copy = arena_copy(&game->arena, move, size);
    redo_pgn_node *n = copy ? pgn_node_new(&game->arena, parent, copy, size) : NULL;
    if (node)
        *node = n;
    return n ? REDO_OK : REDO_ENOMEM;
}

int redo_pgn_node_remove(redo_pgn_node *node)
{
    return pgn_tree_remove(node) ? REDO_OK : REDO_EFIRST;
}
