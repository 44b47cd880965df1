"""The records of files in Bencher Metric Format: see the table in doc.go."""

import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, loads, main, text  # noqa: E402

UNITS = {"latency": "ns", "throughput": "ops/s", "build-time": "s", "file-size": "B"}


def answer(content, a):
    for name, measures in loads(content).items():
        for metric, one in measures.items():
            if not isinstance(one.get("value"), Num):
                a.errors += 1
                continue
            attrs = {k: text(one.get(k)) for k in ("lower_value", "upper_value")}
            a.add({"name": name, "metric": metric}, one["value"], UNITS.get(metric, ""), attrs=attrs)


main(answer)
