/* What the store costs, without a daemon: bytes written for an add, commits a second beside bare
 * appends, and the time to load a large session beside reading its bytes.
 *
 *   bench-store FOLDER [POSITIONS]
 *
 * FOLDER is made, and stays, on the disk to be measured. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/dump.h"
#include "core/history.h"
#include "server/store/store.h"

#define STATE 64

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Bytes that this process gave to write calls. */
static long long written(void)
{
    char line[100];
    long long bytes = 0;
    FILE *f = fopen("/proc/self/io", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "wchar: %lld", &bytes);
    if (f)
        fclose(f);
    return bytes;
}

static void must(int rc, char const *what)
{
    if (rc) {
        fprintf(stderr, "%s: %s\n", what, redo_strerror(rc));
        exit(1);
    }
}

static uint32_t seed = 1;

static uint32_t next_random(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

struct game {
    struct store_info info;
    unsigned char state[STATE];
    uint32_t position;
};

static void game_begin(struct game *g, struct batch *b, uint64_t id)
{
    char name[32];
    void *dump;
    size_t size;

    *g = (struct game){.info = {.id = id, .size = STATE, .cmpsize = STATE, .positions = 1}};
    g->info.name_size = (size_t)snprintf(name, sizeof name, "game %d", (int)id);
    g->info.name = name;
    struct history *h = history_new(g->state, STATE, STATE);
    must(history_dump(h, &dump, &size), "dump");
    batch_create(b, &g->info, dump, size);
    history_free(h);
    free(dump);
}

/* As a game moves: a few bytes of the state change; or all of them. */
static size_t game_add(struct game *g, struct batch *b, bool random)
{
    unsigned char op[STATE + 64];

    if (random)
        for (int i = 0; i < STATE; i++)
            g->state[i] = (unsigned char)next_random();
    else
        for (int i = 0; i < 4; i++)
            g->state[next_random() % STATE] = (unsigned char)next_random();
    memcpy(g->state, &(uint32_t){(uint32_t)g->info.sequence}, random ? 4 : 0);
    redo_operation add = {.kind = REDO_OP_ADD,
                          .position = g->position++,
                          .move = (int)(next_random() % 8),
                          .value = redo_nocheck,
                          .state = g->state,
                          .statesize = STATE};
    size_t size = redo_operation_encode(&add, op, sizeof op);
    g->info.sequence++;
    g->info.positions++;
    g->info.used++;
    batch_operation(b, &g->info, op, size);
    return size;
}

static struct store *store;
static uint64_t next_id = 1;

static void commit(struct batch *b)
{
    must(store_commit(store, b), "commit");
    batch_clear(b);
    must(store_tidy(store), "tidy");
}

/* Batches of so many adds in each of so many sessions. */
static void measure_bytes(unsigned sessions, unsigned in_flight, bool random)
{
    unsigned batches = 400000 / (sessions * in_flight);
    struct game *g = calloc(sessions, sizeof *g);
    size_t payload = 0;
    struct batch b;

    if (batches > 2000)
        batches = 2000;
    batch_init(&b);
    for (unsigned i = 0; i < sessions; i++)
        game_begin(&g[i], &b, next_id++);
    commit(&b);
    long long before = written();
    double start = now();
    for (unsigned n = 0; n < batches; n++) {
        for (unsigned i = 0; i < sessions; i++)
            for (unsigned k = 0; k < in_flight; k++)
                payload += game_add(&g[i], &b, random);
        commit(&b);
    }
    double seconds = now() - start;
    double adds = (double)batches * sessions * in_flight;
    printf("%3u session(s) x %2u in flight, %-22s: %6.0f bytes written an add (%2.0f of them the "
           "operation), %7.0f commits/s, %8.0f adds/s\n",
           sessions, in_flight, random ? "all bytes change" : "4 of 64 bytes change",
           (double)(written() - before) / adds, (double)payload / adds, batches / seconds,
           adds / seconds);
    free(g);
    batch_close(&b);
}

static void measure_append(char const *folder, unsigned bytes)
{
    char path[512], data[65536] = {0};
    unsigned count = 300;

    snprintf(path, sizeof path, "%s/append", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    double start = now();
    for (unsigned i = 0; i < count; i++)
        if (write(fd, data, bytes) != (ssize_t)bytes || fdatasync(fd) < 0)
            must(REDO_EIO, path);
    printf("bare append of %u bytes and fdatasync: %.0f a second\n", bytes,
           count / (now() - start));
    close(fd);
    unlink(path);
}

static int by_value(void const *a, void const *b)
{
    double x = *(double const *)a, y = *(double const *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

#define TIMES 5

static void measure_load(char const *folder, unsigned positions)
{
    double loads[TIMES], reads[TIMES], bares[TIMES];
    struct batch b;
    struct game g;
    char path[512];

    batch_init(&b);
    game_begin(&g, &b, next_id);
    for (unsigned i = 0; i < positions; i++) {
        game_add(&g, &b, true);
        if (i % 4096 == 4095)
            commit(&b);
    }
    commit(&b);
    for (int compacted = 0; compacted <= 1; compacted++) {
        struct store_reader *r = store_reader_open(store);
        struct history *h;
        uint64_t sequence;
        bool damaged;
        void *dump = NULL;
        size_t size = 0;
        if (compacted) {
            double start = now();
            must(store_compact(store, next_id), "compact");
            printf("compacting it: %.2f s\n", now() - start);
        }
        for (int i = 0; i < TIMES; i++) {
            double start = now();
            must(store_load(r, next_id, &h, &sequence, &damaged), "load");
            loads[i] = now() - start;
            if (i == 0)
                must(history_dump(h, &dump, &size), "dump");
            history_free(h);
            if (damaged || sequence != positions)
                must(REDO_EDAMAGED, "load");
        }
        snprintf(path, sizeof path, "%s/bytes", folder);
        int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (write(fd, dump, size) != (ssize_t)size || fsync(fd) < 0)
            must(REDO_EIO, path);
        for (int i = 0; i < TIMES; i++) {
            posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
            double start = now();
            if (pread(fd, dump, size, 0) != (ssize_t)size)
                must(REDO_EIO, path);
            reads[i] = now() - start;
            start = now();
            must(history_load(dump, size, &h), "history_load");
            bares[i] = now() - start;
            history_free(h);
        }
        close(fd);
        unlink(path);
        free(dump);
        printf("%u positions, %s: loaded in %.3f s; reading %.0f MB from disk %.3f s; "
               "history_load() alone %.3f s\n",
               positions, compacted ? "a snapshot" : "all operations", median(loads, TIMES),
               (double)size / 1e6, median(reads, TIMES), median(bares, TIMES));
        store_reader_close(r);
    }
    batch_close(&b);
    next_id++;
}

static bool count_one(void *data, struct store_info const *info)
{
    ++*(unsigned *)data;
    return true;
}

static void measure_many(unsigned sessions)
{
    struct batch b;
    struct game g;
    unsigned listed = 0;
    uint64_t first = next_id;

    batch_init(&b);
    for (unsigned i = 0; i < sessions; i++) {
        game_begin(&g, &b, next_id++);
        for (int k = 0; k < 20; k++)
            game_add(&g, &b, false);
        if (i % 1000 == 999)
            commit(&b);
    }
    commit(&b);
    struct store_reader *r = store_reader_open(store);
    double start = now();
    must(store_list(r, "", 0, "", 0, 0, SIZE_MAX, false, count_one, &listed), "list");
    double all = now() - start, worst = 0, sum = 0;
    for (int i = 0; i < 1000; i++) {
        struct history *h;
        uint64_t sequence;
        bool damaged;
        start = now();
        must(store_load(r, first + next_random() % sessions, &h, &sequence, &damaged), "load");
        double took = now() - start;
        history_free(h);
        sum += took;
        worst = took > worst ? took : worst;
    }
    printf("%u sessions of 20: all %u listed in %.2f s; one loaded in %.0f us, at worst %.0f us\n",
           sessions, listed, all, sum * 1000, worst * 1e6);
    store_reader_close(r);
    batch_close(&b);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    unsigned positions = argc > 2 ? (unsigned)atoi(argv[2]) : 1000000;
    char why[512];

    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER [POSITIONS]\n", argv[0]);
        return 2;
    }
    if (store_open(&store, argv[1], why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    measure_append(argv[1], 74);
    measure_append(argv[1], 4800);
    for (int random = 0; random <= 1; random++) {
        measure_bytes(1, 64, random);
        measure_bytes(50, 64, random);
        measure_bytes(1, 1, random);
        measure_bytes(50, 1, random);
    }
    measure_load(argv[1], positions);
    measure_many(positions / 10 ? positions / 10 : 1);
    double start = now();
    store_close(store);
    printf("closed in %.2f s\n", now() - start);
    start = now();
    must(store_open(&store, argv[1], why, sizeof why), why);
    printf("opened in %.4f s\n", now() - start);
    store_close(store);
    return 0;
}
