/* Positions of backgammon: what records do to them, and gnubg's IDs of them. */
#include <string.h>

#include "client/sgf/gnubg.h"
#include "client/sgf/parse.h"

#define BAR 24

static void place(struct gnubg_position *p, int point, int count)
{
    p->points[GNUBG_WHITE][point - 1] = p->points[GNUBG_BLACK][point - 1] = (uint8_t)count;
}

void gnubg_position_start(struct gnubg_position *p, struct gnubg_header const *header)
{
    *p = (struct gnubg_position){.cube = header->cube,
                                 .owner = GNUBG_NOBODY,
                                 .length = header->length,
                                 .score = {header->score[0], header->score[1]},
                                 .crawford = header->rules & GNUBG_CRAWFORD_GAME,
                                 .jacoby = header->rules & GNUBG_JACOBY};
    bool nack = header->variant == GNUBG_NACKGAMMON;
    switch (header->variant) {
    case GNUBG_HYPER3:
        place(p, 22, 1);
        /* fall through */
    case GNUBG_HYPER2:
        place(p, 23, 1);
        /* fall through */
    case GNUBG_HYPER1:
        place(p, 24, 1);
        break;
    case GNUBG_STANDARD:
    case GNUBG_NACKGAMMON:
        place(p, 6, nack ? 4 : 5);
        place(p, 8, 3);
        place(p, 13, nack ? 4 : 5);
        place(p, 23, nack ? 2 : 0);
        place(p, 24, 2);
    }
}

static enum gnubg_side other(enum gnubg_side side)
{
    return side == GNUBG_WHITE ? GNUBG_BLACK : GNUBG_WHITE;
}

/* --- records --- */

static char const *name(enum gnubg_side side)
{
    return side == GNUBG_WHITE ? "White" : "Black";
}

static int set_board(struct gnubg_position *p, struct gnubg_record const *r, redo_sgf_error *error)
{
    for (int i = 0; i < 25; i++) {
        if (!r->clear[i])
            continue;
        p->points[GNUBG_WHITE][i] = 0;
        p->points[GNUBG_BLACK][i == BAR ? BAR : 23 - i] = 0;
    }
    for (int side = 0; side < 2; side++) {
        int count = 0;
        for (int i = 0; i < 25; i++) {
            p->points[side][i] = (uint8_t)(p->points[side][i] + r->add[side][i]);
            count += p->points[side][i];
        }
        if (count > 15)
            return error_say(error, REDO_ESTATE, "%s has %d chequers", name(side), count);
    }
    for (int i = 0; i < BAR; i++)
        if (p->points[GNUBG_WHITE][i] && p->points[GNUBG_BLACK][23 - i])
            return error_say(error, REDO_ESTATE, "chequers of both on White's %d point", i + 1);
    return REDO_OK;
}

static int set_up(struct gnubg_position *p, struct gnubg_record const *r, redo_sgf_error *error)
{
    if (r->set & GNUBG_SET_CUBE)
        p->cube = r->cube;
    if (r->set & GNUBG_SET_OWNER)
        p->owner = r->owner;
    if (r->to_play != GNUBG_NOBODY) {
        p->roller = p->turn = r->to_play;
        p->dice[0] = p->dice[1] = 0;
        p->doubled = false;
    }
    if (r->set & GNUBG_SET_DICE)
        memcpy(p->dice, r->set_dice, sizeof p->dice);
    return r->set & GNUBG_SET_BOARD ? set_board(p, r, error) : REDO_OK;
}

/* Whether the player answers a double: takes, drops, or doubles again. */
static bool answers(struct gnubg_position const *p, struct gnubg_record const *r)
{
    return p->doubled && r->player == p->turn;
}

static int decide(struct gnubg_position *p, struct gnubg_record const *r, redo_sgf_error *error)
{
    int code = set_up(p, r, error);
    if (code || r->action == GNUBG_NO_ACTION)
        return code;
    if ((r->action == GNUBG_TAKE || r->action == GNUBG_DROP) && !answers(p, r))
        return error_say(error, REDO_ESTATE, "%s answers a double that was not offered",
                         name(r->player));
    if (r->action != GNUBG_MOVE && answers(p, r))
        return REDO_OK;
    p->roller = p->turn = r->player;
    p->doubled = false;
    p->dice[0] = r->action == GNUBG_MOVE ? r->dice[0] : 0;
    p->dice[1] = r->action == GNUBG_MOVE ? r->dice[1] : 0;
    return REDO_OK;
}

