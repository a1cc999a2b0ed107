/* Reading game after game. Most files are UTF-8 or plain ASCII, and are looked at as they are. What
 * is not goes through iconv: in some charsets the second byte of a character may be a bracket or a
 * backslash, so that the end of a game can be seen in the decoded text only.
 *
 * Which charset it is: what the options say, or a byte order mark at the beginning; else what the
 * game's root declares (CA), which may come after text; else UTF-8 if all bytes are that; else it
 * is guessed, and the guess stays for the games that follow, until one can not be read with it.
 *
 * Every byte is looked at a bounded number of times. Looking ahead (for a CA after the text that is
 * not UTF-8, and for a guess) has a budget that grows with what has been read. */
#include <stdlib.h>
#include <string.h>

#include "client/text/charset.h"
#include "client/text/input.h"
#include "client/sgf/parse.h"
#include "client/sgf/scan.h"
#include "client/text/utf8.h"

#define WINDOW (64 * 1024)
#define BUDGET (4 * 1024 * 1024)

struct redo_sgf_reader {
    struct input input;
    redo_sgf_limits limits;
    struct charset forced; /* by the options or a byte order mark; name empty: by nothing */
    char option[CHARSET_NAME_MAX + 1];
    struct charset guess;   /* the last one; name empty: none yet */
    struct charset charset; /* of the game at hand */
    char const *why;        /* how we came to it */
    bool guessed;
    bool begun;
    bool ended;
    size_t games;
    size_t valid;               /* bytes of the input known to be UTF-8 */
    size_t budget;              /* for looking ahead */
    size_t tried;               /* bytes that were decoded before some that are no text */
    unsigned long line, column; /* of the first byte of the input */
    char *tail;
    size_t tail_size;
    redo_sgf_error error;
};

void redo_sgf_options_init(redo_sgf_options *options)
{
    *options = (redo_sgf_options){.limits = {.bytes = (size_t)256 << 20,
                                             .memory = (size_t)2 << 30,
                                             .nodes = (size_t)16 << 20,
                                             .depth = 1000000}};
}

static redo_sgf_reader *reader_new(redo_sgf_options const *options)
{
    redo_sgf_options usual;
    redo_sgf_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    redo_sgf_options_init(&usual);
    if (!options)
        options = &usual;
    r->limits = options->limits;
    if (r->limits.bytes > UINT32_MAX)
        r->limits.bytes = UINT32_MAX;
    if (options->charset) /* cut, it is none, and the first read says so */
        strncpy(r->option, options->charset, sizeof r->option - 1);
    r->line = r->column = 1;
    r->budget = BUDGET;
    return r;
}

redo_sgf_reader *redo_sgf_reader_open(redo_sgf_source *source, void *data,
                                      redo_sgf_options const *options)
{
    redo_sgf_reader *r = reader_new(options);
    if (r)
        input_init(&r->input, source, data);
    return r;
}

redo_sgf_reader *redo_sgf_reader_open_bytes(void const *bytes, size_t size,
                                            redo_sgf_options const *options)
{
    redo_sgf_reader *r = reader_new(options);
    if (r)
        input_init_bytes(&r->input, bytes, size);
    return r;
}

void redo_sgf_reader_close(redo_sgf_reader *reader)
{
    if (!reader)
        return;
    input_close(&reader->input);
    free(reader->tail);
    free(reader);
}

redo_sgf_error const *redo_sgf_reader_error(redo_sgf_reader const *reader)
{
    return &reader->error;
}

redo_sgf_string redo_sgf_reader_tail(redo_sgf_reader const *reader)
{
    return (redo_sgf_string){reader->tail ? reader->tail : "", reader->tail_size};
}

/* Sets the place of the error: after so much of the text, which begins where the input does. */
static int place(redo_sgf_reader *r, char const *text, size_t size)
{
    r->error.line = r->line;
    r->error.column = r->column;
    place_advance(&r->error.line, &r->error.column, text, size);
    return r->error.code;
}

