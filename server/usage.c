/* Two sorted arrays. Sessions are entered in the order of their handles, which only ever grow, so
 * that entering one mostly appends; one that is gone leaves an empty place, until half of them are.
 */
#include "server/usage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/redo_error.h"
#include "server/store/store.h"

void usage_init(struct usage *u, struct usage_amount limit)
{
    *u = (struct usage){.limit = limit, .active = limit.sessions || limit.positions || limit.bytes};
}

void usage_close(struct usage *u)
{
    free(u->users);
    free(u->sessions);
    *u = (struct usage){0};
}

bool usage_exempt(uint32_t uid)
{
    return uid == 0 || uid == geteuid();
}

/* ---- finding ----------------------------------------------------------------------------- */

static size_t user_place(struct usage const *u, uint32_t uid)
{
    size_t low = 0, high = u->user_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->users[middle].uid < uid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct usage_user *find_user(struct usage const *u, uint32_t uid)
{
    size_t place = user_place(u, uid);
    return place < u->user_count && u->users[place].uid == uid ? &u->users[place] : NULL;
}

static size_t session_place(struct usage const *u, uint64_t id)
{
    size_t low = 0, high = u->session_count;
    if (high && u->sessions[high - 1].id < id)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->sessions[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The place of a session, which may be empty by now; or NULL. */
static struct usage_session *find_place(struct usage const *u, uint64_t id)
{
    size_t place = session_place(u, id);
    return place < u->session_count && u->sessions[place].id == id ? &u->sessions[place] : NULL;
}

static struct usage_session *find_session(struct usage const *u, uint64_t id)
{
    struct usage_session *s = find_place(u, id);
    return s && !s->gone ? s : NULL;
}

/* ---- room -------------------------------------------------------------------------------- */

static int reserve_user(struct usage *u, uint32_t uid)
{
    if (find_user(u, uid))
        return REDO_OK;
    if (u->user_count == u->user_cap) {
        size_t cap = u->user_cap ? 2 * u->user_cap : 16;
        struct usage_user *grown = realloc(u->users, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        u->users = grown;
        u->user_cap = cap;
    }
    size_t place = user_place(u, uid);
    memmove(u->users + place + 1, u->users + place, (u->user_count - place) * sizeof *u->users);
    u->users[place] = (struct usage_user){.uid = uid};
    u->user_count++;
    return REDO_OK;
}

static int reserve_session(struct usage *u)
{
    if (u->session_count < u->session_cap)
        return REDO_OK;
    size_t cap = u->session_cap ? 2 * u->session_cap : 64;
    struct usage_session *grown = realloc(u->sessions, cap * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    u->sessions = grown;
    u->session_cap = cap;
    return REDO_OK;
}

int usage_reserve(struct usage *u, uint32_t uid)
{
    if (!u->active)
        return REDO_OK;
    int rc = reserve_user(u, uid);
    return rc ? rc : reserve_session(u);
}

/* Closes up the empty places, once they are half of all. */
static void tidy(struct usage *u)
{
    size_t kept = 0;
    if (u->gone_count < 64 || u->gone_count < u->session_count / 2)
        return;
    for (size_t i = 0; i < u->session_count; i++)
        if (!u->sessions[i].gone)
            u->sessions[kept++] = u->sessions[i];
    u->session_count = kept;
    u->gone_count = 0;
}

/* ---- accounts ---------------------------------------------------------------------------- */

/* Charges its owner for a session, or takes that back. */
static void charge(struct usage *u, struct usage_session const *s, bool back)
{
    struct usage_amount *takes = &find_user(u, s->uid)->takes;
    uint64_t sign = back ? UINT64_MAX : 1; /* times -1, if it is taken back */
    takes->bytes += sign * s->bytes;
    if (s->trashed)
        return;
    takes->sessions += sign;
    takes->positions += sign * s->positions;
}

static struct usage_session *insert(struct usage *u, uint64_t id)
{
    size_t place = session_place(u, id);
    memmove(u->sessions + place + 1, u->sessions + place,
            (u->session_count - place) * sizeof *u->sessions);
    u->session_count++;
    u->sessions[place] = (struct usage_session){.id = id, .gone = true};
    u->gone_count++;
    return &u->sessions[place];
}

void usage_enter(struct usage *u, uint64_t id, uint32_t uid, uint32_t positions, uint64_t bytes,
                 uint64_t since)
{
    if (!u->active)
        return;
    struct usage_session *s = find_place(u, id);
    if (!s)
        s = insert(u, id);
    if (s->gone) {
        *s = (struct usage_session){.id = id, .since = since};
        u->gone_count--;
    } else {
        charge(u, s, true);
        if (s->trashed)
            s->since = since;
        s->was_trashed = s->trashed;
    }
    s->uid = uid;
    s->positions = positions;
    s->bytes = bytes;
    s->trashed = false;
    charge(u, s, false);
}

void usage_set(struct usage *u, uint64_t id, uint32_t positions, uint64_t bytes)
{
    struct usage_session *s = u->active ? find_session(u, id) : NULL;
    if (!s)
        return;
    charge(u, s, true);
    s->positions = positions;
    s->bytes = bytes;
    charge(u, s, false);
}

void usage_trash(struct usage *u, uint64_t id)
{
    struct usage_session *s = u->active ? find_session(u, id) : NULL;
    if (!s)
        return;
    charge(u, s, true);
    s->trashed = true;
    charge(u, s, false);
}

static void leave(struct usage *u, struct usage_session *s)
{
    charge(u, s, true);
    s->gone = true;
    u->gone_count++;
}

void usage_leave(struct usage *u, uint64_t id)
{
    struct usage_session *s = u->active ? find_session(u, id) : NULL;
    if (!s)
        return;
    leave(u, s);
    tidy(u);
}

void usage_failed(struct usage *u, uint64_t committed)
{
    for (size_t i = 0; i < u->session_count; i++) {
        struct usage_session *s = &u->sessions[i];
        if (s->gone || s->since <= committed)
            continue;
        if (s->was_trashed)
            usage_trash(u, s->id);
        else
            leave(u, s);
    }
    tidy(u);
}

/* ---- counting ---------------------------------------------------------------------------- */

struct counting {
    struct usage *usage;
    int result;
};

static bool count_one(void *data, struct store_info const *info)
{
    struct counting *c = data;
    struct usage *u = c->usage;
    c->result = usage_reserve(u, info->owner);
    if (c->result)
        return false;
    u->sessions[u->session_count++] = (struct usage_session){.id = info->id,
                                                             .uid = info->owner,
                                                             .positions = info->positions,
                                                             .bytes = info->bytes,
                                                             .trashed = info->trashed != 0};
    charge(u, &u->sessions[u->session_count - 1], false);
    return true;
}

static int by_id(void const *a, void const *b)
{
    struct usage_session const *s = a, *t = b;
    return (s->id > t->id) - (s->id < t->id);
}

int usage_count(struct usage *u, struct store_reader *reader)
{
    struct counting c = {.usage = u};
    for (int trash = 0; u->active && trash <= 1; trash++) {
        int rc = store_list(reader, "", 0, "", 0, 0, SIZE_MAX, trash, count_one, &c);
        if (rc || c.result)
            return rc ? rc : c.result;
    }
    if (u->session_count)
        qsort(u->sessions, u->session_count, sizeof *u->sessions, by_id);
    return REDO_OK;
}

/* ---- limits ------------------------------------------------------------------------------ */

static bool breaks(uint64_t limit, uint64_t takes, uint64_t more)
{
    return limit && more && (takes >= limit || more > limit - takes);
}

char const *usage_broken(struct usage const *u, uint32_t uid, struct usage_amount more,
                         uint64_t *value, uint64_t *takes)
{
    if (!u->active || usage_exempt(uid))
        return NULL;
    struct usage_user const *user = find_user(u, uid);
    struct usage_amount has = user ? user->takes : (struct usage_amount){0};
    struct {
        char const *name;
        uint64_t limit, takes, more;
    } const limits[] = {{"user_sessions", u->limit.sessions, has.sessions, more.sessions},
                        {"user_positions", u->limit.positions, has.positions, more.positions},
                        {"user_bytes", u->limit.bytes, has.bytes, more.bytes}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (!breaks(limits[i].limit, limits[i].takes, limits[i].more))
            continue;
        *value = limits[i].limit;
        *takes = limits[i].takes;
        return limits[i].name;
    }
    return NULL;
}
