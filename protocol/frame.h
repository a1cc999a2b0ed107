/* Where a message ends: a scan of msgpack bytes that allocates nothing, looks at every byte at most
 * once however they come in pieces, and refuses what would cost too much to unpack.
 *
 * It stands before msgpack-c, which allocates what the head of an array announces before the items
 * are there (msgpack-c#1013: five bytes ask for 96 GB). Once a frame is complete, every count in it
 * is backed by bytes, and it nests no deeper than msgpack-c can follow.
 *
 * It knows msgpack and not what a message is; see message.h. */
#ifndef PROTOCOL_FRAME_H
#define PROTOCOL_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/utf8.h"

/* Arrays and maps in one another: what msgpack-c's unpacker can hold, and no limit can be more. */
#define FRAME_DEPTH_MAX 32

struct frame_limits {
    size_t bytes;   /* of a whole message */
    uint32_t items; /* objects in a message, counting arrays, maps, keys and values each */
    uint32_t depth; /* arrays and maps in one another, the message itself is one */
};

#define FRAME_LIMITS_DEFAULT \
    ((struct frame_limits){.bytes = 64 * 1024 * 1024, .items = 1000000, .depth = FRAME_DEPTH_MAX})

enum frame_status {
    FRAME_MORE,     /* all is well, and the end has not come */
    FRAME_COMPLETE, /* the message is the first frame->at bytes */
    FRAME_BROKEN,   /* not msgpack: nothing after it can be understood either */
    FRAME_TOOBIG,   /* over the limit that frame->exceeded names, or bound to go over it */
};

enum frame_flags {
    FRAME_EXT = 1,     /* there is an ext in it */
    FRAME_BADUTF8 = 2, /* there is a str in it that is not UTF-8; see message_parse() */
};

struct frame {
    enum frame_status status;
    unsigned flags;       /* of enum frame_flags, of what was seen so far */
    char const *exceeded; /* FRAME_TOOBIG: "bytes", "items" or "depth", a field of the limits */
    size_t at;            /* bytes looked at; the message's length when it is complete */

    uint64_t body;    /* bytes to come of the scalar that was begun */
    uint64_t pending; /* objects announced and not begun: each takes a byte at least */
    uint64_t items;   /* objects begun */
    struct utf8 text; /* where in a character the str stands ... */
    bool checking;    /* ... if a str was begun, and is UTF-8 so far */
    uint32_t depth;   /* arrays and maps begun and not ended */
    uint64_t left[FRAME_DEPTH_MAX]; /* objects to come in each of them, the outermost first */
};

/* Before each message. */
void frame_init(struct frame *f);

/* Goes on with a message whose bytes so far are [data, data+size): always from its beginning (they
 * may have been moved), never less than in the call before; they may go past its end. Once it is
 * not FRAME_MORE the answer stays. */
enum frame_status frame_scan(struct frame *f, struct frame_limits const *limits, void const *data,
                             size_t size);

/* The code that stands for a status and its flags: REDO_EFRAME, REDO_ETOOBIG; of a complete one
 * REDO_EUTF8, REDO_ETYPE (an ext), REDO_OK. */
int frame_code(struct frame const *f);

#endif
