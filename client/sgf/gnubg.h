/* The dialect of GNU Backgammon (GM[6]): a game's root as a header, every other node as a record,
 * and both back. A match is a file's games in order, no more.
 *
 * What is read keeps its text: every number, every list, every string is there as it was written,
 * and is written so again. A struct that a program fills leaves the texts empty (data NULL), and
 * they are made in the form that gnubg 1.07 writes. Properties that are not understood are kept in
 * order.
 * Where a text is there it is written, whatever the numbers say: who changes a number empties the
 * texts that have it.
 *
 * Ownership: strings that reading gives belong to the game; arrays to the struct, until it is freed
 * (not one that a program filled). Writing copies all. Strings are raw values (redo_sgf.h):
 * redo_sgf_text_decode() gives their text, but gnubg_name_decode() that of names.
 *
 * White is gnubg's player 0 (PW), Black its player 1. Points are the player's own: 1 to 24, 25 the
 * bar, 0 off the board. */
#ifndef CLIENT_SGF_GNUBG_H
#define CLIENT_SGF_GNUBG_H

#include <stdbool.h>
#include <stdint.h>

#include "client/sgf/redo_sgf.h"

enum gnubg_side { GNUBG_WHITE, GNUBG_BLACK, GNUBG_NOBODY = 3 };

/* A number as written, and what it comes to. */
struct gnubg_number {
    redo_sgf_string text;
    double value;
};

/* Properties that are not understood, or stand twice, or have more values than count. */
enum gnubg_rest_kind {
    GNUBG_REST_BEFORE, /* one of the same name comes later, and counts */
    GNUBG_REST_MORE,   /* its first value counts; the others are kept */
    GNUBG_REST_AFTER
};
struct gnubg_rest {
    redo_sgf_property const *property;
    enum gnubg_rest_kind kind;
};
struct gnubg_rests {
    struct gnubg_rest *list;
    size_t count;
};

/* --- the header --- */

enum gnubg_rule {
    GNUBG_CRAWFORD = 1, /* the rule applies to the match */
    GNUBG_CRAWFORD_GAME = 2,
    GNUBG_JACOBY = 4,
    GNUBG_NO_CUBE = 8
};
enum gnubg_variant { GNUBG_STANDARD, GNUBG_NACKGAMMON, GNUBG_HYPER1, GNUBG_HYPER2, GNUBG_HYPER3 };

/* The texts of a root. */
enum gnubg_text {
    GNUBG_FF,
    GNUBG_AP,
    GNUBG_PW,
    GNUBG_PB,
    GNUBG_WR,
    GNUBG_BR,
    GNUBG_DT,
    GNUBG_EV,
    GNUBG_RO,
    GNUBG_PC,
    GNUBG_AN,
    GNUBG_GC,
    GNUBG_TEXTS
};

struct gnubg_header {
    redo_sgf_string texts[GNUBG_TEXTS]; /* data NULL: not there */
    int length;                         /* of the match in points; 0: a money session */
    int game;                           /* from 0 */
    int score[2];                       /* before the game */
    redo_sgf_property const *info;      /* MI as written */
    bool undeclared;                    /* read without CA, and so written */
    unsigned rules;                     /* of enum gnubg_rule */
    enum gnubg_variant variant;
    redo_sgf_string rules_text; /* RU as written */
    unsigned cube;              /* at the start: 2 for each automatic double, else 1 */
    redo_sgf_string cube_text;  /* CV as written */
    enum gnubg_side winner; /* nobody: unfinished, or result_text says what we do not understand */
    int points;
    bool resigned;
    redo_sgf_string result_text;         /* RE as written */
    redo_sgf_property const *statistics; /* GS, which gnubg makes anew at each save */
    struct gnubg_rests rests;
};

/* Whether the game is backgammon. */
bool gnubg_is(redo_sgf_game const *game);

/* Reads the root; adds to an empty root. REDO_OK, REDO_ENOMEM, or REDO_EDAMAGED with the place;
 * then there is nothing to free. */
int gnubg_header_read(redo_sgf_game *game, struct gnubg_header *header, redo_sgf_error *error);
int gnubg_header_write(redo_sgf_game *game, struct gnubg_header const *header);
void gnubg_header_free(struct gnubg_header *header);

/* The text of a name: only \] is an escape in it. As redo_sgf_text_decode(). */
size_t gnubg_name_decode(redo_sgf_string raw, char *out, size_t cap);

