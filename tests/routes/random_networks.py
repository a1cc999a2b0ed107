#!/usr/bin/python3
"""Small random networks, with everything that the format can say, against brute force; and random
streams on them, back and forth."""
import argparse
import itertools
import random
import time

import oracle
from engine import Engine


def pick(rng, chance):
    return rng.random() < chance


class Maker:
    """A board of hexes in a row or a ring of neighbors, stations and junctions in them, sides
    between."""

    def __init__(self, rng):
        self.rng = rng
        self.company = "US"
        self.net = oracle.Network()
        self.next = {"node": 0, "edge": 0, "mutex": 0}
        self.spread = rng.choice([1, 1, 7, 1000])
        self.hexes = ["H%d" % i for i in range(rng.randint(2, 6))]

    def id(self, table):
        self.next[table] += self.rng.randint(1, self.spread)
        return self.next[table] - 1

    def tokens(self):
        rng = self.rng
        slots = rng.randint(1, 2)
        names = [rng.choice([None, None, "US", "US", "THEM", "THEM", "*"]) for _ in range(slots)]
        if pick(rng, 0.1):
            names.append(rng.choice(["US", "THEM", None]))
        return slots, names

    def station(self, hex):
        rng = self.rng
        node = {"id": self.id("node"), "hex": hex, "name": hex,
                "kind": rng.choice(["city", "city", "city", "town", "halt", "offboard"]),
                "value": 10 * rng.randint(0, 6)}
        if pick(rng, 0.05):
            node["value"] = -10
        if node["kind"] == "city" or pick(rng, 0.1):
            node["slots"], node["tokens"] = self.tokens()
            if pick(rng, 0.1):
                del node["slots"]
        if pick(rng, 0.2):
            node["values"] = {rng.choice(["A", "B"]): 10 * rng.randint(0, 9)}
        if pick(rng, 0.2):
            node["cost"] = rng.randint(0, 2)
        if pick(rng, 0.1):
            node["limit"] = rng.choice(["set", "route"])
        return node

    def side(self):
        a, b = self.rng.sample(self.hexes, 2)
        node = {"id": self.id("node"), "kind": "side", "hexes": [a, b]}
        if pick(self.rng, 0.1):
            node["limit"] = "route"
        return node

    def edge(self):
        """A piece of track between two nodes of one hex, or None."""
        rng = self.rng
        hex = rng.choice(self.hexes)
        there = [n["id"] for n in self.net.nodes.values()
                 if n.get("hex") == hex or hex in n.get("hexes", [])]
        if len(there) < 2:
            return None
        a, b = rng.sample(there, 2)
        edge = {"id": self.id("edge"), "a": a, "b": b, "hex": hex}
        if pick(rng, 0.25):
            edge["track"] = rng.choice(["broad", "narrow", "dual"])
        if pick(rng, 0.08):
            edge["terminal"] = True
        if pick(rng, 0.1):
            edge["limit"] = rng.choice(["route", "set"])
        return edge

    def mutex(self):
        rng = self.rng
        nodes, edges = list(self.net.nodes), list(self.net.edges)
        mutex = {"id": self.id("mutex"), "scope": rng.choice(["route", "set"])}
        if pick(rng, 0.6) and len(nodes) > 2:
            mutex["nodes"] = rng.sample(nodes, rng.randint(2, 3))
        if pick(rng, 0.6) and len(edges) > 2:
            mutex["edges"] = rng.sample(edges, rng.randint(1, 3))
        return mutex

    def add(self, table, thing):
        return [] if thing is None else [dict(thing, op="add_" + table)]

    def first_ops(self):
        rng, ops = self.rng, []

        def do(some):
            self.net.apply(some)
            ops.extend(some)

        for hex in self.hexes:
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                do(self.add("node", self.station(hex)))
            if pick(rng, 0.3):
                do(self.add("node", {"id": self.id("node"), "kind": "junction", "hex": hex}))
        for _ in range(rng.randint(2, 9)):
            do(self.add("node", self.side()))
        for _ in range(rng.randint(4, 18)):
            do(self.add("edge", self.edge()))
        for _ in range(rng.choice([0, 0, 1, 2])):
            do(self.add("mutex", self.mutex()))
        return ops

    def removable(self):
        named = [set(), set()]
        for m in self.net.mutexes.values():
            named[0] |= set(m.get("nodes", []))
            named[1] |= set(m.get("edges", []))
        ends = set(itertools.chain(*((e["a"], e["b"]) for e in self.net.edges.values())))
        return ([n for n in self.net.nodes if n not in named[0] and n not in ends],
                [e for e in self.net.edges if e not in named[1]], list(self.net.mutexes))

    def set_node(self):
        rng = self.rng
        stations = [n for n in self.net.nodes.values() if oracle.is_station(n)]
        if not stations:
            return []
        node = rng.choice(stations)
        op = {"op": "set_node", "id": node["id"]}
        what = rng.choice(["tokens", "value", "kind", "cost", "values", "limit"])
        if what == "tokens":
            op["slots"], op["tokens"] = self.tokens()
        elif what == "value":
            op["value"] = 10 * rng.randint(0, 8)
        elif what == "kind":
            op["kind"] = rng.choice(["city", "town", "halt", "offboard"])
        else:
            op[what] = None
        return [op]

    def set_edge(self):
        edges = list(self.net.edges)
        if not edges:
            return []
        return [{"op": "set_edge", "id": self.rng.choice(edges),
                 "track": self.rng.choice(["broad", "narrow", "dual", None]),
                 "terminal": pick(self.rng, 0.1)}]

    def set_mutex(self):
        mutexes = list(self.net.mutexes)
        if not mutexes:
            return []
        return [{"op": "set_mutex", "id": self.rng.choice(mutexes),
                 "scope": self.rng.choice(["route", "set"])}]

    def step(self):
        """Some ops in a row, each on what those before have left."""
        rng, ops = self.rng, []
        for _ in range(rng.randint(1, 4)):
            free = self.removable()
            choice = rng.randint(0, 9)
            if choice < 3:
                some = self.add("edge", self.edge())
            elif choice < 5:
                table = rng.randint(0, 2)
                some = [{"op": "remove_" + ("node", "edge", "mutex")[table],
                         "id": rng.choice(free[table])}] if free[table] else []
            elif choice < 6:
                some = self.add("node", rng.choice([self.side, lambda: self.station(
                    rng.choice(self.hexes))])())
            elif choice < 7:
                some = self.add("mutex", self.mutex())
            elif choice < 8:
                some = self.set_edge() + self.set_mutex()
            else:
                some = self.set_node()
            self.net.apply(some)
            ops += some
        return ops

    def distance(self):
        rng = self.rng
        kind = rng.choice(["stops", "stops", "hexes", "rows", "rows"])
        if kind == "stops":
            return {"stops": rng.choice([1, 2, 2, 3, 4, 99])}
        if kind == "hexes":
            return {"hexes": rng.choice([1, 2, 3, 5, 9])}
        rows = []
        for _ in range(rng.randint(1, 3)):
            visit = rng.randint(1, 5)
            rows.append({"kinds": rng.sample(oracle.STATIONS, rng.randint(1, 3)),
                         "visit": visit, "pay": rng.randint(0, visit)})
        return {"rows": rows}

    def train(self, index):
        rng = self.rng
        train = {"id": str(index), "name": rng.choice(["A", "B"]), "distance": self.distance()}
        if pick(rng, 0.2):
            train["tracks"] = rng.sample(["broad", "narrow", "dual"], 2)
        if "hexes" in train["distance"] and pick(rng, 0.5):
            train["track_cost"] = {"narrow": 2, "dual": rng.randint(0, 3)}
        if pick(rng, 0.3):
            train["needs_counted_token"] = True
        if pick(rng, 0.15):
            train["local"] = True
        if pick(rng, 0.1):
            train["token"] = "ends"
        if pick(rng, 0.15):
            train["group"] = "G"
        return train

    def bonus(self):
        rng = self.rng
        stations = [n for n in self.net.nodes if oracle.is_station(self.net.nodes[n])]
        bonus = {"value": 10 * rng.randint(0, 5),
                 "need": [rng.sample(stations, min(len(stations), rng.randint(1, 2)))
                          for _ in range(rng.randint(0, 2))]}
        if pick(rng, 0.2) and self.net.edges:
            bonus["any_edges"] = rng.sample(list(self.net.edges), 1)
        if pick(rng, 0.2):
            bonus["trains"] = [rng.choice(["A", "B"])]
        if pick(rng, 0.2):
            bonus["per_stop"] = 10
        if pick(rng, 0.4):
            bonus["once"] = True
        return bonus

    def question(self):
        rng = self.rng
        trains = [self.train(i) for i in range(rng.choice([1, 2, 2, 3]))]
        for i in range(1, len(trains)):
            if pick(rng, 0.4):
                trains[i] = dict(trains[i - 1], id=str(i))
        return {"company": self.company, "trains": trains,
                "bonuses": [self.bonus() for _ in range(rng.choice([0, 0, 1, 3]))]}

    def rules(self):
        rng = self.rng
        rules = {"min_stops": rng.choice([2, 2, 2, 1, 3])}
        stations = [n for n in self.net.nodes if oracle.is_station(self.net.nodes[n])]
        if pick(rng, 0.2):
            rules["bypass_blocked"] = rng.randint(1, 2)
        if pick(rng, 0.15) and stations:
            rules["min_stops_if"] = [{"nodes": rng.sample(stations, 1), "min": 3}]
        if pick(rng, 0.25) and stations:
            rules["set"] = rng.sample([{"rule": "meet"}, {"rule": "bypass_routes", "max": 1},
                                       {"rule": "visit", "nodes": rng.sample(stations, 1)}],
                                      rng.randint(1, 2))
        return rules


