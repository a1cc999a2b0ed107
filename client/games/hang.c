/* What hangs on a node of gnubg's, as properties and candidates, and the way back. */
#include <stdio.h>
#include <string.h>

#include "client/games/backgammon.h"
#include "client/sgf/gnubg_parts.h"

static char *name_with(struct sheet *s, char const *name, size_t size, char const *after,
                       unsigned number)
{
    char *made = arena_take(s->arena, size + strlen(after) + 16);
    if (!made) {
        s->failed = true;
        return NULL;
    }
    memcpy(made, name, size);
    if (number > 1)
        snprintf(made + size, strlen(after) + 16, "%s %u", after, number);
    else
        strcpy(made + size, after);
    return made;
}

static void hang_values(struct sheet *s, struct properties *to, char const *name, size_t size,
                        char const *after, redo_sgf_value const *values)
{
    struct making m;
    size_t count = 0;
    char *unique = name_with(s, name, size, after, 1);
    for (unsigned n = 2; unique && find_property(to, unique); n++)
        unique = name_with(s, name, size, after, n);
    if (!unique)
        return;
    for (redo_sgf_value const *v = values; v; v = v->next)
        count++;
    make_begin(&m, s->arena);
    if (count != 1)
        make_array(&m, count);
    for (redo_sgf_value const *v = values; v; v = v->next)
        make_string(&m, v->raw, v->size);
    set_made(s, to, (redo_sgf_string){unique, strlen(unique)}, &m);
}

void hang_raw(struct sheet *s, struct properties *to, char const *name,
              redo_sgf_value const *values)
{
    hang_values(s, to, name, strlen(name), "", values);
}

void hang_luck(struct sheet *s, struct properties *to, struct gnubg_luck const *luck)
{
    if (luck->known) {
        char text[64];
        struct out o = {text, 0, sizeof text};
        struct gnubg_number plain = {.value = luck->value.value};
        out_number(&o, &plain, 5);
        set_double(s, to, "luck", luck->value.value);
        if (o.size != luck->value.text.size || memcmp(text, luck->value.text.data, o.size) != 0)
            set_text(s, to, "luck text", luck->value.text);
    }
    if (luck->degree) {
        static char const *const words[2][2] = {{"white", "very white"}, {"black", "very black"}};
        set_word(s, to, "good for", words[luck->good_for][luck->degree - 1]);
    }
}

static char const *const skills[] = {"", "doubtful", "bad", "very bad"};

void hang_skill(struct sheet *s, struct properties *to, char const *name, enum gnubg_skill skill)
{
    if (skill != GNUBG_UNMARKED)
        set_word(s, to, name, skills[skill]);
}

static void hang_text(struct sheet *s, struct properties *to, redo_sgf_string raw)
{
    char *text = arena_take(s->arena, raw.size + 1);
    if (!text) {
        s->failed = true;
        return;
    }
    redo_sgf_string decoded = {text, redo_sgf_text_decode(raw, text, raw.size)};
    set_text(s, to, "comment", decoded);
    /* Escapes that need not be there, soft line breaks: the text does not tell of them. */
    char *again = arena_take(s->arena, 2 * decoded.size + 1);
    if (!again) {
        s->failed = true;
        return;
    }
    size_t size = redo_sgf_text_encode(decoded, 0, again, 2 * decoded.size);
    if (size != raw.size || memcmp(again, raw.data, size) != 0)
        set_text(s, to, "C", raw);
}

void hang_common(struct sheet *s, struct properties *to, struct gnubg_record const *r)
{
    hang_skill(s, to, "skill", r->skill);
    if (has(r->comment))
        hang_text(s, to, r->comment);
    for (size_t i = 0; i < r->rests.count; i++) {
        redo_sgf_property const *p = r->rests.list[i].property;
        if (redo_sgf_property_is(p, EXTRA))
            continue;
        switch (r->rests.list[i].kind) {
        case GNUBG_REST_BEFORE:
            hang_values(s, to, p->name, p->name_size, " before", p->first);
            break;
        case GNUBG_REST_MORE:
            hang_values(s, to, p->name, p->name_size, " more", p->first->next);
            break;
        case GNUBG_REST_AFTER:
            hang_values(s, to, p->name, p->name_size, "", p->first);
            break;
        }
    }
}

/* --- candidates --- */

static redo_sgf_string move_text(struct sheet *s, struct gnubg_move const *move)
{
    char text[MOVE_TEXT_MAX];
    size_t size = move_format(move, text, sizeof text);
    char *kept = arena_take(s->arena, size);
    if (!kept) {
        s->failed = true;
        return (redo_sgf_string){"", 0};
    }
    memcpy(kept, text, size);
    return (redo_sgf_string){kept, size};
}

static size_t letters(struct gnubg_candidate const *c)
{
    return 2 * c->move.count;
}

/* Whether the entry is the letters of its move, a space and the analysis. */
static bool is_plain_entry(struct gnubg_candidate const *c, redo_sgf_string analysis)
{
    size_t size = letters(c);
    return c->text.size == size + 1 + analysis.size && c->text.data[size] == ' ';
}

