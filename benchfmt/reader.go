package benchfmt

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
	"perfdata/internal/lines"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// A Reader reads the measurements of one file: of Go benchmark data, or of the events of "go test -json", as which
// each line that looks like one is read. The exported fields configure it before first use; their zero values are the
// defaults. A Reader serves one goroutine.
//
// The file is read once, from its beginning to its end, and what it says counts from there on. Memory depends on the
// configuration and the longest line only.
//
// Errors are [format.Error]s. Recoverable are those about one line, which is left out. What ends the reading is a
// source that fails, and a limit, but for that of a line's length.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds what the input can make the Reader use.
	Limits format.Limits

	// Tidy converts values to base units: ns to sec and MB to B, as x/perf does.
	Tidy bool

	in     io.Reader
	lines  *lines.Reader // nil before first use
	limits format.Limits // Limits with the defaults
	used   bool          // Records or Results was called

	header    Header
	headerErr error
	early     []*format.Error // errors met while reading the header
	ahead     bool            // so was result
	err       *format.Error   // that ended the reading
	at        place           // of the line that is read

	text     stream             // the file
	packages map[string]*stream // or, of "go test -json", each package's output
	open     []*stream          // at the input's end: the packages whose output didn't end
	last     int                // of open, those whose last line was read
	current  *stream            // of which the last result line was
	layouts  []*layout          // of the streams with results, at most maxLayouts
	turn     int                // of layouts, the one that the next stream without one gets
	events   int                // of output
	event    event
	faulty   *format.Error     // about an event
	scan     *jsonscan.Scanner // of events

	metadata  map[string]metadata // by the tidied unit
	found     []UnitMetadata      // the same, in order
	units     map[string]*unit
	unitBytes int    // of the texts of units
	unitLine  []byte // a Unit line that is being read; mostly nil
	unitAt    int    // what comes next of it
	unitText  string // the unit that it is about
	held      int64  // bytes of all that lines leave behind for others

	strings intern.Table
	result  result
	record  format.Record
	attrs   [1]traceid.Param
	merged  traceid.Params // attrs with a unit's metadata
	other   traceid.Params // params of a unit that stands in another param
	public  Result
}

// A place is where a line stands.
type place struct {
	offset int64
	line   int
	event  bool   // it is of the output in an event, not the file's own
	pkg    string // whose output
}

// A stream is text with a configuration of its own.
type stream struct {
	pkg     string
	config  config
	layout  *layout // nil if it has had no result, or another stream has it now
	partial []byte  // of "go test -json": the beginning of a line
	at      place   // of partial
}

// NewReader returns a Reader of in. It doesn't close in.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// maxEarly is how many errors before the first result Header passes over.
const maxEarly = 1000

// Header returns what the file says before its first result. It returns the same, and the same error, however often it
// is called.
func (r *Reader) Header() (Header, error) {
	if r.lines != nil {
		return r.header, r.headerErr
	}
	r.limits = r.Limits.WithDefaults()
	r.lines = lines.New(r.in, r.limits.MaxLineBytes)
	for {
		e, ok := r.step()
		if e != nil && !e.Recoverable {
			r.headerErr = e
		} else if e != nil {
			r.early = append(r.early, e)
			if len(r.early) < maxEarly {
				continue
			}
		}
		r.ahead = ok && e == nil
		break
	}
	from := &r.text
	if r.ahead {
		from = r.result.stream
	}
	r.header = Header{Config: from.config.sorted.Clone(), Units: slices.Clone(r.found)}
	return r.header, r.headerErr
}

// FileHeader returns what Header returns in the form of any format. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	if err != nil {
		return format.Header{}, err
	}
	return h.fileHeader(), nil
}

// Units returns the unit metadata of what has been read, in the order of the file.
func (r *Reader) Units() []UnitMetadata { return slices.Clone(r.found) }

// Close does nothing: a Reader holds nothing but memory.
func (r *Reader) Close() error { return nil }

// Records iterates over the file's measurements, in the order of the file. It can be called once, instead of Results.
// The record is overwritten by the next step: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		r.each(func(err *format.Error) bool {
			if err != nil {
				return yield(nil, err)
			}
			return r.yieldRecords(yield)
		})
	}
}

// Results iterates over the file's result lines. It can be called once, instead of Records. The Result, with its
// slices, is overwritten by the next step; its strings may be kept.
func (r *Reader) Results() iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		r.each(func(err *format.Error) bool {
			if err != nil {
				return yield(nil, err)
			}
			return yield(r.publicResult(), nil)
		})
	}
}

// each calls do for each result, which is in r.result, and each error, until do returns false.
func (r *Reader) each(do func(*format.Error) bool) {
	if r.used {
		do(&format.Error{Name: r.Name, Position: format.Position{Line: 1, Column: 1}, Message: "the records were read already"})
		return
	}
	r.used = true
	r.Header()
	for _, e := range r.early {
		if !do(e) {
			return
		}
	}
	if r.ahead && !do(nil) {
		return
	}
	for {
		err, ok := r.step()
		if !ok || !do(err) || err != nil && !err.Recoverable {
			return
		}
	}
}

