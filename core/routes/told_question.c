/* The second half of told.h: questions and sets, and what is answered. */
#include <stdio.h>
#include <string.h>

#include "core/redo_error.h"
#include "core/routes/told.h"

/* A list of maps, each read by `read` into an item of this size; nil: an empty one. An item of it
 * is named after what it is part of: "train 0: row 2". */
static int read_list(struct told *t, char const *what, struct value_reader list, size_t size,
                     int (*read)(struct told *t, struct value_reader map, uint32_t i, void *to),
                     void *items, uint32_t *count)
{
    uint32_t all;
    size_t whole = strlen(t->what), room = sizeof t->what - whole;
    char *part = t->what + whole;
    char const *between = whole ? ": " : "";
    if (!told_open(&list, VALUE_ARRAY, &all)) {
        snprintf(part, room, "%s%s", between, what);
        return told_wrong(t, REDO_ENETWORK, "has to be a list");
    }
    char *to = told_block(t, all, size);
    if (!to)
        return REDO_ENOMEM;
    memcpy(items, &to, sizeof to);
    for (*count = 0; *count < all; to += size) {
        uint32_t ignored;
        struct value_reader one = list;
        snprintf(part, room, "%s%s %u", between, what, *count);
        if (!told_open(&one, VALUE_MAP, &ignored))
            return told_wrong(t, REDO_ENETWORK, "has to be a map");
        int rc = read(t, list, *count, to);
        if (rc)
            return rc;
        ++*count;
        value_skip(&list);
    }
    *part = '\0';
    return REDO_OK;
}

/* ---- trains ------------------------------------------------------------------------------ */

static int read_kinds(struct told *t, struct value_reader list, uint32_t *kinds)
{
    uint32_t count;
    if (!told_open(&list, VALUE_ARRAY, &count))
        return told_wrong(t, REDO_ENETWORK, "kinds has to be a list");
    for (uint32_t i = 0; i < count; i++) {
        int kind = -1;
        int rc = told_word(t, "kinds", list, told_kinds, &kind);
        if (rc || kind < 0)
            return rc ? rc : told_wrong(t, REDO_ENETWORK, "kinds has to be a list of words");
        *kinds |= ROUTES_KIND_BIT((uint32_t)kind);
        value_skip(&list);
    }
    return REDO_OK;
}

static int read_row(struct told *t, struct value_reader map, uint32_t i, void *to)
{
    struct routes_row *row = to;
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    (void)i;
    row->pay = row->visit = UINT32_MAX;
    told_open(&map, VALUE_MAP, &count);
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        if (told_is(name, size, "kinds"))
            rc = read_kinds(t, value, &row->kinds);
        else if (told_is(name, size, "pay"))
            rc = told_u32(t, "pay", value, ROUTES_LENGTH, &row->pay);
        else if (told_is(name, size, "visit"))
            rc = told_u32(t, "visit", value, ROUTES_LENGTH, &row->visit);
    }
    if (!rc && (row->pay == UINT32_MAX || row->visit == UINT32_MAX))
        rc = told_wrong(t, REDO_ENETWORK, "it has no pay or no visit");
    return rc;
}

static int read_distance(struct told *t, struct value_reader map, struct routes_train *train)
{
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    bool told = false;
    if (!told_open(&map, VALUE_MAP, &count))
        return told_wrong(t, REDO_ENETWORK, "distance has to be a map");
    for (; count && !rc && !told; count--) {
        told_pair(&map, &name, &size, &value);
        told = true;
        if (told_is(name, size, "stops")) {
            rc = told_u32(t, "stops", value, ROUTES_LENGTH, &train->length);
        } else if (told_is(name, size, "hexes")) {
            train->distance = ROUTES_BY_HEXES;
            rc = told_u32(t, "hexes", value, ROUTES_LENGTH, &train->length);
        } else if (told_is(name, size, "rows")) {
            train->distance = ROUTES_BY_ROWS;
            rc = read_list(t, "row", value, sizeof *train->rows, read_row, &train->rows,
                           &train->row_count);
        } else {
            told = false;
        }
    }
    return rc || told ? rc
                      : told_wrong(t, REDO_ENETWORK, "distance has to have stops, hexes or rows");
}

static int read_tracks(struct told *t, struct value_reader list, uint32_t *tracks)
{
    uint32_t count;
    bool nil = value_next(&(struct value_reader){list.at, list.end}).type == VALUE_NIL;
    if (!told_open(&list, VALUE_ARRAY, &count))
        return told_wrong(t, REDO_ENETWORK, "tracks has to be a list");
    if (!count && !nil)
        *tracks = ROUTES_NO_TRACK;
    for (uint32_t i = 0; i < count; i++) {
        int track = -1;
        int rc = told_word(t, "tracks", list, told_tracks, &track);
        if (rc || track < 0)
            return rc ? rc : told_wrong(t, REDO_ENETWORK, "tracks has to be a list of words");
        *tracks |= 1u << track;
        value_skip(&list);
    }
    return REDO_OK;
}

