/* The load on a server: many connections from one thread, each with so many requests sent at once
 * (the next ones once all are answered). It does as little as it can for each: requests are copies
 * of one with a few bytes changed, answers are counted.
 *
 *   bench-load add KIND SOCKET PID CONNECTIONS DEPTH COUNT
 *       COUNT requests in all, that add a state of 64 bytes to what the connection has for itself:
 * a session (redo; durable: one that is stored), a list (redis), nothing (echo: the bytes of the
 * first come back) bench-load events KIND SOCKET PID SUBSCRIBERS DEPTH COUNT COUNT adds to one
 * session, or messages to one channel (redis), each told to all subscribers; KIND redo: the
 * operation alone, effects: and what came of it
 *
 * PID is the server, whose CPU time is measured. Prints one line `name value` a figure: rate
 * (requests, or events that arrived, a second), cpu (microseconds of the server for each), load
 * (the same of this program); of add with depth 1 also p50 and p99 (microseconds from write to
 * read). */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"
#include "message.h"

#define STATE_SIZE 64
#define READ_SIZE (256 * 1024)
#define AHEAD 1024 /* events that the publisher may be ahead of the subscribers */

enum kind { REDO, REDIS, ECHO };

struct client {
    int fd;
    uint64_t sent;     /* requests */
    uint64_t received; /* answers */
    uint64_t events;   /* notifications */
    uint64_t batch;    /* answers up to which nothing more is sent */
    uint32_t session;
    double start; /* when the batch was sent */
    char *rest;   /* of a message that has not come whole */
    size_t rest_size;
};

static enum kind kind;
static bool durable;  /* REDO: with names, so that answers wait for the disk */
static char *request; /* a batch of requests, all alike */
static size_t request_size;
static char *in; /* READ_SIZE and what was left */

static char const *number_from(char const *text, unsigned long *number)
{
    char *end;
    *number = strtoul(text, &end, 10);
    if (*end || end == text)
        fail("no number: %s", text);
    return text;
}

/* ---- messages ---------------------------------------------------------------------------- */

/* addposition: every number in its widest form, so that all requests have one size. */
#define ADD_HEAD           \
    "\x94\x00\xce....\xab" \
    "addposition\x96\xce....\xce....\xd2....\xc4\x40"
#define ADD_SIZE (sizeof ADD_HEAD - 1 + STATE_SIZE + 2)
enum { ADD_ID = 3, ADD_SESSION = 21, ADD_PREV = 26, ADD_MOVE = 31, ADD_STATE = 37 };

static void make_requests(unsigned depth)
{
    request_size = kind == REDIS ? 0 : ADD_SIZE;
    if (kind == REDIS)
        request_size = strlen("*3\r\n$5\r\nRPUSH\r\n$8\r\n........\r\n$64\r\n") + STATE_SIZE + 2;
    request = malloc(depth * request_size);
    for (char *r = request; r < request + depth * request_size; r += request_size) {
        if (kind == REDIS) {
            memset(r, '.', request_size);
            memcpy(r, "*3\r\n$5\r\nRPUSH\r\n$8\r\n........\r\n$64\r\n",
                   request_size - STATE_SIZE - 2);
            memcpy(r + request_size - 2, "\r\n", 2);
        } else {
            memcpy(r, ADD_HEAD, sizeof ADD_HEAD - 1);
            memset(r + ADD_STATE, '.', STATE_SIZE);
            memcpy(r + ADD_STATE + STATE_SIZE, "\x00\x01", 2);
        }
    }
}

static void send_all(struct client *c, char const *data, size_t size)
{
    if (send(c->fd, data, size, 0) != (ssize_t)size)
        fail("the kernel did not take a batch: %s", strerror(errno));
}

/* Adds: each to the one before, with a state of its own. */
static void send_batch(struct client *c, unsigned count)
{
    char key[9];
    for (unsigned i = 0; i < count; i++) {
        char *r = request + i * request_size;
        uint32_t number = (uint32_t)(c->sent + i);
        if (kind == REDIS) {
            if (i == 0)
                snprintf(key, sizeof key, "%08x", c->session);
            memcpy(r + 19, key, 8);
            memcpy(r + request_size - 10, &number, 4);
        } else {
            put32(r + ADD_ID, number);
            put32(r + ADD_SESSION, c->session);
            put32(r + ADD_PREV, number);
            put32(r + ADD_MOVE, number & 3);
            memcpy(r + ADD_STATE + 8, &number, 4);
        }
    }
    c->start = now();
    send_all(c, request, count * request_size);
    c->sent += count;
    c->batch = c->sent;
}

