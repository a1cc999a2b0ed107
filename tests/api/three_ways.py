"""The same scripts in process, through the C library over the socket, and through the bare protocol:
all three come out as the model of the documents says, and as recorded.

    three_ways.py --seconds N --runner DIRECTORY

DIRECTORY has the programs runner and runner-client; the third way is ../runner/bare.py."""
import argparse
import os
import random
import sys
import time

import api
import differential
import model_cases
import scriptgen

options = argparse.ArgumentParser()
options.add_argument("--seconds", type=float, default=5)
options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
options.add_argument("--runner", default=os.path.join("build", "tests", "runner"))
options, sys.argv[1:] = options.parse_known_args()

CASES = model_cases.recorded()


class Ways:
    """The runners, over one daemon."""

    def __enter__(self):
        self.serving = api.serving()
        daemon = self.serving.__enter__()
        os.environ["REDO_SOCKET"] = daemon.socket_path
        os.environ.pop("REDO_SESSION", None)
        bare = os.path.join(api.TESTS, "runner", "bare.py")
        self.runners = [
            differential.Runner("in process", os.path.join(options.runner, "runner"), 60),
            differential.Runner("C library", os.path.join(options.runner, "runner-client"), 60),
            differential.Runner("bare protocol", "%s %s" % (sys.executable, bare), 60),
        ]
        return self.runners

    def __exit__(self, *exception):
        ends = [(runner.name, runner.stop()) for runner in self.runners]
        self.serving.__exit__(*exception)
        if exception[0] is None:
            assert all(status == 0 for _, status in ends), ends


def all_the_same(script, runners, recorded=None):
    """Every runner answers as the model does, and as recorded."""
    expected, fault = differential.model_answer(script)
    assert not fault, (script["name"], fault)
    for runner in runners:
        got, wrong = runner.answer(script)
        assert not wrong, (runner.name, script["name"], wrong)
        wrong = differential.difference(expected, got)
        assert wrong is None, "%s, script %s, step %d: %s" % (runner.name, script["name"], *wrong)
    for index, (step, answer) in enumerate(zip(recorded or [], expected["steps"])):
        if "dump" in step:
            width = len(step["dump"][0])
            answer["dump"] = [row[:width] for row in answer["dump"]]
        for key, value in step.items():
            assert key == "says" or answer.get(key) == value, (
                script["name"], index, key, value, answer.get(key))


def without_answers(case):
    """What a runner plays of a case: of the divergences, that hold ops, with a dump at the end."""
    steps = case.get("steps") or [*({"op": op} for op in case["ops"]), {"dump": None}]
    steps = [{"op": s["op"]} if s.get("op") and s["op"] != ["dump"] else {"dump": None}
             for s in steps]
    script = {key: case[key] for key in ("name", "size", "cmpsize", "initial") if key in case}
    script.setdefault("size", len(case["initial"]) // 2)
    return {**script, "steps": steps}


def test_random_scripts_come_out_the_same_three_ways():
    print("seed %d" % options.seed, flush=True)
    with Ways() as runners:
        end, count = time.monotonic() + options.seconds, 0
        while time.monotonic() < end:
            rng = random.Random("%d:%d" % (options.seed, count))
            name = "%d/%d" % (options.seed, count)
            script = scriptgen.Generator(name, rng.choice((20, 60, 200, 600))).script(name)
            all_the_same(script, runners)
            count += 1
        print("%d scripts" % count)


def test_recorded_scripts_come_out_the_same_three_ways():
    count = 0
    with Ways() as runners:
        for path in CASES:
            for case in model_cases.lines(path):
                if case.get("kind") == "level" or case.get("rule") == "shortest":
                    continue
                script = without_answers(case)
                all_the_same(script, runners, case.get("steps"))
                count += 1
    print("%d scripts of %d files" % (count, len(CASES)))
    assert count > 200


def test_script_of_4000_operations_comes_out_the_same_three_ways():
    with Ways() as runners:
        name = "%d/long" % options.seed
        all_the_same(scriptgen.Generator(name, 4000).script(name), runners)


api.run()
