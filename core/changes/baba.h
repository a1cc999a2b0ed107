/* The built-in schema: the lines of the undo buffer of Baba Is You, as its document tells them. */
#ifndef CORE_CHANGES_BABA_H
#define CORE_CHANGES_BABA_H

#include "core/changes/value.h"

/* Writes the schema of that name, in the form of any schema: "baba", as the document has it, or
 * "baba-old-first", in which `update` tells the old place before the new, as the game itself does.
 * False if it has neither name. */
bool baba_schema(char const *name, size_t size, struct value_writer *w);

#endif
