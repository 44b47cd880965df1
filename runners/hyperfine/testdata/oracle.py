"""The records of hyperfine's files: see the table in doc.go."""

import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import loads, main, param, text  # noqa: E402


def answer(content, a):
    for r in loads(content)["results"]:
        params = {"name": r["command"]}
        for k, v in r.get("parameters", {}).items():
            param(params, k, text(v))
        if "parameter" in r:
            param(params, "parameter", text(r["parameter"]))
        codes = r.get("exit_codes")
        failed = codes is not None and any(c is None or c != "0" for c in codes)

        def stat(metric, member, name):
            if r.get(member) is None:
                return
            if failed:
                a.errors += 1
            else:
                a.add(dict(params, metric=metric, stat=name), r[member], "s", "lower")

        a.errors += sum(c is None or c != "0" for c in codes or [])
        for metric, member, unit, better in (("time", "times", "s", "lower"), ("memory", "memory_usage_byte", "B", "")):
            for i, v in enumerate(r.get(member, [])):
                if codes is None or codes[i] == "0":
                    a.add(dict(params, metric=metric), v, unit, better)
        if not r.get("times"):
            for name in ("mean", "median", "min", "max", "stddev"):
                stat("time", name, name)
        stat("user", "user", "mean")
        stat("system", "system", "mean")


main(answer)
