package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/internal/visible"
	"perfdata/series"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

// A sideTable is the rows of a comparison that have a group and a quantity in common, as benchstat lays them
// out: a column for the old values, and for each other side one with the change.
type sideTable struct {
	*comparison
	group    traceid.Params
	quantity string
	scale    shownUnit
	rows     []*textRow
	means    map[string]*judgment.Geomean // by side
}

// A textRow is a series, with the judgment of each side but the first.
type textRow struct {
	label   string
	judged  map[string]*judgment.Judgment // by side
	verdict *judgment.Judgment            // the worst
}

// textCells are the texts of a side: the median and its interval, the change, and p.
type textCells struct{ center, interval, delta, test string }

// maxName is the width up to which the name of a set makes its column wider.
const maxName = 30

// printTables prints the comparison, the worst rows first.
func (c *comparison) printTables() {
	type key struct{ group, quantity string }
	byKey := make(map[key]*sideTable)
	rows := make(map[*series.Series]*textRow)
	var tables []*sideTable
	for _, j := range c.report.Rows {
		k := key{groupText(j.Group), j.Series.Quantity()}
		t := byKey[k]
		if t == nil {
			t = &sideTable{comparison: c, group: j.Group, quantity: k.quantity, scale: unitShown(j.Series.Unit),
				means: make(map[string]*judgment.Geomean)}
			byKey[k] = t
			tables = append(tables, t)
		}
		r := rows[j.Series]
		if r == nil {
			r = &textRow{visible.String(c.labels.label(j.Series, j.Group)), make(map[string]*judgment.Judgment), j}
			rows[j.Series] = r
			t.rows = append(t.rows, r)
		}
		r.judged[j.Side] = j
	}
	for i := range c.report.Geomeans {
		g := &c.report.Geomeans[i]
		if t := byKey[key{groupText(g.Group), g.Unit}]; t != nil && len(t.rows) > 1 {
			t.means[g.Side] = g
		}
	}
	for _, t := range tables {
		t.print()
	}
	fmt.Fprintln(c.stdout)
}

// sides returns the sides of the judgments.
func (t *sideTable) sides() []string {
	if t.answer.Across == "" {
		return []string{""}
	}
	return t.names[1:]
}

// print prints a table.
func (t *sideTable) print() {
	sides := t.sides()
	lines := make([][]textCells, 0, len(t.rows)+1) // of the old values, and of each side
	labels, few := []string{}, false
	for _, r := range t.rows {
		cells := make([]textCells, 1+len(sides))
		for i, side := range sides {
			if j := r.judged[side]; j != nil {
				values := t.scale.format(j.Old.Median, j.New.Median)
				cells[0] = textCells{center: values[0], interval: j.Old.Percent()}
				cells[i+1] = textCells{values[1], j.New.Percent(), j.Delta(t.alpha), "(" + j.Test() + ")"}
				few = few || j.Old.Percent() == "∞" || j.New.Percent() == "∞"
			}
		}
		lines, labels = append(lines, cells), append(labels, r.label)
	}
	if len(t.means) > 0 {
		lines, labels = append(lines, t.meanCells(sides)), append(labels, "geomean")
	}

	fmt.Fprintln(t.stdout)
	for _, line := range append(t.titles(), t.converted()...) {
		fmt.Fprintln(t.stdout, visible.String(line))
	}
	labelWidth := longest(labels)
	columns := make([]textColumn, 1+len(sides))
	names, units := strings.Repeat(" ", labelWidth), strings.Repeat(" ", labelWidth)
	for i := range columns {
		columns[i].measure(lines, i, visible.String(t.names[i]), t.scale.name)
		name, unit := columns[i].heads(visible.String(t.names[i]), t.scale.name, i > 0)
		names, units = names+" │ "+name, units+" │ "+unit
	}
	fmt.Fprintf(t.stdout, "%s │\n%s │\n", names, units)

	for i, cells := range lines {
		line := padded(labels[i], labelWidth)
		for k := range columns {
			line += "   " + columns[k].text(&cells[k], k > 0)
			if len(sides) > 1 && k > 0 && i < len(t.rows) {
				line += " " + t.verdict(t.rows[i].judged[sides[k-1]], verdictWidth)
			}
		}
		if len(sides) == 1 && i < len(t.rows) {
			line += "   " + t.verdict(t.rows[i].verdict, 0)
		}
		fmt.Fprintln(t.stdout, strings.TrimRight(line, " "))
	}
	if few {
		fmt.Fprintf(t.stdout, "∞: too few values for an interval of the median with %.3g%% confidence\n", t.confidence*100)
	}
}

