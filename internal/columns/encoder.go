package columns

import (
	"io"
	"strconv"
	"time"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/traceid"
)

// An Encoder writes a table as text. [NewJSON], [NewCSV] and [NewTSV] return one.
//
// Most cells of a row repeat the previous row's, so an Encoder keeps their text: in runs of cells
// that usually change together, and with a [delta.Text] for each map. Most of a row is copied. Without
// the Texts, printing Go benchmarks or Skia v1 as JSON takes 1.3 times the CPU time, without the runs
// 1.1 to 1.2 times, and without either 1.3 to 1.5 times: reading included, writing to a file not.
type Encoder struct {
	out     io.Writer
	form    form
	columns []Column
	before  []string // each cell
	line    []byte   // the part of a row that is still to be written
	flushed bool     // some of it is written
	err     error    // of writing

	place  placeRun
	source sourceRun
	maps   [fixed]delta.Text // by column; of params, attrs and links

	beforeID, beforeTrace string // with quotes
}

// A run is the text of some adjacent cells of the last row. It is valid if known is true.
type run struct {
	known bool
	text  []byte
}

// A placeRun is the end of the trace ID, the cells commit and n, and the separator after them.
type placeRun struct {
	run
	commit string
	n      int
}

// A sourceRun is the cells from links to file, and the separator after them.
type sourceRun struct {
	run
	links format.Links
	place Place
	file  string
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

// maxLine is the length from which a line, or a cell, is not held in memory.
const maxLine = 64 << 10

// newEncoder returns an Encoder. The separators precede a cell, given its name.
func newEncoder(out io.Writer, columns []Column, f form, separator func(i int, name string) string) *Encoder {
	e := &Encoder{out: out, form: f, columns: columns}
	for i, c := range columns {
		e.before = append(e.before, separator(i, c.Name))
		if c.Type == Map {
			e.maps[i] = delta.Text{Quote: f.pair, Open: e.before[i] + f.open, Close: f.close}
		}
	}
	e.beforeID = e.before[ID] + f.idQuote
	e.beforeTrace = f.idQuote + e.before[Trace] + f.idQuote
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
	e.appendPlace(row)
	e.line = appendNumber(e.line, row.Value, e.form.numberQuote)
	e.appendUnit(row)
	e.appendMap(Params, row.Params)
	e.appendMap(Attrs, row.Attrs)
	e.appendSource(row)
	e.appendInteger(row.Offset, row.Offset >= 0)
	for i := fixed; i < len(e.columns); i++ {
		value, ok := row.Params.Get(e.columns[i].Key)
		e.appendText(i, value, ok)
	}
	return e.end()
}

// appendPlace appends the cells up to n, and the separator after it.
func (e *Encoder) appendPlace(row *Row) {
	p := &e.place
	if len(row.Trace) == 0 || row.otherCharset || len(row.ID)+len(row.Trace) > maxLine {
		e.appendAnyIDs(row)
		e.appendRepetition(row)
		return
	}

	line := append(append(e.line, e.beforeID...), row.ID...)
	e.line = append(append(line, e.beforeTrace...), row.Trace...)
	if p.known && p.n == row.N && delta.SameText(p.commit, row.Commit) {
		e.line = append(e.line, p.text...)
		return
	}
	start := e.begin()
	e.line = append(e.line, e.form.idQuote...)
	e.appendRepetition(row)
	p.commit, p.n = row.Commit, row.N
	p.keep(e, start)
}

// appendAnyIDs appends the cells id and trace.
func (e *Encoder) appendAnyIDs(row *Row) {
	e.appendID(ID, row.ID, row.otherCharset)
	if len(row.Trace) > 0 {
		e.appendID(Trace, row.Trace, row.otherCharset)
	} else {
		e.appendText(Trace, "", false)
	}
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

// appendRepetition appends the cells commit and n, and the separator after them.
func (e *Encoder) appendRepetition(row *Row) {
	e.appendText(Commit, row.Commit, row.Commit != "")
	e.line = append(e.line, e.before[N]...)
	e.appendInteger(int64(row.N), row.N > 0)
	e.line = append(e.line, e.before[Value]...)
}

// appendUnit appends the cells unit and better. Most rows have another unit than the previous one.
func (e *Encoder) appendUnit(row *Row) {
	e.appendText(Unit, row.Unit, row.Unit != "")
	e.appendText(Better, row.Better.String(), row.Better != format.Unknown)
}

// appendSource appends the cells from links to file, and the separator after them.
func (e *Encoder) appendSource(row *Row) {
	s := &e.source
	if s.known && s.place == row.Place && delta.SameText(s.file, row.File) && delta.SameParams(s.links, row.Links) {
		e.line = append(e.line, s.text...)
		return
	}

	start := e.begin()
	e.appendMap(Links, row.Links)
	e.appendCommit(&row.Place)
	e.appendText(File, row.File, row.File != "")
	e.line = append(e.line, e.before[Offset]...)
	if s.keep(e, start); s.known {
		s.links, s.place, s.file = append(s.links[:0], row.Links...), row.Place, row.File
	}
}

// appendCommit appends the cells position and commit_time.
func (e *Encoder) appendCommit(at *Place) {
	e.line = append(e.line, e.before[Position]...)
	e.appendInteger(int64(at.Listed)-1, at.Listed > 0)
	if at.Time.IsZero() {
		e.appendText(CommitTime, "", false)
		return
	}
	var text [len(time.RFC3339)]byte
	e.appendText(CommitTime, string(at.Time.UTC().AppendFormat(text[:0], time.RFC3339)), true)
}

// begin begins a run, and returns its index in the line.
func (e *Encoder) begin() int {
	e.flushed = false
	return len(e.line)
}

// keep makes the bytes that were appended since begin the text of r, unless they were too long to
// be held in memory.
func (r *run) keep(e *Encoder, start int) {
	if r.known = !e.flushed; r.known {
		r.text = append(r.text[:0], e.line[start:]...)
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

// appendInteger appends an integer.
func (e *Encoder) appendInteger(n int64, has bool) {
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
	e.flushed = true
	if e.err == nil {
		_, e.err = e.out.Write(e.line)
	}
	e.line = e.line[:0]
}