static int read_track_cost(struct told *t, struct value_reader map, uint32_t cost[3])
{
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    if (!told_open(&map, VALUE_MAP, &count))
        return told_wrong(t, REDO_ENETWORK, "track_cost has to be a map");
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        for (int i = 0; told_tracks[i] && !rc; i++)
            if (told_is(name, size, told_tracks[i]))
                rc = told_u32(t, "track_cost", value, ROUTES_TRACK_COST, &cost[i]);
    }
    return rc;
}

static int read_train(struct told *t, struct value_reader map, uint32_t i, void *to)
{
    static char const *const tokens[] = {"ends", NULL};
    struct routes_train *train = to;
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK, token = -1;
    bool told = false;
    (void)i;
    *train = (struct routes_train){.track_cost = {1, 1, 1}};
    told_open(&map, VALUE_MAP, &count);
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        if (told_is(name, size, "name")) {
            rc = told_text(t, "name", value, &train->name);
        } else if (told_is(name, size, "distance")) {
            told = true;
            rc = read_distance(t, value, train);
        } else if (told_is(name, size, "tracks")) {
            rc = read_tracks(t, value, &train->tracks);
        } else if (told_is(name, size, "track_cost")) {
            rc = read_track_cost(t, value, train->track_cost);
        } else if (told_is(name, size, "needs_counted_token")) {
            rc = told_bool(t, "needs_counted_token", value, &train->needs_counted_token);
        } else if (told_is(name, size, "local")) {
            rc = told_bool(t, "local", value, &train->local);
        } else if (told_is(name, size, "token")) {
            rc = told_word(t, "token", value, tokens, &token);
        } else if (told_is(name, size, "group")) {
            rc = told_text(t, "group", value, &train->group);
        }
    }
    train->token_ends = token == 0;
    if (!rc && !train->name)
        rc = told_wrong(t, REDO_ENETWORK, "it has no name");
    return rc || told ? rc : told_wrong(t, REDO_ENETWORK, "it has no distance");
}

/* ---- bonuses and rules ------------------------------------------------------------------- */

static int read_need(struct told *t, struct value_reader list, struct routes_bonus *bonus)
{
    uint32_t count;
    if (!told_open(&list, VALUE_ARRAY, &count))
        return told_wrong(t, REDO_ENETWORK, "need has to be a list of lists");
    struct routes_list *to = told_block(t, count, sizeof *to);
    if (!to)
        return REDO_ENOMEM;
    bonus->need = to;
    for (bonus->need_count = 0; bonus->need_count < count; bonus->need_count++) {
        int rc = told_ids(t, "need", list, to++);
        if (rc)
            return rc;
        value_skip(&list);
    }
    return REDO_OK;
}

static int read_bonus(struct told *t, struct value_reader map, uint32_t i, void *to)
{
    struct routes_bonus *bonus = to;
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    (void)i;
    told_open(&map, VALUE_MAP, &count);
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        bool nil = value_next(&(struct value_reader){value.at, value.end}).type == VALUE_NIL;
        if (told_is(name, size, "value")) {
            rc = told_i32(t, "value", value, 0, ROUTES_VALUE, &bonus->value);
        } else if (told_is(name, size, "per_stop")) {
            rc = told_i32(t, "per_stop", value, 0, ROUTES_VALUE, &bonus->per_stop);
        } else if (told_is(name, size, "need")) {
            rc = read_need(t, value, bonus);
        } else if (told_is(name, size, "any_edges") && !nil) {
            bonus->has_edges = true;
            rc = told_ids(t, "any_edges", value, &bonus->any_edges);
        } else if (told_is(name, size, "trains") && !nil) {
            bonus->has_trains = true;
            rc = told_texts(t, "trains", value, false, &bonus->trains, &bonus->train_count);
        } else if (told_is(name, size, "once")) {
            rc = told_bool(t, "once", value, &bonus->once);
        }
    }
    return rc;
}

