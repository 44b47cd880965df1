package perun

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// A region is a member of the document, or a set of them.
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

	// What makes a profile of a document that has one of them.
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

// nextMember reads the next member's name.
func (r *Reader) nextMember() (region, bool) {
	s := r.scan
	name, _, ok := s.Member()
	if !ok {
		return 0, false
	}
	m := regionOf(name)
	repeated := r.seen&m != 0
	if m&regionsData != 0 && r.dataAt == 0 {
		r.dataAt = s.Offset()
	}
	if m == regionUnknown {
		repeated = !r.unknown.Add(s, name)
		r.header.Other = append(r.header.Other, Field{Key: r.text(name)})
	}
	r.seen |= m
	if repeated {
		s.FailRepeated(name)
	}
	return m, s.Err() == nil
}

// readHeader reads the document: in order up to the first resources, else all of it.
func (r *Reader) readHeader() error {
	s := r.scan
	if kind := s.Kind(); kind != jsonscan.Object && kind != jsonscan.None {
		s.Fail(s.TypeError("object"))
	}
	s.EnterObject()
	r.readMembers()
	if r.forward {
		if s.Err() != nil {
			return s.Err()
		}
		return nil
	}
	if !s.End() {
		return r.firstError()
	}
	if r.seen&(regionsData|regionHeader|regionCollector) == 0 {
		return s.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, "(root)", "this is no profile: there is neither header nor resources")
	}
	return nil
}

// firstError returns the error that ended the reading, or an earlier one in a section that was passed over.
func (r *Reader) firstError() error {
	var skimmed []jsonscan.Bookmark
	for i := range r.sections {
		skimmed = append(skimmed, r.sections[i].at)
	}
	return r.scan.FirstError(skimmed...)
}

// readMembers reads members of the document: in order up to the first resources, else all of them.
func (r *Reader) readMembers() {
	s := r.scan
	for {
		m, ok := r.nextMember()
		if !ok {
			break
		}
		switch {
		case m&regionsData != 0 && (r.InOrder || r.hurry && r.seen&regionsData == m && r.knowsHeader(m)):
			r.sections = []section{{region: m}} // nobody will ask for models that were passed over
			r.forward = true
			return
		case m&regionsData != 0:
			r.passOver(m)
		case m == regionModels && r.InOrder:
			s.Skip()
		case m == regionModels:
			sec := section{region: m, at: s.LookAhead()}
			s.Skip() // nobody else may look at them
			sec.end = s.Offset()
			r.sections = append(r.sections, sec)
		case m == regionTypes:
			r.readTypeMap()
		default:
			r.readHeaderMember(m)
		}
	}
}

// knowsHeader reports whether all is known that records of the region ahead depend on: of what comes behind the
// region, if that is near the input's end.
func (r *Reader) knowsHeader(m region) bool {
	if !r.scan.CanSeek() || m == regionResources && r.scan.Kind() == jsonscan.Object {
		return false
	}
	const all = regionHeader | regionCollector | regionPostprocessors
	return r.seen&all == all || r.readLast()
}

// readLast reads the members at the input's end, up to a large one. It returns false, and changes nothing, if the header isn't
// there, or if there is anything that wants an error.
func (r *Reader) readLast() bool {
	p := &Reader{Name: r.Name, Limits: r.Limits, header: r.header, headerBytes: r.headerBytes, seen: r.seen, headerSeen: slices.Clip(r.headerSeen)}
	p.header.Postprocessors, p.header.Other = slices.Clip(p.header.Postprocessors), slices.Clip(p.header.Other)
	p.str = p.text
	ok := r.scan.PeekLast(func(last *jsonscan.Scanner) {
		p.scan = last
		for {
			m, ok := p.nextMember()
			if !ok {
				break
			}
			if m&(regionsData|regionModels|regionTypes) != 0 {
				last.Skip()
			} else {
				p.readHeaderMember(m)
			}
		}
	})
	const needed = regionHeader | regionCollector
	if !ok || len(p.faults) > 0 || p.seen&needed != needed {
		return false
	}
	r.otherEarly = map[string]bool{}
	for _, f := range p.header.Other[len(r.header.Other):] {
		r.otherEarly[f.Key] = true
	}
	r.header, r.headerBytes, r.headerSeen = p.header, p.headerBytes, p.headerSeen
	r.readEarly = p.seen&^r.seen | regionUnknown
	return true
}

