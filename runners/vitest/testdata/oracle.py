"""The records of Vitest's and tinybench's files: see the tables in doc.go."""

import re
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import loads, main, text  # noqa: E402

STATISTICS = ("mean", "median", "min", "max", "p75", "p99", "p995", "p999")


def times(a, params, attrs, numbers):
    attrs["sampleCount"] = text(numbers.get("sampleCount", numbers.get("samplesCount")))
    for v in numbers.get("samples", []):
        a.add(params, v, "ms", "lower", attrs=attrs)
    if not numbers.get("samples"):
        if "median" not in numbers and "p50" in numbers:
            # The reader yields p50 last.
            numbers = {k: v for k, v in numbers.items() if k != "p50"} | {"p50": numbers["p50"]}
        elif "p50" in numbers:
            numbers = {k: v for k, v in numbers.items() if k != "p50"}
        found = [s for s in STATISTICS + ("p50",) if s in numbers]
        for s in found:
            a.add(dict(params, stat="median" if s == "p50" else s), numbers[s], "ms", "lower", attrs=attrs)
        if not found:
            a.errors += 1


def readReport(file, a):
    a.errors += file.get("message", "") != ""
    for test in file.get("assertionResults", []):
        a.errors += test.get("status") == "failed"
        for comparison in test.get("benchmarks", []):
            for task in comparison["tasks"]:
                if not task.get("fromStore"):
                    params = {"file": file.get("name", "").rpartition("/")[2], "group": comparison["name"]}
                    params["name"] = task["name"]
                    if "error" in task:
                        a.errors += 1
                        continue
                    times(a, params, {"filepath": file.get("name", "")}, task["latency"])


def answer(content, a):
    doc = loads(content)
    if isinstance(doc, list):
        for task in doc:
            result = task.get("result", task)
            if "error" in result:
                a.errors += 1
                continue
            attrs = {k: text(result.get(k)) for k in ("state", "runtime", "runtimeVersion", "timestampProviderName")}
            times(a, {"name": task["name"]}, attrs, result.get("latency", result))
        return
    for file in doc.get("files", []) + doc.get("testResults", []):
        readReport(file, a)
    for file in doc.get("files", []) + doc.get("testResults", []):
        path = file.get("filepath", "")
        for group in file.get("groups", []) if "assertionResults" not in file else []:
            name, _, suites = group["fullName"].partition(" > ")
            if path and path != name and not (name and path.endswith("/" + name)):
                name, suites = re.split(r"[/\\]", path)[-1], group["fullName"]
            for b in group["benchmarks"]:
                times(a, {"file": name, "group": suites, "name": b["name"]}, {"filepath": path}, b)


main(answer)
