package perun

import (
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/traceid"
)

// A Header has everything of a profile except resources and models. An empty string means that
// the value is absent, as in the format.
type Header struct {
	Origin   string // the version that was profiled, such as a commit; absent from stored objects
	Type     string // rough type of the profile: time, memory or mixed
	Cmd      string // the command that was profiled
	Args     string // its parameters; a list of them is joined by spaces
	Workload string // its input
	Extra    Fields // the other members of the region header

	// Units are the units of amounts, by resource type, such as memory, or by type and subtype,
	// such as mixed(time delta).
	Units traceid.Params

	Collector      Tool   // the program that captured the resources
	Postprocessors []Tool // the programs that processed them, in that order

	Other Fields // the other regions, such as machine and chunks
}

// A Tool is a collector or postprocessor, with its configuration.
type Tool struct {
	Name   string
	Params Value  // usually an object; missing params are an empty one
	Other  Fields // its other members
}

// The types of profiles in the specification.
const (
	TypeTime   = "time"
	TypeMemory = "memory"
	TypeMixed  = "mixed"
)

func isType(t string) bool { return t == TypeTime || t == TypeMemory || t == TypeMixed }

// fileHeader returns h in the form of any format.
func (h Header) fileHeader() format.Header {
	var params []traceid.Param
	for _, p := range h.params() {
		if p.Key != "type" && p.Value != "" {
			params = append(params, p)
		}
	}
	return format.Header{Commit: h.Origin, Params: traceid.FromPairs(params...), Native: h}
}

// OwnMembers returns the members that headers of other formats do not have and records do not either,
// with their values as JSON.
func (h Header) OwnMembers() []traceid.Param {
	var list []traceid.Param
	add := func(prefix string, fields Fields) {
		for _, f := range fields {
			list = append(list, traceid.Param{Key: prefix + f.Key, Value: f.Value.String()})
		}
	}
	add("header.", h.Extra)
	if p := h.Collector.Params; len(p.Fields()) > 0 || len(p.List()) > 0 {
		list = append(list, traceid.Param{Key: "collector_info.params", Value: p.String()})
	}
	add("collector_info.", h.Collector.Other)
	if len(h.Postprocessors) > 0 {
		text := []byte{'['}
		for i := range h.Postprocessors {
			if i > 0 {
				text = append(text, ',')
			}
			text = h.Postprocessors[i].appendJSON(text, true)
		}
		list = append(list, traceid.Param{Key: "postprocessors", Value: string(append(text, ']'))})
	}
	add("", h.Other)
	return list
}

// params returns the params that the header gives to every measurement, except the unit. An empty
// value is absent.
func (h *Header) params() [5]traceid.Param {
	return [...]traceid.Param{
		typeParam: {Key: "type", Value: h.Type},
		{Key: "cmd", Value: h.Cmd},
		{Key: "args", Value: h.Args},
		{Key: "workload", Value: h.Workload},
		{Key: "collector", Value: h.Collector.Name},
	}
}

const typeParam = 0

// Unit returns the unit of the amounts of resources with the type and subtype: the unit of
// type(subtype), or if absent the unit of the type, or if absent the empty string.
func (h Header) Unit(typ, subtype string) string { return unitOf(h.Units, typ, subtype) }

func unitOf(units traceid.Params, typ, subtype string) string {
	if subtype != "" {
		for _, u := range units {
			// Some collectors wrote a space before the parenthesis.
			if rest, ok := strings.CutPrefix(u.Key, typ); ok && isSubtype(strings.TrimPrefix(rest, " "), subtype) {
				return u.Value
			}
		}
	}
	unit, _ := units.Get(typ)
	return unit
}

// isSubtype reports whether s is the subtype in parentheses.
func isSubtype(s, subtype string) bool {
	return len(s) == len(subtype)+2 && s[0] == '(' && s[1:len(s)-1] == subtype && s[len(s)-1] == ')'
}

// MarshalJSON returns the header as a profile has it, without resources and models.
func (h Header) MarshalJSON() ([]byte, error) {
	dst := h.appendRegion(append(h.appendRegions([]byte{'{'}, true), ','), true)
	return append(dst, '}'), nil
}

// appendRegion appends the member header, without commas.
func (h *Header) appendRegion(dst []byte, plain bool) []byte {
	dst = append(dst, `"header":{"type":`...)
	dst = jsonenc.AppendString(dst, h.Type)
	dst = append(dst, `,"units":`...)
	dst = jsonenc.AppendParams(dst, h.Units.All())
	dst = append(dst, `,"cmd":`...)
	dst = jsonenc.AppendString(dst, h.Cmd)
	if h.Args != "" {
		dst = append(dst, `,"args":`...)
		dst = jsonenc.AppendString(dst, h.Args)
	}
	dst = append(dst, `,"workload":`...)
	dst = jsonenc.AppendString(dst, h.Workload)
	return append(appendMembers(dst, h.Extra, plain), '}')
}

// appendRegions appends all other regions, separated by commas.
func (h *Header) appendRegions(dst []byte, plain bool) []byte {
	if h.Origin != "" {
		dst = append(dst, `"origin":`...)
		dst = append(jsonenc.AppendString(dst, h.Origin), ',')
	}
	dst = append(dst, `"collector_info":`...)
	dst = h.Collector.appendJSON(dst, plain)
	dst = append(dst, `,"postprocessors":[`...)
	for i := range h.Postprocessors {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = h.Postprocessors[i].appendJSON(dst, plain)
	}
	dst = append(dst, ']')
	return appendMembers(dst, h.Other, plain)
}

func (t *Tool) appendJSON(dst []byte, plain bool) []byte {
	dst = append(dst, `{"name":`...)
	dst = jsonenc.AppendString(dst, t.Name)
	dst = append(dst, `,"params":`...)
	if t.Params.kind == kindNull {
		dst = append(dst, "{}"...) // what reads profiles expects an object
	} else {
		dst = t.Params.appendJSON(dst, plain)
	}
	return append(appendMembers(dst, t.Other, plain), '}')
}

// appendMembers appends members to an object that has members already.
func appendMembers(dst []byte, fields Fields, plain bool) []byte {
	for _, f := range fields {
		dst = append(jsonenc.AppendString(append(dst, ','), f.Key), ':')
		dst = f.Value.appendJSON(dst, plain)
	}
	return dst
}
