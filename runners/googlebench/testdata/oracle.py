"""The records of Google Benchmark's files: see the table in doc.go."""

import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, loads, main, param, text  # noqa: E402

FIXED = set("""name run_name run_type family_index per_family_instance_index repetitions repetition_index threads
iterations real_time cpu_time time_unit aggregate_name aggregate_unit error_occurred error_message skipped skip_message
label allocs_per_iter max_bytes_used total_allocated_bytes net_heap_growth""".split())
MEMORY = {"allocs_per_iter": "", "max_bytes_used": "B", "total_allocated_bytes": "B", "net_heap_growth": "B"}
SETTINGS = {"iterations", "repeats", "min_time", "min_warmup_time"}


def identify(row):
    """The name of the benchmark, and of its statistic."""
    run, stat, kind = row.get("run_name"), row.get("aggregate_name", ""), row.get("run_type")
    if run is None:
        run = row["name"]
        for s in ("mean", "median", "stddev", "cv", "BigO", "RMS"):
            if stat == "" and kind != "iteration" and run.endswith("_" + s):
                run, stat, kind = run[: -len(s) - 1], s, "aggregate"
                break
    return run, stat, kind == "aggregate" or stat != ""


def answer(content, a):
    doc = loads(content)
    context = {k: text(v) for k, v in doc.get("context", {}).items()}
    single = {identify(row)[0] for row in doc["benchmarks"]
              if not identify(row)[2] and row.get("error_occurred") is not True and row.get("skipped") is not True}
    for row in doc["benchmarks"]:
        run, stat, aggregate = identify(row)
        if row.get("error_occurred") is True:
            a.errors += 1
            continue
        if row.get("skipped") is True or aggregate and (stat in ("", "BigO", "RMS") or run in single):
            continue
        parts = run.split("/")
        name, params, attrs = parts[:1], {"name": ""}, dict(context)
        for p in parts[1:]:
            k, colon, v = p.partition(":")
            if colon and k in SETTINGS:
                attrs[k] = v
            elif p in ("real_time", "manual_time", "process_time"):
                attrs[p] = "true"
            elif colon and k and v and not v.startswith(":"):
                param(params, k, v)
            else:
                name.append(p)
        params["name"] = "/".join(name)
        params["stat"] = stat
        if float(row.get("threads", 0)) > 1 and "/threads:" not in run:
            params["threads"] = row["threads"]
        attrs["iterations"] = row.get("iterations", "")
        attrs["label"] = row.get("label", "")
        percent = row.get("aggregate_unit") == "percentage"
        repetition = min(max(int(row.get("repetition_index", -1)), -1), 2**31 - 1) + 1 if not stat else 0

        def add(metric, unit, better):
            a.add(dict(params, metric=metric), row[metric], "1" if percent else unit, "" if percent else better,
                  "", repetition, attrs)

        for metric in ("real_time", "cpu_time"):
            if metric in row:
                add(metric, row.get("time_unit", ""), "lower")
        for metric, unit in MEMORY.items():
            if metric in row:
                add(metric, unit, "lower")
        for metric, v in row.items():
            if metric not in FIXED and isinstance(v, Num):
                add(metric, "", "higher" if metric in ("bytes_per_second", "items_per_second") else "")


main(answer)
