/* server.*: about the daemon itself. */
#include "protocol/describe.h"
#include "server/call.h"
#include "server/daemon.h"
#include "server/log.h"
#include "server/page.h"

int call_server_hello(struct call *call)
{
    struct arg const *client = args_option(&call->args, "client");
    struct arg const *errors = args_option(&call->args, "errors");
    if (errors->present) {
        bool array = errors->bytes.size == 5 && memcmp(errors->bytes.data, "array", 5) == 0;
        bool string = errors->bytes.size == 6 && memcmp(errors->bytes.data, "string", 6) == 0;
        if (!array && !string) {
            call_fail(call, REDO_ECONSTANT);
            error_add_text(&call->error, "errors", errors->bytes.data, errors->bytes.size);
            return REDO_ECONSTANT;
        }
        call->client->conn->errors_as_string = string;
    }
    if (client->present)
        log_debug("connection %llu is %.*s", (unsigned long long)call->client->conn->number,
                  (int)(client->bytes.size > 100 ? 100 : client->bytes.size), client->bytes.data);
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "server");
    pack_cstr(b, "redod");
    pack_key(b, "version");
    pack_cstr(b, REDOD_VERSION);
    return REDO_OK;
}

int call_server_info(struct call *call)
{
    struct describe_limit const limits[] = {
        {"name", ROOM_NAME_MAX},
        {"page", PAGE_MAX},
        {"page_bytes", PAGE_BYTES},
        {"output", call->gateway->daemon->config.output_hard},
        {"connections", call->gateway->daemon->config.max_connections},
    };
    struct frame_limits const *frame = &call->client->conn->conns->limits.frame;
    describe_pack(&call->gateway->methods, REDOD_VERSION, frame, limits,
                  sizeof limits / sizeof *limits, call_reply(call));
    return REDO_OK;
}

int call_server_ping(struct call *call)
{
    pack_nil(call_reply(call));
    return REDO_OK;
}
