package nanolegacy

import (
	"iter"
	"slices"
)

// gathered has the entries that a Writer keeps, by test and configuration. Its zero value is
// empty.
type gathered struct {
	tests []*gatheredTest
	index map[string]*gatheredTest
}

type gatheredTest struct {
	results []*gatheredResult
	index   map[string]*gatheredResult
	size    int // as a reader counts it
}

type gatheredResult struct {
	entries []*entry // the first has the options of all
	members map[string]struct{}
}

// find returns the result that the entry belongs to, or nil if there is none yet.
func (g *gathered) find(e *entry) *gatheredResult {
	if t := g.index[e.test]; t != nil {
		return t.index[e.config]
	}
	return nil
}

// place returns the place of the entry, without its size.
func (g *gathered) place(e *entry) place {
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
func (g *gathered) check(e *entry) error {
	res := g.find(e)
	if res == nil {
		return nil
	}
	_, again := res.members[e.member]
	return checkSameResult(again, e.options, res.entries[0].options)
}

// add adds a copy of the entry. The size is its test's, including the entry.
func (g *gathered) add(e *entry, size int) {
	if g.index == nil {
		g.index = make(map[string]*gatheredTest)
	}
	t := g.index[e.test]
	if t == nil {
		t = &gatheredTest{index: make(map[string]*gatheredResult)}
		g.index[e.test] = t
		g.tests = append(g.tests, t)
	}
	t.size = size

	res := t.index[e.config]
	if res == nil {
		res = &gatheredResult{members: make(map[string]struct{})}
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
func (g *gathered) all() iter.Seq[*entry] {
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
