"""The records of Chromium's HistogramSets: see the table in doc.go."""

import math
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, loads, main, text  # noqa: E402

PARAMS = {"benchmarks": "benchmark", "stories": "story", "architectures": "architecture", "osNames": "os"}
ENDS = {"_smallerIsBetter": "lower", "-": "lower", "_biggerIsBetter": "higher", "+": "higher"}


def said(d):
    if d.get("type") == "GenericSet":
        return ",".join(text(v) for v in d.get("values", []))
    if d.get("type") == "DateRange":
        return text(d.get("min"))
    return ""


def answer(content, a):
    shared = {}
    for h in loads(content):
        if "type" in h and "guid" in h:
            shared[h["guid"]] = said(h)
            continue
        params, attrs = {"name": h["name"]}, {}
        for key, d in h.get("diagnostics", {}).items():
            value = said(d) if isinstance(d, dict) else shared.get(d, "")
            (params if key in PARAMS else attrs)[PARAMS.get(key, key)] = value
        unit, better = h["unit"], ""
        for end, direction in ENDS.items():
            if unit.endswith(end):
                unit, better = unit[: -len(end)], direction
                break
        rest = {"unit": unit, "better": better, "attrs": attrs}
        if float(h.get("numNans", 0)) > 0:
            a.errors += 1
        if h.get("sampleValues"):
            for v in h["sampleValues"]:
                if isinstance(v, Num):
                    a.add(params, v, **rest)
                else:
                    a.errors += 1
        elif h.get("running") and float(h["running"][0]) > 0:
            r = [float(x) for x in h["running"]]
            for stat, v in (("mean", r[3]), ("min", r[4]), ("max", r[1]), ("stddev", math.sqrt(max(0, r[6])))):
                a.add(dict(params, stat=stat), v, **rest)


main(answer)
