/* redo.h: a branching history of a game, and the functions that build it and move through it.
 *
 * This is the API of the Redo Library's document, name for name: what is said there holds here.
 * The same header serves two libraries, chosen when linking:
 *
 *   -lredo          the history lives in this process;
 *   -lredo-client   the history lives in the daemon redod and is shared with whoever opens it;
 *                   this process holds a replica, so that every field read is a memory read.
 *
 * The replica changes inside calls only, never between them: in those functions that change the
 * session, and in redo_client_step() of redo_client.h. What others have done by then is in it when
 * such a call returns. So a program that only reads sees nothing of others until its next call that
 * changes something; one that finds nothing to change (redo_getnextposition() along the branch in
 * front) may not ask the daemon at all.
 *
 * Structs are to be read, never written. A pointer to a position stays readable until its session
 * ends, also after the position was dropped: then `inuse` is 0 and every function refuses it.
 *
 * Errors: a function that fails returns its documented failure value and changes nothing;
 * redo_lasterror() tells why. One session must not be used by two threads at once.
 */
#ifndef REDO_H
#define REDO_H

#include <stddef.h>
#include <stdint.h>

#include "redo_error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redo_session redo_session;
typedef struct redo_position redo_position;
typedef struct redo_branch redo_branch;

/* A position: a state of the game reached by one particular sequence of moves. */
struct redo_position {
    redo_position *prev;    /* the position before; NULL for the first */
    redo_branch *next;      /* branches from here, most recently used first; NULL if none */
    redo_position *better;  /* the same state in fewer (or, made earlier, as many) moves, or NULL */
    unsigned int nextcount; /* number of branches in next */
    unsigned int movecount; /* moves from the first position to here */
    unsigned int solutionsize;  /* length of the shortest best solution through here; 0 if none */
    signed char endpoint;       /* not zero: a final state; higher values are preferred */
    signed char solutionend;    /* endpoint value of the best solution through here; 0 if none */
    unsigned int inuse : 1;     /* 0 once the position has been dropped */
    unsigned int setbetter : 1; /* waits for redo_setbetterfields() */
};

/* A branch: the move that leads from one position to the next. */
struct redo_branch {
    redo_branch *cdr; /* the next branch of the same position, or NULL */
    redo_position *p; /* where the move leads */
    int move;         /* the game's own number for the move */
    uint32_t id;      /* the number of p (not in the document) */
};

/* How redo_addposition() looks for equal states. */
enum {
    redo_nocheck = 0,
    redo_check = 1,
    redo_checklater = 2 /* redo_setbetterfields() will */
};

/* What redo_addposition() does with the subtree of an equal position that has more moves. */
enum {
    redo_nograft = 0,
    redo_graft = 1, /* the setting of a new session */
    redo_copypath = 2,
    redo_graftandcopy = 3
};

/* Limits. Depth and the number of branches are bounded by memory only. */
#define REDO_STATE_MAX (16 * 1024 * 1024) /* bytes of a state */
#define REDO_NOPOSITION UINT32_MAX        /* a number that no position has */
#define REDO_NAME_MAX 255                 /* bytes of the name of a property */
#define REDO_PROPERTY_MAX (1024 * 1024)   /* bytes of its value, and of all of a session's */
#define REDO_CURSOR_MAX 255               /* bytes of the name of a cursor */
#define REDO_CURSORS_MAX 1024             /* cursors of a session */
#define REDO_AUTHOR_MAX 255               /* bytes of the name of an author */
#define REDO_AUTHORS_MAX 65535            /* authors of a session */
#define REDO_KEY_MAX 64                   /* bytes of the key of an operation */
#define REDO_KEYS_MAX 1024                /* keys that a session keeps, the last ones */
#define REDO_TURN_MAX 1000000             /* positions added in one turn */
#define REDO_GAMES_MAX 1000000            /* games of a match */

/* ---- sessions ---------------------------------------------------------------------------- */

