/* check, restore: a store that no daemon owns. Elsewhere the client knows nothing of the server;
 * these two link the server's static library `store`, since there is nobody to ask. They hold the
 * store's lock while they work, as a daemon would, and know no more of its files than
 * server/store/store.h tells, but for what they are called. */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/text.h"
#include "protocol/place.h"
#include "redo_error.h"
#include "server/lock.h"
#include "server/store/store.h"

#define FOLDER_MAX 3900 /* bytes of a folder's path */
#define PATH_ROOM 4096
#define WHY_MAX 4600

#define STORE_OPTION(field)                                                     \
    {                                                                           \
        .name = "store", .type = CLI_TEXT, .value = (field), .argument = "DIR", \
        .help = "the store's folder (as redod has)"                             \
    }

/* ---- the folder -------------------------------------------------------------------------- */

/* The folder that --store names, or the default. */
static int find_folder(char const *given, char *folder)
{
    struct place_environment environment = {
        .uid = geteuid(),
        .runtime_dir = getenv("XDG_RUNTIME_DIR"),
        .state_home = getenv("XDG_STATE_HOME"),
        .home = getenv("HOME"),
    };

    if (given && (!*given || strlen(given) >= FOLDER_MAX)) {
        cli_complain("'%.100s' is not a folder", given);
        return EXIT_USAGE;
    }
    if (given) {
        strcpy(folder, given);
        return CLI_GO;
    }
    if (place_store(&environment, folder, FOLDER_MAX) == REDO_OK)
        return CLI_GO;
    cli_complain("no place for the store: HOME is unset, or too long; say --store DIR");
    return EXIT_BAD;
}

/* Whether a store is in the folder; *exists: the folder itself is there. */
static int look_for_store(char const *folder, bool *exists, bool *store)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    unsigned number;

    *store = false;
    *exists = dir != NULL;
    if (!dir && errno == ENOENT)
        return CLI_GO;
    if (!dir) {
        cli_complain("%s: %s", folder, strerror(errno));
        return EXIT_BAD;
    }
    while ((entry = readdir(dir))) {
        int end = 0;
        if (sscanf(entry->d_name, "redo-%9u.db%n", &number, &end) == 1 && end &&
            !entry->d_name[end])
            *store = true;
    }
    closedir(dir);
    return CLI_GO;
}

/* For root: go on as the owner of the folder, so that the daemon, who runs as that user, can use
 * what is made in it. */
static int become_owner(char const *folder)
{
    struct stat status;

    if (geteuid() != 0 || stat(folder, &status) < 0 || status.st_uid == 0)
        return CLI_GO;
    if (setgroups(0, NULL) == 0 && setgid(status.st_gid) == 0 && setuid(status.st_uid) == 0)
        return CLI_GO;
    cli_complain("can not act as the owner of %s: %s", folder, strerror(errno));
    return EXIT_BAD;
}

static int fail_store(int code, char const *why)
{
    if (code == REDO_ELOCKED)
        cli_complain("%s: end that daemon first; or copy the store while it runs, with: redoctl "
                     "backup FILE",
                     why);
    else if (code == REDO_EVERSION)
        cli_complain("%s (it was made by a newer redod)", why);
    else
        cli_complain("%s", *why ? why : redo_strerror(code));
    return EXIT_BAD;
}

/* ---- check ------------------------------------------------------------------------------- */

static void print_name(struct store_info const *info)
{
    if (info->name_size)
        text_print(stdout, info->name, info->name_size);
    else
        printf("session %" PRIu64, info->id);
    if (info->trashed)
        fputs(" (in the trash)", stdout);
}

/* data: whether it is a repair. */
static void print_checked(void *data, struct store_info const *info, uint64_t kept,
                          char const *what)
{
    bool const *repair = data;

    if (!what) {
        printf("whole    ");
        print_name(info);
        if (info->damaged)
            fputs(": was damaged before; what could not be read is set aside", stdout);
        putchar('\n');
        return;
    }
    printf("damaged  ");
    print_name(info);
    printf(": %s", what);
    if (kept)
        printf("; %s operations up to %" PRIu64, *repair ? "kept are" : "a repair keeps", kept);
    else if (info->sequence)
        fputs(*repair ? "; kept is none of its operations"
                      : "; a repair keeps none of its operations",
              stdout);
    if (info->sequence > kept)
        printf(" of %" PRIu64, info->sequence);
    putchar('\n');
}

static int print_sum(struct store_check const *c, bool repair, char const *folder)
{
    bool damage = c->damaged || c->pages;

    printf("%" PRIu64 " sessions whole, %" PRIu64 " damaged", c->whole, c->damaged);
    if (c->pages)
        printf("; pages of the files that are damaged: %" PRIu64, c->pages);
    putchar('\n');
    if (damage && !repair)
        cli_complain("%s is damaged. A daemon serves what is whole, as told above; to put it right "
                     "now: redoctl check --repair",
                     folder);
    return damage ? EXIT_BAD : EXIT_GOOD;
}

