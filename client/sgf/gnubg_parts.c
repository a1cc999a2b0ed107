#include "client/sgf/gnubg_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/sgf/tree.h"

int error_at(redo_sgf_game const *game, redo_sgf_error *error, char const *text, char const *format,
             ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    error->line = error->column = 0;
    redo_sgf_game_place(game, text, &error->line, &error->column);
    return error->code = REDO_EDAMAGED;
}

redo_sgf_string first_raw(redo_sgf_property const *p)
{
    return p->first ? redo_sgf_value_raw(p->first) : (redo_sgf_string){"", 0};
}

static char const *find_id(char const *const *ids, redo_sgf_property const *p)
{
    while (*ids && !redo_sgf_property_is(p, *ids))
        ids++;
    return *ids;
}

static bool comes_again(redo_sgf_property const *p, char const *id)
{
    for (p = p->next; p; p = p->next)
        if (redo_sgf_property_is(p, id))
            return true;
    return false;
}

static void add_rest(struct gnubg_rests *rests, redo_sgf_property const *p,
                     enum gnubg_rest_kind kind)
{
    rests->list[rests->count++] = (struct gnubg_rest){p, kind};
}

static int read_part(struct parts *parts, redo_sgf_property const *p, struct gnubg_rests *rests)
{
    char const *id = find_id(parts->last_counts, p);
    if (id && comes_again(p, id)) {
        add_rest(rests, p, GNUBG_REST_BEFORE);
        return REDO_OK;
    }
    int understood = parts->understand(parts, p);
    if (understood < 0)
        return parts->error->code;
    if (!understood)
        add_rest(rests, p, GNUBG_REST_AFTER);
    else if (p->first && p->first->next && !find_id(parts->lists, p))
        add_rest(rests, p, GNUBG_REST_MORE);
    return REDO_OK;
}

/* Above this no node is a record of gnubg's: looking for ids that come again would take long. */
#define PROPERTIES_MAX 1000

int parts_read(struct parts *parts, redo_sgf_node const *node, struct gnubg_rests *rests)
{
    size_t count = 0;
    for (redo_sgf_property const *p = node->properties; p; p = p->next)
        count++;
    *rests = (struct gnubg_rests){0};
    if (count > PROPERTIES_MAX)
        return error_at(parts->game, parts->error, node->properties->name,
                        "a node with more than %d properties", PROPERTIES_MAX);
    rests->list = calloc(count + 1, sizeof *rests->list);
    if (!rests->list)
        return error_say(parts->error, REDO_ENOMEM, "out of memory");
    int code = REDO_OK;
    for (redo_sgf_property const *p = node->properties; p && code == REDO_OK; p = p->next)
        code = read_part(parts, p, rests);
    return code;
}

static void write_name(struct writing *w, char const *id, size_t size)
{
    w->last = NULL;
    if (w->code == REDO_OK)
        w->code = redo_sgf_property_add(w->game, w->node, id, size, &w->last);
}

void write_value(struct writing *w, redo_sgf_string raw)
{
    if (w->code == REDO_OK)
        w->code = redo_sgf_value_add(w->game, w->last, raw.data, raw.size);
}

/* The values after the first that the property had where it was read. */
static void write_more(struct writing *w, char const *id)
{
    for (size_t i = 0; i < w->rests->count; i++) {
        redo_sgf_property const *p = w->rests->list[i].property;
        if (w->rests->list[i].kind != GNUBG_REST_MORE || !redo_sgf_property_is(p, id))
            continue;
        for (redo_sgf_value const *v = p->first->next; v; v = v->next)
            write_value(w, redo_sgf_value_raw(v));
    }
}

void write_property(struct writing *w, char const *id, redo_sgf_string raw)
{
    write_name(w, id, strlen(id));
    write_value(w, raw);
    write_more(w, id);
}

void write_text(struct writing *w, char const *id, char const *raw)
{
    write_property(w, id, (redo_sgf_string){raw, strlen(raw)});
}

void write_copy(struct writing *w, redo_sgf_property const *p)
{
    write_name(w, p->name, p->name_size);
    for (redo_sgf_value const *v = p->first; v; v = v->next)
        write_value(w, redo_sgf_value_raw(v));
}

void write_rests(struct writing *w, enum gnubg_rest_kind kind)
{
    for (size_t i = 0; i < w->rests->count; i++)
        if (w->rests->list[i].kind == kind)
            write_copy(w, w->rests->list[i].property);
}
