"""Routes and sets by brute force, from the text of the format alone, in the plainest way. Slow: for
small networks. `why_not` tells what is wrong with a set; `best` tries all sets."""
import itertools


class Network:
    def __init__(self):
        self.nodes, self.edges, self.mutexes = {}, {}, {}

    @classmethod
    def of_case(cls, case):
        net = cls()
        net.nodes = {n["id"]: n for n in case["nodes"]}
        net.edges = {e["id"]: e for e in case["edges"]}
        net.mutexes = {m.get("id", i): m for i, m in enumerate(case.get("mutex", []))}
        return net

    def apply(self, ops):
        for op in ops:
            verb, table = op["op"].split("_")
            table = {"node": self.nodes, "edge": self.edges, "mutex": self.mutexes}[table]
            fields = {k: v for k, v in op.items() if k != "op"}
            if verb == "add":
                table[op["id"]] = {k: v for k, v in fields.items() if v is not None}
            elif verb == "remove":
                del table[op["id"]]
            else:
                changed = {**table[op["id"]], **fields}
                table[op["id"]] = {k: v for k, v in changed.items() if v is not None}

    def at(self, node):
        return [e for e in self.edges.values() if node in (e["a"], e["b"])]


STATIONS = ("city", "town", "halt", "offboard")


def is_station(node):
    return node["kind"] in STATIONS


def tokened(node, company):
    return is_station(node) and company in (node.get("tokens") or [])


def blocked(node, company):
    """Every slot is full, no token is the company's, none is neutral."""
    tokens = node.get("tokens") or []
    if node["kind"] != "city" or (node.get("slots") is None and not tokens):
        return False
    slots = node["slots"] if node.get("slots") is not None else len(tokens)
    padded = tokens + [None] * slots
    return None not in padded[:slots] and company not in tokens and "*" not in tokens


def node_limit(node):
    return node.get("limit") or ("set" if node["kind"] == "side" else "route")


def other(edge, node):
    return edge["b"] if edge["a"] == node else edge["a"]


def joins(node, before, after):
    """Rules 3 and 4: whether a walk may go from one edge to another at this node."""
    if node["kind"] == "side":
        tracks = {before.get("track", "broad"), after.get("track", "broad")}
        return before["hex"] != after["hex"] and (len(tracks) == 1 or "dual" in tracks)
    return node["kind"] != "junction" or before["hex"] == after["hex"]


def walk(net, stops, edges):
    """The nodes of the route in order, or None if the edges are no walk over these stops."""
    nodes = [stops[0]]
    for id in edges:
        edge = net.edges[id]
        if nodes[-1] not in (edge["a"], edge["b"]):
            return None
        nodes.append(other(edge, nodes[-1]))
    return nodes


def fits_rows(kinds, rows, number):
    """Whether each stop can be given to a row that lists its kind: tried stop by stop."""
    if not kinds:
        return True
    for i, row in enumerate(rows):
        if kinds[0] in row["kinds"] and row[number] > 0:
            less = dict(row, **{number: row[number] - 1})
            if fits_rows(kinds[1:], rows[:i] + [less] + rows[i + 1:], number):
                return True
    return False


def hex_length(net, nodes, edges, train):
    length, sides, tracks = 0, 0, []
    for node, edge in zip(nodes[1:], edges):
        tracks.append(train.get("track_cost", {}).get(net.edges[edge].get("track", "broad"), 1))
        if net.nodes[node]["kind"] == "side":
            sides += 1
        if is_station(net.nodes[node]):
            length += sides * max(tracks)
            sides, tracks = 0, []
    return length


def route_mutex_broken(net, nodes, edges):
    for m in net.mutexes.values():
        used = len(set(m.get("nodes", [])) & set(nodes)) + len(set(m.get("edges", [])) & set(edges))
        if used > 1:
            return True
    return False


