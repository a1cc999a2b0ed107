#include "client/games/heading.h"

#include <stdlib.h>
#include <string.h>

#include "client/games/generic_export.h"
#include "client/sgf/gnubg_parts.h"

#define ROOT "sgf:root"

/* The texts of a header, as a session has them. */
static struct {
    enum gnubg_text text;
    char const *name;
} const texts[] = {{GNUBG_AP, "application"},  {GNUBG_PW, "white"},        {GNUBG_PB, "black"},
                   {GNUBG_WR, "white rating"}, {GNUBG_BR, "black rating"}, {GNUBG_DT, "date"},
                   {GNUBG_EV, "event"},        {GNUBG_RO, "round"},        {GNUBG_PC, "place"},
                   {GNUBG_AN, "annotator"},    {GNUBG_GC, "comment"}};
static char const *const variants[] = {"standard", "nackgammon", "hypergammon1", "hypergammon2",
                                       "hypergammon3"};
static char const *const rules[] = {"Crawford", "CrawfordGame", "Jacoby", "NoCube"};
#define COUNT(table) (sizeof table / sizeof *table)

/* --- what a header comes to, value by value --- */

static redo_sgf_string decode(enum gnubg_text text, redo_sgf_string raw, struct arena *arena)
{
    char *out = arena_take(arena, raw.size + 1);
    if (!out)
        return (redo_sgf_string){NULL, 0};
    bool name = text == GNUBG_PW || text == GNUBG_PB;
    size_t size = (name ? gnubg_name_decode : redo_sgf_text_decode)(raw, out, raw.size);
    return (redo_sgf_string){out, size};
}

enum { LENGTH = COUNT(texts), GAME, SCORE, RULES, VARIANT, CUBE, RESULT, VALUES };

static char const *value_name(size_t which)
{
    static char const *const names[] = {"length",  "game", "score", "rules",
                                        "variant", "cube", "result"};
    return which < COUNT(texts) ? texts[which].name : names[which - COUNT(texts)];
}

/* Makes the value; size 0: there is none. */
static void make_value(struct making *m, struct gnubg_header const *h, size_t which)
{
    size_t count = 0;
    redo_sgf_string text;
    if (which < COUNT(texts)) {
        if (has(h->texts[texts[which].text])) {
            text = decode(texts[which].text, h->texts[texts[which].text], m->arena);
            m->failed |= !text.data;
            make_string(m, text.data ? text.data : "", text.size);
        }
        return;
    }
    switch (which) {
    case LENGTH:
        make_integer(m, h->length);
        break;
    case GAME:
        make_integer(m, h->game);
        break;
    case SCORE:
        make_array(m, 2);
        make_integer(m, h->score[0]);
        make_integer(m, h->score[1]);
        break;
    case RULES:
        for (size_t i = 0; i < COUNT(rules); i++)
            count += h->rules >> i & 1;
        make_array(m, count);
        for (size_t i = 0; i < COUNT(rules); i++)
            if (h->rules >> i & 1)
                make_word(m, rules[i]);
        break;
    case VARIANT:
        make_word(m, variants[h->variant]);
        break;
    case CUBE:
        make_integer(m, h->cube);
        break;
    case RESULT:
        if (has(h->result_text))
            make_string(m, h->result_text.data, h->result_text.size);
        break;
    }
}

static int put(redo_session *session, char const *name, struct making const *m)
{
    if (m->failed)
        return REDO_ENOMEM;
    return redo_setproperty(session, name, m->data, m->size);
}

static int put_root(redo_session *session, redo_sgf_node const *root, struct arena *arena)
{
    struct making m;
    size_t count = 0;
    for (redo_sgf_property const *p = root->properties; p; p = p->next)
        count++;
    make_begin(&m, arena);
    make_array(&m, count);
    for (redo_sgf_property const *p = root->properties; p; p = p->next) {
        count = 1;
        for (redo_sgf_value const *v = p->first; v; v = v->next)
            count++;
        make_array(&m, count);
        make_string(&m, p->name, p->name_size);
        for (redo_sgf_value const *v = p->first; v; v = v->next)
            make_string(&m, v->raw, v->size);
    }
    return put(session, ROOT, &m);
}

