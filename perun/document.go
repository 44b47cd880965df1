package perun

import (
	"math"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
)

// This is the grammar of a document: its regions. Each has a grammar of its own.

// A document reads a profile for a sink.
type document struct {
	grammar
	jsondoc.Document
	types     typeGrammar
	snapshots snapshotGrammar

	err    error // that ended the reading of the header
	dataAt int64 // offset of the first region that holds resources; MaxInt64: there is none
}

// reset prepares for another document. It keeps memory.
func (d *document) reset() {
	d.header, d.faults = Header{}, nil
	d.inherited.reset()
	d.types.typeIndex = typeIndex{cursor: d.types.cursor}
}

// open reads the header. For records, it stops at the first resources if the rest is not needed.
func (d *document) open(l *jsondoc.Layout, forRecords bool) {
	d.types.grammar, d.types.columns.grammar, d.snapshots.grammar = &d.grammar, &d.grammar, &d.grammar
	d.dataAt = math.MaxInt64
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
			d.types.readMap()
		default:
			d.readHeaderMember(s, m, d.Name())
		}
	}

	d.err = unnested(d.Err())
	if d.err == nil && !d.OnePass() && !d.Has(regionsData|regionHeader|regionCollector) {
		d.err = d.scan.ErrorAt(documentStart, "(root)", notProfileMessage)
	}
}

const notProfileMessage = "this is not a profile: it has neither header nor resources"

// read reads the document for the sink, and then yields the error that ended the reading, if any.
func (d *document) read(out sink) {
	d.stopped = false
	if d.err != nil {
		out.fault(d.err)
		return
	}
	d.types.rewind()
	d.reportFaults(out, 0, d.dataAt)
	if !d.stopped {
		d.readRest(out)
	}
	if d.stopped {
		return
	}

	err, end := d.scan.Err(), int64(math.MaxInt64)
	if e, failed := err.(*format.Error); failed {
		end = e.Offset
	}
	d.reportFaults(out, d.dataAt, end)
	if err != nil && !d.stopped {
		out.fault(unnested(err))
	}
}

// reportFaults yields the errors of the header between two offsets. Errors before the resources
// come first, all others last, even if the file is read twice.
func (d *document) reportFaults(out sink, from, to int64) {
	for _, f := range d.faults {
		if f.err.Offset < from || f.err.Offset >= to || f.misplaced && out.wants()&resourceObjects == 0 {
			continue
		}
		e := *f.err // the caller may change it
		e.Severity = format.Recoverable
		if d.stopped = d.stopped || !out.fault(&e); d.stopped {
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

// readRest reads the regions that have resources or models and, in one pass, the members after
// the first of them.
func (d *document) readRest(out sink) {
	for m, s := range d.Rest() {
		switch {
		case m == regionResources && d.OnePass() && !d.inOrder && !d.types.found && s.Kind() == jsonscan.Object:
			// Rest yields this region once more, after resource_type_map.
		case m&(regionsData|regionModels) != 0:
			d.readRegion(out, m)
		case d.inOrder:
			d.late(out)
		case m == regionTypes:
			d.types.readMap()
		default:
			d.readHeaderMember(s, m, d.Name())
		}
		if d.stopped {
			return
		}
	}
}

// readRegion reads the region ahead, which has resources or models.
func (d *document) readRegion(out sink, m jsondoc.Set) {
	s := d.scan
	d.inherited.reset()
	kind, holds := s.Kind(), resourceObjects
	if m == regionModels {
		holds = modelObjects
	}
	rows, isRows := out.(rowSink)

	switch {
	case kind == jsonscan.Null:
		s.Null()
	case m == regionModels && out.wants()&modelObjects == 0:
		s.Skip()

	// A snapshot may have resources and models.
	case m == regionSnapshots && kind == jsonscan.Array:
		d.snapshots.readAll(out)
	case m == regionGlobal && kind == jsonscan.Object:
		d.snapshots.read(out, noSnapshot)
	case m != regionSnapshots && out.wants()&holds == 0:
		s.SkipFast()

	case m != regionSnapshots && kind == jsonscan.Array:
		d.readList(out, holds)
	case m == regionResources && kind == jsonscan.Object && isRows:
		d.types.readAll(rows)
	case m == regionSnapshots || m == regionModels:
		d.wrongValue(out, "array")
	default:
		d.wrongValue(out, "object")
	}
}