int gnubg_position_decide(struct gnubg_position *p, struct gnubg_record const *record,
                          redo_sgf_error *error)
{
    struct gnubg_position next = *p;
    int code = decide(&next, record, error);
    if (code == REDO_OK)
        *p = next;
    return code;
}

/* Moves one chequer, and sends one that stands alone there to the bar. */
static int hop(struct gnubg_position *p, enum gnubg_side side, struct gnubg_hop h,
               redo_sgf_error *error)
{
    uint8_t *mine = p->points[side], *theirs = p->points[other(side)];
    if (h.from == 0 || mine[h.from - 1] == 0)
        return error_say(error, REDO_ESTATE, "%s has no chequer to move from %d", name(side),
                         h.from);
    mine[h.from - 1]--;
    if (h.to == 0)
        return REDO_OK;
    mine[h.to - 1]++;
    if (h.to == BAR + 1)
        return REDO_OK;
    uint8_t *there = &theirs[24 - h.to];
    if (*there > 1)
        return error_say(error, REDO_ESTATE, "%s moves to %d, which is blocked", name(side), h.to);
    theirs[BAR] = (uint8_t)(theirs[BAR] + *there);
    *there = 0;
    return REDO_OK;
}

static int move(struct gnubg_position *p, struct gnubg_record const *r, redo_sgf_error *error)
{
    bool left = false;
    for (size_t i = 0; i < r->move.count; i++) {
        int code = hop(p, r->player, r->move.hops[i], error);
        if (code)
            return code;
    }
    for (int i = 0; i < 25; i++)
        left |= p->points[r->player][i] > 0;
    if (!left)
        p->state = GNUBG_OVER;
    p->roller = p->turn = other(r->player);
    p->dice[0] = p->dice[1] = 0;
    return REDO_OK;
}

/* The cube goes to the side that was doubled first, also when it beavers and is raccooned. */
static int double_cube(struct gnubg_position *p, redo_sgf_error *error)
{
    if (p->cube >= 1u << 15) /* the last one that a match ID has room for */
        return error_say(error, REDO_ESTATE, "the cube stands at %u already", p->cube);
    p->cube *= 2;
    p->owner = other(p->roller);
    return REDO_OK;
}

static int act(struct gnubg_position *p, struct gnubg_record const *r, redo_sgf_error *error)
{
    int code = REDO_OK;
    switch (r->action) {
    case GNUBG_MOVE:
        return move(p, r, error);
    case GNUBG_DOUBLE:
        if (p->doubled)
            code = double_cube(p, error);
        p->doubled = true;
        p->turn = other(p->turn);
        break;
    case GNUBG_TAKE:
        code = double_cube(p, error);
        p->doubled = false;
        p->turn = p->roller;
        break;
    case GNUBG_DROP:
        p->doubled = false;
        p->state = GNUBG_DROPPED;
        break;
    case GNUBG_NO_ACTION:
        break;
    }
    return code;
}

int gnubg_position_play(struct gnubg_position *p, struct gnubg_record const *record,
                        redo_sgf_error *error)
{
    struct gnubg_position next = *p;
    int code = decide(&next, record, error);
    if (code == REDO_OK && (record->action != GNUBG_NO_ACTION || record->set)) {
        next.state = GNUBG_PLAYING;
        code = act(&next, record, error);
    }
    if (code == REDO_OK)
        *p = next;
    return code;
}

/* --- IDs: bits from the lowest of each byte on, in base64 without its end signs --- */

static char const base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode64(uint8_t const *bytes, size_t size, char *out)
{
    size_t count = (size * 8 + 5) / 6;
    for (size_t i = 0; i < count; i++) {
        unsigned six = 0;
        for (size_t bit = 6 * i; bit < 6 * i + 6; bit++)
            six = six << 1 | (bit / 8 < size ? bytes[bit / 8] >> (7 - bit % 8) & 1u : 0);
        out[i] = base64[six];
    }
    out[count] = '\0';
}

static bool decode64(char const *in, uint8_t *bytes, size_t size)
{
    size_t count = (size * 8 + 5) / 6;
    memset(bytes, 0, size);
    if (strlen(in) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        char const *at = strchr(base64, in[i]);
        if (!at)
            return false;
        for (size_t bit = 0; bit < 6; bit++) {
            size_t to = 6 * i + bit;
            if (!((at - base64) >> (5 - bit) & 1))
                continue;
            if (to / 8 >= size)
                return false;
            bytes[to / 8] |= (uint8_t)(0x80 >> to % 8);
        }
    }
    return true;
}

