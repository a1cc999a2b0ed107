/* Games of a file, one after the other, into sessions of the daemon. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/ctl/game_files.h"
#include "client/ctl/progress.h"
#include "client/ctl/text.h"
#include "client/ctl/upload.h"
#include "client/games/games.h"
#include "client/games/mat.h"
#include "redo_error.h"

/* --- an end before the end --- */

/* What was made is taken back then. Once: the next signal ends the process. Who waits for input
 * waits for the pipe too: a signal may come just before it waits. */
static volatile sig_atomic_t stopped;
static int stop_pipe[2] = {-1, -1};

static void stop(int signal)
{
    int error = errno;
    stopped = signal;
    ssize_t n = write(stop_pipe[1], "", 1);
    (void)n; /* it is empty, and has room for that */
    errno = error;
}

static int stop_on_signals(void)
{
    static int const signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now, then = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    if (pipe(stop_pipe)) {
        cli_complain("can not make a pipe: %s", strerror(errno));
        return EXIT_BAD;
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &then, NULL);
    return CLI_GO;
}

/* --- reading --- */

struct reading_file {
    struct game_source source;
    uint64_t done;
    int error; /* of the last read, or 0 */
    struct progress progress;
};

/* Waits for input, and not in vain once a signal has come; as read(). */
static ssize_t read_unless_stopped(int fd, char *buffer, size_t size)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = stop_pipe[0], .events = POLLIN}};
    int rc = poll(fds, 2, -1);
    if (stopped)
        errno = EINTR;
    return rc < 0 || stopped ? -1 : read(fd, buffer, size);
}

static long read_source(void *data, char *buffer, size_t size)
{
    struct reading_file *f = data;
    ssize_t n;
    if (f->source.begun_size > 0) {
        n = (ssize_t)(size < f->source.begun_size ? size : f->source.begun_size);
        memcpy(buffer, f->source.begun, (size_t)n);
        f->source.begun += n;
        f->source.begun_size -= (size_t)n;
    } else {
        do
            n = read_unless_stopped(f->source.fd, buffer, size);
        while (n < 0 && !stopped && (errno == EINTR || errno == EAGAIN));
    }
    if (n < 0)
        f->error = errno;
    else
        f->done += (uint64_t)n;
    return n;
}

static void complain(struct reading_file *f, redo_sgf_error const *e)
{
    progress_end(&f->progress);
    if (stopped)
        cli_complain("stopped by a signal; nothing was imported");
    else if (f->error)
        cli_complain("can not read %s: %s", f->source.path, strerror(f->error));
    else if (e->line > 0)
        cli_complain("%s:%lu:%lu: %s; nothing was imported", f->source.path, e->line, e->column,
                     e->message);
    else
        cli_complain("%s: %s; nothing was imported", f->source.path, e->message);
}

static int upload(struct reading_file *f, struct upload *u, redo_session *session)
{
    int status = upload_session(u, session);
    if (status == CLI_GO && stopped) {
        complain(f, NULL);
        status = EXIT_BAD;
    }
    return status;
}

static int import_sgf(struct reading_file *f, struct upload *u, redo_sgf_reader *reader)
{
    redo_sgf_game *game;
    redo_sgf_error error;
    int status = CLI_GO;
    while (status == CLI_GO) {
        if (redo_sgf_reader_next(reader, &game) != REDO_OK) {
            complain(f, redo_sgf_reader_error(reader));
            return EXIT_BAD;
        }
        if (!game)
            break;
        redo_session *session = game_import_sgf(game, u->games == 0, &error);
        if (session)
            status = upload(f, u, session);
        else
            complain(f, &error);
        redo_sgf_game_free(game);
        if (!session)
            return EXIT_BAD;
        progress_show(&f->progress, f->done, u->games, "games");
    }
    if (status != CLI_GO)
        return status;
    redo_sgf_string tail = redo_sgf_reader_tail(reader);
    bool usual = tail.size == 1 && tail.data[0] == '\n';
    return upload_end(u, usual ? NULL : tail.data, tail.size);
}

