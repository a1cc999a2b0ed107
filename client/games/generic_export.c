/* A session back to a game in SGF: positions are nodes, their properties those of the nodes. */
#include "client/games/generic_export.h"

#include <stdlib.h>
#include <string.h>

#include "client/games/layout.h"
#include "client/games/walk.h"
#include "client/sgf/gnubg_parts.h"
#include "client/text/utf8.h"
#include "core/records/record.h"

static int no_memory(redo_sgf_error *error)
{
    return error_say(error, REDO_ENOMEM, "out of memory");
}

/* --- properties --- */

redo_sgf_string export_name(char const *name, size_t size)
{
    bool capital = false;
    size_t n = 0;
    while (n < size &&
           (is_letter((unsigned char)name[n]) || (n > 0 && is_digit((unsigned char)name[n]))))
        capital |= is_capital((unsigned char)name[n++]);
    size_t rest = n;
    if (rest < size && name[rest] == ' ')
        for (rest++; rest < size && is_digit((unsigned char)name[rest]); rest++)
            continue;
    bool good = capital && rest == size && (n == size || rest - n > 1);
    return (redo_sgf_string){name, good ? n : 0};
}

static bool is_raw(redo_sgf_string s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '\\')
            i++;
        else if (s.data[i] == ']')
            return false;
        if (i == s.size || s.data[i] == '\0')
            return false;
    }
    return utf8_scan(s.data, s.size) == s.size;
}

static int not_text(redo_sgf_error *error, struct property const *p)
{
    return error_say(error, REDO_EDAMAGED,
                     "the property %.*s is no text, or list of texts, that can stand in SGF",
                     (int)(p->name_size < 40 ? p->name_size : 40), p->name);
}

int export_values(redo_sgf_game *game, redo_sgf_property *to, struct property const *p,
                  redo_sgf_error *error)
{
    struct reading r = read_value(p->value, p->size);
    size_t count = 1;
    redo_sgf_string raw;
    if (read_is_array(&r) && !read_array(&r, &count))
        return not_text(error, p);
    for (; count > 0; count--) {
        if (!read_string(&r, &raw) || !is_raw(raw))
            return not_text(error, p);
        if (!value_new(&game->arena, to, raw.data, raw.size))
            return no_memory(error);
    }
    return read_ended(&r) ? REDO_OK : not_text(error, p);
}

int export_property(redo_sgf_game *game, redo_sgf_node *node, struct property const *p,
                    redo_sgf_error *error)
{
    redo_sgf_string name = export_name(p->name, p->name_size);
    if (name.size == 0)
        return REDO_OK;
    redo_sgf_property *made = property_new(&game->arena, node, name.data, name.size);
    return made ? export_values(game, made, p, error) : no_memory(error);
}

int export_where(redo_sgf_error *error, char const *where, redo_position const *position)
{
    char what[sizeof error->message];
    memcpy(what, error->message, sizeof what);
    return error_say(error, error->code, "%s %u: %s", where, redo_getpositionid(position), what);
}

/* --- nodes --- */

#define LAYOUT "sgf:layout"

static bool is_named(struct record_property const *p, char const *name)
{
    return p->namesize == strlen(name) && memcmp(p->name, name, p->namesize) == 0;
}

/* What the layout says is kept until the tree is whole. */
static int fill(redo_sgf_game *game, redo_sgf_node *node, redo_position *position,
                redo_sgf_error *error)
{
    size_t size;
    void const *bytes = redo_getrecord(position, &size);
    struct record r;
    struct record_property q;
    int code = REDO_OK;
    record_open(&r, bytes, bytes ? size : 0);
    while (code == REDO_OK && record_next_property(&r.list[redo_of_position], &q)) {
        struct property p = {NULL, q.name, q.namesize, q.value, q.size};
        if (is_named(&q, LAYOUT)) {
            struct property *kept = arena_take(&game->arena, sizeof *kept);
            if (!kept)
                return no_memory(error);
            *kept = p;
            node->at = kept;
        } else {
            code = export_property(game, node, &p, error);
        }
    }
    return code;
}

static int push_children(struct walk *w, struct children *c, redo_sgf_game *game,
                         struct walk_step const *step)
{
    if (!children_of(step->position, c))
        return REDO_ENOMEM;
    size_t first = w->count;
    for (size_t i = 0; i < c->count; i++) {
        redo_sgf_node *node = node_new(&game->arena, step->data);
        if (!node || !walk_push(w, c->list[i], node))
            return REDO_ENOMEM;
    }
    for (size_t i = first, k = w->count; i + 1 < k; i++) { /* the first comes next */
        struct walk_step s = w->steps[i];
        w->steps[i] = w->steps[--k];
        w->steps[k] = s;
    }
    return REDO_OK;
}

static int build(redo_sgf_game *game, redo_session *session, redo_sgf_error *error)
{
    struct walk w = {0};
    struct children c = {0};
    struct walk_step step;
    int code = REDO_OK;
    if (!walk_push(&w, redo_getfirstposition(session), game->root))
        code = no_memory(error);
    while (code == REDO_OK && walk_pop(&w, &step)) {
        code = fill(game, step.data, step.position, error);
        if (code == REDO_EDAMAGED)
            code = export_where(error, "position", step.position);
        if (code == REDO_OK && push_children(&w, &c, game, &step) != REDO_OK)
            code = no_memory(error);
    }
    walk_free(&w);
    children_free(&c);
    return code;
}

static void read_style(redo_session const *session, struct layout_style *style)
{
    size_t size, count;
    void const *value = redo_getproperty(session, LAYOUT, &size);
    struct reading r = read_value(value, value ? size : 0);
    struct layout_style read;
    layout_plain(style);
    if (!value || !read_array(&r, &count) || count != STYLES)
        return;
    for (int i = 0; i < STYLES; i++) {
        if (!read_string(&r, &read.space[i]))
            return;
        for (size_t k = 0; k < read.space[i].size; k++)
            if (!is_space((unsigned char)read.space[i].data[k]))
                return;
    }
    *style = read;
}

static void lay_out(redo_sgf_game *game, redo_session const *session)
{
    struct layout_style style;
    read_style(session, &style);
    for (redo_sgf_node *n = game->root; n; n = redo_sgf_node_after(n, game->root)) {
        struct property const *told = n->at;
        redo_sgf_string text = {NULL, 0};
        if (told) {
            struct reading r = read_value(told->value, told->size);
            if (!read_string(&r, &text))
                text.data = NULL;
        }
        n->at = NULL;
        layout_apply(&style, n, text);
    }
}

redo_sgf_game *game_export_generic(redo_session *session, redo_sgf_error *error)
{
    redo_sgf_game *game = redo_sgf_game_new();
    size_t size;
    if (!game) {
        no_memory(error);
        return NULL;
    }
    if (build(game, session, error) != REDO_OK) {
        redo_sgf_game_free(game);
        return NULL;
    }
    lay_out(game, session);
    game->converted = redo_getproperty(session, "sgf:charset", &size) != NULL;
    return game;
}
