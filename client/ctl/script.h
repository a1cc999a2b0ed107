/* Scripts replayed: the operations recorded of a session of states, each with what it answered, as
 * tests/cases/README.md describes them. */
#ifndef CTL_SCRIPT_H
#define CTL_SCRIPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/ctl/ctl.h"

/* Plays a script in a private session of the daemon, with the bare protocol, and prints where it
 * answers otherwise than the script says, so many differences at most; where: what to call the
 * script in that. Whether nothing differed and all of it could be played. */
bool script_play(struct ctl *ctl, json_t const *script, char const *where, int64_t differences);

#endif
