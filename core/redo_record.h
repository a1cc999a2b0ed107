/* redo_record.h: what an analyst hangs on a position: properties, the candidate moves with what an
 * engine thinks of each and which was played, the chain of decisions about the cube, and
 * alternates, the same board with another score or another cube. Both libraries of redo.h have it.
 *
 * The document is that of the game record of GNU Backgammon; nothing here is backgammon's, though.
 * Positions, candidates and all else change as a session does: by operations, in every frontend.
 *
 * Candidates and decisions are alike, and told by the same struct. Both are lists of a position;
 * an item has an id, from 1, that is not given twice in its list, so that it means the same item
 * however others add, remove and move items meanwhile. A candidate is a move that could be made;
 * the decisions are a chain that begins with the double: each answers the one before it.
 *
 * What functions tell by pointer is the session's, and valid until the record is changed. Strings
 * have sizes, and a 0 byte after them. A function that fails changes nothing; redo_lasterror()
 * tells why. */
#ifndef REDO_RECORD_H
#define REDO_RECORD_H

#include "redo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits: more is REDO_EFULL. */
#define REDO_RECORD_MAX (256 * 1024 * 1024) /* bytes of all that is kept with a position */
#define REDO_CANDIDATES_MAX 65535           /* items of a list */
#define REDO_TEXT_MAX 65535                 /* bytes of the text of an item, or of an analysis */
#define REDO_NUMBERS_MAX 64                 /* numbers of an analysis */

/* What has properties, and which list an item is in. */
enum redo_of {
    redo_of_position = 0,
    redo_of_branch = 1, /* the one that leads to the position; not of the first position */
    redo_of_candidate = 2,
    redo_of_decision = 3
};

/* What an engine, or a person, thinks of a candidate or a decision. Which numbers there are is the
 * kind's affair. Of gnubg's: five chances (to win, to win a gammon, a backgammon, to lose a
 * gammon, a backgammon), then, if there, the cubeless and the cubeful equity; of a decision seven
 * for no double, then seven for double, take. */
typedef struct redo_analysis {
    char const *kind; /* "evaluation", "rollout", or another name of 1 to REDO_NAME_MAX bytes */
    size_t kindsize;
    double equity; /* what candidates are compared by; NaN: none */
    double numbers[REDO_NUMBERS_MAX];
    double deviations[REDO_NUMBERS_MAX]; /* standard deviations of the numbers, as far as given */
    size_t numbercount, deviationcount;
    void const *context; /* how it was made: one msgpack value; NULL: not told */
    size_t contextsize;
    char const *text; /* the whole as a file had it, for who writes that file again; NULL: none */
    size_t textsize;
} redo_analysis;

/* Where an item's analysis is. */
enum redo_analysed {
    redo_analysis_none = 0,
    redo_analysis_own = 1,
    redo_analysis_shared = 2 /* a decision: that of the chain's first */
};

/* A candidate or a decision. It has a move, a text, or both. */
typedef struct redo_candidate {
    uint32_t id;
    int hasmove;
    int move;         /* that of the branch that plays it */
    char const *text; /* e.g. "24/18 13/11", "double"; NULL: none */
    size_t textsize;
    enum redo_analysed analysed;
    redo_position *leads; /* to where the branch that plays it leads; NULL if it is not there. Of a
                             decision: after those before it in the chain. Not read when adding */
} redo_candidate;

/* What was made of the candidates. */
enum redo_choice {
    redo_choice_open = 0, /* none was chosen yet; there may be candidates, or none */
    redo_choice_none = 1, /* there is no legal move; the list is empty */
    redo_choice_made = 2
};

/* ---- reading ----------------------------------------------------------------------------- */

/* How many items a list has; 0 on error. */
unsigned redo_getcandidatecount(redo_position const *position, enum redo_of list);

/* The item at a place (from 0), or that of an id: 1 and *candidate; 0 if there is none. */
int redo_getcandidate(redo_position const *position, enum redo_of list, unsigned place,
                      redo_candidate *candidate);
int redo_findcandidate(redo_position const *position, enum redo_of list, uint32_t id,
                       redo_candidate *candidate);

/* The analysis of an item, its own or the one that it shares: 1 and *analysis; 0 if there is none.
 */
int redo_getanalysis(redo_position const *position, enum redo_of list, uint32_t id,
                     redo_analysis *analysis);

/* What was made of the candidates; of redo_choice_made *id is the one that was played (id may be
 * NULL). */
enum redo_choice redo_getchoice(redo_position const *position, uint32_t *id);

/* How many of the decisions were made, from the first on: the others are only analysed. */
unsigned redo_getdecided(redo_position const *position);

/* A property; its value and its size, NULL if there is none. A value is bytes of any kind in
 * process; one that the daemon keeps is one msgpack value (else REDO_ETYPE), so that every frontend
 * reads it: a text of up to 31 bytes is the byte 0xa0 + size, and the text. And the names, in the
 * order in which they were first set; NULL after the last. id: of a candidate or a decision, else
 * 0. */
void const *redo_getpositionproperty(redo_position const *position, enum redo_of of, uint32_t id,
                                     char const *name, size_t *size);
char const *redo_getpositionpropertyname(redo_position const *position, enum redo_of of,
                                         uint32_t id, unsigned place, size_t *size);

/* The first of the positions that are alternates of each other (the position itself if there are no
 * others), and the one after it, in the order in which they were made; NULL after the last. */
redo_position *redo_getfirstalternate(redo_position const *position);
redo_position *redo_getnextalternate(redo_position const *position);

/* ---- changing ---------------------------------------------------------------------------- */

