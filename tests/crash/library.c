/* A program of the C library that is killed from under: it adds positions below the first one, with
 * the moves 1, 2, 3 ..., as long as it can; "told N" when N is there, now and then "saved N" when
 * the library has said that all so far is on disk, "failed N" at the end. */
#include <stdio.h>
#include <string.h>

#include "redo.h"

int main(void)
{
    char state[64] = "";
    redo_session *session = redo_beginsession(state, sizeof state, 0);
    for (int i = 1; session; i++) {
        memset(state, '.', sizeof state);
        snprintf(state, sizeof state, "library %d", i);
        if (!redo_addposition(session, redo_getfirstposition(session), i, state, 0, redo_check)) {
            printf("failed %d\n", i);
            break;
        }
        printf("told %d\n", i);
        if (i % 50 == 0) {
            redo_clearsessionchanged(session);
            if (redo_lasterror() == 0)
                printf("saved %d\n", i);
        }
        fflush(stdout);
    }
    redo_endsession(session);
    return 0;
}
