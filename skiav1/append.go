package skiav1

import (
	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/number"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// This file makes the text of a file. A record is held until the next one is known: if that
// differs from it in one param, both become items of one result.

// An openResult is what the Writer must finish before it can begin another result.
type openResult struct {
	state  state
	value  float64      // of the record that is held
	linked bool         // the last record has links that differ from the header's
	varies int          // the group's param: an index in params.Last
	size   int          // of the record's or the group's result, as a reader counts it
	links  format.Links // scratch
}

// A state says which part of the file is open.
type state int

const (
	idle    state = iota
	held          // the last record is not written yet: the next may differ from it in one param
	grouped       // a group is open: an array in "measurements"
)

// join reports whether the record joins the open group, or makes a group with the held record,
// which join then begins.
func (w *Writer) join(rec *format.Record) bool {
	// A result to which records are joined is small, so that reading it takes little memory.
	const maxGroupBytes = 1 << 20
	i, ok := w.params.Only()
	switch w.open.state {
	case idle:
		return false
	case grouped:
		ok = ok && i == w.open.varies || w.params.Same()
		i = w.open.varies
	}
	if !ok {
		return false
	}
	w.open.size += w.itemSize(rec.Params[i].Value, rec.Links)
	if int64(w.open.size) > min(maxGroupBytes, w.limits.MaxResultBytes) {
		return false
	}
	if w.open.state == held {
		w.beginGroup(i)
	}
	w.out.Bytes = append(w.out.Bytes, ',')
	return true
}

// accept makes the record the last one.
func (w *Writer) accept(rec *format.Record, linked bool) {
	moved := w.params.Rekeyed
	for _, c := range w.params.Changed {
		moved = moved || w.given[c.Index]
	}
	w.params.Accept(rec.Params)
	if !w.links.Same() {
		w.links.Accept(rec.Links)
	}
	w.open.linked = linked
	if !moved {
		return
	}

	// Find the params that the header does not give. The record has all keys of the header.
	w.own, w.given = w.own[:0], w.given[:0]
	given := w.header.Key
	for i := range w.params.Last {
		p := &w.params.Last[i]
		has := len(given) > 0 && delta.SameText(given[0].Key, p.Key)
		if !has || !delta.SameText(given[0].Value, p.Value) {
			w.own = append(w.own, i)
		}
		if w.given = append(w.given, has); has {
			given = given[1:]
		}
	}
}

// endResult writes the record that is held, or closes the open group.
func (w *Writer) endResult() {
	if w.open.state == held && w.open.linked {
		// Only items of "measurements" can have links. Any param can be the one that varies.
		w.beginGroup(len(w.params.Last) - 1)
	}
	switch w.open.state {
	case held:
		w.beginResult(-1)
		w.out.Bytes = append(w.out.Bytes, `,"measurement":`...)
		w.out.Bytes = append(number.AppendShortest(w.out.Bytes, w.open.value), '}')
	case grouped:
		w.out.Bytes = append(w.out.Bytes, "]}}"...)
	}
	w.open.state = idle
}

// beginGroup begins a result with "measurements" in which the param at index i varies. Its first
// item is the held record.
func (w *Writer) beginGroup(i int) {
	w.open.varies = i
	w.beginResult(i)
	p := &w.params.Last[i]
	w.out.Bytes = append(w.out.Bytes, `,"measurements":{`...)
	w.out.Bytes = append(w.texts.AppendString(w.out.Bytes, p.Key), `:[`...)
	w.appendSingle(p.Value, w.open.value, w.links.Last, w.open.linked)
	w.open.state = grouped
}

// beginResult appends a result up to its key. The key has the params of the last record, except
// the one at index without and the params that the header gives.
func (w *Writer) beginResult(without int) {
	b := w.out.Bytes
	if w.results > 0 {
		b = append(b, ',')
	}
	w.results++

	b = append(b, "\n{\"key\":{"...)
	for _, i := range w.own {
		if i != without {
			b = w.texts.AppendPair(b, &w.params.Last[i])
		}
	}
	w.out.Bytes = skiadoc.EndPairs(b)
}

// appendSingle appends a record as an item of the open group. If it is linked, it has links of its
// own.
func (w *Writer) appendSingle(value string, measurement float64, links format.Links, linked bool) {
	b := w.texts.AppendString(append(w.out.Bytes, `{"value":`...), value)
	b = number.AppendShortest(append(b, `,"measurement":`...), measurement)
	if linked {
		own := w.open.links[:0]
		for _, link := range links {
			if w.isOwn(link) {
				own = append(own, link)
			}
		}
		w.open.links = own
		b = w.texts.AppendPairs(append(b, `,"links":`...), own)
	}
	w.out.Bytes = append(b, '}')
}

// isOwn reports whether a link differs from the header's links.
func (w *Writer) isOwn(link traceid.Param) bool {
	url, ok := w.header.Links.Get(link.Key)
	return !ok || url != link.Value
}
