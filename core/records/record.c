/* Reading bytes that were checked. */
#include "core/records/record.h"

#include <math.h>
#include <string.h>

#include "core/records/number.h"

/* A number, which is there and whole. */
static inline uint32_t get(unsigned char const **at)
{
    uint32_t v = *(*at)++;
    if (v < 0x80)
        return v;
    v &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
        uint32_t byte = *(*at)++;
        v |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
}

static inline int get_signed(unsigned char const **at)
{
    uint32_t v = get(at);
    return (int)((v >> 1) ^ (0 - (v & 1)));
}

static inline struct record_list get_list(unsigned char const **at)
{
    struct record_list list = {.count = get(at)};
    size_t bytes = list.count ? get(at) : 0;
    list.at = *at;
    list.end = *at += bytes;
    return list;
}

void record_open(struct record *r, void const *data, size_t size)
{
    static unsigned char const empty[RECORD_EMPTY];
    unsigned char const *at = size ? data : empty;
    r->list[redo_of_position] = get_list(&at);
    r->list[redo_of_branch] = get_list(&at);
    r->choice = get(&at);
    r->given[redo_of_candidate] = get(&at);
    r->list[redo_of_candidate] = get_list(&at);
    r->given[redo_of_decision] = get(&at);
    r->decided = get(&at);
    r->list[redo_of_decision] = get_list(&at);
}

bool record_next_property(struct record_list *list, struct record_property *p)
{
    if (!list->count)
        return false;
    unsigned char const *at = list->at;
    p->start = at;
    p->namesize = get(&at);
    p->name = (char const *)at;
    at += p->namesize + 1;
    p->size = get(&at);
    p->value = at;
    p->end = list->at = at + p->size;
    list->count--;
    return true;
}

bool record_next_item(struct record_list *list, struct record_item *item)
{
    if (!list->count)
        return false;
    unsigned char const *at = list->at;
    item->start = at;
    size_t size = get(&at);
    item->end = list->at = at + size;
    list->count--;
    item->id = get(&at);
    item->flags = *at++;
    item->move = item->flags & ITEM_MOVE ? get_signed(&at) : 0;
    item->text = NULL;
    item->textsize = 0;
    if (item->flags & ITEM_TEXT) {
        item->textsize = get(&at);
        item->text = (char const *)at;
        at += item->textsize + 1;
    }
    item->properties = (struct record_list){.at = at, .end = at};
    if (item->flags & ITEM_PROPERTIES)
        item->properties = get_list(&at);
    item->analysis = item->flags & ITEM_ANALYSIS ? at : NULL;
    return true;
}

bool record_find_property(struct record_list const *list, char const *name, size_t size,
                          struct record_property *property)
{
    struct record_list left = *list;
    while (record_next_property(&left, property))
        if (property->namesize == size && memcmp(property->name, name, size) == 0)
            return true;
    return false;
}

bool record_find_item(struct record_list const *list, uint32_t id, struct record_item *item,
                      uint32_t *place)
{
    struct record_list left = *list;
    while (record_next_item(&left, item)) {
        if (item->id != id)
            continue;
        if (place)
            *place = list->count - left.count - 1;
        return true;
    }
    return false;
}

bool record_analysis(struct record const *r, struct record_item const *item, redo_analysis *a)
{
    struct record_item first;
    if (item->flags & ITEM_SHARED) {
        struct record_list chain = r->list[redo_of_decision];
        record_next_item(&chain, &first);
        item = &first;
    }
    unsigned char const *at = item->analysis;
    if (!at)
        return false;
    unsigned flags = *at++;
    a->kindsize = get(&at);
    a->kind = (char const *)at;
    at += a->kindsize + 1;
    a->equity = (double)NAN;
    if (flags & ANALYSIS_EQUITY) {
        a->equity = number_get_real(at);
        at += 8;
    }
    a->numbercount = get(&at);
    a->deviationcount = get(&at);
    for (size_t i = 0; i < a->numbercount; i++, at += 8)
        a->numbers[i] = number_get_real(at);
    for (size_t i = 0; i < a->deviationcount; i++, at += 8)
        a->deviations[i] = number_get_real(at);
    a->context = a->text = NULL;
    a->contextsize = a->textsize = 0;
    if (flags & ANALYSIS_CONTEXT) {
        a->contextsize = get(&at);
        a->context = at;
        at += a->contextsize;
    }
    if (flags & ANALYSIS_TEXT) {
        a->textsize = get(&at);
        a->text = (char const *)at;
    }
    return true;
}