/* --- analysis --- */

enum gnubg_evaluated { GNUBG_NOT_EVALUATED, GNUBG_EVALUATED, GNUBG_ROLLED_OUT, GNUBG_UNKNOWN };

/* How an evaluation was made: e.g. 2C 1 0.000000 1. */
struct gnubg_context {
    int version; /* -1: none is told */
    int plies;
    bool cubeful;
    int reduced; /* without a version; with one, in A lists, a constant 0 */
    int deterministic;
    struct gnubg_number noise;
    int prune; /* -1: not told */
};

struct gnubg_player_context {
    redo_sgf_string name; /* cube0, cheq0 ... cheqtrunc */
    struct gnubg_context context;
    redo_sgf_string filter; /* move filters as written, or empty */
};

#define GNUBG_SETTINGS 10
#define GNUBG_PLAYER_CONTEXTS 10

/* How a rollout was made. */
struct gnubg_rollout {
    bool known; /* else only the text is there: the order of old versions */
    long trials, skipped;
    redo_sgf_string text; /* from RC on */
    /* cubeful, variance reduction, initial position, rotated dice, late evaluations, truncation,
     * its ply, two-sided and one-sided bearoff truncation, ply of late evaluations */
    int settings[GNUBG_SETTINGS];
    redo_sgf_string generator; /* of random numbers, with its quotes */
    redo_sgf_string seed;
    struct gnubg_player_context contexts[GNUBG_PLAYER_CONTEXTS];
    size_t context_count;
};

/* What an engine thinks. Of a candidate: output[0] is the chance to win, to win a gammon, a
 * backgammon, to lose a gammon, a backgammon; rolled out also the cubeless and the cubeful equity.
 * Of a cube decision: seven numbers each for no double and for double, take. */
struct gnubg_analysis {
    enum gnubg_evaluated kind;
    redo_sgf_string text; /* all as written */
    int version;          /* -1: none is told, the oldest form */
    struct gnubg_number output[2][7], deviation[2][7];
    struct gnubg_number
        score[2];               /* of a candidate: the equity used; rolled out, the cubeless one */
    struct gnubg_number old[4]; /* of a cube decision without a version */
    struct gnubg_context context; /* evaluated */
    struct gnubg_rollout rollout; /* rolled out */
};

/* Reads the text of an analysis (of a candidate without its move). What is not understood is
 * GNUBG_UNKNOWN, with its text. */
void gnubg_candidate_analysis_read(redo_sgf_string text, struct gnubg_analysis *analysis);
void gnubg_cube_analysis_read(redo_sgf_string text, struct gnubg_analysis *analysis);

/* The text of an analysis, from the numbers even if it has a text. At most cap bytes are written;
 * how many there are in all. Of kind GNUBG_UNKNOWN the text. */
size_t gnubg_candidate_analysis_format(struct gnubg_analysis const *analysis, char *out,
                                       size_t cap);
size_t gnubg_cube_analysis_format(struct gnubg_analysis const *analysis, char *out, size_t cap);

/* --- records --- */

struct gnubg_hop {
    uint8_t from, to;
};

struct gnubg_move {
    struct gnubg_hop hops[4];
    size_t count;
};

struct gnubg_candidate {
    struct gnubg_move move;
    struct gnubg_analysis analysis;
    bool marked;          /* for rollout */
    redo_sgf_string text; /* all as written */
};

enum gnubg_action {
    GNUBG_NO_ACTION, /* set-up, or no record at all */
    GNUBG_MOVE,
    GNUBG_DOUBLE, /* or a beaver or raccoon, directly after one by the other side */
    GNUBG_TAKE,
    GNUBG_DROP
};

/* What a node sets up. */
enum gnubg_set { GNUBG_SET_BOARD = 1, GNUBG_SET_DICE = 2, GNUBG_SET_CUBE = 4, GNUBG_SET_OWNER = 8 };

/* How well something was done; and luck, for whom and how much. */
enum gnubg_skill { GNUBG_UNMARKED, GNUBG_DOUBTFUL, GNUBG_BAD, GNUBG_VERY_BAD };
struct gnubg_luck {
    bool known;
    struct gnubg_number value;
    enum gnubg_side good_for;
    int degree; /* 1, or 2: very */
};

