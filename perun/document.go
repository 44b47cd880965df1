package perun

import (
	"slices"

	"perfdata/internal/jsonscan"
)

// A region is a member of the document, or a set of members.
type region uint

const (
	regionOrigin region = 1 << iota
	regionHeader
	regionCollector
	regionPostprocessors
	regionSnapshots
	regionGlobal
	regionResources
	regionTypes
	regionModels
	regionUnknown // any other

	// The regions that hold resources. Without any of them, the header or the collector, a
	// document is not a profile.
	regionsData = regionSnapshots | regionGlobal | regionResources
)

func regionOf(name []byte) region {
	switch string(name) {
	case "origin":
		return regionOrigin
	case "header":
		return regionHeader
	case "collector_info":
		return regionCollector
	case "postprocessors":
		return regionPostprocessors
	case "snapshots":
		return regionSnapshots
	case "global":
		return regionGlobal
	case "resources":
		return regionResources
	case "resource_type_map":
		return regionTypes
	case "models":
		return regionModels
	}
	return regionUnknown
}

// A document is what is known of a profile, except for the contents of its regions.
type document struct {
	headerErr   error             // that ended the reading of the header
	headerBytes int64             // that the header takes, for the limit
	headerAt    jsonscan.Position // of the region header
	headerSeen  []string          // the members of the region header that a Header has fields for

	seen     region
	unknown  jsonscan.Names // of the members that the format doesn't have
	early    earlyMembers
	faults   []headerFault // in the order of the file
	dataAt   int64         // offset of the first region that holds resources; 0: none was seen
	sections []section     // to come back to
	onePass  bool          // the scanner is before the first section, and the sections are read as they come
}

// A section is a region that holds resources or models, or both.
type section struct {
	region region
	at     jsonscan.Bookmark
	end    int64 // offset
}

// earlyMembers are members of the header that were read before their turn.
type earlyMembers struct {
	regions region
	unknown map[string]bool // names of members that the format doesn't have
}

// nextMember reads the next member's name.
func (r *Reader) nextMember() (region, bool) {
	s, doc := r.scan, &r.doc
	name, _, ok := s.Member()
	if !ok {
		return 0, false
	}
	m := regionOf(name)
	repeated := doc.seen&m != 0
	if m&regionsData != 0 && doc.dataAt == 0 {
		doc.dataAt = s.Offset()
	}
	if m == regionUnknown {
		repeated = !doc.unknown.Add(s, name)
		r.header.Other = append(r.header.Other, Field{Key: r.text(name)})
	}
	doc.seen |= m
	if repeated {
		s.FailRepeated(name)
	}
	return m, s.Err() == nil
}

// readHeader reads the document: up to the first resources if that is enough, else all of it.
func (r *Reader) readHeader(recordsFirst bool) error {
	s, doc := r.scan, &r.doc
	if kind := s.Kind(); kind != jsonscan.Object && kind != jsonscan.None {
		s.Fail(s.TypeError("object"))
	}
	s.EnterObject()
	r.readMembers(recordsFirst)
	if doc.onePass {
		if s.Err() != nil {
			return s.Err()
		}
		return nil
	}
	if !s.End() {
		return r.firstError()
	}
	if doc.seen&(regionsData|regionHeader|regionCollector) == 0 {
		return s.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, "(root)", notProfileMessage)
	}
	return nil
}

const notProfileMessage = "this is no profile: there is neither header nor resources"

// firstError returns the error that ended the reading, or an earlier one in a section that was
// skipped.
func (r *Reader) firstError() error {
	var skimmed []jsonscan.Bookmark
	for i := range r.doc.sections {
		skimmed = append(skimmed, r.doc.sections[i].at)
	}
	return r.scan.FirstError(skimmed...)
}

// readMembers reads members of the document: up to the first resources if they can be read now,
// else all of them.
func (r *Reader) readMembers(recordsFirst bool) {
	s, doc := r.scan, &r.doc
	for {
		m, ok := r.nextMember()
		if !ok {
			return
		}

		switch {
		case m&regionsData != 0 && (r.InOrder || recordsFirst && doc.seen&regionsData == m && r.knowsHeader(m)):
			doc.sections = []section{{region: m}} // without models that were skipped: nobody will read them
			doc.onePass = true
			return
		case m&regionsData != 0:
			r.skipSection(m)
		case m == regionModels && r.InOrder:
			s.Skip()
		case m == regionModels:
			sec := section{region: m, at: s.LookAhead()}
			s.Skip() // not Skim, as the models may never be read
			sec.end = s.Offset()
			doc.sections = append(doc.sections, sec)

		// All other regions are read now.
		case m == regionTypes:
			r.readTypeMap()
		default:
			r.readHeaderMember(m)
		}
	}
}

// skipSection skips the section that is ahead, and notes where it is.
func (r *Reader) skipSection(m region) {
	sec := section{region: m, at: r.scan.LookAhead()}
	r.scan.Skim()
	sec.end = r.scan.Offset()
	r.doc.sections = append(r.doc.sections, sec)
}

