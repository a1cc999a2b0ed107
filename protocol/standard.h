/* Standard input, output and error. A program may be started without them; then what it opens gets
 * their numbers, and what is written to them goes there: to the daemon, to a file, into a pipe. */
#ifndef PROTOCOL_STANDARD_H
#define PROTOCOL_STANDARD_H

/* Those that are closed are something that can neither be read nor written from now on, as if they
 * were closed. Before anything else is opened. */
void standard_hold(void);

#endif
