/* A store told as text: every session, every position of it, what is in the trash and what is kept.
 * What the text says can be read, and does not change with any form in which it is stored. */
#ifndef TESTS_STORE_TELL_H
#define TESTS_STORE_TELL_H

#include "protocol/buffer.h"
#include "server/store/store.h"

void tell_store(struct store_reader *r, struct buffer *text);

#endif
