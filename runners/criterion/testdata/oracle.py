"""The records of Criterion.rs's messages and folders: see the table in doc.go."""

import json
import os
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, first, loads, main, text  # noqa: E402


def documents(content):
    decoder = json.JSONDecoder(parse_int=Num, parse_float=Num, parse_constant=Num, object_pairs_hook=first)
    while content := content.lstrip(" \t\r\n"):
        document, end = decoder.raw_decode(content)
        content = content[end:]
        yield document


def answer(content, a):
    for message in documents(content):
        if message["reason"] != "benchmark-complete":
            continue
        all = [text(t.get("per_iteration")) + " " + t.get("unit", "") for t in message.get("throughput", [])]
        attrs = {"throughput": ", ".join(all)}
        params = {"name": message["id"]}
        for time, n in zip(message.get("measured_values", []), message.get("iteration_count", [])):
            a.add(params, float(time) / float(n), message.get("unit", ""), "lower", "", 0, attrs)
        if message.get("measured_values"):
            continue
        for stat in ("typical", "mean", "median", "slope"):
            if message.get(stat):
                found = message[stat]
                a.add(dict(params, stat=stat), found["estimate"], found.get("unit", ""), "lower", "", 0, attrs)


def folder(files, a):
    """The folder whose files are flattened, as fib_20__new__sample.json."""
    for name in sorted(files):
        if not name.endswith("__new__sample.json"):
            continue
        sample = loads(files[name])
        about = loads(files[name.replace("sample", "benchmark")])
        parts = [about[k] for k in ("group_id", "function_id", "value_str") if k in about]
        for time, n in zip(sample["times"], sample["iters"]):
            a.add({"name": "/".join(parts)}, float(time) / float(n), "ns", "lower", "", 0,
                  {"sampling_mode": sample["sampling_mode"]})


def write_folder(root):
    """Writes the answer for a folder, in the form of runnertest."""
    import hashlib
    import json
    from oracle import Answers

    with open("testdata/folders.jsonl", "w", encoding="utf-8") as out:
        for name in sorted(os.listdir(root)):
            files = {}
            for file in os.listdir(os.path.join(root, name)):
                with open(os.path.join(root, name, file), encoding="utf-8") as f:
                    files[file] = f.read()
            a = Answers()
            folder(files, a)
            whole = "".join(line + "\n" for line in a.lines)
            row = {"File": name, "Records": len(a.lines), "Errors": 0,
                   "SHA256": hashlib.sha256(whole.encode()).hexdigest(), "First": a.lines[:3]}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


main(answer, (".jsonl",))
if sys.argv[1] != "--documents":
    write_folder(os.path.join(sys.argv[1], "..", "criterion"))
