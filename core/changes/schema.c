#include "core/changes/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/changes/baba.h"
#include "core/changes/route_schema.h"
#include "core/redo_error.h"

#define SCHEMA_VERSION 1
#define NAME_MAX_SIZE 255

/* A schema being read. */
struct reading {
    struct schema *s;
    struct values *v;
    struct fault *fault;
};

static int wrong(struct reading *g, char const *what, char const *name, size_t size)
{
    *g->fault = (struct fault){.line = -1, .place = -1};
    snprintf(g->fault->what, sizeof g->fault->what, "%s", what);
    if (size < sizeof g->fault->field && value_is_text(name, size))
        memcpy(g->fault->field, name, size);
    return REDO_ESCHEMA;
}

static bool is(struct value const *v, char const *word)
{
    return v->type == VALUE_STRING && v->string.size == strlen(word) &&
           memcmp(v->string.data, word, v->string.size) == 0;
}

/* Reads the name that is the key of a pair. */
static bool read_name(struct value_reader *r, struct value *name)
{
    *name = value_next(r);
    return name->type == VALUE_STRING && name->string.size >= 1 &&
           name->string.size <= NAME_MAX_SIZE && !memchr(name->string.data, 0, name->string.size) &&
           value_is_text(name->string.data, name->string.size);
}

static char *copy(struct value const *name)
{
    char *text = malloc(name->string.size + 1);
    if (text) {
        memcpy(text, name->string.data, name->string.size);
        text[name->string.size] = '\0';
    }
    return text;
}

/* One more of an array; NULL without memory. */
static void *grow(void *array, uint32_t *count, size_t size)
{
    char *grown = realloc(array, (*count + 1) * size);
    if (grown)
        memset(grown + (*count)++ * size, 0, size);
    return grown;
}

/* The bytes of the next value; enters it. */
static int read_value(struct reading *g, struct value_reader *r, uint32_t *number)
{
    unsigned char const *start = r->at;
    if (!value_skip(r))
        return wrong(g, "a value is missing", "", 0);
    return values_enter(g->v, start, (size_t)(r->at - start), number);
}

/* ---- fields ------------------------------------------------------------------------------ */

static int read_attribute(struct reading *g, struct value_reader *r, struct field *f)
{
    struct value key, flag;
    if (!read_name(r, &key))
        return wrong(g, "a field's attribute has no name", f->name, f->name_size);
    if (is(&key, "default"))
        return read_value(g, r, &f->initial);
    flag = value_next(r);
    if (flag.type != VALUE_BOOL)
        return wrong(g, "a field's board and id are true or false", f->name, f->name_size);
    if (is(&key, "board"))
        f->board = f->told = flag.boolean;
    else if (is(&key, "id"))
        f->is_id = flag.boolean;
    else
        return wrong(g, "a field has board, id and default, nothing else", f->name, f->name_size);
    return REDO_OK;
}

