"""The records of Chromium's charts: see the table in doc.go."""

import math
import sys

sys.path.insert(0, "../internal/runnertest")
from oracle import Num, loads, main, text  # noqa: E402

BETTER = {"down": "lower", "up": "higher"}
ENDS = {"_smallerIsBetter": "lower", "-": "lower", "_biggerIsBetter": "higher", "+": "higher"}


def answer(content, a):
    doc = loads(content)
    charts = doc.get("charts")
    if charts is None:  # charts alone
        charts, doc = doc, {}
    for chart, traces in charts.items():
        label, at, name = chart.partition("@@")
        if not at:
            label, name = "", chart
        for story, t in traces.items():
            params = {"benchmark": doc.get("benchmark_name", ""), "label": label, "name": name,
                      "story": "" if story == "summary" else story}
            attrs = {"label": doc.get("label", ""), "page_id": text(t.get("page_id")),
                     "interaction_record": text(t.get("interaction_record"))}
            unit, better = t.get("units", ""), ""
            for end, direction in ENDS.items():
                if unit.endswith(end):
                    unit, better = unit[: -len(end)], direction
            better = BETTER.get(t.get("improvement_direction"), better)
            rest = {"unit": unit, "better": better, "attrs": attrs}
            if t.get("type") == "trace":
                continue
            if t.get("values") is not None:
                for v in t["values"]:
                    if isinstance(v, Num):
                        a.add(params, v, **rest)
                    else:
                        a.errors += 1
            elif isinstance(t.get("value"), Num):
                a.add(params, t["value"], **rest)
            elif t.get("buckets"):
                middles = [((float(b["low"]) + float(b.get("high", b["low"]))) / 2, float(b["count"])) for b in t["buckets"]]
                n = sum(c for m, c in middles if m > 0)
                mean = math.exp(sum(math.log(m) * c for m, c in middles if m > 0) / n)
                a.add(dict(params, stat="geomean"), mean, **rest)
            else:
                a.errors += 1


main(answer)
