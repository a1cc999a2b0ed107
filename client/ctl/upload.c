#include "client/ctl/upload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/games/value.h"
#include "redo_error.h"

#define PART (8 * 1024 * 1024) /* of a dump that is larger than a message may be */
#define OVERHEAD 512           /* of a message besides dump and name */
#define GAMES_ONCE 64          /* added to a match by one request */
#define NAME_SIZE 600
#define TOGETHER (1024 * 1024) /* bytes of requests */

static int no_memory(void)
{
    cli_complain("out of memory");
    return EXIT_BAD;
}

int upload_begin(struct upload *u, struct ctl *ctl, char const *name)
{
    msgpack_object result;
    int64_t limit;
    *u = (struct upload){.ctl = ctl, .name = name};
    int status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    ctl_request(ctl, "server.info", 0);
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(map_get(&result, "limits"), "bytes"), OVERHEAD, INT64_MAX, &limit))
        return ctl_fail_shape(ctl);
    u->limit = (size_t)limit;
    return CLI_GO;
}

/* --- requests --- */

static bool remember(struct upload *u, int64_t handle)
{
    if (u->made_count == u->made_cap) {
        size_t cap = u->made_cap ? 2 * u->made_cap : 64;
        int64_t *made = realloc(u->made, cap * sizeof *made);
        if (!made)
            return false;
        u->made = made;
        u->made_cap = cap;
    }
    u->made[u->made_count++] = handle;
    return true;
}

/* The oldest answer that is due. */
static int receive(struct upload *u)
{
    msgpack_object result;
    int64_t handle;
    size_t at = u->due_first;
    u->due_first = (at + 1) % UPLOAD_WINDOW;
    u->due_count--;
    u->ctl->method = u->due[at].method;
    int code = connection_receive(&u->ctl->c, u->due[at].id, &result);
    if (code != REDO_OK) {
        bool first = !u->failed;
        u->failed = true;
        return first ? ctl_fail(u->ctl, code, u->ctl->c.fd < 0 ? NULL : &result) : EXIT_BAD;
    }
    if (u->due[at].what == UPLOAD_ADD)
        u->added = u->due[at].added;
    if (u->due[at].what == UPLOAD_ADD || u->due[at].what == UPLOAD_OTHER)
        return CLI_GO;
    if (!integer_read(map_get(&result, "session"), 0, INT64_MAX, &handle))
        return ctl_fail_shape(u->ctl);
    if (u->due[at].what == UPLOAD_MATCH)
        u->match = handle;
    else if (!remember(u, handle))
        return no_memory();
    return CLI_GO;
}

static int flush(struct upload *u)
{
    int code = connection_flush(&u->ctl->c);
    return code == REDO_OK ? CLI_GO : ctl_fail(u->ctl, code, NULL);
}

/* The request was packed. Several go together, and so to disk: each sync takes its time. */
static int sent(struct upload *u, int what)
{
    size_t at = (u->due_first + u->due_count++) % UPLOAD_WINDOW;
    u->due[at].id = u->ctl->id;
    u->due[at].what = what;
    u->due[at].added = u->added_sent;
    u->due[at].method = u->ctl->method;
    if (u->ctl->c.out.failed)
        return no_memory();
    if (u->ctl->c.out.size < TOGETHER && u->due_count < UPLOAD_WINDOW)
        return CLI_GO;
    int status = flush(u);
    return status == CLI_GO && u->due_count == UPLOAD_WINDOW ? receive(u) : status;
}

static int receive_all(struct upload *u)
{
    int status = u->due_count > 0 && u->ctl->c.fd >= 0 ? flush(u) : CLI_GO;
    while (u->due_count > 0 && u->ctl->c.fd >= 0) {
        int one = receive(u);
        status = status == CLI_GO ? one : status;
    }
    return status;
}

/* --- sessions --- */

static int send_parts(struct upload *u, char const *dump, size_t size)
{
    int status = CLI_GO;
    size_t part = u->limit - OVERHEAD < PART ? u->limit - OVERHEAD : PART;
    for (size_t at = 0; at < size && status == CLI_GO; at += part) {
        struct buffer *b = ctl_request(u->ctl, "loadpart", 2);
        pack_uint(b, at);
        pack_bin(b, dump + at, size - at < part ? size - at : part);
        status = sent(u, UPLOAD_OTHER);
    }
    return status;
}

/* number 0: it is the only one. */
static void name_of(struct upload const *u, uint64_t number, char name[NAME_SIZE])
{
    if (number > 0)
        snprintf(name, NAME_SIZE, "%.500s/%" PRIu64, u->name, number);
    else
        snprintf(name, NAME_SIZE, "%.550s", u->name);
}

static int send_session(struct upload *u, void const *dump, size_t size, uint64_t number)
{
    char name[NAME_SIZE];
    int status = CLI_GO;
    name_of(u, number, name);
    bool parts = size > u->limit - OVERHEAD - sizeof name;
    if (parts)
        status = send_parts(u, dump, size);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(u->ctl, "loadsession", 2);
    if (parts)
        pack_nil(b);
    else
        pack_bin(b, dump, size);
    pack_map(b, 1);
    pack_key(b, "name");
    pack_cstr(b, name);
    return sent(u, UPLOAD_LOAD);
}

