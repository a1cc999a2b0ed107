/* The parts of a dump beside its positions: properties, authors, cursors, keys, games
 * (core/README.md has the form). */
#ifndef CORE_DUMP_BESIDE_H
#define CORE_DUMP_BESIDE_H

#include "core/history.h"
#include "core/varint.h"

struct writer {
    unsigned char *data;
    size_t size, cap;
    int failed; /* memory lacked: what is written goes nowhere */
    unsigned char nowhere[64];
};

/* Room for so many bytes, 64 at most where they are more than what write_bytes() is for. */
unsigned char *reserve(struct writer *w, size_t bytes);
void write_bytes(struct writer *w, void const *bytes, size_t size);
void write_number(struct writer *w, uint32_t v);

void write_properties(struct history const *h, struct writer *w);
void write_authors(struct history const *h, struct writer *w);
void write_cursors(struct history const *h, struct writer *w);
void write_keys(struct history const *h, struct writer *w);
void write_changes(struct history const *h, struct writer *w);
void write_games(struct history const *h, struct writer *w);

/* Each reads its part, which has to be of this history, whose positions are there, all numbers of
 * positions that were ever given below next: REDO_OK,
 * REDO_EDAMAGED, REDO_ENOMEM. Nothing is there twice, and all in the order in which it is written.
 */
int read_properties(struct history *h, struct varint_reader *r);
int read_authors(struct history *h, struct varint_reader *r);
int read_cursors(struct history *h, struct varint_reader *r, uint32_t next);
int read_keys(struct history *h, struct varint_reader *r, uint32_t next);
int read_changes(struct history *h, struct varint_reader *r);
int read_games(struct history *h, struct varint_reader *r);

#endif
