package columns

import (
	"io"
	"strconv"
	"time"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/delta"
	"perfdata/traceid"
)

// An Encoder writes a table as text.
//
// Most maps of a row are nearly those of the previous row, so a [delta.Text] keeps the text of each.
// Without, printing Go benchmarks or Skia v1 as JSON takes 1.3 times the CPU time: reading included,
// writing to a file not.
type Encoder struct {
	out     io.Writer
	form    form
	columns []Column
	before  []string          // each cell
	maps    [Fixed]delta.Text // by column; of params, attrs and links
	line    []byte            // the part of a row that is still to be written
	err     error             // of writing

	// The last cells from position to file, which most rows repeat. Without, printing Go benchmarks takes
	// 1.1 times the CPU time.
	place  Place
	file   string
	origin []byte
}

// A form says how cells are written.
type form struct {
	null        string
	idQuote     string // surrounds an ID in the default charset
	numberQuote string // surrounds NaN and infinity
	begin       string // of a row
	separator   string // of cells
	end         string // of a row

	text  func(dst []byte, s string) []byte
	pair  func(dst []byte, s string) []byte // a key or a value in a map
	open  string                            // of a map that is not empty
	close string

	isTitled bool // the title of each cell precedes it
}

// maxLine is the length from which a line, or a cell, is not held in memory.
const maxLine = 64 << 10

// NewEncoder returns an Encoder that writes the columns in a form.
func NewEncoder(out io.Writer, columns []Column, as Form) *Encoder {
	f := forms[as]
	e := &Encoder{out: out, form: f, columns: columns}
	before := f.begin
	for i, c := range columns {
		if f.isTitled {
			before = string(chars.AppendJSON([]byte(before), c.Name)) + ":"
		}
		e.before = append(e.before, before)
		before = f.separator
		if c.Type == Map {
			e.maps[i] = delta.Text{Quote: f.pair, Open: e.before[i] + f.open, Close: f.close}
		}
	}
	return e
}

// WriteTitles writes a row with the names of the columns, unless each row has them.
func (e *Encoder) WriteTitles() error {
	if e.form.isTitled {
		return nil
	}
	for i, c := range e.columns {
		e.line = e.form.text(append(e.line, e.before[i]...), c.Name)
	}
	return e.end()
}

// Write writes a row. It keeps strings of the row, and no other memory.
func (e *Encoder) Write(row *Row) error {
	e.appendIDs(row)
	e.appendText(Commit, row.Commit, row.Commit != "")
	e.appendInteger(N, int64(row.N), row.N > 0)
	e.line = AppendNumber(append(e.line, e.before[Value]...), row.Value, e.form.numberQuote)
	e.appendText(Unit, row.Unit, row.Unit != "")
	e.appendText(Better, row.Better.String(), row.Better != format.Unknown)
	e.appendMap(Params, row.Params)
	e.appendMap(Attrs, row.Attrs)
	e.appendMap(Links, row.Links)
	e.appendOrigin(row)
	e.appendInteger(Offset, row.Offset, row.Offset >= 0)
	for i := Fixed; i < len(e.columns); i++ {
		value, ok := row.Params.Get(e.columns[i].Key)
		e.appendText(i, value, ok)
	}
	return e.end()
}

// appendIDs appends the cells id and trace. Those in the default charset need no escapes.
func (e *Encoder) appendIDs(row *Row) {
	if row.otherCharset || len(row.ID)+len(row.Trace) > maxLine {
		e.appendText(ID, string(row.ID), true)
		e.appendText(Trace, string(row.Trace), len(row.Trace) > 0)
		return
	}
	quote := e.form.idQuote
	line := append(append(e.line, e.before[ID]...), quote...)
	e.line = append(append(line, row.ID...), quote...)
	if len(row.Trace) == 0 {
		e.appendText(Trace, "", false)
		return
	}
	line = append(append(e.line, e.before[Trace]...), quote...)
	e.line = append(append(line, row.Trace...), quote...)
}

// appendOrigin appends the cells from position to file.
func (e *Encoder) appendOrigin(row *Row) {
	if e.origin != nil && e.place == row.Place && e.file == row.File {
		e.line = append(e.line, e.origin...)
		return
	}
	start, at := len(e.line), &row.Place
	e.appendInteger(Position, int64(at.Listed)-1, at.Listed > 0)
	var text [len(time.RFC3339)]byte
	e.appendText(CommitTime, string(at.Time.UTC().AppendFormat(text[:0], time.RFC3339)), !at.Time.IsZero())
	e.appendText(File, row.File, row.File != "")
	if len(row.File) <= maxLine { // otherwise it is not in the line any more
		e.place, e.file, e.origin = row.Place, row.File, append(e.origin[:0], e.line[start:]...)
	}
}

// appendText appends the i-th cell.
func (e *Encoder) appendText(i int, value string, has bool) {
	e.line = append(e.line, e.before[i]...)
	if has {
		e.line = e.form.text(e.line, value)
	} else {
		e.line = append(e.line, e.form.null...)
	}
	if len(value) > maxLine {
		e.flush()
	}
}

// appendInteger appends the i-th cell.
func (e *Encoder) appendInteger(i int, n int64, has bool) {
	if e.line = append(e.line, e.before[i]...); has {
		e.line = strconv.AppendInt(e.line, n, 10)
	} else {
		e.line = append(e.line, e.form.null...)
	}
}

// appendMap appends the i-th cell.
func (e *Encoder) appendMap(i int, p traceid.Params) {
	if len(p) == 0 {
		e.line = append(append(e.line, e.before[i]...), "{}"...)
		return
	}
	var ok bool
	if e.line, ok = e.maps[i].Append(e.line, p); ok {
		return
	}

	e.line = append(append(e.line, e.before[i]...), e.form.open...)
	for i, pair := range p {
		if i > 0 {
			e.line = append(e.line, ',')
		}
		e.line = append(e.form.pair(e.line, pair.Key), ':')
		e.line = e.form.pair(e.line, pair.Value)
		if len(e.line) > maxLine {
			e.flush()
		}
	}
	e.line = append(e.line, e.form.close...)
}

// end ends a row. It returns the first error of writing.
func (e *Encoder) end() error {
	e.line = append(e.line, e.form.end...)
	e.flush()
	return e.err
}

// flush writes what there is of a row.
func (e *Encoder) flush() {
	if e.err == nil {
		_, e.err = e.out.Write(e.line)
	}
	e.line = e.line[:0]
}
