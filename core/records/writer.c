#include "core/records/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/records/number.h"
#include "core/records/record.h"
#include "core/varint.h"

static inline bool make_room(struct value_writer *w, size_t size)
{
    if (w->cap - w->size < size && !w->failed && !value_reserve(w, size))
        w->failed = true;
    return !w->failed;
}

static inline void put(struct value_writer *w, void const *data, size_t size)
{
    if (!make_room(w, size) || !size)
        return;
    memcpy(w->data + w->size, data, size);
    w->size += size;
}

static inline void put_number(struct value_writer *w, uint32_t v)
{
    if (make_room(w, VARINT_MAX))
        w->size += varint_put(w->data + w->size, v);
}

/* How many bytes, and these. */
static void put_sized(struct value_writer *w, void const *data, size_t size)
{
    put_number(w, (uint32_t)size);
    put(w, data, size);
}

/* The same with a 0 after them. */
static void put_text(struct value_writer *w, char const *text, size_t size)
{
    put_sized(w, text, size);
    put(w, "", 1);
}

static void put_reals(struct value_writer *w, double const *reals, size_t count)
{
    if (!make_room(w, count * 8))
        return;
    for (size_t i = 0; i < count; i++, w->size += 8)
        number_put_real(w->data + w->size, reals[i]);
}

void record_writer_begin(struct record_writer *w)
{
    for (int i = 0; i < 4; i++) {
        w->list[i].size = 0;
        w->list[i].failed = false;
        w->count[i] = w->given[i] = 0;
    }
    w->head.size = w->own.size = w->tail.size = w->whole.size = 0;
    w->head.failed = w->own.failed = w->tail.failed = w->whole.failed = false;
    w->open = 0;
    w->bare = false;
    w->own_count = w->choice = w->decided = 0;
    w->failed = REDO_OK;
}

void record_writer_begin_items(struct record_writer *w)
{
    record_writer_begin(w);
    w->bare = true;
}

void record_writer_close(struct record_writer *w)
{
    for (int i = 0; i < 4; i++)
        free(w->list[i].data);
    free(w->head.data);
    free(w->own.data);
    free(w->tail.data);
    free(w->whole.data);
    *w = (struct record_writer){0};
}

static void fail(struct record_writer *w, int why)
{
    if (!w->failed)
        w->failed = why;
}

/* ---- items ------------------------------------------------------------------------------- */

/* What is not looked at by who reads: more than there is room for in redo_analysis. */
static void put_analysis(struct record_writer *w, redo_analysis const *a)
{
    struct value_writer *out = &w->tail;
    if (a->numbercount > REDO_NUMBERS_MAX || a->deviationcount > REDO_NUMBERS_MAX ||
        a->textsize > REDO_TEXT_MAX || a->contextsize > REDO_RECORD_MAX) {
        fail(w, REDO_EFULL);
        return;
    }
    if (!a->kind || a->kindsize > REDO_NAME_MAX) {
        fail(w, REDO_ECANDIDATE);
        return;
    }
    bool equity = !isnan(a->equity), context = a->context != NULL, text = a->text && a->textsize;
    put_number(out, (equity ? ANALYSIS_EQUITY : 0u) | (context ? ANALYSIS_CONTEXT : 0u) |
                        (text ? ANALYSIS_TEXT : 0u));
    put_text(out, a->kind, a->kindsize);
    if (equity)
        put_reals(out, &a->equity, 1);
    put_number(out, (uint32_t)a->numbercount);
    put_number(out, (uint32_t)a->deviationcount);
    put_reals(out, a->numbers, a->numbercount);
    put_reals(out, a->deviations, a->deviationcount);
    if (context)
        put_sized(out, a->context, a->contextsize);
    if (text)
        put_text(out, a->text, a->textsize);
}

static void begin_item(struct record_writer *w, redo_candidate const *c, redo_analysis const *a)
{
    bool shared = c->analysed == redo_analysis_shared;
    bool text = c->text && c->textsize;
    w->head.size = w->own.size = w->tail.size = 0;
    w->own_count = 0;
    w->flags = (c->hasmove ? ITEM_MOVE : 0u) | (text ? ITEM_TEXT : 0u) |
               (shared ? ITEM_SHARED
                : a    ? ITEM_ANALYSIS
                       : 0u);
    if (text && c->textsize > REDO_TEXT_MAX) {
        fail(w, REDO_EFULL);
        return;
    }
    if (c->hasmove)
        put_number(&w->head, (uint32_t)c->move << 1 ^ (uint32_t)(c->move >> 31));
    if (text)
        put_text(&w->head, c->text, c->textsize);
    if (a && !shared)
        put_analysis(w, a);
}

