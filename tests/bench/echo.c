/* A bare echo server on libuv, as a floor for what a server on libuv can do: it takes messages of
 * one size and sends them back.
 *
 *   bench-echo SOCKET SIZE each    one write a message
 *   bench-echo SOCKET SIZE turn    one write for all that came, once a turn of the loop */
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "bench.h"

#define ROOM (256 * 1024)

struct peer {
    uv_pipe_t pipe;
    char in[ROOM];
    size_t size;       /* read */
    struct peer *next; /* of those that have something to send */
    bool due;
};

static size_t message_size;
static bool each;
static uv_pipe_t server;
static struct peer *due;

static void send_back(struct peer *peer, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        size_t piece = each ? message_size : size;
        uv_buf_t bytes = uv_buf_init(peer->in + sent, (unsigned)piece);
        if (uv_try_write((uv_stream_t *)&peer->pipe, &bytes, 1) != (int)piece)
            fail("the kernel did not take a message");
        sent += piece;
    }
    memmove(peer->in, peer->in + size, peer->size - size);
    peer->size -= size;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    struct peer *peer = handle->data;
    (void)suggested;
    *room = uv_buf_init(peer->in + peer->size, (unsigned)(ROOM - peer->size));
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void on_read(uv_stream_t *stream, ssize_t size, uv_buf_t const *room)
{
    struct peer *peer = stream->data;
    (void)room;
    if (size < 0)
        uv_close((uv_handle_t *)stream, on_closed);
    if (size <= 0)
        return;
    peer->size += (size_t)size;
    if (each) {
        send_back(peer, peer->size - peer->size % message_size);
    } else if (!peer->due) {
        peer->due = true;
        peer->next = due;
        due = peer;
    }
}

static void on_prepare(uv_prepare_t *prepare)
{
    (void)prepare;
    for (struct peer *peer = due; peer; peer = peer->next) {
        peer->due = false;
        send_back(peer, peer->size - peer->size % message_size);
    }
    due = NULL;
}

static void on_connection(uv_stream_t *stream, int status)
{
    struct peer *peer = calloc(1, sizeof *peer);
    if (status < 0 || !peer)
        fail("no connection");
    uv_pipe_init(stream->loop, &peer->pipe, 0);
    peer->pipe.data = peer;
    if (uv_accept(stream, (uv_stream_t *)&peer->pipe) < 0)
        fail("no connection");
    uv_read_start((uv_stream_t *)&peer->pipe, on_alloc, on_read);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("see the head of echo.c");
    message_size = strtoul(argv[2], NULL, 10);
    each = !strcmp(argv[3], "each");
    uv_loop_t *loop = uv_default_loop();
    uv_prepare_t prepare;
    uv_prepare_init(loop, &prepare);
    uv_prepare_start(&prepare, on_prepare);
    uv_pipe_init(loop, &server, 0);
    unlink(argv[1]);
    if (uv_pipe_bind(&server, argv[1]) < 0 ||
        uv_listen((uv_stream_t *)&server, 1024, on_connection) < 0)
        fail("can not listen on %s", argv[1]);
    return uv_run(loop, UV_RUN_DEFAULT);
}
