/* Two batches a session: one on its way, one that gathers. The first is a turn, all or none; when
 * that is refused, its adds are sent again one by one, so that each is answered for itself.
 *
 * What a batch is encoded to is kept until it is answered: if the connection breaks, the same bytes
 * with the same key are sent over the next one. */
#include "client/adds.h"

#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/error.h"
#include "core/turn.h"

#define WINDOW 1024                    /* adds of a batch at most, as redo_client.h says ... */
#define WINDOW_BYTES (4 * 1024 * 1024) /* ... and bytes of states; but one add may have more */
#define LOOK_EVERY 256                 /* adds, after which the connection is looked at */

/* An add. */
struct item {
    size_t after;      /* the ticket of the add whose position it follows, or 0: ... */
    uint32_t position; /* ... this one */
    int move, endpoint, checkequiv;
    int code;       /* it is not even sent, for this reason */
    uint32_t place; /* in the turn, from 1 */
    redo_client_added *added;
    void *data;
};

struct batch {
    struct item items[WINDOW];
    size_t count;
    size_t ticket;        /* of the first */
    struct buffer states; /* one after the other */
};

struct adds {
    struct mirror *mirror;
    struct batch *gathering, *leaving;
    uint32_t *made; /* by ticket, from 1: the number of the position, or REDO_NOPOSITION */
    size_t tickets, cap;

    bool single;   /* the batch that leaves is sent one by one ... */
    size_t at;     /* ... this one now */
    bool underway; /* sent and not answered ... */
    bool telling;  /* ... or being told to the program */
    bool encoded;  /* `bytes` is what is to be sent: */
    bool turn;     /* a turn of `sent` adds, or the add in place `at` */
    uint32_t sent;
    struct buffer bytes; /* with its key */
    struct request request;
};

static struct adds *adds_of(struct request *r)
{
    return (struct adds *)((char *)r - offsetof(struct adds, request));
}

/* ---- telling what came of them ----------------------------------------------------------- */

/* One add of the batch that leaves is done: it made this position, or none, for this reason. */
static void tell(struct adds *a, size_t i, uint32_t number, int code)
{
    struct mirror *m = a->mirror;
    struct item const *item = &a->leaving->items[i];
    size_t ticket = a->leaving->ticket + i;
    redo_position *p = code ? NULL : &node_at(m->session.history, number)->p;
    a->made[ticket - 1] = code ? REDO_NOPOSITION : number;
    m->client->news++;
    if (!item->added)
        return;
    m->client->inside++;
    item->added(&m->session, ticket, p, code, item->data);
    m->client->inside--;
}

static void batch_empty(struct batch *b)
{
    b->count = 0;
    if (b->states.cap > WINDOW_BYTES)
        buffer_free(&b->states);
    else
        buffer_rewind(&b->states, 0);
}

static void batch_done(struct adds *a)
{
    batch_empty(a->leaving);
    a->single = false;
    a->encoded = false;
    a->at = 0;
}

/* All that leave, from this one on, have failed. */
static void fail_from(struct adds *a, size_t i, int code)
{
    a->telling = true;
    for (; i < a->leaving->count; i++)
        tell(a, i, REDO_NOPOSITION, a->leaving->items[i].code ? a->leaving->items[i].code : code);
    a->telling = false;
    batch_done(a);
}

static void swap(struct adds *a)
{
    struct batch *b = a->leaving;
    a->leaving = a->gathering;
    a->gathering = b;
    a->gathering->ticket = a->tickets + 1;
}

void adds_fail(struct mirror *m, int code)
{
    struct adds *a = m->adds;
    if (!a || a->telling)
        return;
    request_forget(m->client, &a->request);
    a->underway = false;
    fail_from(a, a->single ? a->at : 0, code);
    swap(a);
    fail_from(a, 0, code);
    /* Their numbers, and those of all before, may be those of others now. */
    for (size_t i = 0; i < a->tickets; i++)
        a->made[i] = REDO_NOPOSITION;
}

/* ---- encoding ---------------------------------------------------------------------------- */

/* Where it goes: the position it follows is there, or in the same turn (*after), or it has failed.
 */
