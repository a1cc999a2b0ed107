/* The protocol told from its tables: to clients as the result of server.info, to readers as the
 * reference in protocol/README.md. */
#ifndef PROTOCOL_DESCRIBE_H
#define PROTOCOL_DESCRIBE_H

#include "protocol/buffer.h"
#include "protocol/frame.h"
#include "protocol/method.h"

/* One more limit to tell of, besides those of frames and states. */
struct describe_limit {
    char const *name;
    uint64_t value;
};

/* Packs the map
 *   {server, version, methods: [{name, params: [{name, type}], options: [{name, type}], result,
 *    doc}], events: [{name, params: [{name, type}], doc}], shapes: [{name, fields}],
 *    errors: [{code, name, text}], limits: {bytes, items, depth, state, ...}}
 * with room for `extra` pairs more, which the caller packs after it. */
void describe_pack(struct methods const *m, char const *version, struct frame_limits const *frame,
                   struct describe_limit const *more, size_t count, size_t extra, struct buffer *b);

/* What stands around the reference in README.md, each on a line of its own. */
#define REFERENCE_BEGIN "<!-- begin generated -->\n"
#define REFERENCE_END "<!-- end generated -->\n"

/* Appends the reference in Markdown, from REFERENCE_BEGIN to REFERENCE_END. */
void reference_write(struct methods const *m, struct buffer *b);

#endif
