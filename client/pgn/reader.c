/* Reading game after game. In ISO-8859-1 as in UTF-8 ASCII is ASCII, so that the end of a game is
 * seen before its charset is known; other charsets are turned into UTF-8 on the way in. */
#include <stdlib.h>
#include <string.h>

#include "client/pgn/parse.h"
#include "client/pgn/scan.h"
#include "client/text/input.h"
#include "client/text/place.h"
#include "client/text/recode.h"
#include "client/text/utf8.h"

struct redo_pgn_reader {
    struct input input;
    struct recode recode;
    redo_text_limits limits;
    bool ended;
    size_t games;
    unsigned long line, column; /* of the first byte of the input */
    redo_text_error error;
};

void redo_pgn_options_init(redo_pgn_options *options)
{
    *options = (redo_pgn_options)TEXT_OPTIONS;
}

static redo_pgn_reader *reader_new(redo_text_source *source, void *data, void const *bytes,
                                   size_t size, redo_pgn_options const *options)
{
    redo_pgn_options usual;
    redo_pgn_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    redo_pgn_options_init(&usual);
    if (!options)
        options = &usual;
    r->limits = options->limits;
    if (r->limits.bytes > UINT32_MAX)
        r->limits.bytes = UINT32_MAX;
    recode_init(&r->recode, source, data, bytes, size, options->charset);
    input_init(&r->input, recode_read, &r->recode);
    r->line = r->column = 1;
    return r;
}

redo_pgn_reader *redo_pgn_reader_open(redo_text_source *source, void *data,
                                      redo_pgn_options const *options)
{
    return reader_new(source, data, NULL, 0, options);
}

redo_pgn_reader *redo_pgn_reader_open_bytes(void const *bytes, size_t size,
                                            redo_pgn_options const *options)
{
    return reader_new(NULL, NULL, bytes, size, options);
}

void redo_pgn_reader_close(redo_pgn_reader *reader)
{
    if (!reader)
        return;
    input_close(&reader->input);
    recode_close(&reader->recode);
    free(reader);
}

redo_text_error const *redo_pgn_reader_error(redo_pgn_reader const *reader)
{
    return &reader->error;
}

/* Sets the place of the error: after so much of the text, which begins where the input does. */
static int place(redo_pgn_reader *r, char const *text, size_t size)
{
    r->error.line = r->line;
    r->error.column = r->column;
    place_advance(&r->error.line, &r->error.column, text, size);
    return r->error.code;
}

static int no_memory(redo_pgn_reader *r)
{
    return error_say(&r->error, REDO_ENOMEM, "out of memory");
}

static int more(redo_pgn_reader *r)
{
    int code = input_more(&r->input);
    if (code == REDO_OK)
        return REDO_OK;
    if (code == REDO_ENOMEM)
        return no_memory(r);
    if (r->recode.code == REDO_EOPTION)
        return error_say(&r->error, REDO_EOPTION, "no charset '%s' is known here",
                         r->recode.option);
    if (r->recode.code != REDO_EUTF8)
        return error_say(&r->error, REDO_ESYSTEM, "the input can not be read");
    error_say(&r->error, REDO_EUTF8, "bytes that are no text in %s", r->recode.charset.name);
    return place(r, r->input.bytes, r->input.size);
}

static int too_large(redo_pgn_reader *r)
{
    error_say(&r->error, REDO_EFULL, "the game that begins here has more than %zu bytes",
              r->limits.bytes);
    return place(r, NULL, 0);
}

/* --- a game whose bytes are there --- */

static char *copy_utf8(char const *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (text)
        memcpy(text, bytes, size);
    return text;
}

/* The game's text of so many bytes. Latin-1 it is if it is nothing else. */
static int take_text(redo_pgn_reader *r, redo_pgn_game *g, size_t size)
{
    char const *bytes = r->input.bytes, *charset = "UTF-8";
    size_t valid = utf8_scan(bytes, size);
    if (valid < size && r->recode.charset.utf8) {
        error_say(&r->error, REDO_EUTF8, "the byte %02x is no text in UTF-8",
                  (unsigned char)bytes[valid]);
        return place(r, bytes, valid);
    }
    if (r->recode.charset.name[0])
        charset = r->recode.charset.name;
    else if (valid < size)
        charset = "ISO-8859-1";
    strcpy(g->charset, charset);
    g->text_size = size;
    g->text = valid < size ? utf8_from_latin1(bytes, &g->text_size) : copy_utf8(bytes, size);
    if (!g->text)
        return no_memory(r);
    return g->text_size > r->limits.bytes ? too_large(r) : REDO_OK;
}

static int make_game(redo_pgn_reader *r, redo_pgn_game *g, size_t size)
{
    size_t at;
    int code = take_text(r, g, size);
    if (code)
        return code;
    g->arena.limit = r->limits.memory > g->text_size ? r->limits.memory - g->text_size : 0;
    code = pgn_parse_game(g, r->column == 1, &r->limits, &at, &r->error);
    if (code)
        return place(r, g->text, at);
    place_advance(&r->line, &r->column, g->text, g->text_size);
    g->arena.limit = SIZE_MAX;
    g->arena.full = false;
    return REDO_OK;
}

static int finish(redo_pgn_reader *r, size_t size, redo_pgn_game **game)
{
    redo_pgn_game *g = calloc(1, sizeof *g);
    int code = g ? make_game(r, g, size) : no_memory(r);
    if (code) {
        redo_pgn_game_free(g);
        return code;
    }
    input_skip(&r->input, size);
    r->games++;
    *game = g;
    return REDO_OK;
}

/* No game comes any more. */
static int end(redo_pgn_reader *r)
{
    r->ended = true;
    if (r->games > 0)
        return REDO_OK;
    error_say(&r->error, REDO_EDAMAGED, "there is no game: a tag pair or a move expected");
    return place(r, r->input.bytes, r->input.size);
}

static int read_game(redo_pgn_reader *r, redo_pgn_game **game)
{
    struct scan s = {.column_one = r->column == 1};
    for (;;) {
        enum scan_status status = pgn_scan_run(&s, r->input.bytes, r->input.size, r->input.final);
        if (s.at > r->limits.bytes)
            return too_large(r);
        if (status == SCAN_END)
            return scan_began(&s) ? finish(r, s.at, game) : end(r);
        int code = more(r);
        if (code)
            return code;
    }
}

int redo_pgn_reader_next(redo_pgn_reader *reader, redo_pgn_game **game)
{
    *game = NULL;
    if (reader->error.code || reader->ended)
        return reader->error.code;
    return read_game(reader, game);
}
