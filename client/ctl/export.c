/* export, import: one session in a file of the form that protocol/archive.h reads and writes, or
 * games in files of other forms (game_files.h). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/game_files.h"
#include "client/ctl/rails.h"
#include "client/ctl/snapshot.h"
#include "client/ctl/text.h"
#include "protocol/archive.h"
#include "redo_error.h"

#define PIECE (1024 * 1024)     /* of a file, at once */
#define SNIFF (64 * 1024)       /* bytes that tell what kind of file it is */
#define PART (16 * 1024 * 1024) /* of a dump, in a message */
#define PATIENCE 600            /* seconds that a large session may take */

/* What a request for loadsession has besides dump and name, at most; and one for loadpart. */
#define MESSAGE_OVERHEAD 64

static int no_memory(void)
{
    cli_complain("out of memory");
    return EXIT_BAD;
}

/* ---- export ------------------------------------------------------------------------------ */

static bool write_all(int fd, char const *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/* A file that is there when it is whole, and not before. */
struct part {
    char const *path;
    char name[PATH_MAX]; /* until then */
    int fd;
};

static int fail_file(struct part *part)
{
    cli_complain("can not write %s: %s", part->path, strerror(errno));
    if (part->fd >= 0)
        close(part->fd);
    unlink(part->name);
    return EXIT_BAD;
}

static int begin_file(struct part *part, char const *path)
{
    part->path = path;
    if ((size_t)snprintf(part->name, sizeof part->name, "%s.part", path) >= sizeof part->name) {
        cli_complain("'%.100s' is too long a path", path);
        return EXIT_BAD;
    }
    unlink(part->name);
    part->fd = open(part->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return part->fd < 0 ? fail_file(part) : CLI_GO;
}

static int end_file(struct part *part)
{
    bool good = fsync(part->fd) == 0;
    int fd = part->fd;

    part->fd = -1;
    good = close(fd) == 0 && good;
    return good && rename(part->name, part->path) == 0 ? CLI_GO : fail_file(part);
}

static int write_file(char const *path, struct buffer const *b)
{
    struct part part;
    int status = begin_file(&part, path);

    if (status != CLI_GO)
        return status;
    return write_all(part.fd, b->data, b->size) ? end_file(&part) : fail_file(&part);
}

/* Games as a file of another form. What writes them writes to standard output, which is the file
 * then. */
static int export_games(struct ctl *ctl, char const *name, int format, char const *output)
{
    struct part part;
    int status = ctl_connect(ctl);

    if (status != CLI_GO || !output)
        return status == CLI_GO ? game_files_export(ctl, name, format) : status;
    status = begin_file(&part, output);
    if (status != CLI_GO)
        return status;
    if (fflush(stdout) != 0 || dup2(part.fd, STDOUT_FILENO) < 0)
        return fail_file(&part);
    status = game_files_export(ctl, name, format);
    if (status != CLI_GO) {
        close(part.fd);
        unlink(part.name);
        return status;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? end_file(&part) : fail_file(&part);
}

/* The file of a match has its properties alone. */
static int tell_games(struct ctl *ctl, char const *name)
{
    msgpack_object result;
    int64_t games;

    if (!ctl_pack_name(ctl_request(ctl, "getsession", 1), name))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status == CLI_GO && integer_read(map_get(&result, "games"), 1, INT64_MAX, &games))
        cli_complain("the games of the match are not in it, %" PRId64
                     " of them: export each, or --format, or redoctl backup",
                     games);
    return status;
}

static int write_archive(struct snapshot const *e, char const *output)
{
    struct archive archive = {.name = e->name,
                              .name_size = e->name_size,
                              .created = e->created,
                              .dump = e->dump.data,
                              .dump_size = e->dump.size};
    struct buffer b;
    int status;

    buffer_init(&b);
    archive_write(&b, &archive);
    if (b.failed) {
        status = no_memory();
    } else if (output) {
        status = write_file(output, &b);
        if (status == CLI_GO)
            printf("%" PRId64 " position%s, as of operation %" PRId64 ": %zu bytes in %s\n",
                   e->positions, e->positions == 1 ? "" : "s", e->sequence, b.size, output);
    } else {
        fwrite(b.data, 1, b.size, stdout); /* main() looks whether it went well */
        status = CLI_GO;
    }
    buffer_free(&b);
    return status;
}

static int export(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    char const *output = NULL;
    bool force = false;
    int format = -1;
    struct snapshot e = {.created = 0};
    struct cli_option const options[] = {
        {.name = "format",
         .type = CLI_CHOICE,
         .value = &format,
         .argument = "FORMAT",
         .help = "a game, or a match with all its games, as a file of games:\n"
                 "sgf, mat, pgn or json",
         .choices = GAME_FORMATS},
        {.name = "output",
         .letter = 'o',
         .type = CLI_TEXT,
         .value = &output,
         .argument = "FILE",
         .help = "the file (-o; without: standard output)"},
        {.name = "force", .type = CLI_FLAG, .value = &force, .help = "replace FILE if it is there"},
        COMMON_OPTIONS(ctl)};

    ctl->patience = PATIENCE;
    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (format < 0 && !output && isatty(STDOUT_FILENO)) {
        cli_complain("the file is not text, and would go to the terminal: say -o FILE, or > FILE");
        return EXIT_USAGE;
    }
    if (output && !force && access(output, F_OK) == 0) {
        cli_complain("%s is there already; to replace it: --force", output);
        return EXIT_BAD;
    }
    if (format >= 0) {
        status = export_games(ctl, argv[0], format, output);
        return status == CLI_GO ? EXIT_GOOD : status;
    }
    status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = snapshot_read(ctl, argv[0], 0, &e);
    if (status == CLI_GO)
        status = write_archive(&e, output);
    if (status == CLI_GO)
        status = tell_games(ctl, argv[0]);
    buffer_free(&e.dump);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_export = {
    {.name = "export",
     .params = "NAME",
     .least = 1,
     .most = 1,
     .summary = "writes one session to a file, or standard output",
     .help = "The whole session as it is at one moment, properties too, with a checksum. Dropped\n"
             "subtrees that are kept are left out, and so are the games of a match. To have it\n"
             "again, here or elsewhere: redoctl import FILE. protocol/README.md has the form.\n"
             "\n"
             "With --format a game, or a match with all its games, as a file for other programs:\n"
             "  sgf    what was imported from SGF; backgammon from .mat too\n"
             "  mat    backgammon: the main line of each game\n"
             "  pgn    what was imported from PGN\n"
             "  json   any session, with what hangs on its positions; nothing reads it again\n"
             "What sgf, mat and pgn have no place for is not in the file, and told in a line on "
             "standard\n"
             "error; client/games/README.md has what each of them keeps.\n"},
    export};

/* ---- import ------------------------------------------------------------------------------ */

/* After a read that failed: whether that was since nothing is there yet, in what others have told
 * not to be waited for; then it has been. */
static bool waits_for_input(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    return errno == EAGAIN && (poll(&input, 1, -1) > 0 || errno == EINTR);
}

/* The rest of a file, or so many bytes of it. */
static int read_file(int fd, char const *path, struct buffer *b, size_t most)
{
    ssize_t n = -1;

    while (b->size < most && buffer_reserve(b, PIECE)) {
        size_t left = b->cap - b->size;
        n = read(fd, b->data + b->size, left < most - b->size ? left : most - b->size);
        if (n < 0 && (errno == EINTR || waits_for_input(fd)))
            continue;
        if (n <= 0)
            break;
        b->size += (size_t)n;
    }
    if (b->failed)
        return no_memory();
    if (n >= 0)
        return CLI_GO;
    cli_complain("can not read %s: %s", path, strerror(errno));
    return EXIT_BAD;
}

static int fail_archive(enum archive_status status, char const *path)
{
    char const *what = "";

    switch (status) {
    case ARCHIVE_GOOD:
        return CLI_GO;
    case ARCHIVE_FOREIGN:
        what = "is not a file of redoctl export, and none of games (SGF, PGN, .mat) or of track";
        break;
    case ARCHIVE_NEWER:
        what = "was written by a newer redoctl; import it with one";
        break;
    case ARCHIVE_CUT:
        what = "is cut off: its end is missing";
        break;
    case ARCHIVE_DAMAGED:
        what = "is damaged: its checksum does not fit";
        break;
    }
    cli_complain("%s %s; nothing was imported", path, what);
    return EXIT_BAD;
}

/* What the daemon takes at once. */
static int ask_limit(struct ctl *ctl, int64_t *limit)
{
    msgpack_object result;

    ctl_request(ctl, "server.info", 0);
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(map_get(&result, "limits"), "bytes"), 2 * MESSAGE_OVERHEAD, INT64_MAX,
                      limit))
        return ctl_fail_shape(ctl);
    return CLI_GO;
}

/* A dump that is too large for a message is told in parts, which the daemon collects. */
static int load_parts(struct ctl *ctl, struct archive const *archive, size_t limit)
{
    size_t part = limit - MESSAGE_OVERHEAD < PART ? limit - MESSAGE_OVERHEAD : PART;
    char const *dump = archive->dump;

    for (size_t at = 0; at < archive->dump_size; at += part) {
        msgpack_object result;
        size_t left = archive->dump_size - at;
        struct buffer *b = ctl_request(ctl, "loadpart", 2);
        pack_uint(b, at);
        pack_bin(b, dump + at, left < part ? left : part);
        if (b->failed)
            return no_memory();
        int status = ctl_result(ctl, &result);
        if (status != CLI_GO)
            return status;
    }
    return CLI_GO;
}

static int load(struct ctl *ctl, struct archive const *archive, char const *name, size_t size)
{
    msgpack_object result;
    int64_t positions, limit;

    int status = ask_limit(ctl, &limit);
    bool whole = MESSAGE_OVERHEAD + archive->dump_size + size <= (size_t)limit;
    if (status == CLI_GO && !whole)
        status = load_parts(ctl, archive, (size_t)limit);
    if (status != CLI_GO)
        return status;
    struct buffer *b = ctl_request(ctl, "loadsession", 2);
    if (whole)
        pack_bin(b, archive->dump, archive->dump_size);
    else
        pack_nil(b);
    pack_map(b, 1);
    pack_key(b, "name");
    pack_str(b, name, size);
    if (b->failed)
        return no_memory();
    status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "positions"), 0, INT64_MAX, &positions))
        return ctl_fail_shape(ctl);
    printf("%" PRId64 " positions in ", positions);
    text_print(stdout, name, size);
    putchar('\n');
    return CLI_GO;
}

