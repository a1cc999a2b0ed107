/* Many connections attached to one session, all in one process: who stops it stops them all.
 *
 *   bench-crowd SOCKET SESSION CONNECTIONS
 *
 * The session's states begin with the time at which they were sent: 8 bytes, nanoseconds of
 * CLOCK_MONOTONIC, lowest first; its operations since the attach are all adds. Prints `attached`,
 * then obeys lines:
 *
 *   wait N    answers `there` once every connection has got operation N, or gets no more: it was
 *             told that it lags, or was closed
 *   report    answers in a line: connections that get events, that lag, that were closed; events
 *             since the last report; their latency, p50 and p99 in microseconds
 *
 * Ends with the input. A gap in a connection's numbers, or anything that is no event, is a failure.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"
#include "message.h"

#define READ_SIZE (256 * 1024)

struct member {
    int fd; /* -1: closed */
    bool lags;
    uint64_t sequence; /* of the last operation it was told */
    char *rest;        /* of a message that has not come whole */
    size_t rest_size;
};

static struct member *members;
static unsigned member_count;
static size_t state_size;
static struct {
    uint32_t *all; /* tenths of microseconds, of the events since the last report */
    size_t count, cap;
} latency;
static uint64_t awaited; /* `wait N`; 0: nobody waits */
static int poller;

/* ---- what comes -------------------------------------------------------------------------- */

static void note_latency(char const *state)
{
    uint64_t sent;
    memcpy(&sent, state, sizeof sent);
    if (latency.count == latency.cap) {
        latency.cap = latency.cap * 2 + 65536;
        latency.all = realloc(latency.all, latency.cap * sizeof *latency.all);
        if (!latency.all)
            fail("no memory for %zu figures", latency.cap);
    }
    double passed = now() * 1e9 - (double)sent;
    latency.all[latency.count++] = passed < 0 ? 0 : (uint32_t)(passed / 100);
}

static uint64_t number_at(char const *at)
{
    unsigned char head = (unsigned char)*at;
    if (head < 0x80)
        return head;
    if (head < 0xcc || head > 0xce)
        fail("no number where one should be: %02x", head);
    return get(at + 1, 1U << (head - 0xcc));
}

static bool is_text(char const *at, char const *text)
{
    size_t size = strlen(text);
    return (unsigned char)*at == (0xa0 | size) && !memcmp(at + 1, text, size);
}

/* The object after this one, both within a whole message. */
static char const *after(char const *at)
{
    return at + object_size(at, SIZE_MAX / 2);
}

static void take(struct member *m, char const *message)
{
    char const *method = message + 2, *params = after(method), *session = params + 1;
    if (message[0] != '\x93' || message[1] != 2)
        fail("what came is no event");
    if (is_text(method, "lagged")) {
        m->lags = true;
        return;
    }
    if (!is_text(method, "operation"))
        fail("an event that is not expected");
    char const *sequence = after(session), *operation = after(sequence);
    if (number_at(sequence) != m->sequence + 1)
        fail("operation %llu comes after %llu", (unsigned long long)number_at(sequence),
             (unsigned long long)m->sequence);
    m->sequence++;
    note_latency(after(operation) - state_size); /* which is the end of an add */
}

static void receive(struct member *m)
{
    static char in[2 * READ_SIZE];
    memcpy(in, m->rest, m->rest_size);
    ssize_t got = recv(m->fd, in + m->rest_size, READ_SIZE, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got <= 0) {
        close(m->fd);
        m->fd = -1;
        return;
    }
    size_t size = m->rest_size + (size_t)got, at = 0;
    for (size_t whole; (whole = object_size(in + at, size - at)) > 0; at += whole)
        take(m, in + at);
    m->rest_size = size - at;
    if (m->rest_size > READ_SIZE)
        fail("a message is very long");
    memcpy(m->rest, in + at, m->rest_size);
}

/* ---- attaching --------------------------------------------------------------------------- */

