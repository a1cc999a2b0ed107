/* The parser: one pass over the text of a game. The variations that are open are held on a stack
 * of its own. */
#include "client/pgn/parse.h"

#include <stdlib.h>
#include <string.h>

#include "client/pgn/token.h"
#include "client/text/place.h"

/* A variation that is open: the move that it is another one for, and where its ( is. */
struct open {
    redo_pgn_node *node;
    size_t at;
};

struct parser {
    redo_pgn_game *game;
    redo_text_limits const *limits;
    redo_text_error *error;
    char const *text;
    size_t size;
    size_t at;
    bool column_one;
    redo_pgn_node *node;     /* the last move; the root before the first */
    bool fresh;              /* a ( was read, and no move since: node is the one before it */
    bool closed;             /* a ) was read, and no move since */
    bool over;               /* the result was read */
    struct comments pending; /* they will be before a move, if one comes */
    struct open *stack;
    size_t depth, cap;
    size_t nodes;
    bool numbered; /* the number before the first move was read */
    size_t dots;   /* after it */
};

static int damaged(struct parser *p, char const *message)
{
    return error_say(p->error, REDO_EDAMAGED, "%s", message);
}

static int no_memory(struct parser *p)
{
    if (p->game->arena.full)
        return error_say(p->error, REDO_EFULL, "the game takes more than %zu bytes of memory",
                         p->limits->memory);
    return error_say(p->error, REDO_ENOMEM, "out of memory");
}

