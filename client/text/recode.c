#include "client/text/recode.h"

#include <errno.h>
#include <string.h>

void recode_init(struct recode *r, redo_text_source *source, void *data, void const *bytes,
                 size_t size, char const *charset)
{
    memset(r, 0, sizeof *r);
    r->source = source;
    r->data = data;
    r->bytes = bytes;
    r->left = size;
    if (charset) /* cut, it is none, and the first read says so */
        strncpy(r->option, charset, sizeof r->option - 1);
}

void recode_close(struct recode *r)
{
    if (r->converting)
        iconv_close(r->iconv);
}

static long fail(struct recode *r, int code)
{
    r->code = code;
    return -1;
}

/* The bytes themselves. */
static long take(struct recode *r, char *buffer, size_t size)
{
    long got = 0;
    if (r->source) {
        got = r->source(r->data, buffer, size);
    } else if (r->left > 0) {
        got = (long)(size < r->left ? size : r->left);
        memcpy(buffer, r->bytes, (size_t)got);
        r->bytes += got;
        r->left -= (size_t)got;
    }
    if (got < 0 || (size_t)got > size)
        return fail(r, REDO_ESYSTEM);
    r->ended |= got == 0;
    return got;
}

/* Has one byte more to convert, or finds the end. */
static int fill(struct recode *r)
{
    long got = take(r, r->in + r->size, sizeof r->in - r->size);
    r->size += got > 0 ? (size_t)got : 0;
    return got < 0 ? r->code : REDO_OK;
}

/* Byte order marks: that of UTF-8 stays where it is, as one more character. */
static void look_at_mark(struct recode *r)
{
    static struct {
        char const *bytes;
        size_t size;
        char const *name;
    } const marks[] = {{"\xff\xfe\0\0", 4, "UTF-32LE"},
                       {"\xff\xfe", 2, "UTF-16LE"},
                       {"\0\0\xfe\xff", 4, "UTF-32BE"},
                       {"\xfe\xff", 2, "UTF-16BE"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (r->size >= marks[i].size && memcmp(r->in, marks[i].bytes, marks[i].size) == 0) {
            charset_find(&r->charset, marks[i].name, strlen(marks[i].name));
            return;
        }
}

static int begin(struct recode *r)
{
    r->begun = true;
    if (r->option[0] && !charset_find(&r->charset, r->option, strlen(r->option)))
        return r->code = REDO_EOPTION;
    while (!r->option[0] && r->size < 4 && !r->ended)
        if (fill(r))
            return r->code;
    if (!r->option[0])
        look_at_mark(r);
    if (!r->charset.name[0] || r->charset.utf8)
        return REDO_OK;
    r->iconv = iconv_open("UTF-8", r->charset.codec);
    if (r->iconv == (iconv_t)-1)
        return r->code = REDO_EOPTION;
    r->converting = true;
    return REDO_OK;
}

static long convert(struct recode *r, char *buffer, size_t size)
{
    for (;;) {
        char *in = r->in, *out = buffer;
        size_t in_left = r->size, out_left = size;
        size_t result = iconv(r->iconv, &in, &in_left, &out, &out_left);
        bool invalid = result == (size_t)-1 && errno == EILSEQ;
        memmove(r->in, in, in_left);
        r->size = in_left;
        if (out > buffer)
            return out - buffer;
        if (invalid || (r->ended && in_left > 0))
            return fail(r, REDO_EUTF8);
        if (r->ended)
            return 0;
        if (fill(r))
            return -1;
    }
}

long recode_read(void *recode, char *buffer, size_t size)
{
    struct recode *r = recode;
    if (r->code || (!r->begun && begin(r)))
        return -1;
    if (r->converting)
        return convert(r, buffer, size);
    if (r->size > 0) {
        size_t got = size < r->size ? size : r->size;
        memcpy(buffer, r->in, got);
        memmove(r->in, r->in + got, r->size - got);
        r->size -= got;
        return (long)got;
    }
    return r->ended ? 0 : take(r, buffer, size);
}
