package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/columns"
	"perfdata/series"
)

// A rowFunc takes the rows that a command prints.
type rowFunc = func(row *columns.Row) error

// The forms of a table, and text, which is for people.
var rowForms = []string{"jsonl", "csv", "tsv", "text", "parquet"}

// The commands records and store query print the same tables, with the same flags. Package
// columns defines the columns, because the library also writes and reads them.

// A tableFlags is the flags of a command that prints a table.
type tableFlags struct {
	form    string
	keys    []string // of params that have a column
	columns []columns.Column
	ignored []string // keys of params that are not part of the identity
}

// addTableFlags adds the flags of a command that prints a table. The form is the default one.
func addTableFlags(cmd *cobra.Command, form string) *tableFlags {
	f := &tableFlags{form: form}
	addForm(cmd, &f.form, rowForms)
	cmd.Flags().StringSliceVar(&f.keys, "columns", nil, "add a column for each of these params, as `KEY,...`")
	addFunc(cmd, "ignore",
		"the params `KEY,...` do not tell series apart, in trace and n, e.g. cpu where runners change it",
		setKeys(&f.ignored))
	return f
}

// check returns an error if the flags do not go together, and notes the keys that they name.
func (f *tableFlags) check(t *tool) (err error) {
	// A flag without an effect would look as if it had one.
	if len(f.keys) > 0 && f.form == "text" {
		return errors.New("--columns: the form text has no columns: want --as jsonl, csv, tsv or parquet")
	}
	if f.columns, err = columns.All(f.keys); err != nil {
		return fmt.Errorf("--columns: %w", err)
	}
	t.named.add("columns", f.keys)
	t.named.add("ignore", f.ignored)
	return nil
}

// newPlacer returns a Placer for which the ignored params are not part of the identity.
func (f *tableFlags) newPlacer(t *tool) *series.Placer {
	p := &series.Placer{Charset: t.charset, Limits: t.reading.opener.Limits}
	if len(f.ignored) > 0 {
		// This list takes the place of the default one, so it repeats the default keys.
		p.NotIdentity = append([]string{"commit", "commit-time", "date"}, f.ignored...)
	}
	return p
}

// withTable calls do with the rows of a table, or nil for the form text, which has no rows. The
// flags have been checked. The table is completed even if do fails: its rows so far are of use,
// except in a file, which then is not written.
func (t *tool) withTable(f *tableFlags, do func(to rowFunc) error) error {
	switch f.form {
	case "text":
		return do(nil)
	case "parquet":
		if t.isTerminal(t.out) {
			return errBinary
		}
		p := t.newParquetTable(f.columns)
		// Arguments are evaluated in their order and in any case: the table is completed after an
		// error of do, and the temporary file is closed after every error.
		return firstError(do(p.sorter.Add), p.writeFile(), p.sorter.Close())
	}
	forms := map[string]columns.Form{"jsonl": columns.JSON, "csv": columns.CSV, "tsv": columns.TSV}
	e := columns.NewEncoder(t.data, f.columns, forms[f.form])
	if err := e.WriteTitles(); err != nil {
		return err
	}
	return do(e.Write)
}

// printRows writes the measurements of an input, and reports errors. It returns an error of the
// table.
func (t *tool) printRows(in *input, to rowFunc, flags *tableFlags) error {
	placer := flags.newPlacer(t)
	row := columns.Row{File: in.name}
	numbered := true
	for rec, err := range t.records(in) {
		if err != nil {
			t.report(err)
			continue
		}
		if err := row.Fill(placer, rec); err != nil && numbered {
			numbered = false
			t.reportNotNumbered(in.name, rec, err)
		}
		if err := to(&row); err != nil {
			return err
		}
	}
	return nil
}

// reportNotNumbered reports that the numbers of too many series were to be remembered. Callers
// report the first measurement without a number: all later ones would have the same error.
func (t *tool) reportNotNumbered(file string, rec *format.Record, err error) {
	t.report(fmt.Errorf("%s: repetitions are not numbered from offset %d on: %w", file, rec.Offset, err))
}

// appendValue appends the fewest digits that identify f, or NaN, +Inf or -Inf.
func appendValue(dst []byte, f float64) []byte { return columns.AppendNumber(dst, f, "") }

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
	if a.widths == nil && len(a.rows) > 0 {
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
