package judging

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

// Judgments are what compare and check say of series.
type Judgments struct {
	Rows     []*judgment.Judgment
	Geomeans []judgment.Geomean

	Sides  []string // their names, the old one first
	Across string   // the param whose values the sides are; empty for none
	By     []string // the keys of params that group series

	// IsHistory says that the old side is a history: its interval is the usual range.
	IsHistory bool

	Alpha, Confidence float64 // as a comparison has them

	common traceid.Params // of all series
}

// Table returns a table of judgments, to which the command adds what else it says.
func (w *Judgments) Table() *Table {
	all := make([]*series.Series, len(w.Rows))
	for i, j := range w.Rows {
		all[i] = j.Series
	}
	w.common = common(all)
	t := &Table{
		Lists: []List{{"series", len(w.Rows), func(i int) any { return w.Rows[i] }}},
		Rows: func() (rows []Row) {
			for _, j := range w.Rows {
				rows = append(rows, w.row(j))
			}
			return rows
		},
		Cells:   w.eachCells,
		Columns: []string{"benchmark", w.Sides[0] + ":", "new:", "change:", "interval", "p", "verdict"},
	}
	for key, value := range w.common.All() {
		t.Heading = append(t.Heading, key+": "+value)
	}
	t.Titles = append(append([]string{"row", "trace"}, w.By...), "unit", "better", "old n", "old median", "old lo",
		"old hi", "new n", "new median", "new lo", "new hi", "ratio", "hodges-lehmann", "lo", "hi", "p", "q", "verdict",
		"since", "needed", "needed of", "reason", "accepted", "side")
	if len(w.Sides) == 2 {
		t.Columns[2] = w.Sides[1] + ":"
	}
	if w.IsHistory {
		t.Columns[4] = "usual"
		return t
	}
	t.Body = w.printSides
	means := Section{Form: "markdown"}
	for _, g := range w.Geomeans {
		if g.Series > 1 && !math.IsNaN(g.Ratio) {
			name := join(" ", paramsText(g.Group), g.Side, scaleOf(g.Unit).name)
			means.Lines = append(means.Lines, fmt.Sprintf("geomean of %s: %s", name, Percent(g.Ratio)))
		}
	}
	t.Sections = append(t.Sections, means)
	return t
}

// eachCells calls yield with the cells of each judgment, and of each geometric mean.
func (w *Judgments) eachCells(yield func([]string) bool) {
	for _, j := range w.Rows {
		if !yield(w.cells("series", j.VerdictText(), j)) {
			return
		}
	}
	nan := math.NaN()
	for _, g := range w.Geomeans {
		old := judgment.Summary{N: g.Series, Median: g.Old, Lo: nan, Hi: nan}
		new := judgment.Summary{N: g.Series, Median: g.New, Lo: nan, Hi: nan}
		if !yield(w.cells("geomean", "", &judgment.Judgment{
			Series: &series.Series{Unit: g.Unit}, Group: g.Group, Side: g.Side, Old: old, New: new,
			Ratio: g.Ratio, Estimate: nan, Lo: nan, Hi: nan, P: nan, Q: nan,
		})) {
			return
		}
	}
}

// cells returns the cells of CSV.
func (w *Judgments) cells(kind, verdict string, j *judgment.Judgment) []string {
	cells := []string{kind, j.Series.Trace}
	for _, key := range w.By {
		value, _ := j.Group.Get(key)
		cells = append(cells, value)
	}
	cells = append(cells, j.Series.Unit, j.Better.String())
	for _, s := range []judgment.Summary{j.Old, j.New} {
		cells = append(cells, strconv.Itoa(s.N), number(s.Median), number(s.Lo), number(s.Hi))
	}
	lo, hi := j.Interval()
	needed := ""
	if j.Needed > 0 {
		needed = strconv.Itoa(j.Needed)
	}
	return append(cells, number(j.Ratio), number(j.Estimate), number(lo), number(hi), number(j.P), number(j.Q),
		verdict, j.Since, needed, j.NeededOf(), j.Reason, j.Accepted, j.Side)
}

