/* Cursors that a program watches. They move by operations of their own, at the end of turns, and
 * where positions are dropped; so after each operation those that are watched are looked up. */
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/error.h"

struct watch {
    char *name;
    uint32_t position; /* where it was last, or REDO_NOPOSITION */
    redo_client_cursorwatcher *watcher;
    void *data;
    struct watch *next;
};

static uint32_t where(struct mirror const *m, char const *name)
{
    struct cursor const *c = cursors_find(&m->session.history->cursors, name, strlen(name));
    return c ? c->position : REDO_NOPOSITION;
}

void watches_tell(struct mirror *m, bool all, bool own)
{
    m->client->inside++;
    for (struct watch *w = m->watches; w; w = w->next) {
        uint32_t now = where(m, w->name);
        if (now == w->position && !all)
            continue;
        w->position = now;
        redo_position *p = now == REDO_NOPOSITION ? NULL : &node_at(m->session.history, now)->p;
        if (w->watcher)
            w->watcher(&m->session, w->name, p, own, w->data);
    }
    m->client->inside--;
}

void watches_free(struct mirror *m)
{
    while (m->watches) {
        struct watch *w = m->watches;
        m->watches = w->next;
        free(w->name);
        free(w);
    }
}

static struct watch *make(struct mirror *m, char const *name)
{
    struct watch *w = calloc(1, sizeof *w);
    char *copy = strdup(name);
    if (!w || !copy) {
        free(w);
        free(copy);
        return NULL;
    }
    *w = (struct watch){.name = copy, .next = m->watches};
    m->watches = w;
    return w;
}

/* One that is no more stays in its place, since it may be ended by the function it calls. */
int redo_client_watchcursor(redo_session *session, char const *name,
                            redo_client_cursorwatcher *watcher, void *data)
{
    struct mirror *m = (struct mirror *)session;
    if (!m)
        return error_set(REDO_ENOSESSION);
    if (!name || !*name || strlen(name) > REDO_CURSOR_MAX)
        return error_set(REDO_ENAME);
    struct watch *w = m->watches;
    while (w && strcmp(w->name, name))
        w = w->next;
    if (!w && watcher && !(w = make(m, name)))
        return error_set(REDO_ENOMEM);
    if (w) {
        w->watcher = watcher;
        w->data = data;
        w->position = where(m, name);
    }
    return error_set(REDO_OK);
}