int heading_put(redo_session *session, redo_sgf_game const *game, struct gnubg_header const *header,
                struct arena *arena)
{
    struct making m;
    make_begin(&m, arena);
    make_word(&m, "gnubg");
    int code = put(session, "format", &m);
    for (size_t i = 0; i < VALUES && code == REDO_OK; i++) {
        make_begin(&m, arena);
        make_value(&m, header, i);
        if (m.size > 0 || m.failed)
            code = put(session, value_name(i), &m);
    }
    return code == REDO_OK ? put_root(session, game->root, arena) : code;
}

/* --- and back --- */

/* The root as it was read, onto a node. False: there is none that can be read. */
static bool get_root(redo_session const *session, redo_sgf_game *game, redo_sgf_node *node)
{
    size_t size, properties, values;
    void const *value = redo_getproperty(session, ROOT, &size);
    struct reading r = read_value(value, value ? size : 0);
    redo_sgf_string s;
    if (!value || !read_array(&r, &properties))
        return false;
    for (; properties > 0; properties--) {
        redo_sgf_property *p;
        if (!read_array(&r, &values) || values < 2 || !read_string(&r, &s) ||
            redo_sgf_property_add(game, node, s.data, s.size, &p) != REDO_OK)
            return false;
        for (; values > 1; values--)
            if (!read_string(&r, &s) || redo_sgf_value_add(game, p, s.data, s.size) != REDO_OK)
                return false;
    }
    return read_ended(&r);
}

static redo_sgf_string encode(redo_sgf_game *game, enum gnubg_text text, redo_sgf_string from)
{
    char *out = arena_take(&game->arena, 2 * from.size + 1);
    bool name = text == GNUBG_PW || text == GNUBG_PB;
    if (!out)
        return (redo_sgf_string){NULL, 0};
    if (!name)
        return (redo_sgf_string){out, redo_sgf_text_encode(from, 0, out, 2 * from.size)};
    size_t size = 0; /* of a name only the bracket is escaped */
    for (size_t i = 0; i < from.size; i++) {
        if (from.data[i] == ']')
            out[size++] = '\\';
        out[size++] = from.data[i];
    }
    if (size > 0 && out[size - 1] == '\\') /* it would escape the bracket that ends the value */
        out[size++] = ' ';
    return (redo_sgf_string){out, size};
}

static bool read_small(struct reading *r, int64_t low, int64_t high, int64_t *n)
{
    return read_integer(r, n) && *n >= low && *n <= high;
}

static bool read_rules(struct reading *r, unsigned *read)
{
    size_t count;
    redo_sgf_string word;
    if (!read_array(r, &count))
        return false;
    for (*read = 0; count > 0; count--) {
        if (!read_string(r, &word))
            return false;
        for (size_t i = 0; i < COUNT(rules); i++)
            if (word_is(word, rules[i]))
                *read |= 1u << i;
    }
    return true;
}

static bool read_variant(struct reading *r, enum gnubg_variant *variant)
{
    redo_sgf_string word;
    if (!read_string(r, &word))
        return false;
    for (size_t i = 0; i < COUNT(variants); i++)
        if (word_is(word, variants[i])) {
            *variant = i;
            return true;
        }
    return false;
}

static bool read_result(struct reading *r, redo_sgf_game *game, struct gnubg_header *h)
{
    redo_sgf_string text;
    if (!read_string(r, &text))
        return false;
    h->result_text = encode(game, GNUBG_EV, text);
    return h->result_text.data != NULL;
}

