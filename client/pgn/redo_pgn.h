/* redo_pgn.h: game records in PGN (Portable Game Notation), its import and its export format. Link
 * with -lredo-pgn. It needs no daemon, no other library, and does no input or output of its own.
 *
 * A file is a row of games; a reader gives them one after the other, so that memory holds one of
 * them. A game has tag pairs, a tree of moves and a result. No rule of chess is known: a move is a
 * piece of text (SAN, or whatever else stands there: O-O, 0-0, e2-e4, P@e4, --, Z0), whose order
 * alone counts. The first child of a node is the move that was played after it, the further ones
 * are the variations.
 *
 * What is read and written keeps: tag pairs in their order, moves, variations, comments with their
 * text and form ({} or ;), NAGs as number or sign, the number of the first move, the result.
 * It does not keep: spaces and line ends outside of comments, move numbers but the first, escape
 * lines (% in column one), and parentheses beyond what the tree needs (a variation of a
 * variation's first move is one more variation beside it).
 *
 * Ownership: a game owns all its parts and their text; what the functions below return of them
 * lives until the game is freed (removed parts too). Text given to a function is copied. A reader
 * owns none of the games it gave. Different games may be used by different threads.
 *
 * Input is not trusted: nothing recurses, and the limits bound what a game may take.
 */
#ifndef REDO_PGN_H
#define REDO_PGN_H

#include "redo_text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redo_pgn_reader redo_pgn_reader;
typedef struct redo_pgn_game redo_pgn_game;
typedef struct redo_pgn_tag redo_pgn_tag;
typedef struct redo_pgn_node redo_pgn_node;
typedef struct redo_pgn_comment redo_pgn_comment;
typedef struct redo_pgn_nag redo_pgn_nag;

/* The charset of the input NULL: each game is UTF-8 if all its bytes are, else ISO-8859-1 (the
 * standard's own); a byte order mark of UTF-16 or 32 counts. */
typedef redo_text_options redo_pgn_options;

/* Sets what is right for most: 256 MiB of text and 2 GiB in all, 16 million moves, a depth of a
 * million, no charset. */
void redo_pgn_options_init(redo_pgn_options *options);

/* --- reading --- */

/* Begins to read what source gives, or bytes in memory, which must stay until the reader is closed.
 * options NULL: as redo_pgn_options_init() sets them. NULL if there is no memory for it. */
redo_pgn_reader *redo_pgn_reader_open(redo_text_source *source, void *data,
                                      redo_pgn_options const *options);
redo_pgn_reader *redo_pgn_reader_open_bytes(void const *bytes, size_t size,
                                            redo_pgn_options const *options);
void redo_pgn_reader_close(redo_pgn_reader *reader);

/* The next game, which is the caller's; *game NULL after the last one. An input without any game is
 * an error. REDO_OK or a code: REDO_EDAMAGED (not PGN), REDO_EUTF8 (bytes that are no text in the
 * charset), REDO_EOPTION (no one knows the charset), REDO_EFULL, REDO_ESYSTEM, REDO_ENOMEM. After
 * an error there is nothing more to read, and the same error is given again.
 *
 * A game ends with its result, or where the tag pairs of the next one or the end of the file come
 * without one: that is *. */
int redo_pgn_reader_next(redo_pgn_reader *reader, redo_pgn_game **game);

/* What the last redo_pgn_reader_next() said; the reader's own. */
redo_text_error const *redo_pgn_reader_error(redo_pgn_reader const *reader);

/* --- writing --- */

/* Writes the game in UTF-8, with the empty line after it that games have between them. Tag pairs
 * stand on a line each; moves on lines of less than 80 characters, as many as fit. A comment is
 * never broken into lines other than its own, for that would change it; so it may make a line
 * longer. REDO_OK, REDO_ENOMEM or what sink returned. */
int redo_pgn_game_write(redo_pgn_game const *game, redo_text_sink *sink, void *data);

/* --- games --- */

/* A game without tags and moves, with the result *. NULL: no memory. */
redo_pgn_game *redo_pgn_game_new(void);
void redo_pgn_game_free(redo_pgn_game *game);

/* The position before the first move: a node without a move. */
redo_pgn_node *redo_pgn_game_root(redo_pgn_game const *game);

/* The charset that the game was read from. */
char const *redo_pgn_game_charset(redo_pgn_game const *game);

/* Whether two games are the same in all that is kept. A comment between two moves with no variation
 * between them is the same whether it is after the one or before the other. */
int redo_pgn_game_equal(redo_pgn_game const *a, redo_pgn_game const *b);

enum redo_pgn_result {
    REDO_PGN_UNKNOWN, /* *, unfinished too */
    REDO_PGN_WHITE,   /* 1-0 */
    REDO_PGN_BLACK,   /* 0-1 */
    REDO_PGN_DRAW     /* 1/2-1/2 */
};
enum redo_pgn_result redo_pgn_game_result(redo_pgn_game const *game);
void redo_pgn_game_set_result(redo_pgn_game *game, enum redo_pgn_result result);

/* The number of the first move, and whether it is Black's: as read, else by the tag FEN, else 1 and
 * White's. */
