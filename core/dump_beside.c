#include "core/dump_beside.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/changes/entry.h"

/* ---- bytes ------------------------------------------------------------------------------- */

unsigned char *reserve(struct writer *w, size_t bytes)
{
    if (w->cap - w->size < bytes) {
        size_t cap = w->cap + w->cap / 2 + bytes + 256;
        unsigned char *data = realloc(w->data, cap);
        if (!data) {
            w->failed = 1;
            return w->nowhere;
        }
        w->data = data;
        w->cap = cap;
    }
    return w->data + w->size;
}

void write_bytes(struct writer *w, void const *bytes, size_t size)
{
    unsigned char *at = reserve(w, size);
    if (w->failed)
        return;
    if (size)
        memcpy(at, bytes, size);
    w->size += size;
}

void write_number(struct writer *w, uint32_t v)
{
    size_t n = varint_put(reserve(w, VARINT_MAX), v);
    if (!w->failed)
        w->size += n;
}

static void write_signed(struct writer *w, int32_t v)
{
    write_number(w, (uint32_t)v << 1 ^ (uint32_t)(v >> 31));
}

static void write_wide(struct writer *w, uint64_t v)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(v >> 8 * i);
    write_bytes(w, bytes, sizeof bytes);
}

static uint64_t read_wide(struct varint_reader *r)
{
    uint64_t v = 0;
    if (r->end - r->at < 8) {
        r->bad = 1;
        return 0;
    }
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)*r->at++ << 8 * i;
    return v;
}

static unsigned read_byte(struct varint_reader *r)
{
    if (r->at == r->end) {
        r->bad = 1;
        return 0;
    }
    return *r->at++;
}

/* So many bytes, as they are; NULL (and bad) if there are not so many. */
static void const *read_bytes(struct varint_reader *r, size_t size)
{
    unsigned char const *at = r->at;
    if (r->bad || size > (size_t)(r->end - r->at)) {
        r->bad = 1;
        return NULL;
    }
    r->at += size;
    return at;
}

/* ---- properties -------------------------------------------------------------------------- */

void write_properties(struct history const *h, struct writer *w)
{
    write_number(w, h->properties.count);
    for (uint32_t i = 0; i < h->properties.count; i++) {
        struct property const *p = &h->properties.all[i];
        write_number(w, p->name_size);
        write_number(w, p->value_size);
        write_bytes(w, p->name, p->name_size + p->value_size);
    }
}

/* In the order of their names, none of them twice. */
int read_properties(struct history *h, struct varint_reader *r)
{
    uint32_t count = varint_get(r);
    if (!count)
        return REDO_EDAMAGED;
    for (uint32_t i = 0; i < count; i++) {
        size_t name = varint_get(r), value = varint_get(r);
        bool changed;
        if (r->bad || name < 1 || name > REDO_NAME_MAX || value < 1 || value > REDO_PROPERTY_MAX ||
            name + value > (size_t)(r->end - r->at) ||
            h->properties.bytes + name + value > REDO_PROPERTY_MAX)
            return REDO_EDAMAGED;
        if (properties_set(&h->properties, (char const *)r->at, name, r->at + name, value,
                           &changed))
            return REDO_ENOMEM;
        if (h->properties.count != i + 1 ||
            properties_find(&h->properties, (char const *)r->at, name) != &h->properties.all[i])
            return REDO_EDAMAGED;
        r->at += name + value;
    }
    return REDO_OK;
}

/* ---- authors ----------------------------------------------------------------------------- */

void write_authors(struct history const *h, struct writer *w)
{
    uint32_t time = 0;
    write_number(w, h->authors.count);
    for (uint32_t i = 0; i < h->authors.count; i++) {
        struct author const *a = &h->authors.all[i];
        write_number(w, a->uid);
        write_number(w, a->name_size);
        write_bytes(w, a->name, a->name_size);
    }
    for (struct node *n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) {
        struct stamp stamp = authors_stamp(&h->authors, n->in.id);
        write_number(w, stamp.author);
        if (!stamp.author)
            continue;
        write_signed(w, (int32_t)(stamp.time - time));
        time = stamp.time;
    }
}

static int read_author(struct history *h, struct varint_reader *r)
{
    redo_stamp author = {.uid = varint_get(r)};
    author.namesize = varint_get(r);
    author.name = read_bytes(r, author.namesize);
    if (r->bad)
        return REDO_EDAMAGED;
    int rc = authors_check(&h->authors, &author);
    if (rc)
        return rc == REDO_ENOMEM ? rc : REDO_EDAMAGED;
    authors_enter(&h->authors, &author);
    return REDO_OK;
}

