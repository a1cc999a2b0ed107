/* What clients give of a record, the shapes RECORD, CANDIDATE and ANALYSIS of methods.def, made the
 * bytes that operations have (core/README.md has the forms). All that is in it is looked at, and
 * what does not fit is told with the item and the field that it is in. A failure is prepared in the
 * call, but for want of memory for the bytes, which shows in the buffer. Loop thread only. */
#ifndef SERVER_GIVEN_H
#define SERVER_GIVEN_H

#include "core/redo_record.h"
#include "server/call.h"

/* Arrays and maps in one another in a value that is kept with a position: in an event, with all
 * that is around it there, they stay below what a message may nest. */
#define GIVEN_DEPTH 16

/* Items to be added: how many, and they. */
int given_items(struct call *call, msgpack_object_array const *list, enum redo_of of,
                struct buffer *out);

/* A map of changes to an item: which parts it has, and they. shared false alone takes away an
 * analysis that is shared and no other: `shares` tells whether it is. */
int given_changes(struct call *call, msgpack_object const *map, enum redo_of of, bool shares,
                  struct buffer *out);

/* A whole record; of nil nothing. */
int given_record(struct call *call, msgpack_object const *map, struct buffer *out);

/* Ids: how many, and they. */
int given_ids(struct call *call, msgpack_object_array const *list, struct buffer *out);

/* A value that is to be kept; of nil nothing. */
int given_value(struct call *call, msgpack_object const *value, struct buffer *out);

/* Whether bytes are one value of msgpack that clients can be told. */
bool given_value_valid(void const *data, size_t size);

#endif
