/* A network and a set of routes on it, drawn through Graphviz. */
#ifndef CTL_ROUTES_DRAW_H
#define CTL_ROUTES_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes it as a graph in the language of Graphviz: network {nodes, edges}, set [{train, stops,
 * edges}] or NULL. Things lie where their hexes do, if the names of hexes tell that (a letter and a
 * number, as on most maps): *placed. */
bool routes_draw(FILE *out, json_t const *network, json_t const *set, bool *placed);

/* The same as SVG to standard output, by `neato`: CLI_GO, or EXIT_BAD after a complaint. */
int routes_svg(json_t const *network, json_t const *set);

#endif