def reached(net, company):
    """Nodes and edges that a walk from a token can come to: tried until nothing is added."""
    arcs, grows = set(), True
    while grows:
        grows = False
        for e in net.edges.values():
            for tail, head in ((e["a"], e["b"]), (e["b"], e["a"])):
                node = net.nodes[tail]
                if (e["id"], head) in arcs:
                    continue
                passable = node["kind"] != "offboard" and not oracle.blocked(node, company)
                if company in (node.get("tokens") or []) or (passable and any(
                        id != e["id"] and at == tail and oracle.joins(node, net.edges[id], e)
                        for id, at in arcs)):
                    arcs.add((e["id"], head))
                    grows = True
    nodes = {at for _, at in arcs} | {n for n in net.nodes
                                      if company in (net.nodes[n].get("tokens") or [])}
    return {"nodes": sorted(nodes), "edges": sorted({id for id, _ in arcs})}


def spoil(rng, net, rows):
    """A set that is legal or not, made from one that is."""
    rows = [dict(r, stops=list(r["stops"]), edges=list(r["edges"])) for r in rows]
    if not rows:
        return rows
    row = rng.choice(rows)
    way = rng.randint(0, 5)
    if way == 0 and row["edges"]:
        row["edges"].pop(rng.randrange(len(row["edges"])))
    elif way == 1:
        row["stops"].pop(rng.randrange(len(row["stops"])))
    elif way == 2:
        row["train"] = rng.randint(0, 3)
    elif way == 3 and row["edges"]:
        row["edges"][rng.randrange(len(row["edges"]))] = rng.choice(list(net.edges))
    elif way == 4:
        row["stops"].reverse()
        row["edges"].reverse()
    else:
        rows.append(dict(row, train=rng.randint(0, 2)))
    return rows


