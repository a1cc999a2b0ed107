/* A game in PGN to a session: each move a position, and a candidate of the one before. */
#include <stdlib.h>
#include <string.h>

#include "client/games/games.h"
#include "client/games/sheet.h"
#include "client/pgn/tree.h"
#include "client/text/place.h"

#define STATE_SIZE 4

struct importer {
    redo_pgn_game *game;
    redo_session *session;
    struct arena arena; /* of the position at hand */
    struct buffer scratch;
    uint32_t count;
};

static redo_sgf_string string(redo_text_string s)
{
    return (redo_sgf_string){s.data, s.size};
}

/* A comment in braces is a string, one of a line an array of it. One alone stands for itself. */
static void hang_comments(struct sheet *s, struct properties *to, char const *name,
                          redo_pgn_comment const *first)
{
    struct making m;
    size_t count = 0;
    for (redo_pgn_comment const *c = first; c; c = redo_pgn_comment_next(c))
        count++;
    if (count == 0)
        return;
    make_begin(&m, s->arena);
    if (count > 1 || redo_pgn_comment_line(first))
        make_array(&m, count);
    for (redo_pgn_comment const *c = first; c; c = redo_pgn_comment_next(c)) {
        redo_text_string text = redo_pgn_comment_text(c);
        if (redo_pgn_comment_line(c))
            make_array(&m, 1);
        make_string(&m, text.data, text.size);
    }
    set_made(s, to, (redo_sgf_string){name, strlen(name)}, &m);
}

/* Numbers, or where a sign was written [number, sign]. */
static void hang_nags(struct sheet *s, redo_pgn_node const *n)
{
    struct making m;
    size_t count = 0;
    for (redo_pgn_nag const *g = redo_pgn_node_nags(n); g; g = redo_pgn_nag_next(g))
        count++;
    if (count == 0)
        return;
    make_begin(&m, s->arena);
    make_array(&m, count);
    for (redo_pgn_nag const *g = redo_pgn_node_nags(n); g; g = redo_pgn_nag_next(g)) {
        redo_text_string sign = redo_pgn_nag_sign(g);
        if (sign.size > 0)
            make_array(&m, 2);
        make_integer(&m, redo_pgn_nag_number(g));
        if (sign.size > 0)
            make_string(&m, sign.data, sign.size);
    }
    set_made(s, &s->branch, (redo_sgf_string){"nags", 4}, &m);
}

static void hang_moves(struct sheet *s, redo_pgn_node const *n)
{
    for (redo_pgn_node const *c = n->first; c; c = c->next) {
        struct item *item = items_add(s, &s->candidates);
        if (!item)
            return;
        item->id = (uint32_t)s->candidates.count;
        item->has_move = true;
        item->move = (int)s->candidates.count - 1;
        item->text = string(redo_pgn_node_move(c));
    }
    if (n->first) {
        s->choice = redo_choice_made;
        s->chosen = s->candidates.first;
    }
}

static int hang(struct importer *im, redo_pgn_node const *n, redo_position *p)
{
    struct sheet s = {.arena = &im->arena};
    struct properties *to = n->parent ? &s.branch : &s.position;
    hang_comments(&s, to, "comment", redo_pgn_node_comments(n, REDO_PGN_AFTER));
    if (n->parent)
        hang_comments(&s, to, "comment before", redo_pgn_node_comments(n, REDO_PGN_BEFORE));
    else
        hang_comments(&s, to, "comment at end", redo_pgn_node_comments(n, REDO_PGN_END));
    hang_nags(&s, n);
    hang_moves(&s, n);
    int code = sheet_put(im->session, p, &s, &im->scratch);
    arena_empty(&im->arena);
    return code;
}

/* --- the session --- */

static int put(struct importer *im, char const *name, struct making const *m)
{
    return m->failed ? REDO_ENOMEM : redo_setproperty(im->session, name, m->data, m->size);
}

static int put_text(struct importer *im, char const *name, redo_text_string text)
{
    struct making m;
    make_begin(&m, &im->arena);
    make_string(&m, text.data, text.size);
    return put(im, name, &m);
}

