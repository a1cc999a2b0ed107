#include "server/record_reply.h"

#include <math.h>

#include "core/fans.h"
#include "core/records/alternates.h"
#include "protocol/pack.h"
#include "server/given.h"

void record_look(struct record_told *told, struct history const *h, struct node *n)
{
    *told = (struct record_told){.history = h, .node = n};
    told->bytes = history_record(h, n->in.id, &told->size);
    record_open(&told->record, told->bytes, told->size);
}

bool record_tells(struct record_told const *told)
{
    struct record const *r = &told->record; /* one of which all was taken away still counts ids */
    uint32_t all = r->choice;
    for (int i = redo_of_position; i <= redo_of_decision; i++)
        all |= r->list[i].count;
    return all || alternates_has(told->history, told->node->in.id);
}

/* ---- items ------------------------------------------------------------------------------- */

void record_walk_begin(struct record_walk *w, struct record_told const *told, enum redo_of of)
{
    *w = (struct record_walk){
        .told = told, .of = of, .list = told->record.list[of], .at = told->node};
}

bool record_walk_next(struct record_walk *w, struct record_item *item, struct node **leads)
{
    if (!record_next_item(&w->list, item))
        return false;
    bool moves = w->at && item->flags & ITEM_MOVE;
    *leads = moves ? branch_find(w->told->history, w->at, item->move) : NULL;
    if (w->of == redo_of_decision)
        w->at = *leads;
    return true;
}

/* ---- packing ----------------------------------------------------------------------------- */

static void pack_float(struct buffer *b, double value)
{
    PACK_WITH(b, msgpack_pack_double, value);
}

static void pack_floats(struct buffer *b, double const *values, size_t count)
{
    pack_array(b, count);
    for (size_t i = 0; i < count; i++)
        pack_float(b, values[i]);
}

static void pack_text_or_nil(struct buffer *b, char const *text, size_t size)
{
    if (text)
        pack_text(b, text, size);
    else
        pack_nil(b);
}

/* What came in a dump, or in bytes of a client's own making, need not be one value; then it is told
 * as bytes, lest it break the answer. */
void record_reply_value(struct buffer *b, void const *value, size_t size)
{
    if (given_value_valid(value, size))
        buffer_append(b, value, size);
    else
        pack_bin(b, value, size);
}

/* Whether there is room for so many bytes more. */
static bool fits(struct buffer const *b, size_t start, size_t more, size_t most)
{
    return b->size - start <= most && more <= most - (b->size - start);
}

static bool pack_properties(struct buffer *b, struct record_list list, size_t start, size_t most)
{
    struct record_property p;
    pack_map(b, list.count);
    while (record_next_property(&list, &p)) {
        if (!fits(b, start, (size_t)p.namesize + p.size, most))
            return false;
        pack_text(b, p.name, p.namesize);
        record_reply_value(b, p.value, p.size);
    }
    return true;
}

static bool pack_analysis(struct buffer *b, redo_analysis const *a, size_t start, size_t most)
{
    if (!fits(b, start, a->contextsize + a->textsize, most))
        return false;
    pack_map(b, 6);
    pack_key(b, "kind");
    pack_text(b, a->kind, a->kindsize);
    pack_key(b, "equity");
    if (isnan(a->equity))
        pack_nil(b);
    else
        pack_float(b, a->equity);
    pack_key(b, "numbers");
    pack_floats(b, a->numbers, a->numbercount);
    pack_key(b, "deviations");
    pack_floats(b, a->deviations, a->deviationcount);
    pack_key(b, "context");
    if (a->context)
        record_reply_value(b, a->context, a->contextsize);
    else
        pack_nil(b);
    pack_key(b, "text");
    pack_text_or_nil(b, a->text, a->textsize);
    return true;
}

static bool pack_item(struct buffer *b, struct record_told const *told,
                      struct record_item const *item, struct node const *leads, size_t start,
                      size_t most)
{
    redo_analysis analysis;
    pack_map(b, 7);
    pack_key(b, "id");
    pack_uint(b, item->id);
    pack_key(b, "move");
    if (item->flags & ITEM_MOVE)
        pack_int(b, item->move);
    else
        pack_nil(b);
    pack_key(b, "text");
    pack_text_or_nil(b, item->text, item->textsize);
    pack_key(b, "properties");
    if (!pack_properties(b, item->properties, start, most))
        return false;
    pack_key(b, "analysis");
    if (!record_analysis(&told->record, item, &analysis))
        pack_nil(b);
    else if (!pack_analysis(b, &analysis, start, most))
        return false;
    pack_key(b, "shared");
    pack_bool(b, item->flags & ITEM_SHARED);
    pack_key(b, "leads");
    if (leads)
        pack_uint(b, leads->in.id);
    else
        pack_nil(b);
    return fits(b, start, 0, most);
}

bool record_reply_item(struct buffer *b, struct record_told const *told,
                       struct record_item const *item, struct node const *leads, size_t most)
{
    size_t start = b->size;
    if (pack_item(b, told, item, leads, start, most))
        return true;
    buffer_rewind(b, start);
    return false;
}

static bool pack_items(struct buffer *b, struct record_told const *told, enum redo_of of,
                       size_t start, size_t most)
{
    struct record_walk walk;
    struct record_item item;
    struct node *leads;
    record_walk_begin(&walk, told, of);
    pack_array(b, walk.list.count);
    while (record_walk_next(&walk, &item, &leads))
        if (!pack_item(b, told, &item, leads, start, most))
            return false;
    return true;
}

static bool pack_alternates(struct buffer *b, struct record_told const *told, size_t start,
                            size_t most)
{
    struct history const *h = told->history;
    uint32_t first = alternates_first(h, told->node->in.id), count = 0;
    bool any = alternates_has(h, told->node->in.id);
    for (uint32_t n = first; any && n != REDO_NOPOSITION; n = alternates_next(h, n))
        count++;
    pack_array(b, count);
    if (!fits(b, start, count, most))
        return false;
    for (uint32_t n = first; any && n != REDO_NOPOSITION; n = alternates_next(h, n))
        pack_uint(b, n);
    return true;
}

static bool pack_record(struct buffer *b, struct record_told const *told, size_t start, size_t most)
{
    struct record const *r = &told->record;
    if (!fits(b, start, told->size, most))
        return false;
    pack_map(b, 8);
    pack_key(b, "position");
    pack_uint(b, told->node->in.id);
    pack_key(b, "properties");
    if (!pack_properties(b, r->list[redo_of_position], start, most))
        return false;
    pack_key(b, "branch");
    if (!pack_properties(b, r->list[redo_of_branch], start, most))
        return false;
    pack_key(b, "choice");
    if (r->choice == RECORD_OPEN)
        pack_cstr(b, "open");
    else if (r->choice == RECORD_NONE)
        pack_cstr(b, "none");
    else
        pack_uint(b, r->choice - 1);
    pack_key(b, "candidates");
    if (!pack_items(b, told, redo_of_candidate, start, most))
        return false;
    pack_key(b, "decided");
    pack_uint(b, r->decided);
    pack_key(b, "decisions");
    if (!pack_items(b, told, redo_of_decision, start, most))
        return false;
    pack_key(b, "alternates");
    return pack_alternates(b, told, start, most) && fits(b, start, 0, most);
}

bool record_reply(struct buffer *b, struct record_told const *told, size_t most)
{
    size_t start = b->size;
    bool failed = b->failed;
    if (pack_record(b, told, start, most))
        return true;
    buffer_rewind(b, start);
    b->failed = failed;
    return false;
}
