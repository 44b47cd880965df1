package judging

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/series"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

// A sideTable is the rows of a comparison that have a group and a quantity in common, as benchstat lays them
// out: a column for the old values, and for each other side one with the change.
type sideTable struct {
	*Judgments
	group    traceid.Params
	quantity string
	scale    scale
	rows     []map[string]*judgment.Judgment // of each series, by side
	labels   []string                        // of the rows
	means    map[string]*judgment.Geomean    // by side
}

// printSides prints a comparison as text, the worst rows first.
func (w *Judgments) printSides(p *Printer) {
	type key struct{ group, quantity string }
	byKey := make(map[key]*sideTable)
	rows := make(map[*series.Series]map[string]*judgment.Judgment)
	var tables []*sideTable
	for _, j := range w.Rows {
		k := key{paramsText(j.Group), j.Series.Quantity()}
		t := byKey[k]
		if t == nil {
			t = &sideTable{w, j.Group, k.quantity, scaleOf(j.Series.Unit), nil, nil, make(map[string]*judgment.Geomean)}
			byKey[k], tables = t, append(tables, t)
		}
		r := rows[j.Series]
		if r == nil {
			r = make(map[string]*judgment.Judgment)
			rows[j.Series], t.rows = r, append(t.rows, r)
			t.labels = append(t.labels, chars.Visible(label(j.Series, w.common, j.Group)))
		}
		r[j.Side] = j
	}
	for i := range w.Geomeans {
		g := &w.Geomeans[i]
		if t := byKey[key{paramsText(g.Group), g.Unit}]; t != nil && len(t.rows) > 1 {
			t.means[g.Side] = g
		}
	}
	for i, t := range tables {
		if i > 0 || len(w.common) > 0 {
			fmt.Fprintln(p.Out)
		}
		t.print(p)
	}
	fmt.Fprintln(p.Out)
}

// A sideCell is the texts of a side of a row, of equal widths in a column: the median and its interval, the
// change, its test, and the verdict, with its kind.
type sideCell struct{ center, interval, delta, test, verdict, kind string }

// print prints a table.
func (t *sideTable) print(p *Printer) {
	sides := []string{""}
	if t.Across != "" {
		sides = t.Sides[1:]
	}
	columns, isFew := t.columns(sides)
	labels := slices.Concat([]string{"", ""}, t.labels)
	if len(t.means) > 0 {
		labels = append(labels, "geomean")
	}
	pad(labels, false)
	for _, line := range t.titles() {
		p.line("", line)
	}
	for i, column := range columns {
		separator, isLast := " │ ", i == len(columns)-1
		for k, text := range t.column(p, t.Sides[i], column, i > 0, i > 0 && len(sides) > 1) {
			if k >= 2 {
				separator = "   "
			}
			if labels[k] += separator + text; isLast && k < 2 {
				labels[k] += " │"
			} else if isLast {
				labels[k] = strings.TrimRight(labels[k], " ")
			}
		}
	}
	fmt.Fprintln(p.Out, strings.Join(labels, "\n"))
	if isFew {
		fmt.Fprintf(p.Out, "∞: too few values for an interval of the median with %.3g%% confidence\n", 100*t.Confidence)
	}
}

// columns returns the cells of each side, the old one first, in each row and in that of the geometric means, and
// whether an interval is infinite.
func (t *sideTable) columns(sides []string) (columns [][]sideCell, isFew bool) {
	columns = make([][]sideCell, 1+len(sides))
	n := len(t.rows) + min(len(t.means), 1)
	for i := range columns {
		columns[i] = make([]sideCell, n)
	}
	for k, side := range sides {
		for i, r := range t.rows {
			j := r[side]
			if j == nil {
				continue
			}
			values, verdict := t.scale.format(j.Old.Median, j.New.Median), j.VerdictText()
			old, new := j.Old.Percent(), j.New.Percent()
			columns[0][i] = sideCell{center: values[0], interval: old}
			columns[k+1][i] = sideCell{values[1], new, j.Delta(t.Alpha), "(" + j.Test() + ")",
				join(", ", verdict, t.more(j, ", ")), verdict}
			isFew = isFew || old == "∞" || new == "∞"
		}
		if g := t.means[side]; g != nil {
			for i, mean := range []float64{g.Old, g.New} {
				if !math.IsNaN(mean) {
					columns[i*(k+1)][n-1].center = t.scale.format(mean)[0]
				}
			}
			if !math.IsNaN(g.Ratio) {
				columns[k+1][n-1].delta = Percent(g.Ratio)
			}
		}
	}
	return columns, isFew
}

