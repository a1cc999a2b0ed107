#include "server/begun.h"

#include <string.h>
#include <time.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/authors.h"
#include "core/history.h"
#include "core/keys.h"
#include "core/operation.h"

static struct arg const *key_of(struct call const *call)
{
    struct arg const *key = args_option(&call->args, "key");
    return key->present ? key : NULL;
}

static int hash_arg(struct arg const *arg, uint64_t *hash)
{
    if (!arg->present)
        return REDO_OK;
    if (arg->type != PARAM_ANY) {
        bool integer = arg->type != PARAM_BIN && arg->type != PARAM_MAYBE &&
                       arg->type != PARAM_STR && !arg->named;
        *hash = integer ? XXH3_64bits_withSeed(&arg->integer, sizeof arg->integer, *hash)
                        : XXH3_64bits_withSeed(arg->bytes.data, arg->bytes.size, *hash);
        return REDO_OK;
    }
    struct buffer b;
    buffer_init(&b);
    pack_object(&b, &arg->any);
    int rc = b.failed ? REDO_ENOMEM : REDO_OK;
    if (!rc)
        *hash = XXH3_64bits_withSeed(b.data, b.size, *hash);
    buffer_free(&b);
    return rc;
}

int begun_read(struct call *call, enum begun_method method, uint64_t *what)
{
    *what = 0;
    int rc = call_check_key(call);
    if (rc || !key_of(call))
        return rc;
    if (conn_hung_up(call->client->conn))
        return call_fail(call, REDO_ECLOSED); /* it asks again elsewhere */
    uint64_t hash = method;
    unsigned params = method == BEGUN_STATES ? 3 : 1;
    for (unsigned i = 0; !rc && i < params; i++)
        rc = hash_arg(&call->args.param[i], &hash);
    if (method == BEGUN_LOADED && !call->args.param[0].present)
        hash += upload_hash(&call->client->upload);
    if (!rc && method == BEGUN_CHANGES) {
        hash += args_flag(&call->args, "lenient", false);
        rc = hash_arg(args_option(&call->args, "table"), &hash);
    }
    if (!rc && method != BEGUN_MATCH) /* a copy has the keys of what it was copied from */
        rc = hash_arg(args_option(&call->args, "name"), &hash);
    if (!rc && method != BEGUN_MATCH && args_option(&call->args, "match")->present) {
        hash++; /* lest it counts as a name */
        rc = hash_arg(args_option(&call->args, "match"), &hash);
    }
    /* The kind of an operation is part of its hash: this is none. */
    hash -= (uint64_t)operation_hash_kind(hash);
    *what = hash ? hash : UINT64_MAX - (uint64_t)operation_hash_kind(UINT64_MAX);
    return rc ? call_fail(call, rc) : REDO_OK;
}

bool begun_is(struct call *call, struct room const *room, uint64_t what, int *rc)
{
    struct key const *known = call_known(call, room);
    if (!known)
        return false;
    *rc = known->operation == what ? REDO_OK : call_fail(call, REDO_EKEY);
    return true;
}

struct room *begun_private(struct call const *call)
{
    struct link *all = &call->client->privates;
    for (struct link *l = all->next; key_of(call) && l != all; l = l->next) {
        struct room *room = list_entry(l, struct room, in_owner);
        if (call_known(call, room))
            return room;
    }
    return NULL;
}

int begun_keep(struct call *call, struct history *h, uint64_t what)
{
    struct arg const *key = key_of(call);
    struct client const *by = call->client;
    if (!key)
        return REDO_OK;
    redo_stamp stamp = {.uid = by->conn->peer.uid,
                        .name = by->name ? by->name : "",
                        .namesize = by->name_size,
                        .time = (uint32_t)time(NULL)};
    uint32_t author = authors_find(&h->authors, stamp.uid, stamp.name, stamp.namesize);
    int rc = author ? REDO_OK : authors_check(&h->authors, &stamp);
    if (rc)
        return call_fail(call, rc);
    if (!author)
        author = authors_enter(&h->authors, &stamp);
    if (keys_find(&h->keys, author, key->bytes.data, key->bytes.size))
        return call_fail(call, REDO_EKEY); /* it came with the dump */
    struct key *kept = keys_make(&h->keys, key->bytes.data, key->bytes.size, 0);
    if (!kept)
        return call_fail(call, REDO_ENOMEM);
    kept->operation = what;
    kept->author = author;
    kept->result = (redo_result){.position = REDO_NOPOSITION,
                                 .graftedfrom = REDO_NOPOSITION,
                                 .graftedto = REDO_NOPOSITION,
                                 .supersedes = REDO_NOPOSITION,
                                 .firstmade = REDO_NOPOSITION};
    kept->fields = (struct fields){
        .number = REDO_NOPOSITION, .prev = REDO_NOPOSITION, .better = REDO_NOPOSITION};
    keys_keep(&h->keys, kept);
    return REDO_OK;
}
