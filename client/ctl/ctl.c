#include "client/ctl/ctl.h"

#include <errno.h>
#include <string.h>

#include "client/ctl/json.h"
#include "client/ctl/text.h"
#include "redo_error.h"

#define TIMEOUT 10      /* seconds */
#define PAGE_MANY 10000 /* the daemon takes no more at once */

int ctl_connect(struct ctl *ctl)
{
    if (connection_path(ctl->socket, ctl->path, sizeof ctl->path) != REDO_OK) {
        cli_complain("no place for the socket, or a path longer than a socket can have: say "
                     "--socket PATH");
        return EXIT_BAD;
    }
    if (!ctl->timeout)
        ctl->timeout = ctl->patience ? ctl->patience : TIMEOUT;
    int code = connection_open(&ctl->c, ctl->path, (int)ctl->timeout * 1000);
    if (code == REDO_OK) {
        ctl->open = true;
        return CLI_GO;
    }
    if (code == REDO_ECONNECT && (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR))
        cli_complain("no daemon at %s; start it with: redod --socket %s", ctl->path, ctl->path);
    else if (code == REDO_ECONNECT && (errno == EACCES || errno == EPERM))
        cli_complain("not allowed to connect to %s; its owner can let you in with redod's --mode "
                     "and --allow, and the mode of the folders that it is in",
                     ctl->path);
    else if (code == REDO_ECONNECT && errno == ETIMEDOUT)
        cli_complain("the daemon at %s does not take the connection; is it stopped or overloaded?",
                     ctl->path);
    else
        cli_complain("can not connect to %s: %s", ctl->path, strerror(errno));
    return EXIT_BAD;
}

int ctl_begin(struct ctl *ctl, struct cli_command const *cli, int *argc, char **argv)
{
    struct cli_option const options[] = {COMMON_OPTIONS(ctl)};
    int status = cli_parse(cli, options, false, argc, argv);

    return status == CLI_GO ? ctl_connect(ctl) : status;
}

void ctl_close(struct ctl *ctl)
{
    if (ctl->open)
        connection_close(&ctl->c);
    ctl->open = false;
}

struct buffer *ctl_request(struct ctl *ctl, char const *method, size_t params)
{
    struct buffer *b = connection_request(&ctl->c, method, &ctl->id);

    ctl->method = method;
    pack_array(b, params);
    return b;
}

bool ctl_pack_name(struct buffer *b, char const *name)
{
    if (!cli_utf8(name))
        return false;
    pack_cstr(b, name);
    return true;
}

int ctl_result(struct ctl *ctl, msgpack_object *result)
{
    int code = connection_call(&ctl->c, ctl->id, result);

    return code == REDO_OK ? CLI_GO : ctl_fail(ctl, code, result);
}

static bool is_key(msgpack_object const *key, char const *name)
{
    return key->type == MSGPACK_OBJECT_STR && key->via.str.size == strlen(name) &&
           memcmp(key->via.str.ptr, name, key->via.str.size) == 0;
}

/* The details of a daemon's error: ": position 99, source 3". The method stands before it all. */
static void print_details(FILE *out, msgpack_object const *error)
{
    if (error->type != MSGPACK_OBJECT_ARRAY || error->via.array.size < 3 ||
        error->via.array.ptr[2].type != MSGPACK_OBJECT_MAP)
        return;
    msgpack_object_map const *details = &error->via.array.ptr[2].via.map;
    char const *between = ": ";
    for (uint32_t i = 0; i < details->size; i++) {
        if (is_key(&details->ptr[i].key, "method"))
            continue;
        json_t *value = json_from_msgpack(&details->ptr[i].val);
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        int64_t mode = -1;
        if (is_key(&details->ptr[i].key, "mode")) /* as it is given, in octal */
            integer_read(&details->ptr[i].val, 0, INT32_MAX, &mode);
        fputs(between, out);
        between = ", ";
        if (details->ptr[i].key.type == MSGPACK_OBJECT_STR)
            text_print(out, details->ptr[i].key.via.str.ptr, details->ptr[i].key.via.str.size);
        fputc(' ', out);
        if (mode >= 0)
            fprintf(out, "%04o", (unsigned)mode);
        else if (text)
            text_print(out, text, strlen(text));
        free(text);
        json_decref(value);
    }
}