static redo_sgf_string without_space(redo_sgf_string s)
{
    bool space = s.size > 0 && s.data[0] == ' ';
    return (redo_sgf_string){s.data + space, s.size - space};
}

/* A new last candidate; it has the number of its move if no other has. NULL: no memory. */
static struct item *add_candidate(struct sheet *s, struct gnubg_move const *move, int const dice[2])
{
    int number = move_number(move, dice);
    bool again = items_find(&s->candidates, number) != NULL;
    struct item *item = items_add(s, &s->candidates);
    if (!item)
        return NULL;
    item->id = (uint32_t)s->candidates.count;
    item->has_move = !again;
    item->move = again ? 0 : number;
    item->text = move_text(s, move);
    return item;
}

static int hang_candidate(struct sheet *s, struct gnubg_record const *r,
                          struct gnubg_candidate const *c)
{
    struct item *item = add_candidate(s, &c->move, r->dice);
    if (!item)
        return REDO_ENOMEM;
    item->analysis = opinion_of_candidate(s, &c->analysis);
    redo_sgf_string analysis = {"", 0};
    if (item->analysis) {
        item->analysed = redo_analysis_own;
        item->analysis->text = analysis = without_space(item->analysis->text);
    }
    if (c->marked)
        set_bool(s, &item->properties, "marked", true);
    if (!is_plain_entry(c, analysis) || !item->analysis)
        set_text(s, &item->properties, "entry", c->text);
    return s->failed ? REDO_ENOMEM : REDO_OK;
}

/* "1 3 " */
static bool marks_are_plain(struct gnubg_record const *r)
{
    redo_sgf_string rest = r->marks_text;
    for (size_t i = 0; i < r->count; i++) {
        char text[24];
        size_t size = (size_t)snprintf(text, sizeof text, "%zu ", i + 1);
        if (!r->candidates[i].marked)
            continue;
        if (rest.size < size || memcmp(rest.data, text, size) != 0)
            return false;
        rest.data += size;
        rest.size -= size;
    }
    return rest.size == 0;
}

int hang_list(struct sheet *s, struct gnubg_record const *r)
{
    int code = REDO_OK;
    for (size_t i = 0; i < r->count && code == REDO_OK; i++)
        code = hang_candidate(s, r, &r->candidates[i]);
    if (r->has_list && r->count == 0)
        set_bool(s, &s->position, "empty list", true);
    if (r->has_list && !r->has_marks)
        set_bool(s, &s->position, "MR", false);
    else if (r->has_marks && (!r->has_list || !marks_are_plain(r)))
        set_text(s, &s->position, "MR", r->marks_text);
    return s->failed ? REDO_ENOMEM : code;
}

static int hang_unanalysed(struct sheet *s, redo_sgf_string text, int const dice[2])
{
    struct gnubg_move move;
    if (!move_parse(text, &move))
        return REDO_EDAMAGED;
    return add_candidate(s, &move, dice) && !s->failed ? REDO_OK : REDO_ENOMEM;
}

int hang_more(struct sheet *s, redo_sgf_node const *node, int const dice[2])
{
    redo_sgf_property const *p = redo_sgf_node_property(node, EXTRA);
    redo_sgf_string key, text;
    int code = REDO_OK;
    for (redo_sgf_value const *v = p ? p->first : NULL; v && code == REDO_OK; v = v->next)
        if (redo_sgf_split(redo_sgf_value_raw(v), &key, &text) && word_is(key, "candidate"))
            code = hang_unanalysed(s, text, dice);
    return code;
}

bool is_listed(struct item const *item)
{
    bool unlisted;
    return item->analysis || !get_bool(&item->properties, "unlisted", &unlisted) || !unlisted;
}

bool is_in_list(struct item const *item)
{
    return is_listed(item) && (item->analysis || find_property(&item->properties, "entry"));
}

/* --- the way back --- */

bool fetch_luck(struct properties const *from, struct gnubg_luck *luck)
{
    redo_sgf_string text;
    if (get_double(from, "luck", &luck->value.value)) {
        luck->known = true;
        struct gnubg_number read;
        if (get_text(from, "luck text", &text) && word_number(text, &read) &&
            !(read.value < luck->value.value) && !(read.value > luck->value.value))
            luck->value.text = text;
    }
    if (get_text(from, "good for", &text)) {
        bool very = text.size > 5 && memcmp(text.data, "very ", 5) == 0;
        if (very) {
            text.data += 5;
            text.size -= 5;
        }
        luck->degree = 1 + very;
        luck->good_for = word_is(text, "white") ? GNUBG_WHITE : GNUBG_BLACK;
    }
    return luck->known || luck->degree;
}

enum gnubg_skill fetch_skill(struct properties const *from, char const *name)
{
    redo_sgf_string text;
    if (get_text(from, name, &text))
        for (size_t i = 1; i < sizeof skills / sizeof *skills; i++)
            if (word_is(text, skills[i]))
                return i;
    return GNUBG_UNMARKED;
}
