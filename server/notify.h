/* Tells the service manager how the daemon is: sd_notify(3)'s datagrams, without its library. */
#ifndef SERVER_NOTIFY_H
#define SERVER_NOTIFY_H

/* Sends `state` ("READY=1", lines separated by '\n') to $NOTIFY_SOCKET, if there is one. Nobody
 * depends on the answer: a failure is logged and that is all. */
void notify_send(char const *state);

#endif