int ctl_fail(struct ctl *ctl, int code, msgpack_object const *error)
{
    if (ctl->c.fd < 0) {
        switch (code) {
        case REDO_ETIMEOUT:
            cli_complain("the daemon at %s did not answer %s within %lld seconds (--timeout)",
                         ctl->path, ctl->method, (long long)ctl->timeout);
            break;
        case REDO_ECLOSED:
            cli_complain(
                "the daemon at %s closed the connection; its log may say why (does its --allow "
                "name you?)",
                ctl->path);
            break;
        case REDO_EPROTOCOL:
            cli_complain("what answers at %s does not speak redod's protocol", ctl->path);
            break;
        default:
            cli_complain("%s: %s", ctl->method, redo_strerror(code));
        }
        return EXIT_BAD;
    }
    fflush(stdout);
    fputs("redoctl: ", stderr);
    fputs(ctl->method, stderr);
    fputs(": ", stderr);
    text_print(stderr, ctl->c.error, strlen(ctl->c.error));
    if (error)
        print_details(stderr, error);
    fprintf(stderr, " (%s, %d)\n", redo_errorname(code), code);
    return EXIT_BAD;
}

int ctl_fail_shape(struct ctl *ctl)
{
    cli_complain("the answer to %s is not understood; is the daemon of another version?",
                 ctl->method);
    return EXIT_BAD;
}

static int page_request(struct ctl *ctl, struct pages const *pages, bool more, uint64_t next)
{
    bool to_option = more && pages->from;
    struct buffer *b = ctl_request(ctl, pages->method, pages->has_position ? 3 : 2);

    if (!ctl_pack_name(b, pages->session))
        return EXIT_USAGE;
    if (pages->has_position)
        pack_uint(b, more && !pages->from ? next : pages->position);
    pack_map(b, 2 + to_option);
    pack_key(b, "states");
    pack_bool(b, pages->states);
    pack_key(b, "limit");
    pack_uint(b, pages->limit ? pages->limit : PAGE_MANY);
    if (to_option) {
        pack_cstr(b, pages->from);
        pack_uint(b, next);
    }
    return CLI_GO;
}

int ctl_pages(struct ctl *ctl, struct pages pages,
              bool (*row)(void *data, struct position const *p), void *data)
{
    bool more = false;
    uint64_t next = 0;

    do {
        msgpack_object result;
        int status = page_request(ctl, &pages, more, next);
        if (status == CLI_GO)
            status = ctl_result(ctl, &result);
        if (status != CLI_GO)
            return status;

        msgpack_object const *positions = map_get(&result, "positions");
        msgpack_object const *after = map_get(&result, "next");
        if (!positions || positions->type != MSGPACK_OBJECT_ARRAY || !after)
            return ctl_fail_shape(ctl);
        for (uint32_t i = 0; i < positions->via.array.size; i++) {
            struct position p;
            if (!position_read(&positions->via.array.ptr[i], &p))
                return ctl_fail_shape(ctl);
            if (!row(data, &p))
                return CLI_GO;
        }
        more = after->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
        next = more ? after->via.u64 : 0;
    } while (more);
    return CLI_GO;
}

int ctl_games(struct ctl *ctl, char const *match, int64_t offset, int64_t limit,
              msgpack_object *result, int64_t *next)
{
    struct buffer *b = ctl_request(ctl, "getgames", 2);

    *next = 0;
    if (!ctl_pack_name(b, match))
        return EXIT_USAGE;
    pack_map(b, 2);
    pack_key(b, "offset");
    pack_int(b, offset);
    pack_key(b, "limit");
    pack_int(b, limit);
    int status = ctl_result(ctl, result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *games = map_get(result, "games");
    bool more = integer_read(map_get(result, "next"), 0, INT64_MAX, next);
    if (!games || games->type != MSGPACK_OBJECT_ARRAY || (more && *next <= offset))
        return ctl_fail_shape(ctl);
    return CLI_GO;
}
