/* What hangs on the positions of a session and has no place in a file of its form: counted from
 * what each form has a place for, position by position, as the exports look at them. */
#include <stdlib.h>
#include <string.h>

#include "client/games/backgammon.h"
#include "client/games/generic_export.h"
#include "client/games/gnubg_export.h"
#include "client/games/walk.h"

struct counting {
    redo_session *session;
    enum game_format format;
    struct game_left_out *sum;
    struct arena arena;
    struct walk walk;
};

/* --- properties --- */

static bool is_one_of(struct property const *p, char const *const *names)
{
    for (; *names; names++)
        if (p->name_size == strlen(*names) && memcmp(p->name, *names, p->name_size) == 0)
            return true;
    return false;
}

/* A name of SGF's, maybe with what gnubg's dialect puts behind it. */
static bool is_sgf(struct property const *p)
{
    static char const *const ends[] = {" before", " more"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t size = strlen(ends[i]);
        if (p->name_size > size && memcmp(p->name + p->name_size - size, ends[i], size) == 0)
            return export_name(p->name, p->name_size - size).size > 0;
    }
    return export_name(p->name, p->name_size).size > 0;
}

/* names: those that have a place, the last one NULL. */
static void count_properties(struct counting *c, struct properties const *all, bool sgf,
                             char const *const *names)
{
    for (struct property const *p = all->first; p; p = p->next)
        c->sum->properties += !is_one_of(p, names) && !(sgf && is_sgf(p));
}

/* --- lists --- */

static void count_items(struct counting *c, struct items const *items, char const *const *names)
{
    for (struct item const *i = items->first; i; i = i->next)
        count_properties(c, &i->properties, false, names);
}

static void count_analyses(struct counting *c, struct items const *items)
{
    for (struct item const *i = items->first; i; i = i->next)
        c->sum->analyses += i->analysis != NULL;
}

/* Where it led, or NULL. */
static redo_position const *tried(redo_position const *p, struct item const *item)
{
    for (redo_branch const *b = p ? p->next : NULL; b && item->has_move; b = b->cdr)
        if (b->move == item->move)
            return b->p;
    return NULL;
}

/* Each answers the one before it, where that led. */
static void count_decisions(struct counting *c, redo_position const *p, struct sheet const *s)
{
    unsigned place = 0;
    for (struct item const *i = s->decisions.first; i; i = i->next) {
        p = tried(p, i);
        c->sum->decisions += place++ >= s->decided && i->analysed == redo_analysis_none && !p;
    }
}

/* --- by form --- */

static char const *const none[] = {NULL};

static void count_generic(struct counting *c, redo_position *p, struct sheet const *s)
{
    static char const *const layout[] = {"sgf:layout", NULL};
    count_properties(c, &s->position, true, layout);
    count_properties(c, &s->branch, false, none);
    count_items(c, &s->candidates, none);
    count_items(c, &s->decisions, none);
    count_analyses(c, &s->candidates);
    count_analyses(c, &s->decisions);
    c->sum->candidates += s->candidates.count;
    c->sum->decisions += s->decisions.count;
}

static void count_pgn(struct counting *c, redo_position *p, struct sheet const *s)
{
    static char const *const first[] = {"comment", "comment at end", NULL},
                             *const later[] = {"comment", NULL},
                             *const branch[] = {"comment", "comment before", "nags", NULL};
    count_properties(c, &s->position, false, p->prev ? later : first);
    count_properties(c, &s->branch, false, branch);
    count_items(c, &s->candidates, none);
    count_items(c, &s->decisions, none);
    count_analyses(c, &s->candidates);
    count_analyses(c, &s->decisions);
    for (struct item const *i = s->candidates.first; i; i = i->next)
        c->sum->candidates += !i->text.data && !tried(p, i);
    c->sum->decisions += s->decisions.count;
}

/* Whether what is open there has a node of its own, with the properties of the position. */
static bool is_open(redo_position const *p, struct sheet const *s)
{
    bool last = true;
    for (redo_branch const *b = p->next; b && last; b = b->cdr)
        last = is_alternate(b->p);
    return last && (find_property(&s->position, "pending") || s->candidates.count > 0);
}

/* Whether the dice have a node of their own, in which nothing is decided. */
static bool has_own_node(redo_position const *p, struct sheet const *s)
{
    bool set, moved = false;
    for (redo_branch const *b = p->next; b && !moved; b = b->cdr)
        moved = b->move >= 0;
    return !moved || (get_bool(&s->branch, "set", &set) && set);
}

