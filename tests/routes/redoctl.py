"""redoctl with track: a case in a file, streams replayed, both imported, routes drawn."""
import json
import os
import shutil
import subprocess
import tempfile
import xml.dom.minidom

import oracle
from sessions import CASES, case, case_names, run, served, stream, stream_names

REDOCTL = os.environ.get("REDOCTL") or os.path.join("build", "client", "redoctl")


def path(name, kind="json"):
    return os.path.join(CASES, name + "." + kind)


def ctl(*args, daemon=None, status=0, text=None):
    env = dict(os.environ, REDO_SOCKET=daemon.socket_path if daemon else "/nowhere")
    done = subprocess.run([REDOCTL, *args], capture_output=True, text=True, timeout=120, env=env,
                          input=text, check=False)
    assert done.returncode == status, (args, done)
    return done.stdout if status == 0 else done.stderr


def test_a_case_in_a_file_is_answered_without_a_daemon():
    for name in case_names():
        question = case(name)
        answer = json.loads(ctl("routes", path(name), "--json"))
        assert (answer["total"], answer["proven"]) == (question["expect"]["best"], True), name
        net = oracle.Network.of_case(question)
        assert oracle.why_not(net, question, question["rules"], answer["set"]) is None
        assert oracle.worth(net, question, answer["set"]) == answer["total"]


def test_the_table_names_trains_and_stops():
    lines = ctl("routes", path("1846-10264-0366-BO")).splitlines()
    assert lines[0].split() == ["value", "train", "stops"]
    assert lines[1].split()[:3] == ["230", "3/5", "G21/offboard0"]
    assert lines[-1].split()[:3] == ["740", "in", "all:"]


def test_the_table_is_aligned_whatever_trains_are_called_and_stops_without_a_name_are_told_by_id():
    question = case("1889-314-0334-UR")
    for train, name in zip(question["trains"], ("\x1b[2J", "\u00e9", "3" * 20)):
        train["name"] = name
    for node in question["nodes"]:
        node["name"] = ""
    lines = ctl("routes", "-", text=json.dumps(question)).splitlines()
    assert len(lines) == 5
    at = lines[0].index("stops")
    for line, row in zip(lines[1:4], json.loads(ctl("routes", "-", "--json",
                                                    text=json.dumps(question)))["set"]):
        assert line[at:] == " - ".join(map(str, row["stops"])), line


def test_numbers_with_a_fraction_of_zero_are_whole():
    question = case("1889-314-0334-UR")
    same = json.loads(json.dumps(question), parse_int=float)
    assert ctl("routes", "-", text=json.dumps(same)) == ctl("routes", "-", text=json.dumps(question))


def test_other_trains_are_asked_for_by_name_or_json():
    name = path("1889-314-0250-SR")
    one = json.loads(ctl("routes", name, "--json", "--trains", "4"))
    same = json.loads(ctl("routes", name, "--json", "--trains",
                          '[{"name": "4", "distance": {"stops": 4}}]'))
    assert one == same and len(one["set"]) == 1
    assert "which train" in ctl("routes", name, "--trains", "4+2", status=2)


def test_a_deadline_tells_what_was_found_and_what_was_proved():
    answer = ctl("routes", path("1856-bank-0919-CGR"), "--trains", ",".join("D65" * 6),
                 "--deadline", "1")
    assert "in time; no set is worth more than" in answer


def test_files_that_are_no_network_are_refused_by_what_is_wrong():
    good = case("rule-02-token")
    for change, named in (
            ({"edges": good["edges"] + [{"id": 99, "a": 0, "b": 98, "hex": "A1"}]},
             "edge 99: there is no node 98"),
            ({"nodes": good["nodes"] + [good["nodes"][0]]}, "node 0"),
            ({"nodes": [{**good["nodes"][0], "value": 2**70}] + good["nodes"][1:]},
             "node 0: value is out of range"),
            ({"nodes": 5}, "nodes, edges and mutex are lists"),
            ({"trains": [{"name": "2"}]}, "train 0: it has no distance"),
            ({"format": "route-network/2"}, "its format is neither"),
            ({"nodes": [{"id": 0, "kind": "side", "hexes": ["A1", "A3", "B2"]}], "edges": []},
             "node 0: a side lies between two hexes")):
        assert named in ctl("routes", "-", text=json.dumps({**good, **change}), status=1)
    deep = []
    for _ in range(16):
        deep = [deep]
    node = {k: v for k, v in good["nodes"][0].items() if k != "id"}
    for change, named in (({"nodes": [{**node, "id": 0, "x": deep}]}, "nodes: what is in it nests too deep"),
                          ({"nodes": good["nodes"] + [node]}, "a node: has no id, at place %d"
                           % len(good["nodes"])),
                          ({"nodes": [{**node, "id": -1}]}, "a node: id is out of range (0 to 2147483646), at place 0")):
        assert named in ctl("routes", "-", text=json.dumps({**good, **change}), status=1)
    assert "standard input" in ctl("routes", "-", text="{", status=1)
    assert "it is no JSON" not in ctl("routes", "-", text='{"case": "\\u0000"}', status=1)
    assert "there is nothing in it" in ctl("routes", "-", text="", status=1)
    assert "stream" in ctl("routes", path("streams/stream-1889-314", "jsonl"), status=2)


