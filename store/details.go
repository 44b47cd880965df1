package store

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/delta"
	"perfdata/series"
	"perfdata/traceid"
)

// The details of a measurement are the sets that it has beside its series and value: links, attrs,
// and the params that are not part of the identity. Measurements of a file that have the same
// details share them. In Go benchmarks each line has its own, the iterations: a row of the database
// for each of them made storing take 41% more CPU time than without details and offsets. A row is a
// pack of 16 details, and that is 17%, of which the details are 7. (8 MB with 129,000 lines of one
// value each, in a new database of SQLite; with three values a line, 10%.)
//
// A pack is a text with a line for each details. A line is the three sets as JSON, each empty if the
// set is, with tabs between them. JSON has neither line ends nor tabs in its strings.
//
// Details are numbered from packSize on: number / packSize is the pack, and the rest the line.
const packSize = 16

// A detailsKey is a row of details.
type detailsKey struct{ source, id int64 }

// keys is what the checksum of a row covers besides the pack.
func (k detailsKey) keys() [4]int64 { return [4]int64{k.source, k.id} }

// detailsKeyOf returns the row that has the details of a measurement. There is none for the
// number 0.
func detailsKeyOf(source, number int64) detailsKey {
	return detailsKey{source, number / packSize}
}

// textsOf returns the details with a number in a pack.
func textsOf(pack string, number int64) detailTexts {
	line := pack
	for range number % packSize {
		_, line, _ = strings.Cut(line, "\n")
	}
	line, _, _ = strings.Cut(line, "\n")
	links, rest, _ := strings.Cut(line, "\t")
	attrs, params, _ := strings.Cut(rest, "\t")
	return detailTexts{links, attrs, params}
}

const selectDetails = "SELECT d.source_id, d.id, d.pack FROM details d"

// A detailsRow is a row of selectDetails.
type detailsRow struct {
	detailsKey
	pack sql.RawBytes
}

func (r *detailsRow) dest() []any { return []any{&r.source, &r.id, &r.pack} }

// text returns the pack without its checksum.
func (r *detailsRow) text() (string, error) {
	text, err := unseal(r.pack, r.keys())
	return string(text), err
}

// loadDetails sets the details of rows with extras.
func (v *viewer) loadDetails(traces []traceRows) error {
	loaded := make(map[detailsKey]string)
	var keys []detailsKey
	for _, t := range traces {
		for i := range t.rows {
			m := &t.rows[i]
			key := detailsKeyOf(m.source, m.number)
			if _, ok := loaded[key]; !ok && m.number != 0 {
				loaded[key] = ""
				keys = append(keys, key)
			}
		}
	}
	for some := range slices.Chunk(keys, maxParamList) {
		if err := v.readDetails(some, loaded); err != nil {
			return err
		}
	}

	for _, t := range traces {
		for i := range t.rows {
			m := &t.rows[i]
			if m.number != 0 {
				m.details = textsOf(loaded[detailsKeyOf(m.source, m.number)], m.number)
			}
		}
	}
	return nil
}

// readDetails adds some rows of details.
func (v *viewer) readDetails(keys []detailsKey, loaded map[detailsKey]string) error {
	var args []any
	query := selectDetails + " WHERE " + v.db.inPairs("(d.source_id, d.id)", keys, &args)
	var r detailsRow
	n := 0
	for err := range v.rows(query, args, r.dest()...) {
		if err == nil {
			n++
			loaded[r.detailsKey], err = r.text()
		}
		if err != nil {
			return err
		}
	}
	if n < len(keys) {
		return errLost("a row of details")
	}
	return nil
}

// A detailTexts is details as JSON. Each text is empty if the set is.
type detailTexts struct{ links, attrs, params string }

// A details numbers the details of a file, and packs them.
type details struct {
	count uint64         // the last number, less packSize - 1
	cache []cachedLine   // by the hash of the line
	pack  []byte         // the current one; empty before the first details
	rest  traceid.Params // of the current record
	line  []byte         // of the current record

	// Those of the last record, and their number.
	lastLinks           format.Links
	lastAttrs, lastRest traceid.Params
	last                uint64
}

// append appends the number of a point's details, which is 0 if all sets are empty. If the number
// begins a pack, the previous pack follows.
func (d *details) append(dst []byte, at *series.Point) []byte {
	rec := at.Record
	d.rest = appendRest(d.rest[:0], rec.Params, at.Identity)
	if len(rec.Links)+len(rec.Attrs)+len(d.rest) == 0 {
		return append(dst, 0)
	}
	if d.last != 0 && isSame(rec.Links, d.lastLinks) && isSame(rec.Attrs, d.lastAttrs) && isSame(d.rest, d.lastRest) {
		return binary.AppendUvarint(dst, d.last)
	}

	d.line = appendSet(d.line[:0], rec.Links)
	d.line = appendSet(append(d.line, '\t'), rec.Attrs)
	d.line = appendSet(append(d.line, '\t'), d.rest)
	number, isNew := d.number(d.line)
	d.last = number
	d.lastLinks = append(d.lastLinks[:0], rec.Links...)
	d.lastAttrs = append(d.lastAttrs[:0], rec.Attrs...)
	d.lastRest = append(d.lastRest[:0], d.rest...)

	dst = binary.AppendUvarint(dst, number)
	if isNew {
		if number%packSize == 0 {
			if number > packSize {
				dst = appendText(dst, d.pack)
			}
			d.pack = d.pack[:0]
		}
		d.pack = append(append(d.pack, d.line...), '\n')
	}
	return dst
}

// A cachedLine is a line of a pack with its number.
type cachedLine struct {
	line   []byte
	number uint64
}

// maxDetails is the number of lines that a details remembers. A line that it forgot gets another
// number, and takes space twice. A map of strings in place of the cache takes 4% more CPU time for
// the file of packSize.
const maxDetails = 1024

// number returns the number of a line, and whether it is new.
func (d *details) number(line []byte) (n uint64, isNew bool) {
	if d.cache == nil {
		d.cache = make([]cachedLine, maxDetails)
	}
	slot := &d.cache[crc32.ChecksumIEEE(line)%maxDetails]
	if slot.number != 0 && bytes.Equal(slot.line, line) {
		return slot.number, false
	}
	d.count++
	slot.line, slot.number = append(slot.line[:0], line...), packSize-1+d.count
	return slot.number, true
}

// appendSet appends a set as JSON, or nothing if it is empty.
func appendSet(dst []byte, set traceid.Params) []byte {
	if len(set) == 0 {
		return dst
	}
	return chars.AppendJSONObject(dst, set.All())
}

// isSame reports whether two sets are equal.
func isSame(p, q traceid.Params) bool {
	return len(p) == len(q) && (delta.SameParams(p, q) || p.Equal(q))
}

// appendRest appends the params that are not part of the identity.
func appendRest(dst, params, identity traceid.Params) traceid.Params {
	if len(params) == len(identity) {
		return dst
	}
	for _, p := range params {
		if len(identity) > 0 && delta.SameText(p.Key, identity[0].Key) {
			identity = identity[1:]
		} else {
			dst = append(dst, p)
		}
	}
	return dst
}

// An interner has the sets of pairs that texts are. Many of them are the same.
type interner map[string]traceid.Params

// parse returns the set that a text is as JSON. The text may be empty. Others may have the same set,
// so it must not be changed.
func (s interner) parse(text string) (traceid.Params, error) {
	if text == "" {
		return nil, nil
	}
	if set, ok := s[text]; ok {
		return set, nil
	}
	var set traceid.Params
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		return nil, err
	}
	s[text] = set
	return set, nil
}
