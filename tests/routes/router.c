/* A small game of track with the routes of redo_routes.h; links with either library. Two cities, a
 * side between them; then the track is taken up, and taken back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo_error.h"
#include "redo_routes.h"

struct bytes {
    unsigned char data[1024];
    size_t size;
};

static void put(struct bytes *b, unsigned char byte)
{
    b->data[b->size++] = byte;
}

static void put_text(struct bytes *b, char const *text)
{
    put(b, (unsigned char)(0xa0 | strlen(text)));
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}

/* A turn of so many lines begins. */
static struct bytes turn(int lines)
{
    struct bytes b = {.size = 0};
    put(&b, 0x93);
    put(&b, (unsigned char)(0x90 | lines));
    return b;
}

static void put_city(struct bytes *b, int id, char const *hex, int value, char const *token)
{
    put(b, 0x93);
    put_text(b, "add_node");
    put(b, (unsigned char)id);
    put(b, 0x84);
    put_text(b, "kind");
    put_text(b, "city");
    put_text(b, "hex");
    put_text(b, hex);
    put_text(b, "value");
    put(b, (unsigned char)value);
    put_text(b, "tokens");
    put(b, 0x91);
    if (token)
        put_text(b, token);
    else
        put(b, 0xc0);
}

static void put_edge(struct bytes *b, int id, int from, int to, char const *hex)
{
    put(b, 0x93);
    put_text(b, "add_edge");
    put(b, (unsigned char)id);
    put(b, 0x83);
    put_text(b, "a");
    put(b, (unsigned char)from);
    put_text(b, "b");
    put(b, (unsigned char)to);
    put_text(b, "hex");
    put_text(b, hex);
}

static redo_position *add(redo_session *session, redo_position *prev, int move, struct bytes *b)
{
    put(b, 0xc0);
    put(b, 0xc0);
    redo_position *p = redo_addchanges(session, prev, move, b->data, b->size, 0, redo_check);
    redo_fault fault;
    if (!p)
        printf("refused: %s\n", redo_errorname(redo_lasterror()));
    if (!p && redo_getfault(session, &fault))
        printf("fault: %s\n", fault.what);
    return p;
}

static struct routes_train const train = {.name = "2", .length = 2, .track_cost = {1, 1, 1}};
static struct routes_question const question = {
    .company = "X", .trains = &train, .train_count = 1, .rules = {.min_stops = 2}};

static void tell(redo_session *session, redo_position *position, char const *what)
{
    struct routes_answer answer;
    struct routes_verdict verdict;
    struct routes_fault fault;
    int rc = redo_routes_best(session, position, &question, NULL, &answer, &fault);
    if (rc) {
        printf("%s: %s %s\n", what, redo_errorname(rc), fault.text);
        return;
    }
    printf("%s: %lld%s", what, (long long)answer.total, answer.proven ? " proven" : "");
    for (unsigned i = 0; i < answer.count; i++)
        for (unsigned j = 0; j < answer.routes[i].stop_count; j++)
            printf(" %u", answer.routes[i].stops[j]);
    rc = redo_routes_check(session, position, &question, answer.routes, answer.count, NULL,
                           &verdict, NULL);
    printf("; check: %s %s %lld\n", redo_errorname(rc), redo_routes_ruletext(verdict.rule),
           (long long)verdict.total);
    redo_routes_free(&answer);
}

static int stop(void *context, struct routes_progress const *progress)
{
    (void)progress;
    ++*(int *)context;
    return 1;
}

int main(void)
{
    unsigned char const schema[] = "\xadroute-network";
    redo_session *session = redo_beginchanges(schema, sizeof schema - 1, NULL, 0, 0, NULL);
    if (!session) {
        fprintf(stderr, "no session: %s\n", redo_strerror(redo_lasterror()));
        return 1;
    }
    redo_position *first = redo_getfirstposition(session);
    struct bytes b = turn(5);
    put_city(&b, 0, "A1", 20, "X");
    put_city(&b, 1, "A3", 30, NULL);
    put(&b, 0x93);
    put_text(&b, "add_node");
    put(&b, 2);
    put(&b, 0x81);
    put_text(&b, "kind");
    put_text(&b, "side");
    put_edge(&b, 0, 0, 2, "A1");
    put_edge(&b, 1, 1, 2, "A3");
    redo_position *track = add(session, first, 1, &b);
    b = turn(1);
    put(&b, 0x92);
    put_text(&b, "remove_edge");
    put(&b, 1);
    redo_position *gone = add(session, track, 1, &b);
    b = turn(1);
    put_edge(&b, 7, 0, 9, "A1");
    add(session, track, 2, &b);
    tell(session, first, "nothing");
    tell(session, track, "track");
    tell(session, gone, "gone");
    tell(session, track, "track again");
    uint32_t *ids;
    unsigned nodes, edges;
    if (redo_routes_reach(session, track, "X", &ids, &nodes, &edges) == REDO_OK) {
        printf("reached: %u nodes, %u edges\n", nodes, edges);
        free(ids);
    }
    int polls = 0;
    struct routes_options options = {.poll = stop, .context = &polls};
    struct routes_answer answer;
    if (redo_routes_best(session, track, &question, &options, &answer, NULL) == REDO_OK)
        redo_routes_free(&answer);
    tell(session, NULL, "no position");
    redo_session *plain = redo_beginchanges(NULL, 0, NULL, 0, 0, NULL);
    if (plain)
        tell(plain, redo_getfirstposition(plain), "plain");
    redo_endsession(plain);
    redo_endsession(session);
    return 0;
}
