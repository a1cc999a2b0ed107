/* Files of games: what kind one is, reading it into the daemon, and writing it. */
#ifndef CTL_GAME_FILES_H
#define CTL_GAME_FILES_H

#include "client/ctl/ctl.h"
#include "core/redo.h"

enum game_file { GAME_FILE_NONE, GAME_FILE_SGF, GAME_FILE_PGN, GAME_FILE_MAT };

/* By how it begins. */
enum game_file game_file_kind(char const *data, size_t size);

/* A file of which the beginning was read already. */
struct game_source {
    int fd;
    char const *begun;
    size_t begun_size;
    char const *path;    /* for messages */
    char const *charset; /* NULL: as the file tells, or guessed */
};

/* One game becomes the session NAME, several the match NAME with the games NAME/1 and so on: all or
 * nothing. CLI_GO, or the exit status after a complaint. */
int game_files_import(struct ctl *ctl, enum game_file kind, struct game_source const *source,
                      char const *name);

/* A session, or a match with all its games, to standard output. */
#define GAME_FORMATS "sgf mat pgn json"
enum { GAME_FORMAT_SGF, GAME_FORMAT_MAT, GAME_FORMAT_PGN, GAME_FORMAT_JSON };
int game_files_export(struct ctl *ctl, char const *name, int format);

/* Prints a session as JSON, with what hangs on its positions. Its properties are the daemon's
 * answer to getproperties. */
int game_json_print(redo_session *session, char const *name, size_t name_size,
                    msgpack_object const *properties);

#endif
