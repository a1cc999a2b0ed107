/* A session to a game in PGN: what was chosen is the game, the rest are variations. */
#include <stdlib.h>
#include <string.h>

#include "client/games/games.h"
#include "client/games/sheet.h"
#include "client/games/walk.h"
#include "client/pgn/redo_pgn.h"
#include "client/text/place.h"

struct exporter {
    redo_pgn_game *game;
    redo_session *session;
    redo_sgf_error *error;
    struct arena arena;
    struct walk walk;
    struct children children;
};

static int fail(struct exporter *ex, redo_position const *p, int code, char const *what)
{
    if (code == REDO_ENOMEM)
        return error_say(ex->error, code, "out of memory");
    return error_say(ex->error, code, "position %u: %s", redo_getpositionid(p), what);
}

/* --- what hangs on a move --- */

static int put_comment(struct exporter *ex, redo_pgn_node *n, enum redo_pgn_where where,
                       struct reading *r)
{
    redo_sgf_string text;
    size_t count;
    bool line = read_is_array(r);
    if (line && (!read_array(r, &count) || count != 1))
        return REDO_EDAMAGED;
    if (!read_string(r, &text))
        return REDO_EDAMAGED;
    int code = redo_pgn_comment_add(ex->game, n, where, text.data, text.size, line);
    if (code == REDO_EDAMAGED && !line) /* a } in it */
        code = redo_pgn_comment_add(ex->game, n, where, text.data, text.size, 1);
    return code;
}

static int put_comments(struct exporter *ex, redo_pgn_node *n, enum redo_pgn_where where,
                        struct properties const *from, char const *name)
{
    struct property const *p = find_property(from, name);
    size_t count = 1;
    int code = REDO_OK;
    if (!p)
        return REDO_OK;
    struct reading r = read_value(p->value, p->size);
    if (read_is_array(&r) && !read_array(&r, &count))
        return REDO_EDAMAGED;
    for (; count > 0 && code == REDO_OK; count--)
        code = put_comment(ex, n, where, &r);
    return code;
}

static int put_nags(struct exporter *ex, redo_pgn_node *n, struct properties const *from)
{
    struct property const *p = find_property(from, "nags");
    size_t count, two;
    int64_t number;
    int code = REDO_OK;
    if (!p)
        return REDO_OK;
    struct reading r = read_value(p->value, p->size);
    if (!read_array(&r, &count))
        return REDO_EDAMAGED;
    for (; count > 0 && code == REDO_OK; count--) {
        redo_sgf_string sign = {NULL, 0};
        char text[8] = "";
        bool pair = read_is_array(&r);
        if (pair && (!read_array(&r, &two) || two != 2))
            return REDO_EDAMAGED;
        if (!read_integer(&r, &number) || number < 0 || number > REDO_PGN_NAG_MOST)
            return REDO_EDAMAGED;
        if (pair && (!read_string(&r, &sign) || sign.size >= sizeof text))
            return REDO_EDAMAGED;
        memcpy(text, sign.data ? sign.data : "", sign.size);
        code = redo_pgn_nag_add(ex->game, n, (unsigned)number, pair ? text : NULL);
    }
    return code;
}

static int put_notes(struct exporter *ex, redo_pgn_node *n, redo_position *p, struct sheet *s)
{
    bool root = !p->prev;
    struct properties const *from = root ? &s->position : &s->branch;
    int code = put_comments(ex, n, REDO_PGN_AFTER, from, "comment");
    if (code == REDO_OK && root)
        code = put_comments(ex, n, REDO_PGN_END, from, "comment at end");
    if (code == REDO_OK && !root)
        code = put_comments(ex, n, REDO_PGN_BEFORE, from, "comment before");
    if (code == REDO_OK && !root)
        code = put_nags(ex, n, from);
    return code;
}

/* --- moves --- */

static int put_move(struct exporter *ex, redo_pgn_node *parent, struct item const *item,
                    redo_position *to)
{
    redo_pgn_node *n;
    int code = item && item->text.data
                   ? redo_pgn_node_add(ex->game, parent, item->text.data, item->text.size, &n)
                   : REDO_EDAMAGED;
    if (code == REDO_OK && to && !walk_push(&ex->walk, to, n))
        code = REDO_ENOMEM;
    return code;
}

/* The one that was chosen first, then the others, then candidates that were not tried. */
static int put_moves(struct exporter *ex, redo_pgn_node *n, redo_position *p, struct sheet *s)
{
    struct item const *chosen = s->choice == redo_choice_made ? s->chosen : NULL;
    int code = REDO_OK;
    if (!children_of(p, &ex->children))
        return REDO_ENOMEM;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < ex->children.count && code == REDO_OK; i++) {
            redo_position *to = ex->children.list[i];
            int move = redo_getmove(to);
            bool first = chosen && chosen->has_move && chosen->move == move;
            if (first == (pass == 0))
                code = put_move(ex, n, items_find(&s->candidates, move), to);
        }
    for (struct item const *i = s->candidates.first; i && code == REDO_OK; i = i->next) {
        bool tried = false;
        for (size_t k = 0; k < ex->children.count && i->has_move && !tried; k++)
            tried = redo_getmove(ex->children.list[k]) == i->move;
        if (!tried && i->text.data)
            code = put_move(ex, n, i, NULL);
    }
    return code;
}

