#include "client/games/board.h"

#include <string.h>

static void put16(unsigned char *at, int value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static int get16(unsigned char const *at)
{
    return at[0] | at[1] << 8;
}

void board_write(struct gnubg_position const *p, struct board *b)
{
    unsigned char *at = b->bytes;
    int power = 0;
    while (p->cube >> power > 1)
        power++;
    memcpy(at, p->points, 50);
    at[50] = (unsigned char)p->turn;
    at[51] = (unsigned char)p->dice[0];
    at[52] = (unsigned char)p->dice[1];
    at[53] = p->doubled;
    at[54] = (unsigned char)power;
    at[55] = (unsigned char)p->owner;
    at[56] = (unsigned char)p->roller;
    at[57] = (unsigned char)p->state;
    at[58] = (unsigned char)(p->crawford + 2 * p->jacoby);
    at[59] = (unsigned char)p->resigned;
    put16(at + 60, p->length);
    put16(at + 62, p->score[0]);
    put16(at + 64, p->score[1]);
}

static bool is_side(unsigned side)
{
    return side == GNUBG_WHITE || side == GNUBG_BLACK;
}

bool board_read(void const *state, size_t size, struct gnubg_position *p)
{
    unsigned char const *at = state;
    if (size != BOARD_SIZE)
        return false;
    for (int side = 0; side < 2; side++) {
        int count = 0;
        for (int i = 0; i < 25; i++)
            count += at[25 * side + i];
        if (count > 15)
            return false;
    }
    if ((!is_side(at[50]) && at[50] != BOARD_NOBODY_YET) || at[51] > 6 || at[52] > 6 ||
        !at[51] != !at[52] || at[53] > 1 || at[54] > 15 ||
        (!is_side(at[55]) && at[55] != GNUBG_NOBODY) || !is_side(at[56]) ||
        at[57] > GNUBG_DROPPED || at[58] > 3 || at[59] > 3 || (at[61] | at[63] | at[65]) > 127)
        return false;
    *p = (struct gnubg_position){.cube = 1u << at[54],
                                 .owner = at[55],
                                 .roller = at[56],
                                 .turn = at[50],
                                 .doubled = at[53],
                                 .resigned = at[59],
                                 .state = at[57],
                                 .dice = {at[51], at[52]},
                                 .length = get16(at + 60),
                                 .score = {get16(at + 62), get16(at + 64)},
                                 .crawford = at[58] & 1,
                                 .jacoby = at[58] >> 1};
    memcpy(p->points, at, 50);
    return true;
}

bool board_of(redo_session const *session, redo_position const *position, struct gnubg_position *p)
{
    void const *state = redo_getsavedstate(position);
    return state && board_read(state, (size_t)redo_getstatesize(session), p);
}

void board_ids(struct gnubg_position const *p, char position[GNUBG_POSITION_ID],
               char match[GNUBG_MATCH_ID])
{
    struct gnubg_position q = *p;
    if (q.turn == BOARD_NOBODY_YET)
        q.turn = q.roller;
    gnubg_position_id(&q, position);
    gnubg_match_id(&q, match);
}
