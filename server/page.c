#include "server/page.h"

#include "server/reply.h"

void page_begin(struct page *page, struct call *call, struct room const *room, unsigned fields)
{
    *page = (struct page){
        .b = call_reply(call),
        .history = room->history,
        .sequence = room->sequence,
        .limit = page_limit(&call->args),
        .states = args_flag(&call->args, "states", false),
    };
    pack_map(page->b, fields);
    pack_key(page->b, "positions");
    page->start = page->b->size;
    buffer_append(page->b, "\xdd\0\0\0\0", 5); /* an array, its count of 32 bits set at the end */
}

bool page_add(struct page *page, struct node const *n)
{
    size_t size = page->b->size - page->start + (page->states ? page->history->size : 0);
    if (page->count == page->limit || (page->count && size > PAGE_BYTES))
        return false;
    reply_position(page->b, page->history, n, page->states);
    page->count++;
    return true;
}

void page_end(struct page *page)
{
    if (page->b->failed)
        return;
    unsigned char *count = (unsigned char *)page->b->data + page->start + 1;
    for (int i = 0; i < 4; i++)
        count[i] = (unsigned char)(page->count >> (24 - 8 * i));
    pack_key(page->b, "sequence");
    pack_uint(page->b, page->sequence);
}
