#include "tests/text/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bytes_put(void *bytes, char const *data, size_t size)
{
    struct bytes *b = bytes;
    if (size > b->cap - b->size) {
        b->cap = 2 * b->cap + size + 1024;
        b->data = realloc(b->data, b->cap);
        if (!b->data)
            abort();
    }
    if (size > 0)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

void bytes_free(struct bytes *b)
{
    free(b->data);
}

struct bytes bytes_repeated(char const *head, char const *text, size_t count, char const *tail)
{
    struct bytes b = {0};
    bytes_put(&b, head, strlen(head));
    for (size_t i = 0; i < count; i++)
        bytes_put(&b, text, strlen(text));
    bytes_put(&b, tail, strlen(tail));
    return b;
}

struct bytes file_read(char const *path)
{
    struct bytes b = {0};
    char piece[65536];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        bytes_put(&b, piece, got);
    fclose(file);
    return b;
}