static int resolve(struct adds *a, struct item *item, redo_operation *op, uint32_t *after)
{
    *after = 0;
    op->position = item->position;
    if (!item->after)
        return REDO_OK;
    if (!a->single && item->after >= a->leaving->ticket) {
        struct item const *parent = &a->leaving->items[item->after - a->leaving->ticket];
        *after = parent->place;
        op->position = 0;
        return parent->code;
    }
    op->position = a->made[item->after - 1];
    return op->position == REDO_NOPOSITION ? REDO_EPOSITION : REDO_OK;
}

static redo_operation operation_of(struct adds *a, size_t i)
{
    struct item const *item = &a->leaving->items[i];
    size_t size = a->mirror->session.history->size;
    return (redo_operation){.kind = REDO_OP_ADD,
                            .move = item->move,
                            .endpoint = item->endpoint,
                            .value = item->checkequiv,
                            .state = a->leaving->states.data + i * size,
                            .statesize = size};
}

/* Encodes the operation with a key, to be sent. */
static int encode(struct adds *a, redo_operation *op)
{
    unsigned char room[KEY_SIZE];
    change_key(a->mirror, op, room);
    size_t size = redo_operation_encode(op, NULL, 0);
    buffer_rewind(&a->bytes, 0);
    if (!size)
        return REDO_EOPERATION;
    if (!buffer_reserve(&a->bytes, size))
        return REDO_ENOMEM;
    a->bytes.size = redo_operation_encode(op, a->bytes.data, size);
    a->encoded = true;
    return REDO_OK;
}

/* The batch as one turn; what can not go is left out. */
static int encode_turn(struct adds *a)
{
    struct turn_item *items = malloc(a->leaving->count * sizeof *items);
    redo_operation op = {.kind = REDO_OP_TURN, .position = REDO_NOPOSITION};
    void *data = NULL;
    if (!items)
        return REDO_ENOMEM;
    a->sent = 0;
    for (size_t i = 0; i < a->leaving->count; i++) {
        struct item *item = &a->leaving->items[i];
        struct turn_item *t = &items[a->sent];
        t->op = operation_of(a, i);
        item->code = resolve(a, item, &t->op, &t->after);
        item->place = item->code ? 0 : ++a->sent;
    }
    int rc = a->sent ? turn_write(items, a->sent, &data, &op.statesize) : REDO_EPOSITION;
    op.state = data;
    a->turn = true;
    if (!rc)
        rc = encode(a, &op);
    free(data);
    free(items);
    return rc;
}

/* The add in place `at` alone. */
static int encode_single(struct adds *a)
{
    uint32_t after;
    redo_operation op = operation_of(a, a->at);
    int rc = resolve(a, &a->leaving->items[a->at], &op, &after);
    a->turn = false;
    return rc ? rc : encode(a, &op);
}

/* ---- sending and being answered ---------------------------------------------------------- */

static void send_next(struct adds *a);

/* The add in place `at` is done, and with it the batch, or the next one's turn is come. */
static void single_done(struct adds *a, uint32_t number, int code)
{
    size_t i = a->at++;
    a->encoded = false;
    a->telling = true;
    tell(a, i, number, code);
    a->telling = false;
    if (a->at == a->leaving->count)
        batch_done(a);
}

/* The turn has been applied: history_answer() of the replica says what its adds came upon. */
static void turn_done(struct adds *a)
{
    struct answer const *answer = &a->mirror->session.history->answer;
    struct batch *b = a->leaving;
    uint32_t *numbers = malloc((answer->count + 1) * sizeof *numbers);
    uint32_t count = answer->count;
    if (numbers && count)
        memcpy(numbers, answer->items, count * sizeof *numbers);
    a->telling = true;
    for (size_t i = 0; i < b->count; i++) {
        uint32_t place = b->items[i].place;
        bool known = place && numbers && place <= count;
        tell(a, i, known ? numbers[place - 1] >> 1 : REDO_NOPOSITION,
             b->items[i].code ? b->items[i].code
             : known          ? REDO_OK
                              : REDO_ENOMEM);
    }
    a->telling = false;
    free(numbers);
    batch_done(a);
}

/* It was applied; the replica has it, or gets it yet. */
static void applied(struct adds *a, msgpack_object const *answer)
{
    struct mirror *m = a->mirror;
    redo_operation op;
    redo_result r;
    uint64_t sequence = change_read(answer, &r);
    bool own = change_is_own(m, &r, sequence);
    if (!own && r.changed && m->sequence < sequence)
        return; /* it lags: sent again when it has caught up, and then known by its key */
    redo_operation_decode(a->bytes.data, a->bytes.size, &op);
    int rc = own || !a->turn ? REDO_OK : change_recall(m, &op, &r);
    if (rc == REDO_EDIVERGED)
        mirror_lose(m, rc);
    else if (rc)
        fail_from(a, 0, rc);
    else if (a->turn)
        turn_done(a);
    else
        single_done(a, r.position, REDO_OK);
}

