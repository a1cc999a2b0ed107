#include "client/sgf/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/sgf/tree.h"

void out_text(struct out *o, char const *text, size_t size)
{
    for (size_t i = 0; i < size; i++, o->size++)
        if (o->size < o->cap)
            o->bytes[o->size] = text[i];
}

void out_string(struct out *o, char const *text)
{
    out_text(o, text, strlen(text));
}

void out_format(struct out *o, char const *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    out_string(o, text);
}

void out_number(struct out *o, struct gnubg_number const *n, int digits)
{
    char text[400];
    if (n->text.data) {
        out_text(o, n->text.data, n->text.size);
        return;
    }
    if (digits > 0)
        snprintf(text, sizeof text, "%.*f", digits, n->value);
    else
        snprintf(text, sizeof text, "%.10g", n->value);
    /* What is between the digits is the point of the locale. */
    for (char *c = text; *c;) {
        size_t other = strcspn(c, "0123456789+-einfa");
        out_text(o, ".", other > 0);
        c += other;
        size_t same = strspn(c, "0123456789+-einfa");
        out_text(o, c, same);
        c += same;
    }
}

redo_sgf_string word_next(redo_sgf_string *rest)
{
    size_t i = 0;
    while (i < rest->size && is_space((unsigned char)rest->data[i]))
        i++;
    redo_sgf_string word = {rest->data + i, 0};
    bool quoted = i < rest->size && rest->data[i] == '"';
    size_t end = i + quoted;
    while (end < rest->size &&
           (quoted ? rest->data[end] != '"' : !is_space((unsigned char)rest->data[end])))
        end++;
    end += quoted && end < rest->size;
    word.size = end - i;
    rest->data += end;
    rest->size -= end;
    return word;
}

bool word_is(redo_sgf_string word, char const *text)
{
    return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

bool word_skip(redo_sgf_string *rest, char const *text)
{
    redo_sgf_string after = *rest;
    if (!word_is(word_next(&after), text))
        return false;
    *rest = after;
    return true;
}

/* Takes digits off the front, into value times ten for each. False: there are none. */
static bool take_digits(redo_sgf_string *s, double *value, int *count)
{
    int n = 0;
    for (; s->size > 0 && is_digit((unsigned char)*s->data); s->data++, s->size--, n++)
        *value = *value * 10 + (*s->data - '0');
    *count = n;
    return n > 0;
}

static bool take_sign(redo_sgf_string *s)
{
    bool minus = s->size > 0 && *s->data == '-';
    if (s->size > 0 && (*s->data == '-' || *s->data == '+'))
        s->data++, s->size--;
    return minus;
}

static bool take_char(redo_sgf_string *s, char const *chars)
{
    if (s->size == 0 || *s->data == '\0' || !strchr(chars, *s->data))
        return false;
    s->data++, s->size--;
    return true;
}

/* Not strtod(), which reads the point of the locale. With up to 15 digits, as here, this is exact.
 */
bool word_number(redo_sgf_string word, struct gnubg_number *number)
{
    redo_sgf_string s = word;
    double value = 0, exponent = 0;
    int before, after = 0, digits;
    bool minus = take_sign(&s);
    take_digits(&s, &value, &before);
    if (take_char(&s, "."))
        take_digits(&s, &value, &after);
    if (before + after == 0 || word.size > 60)
        return false;
    if (take_char(&s, "eE")) {
        bool small = take_sign(&s);
        if (!take_digits(&s, &exponent, &digits) || digits > 4)
            return false;
        exponent = small ? -exponent : exponent;
    }
    exponent -= after;
    value = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);
    *number = (struct gnubg_number){word, minus ? -value : value};
    return s.size == 0 && isfinite(value);
}

bool word_integer(redo_sgf_string word, long low, long high, long *number)
{
    redo_sgf_string s = word;
    double value = 0;
    int digits;
    bool minus = take_sign(&s), zero = s.size > 0 && *s.data == '0';
    if (!take_digits(&s, &value, &digits) || s.size > 0 || digits > 15)
        return false;
    /* Only what would be written so again. */
    if (word.data[0] == '+' || (zero && (digits > 1 || minus)))
        return false;
    *number = minus ? -(long)value : (long)value;
    return *number >= low && *number <= high;
}
