/* trash, undelete, purge: sessions that were deleted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/text.h"

/* ---- trash ------------------------------------------------------------------------------- */

static bool print_trashed(void *data, msgpack_object const *session)
{
    msgpack_object const *name = map_get(session, "name");
    int64_t handle, when, positions, owner, games, match;

    if (!name || name->type != MSGPACK_OBJECT_STR ||
        !integer_read(map_get(session, "session"), 0, INT64_MAX, &handle) ||
        !integer_read(map_get(session, "positions"), 0, INT64_MAX, &positions) ||
        !integer_read(map_get(session, "trashed"), INT64_MIN, INT64_MAX, &when) ||
        !integer_read(map_get(session, "owner"), 0, UINT32_MAX, &owner))
        return false;
    printf("%10" PRId64 "  ", handle);
    text_print_time(stdout, when);
    printf(" %10" PRId64 "  ", positions);
    if (owner != geteuid())
        printf("~%" PRId64 "/", owner);
    text_print(stdout, name->via.str.ptr, name->via.str.size);
    if (integer_read(map_get(session, "games"), 0, INT64_MAX, &games))
        printf("  (a match of %" PRId64 ")", games);
    else if (integer_read(map_get(session, "match"), 0, INT64_MAX, &match))
        printf("  (of the match %" PRId64 ")", match);
    putchar('\n');
    return true;
}