static void refused(struct adds *a, int code)
{
    if (code == REDO_ERESYNC) {
        if (a->mirror->phase == MIRROR_HERE)
            mirror_catch_up(a->mirror);
    } else if (!a->turn) {
        single_done(a, REDO_NOPOSITION, code);
    } else {
        a->single = true; /* all or none, and none it was: one by one */
        a->at = 0;
        a->encoded = false;
    }
}

static void answered(struct request *r, int code, msgpack_object const *answer)
{
    struct adds *a = adds_of(r);
    a->underway = false;
    if (code == REDO_ECLOSED && !answer)
        return; /* the connection broke: it is sent again, and adds come to the same done twice */
    if (code)
        refused(a, code);
    else
        applied(a, answer);
    send_next(a);
}

/* Makes ready what is to be sent next: false if there is nothing. What fails before it is sent is
 * told. */
static bool prepare(struct adds *a)
{
    while (!a->encoded) {
        if (!a->leaving->count && a->gathering->count)
            swap(a);
        if (!a->leaving->count)
            return false;
        bool single = a->single || a->leaving->count == 1;
        if (single && !a->single) {
            a->single = true;
            a->at = 0;
        }
        int rc = single ? encode_single(a) : encode_turn(a);
        if (rc && single)
            single_done(a, REDO_NOPOSITION, rc);
        else if (rc)
            fail_from(a, 0, rc);
    }
    return true;
}

/* Sends what is next, if nothing is underway. */
static void send_next(struct adds *a)
{
    struct mirror *m = a->mirror;
    if (a->underway || a->telling || m->phase != MIRROR_HERE || m->lost || !prepare(a))
        return;
    struct buffer *b = request_begin(m->client, &a->request, "apply");
    pack_array(b, 2);
    pack_uint(b, m->handle);
    pack_bin(b, a->bytes.data, a->bytes.size);
    a->request.answered = answered;
    a->underway = request_send(m->client, &a->request) == REDO_OK; /* else it is tried again */
}

static bool pending(struct adds const *a)
{
    return a && (a->leaving->count || a->gathering->count);
}

void adds_send(redo_client *client)
{
    for (struct mirror *m = client->mirrors; m; m = m->next)
        if (pending(m->adds))
            send_next(m->adds);
}

