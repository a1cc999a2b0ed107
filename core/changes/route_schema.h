/* The schema "route-network": track networks, whose lines are the steps of a stream
 * (core/routes/README.md). */
#ifndef CORE_CHANGES_ROUTE_SCHEMA_H
#define CORE_CHANGES_ROUTE_SCHEMA_H

#include "core/changes/value.h"

/* Writes the schema of that name; false if it is none of these. w->failed without memory. */
bool route_schema(char const *name, size_t size, struct value_writer *w);

#endif
