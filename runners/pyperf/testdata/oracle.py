"""The records of pyperf's files: see the table in doc.go."""

import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import loads, main, text  # noqa: E402


def metadata(d):
    both = dict(d.get("common_metadata", {}), **{k: v for k, v in d.get("metadata", {}).items() if has(v)})
    return {k: v for k, v in both.items() if has(v)}


def has(v):
    return text(v).strip() != ""


def answer(content, a):
    file = loads(content)
    for benchmark in file["benchmarks"]:
        for run in benchmark["runs"]:
            attrs = {**metadata(file), **metadata(benchmark), **metadata(run)}
            attrs = {k: text(v).strip() for k, v in attrs.items()}
            params = {"name": attrs.pop("name", "")}
            unit = attrs.pop("unit", "second")
            commit = attrs.pop("commit_id", "")
            if "commit_date" in attrs:
                attrs["commit-time"] = attrs.pop("commit_date")
            for value in run.get("values", run.get("samples", [])):
                if float(value) > 0:
                    a.add(params, value, unit, "", commit, 0, attrs)
                else:
                    a.errors += 1


main(answer, (".json", ".json.gz"))
