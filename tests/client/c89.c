/* The public headers are for any C: this is compiled as C89, every warning an error. */
#include "redo.h"
#include "redo_client.h"

int main(void)
{
    return redo_lasterror() == REDO_OK ? 0 : 1;
}
