package perun

import (
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// A Reader reads one profile, in either layout. The exported fields configure it before first
// use; their zero values are the defaults. A Reader serves one goroutine.
//
// The header and the resource types apply to all resources, and may come after them. So the Reader
// looks ahead: it skips the resources, and then comes back to them. For that, it keeps the rest of
// an input that can't seek, in memory or, if that is much, in a temporary file. The Reader's memory
// depends only on the header, on the number of resource types and on the largest resource. Records
// reads a profile in the layout of snapshots once, if the origin and the header come before the
// resources, or near the end.
//
// Errors are [format.Error]s. An error about one resource, resource type or snapshot is
// recoverable: the Reader leaves it out. An error about a member of the header with a wrong type is
// recoverable: the member is treated as absent. Records, Resources and Models yield each error of
// the header once: those before the resources first, all others last. Any other error, such as
// invalid JSON, ends the reading.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds the memory and time that the Reader uses. A result is a resource, or an entry
	// of the resource type map.
	Limits format.Limits

	// InOrder reads the file once, from its beginning to its end. Records have the header's
	// members that came before them. A member that comes too late is a recoverable error: a
	// member of the header after the resources, a snapshot's time after its resources, and resources
	// of types before the resource type map.
	// This does not depend on whether the input can seek.
	InOrder bool

	in      io.Reader
	started bool // doc has the input
	opened  bool // the header was read
	spent   bool // the input can't be read again, or the Reader was closed
	general bool // for tests: no fast path is used

	doc document
}

// NewReader returns a Reader of in, which it doesn't close. If in has a method CheckType(string)
// error, as a stored object does, the Reader calls it with the header's type, and returns its
// error as an error of the header.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Reset makes r read another input, like a new Reader, with the memory that it has. The exported
// fields stay; they can be changed before the next use. Strings, headers and clones of the
// previous input stay valid. Do not call Reset within an iteration over r.
func (r *Reader) Reset(in io.Reader) {
	r.Close()
	r.in, r.started, r.opened, r.spent = in, false, false, false
	d := &r.doc
	d.header, d.faults = Header{}, nil
	d.inherited.reset()
	d.types = typeIndex{cursor: d.types.cursor}
}

// Header returns the profile's header: all members or, with InOrder, the members before the
// resources. Further calls return the same header and error. If Header was not called before
// Records, members that records don't depend on may be missing until the end of Records.
func (r *Reader) Header() (Header, error) {
	r.open(&layout, false)
	return r.doc.header, r.doc.err
}

// FileHeader returns what Header returns in the form of any format. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	if err != nil {
		return format.Header{}, err
	}
	var params []traceid.Param
	for i, text := range h.texts() {
		if key := paramKeys[i]; key != "type" && *text != "" {
			params = append(params, traceid.Param{Key: key, Value: *text})
		}
	}
	return format.Header{Commit: h.Origin, Params: traceid.FromPairs(params...), Native: h}, nil
}

// Close releases the part that the Reader may have kept of an input that can't seek. It is not
// needed after Records.
func (r *Reader) Close() error {
	r.spent = true
	if r.doc.scan == nil {
		return nil
	}
	return r.doc.scan.Close()
}

// Records iterates over the resources as measurements, in the order of the file. A resource's
// value is its amount; a missing amount, or one that is not a number, is a recoverable error. The
// params are the header's type, cmd, args, workload and collector, the resource's own type and
// subtype, its flattened uid, and the header's unit for them, if the profile has them. The attrs
// are all other fields of the resource, flattened.
//
// Records can be called once. The end of the loop, including break, releases everything that the
// Reader holds. The next step overwrites the record: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		defer r.Close()
		r.read(output{records: yield, fault: func(err error) bool { return yield(nil, err) }}, true)
	}
}

// Resources iterates over the resources, in the order of the file. It can be called several
// times, but not with InOrder. The caller must call Close.
func (r *Reader) Resources() iter.Seq2[*Resource, error] {
	return func(yield func(*Resource, error) bool) {
		r.read(output{resources: yield, fault: func(err error) bool { return yield(nil, err) }}, false)
	}
}

// Models iterates over the models, in the order of the file: the models of the document and, in the
// layout of snapshots, of the region global and of the snapshots. It can be called several times,
// but not with InOrder. The caller must call Close.
func (r *Reader) Models() iter.Seq2[*Model, error] {
	return func(yield func(*Model, error) bool) {
		if r.InOrder {
			yield(nil, jsondoc.ErrorAtStart(r.newScanner(), "", "models can't be read in order", format.ErrMisuse))
			return
		}
		r.read(output{models: yield, fault: func(err error) bool { return yield(nil, err) }}, false)
	}
}

// newScanner returns the Scanner of the input, at its beginning.
func (r *Reader) newScanner() *jsonscan.Scanner {
	if d := &r.doc; !r.started {
		r.started, r.Limits = true, r.Limits.WithDefaults()
		d.limits, d.inOrder = r.Limits, r.InOrder
		if d.scan == nil {
			d.scan = layout.NewScanner(r.in, r.Name, r.Limits)
		} else {
			d.scan.Reset(r.in, r.Name, r.Limits)
		}
		if r.general {
			d.scan.DisableFastPath()
		}
	}
	return r.doc.scan
}

// read reads the document for the output. If once is set, nothing will be read after it.
func (r *Reader) read(out output, once bool) {
	if r.spent {
		out.fault(jsondoc.ErrorAtStart(r.newScanner(), "", "the profile was read already", format.ErrMisuse))
		return
	}
	r.open(&layout, once)
	r.spent = once || r.doc.err == nil && r.doc.OnePass() // the input can't be read again
	r.doc.out = out
	r.doc.read()
}
