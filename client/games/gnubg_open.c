/* What is open at a position after which there is nothing, as nodes of gnubg's. */
#include "client/games/gnubg_export.h"
#include "client/sgf/gnubg_parts.h"

bool pending_tells_cube(redo_position const *roll, struct sheet const *s)
{
    redo_sgf_string text;
    bool cube;
    for (redo_branch const *b = roll->next; b; b = b->cdr)
        if (!is_alternate(b->p))
            return false;
    return s->choice != redo_choice_none && get_text(&s->position, "pending", &text) &&
           get_bool(&s->position, "cube", &cube) && cube;
}

/* What is thought of the cube before the roll, if it is told here. */
static int pending_cube(struct exporter *ex, struct place const *at, struct gnubg_record *r)
{
    struct sheet before;
    if (!pending_tells_cube(at->position, &at->sheet) || !at->position->prev)
        return export_cube(ex, &at->sheet.position, &at->sheet, NULL, false, r);
    if (sheet_get(at->position->prev, &ex->arena, &before) != REDO_OK)
        return export_no_memory(ex);
    return export_cube(ex, &at->sheet.position, &before, before.decisions.first, true, r);
}

static int pending_move(struct exporter *ex, redo_sgf_node *parent, struct place const *at)
{
    struct gnubg_record r = move_record(at);
    struct sheet const *s = &at->sheet;
    redo_sgf_string raw;
    bool as_read = get_text(&s->position, "pending", &raw);
    redo_sgf_node *node;
    if (s->choice == redo_choice_made ? !s->chosen : s->choice == redo_choice_none)
        return REDO_OK;
    if (!as_read && s->candidates.count == 0)
        return REDO_OK;
    int code =
        export_list(ex, at, s->choice == redo_choice_made ? s->chosen : s->candidates.first, &r);
    if (code == REDO_OK)
        code = pending_cube(ex, at, &r);
    if (code)
        return code;
    if (r.count > 0 && r.made < r.count)
        r.move = r.candidates[r.made].move;
    fetch_luck(&s->position, &r.luck);
    node = node_new(&ex->game->arena, parent);
    if (!node)
        return export_no_memory(ex);
    code = export_node(ex, node, &s->position, NULL, NULL, &r);
    if (code == REDO_OK)
        code = export_unanalysed(ex, node, at);
    /* As it was written, if it still has these dice and says the same. */
    for (redo_sgf_property *p = node->properties; p && as_read; p = p->next)
        if (redo_sgf_property_is(p, "W") || redo_sgf_property_is(p, "B")) {
            if (raw.size >= 2 && raw.data[0] == '0' + at->board.dice[0] &&
                raw.data[1] == '0' + at->board.dice[1]) {
                p->first->raw = raw.data;
                p->first->size = raw.size;
            }
            break;
        }
    return code;
}

static int open_double(struct exporter *ex, redo_sgf_node *parent, struct place const *at,
                       bool pending)
{
    struct gnubg_record r = {.to_play = GNUBG_NOBODY, .owner = GNUBG_NOBODY};
    struct item const *item = at->sheet.decisions.first;
    redo_sgf_string text;
    if (!item || !item->analysis || at->board.doubled || at->board.dice[0])
        return REDO_OK;
    redo_sgf_node *node = node_new(&ex->game->arena, parent);
    int code = node ? export_cube_text(ex, item->analysis, &r) : export_no_memory(ex);
    r.cube_marked = item_is_marked(item);
    if (code)
        return code;
    if (pending && get_text(&at->sheet.position, "pending", &text)) {
        r.action = GNUBG_DOUBLE;
        r.player = word_is(text, "white doubles") ? GNUBG_WHITE : GNUBG_BLACK;
        r.cube_skill = fetch_skill(&at->sheet.position, "cube skill");
        return export_node(ex, node, &at->sheet.position, NULL, NULL, &r);
    }
    r.to_play = at->board.roller;
    code = gnubg_record_write(ex->game, node, &r);
    if (code == REDO_OK)
        code = extra_word(ex->game, node, "open");
    return code == REDO_OK ? REDO_OK : export_no_memory(ex);
}

int export_open(struct exporter *ex, redo_sgf_node *node, struct place const *at)
{
    return open_double(ex, node, at, false);
}

/* What gnubg thought of an answer that was not given yet. */
static int pending_take(struct exporter *ex, redo_sgf_node *parent, struct place const *at)
{
    struct gnubg_record r = {.action = GNUBG_TAKE, .to_play = GNUBG_NOBODY, .owner = GNUBG_NOBODY};
    struct sheet chain;
    redo_sgf_string text;
    redo_position *begin;
    unsigned depth;
    if (!get_text(&at->sheet.position, "pending", &text))
        return REDO_OK;
    r.player = word_is(text, "white takes") ? GNUBG_WHITE : GNUBG_BLACK;
    if (r.player == at->board.turn || !chain_of(ex, at->position, &begin, &depth))
        return REDO_OK;
    int code = sheet_get(begin, &ex->arena, &chain);
    if (code)
        return export_no_memory(ex);
    struct item const *item = item_at(&chain.decisions, depth);
    if (!item || !item->has_move || item->move != MOVE_TAKE)
        return REDO_OK;
    code = export_cube(ex, &at->sheet.position, &chain, item, true, &r);
    if (code || !r.has_cube)
        return code;
    redo_sgf_node *node = node_new(&ex->game->arena, parent);
    return node ? export_node(ex, node, &at->sheet.position, NULL, NULL, &r) : export_no_memory(ex);
}

int export_pending(struct exporter *ex, redo_sgf_node *node, struct place const *at)
{
    if (at->board.doubled)
        return pending_take(ex, node, at);
    return at->board.dice[0] ? pending_move(ex, node, at) : open_double(ex, node, at, true);
}
