/* The text of a move as hops, and back. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "client/mat/words.h"
#include "client/text/place.h"

struct hops {
    redo_mat_hop *list;
    int cap, count;
};

static bool add(struct hops *h, redo_mat_hop hop)
{
    if (h->count == INT_MAX)
        return false;
    if (h->count < h->cap)
        h->list[h->count] = hop;
    h->count++;
    return true;
}

/* A point, the bar or off. No spaces before it. */
static bool take_point(redo_text_string *s, int *point)
{
    unsigned long number;
    if (s->size == 0 || is_space((unsigned char)s->data[0]))
        return false;
    if (take_word(s, "bar"))
        number = REDO_MAT_BAR;
    else if (take_word(s, "off"))
        number = REDO_MAT_OFF;
    else if (!take_number(s, &number))
        return false;
    *point = (int)number;
    return number <= REDO_MAT_BAR;
}

static bool take_here(redo_text_string *s, char c)
{
    return s->size > 0 && s->data[0] == c && take_char(s, c);
}

/* (2): how often all hops of the word are made. More than four times is no move of backgammon. */
static bool take_repeats(redo_text_string *s, struct hops *h, int first)
{
    unsigned long times;
    int last = h->count;
    if (!take_here(s, '('))
        return true;
    if (!take_number(s, &times) || !take_here(s, ')') || times < 1 || times > 4)
        return false;
    for (unsigned long i = 1; i < times; i++)
        for (int j = first; j < last; j++)
            if (!add(h, j < h->cap ? h->list[j] : (redo_mat_hop){0}))
                return false;
    return true;
}

/* 24/18*, 24/18/13, 6/5(2): up to the next space. */
static bool take_hops(redo_text_string *s, struct hops *h)
{
    int point, first = h->count, hops = 0;
    if (!take_point(s, &point))
        return false;
    while (take_here(s, '/')) {
        redo_mat_hop hop = {point, 0, 0};
        if (!take_point(s, &hop.to))
            return false;
        hop.hit = take_here(s, '*');
        point = hop.to;
        if (!add(h, hop))
            return false;
        hops++;
    }
    return hops > 0 && take_repeats(s, h, first) &&
           (s->size == 0 || is_space((unsigned char)s->data[0]));
}

int redo_mat_move_read(redo_text_string text, redo_mat_hop *hops, int cap)
{
    struct hops h = {hops, cap, 0};
    redo_text_string s = trim(text), rest = s;
    if (take_word(&rest, "Cannot") && take_word(&rest, "Move") && trim(rest).size == 0)
        return 0;
    while (s.size > 0) {
        if (!take_hops(&s, &h))
            return -1;
        s = trim(s);
    }
    return h.count;
}

size_t redo_mat_move_write(redo_mat_hop const *hops, int count, char *out, size_t cap)
{
    size_t size = 0;
    char text[64];
    for (int i = 0; i < count; i++) {
        size_t n = (size_t)snprintf(text, sizeof text, "%s%d/%d%s", i > 0 ? " " : "", hops[i].from,
                                    hops[i].to, hops[i].hit ? "*" : "");
        if (size < cap)
            memcpy(out + size, text, n < cap - size ? n : cap - size);
        size += n;
    }
    return size;
}
