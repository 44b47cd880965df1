"""The records of pytest-benchmark's files: see the table in doc.go."""

import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, flatten, loads, main, param, text  # noqa: E402


def unstable(value):
    return "UNSERIALIZABLE[" in text(value)


def answer(content, a):
    doc = loads(content)
    info = doc.get("commit_info", {})
    commit = info.get("id", "")
    commit = "" if commit in ("unversioned", "unknown") else commit
    shared = flatten(doc.get("machine_info"))
    shared.update({"commit-time": text(info.get("time")), "dirty": text(info.get("dirty")),
                   "branch": text(info.get("branch")), "datetime": text(doc.get("datetime")),
                   "version": text(doc.get("version"))})
    for b in doc["benchmarks"]:
        name, given = b["fullname"], b.get("params")
        attrs = dict(shared)
        if given is not None and not any(text(v) == "" or unstable(v) for v in given.values()):
            name = name.removesuffix("[" + text(b.get("param")) + "]")
        params = {"name": name}
        if text(b.get("group")):
            params["group"] = text(b["group"])
        for k, v in (given or {}).items():
            if unstable(v):
                attrs[k] = text(v)
            elif text(v):
                param(params, k, text(v))
        stats = b["stats"]
        attrs["iterations"] = text(stats.get("iterations"))
        attrs.update({"options." + k: text(v) for k, v in b.get("options", {}).items()})
        attrs.update({k: text(v) for k, v in b.get("extra_info", {}).items()})
        for v in stats.get("data", []):
            if isinstance(v, Num):
                a.add(params, v, "s", "lower", commit, 0, attrs)
            else:
                a.errors += 1
        if not stats.get("data"):
            for s in ("mean", "median", "min", "max", "stddev"):
                if s in stats:
                    a.add(dict(params, stat=s), stats[s], "s", "lower", commit, 0, attrs)


main(answer)