static int no_memory(redo_sgf_reader *r)
{
    return error_say(&r->error, REDO_ENOMEM, "out of memory");
}

static int more(redo_sgf_reader *r)
{
    int code = input_more(&r->input);
    if (code == REDO_ENOMEM)
        return no_memory(r);
    if (code)
        return error_say(&r->error, code, "the input can not be read");
    return REDO_OK;
}

static int too_large(redo_sgf_reader *r, char const *text, size_t size)
{
    error_say(&r->error, REDO_EFULL, "the game that begins here has more than %zu bytes",
              r->limits.bytes);
    return place(r, text, size);
}

/* What scan_run() found that should not be between two games. */
static int stray(redo_sgf_reader *r, struct scan const *s, char const *text)
{
    if (s->state == SCAN_LEAD)
        error_say(&r->error, REDO_EDAMAGED, "a ) without its (");
    else
        error_say(&r->error, REDO_EDAMAGED, "a game must begin with a node: ; expected");
    return place(r, text, s->at);
}

/* --- the beginning --- */

static int use_option(redo_sgf_reader *r)
{
    if (charset_find(&r->forced, r->option, strlen(r->option)))
        return REDO_OK;
    return error_say(&r->error, REDO_EOPTION, "no charset '%s' is known here", r->option);
}

