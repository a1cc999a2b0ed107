/* A source of bytes as they are or, where a charset is asked for or a byte order mark tells of one,
 * as UTF-8. */
#ifndef CLIENT_TEXT_RECODE_H
#define CLIENT_TEXT_RECODE_H

#include "client/text/charset.h"
#include "client/text/redo_text.h"

/* The limits that are right for most, and no charset. */
#define TEXT_OPTIONS                                                          \
    {                                                                         \
        {(size_t)256 << 20, (size_t)2 << 30, (size_t)16 << 20, 1000000}, NULL \
    }

struct recode {
    redo_text_source *source; /* NULL: the bytes in memory */
    void *data;
    char const *bytes;
    size_t left;
    struct charset charset; /* name empty: as they are */
    char option[CHARSET_NAME_MAX + 1];
    bool begun, converting, ended;
    iconv_t iconv;
    char in[16 * 1024];
    size_t size;
    int code; /* why it failed: REDO_ESYSTEM, REDO_EUTF8, or REDO_EOPTION if no one knows it */
};

/* One of source and bytes. charset NULL: as the bytes say. */
void recode_init(struct recode *r, redo_text_source *source, void *data, void const *bytes,
                 size_t size, char const *charset);
void recode_close(struct recode *r);

/* A redo_text_source, whose data is a struct recode. */
long recode_read(void *recode, char *buffer, size_t size);

#endif
