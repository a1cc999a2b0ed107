/* Bytes from outside: every number is held against what it may be, and there is one form of each
 * record. Nothing recurses, and no more memory is asked for than there are items. */
#include <stdlib.h>
#include <string.h>

#include "core/changes/value.h"
#include "core/records/number.h"
#include "core/records/record.h"
#include "core/varint.h"

#define FEW 16 /* that are held against each other without taking memory */

#define PROPERTY_MIN 5 /* bytes: a name of one and a value of one */
#define ITEM_MIN 4     /* its length, id, flags, and a move */

/* Where reading stands, and why it failed. */
struct checker {
    struct varint_reader r;
    int why;
};

static bool fail(struct checker *c, int why)
{
    if (!c->why)
        c->why = why;
    return false;
}

static uint32_t get(struct checker *c)
{
    if (c->r.at < c->r.end && *c->r.at < 0x80) /* most are */
        return *c->r.at++;
    return varint_get(&c->r);
}

/* So many bytes, which are passed; NULL if there are not so many. */
static void const *get_bytes(struct checker *c, size_t size)
{
    unsigned char const *at = c->r.at;
    if (c->r.bad || size > (size_t)(c->r.end - at)) {
        c->r.bad = 1;
        return NULL;
    }
    c->r.at += size;
    return at;
}

/* UTF-8, and a 0 after it. */
static char const *get_text(struct checker *c, size_t size)
{
    char const *text = get_bytes(c, size + 1);
    return text && !text[size] && value_is_text(text, size) ? text : NULL;
}

bool record_is_name(char const *name, size_t size)
{
    return size >= 1 && size <= REDO_NAME_MAX && !memchr(name, '\0', size) &&
           value_is_text(name, size);
}

static char const *get_name(struct checker *c, uint32_t *size)
{
    *size = get(c);
    char const *name = get_bytes(c, (size_t)*size + 1);
    return name && !name[*size] && record_is_name(name, *size) ? name : NULL;
}

/* How many, and how many bytes they take; what follows them is not looked at until they end. */
static bool get_list(struct checker *c, struct record_list *list, size_t least)
{
    list->count = get(c);
    size_t bytes = list->count ? get(c) : 0;
    list->at = get_bytes(c, bytes);
    if (!list->at || list->count > bytes / least)
        return fail(c, REDO_ECANDIDATE);
    list->end = list->at + bytes;
    return true;
}

/* ---- properties -------------------------------------------------------------------------- */

struct name {
    char const *bytes;
    size_t size;
};

static int compare_names(void const *a, void const *b)
{
    struct name const *x = a, *y = b;
    if (x->size != y->size)
        return (x->size > y->size) - (x->size < y->size);
    return memcmp(x->bytes, y->bytes, x->size);
}

static bool is_among(struct name const *names, uint32_t count, struct name const *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (compare_names(&names[i], name) == 0)
            return true;
    return false;
}

/* Names are told once. */
static bool check_properties(struct checker *c, struct record_list *list)
{
    struct name few[FEW], *names = few;
    if (!get_list(c, list, PROPERTY_MIN))
        return false;
    bool many = list->count > FEW, good = true;
    if (many && !(names = malloc(list->count * sizeof *names)))
        return fail(c, REDO_ENOMEM);
    struct checker in = {.r = {.at = list->at, .end = list->end}};
    for (uint32_t i = 0; good && i < list->count; i++) {
        uint32_t size;
        names[i].bytes = get_name(&in, &size);
        names[i].size = size;
        size_t value = get(&in);
        good = names[i].bytes && value && get_bytes(&in, value) &&
               (many || !is_among(names, i, &names[i]));
    }
    good = good && in.r.at == in.r.end && !in.r.bad;
    if (good && many)
        qsort(names, list->count, sizeof *names, compare_names);
    for (uint32_t i = 1; good && many && i < list->count; i++)
        good = compare_names(&names[i], &names[i - 1]) != 0;
    if (many)
        free(names);
    return good || fail(c, REDO_ECANDIDATE);
}

