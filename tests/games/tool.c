/* What the library makes of games of files, for tests in Python and by hand.
 *
 *   games-tool round FILE     each game a session, dumped, loaded, and written again
 *   games-tool generic FILE   the same, and none of them gnubg's
 *   games-tool twice FILE     what was written is read and written again
 *   games-tool kinds FILE     a line for each game: what it was taken for, and its positions
 *   games-tool alternates FILE   gnubg's first game, in which someone compared other scores
 *   games-tool facts FILE     a line for each position of gnubg's games, tab-separated
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/games/games.h"
#include "client/games/sheet.h"
#include "core/redo_record.h"
#include "tests/sgf/files.h"

static int complain(redo_sgf_error const *e)
{
    fflush(stdout);
    fprintf(stderr, "%lu:%lu: %s\n", e->line, e->column, e->message);
    return 1;
}

/* Through bytes, as the daemon has them. */
static redo_session *reload(redo_session *session)
{
    void *data, *again;
    size_t size, size_again;
    if (redo_dump(session, &data, &size))
        abort();
    redo_endsession(session);
    session = redo_load(data, size);
    if (!session || redo_dump(session, &again, &size_again) || size != size_again ||
        memcmp(data, again, size) != 0)
        abort();
    free(data);
    free(again);
    return session;
}

/* --- what an analyst does with a game --- */

static void must(bool good)
{
    if (!good) {
        fprintf(stderr, "%s\n", redo_strerror(redo_lasterror()));
        abort();
    }
}

/* The same board for the match at 3-2 of 5; a board as client/games/board.h has it. */
static redo_position *at_other_score(redo_session *session, redo_position *of, int white)
{
    unsigned char state[66];
    memcpy(state, redo_getsavedstate(of), sizeof state);
    state[60] = 5;
    state[62] = (unsigned char)white;
    state[64] = 2;
    redo_position *p = redo_addalternate(session, of, NULL, state);
    must(p != NULL);
    return p;
}

static void analyse(redo_session *session, redo_position *p, double equity)
{
    redo_analysis a = {.kind = "evaluation", .kindsize = 10, .equity = equity, .numbercount = 5};
    redo_analysis const *analyses[2] = {&a, NULL};
    redo_candidate moves[2] = {
        {.text = "24/18 13/11", .textsize = 11, .analysed = redo_analysis_own},
        {.text = "13/11 13/7", .textsize = 10}};
    a.numbers[0] = 0.5;
    must(redo_addcandidates(session, p, redo_of_candidate, 0, moves, analyses, 2, NULL) == REDO_OK);
}

/* Beside a roll that was played, beside a position before the roll, beside the last one; and one of
 * these is explored. */
static void compare_scores(redo_session *session)
{
    redo_position *roll = redo_getposition(session, 3), *last = redo_getfirstposition(session);
    redo_position *other = at_other_score(session, roll, 3);
    analyse(session, other, 0.25);
    redo_analysis cube = {.kind = "evaluation", .kindsize = 10, .numbercount = 14};
    redo_analysis const *of_cube = &cube;
    redo_candidate doubling = {
        .text = "double", .textsize = 6, .hasmove = 1, .move = 1000, .analysed = redo_analysis_own};
    redo_position *before = at_other_score(session, roll->prev, 4);
    must(redo_addcandidates(session, before, redo_of_decision, 0, &doubling, &of_cube, 1, NULL) ==
         REDO_OK);
    while (last->next) { /* along the main line */
        redo_branch *b = last->next;
        for (redo_branch *c = b; c; c = c->cdr)
            if (c->id < b->id)
                b = c;
        last = b->p;
    }
    at_other_score(session, last, 1);
    /* 24/18 13/11 was played there. */
    unsigned char state[66];
    memcpy(state, redo_getsavedstate(other), sizeof state);
    int side = state[50] ? 25 : 0;
    state[side + 23]--;
    state[side + 17]++;
    state[side + 12]--;
    state[side + 10]++;
    state[50] = state[56] = !state[50];
    state[51] = state[52] = 0;
    redo_candidate first;
    must(redo_getcandidate(other, redo_of_candidate, 0, &first));
    must(redo_playcandidate(session, other, redo_of_candidate, first.id, state, sizeof state, 0,
                            redo_nocheck) != NULL);
}

static void put_text(struct bytes *b, redo_sgf_string s)
{
    bytes_put(b, s.data, s.size);
}

enum way { AS_IT_IS, GENERIC, ALTERNATES };

static int round_trip(struct bytes const *file, enum way way, struct bytes *out)
{
    struct games *g = games_read(file->data, file->size, NULL);
    redo_sgf_error error = {0};
    int status = g->code ? complain(redo_sgf_reader_error(g->reader)) : 0;
    for (size_t i = 0; i < g->count && !status; i++) {
        redo_session *session =
            (way == GENERIC ? game_import_generic : game_import_sgf)(g->game[i], i == 0, &error);
        redo_sgf_game *back;
        if (!session) {
            status = complain(&error);
            break;
        }
        if (way == ALTERNATES && i == 0)
            compare_scores(session);
        session = reload(session);
        back = game_export_sgf(session, &error);
        if (!back) {
            status = complain(&error);
        } else {
            put_text(out, game_lead(session, i == 0));
            if (redo_sgf_game_write(back, 0, bytes_put, out))
                abort();
            redo_sgf_game_free(back);
        }
        redo_endsession(session);
    }
    if (!status)
        put_text(out, redo_sgf_reader_tail(g->reader));
    games_close(g);
    return status;
}

