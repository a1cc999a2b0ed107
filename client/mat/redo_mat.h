/* redo_mat.h: matches of backgammon in the form of Jellyfish (.mat), as GNU Backgammon and others
 * write it. Link with -lredo-mat. It needs no daemon, no other library, and does no input or output
 * of its own.
 *
 * A match has a length, a header of lines that begin with a semicolon, and games; a game has two
 * players, their scores before it, and actions in the order of play. No rule of backgammon is
 * known: a move is a text, a cube action has the value that stands there, and the players need not
 * take turns.
 *
 * A match that was read and not changed is written with the same bytes (in UTF-8); else, or if
 * asked for, in the layout of gnubg 1.07.
 *
 * Structs are to be looked at only; functions change them. A match owns all its parts and their
 * text; text given to a function is copied. Different matches may be used by different threads.
 *
 * Input is not trusted: nothing recurses, and the limits bound what a match may take.
 */
#ifndef REDO_MAT_H
#define REDO_MAT_H

#include "redo_text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redo_mat_match redo_mat_match;

/* --- the header: lines before the match --- */

enum redo_mat_line_kind {
    REDO_MAT_TAG,  /* ; [NAME "VALUE"] */
    REDO_MAT_NOTE, /* ; VALUE */
    REDO_MAT_LINE  /* VALUE, which may be empty */
};

typedef struct redo_mat_line {
    struct redo_mat_line *next;
    enum redo_mat_line_kind kind;
    redo_text_string name;
    redo_text_string value;
} redo_mat_line;

/* --- games --- */

enum redo_mat_kind {
    REDO_MAT_MOVE, /* 31: 8/5 6/5; with an empty text no move was possible */
    REDO_MAT_ROLL, /* 31: with the match stopped there, the move not yet made */
    REDO_MAT_DOUBLE,
    REDO_MAT_BEAVER, /* gnubg says it of a raccoon too */
    REDO_MAT_RACCOON,
    REDO_MAT_TAKE,
    REDO_MAT_DROP,
    REDO_MAT_WIN,     /* of the game, by resignation too */
    REDO_MAT_COMMENT, /* a line with a semicolon between the moves; its player does not count */
    REDO_MAT_OTHER    /* anything else that stands in a player's column */
};

typedef struct redo_mat_action {
    struct redo_mat_action *next;
    enum redo_mat_kind kind;
    int player;          /* 0: the left one, 1: the right one */
    int dice[2];         /* of a move or roll, as written */
    unsigned long value; /* the cube after a double, beaver or raccoon; points won; 0: none told */
    int match;           /* of a win: "and the match" */
    /* The move as written, or what else stands there; of a win what stands before "Wins". */
    redo_text_string text;
    unsigned long line, column; /* where it was read, from 1; 0: it was not */
} redo_mat_action;

typedef struct redo_mat_game {
    struct redo_mat_game *next;
    unsigned long number;
    redo_text_string name[2];
    unsigned long score[2];
    redo_mat_action *first, *last;
    unsigned long line, column; /* as of an action */
} redo_mat_game;

/* --- reading and writing --- */

/* The charset of the input NULL: UTF-8 if all bytes are, else ISO-8859-1; a byte order mark
 * counts. */
typedef redo_text_options redo_mat_options;

/* Sets what is right for most: 256 MiB of text and 2 GiB in all, 16 million lines and actions, no
 * charset. */
void redo_mat_options_init(redo_mat_options *options);

/* Reads all that source gives, or bytes: one match. options NULL: as redo_mat_options_init() sets
 * them. REDO_OK, or a code, and *match is NULL: REDO_EDAMAGED (not a match, with the place),
 * REDO_EUTF8, REDO_EOPTION (no one knows the charset), REDO_EFULL, REDO_ESYSTEM, REDO_ENOMEM. */
int redo_mat_read(redo_text_source *source, void *data, redo_mat_options const *options,
                  redo_mat_match **match, redo_text_error *error);
int redo_mat_read_bytes(void const *bytes, size_t size, redo_mat_options const *options,
                        redo_mat_match **match, redo_text_error *error);

/* In gnubg's layout, even if the match was read and not changed. */
#define REDO_MAT_PLAIN 1

/* Writes the match in UTF-8. REDO_OK, REDO_ENOMEM or what sink returned. */
int redo_mat_write(redo_mat_match const *match, int flags, redo_text_sink *sink, void *data);

/* --- matches --- */

/* A match of 0 points (a money session) without header and games. NULL: no memory. */
redo_mat_match *redo_mat_match_new(void);
void redo_mat_match_free(redo_mat_match *match);

/* The points it goes to; 0: a money session; -1: not told. */
long redo_mat_length(redo_mat_match const *match);
void redo_mat_set_length(redo_mat_match *match, long length);

/* The charset that it was read from. */
char const *redo_mat_charset(redo_mat_match const *match);

redo_mat_line const *redo_mat_header(redo_mat_match const *match);
redo_mat_game const *redo_mat_games(redo_mat_match const *match);

/* Whether two matches have the same length, header, games and actions. The numbers of lines, and
 * spaces, do not count. */
int redo_mat_equal(redo_mat_match const *a, redo_mat_match const *b);

/* New last parts. REDO_OK, REDO_ENOMEM, REDO_EUTF8, or REDO_EDAMAGED if the text has a line end or
 * a zero byte, or the part would be read as another. */
int redo_mat_header_add(redo_mat_match *match, enum redo_mat_line_kind kind, redo_text_string name,
                        redo_text_string value);
int redo_mat_game_add(redo_mat_match *match, unsigned long number, redo_text_string const name[2],
                      unsigned long const score[2], redo_mat_game **game);
/* Copies the action; its next and its place do not count. */
int redo_mat_action_add(redo_mat_match *match, redo_mat_game *game, redo_mat_action const *action);

/* --- moves --- */

#define REDO_MAT_BAR 25
#define REDO_MAT_OFF 0

typedef struct redo_mat_hop {
    int from, to; /* the player's own points */
    int hit;
} redo_mat_hop;

/* Reads the text of a move: bar or 25, off or 0, hits (*), repeats as in 13/7(2), and hops in a row
 * as in 24/18/13 or 24/18 and 18/13. "Cannot Move" and nothing are no hops. Gives at most cap hops,
 * and returns how many there are, or -1 if it is no move. */
int redo_mat_move_read(redo_text_string text, redo_mat_hop *hops, int cap);

/* The text in gnubg's form, hop by hop. Writes at most cap bytes and returns how many there are. */
size_t redo_mat_move_write(redo_mat_hop const *hops, int count, char *out, size_t cap);

#ifdef __cplusplus
}
#endif

#endif
