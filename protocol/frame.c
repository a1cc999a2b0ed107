/* The scan: heads are read when they are there whole (6 bytes at most), what they announce is
 * checked against the limits at once, bodies are skipped as they come. The state is a count of what
 * is left in each open array and map; a loop, no recursion. */
#include "protocol/frame.h"

#include "redo_error.h"

enum kind { SCALAR, BYTES, TEXT, EXT, ARRAY, MAP, NEVER };

/* The first bytes from c0 to df. */
static const struct head {
    uint8_t kind;
    uint8_t width; /* bytes of the count or length that follows */
    uint8_t body;  /* bytes after that, besides what the length says */
} heads[32] = {
    {SCALAR, 0, 0}, {NEVER, 0, 0},  {SCALAR, 0, 0}, {SCALAR, 0, 0}, /* nil, (never), false, true */
    {BYTES, 1, 0},  {BYTES, 2, 0},  {BYTES, 4, 0},                  /* bin 8, 16, 32 */
    {EXT, 1, 1},    {EXT, 2, 1},    {EXT, 4, 1},                    /* ext 8, 16, 32 */
    {SCALAR, 0, 4}, {SCALAR, 0, 8},                                 /* float 32, 64 */
    {SCALAR, 0, 1}, {SCALAR, 0, 2}, {SCALAR, 0, 4}, {SCALAR, 0, 8}, /* uint 8, 16, 32, 64 */
    {SCALAR, 0, 1}, {SCALAR, 0, 2}, {SCALAR, 0, 4}, {SCALAR, 0, 8}, /* int 8, 16, 32, 64 */
    {EXT, 0, 2},    {EXT, 0, 3},    {EXT, 0, 5},                    /* fixext 1, 2, 4 */
    {EXT, 0, 9},    {EXT, 0, 17},                                   /* fixext 8, 16 */
    {TEXT, 1, 0},   {TEXT, 2, 0},   {TEXT, 4, 0},                   /* str 8, 16, 32 */
    {ARRAY, 2, 0},  {ARRAY, 4, 0},                                  /* array 16, 32 */
    {MAP, 2, 0},    {MAP, 4, 0},                                    /* map 16, 32 */
};

/* Bytes of what stands alone by its first byte, which is most of what there is: numbers, nil,
 * booleans. 0 for what a length, a count or a flag goes with. */
static uint8_t const alone[256] = {
    [0x00 ... 0x7f] = 1, [0xc0] = 1, [0xc2 ... 0xc3] = 1, [0xca] = 5,          [0xcb] = 9,
    [0xcc] = 2,          [0xcd] = 3, [0xce] = 5,          [0xcf] = 9,          [0xd0] = 2,
    [0xd1] = 3,          [0xd2] = 5, [0xd3] = 9,          [0xe0 ... 0xff] = 1,
};

void frame_init(struct frame *f)
{
    /* Not the stack: only what was pushed is read. */
    f->status = FRAME_MORE;
    f->flags = 0;
    f->exceeded = NULL;
    f->at = 0;
    f->body = 0;
    f->pending = 1;
    f->items = 0;
    f->text = (struct utf8){0};
    f->checking = false;
    f->depth = 0;
}

static enum frame_status exceed(struct frame *f, char const *limit)
{
    f->exceeded = limit;
    return f->status = FRAME_TOOBIG;
}

/* An object has ended: so has every array and map of which it was the last. */
static inline enum frame_status end_object(struct frame *f)
{
    while (f->depth > 0) {
        if (--f->left[f->depth - 1] > 0)
            return FRAME_MORE;
        f->depth--;
    }
    return f->status = FRAME_COMPLETE;
}

/* The count or length after a first byte. */
static uint64_t read_number(uint8_t const *bytes, unsigned width)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < width; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* An array or map of so many objects, its head read. */
static enum frame_status begin_container(struct frame *f, struct frame_limits const *limits,
                                         uint64_t count)
{
    if (f->depth >= limits->depth || f->depth >= FRAME_DEPTH_MAX)
        return exceed(f, "depth");
    f->pending += count;
    if (count == 0)
        return end_object(f);
    f->left[f->depth++] = count;
    return FRAME_MORE;
}

