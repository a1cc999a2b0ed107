#include "core/routes/view.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

/* What is needed while a view is made. */
struct builder {
    struct view *v;
    struct routes_network const *net;
    uint64_t *alive;         /* edges by slot */
    uint64_t *done;          /* edges that are in a link, or in none */
    uint32_t *point_of;      /* by node slot; NO_POINT */
    uint32_t *queue;         /* edges whose ends are to be looked at again */
    uint32_t *mutex_bit;     /* by mutex slot: bit in routes, or NO_POINT */
    uint32_t *mutex_set_bit; /* the same in sets */
    uint64_t *bits, *set;    /* of the link at hand */
    uint32_t edge_count;
};

#define NO_POINT UINT32_MAX

static bool station(struct builder const *b, uint32_t node)
{
    return bits_has(b->v->q->stations, node);
}

/* --- what can be used at all --- */

/* A terminal edge is the first or last of a route, so one of its ends is a station. */
static bool is_usable(struct builder const *b, uint32_t edge)
{
    struct routes_network const *n = b->net;
    return !network_edge(n, edge)->terminal || station(b, n->ends[2 * edge]) ||
           station(b, n->ends[2 * edge + 1]);
}

static void find_alive(struct builder *b)
{
    struct table const *edges = &b->net->tables[NETWORK_EDGES];
    struct question const *q = b->v->q;
    struct reach *r = reach_find(b->net, q->asked->company);
    bool all = q->asked->rules.bypass_blocked > 0;
    for (uint32_t edge = 0; edge < edges->high && r; edge++)
        if (edges->things[edge] && is_usable(b, edge) &&
            (all || bits_has(r->arcs, 2 * edge) || bits_has(r->arcs, 2 * edge + 1)))
            bits_set(b->alive, edge);
}

/* Whether a walk that comes by an arc to a side or junction can go on. */
static bool goes_on(struct builder const *b, uint32_t arc)
{
    if (station(b, network_head(b->net, arc)))
        return true;
    return bits_meet(network_next(b->net, arc), b->alive, b->net->edge_words);
}

/* An edge at this node is gone: so are those that went on by it alone, and are queued. */
static void cut_at(struct builder *b, uint32_t node, uint32_t *queued)
{
    struct routes_network const *n = b->net;
    BITS_EACH(other, network_edges_at(n, node), n->edge_words)
    {
        if (bits_has(b->alive, other) && !goes_on(b, network_leaving(n, other, node) ^ 1)) {
            bits_clear(b->alive, other);
            b->queue[(*queued)++] = other;
        }
    }
}

/* Edges that end at a side or junction where no walk can go on are of no use, and then those that
 * went on by them alone. */
static void cut_dead_ends(struct builder *b)
{
    struct routes_network const *n = b->net;
    uint32_t count = 0;
    BITS_EACH(edge, b->alive, n->edge_words)
    {
        if (!goes_on(b, 2 * edge) || !goes_on(b, 2 * edge + 1)) {
            bits_clear(b->alive, edge);
            b->queue[count++] = edge;
        }
    }
    while (count > 0) {
        uint32_t edge = b->queue[--count];
        cut_at(b, n->ends[2 * edge], &count);
        cut_at(b, n->ends[2 * edge + 1], &count);
    }
}

static uint32_t alive_at(struct builder const *b, uint32_t node)
{
    uint32_t count = 0;
    uint64_t const *row = network_edges_at(b->net, node);
    for (uint32_t w = 0; w < b->net->edge_words; w++)
        count += (uint32_t)__builtin_popcountll(row[w] & b->alive[w]);
    return count;
}

/* --- points and links --- */

static void find_points(struct builder *b)
{
    struct table const *nodes = &b->net->tables[NETWORK_NODES];
    struct view *v = b->v;
    for (uint32_t node = 0; node < nodes->high; node++) {
        b->point_of[node] = NO_POINT;
        if (!nodes->things[node])
            continue;
        uint32_t edges = alive_at(b, node);
        bool root = bits_has(v->q->tokens, node);
        if (!root && (edges == 0 || (edges == 2 && !station(b, node))))
            continue;
        b->point_of[node] = v->point_count;
        v->nodes[v->point_count] = node;
        if (root)
            v->roots[v->root_count++] = v->point_count;
        v->point_count++;
    }
}

