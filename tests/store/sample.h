/* What the tests of the store share: a folder of their own, and sessions whose content can be told.
 */
#ifndef TESTS_STORE_SAMPLE_H
#define TESTS_STORE_SAMPLE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/dump.h"
#include "core/history.h"
#include "server/store/store.h"
#include "tests/suite.h"

/* A new folder's name, the folder not being there yet; sample_remove() takes it away. */
void sample_folder(char *path, size_t size);
void sample_remove(char const *path);

/* A session as the daemon has it: a history, and what the store is told of it. */
struct sample {
    struct history *history;
    struct store_info info;
    char name[64];
    uint32_t size;   /* of states */
    uint32_t random; /* of the next state */
    bool wild;       /* states differ in all bytes, not in a few */
    unsigned char *state;
};

void sample_begin(struct sample *s, uint64_t id, char const *name, uint32_t size);
void sample_end(struct sample *s);

/* Its beginning, and the next operation (most add a position), put into a batch. */
void sample_create(struct sample *s, struct batch *b);
void sample_step(struct sample *s, struct batch *b);

/* The dump of a history, to be freed. */
struct bytes {
    void *data;
    size_t size;
};
struct bytes sample_dump(struct history const *h);
bool bytes_equal(struct bytes a, struct bytes b);

/* Opens a store that must open. */
struct store *sample_open(char const *folder);

/* That the store gives back exactly this session. */
void assert_stored(struct store_reader *r, struct sample const *s);

#endif
