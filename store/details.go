package store

import (
	"encoding/binary"
	"encoding/json"
	"strings"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/series"
	"perfdata/traceid"
)

// The details of a measurement are the sets that it has beside its series and value. Many
// measurements of a file have the same, so the database has each once a file.

// A detailTexts is details as JSON. Each text is empty if the set is.
type detailTexts struct{ links, attrs, params string }

// A details numbers the details of a file, from 1.
type details struct {
	dictionary
	rest traceid.Params // of the current record

	// Those of the last record, and their number.
	lastLinks           format.Links
	lastAttrs, lastRest traceid.Params
	last                uint64
}

// append appends the number of a point's details, which is 0 if all sets are empty. If the number
// is new, the texts follow.
func (d *details) append(dst []byte, at *series.Point) ([]byte, error) {
	rec := at.Record
	d.rest = appendRest(d.rest[:0], rec.Params, at.Identity)
	if len(rec.Links)+len(rec.Attrs)+len(d.rest) == 0 {
		return append(dst, 0), nil
	}
	if d.last != 0 && isSame(rec.Links, d.lastLinks) && isSame(rec.Attrs, d.lastAttrs) && isSame(d.rest, d.lastRest) {
		return binary.AppendUvarint(dst, d.last), nil
	}

	var texts [3]string
	for i, set := range []traceid.Params{rec.Links, rec.Attrs, d.rest} {
		if len(set) == 0 {
			continue
		}
		text, err := set.MarshalJSON()
		if err != nil {
			return dst, err
		}
		texts[i] = string(text)
	}
	id, isNew := d.number(strings.Join(texts[:], "\x00"))
	d.last = id
	d.lastLinks = append(d.lastLinks[:0], rec.Links...)
	d.lastAttrs = append(d.lastAttrs[:0], rec.Attrs...)
	d.lastRest = append(d.lastRest[:0], d.rest...)
	dst = binary.AppendUvarint(dst, id)
	if isNew {
		for _, text := range texts {
			dst = appendText(dst, text)
		}
	}
	return dst, nil
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

// A sets reads sets of pairs, of which many are the same.
type sets map[string]traceid.Params

// parse returns the set that a text is as JSON. The text may be empty. Others may have the same set,
// so it must not be changed.
func (s sets) parse(text string) (traceid.Params, error) {
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