def why_not_route(net, company, train, rules, stops, edges):
    """None if the route is legal, else the rule that it breaks."""
    node, edge = net.nodes, net.edges
    if not stops or any(s not in node for s in stops) or any(e not in edge for e in edges):
        return "id"
    nodes = walk(net, stops, edges)
    if nodes is None or [n for n in nodes if is_station(node[n])] != list(stops):
        return "walk"
    if not is_station(node[nodes[-1]]):
        return "walk"
    if len(set(nodes)) < len(nodes) or len(set(edges)) < len(edges):
        return "twice"
    for i in range(1, len(nodes) - 1):
        if not joins(node[nodes[i]], edge[edges[i - 1]], edge[edges[i]]):
            return node[nodes[i]]["kind"]
    inner = [node[s] for s in stops[1:-1]]
    if any(n["kind"] == "offboard" for n in inner):
        return "offboard"
    if passed(net, company, stops) > rules.get("bypass_blocked", 0):
        return "blocked"
    if any(edge[e].get("terminal") for e in edges[1:-1]):
        return "terminal"
    if train.get("tracks") and any(edge[e].get("track", "broad") not in train["tracks"] for e in edges):
        return "track"
    least = rules.get("min_stops", 2)
    if len(stops) < least and not (len(stops) == 1 and train.get("local")):
        return "stops"
    if not any(tokened(node[s], company) for s in stops):
        return "token"
    distance = train["distance"]
    kinds = [node[s]["kind"] for s in stops]
    if "stops" in distance and sum(node[s].get("cost", 1) for s in stops) > distance["stops"]:
        return "length"
    if "hexes" in distance and hex_length(net, nodes, edges, train) > distance["hexes"]:
        return "length"
    if "rows" in distance and not fits_rows(kinds, distance["rows"], "visit"):
        return "length"
    if route_mutex_broken(net, nodes, edges):
        return "mutex"
    for condition in rules.get("min_stops_if", []):
        if set(condition["nodes"]) & set(stops) and len(stops) < condition["min"]:
            return "stops if"
    if train.get("token") == "ends":
        if not all(tokened(node[s], company) for s in (stops[0], stops[-1])):
            return "ends"
    if not countings(net, company, train, stops):
        return "counted"
    return None


def passed(net, company, stops):
    return sum(blocked(net.nodes[s], company) for s in stops[1:-1])


def countings(net, company, train, stops):
    """All sets of stops that may count."""
    if "rows" not in train["distance"]:
        return [tuple(stops)]
    rows, kinds = train["distance"]["rows"], [net.nodes[s]["kind"] for s in stops]
    if fits_rows(kinds, rows, "pay") and all(stop_value(net, train, s) >= 0 for s in stops):
        return [tuple(stops)]  # no other set is worth more
    fitting = []
    for size in range(len(stops) + 1):
        for some in itertools.combinations(stops, size):
            kinds = [net.nodes[s]["kind"] for s in some]
            if not fits_rows(kinds, train["distance"]["rows"], "pay"):
                continue
            if train.get("needs_counted_token") and \
                    not any(tokened(net.nodes[s], company) for s in some):
                continue
            fitting.append(some)
    return fitting


def stop_value(net, train, stop):
    node = net.nodes[stop]
    return (node.get("values") or {}).get(train["name"], node.get("value", 0))


def worths(net, company, train, bonuses, stops, edges):
    """The best value for each set of once-only bonuses that the route may be paid."""
    found = {}
    for counted in countings(net, company, train, stops):
        value, once = sum(stop_value(net, train, s) for s in counted), []
        for i, b in enumerate(bonuses):
            if "trains" in b and train["name"] not in b["trains"]:
                continue
            if "any_edges" in b and not set(b["any_edges"]) & set(edges):
                continue
            if not all(set(need) & set(counted) for need in b.get("need", [])):
                continue
            worth = b["value"] + b.get("per_stop", 0) * len(counted)
            if b.get("once"):
                once.append((i, worth))
            else:
                value += worth
        for size in range(len(once) + 1):
            for claims in itertools.combinations(once, size):
                key = frozenset(i for i, _ in claims)
                found[key] = max(found.get(key, -10**9), value + sum(w for _, w in claims))
    return found


def all_routes(net, company, train, rules):
    """Every legal route, once: (stops, edges) from the end with the smaller stop id."""
    found = set()

    def look(nodes, edges):
        stops = [n for n in nodes if is_station(net.nodes[n])]
        if is_station(net.nodes[nodes[-1]]) and stops[0] <= stops[-1]:
            if why_not_route(net, company, train, rules, stops, edges) is None:
                found.add((tuple(stops), tuple(edges)))
        for edge in net.at(nodes[-1]):
            to = other(edge, nodes[-1])
            if to in nodes or edge["id"] in edges:
                continue
            if edges and not joins(net.nodes[nodes[-1]], net.edges[edges[-1]], edge):
                continue
            look(nodes + [to], edges + [edge["id"]])

    for id, node in net.nodes.items():
        if is_station(node):
            look([id], [])
    return sorted(found, key=lambda r: (r[1], r[0]))


