package judging

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/series/compare"
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

	Options compare.Options // of a comparison, for what benchstat prints

	common traceid.Params // of all series, except params that name benchmarks and units
}

// Counts returns the numbers of the verdicts. An accepted change has none: it must not fail a
// build.
func (w *Judgments) Counts() map[string]int {
	counts := make(map[string]int)
	for _, j := range w.Rows {
		if j.Accepted == "" {
			counts[j.VerdictText()]++
		}
	}
	return counts
}

// Table returns a table of judgments, to which the command adds what else it says.
func (w *Judgments) Table() *Table {
	for i, j := range w.Rows {
		if i == 0 {
			w.common = j.Series.Identity.Clone()
		}
		w.common = slices.DeleteFunc(w.common, func(p traceid.Param) bool {
			return !isIn(j.Series.Identity, p) || NamesBenchmarks(p.Key) || isUnit(j.Series, p)
		})
	}

	newTitle, usual, body := "new:", "interval", w.printSides
	if len(w.Sides) == 2 {
		newTitle = w.Sides[1] + ":"
	}
	if w.IsHistory {
		// Most series of a history have not changed, so that a table of all would hide the others.
		usual, body = "usual", func(p *Printer) {
			for _, r := range w.rows() {
				if r.IsShown {
					verdict := p.Color(levels[r.Kind], chars.Visible(r.Verdict))
					fmt.Fprintf(p.Out, "%s: %s\n", verdict, chars.Visible(r.Label))
					p.line("    ", r.Lines[0])
				}
			}
		}
	}
	titles := append(append([]string{"row", "trace"}, w.By...), "unit", "better", "old n", "old median", "old lo",
		"old hi", "new n", "new median", "new lo", "new hi", "ratio", "hodges-lehmann", "lo", "hi", "p", "q", "verdict",
		"since", "needed", "needed of", "reason", "accepted", "side")

	means := Section{Form: "markdown"}
	for _, g := range w.Geomeans {
		if g.Series > 1 && !math.IsNaN(g.Ratio) {
			name := join(" ", paramsText(g.Group), g.Side, scaleOf(g.Unit).name)
			means.Lines = append(means.Lines, fmt.Sprintf("geomean of %s: %s", name, Percent(g.Ratio)))
		}
	}
	return &Table{
		Common: w.common, Rows: w.rows, Body: body, Titles: titles, Cells: w.cells,
		Columns:  []string{"benchmark", w.Sides[0] + ":", newTitle, "change:", usual, "p", "verdict"},
		Lists:    []List{{"series", len(w.Rows), func(i int) any { return w.Rows[i] }}},
		Sections: []Section{means},
	}
}

// cells calls write with the cells of CSV of each judgment, and of each geometric mean.
func (w *Judgments) cells(write func([]string)) {
	row := func(kind, verdict string, j *judgment.Judgment) {
		cells := []string{kind, j.Series.Trace}
		for _, key := range w.By {
			value, _ := j.Group.Get(key)
			cells = append(cells, value)
		}

		cells = append(cells, j.Series.Unit, j.Better.String())
		for _, s := range []judgment.Summary{j.Old, j.New} {
			cells = append(append(cells, strconv.Itoa(s.N)), numbers(s.Median, s.Lo, s.Hi)...)
		}
		lo, hi := j.Estimate.Interval()
		cells = append(cells, numbers(j.Ratio, j.Estimate.Ratio, lo, hi, j.P, j.Q)...)
		write(append(cells, verdict, j.Since, count(j.Needed), j.NeededOf(), j.Reason, j.Accepted, j.Side))
	}
	for _, j := range w.Rows {
		row("series", j.VerdictText(), j)
	}

	nan := math.NaN()
	for _, g := range w.Geomeans {
		side := func(mean float64) judgment.Summary {
			return judgment.Summary{N: g.Series, Median: mean, Lo: nan, Hi: nan}
		}
		row("geomean", "", &judgment.Judgment{
			Series: &series.Series{Unit: g.Unit}, Group: g.Group, Side: g.Side, Old: side(g.Old), New: side(g.New),
			Ratio: g.Ratio, Estimate: judgment.Estimate{Ratio: nan, Lo: nan, Hi: nan}, P: nan, Q: nan,
		})
	}
}

