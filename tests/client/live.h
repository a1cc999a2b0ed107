/* What tests of the library against a live daemon share: a daemon that can be killed and started
 * again over its store, and a proxy that can cut a connection at any byte. REDOD is the daemon to
 * run. */
#ifndef TESTS_CLIENT_LIVE_H
#define TESTS_CLIENT_LIVE_H

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "redo.h"
#include "redo_client.h"

#define SIZE 4

static char folder[64], path[96], store[96], proxy_path[96];
static char const *relaxed_delay = "100", *output_soft = "4M", *output_seconds = "5";
static bool in_memory;
static pid_t daemon_pid;

static inline int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the daemon --------------------------------------------------------------------------- */

static inline void exec_daemon(void)
{
    int null = open("/dev/null", O_WRONLY);
    char const *redod = getenv("REDOD");
    if (!getenv("TEST_LOG"))
        dup2(null, 2);
    execl(redod, redod, "--store", in_memory ? "memory" : store, "--socket", path,
          "--relaxed-delay", relaxed_delay, "--output-soft", output_soft, "--output-seconds",
          output_seconds, (char *)NULL);
    _exit(127);
}

/* Until it answers; without check's functions, since another thread may call it. */
static inline bool wait_daemon(void)
{
    int64_t end = now() + 20000;
    redo_client *client;
    while (!(client = redo_client_connect(path, 1000))) {
        if (now() > end || waitpid(daemon_pid, NULL, WNOHANG) != 0)
            return false;
        usleep(2000);
    }
    redo_client_close(client);
    return true;
}

static inline void start_daemon(void)
{
    daemon_pid = fork();
    if (daemon_pid == 0)
        exec_daemon();
    if (!wait_daemon()) {
        fprintf(stderr, "no daemon\n");
        abort();
    }
}

static inline void kill_daemon(void)
{
    if (daemon_pid <= 0)
        return;
    kill(daemon_pid, SIGKILL);
    waitpid(daemon_pid, NULL, 0);
    daemon_pid = 0;
}

static inline void restart_daemon(void)
{
    kill_daemon();
    start_daemon();
}

static inline void make_folder(void)
{
    strcpy(folder, "/tmp/redo-live-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s", folder);
    snprintf(store, sizeof store, "%s/store", folder);
    snprintf(proxy_path, sizeof proxy_path, "%s/p", folder);
    setenv("REDO_SOCKET", path, 1);
    unsetenv("REDO_SESSION");
    unsetenv("REDO_DURABLE");
}

static inline void setup(void)
{
    in_memory = false;
    make_folder();
    start_daemon();
}

static inline void setup_in_memory(void)
{
    in_memory = true;
    make_folder();
    start_daemon();
}