/* Follows a chain from a point, and enters it as a link unless it comes back there. */
static void trace(struct builder *b, uint32_t from, uint32_t edge)
{
    struct routes_network const *n = b->net;
    struct view *v = b->v;
    uint32_t node = v->nodes[from], start = v->first_edges[v->link_count], at = start;
    uint32_t sides = 0, tracks = 0, flags = 0;
    do {
        bits_set(b->done, edge);
        v->edges[at++] = edge;
        tracks |= 1u << network_edge(n, edge)->track;
        node = network_head(n, network_leaving(n, edge, node));
        if (b->point_of[node] != NO_POINT)
            break;
        sides += network_node(n, node)->kind == ROUTES_SIDE;
        uint32_t other = NO_POINT;
        for (uint32_t w = 0; w < n->edge_words && other == NO_POINT; w++) {
            uint64_t rest = network_edges_at(n, node)[w] & b->alive[w];
            if (w == edge / 64)
                rest &= ~(UINT64_C(1) << edge % 64);
            if (rest)
                other = w * 64 + (uint32_t)__builtin_ctzll(rest);
        }
        edge = other;
    } while (at - start < b->edge_count);
    uint32_t to = b->point_of[node];
    for (uint32_t i = start + 1; i + 1 < at; i++)
        if (network_edge(n, v->edges[i])->terminal)
            return;
    if (to == from || to == NO_POINT)
        return;
    flags |= network_edge(n, v->edges[start])->terminal ? ARC_FIRST : 0;
    flags |= network_edge(n, v->edges[at - 1])->terminal ? ARC_LAST : 0;
    flags |= at - start == 1 ? ARC_ONE : 0;
    /* A terminal edge within a chain, next to no station. */
    if ((flags & ARC_FIRST && !(flags & ARC_ONE) && !view_is_station(v, from)) ||
        (flags & ARC_LAST && !(flags & ARC_ONE) && !view_is_station(v, to)))
        return;
    uint32_t back =
        (flags & ARC_ONE) | (flags & ARC_FIRST ? ARC_LAST : 0) | (flags & ARC_LAST ? ARC_FIRST : 0);
    bool to_side = network_node(n, v->nodes[to])->kind == ROUTES_SIDE;
    bool from_side = network_node(n, v->nodes[from])->kind == ROUTES_SIDE;
    v->arcs[2 * v->link_count] =
        (struct arc){(uint16_t)to, (uint16_t)(sides + to_side), (uint8_t)flags, (uint8_t)tracks};
    v->arcs[2 * v->link_count + 1] =
        (struct arc){(uint16_t)from, (uint16_t)(sides + from_side), (uint8_t)back, (uint8_t)tracks};
    v->first_edges[++v->link_count] = at;
}

static void find_links(struct builder *b)
{
    struct routes_network const *n = b->net;
    for (uint32_t point = 0; point < b->v->point_count; point++) {
        BITS_EACH(edge, network_edges_at(n, b->v->nodes[point]), n->edge_words)
        {
            if (bits_has(b->alive, edge) && !bits_has(b->done, edge))
                trace(b, point, edge);
        }
    }
}

/* --- what excludes what --- */

/* Mutexes of which something is in the view get a bit. */
static void find_mutexes(struct builder *b, uint32_t *route_bits, uint32_t *set_bits)
{
    struct routes_network const *n = b->net;
    for (uint32_t m = 0; m < n->tables[NETWORK_MUTEXES].high; m++) {
        uint32_t members = 0;
        if (!n->tables[NETWORK_MUTEXES].things[m])
            continue;
        struct routes_mutex const *mutex = network_mutex(n, m);
        for (uint32_t i = 0; i < mutex->nodes.count; i++) {
            uint32_t node = network_find(n, NETWORK_NODES, mutex->nodes.ids[i]);
            members += b->point_of[node] != NO_POINT || alive_at(b, node) > 0;
        }
        for (uint32_t i = 0; i < mutex->edges.count; i++)
            members +=
                bits_has(b->alive, network_find(n, NETWORK_EDGES, mutex->edges.ids[i])) ? 1 : 0;
        b->mutex_bit[m] = members > 1 ? (*route_bits)++ : NO_POINT;
        b->mutex_set_bit[m] =
            members > 0 && mutex->scope == ROUTES_SCOPE_SET ? (*set_bits)++ : NO_POINT;
    }
}