def rows_of(taken):
    return [{"train": i, "stops": list(r[0]), "edges": list(r[1])} for i, r in taken]


def compare(engine, maker, seed, limit):
    """One question on the network as it is. False if it was too large for the oracle."""
    rng, net = maker.rng, maker.net
    if not any(oracle.is_station(n) for n in net.nodes.values()):
        return False
    question, rules = maker.question(), maker.rules()
    counts = [len(oracle.all_routes(net, "US", t, rules)) for t in question["trains"]]
    sets = 1
    for count in counts:
        sets *= count + 1
    if sets > limit:
        return False
    best, taken, counts = oracle.best(net, question, rules)
    wanted = rows_of(taken)
    spoiled = [spoil(rng, net, wanted) for _ in range(4)]
    more = {"memory": rng.choice([1, 3000])} if pick(rng, 0.3) else {}
    if pick(rng, 0.4):
        more["patience"] = rng.choice([1, 20, 300])
    answer = engine.ask(question, rules, count=True, check=[wanted] + spoiled, **more)
    got = [{k: r[k] for k in ("train", "stops", "edges")} for r in answer["set"]]
    asked = (question, rules, net.nodes, net.edges, net.mutexes, more)
    assert answer["candidates"] == counts, (seed, "candidates", answer["candidates"], counts, asked)
    assert answer["best"] == best, (seed, "best", answer["best"], best, got, wanted, asked)
    assert answer["proven"] and answer["bound"] == best, (seed, answer)
    assert answer["verdict"]["legal"], (seed, answer, asked)
    assert answer["verdict"]["total"] == best, (seed, answer["verdict"], best, asked)
    assert answer["verdict"]["values"] == [r["value"] for r in answer["set"]] or \
        any(b.get("once") for b in question["bonuses"]), (seed, answer, asked)
    assert sum(r["value"] for r in answer["set"]) == best, (seed, answer)
    assert not answer["stable"] or got == wanted, (seed, "ties", got, wanted, asked)
    assert answer["stable"], (seed, answer)
    for rows, verdict in zip([wanted] + spoiled, answer["checks"]):
        why = oracle.why_not(net, question, rules, rows)
        assert verdict["legal"] == (why is None), (seed, verdict, why, rows, asked)
        if why is None:
            assert verdict["total"] == oracle.worth(net, question, rows), (seed, verdict, rows, asked)
    return True


