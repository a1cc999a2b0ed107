/* The one function that changes a history. Each operation is checked whole before anything is
 * touched, then room is made for all that it will make; from there on nothing can fail. */
#include <stdlib.h>
#include <string.h>

#include "core/answer.h"
#include "core/changes/changes.h"
#include "core/changes/entry.h"
#include "core/copy.h"
#include "core/equal.h"
#include "core/error.h"
#include "core/history.h"
#include "core/leaf.h"
#include "core/records/alternates.h"
#include "core/solution.h"
#include "core/subtree.h"
#include "core/turn_apply.h"

#define SCRATCH_KEPT 65536 /* numbers */

redo_result const history_nothing = {.position = NOBODY,
                                     .graftedfrom = NOBODY,
                                     .graftedto = NOBODY,
                                     .supersedes = NOBODY,
                                     .firstmade = NOBODY};

int history_check_state(struct history const *h, redo_operation const *op)
{
    if (h->changes)
        return REDO_EKIND;
    return op->state && op->statesize == h->size ? REDO_OK : REDO_ESTATE;
}

bool history_differs(struct history const *h, struct node const *n, redo_operation const *op)
{
    if (!h->changes)
        return memcmp(node_state(h, n), op->state, h->size) != 0;
    struct turn const *t = changes_turn(h, n);
    return t->size != op->statesize || memcmp(t->data, op->state, t->size) != 0;
}

/* ADD of a move that is there already: it is returned, whatever else was given. */
static int add_existing(struct history *h, struct node *prev, struct node *n,
                        redo_operation const *op, redo_result *r)
{
    if (h->changes && changes_lines(op->state, op->statesize) < 0)
        return REDO_EOPERATION;
    r->position = n->in.id;
    r->differs = n->p.endpoint != op->endpoint || history_differs(h, n, op);
    r->changed = branch_front(h, prev, n);
    return REDO_OK;
}

/* What supersede() will need: room for copied positions, and for numbers of positions, so that it
 * can not fail. */
struct needs {
    uint32_t copies;
    uint32_t numbers;
};

static struct needs supersede_needs(struct history const *h, struct node *longer, unsigned shorter)
{
    struct needs needs = {0};
    if (h->graft == redo_copypath)
        needs.copies = copy_length(longer);
    if (h->graft == redo_graftandcopy) /* from the new position, which is no endpoint itself */
        needs.copies = solution_length_below(longer);
    bool grafts = h->graft == redo_graft || h->graft == redo_graftandcopy;
    if (grafts && h->scratchcap < h->count) /* else there is room for all; a turn has made it */
        needs.numbers = graft_candidates(longer, shorter);
    if (needs.numbers < needs.copies)
        needs.numbers = needs.copies;
    return needs;
}

/* The new position n is shorter than its equal `longer`. */
static void supersede(struct history *h, struct node *longer, struct node *n, bool stays,
                      uint32_t *numbers, redo_result *r)
{
    better_set(h, longer, n);
    r->supersedes = longer->in.id;
    if (stays)
        return;
    if (h->graft == redo_copypath && longer->p.solutionend) {
        copy_path(h, n, longer, numbers);
    } else if ((h->graft == redo_graft || h->graft == redo_graftandcopy) && longer->p.next) {
        graft_subtree(h, longer, n, numbers);
        r->graftedfrom = longer->in.id;
        r->graftedto = n->in.id;
        if (h->graft == redo_graftandcopy)
            copy_path(h, longer, n, numbers);
    }
}

int history_check_add(struct history const *h, redo_operation const *op)
{
    int rc =
        h->changes ? REDO_OK : history_check_state(h, op); /* lines are read when they are run */
    if (rc)
        return rc;
    if (op->endpoint < -128 || op->endpoint > 127)
        return REDO_ERANGE;
    if (op->value != redo_nocheck && op->value != redo_check && op->value != redo_checklater)
        return REDO_ECONSTANT;
    return REDO_OK;
}

