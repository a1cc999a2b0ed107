/* Unpacking a frame that frame.h has found complete, and a look at its four fields. */
#include "protocol/message.h"

#include "protocol/unpack.h"
#include "redo_error.h"

static bool read_id(msgpack_object const *o, struct message *m)
{
    m->has_id = o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= UINT32_MAX;
    if (m->has_id)
        m->id = (uint32_t)o->via.u64;
    return m->has_id;
}

static bool read_call(msgpack_object const *method, msgpack_object const *params, struct message *m)
{
    if (method->type == MSGPACK_OBJECT_STR) {
        m->method = method->via.str.ptr;
        m->method_size = method->via.str.size;
    } else if (method->type == MSGPACK_OBJECT_BIN) {
        m->method = method->via.bin.ptr;
        m->method_size = method->via.bin.size;
    } else {
        return false;
    }
    if (params->type != MSGPACK_OBJECT_ARRAY)
        return false;
    m->params = params->via.array;
    return true;
}

/* The id comes first, also where the rest is wrong: with it an error can be answered. */
static bool read_message(msgpack_object const *o, struct message *m)
{
    if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size == 0)
        return false;
    msgpack_object const *item = o->via.array.ptr;
    uint32_t count = o->via.array.size;

    if (item[0].type != MSGPACK_OBJECT_POSITIVE_INTEGER || item[0].via.u64 > MESSAGE_NOTIFICATION)
        return false;
    m->type = (enum message_type)item[0].via.u64;
    if (m->type == MESSAGE_NOTIFICATION)
        return count == 3 && read_call(&item[1], &item[2], m);

    bool id = count > 1 && read_id(&item[1], m);
    if (!id || count != 4)
        return false;
    if (m->type == MESSAGE_REQUEST)
        return read_call(&item[2], &item[3], m);
    m->error = item[2];
    m->result = item[3];
    return true;
}

int message_parse(struct message *m, msgpack_zone *zone, void const *data,
                  struct frame const *frame)
{
    msgpack_object object;

    m->type = MESSAGE_UNKNOWN;
    m->has_id = false;
    m->bad_text = false;
    m->id = 0;
    msgpack_zone_clear(zone);
    if (unpack(&object, zone, data) != REDO_OK) {
        m->has_id = message_peek(data, frame->at, &m->id);
        if (m->has_id)
            m->type = MESSAGE_REQUEST;
        return REDO_ENOMEM;
    }
    if (!read_message(&object, m))
        return REDO_EMESSAGE;
    if (m->type == MESSAGE_RESPONSE)
        return frame_code(frame);
    m->bad_text = frame->flags & FRAME_BADUTF8;
    return frame->flags & FRAME_EXT ? REDO_ETYPE : REDO_OK;
}

bool message_peek(void const *data, size_t size, uint32_t *id)
{
    uint8_t const *bytes = data;

    if (size < 3 || bytes[0] != 0x94 || bytes[1] != 0)
        return false;
    unsigned width = bytes[2] == 0xcc ? 1 : bytes[2] == 0xcd ? 2 : bytes[2] == 0xce ? 4 : 0;
    if (width == 0) {
        *id = bytes[2];
        return bytes[2] < 0x80;
    }
    if (size < 3 + width)
        return false;
    *id = 0;
    for (unsigned i = 0; i < width; i++)
        *id = *id << 8 | bytes[3 + i];
    return true;
}
