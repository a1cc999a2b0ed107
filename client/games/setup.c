/* Set-up nodes: the position that they make, and making them. */
#include <stdio.h>
#include <string.h>

#include "client/games/backgammon.h"
#include "client/sgf/gnubg_parts.h"

#define COUNT(table) (sizeof table / sizeof *table)

bool board_equal(struct gnubg_position const *a, struct gnubg_position const *b)
{
    struct board x, y;
    board_write(a, &x);
    board_write(b, &y);
    return memcmp(&x, &y, sizeof x) == 0;
}

bool board_same_compared(struct gnubg_position const *a, struct gnubg_position const *b)
{
    struct board x, y;
    board_write(a, &x);
    board_write(b, &y);
    return memcmp(&x, &y, BOARD_COMPARED) == 0;
}

bool is_setup(redo_sgf_property const *p)
{
    static char const *const ids[] = {"PL", "AE", "AW", "AB", "DI", "CV", "CP", EXTRA};
    for (size_t i = 0; i < COUNT(ids); i++)
        if (redo_sgf_property_is(p, ids[i]))
            return true;
    return false;
}

/* --- the property of what gnubg has none for --- */

enum { TURN, ROLLER, STATE, DOUBLED, RESIGNED, LENGTH, WHITE, BLACK, CRAWFORD, JACOBY, KEYS };

static struct {
    char const *key;
    int most;
} const keys[KEYS] = {{"turn", 3},     {"roller", 1},     {"state", 4},  {"doubled", 1},
                      {"resigned", 3}, {"length", 32767}, {"ws", 32767}, {"bs", 32767},
                      {"crawford", 1}, {"jacoby", 1}};

static int get_key(struct gnubg_position const *p, int key)
{
    int const values[KEYS] = {(int)p->turn, (int)p->roller, (int)p->state, p->doubled,  p->resigned,
                              p->length,    p->score[0],    p->score[1],   p->crawford, p->jacoby};
    return values[key];
}

static void set_key(struct gnubg_position *p, int key, int value)
{
    switch (key) {
    case TURN:
        p->turn = (unsigned)value;
        break;
    case ROLLER:
        p->roller = (unsigned)value;
        break;
    case STATE:
        p->state = (unsigned)value;
        break;
    case DOUBLED:
        p->doubled = value;
        break;
    case RESIGNED:
        p->resigned = value;
        break;
    case LENGTH:
        p->length = value;
        break;
    case WHITE:
    case BLACK:
        p->score[key - WHITE] = value;
        break;
    case CRAWFORD:
        p->crawford = value;
        break;
    case JACOBY:
        p->jacoby = value;
        break;
    }
}

static bool read_word(redo_sgf_string raw, struct extra *e, struct gnubg_position *board)
{
    redo_sgf_string key, text;
    long value;
    e->made |= word_is(raw, "made");
    e->open |= word_is(raw, "open");
    e->end |= word_is(raw, "end");
    if (!redo_sgf_split(raw, &key, &text))
        return word_is(raw, "made") || word_is(raw, "open") || word_is(raw, "end");
    if (word_is(key, "candidate"))
        return true;
    if (word_is(key, "after")) {
        e->has_after = word_integer(text, 0, INT32_MAX, &value);
        e->after = e->has_after ? (int)value : 0;
        return e->has_after;
    }
    for (int i = 0; i < KEYS; i++) {
        if (!word_is(key, keys[i].key))
            continue;
        if (!word_integer(text, 0, keys[i].most, &value) || (i == TURN && value == 2))
            return false;
        e->has_board = true;
        if (board)
            set_key(board, i, (int)value);
        return true;
    }
    return false;
}

bool extra_read(redo_sgf_node const *node, struct extra *e, struct gnubg_position *board)
{
    redo_sgf_property const *p = redo_sgf_node_property(node, EXTRA);
    *e = (struct extra){.there = p != NULL};
    if (!p)
        return true;
    for (redo_sgf_value const *v = p->first; v; v = v->next)
        if (!read_word(redo_sgf_value_raw(v), e, board))
            return false;
    return true;
}