static int check(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    char folder[FOLDER_MAX], why[WHY_MAX];
    char const *given = NULL;
    bool repair = false, exists, there;
    struct cli_option const options[] = {STORE_OPTION(&given),
                                         {.name = "repair",
                                          .type = CLI_FLAG,
                                          .value = &repair,
                                          .help = "set aside, in the store, what is damaged"},
                                         {.name = "help", .type = CLI_FLAG, .help = "print this"},
                                         {.name = NULL}};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = find_folder(given, folder);
    if (status == CLI_GO)
        status = look_for_store(folder, &exists, &there);
    if (status == CLI_GO && !there) {
        cli_complain("there is no store in %s; say --store DIR if it is elsewhere", folder);
        status = EXIT_BAD;
    }
    if (status == CLI_GO)
        status = become_owner(folder);
    if (status != CLI_GO)
        return status;

    struct store_check c = {.tell = print_checked, .data = &repair};
    int code = store_check(folder, repair, &c, why, sizeof why);
    if (code)
        return fail_store(code, why);
    status = print_sum(&c, repair, folder);
    if (!repair || status == EXIT_GOOD)
        return status;

    struct store_check again = {.tell = NULL};
    code = store_check(folder, false, &again, why, sizeof why);
    if (code)
        return fail_store(code, why);
    if (!again.damaged && !again.pages) {
        puts("repaired: all that is in use is whole; what is damaged was kept beside it");
        return EXIT_GOOD;
    }
    cli_complain("sessions of which nothing is whole: %" PRIu64
                 ". They stay as they are; a backup or "
                 "an export may have them",
                 again.damaged);
    return EXIT_BAD;
}

struct command const command_check = {
    {.name = "check",
     .params = "",
     .summary = "looks whether a store is whole; no daemon may own it",
     .help =
         "A line a session: whole, or what is wrong with it and up to which operation it can be\n"
         "read, which is what a daemon serves and a repair keeps. Nothing of the store is\n"
         "changed without --repair; as much room as it takes is needed beside it. A repair\n"
         "deletes nothing: what is damaged stays in the folder or in the store, out of the way.\n"
         "Ends with 0 if all is whole (or was made so), with 1 if there is damage.\n"},
    check};

/* ---- restore ----------------------------------------------------------------------------- */

/* The folder and the files in it. */
static void remove_folder(char const *folder)
{
    char path[PATH_ROOM];
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && size > 0 && (size_t)size < sizeof path)
            unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* The process that holds the lock of the folder; 0: none. */
static long find_owner(char const *folder)
{
    char path[PATH_ROOM];
    struct lock lock;
    pid_t holder = 0;

    snprintf(path, sizeof path, "%s/lock", folder);
    if (access(path, F_OK) < 0)
        return 0;
    int taken = lock_take(&lock, path, &holder);
    if (taken == LOCK_TAKEN)
        lock_close(&lock);
    return taken == LOCK_HELD ? (long)holder : 0;
}

static int refuse(char const *folder, bool there)
{
    long owner = find_owner(folder);

    if (owner)
        cli_complain("%s belongs to the daemon that runs as process %ld. End it and move its files "
                     "away, or restore to a new folder with --store DIR",
                     folder, owner);
    else if (there)
        cli_complain("%s has a store already. Move its files away, or restore to a new folder with "
                     "--store DIR",
                     folder);
    return owner || there ? EXIT_BAD : CLI_GO;
}

/* Looks through a copy of the backup, in a folder inside the new one. */
static int check_backup(char const *folder, char const *file, uint64_t *sessions)
{
    char beside[PATH_ROOM], why[WHY_MAX];
    struct store_check c = {.tell = NULL};

    snprintf(beside, sizeof beside, "%s/restoring-%ld", folder, (long)getpid());
    int code = store_restore(beside, file, why, sizeof why);
    if (code == REDO_EDAMAGED)
        cli_complain("%s is not a backup, or is damaged; nothing was restored. What is whole of it "
                     "can be had by copying it to an empty folder as redo-1.db: redoctl check "
                     "--repair --store FOLDER",
                     file);
    else if (code)
        fail_store(code, why);
    if (!code) {
        code = store_check(beside, false, &c, why, sizeof why);
        if (code)
            fail_store(code, why);
    }
    remove_folder(beside);
    if (!code && (c.damaged || c.pages)) {
        cli_complain("%s is damaged: %" PRIu64 " of its %" PRIu64
                     " sessions are not whole; nothing "
                     "was restored. What is whole can be had by copying it to an empty folder as "
                     "redo-1.db: redoctl check --repair --store FOLDER",
                     file, c.damaged, c.damaged + c.whole);
        code = REDO_EDAMAGED;
    }
    *sessions = c.whole;
    return code ? EXIT_BAD : CLI_GO;
}

static int restore(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    char folder[FOLDER_MAX], why[WHY_MAX];
    char const *given = NULL;
    bool exists, there;
    uint64_t sessions;
    struct cli_option const options[] = {STORE_OPTION(&given),
                                         {.name = "help", .type = CLI_FLAG, .help = "print this"},
                                         {.name = NULL}};

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = find_folder(given, folder);
    if (status == CLI_GO)
        status = look_for_store(folder, &exists, &there);
    if (status == CLI_GO)
        status = become_owner(folder);
    if (status == CLI_GO)
        status = refuse(folder, there);
    if (status == CLI_GO && access(argv[0], R_OK) < 0) {
        cli_complain("%s: %s", argv[0], strerror(errno));
        status = EXIT_BAD;
    }
    if (status != CLI_GO)
        return status;

    status = check_backup(folder, argv[0], &sessions);
    if (status == CLI_GO) {
        int code = store_restore(folder, argv[0], why, sizeof why);
        if (code)
            status = fail_store(code, why);
    }
    if (status != CLI_GO) {
        if (!exists)
            rmdir(folder);
        return status;
    }
    printf("restored %" PRIu64 " sessions to %s\n", sessions, folder);
    return EXIT_GOOD;
}

struct command const command_restore = {
    {.name = "restore",
     .params = "FILE",
     .least = 1,
     .most = 1,
     .summary = "makes a store of a backup; no daemon may own it",
     .help = "FILE is what redoctl backup wrote. It is looked through first, for which twice its\n"
             "size is needed as room for a moment. The folder must be new, or have no store.\n"},
    restore};
