/* A history as bytes and back; core/README.md has the form. Equal histories give equal bytes. */
#ifndef CORE_DUMP_H
#define CORE_DUMP_H

#include "core/history.h"

/* *data is malloc()ed and the caller's. REDO_OK or REDO_ENOMEM. */
int history_dump(struct history const *h, void **data, size_t *size);

/* A new history, the caller's, from any bytes: REDO_OK, REDO_EDAMAGED, REDO_EVERSION or
 * REDO_ENOMEM. Memory is asked for only as far as there are bytes that call for it. */
int history_load(void const *data, size_t size, struct history **h);

#endif