// verdictWidth is the width of a verdict in a table of several sides.
const verdictWidth = 19

// verdict returns a verdict in its color.
func (t *sideTable) verdict(j *judgment.Judgment, width int) string {
	if j == nil {
		return strings.Repeat(" ", width)
	}
	color := styleOf(j.VerdictText())
	return styled(t.colorOut && color != "", color, padded(neededText(j), width))
}

// meanCells returns the cells of the geometric means.
func (t *sideTable) meanCells(sides []string) []textCells {
	cells := make([]textCells, 1+len(sides))
	for i, side := range sides {
		g := t.means[side]
		if g == nil {
			continue
		}
		if !math.IsNaN(g.Old) {
			cells[0].center = t.scale.format(g.Old)[0]
		}
		if !math.IsNaN(g.New) {
			cells[i+1].center = t.scale.format(g.New)[0]
		}
		if !math.IsNaN(g.Ratio) {
			cells[i+1].delta = fmt.Sprintf("%+.2f%%", (g.Ratio-1)*100)
		}
	}
	return cells
}

// A textColumn is the widths of a column.
type textColumn struct{ center, interval, delta, test, values, changes int }

// measure sets the widths of a column.
func (w *textColumn) measure(lines [][]textCells, column int, name, unit string) {
	width := utf8.RuneCountInString
	for _, cells := range lines {
		c := &cells[column]
		w.center, w.interval = max(w.center, width(c.center)), max(w.interval, width(c.interval))
		w.delta, w.test = max(w.delta, width(c.delta)), max(w.test, width(c.test))
	}
	w.values = max(w.center+3+w.interval, width(unit))
	need := min(width(name), maxName)
	if column == 0 {
		w.values = max(w.values, need)
		return
	}
	w.changes = max(w.delta+1+w.test, len("vs base"), need-w.values-2)
}

// heads returns the two lines above a column.
func (w *textColumn) heads(name, unit string, hasChange bool) (string, string) {
	if !hasChange {
		return centered(name, w.values), centered(unit, w.values)
	}
	return centered(name, w.values+2+w.changes), centered(unit, w.values) + "  " + padded("vs base", w.changes)
}

// text returns the cells of a column.
func (w *textColumn) text(c *textCells, hasChange bool) string {
	text := ""
	if c.center != "" {
		text = rightAligned(c.center, w.center)
	}
	if c.center != "" && c.interval != "" {
		text += " ± " + rightAligned(c.interval, w.interval)
	}
	text = padded(text, w.values)
	if hasChange {
		text += "  " + padded(rightAligned(c.delta, w.delta)+" "+c.test, w.changes)
	}
	return text
}

// titles returns the lines above a table.
func (t *sideTable) titles() []string {
	text := groupText(t.group)
	if direction := t.directionText(); direction != "" {
		if text != "" {
			text += "; "
		}
		name := t.scale.name
		if name == "" {
			name = strings.TrimSpace("values without a unit " + t.quantity)
		}
		text += name + ": " + direction
	}
	if text == "" {
		return nil
	}
	return []string{text}
}

// directionText says which values of a table are better, if that is the same for all.
func (t *sideTable) directionText() string {
	better, byUnit := t.rows[0].verdict.Better, t.rows[0].verdict.ByUnit
	for _, row := range t.rows {
		if row.verdict.Better != better {
			return ""
		}
		byUnit = byUnit || row.verdict.ByUnit
	}
	switch {
	case better == 0:
		return "it is not known whether lower or higher is better"
	case byUnit:
		return better.String() + " is better, by its unit"
	}
	return better.String() + " is better"
}

// converted returns lines about rows whose old values had another unit.
func (t *sideTable) converted() []string {
	var lines []string
	for _, row := range t.rows {
		j := row.verdict
		if j.From == nil {
			continue
		}
		line := fmt.Sprintf("old values were converted from %s to %s", j.From.Unit, j.Series.Unit)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

func rightAligned(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// centered returns text in the middle of a width, or its beginning if it is longer.
func centered(text string, width int) string {
	runes := []rune(text)
	if len(runes) > width {
		runes = append(runes[:max(0, width-3)], []rune("...")...)
	}
	left := max(0, width-len(runes)) / 2
	return padded(strings.Repeat(" ", left)+string(runes), width)
}
