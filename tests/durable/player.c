/* A program of the C library that does as it is told, line by line: "add MOVE", "clear", "size",
 * "state N", "property", "mine"; it answers each with a number, or "error CODE". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo.h"

static redo_session *session;

static int perform(char const *word, int number)
{
    char state[8] = "";
    if (strcmp(word, "add") == 0) {
        snprintf(state, sizeof state, "%d", number);
        redo_position *p =
            redo_addposition(session, redo_getfirstposition(session), number, state, 0, redo_check);
        return p ? (int)redo_getpositionid(p) : -1;
    }
    if (strcmp(word, "clear") == 0)
        return redo_clearsessionchanged(session);
    if (strcmp(word, "size") == 0)
        return redo_getsessionsize(session);
    if (strcmp(word, "state") == 0) {
        redo_position *p = redo_getposition(session, (uint32_t)number);
        return p ? atoi(redo_getsavedstate(p)) : -1;
    }
    if (strcmp(word, "property") == 0) { /* one without a name */
        redo_operation op = {.kind = REDO_OP_PROPERTY, .state = "\x01", .statesize = 1};
        return redo_apply(session, &op, NULL) ? -1 : 0;
    }
    return -1;
}

int main(void)
{
    char line[100], word[20];
    session = redo_beginsession("\0\0\0\0\0\0\0", 8, 0);
    if (!session) {
        printf("error %d\n", redo_lasterror());
        return 1;
    }
    printf("0\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        int number = 0;
        if (sscanf(line, "%19s %d", word, &number) < 1)
            break;
        int result = perform(word, number);
        if (redo_lasterror())
            printf("error %d\n", redo_lasterror());
        else
            printf("%d\n", result);
        fflush(stdout);
    }
    redo_endsession(session);
    return 0;
}