static int read_min_stops(struct told *t, struct value_reader map, uint32_t i, void *to)
{
    struct routes_min_stops *min = to;
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    (void)i;
    min->min = UINT32_MAX;
    told_open(&map, VALUE_MAP, &count);
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        if (told_is(name, size, "nodes"))
            rc = told_ids(t, "nodes", value, &min->nodes);
        else if (told_is(name, size, "min"))
            rc = told_u32(t, "min", value, UINT32_MAX - 1, &min->min);
    }
    if (!rc && (!min->nodes.ids || min->min == UINT32_MAX))
        rc = told_wrong(t, REDO_ENETWORK, "it has no nodes or no min");
    return rc;
}

static int read_set_rule(struct told *t, struct value_reader map, uint32_t i, void *to)
{
    static char const *const words[] = {"visit", "meet", "bypass_routes", NULL};
    struct routes_set_rule *rule = to;
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK, word = -1;
    (void)i;
    rule->max = UINT32_MAX;
    told_open(&map, VALUE_MAP, &count);
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        if (told_is(name, size, "rule"))
            rc = told_word(t, "rule", value, words, &word);
        else if (told_is(name, size, "nodes"))
            rc = told_ids(t, "nodes", value, &rule->nodes);
        else if (told_is(name, size, "max"))
            rc = told_u32(t, "max", value, UINT32_MAX - 1, &rule->max);
    }
    rule->kind = (enum routes_set_kind)word;
    if (!rc && word < 0)
        rc = told_wrong(t, REDO_ENETWORK, "rule has to be visit, meet or bypass_routes");
    else if (!rc && rule->kind == ROUTES_SET_VISIT && !rule->nodes.ids)
        rc = told_wrong(t, REDO_ENETWORK, "it has no nodes");
    else if (!rc && rule->kind == ROUTES_SET_BYPASS && rule->max == UINT32_MAX)
        rc = told_wrong(t, REDO_ENETWORK, "it has no max");
    return rc;
}

static int read_rules(struct told *t, struct value_reader map, struct routes_rules *rules)
{
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    *rules = (struct routes_rules){.min_stops = 2};
    snprintf(t->what, sizeof t->what, "rules");
    if (!told_open(&map, VALUE_MAP, &count))
        return told_wrong(t, REDO_ENETWORK, "has to be a map");
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        bool list = told_is(name, size, "min_stops_if") || told_is(name, size, "set");
        snprintf(t->what, sizeof t->what, "%s", list ? "" : "rules");
        if (told_is(name, size, "min_stops"))
            rc = told_u32(t, "min_stops", value, UINT32_MAX, &rules->min_stops);
        else if (told_is(name, size, "bypass_blocked"))
            rc = told_u32(t, "bypass_blocked", value, UINT32_MAX, &rules->bypass_blocked);
        else if (told_is(name, size, "min_stops_if"))
            rc = read_list(t, "min_stops_if", value, sizeof *rules->min_stops_if, read_min_stops,
                           &rules->min_stops_if, &rules->min_stops_if_count);
        else if (told_is(name, size, "set"))
            rc = read_list(t, "set rule", value, sizeof *rules->set, read_set_rule, &rules->set,
                           &rules->set_count);
    }
    return rc;
}

int told_question(struct told *t, struct value_reader company, struct value_reader trains,
                  struct value_reader rules, struct value_reader bonuses, struct routes_question *q)
{
    *q = (struct routes_question){0};
    *t->what = '\0';
    int rc = told_text(t, "company", company, &q->company);
    if (!rc && !q->company)
        rc = told_wrong(t, REDO_ENETWORK, "company has to be a name");
    if (!rc)
        rc = read_list(t, "train", trains, sizeof *q->trains, read_train, &q->trains,
                       &q->train_count);
    if (!rc)
        rc = read_list(t, "bonus", bonuses, sizeof *q->bonuses, read_bonus, &q->bonuses,
                       &q->bonus_count);
    if (!rc)
        rc = read_rules(t, rules, &q->rules);
    *t->what = '\0';
    return rc;
}

/* ---- sets -------------------------------------------------------------------------------- */

static int read_route(struct told *t, struct value_reader map, uint32_t i, void *to)
{
    struct routes_route *route = to;
    struct routes_list stops = {0}, edges = {0};
    struct value_reader value;
    uint32_t count;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    (void)i;
    route->train = UINT32_MAX;
    told_open(&map, VALUE_MAP, &count);
    for (; count && !rc; count--) {
        told_pair(&map, &name, &size, &value);
        if (told_is(name, size, "train"))
            rc = told_u32(t, "train", value, UINT32_MAX - 1, &route->train);
        else if (told_is(name, size, "stops"))
            rc = told_ids(t, "stops", value, &stops);
        else if (told_is(name, size, "edges"))
            rc = told_ids(t, "edges", value, &edges);
    }
    route->stops = stops.ids;
    route->stop_count = stops.count;
    route->edges = edges.ids;
    route->edge_count = edges.count;
    return rc || route->train != UINT32_MAX ? rc : told_wrong(t, REDO_ENETWORK, "it has no train");
}

