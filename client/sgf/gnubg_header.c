/* The root of a game of gnubg's. */
#include <stdlib.h>
#include <string.h>

#include "client/sgf/gnubg_parts.h"
#include "client/sgf/tree.h"

static char const *const text_ids[GNUBG_TEXTS] = {"FF", "AP", "PW", "PB", "WR", "BR",
                                                  "DT", "EV", "RO", "PC", "AN", "GC"};

/* In the order of enum gnubg_rule and enum gnubg_variant. */
static char const *const rule_words[] = {"Crawford", "CrawfordGame", "Jacoby", "NoCube"};
static char const *const variant_words[] = {"", "Nackgammon", "Hypergammon1", "Hypergammon2",
                                            "Hypergammon3"};
#define COUNT(table) (sizeof table / sizeof *table)

#define SCORE_MAX 32767 /* what a match ID has room for */

bool gnubg_is(redo_sgf_game const *game)
{
    redo_sgf_property const *p = redo_sgf_node_property(game->root, "GM");
    redo_sgf_string game_number = p ? first_raw(p) : (redo_sgf_string){"", 0};
    return word_is(word_next(&game_number), "6");
}

size_t gnubg_name_decode(redo_sgf_string raw, char *out, size_t cap)
{
    struct out o = {out, 0, cap};
    for (size_t i = 0; i < raw.size; i++) {
        if (raw.data[i] == '\\' && i + 1 < raw.size && raw.data[i + 1] == ']')
            i++;
        out_text(&o, raw.data + i, 1);
    }
    return o.size;
}

/* --- reading --- */

static int read_info(struct parts *parts, struct gnubg_header *h, redo_sgf_property const *p)
{
    h->info = p;
    for (redo_sgf_value const *v = p->first; v; v = v->next) {
        redo_sgf_string key, text;
        struct {
            char const *key;
            int *to;
        } const known[] = {{"length", &h->length},
                           {"game", &h->game},
                           {"ws", &h->score[GNUBG_WHITE]},
                           {"bs", &h->score[GNUBG_BLACK]}};
        redo_sgf_split(redo_sgf_value_raw(v), &key, &text);
        for (size_t i = 0; i < COUNT(known); i++) {
            long value;
            if (!word_is(key, known[i].key))
                continue;
            if (!word_integer(text, 0, SCORE_MAX, &value)) {
                error_at(parts->game, parts->error, v->raw, "%s must be a number from 0 to %d",
                         known[i].key, SCORE_MAX);
                return -1;
            }
            *known[i].to = (int)value;
        }
    }
    return 1;
}

/* Words between colons. Those not known are in the text only. */
static void read_rules(struct gnubg_header *h)
{
    redo_sgf_string rest = h->rules_text, word;
    do {
        redo_sgf_split(rest, &word, &rest);
        for (size_t i = 0; i < COUNT(rule_words); i++)
            if (word_is(word, rule_words[i]))
                h->rules |= 1u << i;
        for (size_t i = 1; i < COUNT(variant_words); i++)
            if (word_is(word, variant_words[i]))
                h->variant = i;
    } while (rest.size > 0);
}

/* W+4R and the like. */
static void read_result(struct gnubg_header *h)
{
    redo_sgf_string s = h->result_text;
    long points;
    if (s.size < 3 || (s.data[0] != 'W' && s.data[0] != 'B') || s.data[1] != '+')
        return;
    bool resigned = s.data[s.size - 1] == 'R';
    if (!word_integer((redo_sgf_string){s.data + 2, s.size - 2 - resigned}, 0, 1000000000, &points))
        return;
    h->winner = s.data[0] == 'W' ? GNUBG_WHITE : GNUBG_BLACK;
    h->points = (int)points;
    h->resigned = resigned;
}

static int read_cube(struct parts *parts, struct gnubg_header *h)
{
    long cube;
    if (!word_integer(h->cube_text, 1, 1 << 15, &cube) || (cube & (cube - 1)) != 0) {
        error_at(parts->game, parts->error, h->cube_text.data,
                 "a cube must be a power of 2 up to %d", 1 << 15);
        return -1;
    }
    h->cube = (unsigned)cube;
    return 1;
}

static int read_property(struct parts *parts, redo_sgf_property const *p)
{
    struct gnubg_header *h = parts->into;
    for (int i = 0; i < GNUBG_TEXTS; i++)
        if (redo_sgf_property_is(p, text_ids[i])) {
            h->texts[i] = first_raw(p);
            return 1;
        }
    if (redo_sgf_property_is(p, "GM") || redo_sgf_property_is(p, "CA"))
        return 1;
    if (redo_sgf_property_is(p, "MI"))
        return read_info(parts, h, p);
    if (redo_sgf_property_is(p, "GS")) {
        h->statistics = p;
    } else if (redo_sgf_property_is(p, "RU")) {
        h->rules_text = first_raw(p);
        read_rules(h);
    } else if (redo_sgf_property_is(p, "RE")) {
        h->result_text = first_raw(p);
        read_result(h);
    } else if (redo_sgf_property_is(p, "CV")) {
        h->cube_text = first_raw(p);
        return read_cube(parts, h);
    } else {
        return 0;
    }
    return 1;
}