/* Begins a session whose first position has the state [initialstate, initialstate+size).
 * Of each state the first cmpsize bytes count in comparing; 0 stands for all of them.
 * NULL on error: REDO_ESTATE (size not in 1..REDO_STATE_MAX, cmpsize not in 0..size, no state),
 * REDO_ENOMEM; with -lredo-client also what connecting can bring (see redo_client.h). */
redo_session *redo_beginsession(void const *initialstate, int size, int cmpsize);

/* Ends the session and frees all that belongs to it. NULL is ignored. */
void redo_endsession(redo_session *session);

/* The first position; NULL on error. */
redo_position *redo_getfirstposition(redo_session const *session);

/* The number of positions in the history; 0 on error. */
int redo_getsessionsize(redo_session const *session);

/* ---- the history ------------------------------------------------------------------------- */

/* The position that move leads to from prev: an existing one, brought to the front of the
 * branches, or a new one with a copy of state (as many bytes as the session's states have).
 * endpoint: 0, or a value in -128..127 that marks a final state. checkequiv: redo_nocheck,
 * redo_check or redo_checklater; an endpoint is not checked (but see redo_checklater).
 * NULL on error: REDO_EPOSITION, REDO_EDROPPED, REDO_EFOREIGN (prev), REDO_ESTATE (no state),
 * REDO_ERANGE (endpoint), REDO_ECONSTANT (checkequiv), REDO_ENOMEM. */
redo_position *redo_addposition(redo_session *session, redo_position *prev, int move,
                                void const *state, int endpoint, int checkequiv);

/* Sets what redo_addposition() does on finding a longer way to the same state; the setting before
 * is returned. An unknown constant changes nothing (REDO_ECONSTANT); -1 without a session. */
int redo_setgraftbehavior(redo_session *session, int grafting);

/* The state of a position, read-only, valid until the position is changed or dropped or its
 * session ends; NULL on error. */
void const *redo_getsavedstate(redo_position const *position);

/* The position that move leads to, its branch brought to the front; NULL if there is none (then
 * redo_lasterror() is REDO_OK) or on error. */
redo_position *redo_getnextposition(redo_position const *position, int move);

/* Deletes a position without branches and returns the one before it. position itself is
 * returned, and nothing changed, on error: REDO_EBRANCHES, REDO_EFIRST (the first position stays),
 * REDO_EDROPPED ... */
redo_position *redo_dropposition(redo_session *session, redo_position *position);

/* Replaces the bytes of the position's state that do not count in comparing by those of state
 * (a whole state). Without such bytes nothing happens. */
void redo_updatesavedstate(redo_session const *session, redo_position *position, void const *state);

/* Checks all positions added with redo_checklater, in the order in which they were made, without
 * grafting. The better pointers of any of them, and of any equal to one, may change. Returns how
 * many of them have an equal position; -1 on error. */
int redo_setbetterfields(redo_session *session);

/* Looks for state among *pposition and the positions before it, from the end. If found,
 * *pposition becomes the match and 1 is returned, and if the number of moves between them is
 * less than prunelimit the positions between are dropped, from the end, up to the first that has
 * other branches. 0 if there is none, or on error (then redo_lasterror() is not REDO_OK). */
int redo_suppresscycle(redo_session *session, redo_position **pposition, void const *state,
                       int prunelimit);

/* Copies the best solution path from source to dest, which should have equal states. 1 if
 * copied; 0 if no solution leads through source, or on error (then redo_lasterror() is not
 * REDO_OK). */
int redo_duplicatepath(redo_session *session, redo_position *dest, redo_position const *source);

/* Whether the history was changed since the session began or the flag was cleared; and clearing
 * it, which returns the flag as it was. 0 on error. */
int redo_hassessionchanged(redo_session const *session);
int redo_clearsessionchanged(redo_session *session);

/* ---- beyond the document ----------------------------------------------------------------- */

/* Positions are numbered in the order in which they are made, from 0; a number is never given
 * twice. The number of a position (REDO_NOPOSITION on error), and the position that has one (NULL:
 * REDO_EPOSITION if it never was, REDO_EDROPPED if it is no more). */
uint32_t redo_getpositionid(redo_position const *position);
redo_position *redo_getposition(redo_session const *session, uint32_t id);

