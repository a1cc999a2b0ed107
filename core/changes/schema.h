/* Schemas: what the lines of a game mean. A schema says which fields objects, the level and map
 * cursors have, and of each kind of line what it does to them (core/changes/README.md has the
 * form). Line places count from 0, where the kind stands. */
#ifndef CORE_CHANGES_SCHEMA_H
#define CORE_CHANGES_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/changes/values.h"

/* What has fields: a table has many objects and cursors, by id, and one level. */
enum space { SPACE_OBJECTS, SPACE_LEVEL, SPACE_CURSORS, SPACES };

struct field {
    char *name; /* ends with a 0 byte */
    uint32_t name_size;
    uint32_t initial; /* number of a value */
    bool board;       /* counts when two boards are compared */
    bool told;        /* ... as the schema says itself */
    bool is_id;       /* its values are ids of objects: what counts is which object is meant */
};

enum line_type { LINE_CHANGE, LINE_CREATE, LINE_REMOVE, LINE_OPAQUE };

/* Where a line tells a value. */
struct source {
    enum { SOURCE_NONE, SOURCE_PLACE, SOURCE_NOT, SOURCE_VALUE, SOURCE_PLACES } type;
    uint32_t first; /* place; number of a value; of SOURCE_PLACES where in schema.places ... */
    uint32_t count; /* ... and how many: they make an array */
};

/* A field that a line is about. */
struct part {
    uint32_t field;
    struct source old, new;
};

struct kind {
    char *name;
    uint32_t name_size;
    enum line_type type;
    enum space space;
    uint32_t id; /* place of the id; not of the level */
    char *among; /* ids are of those of this name: the id is [among, what stands there]; or NULL */
    uint32_t among_size;
    uint32_t fields; /* place of a map of new values by field, or 0 */
    struct part *parts;
    uint32_t count;
};

struct schema {
    struct field *fields[SPACES];
    uint32_t field_count[SPACES];
    uint32_t *board[SPACES]; /* those fields that count, in order ... */
    uint32_t board_count[SPACES];
    struct kind *kinds;
    uint32_t kind_count;
    uint32_t *places;
    uint32_t place_count;
    bool ids;             /* one of the fields is of ids */
    bool routes;          /* its tables are track networks: see network.h */
    unsigned char *bytes; /* as it was given, or the name of a built-in one: one value */
    size_t size;
};

#define SCHEMA_FIELDS_MAX 64 /* of a space */
#define SCHEMA_KINDS_MAX 256
#define SCHEMA_PLACES_MAX 256 /* the highest place in a line that can be told */

/* What is wrong with a schema, a table or a line, for whoever gave it. */
struct fault {
    char what[192];               /* in words */
    int64_t line;                 /* which of the turn's, or -1 */
    int64_t place;                /* in the line, or -1 */
    char field[256];              /* or empty */
    void const *expected, *given; /* values; NULL: none. Valid until the next call */
    size_t expected_size, given_size;
};

/* None: what was told before is not to be looked at. */
static inline void fault_clear(struct fault *f)
{
    f->what[0] = f->field[0] = '\0';
    f->line = f->place = -1;
    f->expected = f->given = NULL;
    f->expected_size = f->given_size = 0;
}

/* A schema from its form, or the built-in one of that name ("baba", "baba-old-first",
 * "route-network"). Values are entered into v. REDO_OK; REDO_ESCHEMA and *fault; REDO_ENOMEM. To be
 * closed in any case. */
int schema_read(struct schema *s, struct values *v, void const *data, size_t size,
                struct fault *fault);
void schema_close(struct schema *s);

struct kind const *schema_kind(struct schema const *s, char const *name, size_t size);

/* The place of a field in its space, or -1. */
int schema_field(struct schema const *s, enum space space, char const *name, size_t size);

#endif
