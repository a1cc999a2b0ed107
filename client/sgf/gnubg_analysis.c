/* The texts of analyses: entries of A without their move, and DA. */
#include <limits.h>
#include <string.h>

#include "client/sgf/gnubg.h"
#include "client/sgf/words.h"

static bool take_numbers(redo_sgf_string *rest, struct gnubg_number *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!word_number(word_next(rest), &numbers[i]))
            return false;
    return true;
}

static bool take_integer(redo_sgf_string *rest, int *number)
{
    long value;
    if (!word_integer(word_next(rest), INT_MIN, INT_MAX, &value))
        return false;
    *number = (int)value;
    return true;
}

static bool take_long(redo_sgf_string *rest, long *number)
{
    return word_integer(word_next(rest), LONG_MIN / 2, LONG_MAX / 2, number);
}

/* `ver N`, if it is there. */
static bool take_version(redo_sgf_string *rest, int *version)
{
    *version = -1;
    return !word_skip(rest, "ver") || (take_integer(rest, version) && *version >= 0);
}

static size_t count_words(redo_sgf_string rest)
{
    size_t count = 0;
    while (word_next(&rest).size > 0)
        count++;
    return count;
}

/* PLIES[C] [REDUCED] DETERMINISTIC NOISE [PRUNE] */
static bool take_context(redo_sgf_string *rest, struct gnubg_context *c, bool reduced, bool prune)
{
    redo_sgf_string plies = word_next(rest);
    long value;
    c->cubeful = plies.size > 0 && plies.data[plies.size - 1] == 'C';
    plies.size -= c->cubeful;
    if (!word_integer(plies, 0, 1000, &value))
        return false;
    c->plies = (int)value;
    c->prune = -1;
    return (!reduced || take_integer(rest, &c->reduced)) && take_integer(rest, &c->deterministic) &&
           word_number(word_next(rest), &c->noise) && (!prune || take_integer(rest, &c->prune));
}

static void format_context(struct out *o, struct gnubg_context const *c, bool reduced)
{
    out_format(o, "%d%s", c->plies, c->cubeful ? "C" : "");
    if (reduced)
        out_format(o, " %d", c->reduced);
    out_format(o, " %d ", c->deterministic);
    out_number(o, &c->noise, 6);
    if (c->prune >= 0)
        out_format(o, " %d", c->prune);
}

static void format_version(struct out *o, int version)
{
    if (version >= 0)
        out_format(o, " ver %d", version);
}

static void format_numbers(struct out *o, struct gnubg_number const *numbers, int count, int digits)
{
    for (int i = 0; i < count; i++) {
        out_string(o, " ");
        out_number(o, &numbers[i], digits);
    }
}

/* --- rollouts --- */

