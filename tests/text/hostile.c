#include "tests/text/hostile.h"

#include <check.h>
#include <pthread.h>
#include <string.h>

long endless(void *data, char *buffer, size_t size)
{
    struct endless *e = data;
    size_t length = strlen(e->text);
    for (size_t i = 0; i < size; i++, e->given++)
        buffer[i] = e->text[e->given < length ? e->given : length - 1];
    return (long)size;
}

void on_a_small_stack(void *(*what)(void *))
{
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 * 1024);
    ck_assert_int_eq(pthread_create(&thread, &attr, what, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}
