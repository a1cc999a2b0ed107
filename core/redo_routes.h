/* redo_routes.h: train routes in sessions of the schema "route-network" (core/changes/README.md):
 * the network is that of a position, and what is asked, and answered, has the structs of routes.h.
 * In process and in the client alike: there the replica is searched, in this process.
 *
 * A call searches in the thread that makes it and returns when it is done: options->poll is called
 * about every millisecond, and may end it. The session may be used in poll: the network that is
 * searched stays as it is. */
#ifndef REDO_ROUTES_H
#define REDO_ROUTES_H

#include "redo.h"
#include "routes/routes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The set of routes that pays most at a position. REDO_OK and *answer, for redo_routes_free(), also
 * if poll has ended the search: `proven` tells. Else *fault says what is wrong, if there is more to
 * say than the code does: REDO_ENETWORK, REDO_ERANGE, REDO_EFULL: the question does not fit;
 * REDO_EKIND: the session is not of that schema; REDO_ENOMEM; as redo_gettable(). options and fault
 * may be NULL. */
int redo_routes_best(redo_session *session, redo_position const *position,
                     struct routes_question const *question, struct routes_options const *options,
                     struct routes_answer *answer, struct routes_fault *fault);
void redo_routes_free(struct routes_answer *answer);

/* Whether a set is legal there, and what it is worth. The same codes. */
int redo_routes_check(redo_session *session, redo_position const *position,
                      struct routes_question const *question, struct routes_route const *routes,
                      unsigned count, struct routes_options const *options,
                      struct routes_verdict *verdict, struct routes_fault *fault);

/* A few words for people on a rule that a verdict tells. */
char const *redo_routes_ruletext(enum routes_rule rule);

/* The ids that a company's trains can come to, ascending: nodes first, then edges, in one block
 * that is the caller's to free(). The same codes. */
int redo_routes_reach(redo_session *session, redo_position const *position, char const *company,
                      uint32_t **ids, unsigned *nodes, unsigned *edges);

#ifdef __cplusplus
}
#endif

#endif