/* The answer to a request, which must be no error; events that come before it are none of ours. */
static size_t ask(struct member *m, char const *request, size_t size, char *answer, size_t cap)
{
    size_t have = 0;
    if (send(m->fd, request, size, 0) != (ssize_t)size)
        fail("a request could not be sent");
    while (object_size(answer, have) == 0) {
        ssize_t got = have < cap ? recv(m->fd, answer + have, 1, 0) : 0;
        if (got <= 0)
            fail("no answer");
        have += (size_t)got;
    }
    if (answer[1] != 1 || answer[3] != '\xc0')
        fail("refused: %.*s", (int)have, answer);
    return have;
}

/* The number under this key of an answer. */
static uint64_t number_in(char const *answer, size_t size, char const *key)
{
    char const *at = memmem(answer, size, key, strlen(key));
    if (!at)
        fail("an answer without %s", key + 1);
    return number_at(at + strlen(key));
}

static void attach(struct member *m, char const *path, char const *session)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char request[512], answer[1024];
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    *m = (struct member){.fd = socket(AF_UNIX, SOCK_STREAM, 0), .rest = malloc(READ_SIZE)};
    if (!m->rest || connect(m->fd, (struct sockaddr *)&address, sizeof address) < 0)
        fail("can not connect to %s: %s", path, strerror(errno));
    size_t size = (size_t)sprintf(request,
                                  "\x94%c%c\xa6"
                                  "attach\x92%c%s\x82\xa7"
                                  "effects\xc2\xa8"
                                  "snapshot\xc2",
                                  0, 1, (int)(0xa0 | strlen(session)), session);
    size_t got = ask(m, request, size, answer, sizeof answer);
    m->sequence = number_in(answer, got, "\xa8sequence");
    state_size = number_in(answer, got, "\xa4size");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = m};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, m->fd, &event) < 0)
        fail("epoll: %s", strerror(errno));
}

/* ---- what is asked ----------------------------------------------------------------------- */

static void answer_if_there(void)
{
    for (unsigned i = 0; awaited && i < member_count; i++)
        if (members[i].fd >= 0 && !members[i].lags && members[i].sequence < awaited)
            return;
    if (awaited)
        puts("there");
    awaited = 0;
}

static int compare(void const *a, void const *b)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    return (x > y) - (x < y);
}

static void report(void)
{
    unsigned lag = 0, closed = 0;
    for (unsigned i = 0; i < member_count; i++) {
        lag += members[i].fd >= 0 && members[i].lags;
        closed += members[i].fd < 0;
    }
    qsort(latency.all, latency.count, sizeof *latency.all, compare);
    size_t n = latency.count;
    printf("%u %u %u %zu %.1f %.1f\n", member_count - lag - closed, lag, closed, n,
           n ? latency.all[n / 2] / 10.0 : 0, n ? latency.all[n * 99 / 100] / 10.0 : 0);
    latency.count = 0;
}

/* False at the end of the input. */
static bool obey(void)
{
    static char line[64];
    static size_t have;
    ssize_t got = read(STDIN_FILENO, line + have, sizeof line - 1 - have);
    if (got <= 0)
        return false;
    have += (size_t)got;
    line[have] = '\0';
    if (!strchr(line, '\n'))
        return true;
    if (!strncmp(line, "wait ", 5))
        awaited = strtoull(line + 5, NULL, 10);
    else if (!strncmp(line, "report", 6))
        report();
    else
        fail("what is this: %s", line);
    have = 0;
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 4 || strlen(argv[2]) > 31)
        fail("see the head of crowd.c");
    member_count = (unsigned)strtoul(argv[3], NULL, 10);
    members = calloc(member_count, sizeof *members);
    poller = epoll_create1(0);
    for (unsigned i = 0; i < member_count; i++)
        attach(&members[i], argv[1], argv[2]);
    struct epoll_event ready[256], input = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &input);
    puts("attached");
    fflush(stdout);
    for (;;) {
        int n = epoll_wait(poller, ready, 256, -1);
        for (int i = 0; i < n; i++) {
            struct member *m = ready[i].data.ptr;
            if (m && m->fd >= 0)
                receive(m);
            else if (!m && !obey())
                return 0;
        }
        answer_if_there();
        fflush(stdout);
    }
}