// knowsHeader reports whether all is known that records of the region ahead depend on. It reads
// what comes after the region, if that is near the input's end.
func (r *Reader) knowsHeader(m region) bool {
	if !r.scan.CanSeek() || m == regionResources && r.scan.Kind() == jsonscan.Object {
		return false
	}
	const all = regionHeader | regionCollector | regionPostprocessors
	return r.doc.seen&all == all || r.readEarly()
}

// readEarly reads the members at the input's end, up to a large one. It returns false, and
// changes nothing, if the header isn't there, or if any of them has a fault.
func (r *Reader) readEarly() bool {
	doc := &r.doc
	p := &Reader{Name: r.Name, Limits: r.Limits, header: r.header}
	p.header.Postprocessors, p.header.Other = slices.Clip(p.header.Postprocessors), slices.Clip(p.header.Other)
	p.doc = document{headerBytes: doc.headerBytes, seen: doc.seen, headerSeen: slices.Clip(doc.headerSeen)}

	ok := r.scan.PeekLast(func(last *jsonscan.Scanner) {
		p.scan = last
		for {
			m, ok := p.nextMember()
			if !ok {
				return
			}
			if m&(regionsData|regionModels|regionTypes) != 0 {
				last.Skip()
			} else {
				p.readHeaderMember(m)
			}
		}
	})

	const needed = regionHeader | regionCollector
	if !ok || len(p.doc.faults) > 0 || p.doc.seen&needed != needed {
		return false
	}

	doc.early = earlyMembers{regions: p.doc.seen&^doc.seen | regionUnknown, unknown: map[string]bool{}}
	for _, f := range p.header.Other[len(r.header.Other):] {
		doc.early.unknown[f.Key] = true
	}
	r.header, doc.headerBytes, doc.headerSeen = p.header, p.doc.headerBytes, p.doc.headerSeen
	return true
}

// wasEarly reports whether the member that is ahead was read before its turn. If it is one that
// the format doesn't have, it is removed from the header then: it is there already.
func (r *Reader) wasEarly(m region) bool {
	if m != regionUnknown || r.doc.early.regions&m == 0 {
		return r.doc.early.regions&m != 0
	}
	last := len(r.header.Other) - 1
	was := r.doc.early.unknown[r.header.Other[last].Key]
	if was {
		r.header.Other = r.header.Other[:last]
	}
	return was
}

// readSections reads the sections that were skipped or, in one pass, the one that is ahead.
func (r *Reader) readSections(out sink) bool {
	s := r.scan
	for i := range r.doc.sections {
		sec := &r.doc.sections[i]
		if i > 0 && s.Err() != nil { // an error before the first is of an earlier reading
			break
		}
		if r.doc.onePass {
			return r.readRegion(out, sec.region)
		}
		if !s.Return(sec.at) {
			continue
		}
		if !r.readRegion(out, sec.region) {
			return false
		}
		s.EndAgain(sec.end)
	}
	return true
}

// readRegion reads the region ahead, which holds resources or models.
func (r *Reader) readRegion(out sink, m region) bool {
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

	// A list, of what the sink takes.
	case kind == jsonscan.Array:
		return r.readList(out)
	case m == regionModels:
		return recoverable(out, s.SkipTypeError("array"))
	}

	if rows, ok := out.(rowSink); ok && m == regionResources && kind == jsonscan.Object {
		return r.readTypes(rows)
	}
	return recoverable(out, s.SkipTypeError("object"))
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

const lateMessage = "it comes after the resources, too late to count when reading in order"

// late skips a value that comes too late to be used. It is an error unless it is null.
func (r *Reader) late(out sink) bool {
	s := r.scan
	kind := s.Kind()
	e := s.Error(lateMessage)
	return !s.Skip() || kind == jsonscan.Null || recoverable(out, e)
}

// readTail reads, in one pass, what follows the first section.
func (r *Reader) readTail(out sink) bool {
	s := r.scan
	for {
		m, ok := r.nextMember()
		if !ok {
			break
		}

		switch {
		case m == regionResources && !r.InOrder && !r.types.found && s.Kind() == jsonscan.Object:
			return r.readTwice(out, m)
		case m&(regionsData|regionModels) != 0:
			if !r.readRegion(out, m) {
				return false
			}
		case r.InOrder:
			if m == regionUnknown {
				r.header.Other = r.header.Other[:len(r.header.Other)-1]
			}
			if !r.late(out) {
				return false
			}

		// The header, which comes late, but not too late.
		case m == regionTypes:
			r.readTypeMap()
		default:
			r.readHeaderMember(m)
		}
	}
	s.End()
	return true
}

// readTwice reads the rest of the document, from the resources of types that are ahead, twice:
// the resource type map, which they need, may come after them.
func (r *Reader) readTwice(out sink, m region) bool {
	r.doc.onePass, r.doc.sections = false, nil
	r.skipSection(m)
	r.readMembers(false)
	if !r.scan.End() {
		r.firstError()
		return true
	}
	return r.readSections(out)
}
