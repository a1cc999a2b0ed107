#include "client/pgn/scan.h"

#include <string.h>

#include "client/pgn/token.h"
#include "client/text/place.h"

static size_t find(char const *text, size_t at, size_t size, char c)
{
    char const *found = memchr(text + at, c, size - at);
    return found ? (size_t)(found - text) : size;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool in_column_one(struct scan const *s, char const *text)
{
    return s->at == 0 ? s->column_one : is_line_end(text[s->at - 1]);
}

static enum scan_status end(struct scan *s, size_t at)
{
    s->at = at;
    return SCAN_END;
}

/* Something that is no space nor comment, after the result. */
static enum scan_status next_game(struct scan *s)
{
    return end(s, s->comments > 0 ? s->comments : s->at);
}

static void end_word(struct scan *s, char const *text)
{
    enum redo_pgn_result result;
    size_t mark = token_mark(text + s->word, s->at - s->word);
    s->state = SCAN_SPACE;
    if (s->at - s->word == mark)
        return;
    s->moves = true;
    s->over =
        s->depth == 0 && token_is_result(text + s->word + mark, s->at - s->word - mark, &result);
}

/* At a [. Whether a new game begins, as far as can be seen; SCAN_MORE: that is not far enough. */
static enum scan_status look_at_tag(struct scan const *s, char const *text, size_t size, bool final,
                                    bool *begins)
{
    *begins = s->over || s->moves || s->depth > 0;
    if (*begins || !s->tags || s->newlines < 2)
        return SCAN_END;
    size_t at = s->at + 1;
    while (at < size && is_space((unsigned char)text[at]))
        at++;
    if (size - at < 6 && !final)
        return SCAN_MORE;
    *begins = size - at >= 6 && memcmp(text + at, "Event", 5) == 0 &&
              !token_is_name((unsigned char)text[at + 5]);
    return SCAN_END;
}

static enum scan_status begin_tag(struct scan *s, char const *text, size_t size, bool final,
                                  bool *wait)
{
    bool begins;
    *wait = look_at_tag(s, text, size, final, &begins) == SCAN_MORE;
    if (*wait)
        return SCAN_MORE;
    if (begins)
        return next_game(s);
    s->tags = true;
    s->state = SCAN_TAG;
    s->at++;
    return SCAN_MORE;
}

static void begin_comment(struct scan *s, enum scan_state state)
{
    if (s->over && s->newlines >= 2 && s->comments == 0)
        s->comments = s->at;
    s->state = state;
    s->newlines = 0;
    s->at++;
}

static void space(struct scan *s, char const *text)
{
    char c = text[s->at];
    if (c == '\r' || (c == '\n' && !(s->at > 0 && text[s->at - 1] == '\r')))
        s->newlines++;
    s->at++;
}

/* At a character that is no space. */
static enum scan_status begin_token(struct scan *s, char const *text, size_t size, bool final,
                                    bool *wait)
{
    char c = text[s->at];
    if (c == '[')
        return begin_tag(s, text, size, final, wait);
    if (c == '{' || c == ';') {
        begin_comment(s, c == '{' ? SCAN_BRACE : SCAN_LINE);
        return SCAN_MORE;
    }
    if (c == '%' && in_column_one(s, text)) {
        s->state = SCAN_LINE;
        s->newlines -= s->newlines > 0; /* its own line is not empty */
        s->at++;
        return SCAN_MORE;
    }
    if (s->over)
        return next_game(s);
    s->newlines = 0;
    s->word = s->at++;
    if (token_chars[(unsigned char)c]) {
        s->state = SCAN_WORD;
        return SCAN_MORE;
    }
    s->moves = true;
    s->over = c == '*' && s->depth == 0;
    if (c == '(')
        s->depth++;
    else if (c == ')' && s->depth > 0)
        s->depth--;
    return SCAN_MORE;
}

static enum scan_status in_space(struct scan *s, char const *text, size_t size, bool final,
                                 bool *wait)
{
    while (s->at < size && is_space((unsigned char)text[s->at]))
        space(s, text);
    return s->at < size ? begin_token(s, text, size, final, wait) : SCAN_MORE;
}

static enum scan_status in_tag(struct scan *s, char const *text)
{
    char c = text[s->at];
    if (c == '[' || c == '{')
        return end(s, s->at);
    if (c == '"')
        s->state = SCAN_STRING;
    else if (c == ']')
        s->state = SCAN_SPACE;
    s->newlines = 0;
    s->at++;
    return SCAN_MORE;
}

/* wait: after a backslash there must be a character. */
static enum scan_status in_string(struct scan *s, char const *text, size_t size, bool *wait)
{
    char c = text[s->at];
    if (is_line_end(c))
        return end(s, s->at);
    *wait = c == '\\' && s->at + 1 == size;
    if (*wait)
        return SCAN_MORE;
    if (c == '"')
        s->state = SCAN_TAG;
    s->at += c == '\\' && !is_line_end(text[s->at + 1]) ? 2 : 1;
    return SCAN_MORE;
}

static void in_comment(struct scan *s, char const *text, size_t size)
{
    if (s->state == SCAN_BRACE)
        s->at = find(text, s->at, size, '}');
    else
        while (s->at < size && !is_line_end(text[s->at]))
            s->at++;
    if (s->at == size)
        return;
    if (s->state == SCAN_BRACE)
        s->at++;
    s->state = SCAN_SPACE;
}

enum scan_status pgn_scan_run(struct scan *s, char const *text, size_t size, bool final)
{
    enum scan_status status = SCAN_MORE;
    bool wait = false;
    while (s->at < size && status == SCAN_MORE && !wait) {
        switch (s->state) {
        case SCAN_SPACE:
            status = in_space(s, text, size, final, &wait);
            break;
        case SCAN_WORD:
            while (s->at < size && token_chars[(unsigned char)text[s->at]])
                s->at++;
            if (s->at < size)
                end_word(s, text);
            break;
        case SCAN_TAG:
            status = in_tag(s, text);
            break;
        case SCAN_STRING:
            status = in_string(s, text, size, &wait);
            break;
        case SCAN_BRACE:
        case SCAN_LINE:
            in_comment(s, text, size);
            break;
        }
    }
    if (status == SCAN_MORE && final) {
        if (s->state == SCAN_WORD)
            end_word(s, text);
        return end(s, size);
    }
    return status;
}