/* Counts what is whole in [data, data+size); the bytes of it. */
static size_t count_messages(struct client *c, char const *data, size_t size)
{
    size_t at = 0;
    if (kind == ECHO) {
        c->received += size / request_size;
        return size - size % request_size;
    }
    if (kind == REDIS) {
        char const *end = data + size;
        for (char const *line; (line = memchr(data + at, '\n', (size_t)(end - data) - at));) {
            if (data[at] != ':')
                fail("redis answers: %.*s", (int)(line - data - at), data + at);
            at = (size_t)(line - data) + 1;
            c->received++;
        }
        return at;
    }
    for (size_t whole; (whole = object_size(data + at, size - at)) > 0; at += whole) {
        if (data[at] == '\x93') {
            c->events++;
            continue;
        }
        c->received++;
        size_t error = 2 + object_size(data + at + 2, whole - 2);
        if (data[at + error] != '\xc0')
            fail("redod answers with an error");
    }
    return at;
}

/* Reads what is there. */
static void receive(struct client *c)
{
    memcpy(in, c->rest, c->rest_size);
    ssize_t size = recv(c->fd, in + c->rest_size, READ_SIZE, MSG_DONTWAIT);
    if (size < 0 && errno == EAGAIN)
        return;
    if (size <= 0)
        fail("the server hung up");
    size_t whole = (size_t)size + c->rest_size;
    size_t used = count_messages(c, in, whole);
    c->rest_size = whole - used;
    if (c->rest_size > 4096)
        fail("an answer is very long");
    memcpy(c->rest, in + used, c->rest_size);
}

/* ---- connections ------------------------------------------------------------------------- */

static void client_open(struct client *c, char const *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    *c = (struct client){.fd = socket(AF_UNIX, SOCK_STREAM, 0), .rest = malloc(4096)};
    if (connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0)
        fail("can not connect to %s: %s", path, strerror(errno));
}

/* One request and the whole answer to it, for what comes before the clock starts. */
static size_t ask(struct client *c, char const *data, size_t size, char *answer, size_t cap)
{
    size_t have = 0;
    send_all(c, data, size);
    for (;;) {
        ssize_t got = recv(c->fd, answer + have, cap - have, 0);
        if (got <= 0)
            fail("the server hung up");
        have += (size_t)got;
        if (kind == REDIS ? answer[have - 1] == '\n' : object_size(answer, have) == have)
            return have;
    }
}

/* Begins a session, with this name if not NULL, and remembers its handle. */
static void begin_session(struct client *c, char const *name)
{
    char message[256], answer[1024];
    size_t size = (size_t)sprintf(message,
                                  "%c%c%c\xac"
                                  "beginsession%c\xc4\x40%064d\x40%c",
                                  0x94, 0, 0, name ? 0x94 : 0x93, 0, 0);
    message[1] = message[2] = message[size - 1] = 0;
    if (name)
        size +=
            (size_t)sprintf(message + size, "\x81\xa4name%c%s", (int)(0xa0 | strlen(name)), name);
    size_t got = ask(c, message, size, answer, sizeof answer);
    char *at = memmem(answer, got, "\xa7session", 8);
    if (!at)
        fail("redod begins no session");
    unsigned char head = (unsigned char)at[8];
    c->session = head < 0x80 ? head : get(at + 9, 1u << (head - 0xcc));
}

static double server_time(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t))
        fail("the server's CPU time can not be read");
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double own_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int compare(void const *a, void const *b)
{
    double x = *(double const *)a, y = *(double const *)b;
    return (x > y) - (x < y);
}

/* ---- the two loads ----------------------------------------------------------------------- */

static int poller;
static clockid_t server;

static void watch(struct client *c)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event) < 0)
        fail("epoll: %s", strerror(errno));
}

static void report(double start, double cpu, double own, uint64_t count)
{
    double n = (double)count;
    printf("rate %.0f\ncpu %.4f\nload %.4f\n", n / (now() - start),
           (server_time(server) - cpu) * 1e6 / n, (own_time() - own) * 1e6 / n);
}

static void load_add(char const *path, unsigned count, unsigned depth, uint64_t total)
{
    struct client *clients = calloc(count, sizeof *clients);
    struct epoll_event ready[256];
    double *latency = malloc(total * sizeof *latency);
    uint64_t sent = 0, received = 0;

    make_requests(depth);
    for (unsigned i = 0; i < count; i++) {
        client_open(&clients[i], path);
        if (kind == REDO && durable) { /* a name of its own: it goes to the store */
            char name[32];
            snprintf(name, sizeof name, "%ld-%u", (long)getpid(), i);
            begin_session(&clients[i], name);
        } else if (kind == REDO) {
            begin_session(&clients[i], NULL);
        } else {
            clients[i].session = i;
        }
        watch(&clients[i]);
    }
    double cpu = server_time(server), own = own_time(), start = now();
    for (unsigned i = 0; i < count && sent < total; i++, sent += depth)
        send_batch(&clients[i], depth);
    while (received < sent) {
        int n = epoll_wait(poller, ready, 256, 10000);
        if (n <= 0)
            fail("the server does not answer");
        for (int i = 0; i < n; i++) {
            struct client *c = ready[i].data.ptr;
            uint64_t before = c->received;
            receive(c);
            if (depth == 1 && c->received > before)
                latency[received] = now() - c->start;
            received += c->received - before;
            if (c->received == c->batch && sent < total) {
                send_batch(c, depth);
                sent += depth;
            }
        }
    }
    report(start, cpu, own, received);
    if (depth == 1) {
        qsort(latency, received, sizeof *latency, compare);
        printf("p50 %.2f\np99 %.2f\n", latency[received / 2] * 1e6,
               latency[received * 99 / 100] * 1e6);
    }
}

