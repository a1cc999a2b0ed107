/* A doubly linked ring of links that live inside the things listed. A link that is in no list
 * points to itself, so that removing it again does no harm. */
#ifndef SERVER_LIST_H
#define SERVER_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct link {
    struct link *prev, *next;
};

/* The struct of the given type whose member is *link. */
#define list_entry(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

static inline void list_init(struct link *link)
{
    link->prev = link->next = link;
}

static inline bool list_empty(struct link const *link)
{
    return link->next == link;
}

/* Whether a link is in a list. */
static inline bool list_linked(struct link const *link)
{
    return link->next != link;
}

static inline void list_remove(struct link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    list_init(link);
}

/* Puts link, which must be in no list, at the end. */
static inline void list_append(struct link *list, struct link *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}

/* Moves all that is in from to the empty list to. */
static inline void list_take(struct link *to, struct link *from)
{
    list_init(to);
    if (list_empty(from))
        return;
    *to = *from;
    to->next->prev = to;
    to->prev->next = to;
    list_init(from);
}

#endif
