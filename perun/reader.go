package perun

import (
	"io"
	"iter"
	"math"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
)

// A Reader reads one profile, in whichever layout. The exported fields configure it before first use; their zero values
// are the defaults. A Reader serves one goroutine.
//
// The header counts for all resources and may stand after them, and so may the resource types. So the Reader looks
// ahead, passing over the resources, and then comes back to them: an input that can seek is read a second time; of
// any other, what was passed over is kept, in memory or, where it is much, in a temporary file. Its memory depends on
// the header, on the number of resource types and on the largest single resource only. In the layout as specified,
// Records needs no second reading if the input can seek and the header stands before the resources, or near the end.
//
// Errors are [format.Error]s. Recoverable are those about one resource, resource type or snapshot, which is left out, and
// those about a member of the header that has a wrong type, which is treated as absent: Records, Resources and Models
// yield each of the latter once, those before the resources first, the others last. All others, such as invalid JSON,
// end the reading.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds what the input can make the Reader use. A result is a resource, in today's layout a resource
	// type's entry in the map.
	Limits format.Limits

	// InOrder reads the file once, from its beginning to its end. Records flow at once, with what the header has said
	// until then; what comes too late to be used is a recoverable error: a member of the header after the resources,
	// a snapshot's time after its resources, in today's layout the resources before the resource type map, and for
	// Snapshots a resource of one that was passed on already. All of this is the same whether or not the input can seek.
	InOrder bool

	in      io.Reader
	scan    *jsonscan.Scanner // nil before first use
	strings intern.Table
	str     func([]byte) string // makes strings

	header      Header
	headerErr   error
	headerBytes int64
	headerAt    jsonscan.Position // of the region header
	headerSeen  []string          // its members that a Header has fields for
	seen        region
	unknown     jsonscan.Names

	hurry      bool            // the sections are to be read as soon as what counts for records is known
	forward    bool            // they are read as they come, with or without hurry
	readEarly  region          // header members that were read before their turn
	otherEarly map[string]bool // of the other regions, those that were

	snapshotNames jsonscan.Names
	faults        []headerFault // in the order of the file
	dataAt        int64         // offset of the first region that holds resources; 0: none was met
	sections      []section     // to come back to
	types         typeIndex
	typeName      string // of the resources that are read

	path      string // of those, or of the resource or model that was read last
	wantPaths bool   // path is wanted for every one
	used      bool   // Records was called
	general   bool   // nothing is read by the fast paths, which tests compare with the general one
	closed    bool

	shapes  shapes
	columns []column
	large   bool // the columns' memory isn't worth keeping
	attrs   []attr
	even    []evenAttr
	extras  extras
	look    *jsonscan.Scanner // a cursor
	res     Resource
}

// A section is a region that holds resources or models, or both.
type section struct {
	region region
	at     jsonscan.Bookmark
	end    int64 // offset
}

// NewReader returns a Reader of in. It doesn't close in. If in has a method CheckType(string) error, as a stored object
// does, it is called with the header's type, and its error is that of the header.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Header returns the profile's header: all of it, wherever its members stand, or with InOrder, what stands before
// the resources. It returns the same, and the same error, however often it is called. If it wasn't called before Records,
// members that records don't depend on may be missing until their end.
func (r *Reader) Header() (Header, error) {
	if r.scan == nil {
		r.open()
	}
	return r.header, r.headerErr
}

func (r *Reader) open() {
	s := jsonscan.New(r.in, r.Name, r.Limits.WithDefaults())
	s.AllowNaN()
	if r.general {
		s.DisableFastPath()
	}
	r.begin(s)
}

// begin reads the header from s.
func (r *Reader) begin(s *jsonscan.Scanner) {
	r.scan, r.str, r.Limits = s, r.text, r.Limits.WithDefaults()
	r.headerErr = unnested(r.readHeader())
	if in, ok := r.in.(interface{ CheckType(string) error }); ok && r.headerErr == nil {
		r.headerErr = in.CheckType(r.header.Type)
	}
	if r.headerErr != nil {
		s.Close() // nothing more will be read
	}
}

// FileHeader returns what Header returns, as a [format.Reader] must.
func (r *Reader) FileHeader() (any, error) {
	h, err := r.Header()
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Close releases what the Reader may have kept of an input that can't seek. It is not needed after Records.
func (r *Reader) Close() error {
	r.closed = true
	if r.scan == nil {
		return nil
	}
	return r.scan.Close()
}

// Records iterates over the resources as measurements, in the order of the file. A resource's value is its amount, and one
// without a number there is a recoverable error. Params are the header's type, cmd, args, workload and collector, the
// resource's own type and subtype, its flattened uid, and the unit that the header has for them, each where there is
// one. Attrs are all its other fields, flattened.
//
// Records can be called once; its end, also by break, releases all that the Reader holds. The record is overwritten
// by the next step: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		used := r.used
		r.used = true
		defer r.Close()
		r.read(output{record: yield}, used)
	}
}

// An output takes what is read: records, resources or models.
type output struct {
	record   func(*format.Record, error) bool
	resource func(*Resource, error) bool
	model    func(*Model, error) bool
}

