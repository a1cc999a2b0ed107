/* What values mean as text, and how text is written as a value. */
#include "client/sgf/tree.h"

struct out {
    char *bytes;
    size_t size, cap;
};

static void put(struct out *o, char c)
{
    if (o->size < o->cap)
        o->bytes[o->size] = c;
    o->size++;
}

/* The length of the line end at i: LF, CR, or both together in either order. 0: there is none. */
static size_t line_end(redo_sgf_string s, size_t i)
{
    char c = s.data[i];
    if (c != '\n' && c != '\r')
        return 0;
    return i + 1 < s.size && s.data[i + 1] == (c == '\n' ? '\r' : '\n') ? 2 : 1;
}

static size_t decode(redo_sgf_string raw, char newline, char *out, size_t cap)
{
    struct out o = {out, 0, cap};
    for (size_t i = 0; i < raw.size;) {
        bool escaped = raw.data[i] == '\\';
        if (escaped && ++i == raw.size)
            break;
        size_t end = line_end(raw, i);
        if (end == 0)
            put(&o, raw.data[i++]);
        else if (!escaped)
            put(&o, newline);
        i += end;
    }
    return o.size;
}

size_t redo_sgf_text_decode(redo_sgf_string raw, char *out, size_t cap)
{
    return decode(raw, '\n', out, cap);
}

size_t redo_sgf_simpletext_decode(redo_sgf_string raw, char *out, size_t cap)
{
    return decode(raw, ' ', out, cap);
}

size_t redo_sgf_text_encode(redo_sgf_string text, int colons, char *out, size_t cap)
{
    struct out o = {out, 0, cap};
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '\\' || c == ']' || (colons && c == ':'))
            put(&o, '\\');
        put(&o, c);
    }
    return o.size;
}

int redo_sgf_split(redo_sgf_string raw, redo_sgf_string *left, redo_sgf_string *right)
{
    size_t i = 0;
    while (i < raw.size && raw.data[i] != ':')
        i += raw.data[i] == '\\' ? 2 : 1;
    if (i >= raw.size) {
        *left = raw;
        *right = (redo_sgf_string){raw.data + raw.size, 0};
        return 0;
    }
    *left = (redo_sgf_string){raw.data, i};
    *right = (redo_sgf_string){raw.data + i + 1, raw.size - i - 1};
    return 1;
}
