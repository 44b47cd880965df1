package skiav1

import (
	"errors"
	"fmt"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// This file says which records a Writer writes: valid records that are not too large for a
// reader.

// check returns why rec can't be written, or the hash of its trace.
func (w *Writer) check(rec *format.Record) (trace uint64, err error) {
	switch {
	case !skiadoc.InRange(rec.Value):
		return 0, skiadoc.CheckValue(rec.Value)
	case len(rec.Params) == 0:
		return 0, errors.New("no params")
	case len(rec.Attrs) > 0:
		return 0, fmt.Errorf("the format can't hold attrs, such as %q", rec.Attrs[0].Key)
	}

	if trace, err = w.params.CheckTrace(rec.Params, &w.limits); err != nil {
		return 0, fmt.Errorf("params: %w", err)
	}
	if w.params.Rekeyed {
		if err := w.checkKeys(rec.Params); err != nil {
			return 0, err
		}
	}
	if err := w.links.Check(rec.Links, &w.limits); err != nil {
		return 0, fmt.Errorf("links: %w", err)
	}
	if max := w.limits.MaxParams; w.links.Rekeyed && mergedLen(w.header.Links, rec.Links, max) > max {
		return 0, fmt.Errorf("links: more than %d, including the header's (Limits.MaxParams)", max)
	}

	max := w.limits.MaxResultBytes
	if int64(w.mostSize(rec)) > max && int64(writtenSize(rec)) > max {
		return 0, fmt.Errorf("too large: more than %d bytes (Limits.MaxResultBytes)", max)
	}
	return trace, nil
}

// checkKeys returns an error if the params lack a key of the header. Both are sorted.
func (w *Writer) checkKeys(params traceid.Params) error {
	given := w.header.Key
	for i := 0; i < len(params) && len(given) > 0; i++ {
		if delta.SameText(params[i].Key, given[0].Key) {
			given = given[1:]
		}
	}
	if len(given) > 0 {
		return fmt.Errorf("missing param %q, which the header's Key gives to every measurement", given[0].Key)
	}
	return nil
}

// mostSize returns an upper bound of what a result with only the record uses of MaxResultBytes.
// The record was checked last.
func (w *Writer) mostSize(rec *format.Record) int {
	return resultText + groupCost + w.params.MostSize(len(rec.Params), pairCost) + w.itemSize("", rec.Links)
}

// writtenSize returns a lower upper bound of the same, for rec.
func writtenSize(rec *format.Record) int {
	return resultText + groupCost + skiadoc.PairsSize(rec.Params, pairCost, skiadoc.WrittenLen) +
		itemText + itemCost + skiadoc.PairsSize(rec.Links, pairCost, skiadoc.WrittenLen)
}

// itemSize returns an upper bound of what an item of a group uses of MaxResultBytes: one with the
// value and the links, which were checked last.
func (w *Writer) itemSize(value string, links format.Links) int {
	return itemText + itemCost + skiadoc.MostLen(value) + w.links.MostSize(len(links), pairCost)
}

// What a result and an item take in the file, without keys, values and links.
const (
	resultText = len(`{"key":,"measurements":{"":[]}},`)
	itemText   = len(`{"value":"","measurement":,"links":},`) + skiadoc.MaxNumber
)
