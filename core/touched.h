/* Which positions an operation has changed, for whoever tells clients that have no engine. Noted
 * while history.touched is set: each position as often as it was touched. */
#ifndef CORE_TOUCHED_H
#define CORE_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

#define TOUCHED_MAX 4096

struct touched {
    uint32_t count;
    bool more;  /* than there is room for */
    bool order; /* of branches is another, other than by one position after the other that was made
                   or has come to the front: that of positions with changed fields */
    uint32_t all[TOUCHED_MAX]; /* twice the number, plus 1 if another field than the two that tell
                                  of the solution has changed */
};

/* Of the next operation. */
static inline void touched_clear(struct touched *t)
{
    t->count = 0;
    t->more = t->order = false;
}

static inline void touched_note(struct touched *t, uint32_t number, bool fields)
{
    if (!t)
        return;
    if (t->count < TOUCHED_MAX && number < UINT32_C(1) << 31)
        t->all[t->count++] = number << 1 | fields;
    else
        t->more = true;
}

/* The branches of this position are in another order, or others. */
static inline void touched_order(struct touched *t, uint32_t number)
{
    if (!t)
        return;
    touched_note(t, number, true);
    t->order = true;
}

#endif
