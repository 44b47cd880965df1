package nanolegacy

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A file has each test once, and a test each configuration: this file says whether an entry can be
// added, and where. It also keeps the entries that are gathered.

// A contents has the tests of a file. Its zero value is empty.
type contents struct {
	tests []*testEntries          // with Gather
	index map[string]*testEntries // nil for a test to which nothing can be added
	last  *testEntries            // that was begun last
}

type testEntries struct {
	name    string
	results []*resultEntries
	index   map[string]*resultEntries
	size    int // as a reader counts it
}

type resultEntries struct {
	options traceid.Params
	entries []*entry // with Gather; the first has the options of all
	members map[string]struct{}
}

// A place has the numbers of a file, of a test and of a result, including a new entry.
type place struct {
	tests, configs, members int
	newResult               bool // the entry is the first of its result
	size                    int  // upper bound of the test's size, as a reader counts it
}

// placeOf returns the place of the entry, or why the entry can't be added.
func (w *Writer) placeOf(e *entry) (place, error) {
	p, err := w.contents.place(e, w.Gather)
	if err != nil {
		return p, err
	}
	if len(e.options) > 0 {
		p.members++
	}
	if p.newResult {
		p.size += len(`"":{},"options":,`) + resultCost + w.texts.WrittenLen(e.config) + e.size
	}
	p.size += len(`"":[],`) + itemCost + w.texts.WrittenLen(e.member) + skiadoc.MaxNumber +
		len(e.samples)*(skiadoc.MaxNumber+1+sampleCost)
	return p, p.check(w.limits)
}

// place returns the place of the entry, with the size of the test without it, or why the entry can't be
// added. Unless entries are gathered, they can only be added to the last result.
func (c *contents) place(e *entry, gather bool) (place, error) {
	t, ok := c.test(e.test)
	switch {
	case !ok:
		return place{tests: len(c.index) + 1, configs: 1, members: 1, newResult: true}, nil
	case t == nil:
		return place{}, errors.New("its test was written already, before others: use Gather for records in any order")
	}

	p := place{tests: len(c.index), configs: len(t.results), members: 1, size: t.size}
	res := t.index[e.config]
	if res == nil {
		p.configs++
		p.newResult = true
		return p, nil
	}
	p.members += len(res.members)
	_, again := res.members[e.member]
	switch {
	case !gather && res != t.results[len(t.results)-1]:
		return p, errors.New("its test and config were written already, before others: " +
			"use Gather for records in any order")
	case again:
		return p, errors.New("it was written already")
	case !e.options.Equal(res.options):
		return p, errors.New("its options differ from those of an earlier measurement with the same test and config")
	}
	return p, nil
}

// test returns the test with the name, which is nil if nothing can be added to it.
func (c *contents) test(name string) (t *testEntries, ok bool) {
	if c.last != nil && c.last.name == name { // usually
		return c.last, true
	}
	t, ok = c.index[name]
	return t, ok
}

// check returns why there can't be a place like this, or nil.
func (p *place) check(limits format.Limits) error {
	switch {
	case max(p.tests, p.configs, p.members) > limits.MaxMembers:
		return fmt.Errorf("too many tests, configurations of the test, or members of the configuration: "+
			"more than %d (Limits.MaxMembers)", limits.MaxMembers)
	case int64(p.size) > limits.MaxResultBytes:
		return fmt.Errorf("its test is too large: more than %d bytes (Limits.MaxResultBytes)", limits.MaxResultBytes)
	}
	return nil
}

// add adds the entry, or a copy of it if entries are gathered. The size is its test's, including the
// entry.
func (c *contents) add(e *entry, size int, gather bool) {
	if c.index == nil {
		c.index = make(map[string]*testEntries)
	}
	t, ok := c.test(e.test)
	if !ok {
		t = &testEntries{index: make(map[string]*resultEntries)}
		if gather {
			c.tests = append(c.tests, t)
		} else if c.last != nil {
			c.index[c.last.name] = nil
			t = c.last // its memory
			clear(t.index)
			t.results = t.results[:0]
		}
		t.name = strings.Clone(e.test)
		c.index[t.name], c.last = t, t
	}
	t.size = size

	res := t.index[e.config]
	if res == nil {
		res = t.newResult()
		res.options = append(res.options, e.options...)
		t.index[e.config] = res
	}
	res.members[e.member] = struct{}{}
	if !gather {
		return
	}
	kept := *e
	kept.samples, kept.options = slices.Clone(e.samples), nil
	if len(res.entries) == 0 {
		kept.options = res.options
	}
	res.entries = append(res.entries, &kept)
}

// newResult adds an empty result, with the memory of an earlier one if there is any.
func (t *testEntries) newResult() *resultEntries {
	n := len(t.results)
	if n == cap(t.results) || t.results[:n+1][n] == nil {
		t.results = append(t.results, &resultEntries{members: make(map[string]struct{})})
		return t.results[n]
	}
	t.results = t.results[:n+1]
	res := t.results[n]
	clear(res.members)
	res.options = res.options[:0]
	return res
}

// gathered iterates over the entries, grouped by test and result.
func (c *contents) gathered() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, t := range c.tests {
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