def conflict(net, a, b):
    """Whether two routes of a group use one thing that can be used once."""
    nodes_a, nodes_b = set(walk(net, *a)), set(walk(net, *b))
    if any(net.edges[e].get("limit", "set") == "set" for e in set(a[1]) & set(b[1])):
        return True
    if any(node_limit(net.nodes[n]) == "set" for n in nodes_a & nodes_b):
        return True
    for m in net.mutexes.values():
        if m["scope"] == "set":
            members = set(m.get("nodes", [])), set(m.get("edges", []))
            if all(members[0] & n or members[1] & set(r[1])
                   for n, r in ((nodes_a, a), (nodes_b, b))):
                return True
    return False


def set_rule_broken(net, company, rules, routes):
    for rule in rules.get("set", []):
        if rule["rule"] == "visit" and not any(set(rule["nodes"]) & set(r[0]) for r in routes):
            return "visit"
        if rule["rule"] == "bypass_routes" and \
                sum(passed(net, company, r[0]) > 0 for r in routes) > rule["max"]:
            return "bypass"
        if rule["rule"] == "meet":
            met, rest = set(routes[0][0]), list(routes[1:])
            while any(met & set(r[0]) for r in rest):
                met |= set().union(*(r[0] for r in rest if met & set(r[0])))
                rest = [r for r in rest if not met & set(r[0])]
            if rest:
                return "meet"
    return None


def share(worths_list):
    """The highest sum, each once-only bonus paid once."""
    sums = {frozenset(): 0}
    for w in worths_list:
        following = {}
        for had, total in sums.items():
            for claims, value in w.items():
                if not had & claims:
                    key = had | claims
                    following[key] = max(following.get(key, -10**9), total + value)
        sums = following
    return max(sums.values())


def why_not(net, question, rules, rows):
    """None if the set (rows: train, stops, edges) is legal, else why not."""
    trains, company = question["trains"], question["company"]
    if len({row["train"] for row in rows}) < len(rows) or \
            any(row["train"] >= len(trains) for row in rows):
        return "train"
    for row in rows:
        why = why_not_route(net, company, trains[row["train"]], rules, row["stops"], row["edges"])
        if why:
            return why
    for a, b in itertools.combinations(rows, 2):
        if trains[a["train"]].get("group") == trains[b["train"]].get("group") and \
                conflict(net, (a["stops"], a["edges"]), (b["stops"], b["edges"])):
            return "set"
    routes = [(row["stops"], row["edges"]) for row in rows]
    return set_rule_broken(net, company, rules, routes) if rows else None


def worth(net, question, rows):
    """What a legal set is worth."""
    return share([worths(net, question["company"], question["trains"][r["train"]],
                         question.get("bonuses", []), r["stops"], r["edges"]) for r in rows])


def best(net, question, rules):
    """(total, set): over all sets, the highest total, and of equal ones the first by the tie
    rule."""
    trains, company = question["trains"], question["company"]
    lists = [all_routes(net, company, t, rules) for t in trains]
    worth_of = [{r: worths(net, company, t, question.get("bonuses", []), *r) for r in routes}
                for t, routes in zip(trains, lists)]
    clash = {}
    found = [None, None]

    def clashes(i, r, taken):
        for j, s in taken:
            if trains[i].get("group") != trains[j].get("group"):
                continue
            if (r, s) not in clash:
                clash[r, s] = clash[s, r] = conflict(net, r, s)
            if clash[r, s]:
                return True
        return False

    def look(i, taken):
        if i == len(trains):
            if taken and set_rule_broken(net, company, rules, [r for _, r in taken]):
                return
            total = share([worth_of[j][r] for j, r in taken])
            if found[0] is None or total > found[0]:
                found[:] = [total, taken]
            return
        for r in lists[i]:
            if not clashes(i, r, taken):
                look(i + 1, taken + [(i, r)])
        look(i + 1, taken)

    look(0, [])
    return found[0], found[1], [len(routes) for routes in lists]