static char const *const last_counts[] = {"FF", "AP", "PW", "PB", "WR", "BR", "DT",
                                          "EV", "RO", "PC", "AN", "GC", "GM", "CA",
                                          "MI", "GS", "RU", "RE", "CV", NULL};
static char const *const lists[] = {"MI", "GS", NULL};

int gnubg_header_read(redo_sgf_game *game, struct gnubg_header *header, redo_sgf_error *error)
{
    *header = (struct gnubg_header){.cube = 1, .winner = GNUBG_NOBODY};
    struct parts parts = {game, error, header, read_property, last_counts, lists};
    header->undeclared = !game->converted && !redo_sgf_node_property(game->root, "CA");
    int code = parts_read(&parts, game->root, &header->rests);
    if (code)
        gnubg_header_free(header);
    return code;
}

void gnubg_header_free(struct gnubg_header *header)
{
    free(header->rests.list);
    header->rests = (struct gnubg_rests){0};
}

/* --- writing --- */

static void write_info(struct writing *w, struct gnubg_header const *h)
{
    char text[64];
    struct out o = {text, 0, sizeof text};
    if (h->info) {
        write_copy(w, h->info);
        return;
    }
    out_format(&o, "length:%d", h->length);
    write_property(w, "MI", (redo_sgf_string){text, o.size});
    struct {
        char const *key;
        int value;
    } const rest[] = {{"game", h->game}, {"ws", h->score[0]}, {"bs", h->score[1]}};
    for (size_t i = 0; i < COUNT(rest); i++) {
        o.size = 0;
        out_format(&o, "%s:%d", rest[i].key, rest[i].value);
        write_value(w, (redo_sgf_string){text, o.size});
    }
}

static void write_texts(struct writing *w, struct gnubg_header const *h, int from, int to)
{
    for (int i = from; i <= to; i++)
        if (has(h->texts[i]))
            write_property(w, text_ids[i], h->texts[i]);
}

static void write_rules(struct writing *w, struct gnubg_header const *h)
{
    char text[128];
    struct out o = {text, 0, sizeof text};
    for (size_t i = 0; i < COUNT(rule_words); i++)
        if (h->rules & 1u << i)
            out_format(&o, "%s%s", o.size > 0 ? ":" : "", rule_words[i]);
    if (h->variant != GNUBG_STANDARD)
        out_format(&o, "%s%s", o.size > 0 ? ":" : "", variant_words[h->variant]);
    if (has(h->rules_text))
        write_property(w, "RU", h->rules_text);
    else if (o.size > 0)
        write_property(w, "RU", (redo_sgf_string){text, o.size});
}

static void write_result(struct writing *w, struct gnubg_header const *h)
{
    char text[64];
    struct out o = {text, 0, sizeof text};
    out_format(&o, "%c+%d%s", h->winner == GNUBG_WHITE ? 'W' : 'B', h->points,
               h->resigned ? "R" : "");
    if (has(h->result_text))
        write_property(w, "RE", h->result_text);
    else if (h->winner != GNUBG_NOBODY)
        write_property(w, "RE", (redo_sgf_string){text, o.size});
}

static void write_cube(struct writing *w, struct gnubg_header const *h)
{
    char text[32];
    struct out o = {text, 0, sizeof text};
    out_format(&o, "%u", h->cube);
    if (has(h->cube_text))
        write_property(w, "CV", h->cube_text);
    else if (h->cube > 1)
        write_property(w, "CV", (redo_sgf_string){text, o.size});
}

int gnubg_header_write(redo_sgf_game *game, struct gnubg_header const *header)
{
    struct writing w = {game, game->root, &header->rests, NULL, REDO_OK};
    write_rests(&w, GNUBG_REST_BEFORE);
    if (!has(header->texts[GNUBG_FF]) && !header->info)
        write_text(&w, "FF", "4");
    write_texts(&w, header, GNUBG_FF, GNUBG_FF);
    write_text(&w, "GM", "6");
    if (!header->undeclared)
        write_text(&w, "CA", "UTF-8");
    write_texts(&w, header, GNUBG_AP, GNUBG_AP);
    write_info(&w, header);
    write_texts(&w, header, GNUBG_PW, GNUBG_GC);
    write_rules(&w, header);
    write_cube(&w, header);
    write_result(&w, header);
    if (header->statistics)
        write_copy(&w, header->statistics);
    write_rests(&w, GNUBG_REST_AFTER);
    return w.code;
}
