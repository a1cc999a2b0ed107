/* Connecting, and beginning and finding sessions: redo_client.h, and what redo.h needs of it to
 * begin and end sessions by itself. */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/changes/changes.h"
#include "core/error.h"

#define TIMEOUT_DEFAULT 10000     /* milliseconds */
#define STEP_BYTES (1024 * 1024u) /* that a step takes in, about, before it returns */

/* ---- clients ----------------------------------------------------------------------------- */

/* Sixteen bytes that no other client has. */
static bool draw_key(unsigned char key[16])
{
    ssize_t got;
    do
        got = getrandom(key, 16, 0);
    while (got < 0 && errno == EINTR);
    return got == 16;
}

static int open_client(redo_client *client, char const *path, int timeout)
{
    int rc = connection_path(path, client->path, sizeof client->path);
    if (!rc && !draw_key(client->key))
        rc = REDO_ESYSTEM;
    if (!rc)
        rc = connection_open(&client->connection, client->path,
                             timeout > 0 ? timeout : TIMEOUT_DEFAULT);
    return rc;
}

redo_client *redo_client_connect(char const *path, int timeout)
{
    redo_client *client = calloc(1, sizeof *client);
    int rc = client ? open_client(client, path, timeout) : REDO_ENOMEM;
    error_set(rc);
    if (rc) {
        free(client);
        return NULL;
    }
    client->connection.notified = mirror_notified;
    client->connection.answered = link_answered;
    client->connection.data = client;
    client->last = &client->first;
    client->keying = -1;
    client->epoll = client->timer = client->watched_fd = -1;
    return client;
}

static void close_watch(redo_client *client)
{
    if (client->epoll < 0)
        return;
    close(client->epoll);
    close(client->timer);
}

void redo_client_close(redo_client *client)
{
    error_set(REDO_OK);
    if (!client)
        return;
    int rc = client_enter(client);
    if (rc) {
        error_set(rc);
        return;
    }
    while (client->mirrors)
        mirror_end(client->mirrors);
    connection_close(&client->connection);
    close_watch(client);
    free(client->name);
    free(client);
}

int redo_client_settimeout(redo_client *client, int timeout)
{
    if (!client)
        return error_set(REDO_ECONNECT);
    connection_settimeout(&client->connection, timeout > 0 ? timeout : TIMEOUT_DEFAULT);
    return error_set(REDO_OK);
}

void redo_client_setkeys(redo_client *client, int keys)
{
    error_set(client ? REDO_OK : REDO_ECONNECT);
    if (client)
        client->keying = keys < 0 ? -1 : keys != 0;
}

void redo_client_listen(redo_client *client, redo_client_listener *listener, void *data)
{
    error_set(client ? REDO_OK : REDO_ECONNECT);
    if (!client)
        return;
    client->listener = listener;
    client->listener_data = data;
}

/* ---- requests that may be sent twice ----------------------------------------------------- */

/* A request that is waited for; packed anew if the connection turns out to have been broken before
 * it could be sent. */
struct ask {
    struct call call; /* first */
    struct session_info info;
    bool untold; /* the answer does not say what it should */

    void (*pack)(struct redo_client *client, struct ask *ask);
    char const *name;
    void const *bytes;
    size_t size;
    int cmpsize;
    bool relaxed;
    void const *table; /* of a session told by change, of which bytes is the schema */
    size_t table_size;
    bool lenient;
};

static int ask(redo_client *client, struct ask *ask)
{
    for (unsigned tries = 0;; tries++) {
        int rc = client_ready(client, false);
        if (rc)
            return rc;
        ask->pack(client, ask);
        rc = call_wait(client, &ask->call);
        if (rc != REDO_ECLOSED || ask->call.request.sent || tries)
            return rc;
    }
}

static void read_session(struct call *call, msgpack_object const *answer)
{
    struct ask *ask = (struct ask *)call;
    ask->untold = !session_read(answer, &ask->info);
}

