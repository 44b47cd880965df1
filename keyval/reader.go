package keyval

import (
	"io"
	"iter"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/delta"
	"perfdata/internal/lines"
	"perfdata/traceid"
)

// A Reader reads the iterations of one file. The exported fields configure it before first use;
// their zero values are the defaults. A Reader serves one goroutine. Its memory depends on the
// largest single iteration only.
//
// Errors are [format.Error]s. An error about a single line is recoverable: the line is left out,
// and does not end the iteration. Any other error, such as an exceeded limit, ends the reading.
// Errors about the lines of an iteration come before the iteration.
//
// The format has no end mark. A truncated file is read as far as it goes, and a truncated number
// is another number. Validation warns about a file whose last line has no line end.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds the resources that the input can make the Reader use: MaxLineBytes the length
	// of a line, MaxResultBytes the text of an iteration, MaxParams its attributes, and MaxMembers
	// its performance values.
	Limits format.Limits

	// Params of all measurements, such as test and host, which are not in the file. The params key
	// and iteration always come from the file, even if Params has them.
	Params traceid.Params

	src     io.Reader
	started bool // Records or Iterations was called
	ended   bool // the input ended, or failed
	in      lines.File
	size    int64 // bytes of the lines of the iteration

	validates     bool // for Validate, which reports more
	warnedUntyped bool // an untyped line was warned about

	strings buffer.Strings
	numeral [20]byte // scratch: the number of an iteration
	it      Iteration
	index   index   // of the keys in it.Perf
	pattern pattern // of the previous iteration
	record  format.Record
	layout  delta.Layout // of its params
}

// An Iteration has the values that a test reported at once. An Iteration that a Reader yields
// belongs to the Reader, with its slices: they must not be changed, and the next step overwrites
// them. Its strings may be kept.
type Iteration struct {
	Index int            // from 1
	Attr  traceid.Params // attributes, sorted by key; of a repeated key, the last value
	Perf  []Keyval       // in the order in which the keys first appear; of a repeated key, the last value

	format.Position // of the iteration's first line
}

// A Keyval is a performance value with its key.
type Keyval struct {
	Key    string
	Value  float64
	Offset int64 // of the line with the value, after white space, in bytes
}

// Clone returns a copy of it that shares no memory with the Reader.
func (it *Iteration) Clone() *Iteration {
	c := *it
	c.Attr, c.Perf = it.Attr.Clone(), slices.Clone(it.Perf)
	return &c
}

// NewReader returns a Reader of in. It does not close in.
func NewReader(in io.Reader) *Reader { return &Reader{src: in} }

// Header returns the Reader's Params. It reads nothing and never fails.
func (r *Reader) Header() (Header, error) { return Header{Params: ownParams(r.Params)}, nil }

// FileHeader returns the header in the form that all formats share. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	return format.Header{Params: h.Params, Native: h}, err
}

// Close does nothing: a Reader holds only memory.
func (r *Reader) Close() error { return nil }

// Reset makes r a Reader of another input. The exported fields stay, and may be changed before the
// next use. Reset reuses the Reader's memory, which the last [format.Record] and [Iteration]
// belong to; nothing else of the previous input has an effect on the next one. Do not call Reset
// within an iteration over r.
func (r *Reader) Reset(in io.Reader) {
	r.src, r.started, r.ended = in, false, false
	r.it = Iteration{Attr: r.it.Attr[:0], Perf: r.it.Perf[:0]}
	r.pattern.clear()
}

// Iterations iterates over the file's iterations, including empty ones. Call either Iterations or
// Records, once.
func (r *Reader) Iterations() iter.Seq2[*Iteration, error] {
	return func(yield func(*Iteration, error) bool) {
		report := func(e *format.Error) bool { return yield(nil, e) }
		for ok := r.start(report); ok && r.next(report); {
			if !yield(&r.it, nil) {
				return
			}
		}
	}
}

// Records iterates over the performance values of each iteration, in the order in which their keys
// first appear. Call either Records or Iterations, once. Each step overwrites the record: see
// [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		report := func(e *format.Error) bool { return yield(nil, e) }
		if !r.start(report) {
			return
		}

		rec := &r.record
		own := traceid.Params{{Key: paramIteration}, {Key: paramKey}}
		rec.Params = traceid.AppendMerge(rec.Params[:0], ownParams(r.Params), own)
		iteration, _ := rec.Params.Find(paramIteration)
		key, _ := rec.Params.Find(paramKey)
		rec.Source = r.layout.Source(rec.Params)

		for r.next(report) {
			rec.Params[iteration].Value = r.strings.New(strconv.AppendInt(r.numeral[:0], int64(r.it.Index), 10))
			rec.Attrs, rec.Repetition = r.it.Attr, r.it.Index
			value, perf := &rec.Params[key].Value, r.it.Perf
			for i := range perf {
				kv := &perf[i]
				*value = kv.Key
				rec.Value, rec.Offset = kv.Value, kv.Offset
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

// start makes the Reader ready to read. A second call returns false and reports an error.
func (r *Reader) start(report func(*format.Error) bool) bool {
	if r.started {
		const text = "the input was already read: call Records or Iterations once"
		report(lines.FileError(r.Name, text, format.ErrMisuse))
		return false
	}
	r.started = true
	r.in.Open(r.src, r.Name, r.Limits)
	return true
}