/* ---- items ------------------------------------------------------------------------------- */

static bool check_reals(struct checker *c, size_t count)
{
    unsigned char const *at = get_bytes(c, count * 8);
    for (size_t i = 0; at && i < count; i++)
        if (!number_is_finite(number_get_bits(at + 8 * i)))
            return false;
    return at != NULL;
}

/* A text, of 1 to REDO_TEXT_MAX bytes. */
static bool check_text(struct checker *c)
{
    size_t size = get(c);
    if (size > REDO_TEXT_MAX && !c->r.bad)
        return fail(c, REDO_EFULL);
    return size && get_text(c, size);
}

static bool check_analysis(struct checker *c)
{
    uint32_t size;
    unsigned flags = get(c);
    if (flags > ANALYSIS_ALL || !get_name(c, &size) ||
        ((flags & ANALYSIS_EQUITY) && !check_reals(c, 1)))
        return false;
    uint32_t numbers = get(c), deviations = get(c);
    if (!c->r.bad && (numbers > REDO_NUMBERS_MAX || deviations > REDO_NUMBERS_MAX))
        return fail(c, REDO_EFULL);
    if (deviations > numbers || !check_reals(c, numbers) || !check_reals(c, deviations))
        return false;
    if (flags & ANALYSIS_CONTEXT) {
        size_t bytes = get(c);
        void const *context = get_bytes(c, bytes);
        if (!context || !value_whole(context, bytes))
            return false;
    }
    return !(flags & ANALYSIS_TEXT) || check_text(c);
}

/* One item; ids are up to `given`, or 0 if none is. */
static bool check_item(struct checker *c, uint32_t given, bool loose, uint32_t *id, unsigned *has)
{
    size_t size = get(c);
    unsigned char const *start = get_bytes(c, size);
    if (!start)
        return false;
    struct checker in = {.r = {.at = start, .end = start + size}};
    *id = get(&in);
    unsigned flags = *has = get(&in);
    struct record_list properties;
    bool good = (given ? *id >= 1 && *id <= given : !*id) && flags <= ITEM_ALL &&
                (loose || (flags & (ITEM_MOVE | ITEM_TEXT))) &&
                !((flags & ITEM_ANALYSIS) && (flags & ITEM_SHARED));
    if (good && (flags & ITEM_MOVE))
        varint_get_signed(&in.r);
    if (good && (flags & ITEM_TEXT))
        good = check_text(&in);
    if (good && (flags & ITEM_PROPERTIES))
        good = check_properties(&in, &properties) && properties.count;
    if (good && (flags & ITEM_ANALYSIS))
        good = check_analysis(&in);
    if (good && !in.r.bad && in.r.at == in.r.end)
        return true;
    return fail(c, in.why ? in.why : REDO_ECANDIDATE);
}

static int compare_numbers(void const *a, void const *b)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    return (x > y) - (x < y);
}

bool record_differ(uint32_t *numbers, size_t count)
{
    size_t rising = 1;
    while (rising < count && numbers[rising - 1] < numbers[rising])
        rising++;
    if (rising >= count)
        return true;
    if (count <= FEW) {
        for (size_t i = 1; i < count; i++) {
            uint32_t one = numbers[i];
            size_t k = i;
            for (; k && numbers[k - 1] > one; k--)
                numbers[k] = numbers[k - 1];
            numbers[k] = one;
        }
    } else {
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    }
    for (size_t i = 1; i < count; i++)
        if (numbers[i] == numbers[i - 1])
            return false;
    return true;
}

static size_t take_moves(struct record_list list, uint32_t *moves)
{
    struct record_item item;
    size_t count = 0;
    while (record_next_item(&list, &item))
        if (item.flags & ITEM_MOVE)
            moves[count++] = (uint32_t)item.move;
    return count;
}