int told_set(struct told *t, struct value_reader set, struct routes_route **routes, uint32_t *count)
{
    return read_list(t, "route", set, sizeof **routes, read_route, routes, count);
}

/* ---- answers ----------------------------------------------------------------------------- */

static void put_key(struct value_writer *w, char const *key)
{
    value_put_string(w, key, strlen(key));
}

static void put_ids(struct value_writer *w, char const *key, uint32_t const *ids, uint32_t count)
{
    put_key(w, key);
    value_put_array(w, count);
    for (uint32_t i = 0; i < count; i++)
        value_put_int(w, ids[i]);
}

/* The routes of an answer, in that form with `value`. */
static void put_set(struct value_writer *w, struct routes_route const *routes, uint32_t count)
{
    value_put_array(w, count);
    for (uint32_t i = 0; i < count; i++) {
        value_put_map(w, 4);
        put_key(w, "train");
        value_put_int(w, routes[i].train);
        put_key(w, "value");
        value_put_int(w, routes[i].value);
        put_ids(w, "stops", routes[i].stops, routes[i].stop_count);
        put_ids(w, "edges", routes[i].edges, routes[i].edge_count);
    }
}

static void put_int(struct value_writer *w, char const *key, int64_t i)
{
    put_key(w, key);
    value_put_int(w, i);
}

void told_put_answer(struct value_writer *w, struct routes_answer const *a)
{
    put_int(w, "total", a->total);
    put_int(w, "bound", a->bound);
    put_key(w, "proven");
    value_put_bool(w, a->proven);
    put_key(w, "stable");
    value_put_bool(w, a->stable);
    put_int(w, "nodes", a->nodes > INT64_MAX ? INT64_MAX : (int64_t)a->nodes);
    put_key(w, "set");
    put_set(w, a->routes, a->count);
}

/* The word by which rules are known: "walk", "offboard" ...; of a legal set NULL. */
static char const *rule_word(enum routes_rule rule)
{
    static char const *const words[ROUTES_RULES] = {[ROUTES_BAD_TRAIN] = "train",
                                                    [ROUTES_BAD_ID] = "id",
                                                    [ROUTES_BAD_WALK] = "walk",
                                                    [ROUTES_BAD_REPEAT] = "repeat",
                                                    [ROUTES_BAD_SIDE] = "side",
                                                    [ROUTES_BAD_JUNCTION] = "junction",
                                                    [ROUTES_BAD_OFFBOARD] = "offboard",
                                                    [ROUTES_BAD_BLOCKED] = "blocked",
                                                    [ROUTES_BAD_TERMINAL] = "terminal",
                                                    [ROUTES_BAD_TRACK] = "track",
                                                    [ROUTES_BAD_STOPS] = "stops",
                                                    [ROUTES_BAD_TOKEN] = "token",
                                                    [ROUTES_BAD_LENGTH] = "length",
                                                    [ROUTES_BAD_MUTEX] = "mutex",
                                                    [ROUTES_BAD_STOPS_IF] = "stops_if",
                                                    [ROUTES_BAD_ENDS] = "ends",
                                                    [ROUTES_BAD_COUNTED] = "counted",
                                                    [ROUTES_BAD_SET_EDGE] = "set_edge",
                                                    [ROUTES_BAD_SET_NODE] = "set_node",
                                                    [ROUTES_BAD_SET_MUTEX] = "set_mutex",
                                                    [ROUTES_BAD_SET_VISIT] = "set_visit",
                                                    [ROUTES_BAD_SET_MEET] = "set_meet",
                                                    [ROUTES_BAD_SET_BYPASS] = "set_bypass"};
    return rule > ROUTES_LEGAL && rule < ROUTES_RULES ? words[rule] : NULL;
}

uint32_t told_put_verdict(struct value_writer *w, struct routes_verdict const *v, uint32_t count)
{
    bool legal = v->rule == ROUTES_LEGAL;
    put_key(w, "legal");
    value_put_bool(w, legal);
    if (legal) {
        put_int(w, "total", v->total);
        put_key(w, "values");
        value_put_array(w, count);
        for (uint32_t i = 0; i < count; i++)
            value_put_int(w, v->values[i]);
        return 3;
    }
    put_key(w, "rule");
    put_key(w, rule_word(v->rule));
    put_key(w, "text");
    put_key(w, routes_rule_text(v->rule));
    put_int(w, "route", v->route);
    put_int(w, "other", v->other);
    put_int(w, "id", v->id);
    return 6;
}
