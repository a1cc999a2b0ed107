/* What is shared by the search through a box and its memory. */
#ifndef CORE_ROUTES_LEVEL_H
#define CORE_ROUTES_LEVEL_H

#include "core/routes/choose.h"

/* Room for so many items; false if the budget does not allow it. */
bool class_open(struct chooser *c, struct class *k, uint32_t room);
void class_close(struct chooser *c, struct class *k);

#endif
