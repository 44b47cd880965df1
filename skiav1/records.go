package skiav1

import (
	"slices"

	"perfdata/format"
	"perfdata/traceid"
)

// A layout has the params of a result's measurements, and knows where the result's texts are among them. It is made
// anew only where the keys differ from those before, which takes more than setting values: results whose texts
// match none before take 17% more instructions without that.
type layout struct {
	base   traceid.Params // the file's key overlaid with the result's pairs
	slots  []int          // for each of the result's pairs, its index in base
	places []place        // for each of the result's groups
}

// A place is where the param that a group names goes among those of base: between base[:at] and base[rest:].
type place struct{ at, rest int }

// make makes the layout of a result. The key is the file's, and must always be the same.
func (l *layout) make(key traceid.Params, res *result) {
	if len(res.pairs) == 0 || !l.reorder(res.pairs) {
		sorted := slices.Clone(res.pairs)
		slices.SortFunc(sorted, compareKeys)
		l.base = traceid.AppendMerge(l.base[:0], key, sorted)
		l.slots = l.slots[:0]
		for _, p := range res.pairs {
			i, _ := l.base.Find(p.Key)
			l.slots = append(l.slots, i)
		}
	}
	l.update(res)

	l.places = l.places[:0]
	for i := range res.groups {
		at, overrides := l.base.Find(res.groups[i].name)
		rest := at
		if overrides {
			rest++
		}
		l.places = append(l.places, place{at, rest})
	}
}

// update gives the params the values of a result with the same keys.
func (l *layout) update(res *result) {
	for i := range res.pairs {
		l.base[l.slots[i]].Value = res.pairs[i].Value
	}
}

// reorder reports whether the pairs have the keys that the slots were made for, in any order, and puts the slots in the
// order of the pairs.
func (l *layout) reorder(pairs []traceid.Param) bool {
	if len(pairs) != len(l.slots) || len(pairs) > 16 {
		return false // or it would take longer than to sort them
	}
	for i := range pairs {
		j := i
		for l.base[l.slots[j]].Key != pairs[i].Key {
			if j++; j == len(l.slots) {
				return false
			}
		}
		l.slots[i], l.slots[j] = l.slots[j], l.slots[i]
	}
	return true
}

// A recorder makes the records of results.
type recorder struct {
	links format.Links // the file's

	record format.Record
	params traceid.Params  // of the record, if it is part of a group
	merged format.Links    // of the record, if it has links of its own
	sorted []traceid.Param // these links
}

// yield yields the records and errors of a result. It returns false if the iteration is to stop.
func (c *recorder) yield(res *result, l *layout, yield func(*format.Record, error) bool) bool {
	if res.fault != nil {
		return yield(nil, res.fault)
	}
	if len(res.groups) == 0 {
		return c.yieldOne(l.base, &res.single, nil, yield)
	}
	if res.single.problem != nil && !yield(nil, res.single.problem) {
		return false
	}

	items, links := res.items, res.links
	for i := range res.groups {
		g, p := &res.groups[i], l.places[i]
		c.params = append(append(c.params[:0], l.base[:p.at]...), traceid.Param{Key: g.name})
		c.params = append(c.params, l.base[p.rest:]...)
		for j := range items[:g.items] {
			m := &items[j]
			c.params[p.at].Value = m.value
			if !c.yieldOne(c.params, m, links[:m.links], yield) {
				return false
			}
			links = links[m.links:]
		}
		items = items[g.items:]
	}
	return true
}

// yieldOne yields the record of a measurement, which has links of its own, or its problem.
func (c *recorder) yieldOne(params traceid.Params, m *measurement, links []traceid.Param, yield func(*format.Record, error) bool) bool {
	if m.problem != nil {
		return yield(nil, m.problem)
	}
	rec := &c.record
	rec.Params, rec.Value, rec.Offset = params, m.number, m.offset
	rec.Attrs, rec.Links = nil, c.links
	if len(links) > 0 {
		c.sorted = append(c.sorted[:0], links...)
		slices.SortFunc(c.sorted, compareKeys)
		c.merged = traceid.AppendMerge(c.merged[:0], c.links, c.sorted)
		rec.Links = c.merged
	}
	return yield(rec, nil)
}
