/* Which charset are these bytes in? For each that is likely, its structure says which bytes make
 * characters, and each character counts by how common its kind is in running text: the kana and the
 * kanji of level 1 in Japanese, the hanzi of level 1 in Chinese, hangul in Korean. Read in the
 * wrong charset, text falls on rare characters, or on none at all. */
#include <string.h>

#include "client/text/charset.h"

/* Measures the character at s, of which `left` bytes are there: its length and, in hundredths, how
 * common it is. 0: there is none. A character that the end cuts off is left out: *length > left. */
typedef int measure(unsigned char const *s, size_t left, size_t *length);

static bool in(unsigned c, unsigned low, unsigned high)
{
    return c >= low && c <= high;
}

static int measure_gb18030(unsigned char const *s, size_t left, size_t *length)
{
    if (!in(s[0], 0x81, 0xfe))
        return *length = 0, 0;
    *length = 2;
    if (left < 2)
        return 0;
    if (in(s[1], 0x30, 0x39))
        return *length = 4, 0;
    if (!in(s[1], 0x40, 0xfe) || s[1] == 0x7f)
        return *length = 0, 0;
    if (s[1] < 0xa1)
        return 0;
    if (in(s[0], 0xb0, 0xd7))
        return 97;
    return s[0] == 0xa1 || s[0] == 0xa3 ? 97 : in(s[0], 0xd8, 0xf7) ? 30 : 10;
}

static int measure_shift_jis(unsigned char const *s, size_t left, size_t *length)
{
    *length = 1;
    if (in(s[0], 0xa1, 0xdf))
        return 20;
    if (!in(s[0], 0x81, 0x9f) && !in(s[0], 0xe0, 0xfc))
        return *length = 0, 0;
    *length = 2;
    if (left < 2)
        return 0;
    if (!in(s[1], 0x40, 0xfc) || s[1] == 0x7f)
        return *length = 0, 0;
    unsigned code = s[0] * 256u + s[1];
    if (in(code, 0x8140, 0x81ac) || in(code, 0x824f, 0x82f1) || in(code, 0x8340, 0x8396) ||
        in(code, 0x889f, 0x9872))
        return 100;
    return in(code, 0x989f, 0xeaa4) ? 30 : 0;
}

static int measure_euc_jp(unsigned char const *s, size_t left, size_t *length)
{
    *length = s[0] == 0x8f ? 3 : 2;
    if (!in(s[0], 0xa1, 0xfe) && s[0] != 0x8e && s[0] != 0x8f)
        return *length = 0, 0;
    for (size_t i = 1; i < *length && i < left; i++)
        if (!in(s[i], 0xa1, 0xfe))
            return *length = 0, 0;
    if (s[0] == 0xa4 || s[0] == 0xa5)
        return 100;
    if (in(s[0], 0xb0, 0xcf) || s[0] == 0xa1 || s[0] == 0xa3)
        return 95;
    return in(s[0], 0xd0, 0xf4) ? 30 : 10;
}

static int measure_euc_kr(unsigned char const *s, size_t left, size_t *length)
{
    if (!in(s[0], 0x81, 0xfe))
        return *length = 0, 0;
    *length = 2;
    if (left < 2)
        return 0;
    if (!in(s[1], 0x41, 0xfe))
        return *length = 0, 0;
    if (s[1] < 0xa1)
        return s[0] <= 0xc6 ? 20 : 0;
    return in(s[0], 0xb0, 0xc8) || s[0] == 0xa1 ? 100 : 15;
}

static int measure_big5(unsigned char const *s, size_t left, size_t *length)
{
    if (!in(s[0], 0x81, 0xfe))
        return *length = 0, 0;
    *length = 2;
    if (left < 2)
        return 0;
    if (!in(s[1], 0x40, 0x7e) && !in(s[1], 0xa1, 0xfe))
        return *length = 0, 0;
    /* A Latin letter at the end of a value looks like one of these. */
    if (in(s[0], 0xa4, 0xc6) || s[0] == 0xa1)
        return s[1] == ']' ? 50 : 97;
    return in(s[0], 0xc9, 0xf9) ? 25 : 5;
}

/* In the alphabets of one byte a letter it is the length of a row of such letters that tells: in
 * Latin ones they stand alone between ASCII, in Cyrillic ones they are the words. So a whole row is
 * measured. */
static size_t row(unsigned char const *s, size_t left)
{
    size_t n = 0;
    while (n < left && s[n] >= 0x80)
        n++;
    return n;
}

static int measure_windows_1252(unsigned char const *s, size_t left, size_t *length)
{
    size_t n = *length = row(s, left);
    int good = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == 0x81 || s[i] == 0x8d || s[i] == 0x8f || s[i] == 0x90 || s[i] == 0x9d)
            return *length = 0, 0;
        bool letter = s[i] >= 0xc0 && s[i] != 0xd7 && s[i] != 0xf7;
        good += letter || s[i] == 0x85 || in(s[i], 0x91, 0x97) ? 90 : 40;
    }
    return good / (int)n / (n < 2 ? 1 : n < 3 ? 2 : 5);
}

static int measure_cyrillic(unsigned char const *s, size_t n, unsigned small, unsigned capital)
{
    int good = 0;
    for (size_t i = 0; i < n; i++) {
        if (in(s[i], small, small + 31))
            good += 85;
        else if (in(s[i], capital, capital + 31))
            good += i == 0 || in(s[i - 1], capital, capital + 31) ? 80 : 0;
    }
    return good / (int)n / (n < 2 ? 3 : 1);
}

static int measure_windows_1251(unsigned char const *s, size_t left, size_t *length)
{
    *length = row(s, left);
    return measure_cyrillic(s, *length, 0xe0, 0xc0);
}

static int measure_koi8_r(unsigned char const *s, size_t left, size_t *length)
{
    *length = row(s, left);
    return measure_cyrillic(s, *length, 0xc0, 0xe0);
}

/* How common the characters of the bytes are on average; -1 if some are none, or if there are less
 * bytes of them than `least`. */
static int score(measure *m, size_t least, unsigned char const *s, size_t size)
{
    size_t counted = 0, length;
    double sum = 0;
    for (size_t i = 0; i < size; i += length) {
        length = 1;
        if (s[i] < 0x80)
            continue;
        int common = m(s + i, size - i, &length);
        if (length == 0)
            return -1;
        if (length > size - i)
            break;
        counted += length;
        sum += common * (double)length;
    }
    return counted >= least && counted > 0 ? (int)(100 * sum / (double)counted) : -1;
}

bool charset_guess(struct charset *c, char const *bytes, size_t size)
{
    /* Hangul lie where the first half of the hanzi is: a name or two of those may look Korean. */
    static struct {
        char const *name;
        measure *measure;
        size_t least;
    } const known[] = {
        {"GB18030", measure_gb18030, 0},
        {"Shift_JIS", measure_shift_jis, 0},
        {"EUC-JP", measure_euc_jp, 0},
        {"EUC-KR", measure_euc_kr, 24},
        {"Big5", measure_big5, 0},
        {"windows-1252", measure_windows_1252, 0},
        {"windows-1251", measure_windows_1251, 0},
        {"KOI8-R", measure_koi8_r, 0},
    };
    char const *name = "ISO-8859-1";
    int best = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int s = score(known[i].measure, known[i].least, (unsigned char const *)bytes, size);
        if (s > best) {
            best = s;
            name = known[i].name;
        }
    }
    return charset_find(c, name, strlen(name));
}