static inline void teardown(void)
{
    kill_daemon();
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* ---- a proxy: one connection at a time, cut once ------------------------------------------ */

struct proxy {
    int listener;
    pthread_t thread;
    long cut; /* bytes of the first connection, of both ways, that come through; below 0: all */
    bool was_cut;
    void (*at_cut)(void); /* called before it is cut, or NULL */
    int stop[2];
    int say[2]; /* what is written here is told to the client */
};

static inline int proxy_dial(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strcpy(address.sun_path, path);
    if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Passes on what there is, as far as the cut: false at the end. */
static inline bool proxy_pass(struct proxy *p, int from, int to)
{
    char bytes[4096];
    size_t most = p->cut >= 0 && (size_t)p->cut < sizeof bytes ? (size_t)p->cut : sizeof bytes;
    ssize_t size = most ? recv(from, bytes, most, 0) : 0;
    if (size <= 0)
        return false;
    for (ssize_t sent = 0; sent < size;) {
        ssize_t n = send(to, bytes + sent, (size_t)(size - sent), MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        sent += n;
    }
    if (p->cut >= 0)
        p->cut -= size;
    return p->cut != 0;
}

static inline void proxy_say(struct proxy *p, int client)
{
    char bytes[256];
    ssize_t size = read(p->say[0], bytes, sizeof bytes);
    if (size > 0 && send(client, bytes, (size_t)size, MSG_NOSIGNAL) != size)
        abort();
}

/* Serves a connection to its end: false if the proxy is to stop. */
static inline bool proxy_serve(struct proxy *p, int client)
{
    int server = proxy_dial();
    bool go = true, stop = false;
    while (server >= 0 && go && !stop) {
        struct pollfd fds[4] = {{client, POLLIN, 0},
                                {server, POLLIN, 0},
                                {p->stop[0], POLLIN, 0},
                                {p->say[0], POLLIN, 0}};
        poll(fds, 4, -1);
        if (fds[3].revents)
            proxy_say(p, client);
        stop = fds[2].revents;
        if (go && fds[0].revents)
            go = proxy_pass(p, client, server);
        if (go && fds[1].revents)
            go = proxy_pass(p, server, client);
    }
    if (p->cut == 0) {
        p->was_cut = true;
        if (p->at_cut)
            p->at_cut();
    }
    p->cut = -1;
    close(client);
    if (server >= 0)
        close(server);
    return !stop;
}

static inline void *proxy_run(void *data)
{
    struct proxy *p = data;
    bool go = true;
    while (go) {
        struct pollfd fds[2] = {{p->listener, POLLIN, 0}, {p->stop[0], POLLIN, 0}};
        poll(fds, 2, -1);
        if (fds[1].revents)
            return NULL;
        int client = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
        go = client < 0 || proxy_serve(p, client);
    }
    return NULL;
}

static inline void proxy_start(struct proxy *p, long cut, void (*at_cut)(void))
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *p = (struct proxy){.cut = cut, .at_cut = at_cut};
    p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strcpy(address.sun_path, proxy_path);
    unlink(proxy_path);
    ck_assert_int_eq(bind(p->listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(p->listener, 5), 0);
    ck_assert_int_eq(pipe2(p->stop, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(p->say, O_CLOEXEC), 0);
    ck_assert_int_eq(pthread_create(&p->thread, NULL, proxy_run, p), 0);
}

static inline void proxy_stop(struct proxy *p)
{
    ck_assert_int_eq(write(p->stop[1], "x", 1), 1);
    pthread_join(p->thread, NULL);
    close(p->listener);
    close(p->stop[0]);
    close(p->stop[1]);
    close(p->say[0]);
    close(p->say[1]);
}

/* ---- sessions ------------------------------------------------------------------------------ */

static inline redo_client *connect_to(char const *where)
{
    redo_client *client = redo_client_connect(where, 0);
    ck_assert_ptr_nonnull(client);
    return client;
}

static inline redo_session *join(redo_client *client, char const *name)
{
    redo_session *session = redo_client_beginsession(client, name, "aaaa", SIZE, 3);
    ck_assert_msg(session != NULL, "%s", redo_strerror(redo_lasterror()));
    return session;
}

static inline redo_position *first(redo_session *session)
{
    return redo_getfirstposition(session);
}

static inline redo_position *add(redo_session *session, redo_position *prev, int move,
                                 char const *state)
{
    redo_position *p = redo_addposition(session, prev, move, state, 0, redo_check);
    ck_assert_msg(p != NULL, "%s", redo_strerror(redo_lasterror()));
    return p;
}

static inline void assert_equal(redo_session *a, redo_session *b)
{
    void *one, *two;
    size_t size, other;
    ck_assert_int_eq(redo_dump(a, &one, &size), REDO_OK);
    ck_assert_int_eq(redo_dump(b, &two, &other), REDO_OK);
    ck_assert_uint_eq(size, other);
    ck_assert_mem_eq(one, two, size);
    free(one);
    free(two);
}

/* It is as another client sees it now. */
static inline void assert_as_stored(redo_session *session)
{
    redo_client *other = connect_to(path);
    redo_session *theirs = redo_client_opensession(other, redo_client_name(session));
    ck_assert_msg(theirs != NULL, "%s", redo_strerror(redo_lasterror()));
    assert_equal(session, theirs);
    redo_client_close(other);
}

/* Steps until the condition holds. */
#define step_until(client, condition)                                         \
    do {                                                                      \
        int64_t step_end = now() + 20000;                                     \
        while (!(condition)) {                                                \
            redo_client_step(client, 100);                                    \
            ck_assert_msg(now() < step_end, "it never came: %s", #condition); \
        }                                                                     \
    } while (0)

#define assert_fails(call, value, code)             \
    do {                                            \
        ck_assert((call) == (value));               \
        ck_assert_int_eq(redo_lasterror(), (code)); \
    } while (0)

/* What a client's listener was told. */
struct told {
    int lost, resumed, reloaded, ended, code;
};

static inline void tell(redo_session *session, enum redo_client_event event, int code, void *data)
{
    struct told *told = data;
    told->lost += event == redo_client_lost;
    told->resumed += event == redo_client_resumed;
    told->reloaded += event == redo_client_reloaded;
    told->ended += event == redo_client_ended;
    told->code = code;
}

#endif