static char const *const told[] = {"format", "white", "black",     "white rating", "black rating",
                                   "length", "rules", "variant",   "date",         "event",
                                   "round",  "place", "annotator", "comment"};

static void keep_properties(struct upload *u, redo_session *session)
{
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        size_t size;
        void const *value = redo_getproperty(session, told[i], &size);
        if (!value)
            continue;
        pack_cstr(&u->properties, told[i]);
        buffer_append(&u->properties, value, size);
        u->property_count++;
    }
}

/* There are several: a match. */
static int begin_match(struct upload *u)
{
    struct buffer *b = ctl_request(u->ctl, "beginmatch", 1);
    pack_cstr(b, u->name);
    int status = sent(u, UPLOAD_MATCH);
    struct buffer *p = &u->properties;
    for (size_t at = 0; u->property_count > 0 && status == CLI_GO; u->property_count--) {
        b = ctl_request(u->ctl, "setproperty", 3);
        pack_cstr(b, u->name);
        for (int part = 0; part < 2; part++) { /* the name, the value */
            struct reading r = read_value(p->data + at, p->size - at);
            read_skip(&r);
            size_t size = (size_t)((char const *)r.at - (p->data + at));
            buffer_append(b, p->data + at, size);
            at += size;
        }
        status = sent(u, UPLOAD_OTHER);
    }
    return status;
}

/* Those that were made and are in no match yet. */
static int add_games(struct upload *u)
{
    size_t at = u->added_sent, end = u->made_count;
    struct buffer *b = ctl_request(u->ctl, "addgames", 2);
    pack_int(b, u->match);
    pack_array(b, end - at);
    while (at < end)
        pack_int(b, u->made[at++]);
    u->added_sent = end;
    return sent(u, UPLOAD_ADD);
}

int upload_session(struct upload *u, redo_session *session)
{
    void *dump;
    size_t size;
    int status = CLI_GO;
    uint64_t positions = (uint64_t)redo_getsessionsize(session);
    bool first = u->games == 0;
    if (first)
        keep_properties(u, session);
    int code = redo_dump(session, &dump, &size);
    redo_endsession(session);
    if (code != REDO_OK)
        return no_memory();
    u->positions += positions;
    u->games++;
    if (first) {
        u->held = dump;
        u->held_size = size;
        return CLI_GO;
    }
    if (u->games == 2) {
        status = begin_match(u);
        if (status == CLI_GO)
            status = send_session(u, u->held, u->held_size, 1);
        free(u->held);
        u->held = NULL;
    }
    if (status == CLI_GO)
        status = send_session(u, dump, size, u->games);
    free(dump);
    if (status == CLI_GO && u->match && u->made_count - u->added_sent >= GAMES_ONCE)
        status = add_games(u);
    return status;
}

int upload_end(struct upload *u, char const *tail, size_t tail_size)
{
    int status = CLI_GO;
    char name[NAME_SIZE];
    if (u->held)
        status = send_session(u, u->held, u->held_size, 0);
    if (status == CLI_GO && tail) {
        struct buffer *b = ctl_request(u->ctl, "setproperty", 3);
        name_of(u, u->games > 1 ? u->games : 0, name);
        pack_cstr(b, name);
        pack_key(b, "sgf:tail");
        pack_str(b, tail, tail_size);
        status = sent(u, UPLOAD_OTHER);
    }
    if (status == CLI_GO)
        status = receive_all(u);
    if (status == CLI_GO && u->games > 1 && u->made_count > u->added_sent) {
        status = add_games(u);
        return status == CLI_GO ? receive_all(u) : status;
    }
    return status;
}

/* --- the way back --- */

static bool drop(struct upload *u, int64_t handle)
{
    msgpack_object result;
    pack_int(ctl_request(u->ctl, "deletesession", 1), handle);
    if (connection_call(&u->ctl->c, u->ctl->id, &result) != REDO_OK)
        return false;
    /* Without a store there is no trash. */
    pack_int(ctl_request(u->ctl, "purgesession", 1), handle);
    int code = connection_call(&u->ctl->c, u->ctl->id, &result);
    return code == REDO_OK || code == REDO_ENOSESSION || code == REDO_ENOTKEPT;
}

void upload_undo(struct upload *u)
{
    bool good = true;
    if (!u->ctl->open)
        return;
    u->failed = true; /* what went wrong was told */
    receive_all(u);
    if (u->match) /* with the games that are in it */
        good = drop(u, u->match);
    while (u->made_count > u->added && u->ctl->c.fd >= 0) {
        int64_t handle = u->made[--u->made_count];
        good &= drop(u, handle);
    }
    if (u->ctl->c.fd < 0 || !good)
        cli_complain("some of it may have been imported: see redoctl list");
}

void upload_close(struct upload *u)
{
    free(u->held);
    free(u->made);
    buffer_free(&u->properties);
}
