package perun

import (
	"math"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
)

// This is the grammar of a document: its regions. Each has a grammar of its own.

// A document reads a profile for an output. It is the state that the grammars of all regions share.
type document struct {
	jsondoc.Document
	scan    *jsonscan.Scanner // nil before first use
	limits  format.Limits
	inOrder bool
	strings buffer.Strings // of short strings

	header Header
	faults []headerFault // in the order of the file
	err    error         // that ended the reading of the header
	dataAt int64         // offset of the first region that holds resources; MaxInt64: there is none

	out     output
	stopped bool   // see stopUnless
	path    string // in validation, of the object that is read; of a resource in columns, that of its type

	inherited      extras   // of the resource that is read next
	last           resource // that was read last, or the entry of a type, except for records
	entry          *shape   // of the last type, for records
	resource       Resource // that is yielded
	types          typeIndex
	columns        columns
	afterResources *jsonscan.Scanner // of what comes after the resources of a snapshot

	shapes    shapes
	flattener flattener // scratch
}

// open reads the header, unless it was read before. For records, it stops before the resources if
// everything that they depend on is known.
func (r *Reader) open(l *jsondoc.Layout, forRecords bool) {
	if r.opened {
		return
	}
	r.newScanner()
	d := &r.doc
	r.opened, d.dataAt = true, math.MaxInt64
	d.Open(d.scan, l, d.limits, d.inOrder)
	for m, s := range d.Document.Header(forRecords) {
		if m&regionsData != 0 {
			d.dataAt = min(d.dataAt, s.Offset())
		}

		switch {
		case m == regionResources && s.Kind() == jsonscan.Object:
			d.ReadTwice() // the resource type map may follow
		case m&regionsData != 0:
		case m == regionModels:
			if d.inOrder {
				s.Skip()
			}
		case m == regionTypes:
			d.readMap()
		default:
			d.readHeaderMember(s, m, d.Name())
		}
	}

	d.err = unnested(d.Err())
	if d.err == nil && !d.OnePass() && !d.Has(regionsData|regionHeader|regionCollector) {
		d.err = d.scan.ErrorAt(documentStart, "(root)", "this is not a profile: it has neither header nor resources")
	}
	if in, ok := r.in.(interface{ CheckType(string) error }); ok && d.err == nil {
		d.err = in.CheckType(d.header.Type)
	}
	if d.err != nil && d.out.violation == nil {
		d.scan.Close() // nothing more will be read
	}
	d.beginShapes()
}

// read reads the document for the output, and then yields the error that ended the reading, if any.
func (d *document) read() {
	d.stopped = false
	if d.err != nil {
		d.out.fault(d.err)
		return
	}
	d.types.after, d.types.used = false, 0
	if d.reportFaults(0, d.dataAt); d.stopped {
		return
	}

	// Read the regions that have resources or models and, in one pass, the members after the first
	// of them.
	for m, s := range d.Rest() {
		switch {
		case m == regionResources && d.OnePass() && !d.inOrder && d.types.places == nil && s.Kind() == jsonscan.Object:
			// Rest yields this region once more, after resource_type_map.
		case m&(regionsData|regionModels) != 0:
			d.readRegion(m)
		case d.inOrder:
			d.late()
		case m == regionTypes:
			d.readMap()
		default:
			d.readHeaderMember(s, m, d.Name())
		}
		if d.stopped {
			return
		}
	}

	err, end := d.scan.Err(), int64(math.MaxInt64)
	if e, failed := err.(*format.Error); failed {
		end = e.Offset
	}
	d.reportFaults(d.dataAt, end)
	if err != nil && !d.stopped {
		d.out.fault(unnested(err))
	}
}

// reportFaults yields the errors of the header between two offsets. Errors before the resources
// come first, all others last, even if the file is read twice.
func (d *document) reportFaults(from, to int64) {
	for _, f := range d.faults {
		if f.err.Offset < from || f.err.Offset >= to || f.misplaced && !d.out.takesResources() {
			continue
		}
		e := *f.err // the caller may change it
		e.Severity = format.Recoverable
		if d.stopped = d.stopped || !d.out.fault(&e); d.stopped {
			return
		}
	}
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

// readRegion reads the region ahead, which has resources or models.
func (d *document) readRegion(m jsondoc.Set) {
	s := d.scan
	d.inherited.reset()
	kind, list, wanted := s.Kind(), d.readResource, d.out.takesResources()
	if m == regionModels {
		list, wanted = d.readModel, d.out.models != nil
	}

	switch {
	case kind == jsonscan.Null:
		s.Null()
	case m == regionModels && !wanted:
		s.Skip()

	// A snapshot may have resources and models.
	case m == regionSnapshots && kind == jsonscan.Array:
		number := 0
		for s.EnterArray(); s.Element(); number++ {
			if s.Kind() == jsonscan.Object {
				d.readSnapshot(number)
			} else {
				d.wrongValue("object")
			}
		}
	case m == regionGlobal && kind == jsonscan.Object:
		d.readSnapshot(noSnapshot)
	case m != regionSnapshots && !wanted:
		s.SkipFast()

	case m != regionSnapshots && kind == jsonscan.Array:
		d.readList(list)
	case m == regionResources && kind == jsonscan.Object:
		d.readTypes()
	case m == regionSnapshots || m == regionModels:
		d.wrongValue("array")
	default:
		d.wrongValue("object")
	}
}