static int import_as_sgf(struct reading_file *f, struct upload *u)
{
    redo_sgf_options options;
    redo_sgf_options_init(&options);
    options.charset = f->source.charset;
    redo_sgf_reader *reader = redo_sgf_reader_open(read_source, f, &options);
    if (!reader) {
        cli_complain("out of memory");
        return EXIT_BAD;
    }
    int status = import_sgf(f, u, reader);
    redo_sgf_reader_close(reader);
    return status;
}

static int import_pgn(struct reading_file *f, struct upload *u, redo_pgn_reader *reader)
{
    redo_pgn_game *game;
    redo_sgf_error error;
    int status = CLI_GO;
    while (status == CLI_GO) {
        if (redo_pgn_reader_next(reader, &game) != REDO_OK) {
            complain(f, redo_pgn_reader_error(reader));
            return EXIT_BAD;
        }
        if (!game)
            return upload_end(u, NULL, 0);
        redo_session *session = game_import_pgn(game, &error);
        if (session)
            status = upload(f, u, session);
        else
            complain(f, &error);
        redo_pgn_game_free(game);
        if (!session)
            return EXIT_BAD;
        progress_show(&f->progress, f->done, u->games, "games");
    }
    return status;
}

static int import_as_pgn(struct reading_file *f, struct upload *u)
{
    redo_pgn_options options;
    redo_pgn_options_init(&options);
    options.charset = f->source.charset;
    redo_pgn_reader *reader = redo_pgn_reader_open(read_source, f, &options);
    if (!reader) {
        cli_complain("out of memory");
        return EXIT_BAD;
    }
    int status = import_pgn(f, u, reader);
    redo_pgn_reader_close(reader);
    return status;
}

static int import_as_mat(struct reading_file *f, struct upload *u)
{
    redo_mat_match *match;
    redo_sgf_error error;
    int status = CLI_GO;
    redo_mat_options options;
    redo_mat_options_init(&options);
    options.charset = f->source.charset;
    if (redo_mat_read(read_source, f, &options, &match, &error) != REDO_OK) {
        complain(f, &error);
        return EXIT_BAD;
    }
    for (redo_mat_game const *g = redo_mat_games(match); g && status == CLI_GO; g = g->next) {
        redo_session *session = game_import_mat(match, g, &error);
        if (!session)
            complain(f, &error);
        status = session ? upload(f, u, session) : EXIT_BAD;
    }
    if (status == CLI_GO && !redo_mat_games(match)) {
        cli_complain("%s has no games; nothing was imported", f->source.path);
        status = EXIT_BAD;
    }
    redo_mat_match_free(match);
    return status == CLI_GO ? upload_end(u, NULL, 0) : status;
}

int game_files_import(struct ctl *ctl, enum game_file kind, struct game_source const *source,
                      char const *name)
{
    struct reading_file f = {.source = *source};
    struct upload u;
    struct stat st;
    bool known = fstat(source->fd, &st) == 0 && S_ISREG(st.st_mode);
    int status = upload_begin(&u, ctl, name);
    if (status == CLI_GO)
        status = stop_on_signals();
    progress_begin(&f.progress, known ? (uint64_t)st.st_size : 0);
    if (status == CLI_GO)
        status = kind == GAME_FILE_SGF   ? import_as_sgf(&f, &u)
                 : kind == GAME_FILE_PGN ? import_as_pgn(&f, &u)
                                         : import_as_mat(&f, &u);
    progress_end(&f.progress);
    if (status == CLI_GO) {
        printf("%" PRIu64 " game%s, %" PRIu64 " positions in ", u.games, u.games == 1 ? "" : "s",
               u.positions);
        text_print(stdout, name, strlen(name));
        putchar('\n');
    } else {
        upload_undo(&u);
    }
    upload_close(&u);
    return status;
}
