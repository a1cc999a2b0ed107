/* Records: reading them. No answer is larger than record_answer; what may be larger is told in
 * pages, or in pieces. */
#include "core/records/alternates.h"
#include "server/call_record.h"
#include "server/page.h"
#include "server/record_reply.h"

/* The session of param 0 and what is kept with the position of param 1. */
static int find(struct call *call, struct room **room, struct record_told *told)
{
    struct node *n;
    int rc = call_room(call, room);
    if (rc || (rc = call_node(call, *room, 1, &n)))
        return rc;
    record_look(told, (*room)->history, n);
    return REDO_OK;
}

static int fail_large(struct call *call, char const *advice, size_t size)
{
    error_begin(&call->error, REDO_EFULL, "it is larger than an answer may be: %s", advice);
    error_add_word(&call->error, "limit", "record_answer");
    error_add_int(&call->error, "value", (int64_t)RECORD_ANSWER_MAX);
    error_add_int(&call->error, "size", (int64_t)size);
    return REDO_EFULL;
}

int call_getrecord(struct call *call)
{
    struct room *room;
    struct record_told told;
    struct buffer b;
    int rc = find(call, &room, &told);
    if (rc)
        return rc;
    buffer_init(&b); /* it may turn out too large when it has begun */
    if (!record_reply(&b, &told, RECORD_ANSWER_MAX))
        rc = fail_large(call, "readrecord reads it in pieces", told.size);
    else if (b.failed)
        rc = call_fail(call, REDO_ENOMEM);
    else
        buffer_append(call_reply(call), b.data, b.size);
    buffer_free(&b);
    return rc;
}

/* A list in an answer whose number of items is not known yet. */
struct listing {
    struct buffer *b;
    size_t start;
    uint32_t count;
};

static void begin_listing(struct listing *l, struct buffer *b)
{
    *l = (struct listing){.b = b, .start = b->size};
    buffer_append(b, "\xdd\0\0\0\0", 5);
}

/* Whether it takes one more. */
static bool is_open(struct listing const *l, size_t limit)
{
    return l->count < limit && (!l->count || l->b->size - l->start < PAGE_BYTES);
}

static void end_listing(struct listing *l, struct room const *room, bool more, uint64_t next)
{
    struct buffer *b = l->b;
    for (int i = 0; i < 4 && !b->failed; i++)
        b->data[l->start + 1 + (size_t)i] = (char)(l->count >> (24 - 8 * i));
    pack_key(b, "sequence");
    pack_uint(b, room->sequence);
    pack_key(b, "next");
    if (more)
        pack_uint(b, next);
    else
        pack_nil(b);
}

/* What is told of one that is too large for a page. */
static void pack_large(struct buffer *b, struct node const *n)
{
    pack_map(b, 2);
    pack_key(b, "position");
    pack_uint(b, n->in.id);
    pack_key(b, "large");
    pack_bool(b, true);
}

#define SCAN_MAX 200000 /* numbers without a record in a row, after which a page ends */

int call_getrecords(struct call *call)
{
    struct room *room;
    struct record_told told;
    struct listing list;
    struct arg const *after = args_option(&call->args, "after");
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct history const *h = room->history;
    uint32_t number = after->present ? (uint32_t)after->integer + 1 : 0, scanned = 0;
    if (!h->records.count && !h->records.linked)
        number = h->next;
    size_t limit = page_limit(&call->args);
    struct buffer *b = call_reply(call);
    pack_map(b, 3);
    pack_key(b, "records");
    begin_listing(&list, b);
    for (; number < h->next && scanned < SCAN_MAX; number++, scanned++) {
        struct node *n;
        if (history_find(h, number, &n))
            continue;
        record_look(&told, h, n);
        if (!record_tells(&told))
            continue;
        if (!is_open(&list, limit))
            break;
        size_t room_left = PAGE_BYTES - (list.count ? b->size - list.start : 0);
        if (!record_reply(b, &told, list.count ? room_left : PAGE_BYTES)) {
            if (list.count && told.size <= PAGE_BYTES)
                break; /* it may fit the next page */
            pack_large(b, n);
        }
        list.count++;
        scanned = 0;
    }
    end_listing(&list, room, number < h->next, (uint64_t)number - 1);
    return REDO_OK;
}

