"""The records of BenchmarkDotNet's files: see the table in doc.go."""

import re
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import flatten, loads, main, text  # noqa: E402

STATS = {"Min": "min", "Mean": "mean", "Median": "median", "Max": "max", "StandardDeviation": "stddev"}

COLLECTIONS = {"Gen%dCollections" % n: "Gen%dCollects" % n for n in range(3)}


def pairs(s, separator):
    return dict(p.split("=", 1) for p in re.split(separator + r"(?=\w+=)", s) if p)


def answer(content, a):
    document = loads(content)
    host = dict(flatten(document.get("HostEnvironmentInfo")), Title=document.get("Title", ""))
    for row in document["Benchmarks"]:
        full, given = row.get("FullName", ""), row.get("Parameters", "")
        name = ".".join(filter(None, [row.get("Namespace"), row.get("Type"), row["Method"]]))
        called = "." + row["Method"]
        if full and (not given or "(...)" in given):
            name = full
        elif called + "(" in full:
            name = full.partition(called + "(")[0] + called
        params = {"name": name}
        params.update(pairs(given if "(...)" not in given else "", "&"))
        job = re.search(re.escape(row.get("MethodTitle", "")) + r": ([^ (]+)(?:\((.*)\))?", row.get("DisplayInfo", ""))
        if job:
            if not re.match("DefaultJob|Job-", job[1]):
                params["job"] = job[1]
            params.update(pairs(job[2] or "", ", "))
        for key, value in row.get("Properties", {}).items():
            if text(value) not in ("Auto", "Default", "Host"):
                params[key] = text(value)
        attrs = dict(host, HardwareIntrinsics=row.get("HardwareIntrinsics", ""))
        if row.get("MethodTitle", row["Method"]) != row["Method"]:
            attrs["MethodTitle"] = row["MethodTitle"]

        def add(value, unit="ns", better="lower", **more):
            a.add(dict(params, **more), value, unit, better, attrs=attrs)

        results = [m for m in row.get("Measurements", [])
                   if (m["IterationMode"], m.get("IterationStage")) in (("Workload", "Result"), ("Result", None))]
        statistics = row["Statistics"]  # the benchmark failed if it has none
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
            better = {True: "higher", False: "lower"}.get(d.get("TheGreaterTheBetter"), "")
            if "Value" in m:
                add(m["Value"], d.get("Unit", ""), better, metric=text(d.get("Id")))
        given = [m["Descriptor"].get("Id") for m in row.get("Metrics", [])]
        memory = row.get("Memory", {})
        n = float(memory.get("TotalOperations", 0))
        for member, metric in COLLECTIONS.items():
            if metric not in given and member in memory and n:
                add(float(memory[member]) / n * 1000, "Count", metric=metric)
        if "Allocated Memory" not in given and "BytesAllocatedPerOperation" in memory:
            add(memory["BytesAllocatedPerOperation"], "B", metric="Allocated Memory")


main(answer)
