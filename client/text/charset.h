/* Charsets: what a name means, turning bytes into UTF-8, and guessing. iconv does the work. */
#ifndef CLIENT_TEXT_CHARSET_H
#define CLIENT_TEXT_CHARSET_H

#include <iconv.h>
#include <stdbool.h>
#include <stddef.h>

#define CHARSET_NAME_MAX 40

struct charset {
    char name[CHARSET_NAME_MAX];  /* what it is called */
    char codec[CHARSET_NAME_MAX]; /* what iconv is asked for: the widest of its kind */
    bool utf8;
    bool ascii;     /* bytes below 0x80, where only these come, are ASCII */
    bool stateless; /* known to turn each character alone into text */
};

/* Finds the charset of that name. False: nobody knows it. */
bool charset_find(struct charset *c, char const *name, size_t size);

/* A decoder of bytes that come piece by piece into UTF-8 in memory that grows. */
struct decoder {
    iconv_t iconv;
    char *text; /* owned */
    size_t size, cap;
    size_t used;  /* of the bytes */
    size_t piece; /* so much text is made next */
    bool stateless;
    size_t mark_used, mark_size; /* from where decoding can begin anew */
};

enum decoder_status {
    DECODER_MORE,    /* all that was there is decoded, but for a character that is cut */
    DECODER_FULL,    /* a piece is decoded, there is more */
    DECODER_INVALID, /* the bytes at used are no character */
    DECODER_NOMEM
};

bool decoder_init(struct decoder *d, struct charset const *c);
void decoder_close(struct decoder *d);

/* Decodes on from bytes + d->used, about one piece. */
enum decoder_status decoder_run(struct decoder *d, char const *bytes, size_t size);

/* How many of the bytes gave the first text_size bytes of the text, of which the last are of the
 * piece that was decoded last. */
size_t decoder_consumed(struct decoder *d, char const *bytes, size_t size, size_t text_size);

/* The charset that the bytes, which are not UTF-8, are most likely in. There is always one: what
 * nothing else fits is ISO-8859-1, the charset of FF[4] where none is declared. False: iconv does
 * not have it here. */
bool charset_guess(struct charset *c, char const *bytes, size_t size);

#endif
