/* Unpacking bytes that frame.h has found complete: every count in them is backed by bytes and they
 * nest no deeper than FRAME_DEPTH_MAX, so nothing needs to be looked at twice. msgpack-c's own
 * unpacker, made for bytes of any kind, takes three times as long. */
#ifndef PROTOCOL_UNPACK_H
#define PROTOCOL_UNPACK_H

#include <msgpack.h>

/* Reads the object at data, a complete frame. Arrays and maps are in the zone, all else points into
 * data. REDO_OK or REDO_ENOMEM. */
int unpack(msgpack_object *object, msgpack_zone *zone, void const *data);

#endif
