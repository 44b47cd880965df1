package keyval

import (
	"io"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/lines"
	"perfdata/traceid"
)

// A Reader reads the iterations of one file. The exported fields configure it before first use; their zero values are
// the defaults. A Reader serves one goroutine, and its memory depends on the largest single iteration only.
//
// Errors are [format.Error]s. Recoverable are those about one line, which is left out; it never ends an iteration. All
// others, such as exceeded limits, end the reading. Those about an iteration's lines come before the iteration.
//
// The format has no end: of a file that was cut off, what is there is read, and a number that was cut off is another
// number. [Validate] warns of a file whose last line has no line end.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds what the input can make the Reader use. MaxLineBytes is for a line, MaxResultBytes for the text of an
	// iteration, MaxParams for the attributes of an iteration, and MaxMembers for its performance keys.
	Limits format.Limits

	// Params are those of all measurements, such as test and host, which the file doesn't tell. The params key and
	// iteration are always the file's own, whatever Params has under these names.
	Params traceid.Params

	in     io.Reader
	lines  *lines.Reader // nil before first use
	taken  int           // lines that were taken together with another: see match.go
	ended  bool          // there is nothing more to read
	used   bool          // Records or Iterations was called
	strict *strictness   // of Validate; nil in a Reader

	strings  intern.Table
	numerals numerals
	it       Iteration
	index    index  // of the keys in it.Perf, where there are many
	layout   layout // of the iteration read last
	record   format.Record
}

// An Iteration is what a test reported at once. One that a Reader yields belongs to the Reader, with its slices: they are
// for reading only, and the next step overwrites them. Its strings may be kept.
type Iteration struct {
	Index int            // counted from 1
	Attr  traceid.Params // attributes: sorted by key, of repeated keys the last
	Perf  []Keyval       // in the order in which the keys first appear, of repeated keys the last value

	format.Position // of the first line
}

// A Keyval is a key with the performance value that was measured.
type Keyval struct {
	Key    string
	Value  float64
	Offset int64 // in the input, in bytes, of the line that has the value, without the white space before it
}

// Clone returns a copy of it that the Reader won't overwrite.
func (it *Iteration) Clone() *Iteration {
	c := *it
	c.Attr, c.Perf = it.Attr.Clone(), slices.Clone(it.Perf)
	return &c
}

// NewReader returns a Reader of in. It doesn't close in.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Header returns what the Reader's Params say. It reads nothing and never fails.
func (r *Reader) Header() (Header, error) { return Header{Params: ownParams(r.Params)}, nil }

// FileHeader returns what Header returns in the form of any format. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	return h.fileHeader(), err
}

// Close does nothing: a Reader holds nothing that needs to be released. It is there for [format.Reader].
func (r *Reader) Close() error { return nil }

// Iterations iterates over the file's iterations, also those without any keyval. It can be called once, instead of
// Records.
func (r *Reader) Iterations() iter.Seq2[*Iteration, error] {
	return func(yield func(*Iteration, error) bool) {
		report := func(e *format.Error) bool { return yield(nil, e) }
		for ok := r.use(report); ok && r.next(report); {
			if !yield(&r.it, nil) {
				return
			}
		}
	}
}

// Records iterates over the performance values, in the order in which their keys first appear in each iteration. It can
// be called once, instead of Iterations. The record is overwritten by the next step: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		report := func(e *format.Error) bool { return yield(nil, e) }
		if !r.use(report) {
			return
		}
		rec := &r.record
		rec.Params = traceid.Merge(ownParams(r.Params), traceid.Params{{Key: paramIteration}, {Key: paramKey}})
		iteration, _ := rec.Params.Find(paramIteration)
		key, _ := rec.Params.Find(paramKey)
		for r.next(report) {
			rec.Params[iteration].Value = r.numerals.string(r.it.Index)
			rec.Attrs = r.it.Attr
			for i := range r.it.Perf {
				kv := &r.it.Perf[i]
				rec.Params[key].Value = kv.Key
				rec.Value, rec.Offset = kv.Value, kv.Offset
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

// use makes the Reader ready, once.
func (r *Reader) use(report func(*format.Error) bool) bool {
	if r.used {
		report(&format.Error{Name: r.Name, Position: format.Position{Line: 1, Column: 1}, Message: "the file was read already"})
		return false
	}
	r.used = true
	r.Limits = r.Limits.WithDefaults()
	r.lines = lines.New(r.in, r.Limits.MaxLineBytes)
	return true
}

// next reads the next iteration into r.it. It returns false if there is none, after a fatal error, and if report, which
// is given all errors, returns false.
func (r *Reader) next(report func(*format.Error) bool) bool {
	return r.match() || r.read(report)
}