int record_check_moves(struct record_list list, struct record_list const *other)
{
    uint32_t few[FEW], *moves = few;
    size_t most = (size_t)list.count + (other ? other->count : 0);
    if (most > FEW && !(moves = malloc(most * sizeof *moves)))
        return REDO_ENOMEM;
    size_t count = take_moves(list, moves);
    if (other)
        count += take_moves(*other, moves + count);
    bool good = record_differ(moves, count);
    if (moves != few)
        free(moves);
    return good ? REDO_OK : REDO_ECANDIDATE;
}

/* The items of a list, with ids that differ; of decisions the first shares nothing, of candidates
 * none does. */
static bool check_list(struct checker *c, struct record_list *list, uint32_t given, bool decisions)
{
    uint32_t few[FEW], *ids = few;
    if (!get_list(c, list, ITEM_MIN))
        return false;
    if (list->count > REDO_CANDIDATES_MAX)
        return fail(c, REDO_EFULL);
    if (list->count > given || given > RECORD_IDS_MAX)
        return fail(c, REDO_ECANDIDATE);
    if (list->count > FEW && !(ids = malloc(list->count * sizeof *ids)))
        return fail(c, REDO_ENOMEM);
    struct checker in = {.r = {.at = list->at, .end = list->end}};
    bool good = true;
    for (uint32_t i = 0; good && i < list->count; i++) {
        unsigned flags = 0;
        good = check_item(&in, given, false, &ids[i], &flags) &&
               (!(flags & ITEM_SHARED) || (decisions && i));
    }
    good = good && in.r.at == in.r.end && record_differ(ids, list->count);
    if (ids != few)
        free(ids);
    int rc = good || in.why ? in.why : REDO_ECANDIDATE;
    if (!rc && !decisions && list->count)
        rc = record_check_moves(*list, NULL);
    return !rc || fail(c, rc);
}

int record_check_items(struct record_list *list, uint32_t count, void const *data, size_t size,
                       bool loose)
{
    struct checker c = {.r = {.at = data, .end = (unsigned char const *)data + size}};
    uint32_t id;
    unsigned flags;
    bool good = count <= size / (ITEM_MIN - loose);
    if (good && count > REDO_CANDIDATES_MAX)
        return REDO_EFULL;
    for (uint32_t i = 0; good && i < count; i++)
        good = check_item(&c, 0, loose, &id, &flags);
    if (c.why)
        return c.why;
    *list = (struct record_list){.count = count, .at = data, .end = c.r.end};
    return good && c.r.at == c.r.end ? REDO_OK : REDO_ECANDIDATE;
}

/* ---- a record ---------------------------------------------------------------------------- */

/* The item that was chosen is there; there is none if there is no legal move. */
static bool fits_choice(struct record const *r)
{
    struct record_item item;
    struct record_list const *candidates = &r->list[redo_of_candidate];
    if (r->choice == RECORD_OPEN)
        return true;
    if (r->choice == RECORD_NONE)
        return !candidates->count;
    return record_find_item(candidates, r->choice - 1, &item, NULL);
}

int record_check(struct record *r, void const *data, size_t size)
{
    struct checker c = {.r = {.at = data, .end = (unsigned char const *)data + size}};
    if (size > REDO_RECORD_MAX)
        return REDO_EFULL;
    if (!size)
        return REDO_ECANDIDATE;
    bool good = check_properties(&c, &r->list[redo_of_position]) &&
                check_properties(&c, &r->list[redo_of_branch]);
    r->choice = good ? get(&c) : 0;
    r->given[redo_of_candidate] = good ? get(&c) : 0;
    good = good && check_list(&c, &r->list[redo_of_candidate], r->given[redo_of_candidate], false);
    r->given[redo_of_decision] = good ? get(&c) : 0;
    r->decided = good ? get(&c) : 0;
    good = good && check_list(&c, &r->list[redo_of_decision], r->given[redo_of_decision], true);
    if (c.why)
        return c.why;
    return good && !c.r.bad && c.r.at == c.r.end && fits_choice(r) &&
                   r->decided <= r->list[redo_of_decision].count
               ? REDO_OK
               : REDO_ECANDIDATE;
}