/* Adds the mutexes of a thing to the link at hand; false if it has one of them already. */
static bool add_mutexes(struct builder *b, enum network_table table, uint32_t slot)
{
    BITS_EACH(m, network_mutexes(b->net, table, slot), b->net->mutex_words)
    {
        if (b->mutex_set_bit[m] != NO_POINT)
            bits_set(b->set, b->mutex_set_bit[m]);
        if (b->mutex_bit[m] == NO_POINT)
            continue;
        if (bits_has(b->bits, b->mutex_bit[m]))
            return false;
        bits_set(b->bits, b->mutex_bit[m]);
    }
    return true;
}

static bool add_link(struct builder *b, uint32_t link, bool *exclusive)
{
    struct routes_network const *n = b->net;
    uint32_t node = b->v->nodes[b->v->arcs[2 * link + 1].to];
    uint32_t count = view_edge_count(b->v, 2 * link);
    memset(b->bits, 0, 8 * b->v->route_words);
    memset(b->set, 0, 8 * b->v->set_words);
    *exclusive = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edge = view_edge(b->v, 2 * link, i);
        *exclusive |= edge_once_in_set(network_edge(n, edge));
        if (!add_mutexes(b, NETWORK_EDGES, edge))
            return false;
        node = network_head(n, network_leaving(n, edge, node));
        if (i + 1 == count)
            break;
        *exclusive |= node_once_in_set(network_node(n, node));
        if (!add_mutexes(b, NETWORK_NODES, node))
            return false;
    }
    return true;
}

static bool is_once(struct view const *v, uint32_t point)
{
    return node_once_in_set(network_node(v->q->net, v->nodes[point]));
}

static void set_point_bits(struct builder *b, uint32_t *set_bits)
{
    struct view *v = b->v;
    for (uint32_t p = 0; p < v->point_count; p++) {
        memset(b->bits, 0, 8 * v->route_words);
        memset(b->set, 0, 8 * v->set_words);
        bits_set(b->bits, p);
        add_mutexes(b, NETWORK_NODES, v->nodes[p]);
        if (is_once(v, p))
            bits_set(b->set, (*set_bits)++);
        memcpy(view_point_bits(v, p), b->bits, 8 * v->route_words);
        memcpy(view_point_set(v, p), b->set, 8 * v->set_words);
    }
}

/* A link gets a bit of its own where neither end excludes a second route anyway. */
static void set_link_bits(struct builder *b, uint32_t link, uint32_t *set_bits)
{
    struct view *v = b->v;
    struct arc *there = &v->arcs[2 * link], *back = there + 1;
    bool exclusive, sound = add_link(b, link, &exclusive);
    sound = sound && !bits_meet(b->bits, view_point_bits(v, there->to), v->route_words) &&
            !bits_meet(b->bits, view_point_bits(v, back->to), v->route_words) &&
            !bits_meet(view_point_bits(v, there->to), view_point_bits(v, back->to), v->route_words);
    if (!sound) { /* no route can use it */
        there->tracks = back->tracks = 0;
        return;
    }
    if (exclusive && !is_once(v, there->to) && !is_once(v, back->to))
        bits_set(b->set, (*set_bits)++);
    for (uint32_t arc = 2 * link; arc <= 2 * link + 1; arc++) {
        memcpy(view_arc_bits(v, arc), b->bits, 8 * v->route_words);
        memcpy(view_arc_set(v, arc), b->set, 8 * v->set_words);
        bits_add(view_arc_bits(v, arc), view_point_bits(v, v->arcs[arc].to), v->route_words);
        bits_add(view_arc_set(v, arc), view_point_set(v, v->arcs[arc].to), v->set_words);
    }
}

