/* A program of the C library that does what it is told: player SESSION NAME, with the daemon at
 * REDO_SOCKET; positions bear the name. Commands, a line each; numbers are positions by number, -1
 * for none, STATE is hex.
 *
 *   add PREV MOVE STATE ENDPOINT CHECK      next POSITION MOVE       drop POSITION
 *   tree POSITION    graft VALUE            update POSITION STATE    setbetter
 *   cycle POSITION STATE LIMIT              dup DEST SOURCE          clear
 *   property NAME HEX                       turn CURSOR|- EXPECT PREV MOVE STATE ENDPOINT CHECK ...
 *   cursor NAME STEP N POSITION EXPECT      (a PREV below -1: after the add in place -2 - PREV)
 *
 * Each is answered by: CODE SEQUENCE CHANGED VALUE POSITION; SEQUENCE is that of the operation in
 * the session's sequence, 0 if it made none or the library does not tell. The last two are what
 * the function returns.
 *
 *   step MS        takes in what others did; answers: CODE SEQUENCE POSITIONS, as of the replica
 *   dump FILE      writes the replica there; the same answer */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo_client.h"

#define WORDS_MAX 128

static redo_client *client;
static redo_session *session;

static struct {
    uint64_t sequence; /* of the operation that this program made last */
    int changed, value;
    long position;
} outcome;

static struct words {
    char *word[WORDS_MAX];
    int count;
} words;

static void observe(redo_session *s, redo_operation const *operation, redo_result const *result,
                    int own, void *data)
{
    (void)operation, (void)result, (void)data;
    if (own)
        outcome.sequence = redo_client_sequence(s);
}

static long word(int i)
{
    return i < words.count ? strtol(words.word[i], NULL, 10) : 0;
}

/* The bytes that the word stands for; the caller's. */
static unsigned char *bytes_of(int i, size_t *size)
{
    char const *hex = i < words.count ? words.word[i] : "";
    *size = strlen(hex) / 2;
    unsigned char *bytes = calloc(1, *size + 1);
    for (size_t k = 0; bytes && k < *size; k++) {
        unsigned v = 0;
        sscanf(hex + 2 * k, "%2x", &v);
        bytes[k] = (unsigned char)v;
    }
    return bytes;
}

/* The position with this number, also if it is none any more: those who ask for it shall be told.
 */
static redo_position *position_of(long number)
{
    return number < 0 ? NULL : redo_getposition(session, (uint32_t)number);
}

/* ---- the commands ------------------------------------------------------------------------ */

static int apply(redo_operation *op, int state)
{
    redo_result r;
    unsigned char *bytes = NULL;
    if (state) {
        bytes = bytes_of(state, &op->statesize);
        op->state = bytes;
    }
    int rc = redo_apply(session, op, &r);
    free(bytes);
    if (rc)
        return rc;
    outcome.changed = r.changed;
    outcome.value = r.value;
    outcome.position = r.position == REDO_NOPOSITION ? -1 : (long)r.position;
    return REDO_OK;
}

static int add_turn(void)
{
    redo_add adds[WORDS_MAX / 5];
    redo_position *made[WORDS_MAX / 5];
    int count = 0, rc = REDO_OK;
    for (int i = 3; i + 5 <= words.count; i += 5, count++) {
        size_t size;
        long prev = word(i);
        adds[count] = (redo_add){.prev = position_of(prev),
                                 .after = prev < -1 ? (size_t)(-2 - prev) : 0,
                                 .move = (int)word(i + 1),
                                 .state = bytes_of(i + 2, &size),
                                 .endpoint = (int)word(i + 3),
                                 .checkequiv = (int)word(i + 4)};
        if (prev >= 0 && !adds[count].prev)
            rc = redo_lasterror();
    }
    char const *cursor = strcmp(words.word[1], "-") ? words.word[1] : NULL;
    redo_position *expect = position_of(word(2));
    if (!rc && word(2) >= 0 && !expect)
        rc = redo_lasterror();
    if (!rc)
        rc = redo_addpositions(session, adds, (size_t)count, cursor, expect, made);
    for (int i = 0; i < count; i++)
        free((void *)adds[i].state);
    if (!rc)
        outcome.position = (long)redo_getpositionid(made[count - 1]);
    return rc;
}

static int move_cursor(void)
{
    redo_operation op = {.kind = REDO_OP_CURSOR,
                         .name = words.word[1],
                         .namesize = strlen(words.word[1]),
                         .value = (int)word(2),
                         .move = (int)word(3),
                         .position = (uint32_t)word(4),
                         .source = (uint32_t)word(5)};
    return apply(&op, 0);
}