/* The move that led to a position from the one before it; 0 for the first, and on error. */
int redo_getmove(redo_position const *position);

/* The bytes of a state, and how many of them count in comparing; 0 on error. */
int redo_getstatesize(redo_session const *session);
int redo_getcmpsize(redo_session const *session);

/* The graft setting; -1 on error. */
int redo_getgraftbehavior(redo_session const *session);

/* The whole session as bytes, the same for equal sessions on every machine (core/README.md has
 * the form). *data is malloc()ed and the caller's. REDO_OK or a code. */
int redo_dump(redo_session const *session, void **data, size_t *size);

/* A session from such bytes. NULL on error: REDO_EDAMAGED, REDO_EVERSION, REDO_ENOMEM. No bytes,
 * however hostile, do more harm than that. With -lredo-client it becomes a private session of
 * the daemon. */
redo_session *redo_load(void const *data, size_t size);

/* Drops a position and all below it; how many were dropped. 0 on error: REDO_EFIRST ... */
int redo_dropsubtree(redo_session *session, redo_position *position);

/* A value (the daemon: in msgpack) kept under a name with the session; an empty one takes it away.
 * REDO_OK, REDO_ENAME, REDO_EFULL ... redo_getproperty() gives a value, the session's until it is
 * set again, and its size; NULL if there is none. */
int redo_setproperty(redo_session *session, char const *name, void const *value, size_t size);
void const *redo_getproperty(redo_session const *session, char const *name, size_t *size);

/* ---- cursors ----------------------------------------------------------------------------- */

/* A cursor is a current position with a name, kept with the session and shared by all who use that
 * name. Moving one is no change of the session (redo_hassessionchanged()). It remembers the way it
 * went back: undoing n steps and redoing n comes back to where it was, whatever others have done to
 * the order of branches meanwhile. A cursor on a position that is dropped goes to the one before.
 *
 * In all that moves one, expect (if not NULL) is where it must be now, lest two players overrun
 * each other: else REDO_EEXPECTED, and nothing is changed. */
enum redo_step {
    redo_step_goto = 0,       /* to a position: redo_setcursor() */
    redo_step_undo = 1,       /* back n moves, or to the first position */
    redo_step_redo = 2,       /* forth n moves: the way it came back, else along the front branch */
    redo_step_move = 3,       /* forth along the branch of the move n, which comes to the front */
    redo_step_branchback = 4, /* back to a position with several branches, or to the first */
    redo_step_branchforth = 5, /* as redo, to a position with several branches, or to the last */
    redo_step_better = 6,      /* to the position's better */
    redo_step_solution = 7,    /* n moves along the best solution path */
    redo_step_undomine = 8,    /* as undo, but only back over positions that the same author made */
    redo_step_drop = 9         /* takes the cursor away: redo_dropcursor() */
};

/* Where a cursor is; NULL if there is none of that name (REDO_ENOCURSOR). */
redo_position *redo_getcursor(redo_session const *session, char const *name);

/* The name of a cursor, by its place in the order of the bytes of their names; NULL after the last.
 * Valid until a cursor is made or dropped. */
char const *redo_getcursorname(redo_session const *session, unsigned index);

/* Moves a cursor to a position, or makes it there: the position; NULL on error (REDO_ENAME,
 * REDO_EFULL, REDO_EEXPECTED, REDO_EPOSITION ...). */
redo_position *redo_setcursor(redo_session *session, char const *name, redo_position *position,
                              redo_position const *expect);

/* Moves a cursor by one of the steps above; n is the number of moves (from 1) where one is taken,
 * or the move. *steps (may be NULL) is how many moves it has made, or 1 or 0 if it has moved or
 * not: fewer than asked is no error. Where it is then; NULL on error (REDO_ENOCURSOR ...). */
redo_position *redo_movecursor(redo_session *session, char const *name, enum redo_step step, int n,
                               redo_position const *expect, int *steps);

/* Takes a cursor away. REDO_OK or a code. */
int redo_dropcursor(redo_session *session, char const *name);

