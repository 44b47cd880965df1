"""The records of Gungraun's summaries: see the table in doc.go."""

import json
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, first, main, text  # noqa: E402

ATTRS = ("kind", "details", "description", "group", "baselines", "benchmark_exe", "benchmark_file", "package_dir",
         "project_root")


def documents(content):
    decoder = json.JSONDecoder(parse_int=Num, parse_float=Num, parse_constant=Num, object_pairs_hook=first)
    at = 0
    while at < len(content):
        if content[at] == "{" and (at == 0 or content[at - 1] == "\n"):
            document, at = decoder.raw_decode(content, at)
            yield document
        at += 1


def new(metric):
    """The new values: there are several only in generated documents, which are of all versions at once."""
    either = metric.get("metrics", {})
    found = [metric.get("values", {}).get("new"), either.get("Left"), next(iter(either.get("Both", [])), None),
             metric.get("new")]
    return [v for v in found if v is not None]


def unit(name):
    return "%" if name.endswith("Rate") else "bytes" if name.endswith("Bytes") else ""


def answer(content, a):
    for d in documents(content):
        name = d["module_path"]
        if d["version"] not in ("1", "2", "3", "4", "5", "6", "7"):
            a.errors += 1
            continue
        attrs = {k: text(d[k]) for k in ATTRS if k in d}

        def add(tool, metric, v):
            params = {"name": name, "id": d.get("id", ""), "tool": tool, "metric": metric}
            if not isinstance(v, dict):
                a.add(params, v, unit(metric), attrs=attrs)
                return
            for member in ("Int", "Float", "value"):
                if member in v:
                    own = v.get("unit", "") if member == "value" else ""
                    a.add(params, v[member], own or unit(metric), attrs=attrs)

        def read(tool, metrics):
            for metric, values in metrics.items():
                for v in new(values):
                    add(tool, metric, v)

        def kinds(tool, summary):
            for metrics in summary.values() if isinstance(summary, dict) else ():
                read(tool, metrics)

        for p in d.get("profiles", []):
            tool = p.get("tool", "")
            kinds(tool, p.get("summaries", {}).get("total", {}).get("summary"))
            read(tool, p.get("data", {}).get("total", {}).get("metrics", {}))
        callgrind = d.get("callgrind_summary", {})
        read("Callgrind", callgrind.get("callgrind_run", {}).get("total", {}).get("summary", {}))
        for one in callgrind.get("summaries", []):
            read("Callgrind", one.get("events", {}))
        for t in d.get("tool_summaries", []):
            summaries = t.get("summaries", [])
            if isinstance(summaries, dict):
                kinds(t.get("tool", ""), summaries.get("total"))
                continue
            for one in summaries:
                for metric, v in one.get("error_summary", {}).items():
                    add(t.get("tool", ""), metric, v)


main(answer, (".json", ".txt"))
