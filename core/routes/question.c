#include "core/routes/question.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

/* Memory of a question: blocks in a chain, freed together. */
static void *block(struct question *q, size_t bytes)
{
    void **b = calloc(1, sizeof(void *) * 2 + bytes);
    if (!b)
        return NULL;
    *b = q->blocks;
    q->blocks = b;
    return b + 2;
}

void question_close(struct question *q)
{
    while (q->blocks) {
        void *next = *(void **)q->blocks;
        free(q->blocks);
        q->blocks = next;
    }
}

static bool same(char const *a, char const *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* --- checks --- */

static int check_rows(struct routes_train const *t, uint32_t i, struct routes_fault *fault)
{
    if (t->row_count == 0 || t->row_count > ROUTES_ROWS)
        return fault_set(fault, REDO_ENETWORK, "train %u: it needs 1 to %d rows", i, ROUTES_ROWS);
    for (uint32_t r = 0; r < t->row_count; r++) {
        if (t->rows[r].kinds == 0 || t->rows[r].kinds >= KIND_SETS)
            return fault_set(fault, REDO_ENETWORK, "train %u: row %u is for no kind of stop", i, r);
        if (t->rows[r].pay > ROUTES_LENGTH || t->rows[r].visit > ROUTES_LENGTH)
            return fault_set(fault, REDO_ERANGE, "train %u: row %u is too long (at most %d)", i, r,
                             ROUTES_LENGTH);
        if (t->rows[r].visit == 0)
            return fault_set(fault, REDO_ENETWORK, "train %u: row %u visits no stop", i, r);
        if (t->rows[r].pay > t->rows[r].visit)
            return fault_set(fault, REDO_ENETWORK,
                             "train %u: row %u pays for more stops than it visits", i, r);
    }
    return REDO_OK;
}

static int check_train(struct routes_train const *t, uint32_t i, struct routes_fault *fault)
{
    if (!t->name || strlen(t->name) > ROUTES_NAME || (t->group && strlen(t->group) > ROUTES_NAME))
        return fault_set(fault, REDO_ENETWORK,
                         "train %u: its name or group is no name (at most %d bytes)", i,
                         ROUTES_NAME);
    if (t->distance > ROUTES_BY_ROWS || (t->tracks > 7 && t->tracks != ROUTES_NO_TRACK))
        return fault_set(fault, REDO_ENETWORK, "train %u: unknown distance or track", i);
    if (t->length > ROUTES_LENGTH)
        return fault_set(fault, REDO_ERANGE, "train %u: its distance is too long (at most %d)", i,
                         ROUTES_LENGTH);
    for (int track = 0; track < 3; track++)
        if (t->track_cost[track] > ROUTES_TRACK_COST)
            return fault_set(fault, REDO_ERANGE, "train %u: a track cost is out of range (0 to %d)",
                             i, ROUTES_TRACK_COST);
    return t->distance == ROUTES_BY_ROWS ? check_rows(t, i, fault) : REDO_OK;
}

static int check_bonus(struct routes_bonus const *b, uint32_t i, struct routes_fault *fault)
{
    if (b->value < 0 || b->value > ROUTES_VALUE || b->per_stop < 0 || b->per_stop > ROUTES_VALUE)
        return fault_set(fault, REDO_ERANGE, "bonus %u: its value is out of range (0 to %d)", i,
                         ROUTES_VALUE);
    if (b->need_count > ROUTES_NEEDS || b->train_count > ROUTES_MEMBERS)
        return fault_set(fault, REDO_EFULL, "bonus %u: too many lists or trains (at most %d, %d)",
                         i, ROUTES_NEEDS, ROUTES_MEMBERS);
    for (uint32_t j = 0; j < b->train_count; j++)
        if (!b->trains[j])
            return fault_set(fault, REDO_ENETWORK, "bonus %u: a train has no name", i);
    return REDO_OK;
}

static int check_asked(struct routes_question const *a, struct routes_fault *fault)
{
    int rc = REDO_OK;
    if (!a->company || !*a->company || strcmp(a->company, "*") == 0 ||
        strlen(a->company) > ROUTES_NAME)
        return fault_set(fault, REDO_ENETWORK,
                         "the company is no name (at most %d bytes, and not *)", ROUTES_NAME);
    if (a->train_count > ROUTES_TRAINS)
        return fault_set(fault, REDO_EFULL, "too many trains (at most %d)", ROUTES_TRAINS);
    if (a->bonus_count > ROUTES_BONUSES)
        return fault_set(fault, REDO_EFULL, "too many bonuses (at most %d)", ROUTES_BONUSES);
    if (a->rules.min_stops_if_count > ROUTES_CONDITIONS || a->rules.set_count > ROUTES_CONDITIONS)
        return fault_set(fault, REDO_EFULL, "too many rules (at most %d)", ROUTES_CONDITIONS);
    for (uint32_t i = 0; i < a->train_count && !rc; i++)
        rc = check_train(&a->trains[i], i, fault);
    for (uint32_t i = 0; i < a->bonus_count && !rc; i++)
        rc = check_bonus(&a->bonuses[i], i, fault);
    return rc;
}

/* --- lists --- */

static int make_bits(struct question *q, enum network_table table, struct routes_list const *list,
                     char const *what, uint32_t index, uint64_t **bits, struct routes_fault *fault)
{
    static char const *const names[] = {"node", "edge"};
    *bits = block(q, 8 * (size_t)(table == NETWORK_NODES ? q->node_words : q->edge_words));
    if (!*bits)
        return REDO_ENOMEM;
    if (list->count > ROUTES_MEMBERS)
        return fault_set(fault, REDO_EFULL, "%s %u: a list is too long (at most %d)", what, index,
                         ROUTES_MEMBERS);
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t slot = network_find(q->net, table, list->ids[i]);
        if (slot == INDEX_NONE)
            return fault_set(fault, REDO_ENETWORK, "%s %u: there is no %s %u", what, index,
                             names[table], list->ids[i]);
        bits_set(*bits, slot);
    }
    return REDO_OK;
}

