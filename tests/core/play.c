#include "tests/core/play.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/subtree.h"
#include "core/turn.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

uint64_t play_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void play_bytes(uint64_t seed, uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)play_random(&seed);
}

unsigned play_byte(struct play *play)
{
    return play->at < play->end ? *play->at++ : 0;
}

/* One of six boards, with one of three kinds of bytes that may not count. */
void play_state(struct play *play)
{
    unsigned b = play_byte(play);
    memset(play->state, (int)(b / 6 % 3), sizeof play->state);
    play->state[0] = (uint8_t)(b % 6);
}

/* Mostly one of the newest. */
uint32_t play_position(struct play *play, struct history const *h)
{
    unsigned b = play_byte(play);
    if (b == 255)
        return h->next + 5;
    if (play->wide && b < 120)
        return 0;
    if (b < 160)
        return h->next - 1 - (b % 16) % h->next;
    return (uint32_t)((uint64_t)(b - 160) * h->next / 95);
}

static int draw_move(struct play *play)
{
    unsigned b = play_byte(play);
    if (b >= 254)
        return b == 254 ? INT_MIN : INT_MAX;
    return b < 160 && !play->wide ? (int)(b % 4) : (int)(b % 96) * 1000;
}

static int draw_endpoint(struct play *play)
{
    static int const ends[] = {1, 1, 1, 2, 2, 3, 127, -1, -1, -128, 128};
    unsigned b = play_byte(play);
    return b < 200 ? 0 : ends[b % COUNT(ends)];
}

static int draw_check(struct play *play)
{
    unsigned b = play_byte(play);
    return b < 160 ? redo_check : b < 200 ? redo_nocheck : b < 250 ? redo_checklater : 3;
}

static void draw_property(struct play *play, redo_operation *op)
{
    unsigned b = play_byte(play);
    memset(play->name, 'a' + (int)(b % 5), sizeof play->name);
    op->name = play->name;
    op->namesize = 1 + b % 3;
    play_state(play);
    op->state = play->state;
    op->statesize = play_byte(play) % (PLAY_STATE_MAX + 1);
}

/* Before a subtree is dropped. */
static void keep(struct play *play, struct history const *h, uint32_t position)
{
    struct node *n;
    void *data;
    size_t size;
    if (!position || history_find(h, position, &n) || subtree_capture(h, n, &data, &size))
        return;
    unsigned i = position % PLAY_KEPT;
    if (size <= PLAY_KEPT_MAX) {
        memcpy(play->kept[i].data, data, size);
        play->kept[i].size = size;
    }
    free(data);
}

/* One that was kept, now and then with a byte changed, cut off, or somewhere else. */
static void draw_restore(struct play *play, struct history const *h, redo_operation *op)
{
    unsigned b = play_byte(play), i = b % PLAY_KEPT;
    uint32_t parent = 0, top, count;
    size_t size = play->kept[i].size;
    if (!size) { /* none: any bytes */
        size = 1 + play_byte(play) % 16;
        for (size_t k = 0; k < size; k++)
            play->restored[k] = (uint8_t)play_byte(play);
    } else {
        memcpy(play->restored, play->kept[i].data, size);
        subtree_look(play->restored, size, &parent, &top, &count);
        if (b >= 200)
            play->restored[play_byte(play) * 7 % size] ^= (uint8_t)(1 << b % 8);
        if (b >= 250)
            size -= play_byte(play) % size;
    }
    op->position = b >= 240 ? play_position(play, h) : parent;
    op->state = play->restored;
    op->statesize = size;
}

/* ---- cursors, turns ---------------------------------------------------------------------- */

static void draw_cursor_name(struct play *play, redo_operation *op, unsigned b)
{
    memset(play->name, 'a' + (int)(b % 3), sizeof play->name);
    op->name = play->name;
    op->namesize = 1 + b / 3 % 2;
}

