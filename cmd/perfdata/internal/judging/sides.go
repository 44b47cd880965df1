package judging

import (
	"fmt"
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
	rows     []*sideRow
	means    map[string]*judgment.Geomean // by side
}

// A sideRow is a series, with the judgment of each side but the first.
type sideRow struct {
	label  string
	judged map[string]*judgment.Judgment // by side
	worst  *judgment.Judgment
}

// sideCells are the texts of a side: the median and its interval, the change, and p.
type sideCells struct{ center, interval, delta, test string }

// maxName is the width up to which the name of a set makes its column wider.
const maxName = 30

// printSides prints a comparison as text, the worst rows first.
func (w *Judgments) printSides(p *Printer) {
	type key struct{ group, quantity string }
	byKey := make(map[key]*sideTable)
	rows := make(map[*series.Series]*sideRow)
	var tables []*sideTable
	for _, j := range w.Rows {
		k := key{paramsText(j.Group), j.Series.Quantity()}
		t := byKey[k]
		if t == nil {
			t = &sideTable{w, j.Group, k.quantity, scaleOf(j.Series.Unit), nil, make(map[string]*judgment.Geomean)}
			byKey[k] = t
			tables = append(tables, t)
		}
		r := rows[j.Series]
		if r == nil {
			name := chars.Visible(label(j.Series, w.common, j.Group))
			r = &sideRow{name, make(map[string]*judgment.Judgment), j}
			rows[j.Series] = r
			t.rows = append(t.rows, r)
		}
		r.judged[j.Side] = j
	}
	for i := range w.Geomeans {
		g := &w.Geomeans[i]
		if t := byKey[key{paramsText(g.Group), g.Unit}]; t != nil && len(t.rows) > 1 {
			t.means[g.Side] = g
		}
	}
	for _, t := range tables {
		t.print(p)
	}
	fmt.Fprintln(p.Out)
}

// print prints a table.
func (t *sideTable) print(p *Printer) {
	sides := []string{""}
	if t.Across != "" {
		sides = t.Sides[1:]
	}
	lines, labels, few := t.cells(sides)

	fmt.Fprintln(p.Out)
	for _, line := range t.titles() {
		p.line("", line)
	}
	labelWidth := longest(labels...)
	columns := make([]sideColumn, 1+len(sides))
	names, units := strings.Repeat(" ", labelWidth), strings.Repeat(" ", labelWidth)
	for i := range columns {
		name, unit := chars.Visible(t.Sides[i]), chars.Visible(t.scale.name)
		columns[i].measure(lines, i, name, unit)
		name, unit = columns[i].heads(name, unit)
		names, units = names+" │ "+name, units+" │ "+unit
	}
	fmt.Fprintf(p.Out, "%s │\n%s │\n", names, units)

	for i, cells := range lines {
		line := fmt.Sprintf("%-*s", labelWidth, labels[i])
		for k := range columns {
			line += "   " + columns[k].text(&cells[k])
			if len(sides) > 1 && k > 0 && i < len(t.rows) {
				line += " " + t.verdict(p, t.rows[i].judged[sides[k-1]], verdictWidth)
			}
		}
		if len(sides) == 1 && i < len(t.rows) {
			line += "   " + t.verdict(p, t.rows[i].worst, 0)
		}
		fmt.Fprintln(p.Out, strings.TrimRight(line, " "))
	}
	if few {
		fmt.Fprintf(p.Out, "∞: too few values for an interval of the median with %.3g%% confidence\n", 100*t.Confidence)
	}
}

// verdictWidth is the width of a verdict in a table of several sides.
const verdictWidth = 19

// verdict returns a verdict in its color.
func (t *sideTable) verdict(p *Printer, j *judgment.Judgment, width int) string {
	if j == nil {
		return strings.Repeat(" ", width)
	}
	return p.Color(j.VerdictText(), fmt.Sprintf("%-*s", width, join(", ", j.VerdictText(), t.more(j, ", "))))
}

