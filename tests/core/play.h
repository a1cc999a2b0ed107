/* Sessions made of any bytes, for tests and fuzzers: each few bytes are an operation on a session
 * of a tiny game, in which equal states, solutions and wide positions abound. What would not do
 * (numbers that never were or are no more, unknown constants) comes along now and then, to be
 * refused. */
#ifndef TESTS_CORE_PLAY_H
#define TESTS_CORE_PLAY_H

#include "core/history.h"

#define PLAY_STATE_MAX 8
#define PLAY_KEPT 4          /* dropped subtrees to be brought back, */
#define PLAY_KEPT_MAX 800    /* of so many bytes */
#define PLAY_ENCODED_MAX 900 /* no operation takes more */
#define PLAY_ITEMS 6         /* of a turn */
#define PLAY_TURN_MAX 400    /* bytes of one */
#define PLAY_GAMES 5         /* of an edit */
#define PLAY_RECORD_MAX 500  /* bytes that an edit of a record takes */
#define PLAY_IDS 64          /* of items that it tells of */

struct play {
    uint8_t const *at, *end;
    size_t size;                   /* of a state */
    bool wide;                     /* most happens at the first position */
    uint8_t state[PLAY_STATE_MAX]; /* of the operation read last */
    char name[4];
    struct {
        uint8_t data[PLAY_KEPT_MAX];
        size_t size;
    } kept[PLAY_KEPT];
    uint8_t restored[PLAY_KEPT_MAX]; /* as kept, or damaged */
    uint8_t turn[PLAY_TURN_MAX];
    uint8_t games[PLAY_GAMES * GAMES_ID];
    uint8_t record[PLAY_RECORD_MAX];
    char author[2];
    uint8_t key[2];
    struct {
        uint8_t data[PLAY_ENCODED_MAX]; /* the last operation with a key, to be repeated */
        size_t size;
        uint32_t uid; /* of its author */
        char name[2];
        size_t namesize;
    } again;
};

/* Takes the session's sizes from the first bytes, and begins it. NULL without memory. */
struct history *play_begin(struct play *play, void const *data, size_t size);

/* Reads the next operation, on the positions of h; false at the end of the bytes, or without
 * memory. op->state, names and key point into *play. */
bool play_next(struct play *play, struct history const *h, redo_operation *op);

/* For play_record.c, which draws RECORDs, PLAYs and ALTERNATEs: the next byte, a position, a state
 * into play->state. */
unsigned play_byte(struct play *play);
uint32_t play_position(struct play *play, struct history const *h);
void play_state(struct play *play);
void play_record(struct play *play, struct history const *h, redo_operation *op);

/* A generator of numbers to draw from (splitmix64), and bytes drawn from it. */
uint64_t play_random(uint64_t *seed);
void play_bytes(uint64_t seed, uint8_t *data, size_t size);

#endif