/* Mostly not told; else mostly where the cursor is. */
static uint32_t draw_expected(struct play *play, struct history const *h, redo_operation const *op)
{
    unsigned b = play_byte(play);
    struct cursor const *cursor = cursors_find(&h->cursors, op->name, op->namesize);
    if (b < 192)
        return NOBODY;
    return cursor && b < 240 ? cursor->position : play_position(play, h);
}

static void draw_cursor(struct play *play, struct history const *h, redo_operation *op)
{
    static int const steps[] = {
        redo_step_goto,        redo_step_goto,   redo_step_undo,     redo_step_undo,
        redo_step_undo,        redo_step_redo,   redo_step_redo,     redo_step_redo,
        redo_step_move,        redo_step_move,   redo_step_better,   redo_step_branchback,
        redo_step_branchforth, redo_step_better, redo_step_solution, redo_step_undomine,
        redo_step_undomine,    redo_step_drop,   redo_step_drop + 1};
    unsigned b = play_byte(play);
    draw_cursor_name(play, op, b);
    op->value = steps[play_byte(play) % COUNT(steps)];
    op->source = draw_expected(play, h, op);
    if (op->value == redo_step_goto)
        op->position = play_position(play, h);
    else if (op->value == redo_step_move)
        op->move = draw_move(play);
    else
        op->move = (int)(play_byte(play) % 6) - (b >= 250);
}

static void draw_played(struct play *play, struct history const *h, redo_operation *op)
{
    play_record(play, h, op);
    op->endpoint = draw_endpoint(play);
    op->value = draw_check(play);
    if (play_byte(play) >= 160)
        return;
    play_state(play);
    op->state = play->state;
    op->statesize = play->size;
}

/* Some adds, each after a position or after one before it, or something that is played; and mostly
 * a cursor. */
static bool draw_turn(struct play *play, struct history const *h, redo_operation *op)
{
    struct turn_item items[PLAY_ITEMS];
    uint8_t states[PLAY_ITEMS][PLAY_STATE_MAX];
    unsigned b = play_byte(play), count = 1 + b % (PLAY_ITEMS - 1);
    void *data;
    for (unsigned i = 0; i < count; i++) {
        redo_operation *add = &items[i].op;
        *add = (redo_operation){.kind = REDO_OP_ADD, .move = draw_move(play)};
        items[i].after = play_byte(play) % (i + 1);
        if (i && !items[i].after && b >= 64)
            items[i].after = i;
        if (!items[i].after)
            add->position = play_position(play, h);
        add->endpoint = draw_endpoint(play);
        add->value = draw_check(play);
        play_state(play);
        memcpy(states[i], play->state, sizeof play->state);
        add->state = states[i];
        add->statesize = play->size;
    }
    if (b % 3 == 0) {
        items[0] = (struct turn_item){.op = {.kind = REDO_OP_PLAY}};
        draw_played(play, h, &items[0].op);
        count = 1;
    }
    if (b >= 40) {
        redo_operation *cursor = &items[count].op;
        *cursor = (redo_operation){.kind = REDO_OP_CURSOR, .value = redo_step_goto};
        draw_cursor_name(play, cursor, play_byte(play));
        cursor->source = draw_expected(play, h, cursor);
        items[count].after = play_byte(play) < 220 ? count : 0;
        if (!items[count].after)
            cursor->position = play_position(play, h);
        count++;
    }
    if (turn_write(items, count, &data, &op->statesize))
        return false;
    if (op->statesize > sizeof play->turn)
        op->statesize = sizeof play->turn;
    memcpy(play->turn, data, op->statesize);
    free(data);
    if (b >= 248)
        play->turn[play_byte(play) % op->statesize] ^= (uint8_t)(1 << b % 8);
    op->state = play->turn;
    return true;
}

/* ---- who, and keys ----------------------------------------------------------------------- */

