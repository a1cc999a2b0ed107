#include "server/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/error.h"
#include "server/event.h"

void outbox_init(struct outbox *o, struct conn *conn, uint64_t committed)
{
    *o = (struct outbox){.conn = conn, .committed = committed};
    buffer_init(&o->bytes);
}

void outbox_close(struct outbox *o)
{
    buffer_free(&o->bytes);
    free(o->entries);
    *o = (struct outbox){0};
}

/* What waits counts as queued for the connection, and it does not end before. */
static void account(struct outbox *o)
{
    if (o->count && !o->conn->withheld)
        conn_hold(o->conn);
    else if (!o->count && o->conn->withheld)
        conn_release(o->conn);
    o->conn->withheld = o->count ? o->bytes.size + o->count * sizeof *o->entries : 0;
}

void outbox_account(struct outbox *o)
{
    account(o);
    conn_touch(o->conn);
}

static bool enter(struct outbox *o, struct outbox_entry entry)
{
    if (o->count == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 16;
        struct outbox_entry *entries = realloc(o->entries, cap * sizeof *entries);
        if (!entries)
            return false;
        o->entries = entries;
        o->cap = cap;
    }
    o->entries[o->count++] = entry;
    return true;
}

static struct buffer *place(struct outbox *o, bool waits, uint64_t number, bool answer,
                            uint64_t what)
{
    conn_touch(o->conn);
    waits = waits && number > o->committed;
    if (!waits && !o->count)
        return conn_out(o->conn);
    struct outbox_entry entry = {
        .start = o->bytes.size, .number = waits ? number : 0, .what = what, .answer = answer};
    if (o->bytes.failed || !enter(o, entry)) {
        conn_out(o->conn)->failed = true;
        return conn_out(o->conn);
    }
    account(o);
    return &o->bytes;
}

struct buffer *outbox_answer(struct outbox *o, bool waits, uint64_t number, uint32_t id)
{
    return place(o, waits, number, true, id);
}

struct buffer *outbox_event(struct outbox *o, bool waits, uint64_t number, uint64_t session)
{
    return place(o, waits, number, false, session);
}

static size_t end_of(struct outbox const *o, size_t i)
{
    return i + 1 < o->count ? o->entries[i + 1].start : o->bytes.size;
}

/* Drops the first entries, whose bytes have gone. */
static void drop(struct outbox *o, size_t count)
{
    size_t size = count < o->count ? o->entries[count].start : o->bytes.size;
    buffer_consume(&o->bytes, size);
    o->count -= count;
    memmove(o->entries, o->entries + count, o->count * sizeof *o->entries);
    for (size_t i = 0; i < o->count; i++)
        o->entries[i].start -= size;
    if (!o->count) {
        buffer_free(&o->bytes);
        buffer_init(&o->bytes);
    }
    account(o);
    conn_touch(o->conn);
}

void outbox_release(struct outbox *o, uint64_t committed)
{
    size_t count = 0;
    o->committed = committed;
    while (count < o->count && o->entries[count].number <= committed)
        count++;
    if (!count)
        return;
    size_t size = count < o->count ? o->entries[count].start : o->bytes.size;
    if (o->bytes.failed)
        conn_out(o->conn)->failed = true;
    buffer_append(conn_out(o->conn), o->bytes.data, size);
    drop(o, count);
}

void outbox_fail(struct outbox *o, uint64_t committed, int code)
{
    struct error error;
    error_begin(&error, code, NULL);
    struct buffer *out = conn_out(o->conn);
    for (size_t i = 0; i < o->count; i++) {
        struct outbox_entry const *e = &o->entries[i];
        if (e->number <= committed)
            buffer_append(out, o->bytes.data + e->start, end_of(o, i) - e->start);
        else if (e->answer)
            error_respond(&error, o->conn->errors_as_string, (uint32_t)e->what, out);
        else
            event_pack_resync(out, e->what);
    }
    if (o->bytes.failed)
        out->failed = true;
    if (o->count)
        drop(o, o->count);
}
