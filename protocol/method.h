/* The methods and events of methods.def as tables, and the check of what a client sent against
 * them: a handler gets values of the types it asked for, or is not called. */
#ifndef PROTOCOL_METHOD_H
#define PROTOCOL_METHOD_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/error.h"
#include "protocol/signature.h"

enum method_symbol {
#define METHOD(symbol, name, params, result, prose) METHOD_##symbol,
#include "protocol/methods.def"
    METHOD_COUNT,
    METHOD_NONE = -1
};

enum event_symbol {
#define EVENT(symbol, name, params, prose) EVENT_##symbol,
#include "protocol/methods.def"
    EVENT_COUNT
};

struct method {
    char const *name, *params, *result, *prose;
};

struct event {
    char const *name, *params, *prose;
};

struct shape {
    char const *name, *fields;
};

struct limit {
    char const *name;
    uint64_t value; /* of a daemon that was not told otherwise */
    char const *text;
};

extern struct method const method_table[METHOD_COUNT];
extern struct event const event_table[EVENT_COUNT];
extern struct shape const shape_table[];
extern size_t const shape_count;
extern struct limit const limit_table[];
extern size_t const limit_count;

#define METHOD_SLOTS 256 /* a power of two, and more than twice METHOD_COUNT */

/* The tables made ready for use: once for a daemon, some 16 KB, read-only afterwards. */
struct methods {
    struct signature signature[METHOD_COUNT];
    uint8_t slot[METHOD_SLOTS]; /* by hash of the name: a symbol + 1, or 0 */
};

/* Fills it from the table. False only if methods.def itself is wrong. */
bool methods_init(struct methods *m);

/* The method of that name, METHOD_NONE if there is none. */
enum method_symbol method_find(struct methods const *m, char const *name, size_t size);

/* The value of a param or an option. Strings and bytes are pieces of the message. */
struct arg {
    enum param_type type;
    bool present; /* params but for a PARAM_MAYBE that is nil; options if given and not nil */
    bool named;   /* PARAM_SESSION: by name (bytes) and not by handle (integer) */
    union {
        int64_t integer; /* PARAM_INT, PARAM_POSITION, PARAM_SIZE, PARAM_SESSION if !named */
        bool boolean;    /* PARAM_BOOL */
        struct {
            char const *data;
            size_t size;
        } bytes; /* PARAM_BIN, PARAM_MAYBE; in UTF-8: PARAM_STR, PARAM_SESSION if named */
        msgpack_object_array array; /* PARAM_ARRAY; items unchecked, see arg_read() */
        msgpack_object any;         /* PARAM_ANY; every str in it is UTF-8 */
    };
};

/* All of a call's, in the order of the method's line; what is past its counts is not set, nor is
 * any option if none was given: see args_option(). */
struct args {
    struct signature const *signature;
    bool has_options; /* some were given, or an empty map of them */
    struct arg param[SIGNATURE_PARAMS_MAX];
    struct arg option[SIGNATURE_OPTIONS_MAX];
};

/* Checks params against the method's signature and fills *args. An empty array, or nil, is an empty
 * map of options.
 *
 * Whether a client's language sends text and bytes as str or as bin does not matter: what is wanted
 * decides. Where it is text, the bytes of either must be UTF-8.
 *
 * REDO_OK, or the code that *error holds too, its details saying which param or option (their texts
 * are pieces of the message); the method's name is for the caller to add:
 *   REDO_EPARAMS    the wrong number of params            {expected, given}
 *   REDO_ETYPE      the wrong type; a float is no integer {param, index, expected, given}
 *   REDO_ERANGE     an int, a size or a count out of range {param, index, expected}
 *   REDO_EPOSITION  no number that a position can have    (the same)
 *   REDO_ENOSESSION no number that a handle can have      (the same)
 *   REDO_EUTF8      text that is not UTF-8                (the same)
 *   REDO_EOPTION    unknown, or given twice               {option}
 *                   a key that is no name                 {expected, given}
 * Of an option, `param` is its name and `index` that of the map; of a key, `param` is "options". */
int method_check(struct methods const *m, enum method_symbol symbol,
                 msgpack_object_array const *params, struct args *args, struct error *error);

/* Reads one value as a type, as method_check() does for each param: for the items of arrays.
 * REDO_OK, REDO_ETYPE, REDO_ERANGE, REDO_EPOSITION, REDO_ENOSESSION or REDO_EUTF8. */
int arg_read(enum param_type type, msgpack_object const *object, struct arg *arg);

/* The option of that name, which the method must have; and its value, or what stands for it. */
struct arg const *args_given(struct args const *args, char const *name);
static inline struct arg const *args_option(struct args const *args, char const *name)
{
    static struct arg const absent;

    return args->has_options ? args_given(args, name) : &absent; /* most calls: no search */
}
bool args_flag(struct args const *args, char const *name, bool otherwise);
int64_t args_integer(struct args const *args, char const *name, int64_t otherwise);

/* What an object is, in the words of msgpack: "int", "float", "str" ... */
char const *object_type_name(msgpack_object const *object);

#endif
