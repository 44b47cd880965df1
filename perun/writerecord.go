package perun

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun/internal/numbers"
	"perfdata/traceid"
)

// adopt returns the header, with missing values from the first record.
func adopt(h Header, rec *format.Record) Header {
	get := func(key string) string {
		value, _ := rec.Params.Get(key)
		return value
	}
	h.Type = cmp.Or(h.Type, get("type"))
	h.Cmd = cmp.Or(h.Cmd, get("cmd"))
	h.Args = cmp.Or(h.Args, get("args"))
	h.Workload = cmp.Or(h.Workload, get("workload"))
	h.Collector.Name = cmp.Or(h.Collector.Name, get("collector"))
	return h
}

// fieldsOf returns the fields of the resource for a record.
func (w *Writer) fieldsOf(h *Header, rec *format.Record) (Fields, error) {
	switch {
	case !isFinite(rec.Value):
		return nil, fmt.Errorf("the value is %v, want a finite number", rec.Value)
	case len(rec.Links) > 0 && !w.Drop.Links:
		return nil, fmt.Errorf("the format can't hold links, such as %q", rec.Links[0].Key)
	}

	if err := message.CheckPairs(rec.Params); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if err := message.CheckPairs(rec.Attrs); err != nil {
		return nil, fmt.Errorf("attrs: %w", err)
	}

	if err := h.checkParams(rec.Params); err != nil {
		return nil, err
	}

	fields := Fields{{"amount", NumberOf(rec.Value)}}
	uid, hasUID := rec.Params.Get("uid")
	var parts Fields
	for _, p := range rec.Params {
		switch p.Key {
		case "cmd", "args", "workload", "collector", "unit":
		case "uid":
			fields = append(fields, Field{"uid", StringOf(uid)})
		case "type", "subtype":
			fields = append(fields, Field{p.Key, StringOf(p.Value)})
		default:
			if _, both := rec.Attrs.Get(p.Key); both || p.Key == "amount" || !w.KeepParams {
				return nil, fmt.Errorf("the format can't hold param %q", p.Key)
			}

			fields = append(fields, fieldOf(p))
		}
	}

	for _, p := range rec.Attrs {
		switch p.Key {
		case "amount", "uid", "type", "subtype":
			return nil, fmt.Errorf("the format can't hold attr %q", p.Key)
		}

		if sub, ok := strings.CutPrefix(p.Key, "uid:"); ok && hasUID {
			parts = append(parts, Field{sub, plainValue(p.Value)})
			continue
		}
		fields = append(fields, fieldOf(p))
	}

	return joinUID(fields, uid, parts), nil
}

// checkParams returns why a record with the params can't have the header, or nil.
func (h *Header) checkParams(params traceid.Params) error {
	for _, p := range []traceid.Param{
		{Key: "type", Value: h.Type},
		{Key: "cmd", Value: h.Cmd},
		{Key: "args", Value: h.Args},
		{Key: "workload", Value: h.Workload},
		{Key: "collector", Value: h.Collector.Name},
	} {
		value, has := params.Get(p.Key)
		switch {
		case has && value == "":
			return fmt.Errorf("param %q is empty, which the format reads as absent", p.Key)
		case p.Value != "" && !has:
			return fmt.Errorf("missing param %q, which the header gives to every measurement", p.Key)
		case p.Key != "type" && has && value != p.Value:
			return fmt.Errorf("param %q is %q, but the header has %q", p.Key, value, p.Value)
		}
	}
	return nil
}

// joinUID adds the parts of a uid to the fields: as the object uid, if its flattened form is the
// uid again, and otherwise as separate fields.
func joinUID(fields Fields, uid string, parts Fields) Fields {
	if len(parts) == 0 {
		return fields
	}
	flat, err := (Fields{{"uid", ObjectOf(parts...)}}).Flatten()
	if n := len(parts); err == nil && len(flat) == n+1 && flat[n].Value.text == uid {
		for i := range fields {
			if fields[i].Key == "uid" {
				fields[i].Value = ObjectOf(parts...)
			}
		}
		return fields
	}

	for _, part := range parts {
		fields = append(fields, Field{"uid:" + part.Key, part.Value})
	}
	return fields
}

// fieldOf returns the field for an attr.
func fieldOf(p traceid.Param) Field {
	switch {
	case p.Key == "trace":
		// A trace must be a list.
		var frames []Value
		for frame := range strings.SplitSeq(p.Value, ",") {
			frames = append(frames, StringOf(frame))
		}
		if p.Value == "" {
			frames = nil
		}
		return Field{p.Key, ListOf(frames...)}
	case isCollectable(p.Key) || p.Key == "snapshot":
		return Field{p.Key, plainValue(p.Value)}
	}
	return Field{p.Key, StringOf(p.Value)}
}

// plainValue returns a number if the text is a decimal number as Python writes it. Otherwise it
// returns a string.
func plainValue(text string) Value {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if !isDigits(whole) || len(whole) > 1 && whole[0] == '0' || point && !isDigits(fraction) ||
		numbers.Python(text) != text {
		return StringOf(text)
	}
	return Value{kind: KindNumber, text: text}
}

// isDigits reports whether s has one or more digits and nothing else.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// checkUnit returns the header's units, and adds the record's unit if they do not have it and can
// still be changed.
func (w *Writer) checkUnit(h *Header, rec *format.Record, typ, subtype string) (traceid.Params, error) {
	unit, has := rec.Params.Get("unit")
	known := unitOf(h.Units, typ, subtype)
	switch {
	case has && unit == "":
		return nil, fmt.Errorf("param %q is empty, which the format reads as absent", "unit")
	case unit == known:
		return h.Units, nil
	case known != "" && !has:
		return nil, fmt.Errorf("missing param %q, but resources of its type and subtype are in %q", "unit", known)
	case known != "" && subtype == "":
		return nil, errOtherUnit(unit, known)
	case w.begun && w.Layout == LayoutSnapshots:
		return nil, fmt.Errorf("the unit %q is not in the header, which was written already", unit)
	}

	key := typ
	if subtype != "" {
		key = typ + "(" + subtype + ")"
	}

	if known, ok := h.Units.Get(key); ok {
		return nil, errOtherUnit(unit, known)
	}
	for types, earlier := range w.units {
		if types[0] == typ && earlier != unit && (types[1] == subtype || subtype == "") {
			return nil, errOtherUnit(unit, earlier)
		}
	}
	return traceid.Merge(h.Units, traceid.Params{{Key: key, Value: unit}}), nil
}

func errOtherUnit(unit, known string) error {
	return fmt.Errorf("param %q is %q, but resources of its type and subtype are in %q", "unit", unit, known)
}

// wholeNumber returns the number of a snapshot, if v is one.
func wholeNumber(v Value) (int, bool) {
	if v.kind != KindNumber {
		return 0, false
	}
	n, err := strconv.Atoi(v.text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == v.text
}
