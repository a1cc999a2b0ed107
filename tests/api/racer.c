/* One of several who change a session at once: racer NAME SEED OPERATIONS FILE.
 *
 * Joins the session of that name, makes so many random changes through redo.h (0: only watches),
 * prints "done", waits for a line with a sequence number, takes in what others did up to there, and
 * writes the dump of its replica to the file. What others do meanwhile makes some of its calls
 * fail; any failure that this can not explain ends it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo.h"
#include "redo_client.h"

static uint64_t seed;

static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

static void fail(char const *what)
{
    fprintf(stderr, "racer: %s: %s\n", what, redo_strerror(redo_lasterror()));
    exit(1);
}

/* A position that the replica has, or did: newer ones more often. */
static redo_position *somewhere(redo_session *session)
{
    static uint32_t known; /* numbers below have been made */
    redo_position *p = NULL;
    while ((p = redo_getposition(session, known)) || redo_lasterror() == REDO_EDROPPED)
        known++;
    for (int i = 0; i < 20; i++) {
        unsigned window = draw(2) ? 50 : known;
        p = redo_getposition(session, known - 1 - draw(window < known ? window : known));
        if (p)
            return p;
    }
    return redo_getfirstposition(session);
}

static void change(redo_session *session)
{
    unsigned char state[4] = {0, 0, (unsigned char)draw(40), (unsigned char)draw(3)};
    redo_position *p = somewhere(session);
    switch (draw(16)) {
    case 0:
    case 1:
        redo_dropposition(session, p);
        break;
    case 2:
        redo_getnextposition(p, (int)draw(5));
        break;
    case 3:
        redo_setgraftbehavior(session, (int)draw(5));
        break;
    case 4:
        redo_updatesavedstate(session, p, state);
        break;
    case 5:
        redo_suppresscycle(session, &p, state, (int)draw(4));
        break;
    case 6:
        if (!draw(8))
            redo_duplicatepath(session, p, somewhere(session));
        break;
    case 7:
        redo_setbetterfields(session);
        break;
    case 8:
        redo_clearsessionchanged(session);
        break;
    default:
        redo_addposition(session, p, (int)draw(5), state, draw(30) ? 0 : 1, (int)draw(3));
    }
    switch (redo_lasterror()) {
    case REDO_OK:
    case REDO_EPOSITION:
    case REDO_EDROPPED:
    case REDO_EBRANCHES:
    case REDO_EFIRST:
    case REDO_ECONSTANT:
        return;
    }
    fail("a change");
}

static void catch_up(redo_client *client, redo_session *session, uint64_t sequence)
{
    while (redo_client_sequence(session) < sequence)
        if (redo_client_step(client, 30000) <= 0)
            fail("waiting for the others");
}

static void save(redo_session *session, char const *path)
{
    void *data;
    size_t size;
    FILE *file = fopen(path, "wb");
    if (!file || redo_dump(session, &data, &size) || fwrite(data, 1, size, file) != size ||
        fclose(file))
        fail(path);
    free(data);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    seed = strtoull(argv[2], NULL, 10) * 2 + 1;
    redo_client *client = redo_client_connect(NULL, 60000);
    redo_session *session = redo_client_opensession(client, argv[1]);
    if (!session)
        fail("joining");
    for (long left = strtol(argv[3], NULL, 10); left > 0; left--) {
        change(session);
        if (!draw(50) && redo_client_step(client, 0) < 0)
            fail("a step");
    }
    printf("done\n");
    fflush(stdout);
    char line[64];
    if (!fgets(line, sizeof line, stdin))
        return 2;
    catch_up(client, session, strtoull(line, NULL, 10));
    save(session, argv[4]);
    redo_client_close(client);
    return 0;
}
