package benchfmt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// setConfig writes the lines that make config the configuration in force. The config is valid.
func (w *Writer) setConfig(config []traceid.Param) {
	if slices.Equal(config, w.last) {
		return
	}
	next := traceid.FromPairs(config...)
	w.last = append(w.last[:0], config...)
	if next.Equal(w.inForce) {
		return // another order makes no difference
	}

	if w.results {
		w.out.Bytes = append(w.out.Bytes, '\n')
		w.results = false
	}
	for _, p := range w.inForce {
		if _, ok := next.Get(p.Key); !ok {
			w.out.Bytes = append(append(w.out.Bytes, p.Key...), ":\n"...)
		}
	}

	for _, p := range config {
		value, _ := next.Get(p.Key)
		if have, ok := w.inForce.Get(p.Key); !ok || have != value {
			w.out.Bytes = append(append(w.out.Bytes, p.Key...), ": "...)
			w.out.Bytes = append(w.out.Bytes, value...)
			if strings.HasSuffix(value, "\r") {
				w.out.Bytes = append(w.out.Bytes, '\r') // a Reader takes a single one for part of the line end
			}
			w.out.Bytes = append(w.out.Bytes, '\n')
		}
	}
	w.out.Bytes = append(w.out.Bytes, '\n')
	w.inForce = next
}

// recordMetadata returns the unit metadata that has to be written for a record.
func (w *Writer) recordMetadata(rec *format.Record, unit string, at int) (traceid.Params, error) {
	var have, want traceid.Params
	switch {
	case len(w.metadata) == 0 && at >= 0 && rec.Params[at].Key == goname.Unit &&
		(len(rec.Attrs) == 0 || len(rec.Attrs) == 1 && rec.Attrs[0].Key == attrIterations):
		return nil, nil // the usual case
	case len(w.metadata) > 0:
		have = w.metadata[w.base(unit)]
	}

	for _, attr := range rec.Attrs {
		old, ok := have.Get(attr.Key)

		switch {
		case attr.Key == attrIterations:
		case ok && old == attr.Value:
		case w.Drop.Attrs && (ok || !w.keys[attr.Key]):
		case ok:
			return nil, fmt.Errorf("attr %q is %q, but as metadata of unit %s it is %q already",
				attr.Key, attr.Value, unit, old)

		case !w.keys[attr.Key]:
			return nil, fmt.Errorf("the format can't hold attrs, such as %q", attr.Key)
		default:
			err := w.checkMetadata(UnitMetadata{Unit: unit, Key: attr.Key, Value: attr.Value})
			if err == nil {
				want = append(want, attr)
			} else if !w.Drop.Attrs {
				return nil, err
			}
		}
	}

	if len(w.ofRecord) > 0 && !w.Drop.Attrs {
		for _, p := range w.ofRecord[w.base(unit)] {
			if _, ok := rec.Attrs.Get(p.Key); !ok && p.Key != metadataParam {
				return nil, fmt.Errorf("missing attr %q, which is %q as metadata of unit %s already", p.Key, p.Value, unit)
			}
		}
	}

	// Metadata names the param that holds the unit, unless it is the usual one.
	key := ""
	if at >= 0 {
		key = rec.Params[at].Key
	}
	switch old, ok := have.Get(metadataParam); {
	case ok && old != key, !ok && key != goname.Unit:
		u := UnitMetadata{Unit: unit, Key: metadataParam, Value: key}
		if err := w.checkMetadata(u); err != nil {
			return nil, err
		}
		want = append(want, traceid.Param{Key: u.Key, Value: u.Value})
	}
	return want, w.checkHeld(unit, want)
}

// noteMetadata remembers the metadata of a record, which later records of the unit must have too.
func (w *Writer) noteMetadata(unit string, metadata traceid.Params) {
	if len(metadata) > 0 {
		base := w.base(unit)
		w.ofRecord[base] = traceid.Merge(w.ofRecord[base], traceid.FromPairs(metadata...))
	}
}

// checkMetadata returns why u can't be written.
func (w *Writer) checkMetadata(u UnitMetadata) error {
	if err := w.checkUnit(u.Unit); err != nil {
		return err
	}

	fault := ""
	have, ok := w.metadata[w.base(u.Unit)].Get(u.Key)
	switch {
	case u.Key == "":
		fault = "the key is empty"
	case !utf8.ValidString(u.Key) || !utf8.ValidString(u.Value): // together they may be valid
		fault = "it is not UTF-8"
	case strings.ContainsFunc(u.Key+u.Value, unicode.IsSpace):
		fault = "it has a space"
	case strings.Contains(u.Key, "="):
		fault = "the key has an equals sign"

	case len(u.Unit)+len(u.Key)+len(u.Value) > maxLine/2:
		fault = "it is too long"
	case ok && have != u.Value:
		fault = fmt.Sprintf("it was written as %q", have)
	case ok:
		return nil
	default:
		return w.checkHeld(u.Unit, traceid.Params{{Key: u.Key, Value: u.Value}})
	}

	return errors.New("metadata " + u.Key + "=" + u.Value + " of unit " + u.Unit + ": " + fault)
}

// checkHeld returns why a Reader cannot hold more metadata of a unit.
func (w *Writer) checkHeld(unit string, more traceid.Params) error {
	if len(more) == 0 {
		return nil
	}
	base := w.base(unit)
	held := w.held
	for _, p := range more {
		held += heldBytes(unit, base, p)
	}
	switch {
	case len(w.metadata[base])+len(more) > maxParams:
		return fmt.Errorf("unit %s has more than %d keys of metadata", unit, maxParams)
	case held > maxMetadata:
		return fmt.Errorf("all unit metadata takes more than %d bytes", maxMetadata)
	}
	return nil
}

// heldBytes returns how many bytes a Reader counts for metadata of a unit.
func heldBytes(unit, base string, p traceid.Param) int {
	return metadataBytes + len(unit) + len(base) + len(p.Key) + len(p.Value)
}

// appendMetadata appends a line with the part of a unit's metadata that is new. The metadata is
// valid.
func (w *Writer) appendMetadata(unit string, metadata traceid.Params) {
	if len(metadata) == 0 {
		return
	}
	base := w.base(unit)
	have := w.metadata[base]
	size := 0 // of the unfinished line
	for _, p := range metadata {
		if _, ok := have.Get(p.Key); ok {
			continue
		}
		more := len(" =") + len(p.Key) + len(p.Value)
		if size > 0 && size+more > maxLine {
			w.out.Bytes = append(w.out.Bytes, '\n')
			size = 0
		}

		if size == 0 {
			w.out.Bytes = append(append(w.out.Bytes, "Unit "...), unit...)
			size = len("Unit ") + len(unit)
		}
		w.out.Bytes = append(append(append(append(w.out.Bytes, ' '), p.Key...), '='), p.Value...)
		size += more
		w.held += heldBytes(unit, base, p)
		have = traceid.Merge(have, traceid.Params{p})
	}
	if size > 0 {
		w.out.Bytes = append(w.out.Bytes, '\n')
		w.metadata[base] = have
	}
}
