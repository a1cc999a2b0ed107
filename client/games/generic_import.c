/* A game in SGF as it is, of whatever game: each node a position, each property one of the
 * position. Records are encoded straight from the tree: there may be a great many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/games/games.h"
#include "client/games/layout.h"
#include "client/games/sheet.h"
#include "client/sgf/gnubg_parts.h"
#include "core/varint.h"

#define STATE_SIZE 4
#define FEW 16 /* properties that are held against each other one by one */

/* A property of the node at hand: how many of its name came before it. */
struct named {
    redo_sgf_property const *property;
    size_t place;
    unsigned before;
};

struct importer {
    redo_sgf_game *game;
    redo_sgf_error *error;
    redo_session *session;
    struct layout_style style;
    struct buffer record, layout;
    struct named *named; /* owned */
    size_t cap;
    uint32_t nodes;
};

static int fail(struct importer *im, int code)
{
    if (code == REDO_ENOMEM)
        return error_say(im->error, code, "out of memory");
    return error_say(im->error, code, "%s", redo_strerror(code));
}

/* --- names that stand more than once in a node --- */

static int by_name(void const *a, void const *b)
{
    struct named const *p = a, *q = b;
    size_t x = p->property->name_size, y = q->property->name_size;
    int order = memcmp(p->property->name, q->property->name, x < y ? x : y);
    if (order == 0 && x != y)
        order = x < y ? -1 : 1;
    return order != 0 ? order : p->place < q->place ? -1 : 1;
}

static int by_place(void const *a, void const *b)
{
    struct named const *p = a, *q = b;
    return p->place < q->place ? -1 : 1;
}

static bool same_name(struct named const *a, struct named const *b)
{
    return a->property->name_size == b->property->name_size &&
           memcmp(a->property->name, b->property->name, a->property->name_size) == 0;
}

static void count_few(struct named *named, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            named[i].before += same_name(&named[i], &named[k]);
}

static void count_many(struct named *named, size_t count)
{
    qsort(named, count, sizeof *named, by_name);
    for (size_t i = 1; i < count; i++)
        if (same_name(&named[i], &named[i - 1]))
            named[i].before = named[i - 1].before + 1;
    qsort(named, count, sizeof *named, by_place);
}

static int list_properties(struct importer *im, redo_sgf_node const *n, size_t *count)
{
    *count = 0;
    for (redo_sgf_property const *p = n->properties; p; p = p->next) {
        if (*count == im->cap) {
            size_t cap = im->cap ? 2 * im->cap : FEW;
            struct named *named = realloc(im->named, cap * sizeof *named);
            if (!named)
                return fail(im, REDO_ENOMEM);
            im->named = named;
            im->cap = cap;
        }
        im->named[*count] = (struct named){p, *count, 0};
        ++*count;
    }
    (*count <= FEW ? count_few : count_many)(im->named, *count);
    return REDO_OK;
}

/* --- the record of a node --- */

static size_t number_size(size_t n)
{
    size_t size = 1;
    while (n >>= 7)
        size++;
    return size;
}

static size_t head_size(size_t size, size_t fixmost, bool one)
{
    return size <= fixmost ? 1 : one && size <= 0xff ? 2 : size <= 0xffff ? 3 : 5;
}

static size_t count_values(redo_sgf_property const *p)
{
    size_t count = 0;
    for (redo_sgf_value const *v = p->first; v; v = v->next)
        count++;
    return count;
}

/* Of the value in msgpack: a string, or an array of them. */
static size_t value_size(redo_sgf_property const *p, size_t count)
{
    size_t size = count == 1 ? 0 : head_size(count, 15, false);
    for (redo_sgf_value const *v = p->first; v; v = v->next)
        size += head_size(v->size, 31, true) + v->size;
    return size;
}

static size_t name_of(struct named const *n, char name[REDO_NAME_MAX + 16])
{
    size_t size = n->property->name_size;
    memcpy(name, n->property->name, size);
    if (n->before > 0)
        size += (size_t)snprintf(name + size, 16, " %u", n->before + 1);
    return size;
}

static void put_number(struct buffer *b, size_t n)
{
    if (buffer_reserve(b, VARINT_MAX))
        b->size += varint_put((unsigned char *)b->data + b->size, (uint32_t)n);
}

static void put_head(struct buffer *b, size_t size, unsigned fix, size_t fixmost, unsigned one,
                     unsigned two)
{
    unsigned char head[5];
    size_t n = head_size(size, fixmost, one);
    head[0] = (unsigned char)(n == 1 ? fix | size : n == 2 ? one : n == 3 ? two : two + 1);
    for (size_t i = 1; i < n; i++)
        head[i] = (unsigned char)(size >> 8 * (n - 1 - i));
    buffer_append(b, head, n);
}

static void put_name(struct buffer *b, char const *name, size_t size)
{
    put_number(b, size);
    buffer_append(b, name, size);
    buffer_append(b, "", 1);
}

static void put_string(struct buffer *b, char const *text, size_t size)
{
    put_head(b, size, 0xa0, 31, 0xd9, 0xda);
    buffer_append(b, text, size);
}

static void put_property(struct buffer *b, struct named const *n)
{
    char name[REDO_NAME_MAX + 16];
    size_t count = count_values(n->property);
    put_name(b, name, name_of(n, name));
    put_number(b, value_size(n->property, count));
    if (count != 1)
        put_head(b, count, 0x90, 15, 0, 0xdc);
    for (redo_sgf_value const *v = n->property->first; v; v = v->next)
        put_string(b, v->raw, v->size);
}

static size_t entry_size(size_t name, size_t value)
{
    return number_size(name) + name + 1 + number_size(value) + value;
}

