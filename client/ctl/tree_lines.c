/* What the turns of a tree were made of, in a session told by change: asked for, many at a time, of
 * those positions alone that are shown. */
#include "client/ctl/kinds.h"
#include "client/ctl/tree.h"
#include "redo_error.h"

#define PIPELINE 256 /* requests under way */

struct asked {
    uint32_t id[PIPELINE], place[PIPELINE];
    unsigned count;
};

static int no_memory(void)
{
    cli_complain("out of memory");
    return EXIT_BAD;
}

static int ask(struct tree const *tree, struct ctl *ctl, char const *session, uint32_t place,
               struct asked *asked)
{
    struct buffer *b = ctl_request(ctl, "getlines", 2);

    if (!ctl_pack_name(b, session))
        return EXIT_USAGE;
    pack_uint(b, tree->node[place].p.number);
    asked->id[asked->count] = ctl->id;
    asked->place[asked->count++] = place;
    return CLI_GO;
}

/* A position that was dropped meanwhile has no lines. */
static int take(struct tree *tree, struct ctl *ctl, struct asked *asked)
{
    int code = connection_flush(&ctl->c);

    if (code != REDO_OK)
        return ctl_fail(ctl, code, NULL);
    for (unsigned i = 0; i < asked->count; i++) {
        msgpack_object result;
        code = connection_receive(&ctl->c, asked->id[i], &result);
        if (code == REDO_EDROPPED)
            continue;
        if (code != REDO_OK)
            return ctl_fail(ctl, code, &result);
        char *text = kinds_text(map_get(&result, "lines"));
        if (!text)
            return no_memory();
        tree->node[asked->place[i]].lines = text;
    }
    asked->count = 0;
    return CLI_GO;
}

int tree_load_lines(struct tree *tree, struct ctl *ctl, char const *session)
{
    struct asked asked = {.count = 0};
    uint32_t level = 0;
    int status = CLI_GO;

    for (uint32_t at = tree->top; at != TREE_NONE && status == CLI_GO;
         at = tree_walk(tree, tree->top, at, tree->depth, &level)) {
        if (tree->node[at].p.prev == UINT32_MAX)
            continue;
        status = ask(tree, ctl, session, at, &asked);
        if (status == CLI_GO && asked.count == PIPELINE)
            status = take(tree, ctl, &asked);
    }
    return status == CLI_GO ? take(tree, ctl, &asked) : status;
}
