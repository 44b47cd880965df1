package skiav1

import (
	"perfdata/format"
	"perfdata/traceid"
)

// resultParams returns the params of all measurements of the result.
func (r *Reader) resultParams() traceid.Params {
	if r.result.keyed {
		return r.result.base
	}
	return r.doc.Header.Key
}

// yieldResult yields the result's records and errors. It returns false if the iteration is to stop.
func (r *Reader) yieldResult(yield func(*format.Record, error) bool) bool {
	res := r.result
	if res.fault != nil {
		return yield(nil, res.fault)
	}
	base := r.resultParams()
	if len(res.groups) == 0 {
		return r.yieldSingle(yield, base, &res.single, nil)
	}
	if res.single.problem != nil && !yield(nil, res.single.problem) {
		return false
	}
	items, links := res.items, res.links
	for i := range res.groups {
		g := &res.groups[i]
		if g.items == 0 {
			continue
		}
		params := g.params
		if !res.laidOut {
			params = res.layOut(i, base)
		}
		for j := range items[:g.items] {
			m := &items[j]
			params[g.at].Value = m.value
			if !r.yieldSingle(yield, params, m, links[:m.links]) {
				return false
			}
			links = links[m.links:]
		}
		items = items[g.items:]
	}
	res.laidOut = len(res.groups) <= maxLaidOut
	return true
}

// maxLaidOut is how many groups keep the params of their records for the next result. For more, that would take too
// much memory.
const maxLaidOut = 4

// layOut returns the params of the i-th group's records, which the group keeps if it is one of few.
func (res *result) layOut(i int, base traceid.Params) traceid.Params {
	g := &res.groups[i]
	g.at, g.overrides = base.Find(g.name)
	rest := base[g.at:]
	if g.overrides {
		rest = rest[1:]
	}
	own := &g.params
	if len(res.groups) > maxLaidOut {
		own = &res.shared
	}
	*own = append((*own)[:0], base[:g.at]...)
	*own = append(*own, traceid.Param{Key: g.name})
	*own = append(*own, rest...)
	return *own
}

// setParam gives the param at index i of base, and of what was laid out from it, another value.
func (res *result) setParam(i int, value string) {
	res.base[i].Value = value
	if !res.laidOut {
		return
	}
	for j := range res.groups {
		g := &res.groups[j]
		switch {
		case g.items == 0:
		case i < g.at:
			g.params[i].Value = value
		case !g.overrides:
			g.params[i+1].Value = value
		case i > g.at:
			g.params[i].Value = value
		}
	}
}

func (r *Reader) yieldSingle(yield func(*format.Record, error) bool, params traceid.Params, m *single, links format.Links) bool {
	if m.problem != nil {
		return yield(nil, m.problem)
	}
	res := r.result
	rec := &res.record
	rec.Params, rec.Value, rec.Offset = params, m.number, m.offset
	rec.Attrs, rec.Links = nil, r.doc.Header.Links
	if len(links) > 0 {
		res.merged = traceid.AppendMerge(res.merged[:0], r.doc.Header.Links, links)
		rec.Links = res.merged
	}
	return yield(rec, nil)
}
