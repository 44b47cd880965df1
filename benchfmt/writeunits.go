package benchfmt

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// A unitWriter checks units, and writes their metadata, which applies to all later records of a unit,
// in every spelling.
type unitWriter struct {
	metadata map[string]traceid.Params // already written, by base unit
	required map[string]traceid.Params // the part of it that came with records, so that later ones need it
	held     int                       // bytes of metadata, as a Reader counts them
	keys     map[string]bool           // of attrs that are metadata
	bases    map[string]string         // from a valid unit to its base unit
}

// maxMetadata is the number of bytes of metadata that a Reader accepts by default.
const maxMetadata = 4 << 20

// checkUnit returns why a unit can't be written.
func (w *unitWriter) checkUnit(unit string) error {
	if _, ok := w.bases[unit]; ok {
		return nil
	}
	switch {
	case unit == "":
		return errors.New("the unit is empty")
	case !utf8.ValidString(unit):
		return fmt.Errorf("unit %q is not UTF-8", unit)
	case strings.ContainsFunc(unit, unicode.IsSpace):
		return fmt.Errorf("unit %q has a space", unit)
	case len(unit) > maxLine/2:
		return errors.New("the unit is longer than 512 KiB")
	}
	w.base(unit)
	return nil
}

// base returns the base unit of a unit.
func (w *unitWriter) base(unit string) string {
	base, ok := w.bases[unit]
	if !ok {
		if len(w.bases) >= maxUnits {
			clear(w.bases)
		}
		base, _ = tidy(unit)
		w.bases[unit] = base
	}
	return base
}

// ofRecord returns the metadata that has to be written for a record. Its unit is in the param with
// index at, which is negative if it has none.
func (w *unitWriter) ofRecord(rec *format.Record, unit string, at int, dropAttrs bool) (traceid.Params, error) {
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
		case dropAttrs && (ok || !w.keys[attr.Key]):
		case ok:
			return nil, fmt.Errorf("attr %q is %q, but as metadata of unit %s it is %q already",
				attr.Key, attr.Value, unit, old)

		case !w.keys[attr.Key]:
			return nil, fmt.Errorf("the format can't hold attrs, such as %q", attr.Key)
		default:
			err := w.check(UnitMetadata{Unit: unit, Key: attr.Key, Value: attr.Value})
			if err == nil {
				want = append(want, attr)
			} else if !dropAttrs {
				return nil, err
			}
		}
	}

	if len(w.required) > 0 && !dropAttrs {
		for _, p := range w.required[w.base(unit)] {
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
		if err := w.check(u); err != nil {
			return nil, err
		}
		want = append(want, traceid.Param{Key: u.Key, Value: u.Value})
	}
	return want, w.checkHeld(unit, want)
}

// check returns why u can't be written.
func (w *unitWriter) check(u UnitMetadata) error {
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
func (w *unitWriter) checkHeld(unit string, more traceid.Params) error {
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

// appendRecord is append for the metadata of a record. Later records of the unit must have it too.
func (w *unitWriter) appendRecord(dst []byte, unit string, metadata traceid.Params) []byte {
	if len(metadata) == 0 {
		return dst
	}
	base := w.base(unit)
	w.required[base] = traceid.Merge(w.required[base], traceid.FromPairs(metadata...))
	return w.append(dst, unit, metadata)
}

// append appends a line with the part of a unit's metadata that is new. The metadata is valid.
func (w *unitWriter) append(dst []byte, unit string, metadata traceid.Params) []byte {
	base := w.base(unit)
	have := w.metadata[base]
	size := 0 // of the unfinished line
	for _, p := range metadata {
		if _, ok := have.Get(p.Key); ok {
			continue
		}
		more := len(" =") + len(p.Key) + len(p.Value)
		if size > 0 && size+more > maxLine {
			dst = append(dst, '\n')
			size = 0
		}

		if size == 0 {
			dst = append(append(dst, "Unit "...), unit...)
			size = len("Unit ") + len(unit)
		}
		dst = append(append(append(append(dst, ' '), p.Key...), '='), p.Value...)
		size += more
		w.held += heldBytes(unit, base, p)
		have = traceid.Merge(have, traceid.Params{p})
	}
	if size > 0 {
		dst = append(dst, '\n')
		w.metadata[base] = have
	}
	return dst
}
