/* Told in a notation of its own, a line a kind, and put into the form of a schema from that: it
 * stays as easy to hold against the document as a table. A field is told by the number of its place
 * in the line (the document's less one), by several (0,1,2), by =value, or by !place (its
 * contrary).
 *
 * Where the document and the game differ (the order of update, who is meant by holder), the
 * recorded traces decide: tests/cases/baba. */
#include "core/changes/baba.h"

#include <stdlib.h>
#include <string.h>

/* Fields: a default is a number, a "string", true, false or [numbers]; #: of ids. */
static char const objects[] = "name=\"\" x=0 y=0 dir=0 float=0 broken=0 holder=#0 followed=#0 "
                              "back_init=0 dead=0 colour=[0,3,1] levelfile=\"\" levelname=\"\" "
                              "vislevel=0 completed=0 visstyle=0 maplevel=false colourstr=\"\" "
                              "clearcolour=\"\" originalname=\"\"";
static char const level[] = "xoffset=0 yoffset=0 dir=0 rotation=0 bonus=0 vision=0 visiontarget=#0";
static char const cursors[] = "onlevel=\"\" x=0 y=0 dir=0";

static struct {
    char const *name, *type, *id, *old, *new;
} const kinds[] = {
    {"update", "change", "8", "x=5 y=6 dir=7", "x=2 y=3 dir=4"},
    {"create", "create", "2", "", "name=1 x=5 y=6 dir=7 originalname=1"},
    {"remove", "remove", "5",
     "name=1 x=2 y=3 dir=4 levelfile=7 levelname=8 vislevel=9 completed=10 visstyle=11 "
     "maplevel=12 colourstr=13 clearcolour=14 followed=15 back_init=16 originalname=17",
     ""},
    {"backset", "change", "2", "back_init=3", ""},
    {"done", "change", "5", "dead==0 float=7", "dead==1"},
    {"float", "change", "2", "float=3", "float=4"},
    {"levelupdate", "level", "", "xoffset=1 yoffset=2 dir=5", "xoffset=3 yoffset=4 dir=6"},
    {"maprotation", "level", "", "rotation=1", "rotation=2 dir=3"},
    {"mapdir", "level", "", "dir=1", "dir=2"},
    {"mapcursor", "cursor", "9", "onlevel=1 x=2 y=3 dir=4", "onlevel=5 x=6 y=7 dir=8"},
    {"colour", "change", "1", "colour=2,3,4", ""},
    {"broken", "change", "2", "broken=!1", "broken=1"},
    {"bonus", "level", "", "bonus=!1", "bonus=1"},
    {"followed", "change", "1", "followed=2", ""},
    {"startvision", "level", "", "vision==0", "vision==1 visiontarget=1"},
    {"stopvision", "level", "", "vision==1 visiontarget=1", "vision==0 visiontarget==0"},
    {"visiontarget", "level", "", "visiontarget=1", "visiontarget=2"},
    {"holder", "change", "1", "holder=2", "holder=3"},
};

#define KINDS (sizeof kinds / sizeof *kinds)

static void put_text(struct value_writer *w, char const *text)
{
    value_put_string(w, text, strlen(text));
}

/* The next word, up to a space; its size, 0 at the end. */
static size_t next_word(char const **text)
{
    *text += strspn(*text, " ");
    return strcspn(*text, " ");
}

static uint32_t count_words(char const *text)
{
    uint32_t count = 0;
    for (size_t size; (size = next_word(&text)); text += size)
        count++;
    return count;
}

/* Numbers with commas between them, up to `end`. */
static void put_numbers(struct value_writer *w, char const *at, char const *end)
{
    uint32_t count = 1;
    for (char const *p = at; p < end; p++)
        count += *p == ',';
    value_put_array(w, count);
    for (char *next; count--; at = next + 1)
        value_put_int(w, strtol(at, &next, 10));
}

static void put_default(struct value_writer *w, char const *at, char const *end)
{
    if (*at == '[')
        put_numbers(w, at + 1, end - 1);
    else if (*at == '"')
        value_put_string(w, at + 1, (size_t)(end - at) - 2);
    else if (*at == 't' || *at == 'f')
        value_put_bool(w, *at == 't');
    else
        value_put_int(w, strtol(at, NULL, 10));
}

static void put_fields(struct value_writer *w, char const *space, char const *text)
{
    put_text(w, space);
    value_put_map(w, count_words(text));
    for (size_t size; (size = next_word(&text)); text += size) {
        char const *is = memchr(text, '=', size);
        value_put_string(w, text, (size_t)(is - text));
        bool ids = is[1] == '#';
        value_put_map(w, 1 + ids);
        put_text(w, "default");
        put_default(w, is + 1 + ids, text + size);
        if (ids) {
            put_text(w, "id");
            value_put_bool(w, true);
        }
    }
}

static void put_source(struct value_writer *w, char const *at, char const *end)
{
    if (*at == '=') {
        value_put_map(w, 1);
        put_text(w, "value");
        value_put_int(w, strtol(at + 1, NULL, 10));
    } else if (*at == '!') {
        value_put_map(w, 1);
        put_text(w, "not");
        value_put_int(w, strtol(at + 1, NULL, 10));
    } else if (memchr(at, ',', (size_t)(end - at))) {
        put_numbers(w, at, end);
    } else {
        value_put_int(w, strtol(at, NULL, 10));
    }
}

static void put_parts(struct value_writer *w, char const *which, char const *text)
{
    put_text(w, which);
    value_put_map(w, count_words(text));
    for (size_t size; (size = next_word(&text)); text += size) {
        char const *is = memchr(text, '=', size);
        value_put_string(w, text, (size_t)(is - text));
        put_source(w, is + 1, text + size);
    }
}

static void put_kind(struct value_writer *w, size_t i, bool old_first)
{
    bool swap = old_first && strcmp(kinds[i].name, "update") == 0;
    put_text(w, kinds[i].name);
    value_put_map(w, *kinds[i].id ? 4 : 3);
    put_text(w, "type");
    put_text(w, kinds[i].type);
    if (*kinds[i].id) {
        put_text(w, "id");
        value_put_int(w, strtol(kinds[i].id, NULL, 10));
    }
    put_parts(w, "old", swap ? kinds[i].new : kinds[i].old);
    put_parts(w, "new", swap ? kinds[i].old : kinds[i].new);
}

bool baba_schema(char const *name, size_t size, struct value_writer *w)
{
    bool old_first = size == 14 && memcmp(name, "baba-old-first", size) == 0;
    if (!old_first && (size != 4 || memcmp(name, "baba", size) != 0))
        return false;
    value_put_map(w, 5);
    put_text(w, "version");
    value_put_int(w, 1);
    put_fields(w, "objects", objects);
    put_fields(w, "level", level);
    put_fields(w, "cursors", cursors);
    put_text(w, "kinds");
    value_put_map(w, KINDS);
    for (size_t i = 0; i < KINDS; i++)
        put_kind(w, i, old_first);
    return true;
}
