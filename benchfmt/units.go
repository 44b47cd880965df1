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

// maxUnits is how many units a Reader remembers, and maxUnitBytes how long they may be together. Files have a few, all short.
const (
	maxUnits     = 1000
	maxUnitBytes = 1 << 20
)

// unitOf returns what is known of the unit that begins at i and ends with the line.
func (r *Reader) unitOf(line []byte, i int) (*unit, *format.Error) {
	text := line[i:]
	if u := r.units[string(text)]; u != nil {
		return u, nil
	}
	if !utf8.Valid(text) {
		return nil, r.failUTF8(line)
	}
	u := r.newUnit(string(text))
	if r.unitBytes += len(text); len(r.units) >= maxUnits || r.unitBytes > maxUnitBytes {
		r.units, r.unitBytes = nil, len(text)
	}
	if r.units == nil {
		r.units = make(map[string]*unit)
	}
	r.units[u.text] = u
	return u, nil
}

// newUnit returns what is known of a unit that the Reader doesn't remember.
func (r *Reader) newUnit(text string) *unit {
	u := &unit{text: text, key: paramUnit, factor: 1}
	u.param = u.text
	if r.Tidy {
		u.param, u.factor = tidy(u.text)
	}
	if len(r.metadata) > 0 {
		base, _ := tidy(u.text)
		if m, ok := r.metadata[base]; ok {
			u.key, u.attrs = m.key, m.attrs
		}
	}
	if n := len(text); n <= 8 {
		var word [8]byte
		copy(word[:], text)
		u.word = binary.LittleEndian.Uint64(word[:])
		u.mask = ^uint64(0) >> (64 - 8*n)
	}
	u.usual = u.key == paramUnit && len(u.attrs) == 0
	return u
}

// addMetadata adds what a Unit line says, and returns the value that the unit has instead, if it has another one.
func (r *Reader) addMetadata(text, key, value string) (have string, ok bool) {
	base, _ := tidy(text)
	of, known := r.metadata[base]
	if !known {
		of.key = paramUnit
	}
	if have, found := of.all.Get(key); found {
		return have, have == value
	}
	if max := r.limits.MaxParams; len(of.all) >= max {
		r.err = r.fatal(message.Limit("MaxParams", int64(max), "metadata of one unit"), format.ErrLimit)
		return value, true
	}
	r.hold(metadataBytes + int64(len(text)+len(base)+len(key)+len(value)))
	if r.metadata == nil {
		r.metadata = make(map[string]metadata)
	}
	of.add(key, value)
	r.metadata[base] = of
	r.found = append(r.found, UnitMetadata{Unit: text, Key: key, Value: value, Position: format.Position{Offset: r.at.offset, Line: r.at.line, Column: 1}})
	// What is known of units may be something else now.
	r.units, r.unitBytes = nil, 0
	clear(r.result.values[:cap(r.result.values)])
	r.result.values = r.result.values[:0]
	return value, true
}

// metadata is what is known of a unit, however it is spelled.
type metadata struct {
	all   traceid.Params
	attrs traceid.Params // all but param; shared by all spellings, of which one line can have very many
	key   string         // of the param in which records have the unit
}

func (m *metadata) add(key, value string) {
	added := traceid.Params{{Key: key, Value: value}}
	shared := len(m.attrs) == len(m.all)
	m.all = traceid.Merge(m.all, added)
	switch {
	case key == metadataParam:
		m.key = value
	case shared:
		m.attrs = m.all
	default:
		m.attrs = traceid.Merge(m.attrs, added)
	}
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