// cells returns the cells of each row, and of the geometric means, with their labels, and whether an interval
// is infinite.
func (t *sideTable) cells(sides []string) (lines [][]sideCells, labels []string, few bool) {
	for _, r := range t.rows {
		cells := make([]sideCells, 1+len(sides))
		for i, side := range sides {
			if j := r.judged[side]; j != nil {
				values := t.scale.format(j.Old.Median, j.New.Median)
				cells[0] = sideCells{center: values[0], interval: j.Old.Percent()}
				cells[i+1] = sideCells{values[1], j.New.Percent(), j.Delta(t.Alpha), "(" + j.Test() + ")"}
				few = few || j.Old.Percent() == "∞" || j.New.Percent() == "∞"
			}
		}
		lines, labels = append(lines, cells), append(labels, r.label)
	}
	if len(t.means) == 0 {
		return lines, labels, few
	}

	cells := make([]sideCells, 1+len(sides))
	for i, side := range sides {
		g := t.means[side]
		if g == nil {
			continue
		}
		for k, mean := range []float64{g.Old, g.New} {
			if !math.IsNaN(mean) {
				cells[k*(i+1)].center = t.scale.format(mean)[0]
			}
		}
		if !math.IsNaN(g.Ratio) {
			cells[i+1].delta = fmt.Sprintf("%+.2f%%", (g.Ratio-1)*100)
		}
	}
	return append(lines, cells), append(labels, "geomean"), few
}

// A sideColumn is the widths of a column. That of the old values has no changes.
type sideColumn struct{ center, interval, delta, test, values, changes int }

// measure sets the widths of a column.
func (c *sideColumn) measure(lines [][]sideCells, column int, name, unit string) {
	for _, cells := range lines {
		one := &cells[column]
		c.center, c.interval = max(c.center, longest(one.center)), max(c.interval, longest(one.interval))
		c.delta, c.test = max(c.delta, longest(one.delta)), max(c.test, longest(one.test))
	}
	c.values = max(c.center+3+c.interval, longest(unit))
	need := min(longest(name), maxName)
	if column == 0 {
		c.values = max(c.values, need)
		return
	}
	c.changes = max(c.delta+1+c.test, len("vs base"), need-c.values-2)
}

// heads returns the two lines above a column.
func (c *sideColumn) heads(name, unit string) (string, string) {
	if c.changes == 0 {
		return centered(name, c.values), centered(unit, c.values)
	}
	return centered(name, c.values+2+c.changes), fmt.Sprintf("%s  %-*s", centered(unit, c.values), c.changes, "vs base")
}

// text returns the cells of a column.
func (c *sideColumn) text(one *sideCells) string {
	text := ""
	if one.center != "" {
		text = fmt.Sprintf("%*s", c.center, one.center)
	}
	if one.center != "" && one.interval != "" {
		text += fmt.Sprintf(" ± %*s", c.interval, one.interval)
	}
	text = fmt.Sprintf("%-*s", c.values, text)
	if c.changes > 0 {
		text += fmt.Sprintf("  %-*s", c.changes, fmt.Sprintf("%*s %s", c.delta, one.delta, one.test))
	}
	return text
}

// titles returns the lines above a table: the group, which values are better, and which were converted.
func (t *sideTable) titles() []string {
	name := t.scale.name
	if name == "" {
		name = join(" ", "values without a unit", t.quantity)
	}
	direction := t.direction()
	if direction != "" {
		direction = name + ": " + direction
	}
	titles := []string{join("; ", paramsText(t.group), direction)}
	for _, row := range t.rows {
		if j := row.worst; j.From != nil {
			titles = append(titles, fmt.Sprintf("old values were converted from %s to %s", j.From.Unit, j.Series.Unit))
		}
	}
	slices.Sort(titles[1:])
	return slices.DeleteFunc(slices.Compact(titles), func(s string) bool { return s == "" })
}

// direction says which values of a table are better, if that is the same for all.
func (t *sideTable) direction() string {
	better, byUnit := t.rows[0].worst.Better, ""
	for _, row := range t.rows {
		if row.worst.Better != better {
			return ""
		}
		if row.worst.ByUnit {
			byUnit = ", by its unit"
		}
	}
	if better == format.Unknown {
		return "it is not known whether lower or higher is better"
	}
	return better.String() + " is better" + byUnit
}

// centered returns text in the middle of a width, or its beginning if it is longer.
func centered(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		text = string(runes[:max(0, width-3)]) + "..."
	}
	left := max(0, width-longest(text)) / 2
	return fmt.Sprintf("%-*s", width, strings.Repeat(" ", left)+text)
}