struct gnubg_record {
    char const *begin; /* where it was read, for redo_sgf_game_place(); NULL: it has no property */
    enum gnubg_action action;
    enum gnubg_side player;  /* of the action; if there is none, to_play */
    int dice[2];             /* of a move */
    struct gnubg_move move;  /* no hops: no legal move */
    enum gnubg_side to_play; /* PL; nobody: not told */
    unsigned set;            /* of enum gnubg_set */
    int set_dice[2];
    bool clear[25];                    /* White's points 1 to 24, [24] both bars: emptied first */
    uint8_t add[2][25];                /* chequers on a player's own points, [24] the bar */
    redo_sgf_property const *board[3]; /* AE, AW, AB as written */
    bool player_last;                  /* PL stood behind the board: gnubg mirrors it then */
    unsigned cube;
    enum gnubg_side owner;
    bool has_list; /* candidates, and which of them was made; their number: one not in the list */
    struct gnubg_candidate *candidates;
    size_t count, made;
    bool has_marks;             /* MR was there */
    redo_sgf_string marks_text; /* as written */
    bool has_cube;
    struct gnubg_analysis
        cube_analysis; /* of not doubling, or of the action and the chain it is in */
    bool cube_marked;
    struct gnubg_luck luck;
    enum gnubg_skill skill;      /* of the move, or the cube action */
    enum gnubg_skill cube_skill; /* of not doubling */
    redo_sgf_string comment;     /* data NULL: none; an empty one is one */
    struct gnubg_rests rests;
};

/* Reads a node that is no root; adds to an empty node. REDO_OK, REDO_ENOMEM, or REDO_EDAMAGED with
 * the place in the input; then there is nothing to free. */
int gnubg_record_read(redo_sgf_game *game, redo_sgf_node const *node, struct gnubg_record *record,
                      redo_sgf_error *error);
int gnubg_record_write(redo_sgf_game *game, redo_sgf_node *node, struct gnubg_record const *record);
void gnubg_record_free(struct gnubg_record *record);

/* Whether the last record of a line, of which the one before it is given, is a decision still open:
 * gnubg saves the dice, and then the best candidate, or no move, as if it had been made. */
bool gnubg_record_is_open(struct gnubg_record const *before, struct gnubg_record const *last);

/* --- positions --- */

enum gnubg_state { GNUBG_NOT_BEGUN, GNUBG_PLAYING, GNUBG_OVER, GNUBG_RESIGNED, GNUBG_DROPPED };

struct gnubg_position {
    uint8_t points[2][25]; /* chequers on a player's own points, [24] the bar */
    unsigned cube;
    enum gnubg_side owner;
    enum gnubg_side roller; /* whose roll it is; of an offered double, who offers */
    enum gnubg_side turn;   /* who has to act */
    bool doubled;           /* a double is offered */
    int resigned;           /* offered: 1 single, 2 gammon, 3 backgammon */
    enum gnubg_state state;
    int dice[2]; /* 0: not rolled */
    int length, score[2];
    bool crawford, jacoby;
};

void gnubg_position_start(struct gnubg_position *p, struct gnubg_header const *header);

/* The position in which the record's player acts, from the one after the record before: set-up
 * done, turn and dice as the record says. Then the one after it. REDO_OK, or REDO_ESTATE with a
 * message if the record can not follow: no chequer is there to move, or the point is blocked, or no
 * double was offered to be answered. Whether a move is legal with the dice is not looked at. On an
 * error the position is as before. */
int gnubg_position_decide(struct gnubg_position *p, struct gnubg_record const *record,
                          redo_sgf_error *error);
int gnubg_position_play(struct gnubg_position *p, struct gnubg_record const *record,
                        redo_sgf_error *error);

#define GNUBG_POSITION_ID 15 /* with the zero at the end */
#define GNUBG_MATCH_ID 13

/* gnubg's IDs: of the board as the roller sees it, and of all else. Reading the first needs the
 * roller, which the second sets; so read that first. False: not an ID. */
void gnubg_position_id(struct gnubg_position const *p, char id[GNUBG_POSITION_ID]);
void gnubg_match_id(struct gnubg_position const *p, char id[GNUBG_MATCH_ID]);
bool gnubg_position_id_read(struct gnubg_position *p, char const *id);
bool gnubg_match_id_read(struct gnubg_position *p, char const *id);

#endif
