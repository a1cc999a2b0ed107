/* Loads a dumped session in this process and writes it again: redump FILE > FILE. */
#include <stdio.h>
#include <stdlib.h>

#include "redo.h"

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(size + 1);
    if (!data || fread(data, 1, size, file) != size)
        return 2;
    fclose(file);
    redo_session *session = redo_load(data, size);
    free(data);
    if (!session) {
        fprintf(stderr, "redump: %s\n", redo_strerror(redo_lasterror()));
        return 1;
    }
    void *again;
    if (redo_dump(session, &again, &size))
        return 1;
    fwrite(again, 1, size, stdout);
    free(again);
    redo_endsession(session);
    return fflush(stdout) ? 1 : 0;
}
