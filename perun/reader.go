package perun

import (
	"io"
	"iter"
	"math"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
)

// A Reader reads one profile, in either layout. The exported fields configure it before first
// use; their zero values are the defaults. A Reader serves one goroutine.
//
// The header and the resource types apply to all resources, and may come after them. So the
// Reader looks ahead: it skips the resources, and then comes back to them. For that, it keeps the
// rest of an input that can't seek, in memory or, if that is much, in a temporary file. The
// Reader's memory depends only on the header, on the number of resource types and on the largest
// resource. Records reads a profile in LayoutSnapshots once, if the header comes before the
// resources, or near the end.
//
// Errors are [format.Error]s. An error about one resource, resource type or snapshot is
// recoverable: that one is left out. An error about a member of the header with a wrong type is
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
	// member of the header after the resources, a snapshot's time after its resources, resources
	// of types before the resource type map, and for Snapshots a resource of an earlier snapshot.
	// This does not depend on whether the input can seek.
	InOrder bool

	in      io.Reader
	scan    *jsonscan.Scanner // nil before first use
	opened  bool              // the header was read
	spent   bool              // the input can't be read again, or the Reader was closed
	general bool              // for tests: no fast path is used
	strings intern.Table      // of short strings

	header    Header
	doc       document
	types     typeIndex
	snapshots snapshotScratch
	columns   columns
	shapes    shapes
	inherited extras // of the resource that is read next
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
	r.in, r.opened, r.spent = in, false, false
	r.header, r.doc, r.types = Header{}, document{Document: r.doc.Document}, typeIndex{cursor: r.types.cursor}
	r.inherited.reset()
}

// Header returns the profile's header: all members or, with InOrder, the members before the
// resources. Further calls return the same header and error. If Header was not called before
// Records, members that records don't depend on may be missing until the end of Records.
func (r *Reader) Header() (Header, error) {
	r.open(false)
	return r.header, r.doc.err
}

// FileHeader returns what Header returns in the form of any format. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	if err != nil {
		return format.Header{}, err
	}
	return h.fileHeader(), nil
}

// Close releases the part that the Reader may have kept of an input that can't seek. It is not
// needed after Records.
func (r *Reader) Close() error {
	r.spent = true
	if r.scan == nil {
		return nil
	}
	return r.scan.Close()
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
		r.read(&recordSink{yield: yield}, true)
	}
}

// Resources iterates over the resources, in the order of the file. It can be called several
// times, but not with InOrder. The caller must call Close.
func (r *Reader) Resources() iter.Seq2[*Resource, error] {
	return func(yield func(*Resource, error) bool) { r.read(&resourceSink{yield: yield}, false) }
}

// Models iterates over the models, in the order of the file: the models of the document and, in
// LayoutSnapshots, of the region global and of the snapshots. It can be called several times, but
// not with InOrder. The caller must call Close.
func (r *Reader) Models() iter.Seq2[*Model, error] {
	return func(yield func(*Model, error) bool) {
		if r.InOrder {
			yield(nil, r.startError("models can't be read in order"))
			return
		}
		r.read(&modelSink{yield: yield}, false)
	}
}

// startError returns the error about a Reader that cannot be used in this way.
func (r *Reader) startError(message string) *format.Error {
	return &format.Error{
		Name: r.Name, Position: format.Position{Line: 1, Column: 1}, Message: message, Err: format.ErrMisuse,
	}
}

// A sink yields the contents of a document as records, resources or models. Its methods return
// false if the loop stopped.
type sink interface {
	// wantsModels reports whether the sink is for models. All others are for resources.
	wantsModels() bool

	// object reads the resource or model ahead, and yields it. It may return true after an error
	// of the scanner.
	object(r *Reader) bool

	// fault yields an error.
	fault(error) bool
}

