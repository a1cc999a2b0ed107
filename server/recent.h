/* The last operations of a room, as bytes: what a client that comes back has missed is told from
 * here, as far as it goes, and else from the store. Kept are those that are not on disk yet,
 * however many, and of the others as many as there is room for. Loop thread only. */
#ifndef SERVER_RECENT_H
#define SERVER_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/buffer.h"

#define RECENT_BYTES ((size_t)256 * 1024)    /* of operations */
#define RECENT_EFFECTS ((size_t)1024 * 1024) /* of their effects */
#define RECENT_COUNT 4096

struct recent_operation {
    size_t start, size; /* in bytes, counted with those that have gone */
    size_t effects;     /* bytes that follow them: what came of it, packed; 0: not kept */
    uint64_t number;    /* of the batch that holds it */
};

struct recent {
    struct buffer bytes;
    size_t gone;                  /* bytes that were taken off the front */
    struct recent_operation *all; /* a ring */
    size_t cap, first, count;
    size_t effects;    /* bytes of all effects */
    uint64_t sequence; /* of the newest */
};

void recent_close(struct recent *r);
size_t recent_memory(struct recent const *r);

/* An operation, the next after the newest (of which nothing is known after running out of memory,
 * nor of those before). Those in batches up to `committed` may go. */
void recent_add(struct recent *r, uint64_t sequence, uint64_t number, void const *data, size_t size,
                uint64_t committed);

/* The effects of the newest, as they are packed in its event. Without memory nothing is known any
 * more. */
void recent_add_effects(struct recent *r, void const *data, size_t size);

/* Whether all operations from this one on are here: those of a room whose last one is `last`. */
bool recent_has(struct recent const *r, uint64_t from, uint64_t last);
/* The same, with their effects. */
bool recent_has_effects(struct recent const *r, uint64_t from, uint64_t last);

/* One of them: its bytes, valid until the next change, and the batch that holds it. */
void const *recent_at(struct recent const *r, uint64_t sequence, size_t *size, uint64_t *number);

/* Its effects, which recent_has_effects() found. */
void const *recent_effects_at(struct recent const *r, uint64_t sequence, size_t *size);

#endif
