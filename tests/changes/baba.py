"""The lines of the undo document done and undone on a plain table, and the traces read.

A table is {"objects": {id: {field: value}}, "level": {field: value}, "cursors": {id: {field: value}}}.
Nothing here comes from the engine: the kinds are those of the document, as the traces tell them."""
import copy
import gzip
import hashlib
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(os.path.dirname(HERE), "cases", "baba")
MORE = os.path.join(HERE, "..", "..", "..", "shared", "cases", "baba")  # others, where they are

OBJECT = {"name": "", "x": 0, "y": 0, "dir": 0, "float": 0, "broken": 0, "holder": 0, "followed": 0,
          "back_init": 0, "dead": 0, "colour": [0, 3, 1], "levelfile": "", "levelname": "",
          "vislevel": 0, "completed": 0, "visstyle": 0, "maplevel": False, "colourstr": "",
          "clearcolour": "", "originalname": ""}
LEVEL = {"xoffset": 0, "yoffset": 0, "dir": 0, "rotation": 0, "bonus": 0, "vision": 0,
         "visiontarget": 0}

# kind: the space; the place of the id; {field: place} of old values; of new ones.
CHANGES = {
    "update": ("objects", 8, {"x": 5, "y": 6, "dir": 7}, {"x": 2, "y": 3, "dir": 4}),
    "backset": ("objects", 2, {"back_init": 3}, {}),
    "float": ("objects", 2, {"float": 3}, {"float": 4}),
    "followed": ("objects", 1, {"followed": 2}, {}),
    "holder": ("objects", 1, {"holder": 2}, {"holder": 3}),
    "levelupdate": ("level", None, {"xoffset": 1, "yoffset": 2, "dir": 5},
                    {"xoffset": 3, "yoffset": 4, "dir": 6}),
    "maprotation": ("level", None, {"rotation": 1}, {"rotation": 2, "dir": 3}),
    "mapdir": ("level", None, {"dir": 1}, {"dir": 2}),
    "mapcursor": ("cursors", 9, {"onlevel": 1, "x": 2, "y": 3, "dir": 4},
                  {"onlevel": 5, "x": 6, "y": 7, "dir": 8}),
    "visiontarget": ("level", None, {"visiontarget": 1}, {"visiontarget": 2}),
}
REMOVED = ["levelfile", "levelname", "vislevel", "completed", "visstyle", "maplevel", "colourstr",
           "clearcolour", "followed", "back_init", "originalname"]  # places 7 ...


def row(table, space, id):
    return table["level"] if space == "level" else table[space][id]


def forth(table, line, after=()):
    """Does a line; after: [field, value] of what it does not tell."""
    kind = line[0]
    o = table["objects"]
    if kind == "create":
        assert line[2] not in o
        o[line[2]] = {**OBJECT, "name": line[1], "x": line[5], "y": line[6], "dir": line[7],
                      "originalname": line[1]}
        return
    if kind == "remove":
        del o[line[5]]
        return
    if kind in CHANGES:
        space, place, _, new = CHANGES[kind]
        r = row(table, space, place and line[place])
        r.update({f: line[p] for f, p in new.items()})
    elif kind == "done":
        r = o[line[5]]
        r["dead"] = 1
    elif kind == "colour":
        r = o[line[1]]
    elif kind == "broken":
        r = o[line[2]]
        r["broken"] = line[1]
    elif kind == "bonus":
        r = table["level"]
        r["bonus"] = line[1]
    elif kind == "startvision":
        r = table["level"]
        r.update(vision=1, visiontarget=line[1])
    elif kind == "stopvision":
        r = table["level"]
        r.update(vision=0, visiontarget=0)
    r.update(after)


