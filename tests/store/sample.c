#include "tests/store/sample.h"

#include <ftw.h>

void sample_folder(char *path, size_t size)
{
    char const *base = getenv("TMPDIR");
    char made[200];

    snprintf(made, sizeof made, "%s/redo-store-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(made));
    snprintf(path, size, "%s/store", made);
}

static int remove_one(char const *path, struct stat const *st, int flag, struct FTW *ftw)
{
    return remove(path);
}

void sample_remove(char const *path)
{
    char above[256];

    snprintf(above, sizeof above, "%s", path);
    *strrchr(above, '/') = '\0';
    nftw(above, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static uint32_t next_random(struct sample *s)
{
    s->random = s->random * 1664525 + 1013904223;
    return s->random >> 8;
}

void sample_begin(struct sample *s, uint64_t id, char const *name, uint32_t size)
{
    *s = (struct sample){.size = size, .random = (uint32_t)id * 7919 + 1};
    snprintf(s->name, sizeof s->name, "%s", name);
    s->state = calloc(1, size);
    s->history = history_new(s->state, size, size);
    ck_assert_ptr_nonnull(s->history);
    s->info = (struct store_info){
        .id = id,
        .name = s->name,
        .name_size = strlen(s->name),
        .size = size,
        .cmpsize = size,
        .positions = 1,
        .graft = redo_graft,
        .created = 1000,
        .used = 1000,
        .owner = 1,
        .mode = 0600,
        .properties = "\x81\xa1k\xa1v",
        .properties_size = 5,
    };
}

void sample_end(struct sample *s)
{
    history_free(s->history);
    free(s->state);
}

struct bytes sample_dump(struct history const *h)
{
    struct bytes b;

    ck_assert_int_eq(history_dump(h, &b.data, &b.size), REDO_OK);
    return b;
}

bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

void sample_create(struct sample *s, struct batch *b)
{
    struct bytes dump = sample_dump(s->history);

    if (s->info.id % 2) { /* as the daemon does */
        batch_create_with(b, &s->info, dump.data, dump.size);
        return;
    }
    batch_create(b, &s->info, dump.data, dump.size);
    free(dump.data);
}

void sample_step(struct sample *s, struct batch *b)
{
    unsigned char encoded[4096];
    redo_operation op = {.kind = REDO_OP_ADD, .statesize = s->size, .state = s->state};
    redo_result result;

    if (s->wild)
        for (uint32_t i = 0; i < s->size; i++)
            s->state[i] = (unsigned char)next_random(s);
    else
        for (int i = 0; i < 3; i++)
            s->state[next_random(s) % s->size] = (unsigned char)next_random(s);
    op.position =
        s->history->next - 1 - next_random(s) % (s->history->next < 8 ? s->history->next : 8);
    op.move = (int)s->info.sequence + 1;
    op.value = redo_check;
    if (s->info.sequence % 7 == 6)
        op = (redo_operation){.kind = REDO_OP_GRAFT, .value = s->history->graft ^ 1};
    size_t size = redo_operation_encode(&op, encoded, sizeof encoded);
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_le(size, sizeof encoded);
    ck_assert_int_eq(history_apply(s->history, &op, &result), REDO_OK);
    ck_assert(result.changed);
    s->info.sequence++;
    s->info.positions = s->history->count;
    s->info.graft = s->history->graft;
    s->info.changed = s->history->changed;
    s->info.used++;
    batch_operation(b, &s->info, encoded, size);
}

struct store *sample_open(char const *folder)
{
    struct store *store = NULL;
    char why[512];

    if (store_open(&store, folder, why, sizeof why))
        ck_abort_msg("store_open: %s", why);
    return store;
}

void assert_stored(struct store_reader *r, struct sample const *s)
{
    struct store_info info;
    struct history *h;
    uint64_t sequence;
    bool damaged;

    ck_assert_int_eq(store_find(r, s->name, strlen(s->name), s->info.owner, &info), REDO_OK);
    ck_assert_uint_eq(info.id, s->info.id);
    ck_assert_uint_eq(info.sequence, s->info.sequence);
    ck_assert_uint_eq(info.positions, s->info.positions);
    ck_assert_int_eq(info.graft, s->info.graft);
    ck_assert_int_eq(info.changed, s->info.changed);
    ck_assert_int_eq(info.used, s->info.used);
    ck_assert_int_eq(store_load(r, info.id, &h, &sequence, &damaged), REDO_OK);
    ck_assert(!damaged);
    ck_assert_uint_eq(sequence, s->info.sequence);
    struct bytes is = sample_dump(h), should = sample_dump(s->history);
    ck_assert(bytes_equal(is, should));
    free(is.data);
    free(should.data);
    history_free(h);
}
