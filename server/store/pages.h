/* The pages of a database as its two files have them, the database and its write-ahead log, read
 * without SQLite: to see what SQLite will make of the log before it does, and to get at what is
 * intact in a database that it can not read. Nothing is written. Both formats are documented and do
 * not change: https://www.sqlite.org/fileformat2.html */
#ifndef SERVER_STORE_PAGES_H
#define SERVER_STORE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_state {
    LOG_CLEAN, /* all that was committed will be read; at most there is a beginning after it */
    LOG_TORN,  /* the last transaction is there but for some bytes: it was interrupted before it was
                * synced, which is the rule, or damaged after */
    LOG_BROKEN, /* transactions are damaged that were synced: later ones are there. SQLite would
                 * drop them and all that come after */
};

/* A page in the log, of a transaction that counts. */
struct frame {
    uint32_t page, frame;
    bool whole; /* its checksum is right */
};

struct pages {
    int database, log;    /* -1: there is none */
    uint32_t count;       /* the highest number of a page */
    uint32_t stored;      /* of which so many in the database, the last perhaps not all there */
    struct frame *frames; /* by page, newest first */
    size_t frame_count;
    enum log_state state;
    uint64_t log_salts;  /* as bytes; they tell one use of the log from the next */
    uint32_t log_frames; /* so many will SQLite read */
};

/* REDO_OK, REDO_ENOMEM or REDO_EIO. To be closed in any case. Not while SQLite has the database
 * open in this process: closing the file would take its locks away. */
int pages_open(struct pages *p, char const *path);
void pages_close(struct pages *p);

/* A page (from 1) in its version 0 (the newest), 1 ...: false if there is none. *whole: its
 * checksum is right. */
bool pages_read(struct pages const *p, uint32_t number, unsigned version, unsigned char *page,
                bool *whole);

/* Version 0, if it is whole. */
bool pages_newest(struct pages const *p, uint32_t number, unsigned char *page);

#endif