bool is_alone(redo_sgf_node const *node)
{
    struct extra extra;
    for (redo_sgf_node const *n = node->parent->first; n; n = n->next)
        if (n != node &&
            (!extra_read(n, &extra, NULL) || !extra.has_board || n == node->parent->first))
            return false;
    return !node->first;
}

/* Adds a value to the property, which is made with the first. */
static int put(redo_sgf_game *game, redo_sgf_node *node, redo_sgf_property **p, char const *text)
{
    int code = REDO_OK;
    if (!*p)
        code = redo_sgf_property_add(game, node, EXTRA, strlen(EXTRA), p);
    return code == REDO_OK ? redo_sgf_value_add(game, *p, text, strlen(text)) : code;
}

int extra_word(redo_sgf_game *game, redo_sgf_node *node, char const *word)
{
    redo_sgf_property *p = redo_sgf_node_property(node, EXTRA);
    return put(game, node, &p, word);
}

/* Adds a property that makes `from` into `to`, as far as the other set-up properties do not. after:
 * of a roll, or 0. Nothing if nothing differs. */
static int extra_write(redo_sgf_game *game, redo_sgf_node *node, struct gnubg_position const *from,
                       struct gnubg_position const *to, int after)
{
    redo_sgf_property *p = NULL;
    char text[40];
    int code = REDO_OK;
    if (after) {
        snprintf(text, sizeof text, "after:%d", after);
        code = put(game, node, &p, text);
    }
    for (int i = 0; i < KEYS && code == REDO_OK; i++) {
        if (get_key(from, i) == get_key(to, i))
            continue;
        snprintf(text, sizeof text, "%s:%d", keys[i].key, get_key(to, i));
        code = put(game, node, &p, text);
    }
    return code;
}

int extra_length(redo_sgf_game *game, redo_sgf_node *node, struct gnubg_position const *board)
{
    char text[40];
    if (redo_sgf_node_property(node, EXTRA))
        return REDO_OK;
    snprintf(text, sizeof text, "length:%d", board->length);
    return extra_word(game, node, text);
}

/* --- set-up as a whole --- */

int setup_play(struct gnubg_position *p, redo_sgf_node const *node,
               struct gnubg_record const *record, struct extra *extra, redo_sgf_error *error)
{
    struct gnubg_position next = *p;
    int code = gnubg_position_play(&next, record, error);
    if (code)
        return code;
    if (!extra_read(node, extra, &next))
        return error_say(error, REDO_EDAMAGED, "a property %s of another program", EXTRA);
    struct board b;
    board_write(&next, &b);
    if (!board_read(b.bytes, sizeof b.bytes, &next))
        return error_say(error, REDO_EDAMAGED, "no position of backgammon is set up");
    *p = next;
    return REDO_OK;
}

int setup_write(redo_sgf_game *game, redo_sgf_node *node, struct gnubg_position const *from,
                struct gnubg_position const *to, int after)
{
    struct gnubg_rests rests = {NULL, 0};
    struct gnubg_record r = {.player = GNUBG_NOBODY,
                             .owner = to->owner,
                             .cube = to->cube,
                             .to_play = to->roller,
                             .rests = rests};
    redo_sgf_error ignored;
    struct gnubg_position made = *from;
    if (memcmp(from->points, to->points, sizeof to->points) != 0) {
        r.set |= GNUBG_SET_BOARD;
        memset(r.clear, 1, sizeof r.clear);
        memcpy(r.add, to->points, sizeof to->points);
    }
    if (to->dice[0]) {
        r.set |= GNUBG_SET_DICE;
        memcpy(r.set_dice, to->dice, sizeof to->dice);
    }
    if (from->cube != to->cube)
        r.set |= GNUBG_SET_CUBE;
    if (from->owner != to->owner)
        r.set |= GNUBG_SET_OWNER;
    int code = gnubg_record_write(game, node, &r);
    if (code == REDO_OK)
        code = gnubg_position_play(&made, &r, &ignored);
    return code == REDO_OK ? extra_write(game, node, &made, to, after) : code;
}
