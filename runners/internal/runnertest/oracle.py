"""What the oracles of the runners' formats have in common. Each format has a script, testdata/oracle.py,
which says in Python what becomes of its files, and writes testdata/answers.jsonl.

Run a script in the folder of its package: python3 testdata/oracle.py ../../../shared/runners/FOLDER

With --documents before a folder, it reads documents of package perfdatatest, in files named by their kind and
seed, such as valid-7 and faulty-7, and writes testdata/recorded.txt.
"""

import gzip
import hashlib
import json
import math
import os
import re
import struct
import sys


class Num(str):
    """A number, as it is written."""


class Object(dict):
    """An object, in which null means that the member is absent, except in the text of the whole."""

    def get(self, key, default=None):
        v = super().get(key)
        return default if v is None else v

    def __getitem__(self, key):
        if key not in self:
            raise KeyError(key)
        return super().__getitem__(key)

    def __contains__(self, key):
        return super().get(key) is not None


def first(pairs):
    """An object. Of duplicate members, the first one counts."""
    d = Object()
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
    quoted = json.dumps(s, ensure_ascii=False)
    return re.sub(r"\\[bf\\]", lambda m: {"\\b": r"\u0008", "\\f": r"\u000c"}.get(m[0], m[0]), quoted)


def flatten(v, prefix=""):
    """Strings, numbers and booleans of nested objects, with names joined by dots."""
    attrs = {}
    for k, x in v.items() if isinstance(v, dict) else ():
        if isinstance(x, dict):
            attrs.update(flatten(x, prefix + k + "."))
        elif not isinstance(x, list) and x is not None:
            attrs[prefix + k] = text(x)
    return attrs


def clean(s):
    """The text without lone surrogates."""
    return re.sub("[\ud800-\udfff]", "\ufffd", s)


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
            d = {clean(k): clean(v) for k, v in d.items()}
            return "".join(f"{k}={d[k]}," for k in sorted(d, key=lambda k: k.encode()))

        bits = struct.pack(">d", f).hex()
        self.lines.append(f"{pairs(params)}|{bits}|{clean(unit)}|{better}|{clean(commit)}|{repetition}|"
                          f"{pairs(attrs)}|{pairs(links)}")


def main(answer, suffixes=(".json",)):
    """Writes what answer, a function of a file's text and Answers, says of each file."""
    if sys.argv[1] == "--documents":
        record(answer, sys.argv[2])
        return
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


def record(answer, folder):
    """Writes what answer says of each generated document: its lines, and the number of errors."""
    with open("testdata/recorded.txt", "w", encoding="utf-8") as out:
        out.write("# reference: testdata/oracle.py, with Python " + sys.version.split()[0] + "\n")
        out.write("# columns: document, its SHA-256, answer (error, or the number of lines and their digest)\n")
        for name in sorted(os.listdir(folder), key=lambda n: (n.startswith("faulty"), int(n.split("-")[1]))):
            with open(os.path.join(folder, name), "rb") as f:
                document = f.read()
            try:
                a = Answers()
                answer(document.decode("utf-8"), a)
                lines = a.lines + [f"errors: {a.errors}"]
                digest = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
                said = f"{len(lines)} {digest[:16]}"
            except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
                said = "error"
            kind, seed = name.split("-")
            out.write(f"{kind} {int(seed)} {hashlib.sha256(document).hexdigest()} {said}\n")
