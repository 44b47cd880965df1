"""The records of JMH's files: see the table in doc.go."""

import math
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import loads, main, text  # noqa: E402

ATTRS = """jmhVersion forks jvm jvmArgs jdkVersion vmName vmVersion warmupIterations warmupTime warmupBatchSize
measurementIterations measurementTime measurementBatchSize""".split()
BETTER = {"thrpt": "higher", "avgt": "lower", "sample": "lower", "ss": "lower"}
STATS = {"0.0": "min", "50.0": "median", "100.0": "max"}


def number(v):
    return float(v.replace("INF", "inf"))


def answer(content, a):
    for row in loads(content):
        params = {"name": row["benchmark"], "mode": row["mode"]}
        if "threads" in row and int(row["threads"]) > 1:
            params["threads"] = text(row["threads"])
        for key, value in row.get("params", {}).items():
            params["params." + key if key in params or key == "unit" else key] = text(value)
        attrs = {key: text(row[key]) for key in ATTRS if row.get(key, []) != []}

        metrics = [("", "mean", BETTER.get(row["mode"], ""), row["primaryMetric"])]
        others = row.get("secondaryMetrics", {}).items()
        metrics += [(name, "score", "", m) for name, m in others if m.get("scoreUnit") != "---"]
        for name, stat, better, metric in metrics:
            values = [(number(v), "") for fork in metric.get("rawData", []) for v in fork]
            if not values:
                values = [(number(metric["score"]), stat)]
                if not math.isnan(values[0][0]):
                    for p, v in metric.get("scorePercentiles", {}).items():
                        values.append((number(v), STATS.get(p, "p" + p.removesuffix(".0"))))
            for value, stat in values:
                a.add(dict(params, metric=name, stat=stat), value, metric.get("scoreUnit", ""), better, attrs=attrs)


main(answer)
