#include "client/sgf/scan.h"

#include <string.h>

#include "client/sgf/tree.h"

/* Before the game: one character. False: it should not be here. */
static bool step_lead(struct scan *s, unsigned char c)
{
    if (s->state == SCAN_OPENED && is_space(c))
        return true;
    if (s->state == SCAN_NAME && (is_letter(c) || is_digit(c) || is_space(c)))
        return true;
    if (s->state == SCAN_OPENED && is_letter(c)) {
        s->state = SCAN_NAME;
    } else if ((s->state == SCAN_OPENED && c == ';') || (s->state == SCAN_NAME && c == '[')) {
        s->state = c == ';' ? SCAN_TREE : SCAN_VALUE;
        s->depth = 1;
    } else if (s->state != SCAN_LEAD && s->between) {
        return false;
    } else if (c == '(') {
        s->state = SCAN_OPENED;
        s->start = s->at;
    } else {
        s->state = SCAN_LEAD;
        return c != ')' || !s->between;
    }
    return true;
}

/* Goes to the end of the value, or of the text. */
static void skip_value(struct scan *s, char const *text, size_t size)
{
    while (s->at < size && text[s->at] != ']') {
        if (text[s->at++] != '\\')
            continue;
        if (s->at == size) {
            s->state = SCAN_ESCAPE;
            return;
        }
        s->at++;
    }
    if (s->at < size) {
        s->at++;
        s->state = SCAN_TREE;
    }
}

enum scan_status scan_run(struct scan *s, char const *text, size_t size)
{
    while (s->at < size) {
        char c = text[s->at];
        if (s->state < SCAN_TREE) {
            if (!step_lead(s, (unsigned char)c))
                return SCAN_STRAY;
            s->at++;
        } else if (s->state == SCAN_VALUE) {
            skip_value(s, text, size);
        } else if (s->state == SCAN_ESCAPE) {
            s->at++;
            s->state = SCAN_VALUE;
        } else {
            s->at++;
            if (c == '[')
                s->state = SCAN_VALUE;
            else if (c == '(')
                s->depth++;
            else if (c == ')' && --s->depth == 0)
                return SCAN_END;
        }
    }
    return SCAN_MORE;
}

/* The end of the value whose text begins at at: where the ] is; size if it is not there. */
static size_t value_end(char const *text, size_t size, size_t at, bool pairs)
{
    while (at < size && text[at] != ']') {
        bool pair = pairs && (unsigned char)text[at] > 0x80 && at + 1 < size &&
                    (unsigned char)text[at + 1] >= 0x40;
        at += pair || text[at] == '\\' ? 2 : 1;
    }
    return at < size ? at : size;
}

enum scan_status scan_charset(char const *text, size_t size, size_t start, bool pairs,
                              size_t *value, size_t *value_size)
{
    char id[3] = "";
    size_t length = 0;
    bool semicolon = false, after_value = true;

    for (size_t at = start + 1; at < size; at++) {
        unsigned char c = (unsigned char)text[at];
        if (c == '[') {
            size_t end = value_end(text, size, at + 1, pairs);
            if (end == size)
                return SCAN_MORE;
            if (length == 2 && memcmp(id, "CA", 2) == 0) {
                *value = at + 1;
                *value_size = end - at - 1;
                return SCAN_END;
            }
            at = end;
            after_value = true;
        } else if (is_letter(c) || is_digit(c)) {
            if (after_value)
                length = 0;
            after_value = false;
            if (!is_letter(c) || is_capital(c)) {
                id[length < 2 ? length : 2] = (char)c;
                length += length < 3;
            }
        } else if (c == '(' || c == ')' || (c == ';' && semicolon)) {
            return SCAN_STRAY;
        } else if (c == ';') {
            semicolon = true;
        }
    }
    return SCAN_MORE;
}
