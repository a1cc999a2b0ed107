#include "client/ctl/upload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/games/value.h"
#include "redo_error.h"

#define PART (8 * 1024 * 1024) /* of a dump that is larger than a message may be */
#define OVERHEAD 512           /* of a message besides dump and name */
#define NAME_SIZE 600
#define TOGETHER (1024 * 1024) /* bytes of requests */

/* The property of a match that is not whole yet, and its value. */
#define MARK "import"
#define UNFINISHED "unfinished"

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
    if (!u->due[at].loads)
        return CLI_GO;
    if (!integer_read(map_get(&result, "session"), 0, INT64_MAX, &handle))
        return ctl_fail_shape(u->ctl);
    u->last = handle;
    return CLI_GO;
}

static int flush(struct upload *u)
{
    int code = connection_flush(&u->ctl->c);
    return code == REDO_OK ? CLI_GO : ctl_fail(u->ctl, code, NULL);
}

/* The request was packed. Several go together, and so to disk: each sync takes its time. */
static int sent(struct upload *u, bool loads)
{
    size_t at = (u->due_first + u->due_count++) % UPLOAD_WINDOW;
    u->due[at].id = u->ctl->id;
    u->due[at].loads = loads;
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
        status = sent(u, false);
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
    pack_map(b, u->match ? 2 : 1);
    pack_key(b, "name");
    pack_cstr(b, name);
    if (u->match) {
        pack_key(b, "match");
        pack_int(b, u->match);
    }
    return sent(u, true);
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

/* --- the match --- */

/* Name and value, and if there are to be any the options, are to follow. */
static struct buffer *request_property(struct upload *u, int64_t session, bool options)
{
    struct buffer *b = ctl_request(u->ctl, "setproperty", options ? 4 : 3);
    pack_int(b, session);
    return b;
}

static int send_properties(struct upload *u)
{
    struct buffer *p = &u->properties;
    int status = CLI_GO;
    for (size_t at = 0; u->property_count > 0 && status == CLI_GO; u->property_count--) {
        struct buffer *b = request_property(u, u->match, false);
        for (int part = 0; part < 2; part++) { /* the name, the value */
            struct reading r = read_value(p->data + at, p->size - at);
            read_skip(&r);
            size_t size = (size_t)((char const *)r.at - (p->data + at));
            buffer_append(b, p->data + at, size);
            at += size;
        }
        status = sent(u, false);
    }
    return status;
}

/* From now on nothing waits for the disk but taking the mark away, which is there after all else,
 * or refused if anything was lost. */
static int relax_match(struct upload *u)
{
    struct buffer *b = ctl_request(u->ctl, "opensession", 2);
    pack_cstr(b, u->name);
    pack_map(b, 1);
    pack_key(b, "relaxed");
    pack_bool(b, true);
    return sent(u, false);
}

/* The name is taken: maybe by what is left of another import. */
static void tell_unfinished(struct upload *u)
{
    msgpack_object result;
    pack_cstr(ctl_request(u->ctl, "getproperties", 1), u->name);
    if (connection_call(&u->ctl->c, u->ctl->id, &result) != REDO_OK)
        return;
    msgpack_object const *mark = map_get(&result, MARK);
    if (mark && mark->type == MSGPACK_OBJECT_STR && mark->via.str.size == strlen(UNFINISHED) &&
        memcmp(mark->via.str.ptr, UNFINISHED, mark->via.str.size) == 0)
        cli_complain("it is what an import has made that is under way, or was cut off: redoctl "
                     "delete takes it away with its games");
}

/* There are several: a match, which is marked until all are in it. Its answer is waited for, since
 * a session that has its name must not get its games. */
static int begin_match(struct upload *u)
{
    msgpack_object result;
    pack_cstr(ctl_request(u->ctl, "beginmatch", 1), u->name);
    int code = connection_call(&u->ctl->c, u->ctl->id, &result);
    if (code != REDO_OK) {
        int status = ctl_fail(u->ctl, code, u->ctl->c.fd < 0 ? NULL : &result);
        if (code == REDO_EEXISTS)
            tell_unfinished(u);
        return status;
    }
    if (!integer_read(map_get(&result, "session"), 0, INT64_MAX, &u->match))
        return ctl_fail_shape(u->ctl);
    struct buffer *b = request_property(u, u->match, false);
    pack_key(b, MARK);
    pack_cstr(b, UNFINISHED);
    int status = sent(u, false);
    if (status == CLI_GO)
        status = relax_match(u);
    return status == CLI_GO ? send_properties(u) : status;
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
    return status;
}

int upload_end(struct upload *u, char const *tail, size_t tail_size)
{
    int status = CLI_GO;
    if (u->held)
        status = send_session(u, u->held, u->held_size, 0);
    if (status == CLI_GO)
        status = receive_all(u);
    if (status == CLI_GO && tail) {
        struct buffer *b = request_property(u, u->last, false);
        pack_key(b, "sgf:tail");
        pack_str(b, tail, tail_size);
        status = sent(u, false);
    }
    if (status == CLI_GO && u->match) {
        struct buffer *b = request_property(u, u->match, true);
        pack_key(b, MARK);
        pack_nil(b);
        pack_map(b, 1);
        pack_key(b, "durable");
        pack_bool(b, true);
        status = sent(u, false);
    }
    return status == CLI_GO ? receive_all(u) : status;
}

/* --- the way back --- */

static bool drop(struct upload *u, int64_t handle)
{
    msgpack_object result;
    pack_int(ctl_request(u->ctl, "deletesession", 1), handle);
    int code = connection_call(&u->ctl->c, u->ctl->id, &result);
    if (code != REDO_OK)
        return code == REDO_ENOSESSION; /* somebody else has deleted it */
    /* Without a store there is no trash. */
    pack_int(ctl_request(u->ctl, "purgesession", 1), handle);
    code = connection_call(&u->ctl->c, u->ctl->id, &result);
    return code == REDO_OK || code == REDO_ENOSESSION || code == REDO_ENOTKEPT;
}

/* If anything of it was lost, it is to be opened before it can be deleted; else that is no matter,
 * even if it has another name now. */
static bool drop_match(struct upload *u)
{
    msgpack_object result;
    pack_cstr(ctl_request(u->ctl, "opensession", 1), u->name);
    connection_call(&u->ctl->c, u->ctl->id, &result);
    return drop(u, u->match);
}

void upload_undo(struct upload *u)
{
    bool good = true;
    if (!u->ctl->open)
        return;
    u->failed = true; /* what went wrong was told */
    receive_all(u);
    if (u->match) /* with all that was made */
        good = drop_match(u);
    else if (u->last)
        good = drop(u, u->last);
    if (u->ctl->c.fd < 0 || !good)
        cli_complain("some of it may have been imported: see redoctl list");
}

void upload_close(struct upload *u)
{
    free(u->held);
    buffer_free(&u->properties);
}