/* A byte order mark, which stays as the first character of the text. */
static void use_mark(redo_sgf_reader *r)
{
    static struct {
        char const *bytes;
        size_t size;
        char const *name;
    } const marks[] = {{"\xef\xbb\xbf", 3, "UTF-8"},
                       {"\xff\xfe\0\0", 4, "UTF-32LE"},
                       {"\xff\xfe", 2, "UTF-16LE"},
                       {"\0\0\xfe\xff", 4, "UTF-32BE"},
                       {"\xfe\xff", 2, "UTF-16BE"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (r->input.size >= marks[i].size &&
            memcmp(r->input.bytes, marks[i].bytes, marks[i].size) == 0) {
            charset_find(&r->forced, marks[i].name, strlen(marks[i].name));
            return;
        }
}

static int begin(redo_sgf_reader *r)
{
    r->begun = true;
    if (r->option[0])
        return use_option(r);
    while (r->input.size < 4 && !r->input.final) {
        int code = more(r);
        if (code)
            return code;
    }
    use_mark(r);
    return REDO_OK;
}

/* --- games whose text is there --- */

/* Makes a game of the text, which it takes over, of so many bytes of the input. */
static int finish(redo_sgf_reader *r, char *text, size_t size, size_t lead_size, size_t used,
                  redo_sgf_game **game)
{
    bool large = used > r->limits.bytes || size > r->limits.bytes;
    redo_sgf_game *g = large ? NULL : calloc(1, sizeof *g);
    size_t at;
    if (!g) {
        if (large)
            too_large(r, text, lead_size);
        else
            no_memory(r);
        free(text);
        return r->error.code;
    }
    g->text = text;
    g->text_size = size;
    g->lead_size = lead_size;
    g->line = r->line;
    g->column = r->column;
    g->arena.limit = r->limits.memory > size ? r->limits.memory - size : 0;
    strcpy(g->charset, r->charset.name);
    g->guessed = r->guessed;
    int code = parse_game(g, &r->limits, &at, &r->error);
    if (code) {
        place(r, text, at);
        redo_sgf_game_free(g);
        return code;
    }
    g->converted = !r->charset.utf8;
    g->arena.limit = SIZE_MAX;
    g->arena.full = false;
    place_advance(&r->line, &r->column, text, size);
    input_skip(&r->input, used);
    r->valid = r->valid > used ? r->valid - used : 0;
    r->budget += 2 * used;
    r->games++;
    *game = g;
    return REDO_OK;
}

/* No game comes any more: the text, which is taken over, is what follows the last one. */
static int end(redo_sgf_reader *r, char *text, size_t size)
{
    r->tail = text;
    r->tail_size = size;
    r->ended = true;
    if (r->games > 0)
        return REDO_OK;
    error_say(&r->error, REDO_EDAMAGED, "there is no game: a ( with a ; after it expected");
    return place(r, text, size);
}

static char *copy(redo_sgf_reader *r, size_t size)
{
    char *text = malloc(size + 1);
    if (text)
        memcpy(text, r->input.bytes, size);
    return text;
}

/* What a scan came to, of text that is the input itself or was decoded from it. */
static bool is_tail(redo_sgf_reader *r, struct scan const *s)
{
    return !scan_began(s) && !(s->between && s->state != SCAN_LEAD);
}

/* --- through iconv --- */

static int invalid(redo_sgf_reader *r, struct decoder const *d)
{
    r->tried = d->used;
    unsigned char const *s = (unsigned char const *)r->input.bytes + d->used;
    size_t left = r->input.size - d->used;
    if (left > 1)
        error_say(&r->error, REDO_EUTF8, "the bytes %02x %02x are no text in %s (%s)", s[0], s[1],
                  r->charset.name, r->why);
    else
        error_say(&r->error, REDO_EUTF8, "the byte %02x is no text in %s (%s)", s[0],
                  r->charset.name, r->why);
    return place(r, d->text, d->size);
}

static char *take_text(struct decoder *d, size_t size)
{
    char *text = realloc(d->text, size + 1);
    if (text)
        d->text = NULL;
    return text;
}

static int finish_decoded(redo_sgf_reader *r, struct decoder *d, struct scan const *s, bool ended,
                          redo_sgf_game **game)
{
    size_t size = ended ? d->size : s->at;
    size_t used = ended ? r->input.size : decoder_consumed(d, r->input.bytes, r->input.size, size);
    if (ended && s->between && (s->state == SCAN_OPENED || s->state == SCAN_NAME))
        return stray(r, s, d->text);
    char *text = take_text(d, size);
    if (!text)
        return no_memory(r);
    if (ended && is_tail(r, s))
        return end(r, text, size);
    return finish(r, text, size, s->start, used, game);
}

/* Has more bytes to decode, after all were but for a character that is cut. *ended: there are none.
 */
static int after_decoded(redo_sgf_reader *r, struct decoder const *d, bool *ended)
{
    if (!r->input.final)
        return more(r);
    *ended = true;
    return d->used < r->input.size ? invalid(r, d) : REDO_OK;
}

/* Decodes and scans, piece by piece. A piece may go on beyond the game, where other bytes are. */
static int scan_decoded(redo_sgf_reader *r, struct decoder *d, redo_sgf_game **game)
{
    struct scan s = {.between = r->games > 0};
    bool ended = false;
    for (;;) {
        enum decoder_status decoded = decoder_run(d, r->input.bytes, r->input.size);
        enum scan_status status = scan_run(&s, d->text, d->size);
        if (status == SCAN_STRAY)
            return stray(r, &s, d->text);
        if (status == SCAN_END || ended)
            return finish_decoded(r, d, &s, status != SCAN_END, game);
        if (d->size > r->limits.bytes || d->used > r->limits.bytes)
            return too_large(r, d->text, scan_began(&s) ? s.start : 0);
        int code = decoded == DECODER_NOMEM     ? no_memory(r)
                   : decoded == DECODER_INVALID ? invalid(r, d)
                   : decoded == DECODER_MORE    ? after_decoded(r, d, &ended)
                                                : REDO_OK;
        if (code)
            return code;
    }
}

static int read_decoded(redo_sgf_reader *r, redo_sgf_game **game)
{
    struct decoder d;
    if (!decoder_init(&d, &r->charset))
        return error_say(&r->error, REDO_EUTF8, "no charset '%s' is known here (%s)",
                         r->charset.name, r->why);
    int code = scan_decoded(r, &d, game);
    decoder_close(&d);
    return code;
}

/* --- which charset --- */

/* Spends up to `want` of what may be looked at ahead. */
static size_t spend(redo_sgf_reader *r, size_t want)
{
    size_t have = want < r->budget ? want : r->budget;
    r->budget -= have;
    return have;
}

/* Has so many bytes of the input there, if it has so many. */
static int have(redo_sgf_reader *r, size_t size)
{
    while (r->input.size < size && !r->input.final) {
        int code = more(r);
        if (code)
            return code;
    }
    return REDO_OK;
}

/* The charset that CA in the root of the game at start names. *found 1: it is in r->charset; -1: it
 * is one that nobody knows, at *value. */
static void declared(redo_sgf_reader *r, size_t start, size_t size, bool pairs, int *found,
                     size_t *value)
{
    size_t value_size;
    *found = 0;
    if (scan_charset(r->input.bytes, size, start, pairs, value, &value_size) != SCAN_END)
        return;
    r->why = "declared by CA";
    *found = charset_find(&r->charset, r->input.bytes + *value, value_size) ? 1 : -1;
    /* The declaration stands in the text, where it can only be read if ASCII means itself. */
    if (*found == 1 && pairs && r->charset.utf8)
        *found = 0;
}

static int unknown_charset(redo_sgf_reader *r, size_t value)
{
    error_say(&r->error, REDO_EUTF8,
              "nobody knows the charset that CA declares: name the right one");
    return place(r, r->input.bytes, value);
}

static int guess(redo_sgf_reader *r)
{
    size_t size = spend(r, WINDOW);
    int code = have(r, r->valid + size);
    if (code)
        return code;
    if (size > r->input.size - r->valid)
        size = r->input.size - r->valid;
    if (!charset_guess(&r->guess, r->input.bytes + r->valid, size))
        return error_say(&r->error, REDO_EUTF8, "this looks like %s, which is not known here",
                         r->guess.name);
    r->charset = r->guess;
    return REDO_OK;
}

/* Reads a game of which nothing says what it is in: as the last such one, or guessed anew. */
static int read_guessed(redo_sgf_reader *r, redo_sgf_game **game)
{
    r->guessed = true;
    r->why = "guessed";
    if (r->guess.name[0]) {
        r->charset = r->guess;
        int code = read_decoded(r, game);
        if (code != REDO_EUTF8 || spend(r, r->tried) < r->tried)
            return code;
        memset(&r->error, 0, sizeof r->error);
    }
    int code = guess(r);
    return code ? code : read_decoded(r, game);
}

/* A game with bytes that are not UTF-8, or that says it is in something else. Its root may go on
 * behind what has been scanned. */
static int read_other(redo_sgf_reader *r, struct scan const *s, redo_sgf_game **game)
{
    size_t value = 0, size = s->at;
    int found = 0, code = REDO_OK;
    if (scan_began(s)) {
        size += spend(r, WINDOW);
        code = have(r, size);
        if (code)
            return code;
        if (size > r->input.size)
            size = r->input.size;
        declared(r, s->start, size, false, &found, &value);
        if (!found)
            declared(r, s->start, size, true, &found, &value);
    }
    if (found < 0)
        return unknown_charset(r, value);
    if (found && r->charset.utf8) {
        struct decoder none = {.text = (char *)r->input.bytes, .size = r->valid, .used = r->valid};
        return invalid(r, &none);
    }
    return found ? read_decoded(r, game) : read_guessed(r, game);
}

/* --- as UTF-8 --- */

static bool is_ascii(char const *text, size_t size)
{
    size_t i = 0;
    while (i < size && (unsigned char)text[i] < 0x80)
        i++;
    return i == size;
}

/* Looks on in what is UTF-8. *stopped: at r->valid comes what is not. */
static enum scan_status scan_valid(redo_sgf_reader *r, struct scan *s, bool *stopped)
{
    struct input const *in = &r->input;
    for (;;) {
        enum scan_status status = scan_run(s, in->bytes, r->valid);
        if (status != SCAN_MORE || s->at > r->limits.bytes)
            return status;
        size_t size = in->size - r->valid < WINDOW ? in->size : r->valid + WINDOW;
        size_t more = utf8_scan(in->bytes + r->valid, size - r->valid);
        r->valid += more;
        if (more > 0)
            continue;
        *stopped = r->valid < in->size &&
                   (in->final || !utf8_begins(in->bytes + r->valid, in->size - r->valid));
        return SCAN_MORE;
    }
}

/* In text before the game that is not UTF-8, goes on to the game: ASCII is ASCII in most charsets.
 */
static int scan_lead(redo_sgf_reader *r, struct scan *s)
{
    while (!scan_began(s)) {
        if (scan_run(s, r->input.bytes, r->input.size) != SCAN_MORE || r->input.final ||
            r->input.size > r->limits.bytes)
            break;
        int code = more(r);
        if (code)
            return code;
    }
    return REDO_OK;
}

/* The game, or what there is of it, is valid UTF-8: does it say that it is something else? */
static int finish_valid(redo_sgf_reader *r, struct scan const *s, bool ended, redo_sgf_game **game)
{
    size_t size = ended ? r->input.size : s->at, value;
    int found = 0;
    if (ended && is_tail(r, s)) {
        char *text = copy(r, size);
        return text ? end(r, text, size) : no_memory(r);
    }
    if (ended && !scan_began(s))
        return stray(r, s, r->input.bytes);
    if (!r->forced.name[0])
        declared(r, s->start, size, false, &found, &value);
    if (found && !is_ascii(r->input.bytes, size)) {
        if (found < 0)
            return unknown_charset(r, value);
        if (!r->charset.utf8)
            return read_decoded(r, game);
    } else if (found > 0 && !r->charset.ascii) {
        return read_decoded(r, game);
    }
    charset_find(&r->charset, "UTF-8", 5);
    r->why = NULL;
    char *text = copy(r, size);
    return text ? finish(r, text, size, s->start, size, game) : no_memory(r);
}

static int read_utf8(redo_sgf_reader *r, redo_sgf_game **game)
{
    struct scan s = {.between = r->games > 0};
    for (;;) {
        bool stopped = false;
        enum scan_status status = scan_valid(r, &s, &stopped);
        if (status == SCAN_STRAY)
            return stray(r, &s, r->input.bytes);
        if (stopped && r->forced.name[0]) {
            struct decoder none = {
                .text = (char *)r->input.bytes, .size = r->valid, .used = r->valid};
            return invalid(r, &none);
        }
        if (stopped) {
            int code = scan_lead(r, &s);
            return code ? code : read_other(r, &s, game);
        }
        if (status == SCAN_MORE && s.at > r->limits.bytes)
            return too_large(r, r->input.bytes, scan_began(&s) ? s.start : 0);
        if (status == SCAN_END || r->input.final)
            return finish_valid(r, &s, status != SCAN_END, game);
        int code = more(r);
        if (code)
            return code;
    }
}

static int read_game(redo_sgf_reader *r, redo_sgf_game **game)
{
    int code = r->begun ? REDO_OK : begin(r);
    if (code)
        return code;
    r->guessed = false;
    if (!r->forced.name[0])
        return read_utf8(r, game);
    r->charset = r->forced;
    r->why = r->option[0] ? "as asked for" : "as its byte order mark says";
    return r->forced.utf8 ? read_utf8(r, game) : read_decoded(r, game);
}

int redo_sgf_reader_next(redo_sgf_reader *reader, redo_sgf_game **game)
{
    *game = NULL;
    if (reader->error.code || reader->ended)
        return reader->error.code;
    return read_game(reader, game);
}
