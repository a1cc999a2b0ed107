/* A layer between SQLite and the system (a SQLite "VFS" over the default one) that puts a checksum
 * into the reserved last 8 bytes of every page of a database and holds each page that is read
 * against it: so a damaged page is an error (SQLITE_IOERR_DATA) and never a wrong answer, nor the
 * base of something written. SQLite itself looks after the write-ahead log in such a way, not after
 * pages. What a commit puts into the log goes there in few large writes. */
#ifndef SERVER_STORE_PAGE_VFS_H
#define SERVER_STORE_PAGE_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_VFS "redo" /* its name for sqlite3_open_v2() */
#define PAGE_SIZE 1024  /* small: each commit writes the pages it touches as a whole */
#define PAGE_RESERVED 8 /* bytes of the checksum */

/* Makes it known to SQLite; any number of times, on any thread. A SQLite code. */
int page_vfs_register(void);

/* Whether a page's checksum is right, its number (from 1) included. A page of zeros is: space that
 * was taken and not used yet. */
bool page_whole(void const *page, uint32_t number);

#endif