/* ---- turns, authors ---------------------------------------------------------------------- */

/* One of the positions of a turn, as redo_addposition() takes them. */
typedef struct redo_add {
    redo_position
        *prev;    /* or NULL: after the one that this of the adds before it in the list ... */
    size_t after; /* ... makes, counted from 0 */
    int move;
    void const *state;
    int endpoint;
    int checkequiv;
} redo_add;

/* Adds many positions as one operation: all or none. If a cursor is named, it goes to the last of
 * them (and is made if there is none). positions (may be NULL) gets what redo_addposition() would
 * have returned for each. REDO_OK or a code; of the graft behaviors redo_copypath and
 * redo_graftandcopy alone, running out of memory within a turn leaves a session that can only be
 * read (REDO_ENOMEM from then on). */
int redo_addpositions(redo_session *session, redo_add const *adds, size_t count, char const *cursor,
                      redo_position const *expect, redo_position **positions);

/* Who made a position, and when, as far as it was told to the session: in the daemon, the user and
 * the name the frontend gave, by the daemon's clock. */
typedef struct redo_author {
    uint32_t number; /* of the author in the session, from 1 */
    uint32_t uid;
    char const *name; /* ends with a 0 byte; the session's */
    uint32_t time;    /* seconds since 1970 */
} redo_author;

/* 1 and *author; 0 if that is not known, or on error. */
int redo_getauthor(redo_position const *position, redo_author *author);

/* ---- sessions told by change ------------------------------------------------------------- */

/* A session of this kind has, in the place of states, the lines of the turn that led to each
 * position, and keeps the table of objects that they lead to. It is for games that have an undo
 * buffer of typed lines, as its document describes them. All that is told here of lines, schemas
 * and tables is in msgpack; core/changes/README.md has their forms. Equal boards are found as equal
 * states are; functions that take a state refuse such a session (REDO_EKIND). */

/* What does not fit of a line, a schema or a table. */
typedef struct redo_fault {
    char const *what;     /* in words; NULL: nothing is known */
    char const *field;    /* its name, or an empty string */
    long line, place;     /* of a line: which of its turn, and where in it; each from 0, or -1 */
    void const *expected; /* values, or NULL */
    size_t expectedsize;
    void const *given;
    size_t givensize;
} redo_fault;

/* Begins a session: schema is one, or the name of one that is built in, as a msgpack string
 * ("baba", "baba-old-first"), or NULL: lines are kept and not looked into. table is the first one,
 * or NULL: an empty one. lenient: lines that do not fit are kept all the same. NULL on error:
 * REDO_ESCHEMA, REDO_ETABLE (then fault, which may be NULL, tells what is wrong: its text is valid
 * until the next call of this thread), REDO_ENOMEM; with -lredo-client as redo_beginsession(). */
redo_session *redo_beginchanges(void const *schema, size_t schemasize, void const *table,
                                size_t tablesize, int lenient, redo_fault *fault);

/* As redo_addposition(), of a turn: [[line ...], after, digest]. after: nil, or what the lines do
 * not tell of the fields they change, [line, field, value] each; digest: nil, or without a schema a
 * value that equal boards have in common. NULL on error: REDO_ELINE (redo_getfault() tells why),
 * REDO_EOPERATION (no turn), REDO_EKIND, and those of redo_addposition(). */
redo_position *redo_addchanges(redo_session *session, redo_position *prev, int move,
                               void const *turn, size_t size, int endpoint, int checkequiv);

/* The turn that led to a position, as it was told, but for ids that grafting has changed; the
 * session's, valid until it changes. REDO_OK, or a code: REDO_EFIRST: the first has none. */
int redo_getlines(redo_position const *position, void const **turn, size_t *size);

/* The table at a position, in the form that redo_beginchanges() takes. *data is malloc()ed and the
 * caller's. REDO_OK or a code. */
int redo_gettable(redo_session *session, redo_position const *position, void **data, size_t *size);

/* The lines that lead from one position to another, as [[number, undone, [line ...], after] ...]:
 * back to where the ways meet, the lines of each turn newest first, then forth. number is the
 * position that is left or come to. *data is malloc()ed and the caller's. REDO_OK or a code. */
