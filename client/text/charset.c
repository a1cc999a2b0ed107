#include "client/text/charset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Small at first: a piece may go on beyond the game, and is then decoded again with the next. */
#define PIECE_FIRST 1024
#define PIECE 16384

/* Names that files use for less than they hold: GB2312 for what is GBK or GB18030, and so on. What
 * these have more is nowhere else. CP932 has a backslash where some tables have a yen sign. */
static struct {
    char const *alias, *name, *codec;
} const aliases[] = {
    {"utf-8", "UTF-8", "UTF-8"},
    {"utf8", "UTF-8", "UTF-8"},
    {"unicode-1-1-utf-8", "UTF-8", "UTF-8"},
    {"gb2312", "GB18030", "GB18030"},
    {"gb_2312-80", "GB18030", "GB18030"},
    {"gb", "GB18030", "GB18030"},
    {"gbk", "GB18030", "GB18030"},
    {"cp936", "GB18030", "GB18030"},
    {"windows-936", "GB18030", "GB18030"},
    {"euc-cn", "GB18030", "GB18030"},
    {"gb18030", "GB18030", "GB18030"},
    {"shift_jis", "Shift_JIS", "CP932"},
    {"shift-jis", "Shift_JIS", "CP932"},
    {"shiftjis", "Shift_JIS", "CP932"},
    {"sjis", "Shift_JIS", "CP932"},
    {"x-sjis", "Shift_JIS", "CP932"},
    {"ms_kanji", "Shift_JIS", "CP932"},
    {"cp932", "Shift_JIS", "CP932"},
    {"windows-31j", "Shift_JIS", "CP932"},
    {"euc-kr", "EUC-KR", "UHC"},
    {"ks_c_5601-1987", "EUC-KR", "UHC"},
    {"cp949", "EUC-KR", "UHC"},
    {"uhc", "EUC-KR", "UHC"},
    {"big5", "Big5", "CP950"},
    {"big-5", "Big5", "CP950"},
    {"cp950", "Big5", "CP950"},
    {"euc-jp", "EUC-JP", "EUC-JP"},
    {"koi8-r", "KOI8-R", "KOI8-R"},
    {"iso-8859-1", "ISO-8859-1", "ISO-8859-1"},
    {"latin1", "ISO-8859-1", "ISO-8859-1"},
    {"iso8859-1", "ISO-8859-1", "ISO-8859-1"},
    {"windows-1251", "windows-1251", "CP1251"},
    {"windows-1252", "windows-1252", "CP1252"},
};

/* In capitals, as iconv lists them. */
static void name_copy(char *to, char const *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
    to[size] = '\0';
}

/* No slash, which begins what iconv is to do with what it can not convert; and not empty, which
 * means the locale's. */
static bool is_name(char const *name, size_t size)
{
    static char const other[] = "-_.:";
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        bool alnum = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        if (!alnum && (c == '\0' || !strchr(other, c)))
            return false;
    }
    return size > 0 && size < CHARSET_NAME_MAX;
}

/* Asks iconv whether it knows the charset, and what it makes of ASCII. */
static bool probe(struct charset *c)
{
    char ascii[0x80 - ' '], text[4 * sizeof ascii];
    for (size_t i = 0; i < sizeof ascii; i++)
        ascii[i] = (char)(' ' + i);
    iconv_t cd = iconv_open("UTF-8", c->codec);
    if (cd == (iconv_t)-1)
        return false;
    char *in = ascii, *out = text;
    size_t in_left = sizeof ascii, out_left = sizeof text;
    size_t result = iconv(cd, &in, &in_left, &out, &out_left);
    iconv_close(cd);
    /* Those with escape sequences are plain only until the first one. */
    c->ascii = result == 0 && out - text == (long)sizeof ascii &&
               memcmp(text, ascii, sizeof ascii) == 0 && strncasecmp(c->codec, "ISO-2022", 8) != 0;
    return true;
}

bool charset_find(struct charset *c, char const *name, size_t size)
{
    while (size > 0 && name[0] == ' ')
        name++, size--;
    while (size > 0 && name[size - 1] == ' ')
        size--;
    if (!is_name(name, size))
        return false;
    c->stateless = false;
    name_copy(c->name, name, size);
    name_copy(c->codec, name, size);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcasecmp(aliases[i].alias, c->name) != 0)
            continue;
        strcpy(c->name, aliases[i].name);
        strcpy(c->codec, aliases[i].codec);
        c->stateless = true;
        break;
    }
    c->utf8 = strcmp(c->name, "UTF-8") == 0;
    return probe(c);
}

bool decoder_init(struct decoder *d, struct charset const *c)
{
    *d = (struct decoder){
        .iconv = iconv_open("UTF-8", c->codec), .stateless = c->stateless, .piece = PIECE_FIRST};
    return d->iconv != (iconv_t)-1;
}

void decoder_close(struct decoder *d)
{
    if (d->iconv != (iconv_t)-1)
        iconv_close(d->iconv);
    free(d->text);
}

static bool decoder_room(struct decoder *d)
{
    if (d->cap - d->size >= d->piece)
        return true;
    size_t cap = d->cap < PIECE ? PIECE : 2 * d->cap;
    char *text = realloc(d->text, cap);
    if (!text)
        return false;
    d->text = text;
    d->cap = cap;
    return true;
}

enum decoder_status decoder_run(struct decoder *d, char const *bytes, size_t size)
{
    if (!decoder_room(d))
        return DECODER_NOMEM;
    if (d->stateless) {
        d->mark_used = d->used;
        d->mark_size = d->size;
    }
    char *in = (char *)bytes + d->used, *out = d->text + d->size;
    size_t in_left = size - d->used, out_left = d->piece;
    size_t result = iconv(d->iconv, &in, &in_left, &out, &out_left);
    int why = errno;
    d->used = size - in_left;
    d->size = (size_t)(out - d->text);
    d->piece = d->piece < PIECE ? 2 * d->piece : PIECE;
    if (result == (size_t)-1 && why == EILSEQ)
        return DECODER_INVALID;
    return result == (size_t)-1 && why == E2BIG ? DECODER_FULL : DECODER_MORE;
}

size_t decoder_consumed(struct decoder *d, char const *bytes, size_t size, size_t text_size)
{
    char again[PIECE], *in = (char *)bytes + d->mark_used;
    size_t in_left = size - d->mark_used, left = text_size - d->mark_size;
    iconv(d->iconv, NULL, NULL, NULL, NULL);
    while (left > 0) {
        char *out = again;
        size_t piece = left < sizeof again ? left : sizeof again, out_left = piece;
        iconv(d->iconv, &in, &in_left, &out, &out_left);
        if (out_left == piece)
            break; /* the rest is less than a character: it can not be */
        left -= piece - out_left;
    }
    return size - in_left;
}
