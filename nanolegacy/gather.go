package nanolegacy

import (
	"iter"
	"slices"
)

// A gatherer keeps entries by test and configuration. Its zero value is empty.
type gatherer struct {
	tests []*testEntries
	index map[string]*testEntries
}

type testEntries struct {
	results []*resultEntries
	index   map[string]*resultEntries
	size    int // as a reader counts it
}

type resultEntries struct {
	entries []*entry // the first has the options of all
	members map[string]struct{}
}

// find returns the result that the entry belongs to, or nil if there is none yet.
func (g *gatherer) find(e *entry) *resultEntries {
	if t := g.index[e.test]; t != nil {
		return t.index[e.config]
	}
	return nil
}

// place returns the place of the entry, without its size.
func (g *gatherer) place(e *entry) place {
	p := place{tests: len(g.tests), configs: 1, members: 1, newResult: true}
	t := g.index[e.test]
	if t == nil {
		p.tests++
		return p
	}
	p.size, p.configs = t.size, len(t.results)
	if res := t.index[e.config]; res != nil {
		p.members, p.newResult = len(res.entries)+1, false
	} else {
		p.configs++
	}
	return p
}

// check returns why the entry can't be added, or nil.
func (g *gatherer) check(e *entry) error {
	res := g.find(e)
	if res == nil {
		return nil
	}
	_, again := res.members[e.member]
	return checkSameResult(again, e.options, res.entries[0].options)
}

// add adds a copy of the entry. The size is its test's, including the entry.
func (g *gatherer) add(e *entry, size int) {
	if g.index == nil {
		g.index = make(map[string]*testEntries)
	}
	t := g.index[e.test]
	if t == nil {
		t = &testEntries{index: make(map[string]*resultEntries)}
		g.index[e.test] = t
		g.tests = append(g.tests, t)
	}
	t.size = size

	res := t.index[e.config]
	if res == nil {
		res = &resultEntries{members: make(map[string]struct{})}
		t.index[e.config] = res
		t.results = append(t.results, res)
	}

	kept := *e
	kept.samples = slices.Clone(e.samples)
	kept.options = nil
	if len(res.entries) == 0 {
		kept.options = e.options.Clone()
	}
	res.entries = append(res.entries, &kept)
	res.members[e.member] = struct{}{}
}

// all iterates over the entries, grouped by test and result.
func (g *gatherer) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, t := range g.tests {
			for _, res := range t.results {
				for _, e := range res.entries {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}
