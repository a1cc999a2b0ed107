"""The engine as the tests see it: routes-runner, a JSON object a line each way."""
import json
import subprocess


class Engine:
    def __init__(self, runner):
        self.process = subprocess.Popen([runner], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def raw(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("routes-runner died on %s" % json.dumps(message)[:2000])
        return json.loads(line)

    def call(self, message):
        answer = self.raw(message)
        if "error" in answer:
            raise AssertionError("%s: %s" % (answer["error"], answer.get("text")))
        return answer

    def load(self, case):
        self.call({"new": True})
        self.call({"network": {k: case.get(k, []) for k in ("nodes", "edges", "mutex")}})

    def ask(self, question, rules, **more):
        asked = {k: question[k] for k in ("company", "trains", "bonuses") if k in question}
        return self.call(dict(more, question=asked, rules=rules))

    def close(self):
        self.process.stdin.close()
        return self.process.wait()
