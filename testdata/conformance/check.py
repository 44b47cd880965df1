#!/usr/bin/env python3
"""Checks a program that reads performance results against this corpus: check.py COMMAND [FOLDER...]

The shell runs COMMAND for each case; $INPUT is the case, $ANSWER its answer, $FORMAT its folder.
"""
import json, os, pathlib, subprocess, sys

def number(text):
    return repr(float(text))  # 0 and -0 are equal, but not the same

def records(text):
    lines = [json.loads(line, parse_int=number, parse_float=number) for line in text.split("\n") if line]
    return [{k: line[k] for k in ("params", "value", "links", "attrs") if line.get(k) not in (None, {})}
            for line in lines if "value" in line]

corpus = pathlib.Path(__file__).parent
folders = sys.argv[2:] or sorted(p.name for p in corpus.iterdir() if p.is_dir() and p.name != "traceid")
cases = sorted(c for f in folders for c in (corpus / f).iterdir() if c.suffix != ".jsonl")
failed = 0
for case in cases:
    answer = case.with_suffix(".jsonl")
    want = answer.read_text(encoding="utf-8")
    errors = [json.loads(line)["error"] for line in want.split("\n") if line.startswith('{"error"')]
    env = os.environ | {"INPUT": str(case), "ANSWER": str(answer), "FORMAT": case.parent.name}
    run = subprocess.run(sys.argv[1], shell=True, env=env, stdout=subprocess.PIPE, encoding="utf-8")
    if (run.returncode != 0) != bool(errors):
        failed += 1
        print(f"{case}: exit status {run.returncode}, want {'an error' if errors else 'none'}")
    elif not any(e.get("fatal") for e in errors) and records(run.stdout) != records(want):
        failed += 1
        print(f"{case}: the records differ from those of {answer}")
print(f"{len(cases)} cases, {failed} failed")
sys.exit(failed > 0)
