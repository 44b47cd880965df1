package skiav1

import (
	"slices"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A layout has the params of a result's measurements, and knows where the result's texts are
// among them. It is made again only for other keys. Otherwise results that match no earlier one
// would take 23% more instructions.
type layout struct {
	base  traceid.Params // the file's key overlaid with the result's pairs
	slots []int          // for each of the result's pairs, its index in base

	// A result usually has one group: then base also has the param that the group names. Making
	// these params for each result would take 16% more instructions.
	grouped bool
	group   string
	at      int // index of the param in base; -1 if the result has no groups

	meaning skiadoc.Meaning // of base
	ids     delta.Layout    // of base, if the result has at most one group
}

// make makes the layout of a result. The key is the file's, and must be the one of the last make or
// setKey.
func (l *layout) make(key traceid.Params, res *result, scratch *[]traceid.Param) {
	grouped, group := len(res.groups) == 1, ""
	if grouped {
		group = res.groups[0].name
	}
	if l.grouped == grouped && l.group == group && len(res.pairs) > 0 && l.reorder(res.pairs) {
		l.update(res)
		return
	}

	// Other keys.
	l.grouped, l.group = grouped, group
	sorted := append((*scratch)[:0], res.pairs...)
	*scratch = sorted
	slices.SortFunc(sorted, compareKeys)
	l.base = slices.Grow(l.base[:0], len(key)+len(sorted)+1)
	l.base = traceid.AppendMerge(l.base, key, sorted)
	l.at = -1
	if grouped {
		at, overrides := l.base.Find(group)
		if !overrides {
			l.base = slices.Insert(l.base, at, traceid.Param{Key: group})
		}
		l.at = at
	}
	l.meaning = skiadoc.MeaningOf(l.base)

	l.slots = l.slots[:0]
	for _, p := range res.pairs {
		i, _ := l.base.Find(p.Key)
		l.slots = append(l.slots, i)
	}
}

// setKey gives the params the values of another file's key, which has the same keys as the last one.
// The values of results that override it come with the next update.
func (l *layout) setKey(key traceid.Params) {
	i := 0
	for _, p := range key {
		for i < len(l.base) && l.base[i].Key != p.Key {
			i++
		}
		if i < len(l.base) {
			l.base[i].Value = p.Value
		}
	}
}

// update gives the params the values of a result with the same keys.
func (l *layout) update(res *result) {
	base, pairs := l.base, res.pairs
	for i, slot := range l.slots[:len(pairs)] {
		base[slot].Value = pairs[i].Value
	}
}

// reorder reports whether the pairs have the keys that the slots were made for, in any order, and
// puts the slots in the order of the pairs.
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
	files int          // number of headers that were read
	links format.Links // the file's

	record format.Record
	params traceid.Params   // of the record, if it is part of one of several groups
	ids    delta.Layout     // of params
	merged format.Links     // of the record, if it has links of its own
	sorted []traceid.Param  // these links, and pairs of a result
	room   [8]traceid.Param // for sorted
}

// yield yields the records and errors of a result. It returns false if the iteration is to stop.
func (c *recorder) yield(res *result, l *layout, yield func(*format.Record, error) bool) bool {
	if res.fault != nil {
		return yield(nil, res.fault)
	}

	c.record.Source = l.ids.Source(l.base)
	l.meaning.Set(&c.record, l.base)
	if len(res.groups) == 0 {
		return c.yieldOne(l.base, &res.single, nil, yield)
	}
	if res.single.problem != nil && !yield(nil, res.single.problem) {
		return false
	}

	items, links := res.items, res.links
	for i := range res.groups {
		g, params, at := &res.groups[i], l.base, l.at
		if !l.grouped {
			params, at = c.layOut(l.base, g.name)
			c.record.Source = c.ids.Source(params)
		}

		param := &params[at]
		own := items[:g.items]
		items = items[g.items:]

		for j := range own {
			m := &own[j]
			param.Value = m.value
			if m.problem != nil || m.links > 0 || g.means {
				if g.means {
					meaning := skiadoc.MeaningOf(params)
					meaning.Set(&c.record, params)
				}

				if !c.yieldOne(params, m, links, yield) {
					return false
				}
				links = links[m.links:]
			} else if c.set(params, m); !yield(&c.record, nil) {
				return false
			}
		}
		if g.means {
			l.meaning.Set(&c.record, l.base)
		}
	}
	return true
}

// layOut returns the params of one of several groups: base overlaid with the param that it names,
// which is at the index.
func (c *recorder) layOut(base traceid.Params, group string) (params traceid.Params, at int) {
	at, overrides := base.Find(group)
	c.params = append(c.params[:0], base...)
	if !overrides {
		c.params = slices.Insert(c.params, at, traceid.Param{Key: group})
	}
	return c.params, at
}

// yieldOne yields the record of a measurement, or its problem. Its own links are the first ones.
func (c *recorder) yieldOne(
	params traceid.Params, m *measurement, links []traceid.Param, yield func(*format.Record, error) bool,
) bool {
	if m.problem != nil {
		return yield(nil, m.problem)
	}
	c.set(params, m)
	if m.links > 0 {
		c.sorted = append(c.sorted[:0], links[:m.links]...)
		slices.SortFunc(c.sorted, compareKeys)
		c.merged = traceid.AppendMerge(c.merged[:0], c.links, c.sorted)
		c.record.Links = c.merged
	}
	return yield(&c.record, nil)
}

// set sets the record of a measurement without links of its own.
func (c *recorder) set(params traceid.Params, m *measurement) {
	rec := &c.record
	rec.Params, rec.Value, rec.Offset = params, m.number, m.offset
	rec.Attrs, rec.Links = nil, c.links
}
