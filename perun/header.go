package perun

import (
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

// isType reports whether the specification has profiles of the type.
func isType(t string) bool { return t == "time" || t == "memory" || t == "mixed" }

// OwnMembers returns the members that headers of other formats do not have and records do not
// either, with their values as JSON.
func (h Header) OwnMembers() []traceid.Param {
	var list []traceid.Param
	add := func(prefix string, fields ...Field) {
		for _, f := range fields {
			list = append(list, traceid.Param{Key: prefix + f.Key, Value: f.Value.String()})
		}
	}
	add("header.", h.Extra...)
	if p := h.Collector.Params; len(p.Fields()) > 0 || len(p.List()) > 0 {
		add("collector_info.", Field{"params", p})
	}
	add("collector_info.", h.Collector.Other...)
	if len(h.Postprocessors) > 0 {
		text := h.postprocessors().appendJSON(nil, true)
		list = append(list, traceid.Param{Key: "postprocessors", Value: string(text)})
	}
	add("", h.Other...)
	return list
}

// paramKeys are the params that the header gives to every measurement, except the unit.
var paramKeys = [...]string{"type", "cmd", "args", "workload", "collector"}

// texts returns the values of paramKeys. An empty value is absent.
func (h *Header) texts() [len(paramKeys)]*string {
	return [...]*string{&h.Type, &h.Cmd, &h.Args, &h.Workload, &h.Collector.Name}
}

// Unit returns the unit of the amounts of resources with the type and subtype: the unit of
// type(subtype), or if absent the unit of the type, or if absent the empty string.
func (h Header) Unit(typ, subtype string) string { return unitOf(h.Units.Get, typ, subtype) }

// unitOf is [Header.Unit] for units that get finds.
func unitOf(get func(name string) (string, bool), typ, subtype string) string {
	if subtype != "" {
		// Some collectors wrote a space before the parenthesis.
		for _, name := range []string{typ + " (" + subtype + ")", unitName(typ, subtype)} {
			if unit, ok := get(name); ok {
				return unit
			}
		}
	}
	unit, _ := get(typ)
	return unit
}

// MarshalJSON returns the header as a profile has it, without resources and models.
func (h Header) MarshalJSON() ([]byte, error) {
	return append(h.regions(), Field{"header", h.region()}).MarshalJSON()
}

// region returns the region header.
func (h *Header) region() Value {
	var units Fields
	for key, unit := range h.Units.All() {
		units = append(units, Field{key, stringOf(unit)})
	}
	f := Fields{{"type", stringOf(h.Type)}, {"units", object(units)}, {"cmd", stringOf(h.Cmd)}}
	if h.Args != "" {
		f = append(f, Field{"args", stringOf(h.Args)})
	}
	f = append(f, Field{"workload", stringOf(h.Workload)})
	return object(append(f, h.Extra...))
}

// regions returns all other regions.
func (h *Header) regions() Fields {
	var f Fields
	if h.Origin != "" {
		f = append(f, Field{"origin", stringOf(h.Origin)})
	}
	f = append(f, Field{"collector_info", h.Collector.value()}, Field{"postprocessors", h.postprocessors()})
	return append(f, h.Other...)
}

func (h *Header) postprocessors() Value {
	var tools []Value
	for _, t := range h.Postprocessors {
		tools = append(tools, t.value())
	}
	return ValueOf(tools)
}

func (t *Tool) value() Value {
	params := t.Params
	if params.IsNull() {
		params = object(nil) // what reads profiles expects an object
	}
	return object(append(Fields{{"name", stringOf(t.Name)}, {"params", params}}, t.Other...))
}