// rows returns the judgments for people.
func (w *Judgments) rows() (rows []Row) {
	for _, j := range w.Rows {
		unit, verdict, usual := scaleOf(j.Series.Unit), j.VerdictText(), w.interval(j)
		values := unit.format(j.Old.Median, j.New.Median)
		name := join(" ", paramsText(j.Group), label(j.Series, w.common, j.Group))
		if j.Side != "" {
			name += " " + w.Across + "=" + j.Side
		}

		r := Row{
			Kind: verdict, Verdict: verdict, Label: name,
			IsShown: j.Verdict.IsDifferent() || w.IsHistory && j.Reason == "" && verdict == "unknown",
		}
		if verdict == "known" {
			r.Verdict = "worse since " + ShortCommit(j.Since)
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
		case !w.IsHistory:
			text += " (" + w.test(j) + ")"
		case usual == "" || j.Exact:
			text = join("; ", text, w.test(j), w.more(j, "; "))
		default:
			usual = fmt.Sprintf("usual: %s, of %s", usual, message.Plural(j.Old.N, "commit"))
			text = join("; ", text, usual, w.test(j), w.more(j, "; "))
		}

		r.Lines = []string{text}
		rows = append(rows, r)
	}
	return rows
}

// interval returns the interval of a change, or the usual range of a history, or nothing if there
// is none.
func (w *Judgments) interval(j *judgment.Judgment) string {
	lo, hi := j.Old.Lo, j.Old.Hi
	if !w.IsHistory {
		lo, hi = j.Estimate.Interval()
	}
	switch {
	case j.Exact:
		return "exact"
	case lo-lo != 0 || hi-hi != 0:
		return ""
	case w.IsHistory:
		return strings.Join(scaleOf(j.Series.Unit).format(lo, hi), " to ")
	}
	return Percent(lo) + " to " + Percent(hi)
}

// test returns p, and says which test it comes from.
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
		since = "since " + ShortCommit(j.Since)
	}
	switch of := message.Plural(j.Needed, strings.TrimSuffix(j.NeededOf(), "s")); {
	case j.Needed > 0 && !j.NeededRuns:
		needed = fmt.Sprintf("needs %d", j.Needed)
	case j.Needed > 0 && j.Reason != "":
		needed = of + " needed"
	case j.Needed > 0:
		needed = of + " would decide"
	case j.Verdict == judgment.Unknown && !w.IsHistory:
		needed = "too noisy"
	}
	return join(separator, j.Reason, since, needed, j.Accepted)
}

// SinceStep is the title of [Judgments.Levels].
const SinceStep = "by the values since the last step"