int read_authors(struct history *h, struct varint_reader *r)
{
    uint32_t count = varint_get(r), time = 0;
    int rc = r->bad || !count || count > (size_t)(r->end - r->at) / 2 ? REDO_EDAMAGED : REDO_OK;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = read_author(h, r);
    struct node *n = rc ? NULL : history_from(h, 0);
    for (; n && !rc; n = history_from(h, n->in.id + 1)) {
        struct stamp stamp = {.author = varint_get(r)};
        if (stamp.author)
            stamp.time = time += (uint32_t)varint_get_signed(r);
        if (r->bad || stamp.author > count)
            rc = REDO_EDAMAGED;
        else if (stamp.author && pool_reserve(&h->authors.stamps, n->in.id, 1))
            rc = REDO_ENOMEM;
        else if (stamp.author)
            authors_sign(&h->authors, n->in.id, stamp);
    }
    return rc;
}

/* ---- cursors ----------------------------------------------------------------------------- */

void write_cursors(struct history const *h, struct writer *w)
{
    write_number(w, h->cursors.count);
    for (uint32_t i = 0; i < h->cursors.count; i++) {
        struct cursor const *c = &h->cursors.all[i];
        uint32_t before = c->position;
        write_number(w, c->name_size);
        write_bytes(w, c->name, c->name_size);
        write_number(w, c->position);
        write_number(w, c->count);
        for (uint32_t k = 0; k < c->count; before = c->forth[k++])
            write_signed(w, (int32_t)(c->forth[k] - before));
    }
}

static int read_cursor(struct history *h, struct varint_reader *r, uint32_t place, uint32_t next)
{
    struct node *n;
    uint32_t size = varint_get(r);
    char const *name = read_bytes(r, size);
    uint32_t before = varint_get(r), count = varint_get(r);
    if (r->bad || size < 1 || size > REDO_CURSOR_MAX || memchr(name, '\0', size) ||
        history_find(h, before, &n) || count > (size_t)(r->end - r->at) ||
        cursors_find(&h->cursors, name, size))
        return REDO_EDAMAGED;
    struct cursor *c = cursors_make(&h->cursors, name, size, before);
    if (!c || cursor_reserve(&h->cursors, c, count))
        return REDO_ENOMEM;
    if (c != &h->cursors.all[place])
        return REDO_EDAMAGED;
    for (uint32_t k = 0; k < count; k++) {
        before += (uint32_t)varint_get_signed(r);
        if (r->bad || before >= next)
            return REDO_EDAMAGED;
        c->forth[c->count++] = before;
    }
    return REDO_OK;
}

int read_cursors(struct history *h, struct varint_reader *r, uint32_t next)
{
    uint32_t count = varint_get(r);
    int rc = r->bad || !count || count > REDO_CURSORS_MAX ? REDO_EDAMAGED : REDO_OK;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = read_cursor(h, r, i, next);
    return rc;
}

/* ---- keys -------------------------------------------------------------------------------- */

enum { CREATED = 1, DIFFERS = 2, FIELDS = 4, SETBETTER = 8, ALL = 15 };

static void write_fields(struct fields const *f, struct writer *w)
{
    write_number(w, f->number);
    write_number(w, f->prev + 1); /* none is the highest number */
    write_number(w, f->better + 1);
    write_number(w, f->movecount);
    write_number(w, f->solutionsize);
    write_number(w, f->nextcount);
    write_number(w, f->author);
    write_number(w, f->time);
    write_signed(w, f->move);
    write_signed(w, f->endpoint);
    write_signed(w, f->solutionend);
}

static void read_fields(struct fields *f, struct varint_reader *r)
{
    f->number = varint_get(r);
    f->prev = varint_get(r) - 1;
    f->better = varint_get(r) - 1;
    f->movecount = varint_get(r);
    f->solutionsize = varint_get(r);
    f->nextcount = varint_get(r);
    f->author = varint_get(r);
    f->time = varint_get(r);
    f->move = varint_get_signed(r);
    f->endpoint = varint_get_signed(r);
    f->solutionend = varint_get_signed(r);
}

static void write_key(struct key const *k, struct writer *w)
{
    redo_result const *x = &k->result;
    bool fields = k->fields.number != NOBODY;
    write_number(w, k->size);
    write_bytes(w, k->bytes, k->size);
    write_number(w, k->author);
    write_wide(w, k->operation);
    write_wide(w, k->sequence);
    write_signed(w, x->value);
    write_number(w, x->position + 1);
    write_number(w, x->graftedfrom + 1);
    write_number(w, x->graftedto + 1);
    write_number(w, x->supersedes + 1);
    write_number(w, x->firstmade + 1);
    write_number(w, x->made);
    write_number(w, x->dropped);
    unsigned flags = (x->created ? CREATED : 0) | (x->differs ? DIFFERS : 0) |
                     (fields ? FIELDS : 0) | (k->fields.setbetter ? SETBETTER : 0);
    write_number(w, flags);
    if (fields)
        write_fields(&k->fields, w);
    write_number(w, k->count);
    for (uint32_t i = 0; i < k->count; i++)
        write_number(w, k->items[i]);
}

