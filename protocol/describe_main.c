/* protocol-reference: prints the generated part of protocol/README.md.
 *
 *   protocol-reference                  prints it
 *   protocol-reference --check README   exits with 1 if that of the file is not the same
 *   protocol-reference --update README  puts it into the file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/describe.h"

static int fail(char const *path, char const *what)
{
    fprintf(stderr, "protocol-reference: %s: %s\n", path, what);
    return 2;
}

static bool read_file(char const *path, struct buffer *b)
{
    FILE *file = fopen(path, "rb");
    char piece[4096];
    size_t size;

    if (!file)
        return false;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_append(b, piece, size);
    buffer_append(b, "", 1); /* a string from here on */
    bool whole = !ferror(file) && !b->failed;
    fclose(file);
    return whole;
}

/* The file with its generated part replaced: before, reference, after. */
static bool write_file(char const *path, char const *text, size_t before,
                       struct buffer const *reference, char const *after)
{
    FILE *file = fopen(path, "wb");

    if (!file)
        return false;
    fwrite(text, 1, before, file);
    fwrite(reference->data, 1, reference->size, file);
    fwrite(after, 1, strlen(after), file);
    bool whole = !ferror(file);
    return fclose(file) == 0 && whole;
}

static int use_file(char const *path, bool update, struct buffer const *reference)
{
    struct buffer text;
    int status;

    buffer_init(&text);
    if (!read_file(path, &text)) {
        buffer_free(&text);
        return fail(path, "can not be read");
    }
    char *begin = strstr(text.data, REFERENCE_BEGIN);
    char *end = begin ? strstr(begin, REFERENCE_END) : NULL;
    if (!end) {
        status = fail(path, "has no generated part");
    } else {
        end += strlen(REFERENCE_END);
        bool same = (size_t)(end - begin) == reference->size &&
                    memcmp(begin, reference->data, reference->size) == 0;
        status = same ? 0 : 1;
        if (update && !same)
            status = write_file(path, text.data, (size_t)(begin - text.data), reference, end)
                         ? 0
                         : fail(path, "can not be written");
        else if (!same)
            fprintf(stderr, "%s differs from the tables: run protocol-reference --update on it\n",
                    path);
    }
    buffer_free(&text);
    return status;
}

int main(int argc, char **argv)
{
    struct methods methods;
    struct buffer reference;
    int status = 0;

    if (!methods_init(&methods))
        return fail("methods.def", "can not be understood");
    buffer_init(&reference);
    reference_write(&methods, &reference);
    if (reference.failed)
        status = fail("reference", "out of memory");
    else if (argc == 3 && strcmp(argv[1], "--check") == 0)
        status = use_file(argv[2], false, &reference);
    else if (argc == 3 && strcmp(argv[1], "--update") == 0)
        status = use_file(argv[2], true, &reference);
    else if (argc == 1)
        fwrite(reference.data, 1, reference.size, stdout);
    else
        status = fail(argv[1], "usage: protocol-reference [--check|--update README]");
    buffer_free(&reference);
    return status;
}
