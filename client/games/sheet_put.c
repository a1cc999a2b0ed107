/* A sheet as the bytes of a record (core/README.md has the form), and from them. */
#include <math.h>
#include <string.h>

#include "client/games/sheet.h"
#include "core/records/record.h"
#include "core/varint.h"

/* --- how many bytes it takes --- */

static size_t number_size(size_t n)
{
    size_t size = 1;
    while (n >>= 7)
        size++;
    return size;
}

static size_t properties_size(struct properties const *p, size_t *count)
{
    size_t size = 0;
    *count = 0;
    for (struct property const *q = p->first; q; q = q->next, ++*count)
        size += number_size(q->name_size) + q->name_size + 1 + number_size(q->size) + q->size;
    return size;
}

static size_t text_size(size_t size)
{
    return number_size(size) + size + 1;
}

static size_t analysis_size(struct analysis const *a)
{
    size_t size = 1 + text_size(a->kind.size) + number_size(a->number_count) +
                  number_size(a->deviation_count) + 8 * (a->number_count + a->deviation_count);
    if (!isnan(a->equity))
        size += 8;
    if (a->context)
        size += number_size(a->context_size) + a->context_size;
    if (a->text.data)
        size += text_size(a->text.size);
    return size;
}

static unsigned item_flags(struct item const *item)
{
    return (item->has_move ? ITEM_MOVE : 0u) | (item->text.data ? ITEM_TEXT : 0u) |
           (item->properties.first ? ITEM_PROPERTIES : 0u) |
           (item->analysed == redo_analysis_own ? ITEM_ANALYSIS : 0u) |
           (item->analysed == redo_analysis_shared ? ITEM_SHARED : 0u);
}

static uint32_t zigzag(int move)
{
    return ((uint32_t)move << 1) ^ (uint32_t)(move >> 31);
}

/* Without the number that tells it. */
static size_t item_size(struct item const *item)
{
    size_t count, size = number_size(item->id) + 1;
    if (item->has_move)
        size += number_size(zigzag(item->move));
    if (item->text.data)
        size += text_size(item->text.size);
    if (item->properties.first) {
        size_t bytes = properties_size(&item->properties, &count);
        size += number_size(count) + number_size(bytes) + bytes;
    }
    if (item->analysed == redo_analysis_own)
        size += analysis_size(item->analysis);
    return size;
}

/* --- writing --- */

static void put_number(struct buffer *b, size_t n)
{
    if (buffer_reserve(b, VARINT_MAX))
        b->size += varint_put((unsigned char *)b->data + b->size, (uint32_t)n);
}

static void put_text(struct buffer *b, redo_sgf_string text)
{
    put_number(b, text.size);
    buffer_append(b, text.data, text.size);
    buffer_append(b, "", 1);
}

static void put_properties(struct buffer *b, struct properties const *p)
{
    size_t count, size = properties_size(p, &count);
    put_number(b, count);
    if (count > 0)
        put_number(b, size);
    for (struct property const *q = p->first; q; q = q->next) {
        put_text(b, (redo_sgf_string){q->name, q->name_size});
        put_number(b, q->size);
        buffer_append(b, q->value, q->size);
    }
}

static void put_real(struct buffer *b, double real)
{
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &real, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    buffer_append(b, bytes, sizeof bytes);
}

static void put_analysis(struct buffer *b, struct analysis const *a)
{
    char flags = (char)((isnan(a->equity) ? 0 : ANALYSIS_EQUITY) |
                        (a->context ? ANALYSIS_CONTEXT : 0) | (a->text.data ? ANALYSIS_TEXT : 0));
    buffer_append(b, &flags, 1);
    put_text(b, a->kind);
    if (!isnan(a->equity))
        put_real(b, a->equity);
    put_number(b, a->number_count);
    put_number(b, a->deviation_count);
    for (size_t i = 0; i < a->number_count; i++)
        put_real(b, a->numbers[i]);
    for (size_t i = 0; i < a->deviation_count; i++)
        put_real(b, a->deviations[i]);
    if (a->context) {
        put_number(b, a->context_size);
        buffer_append(b, a->context, a->context_size);
    }
    if (a->text.data)
        put_text(b, a->text);
}

