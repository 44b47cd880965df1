package perun

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// This is the grammar of the header.

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
	Needed:   regionOrigin | regionHeader | regionCollector,
	Sections: regionsData | regionModels,
	Optional: regionModels,
	Setup:    (*jsonscan.Scanner).AllowNaN,
}

// headerKeys are the members of the region header that a Header has fields for. All but the units are
// in the order of paramKeys.
var headerKeys = []string{"type", "cmd", "args", "workload", "units"}

// readHeaderMember reads the value of a member that is the header's. It may be read twice: see
// package jsondoc.
func (d *document) readHeaderMember(s *jsonscan.Scanner, m jsondoc.Set, name []byte) {
	h, at := &d.header, s.Offset()
	switch kind := s.Kind(); {
	case m == jsondoc.Unknown:
		key, named := d.strings.String(name), s.NamePosition()
		if !s.Charge(fieldCost + len(key)) {
			return
		}
		value := readValue(s, d.strings.String)
		h.Other = append(h.Other, Field{key, value})
		if holdsResources(value) { // its author probably expects them to be read
			d.addFault(s, s.ErrorAt(named, message.Shorten(key), "resources are not allowed here and are ignored"), true)
		}
	case m == regionHeader && (kind == jsonscan.Object || kind == jsonscan.Null):
		d.readHeaderRegion(s)
	case kind == jsonscan.Null:
		s.Null()
	case m == regionOrigin:
		h.Origin = d.headerText(s)
	case m == regionHeader:
		d.wrongType(s, "object")

	case m == regionCollector:
		h.Collector, _ = d.readTool(s)
	case kind == jsonscan.Array:
		h.Postprocessors = nil
		for s.EnterArray(); s.Element() && s.Charge(toolCost); {
			if t, ok := d.readTool(s); ok {
				h.Postprocessors = append(h.Postprocessors, t)
			}
		}
	default:
		d.wrongType(s, "array")
	}

	if m == regionCollector && h.Collector.Name == "" && !d.faultySince(at) {
		d.violate(s, documentStart, "collector_info", "name is required")
	}
}

// documentStart is where errors about missing members of the document are.
var documentStart = jsonscan.Position{Line: 1, Column: 1}

// maxHeaderFaults is the largest number of errors of a header that are held.
const maxHeaderFaults = 100

// violate reports a violation of the specification, if the file is validated.
func (d *document) violate(s *jsonscan.Scanner, at jsonscan.Position, path, message string) {
	if d.out.violation != nil && s.Err() == nil {
		d.out.violation(s.ErrorAt(at, path, message))
	}
}

// addFault adds an error of the header, unless there are too many. If s reads a member near the
// document's end before its turn, addFault fails s, so that the error is found in its turn, with its position.
func (d *document) addFault(s *jsonscan.Scanner, e *format.Error, misplaced bool) {
	if s != d.scan {
		s.Fail(e)
	}
	if s.Err() != nil {
		return
	}
	switch n := len(d.faults); {
	case n == maxHeaderFaults:
		return
	case n == maxHeaderFaults-1:
		e.Message = fmt.Sprintf("more than %d errors in the header: the rest are not listed", n)
		misplaced = false
	}
	d.faults = append(d.faults, headerFault{e, misplaced})
}

// faultySince reports whether the header has an error at the offset or after it.
func (d *document) faultySince(offset int64) bool {
	n := len(d.faults)
	return n > 0 && d.faults[n-1].err.Offset >= offset
}

// wrongType skips the value ahead, and adds an error about its type. The member of the header is
// treated as absent.
func (d *document) wrongType(s *jsonscan.Scanner, expected string) {
	d.addFault(s, s.SkipTypeError(expected), false)
}

// headerText reads the value ahead, which must be a string.
func (d *document) headerText(s *jsonscan.Scanner) string {
	if s.Kind() != jsonscan.String {
		d.wrongType(s, "string")
		return ""
	}
	text, _ := s.Text()
	return string(text)
}

// headerWords reads the value ahead, which must be a string, or a list of strings, which it
// joins.
func (d *document) headerWords(s *jsonscan.Scanner) string {
	if s.Kind() != jsonscan.Array {
		return d.headerText(s)
	}
	var words []string
	wrong := false
	for s.EnterArray(); s.Element() && s.Charge(stringCost); {
		switch {
		case wrong:
			s.Skip()
		case s.Kind() != jsonscan.String:
			wrong = true
			d.wrongType(s, "string")
		default:
			words = append(words, d.headerText(s))
		}
	}
	if wrong {
		return ""
	}
	return strings.Join(words, " ")
}

func holdsResources(v Value) bool {
	if list := v.List(); len(list) > 0 {
		v = list[0]
	}
	_, ok := v.Fields().Get("resources")
	return ok
}

// readHeaderRegion reads the region header, which is an object or null.
func (d *document) readHeaderRegion(s *jsonscan.Scanner) {
	at, h := s.Position(), &d.header
	h.Extra = nil
	texts := h.texts()
	var has [5]bool    // of headerKeys
	wrongType := false // the member type has a fault

	if s.Kind() == jsonscan.Null {
		s.Null()
	} else {
		for name, kind := range s.Members() {
			key, from := d.strings.String(name), s.Offset()
			i := slices.Index(headerKeys, key)
			if i < 0 {
				if s.Charge(fieldCost) {
					h.Extra = append(h.Extra, Field{key, readValue(s, d.strings.String)})
				}
				continue
			}

			has[i] = kind != jsonscan.Null
			switch {
			case !has[i]:
				s.Null()
			case key == "units" && kind == jsonscan.Object:
				h.Units = d.readUnits(s)
			case key == "units":
				d.wrongType(s, "object")
			case key == "cmd" || key == "args":
				*texts[i] = d.headerWords(s)
			default:
				*texts[i] = d.headerText(s)
			}
			wrongType = wrongType || key == "type" && d.faultySince(from)
		}
	}

	if !isType(h.Type) && !wrongType {
		d.violate(s, at, "header.type", "the type is "+message.Quote(h.Type)+", expected time, memory or mixed")
	}
	for i, key := range headerKeys {
		if !has[i] && key != "type" && key != "args" {
			d.violate(s, at, "header", key+" is required")
		}
	}
}

func (d *document) readUnits(s *jsonscan.Scanner) traceid.Params {
	var pairs []traceid.Param
	for name, kind := range s.Members() {
		switch {
		case kind == jsonscan.Null:
			s.Null()
		case kind != jsonscan.String:
			d.wrongType(s, "string")
		case len(pairs) >= d.limits.MaxParams:
			s.FailLimit(s.NameError, "MaxParams", int64(d.limits.MaxParams), "units")
		default:
			key := string(name)
			pairs = append(pairs, traceid.Param{Key: key, Value: d.headerText(s)})
		}
	}
	return traceid.FromPairs(pairs...)
}

// readTool reads the value ahead, which must be an object.
func (d *document) readTool(s *jsonscan.Scanner) (t Tool, ok bool) {
	if s.Kind() != jsonscan.Object {
		d.wrongType(s, "object")
		return t, false
	}

	t.Params = object(nil)
	for name, kind := range s.Members() {
		switch key := d.strings.String(name); {
		case kind == jsonscan.Null && (key == "params" || key == "name"):
			s.Null()
		case key == "params":
			t.Params = readValue(s, d.strings.String)
		case key == "name":
			t.Name = d.headerText(s)
		case s.Charge(fieldCost):
			t.Other = append(t.Other, Field{key, readValue(s, d.strings.String)})
		}
	}
	return t, true
}