static int put_tags(struct importer *im)
{
    static char const *const names[][2] = {{"White", "white"},
                                           {"Black", "black"},
                                           {"Event", "event"},
                                           {"Site", "place"},
                                           {"Date", "date"},
                                           {"Round", "round"},
                                           {"WhiteElo", "white rating"},
                                           {"BlackElo", "black rating"},
                                           {"Annotator", "annotator"}};
    struct making m;
    size_t count = 0;
    int code = REDO_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && code == REDO_OK; i++) {
        redo_pgn_tag *tag = redo_pgn_game_tag(im->game, names[i][0]);
        if (tag)
            code = put_text(im, names[i][1], redo_pgn_tag_value(tag));
    }
    for (redo_pgn_tag *t = redo_pgn_game_tags(im->game); t; t = redo_pgn_tag_next(t))
        count++;
    make_begin(&m, &im->arena);
    make_array(&m, count);
    for (redo_pgn_tag *t = redo_pgn_game_tags(im->game); t; t = redo_pgn_tag_next(t)) {
        redo_text_string name = redo_pgn_tag_name(t), value = redo_pgn_tag_value(t);
        make_array(&m, 2);
        make_string(&m, name.data, name.size);
        make_string(&m, value.data, value.size);
    }
    return code == REDO_OK ? put(im, "pgn:tags", &m) : code;
}

static int put_session(struct importer *im)
{
    static char const *const results[] = {"*", "1-0", "0-1", "1/2-1/2"};
    struct making m;
    unsigned long number;
    int black;
    char const *result = results[redo_pgn_game_result(im->game)];
    int code = put_text(im, "format", (redo_text_string){"pgn", 3});
    if (code == REDO_OK)
        code = put_text(im, "result", (redo_text_string){result, strlen(result)});
    redo_pgn_game_start(im->game, &number, &black);
    make_begin(&m, &im->arena);
    make_array(&m, 2);
    make_integer(&m, (int64_t)number);
    make_bool(&m, black);
    if (code == REDO_OK)
        code = put(im, "pgn:start", &m);
    return code == REDO_OK ? put_tags(im) : code;
}

static redo_position *add(struct importer *im, redo_pgn_node const *n, redo_position *prev)
{
    unsigned char state[STATE_SIZE];
    int move = 0;
    for (redo_branch const *b = prev->next; b; b = b->cdr)
        move = b->move >= move ? b->move + 1 : move;
    uint32_t number = ++im->count;
    for (int i = 0; i < STATE_SIZE; i++)
        state[i] = (unsigned char)(number >> 8 * i);
    bool last = !n->first && redo_pgn_game_result(im->game) != REDO_PGN_UNKNOWN;
    for (redo_pgn_node const *m = n; last && m; m = m->parent) /* of the game itself */
        last = !m->previous;
    return redo_addposition(im->session, prev, move, state, last, redo_nocheck);
}

/* The node after n, in the order of the file, or NULL; *p goes from n's position to its parent's.
 * What is played from a position comes to the front when all variations are there. */
static redo_pgn_node const *go_on(redo_pgn_node const *n, redo_pgn_node const *root,
                                  redo_position **p)
{
    if (n->first)
        return n->first;
    while (n != root && !n->next) {
        n = n->parent;
        *p = (*p)->prev;
        if (n->first->next)
            redo_getnextposition(*p, 0);
    }
    if (n == root)
        return NULL;
    *p = (*p)->prev;
    return n->next;
}

static int put_tree(struct importer *im)
{
    redo_position *p = redo_getfirstposition(im->session);
    redo_pgn_node const *root = redo_pgn_game_root(im->game), *n = root;
    int code = hang(im, n, p);
    while (code == REDO_OK && (n = go_on(n, root, &p))) {
        p = add(im, n, p);
        code = p ? hang(im, n, p) : redo_lasterror();
    }
    return code;
}

redo_session *game_import_pgn(redo_pgn_game *game, redo_sgf_error *error)
{
    unsigned char state[STATE_SIZE] = {0};
    struct importer im = {.game = game, .arena = {.limit = SIZE_MAX}};
    *error = (redo_sgf_error){.code = REDO_OK};
    buffer_init(&im.scratch);
    im.session = redo_beginsession(state, STATE_SIZE, 0);
    int code = im.session ? REDO_OK : redo_lasterror();
    if (code == REDO_OK) {
        redo_setgraftbehavior(im.session, redo_nograft);
        code = put_session(&im);
    }
    if (code == REDO_OK)
        code = put_tree(&im);
    buffer_free(&im.scratch);
    arena_free(&im.arena);
    if (code == REDO_OK) {
        redo_clearsessionchanged(im.session);
        return im.session;
    }
    error_say(error, code, "%s", redo_strerror(code));
    redo_endsession(im.session);
    return NULL;
}
