"""Plays the same random scripts on the model and on other implementations.

    differential.py --runner NAME=COMMAND [--runner ...] [--seed N]
                    [--scripts N] [--ops N] [--minutes M] [--profile NAME]
                    [--replay FILE]

A runner reads scripts on stdin, one a line (JSON, as scriptgen.py prints them:
steps hold `op`, or `dump`: null), and writes one line a script on stdout:

    {"name": ..., "steps": [{"op": [...], "ret": ..., "pos": ... (cycle only),
                             "size": ..., "chg": ...}
                            or {"dump": [rows], "size": ..., "chg": ...}]}

in the order of the scripts, each as soon as it is done (it is waited for). For
an op that is refused `ret` is null and `pos` is left out. Rows have ten fields,
see cases/README.md. On the first difference of a script, the script is cut down
to the fewest ops that still differ, and printed as one line that --replay takes.

With --minutes, scripts go on until the time is up; else --scripts of them. The
number of ops is drawn for each script, up to --ops, unless --exact is given.
"""

import argparse
import glob
import json
import os
import random
import select
import shlex
import subprocess
import sys
import time

import model
import model_cases
import scriptgen


class Runner:
    """A process that answers scripts; started again if it ends or stalls."""

    def __init__(self, name, command, timeout):
        self.name, self.command, self.timeout = name, shlex.split(command), timeout
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        os.set_blocking(self.process.stdin.fileno(), False)
        os.set_blocking(self.process.stdout.fileno(), False)

    def stop(self, kill=False):
        """Ends the process; its exit status, negative if by a signal."""
        if self.process is None:
            return 0
        process, self.process = self.process, None
        process.stdout.close()
        try:
            process.stdin.close()
        except OSError:
            pass
        try:
            if kill:
                process.kill()
            return process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def answer(self, script):
        """(the answer, None) or (None, what went wrong)."""
        if self.process is None:
            self.start()
        sending = memoryview((json.dumps(script) + "\n").encode())
        stdin, stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        received, wrong = [], None
        until = time.monotonic() + self.timeout
        while not (received and received[-1].endswith(b"\n")):
            left = until - time.monotonic()
            if left <= 0:
                wrong = "no answer in %g s" % self.timeout
                break
            readable, writable, _ = select.select(
                [stdout], [stdin] if sending else [], [], left)
            try:
                if writable:
                    sending = sending[os.write(stdin, sending[:65536]):]
                if readable:
                    data = os.read(stdout, 1 << 20)
                    if not data:
                        wrong = "ended"
                        break
                    received.append(data)
            except BlockingIOError:
                pass
            except BrokenPipeError:
                wrong = "ended"
                break
        if wrong:
            status = self.stop(kill=wrong != "ended")
            return None, "%s (exit status %s)" % (wrong, status)
        try:
            return json.loads(b"".join(received)), None
        except ValueError as error:
            self.stop(kill=True)
            return None, "not one line of JSON: %s" % error


def model_answer(script):
    session = model.open_script(script)
    steps = []
    for step in script["steps"]:
        if "op" in step:
            answer = {"op": step["op"], **model.apply(session, step["op"])}
        else:
            answer = {"dump": session.dump()}
        answer["size"], answer["chg"] = session.size(), session.changed()
        steps.append(answer)
    return {"name": script["name"], "steps": steps}, model_cases.faults(session)


