#include "client/games/opinions.h"

#include <math.h>
#include <string.h>

#define CHANCES 5 /* of an evaluated candidate */
#define SEVEN 7

/* --- to the record --- */

static void tell_context(struct making *m, struct gnubg_context const *c)
{
    make_word(m, "plies");
    make_integer(m, c->plies);
    make_word(m, "cubeful");
    make_bool(m, c->cubeful);
    make_word(m, "deterministic");
    make_bool(m, c->deterministic);
    make_word(m, "noise");
    make_double(m, c->noise.value);
    make_word(m, "prune");
    make_bool(m, c->prune > 0);
}
#define CONTEXT_KEYS 5

static void tell_settings(struct making *m, struct gnubg_rollout const *r)
{
    make_word(m, "settings");
    make_array(m, GNUBG_SETTINGS);
    for (int i = 0; i < GNUBG_SETTINGS; i++)
        make_integer(m, r->settings[i]);
    make_word(m, "generator");
    make_string(m, r->generator.data, r->generator.size);
    make_word(m, "seed");
    make_string(m, r->seed.data, r->seed.size);
    make_word(m, "players");
    make_array(m, r->context_count);
    for (size_t i = 0; i < r->context_count; i++) {
        struct gnubg_player_context const *c = &r->contexts[i];
        make_map(m, CONTEXT_KEYS + 2);
        make_word(m, "name");
        make_string(m, c->name.data, c->name.size);
        tell_context(m, &c->context);
        make_word(m, "filter");
        make_string(m, c->filter.data, c->filter.size);
    }
}

static void tell_rollout(struct making *m, struct gnubg_analysis const *a)
{
    struct gnubg_rollout const *r = &a->rollout;
    make_map(m, r->known ? 8 : 5);
    make_word(m, "version");
    make_integer(m, a->version);
    make_word(m, "trials");
    make_integer(m, r->trials);
    make_word(m, "skipped");
    make_integer(m, r->skipped);
    make_word(m, "cubeless");
    make_double(m, a->score[1].value);
    if (r->known) {
        tell_settings(m, r);
    } else {
        make_word(m, "text");
        make_string(m, r->text.data, r->text.size);
    }
}

static double *copy_numbers(struct sheet *s, struct gnubg_number const numbers[2][7], size_t rows,
                            size_t columns)
{
    double *to = arena_take(s->arena, rows * columns * sizeof *to);
    for (size_t i = 0; to && i < rows; i++)
        for (size_t k = 0; k < columns; k++)
            to[i * columns + k] = numbers[i][k].value;
    return to;
}

static bool is_finite(struct gnubg_number const numbers[2][7])
{
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < SEVEN; k++)
            if (!isfinite(numbers[i][k].value))
                return false;
    return true;
}

static struct analysis *tell(struct sheet *s, struct gnubg_analysis const *from, size_t rows,
                             size_t columns, double equity)
{
    static char const *const kinds[] = {"", "evaluation", "rollout", "unknown"};
    struct making m;
    if (from->kind == GNUBG_NOT_EVALUATED)
        return NULL;
    struct analysis *a = arena_take(s->arena, sizeof *a);
    if (!a) {
        s->failed = true;
        return NULL;
    }
    a->kind = (redo_sgf_string){kinds[from->kind], strlen(kinds[from->kind])};
    a->text = from->text;
    a->equity = (double)NAN;
    if (from->kind == GNUBG_UNKNOWN || !is_finite(from->output) || !is_finite(from->deviation))
        return a;
    a->equity = isfinite(equity) ? equity : (double)NAN;
    make_begin(&m, s->arena);
    a->number_count = rows * columns;
    a->numbers = copy_numbers(s, from->output, rows, columns);
    if (from->kind == GNUBG_ROLLED_OUT) {
        a->deviation_count = rows * columns;
        a->deviations = copy_numbers(s, from->deviation, rows, columns);
        tell_rollout(&m, from);
    } else {
        make_map(&m, CONTEXT_KEYS + 1);
        make_word(&m, "version");
        make_integer(&m, from->version);
        tell_context(&m, &from->context);
    }
    a->context = m.data;
    a->context_size = m.size;
    s->failed |= m.failed || !a->numbers || (a->deviation_count > 0 && !a->deviations);
    return a;
}

struct analysis *opinion_of_candidate(struct sheet *s, struct gnubg_analysis const *from)
{
    return tell(s, from, 1, from->kind == GNUBG_EVALUATED ? CHANCES : SEVEN, from->score[0].value);
}

/* The equity of a decision is that of double, take; where there is none of the other, see there. */
struct analysis *opinion_of_cube(struct sheet *s, struct gnubg_analysis const *from)
{
    return tell(s, from, 2, SEVEN, from->output[1][6].value);
}

/* --- and back, where the text is gone --- */

static bool is_key(redo_sgf_string key, char const *name)
{
    return key.size == strlen(name) && memcmp(key.data, name, key.size) == 0;
}

static bool read_small(struct reading *r, int *value)
{
    int64_t n;
    if (!read_integer(r, &n) || n < -1000000000 || n > 1000000000)
        return false;
    *value = (int)n;
    return true;
}

/* One key of a context: true if it was one of these. */
static bool ask_context(struct reading *r, redo_sgf_string key, struct gnubg_context *c)
{
    bool yes = false;
    if (is_key(key, "plies"))
        return read_small(r, &c->plies);
    if (is_key(key, "cubeful"))
        return read_bool(r, &c->cubeful);
    if (is_key(key, "noise"))
        return read_double(r, &c->noise.value);
    if (is_key(key, "deterministic") && read_bool(r, &yes)) {
        c->deterministic = yes;
        return true;
    }
    if (is_key(key, "prune") && read_bool(r, &yes)) {
        c->prune = yes;
        return true;
    }
    return false;
}

