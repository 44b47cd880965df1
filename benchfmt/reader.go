package benchfmt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/lines"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// A Reader reads the measurements of one file: Go benchmark data, or the output of "go test
// -json". Any line that looks like an event of "go test -json" is treated as one. The exported
// fields configure the Reader before first use; their zero values are the defaults. A Reader
// serves one goroutine.
//
// The file is read once, from beginning to end, and each line affects the lines after it only.
// Memory depends on the configuration and the longest line only.
//
// Errors are [format.Error]s. An error about a single line is recoverable, and the line is left
// out. An input that fails and an exceeded limit, except for MaxLineBytes, end the reading.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds the resources that the input can make the Reader use.
	Limits format.Limits

	// Tidy converts values to base units, as x/perf does: ns to sec and MB to B.
	Tidy bool

	in      io.Reader
	started bool // Records or Results was called
	ahead   lookahead
	grammar
	text   stream // the lines of the file that are not events
	events events // the state of reading "go test -json"
	out    output // memory of the records and results
}

// A lookahead is what Header read: everything up to the first result.
type lookahead struct {
	done   bool // Header was called
	header Header
	err    error           // the fatal error of Header
	errors []*format.Error // recoverable errors that Records and Results have yet to yield
	first  *result         // the first result, which Records and Results have yet to yield
}

// NewReader returns a Reader of in. It does not close in.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Header returns the configuration and the unit metadata before the file's first result. Every
// call returns the same header and the same error.
func (r *Reader) Header() (Header, error) {
	ahead := &r.ahead
	if ahead.done {
		return ahead.header, ahead.err
	}

	// Prepare for the first line, with the configuration that the Reader has by now.
	ahead.done = true
	if limits := r.Limits.WithDefaults(); limits != r.limits {
		r.limits, r.events.scan = limits, nil
		r.names = nameDecoder{} // the number of params may be lower now
	}
	r.name = r.Name
	r.lines.Reset(r.in, r.limits.MaxLineBytes)
	if r.units.tidied != r.Tidy {
		r.units.tidied = r.Tidy
		r.forgetUnits()
	}

	const maxEarly = 1000 // errors before the first result at which Header stops looking for one
	for len(ahead.errors) < maxEarly {
		res, e := r.next()
		if e == nil || e.Severity != format.Recoverable {
			if ahead.first = res; e != nil {
				ahead.err = e
			}
			break
		}
		ahead.errors = append(ahead.errors, e)
	}

	from := &r.text
	if ahead.first != nil {
		from = ahead.first.stream
	}
	ahead.header = Header{Config: from.config.sorted.Clone(), Units: slices.Clone(r.units.lines)}
	return ahead.header, ahead.err
}

// FileHeader returns the header as the type that all formats share. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	if err != nil {
		return format.Header{}, err
	}
	commit, _ := h.Config.Get(commitConfig)
	return format.Header{Commit: commit, Params: h.Config, Native: h}, nil
}

// Units returns the unit metadata read so far, in the order of the file.
func (r *Reader) Units() []UnitMetadata { return slices.Clone(r.units.lines) }

// Close does nothing: a Reader holds only memory.
func (r *Reader) Close() error { return nil }

// Reset makes r a Reader of another input. The exported fields stay, and may be changed before the
// next use. Reset reuses the Reader's memory, which the last [format.Record] and [Result] belong
// to; nothing else of the previous input has an effect on the next one. Do not call Reset within
// an iteration.
func (r *Reader) Reset(in io.Reader) {
	r.in, r.started = in, false
	r.ahead = lookahead{errors: r.ahead.errors[:0]}
	r.input = input{limits: r.limits, lines: r.lines}
	r.result.at, r.result.stream = place{}, nil
	r.failed, r.unnamed, r.isNamed = place{}, place{}, false
	r.out.record = format.Record{}

	// The stream of the file itself keeps its memory. Streams of packages do not.
	clear(r.text.config.sorted)
	clear(r.text.config.ordered)
	r.text = stream{config: config{sorted: r.text.config.sorted[:0], ordered: r.text.config.ordered[:0]}}
	const maxKeptName = 4 << 10 // the length of the longest name whose memory is kept
	if r.current = nil; len(r.names.text) > maxKeptName {
		r.names = nameDecoder{}
	}
	ev := &r.events
	*ev = events{scan: ev.scan, event: event{output: ev.event.output, pkg: ev.event.pkg}}

	// Units learned without metadata are the same in every file.
	if len(r.units.metadata) > 0 {
		r.forgetUnits()
	}
	clear(r.units.lines)
	u := &r.units
	*u = units{lines: u.lines[:0], known: u.known, tidied: u.tidied}
}

// Records iterates over the file's measurements, in the order of the file. Call either Records or
// Results, once. Each step overwrites the record: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		r.forEach(func(res *result, err *format.Error) bool {
			if err != nil {
				return yield(nil, err)
			}
			return r.out.yieldRecords(res, yield)
		})
	}
}

// Results iterates over the file's result lines. Call either Records or Results, once. Each step
// overwrites the Result and its slices; its strings may be kept.
func (r *Reader) Results() iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		r.forEach(func(from *result, err *format.Error) bool {
			if err != nil {
				return yield(nil, err)
			}
			res := &r.out.result
			res.Name, res.Iterations = from.name.text, from.iterations
			res.Position = format.Position{Offset: from.at.offset, Line: from.at.line, Column: 1}
			if res.Config = from.stream.config.ordered; res.Config == nil {
				res.Config = []traceid.Param{}
			}
			res.Values = res.Values[:0]
			for _, v := range from.values {
				res.Values = append(res.Values, Value{v.number * v.unit.factor, v.unit.param})
			}
			return yield(res, nil)
		})
	}
}

