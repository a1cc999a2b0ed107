/* The table of errors, and the last one of each thread. */
#include "core/error.h"

_Thread_local int error_last;

int redo_lasterror(void)
{
    return error_last;
}

char const *redo_strerror(int code)
{
    switch (code) {
#define CASE(name, number, text) \
    case number:                 \
        return text;
        REDO_ERRORS(CASE)
#undef CASE
    }
    return "unknown error";
}

char const *redo_errorname(int code)
{
    switch (code) {
#define CASE(name, number, text) \
    case number:                 \
        return #name;
        REDO_ERRORS(CASE)
#undef CASE
    }
    return "REDO_E?";
}