// step reads on until there is a result, in r.result, or an error. It returns false at the end.
func (r *Reader) step() (err *format.Error, ok bool) {
	for {
		if r.err != nil {
			return r.err, true
		}
		if r.unitLine != nil {
			if err := r.nextMetadata(); err != nil {
				return err, true
			}
			continue
		}
		line, s, ok := r.nextLine()
		if !ok {
			if r.err != nil {
				continue
			}
			err, r.faulty = r.faulty, nil
			return err, err != nil
		}
		if len(line) >= len(prefix) && string(line[:len(prefix)]) == prefix {
			if err, ok := r.readResult(s, line); ok {
				return err, true
			}
			continue
		}
		if err := r.otherLine(s, line); err != nil {
			return err, true
		}
	}
}

// nextLine returns the next line of text, and the stream that it is of.
func (r *Reader) nextLine() ([]byte, *stream, bool) {
	for {
		if r.event.stream != nil {
			if line, s, ok := r.outputLine(); ok {
				return line, s, true
			}
			if r.err != nil {
				return nil, nil, false
			}
		}
		line, ok := r.lines.Next()
		if !ok {
			if err := r.lines.Err(); err != nil {
				r.at = place{offset: r.lines.End(), line: r.lines.Number() + 1}
				r.err = r.fatal("reading failed: "+err.Error(), err)
				return nil, nil, false
			}
			return r.lastLine()
		}
		r.at = place{offset: r.lines.Offset(), line: r.lines.Number()}
		if !isEvent(line) || r.lines.TooLong() {
			return line, &r.text, true
		}
		r.faulty = r.readEvent(line)
		if r.err != nil || r.faulty != nil {
			return nil, nil, false
		}
	}
}

// otherLine reads a line that is no result. Most such lines are not for us.
func (r *Reader) otherLine(s *stream, line []byte) *format.Error {
	if len(line) == 0 {
		return nil
	}
	if r.tooLong(line) {
		if key, _, ok := configLine(line); ok && len(key) < len(line) {
			r.setConfig(s, key, nil) // the value before doesn't count any more
		}
		return r.failLong()
	}
	if line[0] == 'U' {
		if end := fieldEnd(line, 0); string(line[:end]) == "Unit" {
			return r.startMetadata(line, end)
		}
	}
	key, value, ok := configLine(line)
	if !ok {
		return nil
	}
	if !utf8.Valid(line) {
		r.setConfig(s, key, nil)
		return r.failUTF8(line)
	}
	r.setConfig(s, key, value)
	return nil
}

// setConfig gives a key of the configuration of s another value; the empty one deletes it.
func (r *Reader) setConfig(s *stream, key, value []byte) {
	before := s.config.bytes
	if !s.config.set(key, value) {
		return
	}
	if s.layout != nil {
		s.layout.valid = false
	}
	r.hold(s.config.bytes - before)
	if max := r.limits.MaxParams; len(s.config.sorted) > max {
		r.err = r.fatal(message.Limit("MaxParams", int64(max), "keys of the configuration"), format.ErrLimit)
	}
}

// hold counts bytes that are kept for later lines, or with a negative number, not kept any longer.
func (r *Reader) hold(n int64) {
	r.held += n
	if max := r.limits.MaxHeaderBytes; r.held > max {
		r.err = r.fatal(message.Limit("MaxHeaderBytes", max, "bytes of configuration, unit metadata and unfinished lines"), format.ErrLimit)
	}
}

// fail returns an error about the line at byte i, which is left out.
func (r *Reader) fail(i int, text string) *format.Error {
	e := r.fatal(text, format.ErrSyntax)
	e.Recoverable = true
	if !r.at.event {
		e.Offset += int64(i)
		e.Column += i
	}
	return e
}

// failUTF8 returns an error about a part of a line that isn't all UTF-8.
func (r *Reader) failUTF8(line []byte) *format.Error {
	i := 0
	for {
		c, size := utf8.DecodeRune(line[i:])
		if c == utf8.RuneError && size <= 1 {
			return r.fail(i, fmt.Sprintf("byte 0x%02x, which is no UTF-8", line[i]))
		}
		i += size
	}
}

// fatal returns an error, met at the line that is read, that ends the reading.
func (r *Reader) fatal(text string, cause error) *format.Error {
	return &format.Error{Name: r.Name, Position: format.Position{Offset: r.at.offset, Line: r.at.line, Column: 1}, Path: shorten(r.at.pkg), Message: text, Err: cause}
}

// maxShown is how many bytes of a text from the input an error has. It doesn't keep the text itself.
const maxShown = 500

// shorten returns s, or the beginning of a long one.
func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > maxShown-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// tooLong reports whether not all of the line could be read.
func (r *Reader) tooLong(line []byte) bool {
	return !r.at.event && r.lines.TooLong() || len(line) > r.limits.MaxLineBytes
}

func (r *Reader) failLong() *format.Error {
	return r.failLimit("MaxLineBytes", r.limits.MaxLineBytes, "bytes of one line")
}

// failLimit returns a recoverable error about a line that exceeds a limit.
func (r *Reader) failLimit(limit string, max int, what string) *format.Error {
	e := r.fail(0, message.Limit(limit, int64(max), what))
	e.Err = format.ErrLimit
	return e
}