static int import_rails(struct ctl *ctl, struct buffer const *file, char const *path,
                        char const *name)
{
    struct rails rails;

    int status = rails_read(&rails, file->data, file->size, path);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = rails_import(ctl, &rails, path, name);
    rails_close(&rails);
    return status;
}

static bool is_json(struct buffer const *file)
{
    size_t at = 0;

    while (at < file->size && memchr(" \t\r\n", file->data[at], 4))
        at++;
    return at < file->size && (file->data[at] == '{' || file->data[at] == '[');
}

/* What is no file of games. */
static int import_archive(struct ctl *ctl, struct buffer const *file, char const *path,
                          char const *name)
{
    struct archive archive;
    enum archive_status read = archive_read(file->data, file->size, &archive);

    if (read == ARCHIVE_FOREIGN && is_json(file)) {
        cli_complain("%s is JSON without the format of a file of track; what export --format json "
                     "writes is not read again; nothing was imported",
                     path);
        return EXIT_BAD;
    }
    int status = fail_archive(read, path);

    if (status == CLI_GO && !name && archive.name_size == 0) {
        cli_complain("the session in %s has no name: say --name NAME", path);
        status = EXIT_USAGE;
    }
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status == CLI_GO)
        status = load(ctl, &archive, name ? name : archive.name,
                      name ? strlen(name) : archive.name_size);
    return status;
}