/* Whether the branch that an item led to has the mark by itself. */
static bool is_marked_there(struct counting *c, redo_position const *p, struct item const *item)
{
    redo_position const *to = tried(p, item);
    struct sheet s;
    bool marked;
    return to && sheet_get((redo_position *)to, &c->arena, &s) == REDO_OK &&
           get_bool(&s.branch, "CR", &marked);
}

/* Marks, where what they mark is not written with an analysis. */
static void count_marks(struct counting *c, redo_position const *p, struct sheet const *s,
                        bool rolled)
{
    struct item const *first = s->decisions.first;
    for (struct item const *i = s->candidates.first; i; i = i->next)
        c->sum->properties +=
            item_is_marked(i) && !is_in_list(i) && !find_property(&s->position, "MR");
    if (first && !first->analysis)
        c->sum->properties += item_is_marked(first) && !is_marked_there(c, p, first);
    if (rolled && has_own_node(p, s))
        c->sum->properties += find_property(&s->branch, "cube skill") != NULL;
}

/* Whether no node tells of the position, but that of the double that was made or thought of there.
 */
static bool is_untold(redo_position const *p, struct sheet const *s)
{
    bool untold;
    return get_bool(&s->branch, UNTOLD, &untold) && untold &&
           (p->next ? p->next->move % MOVE_AGAIN == MOVE_DOUBLE
                    : find_property(&s->position, "pending") != NULL);
}

static void count_gnubg(struct counting *c, redo_position *p, struct sheet const *s)
{
    static char const *const position[] = {"position_id", "match_id", "dice", "index", "MR",
                                           "empty list",  "pending",  "cube", NULL},
                             *const comment[] = {"comment", NULL}, *const open[] = {"luck",
                                                                                    "luck text",
                                                                                    "good for",
                                                                                    "skill",
                                                                                    "cube skill",
                                                                                    "cube",
                                                                                    NULL},
                             *const branch[] = {"comment", "skill",     "move",     "cube",
                                                "luck",    "luck text", "good for", "cube skill",
                                                "set",     "untold",    NULL},
                             *const candidate[] = {"marked", "entry", "unlisted", NULL},
                             *const decision[] = {"marked", NULL};
    bool is_told = is_open(p, s);
    for (struct property const *q = s->position.first; q; q = q->next)
        c->sum->properties += !is_one_of(q, position) &&
                              !((p->prev || is_told) && is_one_of(q, comment)) &&
                              !(is_told && (is_one_of(q, open) || is_sgf(q)));
    count_properties(c, &s->branch, true, branch);
    if (is_untold(p, s)) {
        c->sum->properties += find_property(&s->branch, "comment") != NULL;
        c->sum->properties += p->next && find_property(&s->position, "comment");
    }
    count_items(c, &s->candidates, candidate);
    count_items(c, &s->decisions, decision);
    struct gnubg_position board;
    bool known = board_of(c->session, p, &board);
    bool rolled = known && board.dice[0], offered = known && board.doubled;
    for (struct item const *i = s->candidates.first; i; i = i->next)
        c->sum->candidates += !(is_listed(i) && rolled) && !tried(p, i);
    count_marks(c, p, s, rolled);
    if (rolled || offered) /* their place is before the roll, and before the double */
        c->sum->decisions += s->decisions.count;
    else
        count_decisions(c, p, s);
}

static int count_position(struct counting *c, redo_position *p)
{
    struct sheet s;
    if (sheet_get(p, &c->arena, &s) != REDO_OK)
        return REDO_ENOMEM;
    if (c->format == GAME_SGF)
        count_generic(c, p, &s);
    else if (c->format == GAME_PGN)
        count_pgn(c, p, &s);
    else
        count_gnubg(c, p, &s);
    arena_empty(&c->arena);
    for (redo_branch const *b = p->next; b; b = b->cdr)
        if (!walk_push(&c->walk, b->p, NULL))
            return REDO_ENOMEM;
    return REDO_OK;
}

int game_count_left_out(redo_session *session, struct game_left_out *sum)
{
    struct counting c = {.session = session,
                         .format = game_format(session),
                         .sum = sum,
                         .arena = {.limit = SIZE_MAX}};
    struct walk_step step;
    int code = REDO_OK;
    if (c.format != GAME_NONE && !walk_push(&c.walk, redo_getfirstposition(session), NULL))
        code = REDO_ENOMEM;
    while (code == REDO_OK && walk_pop(&c.walk, &step))
        code = count_position(&c, step.position);
    walk_free(&c.walk);
    arena_free(&c.arena);
    return code;
}