static void sign(struct history const *h, redo_operation *op, uint32_t uid, char const *name,
                 size_t size)
{
    op->stamp.author = authors_find(&h->authors, uid, name, size);
    if (op->stamp.author)
        return;
    op->stamp.uid = uid;
    op->stamp.name = name;
    op->stamp.namesize = size;
}

static void draw_stamp(struct play *play, struct history const *h, redo_operation *op)
{
    unsigned b = play_byte(play);
    if (b < 128)
        return;
    if (b == 255) { /* no such author */
        op->stamp.author = h->authors.count + 1;
        return;
    }
    memset(play->author, 'A' + (int)(b / 3 % 2), sizeof play->author);
    sign(h, op, b % 3 * 1000, play->author, b / 6 % 3);
    op->stamp.time = b % 7 * UINT32_C(400000000);
}

/* Some of twelve ids, now and then one that is none, or bytes that are not whole ids. */
static void draw_games(struct play *play, redo_operation *op)
{
    unsigned b = play_byte(play), count = 1 + b % PLAY_GAMES;
    op->value = (int)(play_byte(play) % 10) % 4;
    op->source = b < 120 ? NOBODY : b % 12;
    for (unsigned i = 0; i < count; i++)
        games_put_id(play->games + i * GAMES_ID, play_byte(play) % 13 * UINT64_C(0x100000001));
    op->state = play->games;
    op->statesize = count * GAMES_ID - (b == 249);
}

/* Notes an operation with a key: it may come again. */
static void note_key(struct play *play, struct history const *h, redo_operation const *op)
{
    size_t size = redo_operation_encode(op, play->again.data, sizeof play->again.data);
    play->again.size = size <= sizeof play->again.data ? size : 0;
    struct author const *a = op->stamp.author && op->stamp.author <= h->authors.count
                                 ? &h->authors.all[op->stamp.author - 1]
                                 : NULL;
    char const *name = a ? a->name : op->stamp.name;
    play->again.uid = a ? a->uid : op->stamp.uid;
    play->again.namesize = a ? a->name_size : op->stamp.namesize;
    if (play->again.namesize)
        memcpy(play->again.name, name, play->again.namesize);
}

/* The one that was noted, told by the same author, whatever number that has by now. */
static bool repeat(struct play *play, struct history const *h, redo_operation *op)
{
    if (!play->again.size || !redo_operation_decode(play->again.data, play->again.size, op))
        return false;
    uint32_t time = op->stamp.time;
    bool stamped = op->stamp.author || op->stamp.name;
    op->stamp = (redo_stamp){.time = time};
    if (stamped)
        sign(h, op, play->again.uid, play->again.name, play->again.namesize);
    return true;
}

static void draw_key(struct play *play, struct history const *h, redo_operation *op)
{
    unsigned b = play_byte(play);
    if (b < 200)
        return;
    play->key[0] = (uint8_t)(b % 16);
    play->key[1] = (uint8_t)play_byte(play);
    op->key = play->key;
    op->keysize = sizeof play->key;
    note_key(play, h, op);
}

/* ------------------------------------------------------------------------------------------ */

struct history *play_begin(struct play *play, void const *data, size_t size)
{
    *play = (struct play){.at = data, .end = (uint8_t const *)data + size};
    unsigned b = play_byte(play);
    play->size = 1 + b % PLAY_STATE_MAX;
    play->wide = b >= 200;
    size_t cmpsize = play_byte(play) % (play->size + 1);
    play_state(play);
    struct history *h = history_new(play->state, play->size, cmpsize);
    if (h && b % 3 == 0 && games_begin(h)) {
        history_free(h);
        return NULL;
    }
    return h;
}

