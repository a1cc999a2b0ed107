#include "tests/faults.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/redo_error.h"

static struct {
    long after;
    bool on;
    bool for_ever;
    long failed;
} faults;

static bool fails(void)
{
    if (!faults.on || faults.after-- > 0)
        return false;
    if (!faults.for_ever)
        faults.on = false;
    faults.failed++;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void faults_begin(long after, bool for_ever)
{
    faults.after = after;
    faults.for_ever = for_ever;
    faults.failed = 0;
    faults.on = true;
}

long faults_end(void)
{
    faults.on = false;
    return faults.failed;
}

long faults_try(int (*work)(void *data), void *data)
{
    long after = 0;
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        long failed = 1;
        for (after = 0; failed > 0; after++) {
            faults_begin(after, for_ever);
            int code = work(data);
            failed = faults_end();
            if (code != (failed > 0 ? REDO_ENOMEM : REDO_OK)) {
                fprintf(stderr, "allocation %ld failed, the code is %d\n", after, code);
                abort();
            }
        }
    }
    return after - 1;
}
