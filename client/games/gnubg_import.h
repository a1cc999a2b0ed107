/* Inside the import of gnubg's dialect. */
#ifndef CLIENT_GAMES_GNUBG_IMPORT_H
#define CLIENT_GAMES_GNUBG_IMPORT_H

#include "client/games/backgammon.h"

/* What is known of a position while its session grows. */
struct entry {
    redo_position *position;
    struct gnubg_position board;
    struct sheet sheet;
    struct entry *last; /* of those after it, the one made last */
    struct entry
        *chain;     /* of an offered double: where the chain began whose decisions this follows */
    unsigned depth; /* how many of them were made */
    int next_setup; /* the next free move below 0 */
    int again, again_made; /* the last move that was there already, and what it became */
    bool rolls;            /* a node set its dice, or its board: it is no part of another node */
    bool roll;             /* dice were rolled, or set alone, to come here */
    bool has_cube;         /* its node told what the decisions before it come to */
    bool followed;         /* a roll after it was seen */
    bool untold;           /* no node is for it, but that of the decision made there */
};

struct importer {
    redo_sgf_game *game;
    redo_sgf_error *error;
    redo_session *session;
    struct arena arena;
    struct entry **entries; /* by number; owned */
    size_t count, cap;
    redo_sgf_node *last; /* of the main line */
    bool finished;       /* the game ended there */
    struct buffer scratch;
    unsigned long taken; /* moves that were, in all: see importer_add() */
};

/* A position after another, with the move, or if that is taken the next of its kind. NULL on error.
 */
struct entry *importer_add(struct importer *im, struct entry *from, int move,
                           struct gnubg_position const *board, redo_sgf_node const *node);

/* One with the same board, below 0; NULL on error. */
struct entry *importer_add_alternate(struct importer *im, struct entry *of,
                                     struct gnubg_position const *board);

int importer_fail(struct importer *im, int code);

/* The node's record becomes what follows the entry; the node is marked with the entry to go on
 * from. REDO_OK or an error. */
int import_record(struct importer *im, redo_sgf_node *node, struct gnubg_record const *record,
                  struct entry *from);

/* A cube action, and what is thought of the cube at a roll. */
int import_action(struct importer *im, redo_sgf_node *node, struct gnubg_record const *record,
                  struct entry *from);
int import_open(struct importer *im, redo_sgf_node *node, struct gnubg_record const *record,
                struct entry *at);
/* What is thought of the cube before a roll, told with what is open after it. False: it has no
 * place before the roll. */
bool import_pending_cube(struct importer *im, struct entry *roll,
                         struct gnubg_record const *record);
void import_cube(struct importer *im, struct entry *at, struct entry *roll,
                 struct gnubg_record const *record);

#endif