/* A position to be added: what is known of it before it is made. */
struct addition {
    struct node *prev;
    void const *state;
    struct turn *turn; /* of a session of changes */
    uint32_t hash;
    struct node *first; /* of the equal positions, or NULL */
    struct node *rival; /* the better one of them, if it is checked */
    bool shorter;       /* than the rival */
    bool stays;         /* the rival's subtree: its turns can not be told anew */
};

/* Works out the turns of what will be moved or copied to the new position. */
static int plan_turns(struct history *h, struct node *longer)
{
    if (h->graft == redo_copypath)
        return longer->p.solutionend ? changes_plan_copy(h, NULL, longer, false) : REDO_OK;
    if (h->graft != redo_graft && h->graft != redo_graftandcopy)
        return REDO_OK;
    int rc = longer->p.next ? changes_plan_move(h, longer) : REDO_OK;
    if (!rc && h->graft == redo_graftandcopy && longer->p.next)
        rc = changes_plan_copy(h, NULL, longer, true);
    return rc;
}

/* Room for it, and for all that comes of it. */
static int reserve_add(struct history *h, struct addition *a)
{
    struct needs needs = {0};
    if (a->shorter && h->graft != redo_nograft)
        solution_settle(h);
    if (a->shorter)
        needs = supersede_needs(h, a->rival, a->rival->p.movecount - a->prev->p.movecount - 1);
    bool shared = a->first && !h->states.counted;
    uint32_t states = !shared + (h->changes ? needs.copies : 0);
    int rc = history_reserve(h, 1 + needs.copies, states);
    if (!rc && needs.numbers && !history_scratch(h, needs.numbers))
        rc = REDO_ENOMEM;
    if (!rc && h->changes && a->shorter)
        rc = plan_turns(h, a->rival);
    a->stays = rc == REDO_ELINE;
    if (a->stays)
        h->changes->fault = (struct fault){.line = -1, .place = -1};
    return a->stays ? REDO_OK : rc;
}

static void make_add(struct history *h, struct addition const *a, redo_operation const *op,
                     redo_result *r)
{
    bool shared = a->first && !h->states.counted;
    r->firstmade = h->next;
    uint32_t state = shared ? a->first->state : states_take(&h->states, a->state);
    struct node *n = history_make(h, a->prev, op->move, state, op->endpoint);
    equal_enter(h, a->hash, a->first, n);
    if (a->turn)
        changes_enter(h, n, a->turn);
    if (op->value == redo_checklater) {
        n->p.setbetter = 1;
        h->waiting++;
    }
    if (a->shorter)
        supersede(h, a->rival, n, a->stays, h->scratch, r);
    else if (a->rival)
        better_set(h, n, a->rival);
    if (h->changes)
        changes_move(h);
    r->position = n->in.id;
    r->created = r->changed = 1;
    r->made = h->next - r->firstmade;
    h->changed = true;
}

/* Inline: nearly every operation is one, and a call of it costs some percent. */
static inline __attribute__((always_inline)) int apply_add(struct history *h,
                                                           redo_operation const *op, redo_result *r)
{
    unsigned char board[CHANGES_STATE];
    struct addition a = {.state = op->state};
    int rc = history_find(h, op->position, &a.prev);
    if (rc || (rc = history_check_add(h, op)))
        return rc;
    struct node *existing = branch_find(h, a.prev, op->move);
    if (existing)
        return add_existing(h, a.prev, existing, op, r);
    if (h->changes) {
        rc = changes_compile(h, a.prev, op->state, op->statesize, &a.turn, board);
        a.state = board;
    }
    if (rc)
        return rc;
    a.hash = equal_hash(h, a.state);
    a.first = equal_first(h, a.hash, a.state);
    /* Endpoints are found by a check, but adding one checks nothing. */
    bool check = op->value == redo_check && !op->endpoint;
    a.rival = check ? equal_rival(h, a.first, NULL) : NULL;
    a.shorter = a.rival && a.prev->p.movecount + 1 < a.rival->p.movecount;
    rc = reserve_add(h, &a);
    if (!rc)
        make_add(h, &a, op, r);
    else if (a.turn)
        changes_abandon(h, a.prev, a.turn);
    return rc;
}