static int read_field(struct reading *g, struct value_reader *r, enum space space)
{
    struct schema *s = g->s;
    struct value name;
    if (!read_name(r, &name))
        return wrong(g, "a field has a name of 1 to 255 bytes", "", 0);
    if (schema_field(s, space, name.string.data, name.string.size) >= 0)
        return wrong(g, "a field is there twice", name.string.data, name.string.size);
    if (s->field_count[space] == SCHEMA_FIELDS_MAX)
        return wrong(g, "there are more than 64 fields", name.string.data, name.string.size);
    struct field *grown = grow(s->fields[space], &s->field_count[space], sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    s->fields[space] = grown;
    struct field *f = &grown[s->field_count[space] - 1];
    f->board = true;
    f->initial = 1; /* nil */
    f->name_size = (uint32_t)name.string.size;
    if (!(f->name = copy(&name)))
        return REDO_ENOMEM;
    struct value attributes = value_next(r);
    int rc = attributes.type == VALUE_MAP
                 ? REDO_OK
                 : wrong(g, "a field's attributes are a map", f->name, f->name_size);
    for (uint32_t i = 0; !rc && i < attributes.count; i++)
        rc = read_attribute(g, r, f);
    if (!rc && f->is_id && f->told)
        return wrong(g, "a field of ids can not count by its value", f->name, f->name_size);
    f->board &= !f->is_id;
    s->ids |= f->is_id;
    return rc;
}

static int read_fields(struct reading *g, struct value_reader *r, enum space space)
{
    struct value all = value_next(r);
    int rc = all.type == VALUE_MAP ? REDO_OK : wrong(g, "fields are a map", "", 0);
    for (uint32_t i = 0; !rc && i < all.count; i++)
        rc = read_field(g, r, space);
    return rc;
}

/* ---- kinds ------------------------------------------------------------------------------- */

static int wrong_kind(struct reading *g, struct kind const *k, char const *what)
{
    return wrong(g, what, k->name, k->name_size);
}

static bool is_place(struct value const *v)
{
    return v->type == VALUE_INT && v->integer >= 1 && v->integer <= SCHEMA_PLACES_MAX;
}

static int read_places(struct reading *g, struct value_reader *r, struct kind const *k,
                       uint32_t count, struct source *source)
{
    struct schema *s = g->s;
    *source = (struct source){.type = SOURCE_PLACES, .first = s->place_count, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        struct value place = value_next(r);
        if (!is_place(&place))
            return wrong_kind(g, k, "a place in a line is an integer, 1 to 256");
        uint32_t *grown = grow(s->places, &s->place_count, sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        s->places = grown;
        grown[s->place_count - 1] = (uint32_t)place.integer;
    }
    return REDO_OK;
}

/* A place, several, a value, or one that is told by its contrary. */
static int read_source(struct reading *g, struct value_reader *r, struct kind const *k,
                       struct source *source)
{
    struct value v = value_next(r), key, place;
    if (is_place(&v)) {
        *source = (struct source){.type = SOURCE_PLACE, .first = (uint32_t)v.integer};
        return REDO_OK;
    }
    if (v.type == VALUE_ARRAY && v.count >= 1 && v.count <= SCHEMA_PLACES_MAX)
        return read_places(g, r, k, v.count, source);
    if (v.type != VALUE_MAP || v.count != 1 || !read_name(r, &key))
        return wrong_kind(g, k, "a field is told by a place, places, {value: ...} or {not: place}");
    if (is(&key, "value")) {
        source->type = SOURCE_VALUE;
        return read_value(g, r, &source->first);
    }
    place = value_next(r);
    if (!is(&key, "not") || !is_place(&place))
        return wrong_kind(g, k, "a field is told by a place, places, {value: ...} or {not: place}");
    *source = (struct source){.type = SOURCE_NOT, .first = (uint32_t)place.integer};
    return REDO_OK;
}

static struct part *find_part(struct kind *k, uint32_t field)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->parts[i].field == field)
            return &k->parts[i];
    struct part *grown = grow(k->parts, &k->count, sizeof *grown);
    if (!grown)
        return NULL;
    k->parts = grown;
    grown[k->count - 1].field = field;
    return &grown[k->count - 1];
}

/* What is wrong with a field that a kind tells: the kind, and in words which field. */
static int wrong_part(struct reading *g, struct kind const *k, char const *what,
                      struct value const *name)
{
    int rc = wrong_kind(g, k, what);
    size_t size = strlen(g->fault->what);
    if (name->string.size <= 32) /* it is text: read_name() */
        snprintf(g->fault->what + size, sizeof g->fault->what - size, ": %.*s",
                 (int)name->string.size, name->string.data);
    return rc;
}

/* old or new: fields and where they are told. */
static int read_parts(struct reading *g, struct value_reader *r, struct kind *k, bool new)
{
    struct value all = value_next(r), name;
    if (all.type != VALUE_MAP)
        return wrong_kind(g, k, "a kind's old and new are maps");
    for (uint32_t i = 0; i < all.count; i++) {
        if (!read_name(r, &name))
            return wrong_kind(g, k, "a field's name is missing");
        int field = schema_field(g->s, k->space, name.string.data, name.string.size);
        if (field < 0)
            return wrong_part(g, k, "a kind tells a field that is not among the fields", &name);
        struct part *part = find_part(k, (uint32_t)field);
        if (!part)
            return REDO_ENOMEM;
        struct source *source = new ? &part->new : &part->old;
        if (source->type != SOURCE_NONE)
            return wrong_part(g, k, "a kind tells a field twice", &name);
        int rc = read_source(g, r, k, source);
        if (rc == REDO_ESCHEMA) {
            char what[sizeof g->fault->what];
            memcpy(what, g->fault->what, sizeof what);
            return wrong_part(g, k, what, &name);
        }
        if (rc)
            return rc;
    }
    return REDO_OK;
}