@served
def test_streams_are_replayed_and_every_total_is_that_of_the_stream(daemon, rpc):
    for name in stream_names():
        header, _ = stream(name)
        out = ctl("replay", path("streams/" + name, "jsonl"), daemon=daemon)
        assert "%d steps, %d queries, asked %d times; 0 differences" % (
            header["steps"], header["queries"], 2 * header["queries"]) in out
        assert out.splitlines()[-1] == "1 passed, 0 failed"


@served
def test_a_stream_whose_totals_are_wrong_is_told_to_differ(daemon, rpc):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        header, records = stream("stream-1889-314")
        bad = next(r for r in records if "query" in r)
        bad["best"] += 10
        f.writelines(json.dumps(r) + "\n" for r in [header] + records)
        f.flush()
        env = dict(os.environ, REDO_SOCKET=daemon.socket_path)
        done = subprocess.run([REDOCTL, "replay", f.name], capture_output=True, text=True, env=env,
                              check=False)
    assert done.returncode == 1 and "best: expected %d, got %d" % (
        bad["best"], bad["best"] - 10) in done.stdout
    assert "; 2 differences" in done.stdout  # once going forth, once undone


@served
def test_a_stream_is_imported_and_asked_what_it_asked(daemon, rpc):
    name = "stream-1889-314"
    header, records = stream(name)
    out = ctl("import", path("streams/" + name, "jsonl"), daemon=daemon)
    assert out == "%d turns and %d questions in %s\n" % (header["steps"], header["queries"], name)
    position = 0
    for record in records:
        if "step" in record:
            position += 1
            continue
        answer = json.loads(ctl("routes", name, str(position), "--company", record["company"],
                                "--json", daemon=daemon))
        assert answer["total"] == record["best"]
    assert "REDO_EEXISTS" in ctl("import", path("streams/" + name, "jsonl"), daemon=daemon, status=1)


@served
def test_a_case_is_imported_under_another_name(daemon, rpc):
    ctl("import", path("1846-10264-0366-BO"), "--name", "rails", daemon=daemon)
    here = json.loads(ctl("routes", path("1846-10264-0366-BO"), "--json"))
    there = json.loads(ctl("routes", "rails", "1", "--json", daemon=daemon))
    assert {k: there[k] for k in ("total", "proven", "set")} == {
        k: here[k] for k in ("total", "proven", "set")}
    assert "Say --company" in ctl("routes", "rails", "0", daemon=daemon, status=2)


@served
def test_a_company_without_a_token_is_told_from_one_that_earns_nothing(daemon, rpc):
    ctl("import", path("1846-10264-0366-BO"), "--name", "rails", daemon=daemon)
    for name, said in (("C&O", False), ("BO", True)):
        out = ctl("routes", "rails", "1", "--company", name, "--trains", "2", daemon=daemon)
        assert ("(no token of %s is on the track)" % name in out) == said, out
    assert "redoctl routes NAME POSITION" in ctl("routes", "rails", daemon=daemon, status=2)


@served
def test_what_can_not_be_imported_leaves_no_session(daemon, rpc):
    header, records = stream("stream-1889-314")
    records[0]["ops"].append({"op": "add_edge", "id": 9999, "a": 9998, "b": 0, "hex": "A1"})
    text = "".join(json.dumps(r) + "\n" for r in [header] + records)
    assert "edge 9999: there is no node 9998" in ctl("import", "-", text=text, daemon=daemon, status=1)
    assert rpc.call("listsessions")["sessions"] == []


@served
def test_routes_are_drawn_in_colors(daemon, rpc):
    if not shutil.which("neato"):
        print("        neato is not installed: nothing is drawn")
        return
    question = case("1846-10264-0366-BO")
    ctl("import", path("1846-10264-0366-BO"), "--name", "rails", daemon=daemon)
    for svg in (ctl("routes", path("1846-10264-0366-BO"), "--svg"),
                ctl("routes", "rails", "1", "--svg", daemon=daemon)):
        assert svg.startswith("<?xml") and svg.rstrip().endswith("</svg>")
        answer = json.loads(ctl("routes", path("1846-10264-0366-BO"), "--json"))
        colored = sum(len(row["edges"]) for row in answer["set"])
        wide = svg.count('stroke-width="4"')
        assert wide == colored, (wide, colored)
        assert svg.count('class="node"') == len(question["nodes"])


def test_names_of_any_text_are_drawn_as_they_are():
    if not shutil.which("neato"):
        print("        neato is not installed: nothing is drawn")
        return
    question = case("rule-02-token")
    names = ["\u6771" * 40, "&lt; \\N \"a\" <b>", "\u00e9&\ufffe\uffff"]
    stations = [n for n in question["nodes"] if n["kind"] == "city"]
    for node, name in zip(stations, names):
        node["name"] = name
    svg = xml.dom.minidom.parseString(ctl("routes", "-", "--svg", text=json.dumps(question)))
    drawn = [t.firstChild.data.replace("\u00a0", " ") for t in svg.getElementsByTagName("text")]
    for node, name in zip(stations, ["\u6771" * 33, names[1], "\u00e9&"]):
        assert "%s %d" % (name, node["value"]) in drawn, (name, drawn)


if __name__ == "__main__":
    run(__name__)
