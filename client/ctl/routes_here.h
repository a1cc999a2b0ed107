/* Questions of cases answered in this process, by the engine alone. */
#ifndef CTL_ROUTES_HERE_H
#define CTL_ROUTES_HERE_H

#include <jansson.h>
#include <stdint.h>

/* What is to be answered. References of its own. */
struct asked {
    json_t *network; /* {nodes, edges, mutex}; NULL: not known */
    json_t *company, *trains, *rules, *bonuses;
    json_t *answer; /* ROUTES */
};

/* Answers it by its network; deadline in seconds, 0: none. CLI_GO, or EXIT_BAD after a complaint.
 */
int answer_here(struct asked *asked, int64_t deadline, char const *path);

#endif
