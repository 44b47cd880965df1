package columns

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/internal/jsonscan"
	"perfdata/internal/lines"
	"perfdata/internal/message"
)

// A Reader reads a table of one form. Package table says what a table is. Create it with [NewReader],
// and set the options before the first use.
type Reader struct {
	Options

	form  Form
	in    io.Reader
	limit format.Limits // Limits with the defaults
	used  bool
	warn  bool // warnings are wanted

	lines  lines.Reader
	begun  bool          // the titles were read
	failed *format.Error // of that
	titles []string      // of CSV and TSV
	roles  map[string]role

	scan, inner *jsonscan.Scanner // of a row, and of a map
	source      bytes.Reader      // of one of them
	strings     buffer.Strings
	row
	measurement
}

// A row is what is read at once.
type row struct {
	text    []byte // one or more lines, without the end of the last one
	several []byte // memory of the text, if it is several lines
	isOwn   bool   // the text is there
	offset  int64
	line    int // of its beginning
	cells   []cell
	scratch []byte // texts of cells that are not in the row as they are
	faults  []*format.Error
	isTable bool // it has params
}

// Options are the options of a Reader. Their zero values are the defaults.
type Options struct {
	Name   string        // of the input, for errors
	Limits format.Limits // MaxResultBytes bounds a row, and MaxParams also its columns

	// The names of columns, if they are not the usual ones. Values has the columns of measurements,
	// and Attrs the columns of attrs; Time is the column of the commit's time.
	Values, Attrs              []string
	Commit, Unit, Better, Time string

	Comma byte // between the cells of CSV; 0 is a comma
}

// NewReader returns a Reader of a table.
func NewReader(in io.Reader, form Form) *Reader { return &Reader{in: in, form: form} }

// Form returns the form of the table.
func (r *Reader) Form() Form { return r.form }

// Warn makes Records also yield warnings.
func (r *Reader) Warn() { r.warn = true }

// Reset makes r a Reader of another input, with the options and the memory of r.
func (r *Reader) Reset(in io.Reader) {
	*r = Reader{
		Options: r.Options,
		form:    r.form, in: in, lines: r.lines, titles: r.titles[:0], scan: r.scan, inner: r.inner, strings: r.strings,
		row: row{cells: r.cells[:0], several: r.several, scratch: r.scratch},
	}
}

// Close does nothing: a Reader holds only memory.
func (r *Reader) Close() error { return nil }

// A Header has the names of the columns, in CSV and TSV.
type Header struct {
	Columns []string `json:"columns,omitempty"`
}

// FileHeader returns what the first row says. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	if err := r.start(); err != nil {
		return format.Header{}, err
	}
	return format.Header{Native: Header{slices.Clone(r.titles)}}, nil
}

// Records iterates over the measurements. It can be called once.
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		if r.used {
			yield(nil, lines.FileError(r.Name, "the input was already read: call Records once", format.ErrMisuse))
			return
		}
		err := r.start()
		r.used = true
		for err == nil {
			var ok bool
			if ok, err = r.next(); err == nil && (!ok || !r.yieldRow(yield)) {
				return
			}
		}
		yield(nil, err)
	}
}

// yieldRow yields the faults and then the measurements of the row. It returns false if the reading ends.
func (r *Reader) yieldRow(yield func(*format.Record, error) bool) bool {
	sound := len(r.faults) == 0 && r.build()
	if r.warn && r.form != JSON && !r.lines.Ended() {
		e := r.fault(len(r.text), "", "the last row has no line end: the input may be truncated")
		e.Err, e.Severity = nil, format.Warning
	}
	for _, e := range r.faults {
		isFatal := e.Severity == format.Fatal // before validation changes it
		if !yield(nil, e) || isFatal {
			return false
		}
	}
	if !sound {
		return true
	}

	m := &r.measurement
	for _, v := range m.values {
		c := &r.cells[v.cell]
		if m.metric >= 0 {
			m.record.Params[m.metric].Value = c.name
		}
		m.record.Value, m.record.Offset = v.number, r.offset+int64(c.at)
		if !yield(&m.record, nil) {
			return false
		}
	}
	return true
}

// start reads the names of the columns, once.
func (r *Reader) start() *format.Error {
	if !r.begun {
		r.begun, r.failed = true, r.begin()
	}
	return r.failed
}

func (r *Reader) begin() *format.Error {
	r.limit = r.Limits.WithDefaults()
	r.setRoles()
	r.lines.Reset(r.in, int(min(r.limit.MaxResultBytes, 1<<30)))
	if r.form == JSON {
		return nil
	}

	ok, err := r.next()
	switch {
	case err != nil:
		return err
	case !ok:
		return lines.FileError(r.Name, "the input is empty: want a row with the names of the columns", io.ErrUnexpectedEOF)
	case len(r.faults) > 0:
		r.faults[0].Severity = format.Fatal
		return r.faults[0]
	}
	return r.setTitles()
}