void write_keys(struct history const *h, struct writer *w)
{
    write_number(w, h->keys.count);
    for (uint32_t i = 0; i < h->keys.count; i++)
        write_key(keys_at(&h->keys, i), w);
}

static void read_result(redo_result *x, struct varint_reader *r)
{
    x->value = varint_get_signed(r);
    x->position = varint_get(r) - 1;
    x->graftedfrom = varint_get(r) - 1;
    x->graftedto = varint_get(r) - 1;
    x->supersedes = varint_get(r) - 1;
    x->firstmade = varint_get(r) - 1;
    x->made = varint_get(r);
    x->dropped = varint_get(r);
    x->changed = 1;
}

static bool is_number(uint32_t number, uint32_t next)
{
    return number < next || number == NOBODY;
}

static bool is_small(int value)
{
    return value >= -128 && value <= 127;
}

/* Whether all that is told of an operation can be: what was is looked up no more. */
static bool fits(struct history const *h, struct key const *k, uint32_t next)
{
    redo_result const *x = &k->result;
    struct fields const *f = &k->fields;
    bool fit = is_number(x->position, next) && is_number(x->graftedfrom, next) &&
               is_number(x->graftedto, next) && is_number(x->supersedes, next) &&
               is_number(x->firstmade, next) && is_number(f->number, next) &&
               is_number(f->prev, next) && is_number(f->better, next) &&
               f->author <= h->authors.count && is_small(f->endpoint) && is_small(f->solutionend);
    for (uint32_t i = 0; fit && i < k->count; i++)
        fit = k->items[i] >> 1 < next;
    return fit;
}

static int read_key(struct history *h, struct varint_reader *r, uint32_t next)
{
    uint32_t size = varint_get(r);
    void const *bytes = read_bytes(r, size);
    uint32_t author = varint_get(r);
    if (r->bad || size < 1 || size > REDO_KEY_MAX || author > h->authors.count ||
        keys_find(&h->keys, author, bytes, size))
        return REDO_EDAMAGED;
    struct key k = {.author = author,
                    .fields = {.number = NOBODY, .prev = NOBODY, .better = NOBODY}};
    k.operation = read_wide(r);
    k.sequence = read_wide(r);
    read_result(&k.result, r);
    unsigned flags = read_byte(r);
    k.result.created = !!(flags & CREATED);
    k.result.differs = !!(flags & DIFFERS);
    k.fields.setbetter = !!(flags & SETBETTER);
    if (flags & FIELDS)
        read_fields(&k.fields, r);
    bool alone = (flags & FIELDS) ? k.fields.number == NOBODY : k.fields.setbetter;
    uint32_t count = varint_get(r);
    if (r->bad || flags > ALL || alone || count > (size_t)(r->end - r->at))
        return REDO_EDAMAGED;
    struct key *key = keys_make(&h->keys, bytes, size, count);
    if (!key)
        return REDO_ENOMEM;
    k.size = size;
    memcpy(k.bytes, bytes, size);
    k.items = key->items;
    k.count = count;
    *key = k;
    for (uint32_t i = 0; i < count; i++)
        key->items[i] = varint_get(r);
    if (r->bad || !fits(h, key, next)) {
        key_free(key);
        return REDO_EDAMAGED;
    }
    uint32_t before = h->keys.count;
    keys_keep(&h->keys, key);
    return h->keys.count == before + 1 ? REDO_OK : REDO_EDAMAGED;
}

int read_keys(struct history *h, struct varint_reader *r, uint32_t next)
{
    uint32_t count = varint_get(r);
    int rc = r->bad || !count || count > REDO_KEYS_MAX ? REDO_EDAMAGED : REDO_OK;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = read_key(h, r, next);
    return rc;
}

/* ---- games ------------------------------------------------------------------------------- */

void write_games(struct history const *h, struct writer *w)
{
    write_number(w, h->games->count);
    for (uint32_t i = 0; i < h->games->count; i++)
        write_wide(w, h->games->order[i]);
}

int read_games(struct history *h, struct varint_reader *r)
{
    uint32_t count = varint_get(r);
    if (r->bad || count > (size_t)(r->end - r->at) / GAMES_ID)
        return REDO_EDAMAGED;
    unsigned char const *ids = read_bytes(r, (size_t)count * GAMES_ID);
    return games_begin(h) ? REDO_ENOMEM : games_load(h->games, ids, count);
}

