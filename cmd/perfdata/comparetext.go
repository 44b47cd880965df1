package main

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"perfdata/internal/visible"
	"perfdata/series/compare"
	"perfdata/series/judgment"
)

// The columns of a table, as benchstat lays it out, and the verdict.
const (
	columnLabel = iota
	columnOld
	columnOldCI
	columnNew
	columnNewCI
	columnDelta
	columnTest
	columnVerdict
	cellCount
)

// A textRow is the cells of a row.
type textRow struct {
	cells [cellCount]string
	style style
}

// printText prints tables as benchstat lays them out, the worst rows first.
func (c *comparison) printText() error {
	labels := c.labels()
	for key, value := range labels.common.All() {
		fmt.Fprintf(c.stdout, "%s: %s\n", visible.String(key), visible.String(value))
	}
	for _, table := range c.tables() {
		c.printTable(table, labels)
	}
	fmt.Fprintf(c.stdout, "\n%s\n", c.summary())
	fmt.Fprintf(c.stdout, "threshold %.3g%%, alpha %.3g\n", c.threshold*100, c.alpha)
	if lines := driftLines(c.drift); len(lines) > 0 {
		fmt.Fprintf(c.stdout, "\nin one set only: %d in %s, %d in %s\n", c.drift.Vanished, visible.String(c.names[0]),
			c.drift.Appeared, visible.String(c.names[1]))
		for _, line := range lines {
			fmt.Fprintf(c.stdout, "  %s\n", visible.String(line))
		}
	}
	c.printWarnings()
	c.printUnjudged()
	return nil
}

func (c *comparison) printWarnings() {
	for i, w := range c.warnings {
		if i == maxDriftLines {
			fmt.Fprintf(c.stdout, "warning: %d more\n", len(c.warnings)-i)
			break
		}
		fmt.Fprintf(c.stdout, "warning: %s\n", visible.String(w))
	}
}

// printTable prints the rows of a table.
func (c *comparison) printTable(t *shownTable, labels *labeler) {
	rows := make([]textRow, 0, len(t.rows)+1)
	few := false
	for _, row := range t.rows {
		rows = append(rows, c.textRow(row, t, labels))
		few = few || row.Old.Percent() == "∞" || row.New.Percent() == "∞"
	}
	for i := range c.report.Geomeans {
		if g := &c.report.Geomeans[i]; t.isIn(g) && len(t.rows) > 1 {
			rows = append(rows, geomeanRow(g, t))
		}
	}

	var widths [cellCount]int
	for i := range rows {
		for k, cell := range rows[i].cells {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	oldWidth := max(widths[columnOld]+3+widths[columnOldCI], utf8.RuneCountInString(t.scale.name))
	newWidth := max(widths[columnNew]+3+widths[columnNewCI], utf8.RuneCountInString(t.scale.name))
	names := [2]string{visible.String(c.names[0]), visible.String(c.names[1])}
	oldWidth = max(oldWidth, min(utf8.RuneCountInString(names[0]), maxName))
	deltaWidth := max(widths[columnDelta]+1+widths[columnTest], len("vs base"))
	if need := min(utf8.RuneCountInString(names[1]), maxName) - newWidth - 2 - deltaWidth; need > 0 {
		deltaWidth += need
	}

	fmt.Fprintln(c.stdout)
	for _, line := range append(t.titles(), t.converted()...) {
		fmt.Fprintln(c.stdout, line)
	}
	indent := strings.Repeat(" ", widths[columnLabel])
	fmt.Fprintf(c.stdout, "%s │ %s │ %s │\n",
		indent, centered(names[0], oldWidth), centered(names[1], newWidth+2+deltaWidth))
	fmt.Fprintf(c.stdout, "%s │ %s │ %s  %s │\n", indent,
		centered(t.scale.name, oldWidth), centered(t.scale.name, newWidth),
		padded("vs base", deltaWidth))
	for i := range rows {
		cells := &rows[i].cells
		line := padded(cells[columnLabel], widths[columnLabel]) + "   " +
			padded(center(cells, columnOld, &widths), oldWidth) + "   " +
			padded(center(cells, columnNew, &widths), newWidth) + "  " +
			padded(rightAligned(cells[columnDelta], widths[columnDelta])+" "+cells[columnTest], deltaWidth)
		line = strings.TrimRight(line+"   "+styled(c.colorOut, rows[i].style, cells[columnVerdict]), " ")
		fmt.Fprintln(c.stdout, line)
	}
	if few {
		fmt.Fprintf(c.stdout, "∞: too few values for an interval of the median with %.3g%% confidence\n", c.confidence*100)
	}
}

// maxName is the width up to which the name of a set makes its column wider.
const maxName = 30

// titles returns the lines above a table.
func (t *shownTable) titles() []string {
	text := groupText(t.group)
	if direction := t.directionText(); direction != "" {
		if text != "" {
			text += "; "
		}
		name := t.scale.name
		if name == "" {
			name = "values without a unit"
		}
		text += name + ": " + direction
	}
	if text == "" {
		return nil
	}
	return []string{visible.String(text)}
}

// center returns a value with its interval.
func center(cells *[cellCount]string, column int, widths *[cellCount]int) string {
	if cells[column] == "" {
		return ""
	}
	text := rightAligned(cells[column], widths[column])
	if cells[column+1] == "" {
		return text
	}
	return text + " ± " + rightAligned(cells[column+1], widths[column+1])
}

// textRow returns the cells of a row.
func (c *comparison) textRow(row *compare.Row, t *shownTable, labels *labeler) textRow {
	values := t.scale.format(row.Old.Median, row.New.Median)
	out := textRow{cells: [cellCount]string{
		labels.label(row.Series, row.Group), values[0], row.Old.Percent(), values[1], row.New.Percent(),
		row.Delta(c.alpha), "(" + row.Test() + ")", verdictText(row),
	}}
	switch row.Verdict {
	case judgment.Worse:
		out.style = red
	case judgment.Changed:
		out.style = yellow
	case judgment.Better:
		out.style = cyan
	}
	return out
}

// geomeanRow returns the cells of a geometric mean.
func geomeanRow(g *compare.Geomean, t *shownTable) textRow {
	out := textRow{cells: [cellCount]string{columnLabel: "geomean"}}
	for column, value := range map[int]float64{columnOld: g.Old, columnNew: g.New} {
		if !math.IsNaN(value) {
			out.cells[column] = t.scale.format(value)[0]
		}
	}
	if !math.IsNaN(g.Ratio) {
		out.cells[columnDelta] = fmt.Sprintf("%+.2f%%", (g.Ratio-1)*100)
	}
	return out
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

func rightAligned(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// centered returns text in the middle of a width, or its end if it is longer.
func centered(text string, width int) string {
	runes := []rune(text)
	if len(runes) > width {
		runes = runes[len(runes)-width:]
	}
	left := (width - len(runes)) / 2
	return padded(strings.Repeat(" ", left)+string(runes), width)
}
