/* What a method takes, read from its line in methods.def: params by position, and options by name
 * in a map at the end. */
#ifndef PROTOCOL_SIGNATURE_H
#define PROTOCOL_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#define SIGNATURE_PARAMS_MAX 8
#define SIGNATURE_OPTIONS_MAX 9

/* The types of params: (symbol, name, what it is). */
#define PARAM_TYPES(X)                                                                      \
    X(PARAM_SESSION, "session",                                                             \
      "the name of a session (a str; ~UID/NAME is that user's) or its handle (an integer)") \
    X(PARAM_POSITION, "position", "the number of a position, 0 to 2^32-2")                  \
    X(PARAM_INT, "int", "an integer of 32 bits, -2^31 to 2^31-1")                           \
    X(PARAM_SIZE, "size", "an integer, 0 to 2^53-1")                                        \
    X(PARAM_COUNT, "count", "an integer, 1 to 2^53-1")                                      \
    X(PARAM_BIN, "bin", "bytes; a str is taken as well, whatever its bytes")                \
    X(PARAM_MAYBE, "bin|nil", "bytes, as of bin, or nil")                                   \
    X(PARAM_STR, "str", "text in UTF-8; a bin is taken as well, if it is UTF-8")            \
    X(PARAM_BOOL, "bool", "true or false")                                                  \
    X(PARAM_ARRAY, "array", "an array")                                                     \
    X(PARAM_ANY, "any", "a value of any type but ext; each str in it is UTF-8")

enum param_type {
#define PARAM_ENUM(symbol, name, text) symbol,
    PARAM_TYPES(PARAM_ENUM)
#undef PARAM_ENUM
        PARAM_TYPE_COUNT
};

struct param {
    char const *name; /* a piece of the text that was parsed; not ended by a 0 */
    size_t size;
    enum param_type type;
};

struct signature {
    unsigned param_count;
    unsigned option_count;
    bool takes_options;
    struct param param[SIGNATURE_PARAMS_MAX];
    struct param option[SIGNATURE_OPTIONS_MAX];
};

/* The name of a type, as in methods.def, and what it is. */
char const *param_type_name(enum param_type type);
char const *param_type_text(enum param_type type);

/* Reads `name:type name:type {name:type name:type}`. The text must live as long as the signature.
 * False if it is not of that form, or holds more than there is room for. */
bool signature_parse(struct signature *s, char const *text);

#endif