void redo_pgn_game_start(redo_pgn_game const *game, unsigned long *number, int *black);
void redo_pgn_game_set_start(redo_pgn_game *game, unsigned long number, int black);

/* --- tag pairs --- */

redo_pgn_tag *redo_pgn_game_tags(redo_pgn_game const *game);
redo_pgn_tag *redo_pgn_tag_next(redo_pgn_tag const *tag);
redo_text_string redo_pgn_tag_name(redo_pgn_tag const *tag);

/* The value without its escapes. */
redo_text_string redo_pgn_tag_value(redo_pgn_tag const *tag);

/* The first tag of that name, or NULL. */
redo_pgn_tag *redo_pgn_game_tag(redo_pgn_game const *game, char const *name);

/* A new last tag, or another value for one. REDO_OK, REDO_ENOMEM, REDO_ENAME if the name is
 * empty or has anything but letters, digits and _+#=:-, REDO_EUTF8, or REDO_EDAMAGED if the value
 * has a line end or a zero byte. */
int redo_pgn_tag_add(redo_pgn_game *game, char const *name, size_t name_size, char const *value,
                     size_t size);
int redo_pgn_tag_set(redo_pgn_game *game, redo_pgn_tag *tag, char const *value, size_t size);
void redo_pgn_tag_remove(redo_pgn_game *game, redo_pgn_tag *tag);

/* --- nodes --- */

/* NULL where there is none. */
redo_pgn_node *redo_pgn_node_parent(redo_pgn_node const *node);
redo_pgn_node *redo_pgn_node_first(redo_pgn_node const *node);
redo_pgn_node *redo_pgn_node_next(redo_pgn_node const *node);
redo_pgn_node *redo_pgn_node_previous(redo_pgn_node const *node);

/* The node after this one of the subtree of top: first child, then the next branch; NULL after the
 * last. */
redo_pgn_node *redo_pgn_node_after(redo_pgn_node const *node, redo_pgn_node const *top);

/* The move as written, without its number and signs; empty for a root. */
redo_text_string redo_pgn_node_move(redo_pgn_node const *node);

/* A new last child with that move. REDO_OK, REDO_ENOMEM, REDO_EUTF8, or REDO_EDAMAGED if it would
 * not be read as one move. */
int redo_pgn_node_add(redo_pgn_game *game, redo_pgn_node *parent, char const *move, size_t size,
                      redo_pgn_node **node);

/* Takes the node with all below it out of the tree. REDO_EFIRST for a root. */
int redo_pgn_node_remove(redo_pgn_node *node);

/* --- comments --- */

enum redo_pgn_where {
    REDO_PGN_AFTER,  /* after the move; of a root: before the first move */
    REDO_PGN_BEFORE, /* before the move: at the start of a variation, or after those of the move
                      * before. Of a root: as REDO_PGN_AFTER */
    REDO_PGN_END     /* after the result; of a root only */
};

redo_pgn_comment *redo_pgn_node_comments(redo_pgn_node const *node, enum redo_pgn_where where);
redo_pgn_comment *redo_pgn_comment_next(redo_pgn_comment const *comment);

/* Everything between the braces, or after the semicolon to the end of the line; line ends are \n.
 * Nothing in it is interpreted: [%clk 0:01:02] is text. */
redo_text_string redo_pgn_comment_text(redo_pgn_comment const *comment);

/* Whether it is the form with a semicolon. */
int redo_pgn_comment_line(redo_pgn_comment const *comment);

/* A new last comment there; with a semicolon if line is set. REDO_OK, REDO_ENOMEM, REDO_EUTF8, or
 * REDO_EDAMAGED if it would end early: by a }, or in a line by a line end (so one with both can not
 * be written), or has a zero byte or a \r. */
int redo_pgn_comment_add(redo_pgn_game *game, redo_pgn_node *node, enum redo_pgn_where where,
                         char const *text, size_t size, int line);
void redo_pgn_comments_clear(redo_pgn_node *node, enum redo_pgn_where where);

/* --- NAGs: what is thought of a move, as a number (1 is good, 2 a mistake ...) --- */

redo_pgn_nag *redo_pgn_node_nags(redo_pgn_node const *node);
redo_pgn_nag *redo_pgn_nag_next(redo_pgn_nag const *nag);
unsigned redo_pgn_nag_number(redo_pgn_nag const *nag);

/* The sign that it was written as, or empty: by its number, $n. */
redo_text_string redo_pgn_nag_sign(redo_pgn_nag const *nag);

/* A new last NAG. sign NULL: to be written by its number; else one that means the number, such as
 * !, ?, !!, ??, !?, ?!, =, +-. REDO_OK, REDO_ENOMEM, or REDO_EDAMAGED if it does not, or the node
 * is a root, or the number is above REDO_PGN_NAG_MOST. */
#define REDO_PGN_NAG_MOST 65535
int redo_pgn_nag_add(redo_pgn_game *game, redo_pgn_node *node, unsigned number, char const *sign);
void redo_pgn_nags_clear(redo_pgn_node *node);

#ifdef __cplusplus
}
#endif

#endif