def back(table, line, was):
    """Undoes a line; was: the table before it, for what no line can tell (the dir before a
    maprotation; float, broken, holder, colour of what was removed)."""
    kind = line[0]
    o = table["objects"]
    if kind == "create":
        del o[line[2]]
    elif kind == "remove":
        o[line[5]] = {**was["objects"].get(line[5], OBJECT), "name": line[1], "x": line[2], "y": line[3],
                      "dir": line[4], **{f: line[7 + i] for i, f in enumerate(REMOVED)
                                         if 7 + i < len(line)}}
    elif kind in CHANGES:
        space, place, old, _ = CHANGES[kind]
        r = row(table, space, place and line[place])
        r.update({f: line[p] for f, p in old.items()})
        if kind == "maprotation":
            r["dir"] = was["level"]["dir"]
    elif kind == "done":
        o[line[5]].update(dead=0, float=line[7])
    elif kind == "colour":
        o[line[1]]["colour"] = list(line[2:5])
    elif kind == "broken":
        o[line[2]]["broken"] = 1 - line[1]
    elif kind == "bonus":
        table["level"]["bonus"] = 1 - line[1]
    elif kind == "startvision":
        table["level"].update(vision=0, visiontarget=was["level"]["visiontarget"])
    elif kind == "stopvision":
        table["level"].update(vision=1, visiontarget=line[1])


def do(table, lines, after=None):
    for i, line in enumerate(lines):
        forth(table, line, [(f, v) for n, f, v in after or [] if n == i])


def undo(table, lines, was):
    """Undoes lines, newest first; was: the table where that ends."""
    for line in lines:
        back(table, line, was)


def board_hash(table):
    rows = [",".join(str(r[f]) for f in ("name", "x", "y", "dir")) for r in table["objects"].values()]
    return hashlib.sha256(";".join(sorted(rows)).encode()).hexdigest()[:16]


# ---- traces --------------------------------------------------------------------------------------

def names(*prefixes):
    """The traces whose names begin so, of both folders; each once."""
    found = {}
    for folder in (MORE, CASES):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if ".jsonl" in name and name.startswith(prefixes):
                found[name] = os.path.join(folder, name)
    return [found[name] for name in sorted(found)]


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def table_of(record):
    """The table of a record of a trace of either sort."""
    told = record["table"]
    if isinstance(told, list):
        return {"objects": {i: {**OBJECT, "name": n, "x": x, "y": y, "dir": d, "originalname": n}
                            for i, n, x, y, d in told},
                "level": dict(LEVEL), "cursors": {}}
    vision = told["level"]["vision"]
    return {"objects": {int(k): v for k, v in told["objects"].items()},
            "level": {**told["level"], "vision": vision["on"], "visiontarget": vision["target"]},
            "cursors": {int(k): v for k, v in told["cursors"].items()}}


def told(table):
    """A table as beginchanges takes it."""
    return {"objects": [[k, v] for k, v in table["objects"].items()], "level": table["level"],
            "cursors": [[k, v] for k, v in table["cursors"].items()]}


# What no line tells of the field it changes, and the place of the id, and of the old value.
UNTOLD = {"backset": ("back_init", 2, 3), "colour": ("colour", 1, None),
          "followed": ("followed", 1, 2), "done": ("float", 5, 7)}


def after_of(record):
    """[line, field, value] of what the lines of a turn do not tell, from the table after it: walking
    back, the value after a line is what the next line on that field says it was before."""
    if not isinstance(record.get("table"), dict):
        return None
    objects, later, out = table_of(record)["objects"], {}, []
    for i, line in reversed(list(enumerate(record["lines"]))):
        if line[0] in UNTOLD:
            field, place, old = UNTOLD[line[0]]
            id = line[place]
            value = later.get((id, field), objects.get(id, {}).get(field))
            if value is not None:
                out.append([i, field, value])
            later[id, field] = line[old] if old else list(line[2:5])
        elif line[0] == "float":
            later[line[2], "float"] = line[3]
        elif line[0] == "remove":
            for field, place in (("followed", 15), ("back_init", 16)):
                later[line[5], field] = line[place]
            later[line[5], "float"] = 0
            later[line[5], "colour"] = [0, 3, 1]
    return sorted(out) or None


def deep(table):
    return copy.deepcopy(table)