static int import_file(struct ctl *ctl, int fd, char const *path, char const *name,
                       char const *charset)
{
    struct buffer file;

    buffer_init(&file);
    int status = read_file(fd, path, &file, SNIFF);
    enum game_file kind = GAME_FILE_NONE;
    if (status == CLI_GO)
        kind = game_file_kind(file.data, file.size);
    if (kind != GAME_FILE_NONE && !name) {
        cli_complain("games in %s have no name to be kept under: say --name NAME", path);
        status = EXIT_USAGE;
    } else if (kind != GAME_FILE_NONE) {
        struct game_source source = {fd, file.data, file.size, path, charset};
        status = game_files_import(ctl, kind, &source, name);
    } else if (status == CLI_GO) {
        status = read_file(fd, path, &file, SIZE_MAX);
        if (status == CLI_GO && rails_begin(file.data, file.size))
            status = import_rails(ctl, &file, path, name);
        else if (status == CLI_GO)
            status = import_archive(ctl, &file, path, name);
    }
    buffer_free(&file);
    return status;
}

static int import(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    char const *name = NULL, *charset = NULL;
    struct cli_option const options[] = {
        {.name = "name",
         .type = CLI_TEXT,
         .value = &name,
         .argument = "NAME",
         .help = "of the session or match (without: the name in the file)"},
        {.name = "charset",
         .type = CLI_TEXT,
         .value = &charset,
         .argument = "CHARSET",
         .help = "of games, whatever the file says (without: as it says, or guessed)"},
        COMMON_OPTIONS(ctl)};

    ctl->patience = PATIENCE;
    int status = cli_parse(cli, options, false, &argc, argv);
    if (status != CLI_GO)
        return status;
    if (name && !cli_utf8(name))
        return EXIT_USAGE;
    bool standard = strcmp(argv[0], "-") == 0;
    char const *path = standard ? "standard input" : argv[0];
    int fd = standard ? STDIN_FILENO : open(argv[0], O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        cli_complain("can not read %s: %s", path, strerror(errno));
        return EXIT_BAD;
    }
    status = import_file(ctl, fd, path, name, charset);
    if (!standard)
        close(fd);
    return status == CLI_GO ? EXIT_GOOD : status;
}

struct command const command_import = {
    {.name = "import",
     .params = "FILE",
     .least = 1,
     .most = 1,
     .summary = "begins a session from a file that export wrote, or of games",
     .help =
         "FILE - is standard input. What kind of file it is its content tells:\n"
         "\n"
         "  what redoctl export wrote (without --format): that session\n"
         "  games in SGF, PGN or .mat: one becomes the session NAME, several the match NAME with\n"
         "  the games NAME/1, NAME/2 and so on; all or none. --name is needed\n"
         "  track: a case (route-network/1) becomes a session with its network as the first turn,\n"
         "  a stream (route-stream/1) one with a turn for each step. What they ask is kept as the\n"
         "  property `routes`: see redoctl routes\n"
         "\n"
         "A session of that name must not be there. When this ends all is on disk. Where it fails, "
         "or\n"
         "SIGINT, SIGTERM or SIGHUP ends it, what it has made is taken back. If it is killed, or "
         "the\n"
         "daemon is, the match NAME is left with the games so far, and has the property\n"
         "import=unfinished, which redoctl match NAME shows: redoctl delete NAME takes it all "
         "away.\n"},
    import};
