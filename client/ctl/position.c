#include "client/ctl/position.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/connection.h"
#include "client/ctl/cli.h"
#include "client/ctl/text.h"
#include "protocol/utf8.h"

bool integer_read(msgpack_object const *object, int64_t least, int64_t most, int64_t *value)
{
    if (!object)
        return false;
    if (object->type == MSGPACK_OBJECT_POSITIVE_INTEGER && object->via.u64 <= INT64_MAX)
        *value = (int64_t)object->via.u64;
    else if (object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        *value = object->via.i64;
    else
        return false;
    return *value >= least && *value <= most;
}

static bool read_unsigned(msgpack_object const *map, char const *key, uint32_t *value)
{
    int64_t number;

    if (!integer_read(map_get(map, key), 0, UINT32_MAX, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool read_signed(msgpack_object const *map, char const *key, int *value)
{
    int64_t number;

    if (!integer_read(map_get(map, key), INT32_MIN, INT32_MAX, &number))
        return false;
    *value = (int)number;
    return true;
}

static bool is_nil(msgpack_object const *map, char const *key)
{
    msgpack_object const *value = map_get(map, key);

    return value && value->type == MSGPACK_OBJECT_NIL;
}

bool position_read(msgpack_object const *object, struct position *p)
{
    *p = (struct position){.prev = UINT32_MAX, .better = UINT32_MAX};
    msgpack_object const *state = map_get(object, "state");
    msgpack_object const *setbetter = map_get(object, "setbetter");

    if (state && state->type == MSGPACK_OBJECT_BIN) {
        p->state = state->via.bin.ptr;
        p->statesize = state->via.bin.size;
    }
    p->setbetter = setbetter && setbetter->type == MSGPACK_OBJECT_BOOLEAN && setbetter->via.boolean;
    return read_unsigned(object, "number", &p->number) &&
           (is_nil(object, "prev") || read_unsigned(object, "prev", &p->prev)) &&
           (is_nil(object, "move") || read_signed(object, "move", &p->move)) &&
           (is_nil(object, "better") || read_unsigned(object, "better", &p->better)) &&
           (is_nil(object, "author") || read_unsigned(object, "author", &p->author)) &&
           (is_nil(object, "time") || read_unsigned(object, "time", &p->time)) &&
           read_unsigned(object, "movecount", &p->movecount) &&
           read_unsigned(object, "nextcount", &p->nextcount) &&
           read_unsigned(object, "solutionsize", &p->solutionsize) &&
           read_signed(object, "endpoint", &p->endpoint) &&
           read_signed(object, "solutionend", &p->solutionend);
}

void position_print_marks(struct position const *p, bool color, FILE *out)
{
    if (p->better != UINT32_MAX)
        fprintf(out, " %s[%u]%s", color ? COLOR_BETTER : "", p->better, color ? COLOR_END : "");
    if (p->endpoint) {
        fprintf(out, " %s*", color ? COLOR_ENDPOINT : "");
        if (p->endpoint != 1)
            fprintf(out, "%d", p->endpoint);
        fputs(color ? COLOR_END : "", out);
    }
    if (p->setbetter)
        fputs(" ?", out);
}

/* ---- labels ------------------------------------------------------------------------------ */

static int compare(void const *a, void const *b)
{
    int64_t left = ((struct label const *)a)->move, right = ((struct label const *)b)->move;

    return left < right ? -1 : left > right;
}

/* One `0=left`; the text is changed. */
static bool add(struct labels *labels, char *item)
{
    char *equals = strchr(item, '=');
    int64_t move;

    if (equals)
        *equals = '\0';
    if (!equals || !cli_number(item, INT32_MIN, INT32_MAX, &move)) {
        cli_complain("'%s' in the labels is not of the form 0=left", item);
        return false;
    }
    struct label *all = realloc(labels->all, (labels->count + 1) * sizeof *all);
    if (all)
        labels->all = all;
    char *text = strdup(equals + 1);
    if (!all || !text) {
        free(text);
        cli_complain("out of memory");
        return false;
    }
    labels->all[labels->count++] = (struct label){.move = move, .text = text};
    return true;
}

static bool read_list(struct labels *labels, char const *source)
{
    char *copy = strdup(source), *rest = copy;
    bool good = copy != NULL;

    while (good && rest)
        good = add(labels, strsep(&rest, ","));
    free(copy);
    return good;
}

static bool read_file(struct labels *labels, char const *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    bool good = true;

    if (!file) {
        cli_complain("labels: %s: %s", path, strerror(errno));
        return false;
    }
    while (good && (size = getline(&line, &room, file)) >= 0) {
        while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == '\r'))
            line[--size] = '\0';
        if (size > 0 && line[0] != '#')
            good = add(labels, line);
    }
    free(line);
    fclose(file);
    return good;
}

bool labels_read(struct labels *labels, char const *source)
{
    *labels = (struct labels){0};
    if (!source)
        return true;
    if (!(strchr(source, '=') ? read_list(labels, source) : read_file(labels, source))) {
        labels_free(labels);
        return false;
    }
    qsort(labels->all, labels->count, sizeof *labels->all, compare);
    return true;
}

void labels_free(struct labels *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        free(labels->all[i].text);
    free(labels->all);
    *labels = (struct labels){0};
}

void labels_print(struct labels const *labels, int move, FILE *out)
{
    struct label const wanted = {.move = move};
    struct label const *label =
        labels->count ? bsearch(&wanted, labels->all, labels->count, sizeof wanted, compare) : NULL;

    if (label)
        text_print(out, label->text, strlen(label->text));
    else
        fprintf(out, "%d", move);
}
