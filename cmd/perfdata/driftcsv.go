package main

import (
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"perfdata/series/drift"
)

// printDriftCSV prints a row for each reason: what it is, the param that it is about, its old and new
// values, and the number of series, as far as these are known.
func (j *judge) printDriftCSV(r *drift.Report) error {
	w := csv.NewWriter(j.data)
	w.Write([]string{"reason", "key", "from", "to", "series"})
	add := func(reason, key, from, to string, traces int) {
		count := ""
		if traces > 0 {
			count = strconv.Itoa(traces)
		}
		w.Write([]string{reason, key, from, to, count})
	}
	for _, key := range r.SplittingKeys {
		add("splitting", key, "", "", 0)
	}
	for _, key := range r.AddingKeys {
		add("added", key, "", "", 0)
	}
	for _, key := range r.RemovingKeys {
		add("removed", key, "", "", 0)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Cardinality)) {
		n := r.Cardinality[key]
		add("cardinality", key, strconv.Itoa(n[drift.Old]), strconv.Itoa(n[drift.New]), 0)
	}

	if r.Changed != nil {
		for _, c := range append([]drift.Change{*r.Changed}, r.AlsoChanged...) {
			add("changed", c.Key, c.From, c.To, c.Traces)
		}
	}
	for _, c := range r.Renamed {
		add("renamed", c.Key, c.From, c.To, 0)
	}
	if r.Pattern != nil {
		for _, p := range append([]drift.Pattern{*r.Pattern}, r.AlsoPattern...) {
			reason, from, to := "renamed end", p.FromSuffix, p.ToSuffix
			if p.FromPrefix+p.ToPrefix != "" {
				reason, from, to = "renamed beginning", p.FromPrefix, p.ToPrefix
			}
			add(reason, p.Key, from, to, p.Traces)
		}
	}
	for _, c := range r.Collisions {
		add("collision", c.Key, strings.Join(c.Values, " "), "", 0)
	}
	for _, name := range r.EmptyNames() {
		add("empty file", "", "", name, 0)
	}

	left := [2]int{r.Unexplained.Vanished, r.Unexplained.Appeared}
	for _, g := range r.Unexplained.Groups {
		if g.Appears {
			add("appeared", g.Key, "", g.Value, g.Traces)
			left[drift.New] -= g.Traces
		} else {
			add("vanished", g.Key, g.Value, "", g.Traces)
			left[drift.Old] -= g.Traces
		}
	}
	for side, reason := range []string{"vanished", "appeared"} {
		if left[side] > 0 {
			add(reason, "", "", "", left[side])
		}
	}
	w.Flush()
	for i := range j.unjudged {
		j.note("cannot be judged: %v", &j.unjudged[i])
	}
	return w.Error()
}
