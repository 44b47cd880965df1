package benchfmt

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// A unit is what a Reader knows of a unit: once for each that it meets, not for each value.
type unit struct {
	text   string  // as the file spells it
	param  string  // as it stands in records
	key    string  // of the param in which it stands there; empty for none
	factor float64 // of the values in records
	attrs  traceid.Params
	usual  bool // it stands in the param unit, and has no attrs

	word, mask uint64 // text, read as an integer, and which bits of it count; no mask if text is longer
}

// Params and attrs that units give to records.
const (
	attrIterations = "iterations"
	metadataParam  = "param" // the unit metadata that names the unit's param
)

// maxUnits is how many units a Reader remembers. Files have a few.
const maxUnits = 1000

// unitOf returns what is known of the unit that begins at i and ends with the line.
func (r *Reader) unitOf(line []byte, i int) (*unit, *format.Error) {
	text := line[i:]
	if u := r.units[string(text)]; u != nil {
		return u, nil
	}
	if !utf8.Valid(text) {
		return nil, r.failUTF8(line)
	}
	u := &unit{text: string(text), key: paramUnit, factor: 1}
	u.param = u.text
	if r.Tidy {
		u.param, u.factor = tidy(u.text)
	}
	if len(r.metadata) > 0 {
		base, _ := tidy(u.text)
		for key, value := range r.metadata[base].All() {
			if key == metadataParam {
				u.key = value
			} else {
				u.attrs = append(u.attrs, traceid.Param{Key: key, Value: value})
			}
		}
	}
	if n := len(text); n <= 8 {
		var word [8]byte
		copy(word[:], text)
		u.word = binary.LittleEndian.Uint64(word[:])
		u.mask = ^uint64(0) >> (64 - 8*n)
	}
	u.usual = u.key == paramUnit && len(u.attrs) == 0
	if len(r.units) >= maxUnits {
		r.units = nil
	}
	if r.units == nil {
		r.units = make(map[string]*unit)
	}
	r.units[u.text] = u
	return u, nil
}

// addMetadata adds what a Unit line says, and returns the value that the unit has instead, if it has another one.
func (r *Reader) addMetadata(text, key, value string) (have string, ok bool) {
	base, _ := tidy(text)
	of := r.metadata[base]
	i, found := of.Find(key)
	if found {
		return of[i].Value, of[i].Value == value
	}
	if max := r.limits.MaxParams; len(of) >= max {
		r.err = r.fatal(message.Limit("MaxParams", int64(max), "metadata of one unit"), nil)
		return value, true
	}
	r.hold(metadataBytes + int64(len(text)+len(base)+len(key)+len(value)))
	if r.metadata == nil {
		r.metadata = make(map[string]traceid.Params)
	}
	r.metadata[base] = traceid.Merge(of, traceid.Params{{Key: key, Value: value}})
	r.found = append(r.found, UnitMetadata{Unit: text, Key: key, Value: value, Offset: r.at.offset, Line: r.at.line})
	// What is known of units may be something else now.
	r.units = nil
	clear(r.result.values[:cap(r.result.values)])
	r.result.values = r.result.values[:0]
	return value, true
}

// metadataBytes is about what unit metadata takes, besides the text.
const metadataBytes = 200

// tidy returns the base unit of a unit, and what to multiply its values by: ns is changed to sec, and MB to B, unless
// they are divided by. It is what benchunit.Tidy does, without that function's memory, which is shared by all and never
// forgets a unit: an upload could fill it.
func tidy(unit string) (base string, factor float64) {
	factor = 1
	if !strings.Contains(unit, "ns") && !strings.Contains(unit, "MB") {
		return unit, factor
	}
	divided := false
	start := 0 // of the word
	var b strings.Builder
	word := func(end int) {
		switch w := unit[start:end]; {
		case w == "ns" && !divided:
			factor /= 1e9
			b.WriteString("sec")
		case w == "MB" && !divided:
			factor *= 1e6
			b.WriteString("B")
		default:
			b.WriteString(w)
		}
	}
	for i, c := range unit {
		if c == '*' || c == '/' || c == '-' || unicode.IsSpace(c) {
			word(i)
			start = i + len(string(c))
			b.WriteString(unit[i:start])
			if c == '*' || c == '/' {
				divided = c == '/'
			}
		}
	}
	word(len(unit))
	return b.String(), factor
}
