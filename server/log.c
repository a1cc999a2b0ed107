/* The log. A line is made in memory and written with one call, so that lines of several processes
 * or threads do not mix. A log that can not be written to is no reason to stop. */
#include "server/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1000
#define WINDOW_SECONDS 10
#define WINDOW_LINES 10

/* sd-daemon(3): the priorities are those of syslog. */
static struct {
    char const *name;
    char const *priority;
} const levels[] = {
    [LOG_LEVEL_ERROR] = {"error", "<3>"},
    [LOG_LEVEL_WARN] = {"warning", "<4>"},
    [LOG_LEVEL_INFO] = {"info", "<6>"},
    [LOG_LEVEL_DEBUG] = {"debug", "<7>"},
};

static char const *const kinds[LOG_KIND_COUNT] = {
    [LOG_KIND_INPUT] = "broken input",
    [LOG_KIND_PEER] = "refused peers",
    [LOG_KIND_LIMIT] = "limits on connections",
    [LOG_KIND_READER] = "slow readers",
};

static enum log_level level_max = LOG_LEVEL_INFO;
static bool journal;

static struct {
    time_t start;
    unsigned written;
    unsigned held;
} windows[LOG_KIND_COUNT];

/* $JOURNAL_STREAM alone is inherited by whoever is started from here, with standard error leading
 * elsewhere; systemd.exec(5) says to compare device and inode. */
static bool is_journal(void)
{
    char const *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat status;

    if (stream == NULL || sscanf(stream, "%llu:%llu", &device, &inode) != 2)
        return false;
    return fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

void log_init(enum log_level level)
{
    level_max = level;
    journal = is_journal();
}

int log_enabled(enum log_level level)
{
    return level <= level_max;
}

static void put(enum log_level level, char const *format, va_list arguments)
{
    char line[LINE_MAX_BYTES + 32];
    int prefix, length;

    if (journal)
        prefix = snprintf(line, sizeof line, "%s", levels[level].priority);
    else
        prefix = snprintf(line, sizeof line, "redod: %s: ", levels[level].name);
    length = vsnprintf(line + prefix, LINE_MAX_BYTES, format, arguments);
    if (length < 0)
        return;
    if (length >= LINE_MAX_BYTES)
        length = LINE_MAX_BYTES - 1;
    length += prefix;
    for (int i = prefix; i < length; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
    line[length++] = '\n';

    int saved = errno;
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
    (void)ignored;
    errno = saved;
}

void log_write(enum log_level level, char const *format, ...)
{
    va_list arguments;

    if (!log_enabled(level))
        return;
    va_start(arguments, format);
    put(level, format, arguments);
    va_end(arguments);
}

static void tell_held(enum log_kind kind)
{
    if (windows[kind].held > 0)
        log_warn("%u more lines about %s were held back", windows[kind].held, kinds[kind]);
    windows[kind].held = 0;
}

void log_limited(enum log_kind kind, enum log_level level, char const *format, ...)
{
    struct timespec now;
    va_list arguments;

    if (!log_enabled(level))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (windows[kind].written == 0 || now.tv_sec - windows[kind].start >= WINDOW_SECONDS) {
        tell_held(kind);
        windows[kind].start = now.tv_sec;
        windows[kind].written = 0;
    }
    if (windows[kind].written == WINDOW_LINES) {
        windows[kind].held++;
        return;
    }
    windows[kind].written++;
    va_start(arguments, format);
    put(level, format, arguments);
    va_end(arguments);
}

void log_close(void)
{
    for (int kind = 0; kind < LOG_KIND_COUNT; kind++)
        tell_held((enum log_kind)kind);
}
