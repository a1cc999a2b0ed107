/* Operations, inside core/: see redo.h for their form as bytes. */
#ifndef CORE_OPERATION_H
#define CORE_OPERATION_H

#include <stdint.h>

#include "core/redo.h"

/* A hash of what the operation is, its stamp and key left aside; the same on every machine. It
 * tells the kind. */
uint64_t operation_hash(redo_operation const *op);
int operation_hash_kind(uint64_t hash);

#endif