/* ---- changes ----------------------------------------------------------------------------- */

enum { LENIENT = 1, SCHEMA = 2 };

/* The entries that are open, by the places of their cursors. */
static void write_entries(struct history const *h, struct writer *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->cursors.count; i++)
        count += h->cursors.all[i].entry != NULL;
    write_number(w, count);
    for (uint32_t i = 0; i < h->cursors.count; i++) {
        struct entry const *e = h->cursors.all[i].entry;
        if (!e)
            continue;
        write_number(w, i);
        write_number(w, e->has_move);
        write_signed(w, e->move);
        write_number(w, e->count);
        write_number(w, (uint32_t)e->lines.size);
        write_bytes(w, e->lines.data, e->lines.size);
        write_number(w, e->after_count);
        write_number(w, (uint32_t)e->after.size);
        write_bytes(w, e->after.data, e->after.size);
    }
}

static int read_entry(struct history *h, struct varint_reader *r, struct cursor *cursor)
{
    uint32_t has_move = varint_get(r);
    struct entry head = {.has_move = has_move, .move = varint_get_signed(r)};
    head.count = varint_get(r);
    uint32_t lines_size = varint_get(r);
    void const *lines = read_bytes(r, lines_size);
    head.after_count = varint_get(r);
    uint32_t after_size = varint_get(r);
    void const *after = read_bytes(r, after_size);
    if (r->bad || has_move > 1 || (!has_move && head.move))
        return REDO_EDAMAGED;
    return entry_load(h, cursor, &head, lines, lines_size, after, after_size);
}

static int read_entries(struct history *h, struct varint_reader *r)
{
    uint32_t count = varint_get(r), next = 0;
    int rc = REDO_OK;
    for (uint32_t i = 0; !rc && i < count; i++) {
        uint32_t place = varint_get(r);
        if (r->bad || place < next || place >= h->cursors.count)
            return REDO_EDAMAGED;
        rc = read_entry(h, r, &h->cursors.all[place]);
        next = place + 1;
    }
    return rc;
}

void write_changes(struct history const *h, struct writer *w)
{
    struct changes const *c = h->changes;
    struct value_writer table = {0};
    write_number(w, (c->lenient ? LENIENT : 0u) | (c->has_schema ? SCHEMA : 0u));
    if (c->has_schema) {
        /* It is only told, in an order that has to be worked out. */
        if (changes_put_table((struct history *)h, &c->initial, &table))
            w->failed = 1;
        write_number(w, (uint32_t)c->schema.size);
        write_bytes(w, c->schema.bytes, c->schema.size);
        write_number(w, (uint32_t)table.size);
        write_bytes(w, table.data, table.size);
        write_wide(w, (uint64_t)c->highest);
        free(table.data);
    }
    for (struct node *n = history_from(h, 1); n; n = history_from(h, n->in.id + 1)) {
        struct turn const *t = changes_turn(h, n);
        write_number(w, t->size);
        write_bytes(w, t->data, t->size);
    }
    write_entries(h, w);
}

static int read_schema(struct history *h, struct varint_reader *r, unsigned flags)
{
    void const *schema = NULL, *table = NULL;
    struct fault fault;
    uint32_t schema_size = 0, table_size = 0;
    if (flags & SCHEMA) {
        schema_size = varint_get(r);
        schema = read_bytes(r, schema_size);
        table_size = varint_get(r);
        table = read_bytes(r, table_size);
    }
    int64_t highest = flags & SCHEMA ? (int64_t)read_wide(r) : 0;
    if (r->bad || flags > (LENIENT | SCHEMA))
        return REDO_EDAMAGED;
    int rc = changes_init(h, schema, schema_size, table, table_size, flags & LENIENT, &fault);
    if (!rc)
        rc = changes_take_highest(h->changes, highest);
    return rc == REDO_OK || rc == REDO_ENOMEM || rc == REDO_EVERSION ? rc : REDO_EDAMAGED;
}

int read_changes(struct history *h, struct varint_reader *r)
{
    if (h->size != CHANGES_STATE || h->cmpsize != CHANGES_STATE)
        return REDO_EDAMAGED;
    int rc = read_schema(h, r, read_byte(r));
    for (struct node *n = history_from(h, 1); n && !rc; n = history_from(h, n->in.id + 1)) {
        uint32_t size = varint_get(r);
        void const *data = read_bytes(r, size);
        rc = r->bad ? REDO_EDAMAGED : changes_put_turn(h, n, data, size);
    }
    return rc ? rc : read_entries(h, r);
}
