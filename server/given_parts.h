/* The parts of what clients give of a record, and telling what is wrong with them: given.c puts
 * items and records together of these. What is written is appended; the caller looks whether the
 * buffer has failed. */
#ifndef SERVER_GIVEN_PARTS_H
#define SERVER_GIVEN_PARTS_H

#include "core/redo_record.h"
#include "server/call.h"

/* Where reading stands. */
struct given_place {
    struct call *call;
    char const *list; /* "candidates", "decisions"; NULL: in no list */
    int64_t index;    /* of the item; below 0: it is the only one */
    char const *in;   /* what stands before the names of fields: "", "analysis." */
};

char const *given_list_name(enum redo_of of);

/* What is wrong, with the field: "candidates, item 3: analysis.kind ...". Returns the code. */
int given_fail(struct given_place const *at, int code, char const *field, char const *what);
int given_fail_type(struct given_place const *at, char const *field, char const *expected,
                    msgpack_object const *given);
int given_fail_key(struct given_place const *at, char const *field, msgpack_object const *key);

bool given_nil(msgpack_object const *o);
bool given_key(msgpack_object const *key, char const *name);

/* Text; nil and empty: none. */
int given_text(struct given_place const *at, char const *field, msgpack_object const *o,
               char const **text, size_t *size);

/* A map of fields; none is given twice. */
int given_check_map(struct given_place const *at, char const *field, msgpack_object const *o);

/* Numbers, texts (with a 0 after them), bytes; how many items, and their bytes if there are any. */
void given_put_number(struct buffer *b, uint32_t v);
void given_put_signed(struct buffer *b, int32_t v);
void given_put_text(struct buffer *b, char const *text, size_t size);
void given_put_sized(struct buffer *b, void const *data, size_t size);
void given_put_list(struct buffer *b, uint32_t count, struct buffer const *items);

/* A list of properties, those that are nil left out: *count of them; of none nothing is written. */
int given_properties(struct given_place const *at, char const *field, msgpack_object const *o,
                     struct buffer *out, uint32_t *count);

/* An analysis. */
int given_analysis(struct given_place const *at, msgpack_object const *o, struct buffer *out);

#endif