bool adds_due(redo_client const *client)
{
    for (struct mirror *m = client->mirrors; m; m = m->next)
        if (pending(m->adds) && !m->adds->underway && m->phase == MIRROR_HERE)
            return true;
    return false;
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* Waits once: REDO_OK, or what there is no sense in waiting after. */
static int wait_once(redo_client *client)
{
    int rc = link_turn(client, client->deadline);
    if (rc == REDO_ETIMEOUT && connection_now() < client->deadline)
        return REDO_OK;
    return rc == REDO_ETIMEOUT ? (client->connection.fd < 0 ? REDO_ECLOSED : rc) : REDO_OK;
}

int adds_settle(struct mirror *m)
{
    int rc = REDO_OK;
    while (!rc && pending(m->adds) && !m->lost) {
        rc = client_ready(m->client, false);
        if (!rc)
            rc = wait_once(m->client);
    }
    return rc;
}

static bool any_pending(redo_client const *client)
{
    for (struct mirror *m = client->mirrors; m; m = m->next)
        if (pending(m->adds))
            return true;
    return false;
}

int redo_client_flush(redo_client *client, int timeout)
{
    int rc = client_enter(client);
    if (rc)
        return error_set(rc);
    if (timeout >= 0)
        client->deadline = connection_now() + timeout;
    while (!rc && any_pending(client))
        rc = wait_once(client);
    return client_end(client, rc);
}

/* ---- adding ------------------------------------------------------------------------------ */

static struct adds *make(struct mirror *m)
{
    struct adds *a = calloc(1, sizeof *a);
    if (a) {
        a->mirror = m;
        a->gathering = calloc(1, sizeof *a->gathering);
        a->leaving = calloc(1, sizeof *a->leaving);
    }
    if (!a || !a->gathering || !a->leaving) {
        if (a) {
            free(a->gathering);
            free(a->leaving);
        }
        free(a);
        return NULL;
    }
    a->gathering->ticket = 1;
    return m->adds = a;
}

void adds_end(struct mirror *m)
{
    struct adds *a = m->adds;
    if (!a)
        return;
    int rc = m->client->connection.fd >= 0 ? adds_settle(m) : REDO_ECLOSED;
    adds_fail(m, m->lost ? m->lost : rc ? rc : REDO_ECLOSED);
    request_forget(m->client, &a->request);
    m->adds = NULL;
    buffer_free(&a->gathering->states);
    buffer_free(&a->leaving->states);
    buffer_free(&a->bytes);
    free(a->gathering);
    free(a->leaving);
    free(a->made);
    free(a);
}

static bool full(struct adds const *a)
{
    struct batch const *b = a->gathering;
    return b->count == WINDOW ||
           (b->count && b->states.size + a->mirror->session.history->size > WINDOW_BYTES);
}

/* Room for one more, waiting if need be. */
static int make_room(struct adds *a)
{
    redo_client *client = a->mirror->client;
    if (client->inside)
        return full(a) ? REDO_EFULL : REDO_OK;
    int rc = REDO_OK;
    if (a->gathering->count % LOOK_EVERY == LOOK_EVERY - 1)
        link_turn(client, connection_now()); /* what is there to be sent and taken in */
    while (!rc && full(a) && !a->mirror->lost)
        rc = wait_once(client);
    return a->mirror->lost ? a->mirror->lost : rc;
}

/* Which position it follows. */
static int place(struct adds *a, redo_add const *add, struct item *item)
{
    if (!add->state)
        return REDO_ESTATE;
    if (!add->prev) {
        item->after = add->after;
        return add->after >= 1 && add->after <= a->tickets ? REDO_OK : REDO_EPOSITION;
    }
    if (history_of(add->prev) != a->mirror->session.history)
        return add->prev->inuse ? REDO_EFOREIGN : REDO_EDROPPED;
    item->position = node_of(add->prev)->in.id;
    return add->prev->inuse ? REDO_OK : REDO_EDROPPED;
}

/* A ticket whose result is kept. */
static int take_ticket(struct adds *a)
{
    if (a->tickets == a->cap) {
        size_t cap = a->cap ? 2 * a->cap : WINDOW;
        uint32_t *grown = realloc(a->made, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        a->made = grown;
        a->cap = cap;
    }
    a->made[a->tickets++] = REDO_NOPOSITION;
    return REDO_OK;
}

static int gather(struct adds *a, redo_add const *add, struct item *item)
{
    int rc = make_room(a);
    if (!rc)
        rc = place(a, add, item);
    if (rc)
        return rc;
    struct batch *b = a->gathering;
    size_t before = b->states.size;
    buffer_append(&b->states, add->state, a->mirror->session.history->size);
    if (b->states.failed || take_ticket(a)) {
        buffer_rewind(&b->states, before);
        return REDO_ENOMEM;
    }
    if (!b->count)
        b->ticket = a->tickets;
    b->items[b->count++] = *item;
    return REDO_OK;
}

static bool is_by_change(struct mirror const *m)
{
    return m->session.history->changes;
}

size_t redo_client_addposition_async(redo_session *session, redo_add const *add,
                                     redo_client_added *added, void *data)
{
    struct mirror *m = (struct mirror *)session;
    int rc = !m                     ? REDO_ENOSESSION
             : !add                 ? REDO_EPOSITION
             : m->readonly          ? REDO_EDENIED
             : is_by_change(m)      ? REDO_EKIND
             : m->lost              ? m->lost
             : !m->adds && !make(m) ? REDO_ENOMEM
             : m->client->inside    ? REDO_OK
                                    : client_enter(m->client);
    if (rc) {
        error_set(rc);
        return 0;
    }
    struct item item = {.move = add->move,
                        .endpoint = add->endpoint,
                        .checkequiv = add->checkequiv,
                        .added = added,
                        .data = data};
    rc = gather(m->adds, add, &item);
    if (!m->client->inside && m->adds->gathering->count <= 1)
        client_leave(m->client); /* the descriptor tells that there is something to do */
    error_set(rc);
    return rc ? 0 : m->adds->tickets;
}
