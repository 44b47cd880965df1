package judging

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/series"
	"perfdata/series/judgment"
)

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
	for _, line := range t.titles() {
		p.line("", line)
	}

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

	lines := []string{
		centered(name, values+2+changes),
		fmt.Sprintf("%s  %-*s", centered(unit, values), changes, "vs base"),
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
		}

		switch {
		case isOneOfMany:
			line += " " + p.Color(levels[c[kind]], fmt.Sprintf("%-*s", wide[verdict], c[verdict]))
		case isNew:
			line += "   " + p.Color(levels[c[kind]], c[verdict])
		}
		lines = append(lines, line)
	}
	if isOneOfMany {
		for i := range 2 {
			lines[i] += strings.Repeat(" ", 1+wide[verdict])
		}
	}
	return lines
}

// titles returns the lines above a table: the group, which values are better, and which were
// converted.
func (t *sideTable) titles() []string {
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

	titles := slices.Sorted(maps.Keys(from))
	if head := join("; ", paramsText(first.Group), direction+byUnit); head != "" {
		titles = slices.Insert(titles, 0, head)
	}
	return titles
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