// row returns a judgment for people.
func (w *Judgments) row(j *judgment.Judgment) Row {
	unit, verdict := scaleOf(j.Series.Unit), j.VerdictText()
	values, usual := unit.format(j.Old.Median, j.New.Median), w.interval(j, unit)
	name := join(" ", paramsText(j.Group), label(j.Series, w.common, j.Group))
	if j.Side != "" {
		name += " " + w.Across + "=" + j.Side
	}
	r := Row{
		Kind: verdict, Verdict: verdict, Label: name,
		IsShown: j.Verdict.IsDifferent() || w.IsHistory && j.Reason == "" && verdict == "unknown",
	}
	if verdict == "known" {
		r.Verdict = "worse since " + shortCommit(j.Since)
	}
	if j.Accepted != "" {
		r.Kind = accepted
	}
	r.Columns = []string{join(" ", name, unit.name), values[0], values[1], Percent(j.Ratio), usual, w.test(j),
		join(", ", r.Verdict, w.more(j, ", "))}

	text := fmt.Sprintf("%s, %s to %s %s", Percent(j.Ratio), values[0], values[1], unit.name)
	switch {
	case j.Reason != "":
		text = w.more(j, ", ")
	case w.IsHistory:
		if usual != "" && !j.Exact {
			usual = fmt.Sprintf("usual: %s, of %s", usual, message.Plural(j.Old.N, "commit"))
		} else {
			usual = ""
		}
		text = join("; ", text, usual, w.test(j), w.more(j, "; "))
	default:
		text += " (" + w.test(j) + ")"
	}
	r.Lines = []string{text}
	return r
}

// interval returns the interval of a change, or the usual range of a history, or nothing if there is none.
func (w *Judgments) interval(j *judgment.Judgment, unit scale) string {
	if j.Exact {
		return "exact"
	}
	bounds := unit.format(j.Old.Lo, j.Old.Hi)
	lo, hi := j.Old.Lo, j.Old.Hi
	if !w.IsHistory {
		lo, hi = j.Interval()
		bounds = []string{Percent(lo), Percent(hi)}
	}
	if lo-lo != 0 || hi-hi != 0 {
		return ""
	}
	return bounds[0] + " to " + bounds[1]
}

// test returns p and what it is of.
func (w *Judgments) test(j *judgment.Judgment) string {
	switch {
	case !w.IsHistory:
		return j.Test()
	case j.P != j.P:
		return ""
	}
	return fmt.Sprintf("p=%.3g q=%.3g", j.P, j.Q)
}

// more returns what else is known: since when, what would decide, and why there is no judgment.
func (w *Judgments) more(j *judgment.Judgment, separator string) string {
	since, needed := "", ""
	if j.Since != "" && j.VerdictText() != "known" {
		since = "since " + shortCommit(j.Since)
	}
	switch {
	case j.Needed > 0 && j.NeededEach:
		needed = fmt.Sprintf("needs %d", j.Needed)
	case j.Needed > 0:
		end := " would decide"
		if j.Reason != "" {
			end = " needed"
		}
		needed = message.Plural(j.Needed, strings.TrimSuffix(j.NeededOf(), "s")) + end
	case j.Verdict == judgment.Unknown && !w.IsHistory:
		needed = "too noisy"
	}
	return join(separator, j.Reason, since, needed, j.Accepted)
}

// SinceStep is the title of [Judgments.Levels].
const SinceStep = "by the values since the last step"

// Levels returns a line for each commit since which the values of a side are judged, and not all: of how many
// series.
func (w *Judgments) Levels() []string {
	type level struct{ side, since string }
	names := make(map[level][]string)
	for _, j := range w.Rows {
		name := label(j.Series, w.common)
		for _, at := range []level{{w.Sides[0], j.Old.Since}, {cmp.Or(j.Side, w.Sides[1]), j.New.Since}} {
			if at.since != "" {
				names[at] = append(names[at], name)
			}
		}
	}
	var lines []string
	for at, some := range names {
		slices.Sort(some)
		some = slices.Compact(some) // several sides have one old one
		lines = append(lines, fmt.Sprintf("%s: %d series since %s, such as %s",
			at.side, len(some), shortCommit(at.since), some[0]))
	}
	slices.Sort(lines)
	return lines
}

// Reasons returns a line for each reason why series were not judged, with their number.
func (w *Judgments) Reasons() (lines []string) {
	counts := make(map[string]int)
	for _, j := range w.Rows {
		if j.Reason != "" {
			counts[w.more(j, ", ")]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("unknown: %d series: %s", counts[reason], reason))
	}
	return lines
}
