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

// adopt returns the header with what it lacks taken from the first record.
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

// fieldsOf returns the resource that a record is read from again.
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

	for _, p := range []traceid.Param{{Key: "type", Value: h.Type}, {Key: "cmd", Value: h.Cmd}, {Key: "args", Value: h.Args}, {Key: "workload", Value: h.Workload}, {Key: "collector", Value: h.Collector.Name}} {
		value, has := rec.Params.Get(p.Key)
		switch {
		case has && value == "":
			return nil, fmt.Errorf("param %q is empty, which the format reads as absent", p.Key)
		case p.Value != "" && !has:
			return nil, fmt.Errorf("missing param %q, which the header gives to every measurement", p.Key)
		case p.Key != "type" && has && value != p.Value:
			return nil, fmt.Errorf("param %q is %q, but the header says %q", p.Key, value, p.Value)
		}
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

	if len(parts) == 0 {
		return fields, nil
	}
	// The parts of a uid make an object again, if they give the same.
	flat, err := (Fields{{"uid", ObjectOf(parts...)}}).Flatten()
	if n := len(parts); err == nil && len(flat) == n+1 && flat[n].Value.text == uid {
		for i := range fields {
			if fields[i].Key == "uid" {
				fields[i].Value = ObjectOf(parts...)
			}
		}

		return fields, nil
	}
	for _, part := range parts {
		fields = append(fields, Field{"uid:" + part.Key, part.Value})
	}
	return fields, nil
}

// fieldOf returns the field that an attr is read from again.
func fieldOf(p traceid.Param) Field {
	switch {
	case p.Key == "trace":
		// Only a list will do.
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

// plainValue returns a number if the text is what Python writes of one, else a string.
func plainValue(text string) Value {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return StringOf(text)
	}
	for _, c := range []byte(digits) {
		if (c < '0' || c > '9') && c != '.' {
			return StringOf(text)
		}
	}
	if point := strings.IndexByte(digits, '.'); point >= 0 && (point == len(digits)-1 || strings.Count(digits, ".") > 1) {
		return StringOf(text)
	}
	if numbers.Python(text) != text {
		return StringOf(text)
	}
	return Value{kind: KindNumber, text: text}
}

// checkUnit returns the header's units, with that of the record if they lack it and can still get
// it.
func (w *Writer) checkUnit(h *Header, rec *format.Record, typ, subtype string) (traceid.Params, error) {
	unit, has := rec.Params.Get("unit")
	said := unitOf(h.Units, typ, subtype)
	switch {
	case has && unit == "":
		return nil, fmt.Errorf("param %q is empty, which the format reads as absent", "unit")
	case unit == said:
		return h.Units, nil
	case said != "" && !has:
		return nil, fmt.Errorf("missing param %q, but resources of its type and subtype are in %q", "unit", said)
	case said != "" && subtype == "":
		return nil, fmt.Errorf("param %q is %q, but resources of its type and subtype are in %q", "unit", unit, said)
	case w.begun && w.Layout == LayoutSnapshots:
		return nil, fmt.Errorf("the unit %q isn't in the header, which was written already", unit)
	}

	key := typ
	if subtype != "" {
		key = typ + "(" + subtype + ")"
	}

	if known, ok := h.Units.Get(key); ok {
		return nil, fmt.Errorf("param %q is %q, but resources of its type and subtype are in %q", "unit", unit, known)
	}
	for known, its := range w.units {
		if known[0] == typ && its != unit && (known[1] == subtype || subtype == "") {
			return nil, fmt.Errorf("param %q is %q, but a measurement of its type and subtype before had %q", "unit", unit, its)
		}
	}
	return traceid.Merge(h.Units, traceid.Params{{Key: key, Value: unit}}), nil
}

// wholeNumber returns the number that v is, if it is one that a snapshot can have.
func wholeNumber(v Value) (int, bool) {
	if v.kind != KindNumber {
		return 0, false
	}
	n, err := strconv.Atoi(v.text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == v.text
}
