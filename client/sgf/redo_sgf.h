/* redo_sgf.h: game records in SGF (Smart Game Format): FF[4] and FF[3], of any game. Link with
 * -lredo-sgf. It needs no daemon, no other library, and does no input or output of its own.
 *
 * A file is a row of games (game trees); a reader gives them one after the other, so that memory
 * holds one of them. A game is a tree of nodes; a node has properties in the order of the file; a
 * property has one or more values. Nothing is interpreted: names and values are kept as written,
 * known or not, and so are the spaces and line ends between them. What was read and not changed is
 * written with the same bytes, but for the charset: all text in memory, and all that is written, is
 * UTF-8. Properties before the first semicolon of a game, which some files have, belong to its
 * root.
 *
 * Ownership: a game owns its nodes, properties, values and all their text; what the functions below
 * return of them lives until the game is freed (removed parts too). Text given to a function is
 * copied. A reader owns none of the games it gave. Different games may be used by different
 * threads.
 *
 * Input is not trusted: nothing recurses, and the limits bound what a game may take.
 */
#ifndef REDO_SGF_H
#define REDO_SGF_H

#include "redo_text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redo_sgf_reader redo_sgf_reader;
typedef struct redo_sgf_game redo_sgf_game;
typedef struct redo_sgf_node redo_sgf_node;
typedef struct redo_sgf_property redo_sgf_property;
typedef struct redo_sgf_value redo_sgf_value;

/* As redo_text.h tells. */
typedef redo_text_string redo_sgf_string;
typedef redo_text_error redo_sgf_error;
typedef redo_text_limits redo_sgf_limits;
typedef redo_text_source redo_sgf_source;
typedef redo_text_sink redo_sgf_sink;

typedef struct redo_sgf_options {
    redo_sgf_limits limits;
    /* The charset of the whole input, whatever it says of itself (a name that iconv knows); NULL:
     * as each game declares (CA); if it does not: UTF-8 if it is that, else guessed. */
    char const *charset;
} redo_sgf_options;

/* Sets what is right for most: 256 MiB of text and 2 GiB in all, 16 million nodes, a depth of a
 * million, the charset as declared or guessed. */
void redo_sgf_options_init(redo_sgf_options *options);

/* --- reading --- */

/* Begins to read what source gives, or bytes in memory, which must stay until the reader is closed.
 * options NULL: as redo_sgf_options_init() sets them. NULL if there is no memory for it. */
redo_sgf_reader *redo_sgf_reader_open(redo_sgf_source *source, void *data,
                                      redo_sgf_options const *options);
redo_sgf_reader *redo_sgf_reader_open_bytes(void const *bytes, size_t size,
                                            redo_sgf_options const *options);
void redo_sgf_reader_close(redo_sgf_reader *reader);

/* The next game, which is the caller's; *game NULL after the last one. An input without any game is
 * an error. REDO_OK or a code: REDO_EDAMAGED (not SGF), REDO_EUTF8 (bytes that are no text in
 * their charset), REDO_EFULL, REDO_ESYSTEM, REDO_ENOMEM. After an error there is nothing more to
 * read, and the same error is given again. */
int redo_sgf_reader_next(redo_sgf_reader *reader, redo_sgf_game **game);

/* What the last redo_sgf_reader_next() said; the reader's own. */
redo_sgf_error const *redo_sgf_reader_error(redo_sgf_reader const *reader);

/* After the last game: what follows it in the file (most often a line end); the reader's own. */
redo_sgf_string redo_sgf_reader_tail(redo_sgf_reader const *reader);

/* --- writing --- */

/* Spaces, line ends and the text before the game not as read, but a line for each node. */
#define REDO_SGF_PLAIN 1
/* Do not add CA[UTF-8] to a game that was read from another charset and does not declare one. */
#define REDO_SGF_NO_CHARSET 2

/* Writes the game in UTF-8; flags is 0 or a sum of the above. A CA of another charset is written as
 * UTF-8. REDO_OK, REDO_ENOMEM or what sink returned. */
int redo_sgf_game_write(redo_sgf_game const *game, int flags, redo_sgf_sink *sink, void *data);

/* --- games --- */

/* A game with a root without properties. NULL: no memory. */
redo_sgf_game *redo_sgf_game_new(void);
void redo_sgf_game_free(redo_sgf_game *game);

redo_sgf_node *redo_sgf_game_root(redo_sgf_game const *game);

/* The text before the game's first parenthesis. */
redo_sgf_string redo_sgf_game_lead(redo_sgf_game const *game);

/* The charset that the game was read from, a name that iconv knows; and whether it was guessed (1),
 * or told by CA, a byte order mark, the options, or the bytes being UTF-8 (0). */
