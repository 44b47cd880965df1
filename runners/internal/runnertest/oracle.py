"""What the oracles of the runners' formats have in common. Each format has a script, testdata/oracle.py,
which says in Python what becomes of its files, and writes testdata/answers.jsonl.

Run a script in the folder of its package: python3 testdata/oracle.py ../../../shared/runners/FOLDER
"""

import gzip
import hashlib
import json
import math
import os
import struct
import sys


class Num(str):
    """A number, as it is written."""


def first(pairs):
    """An object. Of duplicate members, the first one counts."""
    d = {}
    for k, v in pairs:
        d.setdefault(k, v)
    return d


def loads(text):
    return json.loads(text, parse_int=Num, parse_float=Num, parse_constant=Num, object_pairs_hook=first)


def param(params, key, value):
    """Adds a parameter that a benchmark's author named."""
    while key in params or key in ("metric", "stat", "unit"):
        key = "params." + key
    params[key] = value


def text(v):
    """The text of any value, as an attr has it."""
    if isinstance(v, str):
        return str(v)
    if isinstance(v, bool):
        return "true" if v else "false"
    if v is None:
        return ""
    return compact(v)


def compact(v):
    if isinstance(v, dict):
        return "{" + ",".join(quote(k) + ":" + compact(x) for k, x in v.items()) + "}"
    if isinstance(v, list):
        return "[" + ",".join(compact(x) for x in v) + "]"
    if isinstance(v, Num):
        return str(v)
    if v is None:
        return "null"
    if isinstance(v, bool):
        return text(v)
    return quote(v)


def quote(s):
    return json.dumps(s, ensure_ascii=False)


def flatten(v, prefix=""):
    """Strings, numbers and booleans of nested objects, with names joined by dots."""
    attrs = {}
    for k, x in v.items():
        if isinstance(x, dict):
            attrs.update(flatten(x, prefix + k + "."))
        elif not isinstance(x, list) and x is not None:
            attrs[prefix + k] = text(x)
    return attrs


class Answers:
    """The records of one file."""

    def __init__(self):
        self.lines, self.errors = [], 0

    def add(self, params, value, unit="", better="", commit="", repetition=0, attrs={}, links={}):
        f = float(value)
        if math.isnan(f) or math.isinf(f):
            self.errors += 1
            return
        params = {k: v for k, v in params.items() if v != ""}
        if unit:
            params["unit"] = unit
        attrs = {k: v for k, v in attrs.items() if v != ""}

        def pairs(d):
            return "".join(f"{k}={d[k]}," for k in sorted(d, key=lambda k: k.encode()))

        bits = struct.pack(">d", f).hex()
        self.lines.append(f"{pairs(params)}|{bits}|{unit}|{better}|{commit}|{repetition}|{pairs(attrs)}|{pairs(links)}")


def main(answer, suffixes=(".json",)):
    """Writes what answer, a function of a file's text and Answers, says of each file."""
    folder = sys.argv[1]
    with open("testdata/answers.jsonl", "w", encoding="utf-8") as out:
        for name in sorted(os.listdir(folder)):
            if not name.endswith(suffixes):
                continue
            a = Answers()
            opened = gzip.open if name.endswith(".gz") else open
            with opened(os.path.join(folder, name), "rt", encoding="utf-8") as f:
                content = f.read()
            if content == "":
                a.errors = 1
            else:
                answer(content, a)
            whole = "".join(line + "\n" for line in a.lines)
            row = {"File": name, "Records": len(a.lines), "Errors": a.errors,
                   "SHA256": hashlib.sha256(whole.encode()).hexdigest(), "First": a.lines[:3]}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
