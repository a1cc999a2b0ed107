#include "client/games/sheet.h"

#include <string.h>

void set_made(struct sheet *s, struct properties *p, redo_sgf_string name, struct making *value)
{
    struct property *made = value->failed ? NULL : arena_take(s->arena, sizeof *made);
    if (!made) {
        s->failed = true;
        return;
    }
    made->name = name.data;
    made->name_size = name.size;
    made->value = value->data;
    made->size = value->size;
    if (p->last)
        p->last->next = made;
    else
        p->first = made;
    p->last = made;
}

static void set(struct sheet *s, struct properties *p, char const *name, struct making *value)
{
    set_made(s, p, (redo_sgf_string){name, strlen(name)}, value);
}

void set_text(struct sheet *s, struct properties *p, char const *name, redo_sgf_string text)
{
    struct making m;
    make_begin(&m, s->arena);
    make_string(&m, text.data, text.size);
    set(s, p, name, &m);
}

void set_word(struct sheet *s, struct properties *p, char const *name, char const *word)
{
    set_text(s, p, name, (redo_sgf_string){word, strlen(word)});
}

void set_bool(struct sheet *s, struct properties *p, char const *name, bool value)
{
    struct making m;
    make_begin(&m, s->arena);
    make_bool(&m, value);
    set(s, p, name, &m);
}

void set_integer(struct sheet *s, struct properties *p, char const *name, int64_t value)
{
    struct making m;
    make_begin(&m, s->arena);
    make_integer(&m, value);
    set(s, p, name, &m);
}

void set_double(struct sheet *s, struct properties *p, char const *name, double value)
{
    struct making m;
    make_begin(&m, s->arena);
    make_double(&m, value);
    set(s, p, name, &m);
}

struct property const *find_property(struct properties const *p, char const *name)
{
    size_t size = strlen(name);
    for (struct property const *q = p->first; q; q = q->next)
        if (q->name_size == size && memcmp(q->name, name, size) == 0)
            return q;
    return NULL;
}

static struct reading reading_of(struct properties const *p, char const *name)
{
    struct property const *q = find_property(p, name);
    struct reading none = {NULL, NULL, true};
    return q ? read_value(q->value, q->size) : none;
}

bool get_text(struct properties const *p, char const *name, redo_sgf_string *text)
{
    struct reading r = reading_of(p, name);
    return read_string(&r, text);
}

bool get_bool(struct properties const *p, char const *name, bool *value)
{
    struct reading r = reading_of(p, name);
    return read_bool(&r, value);
}

bool get_integer(struct properties const *p, char const *name, int64_t *value)
{
    struct reading r = reading_of(p, name);
    return read_integer(&r, value);
}

bool get_double(struct properties const *p, char const *name, double *value)
{
    struct reading r = reading_of(p, name);
    return read_double(&r, value);
}

struct item *items_add(struct sheet *s, struct items *items)
{
    struct item *item = arena_take(s->arena, sizeof *item);
    if (!item) {
        s->failed = true;
        return NULL;
    }
    if (items->last)
        items->last->next = item;
    else
        items->first = item;
    items->last = item;
    items->count++;
    return item;
}

struct item *items_find(struct items const *items, int move)
{
    struct item *item = items->first;
    while (item && !(item->has_move && item->move == move))
        item = item->next;
    return item;
}

bool sheet_is_empty(struct sheet const *s)
{
    return !s->position.first && !s->branch.first && s->choice == redo_choice_open &&
           s->candidates.count == 0 && s->decisions.count == 0;
}
