/* Hexes of a map are named by a letter (or two) and a number, in doubled coordinates: the neighbors
 * of E5 are E3, E7, D4, D6, F4 and F6. That gives each its place, up to a turn of the map by 90
 * degrees. A station lies in its hex, a side between its two. */
#include "client/ctl/routes_draw.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/ctl/cli.h"

#define SCALE 110.0 /* points between the middles of two hexes */

struct spot {
    double x, y;
};

static char const *text_of(json_t const *object, char const *key)
{
    char const *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static bool place_hex(char const *name, struct spot *spot)
{
    int row = 0;
    char *end;

    if (!isalpha((unsigned char)*name))
        return false;
    for (; isalpha((unsigned char)*name) && row < 1000; name++)
        row = row * 26 + toupper((unsigned char)*name) - 'A' + 1;
    if (!isdigit((unsigned char)*name) && *name != '-')
        return false;
    long column = strtol(name, &end, 10);
    if (*end || column < -1000 || column > 1000)
        return false;
    spot->x = (double)column / 2 * SCALE;
    spot->y = -row * sqrt(3) / 2 * SCALE;
    return true;
}

/* How many before this one in the list lie in the same hex, or between the same two. */
static unsigned place_among(json_t const *nodes, size_t index, char const *key)
{
    json_t const *where = json_object_get(json_array_get(nodes, index), key);
    unsigned count = 0;

    for (size_t i = 0; where && i < index; i++)
        count += json_equal(json_object_get(json_array_get(nodes, i), key), where);
    return count;
}

static bool place_side(json_t const *nodes, size_t index, struct spot *spot)
{
    json_t const *hexes = json_object_get(json_array_get(nodes, index), "hexes");
    char const *first = json_string_value(json_array_get(hexes, 0));
    char const *second = json_string_value(json_array_get(hexes, 1));
    struct spot a, b;

    if (!first || !place_hex(first, &a) || (second && !place_hex(second, &b)))
        return false;
    if (!second)
        b = (struct spot){a.x + SCALE, a.y};
    double lane = place_among(nodes, index, "hexes") * 0.12;
    *spot =
        (struct spot){(a.x + b.x) / 2 + (b.y - a.y) * lane, (a.y + b.y) / 2 - (b.x - a.x) * lane};
    return true;
}

static bool place_node(json_t const *nodes, size_t index, struct spot *spot)
{
    json_t const *node = json_array_get(nodes, index);

    if (strcmp(text_of(node, "kind"), "side") == 0)
        return place_side(nodes, index, spot);
    if (!place_hex(text_of(node, "hex"), spot))
        return false;
    unsigned among = place_among(nodes, index, "hex"), all = among;
    for (size_t i = index; i < json_array_size(nodes); i++)
        all += strcmp(text_of(json_array_get(nodes, i), "hex"), text_of(node, "hex")) == 0;
    if (all > 1) { /* around the middle */
        spot->x += 0.26 * SCALE * cos(2 * M_PI * among / all);
        spot->y += 0.26 * SCALE * sin(2 * M_PI * among / all);
    }
    return true;
}

/* U+FFFE and U+FFFF, which no XML may have. */
static bool is_no_character(char const *text)
{
    return strncmp(text, "\xef\xbf", 2) == 0 && (text[2] == '\xbe' || text[2] == '\xbf');
}

/* A text in quotes, in which nothing means anything. */
static void print_text(FILE *out, char const *text)
{
    fputc('"', out);
    for (; *text; text++) {
        for (; is_no_character(text); text += 3)
            ;
        if (!*text)
            break;
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if (*text == '&')
            fputs("&amp;", out);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
    fputc('"', out);
}

/* How many bytes of a name are shown: some, but no part of a character. */
static int shown_bytes(char const *name)
{
    size_t size = strnlen(name, 101);
    if (size == 101)
        for (size = 100; size && ((unsigned char)name[size] & 0xc0) == 0x80;)
            size--;
    return (int)size;
}

static void print_label(FILE *out, json_t const *node, json_int_t id)
{
    char label[200];
    char const *name = text_of(node, "name");
    json_t *value = json_object_get(node, "value");

    if (!*name)
        snprintf(label, sizeof label, "%" JSON_INTEGER_FORMAT, id);
    else
        snprintf(label, sizeof label, "%.*s", shown_bytes(name), name);
    if (json_is_number(value))
        snprintf(label + strlen(label), 24, " %" JSON_INTEGER_FORMAT,
                 (json_int_t)json_number_value(value));
    print_text(out, label);
}

static void draw_node(FILE *out, json_t const *nodes, size_t index, bool placed)
{
    json_t const *node = json_array_get(nodes, index);
    char const *kind = text_of(node, "kind");
    json_int_t id = (json_int_t)json_number_value(json_object_get(node, "id"));
    bool plain = strcmp(kind, "side") == 0 || strcmp(kind, "junction") == 0;
    struct spot spot;

    fprintf(out, "n%" JSON_INTEGER_FORMAT " [", id);
    if (plain)
        fputs("shape=point width=0.05 color=gray60 label=\"\"", out);
    else {
        bool box = strcmp(kind, "offboard") == 0;
        fprintf(out,
                "shape=%s fontsize=9 height=0.2 width=0.2 margin=\"0.03,0.02\" style=filled "
                "fillcolor=\"%s\" label=",
                box ? "box" : "ellipse",
                box                         ? "#f4d9d0"
                : strcmp(kind, "city") == 0 ? "white"
                                            : "gray90");
        print_label(out, node, id);
    }
    if (placed && place_node(nodes, index, &spot))
        fprintf(out, " pos=\"%.1f,%.1f!\"", spot.x, spot.y);
    fputs("]\n", out);
}

static char const *const colors[] = {"#d62728", "#1f77b4", "#2ca02c", "#ff7f0e",
                                     "#9467bd", "#8c564b", "#e377c2", "#17becf"};

/* The route of the set that uses an edge, or -1: one of several groups may share it. */
static int user_of(json_t const *set, json_int_t edge)
{
    for (size_t i = 0; i < json_array_size(set); i++) {
        json_t *edges = json_object_get(json_array_get(set, i), "edges");
        for (size_t j = 0; j < json_array_size(edges); j++)
            if ((json_int_t)json_number_value(json_array_get(edges, j)) == edge)
                return (int)i;
    }
    return -1;
}

static void draw_edge(FILE *out, json_t const *edge, json_t const *set)
{
    int user = user_of(set, (json_int_t)json_number_value(json_object_get(edge, "id")));

    fprintf(out, "n%" JSON_INTEGER_FORMAT " -- n%" JSON_INTEGER_FORMAT,
            (json_int_t)json_number_value(json_object_get(edge, "a")),
            (json_int_t)json_number_value(json_object_get(edge, "b")));
    if (user >= 0)
        fprintf(out, " [penwidth=4 color=\"%s\"]",
                colors[(size_t)user % (sizeof colors / sizeof *colors)]);
    else
        fprintf(out, " [color=gray60%s]",
                strcmp(text_of(edge, "track"), "narrow") == 0 ? " style=dashed" : "");
    fputc('\n', out);
}

bool routes_draw(FILE *out, json_t const *network, json_t const *set, bool *placed)
{
    json_t const *nodes = json_object_get(network, "nodes"), *edge;
    struct spot spot;
    size_t i;

    *placed = true;
    for (i = 0; i < json_array_size(nodes) && *placed; i++)
        *placed = place_node(nodes, i, &spot);
    fputs("graph routes {\noutputorder=edgesfirst\nsplines=line\n", out);
    for (i = 0; i < json_array_size(nodes); i++)
        draw_node(out, nodes, i, *placed);
    json_array_foreach(json_object_get(network, "edges"), i, edge)
    {
        draw_edge(out, edge, set);
    }
    fputs("}\n", out);
    return !ferror(out);
}

int routes_svg(json_t const *network, json_t const *set)
{
    char *graph = NULL;
    size_t size;
    bool placed;
    FILE *text = open_memstream(&graph, &size);
    bool good = text && routes_draw(text, network, set, &placed);

    good = text && fclose(text) == 0 && good;
    fflush(stdout);
    FILE *neato =
        good ? popen(placed ? "neato -n2 -Tsvg" : "neato -Goverlap=false -Tsvg", "w") : NULL;
    good = neato && fwrite(graph, 1, size, neato) == size;
    int status = neato ? pclose(neato) : -1;
    free(graph);
    if (good && status == 0)
        return CLI_GO;
    cli_complain("nothing was drawn: neato, of Graphviz, is needed for that, and has failed");
    return EXIT_BAD;
}