int history_add(struct history *h, redo_operation const *op, redo_result *r)
{
    return apply_add(h, op, r);
}

static int apply_next(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc)
        return rc;
    struct node *next = branch_find(h, n, op->move);
    if (next) {
        r->position = next->in.id;
        r->changed = branch_front(h, n, next);
    }
    return REDO_OK;
}

static int apply_graft(struct history *h, redo_operation const *op, redo_result *r)
{
    if (op->value < redo_nograft || op->value > redo_graftandcopy)
        return REDO_ECONSTANT;
    r->value = h->graft;
    r->changed = h->graft != op->value;
    h->graft = (unsigned char)op->value;
    return REDO_OK;
}

static int apply_update(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc || (rc = history_check_state(h, op)))
        return rc;
    char *state = node_state(h, n);
    if (memcmp(state + h->cmpsize, (char const *)op->state + h->cmpsize, h->size - h->cmpsize) == 0)
        return REDO_OK;
    char *whole = malloc(h->size);
    if (!whole || states_reserve(&h->states, 1)) {
        free(whole);
        return REDO_ENOMEM;
    }
    memcpy(whole, state, h->cmpsize);
    memcpy(whole + h->cmpsize, (char const *)op->state + h->cmpsize, h->size - h->cmpsize);
    uint32_t old = n->state;
    n->state = states_take(&h->states, whole);
    states_release(&h->states, old);
    free(whole);
    touched_note(h->touched, n->in.id, true);
    r->changed = 1;
    return REDO_OK;
}

/* ---- any operation ----------------------------------------------------------------------- */

static int apply(struct history *h, redo_operation const *op, redo_result *r)
{
    switch (op->kind) {
    case REDO_OP_ADD:
        return apply_add(h, op, r);
    case REDO_OP_NEXT:
        return apply_next(h, op, r);
    case REDO_OP_DROP:
        return leaf_apply_drop(h, op, r);
    case REDO_OP_GRAFT:
        return apply_graft(h, op, r);
    case REDO_OP_UPDATE:
        return apply_update(h, op, r);
    case REDO_OP_SETBETTER:
        return better_apply(h, r);
    case REDO_OP_CYCLE:
        return leaf_apply_cycle(h, op, r);
    case REDO_OP_DUPLICATE:
        return copy_apply(h, op, r);
    case REDO_OP_PROPERTY:
        return properties_apply(h, op, r);
    case REDO_OP_DROPTREE:
        return subtree_apply_drop(h, op, r);
    case REDO_OP_RESTORE:
        return subtree_apply_restore(h, op, r);
    case REDO_OP_CURSOR:
        return cursors_apply(h, op, r);
    case REDO_OP_TURN:
        return turn_apply(h, op, r);
    case REDO_OP_NEWUNDO:
    case REDO_OP_ADDUNDO:
        return entries_apply(h, op, r);
    case REDO_OP_RECORD:
        return records_apply(h, op, r);
    case REDO_OP_PLAY:
        return records_play(h, op, r);
    case REDO_OP_ALTERNATE:
        return alternates_apply(h, op, r);
    case REDO_OP_GAMES:
        return games_apply(h, op, r);
    case REDO_OP_CLEAR:
        r->value = r->changed = h->changed;
        h->changed = false;
        return REDO_OK;
    }
    return REDO_EOPERATION;
}