static int put_tree(struct exporter *ex)
{
    struct walk_step step = {redo_getfirstposition(ex->session), redo_pgn_game_root(ex->game)};
    int code = walk_push(&ex->walk, step.position, step.data) ? REDO_OK : REDO_ENOMEM;
    while (code == REDO_OK && walk_pop(&ex->walk, &step)) {
        struct sheet s;
        code = sheet_get(step.position, &ex->arena, &s);
        if (code == REDO_OK)
            code = put_notes(ex, step.data, step.position, &s);
        if (code == REDO_OK)
            code = put_moves(ex, step.data, step.position, &s);
        arena_empty(&ex->arena);
    }
    return code == REDO_OK ? code
                           : fail(ex, step.position, code,
                                  "a move, a comment or a sign there can not stand in PGN");
}

/* --- the session --- */

static bool text_of(redo_session const *session, char const *name, redo_sgf_string *text)
{
    size_t size;
    void const *value = redo_getproperty(session, name, &size);
    struct reading r = read_value(value, value ? size : 0);
    return value && read_string(&r, text);
}

static int put_tags(struct exporter *ex)
{
    size_t size, count, two;
    void const *value = redo_getproperty(ex->session, "pgn:tags", &size);
    struct reading r = read_value(value, value ? size : 0);
    redo_sgf_string name, text;
    if (!value || !read_array(&r, &count))
        return REDO_OK;
    for (; count > 0; count--) {
        if (!read_array(&r, &two) || two != 2 || !read_string(&r, &name) || !read_string(&r, &text))
            return REDO_EDAMAGED;
        int code = redo_pgn_tag_add(ex->game, name.data, name.size, text.data, text.size);
        if (code)
            return code;
    }
    return REDO_OK;
}

/* Names and the like may have been changed since. */
static int put_names(struct exporter *ex)
{
    static char const *const names[][2] = {{"Event", "event"}, {"Site", "place"},
                                           {"Date", "date"},   {"Round", "round"},
                                           {"White", "white"}, {"Black", "black"}};
    redo_sgf_string text;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        redo_pgn_tag *tag = redo_pgn_game_tag(ex->game, names[i][0]);
        if (!text_of(ex->session, names[i][1], &text))
            continue;
        int code = tag ? redo_pgn_tag_set(ex->game, tag, text.data, text.size)
                       : redo_pgn_tag_add(ex->game, names[i][0], strlen(names[i][0]), text.data,
                                          text.size);
        if (code)
            return code;
    }
    return REDO_OK;
}

static void put_result(struct exporter *ex)
{
    static char const *const results[] = {"*", "1-0", "0-1", "1/2-1/2"};
    redo_sgf_string text;
    size_t size, two;
    int64_t number;
    bool black;
    if (text_of(ex->session, "result", &text))
        for (size_t i = 0; i < 4; i++)
            if (text.size == strlen(results[i]) && memcmp(text.data, results[i], text.size) == 0)
                redo_pgn_game_set_result(ex->game, (enum redo_pgn_result)i);
    void const *value = redo_getproperty(ex->session, "pgn:start", &size);
    struct reading r = read_value(value, value ? size : 0);
    if (value && read_array(&r, &two) && two == 2 && read_integer(&r, &number) && number >= 0 &&
        read_bool(&r, &black))
        redo_pgn_game_set_start(ex->game, (unsigned long)number, black);
}

redo_pgn_game *game_export_pgn(redo_session *session, redo_sgf_error *error)
{
    struct exporter ex = {.session = session, .error = error, .arena = {.limit = SIZE_MAX}};
    *error = (redo_sgf_error){.code = REDO_OK};
    if (game_format(session) != GAME_PGN) {
        error_say(error, REDO_EKIND,
                  "the session is no game of PGN: it has no property \"format\" "
                  "that is \"pgn\"");
        return NULL;
    }
    ex.game = redo_pgn_game_new();
    int code = ex.game ? put_tags(&ex) : REDO_ENOMEM;
    if (code == REDO_OK)
        code = put_names(&ex);
    if (code == REDO_OK) {
        put_result(&ex);
        code = put_tree(&ex);
    } else {
        error_say(error, code, "its tags can not stand in PGN");
    }
    walk_free(&ex.walk);
    children_free(&ex.children);
    arena_free(&ex.arena);
    if (code == REDO_OK)
        return ex.game;
    redo_pgn_game_free(ex.game);
    return NULL;
}
