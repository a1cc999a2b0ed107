#include "server/event.h"

#include <stdlib.h>

#include "core/redo_record.h"
#include "core/turn.h"
#include "protocol/method.h"
#include "server/record_reply.h"
#include "server/reply.h"

static char const *method_of_record(redo_operation const *op)
{
    switch (op->value) {
    case redo_edit_property:
        return "setpositionproperty";
    case redo_edit_add:
        return "addcandidates";
    case redo_edit_set:
        return "setcandidate";
    case redo_edit_drop:
        return "dropcandidates";
    case redo_edit_order:
        return "ordercandidates";
    case redo_edit_choose:
        return "choose";
    case redo_edit_decide:
        return "decide";
    }
    return "setrecord";
}

static char const *method_of_cursor(redo_operation const *op)
{
    switch (op->value) {
    case redo_step_goto:
        return "setcursor";
    case redo_step_undo:
    case redo_step_undomine:
        return "undo";
    case redo_step_redo:
    case redo_step_move:
        return "redo";
    case redo_step_drop:
        return "dropcursor";
    }
    return "movecursor";
}

static char const *method_of_games(redo_operation const *op)
{
    return op->value == redo_games_insert ? "addgames"
           : op->value == redo_games_drop ? "dropgames"
                                          : "ordergames";
}

/* The method that makes operations of this kind. */
static char const *method_of(redo_operation const *op)
{
    switch (op->kind) {
    case REDO_OP_ADD:
        return "addposition";
    case REDO_OP_NEXT:
        return "getnextposition";
    case REDO_OP_DROP:
        return "dropposition";
    case REDO_OP_GRAFT:
        return "setgraftbehavior";
    case REDO_OP_UPDATE:
        return "updatesavedstate";
    case REDO_OP_SETBETTER:
        return "setbetterfields";
    case REDO_OP_CYCLE:
        return "suppresscycle";
    case REDO_OP_DUPLICATE:
        return "duplicatepath";
    case REDO_OP_CLEAR:
        return "clearsessionchanged";
    case REDO_OP_PROPERTY:
        return "setproperty";
    case REDO_OP_DROPTREE:
        return "dropsubtree";
    case REDO_OP_RESTORE:
        return "restoresubtree";
    case REDO_OP_CURSOR:
        return method_of_cursor(op);
    case REDO_OP_TURN:
        return "addpositions";
    case REDO_OP_NEWUNDO:
        return "newundo";
    case REDO_OP_ADDUNDO:
        return "addundo";
    case REDO_OP_RECORD:
        return method_of_record(op);
    case REDO_OP_PLAY:
        return "playcandidate";
    case REDO_OP_ALTERNATE:
        return "addalternate";
    case REDO_OP_GAMES:
        return method_of_games(op);
    }
    return "";
}

/* What is told one by one; where there is more, clients are to read again. */
#define GONE_MAX 1000
#define ITEMS_MAX 1000
#define CHANGED_MAX 200
#define SOLUTIONS_MAX 1000

/* The numbers of the positions that were dropped: op->position and those before it, whose nodes
 * still tell their way up. Of a subtree its top alone: clients know what is below it. */
static void pack_gone(struct buffer *b, struct history const *h, redo_operation const *op,
                      redo_result const *r)
{
    uint32_t count = op->kind == REDO_OP_DROPTREE ? 1 : r->dropped;
    if (count > GONE_MAX) {
        pack_nil(b);
        return;
    }
    pack_array(b, count);
    struct node const *n = count ? node_at(h, op->position) : NULL;
    for (uint32_t i = 0; i < count; i++, n = node_prev(n))
        pack_uint(b, n->in.id);
}

static void pack_grafted(struct buffer *b, redo_result const *r)
{
    if (r->graftedto == REDO_NOPOSITION) {
        pack_nil(b);
        return;
    }
    pack_map(b, 2);
    pack_key(b, "from");
    pack_uint(b, r->graftedfrom);
    pack_key(b, "to");
    pack_uint(b, r->graftedto);
}

static int compare_touched(void const *a, void const *b)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    return (x > y) - (x < y);
}

/* Leaves each position once, and those that are dropped out. How many of them have changed in other
 * fields than those of the solution. */
static uint32_t sift(struct history const *h, struct touched *t)
{
    uint32_t count = 0, fields = 0;
    struct node *n;
    qsort(t->all, t->count, sizeof *t->all, compare_touched);
    for (uint32_t i = 0; i < t->count; i++) {
        if (i + 1 < t->count && t->all[i] >> 1 == t->all[i + 1] >> 1)
            continue; /* the last of them has the bit if any has */
        if (history_find(h, t->all[i] >> 1, &n))
            continue;
        fields += t->all[i] & 1;
        t->all[count++] = t->all[i];
    }
    t->count = count;
    return fields;
}