bool play_next(struct play *play, struct history const *h, redo_operation *op)
{
    static enum redo_operation_kind const kinds[] = {
        REDO_OP_ADD,      REDO_OP_ADD,       REDO_OP_ADD,       REDO_OP_ADD,
        REDO_OP_ADD,      REDO_OP_ADD,       REDO_OP_ADD,       REDO_OP_ADD,
        REDO_OP_ADD,      REDO_OP_ADD,       REDO_OP_NEXT,      REDO_OP_NEXT,
        REDO_OP_DROP,     REDO_OP_DROP,      REDO_OP_DROP,      REDO_OP_GRAFT,
        REDO_OP_GRAFT,    REDO_OP_SETBETTER, REDO_OP_DUPLICATE, REDO_OP_DUPLICATE,
        REDO_OP_CYCLE,    REDO_OP_UPDATE,    REDO_OP_CLEAR,     REDO_OP_PROPERTY,
        REDO_OP_DROPTREE, REDO_OP_RESTORE,   REDO_OP_CURSOR,    REDO_OP_CURSOR,
        REDO_OP_CURSOR,   REDO_OP_CURSOR,    REDO_OP_CURSOR,    REDO_OP_CURSOR,
        REDO_OP_TURN,     REDO_OP_TURN,      REDO_OP_RECORD,    REDO_OP_RECORD,
        REDO_OP_RECORD,   REDO_OP_RECORD,    REDO_OP_RECORD,    REDO_OP_RECORD,
        REDO_OP_RECORD,   REDO_OP_RECORD,    REDO_OP_PLAY,      REDO_OP_PLAY,
        REDO_OP_PLAY,     REDO_OP_ALTERNATE, REDO_OP_ALTERNATE, REDO_OP_GAMES,
        REDO_OP_GAMES,
    };
    if (play->at >= play->end)
        return false;
    unsigned b = play_byte(play);
    if (b >= 250 && repeat(play, h, op))
        return true;
    *op = (redo_operation){.kind = kinds[b % COUNT(kinds)], .position = NOBODY, .source = NOBODY};
    switch (op->kind) {
    case REDO_OP_ADD:
        op->position = play_position(play, h);
        op->move = draw_move(play);
        op->endpoint = draw_endpoint(play);
        op->value = draw_check(play);
        break;
    case REDO_OP_NEXT:
        op->position = play_position(play, h);
        op->move = draw_move(play);
        break;
    case REDO_OP_GRAFT:
        op->value = (int)(play_byte(play) % 17) % 5;
        break;
    case REDO_OP_CYCLE:
        op->position = play_position(play, h);
        op->value = (int)(play_byte(play) % 8) - 1;
        break;
    case REDO_OP_DUPLICATE:
        op->position = play_position(play, h);
        op->source = play_position(play, h);
        break;
    case REDO_OP_DROP:
    case REDO_OP_UPDATE:
        op->position = play_position(play, h);
        break;
    case REDO_OP_PROPERTY:
        draw_property(play, op);
        break;
    case REDO_OP_DROPTREE:
        op->position = play_position(play, h);
        keep(play, h, op->position);
        break;
    case REDO_OP_RESTORE:
        draw_restore(play, h, op);
        break;
    case REDO_OP_CURSOR:
        draw_cursor(play, h, op);
        break;
    case REDO_OP_TURN:
        if (!draw_turn(play, h, op))
            return false;
        break;
    case REDO_OP_PLAY:
        draw_played(play, h, op);
        break;
    case REDO_OP_RECORD:
    case REDO_OP_ALTERNATE:
        play_record(play, h, op);
        break;
    case REDO_OP_GAMES:
        draw_games(play, op);
        break;
    case REDO_OP_SETBETTER:
    case REDO_OP_CLEAR:
    case REDO_OP_NEWUNDO: /* of sessions told by change: changes_play.c */
    case REDO_OP_ADDUNDO:
        break;
    }
    if (op->kind == REDO_OP_ADD || op->kind == REDO_OP_CYCLE || op->kind == REDO_OP_UPDATE) {
        play_state(play);
        op->state = play->state;
        op->statesize = play->size;
    }
    draw_stamp(play, h, op);
    draw_key(play, h, op);
    return true;
}