// passOver passes over a section, which is ahead.
func (r *Reader) passOver(m region) {
	s := r.scan
	r.sections = append(r.sections, section{region: m, at: s.LookAhead()})
	s.Skim()
	r.sections[len(r.sections)-1].end = s.Offset()
}

// readHeaderMember reads the value of a member that is the header's.
func (r *Reader) readHeaderMember(m region) {
	s, h := r.scan, &r.header
	if r.readEarly&m != 0 && (m != regionUnknown || r.knowsOther()) {
		s.Skip()
		return
	}
	s.BeginRegion("MaxHeaderBytes", r.Limits.MaxHeaderBytes, r.headerBytes)
	if m == regionHeader {
		r.headerAt = s.Position()
	}
	switch kind := s.Kind(); {
	case m == regionUnknown:
		r.readUnknown(&h.Other[len(h.Other)-1])
	case kind == jsonscan.Null:
		s.Null()
	case m == regionOrigin:
		h.Origin = r.headerText()
	case m == regionHeader && kind == jsonscan.Object:
		r.readHeaderRegion()
	case m == regionHeader:
		r.wrongType("object")
	case m == regionCollector:
		h.Collector, _ = r.readTool()
	case kind == jsonscan.Array:
		r.readPostprocessors()
	default:
		r.wrongType("array")
	}
	r.headerBytes = s.EndRegion()
}

// A headerFault is a recoverable error about a member of the header.
type headerFault struct {
	err       *format.Error
	misplaced bool // it is about resources, and no concern of models
}

// maxHeaderFaults is how many faults of a header are held.
const maxHeaderFaults = 100

// addFault adds a fault of the header, unless there are too many.
func (r *Reader) addFault(e *format.Error, misplaced bool) {
	switch n := len(r.faults); {
	case r.scan.Err() != nil || n == maxHeaderFaults:
		return
	case n == maxHeaderFaults-1:
		e.Message = fmt.Sprintf("more than %d faults of the header: the rest of them is not listed", n)
		misplaced = false
	}
	r.faults = append(r.faults, headerFault{e, misplaced})
}

// wrongType reads the value ahead, of a member of the header that must be of another type: it is treated as absent.
func (r *Reader) wrongType(expected string) { r.addFault(r.scan.SkipTypeError(expected), false) }

// headerText reads the value ahead, which must be a string.
func (r *Reader) headerText() string {
	if r.scan.Kind() != jsonscan.String {
		r.wrongType("string")
		return ""
	}
	text, _ := r.scan.Text()
	return string(text)
}

// stringCost is what a string in a list takes in memory besides its text: see nestedCost.
const stringCost = 32

// headerWords reads the value ahead, which must be a string, or a list of strings, which it joins.
func (r *Reader) headerWords() string {
	s := r.scan
	if s.Kind() != jsonscan.Array {
		return r.headerText()
	}
	var words []string
	wrong := false
	for s.EnterArray(); s.Element() && s.Charge(stringCost); {
		switch {
		case wrong:
			s.Skip()
		case s.Kind() != jsonscan.String:
			wrong = true
			r.wrongType("string")
		default:
			words = append(words, r.headerText())
		}
	}
	if wrong {
		return ""
	}
	return strings.Join(words, " ")
}

