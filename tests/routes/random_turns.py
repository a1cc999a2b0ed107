"""Random turns on small networks: one is taken if, and only if, the table that it leads to is a network
by itself; and after any jumps what is reached, and the best set, are those of a session that has this
table from the beginning."""
import copy
import itertools
import os
import random

import oracle
from sessions import ELINE, ENETWORK, best, begin_network, line, network_ops, run, served

HEXES = ["A1", "A3", "B2", "B4"]
aside = itertools.count(100)
COMPANIES = ["X", "Y"]
TRAINS = [{"name": "3", "distance": {"stops": 3}}, {"name": "2", "distance": {"stops": 2}}]


def node_fields(rng):
    kind = rng.choice(["city", "city", "town", "offboard", "side", "side", "junction"])
    if kind == "side":
        return {"kind": kind, "hexes": rng.choice([rng.sample(HEXES, 2), [rng.choice(HEXES)], None])}
    fields = {"kind": kind, "hex": rng.choice(HEXES), "value": rng.choice([0, 10, 20, 30])}
    if kind == "city":
        fields["tokens"] = [rng.choice([None, "X", "Y", "*"]) for _ in range(rng.randrange(3))]
    return fields


def edge_fields(rng):
    return {"a": rng.randrange(7), "b": rng.randrange(7), "hex": rng.choice(HEXES),
            "track": rng.choice(["broad", "broad", "narrow", "dual"])}


def mutex_fields(rng):
    return {"scope": rng.choice(["route", "set"]),
            "nodes": [rng.randrange(7) for _ in range(rng.randrange(3))],
            "edges": [rng.randrange(9) for _ in range(rng.randrange(3))]}


FIELDS = {"node": (7, node_fields), "edge": (9, edge_fields), "mutex": (3, mutex_fields)}


def random_op(rng, net):
    what = rng.choice(["node", "edge", "edge", "mutex"])
    ids, fields = FIELDS[what]
    have = {"node": net.nodes, "edge": net.edges, "mutex": net.mutexes}[what]
    op = {"id": rng.randrange(ids)}
    if op["id"] not in have:
        return {"op": "add_" + what, **op, **fields(rng)}
    if rng.random() < 0.4:
        return {"op": "remove_" + what, **op}
    some = fields(rng)
    keep = rng.sample(list(some), rng.randint(1, len(some)))
    return {"op": "set_" + what, **op, **{k: some[k] for k in keep}}


def as_ops(net):
    return network_ops({"nodes": list(net.nodes.values()), "edges": list(net.edges.values()),
                        "mutex": list(net.mutexes.values())})


def try_turn(rpc, session, prev, move, ops):
    """The position, or None if the turn is refused."""
    error, result = rpc.response(rpc.send("addchanges", session, prev, move,
                                          [line(op) for op in ops], 0, 0))
    assert error is None or error[0] in (ELINE, ENETWORK), error
    return result["number"] if error is None else None


def random_session(rpc, rng):
    session, _ = begin_network(rpc)
    nets, taken, refused = {0: oracle.Network()}, 0, 0
    at = 0
    for move in range(1, 60):
        if rng.random() < 0.2:
            at = rng.choice(list(nets))
        net, ops = copy.deepcopy(nets[at]), []
        for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
            op = random_op(rng, net)
            ops.append(op)
            net.apply([op])
        number = try_turn(rpc, session, at, move, ops)
        alone, _ = begin_network(rpc)
        # A town aside makes it another board: no answer is known from the one for the other.
        table = as_ops(net) + [{"op": "add_node", "id": next(aside), "kind": "town"}]
        by_itself = try_turn(rpc, alone, 0, 1, table)
        assert (number is None) == (by_itself is None), (ops, number, by_itself)
        if number is None:
            refused += 1
        else:
            taken += 1
            nets[number] = net
            at = number
        if number is not None and rng.random() < 0.5:
            compare(rpc, rng, session, nets, alone, number, by_itself)
        rpc.call("endsession", alone)
    rpc.call("endsession", session)
    return taken, refused


def compare(rpc, rng, session, nets, alone, number, there):
    rpc.call("routes.reach", session, rng.choice(list(nets)), "X")  # from somewhere else
    for company in COMPANIES:
        here = rpc.call("routes.reach", session, number, company)
        anew = rpc.call("routes.reach", alone, there, company)
        assert not anew["cached"]
        assert (here["nodes"], here["edges"]) == (anew["nodes"], anew["edges"])
    question = {"company": "X", "trains": TRAINS, "rules": {"x": rng.random()}}
    here = best(rpc, session, number, question)
    question["rules"]["x"] += 1
    anew = best(rpc, alone, there, question)
    assert (here["total"], here["set"]) == (anew["total"], anew["set"])


@served
def test_a_turn_is_taken_if_its_table_is_a_network_and_all_is_as_if_it_was_there_from_the_beginning(
        daemon, rpc):
    seed = int(os.environ.get("SEED", "1"))
    taken = refused = 0
    for i in range(40):
        print("        seed %d" % (seed + i)) if "SEED" in os.environ else None
        more = random_session(rpc, random.Random(seed + i))
        taken, refused = taken + more[0], refused + more[1]
    assert taken > 200 and refused > 200, (taken, refused)


if __name__ == "__main__":
    run(__name__)
