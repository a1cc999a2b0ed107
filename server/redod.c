/* redod, the daemon. Exit status: 0 ended as asked, 1 could not start, 2 wrong options. */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "protocol/standard.h"
#include "server/daemon.h"
#include "server/log.h"

int main(int argc, char **argv)
{
    static struct daemon daemon;

    standard_hold();
    switch (config_read(&daemon.config, argc, argv, stdout, stderr)) {
    case CONFIG_RUN:
        break;
    case CONFIG_DONE:
        return 0;
    case CONFIG_BAD:
        return 2;
    }
    log_init(daemon.config.log_level);
    signal(SIGPIPE, SIG_IGN); /* a peer that is gone is an error of write() */
    umask(0077);              /* whatever is made is the user's alone, unless said otherwise */

    if (daemon_init(&daemon) < 0)
        return 1;
    log_debug("ready");
    daemon_run(&daemon);
    daemon_close(&daemon);
    log_close();
    return 0;
}