static void put_items(struct buffer *b, struct items const *items)
{
    size_t bytes = 0;
    for (struct item const *item = items->first; item; item = item->next) {
        size_t size = item_size(item);
        bytes += number_size(size) + size;
    }
    put_number(b, items->count);
    if (items->count > 0)
        put_number(b, bytes);
    for (struct item const *item = items->first; item; item = item->next) {
        char flags = (char)item_flags(item);
        put_number(b, item_size(item));
        put_number(b, item->id);
        buffer_append(b, &flags, 1);
        if (item->has_move)
            put_number(b, zigzag(item->move));
        if (item->text.data)
            put_text(b, item->text);
        if (item->properties.first)
            put_properties(b, &item->properties);
        if (item->analysed == redo_analysis_own)
            put_analysis(b, item->analysis);
    }
}

static uint32_t highest(struct items const *items)
{
    uint32_t id = 0;
    for (struct item const *item = items->first; item; item = item->next)
        id = item->id > id ? item->id : id;
    return id;
}

int sheet_put(redo_session *session, redo_position *position, struct sheet const *s,
              struct buffer *scratch)
{
    if (s->failed)
        return REDO_ENOMEM;
    if (sheet_is_empty(s))
        return REDO_OK;
    buffer_rewind(scratch, 0);
    put_properties(scratch, &s->position);
    put_properties(scratch, &s->branch);
    put_number(scratch, s->choice == redo_choice_made   ? RECORD_MADE(s->chosen->id)
                        : s->choice == redo_choice_none ? RECORD_NONE
                                                        : RECORD_OPEN);
    put_number(scratch, highest(&s->candidates));
    put_items(scratch, &s->candidates);
    put_number(scratch, highest(&s->decisions));
    put_number(scratch, s->decided);
    put_items(scratch, &s->decisions);
    if (scratch->failed)
        return REDO_ENOMEM;
    return redo_setrecord(session, position, scratch->data, scratch->size);
}

/* --- reading --- */

static bool get_properties(struct sheet *s, struct record_list list, struct properties *p)
{
    struct record_property q;
    while (record_next_property(&list, &q)) {
        struct making value = {.data = (unsigned char *)q.value, .size = q.size};
        set_made(s, p, (redo_sgf_string){q.name, q.namesize}, &value);
    }
    return !s->failed;
}

static bool get_analysis(struct sheet *s, struct record const *r, struct record_item const *from,
                         struct item *item)
{
    redo_analysis a;
    if (from->flags & ITEM_SHARED)
        item->analysed = redo_analysis_shared;
    else if (from->flags & ITEM_ANALYSIS)
        item->analysed = redo_analysis_own;
    if (item->analysed != redo_analysis_own || !record_analysis(r, from, &a))
        return true;
    struct analysis *to = arena_take(s->arena, sizeof *to);
    double *numbers = arena_take(s->arena, (a.numbercount + a.deviationcount) * sizeof *numbers);
    item->analysis = to;
    if (!to || !numbers)
        return false;
    memcpy(numbers, a.numbers, a.numbercount * sizeof *numbers);
    memcpy(numbers + a.numbercount, a.deviations, a.deviationcount * sizeof *numbers);
    *to = (struct analysis){
        {a.kind, a.kindsize}, a.equity,  numbers,       numbers + a.numbercount, a.numbercount,
        a.deviationcount,     a.context, a.contextsize, {a.text, a.textsize}};
    return true;
}

static bool get_items(struct sheet *s, struct record const *r, struct record_list list,
                      struct items *items)
{
    struct record_item from;
    while (record_next_item(&list, &from)) {
        struct item *item = items_add(s, items);
        if (!item)
            return false;
        item->id = from.id;
        item->has_move = from.flags & ITEM_MOVE;
        item->move = from.move;
        item->text = (redo_sgf_string){from.text, from.textsize};
        if (!get_properties(s, from.properties, &item->properties) ||
            !get_analysis(s, r, &from, item))
            return false;
        if (items == &s->candidates && r->choice == RECORD_MADE(from.id))
            s->chosen = item;
    }
    return true;
}

int sheet_get(redo_position *position, struct arena *arena, struct sheet *s)
{
    struct record r;
    size_t size;
    void const *bytes = redo_getrecord(position, &size);
    *s = (struct sheet){.arena = arena};
    if (!bytes)
        return REDO_OK;
    record_open(&r, bytes, size);
    s->choice = r.choice == RECORD_OPEN   ? redo_choice_open
                : r.choice == RECORD_NONE ? redo_choice_none
                                          : redo_choice_made;
    s->decided = r.decided;
    if (!get_properties(s, r.list[redo_of_position], &s->position) ||
        !get_properties(s, r.list[redo_of_branch], &s->branch) ||
        !get_items(s, &r, r.list[redo_of_candidate], &s->candidates) ||
        !get_items(s, &r, r.list[redo_of_decision], &s->decisions))
        return REDO_ENOMEM;
    return REDO_OK;
}
