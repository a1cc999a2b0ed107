/* Train routes: a track network that grows and shrinks step by step, and the set of routes, one a
 * train, that pays most on it. What words mean (node, side, leg, counted stop, ...) is the document
 * `route-network.md` of the formats; where it leaves something open, README.md beside this file
 * says what is done.
 *
 * Nothing here does I/O, takes a lock or reads a clock: whoever asks gives a function that is
 * called now and then and may say stop. Networks are values of their own; one network belongs to
 * one thread at a time, and questions only read it, so that several may be asked at once of a
 * network that nobody changes.
 *
 * Errors are codes of redo_error.h. A call that fails has changed nothing. */
#ifndef CORE_ROUTES_ROUTES_H
#define CORE_ROUTES_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits. What is beyond them is refused with REDO_EFULL (how many) or REDO_ERANGE (numbers). */
#define ROUTES_NODES 4096      /* in a network at a time */
#define ROUTES_EDGES 8192      /* the same */
#define ROUTES_MUTEXES 4096    /* the same */
#define ROUTES_DEGREE 64       /* edges at a node */
#define ROUTES_MEMBERS 1024    /* ids in a list */
#define ROUTES_COMPANIES 64    /* with a token in a network at a time */
#define ROUTES_NAME 255        /* bytes of a name */
#define ROUTES_TOKENS 64       /* and slots, of a node */
#define ROUTES_VALUES 256      /* exceptions of a node */
#define ROUTES_ID 0x7ffffffe   /* largest id */
#define ROUTES_VALUE 1000000   /* largest value, its lowest is the negative of it */
#define ROUTES_LENGTH 1000000  /* largest cost, distance, pay and visit */
#define ROUTES_TRACK_COST 1000 /* largest track cost */
#define ROUTES_TRAINS 32       /* of a question */
#define ROUTES_ROWS 16         /* of a train */
#define ROUTES_BONUSES 256     /* of a question */
#define ROUTES_NEEDS 16        /* lists of a bonus */
#define ROUTES_ONCE 10         /* bonuses with `once` of a question */
#define ROUTES_CONDITIONS 64   /* entries of min_stops_if, and rules on the set */

/* Why a network, a question or a step was refused, for people: the thing at fault is named by its
 * id. Empty if there is nothing to say beyond the code. */
struct routes_fault {
    char text[192];
};

/* --- the network --- */

enum routes_kind {
    ROUTES_CITY,
    ROUTES_TOWN,
    ROUTES_HALT,
    ROUTES_OFFBOARD, /* up to here: stations */
    ROUTES_SIDE,
    ROUTES_JUNCTION
};

enum routes_limit { ROUTES_LIMIT_DEFAULT, ROUTES_LIMIT_ROUTE, ROUTES_LIMIT_SET };

enum routes_track { ROUTES_BROAD, ROUTES_NARROW, ROUTES_DUAL };

enum routes_scope { ROUTES_SCOPE_ROUTE, ROUTES_SCOPE_SET };

struct routes_list {
    uint32_t const *ids;
    uint32_t count;
};

struct routes_train_value {
    char const *train; /* name of a train */
    int32_t value;
};

#define ROUTES_NO_SLOTS UINT32_MAX

/* A zeroed node with cost 1 and slots ROUTES_NO_SLOTS has nothing but its defaults. */
struct routes_node {
    uint32_t id;
    enum routes_kind kind;
    enum routes_limit limit; /* default: set for sides, route for others */
    char const *name;        /* NULL if it has none */
    char const *hex;         /* the same */
    char const *const *hexes;
    uint32_t hex_count; /* sides: one or two; 0 if not told */
    int32_t value;      /* stations: what a stop earns */
    int32_t cost;       /* stations: room that a stop takes, 0 or more */
    uint32_t slots;     /* cities; ROUTES_NO_SLOTS if not told: as many as tokens, and a city with
                         * neither blocks nobody */
    char const *const *tokens; /* a company's name, "*" (neutral) or NULL; a slot each, then those
                                * outside of slots. Missing ones are NULL */
    uint32_t token_count;
    struct routes_train_value const *values;
    uint32_t value_count;
};

struct routes_edge {
    uint32_t id, a, b; /* a and b differ */
    char const *hex;   /* never NULL */
    enum routes_track track;
    bool terminal;
    enum routes_limit limit; /* default: set */
};