static int check_names(struct importer *im, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (im->named[i].property->name_size > REDO_NAME_MAX - 12)
            return error_at(im->game, im->error, im->named[i].property->name,
                            "the name of a property has more than %d bytes", REDO_NAME_MAX - 12);
    return REDO_OK;
}

/* "sgf:layout" */
#define LAYOUT "sgf:layout"

static int hang_record(struct importer *im, redo_sgf_node const *n, redo_position *position)
{
    size_t count, size = 0;
    char name[REDO_NAME_MAX + 16];
    bool styled = layout_has_style(&im->style, n);
    int code = list_properties(im, n, &count);
    if (code == REDO_OK)
        code = check_names(im, count);
    if (code)
        return code;
    for (size_t i = 0; i < count; i++) {
        redo_sgf_property const *p = im->named[i].property;
        size += entry_size(name_of(&im->named[i], name), value_size(p, count_values(p)));
    }
    if (!styled) {
        layout_tell(n, &im->layout);
        size_t value = head_size(im->layout.size, 31, true) + im->layout.size;
        size += entry_size(strlen(LAYOUT), value);
    }
    if (size == 0)
        return REDO_OK;
    struct buffer *b = &im->record;
    buffer_rewind(b, 0);
    put_number(b, count + !styled);
    put_number(b, size);
    for (size_t i = 0; i < count; i++)
        put_property(b, &im->named[i]);
    if (!styled) {
        put_name(b, LAYOUT, strlen(LAYOUT));
        put_number(b, head_size(im->layout.size, 31, true) + im->layout.size);
        put_string(b, im->layout.data, im->layout.size);
    }
    /* No properties of the branch, no candidates, no decisions. */
    buffer_append(b, "\0\0\0\0\0\0\0", 7);
    if (b->failed || im->layout.failed)
        return fail(im, REDO_ENOMEM);
    code = redo_setrecord(im->session, position, b->data, b->size);
    if (code) {
        fail(im, code);
        redo_sgf_property const *p = n->properties;
        if (p)
            redo_sgf_game_place(im->game, p->name, &im->error->line, &im->error->column);
    }
    return code;
}

/* --- the tree --- */

static void number_state(unsigned char state[STATE_SIZE], uint32_t number)
{
    for (int i = 0; i < STATE_SIZE; i++)
        state[i] = (unsigned char)(number >> 8 * i);
}

static int add(struct importer *im, redo_sgf_node *n)
{
    unsigned char state[STATE_SIZE];
    int move = n->previous ? redo_getmove(n->previous->at) + 1 : 0;
    number_state(state, im->nodes++);
    n->at = n->parent ? redo_addposition(im->session, n->parent->at, move, state, 0, redo_nocheck)
                      : redo_getfirstposition(im->session);
    return n->at ? hang_record(im, n, n->at) : fail(im, redo_lasterror());
}

/* The first variations come to the front, for who follows the branches. */
static void bring_main_line(redo_sgf_game const *game)
{
    for (redo_sgf_node *n = game->root; n; n = redo_sgf_node_after(n, game->root))
        if (n->first && n->first->next)
            redo_getnextposition(n->at, redo_getmove(n->first->at));
}

static int set_session(struct importer *im, char const *name, char const *text, size_t size)
{
    struct buffer *b = &im->record;
    buffer_rewind(b, 0);
    put_string(b, text, size);
    return b->failed ? REDO_ENOMEM : redo_setproperty(im->session, name, b->data, b->size);
}

static int set_style(struct importer *im)
{
    struct buffer *b = &im->record;
    if (layout_style_is_plain(&im->style))
        return REDO_OK;
    buffer_rewind(b, 0);
    put_head(b, STYLES, 0x90, 15, 0, 0xdc);
    for (int i = 0; i < STYLES; i++)
        put_string(b, im->style.space[i].data, im->style.space[i].size);
    return b->failed ? REDO_ENOMEM : redo_setproperty(im->session, LAYOUT, b->data, b->size);
}

static int set_file(struct importer *im, bool first)
{
    redo_sgf_string lead = redo_sgf_game_lead(im->game);
    bool usual = first ? lead.size == 0 : lead.size == 1 && lead.data[0] == '\n';
    int code = set_session(im, "format", "sgf", 3);
    if (code == REDO_OK && !usual)
        code = set_session(im, "sgf:lead", lead.data, lead.size);
    if (code == REDO_OK && im->game->converted)
        code = set_session(im, "sgf:charset", im->game->charset, strlen(im->game->charset));
    return code == REDO_OK ? set_style(im) : code;
}

static int import(struct importer *im, bool first)
{
    unsigned char state[STATE_SIZE] = {0};
    int code;
    im->session = redo_beginsession(state, STATE_SIZE, 0);
    if (!im->session)
        return fail(im, redo_lasterror());
    redo_setgraftbehavior(im->session, redo_nograft);
    layout_style_of(&im->style, im->game);
    code = set_file(im, first);
    if (code)
        return fail(im, code);
    for (redo_sgf_node *n = im->game->root; n && code == REDO_OK;
         n = redo_sgf_node_after(n, im->game->root))
        code = add(im, n);
    if (code == REDO_OK)
        bring_main_line(im->game);
    return code;
}

redo_session *game_import_generic(redo_sgf_game *game, bool first, redo_sgf_error *error)
{
    struct importer im = {.game = game, .error = error};
    *error = (redo_sgf_error){.code = REDO_OK};
    buffer_init(&im.record);
    buffer_init(&im.layout);
    int code = import(&im, first);
    buffer_free(&im.record);
    buffer_free(&im.layout);
    free(im.named);
    if (code == REDO_OK) {
        redo_clearsessionchanged(im.session);
        return im.session;
    }
    redo_endsession(im.session);
    return NULL;
}