static int trash(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    int status = ctl_begin(ctl, cli, &argc, argv);
    if (status == CLI_GO)
        puts("    handle  deleted           positions  name");
    if (status == CLI_GO)
        status = ctl_sessions(ctl, (struct sessions){.trash = true}, print_trashed, NULL);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_trash = {
    {.name = "trash",
     .params = "",
     .summary = "lists the deleted sessions that are kept",
     .help =
         "A line a session: its handle, by which undelete and purge know it, when it was deleted,\n"
         "its positions, and the name that it had; ~UID/NAME of another user's. Of a match how\n"
         "many games it has, of a game the handle of its match.\n"},
    trash};

/* ---- undelete ---------------------------------------------------------------------------- */

static bool read_handle(char const *text, int64_t *handle)
{
    if (cli_number(text, 0, INT64_MAX, handle))
        return true;
    cli_complain("'%s' is not a handle; see: redoctl trash", text);
    return false;
}

static int undelete(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    char const *name = NULL;
    int64_t handle;
    msgpack_object result;
    struct cli_option const options[] = {{.name = "name",
                                          .type = CLI_TEXT,
                                          .value = &name,
                                          .argument = "NAME",
                                          .help = "the name to give it (without: the one it had)"},
                                         COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (!read_handle(argv[0], &handle))
        return EXIT_USAGE;
    status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "restoresession", name ? 2 : 1);
    pack_int(b, handle);
    if (name) {
        pack_map(b, 1);
        pack_key(b, "name");
        if (!ctl_pack_name(b, name))
            return EXIT_USAGE;
    }
    status = ctl_result(ctl, &result);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_undelete = {
    {.name = "undelete",
     .params = "HANDLE",
     .least = 1,
     .most = 1,
     .summary = "brings a session back from the trash",
     .help =
         "HANDLE is what redoctl trash tells. If another session has its name by now: --name. A\n"
         "match comes back with the games that were deleted with it.\n"},
    undelete};

/* ---- purge ------------------------------------------------------------------------------- */

struct handle {
    int64_t session, match; /* match 0: it is a game of none */
};

struct handles {
    struct handle *all;
    size_t count, cap;
    bool failed;
};

static bool take_handle(void *data, msgpack_object const *session)
{
    struct handles *h = data;

    if (h->count == h->cap) {
        size_t cap = h->cap ? 2 * h->cap : 64;
        struct handle *grown = realloc(h->all, cap * sizeof *grown);
        h->failed = h->failed || !grown;
        if (!grown)
            return true;
        h->all = grown;
        h->cap = cap;
    }
    struct handle *one = &h->all[h->count++];
    *one = (struct handle){.session = 0};
    integer_read(map_get(session, "match"), 0, INT64_MAX, &one->match);
    return integer_read(map_get(session, "session"), 0, INT64_MAX, &one->session);
}

/* Whether the person at the terminal says yes. */
static bool ask(char const *what)
{
    char answer[16] = "";

    fflush(stdout);
    fprintf(stderr, "%s will be gone for ever. Go on (yes, no)? ", what);
    if (!fgets(answer, sizeof answer, stdin))
        return false;
    return strcmp(answer, "yes\n") == 0 || strcmp(answer, "y\n") == 0;
}

static int purge_one(struct ctl *ctl, int64_t handle)
{
    msgpack_object result;

    pack_int(ctl_request(ctl, "purgesession", 1), handle);
    return ctl_result(ctl, &result);
}

static int list_handles(struct ctl *ctl, struct handles *h)
{
    h->count = 0;
    int status = ctl_sessions(ctl, (struct sessions){.trash = true}, take_handle, h);
    if (status == CLI_GO && h->failed) {
        cli_complain("out of memory");
        status = EXIT_BAD;
    }
    return status;
}

static int by_session(void const *a, void const *b)
{
    struct handle const *x = a, *y = b;
    return (x->session > y->session) - (x->session < y->session);
}

/* All but those whose match is in the trash too: they go with it, or are of none when it is gone;
 * *left: how many. */
static int purge_listed(struct ctl *ctl, struct handles *h, size_t *left)
{
    int status = CLI_GO;

    *left = 0;
    qsort(h->all, h->count, sizeof *h->all, by_session);
    for (size_t i = 0; status == CLI_GO && i < h->count; i++) {
        struct handle match = {.session = h->all[i].match};
        if (match.session && bsearch(&match, h->all, h->count, sizeof *h->all, by_session))
            ++*left;
        else
            status = purge_one(ctl, h->all[i].session);
    }
    return status;
}

static int purge_all(struct ctl *ctl, bool sure)
{
    struct handles h = {.count = 0};
    char what[60];

    int status = list_handles(ctl, &h);
    size_t count = h.count, left = count;
    snprintf(what, sizeof what, "The %zu sessions in the trash", h.count);
    if (status == CLI_GO && h.count > 0 && !sure && !ask(what)) {
        cli_complain("nothing was purged");
        status = EXIT_BAD;
    }
    while (status == CLI_GO && left) {
        status = purge_listed(ctl, &h, &left);
        if (status == CLI_GO && left)
            status = list_handles(ctl, &h);
    }
    if (status == CLI_GO)
        printf("purged %zu sessions\n", count);
    free(h.all);
    return status;
}

static int purge(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    bool all = false, sure = false;
    int64_t handle = 0;
    char what[60];
    struct cli_option const options[] = {
        {.name = "all", .type = CLI_FLAG, .value = &all, .help = "all that is in the trash"},
        {.name = "yes", .type = CLI_FLAG, .value = &sure, .help = "do not ask"},
        COMMON_OPTIONS(ctl)};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (all == (argc > 0)) {
        cli_complain("purge one of the sessions in the trash, by its HANDLE, or --all of them");
        return EXIT_USAGE;
    }
    if (!all && !read_handle(argv[0], &handle))
        return EXIT_USAGE;
    if (!sure && !(isatty(STDIN_FILENO) && isatty(STDERR_FILENO))) {
        cli_complain("there is no terminal to ask at whether you are sure: say --yes");
        return EXIT_USAGE;
    }
    status = ctl_connect(ctl);
    if (status == CLI_GO && all)
        status = purge_all(ctl, sure);
    else if (status == CLI_GO) {
        snprintf(what, sizeof what, "Session %" PRId64 " in the trash", handle);
        if (sure || ask(what)) {
            status = purge_one(ctl, handle);
        } else {
            cli_complain("nothing was purged");
            status = EXIT_BAD;
        }
    }
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_purge = {
    {.name = "purge",
     .params = "HANDLE | --all",
     .most = 1,
     .summary = "deletes sessions in the trash for ever",
     .help = "HANDLE is what redoctl trash tells. Asks first, on a terminal; without one it does\n"
             "nothing unless --yes is said.\n"},
    purge};