/* What the last item is, with its id or 0. */
static void put_item(struct record_writer *w, struct value_writer *out, uint32_t id)
{
    unsigned char head[2 * VARINT_MAX + 1], list[2 * VARINT_MAX];
    size_t n = varint_put(head, id), k = 0;
    head[n++] = (unsigned char)(w->flags | (w->own_count ? ITEM_PROPERTIES : 0));
    if (w->own_count) {
        k = varint_put(list, w->own_count);
        k += varint_put(list + k, (uint32_t)w->own.size);
    }
    put_number(out, (uint32_t)(n + w->head.size + k + w->own.size + w->tail.size));
    put(out, head, n);
    put(out, w->head.data, w->head.size);
    put(out, list, k);
    put(out, w->own.data, w->own_count ? w->own.size : 0);
    put(out, w->tail.data, w->tail.size);
}

/* ---- a record ---------------------------------------------------------------------------- */

static void close_item(struct record_writer *w)
{
    if (w->open)
        put_item(w, &w->list[w->open], w->bare ? 0 : w->last);
    w->open = 0;
}

void record_writer_property(struct record_writer *w, enum redo_of of, char const *name,
                            size_t namesize, void const *value, size_t size)
{
    bool item = of == redo_of_candidate || of == redo_of_decision;
    struct value_writer *out = item ? &w->own : &w->list[of];
    if (!size)
        return;
    if (size > REDO_RECORD_MAX || namesize > REDO_NAME_MAX) {
        fail(w, size > REDO_RECORD_MAX ? REDO_EFULL : REDO_ENAME);
        return;
    }
    put_text(out, name, namesize);
    put_sized(out, value, size);
    if (item)
        w->own_count++;
    else
        w->count[of]++;
}

uint32_t record_writer_item(struct record_writer *w, enum redo_of list,
                            redo_candidate const *candidate, redo_analysis const *analysis)
{
    close_item(w);
    uint32_t id = candidate->id ? candidate->id : w->given[list] + 1;
    if (id > w->given[list])
        w->given[list] = id;
    w->last = id;
    w->count[list]++;
    begin_item(w, candidate, analysis);
    w->open = list;
    return id;
}

void record_writer_choose(struct record_writer *w, enum redo_choice choice, uint32_t id)
{
    w->choice = choice == redo_choice_made ? RECORD_MADE(id) : (uint32_t)choice;
}

void record_writer_decide(struct record_writer *w, unsigned count)
{
    w->decided = count;
}

static void put_list(struct record_writer *w, enum redo_of of)
{
    put_number(&w->whole, w->count[of]);
    if (w->count[of])
        put_sized(&w->whole, w->list[of].data, w->list[of].size);
}

static int give(struct record_writer *w, void const **data, size_t *size)
{
    bool memory = w->head.failed || w->own.failed || w->tail.failed || w->whole.failed;
    for (int i = 0; i < 4; i++)
        memory |= w->list[i].failed;
    if (w->failed || memory)
        return w->failed ? w->failed : REDO_ENOMEM;
    *data = w->whole.data;
    *size = w->whole.size;
    return REDO_OK;
}

/* Whether what is written so far is more than a record may have: its lengths would not fit. */
static bool is_full(struct record_writer const *w)
{
    size_t all = 0;
    for (int i = 0; i < 4; i++)
        all += w->list[i].size;
    return all > REDO_RECORD_MAX;
}

int record_writer_end(struct record_writer *w, void const **data, size_t *size)
{
    close_item(w);
    if (is_full(w))
        fail(w, REDO_EFULL);
    w->whole.size = 0;
    put_list(w, redo_of_position);
    put_list(w, redo_of_branch);
    put_number(&w->whole, w->choice);
    put_number(&w->whole, w->given[redo_of_candidate]);
    put_list(w, redo_of_candidate);
    put_number(&w->whole, w->given[redo_of_decision]);
    put_number(&w->whole, w->decided);
    put_list(w, redo_of_decision);
    int rc = give(w, data, size);
    if (!rc && *size == RECORD_EMPTY && !w->choice && !w->given[redo_of_candidate] &&
        !w->given[redo_of_decision]) {
        *data = NULL;
        *size = 0;
    }
    return rc;
}

int record_writer_items(struct record_writer *w, enum redo_of list, void const **data, size_t *size)
{
    close_item(w);
    if (is_full(w))
        fail(w, REDO_EFULL);
    w->whole.size = 0;
    put_number(&w->whole, w->count[list]);
    put(&w->whole, w->list[list].data, w->list[list].size);
    return give(w, data, size);
}

int record_writer_parts(struct record_writer *w, unsigned parts, redo_candidate const *candidate,
                        redo_analysis const *analysis, void const **data, size_t *size)
{
    redo_candidate c = *candidate;
    if (!(parts & redo_part_move))
        c.hasmove = 0;
    if (!(parts & redo_part_text))
        c.text = NULL;
    if (!(parts & redo_part_analysis)) {
        c.analysed = redo_analysis_none;
        analysis = NULL;
    }
    begin_item(w, &c, analysis);
    w->whole.size = 0;
    put_number(&w->whole, parts);
    put_item(w, &w->whole, 0);
    return give(w, data, size);
}