/* The positions whose branches have come in an order that can not be told from what has come to the
 * front. */
static void pack_order(struct buffer *b, struct history const *h, struct touched const *t)
{
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            pack_array(b, count);
        for (uint32_t i = 0; t->order && i < t->count; i++) {
            if (!(t->all[i] & 1) || node_at(h, t->all[i] >> 1)->p.nextcount < 2)
                continue;
            if (pass)
                pack_uint(b, t->all[i] >> 1);
            else
                count++;
        }
    }
}

/* changed, solutions and order; nil, all three, if they are very many, or if what came to the front
 * is not told. */
static void pack_touched(struct buffer *b, struct history const *h, redo_operation const *op,
                         struct touched *t)
{
    uint32_t fields = sift(h, t), solutions = t->count - fields;
    bool many = t->more || fields > CHANGED_MAX || solutions > SOLUTIONS_MAX ||
                (op->kind == REDO_OP_TURN && h->answer.count > ITEMS_MAX);
    pack_key(b, "changed");
    if (many)
        pack_nil(b);
    else
        pack_array(b, fields);
    for (uint32_t i = 0; !many && i < t->count; i++)
        if (t->all[i] & 1)
            reply_position(b, h, node_at(h, t->all[i] >> 1), false);
    pack_key(b, "solutions");
    if (many)
        pack_nil(b);
    else
        pack_array(b, solutions);
    for (uint32_t i = 0; !many && i < t->count; i++) {
        struct node const *n = node_at(h, t->all[i] >> 1);
        if (t->all[i] & 1)
            continue;
        pack_array(b, 3);
        pack_uint(b, n->in.id);
        pack_int(b, n->p.solutionend);
        pack_uint(b, n->p.solutionsize);
    }
    pack_key(b, "order");
    if (many)
        pack_nil(b);
    else
        pack_order(b, h, t);
}

/* The position whose branch has come to the front of those of the one before it, or is new there.
 */
static uint32_t front_of(struct history const *h, redo_operation const *op, redo_result const *r)
{
    bool may = op->kind == REDO_OP_ADD || op->kind == REDO_OP_NEXT || op->kind == REDO_OP_PLAY ||
               (op->kind == REDO_OP_NEWUNDO && r->value) ||
               (op->kind == REDO_OP_CURSOR && op->value == redo_step_move && r->value);
    struct node *n;
    if (!may || r->position == REDO_NOPOSITION || history_find(h, r->position, &n) || !n->p.prev)
        return REDO_NOPOSITION;
    return r->position;
}

static void pack_cursors(struct buffer *b, struct history const *h, redo_operation const *op)
{
    uint32_t count = op->kind == REDO_OP_CURSOR && op->value == redo_step_drop;
    bool dropped = count;
    for (uint32_t i = 0; i < h->cursors.count; i++)
        count += h->cursors.all[i].moved;
    pack_array(b, count);
    for (uint32_t i = 0; i < h->cursors.count; i++) {
        struct cursor const *c = &h->cursors.all[i];
        if (!c->moved)
            continue;
        pack_map(b, 2);
        pack_key(b, "name");
        pack_text(b, c->name, c->name_size);
        pack_key(b, "position");
        pack_uint(b, c->position);
    }
    if (dropped) {
        pack_map(b, 2);
        pack_key(b, "name");
        pack_text(b, op->name, op->namesize);
        pack_key(b, "position");
        pack_nil(b);
    }
}

static void pack_items(struct buffer *b, struct history const *h, redo_operation const *op)
{
    struct answer const *answer = &h->answer;
    if (op->kind != REDO_OP_TURN || answer->count > ITEMS_MAX) {
        pack_nil(b);
        return;
    }
    pack_array(b, answer->count);
    for (uint32_t i = 0; i < answer->count; i++) {
        pack_array(b, 2);
        pack_uint(b, answer->items[i] >> 1);
        pack_bool(b, answer->items[i] & 1);
    }
}

/* What has become of the games of a match. */
static void pack_games(struct buffer *b, struct history const *h, redo_operation const *op)
{
    size_t count = op->statesize / GAMES_ID;
    if (op->kind != REDO_OP_GAMES) {
        pack_nil(b);
        return;
    }
    pack_map(b, 3);
    pack_key(b, "sessions");
    if (count > ITEMS_MAX)
        pack_nil(b);
    else
        pack_array(b, count);
    for (size_t i = 0; count <= ITEMS_MAX && i < count; i++)
        pack_uint(b, games_get_id((char const *)op->state + i * GAMES_ID));
    pack_key(b, "at");
    if (op->source == REDO_NOPOSITION || op->value == redo_games_drop)
        pack_nil(b);
    else
        pack_uint(b, op->source);
    pack_key(b, "total");
    pack_uint(b, h->games->count);
}

