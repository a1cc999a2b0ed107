/* Inside the export to gnubg's dialect. */
#ifndef CLIENT_GAMES_GNUBG_EXPORT_H
#define CLIENT_GAMES_GNUBG_EXPORT_H

#include "client/games/backgammon.h"
#include "client/games/generic_export.h"
#include "client/games/walk.h"

struct exporter {
    redo_sgf_game *game;
    redo_sgf_error *error;
    redo_session *session;
    struct walk walk;
    struct children children, after; /* of the position at hand, and of a roll */
    struct arena arena;              /* of that position's sheets: made anew for each */
    struct gnubg_candidate *list; /* room for candidates; owned. They are large, and of each but a
                                     few fields are used: so it is not made anew */
    size_t list_cap;
};

/* A position, what hangs on it, and its board. */
struct place {
    redo_position *position;
    struct gnubg_position board;
    struct sheet sheet;
};

/* The error that they prepare. */
int export_fail(struct exporter *ex, redo_position const *position, char const *what);
int export_no_memory(struct exporter *ex);

/* Each of these adds one node to `node`. made: it would be taken for a decision still open. */
int export_move(struct exporter *ex, redo_sgf_node *node, struct place const *roll,
                struct place const *to, bool first, bool made);
int export_rolled(struct exporter *ex, redo_sgf_node *node, struct place const *at,
                  struct place const *roll, struct place const *to, bool first_roll, bool first);
int export_action(struct exporter *ex, redo_sgf_node *node, struct place const *at,
                  struct place const *to, bool made);
int export_setup(struct exporter *ex, redo_sgf_node *node, struct place const *at,
                 struct place const *to, int after);

/* The parts of a node: what hangs on a position or a branch is put into a record, and written.
 * made: one of the roll's items, or NULL. usual: the cube is told there if nothing else is said.
 * roll, to: whose comments have no other place, or NULL. */
struct gnubg_record move_record(struct place const *roll);
int export_list(struct exporter *ex, struct place const *roll, struct item const *made,
                struct gnubg_record *r);
int export_cube(struct exporter *ex, struct properties const *branch, struct sheet const *decisions,
                struct item const *item, bool usual, struct gnubg_record *r);
int export_cube_text(struct exporter *ex, struct analysis const *a, struct gnubg_record *r);
int export_node(struct exporter *ex, redo_sgf_node *node, struct properties const *from,
                struct place const *roll, struct place const *to, struct gnubg_record *r);

/* The candidates that are not in the list. */
int export_unanalysed(struct exporter *ex, redo_sgf_node *node, struct place const *roll);

/* What is open at a place after which there is nothing: a candidate as if it had been made, or what
 * is thought of the cube. Nothing is added if there is nothing open. */
int export_pending(struct exporter *ex, redo_sgf_node *node, struct place const *at);

/* Whether what is open after a roll tells what is thought of the cube before it. */
bool pending_tells_cube(redo_position const *roll, struct sheet const *sheet);

/* What is thought of the cube at a place, where no node of what follows it tells of that. */
int export_open(struct exporter *ex, redo_sgf_node *node, struct place const *at);

/* The chain of decisions that an offered double follows: the place where it began, and how many
 * were made. False: it is none of these. */
bool chain_of(struct exporter *ex, redo_position *position, redo_position **begin, unsigned *depth);

/* The item in a place, from 0, or NULL; whether it is marked for a rollout. */
struct item const *item_at(struct items const *items, unsigned place);
bool item_is_marked(struct item const *item);

#endif