// A rowSink is a sink for resources, including resources in parallel arrays.
type rowSink interface {
	sink

	// entry reads the entry of the resource type map ahead of c.
	entry(r *Reader, c *jsonscan.Scanner) *shape

	// fill reads values of a column, at most a batch, from s, which is in the column's array.
	fill(r *Reader, c *column, s *jsonscan.Scanner)

	// rows yields the next n resources of the columns. The entry has their other fields.
	rows(r *Reader, entry *shape, n int) bool

	// bare yields a resource that has only the fields of the entry. The position is that of its
	// type.
	bare(r *Reader, entry *shape, at jsonscan.Position) bool

	// needsAmount reports whether a missing amount is an error.
	needsAmount() bool
}

// recoverable yields a recoverable error.
func recoverable(out sink, e *format.Error) bool {
	e.Recoverable = true
	return out.fault(e)
}

// yieldWrongType yields the recoverable error about the value ahead, which has another type than
// expected, and reads it. If no value is ahead, the Scanner gets the error.
func (r *Reader) yieldWrongType(out sink, expected string) bool {
	if r.scan.Kind() == jsonscan.None {
		r.scan.Skip()
		return true
	}
	return recoverable(out, r.scan.SkipTypeError(expected))
}

// open reads the header, unless it was read before. For records, it stops before the resources if
// everything that they depend on is known.
func (r *Reader) open(forRecords bool) {
	if r.opened {
		return
	}
	limits := r.Limits.WithDefaults()
	if r.scan == nil {
		r.scan = jsonscan.New(r.in, r.Name, limits)
		r.scan.AllowNaN()
	} else {
		r.scan.Reset(r.in, r.Name, limits)
	}
	if r.general {
		r.scan.DisableFastPath()
	}
	r.begin(forRecords)
}

// begin reads the header.
func (r *Reader) begin(forRecords bool) {
	r.opened, r.Limits = true, r.Limits.WithDefaults()
	err := unnested(r.readHeader(forRecords))
	r.shapes.begin(&r.header, r.Limits)
	if in, ok := r.in.(interface{ CheckType(string) error }); ok && err == nil {
		err = in.CheckType(r.header.Type)
	}
	if r.doc.err = err; err != nil {
		r.scan.Close() // nothing more will be read
	}
}

// read reads the document for the sink, and then yields the error that ended the reading, if any.
// If once is set, nothing will be read after it.
func (r *Reader) read(out sink, once bool) {
	if r.spent {
		out.fault(r.startError("the profile was read already"))
		return
	}

	r.spent = once
	r.open(once)

	if err := r.doc.err; err != nil {
		out.fault(err)
		return
	}

	firstData := int64(math.MaxInt64)
	if r.doc.dataAt > 0 {
		firstData = r.doc.dataAt
	}

	if !r.reportFaults(out, 0, firstData) {
		return
	}
	r.types.rewind(!out.wantsModels())
	if r.doc.OnePass() {
		r.spent = true // the input can't be read again
	}
	if !r.readRest(out) {
		return
	}

	err, end := r.scan.Err(), int64(math.MaxInt64)
	if e, failed := err.(*format.Error); failed {
		end = e.Offset
	}

	if r.reportFaults(out, firstData, end) && err != nil {
		out.fault(unnested(err))
	}
}

// reportFaults yields the errors of the header between two offsets. Errors before the resources
// come first, all others last, even if the file is read twice.
func (r *Reader) reportFaults(out sink, from, to int64) bool {
	for _, f := range r.doc.faults {
		if f.err.Offset < from || f.err.Offset >= to || f.misplaced && out.wantsModels() {
			continue
		}
		e := *f.err // the caller may change it
		if !recoverable(out, &e) {
			return false
		}
	}
	return true
}

// unnested returns the cause of err if it is an error of the input with a position, as the errors
// of stored objects are. Otherwise it returns err.
func unnested(err error) error {
	if e, ok := err.(*format.Error); ok {
		if cause, ok := e.Err.(*format.Error); ok {
			return cause
		}
	}
	return err
}

// text returns b as a string. Equal strings may be shared.
func (r *Reader) text(b []byte) string {
	if len(b) <= 64 {
		return r.strings.String(b)
	}
	return r.shapes.long.text(b)
}