static int read_type(struct reading *g, struct value_reader *r, struct kind *k)
{
    static struct {
        char const *word;
        enum line_type type;
        enum space space;
    } const types[] = {
        {"change", LINE_CHANGE, SPACE_OBJECTS}, {"create", LINE_CREATE, SPACE_OBJECTS},
        {"remove", LINE_REMOVE, SPACE_OBJECTS}, {"level", LINE_CHANGE, SPACE_LEVEL},
        {"cursor", LINE_CHANGE, SPACE_CURSORS}, {"opaque", LINE_OPAQUE, SPACE_LEVEL}};
    struct value word = value_next(r);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!is(&word, types[i].word))
            continue;
        k->type = types[i].type;
        k->space = types[i].space;
        return REDO_OK;
    }
    return wrong_kind(g, k, "a kind's type is change, create, remove, level, cursor or opaque");
}

/* The type is read first, wherever it stands: the rest depends on it. */
static int find_type(struct reading *g, struct value_reader r, uint32_t pairs, struct kind *k)
{
    struct value key;
    for (uint32_t i = 0; i < pairs; i++) {
        if (!read_name(&r, &key))
            break;
        if (is(&key, "type"))
            return read_type(g, &r, k);
        if (!value_skip(&r))
            break;
    }
    return wrong_kind(g, k, "a kind has no type");
}

/* A place, or {among: place}. */
static int read_id(struct reading *g, struct value_reader *r, struct kind *k)
{
    struct value place = value_next(r), among;
    if (place.type == VALUE_MAP && place.count == 1 && read_name(r, &among) && !k->among) {
        if (!(k->among = copy(&among)))
            return REDO_ENOMEM;
        k->among_size = (uint32_t)among.string.size;
        place = value_next(r);
    }
    if (!is_place(&place))
        return wrong_kind(g, k, "a kind's id is a place in the line, 1 to 256, or {name: place}");
    k->id = (uint32_t)place.integer;
    return REDO_OK;
}

static int read_pair(struct reading *g, struct value_reader *r, struct kind *k)
{
    struct value key;
    if (!read_name(r, &key))
        return wrong_kind(g, k, "a kind is a map");
    if (is(&key, "type"))
        return value_skip(r) ? REDO_OK : wrong_kind(g, k, "a kind has no type");
    if (is(&key, "id"))
        return read_id(g, r, k);
    if (is(&key, "fields") && (k->type == LINE_CHANGE || k->type == LINE_CREATE)) {
        struct value place = value_next(r);
        if (!is_place(&place))
            return wrong_kind(g, k, "a kind's fields are at a place in the line, 1 to 256");
        k->fields = (uint32_t)place.integer;
        return REDO_OK;
    }
    if ((is(&key, "old") || is(&key, "new")) && k->type != LINE_OPAQUE)
        return read_parts(g, r, k, is(&key, "new"));
    return wrong_kind(g, k, "a kind has type, id, old, new and fields, nothing else");
}