/* ---- sessions ---------------------------------------------------------------------------- */

/* Asks for the session, and reads it. */
static redo_session *begin(redo_client *client, struct ask *what)
{
    what->call.read = read_session;
    int rc = ask(client, what);
    if (!rc && what->untold)
        rc = REDO_EPROTOCOL;
    struct mirror *m = rc ? NULL : mirror_new(client, &what->info, what->name);
    if (!m) {
        client_end(client, rc ? rc : redo_lasterror());
        return NULL;
    }
    m->relaxed = what->relaxed;
    client->patient = true;
    mirror_load(m);
    rc = mirror_wait(m);
    if (rc) {
        mirror_end(m);
        m = NULL;
    }
    client_end(client, rc);
    return m ? &m->session : NULL;
}

/* A call begins: whether it may. */
static bool enter(redo_client *client)
{
    int rc = client_enter(client);
    if (rc)
        error_set(rc);
    return !rc;
}

static void pack_begin(redo_client *client, struct ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "beginsession");
    pack_array(b, ask->name ? 4 : 3);
    pack_bin(b, ask->bytes, ask->size);
    pack_uint(b, ask->size);
    pack_int(b, ask->cmpsize);
    if (ask->name) {
        pack_map(b, 3);
        pack_key(b, "name");
        pack_cstr(b, ask->name);
        pack_key(b, "join");
        pack_bool(b, true);
        pack_key(b, "relaxed");
        pack_bool(b, ask->relaxed);
    }
}

static redo_session *begin_session(redo_client *client, char const *name, bool relaxed,
                                   void const *initialstate, int size, int cmpsize)
{
    if (!enter(client))
        return NULL;
    if (!initialstate || size < 1 || size > REDO_STATE_MAX) {
        error_set(REDO_ESTATE);
        return NULL;
    }
    struct ask ask = {.pack = pack_begin,
                      .name = name,
                      .bytes = initialstate,
                      .size = (size_t)size,
                      .cmpsize = cmpsize,
                      .relaxed = relaxed};
    return begin(client, &ask);
}

redo_session *redo_client_beginsession(redo_client *client, char const *name,
                                       void const *initialstate, int size, int cmpsize)
{
    return begin_session(client, name, false, initialstate, size, cmpsize);
}

/* A value that is bytes already; nil if it is none. */
static void pack_value(struct buffer *b, void const *value, size_t size)
{
    if (value)
        buffer_append(b, value, size);
    else
        pack_nil(b);
}

static void pack_begin_changes(redo_client *client, struct ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "beginchanges");
    pack_array(b, 2);
    pack_value(b, ask->bytes, ask->size);
    pack_map(b, 1u + (ask->table != NULL) + 3u * (ask->name != NULL));
    pack_key(b, "lenient");
    pack_bool(b, ask->lenient);
    if (ask->table) {
        pack_key(b, "table");
        pack_value(b, ask->table, ask->table_size);
    }
    if (ask->name) {
        pack_key(b, "name");
        pack_cstr(b, ask->name);
        pack_key(b, "join");
        pack_bool(b, true);
        pack_key(b, "relaxed");
        pack_bool(b, ask->relaxed);
    }
}

/* Whether such a session can begin: what the daemon will say to it. Then the bytes are one value
 * each, too, as a request must have them. */
static int check_changes(struct ask const *ask, redo_fault *fault)
{
    static _Thread_local struct fault why;
    struct history *h =
        changes_new(ask->bytes, ask->size, ask->table, ask->table_size, ask->lenient, &why);
    if (!h) {
        if (fault)
            *fault = (redo_fault){.what = why.what,
                                  .field = why.field,
                                  .line = (long)why.line,
                                  .place = (long)why.place};
        return redo_lasterror();
    }
    history_free(h);
    return REDO_OK;
}