def one(engine, seed, limit):
    rng = random.Random(seed)
    maker = Maker(rng)
    engine.call({"new": True})
    engine.call({"ops": maker.first_ops(), "verify": True})
    asked = compare(engine, maker, seed, limit)
    steps = rng.choice([0, 0, 0, 3, 8])
    states = [engine.call({"dump": True})]
    for i in range(steps):
        engine.call({"ops": maker.step(), "verify": True})
        states.append(engine.call({"dump": True}))
        for company in ("US", "THEM"):
            assert engine.call({"reach": company}) == reached(maker.net, company), (seed, i, company)
    if steps:
        asked += compare(engine, maker, seed, limit)
    at = steps
    for _ in range(steps):
        target = rng.randint(0, steps)
        while at != target:
            engine.call({"undo" if at > target else "redo": True, "verify": True})
            at += 1 if at < target else -1
        assert engine.call({"dump": True}) == states[at], (seed, "state", at)
    return asked


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--limit", type=int, default=3000, help="sets that the oracle tries")
    args = parser.parse_args()
    engine, networks, asked = Engine(args.runner), 0, 0
    if args.seed is not None:
        one(engine, args.seed, args.limit)
        return
    first, end = random.SystemRandom().randrange(1 << 40), time.time() + args.seconds
    while time.time() < end:
        try:
            asked += one(engine, first + networks, args.limit)
        except AssertionError:
            print("--seed %d" % (first + networks))
            raise
        networks += 1
    print("%d networks, %d questions, all as by brute force (from seed %d)" % (networks, asked, first))
    if engine.close() != 0:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