static int read_kind(struct reading *g, struct value_reader *r)
{
    struct schema *s = g->s;
    struct value name;
    if (!read_name(r, &name))
        return wrong(g, "a kind has a name of 1 to 255 bytes", "", 0);
    if (schema_kind(s, name.string.data, name.string.size))
        return wrong(g, "a kind is there twice", name.string.data, name.string.size);
    if (s->kind_count == SCHEMA_KINDS_MAX)
        return wrong(g, "there are more than 256 kinds", name.string.data, name.string.size);
    struct kind *grown = grow(s->kinds, &s->kind_count, sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    s->kinds = grown;
    struct kind *k = &grown[s->kind_count - 1];
    k->name_size = (uint32_t)name.string.size;
    if (!(k->name = copy(&name)))
        return REDO_ENOMEM;
    struct value pairs = value_next(r);
    if (pairs.type != VALUE_MAP)
        return wrong_kind(g, k, "a kind is a map");
    int rc = find_type(g, *r, pairs.count, k);
    for (uint32_t i = 0; !rc && i < pairs.count; i++)
        rc = read_pair(g, r, k);
    if (rc)
        return rc;
    bool identified = k->type != LINE_OPAQUE && k->space != SPACE_LEVEL;
    if (identified != (k->id > 0))
        return wrong_kind(g, k, identified ? "a kind has no id" : "this kind of line has no id");
    return REDO_OK;
}

static int read_kinds(struct reading *g, struct value_reader *r)
{
    struct value all = value_next(r);
    int rc = all.type == VALUE_MAP ? REDO_OK : wrong(g, "kinds are a map", "", 0);
    for (uint32_t i = 0; !rc && i < all.count; i++)
        rc = read_kind(g, r);
    return rc;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int read_version(struct reading *g, struct value_reader *r)
{
    struct value version = value_next(r);
    if (version.type != VALUE_INT || version.integer < 1)
        return wrong(g, "the version is 1", "version", 7);
    return version.integer == SCHEMA_VERSION ? REDO_OK : REDO_EVERSION;
}

/* The pairs of one key, whose value is read by its kind; in two passes, since kinds need fields. */
static int read_section(struct reading *g, struct value_reader *r, bool kinds, bool *version)
{
    static char const *const spaces[SPACES] = {"objects", "level", "cursors"};
    struct value key;
    if (!read_name(r, &key))
        return wrong(g, "a schema is a map with names as keys", "", 0);
    if (kinds && is(&key, "kinds"))
        return read_kinds(g, r);
    for (int i = 0; !kinds && i < SPACES; i++)
        if (is(&key, spaces[i]))
            return read_fields(g, r, (enum space)i);
    if (!kinds && is(&key, "version")) {
        *version = true;
        return read_version(g, r);
    }
    bool known = is(&key, "kinds") || is(&key, "version") || is(&key, "name");
    for (int i = 0; i < SPACES; i++)
        known |= is(&key, spaces[i]);
    if (!known)
        return wrong(g,
                     "a schema has version, name, objects, level, cursors and kinds, nothing else",
                     key.string.data, key.string.size);
    return value_skip(r) ? REDO_OK : wrong(g, "a value is missing", "", 0);
}

static int list_board(struct schema *s)
{
    for (int space = 0; space < SPACES; space++) {
        uint32_t *board = malloc((s->field_count[space] + 1) * sizeof *board);
        if (!board)
            return REDO_ENOMEM;
        s->board[space] = board;
        for (uint32_t i = 0; i < s->field_count[space]; i++)
            if (s->fields[space][i].board)
                board[s->board_count[space]++] = i;
    }
    return REDO_OK;
}

static int read_map(struct reading *g, struct value_reader r)
{
    struct schema *s = g->s;
    struct value map = value_next(&r);
    bool version = false;
    if (map.type != VALUE_MAP)
        return wrong(g, "a schema is a map, or the name of one that is built in", "", 0);
    for (int kinds = 0; kinds <= 1; kinds++) {
        struct value_reader again = r;
        for (uint32_t i = 0; i < map.count; i++) {
            int rc = read_section(g, &again, kinds, &version);
            if (rc)
                return rc;
        }
    }
    return version ? list_board(s) : wrong(g, "a schema has a version, 1", "version", 7);
}

int schema_read(struct schema *s, struct values *v, void const *data, size_t size,
                struct fault *fault)
{
    struct reading g = {s, v, fault};
    struct value_reader r = {data, (unsigned char const *)data + size};
    *s = (struct schema){0};
    if (!value_whole(data, size))
        return wrong(&g, "the schema is no value of msgpack, or too deep", "", 0);
    if (!(s->bytes = malloc(size)))
        return REDO_ENOMEM;
    memcpy(s->bytes, data, size);
    s->size = size;
    struct value name = value_next(&(struct value_reader){r.at, r.end});
    if (name.type != VALUE_STRING)
        return read_map(&g, r);
    struct value_writer built_in = {0};
    s->routes = route_schema(name.string.data, name.string.size, &built_in);
    if (!s->routes && !baba_schema(name.string.data, name.string.size, &built_in))
        return wrong(&g, "no schema of that name is built in", name.string.data, name.string.size);
    r = (struct value_reader){built_in.data, built_in.data + built_in.size};
    int rc = built_in.failed ? REDO_ENOMEM : read_map(&g, r);
    free(built_in.data);
    return rc;
}

void schema_close(struct schema *s)
{
    for (int space = 0; space < SPACES; space++) {
        for (uint32_t i = 0; i < s->field_count[space]; i++)
            free(s->fields[space][i].name);
        free(s->fields[space]);
        free(s->board[space]);
    }
    for (uint32_t i = 0; i < s->kind_count; i++) {
        free(s->kinds[i].name);
        free(s->kinds[i].among);
        free(s->kinds[i].parts);
    }
    free(s->kinds);
    free(s->places);
    free(s->bytes);
    *s = (struct schema){0};
}

struct kind const *schema_kind(struct schema const *s, char const *name, size_t size)
{
    for (uint32_t i = 0; i < s->kind_count; i++)
        if (s->kinds[i].name_size == size && memcmp(s->kinds[i].name, name, size) == 0)
            return &s->kinds[i];
    return NULL;
}

int schema_field(struct schema const *s, enum space space, char const *name, size_t size)
{
    for (uint32_t i = 0; i < s->field_count[space]; i++)
        if (s->fields[space][i].name_size == size &&
            memcmp(s->fields[space][i].name, name, size) == 0)
            return (int)i;
    return -1;
}
