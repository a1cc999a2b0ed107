/* The one function that changes a history. Each operation is checked whole before anything is
 * touched, then room is made for all that it will make; from there on nothing can fail. */
#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/changes/entry.h"
#include "core/copy.h"
#include "core/equal.h"
#include "core/error.h"
#include "core/history.h"
#include "core/operation.h"
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

/* Takes a position without branches out of the history. The node stays, as dropped: prev and the
 * number can be read, nothing leads to or from it. */
static struct node *drop(struct history *h, struct node *n)
{
    struct node *prev = node_prev(n);
    better_bequeath(h, n);
    uint32_t state = n->state;
    if (h->changes)
        changes_drop(h, n);
    if (equal_leave(h, n) || h->states.counted)
        states_release(&h->states, state);
    branch_remove(h, prev, n);
    if (n->p.setbetter)
        h->waiting--;
    n->p.inuse = n->p.setbetter = 0;
    h->count--;
    records_drop(h, &h->records, n);
    if (n->p.solutionend == prev->p.solutionend && n->p.solutionsize == prev->p.solutionsize)
        solution_lower(h, prev);
    h->changed = true;
    return prev;
}

static int apply_drop(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc)
        return rc;
    if (n->p.next)
        return REDO_EBRANCHES;
    if (!n->p.prev)
        return REDO_EFIRST;
    r->position = drop(h, n)->in.id;
    r->dropped = 1;
    r->changed = 1;
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

static int apply_setbetter(struct history *h, redo_result *r)
{
    r->changed = h->waiting > 0;
    equal_forget_ready(h);
    for (struct node *n = history_from(h, 0); h->waiting > 0; n = history_from(h, n->in.id + 1)) {
        if (!n->p.setbetter)
            continue;
        n->p.setbetter = 0;
        h->waiting--;
        touched_note(h->touched, n->in.id, true);
        void *state = node_state(h, n);
        struct node *rival = equal_rival(h, equal_first(h, equal_hash(h, state), state), n);
        if (!rival)
            continue;
        r->value++;
        if (rival == n)
            continue;
        if (rival->p.movecount <= n->p.movecount)
            better_set(h, n, rival);
        else
            better_set(h, rival, n);
    }
    return REDO_OK;
}

/* Whether n has the compared bytes of this one. */
static bool has_state(struct history const *h, struct node const *n, struct node const *one)
{
    if (n->state == one->state || !h->states.counted) /* each is stored once */
        return n->state == one->state;
    return memcmp(node_state(h, n), node_state(h, one), h->cmpsize) == 0;
}

static int apply_cycle(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *end;
    int rc = history_find(h, op->position, &end);
    if (rc || (rc = history_check_state(h, op)))
        return rc;
    r->position = end->in.id;
    struct node *first = equal_first(h, equal_hash(h, op->state), op->state);
    if (!first)
        return REDO_OK;
    struct node *match = end;
    while (match && !has_state(h, match, first))
        match = node_prev(match);
    if (!match)
        return REDO_OK;
    r->value = 1;
    r->position = match->in.id;
    if (op->value > 0 && end->p.movecount - match->p.movecount < (unsigned)op->value) {
        while (end != match && !end->p.next) {
            end = drop(h, end);
            r->dropped++;
        }
    }
    r->changed = r->dropped > 0;
    return REDO_OK;
}

static int apply_duplicate(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *dest, *source;
    int rc = history_find(h, op->position, &dest);
    if (rc || (rc = history_find(h, op->source, &source)))
        return rc;
    if (!source->p.solutionend)
        return REDO_OK;
    uint32_t length = copy_length(source);
    if ((rc = history_reserve(h, length, h->changes ? length : 0)))
        return rc;
    uint32_t *path = history_scratch(h, length);
    if (length && !path)
        return REDO_ENOMEM;
    if (h->changes && (rc = changes_plan_copy(h, dest, source, false)))
        return rc;
    r->value = 1;
    r->firstmade = h->next;
    r->changed = copy_path(h, dest, source, path);
    if (h->changes)
        changes_stay(h);
    r->made = h->next - r->firstmade;
    if (r->made)
        h->changed = true;
    return REDO_OK;
}