static void pack_stamp(struct buffer *b, struct history const *h)
{
    struct stamp stamp = h->authors.now;
    pack_key(b, "author");
    if (stamp.author)
        reply_author(b, h, stamp.author);
    else
        pack_nil(b);
    pack_key(b, "time");
    if (stamp.author)
        pack_uint(b, stamp.time);
    else
        pack_nil(b);
}

/* What is kept with the position whose record was changed; alternates are told of the one that an
 * alternate was asked for. */
static void pack_record(struct buffer *b, struct history const *h, redo_operation const *op)
{
    struct record_told told;
    struct node *n;
    bool about =
        op->kind == REDO_OP_RECORD || op->kind == REDO_OP_PLAY || op->kind == REDO_OP_ALTERNATE;
    if (!about || history_find(h, op->position, &n)) {
        pack_nil(b);
        return;
    }
    record_look(&told, h, n);
    pack_map(b, 2);
    pack_key(b, "position");
    pack_uint(b, op->position);
    pack_key(b, "record");
    if (!record_reply(b, &told, RECORD_EVENT_MAX))
        pack_nil(b);
}

static bool about_position(redo_operation const *op)
{
    return op->kind != REDO_OP_GRAFT && op->kind != REDO_OP_SETBETTER &&
           op->kind != REDO_OP_CLEAR && op->kind != REDO_OP_PROPERTY && op->kind != REDO_OP_GAMES;
}

void event_pack_effects(struct buffer *b, struct history *h, redo_operation const *given,
                        redo_result const *r, struct touched *touched)
{
    redo_operation play;
    redo_operation const *op = turn_plays(given, &play) ? &play : given; /* with a cursor */
    uint32_t number = r->position != REDO_NOPOSITION ? r->position : op->position;
    struct node *n;
    pack_map(b, 17 + (h->changes != NULL) + (h->games != NULL));
    pack_key(b, "method");
    pack_cstr(b, method_of(op));
    pack_key(b, "position");
    if (about_position(op) && history_find(h, number, &n) == REDO_OK)
        reply_position(b, h, n, false);
    else
        pack_nil(b);
    pack_key(b, "new");
    pack_bool(b, r->created);
    pack_key(b, "grafted");
    pack_grafted(b, r);
    if (h->changes) {
        pack_key(b, "renamed");
        reply_renamed(b, h);
    }
    if (h->games) {
        pack_key(b, "games");
        pack_games(b, h, op);
    }
    pack_key(b, "made");
    reply_made(b, r);
    pack_key(b, "dropped");
    pack_uint(b, r->dropped);
    pack_key(b, "gone");
    pack_gone(b, h, op, r);
    pack_key(b, "supersedes");
    reply_number(b, r->supersedes);
    pack_touched(b, h, op, touched);
    pack_key(b, "front");
    reply_number(b, front_of(h, op, r));
    pack_key(b, "cursors");
    pack_cursors(b, h, op);
    pack_key(b, "items");
    pack_items(b, h, op);
    pack_key(b, "record");
    pack_record(b, h, op);
    pack_stamp(b, h);
}

void event_pack_encoded(struct buffer *b, uint64_t session, uint64_t sequence, void const *encoded,
                        size_t size)
{
    pack_notification(b, event_table[EVENT_OPERATION].name);
    pack_array(b, 5);
    pack_uint(b, session);
    pack_uint(b, sequence);
    pack_bin(b, encoded, size);
}

void event_pack_resync(struct buffer *b, uint64_t session)
{
    pack_notification(b, event_table[EVENT_RESYNC].name);
    pack_array(b, 1);
    pack_uint(b, session);
}

void event_pack_lagged(struct buffer *b, uint64_t session, uint64_t sequence)
{
    pack_notification(b, event_table[EVENT_LAGGED].name);
    pack_array(b, 2);
    pack_uint(b, session);
    pack_uint(b, sequence);
}

void event_pack_keepalive(struct buffer *b, uint64_t seconds)
{
    pack_notification(b, event_table[EVENT_KEEPALIVE].name);
    pack_array(b, 1);
    pack_uint(b, seconds);
}

void event_pack_ended(struct buffer *b, struct room const *room)
{
    pack_notification(b, event_table[EVENT_ENDED].name);
    pack_array(b, 1);
    pack_uint(b, room->handle);
}
