/* Any bytes as operations on a session. What must hold after each:
 *
 *   - the invariants of a history;
 *   - a refused operation changed nothing, and one changed something if and only if it says so;
 *   - its encoded form gives it back, and has no other form;
 *   - a history that was given only what changed something, by its encoded form, is the same;
 *   - so is one that was dumped and loaded on the way, and what they answer;
 *   - the positions that it touched have been noted. */
#include <string.h>

#include "core/dump.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/fuzz/fuzz.h"

#define OPERATIONS_MAX 400

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    size_t size = 8 + which % 600;
    play_bytes(which, data, size);
    return size;
}

struct bytes {
    void *data;
    size_t size;
};

static struct bytes dump(struct history const *h)
{
    struct bytes b;
    HOLD(history_dump(h, &b.data, &b.size) == REDO_OK);
    return b;
}

static bool same(struct bytes a, struct bytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static struct history *load(struct bytes b)
{
    struct history *h;
    HOLD(history_load(b.data, b.size, &h) == REDO_OK);
    return h;
}

static bool same_fields(struct fields const *a, struct fields const *b)
{
    return a->number == b->number && a->prev == b->prev && a->better == b->better &&
           a->movecount == b->movecount && a->solutionsize == b->solutionsize &&
           a->nextcount == b->nextcount && a->author == b->author && a->time == b->time &&
           a->move == b->move && a->endpoint == b->endpoint && a->solutionend == b->solutionend &&
           a->setbetter == b->setbetter;
}

static void same_answer(struct history *h, struct history *other, redo_result const *result)
{
    struct answer const *a = history_answer(h, result), *b = history_answer(other, result);
    HOLD(same_fields(&a->fields, &b->fields));
    HOLD(a->count == b->count && a->sequence == b->sequence);
    HOLD(!a->count || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

/* The fields of all positions, by number. */
static struct fields *fields_of_all(struct history *h)
{
    struct fields *all = calloc(h->next, sizeof *all);
    HOLD(all);
    for (uint32_t number = 0; number < h->next; number++) {
        struct node *n;
        all[number].number = NOBODY;
        if (history_find(h, number, &n) == REDO_OK)
            all[number] = history_fields(h, n);
    }
    return all;
}

static bool noted(struct touched const *t, uint32_t number, bool fields)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->all[i] >> 1 == number && (!fields || (t->all[i] & 1)))
            return true;
    return t->more;
}

/* Whatever a position tells has changed only where that was noted. Dropped ones need not be. */
static void touched_are_noted(struct history *h, struct fields const *before, uint32_t count)
{
    struct fields *after = fields_of_all(h);
    for (uint32_t number = 0; number < h->next; number++) {
        struct fields now = after[number];
        if (now.number == NOBODY)
            continue;
        if (number >= count || before[number].number == NOBODY) {
            HOLD(noted(h->touched, number, true));
            continue;
        }
        if (same_fields(&before[number], &now))
            continue;
        HOLD(noted(h->touched, number, false));
        now.solutionend = before[number].solutionend;
        now.solutionsize = before[number].solutionsize;
        HOLD(same_fields(&before[number], &now) || noted(h->touched, number, true));
    }
    free(after);
}

/* Applies op by its encoded form, beside h, to which it was applied. */
static void apply_encoded(struct history *h, redo_operation const *op, int code,
                          redo_result const *expected)
{
    uint8_t data[PLAY_ENCODED_MAX], again[PLAY_ENCODED_MAX];
    redo_operation read;
    redo_result result;
    size_t size = redo_operation_encode(op, data, sizeof data);
    HOLD(size > 0 && size <= sizeof data);
    HOLD(redo_operation_decode(data, size, &read) == size);
    HOLD(redo_operation_encode(&read, again, sizeof again) == size);
    HOLD(memcmp(data, again, size) == 0);
    HOLD(history_apply(h, &read, &result) == code);
    if (code == REDO_OK)
        HOLD(memcmp(&result, expected, sizeof result) == 0);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    struct play play;
    struct history *h = play_begin(&play, data, size);
    HOLD(h);
    struct bytes before = dump(h);
    struct history *replica = load(before), *reloaded = load(before);
    redo_operation op;
    static struct touched touched;
    for (int i = 0; i < OPERATIONS_MAX && play_next(&play, h, &op); i++) {
        redo_result result;
        memset(&result, 0, sizeof result);
        uint32_t growth = history_growth(h, &op), next = h->next;
        struct fields *fields = fields_of_all(h);
        touched.count = touched.more = 0;
        h->touched = &touched;
        int code = history_apply(h, &op, &result);
        h->touched = NULL;
        invariants_hold(h);
        HOLD(code != REDO_OK || result.repeated || op.kind == REDO_OP_TURN ||
             result.made <= growth);
        struct bytes after = dump(h);
        bool changed = code == REDO_OK && result.changed;
        /* A turn may bring one branch to the front and then the one that was there before. */
        HOLD(changed == !same(before, after) ||
             (changed && op.kind == REDO_OP_TURN && !result.made));
        if (changed)
            apply_encoded(replica, &op, code, &result);
        apply_encoded(reloaded, &op, code, &result);
        if (code == REDO_OK) {
            if (changed)
                same_answer(h, replica, &result);
            same_answer(h, reloaded, &result);
        }
        h->touched = &touched;
        touched_are_noted(h, fields, next);
        h->touched = NULL;
        free(fields);
        if (i % 16 == 15) {
            struct bytes other = dump(reloaded);
            HOLD(same(after, other));
            history_free(reloaded);
            reloaded = load(other);
            free(other.data);
            invariants_hold(reloaded);
        }
        free(before.data);
        before = after;
    }
    struct bytes other = dump(replica);
    HOLD(same(before, other));
    invariants_hold(replica);
    free(other.data);
    free(before.data);
    history_free(replica);
    history_free(reloaded);
    history_free(h);
    return 0;
}
