/* Any bytes as a dumped session. They come without a checksum, or with any: the right one is put
 * behind them, so that what is looked at is the rest. What is accepted must be a history through
 * and through, that gives the same bytes again and that can be played on. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "core/dump.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/fuzz/fuzz.h"

#define TAIL 8

/* What a session of some operations dumps, without the checksum. */
size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    uint8_t bytes[120];
    struct play play;
    play_bytes(which, bytes, sizeof bytes);
    struct history *h = play_begin(&play, bytes, 8 + which % (sizeof bytes - 7));
    HOLD(h);
    for (redo_operation op; play_next(&play, h, &op);)
        history_apply(h, &op, NULL);
    void *dumped;
    size_t size;
    HOLD(history_dump(h, &dumped, &size) == REDO_OK && size - TAIL <= cap);
    memcpy(data, dumped, size - TAIL);
    free(dumped);
    history_free(h);
    return size - TAIL;
}

static void play_on(struct history *h)
{
    uint8_t bytes[64];
    struct play play;
    redo_operation op;
    play_bytes(h->next, bytes, sizeof bytes);
    history_free(play_begin(&play, bytes, sizeof bytes));
    play.size = h->size;
    while (h->size <= PLAY_STATE_MAX && play_next(&play, h, &op)) {
        history_apply(h, &op, NULL);
        invariants_hold(h);
    }
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    uint8_t *dumped = malloc(size + TAIL);
    HOLD(dumped);
    memcpy(dumped, data, size);
    uint64_t sum = XXH3_64bits(dumped, size);
    for (int i = 0; i < TAIL; i++)
        dumped[size + i] = (uint8_t)(sum >> 8 * i);

    struct history *h = NULL;
    int code = history_load(dumped, size + TAIL, &h);
    if (code == REDO_OK) {
        invariants_hold(h);
        void *again;
        size_t again_size;
        HOLD(history_dump(h, &again, &again_size) == REDO_OK);
        HOLD(again_size == size + TAIL && memcmp(again, dumped, again_size) == 0);
        free(again);
        play_on(h);
        history_free(h);
    } else {
        HOLD(code == REDO_EDAMAGED || code == REDO_EVERSION);
        HOLD(!h);
    }
    free(dumped);
    return 0;
}