int redo_getdiff(redo_session *session, redo_position const *from, redo_position const *to,
                 void **data, size_t *size);

/* Why the last operation on this session was refused, if for its lines (REDO_ELINE): 1 and *fault,
 * valid until the next operation; else 0. */
int redo_getfault(redo_session const *session, redo_fault *fault);

/* The ids of objects that the last operation has renamed, in the subtree that it moved or copied,
 * as
 * [[from, to] ...]: those that have others there, then those that are taken there, in the order in
 * which they were met. *data is malloc()ed and the caller's. REDO_OK or a code. */
int redo_getrenamed(redo_session const *session, void **data, size_t *size);

/* A turn told line by line, at a cursor (which is made at the first position if there is none).
 * redo_newundo() begins an entry; what was open there is closed: if it has lines it becomes a turn,
 * checked as by redo_check, and the cursor goes there. The turn that is begun has the move *move,
 * or, if move is NULL or another turn has that, the lowest one from 0 that is free; a branch that
 * has the very same lines is followed. Returns where the cursor is then; NULL on error.
 * redo_addundo() adds a line: REDO_OK; REDO_ELINE and the entry is as it was; or another code.
 * redo_dropundo() drops what is open. REDO_OK or a code.
 * Whatever else moves the cursor closes what is open first. */
redo_position *redo_newundo(redo_session *session, char const *cursor, int const *move);
int redo_addundo(redo_session *session, char const *cursor, void const *line, size_t size);
int redo_dropundo(redo_session *session, char const *cursor);

/* Moves a cursor back or forth by one turn, as redo_step_undo and redo_step_redo do, and tells the
 * lines gone over as an array: of an undo newest first, of a redo oldest first; an empty array if
 * there is no turn. *lines is malloc()ed and the caller's; lines may be NULL. Where the cursor is
 * then; NULL on error. */
redo_position *redo_undo(redo_session *session, char const *cursor, void **lines, size_t *size);
redo_position *redo_redo(redo_session *session, char const *cursor, void **lines, size_t *size);

/* ---- matches ----------------------------------------------------------------------------- */

/* A match is a session with games, which are other sessions of the daemon: their ids (the handles
 * of its protocol), in order, of which *games points to *count, the session's until it changes.
 * REDO_OK; REDO_ENOTMATCH: it is none. */
int redo_getgames(redo_session const *session, uint64_t const **games, size_t *count);

/* ---- operations: what every change of a session is --------------------------------------- */

/* The functions above that change a session form one of these and apply it. */
enum redo_operation_kind {
    REDO_OP_ADD = 1,       /* position, move, state, endpoint, value = checkequiv */
    REDO_OP_NEXT = 2,      /* position, move: bring the branch to the front */
    REDO_OP_DROP = 3,      /* position */
    REDO_OP_GRAFT = 4,     /* value = graft behavior */
    REDO_OP_UPDATE = 5,    /* position, state */
    REDO_OP_SETBETTER = 6, /* no arguments */
    REDO_OP_CYCLE = 7,     /* position, state, value = prunelimit */
    REDO_OP_DUPLICATE = 8, /* position = dest, source */
    REDO_OP_CLEAR = 9,     /* no arguments: clear the change flag */
    REDO_OP_PROPERTY = 10, /* name, state = the value, empty to take it away */
    REDO_OP_DROPTREE = 11, /* position: it and all below it */
    REDO_OP_RESTORE = 12,  /* position, state = a dropped subtree as bytes: back below position */
    REDO_OP_CURSOR = 13,   /* name, value = redo_step, move = n, position = where to, source =
                              expected, or REDO_NOPOSITION */
    REDO_OP_TURN = 14,     /* state = several operations as bytes, all or none: core/README.md */
    REDO_OP_NEWUNDO = 15,  /* name = cursor, value = of redo_entry_..., move, endpoint = of the turn
                              that is closed */
    REDO_OP_ADDUNDO = 16,  /* name = cursor, state = a line (core/changes/README.md) */
    REDO_OP_RECORD = 17, /* position, move = redo_of, value = redo_edit, source = which item, place
                            or count, name = of a property, state = what the edit takes:
                            redo_record.h, core/README.md */
    REDO_OP_PLAY = 18,   /* position, move = redo_of, source = the id of an item; endpoint, state
                            (may be empty), value = checkequiv: of the ADD that it may be */
    REDO_OP_ALTERNATE = 19, /* position, state, value = 1 if the move is given, move */
    REDO_OP_GAMES = 20      /* of a match: value = of redo_games_..., source = the place, or
                               REDO_NOPOSITION: the end, state = ids of sessions, 8 bytes each, low
                               one first */
};