// fault passes an error on. It returns false if the iteration is to stop.
func (out *output) fault(err error) bool {
	switch {
	case out.record != nil:
		return out.record(nil, err)
	case out.resource != nil:
		return out.resource(nil, err)
	}
	return out.model(nil, err)
}

// recoverable passes a recoverable error on.
func (out *output) recoverable(e *format.Error) bool {
	e.Recoverable = true
	return out.fault(e)
}

// read reads all that the output wants, and then passes on the error that ended the reading, if one did.
func (r *Reader) read(out output, used bool) {
	if used || r.closed {
		out.fault(&format.Error{Name: r.Name, Line: 1, Column: 1, Message: "the profile was read already"})
		return
	}
	if r.scan == nil {
		r.hurry = out.record != nil
		r.open()
	}
	if r.headerErr != nil {
		out.fault(r.headerErr)
		return
	}
	dataAt := r.dataAt
	if dataAt == 0 {
		dataAt = math.MaxInt64
	}
	if !r.reportFaults(&out, 0, dataAt) {
		return
	}
	r.types.ahead = false
	if out.model == nil {
		r.types.used = 0
	}
	if !r.readSections(&out) {
		return
	}
	if r.forward && r.scan.Err() == nil {
		r.used = true // there is no way back
		if !r.readTail(&out) {
			return
		}
	}
	err, end := r.scan.Err(), int64(math.MaxInt64)
	if e, failed := err.(*format.Error); failed {
		end = e.Offset
	}
	if r.reportFaults(&out, dataAt, end) && err != nil {
		out.fault(unnested(err))
	}
}

// reportFaults passes on the faults of the header that stand between two offsets. Those before the resources come first,
// the others last, however often the file is read.
func (r *Reader) reportFaults(out *output, from, to int64) bool {
	for _, f := range r.faults {
		if f.err.Offset < from || f.err.Offset >= to || f.misplaced && out.model != nil {
			continue
		}
		e := *f.err // the caller may change it
		if !out.recoverable(&e) {
			return false
		}
	}
	return true
}

// unnested returns the error of the input that is the cause of err, if that has a position, as the errors of stored
// objects do; else err itself.
func unnested(err error) error {
	if e, ok := err.(*format.Error); ok {
		if cause, ok := e.Err.(*format.Error); ok {
			return cause
		}
	}
	return err
}

func (r *Reader) readSections(out *output) bool {
	for i := range r.sections {
		if i > 0 && r.scan.Err() != nil { // before the first, it would be of an earlier reading
			break
		}
		if !r.readSection(out, &r.sections[i]) {
			return false
		}
	}
	return true
}

// readSection reads a section that was passed over, or going forward, the one that is ahead.
func (r *Reader) readSection(out *output, sec *section) bool {
	s := r.scan
	if !r.forward && !s.Return(sec.at) {
		return true
	}
	if !r.readRegion(out, sec.region) {
		return false
	}
	if !r.forward {
		s.EndAgain(sec.end)
	}
	return true
}

// readRegion reads the region ahead, which holds resources or models.
func (r *Reader) readRegion(out *output, what region) bool {
	s := r.scan
	kind := s.Kind()
	switch {
	case kind == jsonscan.Null:
		s.Null()
		return true
	case what == regionModels && out.model != nil:
		return r.readModels(out)
	case what == regionModels:
		s.Skip()
		return true
	case what == regionSnapshots:
		return r.readSnapshots(out)
	case what == regionGlobal && kind == jsonscan.Object:
		return r.readSnapshot(out, -1)
	case out.model != nil:
		s.Skim()
		return true
	case what == regionResources && kind == jsonscan.Object:
		return r.readTypes(out)
	case kind == jsonscan.Array:
		return r.readList(out)
	}
	return out.recoverable(s.SkipTypeError("object"))
}

// readTail reads what follows the first section, going forward.
func (r *Reader) readTail(out *output) bool {
	s := r.scan
	for {
		m, ok := r.nextMember()
		if !ok {
			break
		}
		switch {
		case m == regionResources && !r.InOrder && !r.types.found && s.Kind() == jsonscan.Object:
			// Their types may come later.
			r.forward, r.hurry, r.sections = false, false, nil
			r.passOver(m)
			r.readMembers()
			if !s.End() {
				r.firstError()
				return true
			}
			return r.readSections(out)
		case m&(regionsData|regionModels) != 0:
			if !r.readRegion(out, m) {
				return false
			}
		case r.InOrder:
			if m == regionUnknown {
				r.header.Other = r.header.Other[:len(r.header.Other)-1]
			}
			kind := s.Kind()
			e := s.Error(lateMessage)
			if s.Skip() && kind != jsonscan.Null && !out.recoverable(e) {
				return false
			}
		case m == regionTypes:
			r.readTypeMap()
		default:
			r.readHeaderMember(m)
		}
	}
	s.End()
	return true
}

const lateMessage = "it comes after the resources, too late to count when reading in order"

// text returns b as a string, which is shared with others that were made before where it is one of them.
func (r *Reader) text(b []byte) string {
	if len(b) <= 64 {
		return r.strings.String(b)
	}
	return r.shapes.long.text(b)
}