static redo_session *begin_changes(redo_client *client, struct ask *ask, redo_fault *fault)
{
    if (!enter(client))
        return NULL;
    int rc = check_changes(ask, fault);
    if (!rc)
        return begin(client, ask);
    client_end(client, rc);
    return NULL;
}

redo_session *redo_client_beginchanges(redo_client *client, char const *name, void const *schema,
                                       size_t schemasize, void const *table, size_t tablesize,
                                       int lenient, redo_fault *fault)
{
    struct ask ask = {.pack = pack_begin_changes,
                      .name = name,
                      .bytes = schema,
                      .size = schemasize,
                      .table = table,
                      .table_size = tablesize,
                      .lenient = lenient != 0};
    return begin_changes(client, &ask, fault);
}

static void pack_open(redo_client *client, struct ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "opensession");
    pack_array(b, 1);
    pack_cstr(b, ask->name);
}

/* What needs a name, and nothing else. */
static redo_session *begin_named(redo_client *client, char const *name,
                                 void (*pack)(redo_client *client, struct ask *ask))
{
    if (!enter(client))
        return NULL;
    if (!name) {
        error_set(REDO_ENAME);
        return NULL;
    }
    struct ask ask = {.pack = pack, .name = name};
    return begin(client, &ask);
}

redo_session *redo_client_opensession(redo_client *client, char const *name)
{
    return begin_named(client, name, pack_open);
}

redo_session *redo_client_opensession_readonly(redo_client *client, char const *name)
{
    redo_session *session = redo_client_opensession(client, name);
    if (session)
        ((struct mirror *)session)->readonly = true;
    return session;
}

static void pack_match(redo_client *client, struct ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "beginmatch");
    pack_array(b, 2);
    pack_cstr(b, ask->name);
    pack_map(b, 1);
    pack_key(b, "join");
    pack_bool(b, true);
}

redo_session *redo_client_beginmatch(redo_client *client, char const *name)
{
    return begin_named(client, name, pack_match);
}

static void pack_delete(redo_client *client, struct ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "deletesession");
    pack_array(b, 1);
    pack_cstr(b, ask->name);
}

int redo_client_deletesession(redo_client *client, char const *name)
{
    if (!enter(client))
        return redo_lasterror();
    if (!name)
        return error_set(REDO_ENAME);
    struct ask what = {.pack = pack_delete, .name = name};
    return client_end(client, ask(client, &what));
}

static void pack_hello(redo_client *client, struct ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "server.hello");
    pack_array(b, 1);
    pack_map(b, 1);
    pack_key(b, "client");
    pack_cstr(b, ask->name);
}

int redo_client_setname(redo_client *client, char const *name)
{
    if (!enter(client))
        return redo_lasterror();
    if (!name || strlen(name) > REDO_AUTHOR_MAX)
        return error_set(REDO_ENAME);
    char *copy = strdup(name);
    if (!copy)
        return error_set(REDO_ENOMEM);
    struct ask what = {.pack = pack_hello, .name = name};
    int rc = ask(client, &what);
    if (rc) {
        free(copy);
        return client_end(client, rc);
    }
    free(client->name);
    client->name = copy;
    return client_end(client, REDO_OK);
}

/* ---- a game's own loop ------------------------------------------------------------------- */

/* Waits until there is something to return for; then takes in what there is besides. */
static int step(redo_client *client, int64_t deadline)
{
    unsigned news = client->news;
    uint64_t before = client->connection.received;
    int rc;
    do
        rc = link_turn(client, deadline);
    while (client->news == news && rc != REDO_ESYSTEM &&
           !(rc == REDO_ETIMEOUT && connection_now() >= deadline));
    while (!rc && client->connection.received - before < STEP_BYTES)
        rc = link_turn(client, connection_now());
    return client->connection.fd < 0 ? REDO_ECLOSED : REDO_OK;
}

