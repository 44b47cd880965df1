"""The records of BenchmarkTools' and PkgBenchmark's files: see the table in doc.go."""

import re
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import loads, main, text  # noqa: E402


def walk(a, typed, name, tags, attrs, commit):
    typ, fields = typed[0].replace("BenchmarkTools.", ""), typed[1]
    if typ == "BenchmarkGroup":
        tags = text(fields["tags"]) if fields.get("tags", []) != [] else tags
        for key, value in fields["data"].items():
            walk(a, value, name + "/" + key if name else key, tags, attrs, commit)
        return
    if typ not in ("Trial", "TrialEstimate"):
        return
    attrs = dict(attrs, tags=tags, **{"params." + k: text(v) for k, v in fields.get("params", ["", {}])[1].items()})

    def add(metric, value, unit, **stat):
        a.add(dict(name=name, metric=metric, **stat), value, unit, "", commit, 0, attrs)

    if typ == "Trial":
        for value in fields["times"]:
            add("time", value, "ns")
        for value in fields["gctimes"]:
            add("gctime", value, "ns")
        stat = {}
    else:
        stat = {"stat": "estimate"}
        add("time", fields["time"], "ns", **stat)
        add("gctime", fields["gctime"], "ns", **stat)
    add("memory", fields["memory"], "bytes", **stat)
    add("allocs", fields["allocs"], "", **stat)


def answer(content, a):
    file = loads(content)
    attrs, commit = {}, ""
    if isinstance(file, dict):
        if "benchmarkgroup" not in file:
            a.errors = 1  # it is of another version
            return
        attrs = {k: text(file[k]) for k in ("date", "julia_commit", "vinfo", "benchmarkconfig")}
        attrs["package"] = file["name"]
        if re.fullmatch("[0-9a-fA-F]{7,}", file["commit"]):
            commit = file["commit"]
        elif file["commit"] == "dirty":
            attrs["dirty"] = "true"
        file = loads(file["benchmarkgroup"])
    if isinstance(file[0], str):
        file = [{}, [file]]
    if isinstance(file[0], dict):
        attrs.update({k: text(v) for k, v in file[0].items() if k in ("Julia", "BenchmarkTools")})
    for typed in file[1]:
        walk(a, typed, "", "", attrs, commit)


main(answer)
