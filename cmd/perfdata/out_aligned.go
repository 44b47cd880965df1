package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdata/internal/chars"
)

// A table for people needs the widths of its columns before the first line, and a file may have
// millions of rows: so the first ones decide. text/tabwriter holds all rows, and aligns all columns
// to the same side.

// A rowWriter writes the rows of a table, the titles first. [csv.Writer] is one.
type rowWriter interface {
	Write(row []string) error
	Flush()
}

// Bounds of an aligned table.
const (
	measuredRows = 1000 // the rows that decide the widths
	maxCell      = 60   // characters of a cell
)

// An alignedTable writes a table for people: text is aligned to the left, numbers to the right. It
// keeps the first rows until it knows the widths.
type alignedTable struct {
	out     io.Writer
	rows    [][]string // until they are measured
	widths  []int
	numeric []bool
}

// Write writes or keeps a row, which has as many cells as the first one.
func (a *alignedTable) Write(row []string) error {
	// Cells are cut after they were made visible, because escapes are longer.
	shown := make([]string, len(row))
	for i, cell := range row {
		shown[i] = chars.Visible(cell)
		if runes := []rune(shown[i]); len(runes) > maxCell {
			shown[i] = string(runes[:maxCell-3]) + "..."
		}
	}
	// A later row that is wider moves its own cells only.
	if a.widths != nil {
		return a.print(shown)
	}
	a.rows = append(a.rows, shown)
	if len(a.rows) == measuredRows {
		a.Flush()
	}
	return nil
}

// Flush writes the rows that are kept. Later rows have the same widths.
func (a *alignedTable) Flush() {
	if len(a.rows) == 0 {
		return
	}
	if a.widths == nil {
		a.measure()
	}
	for _, row := range a.rows {
		a.print(row)
	}
	a.rows = nil
}

// measure finds the width of each column, and which ones are numbers. Neither the title of a column
// nor an empty cell makes it text.
func (a *alignedTable) measure() {
	a.widths = make([]int, len(a.rows[0]))
	a.numeric = make([]bool, len(a.rows[0]))
	for i := range a.widths {
		numbers, texts := 0, 0
		for n, row := range a.rows {
			a.widths[i] = max(a.widths[i], utf8.RuneCountInString(row[i]))
			if _, err := strconv.ParseFloat(row[i], 64); err == nil {
				numbers++
			} else if n > 0 && row[i] != "" {
				texts++
			}
		}
		a.numeric[i] = numbers > 0 && texts == 0
	}
}

// print writes a row. Blanks at its end would make a terminal wrap lines that fit.
func (a *alignedTable) print(row []string) error {
	cells := make([]string, len(row))
	for i, cell := range row {
		width := a.widths[i]
		if !a.numeric[i] {
			width = -width // to the left
		}
		cells[i] = fmt.Sprintf("%*s", width, cell)
	}
	_, err := fmt.Fprintln(a.out, strings.TrimRight(strings.Join(cells, "  "), " "))
	return err
}