static int kinds(struct bytes const *file, bool facts);

/* --- facts --- */

static void print_raw(redo_sgf_string s)
{
    for (size_t i = 0; i < s.size; i++) {
        static char const from[] = "\\\n\t\r", to[] = "\\ntr";
        char const *at = s.data[i] ? strchr(from, s.data[i]) : NULL;
        if (at)
            printf("\\%c", to[at - from]);
        else
            putchar(s.data[i]);
    }
}

static void print_text(struct properties const *p, char const *name)
{
    redo_sgf_string text;
    putchar('\t');
    if (get_text(p, name, &text))
        print_raw(text);
    else
        putchar('-');
}

static void print_items(char const *what, struct items const *items)
{
    printf("\t%s:%zu", what, items->count);
    for (struct item const *i = items->first; i; i = i->next) {
        bool unlisted;
        printf(" [%u", i->id);
        if (i->has_move)
            printf(" %d", i->move);
        if (i->text.data)
            printf(" %.*s", (int)i->text.size, i->text.data);
        if (i->analysis)
            printf(" %.*s %.6f %zu", (int)i->analysis->kind.size, i->analysis->kind.data,
                   i->analysis->equity, i->analysis->number_count);
        if (i->analysed == redo_analysis_shared)
            printf(" shared");
        if (get_bool(&i->properties, "unlisted", &unlisted))
            printf(" unlisted");
        putchar(']');
    }
}

/* How many candidates are of the file's list, which of them was made, and its text. */
static void print_made(struct sheet const *s)
{
    size_t listed = 0, made = 0;
    bool found = false, unlisted;
    for (struct item const *i = s->candidates.first; i; i = i->next) {
        found |= i == s->chosen;
        if (get_bool(&i->properties, "unlisted", &unlisted))
            continue;
        listed++;
        made += !found;
    }
    printf("\t%zu\t%zu\t%.*s", listed, made, s->chosen ? (int)s->chosen->text.size : 1,
           s->chosen ? s->chosen->text.data : "-");
}

/* game, number, parent, move, position ID, match ID, choice, decided, candidates, decisions, luck,
 * comment, endpoint, alternate, dice, listed, made, text of the candidate made, pending, text of
 * the move */
static int print_position(size_t game, redo_session *session, uint32_t number)
{
    struct arena arena = {.limit = SIZE_MAX};
    struct sheet s;
    redo_position *p = redo_getposition(session, number);
    if (!p || sheet_get(p, &arena, &s))
        return 1;
    printf("%zu\t%u\t%d\t%d", game, number, p->prev ? (int)redo_getpositionid(p->prev) : -1,
           redo_getmove(p));
    print_text(&s.position, "position_id");
    print_text(&s.position, "match_id");
    if (s.choice == redo_choice_made)
        printf("\tmade %u", s.chosen->id);
    else
        printf("\t%s", s.choice == redo_choice_none ? "none" : "open");
    printf("\t%u", s.decided);
    print_items("candidates", &s.candidates);
    print_items("decisions", &s.decisions);
    double luck;
    if (get_double(&s.branch, "luck", &luck))
        printf("\t%.5f", luck);
    else
        printf("\t-");
    print_text(&s.branch, "comment");
    printf("\t%d\t%s", p->endpoint, redo_getfirstalternate(p) != p ? "alternate" : "-");
    print_text(&s.position, "dice");
    print_made(&s);
    print_text(&s.position, "pending");
    print_text(&s.branch, "move");
    putchar('\n');
    arena_free(&arena);
    return 0;
}

static int kinds(struct bytes const *file, bool facts)
{
    static char const *const names[] = {"none", "sgf", "gnubg", "pgn"};
    struct games *g = games_read(file->data, file->size, NULL);
    redo_sgf_error error = {0};
    int status = g->code ? complain(redo_sgf_reader_error(g->reader)) : 0;
    for (size_t i = 0; i < g->count && !status; i++) {
        redo_session *session = game_import_sgf(g->game[i], i == 0, &error);
        if (!session) {
            status = complain(&error);
            break;
        }
        int size = redo_getsessionsize(session);
        if (!facts)
            printf("%s\t%d\n", names[game_format(session)], size);
        for (int n = 0; facts && n < size && game_format(session) == GAME_GNUBG; n++)
            print_position(i + 1, session, (uint32_t)n);
        redo_endsession(session);
    }
    games_close(g);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: games-tool round|generic|twice|kinds|alternates|facts FILE\n");
        return 2;
    }
    struct bytes file = file_read(argv[2]), out = {0}, again = {0};
    int status;
    if (strcmp(argv[1], "kinds") == 0 || strcmp(argv[1], "facts") == 0) {
        status = kinds(&file, strcmp(argv[1], "facts") == 0);
    } else {
        status = round_trip(&file,
                            strcmp(argv[1], "generic") == 0      ? GENERIC
                            : strcmp(argv[1], "alternates") == 0 ? ALTERNATES
                                                                 : AS_IT_IS,
                            &out);
        if (!status && strcmp(argv[1], "twice") == 0) {
            status = round_trip(&out, AS_IT_IS, &again);
            struct bytes swap = out;
            out = again;
            again = swap;
        }
        if (out.size > 0)
            fwrite(out.data, 1, out.size, stdout);
    }
    bytes_free(&file);
    bytes_free(&out);
    bytes_free(&again);
    return status;
}
