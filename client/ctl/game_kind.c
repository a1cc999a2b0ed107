/* What kind of games a file has, by how it begins. */
#include <string.h>

#include "client/ctl/game_files.h"

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t skip_blanks(char const *data, size_t size, size_t at)
{
    while (at < size && is_blank(data[at]))
        at++;
    return at;
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where a ( begins a game: a ; or the name of a property with its value follows. NULL: nowhere. */
static char const *find_sgf(char const *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (data[i] != '(')
            continue;
        size_t at = skip_blanks(data, size, i + 1), begin = at;
        if (at < size && data[at] == ';')
            return data + i;
        while (at < size && is_letter(data[at]))
            at++;
        bool named = at > begin;
        at = skip_blanks(data, size, at);
        if (named && at < size && data[at] == '[')
            return data + i;
    }
    return NULL;
}

/* Where a line such as " 7 point match" has its words. NULL: nowhere. */
static char const *find_mat(char const *data, size_t size)
{
    static char const words[] = "point match";
    char const *found = data, *end = data + size;
    while ((found = memmem(found, (size_t)(end - found), words, sizeof words - 1))) {
        char const *at = found;
        while (at > data && at[-1] == ' ')
            at--;
        char const *digits = at;
        while (at > data && is_digit(at[-1]))
            at--;
        bool counted = at < digits;
        while (at > data && (at[-1] == ' ' || at[-1] == '\t'))
            at--;
        if (counted && (at == data || at[-1] == '\n' || at[-1] == '\r'))
            return found;
        found++;
    }
    return NULL;
}

/* Past what may stand before a game of PGN: blanks, comments, and lines that do not count. */
static size_t skip_pgn_comments(char const *data, size_t size)
{
    size_t at = skip_blanks(data, size, 0);
    while (at < size && (data[at] == '%' || data[at] == ';' || data[at] == '{')) {
        char stop = data[at] == '{' ? '}' : '\n';
        while (at < size && data[at] != stop)
            at++;
        at = skip_blanks(data, size, at + (stop == '}' && at < size));
    }
    return at;
}

/* [Name "value"], or the first move. Loosely, which only other kinds rule out: [Name, 1 and a word.
 */
static bool is_pgn(char const *data, size_t size, bool loosely)
{
    size_t at = skip_pgn_comments(data, size), begin;
    if (at + 1 < size && data[at] == '1') {
        size_t word = skip_blanks(data, size, at + 1);
        return data[at + 1] == '.' ||
               (loosely && word > at + 1 && word < size && is_letter(data[word]));
    }
    if (at == size || data[at] != '[')
        return false;
    begin = at = skip_blanks(data, size, at + 1);
    while (at < size && (is_digit(data[at]) || data[at] == '_' || is_letter(data[at])))
        at++;
    bool named = at > begin;
    begin = at;
    at = skip_blanks(data, size, at);
    if (!named || at == size)
        return false;
    return data[at] == '"' || (loosely && at > begin && data[at] != ',' && data[at] != ']');
}

/* What begins so is no game, whatever stands in it. */
static bool is_json(char const *data, size_t size)
{
    size_t at = skip_blanks(data, size, 0);
    if (at == size || data[at] != '{')
        return false;
    at = skip_blanks(data, size, at + 1);
    return at < size && (data[at] == '"' || data[at] == '}');
}

/* SGF or .mat, whichever begins first: a text in the one may look like the other. */
static enum game_file begun_kind(char const *data, size_t size)
{
    size_t at = skip_blanks(data, size, 0);
    if (at < size && data[at] == '(')
        return GAME_FILE_SGF;
    char const *sgf = find_sgf(data, size), *mat = find_mat(data, size);
    bool noted = at < size && data[at] == ';'; /* as .mat begins, with any text */
    if (mat && (noted || !sgf || mat < sgf))
        return GAME_FILE_MAT;
    return sgf ? GAME_FILE_SGF : GAME_FILE_NONE;
}

static enum game_file text_kind(char const *data, size_t size)
{
    if (is_pgn(data, size, false))
        return GAME_FILE_PGN;
    if (is_json(data, size))
        return GAME_FILE_NONE;
    enum game_file kind = begun_kind(data, size);
    return kind == GAME_FILE_NONE && is_pgn(data, size, true) ? GAME_FILE_PGN : kind;
}

/* Text of two bytes a character, with its byte order mark: the ASCII in it is looked at. */
static enum game_file wide_file_kind(char const *data, size_t size, bool low_first)
{
    char text[8192];
    size_t count = 0;
    for (size_t i = 2; i + 1 < size && count < sizeof text; i += 2) {
        unsigned char low = (unsigned char)data[i + !low_first],
                      high = (unsigned char)data[i + low_first];
        if (high == 0 && low == 0)
            return GAME_FILE_NONE;
        text[count++] = (char)(high == 0 && low < 0x80 ? low : '?');
    }
    return game_file_kind(text, count);
}

enum game_file game_file_kind(char const *data, size_t size)
{
    bool low_first = size >= 2 && memcmp(data, "\xff\xfe", 2) == 0;
    if (low_first || (size >= 2 && memcmp(data, "\xfe\xff", 2) == 0))
        return wide_file_kind(data, size, low_first);
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;
        size -= 3;
    }
    char const *nul = memchr(data, '\0', size); /* what reads it says where it is */
    return text_kind(data, nul ? (size_t)(nul - data) : size);
}