int redo_client_step(redo_client *client, int timeout)
{
    if (!enter(client))
        return -1;
    client->applied = 0;
    int rc = step(client, connection_now() + (timeout > 0 ? timeout : 0));
    client_end(client, client->applied ? REDO_OK : rc);
    return rc && !client->applied ? -1 : client->applied;
}

/* ---- redo.h ------------------------------------------------------------------------------ */

static redo_session *own_client(redo_client *client, redo_session *session)
{
    if (session) {
        ((struct mirror *)session)->owns_client = true;
        return session;
    }
    int why = redo_lasterror();
    redo_client_close(client);
    error_set(why);
    return NULL;
}

/* The session that such programs are to have. */
static char const *session_name(void)
{
    char const *name = getenv("REDO_SESSION");
    return name && *name ? name : NULL;
}

/* Such programs add thousands of positions one by one when they load a game, and say when they have
 * saved one: see pack_change() in change.c. */
static bool is_relaxed(void)
{
    char const *durable = getenv("REDO_DURABLE");
    return !durable || strcmp(durable, "1") != 0;
}

redo_session *redo_beginsession(void const *initialstate, int size, int cmpsize)
{
    redo_client *client = redo_client_connect(NULL, 0);
    if (!client)
        return NULL;
    return own_client(
        client, begin_session(client, session_name(), is_relaxed(), initialstate, size, cmpsize));
}

redo_session *redo_beginchanges(void const *schema, size_t schemasize, void const *table,
                                size_t tablesize, int lenient, redo_fault *fault)
{
    redo_client *client = redo_client_connect(NULL, 0);
    if (!client)
        return NULL;
    struct ask ask = {.pack = pack_begin_changes,
                      .name = session_name(),
                      .bytes = schema,
                      .size = schemasize,
                      .table = table,
                      .table_size = tablesize,
                      .lenient = lenient != 0,
                      .relaxed = is_relaxed()};
    return own_client(client, begin_changes(client, &ask, fault));
}

static void pack_load(redo_client *client, struct ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "loadsession");
    pack_array(b, 1);
    if (ask->bytes)
        pack_bin(b, ask->bytes, ask->size);
    else
        pack_nil(b);
}

#define LOAD_PART ((size_t)16 * 1024 * 1024) /* bytes of a dump, in a message */

/* A dump that may be too large for a message is told in parts, each in its own time. */
static int load_parts(redo_client *client, char const *data, size_t size)
{
    int rc = REDO_OK;
    for (size_t at = 0; !rc && at < size; at += LOAD_PART) {
        struct call call = {0};
        size_t left = size - at;
        struct buffer *b = request_begin(client, &call.request, "loadpart");
        pack_array(b, 2);
        pack_uint(b, at);
        pack_bin(b, data + at, left < LOAD_PART ? left : LOAD_PART);
        client->deadline = connection_now() + client->connection.timeout;
        rc = call_wait(client, &call);
    }
    client->deadline = connection_now() + client->connection.timeout;
    return rc;
}

redo_session *redo_load(void const *data, size_t size)
{
    if (!data) {
        error_set(REDO_EDAMAGED);
        return NULL;
    }
    redo_client *client = redo_client_connect(NULL, 0);
    if (!client)
        return NULL;
    client_enter(client);
    struct ask ask = {.pack = pack_load, .bytes = data, .size = size};
    if (size > LOAD_PART) {
        int rc = load_parts(client, data, size);
        if (rc) {
            client_end(client, rc);
            return own_client(client, NULL);
        }
        ask.bytes = NULL;
    }
    return own_client(client, begin(client, &ask));
}

void redo_endsession(redo_session *session)
{
    error_set(REDO_OK);
    if (!session)
        return;
    struct mirror *m = (struct mirror *)session;
    if (m->owns_client) {
        redo_client_close(m->client);
        return;
    }
    redo_client *client = m->client;
    if (!enter(client))
        return;
    mirror_end(m);
    client_end(client, REDO_OK);
}
