package benchfmt

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// units has the units of a Reader and their metadata.
type units struct {
	metadata map[string]traceid.Params // by base unit: all spellings of the unit share it
	lines    []UnitMetadata            // the same, in the order of the file

	// The Unit line that is being read. It can have very many faults, so it is read up to one at a time.
	line   []byte // nil without one
	next   int    // the first unread byte of it
	ofLine string // its unit

	known  map[string]*unit // by text: a cache
	tidied bool             // values are converted to base units; as for the units in known
}

// A unit has the data that all values of one unit share.
type unit struct {
	text   string  // as spelled in the file
	base   string  // as tidy returns it
	param  string  // as spelled in records
	key    string  // of the param that holds it; empty for none
	factor float64 // from values in the file to values in records
	attrs  traceid.Params
	better format.Direction
	usual  bool // the unit is in the param unit, and has no attrs

	inResults bool // a validator has seen it

	low, high         uint64 // the first 16 bytes of text, as integers
	lowMask, highMask uint64 // their significant bits
}

// Names of an attr and of unit metadata.
const (
	attrIterations = "iterations"
	metadataParam  = "param" // the metadata that names the param in which records have the unit
)

// maxUnits is the number of units that units.known has at most. Files have a few units, all of them
// short; one that is longer than longName is not remembered.
const maxUnits = 1000

// find returns the unit whose text begins at byte i and ends with the line.
func (of *units) find(in *input, line []byte, i int) (*unit, *format.Error) {
	text := line[i:]
	if u := of.known[string(text)]; u != nil {
		return u, nil
	}
	if !utf8.Valid(text) {
		return nil, in.failUTF8(line)
	}

	u := of.make(string(text))
	if len(text) <= longName {
		if of.known == nil || len(of.known) >= maxUnits {
			of.known = make(map[string]*unit)
		}
		of.known[u.text] = u
	}
	return u, nil
}

// make returns a unit that is not in the cache.
func (of *units) make(text string) *unit {
	u := &unit{text: text, param: text, key: goname.Unit, factor: 1}
	base, factor := tidy(text)
	u.base = base
	if of.tidied {
		u.param, u.factor = base, factor
	}
	u.attrs = of.metadata[base]
	switch better, _ := u.attrs.Get("better"); better {
	case "lower":
		u.better = format.Lower
	case "higher":
		u.better = format.Higher
	}
	if i, ok := u.attrs.Find(metadataParam); ok {
		u.key, u.attrs = u.attrs[i].Value, slices.Delete(u.attrs.Clone(), i, i+1)
	}
	var word [16]byte
	n := copy(word[:], text)
	u.low, u.high = binary.LittleEndian.Uint64(word[:]), binary.LittleEndian.Uint64(word[8:])
	u.lowMask = ^uint64(0) >> (64 - 8*min(n, 8))
	u.highMask = ^uint64(0) >> (64 - 8*max(n-8, 0))
	u.usual = u.key == goname.Unit && len(u.attrs) == 0
	return u
}

// addMetadata sets the metadata key of the Unit line's unit to value. If it has another value already,
// addMetadata returns that value and false.
func (of *units) addMetadata(in *input, key, value string) (have string, ok bool) {
	base, _ := tidy(of.ofLine)
	all := of.metadata[base]
	if have, found := all.Get(key); found {
		return have, have == value
	}
	if max := in.limits.MaxParams; len(all) >= max {
		in.err = in.fatal(message.Limit("MaxParams", int64(max), "metadata of one unit"), format.ErrLimit)
		return value, true
	}

	in.keep(metadataBytes + int64(len(of.ofLine)+len(base)+len(key)+len(value)))
	if of.metadata == nil {
		of.metadata = make(map[string]traceid.Params)
	}
	of.metadata[base] = traceid.Merge(all, traceid.Of(key, value))
	of.lines = append(of.lines, UnitMetadata{
		Unit: of.ofLine, Key: key, Value: value,
		Position: format.Position{Offset: in.at.offset, Line: in.at.line, Column: 1},
	})

	return value, true
}

// metadataBytes is roughly the memory that one unit's metadata takes in addition to its text.
const metadataBytes = 200

// tidy returns the base unit of a unit, and the factor that converts its values: ns becomes sec,
// and MB becomes B, unless they are in the denominator. It gives the same result as
// benchunit.Tidy, which caches every unit forever, in memory shared by the whole process: an
// upload could fill it. Package unit knows more units, and would change the text of units such as
// µs/op, which the reference leaves alone.
func tidy(unit string) (base string, factor float64) {
	factor = 1
	if !strings.Contains(unit, "ns") && !strings.Contains(unit, "MB") {
		return unit, factor
	}

	denominator := false
	start := 0 // of the current word
	var b strings.Builder
	for i, c := range unit + "*" {
		if c != '*' && c != '/' && c != '-' && !unicode.IsSpace(c) {
			continue
		}
		switch w := unit[start:i]; {
		case w == "ns" && !denominator:
			factor /= 1e9
			b.WriteString("sec")
		case w == "MB" && !denominator:
			factor *= 1e6
			b.WriteString("B")
		default:
			b.WriteString(w)
		}

		b.WriteRune(c)
		start = i + utf8.RuneLen(c)
		denominator = c == '/' || denominator && c != '*'
	}
	return strings.TrimSuffix(b.String(), "*"), factor
}
