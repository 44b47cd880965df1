package skiav1

import (
	"slices"

	"perfdata/internal/jsonscan"
)

// This is the hot loop. The results of a file resemble each other: mostly, one differs from another before only in
// numbers and some strings. So the text of a result that was read becomes a template, and a result that matches it
// needs to be looked at only where it differs. Reading 100,000 results of four statistics takes 4,400 instructions
// a result that way, and 12,500 without, when they are indented; 4,100 and 10,200 when they are compact (callgrind,
// on what bench reads).

// A target is what is read from a place in a result.
type target struct {
	what  what
	index int // of the pair or item
	lead  int // in an item: the bytes from the item's beginning to it
}

type what byte

const (
	pairValue what = iota
	itemValue
	itemNumber
	singleNumber
)

// readResult reads the result ahead.
func (r *Reader) readResult() {
	s := r.doc.Scan
	offset := s.Offset()
	i, like, remember := r.ring.Match(s, func(i int) *jsonscan.Template { return &r.shapes[i].template })
	r.result = &r.shapes[i]
	if like && s.ChargeMatch(offset, r.result.charged) {
		r.readMatch(offset)
	} else {
		r.ring.Add(r.readNewResult(remember && !like))
	}
}

// readNewResult reads the result ahead, whatever it is like, and if it is to be remembered, makes a template of it. It
// returns whether it did: not every result can be one.
func (r *Reader) readNewResult(remember bool) bool {
	s, res := r.doc.Scan, r.result
	if cap(res.items) > maxItemsKept || cap(res.groups) > maxItemsKept {
		*res = result{}
	}
	res.targets = res.targets[:0]
	if !remember {
		res.template.Discard()
		r.readAnyResult()
		return false
	}
	before := s.Charged()
	s.Record(&res.template)
	r.readAnyResult()
	res.charged = s.Charged() - before
	if n := s.EndRecord(); n == 0 || n != len(res.targets) || res.fault != nil || !res.sound() {
		res.template.Discard() // there is something in it that isn't there in every result like it
		return false
	}
	for k := range res.targets {
		if to := &res.targets[k]; to.what == itemValue || to.what == itemNumber {
			to.lead = int(res.single.offset-res.items[to.index].offset) + res.template.HoleStart(k)
		}
	}
	return true
}

// addTarget adds a target for the string or number that was read just now. There are no more than a template has holes.
func (res *result) addTarget(to target) {
	if len(res.targets) < maxTargets {
		res.targets = append(res.targets, to)
	}
}

const maxTargets = 20_000

// maxItemsKept is how large the memory of a result may be to be used again. It is there jsonscan.RingSize times.
const maxItemsKept = 10_000

// sound reports whether all measurements have a number and no problem.
func (res *result) sound() bool {
	switch {
	case res.single.problem != nil:
		return false
	case len(res.groups) == 0:
		return res.single.has
	}
	return !slices.ContainsFunc(res.items, func(m single) bool { return !m.has || m.problem != nil })
}

// readMatch takes what the result that matched, which stands at the offset, has in the open places of r.result.
func (r *Reader) readMatch(offset int64) {
	res := r.result
	t := &res.template
	located := -1 // the last item whose offset is known
	for i := range t.Changes() {
		k, start := t.Hole(i)
		to := &res.targets[k]
		switch to.what {
		case pairValue:
			p := &res.pairs[to.index]
			if text := t.Text(i); p.Value != string(text) {
				p.Value = r.strings.String(text)
				res.setParam(res.slots[to.index], p.Value)
			}
			continue
		case singleNumber:
			res.single.number = t.Number(i)
			continue
		case itemNumber:
			res.items[to.index].number = t.Number(i)
		case itemValue:
			m := &res.items[to.index]
			if text := t.Text(i); m.value != string(text) {
				m.value = r.strings.String(text)
			}
		}
		if to.index != located {
			located = to.index
			res.items[located].offset = offset + int64(start-to.lead)
		}
	}
	res.single.offset = offset
}
