package perun

import (
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
)

// The regions are the members of a profile, in the order of layout.Names.
const (
	regionOrigin jsondoc.Set = 1 << iota
	regionHeader
	regionCollector
	regionPostprocessors
	regionTypes
	regionSnapshots
	regionGlobal
	regionResources
	regionModels

	// The regions that have resources. A profile must have such a region, the header or the
	// collector.
	regionsData = regionSnapshots | regionGlobal | regionResources
)

// layout has the regions of a profile. The resource type map is neither header nor section: it is
// checked at its place, and its entries are read when they are needed.
var layout = jsondoc.Layout{
	Names: []string{
		"origin", "header", "collector_info", "postprocessors", "resource_type_map",
		"snapshots", "global", "resources", "models",
	},
	Header:   regionOrigin | regionHeader | regionCollector | regionPostprocessors | jsondoc.Unknown,
	Needed:   regionHeader | regionCollector,
	Sections: regionsData | regionModels,
	Optional: regionModels,
}

// A document has the state of reading a profile, except the contents of its regions.
type document struct {
	jsondoc.Document
	err        error             // that ended the reading of the header
	headerAt   jsonscan.Position // of the region header
	headerSeen []string          // the members of the region header that a Header has fields for
	faults     []headerFault     // in the order of the file
	dataAt     int64             // offset of the first region that holds resources; 0: there is none
}

// readHeader reads the document. For records, it stops at the first resources if the rest is not
// needed.
func (r *Reader) readHeader(forRecords bool) error {
	doc := &r.doc
	doc.Open(r.scan, &layout, r.Limits, r.InOrder)
	for m, s := range doc.Header(forRecords) {
		if m&regionsData != 0 && doc.dataAt == 0 {
			doc.dataAt = s.Offset()
		}

		switch {
		case m == regionResources && s.Kind() == jsonscan.Object:
			doc.ReadTwice() // the resource type map may follow
		case m&regionsData != 0:
		case m == regionModels:
			if r.InOrder {
				s.Skip()
			}
		case m == regionTypes:
			r.readTypeMap()
		default:
			r.readHeaderMember(s, m)
		}
	}

	err := doc.Err()
	if err == nil && !doc.OnePass() && !doc.Has(regionsData|regionHeader|regionCollector) {
		return r.scan.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, "(root)", notProfileMessage)
	}
	return err
}

const notProfileMessage = "this is not a profile: it has neither header nor resources"

// readRest reads the regions that have resources or models and, in one pass, the members after
// the first of them.
func (r *Reader) readRest(out sink) bool {
	for m, s := range r.doc.Rest() {
		switch {
		case m == regionResources && r.doc.OnePass() && !r.InOrder && !r.types.found && s.Kind() == jsonscan.Object:
			// It comes again after the resource type map.
		case m&(regionsData|regionModels) != 0:
			if !r.readRegion(out, m) {
				return false
			}

		case r.InOrder:
			if e := jsondoc.TooLate(s, jsondoc.AfterResources); e != nil && !out.fault(e) {
				return false
			}
		case m == regionTypes:
			r.readTypeMap()
		default:
			r.readHeaderMember(s, m)
		}
	}
	return true
}

// readRegion reads the region ahead, which has resources or models.
func (r *Reader) readRegion(out sink, m jsondoc.Set) bool {
	s := r.scan
	kind := s.Kind()
	switch {
	case kind == jsonscan.Null:
		s.Null()
		return true
	case m == regionModels && !out.wantsModels():
		s.Skip()
		return true

	// A snapshot may have resources and models.
	case m == regionSnapshots:
		return r.readSnapshots(out)
	case m == regionGlobal && kind == jsonscan.Object:
		return r.readSnapshot(out, -1)
	case m != regionModels && out.wantsModels():
		s.Skim()
		return true

	// A list of resources or models, depending on the sink.
	case kind == jsonscan.Array:
		return r.readList(out)
	case m == regionModels:
		return r.yieldWrongType(out, "array")
	}

	if rows, ok := out.(rowSink); ok && m == regionResources && kind == jsonscan.Object {
		return r.readTypes(rows)
	}
	return r.yieldWrongType(out, "object")
}

// readList reads the array ahead, of resources or models.
func (r *Reader) readList(out sink) bool {
	s := r.scan
	for s.EnterArray(); s.Element(); {
		if !out.object(r) {
			return false
		}
	}
	return true
}

// late skips a value that comes too late to be used. It is an error unless it is null.
func (r *Reader) late(out sink) bool {
	e := jsondoc.TooLate(r.scan, jsondoc.AfterResources)
	return e == nil || out.fault(e)
}