/* Takes a value of the session, which differs, into the header. False: it is no such value. */
static bool change(redo_sgf_game *game, struct gnubg_header *h, size_t which, struct reading *r)
{
    redo_sgf_string text;
    int64_t n, m;
    size_t count;
    if (which < COUNT(texts)) {
        if (!read_string(r, &text))
            return false;
        h->texts[texts[which].text] = encode(game, texts[which].text, text);
        return has(h->texts[texts[which].text]);
    }
    if (which == RULES || which == VARIANT)
        h->rules_text.data = NULL;
    if (which == LENGTH || which == GAME || which == SCORE)
        h->info = NULL;
    switch (which) {
    case LENGTH:
    case GAME:
        if (!read_small(r, 0, 32767, &n))
            return false;
        *(which == LENGTH ? &h->length : &h->game) = (int)n;
        return true;
    case SCORE:
        if (!read_array(r, &count) || count != 2 || !read_small(r, 0, 32767, &n) ||
            !read_small(r, 0, 32767, &m))
            return false;
        h->score[0] = (int)n;
        h->score[1] = (int)m;
        return true;
    case RULES:
        return read_rules(r, &h->rules);
    case VARIANT:
        return read_variant(r, &h->variant);
    case CUBE:
        if (!read_small(r, 1, 1 << 15, &n) || (n & (n - 1)) != 0)
            return false;
        h->cube = (unsigned)n;
        h->cube_text.data = NULL;
        return true;
    default:
        return read_result(r, game, h);
    }
}

/* A value that was taken away. */
static void forget(struct gnubg_header *h, size_t which)
{
    if (which < COUNT(texts))
        h->texts[texts[which].text].data = NULL;
    else if (which == RESULT) {
        h->result_text.data = NULL;
        h->winner = GNUBG_NOBODY;
    }
}

/* Holds the session's values against the header's: how many were changed, or negative. */
static int compare(redo_session const *session, redo_sgf_game *game, struct gnubg_header *h,
                   redo_sgf_error *error)
{
    int changed = 0;
    for (size_t i = 0; i < VALUES; i++) {
        struct making m;
        size_t size = 0;
        void const *value = redo_getproperty(session, value_name(i), &size);
        make_begin(&m, &game->arena);
        make_value(&m, h, i);
        if (m.failed)
            return -error_say(error, REDO_ENOMEM, "out of memory");
        if (size == m.size && (size == 0 || memcmp(value, m.data, size) == 0))
            continue;
        struct reading r = read_value(value, size);
        if (size > 0 && !change(game, h, i, &r))
            return -error_say(error, REDO_EDAMAGED,
                              "the session's property \"%s\" is not what gnubg has there",
                              value_name(i));
        if (size == 0)
            forget(h, i);
        changed++;
    }
    return changed;
}

int heading_write(redo_session const *session, redo_sgf_game *game, redo_sgf_error *error)
{
    redo_sgf_game *read = redo_sgf_game_new();
    struct gnubg_header header;
    int code = REDO_ENOMEM;
    if (!read)
        return error_say(error, REDO_ENOMEM, "out of memory");
    bool kept = get_root(session, read, read->root);
    if (!kept) {
        redo_sgf_game_free(read);
        read = redo_sgf_game_new();
        if (!read)
            return error_say(error, REDO_ENOMEM, "out of memory");
    }
    code = gnubg_header_read(read, &header, error);
    if (code == REDO_OK) {
        header.undeclared = kept && header.undeclared;
        int changed = compare(session, read, &header, error);
        if (changed < 0)
            code = -changed;
        else if (changed == 0 && kept)
            code = get_root(session, game, game->root) ? REDO_OK : REDO_ENOMEM;
        else
            code = gnubg_header_write(game, &header);
        if (code == REDO_ENOMEM)
            error_say(error, REDO_ENOMEM, "out of memory");
        else if (changed >= 0 && code)
            error_say(error, code, "the heading of the game can not be written in SGF");
        gnubg_header_free(&header);
    }
    redo_sgf_game_free(read);
    return code;
}
