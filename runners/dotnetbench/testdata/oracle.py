"""The records of BenchmarkDotNet's files: see the table in doc.go."""

import re
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import flatten, loads, main, text  # noqa: E402

STATS = {"Min": "min", "Mean": "mean", "Median": "median", "Max": "max", "StandardDeviation": "stddev"}


def pairs(s, separator):
    return dict(p.split("=", 1) for p in re.split(separator + r"(?=\w+=)", s) if p)


def answer(content, a):
    document = loads(content)
    host = dict(flatten(document["HostEnvironmentInfo"]), Title=document.get("Title", ""))
    for row in document["Benchmarks"]:
        params = {"name": ".".join(filter(None, [row.get("Namespace"), row.get("Type"), row["Method"]]))}
        params.update(pairs(row.get("Parameters", ""), "&"))
        job = re.search(r": ([^ (]+)(?:\((.*)\))?", row.get("DisplayInfo", ""))
        if job:
            if not re.match("DefaultJob|Job-", job[1]):
                params["job"] = job[1]
            params.update(pairs(job[2] or "", ", "))
        for key, value in row.get("Properties", {}).items():
            if value not in ("Auto", "Default", "Host"):
                params[key] = value
        attrs = dict(host, HardwareIntrinsics=row.get("HardwareIntrinsics", ""))
        if row.get("MethodTitle", row["Method"]) != row["Method"]:
            attrs["MethodTitle"] = row["MethodTitle"]

        def add(value, unit="ns", better="lower", **more):
            a.add(dict(params, **more), value, unit, better, attrs=attrs)

        results = [m for m in row.get("Measurements", [])
                   if (m["IterationMode"], m.get("IterationStage")) in (("Workload", "Result"), ("Result", None))]
        statistics = row["Statistics"]
        for m in results:
            add(float(m["Nanoseconds"]) / float(m["Operations"]))
        if not results:
            for value in statistics.get("OriginalValues", []):
                add(value)
            if not statistics.get("OriginalValues"):
                for name, stat in STATS.items():
                    if name in statistics:
                        add(statistics[name], stat=stat)
                for name, value in statistics.get("Percentiles", {}).items():
                    if name not in ("P0", "P50", "P100"):
                        add(value, stat=name.lower())

        for m in row.get("Metrics", []):
            d = m["Descriptor"]
            add(m["Value"], d["Unit"], "higher" if d["TheGreaterTheBetter"] else "lower", metric=text(d["Id"]))
        if "Memory" in row and not row.get("Metrics"):
            raise SystemExit("no real file has Memory without Metrics")


main(answer)