char const *redo_sgf_game_charset(redo_sgf_game const *game);
int redo_sgf_game_guessed(redo_sgf_game const *game);

/* Whether two games have the same nodes in the same tree, with the same properties and values, as
 * written, in the same order. Spaces between them do not count, nor does the property CA: it tells
 * of a file, and in memory all text is UTF-8. */
int redo_sgf_game_equal(redo_sgf_game const *a, redo_sgf_game const *b);

/* Where in the input a piece of text of the game (a name, a value) stood: 1 and the place, or 0 if
 * it was not read. */
int redo_sgf_game_place(redo_sgf_game const *game, char const *text, unsigned long *line,
                        unsigned long *column);

/* --- nodes --- */

/* NULL where there is none. */
redo_sgf_node *redo_sgf_node_parent(redo_sgf_node const *node);
redo_sgf_node *redo_sgf_node_first(redo_sgf_node const *node);
redo_sgf_node *redo_sgf_node_next(redo_sgf_node const *node);
redo_sgf_node *redo_sgf_node_previous(redo_sgf_node const *node);

/* The node after this one in the order of the file, of the subtree of top; NULL after the last. */
redo_sgf_node *redo_sgf_node_after(redo_sgf_node const *node, redo_sgf_node const *top);

/* A new last child of the node. NULL: no memory. */
redo_sgf_node *redo_sgf_node_add(redo_sgf_game *game, redo_sgf_node *parent);

/* Takes the node with all below it out of the tree. REDO_EFIRST for a root. */
int redo_sgf_node_remove(redo_sgf_node *node);

/* --- properties --- */

redo_sgf_property *redo_sgf_node_properties(redo_sgf_node const *node);
redo_sgf_property *redo_sgf_property_next(redo_sgf_property const *property);

/* The name as written; and whether it means id: in FF[3] small letters do not count, so that
 * COmment means CO. The first property of the node that means id, or NULL. */
redo_sgf_string redo_sgf_property_name(redo_sgf_property const *property);
int redo_sgf_property_is(redo_sgf_property const *property, char const *id);
redo_sgf_property *redo_sgf_node_property(redo_sgf_node const *node, char const *id);

/* A new last property without values (it needs one to be written). REDO_OK, REDO_ENOMEM, or
 * REDO_ENAME if the name does not begin with a letter, has none in capitals, or anything but
 * letters and digits. */
int redo_sgf_property_add(redo_sgf_game *game, redo_sgf_node *node, char const *name, size_t size,
                          redo_sgf_property **property);
void redo_sgf_property_remove(redo_sgf_property *property);

/* --- values --- */

redo_sgf_value *redo_sgf_property_values(redo_sgf_property const *property);
redo_sgf_value *redo_sgf_value_next(redo_sgf_value const *value);

/* What stands between the brackets, escapes and all. */
redo_sgf_string redo_sgf_value_raw(redo_sgf_value const *value);

/* A new last value, or another text for one, as it is to stand between the brackets. REDO_OK,
 * REDO_ENOMEM, REDO_EUTF8, or REDO_EDAMAGED if a bracket would end it early, or a backslash escape
 * the bracket that ends it, or it has a zero byte. */
int redo_sgf_value_add(redo_sgf_game *game, redo_sgf_property *property, char const *raw,
                       size_t size);
int redo_sgf_value_set(redo_sgf_game *game, redo_sgf_value *value, char const *raw, size_t size);
void redo_sgf_value_remove(redo_sgf_value *value);

/* --- the text of a value ---
 *
 * Each of these writes at most cap bytes to out and returns how many there are in all. */

/* The text that a raw value means: a backslash gives the character after it, a soft line break (one
 * after a backslash) nothing, a line end in any form \n. Other white space stays as it is. Never
 * more bytes than raw. */
size_t redo_sgf_text_decode(redo_sgf_string raw, char *out, size_t cap);

/* The same with line ends as spaces: the type SimpleText. */
size_t redo_sgf_simpletext_decode(redo_sgf_string raw, char *out, size_t cap);

/* The raw value for a text: backslashes and closing brackets are escaped, and colons if the value
 * is one of two with a colon between them. Never more than twice the bytes. */
size_t redo_sgf_text_encode(redo_sgf_string text, int colons, char *out, size_t cap);

/* Splits a raw value at the first colon that is not escaped: 1, or 0 if there is none, and then all
 * is left. */
int redo_sgf_split(redo_sgf_string raw, redo_sgf_string *left, redo_sgf_string *right);

#ifdef __cplusplus
}
#endif

#endif