/* The operation, new in that its key is not known. */
static int apply_new(struct history *h, redo_operation const *op, redo_result *r)
{
    struct key *key = NULL;
    if (op->keysize && !(key = keys_make(&h->keys, op->key, op->keysize, turn_answers(op))))
        return REDO_ENOMEM;
    h->answer.count = 0;
    int rc = apply(h, op, r);
    if (rc) {
        key_free(key);
        return rc;
    }
    if (!r->made)
        r->firstmade = NOBODY;
    if (r->dropped)
        cursors_settle(h);
    h->answer.sequence = h->sequence + 1;
    if (key)
        answer_keep(h, op, key, r);
    if (r->changed && op->stamp.name)
        authors_enter(&h->authors, &op->stamp);
    return REDO_OK;
}

/* Who and when, for what is made; and whether the operation may have such a stamp and key. */
static int begin(struct history *h, redo_operation const *op)
{
    redo_stamp const *s = &op->stamp;
    h->authors.now = (struct stamp){0};
    if (h->failed)
        return h->failed;
    if (op->keysize > REDO_KEY_MAX || (op->keysize && !op->key))
        return REDO_EKEY;
    if (!s->author && !s->name)
        return s->time ? REDO_EPARAMS : REDO_OK;
    int rc = authors_check(&h->authors, s);
    if (!rc)
        h->authors.now =
            (struct stamp){.author = s->name ? h->authors.count + 1 : s->author, .time = s->time};
    return rc;
}

int history_apply(struct history *h, redo_operation const *op, redo_result *result)
{
    redo_result r = history_nothing;
    if (h->cursors.moved)
        cursors_rest(&h->cursors);
    if (h->changes)
        changes_begin(h->changes);
    int rc = begin(h, op);
    if (rc)
        return rc;
    struct key const *known =
        op->keysize ? keys_find(&h->keys, h->authors.now.author, op->key, op->keysize) : NULL;
    rc = known ? answer_repeat(h, op, known, &r) : apply_new(h, op, &r);
    if (h->scratchcap > SCRATCH_KEPT) {
        free(h->scratch);
        h->scratch = NULL;
        h->scratchcap = 0;
    }
    if (rc && h->changes)
        changes_refuse(h->changes);
    if (result && rc == REDO_OK)
        *result = r;
    return rc;
}

/* ---- looking ahead ----------------------------------------------------------------------- */

uint32_t history_copies(struct history *h, redo_operation const *op)
{
    if (!history_copies_paths(h) || op->value != redo_check || op->endpoint ||
        history_check_state(h, op))
        return 0;
    struct node *rival = equal_rival(h, equal_first(h, equal_hash(h, op->state), op->state), NULL);
    if (!rival)
        return 0;
    return h->graft == redo_copypath ? copy_length(rival) : solution_length_below(rival);
}

uint32_t history_growth(struct history *h, redo_operation const *op)
{
    struct node *n;
    redo_operation add;
    uint32_t parent, top, count = 0;
    uint64_t growth = 0;
    if (op->kind == REDO_OP_ADD)
        growth = history_find(h, op->position, &n) || branch_find(h, n, op->move)
                     ? 0
                     : 1 + (uint64_t)history_copies(h, op);
    else if (op->kind == REDO_OP_DUPLICATE)
        growth = history_find(h, op->source, &n) ? 0 : copy_length(n);
    else if (op->kind == REDO_OP_RESTORE && op->state)
        growth = subtree_look(op->state, op->statesize, &parent, &top, &count) ? count : 0;
    else if (op->kind == REDO_OP_TURN)
        growth = turn_growth(h, op);
    else if (op->kind == REDO_OP_CURSOR || op->kind == REDO_OP_NEWUNDO)
        growth = op->name && entry_is_open(h, op);
    else if (op->kind == REDO_OP_PLAY)
        growth = records_play_adds(h, op, &add) ? 1 + (uint64_t)history_copies(h, &add) : 0;
    else if (op->kind == REDO_OP_ALTERNATE)
        growth = alternates_growth(h, op);
    return growth < NOBODY ? (uint32_t)growth : NOBODY;
}
