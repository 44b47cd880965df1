package columns

import (
	"io"
	"strconv"

	"perfdata/internal/delta"
	"perfdata/traceid"
)

// An Encoder writes a table as text. [NewJSON], [NewCSV] and [NewTSV] return one.
//
// It keeps the cells that most rows share with the previous one, with the separators before them. So a
// row is mostly copied.
type Encoder struct {
	out     io.Writer
	form    form
	columns []Column
	before  []string // each cell
	line    []byte   // what is not written yet of a row
	err     error    // of writing

	texts []text            // by column
	maps  [fixed]delta.Text // by column; of params, attrs and links
}

// A form says how cells are written.
type form struct {
	null        string
	idQuote     string // surrounds an ID in the default charset
	numberQuote string // surrounds NaN and infinity
	end         string // of a row

	text  func(dst []byte, s string) []byte
	pair  func(dst []byte, s string) []byte // a key or a value in a map
	open  string                            // of a map that is not empty
	close string
}

// A text is the cell of a column whose value often repeats.
type text struct {
	value string
	has   bool // a value
	known bool
	cell  []byte // with the separator before it
}

// maxLine is the length from which a line, or a cell, is not held in memory.
const maxLine = 64 << 10

// newEncoder returns an Encoder. The separators are those before a cell, given its name.
func newEncoder(out io.Writer, columns []Column, f form, separator func(i int, name string) string) *Encoder {
	e := &Encoder{out: out, form: f, columns: columns, texts: make([]text, len(columns))}
	for i, c := range columns {
		e.before = append(e.before, separator(i, c.Name))
		if c.Type == Map {
			e.maps[i] = delta.Text{Quote: f.pair, Open: e.before[i] + f.open, Close: f.close}
		}
	}
	return e
}

// WriteTitles writes a row with the names of the columns.
func (e *Encoder) WriteTitles() error {
	for i, c := range e.columns {
		e.line = e.form.text(append(e.line, e.before[i]...), c.Name)
	}
	return e.end()
}

// Write writes a row. It keeps strings of the row, and no other memory.
func (e *Encoder) Write(row *Row) error {
	e.appendID(ID, row.ID, row.otherCharset)
	if len(row.Trace) > 0 {
		e.appendID(Trace, row.Trace, row.otherCharset)
	} else {
		e.appendText(Trace, "", false)
	}
	e.appendText(Commit, row.Commit, row.Commit != "")
	e.appendInteger(N, int64(row.N), row.N > 0)
	e.line = appendNumber(append(e.line, e.before[Value]...), row.Value, e.form.numberQuote)
	e.appendText(Unit, row.Unit, row.Unit != "")
	e.appendText(Better, row.Better.String(), row.Better != 0)

	e.appendMap(Params, row.Params)
	e.appendMap(Attrs, row.Attrs)
	e.appendMap(Links, row.Links)
	e.appendText(File, row.File, row.File != "")
	e.appendInteger(Offset, row.Offset, row.Offset >= 0)
	for i := fixed; i < len(e.columns); i++ {
		value, ok := row.Params.Get(e.columns[i].Key)
		e.appendText(i, value, ok)
	}
	return e.end()
}

// appendID appends the i-th cell, an ID. One in the default charset needs no escapes.
func (e *Encoder) appendID(i int, id []byte, otherCharset bool) {
	if otherCharset {
		e.appendText(i, string(id), true)
		return
	}
	line := append(append(e.line, e.before[i]...), e.form.idQuote...)
	e.line = append(append(line, id...), e.form.idQuote...)
	if len(e.line) > maxLine {
		e.flush()
	}
}

// appendText appends the i-th cell.
func (e *Encoder) appendText(i int, value string, has bool) {
	t := &e.texts[i]
	if t.known && t.has == has && delta.SameText(value, t.value) {
		e.line = append(e.line, t.cell...)
		return
	}
	start := len(e.line)
	e.line = append(e.line, e.before[i]...)
	if has {
		e.line = e.form.text(e.line, value)
	} else {
		e.line = append(e.line, e.form.null...)
	}
	if t.known = len(value) <= maxLine; t.known {
		t.value, t.has, t.cell = value, has, append(t.cell[:0], e.line[start:]...)
		return
	}
	e.flush()
}

// appendInteger appends the i-th cell.
func (e *Encoder) appendInteger(i int, n int64, has bool) {
	e.line = append(e.line, e.before[i]...)
	if has {
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
