/* The daemon's log: one line a message, to standard error, whoever reads that. Under systemd each
 * line carries its priority, elsewhere the name of its level. Nothing that came from a client
 * reaches the log unescaped, and what a client can provoke is limited in number. Loop thread, or
 * any thread for log_write(). */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

enum log_level {
    LOG_LEVEL_ERROR,
    LOG_LEVEL_WARN,
    LOG_LEVEL_INFO,
    LOG_LEVEL_DEBUG,
};

/* Kinds of message that a client can provoke at will. */
enum log_kind {
    LOG_KIND_INPUT,  /* bytes that are no messages */
    LOG_KIND_PEER,   /* peers that may not connect */
    LOG_KIND_LIMIT,  /* connections over a limit, out of descriptors */
    LOG_KIND_READER, /* readers too slow */
    LOG_KIND_COUNT,
};

/* Sets the level (messages above it are dropped; LOG_LEVEL_INFO before the first call) and finds
 * out whether standard error is the journal. */
void log_init(enum log_level level);

/* Whether a message of this level is written; for callers whose message is costly to make. */
int log_enabled(enum log_level level);

/* Writes a line. Control characters become '?', what is beyond 1,000 bytes is cut off. */
void log_write(enum log_level level, char const *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for what clients can provoke: of each kind 10 lines in 10 seconds are written, and then
 * how many were not. Loop thread only. */
void log_limited(enum log_kind kind, enum log_level level, char const *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells of what has been held back until now. Before the end. */
void log_close(void);

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