int call_getcandidates(struct call *call)
{
    struct room *room;
    struct record_told told;
    struct record_walk walk;
    struct record_item item;
    struct node *leads;
    struct listing list;
    enum redo_of of;
    int rc = find(call, &room, &told);
    if (rc || (rc = call_record_list(call, &of)))
        return rc;
    int64_t offset = args_integer(&call->args, "offset", 0), place = 0;
    size_t limit = page_limit(&call->args);
    struct buffer *b = call_reply(call);
    bool more = false;
    pack_map(b, 3);
    pack_key(b, "candidates");
    begin_listing(&list, b);
    record_walk_begin(&walk, &told, of);
    for (; !more && record_walk_next(&walk, &item, &leads); place++) {
        if (place < offset)
            continue;
        more = !is_open(&list, limit);
        if (more)
            break;
        if (!record_reply_item(b, &told, &item, leads, RECORD_ANSWER_MAX)) {
            pack_map(b, 2);
            pack_key(b, "id");
            pack_uint(b, item.id);
            pack_key(b, "large");
            pack_bool(b, true);
        }
        list.count++;
    }
    end_listing(&list, room, more, (uint64_t)place);
    return REDO_OK;
}

/* A piece of bytes, as it was asked for, and how many there are in all. */
static void answer_piece(struct call *call, struct room const *room, void const *bytes, size_t size,
                         uint64_t offset, uint64_t limit)
{
    struct buffer *b = call_reply(call);
    if (offset > size)
        offset = size;
    if (limit > PAGE_BYTES)
        limit = PAGE_BYTES;
    if (limit > size - offset)
        limit = size - offset;
    pack_map(b, 3);
    pack_key(b, "bytes");
    pack_bin(b, limit ? (char const *)bytes + offset : "", limit);
    pack_key(b, "size");
    pack_uint(b, size);
    pack_key(b, "sequence");
    pack_uint(b, room->sequence);
}

int call_readrecord(struct call *call)
{
    struct room *room;
    struct record_told told;
    int rc = find(call, &room, &told);
    if (!rc)
        answer_piece(call, room, told.bytes, told.size, (uint64_t)call_integer(call, 2),
                     (uint64_t)call_integer(call, 3));
    return rc;
}

/* The property of that name; false if it is not there. */
static int find_property(struct call *call, struct record_told const *told,
                         struct record_property *property, bool *found)
{
    struct arg const *name = &call->args.param[2];
    struct record_item item;
    enum redo_of of;
    uint32_t id;
    int rc = call_record_of(call, &of, &id);
    if (rc)
        return rc;
    struct record_list const *list = &told->record.list[of];
    if (of == redo_of_candidate || of == redo_of_decision) {
        if (!record_find_item(list, id, &item, NULL)) {
            call_fail(call, REDO_ENOCANDIDATE);
            error_add_int(&call->error, "position", told->node->in.id);
            error_add_word(&call->error, "list",
                           of == redo_of_decision ? "decisions" : "candidates");
            error_add_int(&call->error, "candidate", id);
            return REDO_ENOCANDIDATE;
        }
        list = &item.properties;
    }
    *found = record_find_property(list, name->bytes.data, name->bytes.size, property);
    return REDO_OK;
}

int call_getpositionproperty(struct call *call)
{
    struct room *room;
    struct record_told told;
    struct record_property p = {.value = "", .size = 0};
    bool found = false;
    struct arg const *offset = args_option(&call->args, "offset");
    struct arg const *limit = args_option(&call->args, "limit");
    int rc = find(call, &room, &told);
    if (rc || (rc = find_property(call, &told, &p, &found)))
        return rc;
    if (offset->present || limit->present) {
        answer_piece(call, room, p.value, found ? p.size : 0,
                     (uint64_t)args_integer(&call->args, "offset", 0),
                     (uint64_t)args_integer(&call->args, "limit", PAGE_BYTES));
        return REDO_OK;
    }
    if (found && p.size > RECORD_ANSWER_MAX)
        return fail_large(call, "offset and limit read it in pieces", p.size);
    struct buffer *b = call_reply(call);
    if (found)
        record_reply_value(b, p.value, p.size);
    else
        pack_nil(b);
    return REDO_OK;
}

int call_getalternates(struct call *call)
{
    struct room *room;
    struct record_told told;
    struct page page;
    int rc = find(call, &room, &told);
    if (rc)
        return rc;
    struct history const *h = room->history;
    int64_t offset = args_integer(&call->args, "offset", 0), place = 0;
    bool any = alternates_has(h, told.node->in.id);
    uint32_t number = any ? alternates_first(h, told.node->in.id) : REDO_NOPOSITION;
    page_begin(&page, call, room, 3);
    for (; number != REDO_NOPOSITION && place < offset; place++)
        number = alternates_next(h, number);
    while (number != REDO_NOPOSITION && page_add(&page, node_at(h, number)))
        number = alternates_next(h, number);
    page_end(&page);
    pack_key(page.b, "next");
    if (number != REDO_NOPOSITION)
        pack_uint(page.b, (uint64_t)offset + page.count);
    else
        pack_nil(page.b);
    return REDO_OK;
}