static bool is_context_name(redo_sgf_string word)
{
    static char const *const names[] = {"cube0",     "cheq0",     "cube1",     "cheq1",
                                        "latecube0", "latecheq0", "latecube1", "latecheq1",
                                        "cubetrunc", "cheqtrunc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_is(word, names[i]))
            return true;
    return false;
}

/* The words up to the next name: move filters. */
static redo_sgf_string take_filter(redo_sgf_string *rest)
{
    redo_sgf_string filter = {"", 0};
    for (;;) {
        redo_sgf_string after = *rest, word = word_next(&after);
        if (word.size == 0 || is_context_name(word))
            return filter;
        if (filter.size == 0)
            filter = word;
        filter.size = (size_t)(word.data + word.size - filter.data);
        *rest = after;
    }
}

static bool take_player_context(redo_sgf_string *rest, struct gnubg_player_context *c)
{
    c->name = word_next(rest);
    if (!is_context_name(c->name) || !take_version(rest, &c->context.version) ||
        !take_context(rest, &c->context, false, true))
        return false;
    c->filter = take_filter(rest);
    return true;
}

/* What follows RC, in version 3. */
static bool take_settings(redo_sgf_string rest, struct gnubg_rollout *r)
{
    if (!word_skip(&rest, "RC"))
        return false;
    for (int i = 0; i < GNUBG_SETTINGS; i++)
        if (!take_integer(&rest, &r->settings[i]))
            return false;
    r->generator = word_next(&rest);
    r->seed = word_next(&rest);
    if (r->seed.size == 0 || r->generator.data[0] != '"')
        return false;
    r->context_count = 0;
    while (count_words(rest) > 0)
        if (r->context_count == GNUBG_PLAYER_CONTEXTS ||
            !take_player_context(&rest, &r->contexts[r->context_count++]))
            return false;
    return true;
}

static void take_rollout(redo_sgf_string rest, struct gnubg_rollout *r, int version)
{
    word_next(&rest); /* the letter, and so on: RC is what is looked for */
    while (rest.size > 0) {
        redo_sgf_string after = rest, word = word_next(&after);
        if (word_is(word, "RC")) {
            r->text = (redo_sgf_string){word.data, (size_t)(rest.data + rest.size - word.data)};
            break;
        }
        rest = after;
    }
    r->known = version >= 3 && r->text.data && take_settings(r->text, r);
}

static void format_rollout(struct out *o, struct gnubg_rollout const *r)
{
    if (!r->known) {
        out_text(o, r->text.data, r->text.size);
        return;
    }
    out_string(o, "RC");
    for (int i = 0; i < GNUBG_SETTINGS; i++)
        out_format(o, " %d", r->settings[i]);
    out_string(o, " ");
    out_text(o, r->generator.data, r->generator.size);
    out_string(o, " ");
    out_text(o, r->seed.data, r->seed.size);
    for (size_t i = 0; i < r->context_count; i++) {
        struct gnubg_player_context const *c = &r->contexts[i];
        /* gnubg ends some of these with a space. */
        bool after_space = i == 0 || word_is(c->name, "cheq0") || word_is(c->name, "cheq1") ||
                           word_is(c->name, "latecheq0") || word_is(c->name, "latecheq1");
        out_string(o, after_space ? "  " : " ");
        out_text(o, c->name.data, c->name.size);
        format_version(o, c->context.version);
        out_string(o, " ");
        format_context(o, &c->context, false);
        if (c->filter.size > 0)
            out_string(o, " ");
        out_text(o, c->filter.data, c->filter.size);
    }
}

/* Output o1..o7 StdDev d1..d7 */
static bool take_output(redo_sgf_string *rest, struct gnubg_analysis *a, int which)
{
    return word_skip(rest, "Output") && take_numbers(rest, a->output[which], 7) &&
           word_skip(rest, "StdDev") && take_numbers(rest, a->deviation[which], 7);
}

static void format_output(struct out *o, struct gnubg_analysis const *a, int which)
{
    out_string(o, " Output");
    format_numbers(o, a->output[which], 7, 0);
    out_string(o, " StdDev");
    format_numbers(o, a->deviation[which], 7, 0);
}

/* [SK n] RC ... */
static bool take_end(redo_sgf_string *rest, struct gnubg_analysis *a)
{
    a->rollout.skipped = 0;
    if (a->version >= 0 && !(word_skip(rest, "SK") && take_long(rest, &a->rollout.skipped)))
        return false;
    take_rollout(a->text, &a->rollout, a->version);
    return a->rollout.text.data != NULL;
}

static void format_end(struct out *o, struct gnubg_analysis const *a)
{
    if (a->version >= 0)
        out_format(o, " SK %ld", a->rollout.skipped);
    out_string(o, " ");
    format_rollout(o, &a->rollout);
}

static void format_begin(struct out *o, struct gnubg_analysis const *a)
{
    /* Before versions were told the letter was another one. */
    out_string(o, a->kind == GNUBG_EVALUATED ? "E" : a->version < 0 ? "R" : "X");
    format_version(o, a->version);
}

/* --- candidates --- */

static bool read_candidate(redo_sgf_string rest, struct gnubg_analysis *a)
{
    redo_sgf_string letter = word_next(&rest);
    if (!take_version(&rest, &a->version))
        return false;
    a->context.version = a->version;
    if (word_is(letter, "E")) {
        a->kind = GNUBG_EVALUATED;
        return take_numbers(&rest, a->output[0], 5) && take_numbers(&rest, a->score, 1) &&
               take_context(&rest, &a->context, true, count_words(rest) > 4) &&
               count_words(rest) == 0;
    }
    a->kind = GNUBG_ROLLED_OUT;
    return word_is(letter, a->version < 0 ? "R" : "X") && word_skip(&rest, "Score") &&
           take_numbers(&rest, a->score, 2) && word_skip(&rest, "Trials") &&
           take_long(&rest, &a->rollout.trials) && take_output(&rest, a, 0) && take_end(&rest, a);
}

/* With `read`, or as text that nobody understands. */
static void read_analysis(redo_sgf_string text, struct gnubg_analysis *a,
                          bool (*read)(redo_sgf_string, struct gnubg_analysis *))
{
    *a = (struct gnubg_analysis){.text = text, .version = -1};
    if (count_words(text) == 0 || read(text, a))
        return;
    *a = (struct gnubg_analysis){.kind = GNUBG_UNKNOWN, .text = text, .version = -1};
}

void gnubg_candidate_analysis_read(redo_sgf_string text, struct gnubg_analysis *analysis)
{
    read_analysis(text, analysis, read_candidate);
}

size_t gnubg_candidate_analysis_format(struct gnubg_analysis const *a, char *out, size_t cap)
{
    struct out o = {out, 0, cap};
    if (a->kind == GNUBG_EVALUATED) {
        format_begin(&o, a);
        format_numbers(&o, a->output[0], 5, 6);
        format_numbers(&o, a->score, 1, 6);
        out_string(&o, " ");
        format_context(&o, &a->context, true);
    } else if (a->kind == GNUBG_ROLLED_OUT) {
        format_begin(&o, a);
        out_string(&o, " Score");
        format_numbers(&o, a->score, 2, 0);
        out_format(&o, " Trials %ld", a->rollout.trials);
        format_output(&o, a, 0);
        format_end(&o, a);
    } else {
        out_text(&o, a->text.data, a->text.size);
    }
    return o.size;
}

/* --- cube decisions --- */

static bool read_cube(redo_sgf_string rest, struct gnubg_analysis *a)
{
    redo_sgf_string letter = word_next(&rest);
    if (!take_version(&rest, &a->version))
        return false;
    a->context.version = a->version;
    if (word_is(letter, "E")) {
        a->kind = GNUBG_EVALUATED;
        return (a->version >= 0 || take_numbers(&rest, a->old, 4)) &&
               take_context(&rest, &a->context, a->version<3, a->version> 1) &&
               take_numbers(&rest, a->output[0], 7) && take_numbers(&rest, a->output[1], 7) &&
               count_words(rest) == 0;
    }
    a->kind = GNUBG_ROLLED_OUT;
    return word_is(letter, a->version < 0 ? "R" : "X") && word_skip(&rest, "Eq") &&
           (a->version >= 0 || take_numbers(&rest, a->score, 2)) && word_skip(&rest, "Trials") &&
           take_long(&rest, &a->rollout.trials) && word_skip(&rest, "NoDouble") &&
           take_output(&rest, a, 0) && word_skip(&rest, "DoubleTake") && take_output(&rest, a, 1) &&
           take_end(&rest, a);
}

void gnubg_cube_analysis_read(redo_sgf_string text, struct gnubg_analysis *analysis)
{
    read_analysis(text, analysis, read_cube);
}

size_t gnubg_cube_analysis_format(struct gnubg_analysis const *a, char *out, size_t cap)
{
    struct out o = {out, 0, cap};
    if (a->kind == GNUBG_EVALUATED) {
        format_begin(&o, a);
        if (a->version < 0)
            format_numbers(&o, a->old, 4, 6);
        out_string(&o, " ");
        format_context(&o, &a->context, a->version < 3);
        format_numbers(&o, a->output[0], 7, 6);
        format_numbers(&o, a->output[1], 7, 6);
    } else if (a->kind == GNUBG_ROLLED_OUT) {
        format_begin(&o, a);
        out_string(&o, " Eq");
        if (a->version < 0)
            format_numbers(&o, a->score, 2, 6);
        out_format(&o, " Trials %ld NoDouble", a->rollout.trials);
        format_output(&o, a, 0);
        out_string(&o, " DoubleTake");
        format_output(&o, a, 1);
        format_end(&o, a);
    } else {
        out_text(&o, a->text.data, a->text.size);
    }
    return o.size;
}
