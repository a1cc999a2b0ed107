#include "client/ctl/snapshot.h"

#include <string.h>

#define PIECE (1024 * 1024)

/* What the attach told, but for the snapshot's size. */
static bool read_facts(msgpack_object const *result, struct snapshot *e)
{
    msgpack_object const *name = map_get(result, "name");

    if (!name || !integer_read(map_get(result, "begun"), INT64_MIN, INT64_MAX, &e->created) ||
        !integer_read(map_get(result, "sequence"), 0, INT64_MAX, &e->sequence) ||
        !integer_read(map_get(result, "positions"), 0, INT64_MAX, &e->positions))
        return false;
    if (name->type == MSGPACK_OBJECT_NIL)
        return true;
    if (name->type != MSGPACK_OBJECT_STR || name->via.str.size > sizeof e->name)
        return false;
    e->name_size = name->via.str.size;
    memcpy(e->name, name->via.str.ptr, e->name_size);
    return true;
}

static bool pack_session(struct buffer *b, char const *name, int64_t handle)
{
    if (name)
        return ctl_pack_name(b, name);
    pack_int(b, handle);
    return true;
}

int snapshot_read(struct ctl *ctl, char const *session, int64_t handle, struct snapshot *e)
{
    msgpack_object result;
    int64_t size;

    struct buffer *b = ctl_request(ctl, "attach", 2);
    if (!pack_session(b, session, handle))
        return EXIT_USAGE;
    pack_map(b, 1);
    pack_key(b, "effects");
    pack_bool(b, false);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "snapshot"), 1, INT64_MAX, &size) || !read_facts(&result, e))
        return ctl_fail_shape(ctl);
    while (e->dump.size < (uint64_t)size) {
        b = ctl_request(ctl, "readsnapshot", 3);
        pack_session(b, session, handle);
        pack_uint(b, e->dump.size);
        pack_uint(b, PIECE);
        status = ctl_result(ctl, &result);
        if (status != CLI_GO)
            return status;
        if (result.type != MSGPACK_OBJECT_BIN || result.via.bin.size == 0)
            return ctl_fail_shape(ctl);
        buffer_append(&e->dump, result.via.bin.ptr, result.via.bin.size);
        if (e->dump.failed) {
            cli_complain("out of memory");
            return EXIT_BAD;
        }
    }
    pack_session(ctl_request(ctl, "detach", 1), session, handle);
    return ctl_result(ctl, &result);
}