static void skip_space(struct parser *p)
{
    while (p->at < p->size && is_space((unsigned char)p->text[p->at]))
        p->at++;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* --- tags --- */

/* The text of a string, whose escapes are \" and \\. Any other backslash is one. */
static char const *unescape(struct parser *p, size_t from, size_t to, size_t *size)
{
    *size = to - from;
    if (!memchr(p->text + from, '\\', to - from))
        return p->text + from;
    char *copy = arena_copy(&p->game->arena, p->text + from, to - from);
    size_t n = 0;
    for (size_t i = from; copy && i < to; i++) {
        if (p->text[i] == '\\' && (p->text[i + 1] == '"' || p->text[i + 1] == '\\'))
            i++;
        copy[n++] = p->text[i];
    }
    *size = n;
    return copy;
}

static int parse_string(struct parser *p, redo_text_string *value)
{
    size_t begin = p->at++;
    while (p->at < p->size && p->text[p->at] != '"' && !is_line_end(p->text[p->at]))
        p->at += p->text[p->at] == '\\' && p->at + 1 < p->size && !is_line_end(p->text[p->at + 1])
                     ? 2
                     : 1;
    if (p->at >= p->size || p->text[p->at] != '"') {
        p->at = begin;
        return damaged(p, "the string that begins here has no end on its line: \" expected");
    }
    value->data = unescape(p, begin + 1, p->at, &value->size);
    p->at++;
    return value->data ? REDO_OK : no_memory(p);
}

static int parse_tag(struct parser *p)
{
    redo_text_string name, value;
    p->at++;
    skip_space(p);
    name.data = p->text + p->at;
    while (p->at < p->size && token_is_name((unsigned char)p->text[p->at]))
        p->at++;
    name.size = (size_t)(p->text + p->at - name.data);
    if (name.size == 0)
        return damaged(p, "a tag pair must begin with a name");
    skip_space(p);
    if (p->at == p->size || p->text[p->at] != '"')
        return damaged(p, "a tag pair needs a value: \" expected");
    int code = parse_string(p, &value);
    if (code)
        return code;
    skip_space(p);
    if (p->at == p->size || p->text[p->at] != ']')
        return damaged(p, "a tag pair has no end: ] expected");
    p->at++;
    return tag_new(p->game, name, value) ? REDO_OK : no_memory(p);
}

/* --- comments --- */

/* The text with its line ends as \n. */
static char const *plain_lines(struct parser *p, char const *text, size_t *size)
{
    if (!memchr(text, '\r', *size))
        return text;
    char *copy = arena_copy(&p->game->arena, text, *size);
    size_t n = 0;
    for (size_t i = 0; copy && i < *size; i++) {
        copy[n++] = text[i] == '\r' ? '\n' : text[i];
        if (text[i] == '\r' && i + 1 < *size && text[i + 1] == '\n')
            i++;
    }
    *size = n;
    return copy;
}

static int add_comment(struct parser *p, char const *text, size_t size, bool line)
{
    struct comments *list = p->over                 ? &p->game->root->before
                            : p->fresh || p->closed ? &p->pending
                                                    : &p->node->after;
    text = plain_lines(p, text, &size);
    return text && comment_new(&p->game->arena, list, text, size, line) ? REDO_OK : no_memory(p);
}

static int parse_comment(struct parser *p)
{
    char const *begin = p->text + p->at + 1, *end = memchr(begin, '}', p->size - p->at - 1);
    if (!end)
        return damaged(p, "the comment that begins here has no end: } expected");
    int code = add_comment(p, begin, (size_t)(end - begin), false);
    if (code == REDO_OK)
        p->at = (size_t)(end + 1 - p->text);
    return code;
}

/* To the end of the line, which is left. */
static size_t skip_line(struct parser *p)
{
    size_t begin = ++p->at;
    while (p->at < p->size && !is_line_end(p->text[p->at]))
        p->at++;
    return p->at - begin;
}

static int parse_line_comment(struct parser *p)
{
    size_t size = skip_line(p);
    return add_comment(p, p->text + p->at - size, size, true);
}

/* No move came for these: they are comments on the one before. */
static void settle_pending(struct parser *p)
{
    comments_append(&p->node->after, &p->pending);
}

/* --- variations --- */

static int parse_open(struct parser *p)
{
    if (p->fresh)
        return damaged(p, "a variation must begin with a move");
    if (!p->node->parent)
        return damaged(p, "a variation before the first move");
    if (p->depth == p->limits->depth)
        return error_say(p->error, REDO_EFULL, "variations are nested deeper than %zu",
                         p->limits->depth);
    if (p->depth == p->cap) {
        size_t cap = p->cap > 0 ? 2 * p->cap : 64;
        struct open *stack = realloc(p->stack, cap * sizeof *stack);
        if (!stack)
            return no_memory(p);
        p->stack = stack;
        p->cap = cap;
    }
    p->stack[p->depth++] = (struct open){p->node, p->at++};
    p->fresh = true;
    return REDO_OK;
}

static int parse_close(struct parser *p)
{
    if (p->depth == 0)
        return damaged(p, "a ) without its (");
    settle_pending(p);
    p->node = p->stack[--p->depth].node;
    p->fresh = false;
    p->closed = true;
    p->at++;
    return REDO_OK;
}

/* --- words --- */

/* Of all numbers only that before the first move counts. */
static void parse_number(struct parser *p, char const *word, size_t size)
{
    unsigned long number = 0;
    if (p->node->parent || p->fresh)
        return;
    for (size_t i = 0; i < size && number <= NUMBER_MOST; i++)
        number = number * 10 + (unsigned long)(word[i] - '0');
    p->numbered = number <= NUMBER_MOST;
    p->dots = 0;
    p->game->number = number;
}

/* At the first move: whose it is. */
static void begin_moves(struct parser *p)
{
    if (p->numbered)
        p->game->black = p->dots > 1;
    else
        game_start_by_tags(p->game);
}

static int add_move(struct parser *p, char const *word, size_t size)
{
    redo_pgn_node *parent = p->fresh ? p->node->parent : p->node;
    if (p->nodes == p->limits->nodes)
        return error_say(p->error, REDO_EFULL, "the game has more than %zu moves",
                         p->limits->nodes);
    if (!p->node->parent && !p->fresh)
        begin_moves(p);
    redo_pgn_node *n = pgn_node_new(&p->game->arena, parent, word, size);
    if (!n)
        return no_memory(p);
    p->nodes++;
    comments_append(&n->before, &p->pending);
    p->node = n;
    p->fresh = p->closed = false;
    return REDO_OK;
}

static int add_nag(struct parser *p, unsigned number, char const *sign)
{
    if (p->fresh || !p->node->parent)
        return damaged(p, "a sign or NAG needs a move before it");
    return nag_new(&p->game->arena, p->node, number, sign) ? REDO_OK : no_memory(p);
}

/* exd6 e.p. is one move. */
static int join_en_passant(struct parser *p)
{
    redo_pgn_node *n = p->node;
    if (p->fresh || !n->parent)
        return damaged(p, "e.p. needs a move before it");
    char *joined = arena_take(&p->game->arena, n->size + (size_t)4);
    if (!joined)
        return no_memory(p);
    memcpy(joined, n->move, n->size);
    memcpy(joined + n->size, "e.p.", 4);
    if (!token_is_move(joined, n->size + (size_t)4)) /* it has one */
        return damaged(p, "e.p. can not stand after this move");
    n->move = joined;
    n->size += 4;
    return REDO_OK;
}

/* In a variation a result is no end of the game; that it was said is kept as a comment. */
static int parse_result(struct parser *p, char const *word, size_t size,
                        enum redo_pgn_result result)
{
    if (p->depth > 0)
        return add_comment(p, word, size, false);
    settle_pending(p);
    p->game->result = result;
    p->over = true;
    return REDO_OK;
}

static int parse_word(struct parser *p)
{
    size_t mark = token_mark(p->text + p->at, p->size - p->at);
    char const *word = p->text + p->at + mark, *sign;
    size_t size = token_size(word, p->size - p->at - mark);
    enum redo_pgn_result result;
    unsigned number;
    int code = REDO_OK;
    if (size == 4 && memcmp(word, "e.p.", 4) == 0)
        code = join_en_passant(p);
    else if (token_is_number(word, size))
        parse_number(p, word, size);
    else if (token_is_result(word, size, &result))
        code = parse_result(p, word, size, result);
    else if ((sign = token_sign(word, size, &number)))
        code = add_nag(p, number, sign);
    else if (token_is_move(word, size))
        code = add_move(p, word, size);
    else if (size > 0)
        code = damaged(p, "a move can not begin like this");
    if (code == REDO_OK)
        p->at += mark + size;
    return code;
}

/* ! and ?, alone or two together. */
static int parse_marks(struct parser *p)
{
    size_t size =
        p->at + 1 < p->size && (p->text[p->at + 1] == '!' || p->text[p->at + 1] == '?') ? 2 : 1;
    unsigned number = 0;
    char const *sign = token_sign(p->text + p->at, size, &number);
    int code = add_nag(p, number, sign);
    if (code == REDO_OK)
        p->at += size;
    return code;
}

static int parse_nag(struct parser *p)
{
    size_t at = p->at + 1;
    unsigned number = 0;
    while (at < p->size && is_digit((unsigned char)p->text[at]) && number <= REDO_PGN_NAG_MOST)
        number = number * 10 + (unsigned)(p->text[at++] - '0');
    if (at == p->at + 1)
        return damaged(p, "a $ needs a number");
    if (number > REDO_PGN_NAG_MOST)
        return error_say(p->error, REDO_EDAMAGED, "a NAG above %d", REDO_PGN_NAG_MOST);
    int code = add_nag(p, number, NULL);
    if (code == REDO_OK)
        p->at = at;
    return code;
}

static int stray(struct parser *p)
{
    unsigned char c = (unsigned char)p->text[p->at];
    if (c == '<' || c == '>')
        return error_say(p->error, REDO_EDAMAGED, "'%c' is reserved and means nothing yet", c);
    if (c > ' ' && c < 0x7f)
        return error_say(p->error, REDO_EDAMAGED, "'%c' does not belong here", c);
    return damaged(p, "a character that is no part of PGN outside of a comment");
}

static int parse_token(struct parser *p)
{
    char c = p->text[p->at];
    bool column_one = p->at == 0 ? p->column_one : is_line_end(p->text[p->at - 1]);
    switch (c) {
    case '[':
        return p->node->parent || p->over || p->depth > 0 ? stray(p) : parse_tag(p);
    case '{':
        return parse_comment(p);
    case ';':
        return parse_line_comment(p);
    case '(':
        return parse_open(p);
    case ')':
        return parse_close(p);
    case '$':
        return parse_nag(p);
    case '!':
    case '?':
        return parse_marks(p);
    case '*':
        p->at++;
        return parse_result(p, "*", 1, REDO_PGN_UNKNOWN);
    case '.':
        p->at++;
        p->dots++;
        return REDO_OK;
    case '%':
        if (!column_one)
            break;
        skip_line(p);
        return REDO_OK;
    }
    return token_chars[(unsigned char)c] && c != '%' ? parse_word(p) : stray(p);
}

static int check_zeros(struct parser *p)
{
    char const *zero = memchr(p->text, '\0', p->size);
    if (!zero)
        return REDO_OK;
    p->at = (size_t)(zero - p->text);
    return damaged(p, "a zero byte: this is no PGN, or in UTF-16 or UTF-32");
}

/* The end of the text is the end of all but of variations. */
static int finish(struct parser *p)
{
    if (p->depth > 0) {
        p->at = p->stack[p->depth - 1].at;
        return damaged(p, "the variation that begins here has no end: ) expected");
    }
    if (!p->over)
        settle_pending(p);
    if (!p->game->root->first)
        game_start_by_tags(p->game);
    return REDO_OK;
}

int pgn_parse_game(redo_pgn_game *game, bool column_one, redo_text_limits const *limits, size_t *at,
                   redo_text_error *error)
{
    struct parser p = {.game = game,
                       .limits = limits,
                       .error = error,
                       .text = game->text,
                       .size = game->text_size,
                       .column_one = column_one};
    p.node = game->root = pgn_node_new(&game->arena, NULL, "", 0);
    int code = p.node ? check_zeros(&p) : no_memory(&p);
    for (skip_space(&p); code == REDO_OK && p.at < p.size; skip_space(&p))
        code = parse_token(&p);
    if (code == REDO_OK)
        code = finish(&p);
    free(p.stack);
    *at = p.at;
    return code;
}