/* Events of redis are all of one size. */
#define CHANNEL_HEAD "*3\r\n$7\r\nmessage\r\n$5\r\nbench\r\n$64\r\n"
#define CHANNEL_SIZE (sizeof CHANNEL_HEAD - 1 + STATE_SIZE + 2)

static void receive_published(struct client *c)
{
    ssize_t size = recv(c->fd, in, READ_SIZE, MSG_DONTWAIT);
    if (size == 0)
        fail("the server hung up");
    if (size > 0)
        c->rest_size += (size_t)size;
    c->events = c->rest_size / CHANNEL_SIZE;
}

static void send_published(struct client *c, unsigned count)
{
    static char const head[] = "*3\r\n$7\r\nPUBLISH\r\n$5\r\nbench\r\n$64\r\n";
    char message[sizeof head - 1 + STATE_SIZE + 2];
    memcpy(message, head, sizeof head - 1);
    memset(message + sizeof head - 1, '.', STATE_SIZE);
    memcpy(message + sizeof message - 2, "\r\n", 2);
    request = realloc(request, count * sizeof message);
    for (unsigned i = 0; i < count; i++)
        memcpy(request + i * sizeof message, message, sizeof message);
    send_all(c, request, count * sizeof message);
    c->sent += count;
    c->batch = c->sent;
}

static void subscribe(struct client *c, struct client const *publisher, char const *name,
                      bool effects)
{
    char message[256], answer[1024];
    size_t size;
    if (kind == REDIS) {
        size = (size_t)sprintf(message, "SUBSCRIBE bench\r\n");
    } else {
        size = (size_t)sprintf(message,
                               "%c%c%c\xa6"
                               "attach\x92%c%s\x81\xa7"
                               "effects%c",
                               0x94, 1, 1, (int)(0xa0 | strlen(name)), name, effects ? 0xc3 : 0xc2);
        message[1] = message[2] = 0;
    }
    (void)publisher;
    ask(c, message, size, answer, sizeof answer);
}

static void load_events(char const *path, unsigned count, unsigned depth, uint64_t total,
                        bool effects)
{
    struct client *clients = calloc(count + 1, sizeof *clients), *publisher = &clients[count];
    struct epoll_event ready[256];
    uint64_t events = 0;
    char name[32];

    make_requests(depth);
    client_open(publisher, path);
    snprintf(name, sizeof name, "bench-%ld", (long)getpid());
    if (kind == REDO)
        begin_session(publisher, name);
    watch(publisher);
    for (unsigned i = 0; i < count; i++) {
        client_open(&clients[i], path);
        subscribe(&clients[i], publisher, name, effects);
        watch(&clients[i]);
    }
    double cpu = server_time(server), own = own_time(), start = now();
    while (events < total * count) {
        if (publisher->received == publisher->batch && publisher->sent < total &&
            events + (uint64_t)AHEAD * count >= publisher->sent * count) {
            if (kind == REDIS)
                send_published(publisher, depth);
            else
                send_batch(publisher, depth);
        }
        int n = epoll_wait(poller, ready, 256, 10000);
        if (n <= 0)
            fail("the server does not answer");
        for (int i = 0; i < n; i++) {
            struct client *c = ready[i].data.ptr;
            uint64_t before = c->events;
            if (kind == REDIS && c != publisher)
                receive_published(c);
            else
                receive(c);
            events += c->events - before;
        }
    }
    report(start, cpu, own, events);
}

int main(int argc, char **argv)
{
    unsigned long pid, count, depth, total;
    if (argc != 8)
        fail("see the head of load.c");
    bool effects = !strcmp(argv[2], "effects");
    durable = !strcmp(argv[2], "durable");
    kind = !strcmp(argv[2], "redis") ? REDIS : !strcmp(argv[2], "echo") ? ECHO : REDO;
    number_from(argv[4], &pid);
    number_from(argv[5], &count);
    number_from(argv[6], &depth);
    number_from(argv[7], &total);
    in = malloc(READ_SIZE + 4096);
    poller = epoll_create1(0);
    if (clock_getcpuclockid((pid_t)pid, &server))
        fail("no process %lu", pid);
    total -= total % depth;
    if (!strcmp(argv[1], "add"))
        load_add(argv[3], (unsigned)count, (unsigned)depth, total);
    else
        load_events(argv[3], (unsigned)count, (unsigned)depth, total, effects);
    return 0;
}