struct routes_mutex {
    uint32_t id;
    enum routes_scope scope;
    struct routes_list nodes, edges; /* none twice */
    char const *why;                 /* or NULL */
};

enum routes_op_kind {
    ROUTES_ADD_NODE,
    ROUTES_ADD_EDGE,
    ROUTES_ADD_MUTEX,
    ROUTES_REMOVE_NODE, /* no edge may end there and no mutex may name it */
    ROUTES_REMOVE_EDGE, /* no mutex may name it */
    ROUTES_REMOVE_MUTEX,
    ROUTES_SET_NODE, /* the fields told take the values given */
    ROUTES_SET_EDGE,
    ROUTES_SET_MUTEX
};

/* Fields that a set op changes. A field that goes away is one that takes its default. */
enum {
    ROUTES_F_NAME = 1 << 0,
    ROUTES_F_KIND = 1 << 1,
    ROUTES_F_HEX = 1 << 2, /* nodes and edges */
    ROUTES_F_HEXES = 1 << 3,
    ROUTES_F_VALUE = 1 << 4,
    ROUTES_F_VALUES = 1 << 5, /* all of them at once */
    ROUTES_F_COST = 1 << 6,
    ROUTES_F_SLOTS = 1 << 7,
    ROUTES_F_TOKENS = 1 << 8, /* all of them at once */
    ROUTES_F_LIMIT = 1 << 9,  /* nodes and edges */
    ROUTES_F_ENDS = 1 << 10,  /* edges: a and b */
    ROUTES_F_TRACK = 1 << 11,
    ROUTES_F_TERMINAL = 1 << 12,
    ROUTES_F_SCOPE = 1 << 13, /* mutexes, and so the rest */
    ROUTES_F_NODES = 1 << 14,
    ROUTES_F_EDGES = 1 << 15,
    ROUTES_F_WHY = 1 << 16
};

struct routes_op {
    enum routes_op_kind kind;
    uint32_t fields; /* of set ops */
    union {          /* by kind; the remove ops read the id alone */
        struct routes_node node;
        struct routes_edge edge;
        struct routes_mutex mutex;
    };
};

struct routes_network;
struct routes_step;

/* A network without anything. REDO_OK or REDO_ENOMEM. */
int routes_network_open(struct routes_network **net);

/* Steps made from it may outlive it, to be freed only. NULL is fine. */
void routes_network_close(struct routes_network *net);

/* Applies ops in order, all or none: after an error the network is as before. Time is proportional
 * to what the ops touch (and what becomes reachable, or ceases to be), not to the network.
 * *step, unless step is NULL, is what undoes it, and belongs to the caller (routes_step_free).
 * What ops point to is copied.
 * REDO_ENETWORK: the op does not fit the network (*fault says which op and id);
 * REDO_ERANGE, REDO_EFULL, REDO_ENOMEM. fault may be NULL. */
int routes_network_apply(struct routes_network *net, struct routes_op const *ops, size_t count,
                         struct routes_step **step, struct routes_fault *fault);

/* Takes a step back, or makes it again. Steps come back in reverse order; a step that is not the
 * one to come is refused with REDO_ENETWORK if it can not be done, and nothing changes. Needs no
 * memory. */
int routes_step_undo(struct routes_network *net, struct routes_step *step);
int routes_step_redo(struct routes_network *net, struct routes_step *step);
void routes_step_free(struct routes_step *step);

/* What is in the network under an id, valid until it is changed; NULL if nothing. */
struct routes_node const *routes_network_node(struct routes_network const *net, uint32_t id);
struct routes_edge const *routes_network_edge(struct routes_network const *net, uint32_t id);
struct routes_mutex const *routes_network_mutex(struct routes_network const *net, uint32_t id);

struct routes_sizes {
    uint32_t nodes, edges, mutexes;
    size_t bytes; /* of memory, definitions included */
};
struct routes_sizes routes_network_sizes(struct routes_network const *net);

/* All ids, ascending, into room for as many as sizes say. */
void routes_network_ids(struct routes_network const *net, uint32_t *nodes, uint32_t *edges,
                        uint32_t *mutexes);

/* Checks every derived table against one built anew; for tests. Returns NULL or what is wrong. */
char const *routes_network_verify(struct routes_network const *net);

