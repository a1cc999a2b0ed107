/* The part of play.c that is about records: edits of what a position has, candidates and decisions
 * that are played, alternates. */
#include <math.h>
#include <string.h>

#include "core/records/alternates.h"
#include "core/records/record.h"
#include "core/records/writer.h"
#include "core/varint.h"
#include "tests/core/play.h"

static char const *const texts[] = {NULL, "24/18 13/11", "double", "take",
                                    "",   "\xc3\xb8",    "\xff",   "8/5*"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void draw_analysis(struct play *play, redo_analysis *a)
{
    unsigned b = play_byte(play);
    *a = (redo_analysis){.kind = b % 2 ? "evaluation" : "rollout",
                         .kindsize = b % 2 ? 10 : 7,
                         .equity = b % 3 ? b / 100.0 : (double)NAN,
                         .numbercount = b % 4,
                         .deviationcount = b % 4 / 2};
    for (size_t i = 0; i < a->numbercount; i++)
        a->numbers[i] = a->deviations[i] = (double)i / (b + 1);
    if (b % 5 == 0) {
        a->context = "\x92\x01\xa1x";
        a->contextsize = b == 250 ? 3 : 4;
    }
    if (b % 7 == 0) {
        a->text = "E ver 3";
        a->textsize = 7;
    }
    if (b == 255)
        a->equity = (double)INFINITY;
    if (b == 254)
        a->deviationcount = a->numbercount + 1;
}

/* What may be added, or set. */
static redo_candidate draw_item(struct play *play, redo_analysis *a, redo_analysis const **given)
{
    unsigned b = play_byte(play), t = play_byte(play) % COUNT(texts);
    redo_candidate c = {.hasmove = b & 1,
                        .move = (int)(b / 2 % 12) - (b >= 250),
                        .text = texts[t],
                        .textsize = texts[t] ? strlen(texts[t]) : 0};
    if (b >= 224)
        c.analysed = redo_analysis_shared;
    *given = NULL;
    if (b >= 160 && b < 224) {
        draw_analysis(play, a);
        *given = a;
    }
    return c;
}

static void take(struct play *play, redo_operation *op, int rc, void const *data, size_t size)
{
    op->statesize = rc || size > sizeof play->record ? 0 : size;
    if (op->statesize)
        memcpy(play->record, data, size);
}

static void draw_items(struct play *play, redo_operation *op)
{
    struct record_writer w = {0};
    void const *data = NULL;
    size_t size = 0;
    unsigned b = play_byte(play), count = b % 4;
    record_writer_begin_items(&w);
    for (unsigned i = 0; i < count; i++) {
        redo_analysis a;
        redo_analysis const *given;
        redo_candidate c = draw_item(play, &a, &given);
        record_writer_item(&w, (enum redo_of)op->move, &c, given);
        if (b >= 200)
            record_writer_property(&w, (enum redo_of)op->move, "aa", 2, "v", 1);
    }
    int rc = record_writer_items(&w, (enum redo_of)op->move, &data, &size);
    take(play, op, rc, data, size);
    record_writer_close(&w);
    op->source = b < 128 ? NOBODY : b % 5;
}

static void draw_parts(struct play *play, redo_operation *op)
{
    struct record_writer w = {0};
    void const *data = NULL;
    size_t size = 0;
    redo_analysis a;
    redo_analysis const *given;
    redo_candidate c = draw_item(play, &a, &given);
    int rc = record_writer_parts(&w, play_byte(play) % 8, &c, given, &data, &size);
    take(play, op, rc, data, size);
    record_writer_close(&w);
}

static struct record_list list_at(struct history const *h, redo_operation const *op)
{
    struct record r;
    size_t size;
    void const *data =
        op->position < h->next ? history_record(h, op->position, &size) : (size = 0, NULL);
    record_open(&r, data, size);
    return r.list[op->move & 3];
}

/* Mostly one that is there. */
static uint32_t draw_id(struct play *play, struct history const *h, redo_operation const *op)
{
    struct record_list list = list_at(h, op);
    struct record_item item;
    unsigned b = play_byte(play);
    if (b >= 240 || !list.count || !(op->move & 2))
        return b % 8;
    b %= list.count;
    do
        record_next_item(&list, &item);
    while (b--);
    return item.id;
}

/* Some of those that are there, or all of them, turned round. */
static void draw_ids(struct play *play, struct history const *h, redo_operation *op)
{
    struct record_list list = list_at(h, op);
    struct record_item item;
    uint32_t ids[PLAY_IDS], count = 0;
    unsigned b = play_byte(play);
    while (op->move & 2 && count < PLAY_IDS && record_next_item(&list, &item))
        if (op->value == redo_edit_order || b >> count % 8 & 1)
            ids[count++] = item.id;
    size_t size = varint_put(play->record, count + (b == 255));
    for (uint32_t i = 0; i < count; i++)
        size += varint_put(play->record + size, ids[(i + b) % count]);
    op->statesize = size;
}

/* That of another position, perhaps with a bit that is another. */
static void draw_whole(struct play *play, struct history const *h, redo_operation *op)
{
    unsigned b = play_byte(play);
    size_t size = 0;
    void const *data = h->next ? history_record(h, b % h->next, &size) : NULL;
    take(play, op, 0, data, size);
    if (op->statesize && b % 4 == 0)
        play->record[play_byte(play) % op->statesize] ^= (uint8_t)(1 << b / 4 % 8);
}

static void draw_edit(struct play *play, struct history const *h, redo_operation *op)
{
    static uint8_t const edits[] = {
        redo_edit_property, redo_edit_property, redo_edit_property, redo_edit_add,
        redo_edit_add,      redo_edit_add,      redo_edit_add,      redo_edit_set,
        redo_edit_set,      redo_edit_drop,     redo_edit_order,    redo_edit_choose,
        redo_edit_decide,   redo_edit_record,   redo_edit_record,   0};
    unsigned b = play_byte(play);
    op->value = edits[b % COUNT(edits)];
    op->move = (int)(b / 16 % 4);
    op->state = play->record;
    if (op->value != redo_edit_property && op->value != redo_edit_record && b < 240)
        op->move |= redo_of_candidate;
    op->source = 0;
    switch (op->value) {
    case redo_edit_property:
        b = play_byte(play);
        memset(play->name, 'a' + (int)(b % 3), sizeof play->name);
        op->name = play->name;
        op->namesize = 1 + b % 2;
        op->source = op->move & redo_of_candidate || b >= 250 ? draw_id(play, h, op) : 0;
        op->statesize = play_byte(play) % 5;
        memset(play->record, (int)b, op->statesize);
        break;
    case redo_edit_add:
        draw_items(play, op);
        break;
    case redo_edit_set:
        op->source = draw_id(play, h, op);
        draw_parts(play, op);
        break;
    case redo_edit_drop:
    case redo_edit_order:
        draw_ids(play, h, op);
        break;
    case redo_edit_choose:
        op->move = redo_of_candidate;
        op->source = b % 4 ? draw_id(play, h, op) : b % 8 ? NOBODY : 0;
        break;
    case redo_edit_decide:
        op->source = play_byte(play) % 5;
        break;
    case redo_edit_record:
        draw_whole(play, h, op);
        break;
    }
    b = play_byte(play);
    if (b >= 250 && op->statesize)
        play->record[play_byte(play) % op->statesize] ^= (uint8_t)(1 << b % 8);
    if (b == 249 && op->statesize)
        op->statesize--;
}

/* Mostly one that has candidates or decisions. */
static uint32_t draw_recorded(struct play *play, struct history const *h)
{
    uint32_t drawn = play_position(play, h), at = drawn;
    if (drawn >= h->next || play_byte(play) >= 240)
        return drawn;
    do {
        struct record r;
        size_t size;
        void const *data = history_record(h, at, &size);
        record_open(&r, data, size);
        if (r.list[redo_of_candidate].count || r.list[redo_of_decision].count)
            return at;
        at = at ? at - 1 : h->next - 1;
    } while (at != drawn);
    return drawn;
}

void play_record(struct play *play, struct history const *h, redo_operation *op)
{
    struct node *n;
    unsigned b;
    op->position = play_byte(play) < 128 ? play_position(play, h) : draw_recorded(play, h);
    switch (op->kind) {
    case REDO_OP_PLAY:
        op->position = draw_recorded(play, h);
        op->move = play_byte(play) % 3 ? redo_of_candidate : redo_of_decision;
        op->source = draw_id(play, h, op);
        break;
    case REDO_OP_ALTERNATE:
        b = play_byte(play);
        op->value = b % 3 == 0;
        op->move = op->value ? (int)(b / 3 % 6) - 3 : 0;
        play_state(play);
        if (b < 240 && !history_find(h, op->position, &n))
            memcpy(play->state, node_state(h, n), h->cmpsize);
        op->state = play->state;
        op->statesize = play->size;
        break;
    default:
        draw_edit(play, h, op);
    }
}