static int make_rules(struct question *q, struct routes_fault *fault)
{
    struct routes_rules const *r = &q->asked->rules;
    int rc = REDO_OK;
    q->min_stops = block(q, r->min_stops_if_count * sizeof *q->min_stops);
    q->visit = block(q, r->set_count * sizeof *q->visit);
    q->bypass_max = UINT32_MAX;
    if (!q->min_stops || !q->visit)
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < r->min_stops_if_count && !rc; i++) {
        q->min_stops[i].min = r->min_stops_if[i].min;
        rc = make_bits(q, NETWORK_NODES, &r->min_stops_if[i].nodes, "min_stops_if", i,
                       &q->min_stops[i].nodes, fault);
    }
    for (uint32_t i = 0; i < r->set_count && !rc; i++) {
        struct routes_set_rule const *rule = &r->set[i];
        if (rule->kind == ROUTES_SET_VISIT)
            rc = make_bits(q, NETWORK_NODES, &rule->nodes, "set rule", i, &q->visit[i], fault);
        else if (rule->kind == ROUTES_SET_MEET)
            q->meet = true;
        else if (rule->kind != ROUTES_SET_BYPASS)
            return fault_set(fault, REDO_ENETWORK, "set rule %u is unknown", i);
        else if (rule->max < q->bypass_max)
            q->bypass_max = rule->max;
    }
    return rc;
}

/* --- trains --- */

static bool same_rows(struct routes_train const *a, struct routes_train const *b)
{
    if (a->row_count != b->row_count)
        return false;
    for (uint32_t i = 0; i < a->row_count; i++)
        if (a->rows[i].kinds != b->rows[i].kinds || a->rows[i].pay != b->rows[i].pay ||
            a->rows[i].visit != b->rows[i].visit)
            return false;
    return true;
}

static bool same_type(struct routes_train const *a, struct routes_train const *b)
{
    return same(a->name, b->name) && a->distance == b->distance &&
           (a->distance == ROUTES_BY_ROWS ? same_rows(a, b) : a->length == b->length) &&
           a->tracks == b->tracks &&
           memcmp(a->track_cost, b->track_cost, sizeof a->track_cost) == 0 &&
           a->needs_counted_token == b->needs_counted_token && a->local == b->local &&
           a->token_ends == b->token_ends && same(a->group, b->group);
}

static void make_rooms(struct train_type *t)
{
    for (uint32_t set = 0; set < KIND_SETS; set++)
        for (uint32_t r = 0; t->train->distance == ROUTES_BY_ROWS && r < t->train->row_count; r++)
            if (t->train->rows[r].kinds & set) {
                t->pay[set] += t->train->rows[r].pay;
                t->visit[set] += t->train->rows[r].visit;
            }
}

static int make_values(struct question *q, struct train_type *t)
{
    struct table const *nodes = &q->net->tables[NETWORK_NODES];
    t->values = block(q, nodes->high * sizeof *t->values);
    if (!t->values)
        return REDO_ENOMEM;
    for (uint32_t slot = 0; slot < nodes->high; slot++) {
        if (!nodes->things[slot])
            continue;
        struct routes_node const *node = network_node(q->net, slot);
        t->values[slot] = node->value;
        for (uint32_t i = 0; i < node->value_count; i++)
            if (same(node->values[i].train, t->train->name))
                t->values[slot] = node->values[i].value;
    }
    return REDO_OK;
}

