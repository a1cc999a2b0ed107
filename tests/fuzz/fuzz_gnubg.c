/* Any bytes as a file of gnubg's games. What is read as a header or a record is written, and read
 * again is the same; so it is without the texts of its analyses, made of the numbers. What the
 * records do to a position leaves one that its IDs give back. */
#include <string.h>

#include "client/sgf/gnubg.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sgf/files.h"

static char const head[] =
    "(;FF[4]GM[6]CA[UTF-8]MI[length:5][game:1][ws:0][bs:2]PW[a\\]b]RU[Jacoby:"
    "Nackgammon]CV[4]RE[W+4R]GS[M:0]XX[y]";
#define CONTEXT " ver 3 2C 1 0.000000 1"
static char const *const records[] = {
    "\n;W[31hefe]DA[E ver 3 0C 1 0.000000 1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.2 0.2 0.2 0.2 0.2 0.2 "
    "0.2]"
    "A[0][hefe E ver 3 0.5 0.2 0.0 0.1 0.0 0.2 0C 0 1 0.0 1][mjxw ]MR[1 2 ]LU[0.2]GW[2]DO[]BC[1]"
    "C[x\\]]",
    "\n;PL[B]AE[a:y]AW[f][f][y]AB[s][s][a:c];PL[W]DI[63];CV[2];CP[w];CP[c]C[y]",
    "\n;W[double]DA[X ver 3 Eq Trials 36 NoDouble Output 1 2 3 4 5 6 7 StdDev 1 2 3 4 5 6 7 "
    "DoubleTake "
    "Output 1 2 3 4 5 6 7 StdDev 1 2 3 4 5 6 7 SK 0 RC 1 1 0 1 1 1 5 1 1 3 \"M T\" 77  "
    "cube0" CONTEXT "  cheq0" CONTEXT " filt0 1 2 0.3 cube1" CONTEXT "]CR[]BM[2];B[double];W[take]",
    "\n;B[64aggk]A[1][lrlp X ver 3 Score 1 2 Trials 3 Output 1 2 3 4 5 6 7 StdDev 1 2 3 4 5 6 7 SK "
    "1 RC "
    "1]DA[E 1.0 0.9 0.95 1.0 2C 0 1 0.0 0.5 0.1 0 0.1 0 0.02 0.03 0.5 0.1 0 0.1 0 0.02 0.03]",
};
#define COUNT (sizeof records / sizeof *records)

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    size_t size = sizeof head - 1;
    memcpy(data, head, size);
    for (size_t i = 0; i < 3; i++, which /= COUNT) {
        char const *record = records[which % COUNT];
        HOLD(size + strlen(record) + 2 <= cap);
        memcpy(data + size, record, strlen(record));
        size += strlen(record);
    }
    memcpy(data + size, ")", 1);
    return size + 1;
}

static redo_sgf_options const options = {{65536, 1 << 20, 200, 20}, NULL};

static void check_ids(struct gnubg_position const *p)
{
    char position[GNUBG_POSITION_ID], match[GNUBG_MATCH_ID], again[GNUBG_POSITION_ID];
    struct gnubg_position q = {.cube = 1};
    gnubg_position_id(p, position);
    gnubg_match_id(p, match);
    HOLD(strlen(position) == 14 && strlen(match) == 12);
    HOLD(gnubg_match_id_read(&q, match) && gnubg_position_id_read(&q, position));
    HOLD(memcmp(q.points, p->points, sizeof q.points) == 0);
    HOLD(q.cube == p->cube && q.turn == p->turn && q.roller == p->roller);
    gnubg_position_id(&q, again);
    HOLD(strcmp(again, position) == 0);
}

/* An analysis that is read has a form of its own that reads as the same numbers. */
static void check_form(struct gnubg_analysis const *a,
                       size_t (*format)(struct gnubg_analysis const *, char *, size_t),
                       void (*read)(redo_sgf_string, struct gnubg_analysis *))
{
    struct gnubg_analysis again;
    size_t size = format(a, NULL, 0);
    char *text = malloc(size + 1), *twice = malloc(size + 1);
    HOLD(text && twice && format(a, text, size) == size);
    read((redo_sgf_string){text, size}, &again);
    HOLD(again.kind == a->kind && again.version == a->version);
    HOLD(format(&again, twice, size) == size && memcmp(text, twice, size) == 0);
    free(text);
    free(twice);
}

static void check_analyses(struct gnubg_record const *r)
{
    if (r->has_cube)
        check_form(&r->cube_analysis, gnubg_cube_analysis_format, gnubg_cube_analysis_read);
    for (size_t i = 0; i < r->count; i++)
        check_form(&r->candidates[i].analysis, gnubg_candidate_analysis_format,
                   gnubg_candidate_analysis_read);
}

static struct bytes text_of(redo_sgf_game const *g)
{
    struct bytes b = {0};
    HOLD(redo_sgf_game_write(g, 0, bytes_put, &b) == REDO_OK);
    return b;
}

/* Written twice, the second time of what the first gave, it is the same. */
static void check_record(struct gnubg_record const *r)
{
    redo_sgf_game *once = redo_sgf_game_new(), *twice = redo_sgf_game_new();
    redo_sgf_error error;
    struct gnubg_record again;
    HOLD(once && twice);
    HOLD(gnubg_record_write(once, redo_sgf_game_root(once), r) == REDO_OK);
    HOLD(gnubg_record_read(once, redo_sgf_game_root(once), &again, &error) == REDO_OK);
    HOLD(again.action == r->action && again.set == r->set && again.count == r->count);
    HOLD(gnubg_record_write(twice, redo_sgf_game_root(twice), &again) == REDO_OK);
    struct bytes a = text_of(once), b = text_of(twice);
    HOLD(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    bytes_free(&a);
    bytes_free(&b);
    gnubg_record_free(&again);
    redo_sgf_game_free(once);
    redo_sgf_game_free(twice);
}

static void check_game(redo_sgf_game *game)
{
    redo_sgf_node *root = redo_sgf_game_root(game);
    redo_sgf_error error;
    struct gnubg_header h;
    struct gnubg_position p;
    int code = gnubg_header_read(game, &h, &error);
    if (code) {
        HOLD(code == REDO_EDAMAGED && error.line > 0 && error.message[0]);
        return;
    }
    redo_sgf_game *made = redo_sgf_game_new();
    HOLD(made && gnubg_header_write(made, &h) == REDO_OK);
    redo_sgf_game_free(made);
    gnubg_position_start(&p, &h);
    gnubg_header_free(&h);
    for (redo_sgf_node *n = root; (n = redo_sgf_node_after(n, root));) {
        struct gnubg_record r;
        code = gnubg_record_read(game, n, &r, &error);
        if (code) {
            HOLD(code == REDO_EDAMAGED && error.line > 0 && error.message[0]);
            continue;
        }
        check_analyses(&r);
        check_record(&r);
        code = gnubg_position_play(&p, &r, &error);
        gnubg_record_free(&r);
        HOLD(code == REDO_OK || (code == REDO_ESTATE && error.message[0]));
        check_ids(&p);
    }
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    struct games *g = games_read(data, size, &options);
    for (size_t i = 0; i < g->count; i++)
        check_game(g->game[i]);
    games_close(g);
    return 0;
}
