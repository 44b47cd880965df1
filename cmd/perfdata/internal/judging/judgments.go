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

// Table returns a table of judgments for a form, to which the command adds what else it says.
func (w *Judgments) Table(form string) *Table {
	all, elements := make([]*series.Series, len(w.Rows)), make([]any, len(w.Rows))
	for i, j := range w.Rows {
		all[i], elements[i] = j.Series, j
	}
	w.common = common(all)
	t := &Table{Lists: []List{{"series", elements}}, Columns: []string{
		"benchmark", w.Sides[0] + ":", "new:", "change:", "interval", "p", "verdict"}}
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
	} else {
		t.Body = w.printSides
		w.addMeans(t)
	}
	if isText := form == "text" && !w.IsHistory; !isText && form != "json" { // which have forms of their own
		for _, j := range w.Rows {
			t.Rows = append(t.Rows, w.row(j))
		}
	}
	return t
}

// addMeans adds the geometric means.
func (w *Judgments) addMeans(t *Table) {
	means := Section{OnlyMarkdown: true}
	for _, g := range w.Geomeans {
		if g.Series > 1 && !math.IsNaN(g.Ratio) {
			name := join(" ", paramsText(g.Group), g.Side, scaleOf(g.Unit).name)
			means.Lines = append(means.Lines, fmt.Sprintf("geomean of %s: %+.2f%%", name, (g.Ratio-1)*100))
		}
		n := strconv.Itoa(g.Series)
		cells := append([]string{"geomean", ""}, w.groupCells(g.Group)...)
		cells = append(cells, g.Unit, "", n, number(g.Old), "", "", n, number(g.New), "", "", number(g.Ratio))
		t.Totals = append(t.Totals, append(append(cells, make([]string, 10)...), g.Side))
	}
	t.Sections = append(t.Sections, means)
}

// groupCells returns the values of the params that group series.
func (w *Judgments) groupCells(group traceid.Params) []string {
	var cells []string
	for _, key := range w.By {
		value, _ := group.Get(key)
		cells = append(cells, value)
	}
	return cells
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), separator)
}

// row returns a judgment in the words of each form.
func (w *Judgments) row(j *judgment.Judgment) Row {
	unit := scaleOf(j.Series.Unit)
	values := unit.format(j.Old.Median, j.New.Median)
	name, verdict := join(" ", paramsText(j.Group), label(j.Series, w.common, j.Group)), j.VerdictText()
	if j.Side != "" {
		name += " " + w.Across + "=" + j.Side
	}
	r := Row{
		Kind: verdict, Verdict: VerdictName(j), Label: name, Text: w.sentence(j, unit, values),
		IsShown: j.Verdict.IsDifferent() || w.IsHistory && j.Reason == "" && verdict == "unknown",
		Cells:   append([]string{"series", j.Series.Trace}, w.groupCells(j.Group)...),
		Columns: []string{join(" ", name, unit.name), values[0], values[1], Percent(j.Ratio), w.interval(j, unit), w.test(j),
			join(", ", VerdictName(j), w.more(j, ", "))},
	}
	if j.Accepted != "" {
		r.Kind = accepted
	}

	r.Cells = append(r.Cells, j.Series.Unit, j.Better.String())
	for _, s := range []judgment.Summary{j.Old, j.New} {
		r.Cells = append(r.Cells, strconv.Itoa(s.N), number(s.Median), number(s.Lo), number(s.Hi))
	}
	lo, needed := j.Lo, ""
	if math.IsInf(j.Hi, 0) {
		lo = math.NaN() // 0 is not a bound that was found
	}
	if j.Needed > 0 {
		needed = strconv.Itoa(j.Needed)
	}
	r.Cells = append(r.Cells, number(j.Ratio), number(j.Estimate), number(lo), number(j.Hi), number(j.P), number(j.Q),
		verdict, j.Since, needed, j.NeededOf(), j.Reason, j.Accepted, j.Side)
	return r
}

// VerdictName returns a verdict for people: "worse since 3f2a9c1" for one that is known.
func VerdictName(j *judgment.Judgment) string {
	if text := j.VerdictText(); text != "known" {
		return text
	}
	return "worse since " + shortCommit(j.Since)
}

// sentence returns what is known about a judgment, for people.
func (w *Judgments) sentence(j *judgment.Judgment, unit scale, values []string) string {
	if j.Reason != "" {
		return w.more(j, ", ")
	}
	text := fmt.Sprintf("%s, %s to %s %s", Percent(j.Ratio), values[0], values[1], unit.name)
	if !w.IsHistory {
		return text + " (" + w.test(j) + ")"
	}
	if usual := w.interval(j, unit); usual != "" && !j.Exact {
		text += fmt.Sprintf("; usual: %s, of %s", usual, message.Plural(j.Old.N, "commit"))
	}
	return join("; ", text, w.test(j), w.more(j, "; "))
}

// interval returns the interval of a change, or the usual range of a history, or nothing if there is none.
func (w *Judgments) interval(j *judgment.Judgment, unit scale) string {
	switch lo, hi := j.Old.Lo, j.Old.Hi; {
	case j.Exact:
		return "exact"
	case w.IsHistory && !math.IsInf(lo, 0) && !math.IsInf(hi, 0):
		bounds := unit.format(lo, hi)
		return bounds[0] + " to " + bounds[1]
	case w.IsHistory, math.IsInf(j.Lo, 0), math.IsInf(j.Hi, 0), j.Lo == 0:
		return ""
	}
	return Percent(j.Lo) + " to " + Percent(j.Hi)
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
	more := "more value"
	if j.NeededRuns {
		more = "more run"
	}
	switch {
	case j.Needed > 0 && j.NeededEach:
		needed = fmt.Sprintf("needs %d", j.Needed)
	case j.Needed > 0 && j.Reason != "":
		needed = message.Plural(j.Needed, more) + " needed"
	case j.Needed > 0:
		needed = message.Plural(j.Needed, more) + " would decide"
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
	all := make(map[level]map[*series.Series]bool)
	add := func(side, since string, s *series.Series) {
		at := level{side, since}
		if all[at] == nil && since != "" {
			all[at] = make(map[*series.Series]bool)
		}
		if since != "" {
			all[at][s] = true
		}
	}
	for _, j := range w.Rows {
		add(w.Sides[0], j.Old.Since, j.Series)
		add(cmp.Or(j.Side, w.Sides[1]), j.New.Since, j.Series)
	}
	var lines []string
	for at, some := range all {
		var names []string
		for s := range some {
			names = append(names, label(s, w.common))
		}
		lines = append(lines, fmt.Sprintf("%s: %d series since %s, such as %s",
			at.side, len(some), shortCommit(at.since), slices.Min(names)))
	}
	slices.Sort(lines)
	return lines
}

// Reasons returns a line for each reason why series were not judged, with their number.
func (w *Judgments) Reasons() []string {
	counts := make(map[string]int)
	for _, j := range w.Rows {
		if j.Reason != "" {
			counts[w.more(j, ", ")]++
		}
	}
	var lines []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("unknown: %d series: %s", counts[reason], reason))
	}
	return lines
}
