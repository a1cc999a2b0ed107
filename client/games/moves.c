#include "client/games/moves.h"

#include <stdio.h>
#include <string.h>

#define HOP 626
#define FOUR (HOP * HOP * HOP) /* where numbers of four hops begin */
#define FOURS (25 * 25 * 25 * 25)
#define HASHED 0x40000000

static int code_of(struct gnubg_hop h)
{
    return (h.from - 1) * 25 + h.to + 1;
}

static void sort(struct gnubg_move *m)
{
    for (size_t i = 1; i < m->count; i++)
        for (size_t k = i; k > 0 && code_of(m->hops[k - 1]) < code_of(m->hops[k]); k--) {
            struct gnubg_hop h = m->hops[k];
            m->hops[k] = m->hops[k - 1];
            m->hops[k - 1] = h;
        }
}

static uint8_t land(uint8_t from, int die)
{
    return (uint8_t)(from > die ? from - die : 0);
}

int move_number(struct gnubg_move const *move, int const dice[2])
{
    struct gnubg_move m = *move;
    bool plain = m.count == 4;
    sort(&m);
    for (size_t i = 0; i < m.count; i++)
        plain &= dice[0] == dice[1] && m.hops[i].to == land(m.hops[i].from, dice[0]);
    int number = 0;
    if (plain) {
        for (size_t i = 0; i < m.count; i++)
            number = number * 25 + m.hops[i].from - 1;
        return FOUR + number;
    }
    if (m.count == 4) {
        uint32_t hash = 2166136261u;
        for (size_t i = 0; i < m.count; i++)
            hash = (hash ^ (uint32_t)code_of(m.hops[i])) * 16777619u;
        return (int)(HASHED | (hash & (HASHED - 1)));
    }
    for (size_t i = 0; i < m.count; i++)
        number = number * HOP + code_of(m.hops[i]);
    return number;
}

bool move_of_number(int number, int const dice[2], struct gnubg_move *move)
{
    *move = (struct gnubg_move){.count = 0};
    if (number < 0 || number >= FOUR + FOURS)
        return false;
    if (number >= FOUR) {
        number -= FOUR;
        move->count = 4;
        for (size_t i = 4; i-- > 0; number /= 25) {
            uint8_t from = (uint8_t)(number % 25 + 1);
            move->hops[i] = (struct gnubg_hop){from, land(from, dice[0])};
        }
        return dice[0] == dice[1];
    }
    for (; number > 0; number /= HOP) {
        int code = number % HOP - 1;
        if (code < 0)
            return false;
        memmove(move->hops + 1, move->hops, move->count++ * sizeof *move->hops);
        move->hops[0] = (struct gnubg_hop){(uint8_t)(code / 25 + 1), (uint8_t)(code % 25)};
    }
    return true;
}

static char const *point_name(int point, char *number)
{
    if (point == 25)
        return "bar";
    if (point == 0)
        return "off";
    snprintf(number, 4, "%u", (unsigned)point % 100);
    return number;
}

size_t move_format(struct gnubg_move const *move, char *out, size_t cap)
{
    char text[MOVE_TEXT_MAX] = "no move", from[4], to[4];
    size_t size = move->count == 0 ? strlen(text) : 0;
    for (size_t i = 0; i < move->count; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s/%s", i > 0 ? " " : "",
                                 point_name(move->hops[i].from, from),
                                 point_name(move->hops[i].to, to));
    memcpy(out, text, size < cap ? size : cap);
    return size;
}

static bool parse_point(redo_sgf_string *s, int *point)
{
    if (s->size >= 3 && (memcmp(s->data, "bar", 3) == 0 || memcmp(s->data, "off", 3) == 0)) {
        *point = s->data[0] == 'b' ? 25 : 0;
        s->data += 3;
        s->size -= 3;
        return true;
    }
    size_t n = 0;
    for (*point = 0; n < 2 && n < s->size && s->data[n] >= '0' && s->data[n] <= '9'; n++)
        *point = *point * 10 + s->data[n] - '0';
    s->data += n;
    s->size -= n;
    return n > 0 && *point <= 25;
}

static bool skip(redo_sgf_string *s, char c)
{
    if (s->size == 0 || *s->data != c)
        return false;
    s->data++;
    s->size--;
    return true;
}

/* One word: points with slashes between them, and how often. */
static bool parse_hops(redo_sgf_string *s, struct gnubg_move *m)
{
    int from, to, times = 1;
    struct gnubg_hop hops[4];
    size_t count = 0;
    if (!parse_point(s, &from))
        return false;
    skip(s, '*');
    while (skip(s, '/')) {
        if (count == 4 || from == 0 || !parse_point(s, &to) || to == 25)
            return false;
        skip(s, '*');
        hops[count++] = (struct gnubg_hop){(uint8_t)from, (uint8_t)to};
        from = to;
    }
    if (skip(s, '(') && (!parse_point(s, &times) || !skip(s, ')')))
        return false;
    if (count == 0 || times < 1 || times > 4 || m->count + count * (size_t)times > 4)
        return false;
    for (; times > 0; times--) {
        memcpy(m->hops + m->count, hops, count * sizeof *hops);
        m->count += count;
    }
    return s->size == 0 || *s->data == ' ';
}

bool move_parse(redo_sgf_string text, struct gnubg_move *move)
{
    *move = (struct gnubg_move){.count = 0};
    if (text.size == 7 && memcmp(text.data, "no move", 7) == 0)
        return true;
    while (text.size > 0) {
        if (skip(&text, ' '))
            continue;
        if (!parse_hops(&text, move))
            return false;
    }
    return true;
}
