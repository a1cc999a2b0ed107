/* Any bytes as operations on a session. What must hold after each:
 *
 *   - the invariants of a history;
 *   - a refused operation changed nothing, and one changed something if and only if it says so;
 *   - its encoded form gives it back, and has no other form;
 *   - a history that was given only what changed something, by its encoded form, is the same;
 *   - so is one that was dumped and loaded on the way. */
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

/* Applies op by its encoded form. */
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
    for (int i = 0; i < OPERATIONS_MAX && play_next(&play, h, &op); i++) {
        redo_result result;
        memset(&result, 0, sizeof result);
        int code = history_apply(h, &op, &result);
        invariants_hold(h);
        struct bytes after = dump(h);
        bool changed = code == REDO_OK && result.changed;
        HOLD(changed == !same(before, after));
        if (changed)
            apply_encoded(replica, &op, code, &result);
        apply_encoded(reloaded, &op, code, &result);
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