// setTitles makes the row the names of the columns.
func (r *Reader) setTitles() *format.Error {
	if len(r.cells) > r.maxColumns() {
		return r.limitError(0, "MaxParams", int64(r.limit.MaxParams), "columns for params")
	}
	for i := range r.cells {
		c := &r.cells[i]
		title := strings.TrimSpace(string(c.text))
		if title != "" && slices.Contains(r.titles, title) {
			e := r.cellFault(c, "two columns "+message.Quote(title))
			e.Err, e.Severity = format.ErrDuplicate, format.Fatal
			return e
		}
		r.titles = append(r.titles, title)
	}
	r.isTable = slices.Contains(r.titles, "params")
	others := []string{"value", r.Commit, r.Unit, r.Better, r.Time}[min(len(r.Values), 1):]
	for _, name := range slices.Concat(r.Values, r.Attrs, others) {
		if name != "" && !slices.Contains(r.titles, name) {
			text := fmt.Sprintf("the columns are %s: want %s, or the name of another one with --set %s.value=COLUMN",
				message.Quote(strings.Join(r.titles, ", ")), name, r.form)
			return lines.FileError(r.Name, text, format.ErrSchema)
		}
	}
	return nil
}

// maxColumns is how many cells a row may have.
func (r *Reader) maxColumns() int { return r.limit.MaxParams + Fixed }

// next reads a row that is not blank into the cells. Faults of its text are in r.faults. It returns false
// at the end of the input.
func (r *Reader) next() (bool, *format.Error) {
	for {
		line, ok := r.lines.Next()
		if !ok {
			return false, r.readError()
		}
		r.faults, r.cells = r.faults[:0], r.cells[:0]
		r.text, r.isOwn, r.offset, r.line = line, false, r.lines.Offset(), r.lines.Number()
		if r.lines.TooLong() {
			return false, r.limitError(0, "MaxResultBytes", r.limit.MaxResultBytes, "bytes in one row")
		}
		if len(bytes.TrimSpace(line)) == 0 && r.form != TSV || len(line) == 0 {
			continue
		}

		switch r.form {
		case JSON:
			r.splitJSON()
		case CSV:
			if err := r.splitCSV(); err != nil {
				return false, err
			}
		case TSV:
			r.splitTSV()
		}

		if len(r.faults) == 0 && !utf8.Valid(r.text) {
			r.fault(chars.InvalidUTF8(r.text), "", "invalid UTF-8")
		}
		if n := len(r.titles); r.form != JSON && n > 0 && len(r.cells) != n && len(r.faults) == 0 {
			r.fault(0, "", fmt.Sprintf("%s: want %d, as in the first row", message.Plural(len(r.cells), "cell"), n))
		}
		if len(r.faults) > 0 && !r.lines.Ended() && r.faults[0].Severity != format.Fatal {
			e := r.faults[0] // of the file, which may be truncated
			if e.Err, e.Severity = io.ErrUnexpectedEOF, format.Fatal; r.form != JSON {
				e.Message += ", and the input ends within the row"
			}
		}
		return true, nil
	}
}

// readError returns the error of the input, or nil at its end.
func (r *Reader) readError() *format.Error {
	if r.lines.Err() == nil && r.lines.Number() == 0 && r.form == JSON {
		return lines.FileError(r.Name, "the input is empty", io.ErrUnexpectedEOF)
	}
	return r.lines.ReadError(r.Name)
}

// limitError returns the error about a row that exceeds a limit at byte i.
func (r *Reader) limitError(i int, limit string, max int64, what string) *format.Error {
	e := r.errorAt(i, "", message.Limit(limit, max, what))
	e.Err, e.Severity = format.ErrLimit, format.Fatal
	return e
}

// errorAt returns a recoverable error about byte i of the row, in the named column.
func (r *Reader) errorAt(i int, column, text string) *format.Error {
	before := r.text[:i]
	at := format.Position{
		Offset: r.offset + int64(i), Line: r.line + bytes.Count(before, []byte("\n")),
		Column: i - bytes.LastIndexByte(before, '\n'),
	}
	return &format.Error{
		Name: r.Name, Position: at, Path: column, Message: text, Err: format.ErrSyntax, Severity: format.Recoverable,
	}
}

// fault adds a fault of the row.
func (r *Reader) fault(i int, column, text string) *format.Error {
	e := r.errorAt(i, column, text)
	r.faults = append(r.faults, e)
	return e
}

// cellFault adds a fault of a cell.
func (r *Reader) cellFault(c *cell, text string) *format.Error {
	e := r.fault(c.at, c.name, text)
	e.Err = format.ErrSchema
	return e
}
