/* Who does not keep up is told of no more: its subscription is dropped, and in the place of the
 * events that it misses comes one, `lagged`, with the number of the last that it was told. The
 * connection stays, and can attach again. Loop thread only. */
#ifndef SERVER_LAG_H
#define SERVER_LAG_H

#include <stdbool.h>
#include <stddef.h>

struct gateway;
struct subscription;

/* Whether an event of so many bytes may be told. If not, the subscription lags. If the connections
 * of the user hold too much together it is another one that lags, of the connection that holds the
 * most. Neither is ended before lag_settle(), so that lists can be walked meanwhile. */
bool lag_admits(struct gateway *gateway, struct subscription *s, size_t size);

/* Tells those that lag, and ends them. */
void lag_settle(struct gateway *gateway);

#endif
