/* What the moves of a tree are called: the texts of the candidates that were played, and the dice
 * of a roll, of those positions alone that are shown. */
#include <string.h>

#include "client/ctl/tree.h"
#include "redo_error.h"

#define PIPELINE 64 /* requests under way */

struct asked {
    uint32_t id[PIPELINE];
    unsigned count;
};

static int no_memory(void)
{
    cli_complain("out of memory");
    return EXIT_BAD;
}

/* Whether anything is kept with any position: else there is nothing to ask. */
static int ask_any(struct ctl *ctl, char const *session, bool *any)
{
    msgpack_object result;
    struct buffer *b = ctl_request(ctl, "getrecords", 2);

    if (!ctl_pack_name(b, session))
        return EXIT_USAGE;
    pack_map(b, 1);
    pack_key(b, "limit");
    pack_int(b, 1);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    msgpack_object const *records = map_get(&result, "records");
    if (!records || records->type != MSGPACK_OBJECT_ARRAY)
        return ctl_fail_shape(ctl);
    *any = records->via.array.size > 0;
    return CLI_GO;
}

static int ask(struct ctl *ctl, char const *session, uint32_t number, struct asked *asked)
{
    struct buffer *b = ctl_request(ctl, "getrecord", 2);

    if (!ctl_pack_name(b, session))
        return EXIT_USAGE;
    pack_uint(b, number);
    asked->id[asked->count++] = ctl->id;
    return CLI_GO;
}

/* Names a position that is here and has no name yet. */
static bool name(struct tree *tree, int64_t number, msgpack_object const *text)
{
    uint32_t place = tree_find(tree, (uint32_t)number);

    if (place == TREE_NONE || !text || text->type != MSGPACK_OBJECT_STR || !text->via.str.size ||
        tree->node[place].name)
        return true;
    tree->node[place].name = strndup(text->via.str.ptr, text->via.str.size);
    return tree->node[place].name;
}

/* Those that the items of a list lead to. */
static bool name_all(struct tree *tree, msgpack_object const *list)
{
    int64_t leads;

    for (uint32_t i = 0; list && list->type == MSGPACK_OBJECT_ARRAY && i < list->via.array.size;
         i++) {
        msgpack_object const *item = &list->via.array.ptr[i];
        if (integer_read(map_get(item, "leads"), 0, UINT32_MAX - 1, &leads) &&
            !name(tree, leads, map_get(item, "text")))
            return false;
    }
    return true;
}

static bool take_record(struct tree *tree, msgpack_object const *record)
{
    int64_t number;

    if (!integer_read(map_get(record, "position"), 0, UINT32_MAX - 1, &number))
        return true;
    return name_all(tree, map_get(record, "candidates")) &&
           name_all(tree, map_get(record, "decisions")) &&
           name(tree, number, map_get(map_get(record, "properties"), "dice"));
}

/* A position that was dropped meanwhile has no record, and one that is too large is passed over. */
static int take(struct tree *tree, struct ctl *ctl, struct asked *asked)
{
    int code = connection_flush(&ctl->c);

    if (code != REDO_OK)
        return ctl_fail(ctl, code, NULL);
    for (unsigned i = 0; i < asked->count; i++) {
        msgpack_object result;
        code = connection_receive(&ctl->c, asked->id[i], &result);
        if (code == REDO_EDROPPED || code == REDO_EFULL)
            continue;
        if (code != REDO_OK)
            return ctl_fail(ctl, code, &result);
        if (!take_record(tree, &result))
            return no_memory();
    }
    asked->count = 0;
    return CLI_GO;
}

int tree_load_names(struct tree *tree, struct ctl *ctl, char const *session)
{
    struct asked asked = {.count = 0};
    uint32_t level = 0, prev = tree->node[tree->top].p.prev;
    bool any = false;

    int status = ask_any(ctl, session, &any);
    if (status != CLI_GO || !any)
        return status;
    if (prev != UINT32_MAX)
        status = ask(ctl, session, prev, &asked);
    for (uint32_t at = tree->top; at != TREE_NONE && status == CLI_GO;
         at = tree_walk(tree, tree->top, at, tree->depth, &level)) {
        status = ask(ctl, session, tree->node[at].p.number, &asked);
        if (status == CLI_GO && asked.count == PIPELINE)
            status = take(tree, ctl, &asked);
    }
    return status == CLI_GO ? take(tree, ctl, &asked) : status;
}
