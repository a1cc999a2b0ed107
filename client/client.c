/* Connecting, and beginning and finding sessions: redo_client.h, and what redo.h needs of it to
 * begin and end sessions by itself. */
#include "client/client.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

#define TIMEOUT_DEFAULT 10000 /* milliseconds */

redo_client *redo_client_connect(char const *path, int timeout)
{
    redo_client *client = calloc(1, sizeof *client);
    if (!client) {
        error_set(REDO_ENOMEM);
        return NULL;
    }
    int rc = connection_open(&client->connection, path, timeout > 0 ? timeout : TIMEOUT_DEFAULT);
    if (rc) {
        free(client);
        error_set(rc);
        return NULL;
    }
    client->connection.notified = mirror_notified;
    client->connection.data = client;
    error_set(REDO_OK);
    return client;
}

void redo_client_close(redo_client *client)
{
    error_set(REDO_OK);
    if (!client)
        return;
    while (client->mirrors)
        mirror_end(client->mirrors);
    connection_close(&client->connection);
    free(client);
}

/* Sends the request packed so far, and attaches to the session that is answered. */
static redo_session *begin(redo_client *client, uint32_t id, char const *name)
{
    msgpack_object answer;
    int rc = connection_call(&client->connection, id, &answer);
    msgpack_object const *handle = rc ? NULL : map_get(&answer, "session");
    if (rc || !handle || handle->type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
        error_set(rc ? rc : REDO_EPROTOCOL);
        return NULL;
    }
    return mirror_attach(client, handle->via.u64, name);
}

static bool check(redo_client *client)
{
    if (!client)
        error_set(REDO_ECONNECT);
    return client;
}

static redo_session *begin_session(redo_client *client, char const *name, bool relaxed,
                                   void const *initialstate, int size, int cmpsize)
{
    if (!check(client))
        return NULL;
    if (!initialstate || size < 1 || size > REDO_STATE_MAX) {
        error_set(REDO_ESTATE);
        return NULL;
    }
    uint32_t id;
    struct buffer *b = connection_request(&client->connection, "beginsession", &id);
    pack_array(b, name ? 4 : 3);
    pack_bin(b, initialstate, (size_t)size);
    pack_int(b, size);
    pack_int(b, cmpsize);
    if (name) {
        pack_map(b, 3);
        pack_key(b, "name");
        pack_cstr(b, name);
        pack_key(b, "join");
        pack_bool(b, true);
        pack_key(b, "relaxed");
        pack_bool(b, relaxed);
    }
    return begin(client, id, name);
}

redo_session *redo_client_beginsession(redo_client *client, char const *name,
                                       void const *initialstate, int size, int cmpsize)
{
    return begin_session(client, name, false, initialstate, size, cmpsize);
}

redo_session *redo_client_opensession(redo_client *client, char const *name)
{
    if (!check(client))
        return NULL;
    if (!name) {
        error_set(REDO_ENAME);
        return NULL;
    }
    uint32_t id;
    struct buffer *b = connection_request(&client->connection, "opensession", &id);
    pack_array(b, 1);
    pack_cstr(b, name);
    return begin(client, id, name);
}

int redo_client_deletesession(redo_client *client, char const *name)
{
    if (!check(client))
        return redo_lasterror();
    if (!name)
        return error_set(REDO_ENAME);
    uint32_t id;
    struct buffer *b = connection_request(&client->connection, "deletesession", &id);
    pack_array(b, 1);
    pack_cstr(b, name);
    msgpack_object answer;
    return error_set(connection_call(&client->connection, id, &answer));
}

int redo_client_fd(redo_client const *client)
{
    return client ? client->connection.fd : -1;
}

int redo_client_step(redo_client *client, int timeout)
{
    if (!check(client))
        return -1;
    client->applied = 0;
    int rc = error_set(connection_step(&client->connection, timeout > 0 ? timeout : 0));
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

redo_session *redo_beginsession(void const *initialstate, int size, int cmpsize)
{
    char const *name = getenv("REDO_SESSION"), *durable = getenv("REDO_DURABLE");
    redo_client *client = redo_client_connect(NULL, 0);
    if (!client)
        return NULL;
    /* Such programs add thousands of positions one by one when they load a game, and say when they
     * have saved one: see submit(). */
    bool relaxed = !durable || strcmp(durable, "1") != 0;
    return own_client(client, begin_session(client, name && *name ? name : NULL, relaxed,
                                            initialstate, size, cmpsize));
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
    uint32_t id;
    struct buffer *b = connection_request(&client->connection, "loadsession", &id);
    pack_array(b, 1);
    pack_bin(b, data, size);
    return own_client(client, begin(client, id, NULL));
}

void redo_endsession(redo_session *session)
{
    error_set(REDO_OK);
    if (!session)
        return;
    struct mirror *m = (struct mirror *)session;
    if (m->owns_client)
        redo_client_close(m->client);
    else
        mirror_end(m);
    error_set(REDO_OK);
}