/* Each returns REDO_OK or a code: REDO_EPOSITION, REDO_EDROPPED, REDO_EFOREIGN, REDO_EFULL,
 * REDO_ENOMEM, REDO_ENOCANDIDATE (no item of that id), and what is said. */

/* Sets a property (its value: see redo_getpositionproperty()); an empty one takes it away. A name
 * has 1 to REDO_NAME_MAX bytes (REDO_ENAME), and is UTF-8 without a 0 byte. REDO_EFIRST: the branch
 * of the first position. */
int redo_setpositionproperty(redo_session *session, redo_position *position, enum redo_of of,
                             uint32_t id, char const *name, void const *value, size_t size);

/* Adds items to a list at a place, or at its end if there are not so many; analyses (may be NULL)
 * has a pointer for each, NULL where there is none. ids (may be NULL) gets their ids. If there was
 * no legal move, none is chosen yet then; of decisions no more are made than are before the place.
 * An empty text is none. REDO_ECANDIDATE: an item without move and text, an analysis without kind,
 * with numbers that are not finite or with more deviations than numbers, a context that is not one
 * msgpack value; text that is not UTF-8; a move that another candidate of the list has; a shared
 * analysis of the first decision or of a candidate. */
int redo_addcandidates(redo_session *session, redo_position *position, enum redo_of list,
                       unsigned place, redo_candidate const *candidates,
                       redo_analysis const *const *analyses, size_t count, uint32_t *ids);

/* Which parts redo_setcandidate() sets; what is set to nothing (hasmove 0, text NULL, analysis
 * NULL) is taken away. */
enum redo_part {
    redo_part_move = 1,
    redo_part_text = 2,
    redo_part_analysis = 4 /* candidate->analysed tells where it is */
};

int redo_setcandidate(redo_session *session, redo_position *position, enum redo_of list,
                      uint32_t id, unsigned parts, redo_candidate const *candidate,
                      redo_analysis const *analysis);

/* Takes items away. If the one that was played is among them, none is chosen then; of decisions no
 * more are made than are left before the first that is gone, and what was shared by one that is the
 * first then becomes its own. REDO_ECANDIDATE: an id comes twice. */
int redo_dropcandidates(redo_session *session, redo_position *position, enum redo_of list,
                        uint32_t const *ids, size_t count);

/* Puts a list in an order: ids are all of its items, each once (else REDO_ECANDIDATE; and if the
 * first decision would share its analysis). Of decisions no more are made than stay where they are
 * before the first that does not. */
int redo_ordercandidates(redo_session *session, redo_position *position, enum redo_of list,
                         uint32_t const *ids, size_t count);

/* Says what was made of the candidates; id: of the one that was played, else 0. REDO_ECANDIDATE:
 * redo_choice_none while there are candidates. */
int redo_choose(redo_session *session, redo_position *position, enum redo_choice choice,
                uint32_t id);

/* Says how many of the decisions were made. REDO_ECANDIDATE: more than there are. */
int redo_decide(redo_session *session, redo_position *position, unsigned count);

/* Plays a candidate: the position that its move leads to, an existing one, brought to the front,
 * or a new one as by redo_addposition() with the rest of the arguments (state may be NULL if it is
 * there); the candidate is the one that was played then. A decision is played after those before it
 * in the chain, which have to be in the tree (else REDO_EDECISION), and with these is made then.
 * An item without a move gets the lowest from 0 that no branch from there, and none of the
 * candidates there, has. NULL on error. In a session told by change: a turn in the place of state,
 * see redo_addchanges(). */
redo_position *redo_playcandidate(redo_session *session, redo_position *position, enum redo_of list,
                                  uint32_t id, void const *state, size_t size, int endpoint,
                                  int checkequiv);

/* The same board with other extra bytes: the one of the position's alternates, or the position
 * itself, that has the state's extra bytes; or a new one, which hangs on the first of them, along
 * the branch of *move, or if move is NULL of the highest move below 0 that no branch and no
 * candidate there has. It comes last of the branches, so that redo goes on along those that were
 * played. It is not checked, and is
 * no endpoint. NULL on error: REDO_EDIFFERS (other compared bytes, or the move is
 * taken), REDO_ESTATE, REDO_EKIND (a session told by change, or without extra bytes: begin it with
 * a cmpsize below size). */
redo_position *redo_addalternate(redo_session *session, redo_position *position, int const *move,
                                 void const *state);

/* All that is kept with a position, as bytes (core/README.md has the form), and setting it as a
 * whole, ids and all; alternates aside. What was given of ids before is not given again, but if all
 * is taken away. NULL and 0: there is nothing. REDO_ECANDIDATE: they are no
 * such bytes; REDO_EFIRST: they tell of the branch of the first position. */
void const *redo_getrecord(redo_position const *position, size_t *size);
int redo_setrecord(redo_session *session, redo_position *position, void const *record, size_t size);

/* ---- operations -------------------------------------------------------------------------- */

/* What a REDO_OP_RECORD does: its value. The bytes that it takes as its state are in
 * core/README.md; its move is an enum redo_of. */
enum redo_edit {
    redo_edit_property = 1, /* name; source = id, or 0; state = the value, empty to take it away */
    redo_edit_add = 2,      /* source = place; state = items. result.value: the first one's id */
    redo_edit_set = 3,      /* source = id; state = parts, and an item */
    redo_edit_drop = 4,     /* state = ids. result.value: how many */
    redo_edit_order = 5,    /* state = ids */
    redo_edit_choose = 6,   /* source = id; 0: open; REDO_NOPOSITION: there is no legal move */
    redo_edit_decide = 7,   /* source = how many */
    redo_edit_record = 8    /* state = the record, empty to take it away */
};

#ifdef __cplusplus
}
#endif

#endif