/* Whether a company's trains can come there from one of its tokens: by a walk that crosses sides
 * properly, and passes no off-board area and no blocked city (whatever bypass_blocked says). What
 * no route can use may still be counted as reached, as a walk may pass a place twice. Constant
 * time; false for what is not in the network and for companies without a token. */
bool routes_reach_node(struct routes_network const *net, char const *company, uint32_t node);
bool routes_reach_edge(struct routes_network const *net, char const *company, uint32_t edge);

/* --- questions --- */

#define ROUTES_KIND_BIT(kind) (1u << (kind))

/* A row that no stop could be given to, or that would pay for more than it visits, is refused. */
struct routes_row {
    uint32_t kinds; /* ROUTES_KIND_BIT of stations */
    uint32_t pay, visit;
};

#define ROUTES_NO_TRACK (1u << 3)

enum routes_distance { ROUTES_BY_STOPS, ROUTES_BY_HEXES, ROUTES_BY_ROWS };

struct routes_train {
    char const *name; /* selects values and bonuses; never NULL */
    enum routes_distance distance;
    uint32_t length; /* stops or hexes */
    struct routes_row const *rows;
    uint32_t row_count;
    uint32_t tracks;        /* 1 << track for what it can use; 0: all; or ROUTES_NO_TRACK */
    uint32_t track_cost[3]; /* by hexes: 1 is usual, 0 is free */
    bool needs_counted_token, local, token_ends;
    char const *group; /* NULL: the common one */
};

struct routes_bonus {
    int32_t value, per_stop; /* not negative */
    struct routes_list const *need;
    uint32_t need_count;
    struct routes_list any_edges;
    bool has_edges; /* any_edges was given */
    char const *const *trains;
    uint32_t train_count;
    bool has_trains; /* trains was given */
    bool once;
};

struct routes_min_stops {
    struct routes_list nodes;
    uint32_t min;
};

enum routes_set_kind { ROUTES_SET_VISIT, ROUTES_SET_MEET, ROUTES_SET_BYPASS };

struct routes_set_rule {
    enum routes_set_kind kind;
    struct routes_list nodes; /* of visit */
    uint32_t max;             /* of bypass */
};

struct routes_rules {
    uint32_t min_stops; /* 2 is usual; with 0, as a zeroed struct has it, one stop is a route */
    struct routes_min_stops const *min_stops_if;
    uint32_t min_stops_if_count;
    uint32_t bypass_blocked;
    struct routes_set_rule const *set;
    uint32_t set_count;
};

struct routes_question {
    char const *company;
    struct routes_train const *trains;
    uint32_t train_count;
    struct routes_bonus const *bonuses;
    uint32_t bonus_count;
    struct routes_rules rules;
};

/* --- answers --- */

struct routes_route {
    uint32_t train;        /* index in the question */
    int64_t value;         /* with the once-only bonuses that it is paid */
    uint32_t const *stops; /* ids in order, from the end with the smaller id */
    uint32_t stop_count;
    uint32_t const *edges; /* ids in order */
    uint32_t edge_count;
};

enum routes_stage { ROUTES_LISTING, ROUTES_CHOOSING, ROUTES_ORDERING };

struct routes_progress {
    enum routes_stage stage;
    int64_t best;   /* total of the best set so far */
    int64_t bound;  /* no set is worth more */
    uint64_t nodes; /* of the search tree, so far */
    double share;   /* of the stage, a guess, 0 to 1 */
};

/* Called about every ROUTES_POLL steps of work (well under a millisecond); anything but 0 ends the
 * search with what it has. */
#define ROUTES_POLL 4096
typedef int routes_poll(void *context, struct routes_progress const *progress);

struct routes_options {
    routes_poll *poll; /* or NULL */
    void *context;
    size_t memory;     /* bytes for lists of routes; 0: ROUTES_MEMORY. Where they do not fit, the
                        * search goes on without them, slower. What else it takes is sized by the
                        * network alone: see README.md. */
    uint64_t patience; /* work at one question before it is divided into smaller ones; 0: what is
                        * best as a rule. For tests. */
};

#define ROUTES_MEMORY ((size_t)128 << 20)

struct routes_answer {
    int64_t total;
    int64_t bound; /* proved: no set is worth more. total if proven */
    bool proven;
    bool stable;                 /* and the routes are the first by the tie order of the document */
    struct routes_route *routes; /* by train; only trains that run */
    uint32_t count;
    uint64_t nodes; /* of the search tree */
    size_t memory;  /* bytes that its lists took at most */
    void *storage;  /* of the routes */
};

