/* Lack of memory for tests: a program that is linked with --wrap of malloc, calloc and realloc has
 * its allocations come by here, where one fails, or all from there on. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include <stdbool.h>

/* So many allocations succeed, then one fails, or all; until faults_end(), which gives how many
 * did. */
void faults_begin(long after, bool for_ever);
long faults_end(void);

/* Does work until no allocation of it fails, each failing once and then from there on. Returns how
 * many there are. work gives a code: REDO_ENOMEM if one failed, else REDO_OK; anything else ends
 * the program. */
long faults_try(int (*work)(void *data), void *data);

#endif