/* A word of SGF that does no harm in a value. */
static bool is_word(redo_sgf_string s)
{
    for (size_t i = 0; i < s.size; i++)
        if (strchr("[]\\", s.data[i]) || (unsigned char)s.data[i] < ' ')
            return false;
    return true;
}

static bool ask_player(struct reading *r, struct gnubg_player_context *c)
{
    size_t keys;
    redo_sgf_string key;
    c->context = (struct gnubg_context){.version = 3, .prune = 1};
    if (!read_map(r, &keys))
        return false;
    for (; keys > 0 && read_string(r, &key); keys--) {
        if (is_key(key, "name"))
            read_string(r, &c->name);
        else if (is_key(key, "filter"))
            read_string(r, &c->filter);
        else if (!ask_context(r, key, &c->context) && !r->bad)
            read_skip(r);
    }
    return !r->bad && is_word(c->name) && is_word(c->filter);
}

static bool ask_rollout(struct reading *r, redo_sgf_string key, struct gnubg_analysis *a)
{
    struct gnubg_rollout *o = &a->rollout;
    size_t count;
    int64_t n = 0;
    if (is_key(key, "trials") || is_key(key, "skipped")) {
        if (read_integer(r, &n))
            *(key.data[0] == 't' ? &o->trials : &o->skipped) = (long)n;
    } else if (is_key(key, "cubeless")) {
        read_double(r, &a->score[1].value);
    } else if (is_key(key, "settings") && read_array(r, &count)) {
        o->known = count == GNUBG_SETTINGS;
        for (size_t i = 0; i < count; i++)
            if (i < GNUBG_SETTINGS ? !read_small(r, &o->settings[i]) : !read_skip(r))
                return false;
    } else if (is_key(key, "generator")) {
        read_string(r, &o->generator);
    } else if (is_key(key, "seed")) {
        read_string(r, &o->seed);
    } else if (is_key(key, "players") && read_array(r, &count)) {
        for (size_t i = 0; i < count; i++)
            if (i < GNUBG_PLAYER_CONTEXTS ? !ask_player(r, &o->contexts[o->context_count++])
                                          : !read_skip(r))
                return false;
    } else {
        return false;
    }
    return true;
}

static void ask(struct analysis const *from, struct gnubg_analysis *a)
{
    struct reading r = read_value(from->context, from->context ? from->context_size : 0);
    size_t keys = 0;
    redo_sgf_string key;
    a->context =
        (struct gnubg_context){.version = 3, .cubeful = true, .deterministic = 1, .prune = 1};
    a->rollout.generator = (redo_sgf_string){"\"Mersenne Twister\"", 18};
    a->rollout.seed = (redo_sgf_string){"0", 1};
    if (from->context && !read_map(&r, &keys))
        return;
    for (; keys > 0 && read_string(&r, &key); keys--)
        if (!ask_context(&r, key, &a->context) && !ask_rollout(&r, key, a) && !r.bad)
            read_skip(&r);
    if (!is_word(a->rollout.generator) || !is_word(a->rollout.seed) ||
        a->rollout.generator.size == 0 || a->rollout.generator.data[0] != '"')
        a->rollout.known = false;
}

static void ask_numbers(double const *from, size_t count, struct gnubg_number to[2][7], bool cube)
{
    for (size_t i = 0; i < count && i < (cube ? 14 : 7); i++)
        to[i / SEVEN][i % SEVEN].value = from[i];
}

static bool is_kind(struct analysis const *a, char const *kind)
{
    return is_key(a->kind, kind);
}

/* The settings of a rollout of which none are told. */
static void usual_settings(struct gnubg_rollout *r)
{
    static int const usual[GNUBG_SETTINGS] = {1, 1, 0, 1, 0, 0, 11, 1, 1, 5};
    static char const *const names[] = {"cube0", "cheq0", "cube1", "cheq1"};
    if (r->known)
        return;
    memcpy(r->settings, usual, sizeof usual);
    r->known = true;
    r->generator = (redo_sgf_string){"\"Mersenne Twister\"", 18};
    r->seed = (redo_sgf_string){"0", 1};
    r->context_count = 4;
    for (int i = 0; i < 4; i++)
        r->contexts[i] = (struct gnubg_player_context){
            .name = {names[i], 5},
            .context = {.version = 3, .cubeful = true, .deterministic = 1, .prune = 1},
            .filter = {"", 0}};
}

bool opinion_text(struct arena *arena, struct analysis const *from, bool cube,
                  redo_sgf_string *text)
{
    size_t (*format)(struct gnubg_analysis const *, char *, size_t) =
        cube ? gnubg_cube_analysis_format : gnubg_candidate_analysis_format;
    *text = (redo_sgf_string){"", 0};
    if (from->text.data) {
        *text = from->text;
        return true;
    }
    bool evaluated = is_kind(from, "evaluation");
    if (!evaluated && !is_kind(from, "rollout"))
        return true;
    struct gnubg_analysis *a = arena_take(arena, sizeof *a);
    if (!a)
        return false;
    a->kind = evaluated ? GNUBG_EVALUATED : GNUBG_ROLLED_OUT;
    a->version = 3;
    ask(from, a);
    if (!evaluated)
        usual_settings(&a->rollout);
    ask_numbers(from->numbers, from->number_count, a->output, cube);
    ask_numbers(from->deviations, from->deviation_count, a->deviation, cube);
    a->score[0].value = isnan(from->equity) ? 0 : from->equity;
    size_t size = format(a, NULL, 0);
    char *made = arena_take(arena, size + 1);
    if (!made)
        return false;
    format(a, made, size);
    *text = (redo_sgf_string){made, size};
    return true;
}