static int apply_property(struct history *h, redo_operation const *op, redo_result *r)
{
    if (!op->name || op->namesize < 1 || op->namesize > REDO_NAME_MAX)
        return REDO_ENAME;
    if (op->statesize && !op->state)
        return REDO_ESTATE;
    struct property const *there = properties_find(&h->properties, op->name, op->namesize);
    size_t before = there ? there->name_size + there->value_size : 0;
    if (op->statesize > REDO_PROPERTY_MAX ||
        h->properties.bytes - before + op->namesize + op->statesize > REDO_PROPERTY_MAX)
        return REDO_EFULL;
    bool changed;
    int rc = properties_set(&h->properties, op->name, op->namesize, op->state ? op->state : "",
                            op->statesize, &changed);
    if (rc)
        return rc;
    r->changed = changed;
    h->changed |= changed;
    return REDO_OK;
}

static int apply_droptree(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc)
        return rc;
    if (!n->p.prev)
        return REDO_EFIRST;
    r->position = node_prev(n)->in.id;
    r->dropped = subtree_drop(h, n);
    r->changed = 1;
    return REDO_OK;
}

static int apply_restore(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *parent;
    int rc = history_find(h, op->position, &parent);
    if (rc)
        return rc;
    if (!op->state || !op->statesize)
        return REDO_EDAMAGED;
    return subtree_restore(h, parent, op->state, op->statesize, r);
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
        return apply_drop(h, op, r);
    case REDO_OP_GRAFT:
        return apply_graft(h, op, r);
    case REDO_OP_UPDATE:
        return apply_update(h, op, r);
    case REDO_OP_SETBETTER:
        return apply_setbetter(h, r);
    case REDO_OP_CYCLE:
        return apply_cycle(h, op, r);
    case REDO_OP_DUPLICATE:
        return apply_duplicate(h, op, r);
    case REDO_OP_PROPERTY:
        return apply_property(h, op, r);
    case REDO_OP_DROPTREE:
        return apply_droptree(h, op, r);
    case REDO_OP_RESTORE:
        return apply_restore(h, op, r);
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

struct fields history_fields(struct history const *h, struct node const *n)
{
    struct stamp stamp = authors_stamp(&h->authors, n->in.id);
    return (struct fields){
        .number = n->in.id,
        .prev = n->p.prev ? node_prev(n)->in.id : NOBODY,
        .better = n->p.better ? node_of(n->p.better)->in.id : NOBODY,
        .movecount = n->p.movecount,
        .solutionsize = n->p.solutionsize,
        .solutionend = n->p.solutionend,
        .nextcount = n->p.nextcount,
        .move = n->in.move,
        .endpoint = n->p.endpoint,
        .setbetter = n->p.setbetter,
        .author = stamp.author,
        .time = stamp.time,
    };
}

/* Those of the position in a result: it is there, or was until a moment ago. */
static struct fields fields_of(struct history const *h, redo_result const *r)
{
    if (r->position == NOBODY)
        return (struct fields){.number = NOBODY, .prev = NOBODY, .better = NOBODY};
    return history_fields(h, node_at(h, r->position));
}

struct answer const *history_answer(struct history *h, redo_result const *result)
{
    if (!result->repeated)
        h->answer.fields = fields_of(h, result);
    return &h->answer;
}

/* An operation whose key is known: what came of it the first time. */
static int repeat(struct history *h, redo_operation const *op, struct key const *key,
                  redo_result *r)
{
    if (key->operation != operation_hash(op))
        return REDO_EKEY;
    if (key->count > h->answer.cap) {
        uint32_t *grown = realloc(h->answer.items, key->count * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        h->answer.items = grown;
        h->answer.cap = key->count;
    }
    if (key->count)
        memcpy(h->answer.items, key->items, key->count * sizeof *key->items);
    h->answer.count = key->count;
    h->answer.fields = key->fields;
    h->answer.sequence = key->sequence;
    *r = key->result;
    r->changed = 0;
    r->repeated = 1;
    return REDO_OK;
}

static void keep_key(struct history *h, redo_operation const *op, struct key *key, redo_result *r)
{
    r->changed = 1; /* the key itself */
    key->operation = operation_hash(op);
    key->author = h->authors.now.author;
    key->result = *r;
    key->fields = fields_of(h, r);
    key->sequence = h->sequence + 1;
    if (op->kind == REDO_OP_TURN) {
        key->count = h->answer.count;
        memcpy(key->items, h->answer.items, key->count * sizeof *key->items);
    }
    keys_keep(&h->keys, key);
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
        keep_key(h, op, key, r);
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
    rc = known ? repeat(h, op, known, &r) : apply_new(h, op, &r);
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