static int make_bits(struct builder *b)
{
    struct view *v = b->v;
    uint32_t route_bits = v->point_count, set_bits = 0;
    find_mutexes(b, &route_bits, &set_bits);
    v->point_words = bits_words(v->point_count);
    v->route_words = bits_words(route_bits);
    uint32_t most = set_bits + v->link_count + v->point_count; /* the true number comes last */
    v->set_words = bits_words(most);
    size_t rows = 2 * (size_t)v->link_count + 1, points = v->point_count + 1;
    v->arc_bits = calloc(rows * v->route_words + 1, 8);
    v->arc_set = calloc(rows * v->set_words + 1, 8);
    v->point_bits = calloc(points * v->route_words + 1, 8);
    v->point_set = calloc(points * v->set_words + 1, 8);
    b->bits = calloc(v->route_words + 1, 8);
    b->set = calloc(v->set_words + 1, 8);
    if (!v->arc_bits || !v->arc_set || !v->point_bits || !v->point_set || !b->bits || !b->set)
        return REDO_ENOMEM;
    set_point_bits(b, &set_bits);
    for (uint32_t link = 0; link < v->link_count; link++)
        set_link_bits(b, link, &set_bits);
    /* Rows move together: all in front of what is still to be moved. */
    uint32_t words = bits_words(set_bits), wide = v->set_words;
    for (size_t row = 0; row < rows; row++)
        memmove(v->arc_set + row * words, v->arc_set + row * wide, 8 * words);
    for (size_t row = 0; row < points; row++)
        memmove(v->point_set + row * words, v->point_set + row * wide, 8 * words);
    v->set_words = words;
    return REDO_OK;
}

/* --- all of it --- */

static int open_builder(struct builder *b, struct view *v)
{
    struct routes_network const *n = v->q->net;
    size_t nodes = n->tables[NETWORK_NODES].high + 1, edges = n->tables[NETWORK_EDGES].high + 1;
    size_t mutexes = n->tables[NETWORK_MUTEXES].high + 1;
    *b = (struct builder){.v = v, .net = n, .edge_count = n->tables[NETWORK_EDGES].high};
    b->alive = calloc(n->edge_words + 1, 8);
    b->done = calloc(n->edge_words + 1, 8);
    b->point_of = calloc(nodes, sizeof *b->point_of);
    b->queue = calloc(edges, sizeof *b->queue);
    b->mutex_bit = calloc(mutexes, sizeof *b->mutex_bit);
    b->mutex_set_bit = calloc(mutexes, sizeof *b->mutex_set_bit);
    v->nodes = calloc(nodes, sizeof *v->nodes);
    v->roots = calloc(nodes, sizeof *v->roots);
    v->arcs = calloc(2 * edges, sizeof *v->arcs);
    v->first_edges = calloc(edges + 1, sizeof *v->first_edges);
    v->edges = calloc(edges, sizeof *v->edges);
    return b->alive && b->done && b->point_of && b->queue && b->mutex_bit && b->mutex_set_bit &&
                   v->nodes && v->roots && v->arcs && v->first_edges && v->edges
               ? REDO_OK
               : REDO_ENOMEM;
}

static void close_builder(struct builder *b)
{
    free(b->alive);
    free(b->done);
    free(b->point_of);
    free(b->queue);
    free(b->mutex_bit);
    free(b->mutex_set_bit);
    free(b->bits);
    free(b->set);
}

int view_open(struct view *v, struct question const *q)
{
    struct builder b;
    *v = (struct view){.q = q};
    int rc = open_builder(&b, v);
    if (!rc) {
        find_alive(&b);
        cut_dead_ends(&b);
        find_points(&b);
        find_links(&b);
        rc = make_bits(&b);
    }
    close_builder(&b);
    if (rc)
        view_close(v);
    return rc;
}

void view_close(struct view *v)
{
    free(v->nodes);
    free(v->arcs);
    free(v->first_edges);
    free(v->edges);
    free(v->roots);
    free(v->arc_bits);
    free(v->arc_set);
    free(v->point_bits);
    free(v->point_set);
}