// forEach calls do for each result and each error. It stops when do returns false.
func (r *Reader) forEach(do func(*result, *format.Error) bool) {
	if r.started {
		do(nil, lines.FileError(r.Name, alreadyRead, format.ErrMisuse))
		return
	}
	r.started = true

	r.Header()
	for _, e := range r.ahead.errors {
		if !do(nil, e) {
			return
		}
	}
	if first := r.ahead.first; first != nil && !do(first, nil) {
		return
	}

	for {
		res, err := r.next()
		if res == nil && err == nil || !do(res, err) || err != nil && err.Severity != format.Recoverable {
			return
		}
	}
}

const alreadyRead = "the input was already read: call Records or Results once"

// next reads the next result, or returns the next error. It returns neither at the end of the
// input.
func (r *Reader) next() (*result, *format.Error) {
	for {
		if r.err != nil {
			return nil, r.err
		}

		if r.units.line != nil {
			if err := r.nextMetadata(); err != nil {
				return nil, err
			}
			continue
		}
		if r.events.event.stream == nil {
			if end := r.readPlain(&r.text, r.lines.Ahead(), r.lines.End()); end > 0 {
				r.lines.Take(end, 1)
				r.result.at = place{offset: r.lines.Offset(), line: r.lines.Number()}
				return &r.result, nil
			}
		}

		line, s, err := r.nextLine()
		if s == nil {
			return nil, err
		}
		if res, err := r.readLine(s, line); res != nil || err != nil {
			return res, err
		}
	}
}

// nextLine returns the next line of text and its stream. The stream is nil at the end of the input
// and with an error.
func (r *Reader) nextLine() ([]byte, *stream, *format.Error) {
	for {
		if r.events.event.stream != nil {
			if line, s := r.events.outputLine(&r.input); s != nil {
				return line, s, nil
			}
			if r.err != nil {
				return nil, nil, r.err
			}
		}

		line, ok := r.lines.Next()
		if !ok {
			if err := r.lines.Err(); err != nil {
				r.at = place{offset: r.lines.End(), line: r.lines.Number() + 1}
				r.err = r.fatal("reading failed: "+err.Error(), err)
				return nil, nil, r.err
			}
			line, s := r.events.lastLine(&r.input)
			return line, s, nil
		}

		r.at = place{offset: r.lines.Offset(), line: r.lines.Number()}
		if !isEvent(line) || r.lines.TooLong() {
			return line, &r.text, nil
		}
		if err := r.events.read(&r.input, line); err != nil {
			return nil, nil, err
		}
	}
}

// An input is a file that is read line by line, with its position and its errors.
type input struct {
	name   string
	limits format.Limits // with the defaults
	lines  lines.Reader
	at     place         // the current line
	kept   int64         // bytes that lines made the Reader keep for later lines
	err    *format.Error // the error that ended the reading
}

// A place is the position of a line.
type place struct {
	offset int64
	line   int
	event  bool   // the line is output of an event, and the position is the event's
	pkg    string // the package whose output it is
}

// keep counts n more bytes that are kept for later lines, or fewer if n is negative.
func (in *input) keep(n int64) {
	in.kept += n
	if max := in.limits.MaxHeaderBytes; in.kept > max {
		text := message.Limit("MaxHeaderBytes", max, "bytes of configuration, unit metadata and unfinished lines")
		in.err = in.fatal(text, format.ErrLimit)
	}
}

// fail returns a recoverable error about byte i of the current line, which is left out.
func (in *input) fail(i int, text string) *format.Error {
	e := in.fatal(text, format.ErrSyntax)
	e.Severity = format.Recoverable
	if !in.at.event {
		e.Offset += int64(i)
		e.Column += i
	}
	return e
}

// failUTF8 returns an error about the first invalid byte in part of a line.
func (in *input) failUTF8(line []byte) *format.Error {
	i := chars.InvalidUTF8(line)
	return in.fail(i, fmt.Sprintf("invalid UTF-8 byte 0x%02x", line[i]))
}

// failLimit returns a recoverable error about the current line, which exceeds a limit and is left
// out.
func (in *input) failLimit(limit string, max int, what string) *format.Error {
	e := in.fail(0, message.Limit(limit, int64(max), what))
	e.Err = format.ErrLimit
	return e
}

// failNumber returns an error about a number from byte start to byte end, which strconv refuses.
func (in *input) failNumber(line []byte, start, end int, what, want string, err error) *format.Error {
	if errors.Is(err, strconv.ErrRange) {
		return in.fail(start, fmt.Sprintf("%s %s is out of range", what, quote(line[start:end])))
	}
	return in.fail(start, fmt.Sprintf("%s %s is not a %s", what, quote(line[start:end]), want))
}

// fatal returns an error about the current line that ends the reading.
func (in *input) fatal(text string, cause error) *format.Error {
	return &format.Error{
		Name:     in.name,
		Position: format.Position{Offset: in.at.offset, Line: in.at.line, Column: 1},
		Path:     message.Shorten(in.at.pkg),
		Message:  text,
		Err:      cause,
	}
}

// quote quotes a part of a line without the blanks around it, or the beginning of a long part.
func quote(b []byte) string {
	b = bytes.TrimSpace(b)
	return message.Quote(string(b[:min(len(b), message.MaxShown+utf8.UTFMax)]))
}
