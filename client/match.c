/* Matches: redo_client.h. */
#include <string.h>

#include "client/client.h"
#include "core/error.h"

#define GAMES_ONCE 100000 /* ids in a request: some MiB fewer than a daemon reads at once */

/* A request about the games of a match, packed anew if the connection was broken before it could be
 * sent. */
struct match_ask {
    struct call call; /* first */
    redo_client *client;
    char const *method, *match;
    uint64_t const *games;
    size_t count;
    int64_t at;      /* below 0: not given */
    uint64_t offset; /* of getgames */
    redo_client_gameteller *tell;
    void *data;
    bool untold, stopped;
    uint64_t next; /* 0: none */
};

static void pack_edit(redo_client *client, struct match_ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, ask->method);
    pack_array(b, ask->at < 0 ? 2 : 3);
    pack_cstr(b, ask->match);
    pack_array(b, ask->count);
    for (size_t i = 0; i < ask->count; i++)
        pack_uint(b, ask->games[i]);
    if (ask->at < 0)
        return;
    pack_map(b, 1);
    pack_key(b, "at");
    pack_int(b, ask->at);
}

static void pack_get(redo_client *client, struct match_ask *ask)
{
    struct buffer *b = request_begin(client, &ask->call.request, "getgames");
    pack_array(b, 2);
    pack_cstr(b, ask->match);
    pack_map(b, 1);
    pack_key(b, "offset");
    pack_uint(b, ask->offset);
}

static int send_match(redo_client *client, struct match_ask *ask)
{
    for (unsigned tries = 0;; tries++) {
        int rc = client_ready(client, false);
        if (rc)
            return rc;
        if (ask->tell)
            pack_get(client, ask);
        else
            pack_edit(client, ask);
        rc = call_wait(client, &ask->call);
        if (rc != REDO_ECLOSED || ask->call.request.sent || tries)
            return rc;
    }
}

static int edit(redo_client *client, char const *method, char const *match, uint64_t const *games,
                size_t count, long at)
{
    int rc = client_enter(client);
    if (rc)
        return error_set(rc);
    if (!match)
        return error_set(REDO_ENAME);
    if (!games || !count || count > GAMES_ONCE)
        return error_set(games && count ? REDO_EFULL : REDO_ERANGE);
    struct match_ask ask = {
        .method = method, .match = match, .games = games, .count = count, .at = at};
    return client_end(client, send_match(client, &ask));
}

int redo_client_addgames(redo_client *client, char const *match, uint64_t const *games,
                         size_t count, long at)
{
    return edit(client, "addgames", match, games, count, at);
}

int redo_client_dropgames(redo_client *client, char const *match, uint64_t const *games,
                          size_t count)
{
    return edit(client, "dropgames", match, games, count, -1);
}

int redo_client_ordergames(redo_client *client, char const *match, uint64_t const *games,
                           size_t count, long at)
{
    return edit(client, "ordergames", match, games, count, at);
}

/* ---- telling ----------------------------------------------------------------------------- */

static uint64_t number_of(msgpack_object const *o)
{
    return is_uint(o) ? o->via.u64 : 0;
}

/* One game, told to the program. */
static bool tell(struct match_ask *ask, msgpack_object const *o)
{
    msgpack_object const *id = map_get(o, "session"), *name = map_get(o, "name");
    char text[256];
    if (!is_uint(id))
        return false;
    redo_client_game game = {.session = id->via.u64,
                             .gone = map_get(o, "gone") != NULL,
                             .positions = number_of(map_get(o, "positions")),
                             .sequence = number_of(map_get(o, "sequence")),
                             .owner = (uint32_t)number_of(map_get(o, "owner"))};
    if (name && name->type == MSGPACK_OBJECT_STR && name->via.str.size < sizeof text) {
        memcpy(text, name->via.str.ptr, name->via.str.size);
        text[name->via.str.size] = '\0';
        game.name = text;
    }
    ask->client->inside++;
    ask->stopped = ask->tell(&game, ask->data) != 0;
    ask->client->inside--;
    return true;
}

static void read_games(struct call *call, msgpack_object const *answer)
{
    struct match_ask *ask = (struct match_ask *)call;
    msgpack_object const *games = map_get(answer, "games");
    ask->untold = !games || games->type != MSGPACK_OBJECT_ARRAY;
    ask->next = number_of(map_get(answer, "next"));
    for (uint32_t i = 0; !ask->untold && !ask->stopped && i < games->via.array.size; i++)
        ask->untold = !tell(ask, &games->via.array.ptr[i]);
}

int redo_client_getgames(redo_client *client, char const *match, redo_client_gameteller *teller,
                         void *data)
{
    int rc = client_enter(client);
    if (rc)
        return error_set(rc);
    if (!match || !teller)
        return error_set(match ? REDO_ERANGE : REDO_ENAME);
    uint64_t offset = 0;
    do {
        struct match_ask ask = {
            .client = client, .match = match, .offset = offset, .tell = teller, .data = data};
        ask.call.read = read_games;
        rc = send_match(client, &ask);
        if (!rc && (ask.untold || (ask.next && ask.next <= offset)))
            rc = REDO_EPROTOCOL;
        offset = ask.stopped ? 0 : ask.next;
    } while (!rc && offset);
    return client_end(client, rc);
}