// Levels returns a line for each commit since which the values of a side are judged, and not all:
// of how many series.
func (w *Judgments) Levels() (lines []string) {
	names := make(map[[2]string][]string) // by the side, and the commit
	for _, j := range w.Rows {
		for _, at := range [][2]string{{w.Sides[0], j.Old.Since}, {cmp.Or(j.Side, w.Sides[1]), j.New.Since}} {
			if at[1] != "" {
				names[at] = append(names[at], label(j.Series, w.common))
			}
		}
	}
	for at, some := range names {
		slices.Sort(some)
		some = slices.Compact(some) // several sides have one old one
		lines = append(lines, fmt.Sprintf("%s: %d series since %s, such as %s",
			at[0], len(some), ShortCommit(at[1]), some[0]))
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

// A sideTable is the rows of a comparison that have a group and a quantity in common, as benchstat
// lays them out: a column for the old values, and for each other side one with the change.
type sideTable struct {
	*Judgments
	scale  scale
	judged []*judgment.Judgment
	rows   []sideRow
	mean   []sideCell // of the geometric means; nil for none
}

// A sideRow is a row of a table.
type sideRow struct {
	label string
	sides []sideCell
}

// A sideCell is the texts of a side of a row: the median and its interval, the change, its test,
// and the verdict, with its kind.
type sideCell [kind + 1]string

const (
	center = iota
	interval
	delta
	test
	verdict
	kind
)

// printSides prints a comparison as text, the worst rows first.
func (w *Judgments) printSides(p *Printer) {
	tables := make(map[[2]string]*sideTable) // by the group and the quantity
	var sorted []*sideTable
	cells := make(map[*series.Series][]sideCell)
	for _, j := range w.Rows {
		key := [2]string{paramsText(j.Group), j.Series.Quantity()}
		t := tables[key]
		if t == nil {
			t = &sideTable{Judgments: w, scale: scaleOf(j.Series.Unit)}
			tables[key], sorted = t, append(sorted, t)
		}
		if cells[j.Series] == nil {
			cells[j.Series] = make([]sideCell, len(w.Sides))
			t.rows = append(t.rows, sideRow{chars.Visible(label(j.Series, w.common, j.Group)), cells[j.Series]})
		}
		t.judged = append(t.judged, j)
	}

	// The old value has the prefix that it has with the last side.
	bySide := func(a, b *judgment.Judgment) int { return w.side(a.Side) - w.side(b.Side) }
	for _, j := range slices.SortedStableFunc(slices.Values(w.Rows), bySide) {
		values, sides := scaleOf(j.Series.Unit).format(j.Old.Median, j.New.Median), cells[j.Series]
		sides[series.Old] = sideCell{values[0], j.Old.Percent()}
		sides[w.side(j.Side)] = sideCell{values[1], j.New.Percent(), j.Delta(w.Options.Alpha), "(" + j.Test() + ")",
			join(", ", j.VerdictText(), w.more(j, ", ")), j.VerdictText()}
	}
	for i := range w.Geomeans {
		g := &w.Geomeans[i]
		// The mean of one row would only repeat it.
		if t := tables[[2]string{paramsText(g.Group), g.Unit}]; t != nil && len(t.rows) > 1 {
			t.addMean(g)
		}
	}

	for i, t := range sorted {
		if i > 0 || len(w.common) > 0 {
			fmt.Fprintln(p.Out)
		}
		t.print(p)
	}
	fmt.Fprintln(p.Out)
}

// side returns the index of a side that is not the old one. If there are two sets, it has no
// name.
func (w *Judgments) side(name string) int { return max(slices.Index(w.Sides, name), series.New) }

// addMean adds the geometric means of a side to a row of their own.
func (t *sideTable) addMean(g *judgment.Geomean) {
	if t.mean == nil {
		t.mean = make([]sideCell, len(t.Sides))
		t.rows = append(t.rows, sideRow{"geomean", t.mean})
	}
	old, new := &t.mean[series.Old], &t.mean[t.side(g.Side)]
	if !math.IsNaN(g.Old) {
		old[center] = t.scale.format(g.Old)[0]
	}
	if !math.IsNaN(g.New) {
		new[center] = t.scale.format(g.New)[0]
	}
	if !math.IsNaN(g.Ratio) {
		new[delta] = Percent(g.Ratio)
	}
}

// print prints a table.
func (t *sideTable) print(p *Printer) {
	t.printTitles(p)
	labels, isFew := []string{"", ""}, false // beside the names, the units, and the rows
	wide := 0
	for _, r := range t.rows {
		labels, wide = append(labels, r.label), max(wide, width(r.label))
		isFew = isFew || slices.ContainsFunc(r.sides, func(c sideCell) bool { return c[interval] == "∞" })
	}
	lines := make([]string, len(labels))
	for i, label := range labels {
		lines[i] = fmt.Sprintf("%-*s", wide, label)
	}

	for side := range t.Sides {
		separator := " │ "
		for i, text := range t.column(p, side) {
			if i == 2 {
				separator = "   "
			}
			lines[i] += separator + text
		}
	}

	for i, line := range lines {
		if i < 2 {
			line += " │"
		}
		fmt.Fprintln(p.Out, strings.TrimRight(line, " "))
	}
	if isFew {
		fmt.Fprintf(p.Out, "∞: too few values for an interval of the median with %.3g%% confidence\n",
			100*t.Options.Confidence)
	}
}

// column returns the lines of a side: its name, the unit, and the cells. The verdicts of the only
// new side are not below its name.
func (t *sideTable) column(p *Printer, side int) []string {
	const maxName = 30 // the width from which on names of sets are shortened
	isNew, isOneOfMany := side > 0, side > 0 && len(t.Sides) > 2
	name, unit := chars.Visible(t.Sides[side]), chars.Visible(t.scale.name)
	need := min(width(name), maxName)
	var wide [kind]int // of the widest of each text
	for _, r := range t.rows {
		for i := range wide {
			wide[i] = max(wide[i], width(r.sides[side][i]))
		}
	}
	values := max(wide[center]+3+wide[interval], width(unit))
	changes := max(wide[delta]+1+wide[test], len("vs base"), need-values-2)

	// The only new side is the last, so that its verdicts need no width.
	separator, verdicts, after := "   ", 0, ""
	if isOneOfMany {
		separator, verdicts, after = " ", wide[verdict], strings.Repeat(" ", 1+wide[verdict])
	}
	lines := []string{
		centered(name, values+2+changes) + after,
		fmt.Sprintf("%s  %-*s", centered(unit, values), changes, "vs base") + after,
	}
	if !isNew {
		values = max(values, need)
		lines = []string{centered(name, values), centered(unit, values)}
	}
	for _, r := range t.rows {
		c := r.sides[side]
		value := fmt.Sprintf("%*s", wide[center], c[center])
		if c[interval] != "" {
			value += fmt.Sprintf(" ± %*s", wide[interval], c[interval])
		}
		line := fmt.Sprintf("%-*s", values, value)
		if isNew {
			line += fmt.Sprintf("  %-*s", changes, fmt.Sprintf("%*s %s", wide[delta], c[delta], c[test]))
			line += separator + p.Color(levels[c[kind]], fmt.Sprintf("%-*s", verdicts, c[verdict]))
		}
		lines = append(lines, line)
	}
	return lines
}

// printTitles prints the lines above a table: the group, which values are better, and which were
// converted.
func (t *sideTable) printTitles(p *Printer) {
	first, isMixed, byUnit, from := t.judged[0], false, "", make(map[string]bool)
	for _, j := range t.judged {
		isMixed = isMixed || j.Better != first.Better
		if j.Series.ByUnit {
			byUnit = ", by its unit"
		}
		if j.From != nil {
			from[fmt.Sprintf("old values were converted from %s to %s", j.From.Unit, j.Series.Unit)] = true
		}
	}

	name := cmp.Or(t.scale.name, join(" ", "values without a unit", first.Series.Quantity()))
	direction := name + ": " + first.Better.String() + " is better"
	switch {
	case isMixed:
		direction, byUnit = "", ""
	case first.Better == format.Unknown:
		direction = name + ": it is not known whether lower or higher is better"
	}

	if head := join("; ", paramsText(first.Group), direction+byUnit); head != "" {
		p.line("", head)
	}
	for _, line := range slices.Sorted(maps.Keys(from)) {
		p.line("", line)
	}
}

// width returns the number of characters of a text.
func width(text string) int { return utf8.RuneCountInString(text) }

// centered returns text in the middle of a width, or its beginning and its end if it is longer.
func centered(text string, wide int) string {
	if runes := []rune(text); len(runes) > wide {
		half := max(0, wide-3) / 2
		text = string(runes[:max(0, wide-3-half)]) + "..." + string(runes[len(runes)-half:])
	}
	left := max(0, wide-width(text)) / 2
	return fmt.Sprintf("%-*s", wide, strings.Repeat(" ", left)+text)
}
