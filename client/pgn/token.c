#include "client/pgn/token.h"

#include <stdint.h>
#include <string.h>

#include "client/text/place.h"

#define DIGITS "0123456789"
#define WORD 1

/* Not the spaces and controls, nor what begins or ends another token: ! " $ ( ) * . ; < > ? [ ] { }
 */
bool const token_chars[256] = {
    ['#'] = WORD, ['%' ... '\''] = WORD, ['+' ... '-'] = WORD,   ['/' ... ':'] = WORD,
    ['='] = WORD, ['@' ... 'Z'] = WORD,  ['\\'] = WORD,          ['^' ... 'z'] = WORD,
    ['|'] = WORD, ['~'] = WORD,          [0x80 ... 0xff] = WORD,
};

/* With the signs of the informants' symbols that are common in text files. */
static struct {
    char const *sign;
    unsigned number;
} const signs[] = {
    {"!", 1},
    {"?", 2},
    {"!!", 3},
    {"??", 4},
    {"!?", 5},
    {"?!", 6},
    {"\xe2\x96\xa1", 7},
    {"=", 10},
    {"\xe2\x88\x9e", 13},
    {"+/=", 14},
    {"+=", 14},
    {"\xe2\xa9\xb2", 14},
    {"=/+", 15},
    {"=+", 15},
    {"\xe2\xa9\xb1", 15},
    {"+/-", 16},
    {"\xc2\xb1", 16},
    {"-/+", 17},
    {"\xe2\x88\x93", 17},
    {"+-", 18},
    {"-+", 19},
};

size_t token_size(char const *text, size_t size)
{
    size_t n = 0;
    while (n < size && token_chars[(unsigned char)text[n]])
        n++;
    /* The one word of moves that has points in it. */
    if (n > 0 && text[n - 1] == 'e' && size - n >= 3 && memcmp(text + n, ".p.", 3) == 0)
        n += 3;
    return n;
}

size_t token_mark(char const *text, size_t size)
{
    return size >= 3 && memcmp(text, TOKEN_MARK, 3) == 0 ? 3 : 0;
}

bool token_is_number(char const *word, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_digit((unsigned char)word[i]))
            return false;
    return size > 0;
}

static bool is(char const *word, size_t size, char const *text)
{
    return size == strlen(text) && memcmp(word, text, size) == 0;
}

bool token_is_result(char const *word, size_t size, enum redo_pgn_result *result)
{
    if (is(word, size, "1-0"))
        *result = REDO_PGN_WHITE;
    else if (is(word, size, "0-1"))
        *result = REDO_PGN_BLACK;
    else if (is(word, size, "1/2-1/2") || is(word, size, "1/2"))
        *result = REDO_PGN_DRAW;
    else if (is(word, size, "*"))
        *result = REDO_PGN_UNKNOWN;
    else
        return false;
    return true;
}

char const *token_sign(char const *word, size_t size, unsigned *number)
{
    if (size == 0 || size > 3)
        return NULL;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (is(word, size, signs[i].sign)) {
            *number = signs[i].number;
            return signs[i].sign;
        }
    return NULL;
}

bool token_is_move(char const *word, size_t size)
{
    enum redo_pgn_result result;
    unsigned number;
    return size > 0 && size <= UINT32_MAX && token_size(word, size) == size && word[0] != '%' &&
           !token_mark(word, size) && !token_is_number(word, size) && !is(word, size, "e.p.") &&
           !token_is_result(word, size, &result) && !token_sign(word, size, &number);
}

bool token_is_name(unsigned char c)
{
    return is_letter(c) || is_digit(c) || (c != '\0' && strchr("_+#=:-", c));
}
