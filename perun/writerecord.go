package perun

import (
	"fmt"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// adopt returns the header, with missing values from the params.
func adopt(h Header, params traceid.Params) Header {
	for i, text := range h.texts() {
		if *text == "" {
			*text, _ = params.Get(paramKeys[i])
		}
	}
	return h
}

// fieldsOf appends the fields of the resource for a record.
func (h *Header) fieldsOf(fields Fields, rec *format.Record, keepParams bool) (Fields, error) {
	switch {
	case !isFinite(rec.Value):
		return nil, fmt.Errorf("the value is %v, want a finite number", rec.Value)
	case len(rec.Links) > 0:
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

	fields = append(fields, Field{"amount", numberOf(rec.Value)})
	uid, hasUID := rec.Params.Get("uid")
	var parts Fields
	for _, p := range rec.Params {
		switch p.Key {
		case "cmd", "args", "workload", "collector", "unit":
		case "uid", "type", "subtype":
			fields = append(fields, Field{p.Key, stringOf(p.Value)})
		default:
			if _, both := rec.Attrs.Get(p.Key); both || p.Key == "amount" || !keepParams {
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
	for i, text := range h.texts() {
		key := paramKeys[i]
		value, has := params.Get(key)
		switch {
		case has && value == "":
			return fmt.Errorf("param %q is empty, which the format reads as absent", key)
		case *text != "" && !has:
			return fmt.Errorf("missing param %q, which the header gives to every measurement", key)
		case key != "type" && has && value != *text:
			return fmt.Errorf("param %q is %q, but the header has %q", key, value, *text)
		}
	}
	return nil
}

// joinUID adds the parts of a uid to the fields: as the object uid, if its flattened form is the
// uid, and otherwise as separate fields.
func joinUID(fields Fields, uid string, parts Fields) Fields {
	if len(parts) == 0 {
		return fields
	}
	flat, err := (Fields{{"uid", object(parts)}}).Flatten()
	if n := len(parts); err == nil && len(flat) == n+1 && flat[n].Value.text == uid {
		for i := range fields {
			if fields[i].Key == "uid" {
				fields[i].Value = ValueOf(parts)
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
			frames = append(frames, stringOf(frame))
		}
		if p.Value == "" {
			frames = nil
		}
		return Field{p.Key, ValueOf(frames)}
	case isCollectable(p.Key) || p.Key == "snapshot":
		return Field{p.Key, plainValue(p.Value)}
	}
	return Field{p.Key, stringOf(p.Value)}
}

// plainValue returns a number if the text is a decimal number as Python writes it. Otherwise it
// returns a string.
func plainValue(text string) Value {
	if isDecimal(text) {
		return Value{kind: jsonscan.Number, text: text}
	}
	return stringOf(text)
}

// wholeNumber returns the number of a snapshot, if v is one.
func wholeNumber(v Value) (int, bool) {
	if v.kind != jsonscan.Number {
		return 0, false
	}
	n, err := strconv.Atoi(v.text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == v.text
}