// knowsOther drops the last of the other members, if it was read early.
func (r *Reader) knowsOther() bool {
	n := len(r.header.Other) - 1
	known := r.otherEarly[r.header.Other[n].Key]
	if known {
		r.header.Other = r.header.Other[:n]
	}
	return known
}

// readUnknown reads a member that the format doesn't have. It is kept; but if it holds resources, it isn't what its
// author took it for.
func (r *Reader) readUnknown(f *Field) {
	s := r.scan
	at := s.NamePosition()
	if !s.Charge(fieldCost + len(f.Key)) {
		return
	}
	f.Value = readValue(s, r.str)
	if holdsResources(f.Value) {
		r.addFault(s.ErrorAt(at, jsonscan.Clip(f.Key), "it holds resources, but no profile has them here: they aren't read"), true)
	}
}

func holdsResources(v Value) bool {
	if list := v.List(); len(list) > 0 {
		v = list[0]
	}
	_, ok := v.Fields().Get("resources")
	return ok
}

func (r *Reader) readHeaderRegion() {
	s, h := r.scan, &r.header
	var names jsonscan.Names
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return
		}
		if !names.Add(s, name) {
			s.FailRepeated(name)
			return
		}
		key := string(name)
		known := isHeaderKey(key)
		if known && kind != jsonscan.Null {
			r.headerSeen = append(r.headerSeen, key)
		}
		switch {
		case known && kind == jsonscan.Null:
			s.Null()
		case key == "type":
			h.Type = r.headerText()
		case key == "cmd":
			h.Cmd = r.headerWords()
		case key == "args":
			h.Args = r.headerWords()
		case key == "workload":
			h.Workload = r.headerText()
		case key == "units" && kind == jsonscan.Object:
			h.Units = r.readUnits()
		case key == "units":
			r.wrongType("object")
		case s.Charge(fieldCost):
			h.Extra = append(h.Extra, Field{key, readValue(s, r.str)})
		}
	}
}

// isHeaderKey reports whether a member of the region header is one that a Header has a field for.
func isHeaderKey(key string) bool {
	switch key {
	case "type", "cmd", "args", "workload", "units":
		return true
	}
	return false
}

func (r *Reader) readUnits() traceid.Params {
	s := r.scan
	var names jsonscan.Names
	var pairs []traceid.Param
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		if !names.Add(s, name) {
			s.FailRepeated(name)
			break
		}
		if kind != jsonscan.String {
			if kind == jsonscan.Null {
				s.Null()
			} else {
				r.wrongType("string")
			}
			continue
		}
		if len(pairs) >= r.Limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(r.Limits.MaxParams), "units")
			break
		}
		pairs = append(pairs, traceid.Param{Key: string(name), Value: r.headerText()})
	}
	return traceid.FromPairs(pairs...)
}

// toolCost is what a Tool takes in memory: see nestedCost.
const toolCost = 160

// readPostprocessors reads the array ahead. Elements of a wrong type are left out.
func (r *Reader) readPostprocessors() {
	s := r.scan
	for s.EnterArray(); s.Element() && s.Charge(toolCost); {
		if t, ok := r.readTool(); ok {
			r.header.Postprocessors = append(r.header.Postprocessors, t)
		}
	}
}

// readTool reads the value ahead, which must be an object.
func (r *Reader) readTool() (t Tool, ok bool) {
	s := r.scan
	if s.Kind() != jsonscan.Object {
		r.wrongType("object")
		return t, false
	}
	t.Params = ObjectOf()
	var names jsonscan.Names
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return t, true
		}
		if !names.Add(s, name) {
			s.FailRepeated(name)
			return t, false
		}
		key := r.text(name)
		switch {
		case kind == jsonscan.Null && (key == "params" || key == "name"):
			s.Null()
		case key == "params":
			t.Params = readValue(s, r.str)
		case key == "name":
			t.Name = r.headerText()
		case s.Charge(fieldCost):
			t.Other = append(t.Other, Field{key, readValue(s, r.str)})
		}
	}
}