def difference(expected, got):
    """(index of the step, text) of the first difference, or None."""
    if got.get("name") != expected["name"]:
        return 0, "answers to %r" % (got.get("name"),)
    if not isinstance(got.get("steps"), list):
        return 0, "no steps in the answer"
    for index, step in enumerate(expected["steps"]):
        if index >= len(got["steps"]):
            return index, "only %d steps answered" % len(got["steps"])
        theirs = got["steps"][index]
        if theirs == step or not isinstance(theirs, dict):
            if theirs != step:
                return index, "step answered with %r" % (theirs,)
            continue
        for key in ("dump", "op", "ret", "pos", "size", "chg"):
            if theirs.get(key) == step.get(key) and (key in theirs) == (key in step):
                continue
            if key == "dump" and isinstance(theirs.get(key), list) and key in step:
                mine, others = step[key], theirs[key]
                return index, "rows: model %s, other %s" % (
                    [row for row in mine if row not in others],
                    [row for row in others if row not in mine])
            return index, "%s: %s: model %s, other %s" % (
                step.get("op", "dump"), key, step.get(key, "none"),
                theirs.get(key, "none"))
        return index, "further fields: %s" % sorted(set(theirs) - set(step))
    if len(got["steps"]) > len(expected["steps"]):
        return len(expected["steps"]), "more steps answered than asked"
    return None


def check(script, runner):
    """(index, text) of what is wrong with a runner's answer, or None."""
    expected, fault = model_answer(script)
    if fault:
        return len(script["steps"]) - 1, "the model itself: %s" % fault
    if runner is None:
        return None
    got, wrong = runner.answer(script)
    if wrong:
        return len(script["steps"]) - 1, wrong
    if not isinstance(got, dict):
        return 0, "the answer is no map"
    return difference(expected, got)


def numbers(op):
    """Where in an op numbers of positions stand, as (list, index)."""
    if op[0] == "told":
        return numbers(op[3])
    if op[0] == "dup":
        return [(op, 1), (op, 2)]
    if op[0] == "cursor":
        return [(op, place) for place in (4, 5) if op[place] != -1]
    if op[0] == "turn":
        found = [(add, 1) for add in op[1] if not add[0]]
        if op[2]:
            found += [(op[2], 2)] if not op[2][1] else []
            found += [(op[2], 3)] if op[2][3] != -1 else []
        return found
    if op[0] in ("graft", "setbetter", "clear", "changed", "beside", "reload"):
        return []
    return [(op, 1)]


def renumbered(steps, script):
    """The ops kept, with numbers as they are once the others are left out.

    A position is known by how it was made: the step that made it, and which of
    those that step made it was. What is not there any more gets a number that
    never was, which both sides have to refuse.
    """
    session = model.open_script(script)
    now = {0: 0}                # number in the full script -> number here
    for step in steps:
        if "op" not in step:
            yield {"dump": None}
            continue
        op = json.loads(json.dumps(step["op"]))
        for place, index in numbers(op):
            place[index] = now.get(place[index], 2**31 - 1)
        before = session.made
        answer = model.apply(session, op)
        if op[0] == "add" and answer["ret"] is not None and step["made"]:
            now[step["made"][0]] = answer["ret"]
        for old, new in zip(step["made"][1 if op[0] == "add" else 0:],
                            range(before + (op[0] == "add"), session.made)):
            now[old] = new
        yield {"op": op}


def annotated(script):
    """The steps, each with the numbers it made (an add of a move already
    there: the one it answered)."""
    session = model.open_script(script)
    steps = []
    for step in script["steps"]:
        if "op" not in step:
            steps.append({"dump": None})
            continue
        before = session.made
        answer = model.apply(session, step["op"])
        made = list(range(before, session.made))
        if step["op"][0] == "add" and answer["ret"] is not None and not made:
            made = [answer["ret"]]
        steps.append({"op": step["op"], "made": made})
    return steps