static int make_types(struct question *q)
{
    struct routes_question const *a = q->asked;
    for (uint32_t i = 0; i < a->train_count; i++) {
        uint32_t type = 0, group = 0;
        while (type < q->type_count && !same_type(q->types[type].train, &a->trains[i]))
            type++;
        q->type_of[i] = type;
        while (group < i && !same(a->trains[group].group, a->trains[i].group))
            group++;
        q->group_of[i] = group < i ? q->group_of[group] : q->group_count++;
        struct train_type *t = &q->types[type];
        if (t->count++)
            continue;
        q->type_count++;
        t->train = &a->trains[i];
        t->group = q->group_of[i];
        make_rooms(t);
        if (make_values(q, t))
            return REDO_ENOMEM;
    }
    return REDO_OK;
}

/* --- bonuses --- */

static bool is_for(struct routes_bonus const *b, char const *train)
{
    for (uint32_t i = 0; i < b->train_count; i++)
        if (same(b->trains[i], train))
            return true;
    return !b->has_trains;
}

/* A bonus for one stop is a value of that stop. Several on one stop could leave the range. */
static bool is_value(struct routes_bonus const *b, bool once)
{
    return !once && !b->has_edges && b->per_stop == 0 && b->need_count == 1 &&
           b->need[0].count == 1;
}

static int make_bonus(struct question *q, uint32_t i, struct routes_fault *fault)
{
    struct routes_bonus const *b = &q->asked->bonuses[i];
    struct bonus *to = &q->bonuses[i];
    uint32_t takers = 0;
    int rc = REDO_OK;
    to->value = b->value;
    to->per_stop = b->per_stop;
    to->need_count = b->need_count;
    to->need = block(q, b->need_count * sizeof *to->need);
    if (!to->need)
        return REDO_ENOMEM;
    for (uint32_t j = 0; j < b->need_count && !rc; j++)
        rc = make_bits(q, NETWORK_NODES, &b->need[j], "bonus", i, &to->need[j], fault);
    if (!rc && b->has_edges)
        rc = make_bits(q, NETWORK_EDGES, &b->any_edges, "bonus", i, &to->edges, fault);
    if (rc)
        return rc;
    for (uint32_t t = 0; t < q->asked->train_count; t++)
        takers += is_for(b, q->asked->trains[t].name);
    bool once = b->once && takers > 1;
    if (once && q->once_count == ROUTES_ONCE)
        return fault_set(fault, REDO_EFULL, "bonus %u: more than %d are paid once", i, ROUTES_ONCE);
    to->once = once ? (int)q->once_count++ : -1;
    for (uint32_t t = 0; t < q->type_count; t++) {
        struct train_type *type = &q->types[t];
        if (!is_for(b, type->train->name))
            continue;
        if (is_value(b, once))
            type->values[network_find(q->net, NETWORK_NODES, b->need[0].ids[0])] += b->value;
        else
            type->bonuses[type->bonus_count++] = i;
    }
    return REDO_OK;
}

static int make_bonuses(struct question *q, struct routes_fault *fault)
{
    uint32_t count = q->asked->bonus_count;
    int rc = REDO_OK;
    q->bonuses = block(q, count * sizeof *q->bonuses);
    if (!q->bonuses)
        return REDO_ENOMEM;
    for (uint32_t t = 0; t < q->type_count; t++) {
        q->types[t].bonuses = block(q, count * sizeof(uint32_t));
        if (!q->types[t].bonuses)
            return REDO_ENOMEM;
    }
    for (uint32_t i = 0; i < count && !rc; i++)
        rc = make_bonus(q, i, fault);
    return rc;
}

static int make_nodes(struct question *q)
{
    struct table const *nodes = &q->net->tables[NETWORK_NODES];
    q->tokens = block(q, 8 * (size_t)q->node_words);
    q->blocked = block(q, 8 * (size_t)q->node_words);
    q->stations = block(q, 8 * (size_t)q->node_words);
    if (!q->tokens || !q->blocked || !q->stations)
        return REDO_ENOMEM;
    for (uint32_t slot = 0; slot < nodes->high; slot++) {
        if (!nodes->things[slot])
            continue;
        struct routes_node const *node = network_node(q->net, slot);
        if (network_is_station(node->kind))
            bits_set(q->stations, slot);
        if (network_is_station(node->kind) && node_has_token(node, q->asked->company))
            bits_set(q->tokens, slot);
        if (node_is_blocked(node, q->asked->company))
            bits_set(q->blocked, slot);
    }
    return REDO_OK;
}

int question_open(struct question *q, struct routes_network const *net,
                  struct routes_question const *asked, struct routes_fault *fault)
{
    *q = (struct question){.net = net, .asked = asked};
    if (fault)
        fault->text[0] = '\0';
    int rc = check_asked(asked, fault);
    q->node_words = bits_words(net->tables[NETWORK_NODES].high) + 1;
    q->edge_words = bits_words(net->tables[NETWORK_EDGES].high) + 1;
    if (!rc)
        rc = make_nodes(q);
    if (!rc)
        rc = make_types(q);
    if (!rc)
        rc = make_bonuses(q, fault);
    if (!rc)
        rc = make_rules(q, fault);
    if (rc)
        question_close(q);
    return rc;
}
