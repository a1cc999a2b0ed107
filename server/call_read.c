/* Reads: what libredo has as fields of structs, and more. Nothing here changes a session. */
#include "core/solution.h"
#include "server/call.h"
#include "server/page.h"
#include "server/reply.h"

/* A page may look at so many numbers of positions that are dropped before it ends, even empty. */
#define SCAN_MAX 200000

int call_node(struct call *call, struct room *room, unsigned param, struct node **node)
{
    uint32_t number = (uint32_t)call_integer(call, param);
    int rc = history_find(room->history, number, node);
    if (rc) {
        call_fail(call, rc);
        error_add_int(&call->error, "position", number);
    }
    return rc;
}

/* The session of param 0 and the position of param 1. */
static int find_both(struct call *call, struct room **room, struct node **n)
{
    int rc = call_room(call, room);
    return rc ? rc : call_node(call, *room, 1, n);
}

int call_getfirstposition(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        reply_position(call_reply(call), room->history, node_at(room->history, 0), false);
    return rc;
}

int call_getsessionsize(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        pack_uint(call_reply(call), room->history->count);
    return rc;
}

int call_getgraftbehavior(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        pack_uint(call_reply(call), room->history->graft);
    return rc;
}

int call_hassessionchanged(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        pack_bool(call_reply(call), room->history->changed);
    return rc;
}

int call_getsavedstate(struct call *call)
{
    struct room *room;
    struct node *n;
    int rc = find_both(call, &room, &n);
    if (!rc)
        pack_bin(call_reply(call), node_state(room->history, n), room->history->size);
    return rc;
}

int call_getposition(struct call *call)
{
    struct room *room;
    struct node *n;
    int rc = find_both(call, &room, &n);
    if (!rc)
        reply_position(call_reply(call), room->history, n, args_flag(&call->args, "states", false));
    return rc;
}

/* Ends a page: next is a number to ask for, or nil. */
static void end_page(struct page *page, bool more, uint64_t next)
{
    page_end(page);
    pack_key(page->b, "next");
    if (more)
        pack_uint(page->b, next);
    else
        pack_nil(page->b);
}

int call_getbranches(struct call *call)
{
    struct room *room;
    struct node *n;
    int rc = find_both(call, &room, &n);
    if (rc)
        return rc;
    int64_t offset = args_integer(&call->args, "offset", 0);
    redo_branch const *b = n->p.next;
    for (int64_t i = 0; b && i < offset; i++)
        b = b->cdr;
    struct page page;
    page_begin(&page, call, room, 3);
    while (b && page_add(&page, node_of(b->p)))
        b = b->cdr;
    end_page(&page, b, (uint64_t)offset + page.count);
    return REDO_OK;
}

int call_getpath(struct call *call)
{
    struct room *room;
    struct node *end;
    int rc = find_both(call, &room, &end);
    if (rc)
        return rc;
    int64_t offset = args_integer(&call->args, "offset", 0);
    int64_t count = (int64_t)end->p.movecount + 1 - offset;
    struct page page;
    page_begin(&page, call, room, 3);
    if (count > (int64_t)page.limit)
        count = (int64_t)page.limit;
    /* The path is linked backwards: what the page holds is noted, then told from its start. */
    struct node *on_page[PAGE_MAX];
    struct node *n = end;
    for (int64_t at = end->p.movecount; at >= offset; at--, n = node_prev(n))
        if (at - offset < count)
            on_page[at - offset] = n;
    int64_t told = 0;
    while (told < count && page_add(&page, on_page[told]))
        told++;
    end_page(&page, offset + told <= end->p.movecount, (uint64_t)(offset + told));
    return REDO_OK;
}

int call_getsolution(struct call *call)
{
    struct room *room;
    struct node *n;
    int rc = find_both(call, &room, &n);
    if (rc)
        return rc;
    struct page page;
    page_begin(&page, call, room, 3);
    if (!n->p.solutionend)
        n = NULL;
    while (n && page_add(&page, n))
        n = solution_next(n);
    end_page(&page, n, n ? n->in.id : 0);
    return REDO_OK;
}

/* The position after n in a walk of the tree below top that does not go deeper than depth moves. */
static struct node *walk_on(struct node const *top, struct node *n, uint64_t depth)
{
    if (n->p.next && n->p.movecount - top->p.movecount < depth)
        return node_of(n->p.next->p);
    while (n != top && !n->in.cdr)
        n = node_prev(n);
    return n == top ? NULL : node_of(n->in.cdr->p);
}

int call_gettree(struct call *call)
{
    struct room *room;
    struct node *top;
    int rc = find_both(call, &room, &top);
    if (rc)
        return rc;
    uint64_t depth = (uint64_t)args_integer(&call->args, "depth", INT64_MAX);
    struct page page;
    page_begin(&page, call, room, 3);
    struct node *n = top;
    while (n && page_add(&page, n))
        n = walk_on(top, n, depth);
    page_end(&page);
    pack_key(page.b, "complete");
    pack_bool(page.b, !n);
    return REDO_OK;
}

int call_getpositions(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct history const *h = room->history;
    struct arg const *after = args_option(&call->args, "after");
    uint32_t number = after->present ? (uint32_t)after->integer + 1 : 0, scanned = 0;
    struct page page;
    page_begin(&page, call, room, 3);
    for (; number < h->next && scanned < SCAN_MAX; number++, scanned++) {
        struct node *n;
        if (history_find(h, number, &n) == REDO_OK && !page_add(&page, n))
            break;
    }
    end_page(&page, number < h->next, (uint64_t)number - 1);
    return REDO_OK;
}