// column returns the lines of a column: the name of the side, the unit, and the cells. The verdicts of the only
// new side are not below its name.
func (t *sideTable) column(p *Printer, name string, cells []sideCell, isNew, isOneOfMany bool) []string {
	var centers, intervals, deltas, tests, verdicts []string
	for _, c := range cells {
		centers, intervals, deltas = append(centers, c.center), append(intervals, c.interval), append(deltas, c.delta)
		tests, verdicts = append(tests, c.test), append(verdicts, c.verdict)
	}
	name, unit := chars.Visible(name), chars.Visible(t.scale.name)
	need := min(longest(name), maxName)
	values := max(pad(centers, true)+3+pad(intervals, true), longest(unit))
	changes := max(pad(deltas, true)+1+pad(tests, false), len("vs base"), need-values-2)
	if !isNew {
		values = max(values, need)
	}

	lines := []string{centered(name, values), centered(unit, values)}
	if isNew {
		lines = []string{centered(name, values+2+changes), fmt.Sprintf("%s  %-*s", lines[1], changes, "vs base")}
	}
	if isOneOfMany {
		blanks := strings.Repeat(" ", 1+pad(verdicts, false))
		lines = []string{lines[0] + blanks, lines[1] + blanks}
	}
	for i, c := range cells {
		value := centers[i] + " ± " + intervals[i]
		if c.interval == "" {
			value = centers[i]
		}
		line := fmt.Sprintf("%-*s", values, value)
		if isNew {
			line += fmt.Sprintf("  %-*s", changes, deltas[i]+" "+tests[i])
		}
		switch {
		case isOneOfMany:
			line += " " + p.Color(c.kind, verdicts[i])
		case isNew:
			line += "   " + p.Color(c.kind, c.verdict)
		}
		lines = append(lines, line)
	}
	return lines
}

// pad makes texts as wide as the longest one, by blanks before or after them, and returns its width.
func pad(texts []string, before bool) int {
	width := longest(texts...)
	for i, text := range texts {
		if blanks := strings.Repeat(" ", width-longest(text)); before {
			texts[i] = blanks + text
		} else {
			texts[i] = text + blanks
		}
	}
	return width
}

// titles returns the lines above a table: the group, which values are better, and which were converted.
func (t *sideTable) titles() []string {
	directions, byUnit, from := make(map[string]bool), "", make(map[string]bool)
	for _, r := range t.rows {
		for _, j := range r {
			direction := j.Better.String() + " is better"
			if j.Better == format.Unknown {
				direction = "it is not known whether lower or higher is better"
			}
			directions[direction] = true
			if j.ByUnit {
				byUnit = ", by its unit"
			}
			if j.From != nil {
				from[fmt.Sprintf("old values were converted from %s to %s", j.From.Unit, j.Series.Unit)] = true
			}
		}
	}
	head := paramsText(t.group)
	if len(directions) == 1 {
		name := cmp.Or(t.scale.name, join(" ", "values without a unit", t.quantity))
		for direction := range directions {
			head = join("; ", head, name+": "+direction+byUnit)
		}
	}
	titles := append([]string{head}, slices.Sorted(maps.Keys(from))...)
	return slices.DeleteFunc(titles, func(s string) bool { return s == "" })
}

// centered returns text in the middle of a width, or its beginning if it is longer.
func centered(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		text = string(runes[:max(0, width-3)]) + "..."
	}
	left := max(0, width-longest(text)) / 2
	return fmt.Sprintf("%-*s", width, strings.Repeat(" ", left)+text)
}
