#include "tests/core/play.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/subtree.h"

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

static unsigned byte(struct play *play)
{
    return play->at < play->end ? *play->at++ : 0;
}

/* One of six boards, with one of three kinds of bytes that may not count. */
static void draw_state(struct play *play)
{
    unsigned b = byte(play);
    memset(play->state, (int)(b / 6 % 3), sizeof play->state);
    play->state[0] = (uint8_t)(b % 6);
}

/* Mostly one of the newest. */
static uint32_t draw_position(struct play *play, struct history const *h)
{
    unsigned b = byte(play);
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
    unsigned b = byte(play);
    if (b >= 254)
        return b == 254 ? INT_MIN : INT_MAX;
    return b < 160 && !play->wide ? (int)(b % 4) : (int)(b % 96) * 1000;
}

static int draw_endpoint(struct play *play)
{
    static int const ends[] = {1, 1, 1, 2, 2, 3, 127, -1, -1, -128, 128};
    unsigned b = byte(play);
    return b < 200 ? 0 : ends[b % COUNT(ends)];
}

static int draw_check(struct play *play)
{
    unsigned b = byte(play);
    return b < 160 ? redo_check : b < 200 ? redo_nocheck : b < 250 ? redo_checklater : 3;
}

static void draw_property(struct play *play, redo_operation *op)
{
    unsigned b = byte(play);
    memset(play->name, 'a' + (int)(b % 5), sizeof play->name);
    op->name = play->name;
    op->namesize = 1 + b % 3;
    draw_state(play);
    op->state = play->state;
    op->statesize = byte(play) % (PLAY_STATE_MAX + 1);
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
    unsigned b = byte(play), i = b % PLAY_KEPT;
    uint32_t parent = 0, top, count;
    size_t size = play->kept[i].size;
    if (!size) { /* none: any bytes */
        size = 1 + byte(play) % 16;
        for (size_t k = 0; k < size; k++)
            play->restored[k] = (uint8_t)byte(play);
    } else {
        memcpy(play->restored, play->kept[i].data, size);
        subtree_look(play->restored, size, &parent, &top, &count);
        if (b >= 200)
            play->restored[byte(play) * 7 % size] ^= (uint8_t)(1 << b % 8);
        if (b >= 250)
            size -= byte(play) % size;
    }
    op->position = b >= 240 ? draw_position(play, h) : parent;
    op->state = play->restored;
    op->statesize = size;
}

struct history *play_begin(struct play *play, void const *data, size_t size)
{
    *play = (struct play){.at = data, .end = (uint8_t const *)data + size};
    unsigned b = byte(play);
    play->size = 1 + b % PLAY_STATE_MAX;
    play->wide = b >= 200;
    size_t cmpsize = byte(play) % (play->size + 1);
    draw_state(play);
    return history_new(play->state, play->size, cmpsize);
}

bool play_next(struct play *play, struct history const *h, redo_operation *op)
{
    static enum redo_operation_kind const kinds[] = {
        REDO_OP_ADD,     REDO_OP_ADD,    REDO_OP_ADD,       REDO_OP_ADD,       REDO_OP_ADD,
        REDO_OP_ADD,     REDO_OP_ADD,    REDO_OP_ADD,       REDO_OP_ADD,       REDO_OP_ADD,
        REDO_OP_NEXT,    REDO_OP_NEXT,   REDO_OP_DROP,      REDO_OP_DROP,      REDO_OP_DROP,
        REDO_OP_GRAFT,   REDO_OP_GRAFT,  REDO_OP_SETBETTER, REDO_OP_DUPLICATE, REDO_OP_DUPLICATE,
        REDO_OP_CYCLE,   REDO_OP_UPDATE, REDO_OP_CLEAR,     REDO_OP_PROPERTY,  REDO_OP_DROPTREE,
        REDO_OP_RESTORE,
    };
    if (play->at >= play->end)
        return false;
    *op = (redo_operation){
        .kind = kinds[byte(play) % COUNT(kinds)], .position = NOBODY, .source = NOBODY};
    switch (op->kind) {
    case REDO_OP_ADD:
        op->position = draw_position(play, h);
        op->move = draw_move(play);
        op->endpoint = draw_endpoint(play);
        op->value = draw_check(play);
        break;
    case REDO_OP_NEXT:
        op->position = draw_position(play, h);
        op->move = draw_move(play);
        break;
    case REDO_OP_GRAFT:
        op->value = (int)(byte(play) % 17) % 5;
        break;
    case REDO_OP_CYCLE:
        op->position = draw_position(play, h);
        op->value = (int)(byte(play) % 8) - 1;
        break;
    case REDO_OP_DUPLICATE:
        op->position = draw_position(play, h);
        op->source = draw_position(play, h);
        break;
    case REDO_OP_DROP:
    case REDO_OP_UPDATE:
        op->position = draw_position(play, h);
        break;
    case REDO_OP_PROPERTY:
        draw_property(play, op);
        break;
    case REDO_OP_DROPTREE:
        op->position = draw_position(play, h);
        keep(play, h, op->position);
        break;
    case REDO_OP_RESTORE:
        draw_restore(play, h, op);
        break;
    case REDO_OP_SETBETTER:
    case REDO_OP_CLEAR:
    case REDO_OP_CURSOR:
    case REDO_OP_TURN:
        break;
    }
    if (op->kind == REDO_OP_ADD || op->kind == REDO_OP_CYCLE || op->kind == REDO_OP_UPDATE) {
        draw_state(play);
        op->state = play->state;
        op->statesize = play->size;
    }
    return true;
}
