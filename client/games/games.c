/* Which kind of game it is. */
#include "client/games/games.h"

#include <stdlib.h>
#include <string.h>

#include "client/games/generic_export.h"
#include "client/games/value.h"
#include "client/sgf/gnubg.h"
#include "client/sgf/parse.h"
#include "client/sgf/tree.h"

static bool session_text(redo_session const *session, char const *name, redo_sgf_string *text)
{
    size_t size;
    void const *value = redo_getproperty(session, name, &size);
    struct reading r = read_value(value, value ? size : 0);
    return value && read_string(&r, text);
}

enum game_format game_format(redo_session const *session)
{
    static char const *const names[] = {"", "sgf", "gnubg", "pgn"};
    redo_sgf_string text;
    if (!session_text(session, "format", &text))
        return GAME_NONE;
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (text.size == strlen(names[i]) && memcmp(text.data, names[i], text.size) == 0)
            return i;
    return GAME_NONE;
}

redo_session *game_import_sgf(redo_sgf_game *game, bool first, redo_sgf_error *error)
{
    redo_session *session = NULL;
    if (gnubg_is(game)) {
        session = game_import_gnubg(game, first, error);
        if (session || error->code == REDO_ENOMEM)
            return session;
        for (redo_sgf_node *n = game->root; n; n = redo_sgf_node_after(n, game->root))
            n->at = NULL;
    }
    return game_import_generic(game, first, error);
}

static bool is_blank(redo_sgf_string s)
{
    for (size_t i = 0; i < s.size; i++)
        if (!is_space((unsigned char)s.data[i]))
            return false;
    return true;
}

/* gnubg complains of text before a game, other programs do not expect a ( in it. */
redo_sgf_string game_lead(redo_session const *session, bool first)
{
    redo_sgf_string lead;
    bool gnubg = game_format(session) == GAME_GNUBG;
    if (session_text(session, "sgf:lead", &lead) && !memchr(lead.data, '(', lead.size) &&
        (!gnubg || is_blank(lead)))
        return lead;
    return first ? (redo_sgf_string){"", 0} : (redo_sgf_string){"\n", 1};
}

redo_sgf_string game_tail(redo_session const *session)
{
    redo_sgf_string tail;
    if (session_text(session, "sgf:tail", &tail))
        return tail;
    return (redo_sgf_string){"\n", 1};
}

redo_sgf_game *game_export_sgf(redo_session *session, redo_sgf_error *error)
{
    redo_sgf_game *game = NULL;
    *error = (redo_sgf_error){.code = REDO_OK};
    switch (game_format(session)) {
    case GAME_SGF:
        game = game_export_generic(session, error);
        break;
    case GAME_GNUBG:
        game = game_export_gnubg(session, error);
        break;
    default:
        error_say(error, REDO_EKIND,
                  "the session is no game of SGF: it has no property \"format\" "
                  "that is \"sgf\" or \"gnubg\"");
    }
    if (!game)
        return NULL;
    /* With a text, of no bytes, nothing is added after it. */
    game->text = calloc(1, 1);
    if (!game->text) {
        error_say(error, REDO_ENOMEM, "out of memory");
        redo_sgf_game_free(game);
        return NULL;
    }
    return game;
}
