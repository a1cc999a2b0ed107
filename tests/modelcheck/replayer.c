/* Applies a session's operations in this process, and tells what comes of each. Commands, a line
 * each:
 *
 *   load SEQUENCE FILE   a dump, as of that number; answers ok
 *   apply HEX            the next operation; answers a line of numbers, -1 where there is none:
 *                          value position created differs changed repeated graftedfrom graftedto
 *                          supersedes firstmade made dropped; prev move movecount better endpoint
 *                          solutionend solutionsize nextcount setbetter author of the position, as
 *                          it is then; and, of a turn, twice the number of each item's position,
 *                          plus 1 if it is new
 *   dump FILE            writes the session there; answers ok
 *
 * Whatever fails ends it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/history.h"

static struct history *history;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(char const *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("replayer: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

static void load(char const *arguments)
{
    char *path;
    uint64_t sequence = strtoull(arguments, &path, 10);
    FILE *file = fopen(path + 1, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail("%s can not be read", path + 1);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(size + 1);
    if (!data || fread(data, 1, size, file) != size)
        fail("%s can not be read", path + 1);
    fclose(file);
    history_free(history);
    history = NULL;
    int rc = history_load(data, size, &history);
    if (rc)
        fail("%s is no session: %s", path + 1, redo_strerror(rc));
    history->sequence = sequence;
    free(data);
    puts("ok");
}

static void dump(char const *path)
{
    void *data;
    size_t size;
    FILE *file = fopen(path, "wb");
    if (!file || history_dump(history, &data, &size) || fwrite(data, 1, size, file) != size ||
        fclose(file))
        fail("%s can not be written", path);
    free(data);
    puts("ok");
}

static size_t unhex(char const *hex, unsigned char **bytes)
{
    size_t size = strlen(hex) / 2;
    unsigned value;
    *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        if (!*bytes || sscanf(hex + 2 * i, "%2x", &value) != 1)
            fail("not an operation: %s", hex);
        (*bytes)[i] = (unsigned char)value;
    }
    return size;
}

static long or_none(uint32_t number)
{
    return number == REDO_NOPOSITION ? -1 : (long)number;
}

static void tell(redo_operation const *op, redo_result const *r)
{
    struct answer const *answer = history_answer(history, r);
    struct fields const *f = &answer->fields;
    printf("%d %ld %d %d %d %d %ld %ld %ld %ld %u %u", r->value, or_none(r->position), r->created,
           r->differs, r->changed, r->repeated, or_none(r->graftedfrom), or_none(r->graftedto),
           or_none(r->supersedes), or_none(r->firstmade), r->made, r->dropped);
    printf(" %ld %d %u %ld %d %d %u %u %d %u", or_none(f->prev), f->move, f->movecount,
           or_none(f->better), f->endpoint, f->solutionend, f->solutionsize, f->nextcount,
           f->setbetter, f->author);
    for (uint32_t i = 0; op->kind == REDO_OP_TURN && i < answer->count; i++)
        printf(" %u", answer->items[i]);
    putchar('\n');
}

static void apply(char const *hex)
{
    unsigned char *bytes;
    size_t size = unhex(hex, &bytes);
    redo_operation op;
    redo_result result;
    if (redo_operation_decode(bytes, size, &op) != size)
        fail("not an operation: %s", hex);
    int rc = history_apply(history, &op, &result);
    if (rc)
        fail("operation %llu is refused: %s", (unsigned long long)history->sequence + 1,
             redo_strerror(rc));
    history->sequence++;
    tell(&op, &result);
    free(bytes);
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t size;
    while ((size = getline(&line, &cap, stdin)) > 0) {
        line[size - 1] = '\0';
        if (!strncmp(line, "load ", 5))
            load(line + 5);
        else if (history && !strncmp(line, "apply ", 6))
            apply(line + 6);
        else if (history && !strncmp(line, "dump ", 5))
            dump(line + 5);
        else
            fail("what is this: %s", line);
        fflush(stdout);
    }
    free(line);
    history_free(history);
    return 0;
}