static int set_property(void)
{
    redo_operation op = {.kind = REDO_OP_PROPERTY,
                         .position = REDO_NOPOSITION,
                         .name = words.word[1],
                         .namesize = strlen(words.word[1])};
    return apply(&op, 2);
}

/* Those that are an operation and little else: which, and which of the words are its arguments. */
static struct {
    char const *name;
    enum redo_operation_kind kind;
    int position, source, move, endpoint, value, state;
} const plain[] = {
    {.name = "add",
     .kind = REDO_OP_ADD,
     .position = 1,
     .move = 2,
     .state = 3,
     .endpoint = 4,
     .value = 5},
    {.name = "next", .kind = REDO_OP_NEXT, .position = 1, .move = 2},
    {.name = "drop", .kind = REDO_OP_DROP, .position = 1},
    {.name = "tree", .kind = REDO_OP_DROPTREE, .position = 1},
    {.name = "graft", .kind = REDO_OP_GRAFT, .value = 1},
    {.name = "update", .kind = REDO_OP_UPDATE, .position = 1, .state = 2},
    {.name = "setbetter", .kind = REDO_OP_SETBETTER},
    {.name = "cycle", .kind = REDO_OP_CYCLE, .position = 1, .state = 2, .value = 3},
    {.name = "dup", .kind = REDO_OP_DUPLICATE, .position = 1, .source = 2},
    {.name = "clear", .kind = REDO_OP_CLEAR},
};

static int perform(void)
{
    char const *name = words.word[0];
    if (!strcmp(name, "turn") && words.count >= 8)
        return add_turn();
    if (!strcmp(name, "cursor") && words.count == 6)
        return move_cursor();
    if (!strcmp(name, "property") && words.count >= 2)
        return set_property();
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(name, plain[i].name))
            continue;
        redo_operation op = {
            .kind = plain[i].kind,
            .position = plain[i].position ? (uint32_t)word(plain[i].position) : REDO_NOPOSITION,
            .source = plain[i].source ? (uint32_t)word(plain[i].source) : REDO_NOPOSITION,
            .move = plain[i].move ? (int)word(plain[i].move) : 0,
            .endpoint = plain[i].endpoint ? (int)word(plain[i].endpoint) : 0,
            .value = plain[i].value ? (int)word(plain[i].value) : 0};
        return apply(&op, plain[i].state);
    }
    fprintf(stderr, "player: what is this: %s\n", name);
    exit(2);
}

static int write_dump(char const *path)
{
    void *data;
    size_t size;
    int rc = redo_dump(session, &data, &size);
    if (rc)
        return rc;
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        rc = REDO_ESYSTEM;
    free(data);
    return rc;
}

static void tell_replica(int rc)
{
    printf("%d %llu %d\n", rc, (unsigned long long)redo_client_sequence(session),
           redo_getsessionsize(session));
    fflush(stdout);
}

static void obey(void)
{
    if (!strcmp(words.word[0], "step")) {
        int rc = redo_client_step(client, (int)word(1));
        tell_replica(rc < 0 ? redo_lasterror() : REDO_OK);
    } else if (!strcmp(words.word[0], "dump") && words.count == 2) {
        tell_replica(write_dump(words.word[1]));
    } else {
        outcome.sequence = 0;
        outcome.changed = outcome.value = 0;
        outcome.position = -1;
        int rc = perform();
        printf("%d %llu %d %d %ld\n", rc, (unsigned long long)outcome.sequence, outcome.changed,
               outcome.value, outcome.position);
        fflush(stdout);
    }
}

static void split(char *line)
{
    words.count = 0;
    for (char *at, *w = strtok_r(line, " \n", &at); w && words.count < WORDS_MAX;
         w = strtok_r(NULL, " \n", &at))
        words.word[words.count++] = w;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    client = redo_client_connect(NULL, 60000);
    if (client && redo_client_setname(client, argv[2]) == REDO_OK)
        session = redo_client_opensession(client, argv[1]);
    if (!session) {
        printf("%d 0 0\n", redo_lasterror());
        redo_client_close(client);
        return 0;
    }
    redo_client_observe(session, observe, NULL);
    tell_replica(REDO_OK);
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, stdin) > 0) {
        split(line);
        if (words.count)
            obey();
    }
    free(line);
    redo_client_close(client);
    return 0;
}
