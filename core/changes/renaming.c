#include "core/changes/renaming.h"

#include <stdlib.h>
#include <string.h>

#include "core/redo_error.h"

static int set(struct renaming *n, uint32_t from, uint32_t to)
{
    if (from >= n->cap) {
        uint32_t cap = from + from / 2 + 64;
        uint32_t *grown = realloc(n->there, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        memset(grown + n->cap, 0, (cap - n->cap) * sizeof *grown);
        n->there = grown;
        n->cap = cap;
    }
    if (n->count == n->logcap) {
        uint32_t cap = n->logcap ? n->logcap * 2 : 16;
        struct renamed *grown = realloc(n->log, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        n->log = grown;
        n->logcap = cap;
    }
    n->log[n->count++] = (struct renamed){from, n->there[from]};
    n->there[from] = to;
    return REDO_OK;
}

void renaming_back(struct renaming *n, uint32_t count)
{
    while (n->count > count) {
        struct renamed last = n->log[--n->count];
        n->there[last.from] = last.before;
    }
}

void renaming_close(struct renaming *n)
{
    free(n->there);
    free(n->log);
    *n = (struct renaming){0};
}

/* Notes that the object is another there, for whoever asks. */
static int note_renamed(struct changes *c, uint32_t from, uint32_t to)
{
    if (c->renamed_count == c->renamed_cap) {
        uint32_t cap = c->renamed_cap ? c->renamed_cap * 2 : 16;
        uint32_t *grown = realloc(c->renamed, 2 * (size_t)cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        c->renamed = grown;
        c->renamed_cap = cap;
    }
    c->renamed[2 * c->renamed_count] = from;
    c->renamed[2 * c->renamed_count++ + 1] = to;
    return REDO_OK;
}

int renaming_add(struct changes *c, struct renaming *n, uint32_t from, uint32_t to)
{
    int rc = from == to ? REDO_OK : note_renamed(c, from, to);
    return rc ? rc : set(n, from, to);
}