/* What a GAMES does. */
enum {
    redo_games_insert = 0, /* the ids, none of which is there, come to the place, in their order */
    redo_games_drop = 1,   /* they are in the match no more; the place is no matter */
    redo_games_order =
        2 /* they come, in their order, to the place that they have among the others */
};

/* What a NEWUNDO does: bits of its value. */
enum {
    redo_entry_move = 1, /* the turn that is begun has this move */
    redo_entry_drop = 2  /* what is open is dropped, and no turn */
};

/* Who caused an operation, and when. The positions that it makes bear it. All 0: not told. */
typedef struct redo_stamp {
    uint32_t author;  /* the number of an author of the session, or 0 and: */
    uint32_t uid;     /* a new one, who gets the next number */
    char const *name; /* not owned; NULL if the author is none or an old one */
    size_t namesize;
    uint32_t time; /* seconds since 1970 */
} redo_stamp;

typedef struct redo_operation {
    enum redo_operation_kind kind;
    uint32_t position; /* by number */
    uint32_t source;   /* by number */
    int move;
    int endpoint;
    int value;
    void const *state; /* a whole state, or other bytes; not owned */
    size_t statesize;  /* of a state: must be the session's */
    char const *name;  /* of a property or a cursor: REDO_NAME_MAX bytes at most; not owned */
    size_t namesize;
    redo_stamp stamp;
    void const *key; /* if keysize is not 0: the same key, author and operation again do nothing and
                        have the same result, as long as the session keeps the key; not owned */
    size_t keysize;  /* REDO_KEY_MAX at most */
} redo_operation;

/* What came of an operation. Positions by number; REDO_NOPOSITION where there is none. */
typedef struct redo_result {
    int value;              /* what the function of that name returns, where that is a number */
    uint32_t position;      /* what the function of that name returns, where that is a position */
    uint32_t graftedfrom;   /* ADD: this position's branches ... */
    uint32_t graftedto;     /*      ... were taken over by this one */
    uint32_t supersedes;    /* ADD: the new position has become the `better` of this one */
    uint32_t firstmade;     /* positions made: from this number on ... */
    uint32_t made;          /* ... so many, numbered without a gap */
    uint32_t dropped;       /* how many were dropped (CYCLE: from *pposition upwards) */
    unsigned char created;  /* ADD: the position is new */
    unsigned char differs;  /* ADD of an existing one: its state or endpoint are not those given */
    unsigned char changed;  /* the operation changed something (also if only the order of branches);
                               if not, it need not be kept or told */
    unsigned char repeated; /* its key is known: this is what came of it the first time */
} redo_result;

/* Applies an operation; deterministic: the same operations in the same order give the same
 * session, numbers and orders and all. REDO_OK and *result (may be NULL), or a code and nothing
 * changed. */
int redo_apply(redo_session *session, redo_operation const *operation, redo_result *result);

/* The encoded form of an operation: appended to buf, of which cap bytes may be used; returns the
 * bytes it takes (nothing is written if they are more than cap), 0 if it can not be encoded.
 * Decoding points operation->state into data. Returns the bytes used, 0 if they are no operation.
 */
size_t redo_operation_encode(redo_operation const *operation, void *buf, size_t cap);
size_t redo_operation_decode(void const *data, size_t size, redo_operation *operation);

#ifdef __cplusplus
}
#endif

#endif
