#include "tests/routes/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *block(struct reader *r, size_t count, size_t size)
{
    void **b = calloc(1, 2 * sizeof(void *) + (count + 1) * size);
    if (!b)
        abort();
    *b = r->blocks;
    r->blocks = b;
    return b + 2;
}

void reader_close(struct reader *r)
{
    while (r->blocks) {
        void *next = *(void **)r->blocks;
        free(r->blocks);
        r->blocks = next;
    }
}

static bool wrong(struct reader *r, char const *what, json_t *where)
{
    char *text = json_dumps(where, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(r->error, sizeof r->error, "%s: %.120s", what, text ? text : "");
    free(text);
    return false;
}

static bool read_u32(struct reader *r, json_t *object, char const *key, uint32_t *to)
{
    json_t *v = json_object_get(object, key);
    if (!v || json_is_null(v))
        return true;
    if (!json_is_integer(v) || json_integer_value(v) < 0 ||
        json_integer_value(v) > (json_int_t)UINT32_MAX)
        return wrong(r, key, object);
    *to = (uint32_t)json_integer_value(v);
    return true;
}

static bool read_i32(struct reader *r, json_t *object, char const *key, int32_t *to)
{
    json_t *v = json_object_get(object, key);
    if (!v || json_is_null(v))
        return true;
    if (!json_is_integer(v) || json_integer_value(v) < INT32_MIN ||
        json_integer_value(v) > INT32_MAX)
        return wrong(r, key, object);
    *to = (int32_t)json_integer_value(v);
    return true;
}

static bool read_string(struct reader *r, json_t *object, char const *key, char const **to)
{
    json_t *v = json_object_get(object, key);
    if (!v || json_is_null(v))
        return true;
    if (!json_is_string(v))
        return wrong(r, key, object);
    *to = json_string_value(v);
    return true;
}

static bool read_word(struct reader *r, json_t *object, char const *key, char const *const *words,
                      int *to)
{
    char const *s = NULL;
    if (!read_string(r, object, key, &s))
        return false;
    for (int i = 0; s && words[i]; i++)
        if (strcmp(words[i], s) == 0) {
            *to = i;
            return true;
        }
    return s ? wrong(r, key, object) : true;
}

static bool read_ids(struct reader *r, json_t *list, struct routes_list *to)
{
    size_t i;
    json_t *v;
    *to = (struct routes_list){0};
    if (!list || json_is_null(list))
        return true;
    if (!json_is_array(list))
        return wrong(r, "a list of ids", list);
    uint32_t *ids = block(r, json_array_size(list), sizeof *ids);
    json_array_foreach(list, i, v)
    {
        if (!json_is_integer(v) || json_integer_value(v) < 0)
            return wrong(r, "an id", list);
        ids[to->count++] = (uint32_t)json_integer_value(v);
    }
    to->ids = ids;
    return true;
}

static bool read_strings(struct reader *r, json_t *list, bool nulls, char const *const **to,
                         uint32_t *count)
{
    size_t i;
    json_t *v;
    *to = NULL;
    *count = 0;
    if (!list || json_is_null(list))
        return true;
    if (!json_is_array(list))
        return wrong(r, "a list of names", list);
    char const **names = block(r, json_array_size(list), sizeof *names);
    json_array_foreach(list, i, v)
    {
        if (!json_is_string(v) && !(nulls && json_is_null(v)))
            return wrong(r, "a name", list);
        names[(*count)++] = json_string_value(v);
    }
    *to = names;
    return true;
}

/* --- the network --- */

static char const *const kinds[] = {"city", "town", "halt", "offboard", "side", "junction", NULL};
static char const *const limits[] = {"", "route", "set", NULL};
static char const *const tracks[] = {"broad", "narrow", "dual", NULL};
static char const *const scopes[] = {"route", "set", NULL};

static uint32_t fields_of(json_t *object)
{
    static struct {
        char const *key;
        uint32_t field;
    } const fields[] = {
        {"name", ROUTES_F_NAME},     {"kind", ROUTES_F_KIND},
        {"hex", ROUTES_F_HEX},       {"hexes", ROUTES_F_HEXES},
        {"value", ROUTES_F_VALUE},   {"values", ROUTES_F_VALUES},
        {"cost", ROUTES_F_COST},     {"slots", ROUTES_F_SLOTS},
        {"tokens", ROUTES_F_TOKENS}, {"limit", ROUTES_F_LIMIT},
        {"a", ROUTES_F_ENDS},        {"b", ROUTES_F_ENDS},
        {"track", ROUTES_F_TRACK},   {"terminal", ROUTES_F_TERMINAL},
        {"scope", ROUTES_F_SCOPE},   {"nodes", ROUTES_F_NODES},
        {"edges", ROUTES_F_EDGES},   {"why", ROUTES_F_WHY},
    };
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (json_object_get(object, fields[i].key))
            found |= fields[i].field;
    return found;
}

static bool read_values(struct reader *r, json_t *values, struct routes_node *node)
{
    char const *key;
    json_t *v;
    if (!values || json_is_null(values))
        return true;
    struct routes_train_value *to = block(r, json_object_size(values), sizeof *to);
    json_object_foreach(values, key, v)
    {
        if (!json_is_integer(v))
            return wrong(r, "values", values);
        to[node->value_count++] = (struct routes_train_value){key, (int32_t)json_integer_value(v)};
    }
    node->values = to;
    return true;
}

static bool read_node(struct reader *r, json_t *o, struct routes_node *node)
{
    int kind = 0, limit = 0;
    *node = (struct routes_node){.cost = 1, .slots = ROUTES_NO_SLOTS};
    bool good =
        read_u32(r, o, "id", &node->id) && read_word(r, o, "kind", kinds, &kind) &&
        read_word(r, o, "limit", limits, &limit) && read_string(r, o, "name", &node->name) &&
        read_string(r, o, "hex", &node->hex) &&
        read_strings(r, json_object_get(o, "hexes"), false, &node->hexes, &node->hex_count) &&
        read_i32(r, o, "value", &node->value) && read_i32(r, o, "cost", &node->cost) &&
        read_u32(r, o, "slots", &node->slots) &&
        read_strings(r, json_object_get(o, "tokens"), true, &node->tokens, &node->token_count) &&
        read_values(r, json_object_get(o, "values"), node);
    node->kind = (enum routes_kind)kind;
    node->limit = (enum routes_limit)limit;
    return good;
}

static bool read_edge(struct reader *r, json_t *o, struct routes_edge *edge)
{
    int track = 0, limit = 0;
    *edge = (struct routes_edge){0};
    bool good = read_u32(r, o, "id", &edge->id) && read_u32(r, o, "a", &edge->a) &&
                read_u32(r, o, "b", &edge->b) && read_string(r, o, "hex", &edge->hex) &&
                read_word(r, o, "track", tracks, &track) &&
                read_word(r, o, "limit", limits, &limit);
    edge->terminal = json_is_true(json_object_get(o, "terminal"));
    edge->track = (enum routes_track)track;
    edge->limit = (enum routes_limit)limit;
    return good;
}

static bool read_mutex(struct reader *r, json_t *o, struct routes_mutex *mutex)
{
    int scope = 0;
    *mutex = (struct routes_mutex){0};
    bool good = read_u32(r, o, "id", &mutex->id) && read_word(r, o, "scope", scopes, &scope) &&
                read_string(r, o, "why", &mutex->why) &&
                read_ids(r, json_object_get(o, "nodes"), &mutex->nodes) &&
                read_ids(r, json_object_get(o, "edges"), &mutex->edges);
    mutex->scope = (enum routes_scope)scope;
    return good;
}

static bool read_thing(struct reader *r, json_t *o, struct routes_op *op)
{
    op->fields = fields_of(o);
    switch (op->kind % 3) {
    case 0:
        return read_node(r, o, &op->node);
    case 1:
        return read_edge(r, o, &op->edge);
    default:
        return read_mutex(r, o, &op->mutex);
    }
}

bool read_ops(struct reader *r, json_t *list, struct ops *ops)
{
    static char const *const names[] = {
        "add_node",     "add_edge", "add_mutex", "remove_node", "remove_edge",
        "remove_mutex", "set_node", "set_edge",  "set_mutex",   NULL};
    size_t i;
    json_t *o;
    *ops = (struct ops){.ops = block(r, json_array_size(list), sizeof *ops->ops)};
    json_array_foreach(list, i, o)
    {
        int kind = -1;
        if (!read_word(r, o, "op", names, &kind) || kind < 0)
            return wrong(r, "op", o);
        ops->ops[i].kind = (enum routes_op_kind)kind;
        if (!read_thing(r, o, &ops->ops[i]))
            return false;
        ops->count++;
    }
    return true;
}

bool read_network(struct reader *r, json_t *root, struct ops *ops)
{
    static char const *const tables[] = {"nodes", "edges", "mutex"};
    size_t count = 0, i;
    json_t *o;
    for (int t = 0; t < 3; t++)
        count += json_array_size(json_object_get(root, tables[t]));
    *ops = (struct ops){.ops = block(r, count, sizeof *ops->ops)};
    for (int t = 0; t < 3; t++) {
        json_array_foreach(json_object_get(root, tables[t]), i, o)
        {
            struct routes_op *op = &ops->ops[ops->count++];
            op->kind = (enum routes_op_kind)t;
            if (!read_thing(r, o, op))
                return false;
            if (t == 2 && !json_object_get(o, "id"))
                op->mutex.id = (uint32_t)i;
        }
    }
    return true;
}

/* --- the question --- */

static bool read_row(struct reader *r, json_t *o, struct routes_row *row)
{
    size_t i;
    json_t *v;
    json_array_foreach(json_object_get(o, "kinds"), i, v)
    {
        int kind = 0;
        json_t *wrapped = json_pack("{s:O}", "kind", v);
        bool good = read_word(r, wrapped, "kind", kinds, &kind);
        json_decref(wrapped);
        if (!good)
            return false;
        row->kinds |= ROUTES_KIND_BIT(kind);
    }
    return read_u32(r, o, "pay", &row->pay) && read_u32(r, o, "visit", &row->visit);
}

static bool read_distance(struct reader *r, json_t *o, struct routes_train *train)
{
    size_t i;
    json_t *rows = json_object_get(o, "rows"), *v;
    if (json_object_get(o, "stops"))
        return read_u32(r, o, "stops", &train->length);
    train->distance = ROUTES_BY_HEXES;
    if (json_object_get(o, "hexes"))
        return read_u32(r, o, "hexes", &train->length);
    if (!json_is_array(rows))
        return wrong(r, "distance", o);
    train->distance = ROUTES_BY_ROWS;
    struct routes_row *to = block(r, json_array_size(rows), sizeof *to);
    json_array_foreach(rows, i, v)
    {
        if (!read_row(r, v, &to[train->row_count++]))
            return false;
    }
    train->rows = to;
    return true;
}

static bool read_train(struct reader *r, json_t *o, struct routes_train *train)
{
    char const *token = NULL;
    size_t i;
    json_t *v;
    *train = (struct routes_train){.track_cost = {1, 1, 1}};
    json_array_foreach(json_object_get(o, "tracks"), i, v)
    {
        for (int t = 0; tracks[t]; t++)
            if (json_is_string(v) && strcmp(tracks[t], json_string_value(v)) == 0)
                train->tracks |= 1u << t;
    }
    for (int t = 0; tracks[t]; t++)
        if (!read_u32(r, json_object_get(o, "track_cost"), tracks[t], &train->track_cost[t]))
            return false;
    train->needs_counted_token = json_is_true(json_object_get(o, "needs_counted_token"));
    train->local = json_is_true(json_object_get(o, "local"));
    if (!read_string(r, o, "token", &token))
        return false;
    train->token_ends = token && strcmp(token, "ends") == 0;
    return read_string(r, o, "name", &train->name) && read_string(r, o, "group", &train->group) &&
           read_distance(r, json_object_get(o, "distance"), train);
}

static bool read_bonus(struct reader *r, json_t *o, struct routes_bonus *bonus)
{
    size_t i;
    json_t *need = json_object_get(o, "need"), *list;
    *bonus = (struct routes_bonus){0};
    struct routes_list *to = block(r, json_array_size(need), sizeof *to);
    json_array_foreach(need, i, list)
    {
        if (!read_ids(r, list, &to[bonus->need_count++]))
            return false;
    }
    bonus->need = to;
    bonus->has_edges = json_object_get(o, "any_edges") != NULL;
    bonus->has_trains = json_object_get(o, "trains") != NULL;
    bonus->once = json_is_true(json_object_get(o, "once"));
    return read_i32(r, o, "value", &bonus->value) && read_i32(r, o, "per_stop", &bonus->per_stop) &&
           read_ids(r, json_object_get(o, "any_edges"), &bonus->any_edges) &&
           read_strings(r, json_object_get(o, "trains"), false, &bonus->trains,
                        &bonus->train_count);
}

static bool read_set_rule(struct reader *r, json_t *o, struct routes_set_rule *rule)
{
    static char const *const names[] = {"visit", "meet", "bypass_routes", NULL};
    int kind = -1;
    if (!read_word(r, o, "rule", names, &kind) || kind < 0)
        return wrong(r, "rule", o);
    *rule = (struct routes_set_rule){.kind = (enum routes_set_kind)kind};
    return read_ids(r, json_object_get(o, "nodes"), &rule->nodes) &&
           read_u32(r, o, "max", &rule->max);
}

static bool read_rules(struct reader *r, json_t *o, struct routes_rules *rules)
{
    json_t *ifs = json_object_get(o, "min_stops_if"), *set = json_object_get(o, "set"), *v;
    size_t i;
    struct routes_min_stops *min = block(r, json_array_size(ifs), sizeof *min);
    struct routes_set_rule *to = block(r, json_array_size(set), sizeof *to);
    *rules = (struct routes_rules){.min_stops = 2, .min_stops_if = min, .set = to};
    json_array_foreach(ifs, i, v)
    {
        rules->min_stops_if_count++;
        if (!read_ids(r, json_object_get(v, "nodes"), &min[i].nodes) ||
            !read_u32(r, v, "min", &min[i].min))
            return false;
    }
    json_array_foreach(set, i, v)
    {
        rules->set_count++;
        if (!read_set_rule(r, v, &to[i]))
            return false;
    }
    return read_u32(r, o, "min_stops", &rules->min_stops) &&
           read_u32(r, o, "bypass_blocked", &rules->bypass_blocked);
}

bool read_question(struct reader *r, json_t *object, json_t *rules, struct routes_question *q)
{
    json_t *trains = json_object_get(object, "trains");
    json_t *bonuses = json_object_get(object, "bonuses"), *v;
    size_t i;
    struct routes_train *train = block(r, json_array_size(trains), sizeof *train);
    struct routes_bonus *bonus = block(r, json_array_size(bonuses), sizeof *bonus);
    *q = (struct routes_question){.trains = train, .bonuses = bonus};
    json_array_foreach(trains, i, v)
    {
        if (!read_train(r, v, &train[q->train_count++]))
            return false;
    }
    json_array_foreach(bonuses, i, v)
    {
        if (!read_bonus(r, v, &bonus[q->bonus_count++]))
            return false;
    }
    return read_string(r, object, "company", &q->company) && read_rules(r, rules, &q->rules);
}

bool read_set(struct reader *r, json_t *list, struct routes_set *set)
{
    size_t i;
    json_t *o;
    *set = (struct routes_set){.routes = block(r, json_array_size(list), sizeof *set->routes)};
    json_array_foreach(list, i, o)
    {
        struct routes_route *route = &set->routes[set->count++];
        struct routes_list stops, edges;
        if (!read_u32(r, o, "train", &route->train) ||
            !read_ids(r, json_object_get(o, "stops"), &stops) ||
            !read_ids(r, json_object_get(o, "edges"), &edges))
            return false;
        route->value = json_integer_value(json_object_get(o, "value"));
        route->stops = stops.ids;
        route->stop_count = stops.count;
        route->edges = edges.ids;
        route->edge_count = edges.count;
    }
    return true;
}
