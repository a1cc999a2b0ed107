/* The public header is C89. */
#include "redo_mat.h"

int main(void)
{
    redo_mat_match *match = redo_mat_match_new();
    redo_mat_match_free(match);
    return match ? 0 : 1;
}