def minimised(script, index, runner, seconds):
    """Delta-debugging on the ops; a dump after each, so that it shows at once."""
    until = time.monotonic() + seconds
    steps = [step for step in annotated(script)[:index + 1] if "op" in step]

    def build(kept):
        full = []
        for step in kept:
            full += [step, {"dump": None}]
        return dict(script, steps=list(renumbered(full, script)))

    def fails(kept):
        return check(build(kept), runner) is not None

    # Dumps at the end only until the script is short: many are slow.
    if len(steps) > 400:
        def build(kept):
            return dict(script, steps=list(renumbered(kept + [{"dump": None}], script)))

    if not fails(steps):
        return script           # it needs its dumps as they were: leave it
    parts = 2
    while len(steps) > 1 and time.monotonic() < until:
        size = -(-len(steps) // parts)
        for start in range(0, len(steps), size):
            kept = steps[:start] + steps[start + size:]
            if kept and fails(kept):
                steps, parts = kept, max(parts - 1, 2)
                break
            if time.monotonic() >= until:
                break
        else:
            if size == 1:
                break
            parts = min(len(steps), parts * 2)
    result = build(steps)
    wrong = check(result, runner)
    if wrong:                   # keep the dump that shows it, if one does
        last = wrong[0]
        short = dict(result, steps=[step for place, step in enumerate(result["steps"][:last + 1])
                                    if "op" in step or place == last])
        if check(short, runner):
            return short
    return result


def scripts_of(options, seed):
    if options.replay:
        paths = [options.replay]
        if os.path.isdir(options.replay):
            paths = sorted(path for path in
                           glob.glob(os.path.join(options.replay, "*", "*.jsonl*"))
                           if os.sep + "baba" + os.sep not in path)  # told by change
        for script in (script for path in paths for script in model_cases.lines(path)):
            if "steps" not in script:   # a level, or a divergence
                continue
            yield dict(script, steps=[{"op": s["op"]} if "op" in s else {"dump": None}
                                      for s in script["steps"]])
        return
    until = time.monotonic() + options.minutes * 60
    number = 0
    while (time.monotonic() < until if options.minutes else number < options.scripts):
        rng = random.Random("%d:%d" % (seed, number))
        ops = options.ops if options.exact else rng.randint(
            min(5, options.ops), max(5, int(options.ops * rng.choice((0.1, 0.3, 1)))))
        generator = scriptgen.Generator("%d/%d" % (seed, number), ops, options.profile,
                                        options.further)
        yield generator.script("%s-%d-%d" % (generator.name, seed, number))
        number += 1


def main():
    parser = argparse.ArgumentParser(description="Implementations side by side.")
    parser.add_argument("--runner", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--scripts", type=int, default=200)
    parser.add_argument("--ops", type=int, default=300)
    parser.add_argument("--exact", action="store_true", help="every script has --ops ops")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--profile",
                        choices=sorted({**scriptgen.PROFILES, **scriptgen.FURTHER}))
    parser.add_argument("--further", action="store_true",
                        help="scripts with cursors, turns, authors and keys")
    parser.add_argument("--replay", metavar="FILE",
                        help="scripts to play instead, or a folder of folders of them")
    parser.add_argument("--timeout", type=float, default=60, help="seconds a script")
    parser.add_argument("--failures", type=int, default=3, help="stop after so many")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**31) if options.seed is None else options.seed
    runners = []
    for runner in options.runner:
        name, _, command = runner.partition("=")
        if not name or not command:
            parser.error("--runner takes NAME=COMMAND")
        runners.append(Runner(name, command, options.timeout))
    print("seed %d" % seed, flush=True)
    passed = failed = 0
    for script in scripts_of(options, seed):
        for runner in runners or [None]:
            wrong = check(script, runner)
            if wrong is None:
                passed += 1
                continue
            failed += 1
            name = runner.name if runner else "model"
            print("%s, script %s, seed %d, step %d: %s" % (
                name, script["name"], seed, wrong[0], wrong[1]))
            small = minimised(script, wrong[0], runner, seconds=60)
            again = check(small, runner)
            print("cut down: %s" % (again[1] if again else "does not fail again"))
            print(json.dumps(small), flush=True)
        if failed >= options.failures:
            break
    for runner in runners:
        status = runner.stop()
        if status:
            failed += 1
            print("%s: exit status %d at the end" % (runner.name, status))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