struct bits {
    uint8_t *bytes;
    size_t at, size; /* in bits */
};

static void put_bits(struct bits *b, unsigned value, int count)
{
    for (int i = 0; i < count; i++, b->at++)
        if (b->at < b->size && value >> i & 1)
            b->bytes[b->at / 8] |= (uint8_t)(1u << b->at % 8);
}

static unsigned take_bits(struct bits *b, int count)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++, b->at++)
        if (b->at < b->size)
            value |= (b->bytes[b->at / 8] >> b->at % 8 & 1u) << i;
    return value;
}

/* For the other side and then the roller, for each point and the bar: a one for each chequer, then
 * a zero. 15 chequers each make 80 bits. */
void gnubg_position_id(struct gnubg_position const *p, char id[GNUBG_POSITION_ID])
{
    uint8_t bytes[10] = {0};
    struct bits b = {bytes, 0, 80};
    enum gnubg_side sides[2] = {other(p->roller), p->roller};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 25; i++) {
            for (int n = p->points[sides[s]][i]; n > 0; n--)
                put_bits(&b, 1, 1);
            put_bits(&b, 0, 1);
        }
    encode64(bytes, sizeof bytes, id);
}

bool gnubg_position_id_read(struct gnubg_position *p, char const *id)
{
    uint8_t bytes[10], points[2][25] = {{0}};
    struct bits b = {bytes, 0, 80};
    enum gnubg_side sides[2] = {other(p->roller), p->roller};
    if (!decode64(id, bytes, sizeof bytes))
        return false;
    for (int s = 0; s < 2; s++) {
        int count = 0;
        for (int i = 0; i < 25; i++)
            for (; take_bits(&b, 1); count++)
                points[sides[s]][i]++;
        if (count > 15)
            return false;
    }
    if (b.at > b.size)
        return false;
    while (b.at < b.size)
        if (take_bits(&b, 1))
            return false;
    memcpy(p->points, points, sizeof points);
    return true;
}

static unsigned log2_of(unsigned cube)
{
    unsigned n = 0;
    while (cube >> n > 1)
        n++;
    return n;
}

void gnubg_match_id(struct gnubg_position const *p, char id[GNUBG_MATCH_ID])
{
    uint8_t bytes[9] = {0};
    struct bits b = {bytes, 0, 72};
    put_bits(&b, log2_of(p->cube), 4);
    put_bits(&b, p->owner, 2);
    put_bits(&b, p->roller, 1);
    put_bits(&b, p->crawford, 1);
    put_bits(&b, p->state, 3);
    put_bits(&b, p->turn, 1);
    put_bits(&b, p->doubled, 1);
    put_bits(&b, (unsigned)p->resigned, 2);
    put_bits(&b, (unsigned)p->dice[0], 3);
    put_bits(&b, (unsigned)p->dice[1], 3);
    put_bits(&b, (unsigned)p->length, 15);
    put_bits(&b, (unsigned)p->score[0], 15);
    put_bits(&b, (unsigned)p->score[1], 15);
    put_bits(&b, !p->jacoby, 1);
    encode64(bytes, sizeof bytes, id);
}

bool gnubg_match_id_read(struct gnubg_position *p, char const *id)
{
    uint8_t bytes[9];
    struct bits b = {bytes, 0, 72};
    if (!decode64(id, bytes, sizeof bytes))
        return false;
    struct gnubg_position q = *p;
    q.cube = 1u << take_bits(&b, 4);
    q.owner = take_bits(&b, 2);
    q.roller = take_bits(&b, 1);
    q.crawford = take_bits(&b, 1);
    unsigned state = take_bits(&b, 3);
    q.state = state;
    q.turn = take_bits(&b, 1);
    q.doubled = take_bits(&b, 1);
    q.resigned = (int)take_bits(&b, 2);
    q.dice[0] = (int)take_bits(&b, 3);
    q.dice[1] = (int)take_bits(&b, 3);
    q.length = (int)take_bits(&b, 15);
    q.score[0] = (int)take_bits(&b, 15);
    q.score[1] = (int)take_bits(&b, 15);
    q.jacoby = !take_bits(&b, 1);
    if (q.owner == 2 || state > GNUBG_DROPPED || q.dice[0] > 6 || q.dice[1] > 6 || take_bits(&b, 5))
        return false;
    *p = q;
    return true;
}
