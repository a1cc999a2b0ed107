/* The errors of redod: one table for the engine, the protocol, the daemon and the clients.
 * A number, once given, keeps its meaning for ever. */
#ifndef REDO_ERROR_H
#define REDO_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/*     name           number  text */
#define REDO_ERRORS(X)        \
    X(REDO_OK, 0, "no error") \
    REDO_FAILURES(X)

#define REDO_FAILURES(X)                                                       \
    X(REDO_ENOMEM, 1, "out of memory")                                         \
    X(REDO_ENOSESSION, 2, "no such session")                                   \
    X(REDO_EPOSITION, 3, "no such position")                                   \
    X(REDO_EDROPPED, 4, "the position has been dropped")                       \
    X(REDO_EFOREIGN, 5, "the position belongs to another session")             \
    X(REDO_ESTATE, 6, "the state has the wrong size")                          \
    X(REDO_ERANGE, 7, "a number is out of range")                              \
    X(REDO_ECONSTANT, 8, "unknown constant")                                   \
    X(REDO_EBRANCHES, 9, "the position has branches")                          \
    X(REDO_EFIRST, 10, "the first position can not be dropped")                \
    X(REDO_EDIFFERS, 11, "the move is known, with another state or endpoint")  \
    X(REDO_EOPERATION, 12, "not an operation")                                 \
    X(REDO_EDAMAGED, 13, "the bytes are damaged")                              \
    X(REDO_EVERSION, 14, "the bytes are of a newer version")                   \
    X(REDO_EFULL, 15, "a limit is reached")                                    \
    X(REDO_EINUSE, 16, "the position is in use")                               \
    X(REDO_EMETHOD, 20, "unknown method")                                      \
    X(REDO_EPARAMS, 21, "wrong number of params")                              \
    X(REDO_ETYPE, 22, "a param has the wrong type")                            \
    X(REDO_EMESSAGE, 23, "not a message of msgpack-rpc")                       \
    X(REDO_EFRAME, 24, "the bytes are not msgpack")                            \
    X(REDO_ETOOBIG, 25, "the message is larger than the limit")                \
    X(REDO_ENAME, 26, "not a name")                                            \
    X(REDO_EEXISTS, 27, "a session of that name exists")                       \
    X(REDO_EATTACHED, 28, "the connection is attached to the session already") \
    X(REDO_ENOTATTACHED, 29, "the connection is not attached to the session")  \
    X(REDO_EUTF8, 30, "a string is not valid UTF-8")                           \
    X(REDO_EOPTION, 31, "unknown option")                                      \
    X(REDO_ELOCKED, 32, "the store belongs to another daemon")                 \
    X(REDO_ESTORE, 33, "the store can not be used")                            \
    X(REDO_EFULLDISK, 34, "the disk is full: nothing was changed")             \
    X(REDO_EIO, 35, "the disk failed: nothing was changed")                    \
    X(REDO_EDENIED, 36, "not allowed")                                         \
    X(REDO_ENOTKEPT, 37, "nothing is kept under that key")                     \
    X(REDO_ECONNECT, 40, "no daemon answers")                                  \
    X(REDO_ECLOSED, 41, "the connection was closed")                           \
    X(REDO_ETIMEOUT, 42, "no answer in time")                                  \
    X(REDO_EPROTOCOL, 43, "the other end does not speak this protocol")        \
    X(REDO_EDIVERGED, 44, "the replica and the daemon disagree")               \
    X(REDO_ESYSTEM, 45, "a system call failed")                                \
    X(REDO_ERESYNC, 46, "the session has to be opened anew")                   \
    X(REDO_EIDLE, 47, "nothing came for too long")                             \
    X(REDO_ENOCURSOR, 48, "no such cursor")                                    \
    X(REDO_EEXPECTED, 49, "the cursor is not where it was expected")           \
    X(REDO_EKEY, 50, "the key was given with another request")                 \
    X(REDO_ELINE, 51, "a line does not fit the table")                         \
    X(REDO_ESCHEMA, 52, "not a schema")                                        \
    X(REDO_ETABLE, 53, "not a table of the schema")                            \
    X(REDO_EKIND, 54, "not for a session of this kind")                        \
    X(REDO_ENETWORK, 55, "it does not fit the track network")                  \
    X(REDO_EENTRY, 56, "the cursor has an entry that is open")                 \
    X(REDO_ENOCANDIDATE, 57, "no such candidate or decision")                  \
    X(REDO_ECANDIDATE, 58, "not a candidate, a decision or a record")          \
    X(REDO_EDECISION, 59, "the decision before it was not made")               \
    X(REDO_ECANCELED, 60, "it was canceled")                                   \
    X(REDO_EINMATCH, 64, "the session is in a match already")                  \
    X(REDO_ENOTMATCH, 65, "not a match")

enum redo_error {
#define REDO_ERROR_ENUM(name, number, text) , name = number
    REDO_OK = 0 REDO_FAILURES(REDO_ERROR_ENUM) /* C89 knows no comma at the end */
#undef REDO_ERROR_ENUM
};

/* The text and the name ("REDO_EDROPPED") of a code; "unknown error" and "REDO_E?" for no code. */
char const *redo_strerror(int code);
char const *redo_errorname(int code);

/* Why the last call of this thread failed, or REDO_OK if it did not. Every function of redo.h that
 * can fail sets it. Thread-local, as errno, since some failures have no session to hang on. */
int redo_lasterror(void);

#ifdef __cplusplus
}
#endif

#endif
