#include "tests/store/tell.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct telling {
    struct store_reader *reader;
    struct buffer *text;
    uint64_t ids[100];
    unsigned count;
};

static void say(struct buffer *text, char const *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    buffer_append(text, line, (size_t)size);
}

static void say_hex(struct buffer *text, void const *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        say(text, "%02x", ((unsigned char const *)data)[i]);
}

static bool note_id(void *data, struct store_info const *info)
{
    struct telling *t = data;

    ck_assert_uint_lt(t->count, 100);
    t->ids[t->count++] = info->id;
    return true;
}

static void tell_history(struct buffer *text, struct history const *h)
{
    for (uint32_t n = 0; n < h->next; n++) {
        struct node *node;
        if (history_find(h, n, &node))
            continue;
        redo_position const *p = &node->p;
        say(text, "  %u from %d by %d", n, p->prev ? (int)node_of(p->prev)->in.id : -1,
            node->in.move);
        if (p->better)
            say(text, " better %u", node_of(p->better)->in.id);
        if (p->endpoint)
            say(text, " endpoint %d", p->endpoint);
        if (p->solutionsize)
            say(text, " solution %u", p->solutionsize);
        say(text, " state ");
        say_hex(text, node_state(h, node), h->size);
        for (redo_branch const *b = p->next; b; b = b->cdr)
            say(text, "%s%u", b == p->next ? " next " : ",", b->id);
        say(text, "\n");
    }
}

static bool tell_kept(void *data, uint64_t key, int64_t when, void const *kept, size_t size)
{
    struct buffer *text = data;

    say(text, "  kept %llu at %lld ", (unsigned long long)key, (long long)when);
    say_hex(text, kept, size);
    say(text, "\n");
    return true;
}

static void tell_session(struct telling *t, uint64_t id)
{
    struct buffer *text = t->text;
    struct store_info info;
    struct history *h;
    uint64_t sequence;
    bool damaged;

    ck_assert_int_eq(store_find_id(t->reader, id, &info), REDO_OK);
    say(text, "session %llu \"%.*s\" trashed %lld\n", (unsigned long long)info.id,
        (int)info.name_size, info.name, (long long)info.trashed);
    say(text, "  sequence %llu size %u/%u positions %u graft %d%s%s%s created %lld used %lld\n",
        (unsigned long long)info.sequence, info.size, info.cmpsize, info.positions, info.graft,
        info.changed ? " changed" : "", info.solved ? " solved" : "",
        info.damaged ? " damaged" : "", (long long)info.created, (long long)info.used);
    say(text, "  owner %u ", info.owner);
    if (info.group) /* version 1 has none */
        say(text, "group %u ", info.group);
    say(text, "mode %o properties ", info.mode);
    say_hex(text, info.properties, info.properties_size);
    say(text, "\n");
    ck_assert_int_eq(store_kept(t->reader, id, 0, true, tell_kept, text), REDO_OK);
    ck_assert_int_eq(store_load(t->reader, id, &h, &sequence, &damaged), REDO_OK);
    say(text, "  loaded to %llu%s\n", (unsigned long long)sequence,
        damaged ? ", damaged there" : "");
    tell_history(text, h);
    history_free(h);
}

void tell_store(struct store_reader *r, struct buffer *text)
{
    struct telling t = {.reader = r, .text = text};
    uint64_t last;

    ck_assert_int_eq(store_list(r, "", 0, "", 0, 0, 100, false, note_id, &t), REDO_OK);
    ck_assert_int_eq(store_list(r, "", 0, "", 0, 0, 100, true, note_id, &t), REDO_OK);
    for (unsigned i = 0; i < t.count; i++)
        tell_session(&t, t.ids[i]);
    ck_assert_int_eq(store_last_id(r, &last), REDO_OK);
    say(text, "last id %llu\n", (unsigned long long)last);
    ck_assert(!text->failed);
}
