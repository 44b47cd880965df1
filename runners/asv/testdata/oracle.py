"""The records of asv's folders: see the table in doc.go."""

import datetime
import hashlib
import itertools
import json
import os
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Answers, Num, loads, param, text  # noqa: E402

STATS = ("q_25", "q_75", "ci_99_a", "ci_99_b")


def rows(file):
    """The rows of either layout: name, version, params, result, samples and statistics."""
    for name, row in file["results"].items():
        if "result_columns" in file:
            columns = dict(zip(file["result_columns"], row or []))
            stats = [columns.get("stats_" + s) for s in STATS]
            yield (name, columns.get("version"), columns.get("params") or [], columns.get("result"),
                   columns.get("samples"), stats)
            continue
        if not isinstance(row, dict):
            row = {"result": row}
        result = row["result"]
        if result is not None and not isinstance(result, list):
            result = [result]
        stats = row.get("stats")
        stats = stats if isinstance(stats, list) else [stats]
        split = [[(s or {}).get("q_25") for s in stats], [(s or {}).get("q_75") for s in stats],
                 [(s or {}).get("ci_99", [None, None])[0] for s in stats],
                 [(s or {}).get("ci_99", [None, None])[1] for s in stats]]
        version = file.get("benchmark_version", {}).get(name)
        yield name, version, row.get("params") or [], result, row.get("samples"), split


def at(values, i):
    return values[i] if values and i < len(values) else None


def answer(file, name, about, a):
    attrs = {k: text(v) for k, v in file["params"].items()}
    attrs.setdefault("python", text(file["python"]))
    attrs.update(requirements=text(file["requirements"]), env_vars=text(file["env_vars"]) if "env_vars" in file else "")
    date = datetime.datetime.fromtimestamp(int(file["date"]) // 1000, datetime.timezone.utc)
    attrs["commit-time"] = date.strftime("%Y-%m-%dT%H:%M:%SZ")
    env = file.get("env_name") or name[:-len(".json")].split("-", 1)[1]
    for benchmark, version, values, result, samples, stats in rows(file):
        b = about.get(benchmark)
        if b is None or version is not None and version != b.get("version"):
            continue
        if result is None:
            a.errors += 1
            continue
        better = "lower" if b["type"] in ("time", "memory", "peakmemory") else ""
        for i, combination in enumerate(itertools.product(*values)):
            params = {"env": env, "name": benchmark}
            for p, value in enumerate(combination):
                names = b["param_names"]
                param(params, names[p] if p < len(names) else "param%d" % (p + 1), str(value))
            own = dict(attrs, version=version or "")

            def add(value, **stat):
                if isinstance(value, Num):
                    a.add(dict(params, **stat), value, b["unit"], better, file["commit_hash"], 0, own)

            r = at(result, i)
            if r is None:
                a.errors += 1
            elif r == "NaN":
                continue
            elif at(samples, i):
                for sample in samples[i]:
                    add(sample)
            else:
                found = [at(s, i) for s in stats]
                if any(found):
                    add(r, stat="median")
                    for stat, value in zip(STATS, found):
                        add(value, stat=stat)
                else:
                    add(r)


def folder(root, a):
    with open(os.path.join(root, "benchmarks.json"), encoding="utf-8") as f:
        about = {k: v for k, v in loads(f.read()).items() if isinstance(v, dict)}
    for machine in sorted(os.listdir(root)):
        if not os.path.isdir(os.path.join(root, machine)):
            continue
        for name in sorted(os.listdir(os.path.join(root, machine))):
            if name in ("machine.json", "benchmarks.json") or not name.endswith(".json"):
                continue
            with open(os.path.join(root, machine, name), encoding="utf-8") as f:
                content = f.read()
            try:
                file = loads(content)
                file["commit_hash"]
            except (ValueError, KeyError):
                a.errors += 1
                continue
            answer(file, name, about, a)


with open("testdata/answers.jsonl", "w", encoding="utf-8") as out:
    for name in sorted(os.listdir(sys.argv[1])):
        a = Answers()
        folder(os.path.join(sys.argv[1], name), a)
        whole = "".join(line + "\n" for line in a.lines)
        row = {"File": name, "Records": len(a.lines), "Errors": a.errors,
               "SHA256": hashlib.sha256(whole.encode()).hexdigest(), "First": a.lines[:3]}
        out.write(json.dumps(row, ensure_ascii=False) + "\n")
