package perun

import (
	"fmt"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// readHeaderMember reads the value of a member that is the header's. It may be read twice: see
// package jsondoc.
func (r *Reader) readHeaderMember(s *jsonscan.Scanner, m jsondoc.Set) {
	h := &r.header
	if m == regionHeader {
		r.doc.headerAt = s.Position()
	}
	switch kind := s.Kind(); {
	case m == jsondoc.Unknown:
		r.readUnknown(s, r.text(r.doc.Name()))
	case kind == jsonscan.Null:
		s.Null()
	case m == regionOrigin:
		h.Origin = r.headerText(s)
	case m == regionHeader && kind == jsonscan.Object:
		r.readHeaderRegion(s)
	case m == regionHeader:
		r.wrongType(s, "object")

	case m == regionCollector:
		h.Collector, _ = r.readTool(s)
	case kind == jsonscan.Array:
		r.readPostprocessors(s)
	default:
		r.wrongType(s, "array")
	}
}

// A headerFault is a recoverable error about a member of the header.
type headerFault struct {
	err       *format.Error
	misplaced bool // it is about misplaced resources, and does not apply to models
}

// maxHeaderFaults is the largest number of errors of a header that are held.
const maxHeaderFaults = 100

// addFault adds an error of the header, unless there are too many. If s reads a member near the
// document's end before its turn, addFault fails s, so the error is found again with its position.
func (r *Reader) addFault(s *jsonscan.Scanner, e *format.Error, misplaced bool) {
	if s != r.scan {
		s.Fail(e)
	}
	if s.Err() != nil {
		return
	}
	switch n := len(r.doc.faults); {
	case n == maxHeaderFaults:
		return
	case n == maxHeaderFaults-1:
		e.Message = fmt.Sprintf("more than %d errors in the header: the rest are not listed", n)
		misplaced = false
	}
	r.doc.faults = append(r.doc.faults, headerFault{e, misplaced})
}

// wrongType skips the value ahead, and adds an error about its type. The member of the header is
// treated as absent.
func (r *Reader) wrongType(s *jsonscan.Scanner, expected string) {
	r.addFault(s, s.SkipTypeError(expected), false)
}

// headerText reads the value ahead, which must be a string.
func (r *Reader) headerText(s *jsonscan.Scanner) string {
	if s.Kind() != jsonscan.String {
		r.wrongType(s, "string")
		return ""
	}
	text, _ := s.Text()
	return string(text)
}

// stringCost is the cost of a string in a list, without its text: see nestedCost.
const stringCost = 32

// headerWords reads the value ahead, which must be a string, or a list of strings, which it
// joins.
func (r *Reader) headerWords(s *jsonscan.Scanner) string {
	if s.Kind() != jsonscan.Array {
		return r.headerText(s)
	}
	var words []string
	wrong := false
	for s.EnterArray(); s.Element() && s.Charge(stringCost); {
		switch {
		case wrong:
			s.Skip()
		case s.Kind() != jsonscan.String:
			wrong = true
			r.wrongType(s, "string")
		default:
			words = append(words, r.headerText(s))
		}
	}
	if wrong {
		return ""
	}
	return strings.Join(words, " ")
}

// readUnknown reads an unknown member and keeps it. It adds an error if the member has resources:
// they are ignored, which its author probably did not intend.
func (r *Reader) readUnknown(s *jsonscan.Scanner, key string) {
	at := s.NamePosition()
	if !s.Charge(fieldCost + len(key)) {
		return
	}
	value := readValue(s, r.text)
	r.header.Other = append(r.header.Other, Field{key, value})
	if holdsResources(value) {
		const message = "resources are not allowed here and are ignored"
		r.addFault(s, s.ErrorAt(at, jsonscan.Clip(key), message), true)
	}
}

func holdsResources(v Value) bool {
	if list := v.List(); len(list) > 0 {
		v = list[0]
	}
	_, ok := v.Fields().Get("resources")
	return ok
}

func (r *Reader) readHeaderRegion(s *jsonscan.Scanner) {
	h := &r.header
	h.Extra, r.doc.headerSeen = nil, nil
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
			r.doc.headerSeen = append(r.doc.headerSeen, key)
		}

		switch {
		case known && kind == jsonscan.Null:
			s.Null()
		case key == "type":
			h.Type = r.headerText(s)
		case key == "cmd":
			h.Cmd = r.headerWords(s)
		case key == "args":
			h.Args = r.headerWords(s)
		case key == "workload":
			h.Workload = r.headerText(s)

		case key == "units" && kind == jsonscan.Object:
			h.Units = r.readUnits(s)
		case key == "units":
			r.wrongType(s, "object")
		case s.Charge(fieldCost):
			h.Extra = append(h.Extra, Field{key, readValue(s, r.text)})
		}
	}
}

// isHeaderKey reports whether a Header has a field for a member of the region header.
func isHeaderKey(key string) bool {
	switch key {
	case "type", "cmd", "args", "workload", "units":
		return true
	}
	return false
}

func (r *Reader) readUnits(s *jsonscan.Scanner) traceid.Params {
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
				r.wrongType(s, "string")
			}

			continue
		}
		if len(pairs) >= r.Limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(r.Limits.MaxParams), "units")
			break
		}

		pairs = append(pairs, traceid.Param{Key: string(name), Value: r.headerText(s)})
	}
	return traceid.FromPairs(pairs...)
}

// toolCost is the cost of a Tool: see nestedCost.
const toolCost = 160

// readPostprocessors reads the array ahead. Elements of a wrong type are left out.
func (r *Reader) readPostprocessors(s *jsonscan.Scanner) {
	r.header.Postprocessors = nil
	for s.EnterArray(); s.Element() && s.Charge(toolCost); {
		if t, ok := r.readTool(s); ok {
			r.header.Postprocessors = append(r.header.Postprocessors, t)
		}
	}
}

// readTool reads the value ahead, which must be an object.
func (r *Reader) readTool(s *jsonscan.Scanner) (t Tool, ok bool) {
	if s.Kind() != jsonscan.Object {
		r.wrongType(s, "object")
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
			t.Params = readValue(s, r.text)
		case key == "name":
			t.Name = r.headerText(s)

		case s.Charge(fieldCost):
			t.Other = append(t.Other, Field{key, readValue(s, r.text)})
		}
	}
}