/* The set of routes with the highest total. A search that was stopped is no error: `proven` says
 * whether it is the best. The answer belongs to the caller (routes_answer_free), and does not
 * refer to the network. options may be NULL.
 * REDO_ENETWORK: the question does not fit the network (*fault says where), REDO_ERANGE,
 * REDO_EFULL, REDO_ENOMEM. */
int routes_best(struct routes_network const *net, struct routes_question const *question,
                struct routes_options const *options, struct routes_answer *answer,
                struct routes_fault *fault);
void routes_answer_free(struct routes_answer *answer);

/* How many legal routes a train of the question has alone; a route and its reverse are one.
 * *complete is false if poll said stop; then *count is how many were met. Errors as above. */
int routes_count(struct routes_network const *net, struct routes_question const *question,
                 uint32_t train, struct routes_options const *options, uint64_t *count,
                 bool *complete, struct routes_fault *fault);

/* The rules that a set may break, in the order in which they are looked at. */
enum routes_rule {
    ROUTES_LEGAL,
    ROUTES_BAD_TRAIN,      /* no such train, or one with two routes */
    ROUTES_BAD_ID,         /* a stop or an edge that is not in the network */
    ROUTES_BAD_WALK,       /* rule 1: the edges are no walk from the first stop to the last, or the
                              stations on it are not the stops */
    ROUTES_BAD_REPEAT,     /* rule 2: a node or an edge twice */
    ROUTES_BAD_SIDE,       /* rule 3: turns at a side, or changes track there */
    ROUTES_BAD_JUNCTION,   /* rule 4: leaves the hex at a junction */
    ROUTES_BAD_OFFBOARD,   /* rule 5: passes an off-board area */
    ROUTES_BAD_BLOCKED,    /* rule 5: passes too many blocked cities */
    ROUTES_BAD_TERMINAL,   /* rule 6 */
    ROUTES_BAD_TRACK,      /* rule 7 */
    ROUTES_BAD_STOPS,      /* rule 8: too few stops */
    ROUTES_BAD_TOKEN,      /* rule 8: no token of the company */
    ROUTES_BAD_LENGTH,     /* rule 9 */
    ROUTES_BAD_MUTEX,      /* rule 10: a mutex within the route */
    ROUTES_BAD_STOPS_IF,   /* rule 10: min_stops_if */
    ROUTES_BAD_ENDS,       /* rule 10: an end without a token */
    ROUTES_BAD_COUNTED,    /* no stop with a token can count */
    ROUTES_BAD_SET_EDGE,   /* set: an edge in two routes of a group */
    ROUTES_BAD_SET_NODE,   /* set: a node with limit set in two routes of a group */
    ROUTES_BAD_SET_MUTEX,  /* set: a mutex */
    ROUTES_BAD_SET_VISIT,  /* set: none stops where one must */
    ROUTES_BAD_SET_MEET,   /* set: the routes do not hang together */
    ROUTES_BAD_SET_BYPASS, /* set: too many pass a blocked city */
    ROUTES_RULES
};

/* A few words for people, such as "passes an off-board area". */
char const *routes_rule_text(enum routes_rule rule);

struct routes_verdict {
    enum routes_rule rule;
    uint32_t route,
        other;     /* indexes of the routes at fault in what was given; other: of set rules */
    uint32_t id;   /* the node, edge, mutex or set rule (its index) at fault, if one is */
    int64_t total; /* if legal: what the set is worth */
    int64_t values[ROUTES_TRAINS]; /* and each route, in the order given, with the once-only
                                    * bonuses that it is paid */
    bool stopped; /* poll said stop before all was looked at: the rest means nothing */
};

/* Whether a set is legal, and what it is worth. The values that routes tell are not looked at.
 * Of the options, which may be NULL, poll alone counts: what a set is worth may take long where
 * bonuses decide which stops count. Errors are for questions that do not fit; a set that breaks a
 * rule is REDO_OK and a verdict. */
int routes_check(struct routes_network const *net, struct routes_question const *question,
                 struct routes_route const *routes, uint32_t count,
                 struct routes_options const *options, struct routes_verdict *verdict,
                 struct routes_fault *fault);

#endif
