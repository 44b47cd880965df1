package store

import (
	"bytes"
	"context"
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

// The annotations of a measurement are the sets that it has beside its series and value: links,
// attrs, and the params that are not part of the identity. Measurements of a file that have the
// same annotations share them. In Go benchmarks each line has its own, the iterations: a row of
// the database for each of them made storing take 41% more CPU time than without annotations and
// offsets. A row has those of 16 measurements, and that is 17%, of which the annotations are 7. (8
// MB with 129,000 lines of one value each, in a new database of SQLite; with three values a line,
// 10%.)
//
// A row is a text with a line for each measurement. A line is the three sets as JSON, each empty
// if the set is, with tabs between them. JSON has neither line ends nor tabs in its strings.
//
// Lines are numbered from annotationsPerRow on: number / annotationsPerRow is the row, and the
// rest the line.
const annotationsPerRow = 16

// An annotationsKey is a row of annotations.
type annotationsKey struct{ source, id int64 }

// keys returns the columns that the checksum of a row covers in addition to its texts.
func (k annotationsKey) keys() [4]int64 { return [4]int64{k.source, k.id} }

// annotationsKeyOf returns the row that has the annotations of a measurement. There is none for
// the number 0.
func annotationsKeyOf(source, number int64) annotationsKey {
	return annotationsKey{source, number / annotationsPerRow}
}

// eachAnnotations calls do for the rows of annotations that a condition selects, with their texts.
func eachAnnotations(
	ctx context.Context, q querier, where string, args []any, do func(key annotationsKey, texts string),
) error {
	var key annotationsKey
	var sealed sql.RawBytes
	query := "SELECT source_id, id, texts FROM annotations WHERE " + where
	return eachRow(ctx, q, query, args, []any{&key.source, &key.id, &sealed}, func() error {
		texts, err := unseal(sealed, key.keys())
		if err == nil {
			do(key, string(texts))
		}
		return err
	})
}

// loadAnnotations loads the rows of annotations of traces.
func (v *viewer) loadAnnotations(traces []traceRows) error {
	loaded := make(map[annotationsKey]string)
	v.parsed = annotationSets{rows: loaded, sets: make(map[string]traceid.Params)}

	var keys []annotationsKey
	for _, t := range traces {
		for i := range t.rows {
			m := &t.rows[i]
			key := annotationsKeyOf(m.source, m.annotations)
			if _, ok := loaded[key]; !ok && m.annotations != 0 {
				loaded[key] = ""
				keys = append(keys, key)
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}

	n := 0
	where, args := v.db.inPairs("(source_id, id)", keys)
	err := eachAnnotations(v.ctx, v.tx, where, args, func(key annotationsKey, texts string) {
		n++
		loaded[key] = texts
	})
	if err == nil && n < len(keys) {
		err = errLost("a row of annotations")
	}
	return err
}

// An annotationInterner numbers the annotations of a file, and puts them in rows.
type annotationInterner struct {
	count uint64         // the last number, less annotationsPerRow - 1
	row   []byte         // the current one; empty before the first annotations
	rest  traceid.Params // of the current record
	line  []byte         // of the current record

	cache []struct { // by the hash of the line
		line   []byte
		number uint64
	}

	// The sets of the last record, and their number. Before the first record, all sets are empty.
	lastSets [3]traceid.Params
	last     uint64
}

// maxAnnotations is the number of lines that an interner remembers. A line that it forgot gets
// another number, and takes space twice. A map of strings in place of the cache takes 4% more CPU
// time for the file of annotationsPerRow.
const maxAnnotations = 1024

// append appends the number of a point's annotations, which is 0 if all sets are empty. If the
// number begins a row, the previous row follows.
func (d *annotationInterner) append(dst []byte, at *series.Point) []byte {
	rec := at.Record
	d.rest = appendRest(d.rest[:0], rec.Params, at.Identity)
	if len(rec.Links)+len(rec.Attrs)+len(d.rest) == 0 {
		return append(dst, 0)
	}
	last := &d.lastSets
	if isSame(rec.Links, last[0]) && isSame(rec.Attrs, last[1]) && isSame(d.rest, last[2]) {
		return binary.AppendUvarint(dst, d.last)
	}

	d.line = d.line[:0]
	for i, set := range [...]traceid.Params{rec.Links, rec.Attrs, d.rest} {
		if len(set) > 0 {
			d.line = chars.AppendJSONObject(d.line, set.All())
		}
		d.line = append(d.line, '\t')
		last[i] = append(last[i][:0], set...)
	}
	d.line[len(d.line)-1] = '\n'

	d.cache = slices.Grow(d.cache[:0], maxAnnotations)[:maxAnnotations]
	slot := &d.cache[crc32.ChecksumIEEE(d.line)%maxAnnotations]
	if slot.number != 0 && bytes.Equal(slot.line, d.line) {
		d.last = slot.number
		return binary.AppendUvarint(dst, d.last)
	}
	d.count++
	d.last = annotationsPerRow - 1 + d.count
	slot.line, slot.number = append(slot.line[:0], d.line...), d.last

	dst = binary.AppendUvarint(dst, d.last)
	if d.last%annotationsPerRow == 0 {
		if d.last > annotationsPerRow {
			dst = appendText(dst, d.row)
		}
		d.row = d.row[:0]
	}
	d.row = append(d.row, d.line...)
	return dst
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

// An annotationSets has rows of annotations, and the sets that texts in them are. Many of these
// are the same.
type annotationSets struct {
	rows map[annotationsKey]string
	sets map[string]traceid.Params
}

// texts returns the links, attrs, and other params of a measurement as JSON. Each text is empty if
// the set is.
func (s *annotationSets) texts(m *measurement) (texts [3]string) {
	if m.annotations == 0 {
		return texts
	}
	line := s.rows[annotationsKeyOf(m.source, m.annotations)]
	for range m.annotations % annotationsPerRow {
		_, line, _ = strings.Cut(line, "\n")
	}
	line, _, _ = strings.Cut(line, "\n")
	for i := range texts {
		texts[i], line, _ = strings.Cut(line, "\t")
	}
	return texts
}

// into parses the annotations of a measurement: its links, its attrs, and the params that are not
// part of the identity, which it returns. Others may have the same sets, so they must not be
// changed.
func (s *annotationSets) into(
	m *measurement, links *format.Links, attrs *traceid.Params,
) (rest traceid.Params, err error) {
	if *links, *attrs = nil, nil; m.annotations == 0 {
		return nil, nil // most have none: the loop took a tenth of a query for all values
	}
	sets := [...]*traceid.Params{links, attrs, &rest}
	for i, text := range s.texts(m) {
		if text == "" {
			continue
		}
		known, ok := s.sets[text]
		if !ok {
			var set traceid.Params // apart, because what Unmarshal gets is allocated
			if err := json.Unmarshal([]byte(text), &set); err != nil {
				return nil, err
			}
			s.sets[text], known = set, set
		}
		*sets[i] = known
	}
	return rest, nil
}
