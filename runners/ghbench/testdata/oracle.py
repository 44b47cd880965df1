"""The records of github-action-benchmark's histories: see the table in doc.go."""

import datetime
import re
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import loads, main, text  # noqa: E402

HIGHER = {"customBiggerIsBetter", "benchmarkjs", "pytest"}
LOWER = {"customSmallerIsBetter", "cargo", "benchmarkluau", "googlecpp", "catch2", "julia", "benchmarkdotnet"}
EPOCH = datetime.datetime(1970, 1, 1)


def better(tool, unit):
    if unit == "ops" or re.search(r"/(s|sec|second)$", unit):
        return "higher"
    return "higher" if tool in HIGHER else "lower" if tool in LOWER else ""


def date(ms):
    t = EPOCH + datetime.timedelta(milliseconds=int(ms))
    return t.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (t.microsecond // 1000)


def attributes(b, tool, attrs):
    attrs["range"] = text(b.get("range"))
    others = []
    for line in b.get("extra", "").split("\n"):
        key, colon, v = line.partition(": ")
        if not colon and tool == "julia":
            key, colon, v = line.partition("=")
        if colon and key:
            attrs[key] = "" if v.startswith("undefined") else v
        elif line:
            others.append(line)
    attrs["extra"] = ", ".join(others)
    return attrs


def answer(content, a):
    if content.lstrip().startswith("["):
        for b in loads(content):
            unit = b["unit"].split("\t")[0]
            a.add({"name": b["name"]}, b["value"], unit, better("", unit), "", 0, attributes(b, "", {}))
        return
    content = re.sub(r"^\s*window\.BENCHMARK_DATA\s*=", "", content).rstrip()
    if content.endswith(";"):
        content = content[:-1]
    for suite, entries in loads(content)["entries"].items():
        for e in entries:
            tool, commit = e.get("tool", ""), e.get("commit", {})
            names = {b["name"]: b["unit"].split("\t")[0] for b in e["benches"]} if tool == "go" else {}
            for b in e["benches"]:
                name, unit, rest = b["name"], *(b["unit"].split("\t", 1) + [""])[:2]
                base = name.removesuffix(" - " + unit)
                if base != name and base in names:
                    if names[base] == unit:
                        continue
                    name = base
                attrs = {"commit-time": commit.get("timestamp", ""), "date": date(e["date"]) if "date" in e else ""}
                attributes(b, tool, attrs)

                def add(value, unit):
                    a.add({"suite": suite, "tool": tool, "name": name}, value, unit, better(tool, unit),
                          commit.get("id", ""), 0, attrs, {"commit": commit["url"]} if "url" in commit else {})

                add(b["value"], unit)
                fields = rest.split() if tool == "go" else []
                for value, unit in zip(fields[::2], fields[1::2]):
                    if name + " - " + unit not in names:
                        add(value, unit)


main(answer, (".data.js", ".json"))
