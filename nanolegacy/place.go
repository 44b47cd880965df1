package nanolegacy

import (
	"errors"
	"fmt"
	"strings"

	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A file has each test once, and a test each configuration: this file says whether an entry can be
// added, and where.

// A contents has the names of all tests, and the last result. Its zero value is empty.
type contents struct {
	tests   map[string]struct{}
	test    string // that was begun last
	size    int    // of it, as a reader counts it
	configs map[string]struct{}

	config  string         // that was begun last
	options traceid.Params // of its result
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
	p, err := w.contents.place(e)
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
	switch limits := &w.limits; {
	case max(p.tests, p.configs, p.members) > limits.MaxMembers:
		err = fmt.Errorf("too many tests, configurations of the test, or members of the configuration: "+
			"more than %d (Limits.MaxMembers)", limits.MaxMembers)
	case int64(p.size) > limits.MaxResultBytes:
		err = fmt.Errorf("its test is too large: more than %d bytes (Limits.MaxResultBytes)", limits.MaxResultBytes)
	}
	return p, err
}

// place returns the place of the entry, with the size of the test without it, or why the entry can't be
// added: it can only be added to the last result, or begin another.
func (c *contents) place(e *entry) (place, error) {
	if len(c.tests) == 0 || e.test != c.test {
		if _, written := c.tests[e.test]; written {
			return place{}, errors.New("its test was written already, before others: " +
				"the records of a test must be consecutive")
		}
		return place{tests: len(c.tests) + 1, configs: 1, members: 1, newResult: true}, nil
	}

	p := place{tests: len(c.tests), configs: len(c.configs), members: 1, size: c.size}
	if _, written := c.configs[e.config]; !written {
		p.configs, p.newResult = p.configs+1, true
		return p, nil
	}

	p.members += len(c.members)
	_, again := c.members[e.member]
	switch {
	case e.config != c.config:
		return p, errors.New("its test and config were written already, before others: " +
			"their records must be consecutive")
	case again:
		return p, errors.New("it was written already")
	case !e.options.Equal(c.options):
		return p, errors.New("its options differ from those of an earlier measurement with the same test and config")
	}
	return p, nil
}

// add adds the entry at its place.
func (c *contents) add(e *entry, p place) {
	if c.tests == nil {
		c.tests, c.configs, c.members = make(map[string]struct{}), make(map[string]struct{}), make(map[string]struct{})
	}
	if p.tests > len(c.tests) {
		c.test = strings.Clone(e.test)
		c.tests[c.test] = struct{}{}
		clear(c.configs)
	}
	c.size = p.size
	if p.newResult {
		c.config = e.config
		c.configs[c.config] = struct{}{}
		c.options = append(c.options[:0], e.options...)
		clear(c.members)
	}
	c.members[e.member] = struct{}{}
}
