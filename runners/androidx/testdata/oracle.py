"""The records of AndroidX's files: see the table in doc.go."""

import re
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import flatten, loads, main, param, text  # noqa: E402

UNITS = {"Ns": "ns", "Us": "us", "Ms": "ms", "Kb": "Kb", "Bytes": "bytes", "Percent": "%"}
ATTRS = ("totalRunTimeNs", "warmupIterations", "repeatIterations", "thermalThrottleSleepSeconds")


def answer(content, a):
    file = loads(content)
    for b in file["benchmarks"]:
        params = {"class": b["className"]}
        for k, v in b.get("params", {}).items():
            param(params, k, text(v))
        name = re.sub(r"\[.*\]$", "", b["name"]) if b.get("params") else b["name"]
        param(params, "name", name)
        attrs = dict(flatten(file.get("context")), **{k: text(b[k]) for k in ATTRS if k in b})
        for metrics, sampled in ((b.get("metrics", {}), False), (b.get("sampledMetrics", {}), True)):
            for metric, values in metrics.items():
                unit = next((u for suffix, u in UNITS.items() if metric.endswith(suffix)), "")
                for i, run in enumerate(values["runs"]):
                    for value in run if sampled else [run]:
                        own = dict(attrs, iteration=str(i)) if sampled else attrs
                        a.add(dict(params, metric=metric), value, unit, attrs=own)


main(answer)
