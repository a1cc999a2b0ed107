/* A change is a head, which differs by kind, and bytes of variable size after it: name, properties,
 * data. It never leaves the process, so it is as memory has it. */
#include "server/store/batch.h"

#include <stdlib.h>
#include <string.h>

struct head {
    enum change_kind kind;
    size_t name_size, properties_size, size;
};

/* Of all kinds but OPERATION. */
struct rest {
    struct store_info info;
    uint64_t key;
    int64_t when;
    void *dump; /* the data, which is the batch's own; NULL: it comes behind */
};

/* Operations are many: they carry no more than they change. */
struct after {
    uint64_t id, sequence;
    int64_t used;
    uint32_t positions;
    unsigned char graft;
    bool changed, solved;
};

void batch_init(struct batch *b)
{
    *b = (struct batch){0};
}

void batch_close(struct batch *b)
{
    batch_release(b);
    buffer_free(&b->changes);
    b->count = 0;
}

void batch_clear(struct batch *b)
{
    batch_release(b);
    buffer_rewind(&b->changes, 0);
    b->count = 0;
}

void batch_release(struct batch *b)
{
    struct change change;
    size_t at = 0;

    while (b->owns && batch_next(b, &at, &change))
        free(change.dump);
    b->owns = false;
}

static void append(struct batch *b, struct head const *head, void const *fixed, size_t fixed_size,
                   void const *name, void const *properties, void const *data)
{
    size_t total = sizeof *head + fixed_size + head->name_size + head->properties_size + head->size;

    if (!buffer_reserve(&b->changes, total))
        return;
    buffer_append(&b->changes, head, sizeof *head);
    buffer_append(&b->changes, fixed, fixed_size);
    buffer_append(&b->changes, name, head->name_size);
    buffer_append(&b->changes, properties, head->properties_size);
    buffer_append(&b->changes, data, head->size);
    b->count++;
}

static void append_rest(struct batch *b, enum change_kind kind, struct rest const *rest,
                        void const *data, size_t size)
{
    struct head head = {kind, rest->info.name_size, rest->info.properties_size, size};

    append(b, &head, rest, sizeof *rest, rest->info.name, rest->info.properties, data);
}

void batch_create(struct batch *b, struct store_info const *info, void const *dump, size_t size)
{
    append_rest(b, CHANGE_CREATE, &(struct rest){.info = *info}, dump, size);
}

void batch_create_with(struct batch *b, struct store_info const *info, void *dump, size_t size)
{
    struct head head = {CHANGE_CREATE, info->name_size, info->properties_size, 0};
    struct rest rest = {.info = *info, .key = size, .dump = dump};
    size_t count = b->count;

    append(b, &head, &rest, sizeof rest, info->name, info->properties, "");
    if (b->count > count)
        b->owns = true;
    else
        free(dump);
}

void batch_operation(struct batch *b, struct store_info const *info, void const *encoded,
                     size_t size)
{
    struct head head = {CHANGE_OPERATION, 0, 0, size};
    struct after after = {info->id,    info->sequence, info->used,  info->positions,
                          info->graft, info->changed,  info->solved};

    append(b, &head, &after, sizeof after, "", "", encoded);
}

void batch_rename(struct batch *b, uint64_t id, char const *name, size_t size)
{
    struct rest rest = {.info = {.id = id, .name = name, .name_size = size}};

    append_rest(b, CHANGE_RENAME, &rest, "", 0);
}

void batch_access(struct batch *b, uint64_t id, uint32_t owner, uint32_t group, uint32_t mode)
{
    struct rest rest = {.info = {.id = id, .owner = owner, .group = group, .mode = mode}};

    append_rest(b, CHANGE_ACCESS, &rest, "", 0);
}

void batch_trash(struct batch *b, uint64_t id, int64_t when)
{
    append_rest(b, CHANGE_TRASH, &(struct rest){.info = {.id = id}, .when = when}, "", 0);
}

void batch_restore(struct batch *b, uint64_t id, char const *name, size_t size)
{
    struct rest rest = {.info = {.id = id, .name = name, .name_size = size}};

    append_rest(b, CHANGE_RESTORE, &rest, "", 0);
}

void batch_purge(struct batch *b, uint64_t id)
{
    append_rest(b, CHANGE_PURGE, &(struct rest){.info = {.id = id}}, "", 0);
}

void batch_keep(struct batch *b, uint64_t id, uint64_t key, int64_t when, void const *data,
                size_t size)
{
    struct rest rest = {.info = {.id = id}, .key = key, .when = when};

    append_rest(b, CHANGE_KEEP, &rest, data, size);
}

void batch_forget(struct batch *b, uint64_t id, uint64_t key)
{
    append_rest(b, CHANGE_FORGET, &(struct rest){.info = {.id = id}, .key = key}, "", 0);
}

/* ids: in the order of this machine. */
static void append_ids(struct batch *b, enum change_kind kind, struct rest const *rest,
                       uint64_t const *ids, size_t count)
{
    append_rest(b, kind, rest, ids, count * sizeof *ids);
}

void batch_games(struct batch *b, uint64_t id, uint32_t games, uint64_t match, uint64_t const *ids,
                 size_t count)
{
    struct rest rest = {.info = {.id = id}, .key = games, .when = (int64_t)match};

    append_ids(b, CHANGE_GAMES, &rest, ids, count);
}

void batch_trash_games(struct batch *b, uint64_t const *ids, size_t count, int64_t when)
{
    append_ids(b, CHANGE_TRASH_GAMES, &(struct rest){.when = when}, ids, count);
}

void batch_restore_games(struct batch *b, uint64_t const *ids, size_t count)
{
    append_ids(b, CHANGE_RESTORE_GAMES, &(struct rest){.when = 0}, ids, count);
}

void batch_purge_games(struct batch *b, uint64_t const *ids, size_t count)
{
    append_ids(b, CHANGE_PURGE_GAMES, &(struct rest){.when = 0}, ids, count);
}

bool batch_next(struct batch const *b, size_t *at, struct change *change)
{
    char const *p = b->changes.data + *at;
    struct head head;

    if (*at == b->changes.size)
        return false;
    memcpy(&head, p, sizeof head);
    p += sizeof head;
    *change = (struct change){.kind = head.kind, .size = head.size};
    if (head.kind == CHANGE_OPERATION) {
        struct after after;
        memcpy(&after, p, sizeof after);
        p += sizeof after;
        change->info = (struct store_info){.id = after.id,
                                           .sequence = after.sequence,
                                           .used = after.used,
                                           .positions = after.positions,
                                           .graft = after.graft,
                                           .changed = after.changed,
                                           .solved = after.solved};
    } else {
        struct rest rest;
        memcpy(&rest, p, sizeof rest);
        p += sizeof rest;
        change->info = rest.info;
        change->key = rest.key;
        change->when = rest.when;
        change->dump = rest.dump;
        change->info.name = p;
        change->info.properties = head.properties_size ? p + head.name_size : NULL;
        p += head.name_size + head.properties_size;
    }
    *at = (size_t)(p + head.size - b->changes.data);
    change->data = p;
    if (change->dump) {
        change->data = change->dump;
        change->size = change->key;
        change->key = 0;
    }
    return true;
}