/* Reads the head at f->at, of which `have` bytes (at least one) are there. *whole is false, and
 * nothing is changed, if they are not all of it. */
static enum frame_status begin_object(struct frame *f, struct frame_limits const *limits,
                                      uint8_t const *bytes, size_t have, bool *whole)
{
    uint8_t first = bytes[0];
    struct head head = {SCALAR, 0, 0};
    uint64_t number = 0;

    if (first >= 0xc0 && first < 0xe0) {
        head = heads[first - 0xc0];
        if (have < 1u + head.width) {
            *whole = false;
            return FRAME_MORE;
        }
        number = read_number(bytes + 1, head.width);
    } else if (first >= 0xa0 && first < 0xc0) {
        head.kind = TEXT;
        number = first & 0x1f;
    } else if (first >= 0x80 && first < 0xa0) {
        head.kind = first < 0x90 ? MAP : ARRAY;
        number = first & 0x0f;
    }
    *whole = true;
    if (head.kind == NEVER)
        return f->status = FRAME_BROKEN;
    f->at += 1 + head.width;
    f->pending--;
    f->items++;

    enum frame_status status = FRAME_MORE;
    if (head.kind == ARRAY || head.kind == MAP) {
        status = begin_container(f, limits, head.kind == MAP ? 2 * number : number);
    } else {
        f->body = head.body + number;
        f->checking = head.kind == TEXT;
        if (head.kind == EXT)
            f->flags |= FRAME_EXT;
        if (f->body == 0)
            status = end_object(f);
    }
    if (f->status == FRAME_TOOBIG)
        return status;
    if (f->at + f->body + f->pending > limits->bytes)
        return exceed(f, "bytes");
    if (f->items + f->pending > limits->items)
        return exceed(f, "items");
    return status;
}

/* Skips what is there of a body; of a str it is looked at. */
static enum frame_status skip_body(struct frame *f, uint8_t const *bytes, size_t have)
{
    size_t size = have < f->body ? have : (size_t)f->body;

    if (f->checking && !utf8_feed(&f->text, bytes, size)) {
        f->flags |= FRAME_BADUTF8;
        f->checking = false;
        f->text = (struct utf8){0};
    }
    f->at += size;
    f->body -= size;
    if (f->body > 0)
        return FRAME_MORE;
    if (f->text.need > 0) {
        f->flags |= FRAME_BADUTF8;
        f->text = (struct utf8){0};
    }
    return end_object(f);
}

enum frame_status frame_scan(struct frame *f, struct frame_limits const *limits, void const *data,
                             size_t size)
{
    uint8_t const *bytes = data;

    while (f->status == FRAME_MORE && f->at < size) {
        bool whole = true;
        unsigned width;
        if (f->body > 0) {
            skip_body(f, bytes + f->at, size - f->at);
        } else if ((width = alone[bytes[f->at]]) > 0 && width <= size - f->at) {
            f->at += width;
            f->pending--;
            f->items++; /* within the limit: it was pending */
            if (f->at + f->pending > limits->bytes)
                exceed(f, "bytes");
            else
                end_object(f);
        } else {
            begin_object(f, limits, bytes + f->at, size - f->at, &whole);
        }
        if (!whole)
            break;
    }
    return f->status;
}

int frame_code(struct frame const *f)
{
    if (f->status == FRAME_BROKEN)
        return REDO_EFRAME;
    if (f->status == FRAME_TOOBIG)
        return REDO_ETOOBIG;
    if (f->flags & FRAME_BADUTF8)
        return REDO_EUTF8;
    if (f->flags & FRAME_EXT)
        return REDO_ETYPE;
    return REDO_OK;
}
