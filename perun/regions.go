package perun

import (
	"slices"
	"strings"

	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
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
	p := &Reader{Name: r.Name, Limits: r.Limits, header: r.header, headerBytes: r.headerBytes, seen: r.seen}
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
	if !ok || len(p.misplaced) > 0 || p.seen&needed != needed {
		return false
	}
	r.header, r.headerBytes = p.header, p.headerBytes
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
	switch kind := s.Kind(); {
	case m == regionUnknown:
		r.readUnknown(&h.Other[len(h.Other)-1])
	case kind == jsonscan.Null:
		s.Null()
	case m == regionOrigin:
		h.Origin = s.WantString()
	case m == regionHeader:
		r.headerAt = s.Position()
		r.readHeaderRegion()
	case m == regionCollector:
		h.Collector = r.readTool()
	case kind != jsonscan.Array:
		s.Fail(s.TypeError("array"))
	default:
		for s.EnterArray(); s.Element(); {
			h.Postprocessors = append(h.Postprocessors, r.readTool())
		}
	}
	r.headerBytes = s.EndRegion()
}

// knowsOther drops the last of the other members, if it is there twice because it was read already.
func (r *Reader) knowsOther() bool {
	n := len(r.header.Other) - 1
	_, known := r.header.Other[:n].Get(r.header.Other[n].Key)
	if known {
		r.header.Other = r.header.Other[:n]
	}
	return known
}

// readUnknown reads a member that the format doesn't have. It is kept; but if it holds resources, it isn't what its
// author took it for.
func (r *Reader) readUnknown(f *Field) {
	s := r.scan
	e := s.NameError("it holds resources, but no profile has them here: they aren't read")
	f.Value = readValue(s, r.str)
	if holdsResources(f.Value) {
		r.misplaced = append(r.misplaced, e)
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
	if s.Kind() != jsonscan.Object {
		s.Fail(s.TypeError("object"))
		return
	}
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
		if headerKeys[key] && kind != jsonscan.Null {
			r.headerSeen = append(r.headerSeen, key)
		}
		switch {
		case kind == jsonscan.Null && headerKeys[key]:
			s.Null()
		case key == "type":
			h.Type = s.WantString()
		case key == "cmd":
			h.Cmd = s.WantString()
		case key == "workload":
			h.Workload = s.WantString()
		case key == "args" && kind == jsonscan.Array:
			var args []string
			for s.EnterArray(); s.Element(); {
				args = append(args, s.WantString())
			}
			h.Args = strings.Join(args, " ")
		case key == "args":
			h.Args = s.WantString()
		case key == "units":
			h.Units = r.readUnits()
		default:
			h.Extra = append(h.Extra, Field{key, readValue(s, r.str)})
		}
	}
}

// headerKeys are the members of the region header that a Header has fields for.
var headerKeys = map[string]bool{"type": true, "cmd": true, "args": true, "workload": true, "units": true}

func (r *Reader) readUnits() traceid.Params {
	s := r.scan
	if s.Kind() != jsonscan.Object {
		s.Fail(s.TypeError("object"))
		return nil
	}
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
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		if len(pairs) >= r.Limits.MaxParams {
			s.Fail(s.NameError(message.Limit("MaxParams", int64(r.Limits.MaxParams), "units")))
			break
		}
		pairs = append(pairs, traceid.Param{Key: string(name), Value: s.WantString()})
	}
	return traceid.FromPairs(pairs...)
}

func (r *Reader) readTool() (t Tool) {
	s := r.scan
	if s.Kind() != jsonscan.Object {
		s.Fail(s.TypeError("object"))
		return t
	}
	t.Params = ObjectOf()
	for _, f := range readFields(s, nil, r.str) {
		switch {
		case f.Key == "params" && f.Value.kind == KindNull:
		case f.Key == "params":
			t.Params = f.Value
		case f.Key == "name" && f.Value.kind == KindNull:
		case f.Key == "name":
			t.Name = f.Value.String()
		default:
			t.Other = append(t.Other, f)
		}
	}
	return t
}
