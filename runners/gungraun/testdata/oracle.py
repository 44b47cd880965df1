"""The records of Gungraun's summaries of versions 4 to 7: see the table in doc.go."""

import json
import os
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, first, main, text  # noqa: E402

ATTRS = ("kind", "details", "description", "group", "baselines", "benchmark_exe", "benchmark_file", "package_dir",
         "project_root")


def documents(content):
    decoder = json.JSONDecoder(parse_int=Num, parse_float=Num, object_pairs_hook=first)
    at = 0
    while at < len(content):
        if content[at] == "{" and (at == 0 or content[at - 1] == "\n"):
            document, at = decoder.raw_decode(content, at)
            yield document
        at += 1


def new(metric):
    either = metric.get("metrics", {})
    value = metric.get("values", {}).get("new", either.get("Left", either.get("Both", [None])[0]))
    if isinstance(value, dict):
        value = value.get("Int", value.get("Float", value.get("value")))
    return value


def unit(name):
    return "%" if name.endswith("Rate") else "bytes" if name.endswith("Bytes") else ""


def answer(content, a):
    for d in documents(content):
        attrs = {k: text(d[k]) for k in ATTRS if k in d}
        for p in d["profiles"]:
            params = {"name": d["module_path"], "id": d.get("id") or "", "tool": p["tool"]}
            kinds = p.get("summaries", {}).get("total", {}).get("summary", "None")
            groups = list(kinds.values()) if isinstance(kinds, dict) else []
            groups.append(p.get("data", {}).get("total", {}).get("metrics", {}))
            for group in groups:
                for name, metric in group.items():
                    if new(metric) is not None:
                        a.add(dict(params, metric=name), new(metric), unit(name), attrs=attrs)


# The files there have the suffixes of what they are: a document, or the whole output.
assert os.path.isdir(sys.argv[1])
main(answer, (".json", ".txt"))
