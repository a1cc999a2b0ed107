/* Pages: no answer is larger than a client can be expected to take at once. What can be large is
 * asked for in pages, each of at most so many items and, past the first item, so many bytes. */
#ifndef SERVER_PAGE_H
#define SERVER_PAGE_H

#include <stddef.h>

#include "server/call.h"

#define PAGE_MAX 10000           /* items */
#define PAGE_DEFAULT 1000        /* items, if none are asked for */
#define PAGE_BYTES (1024 * 1024) /* after which a page ends */

/* The limit that a call asks for, within bounds. */
static inline size_t page_limit(struct args const *args)
{
    int64_t limit = args_integer(args, "limit", PAGE_DEFAULT);
    return limit > PAGE_MAX ? PAGE_MAX : (size_t)limit; /* a count: at least 1 */
}

/* An answer {positions: [POSITION ...], ...} being packed, the number of positions not yet known.
 */
struct page {
    struct buffer *b;
    struct history const *history;
    uint64_t sequence; /* of the last operation that it shows */
    size_t start;      /* of the positions in the buffer */
    size_t limit;
    size_t count;
    bool states;
};

/* Begins the response: a map of `fields`, of which positions is the first, and sequence the next.
 */
void page_begin(struct page *page, struct call *call, struct room const *room, unsigned fields);

/* Packs one position more; false if the page is full and it was not packed. */
bool page_add(struct page *page, struct node const *n);

/* Ends the list: the other fields follow. */
void page_end(struct page *page);

#endif
