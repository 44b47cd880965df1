package nanolegacy

import (
	"errors"
	"fmt"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A file has each test once, and a test each configuration: this file says whether an entry can be
// added, and where.

// An openTest is the test, and its result, to which entries can be added, and the names that can't
// be written again.
type openTest struct {
	some    bool // a test and a result of it are open
	test    string
	size    int // as a reader counts it
	config  string
	options traceid.Params // of the result

	tests   map[string]struct{} // written, including the open one
	configs delta.Names         // of the open test
	members delta.Names         // of the open result
}

// A place has the numbers of a file, of a test and of a result, including a new entry.
type place struct {
	tests, configs, members int
	newResult               bool // the entry is the first of its result
	size                    int  // upper bound of the test's size, as a reader counts it
}

// placeOf returns the place of the entry.
func (w *Writer) placeOf(e *entry) place {
	p := w.open.place(e)
	if w.Gather {
		p = w.gathered.place(e)
	}
	if len(e.options) > 0 {
		p.members++
	}

	if p.newResult {
		p.size += len(`"":{},"options":,`) + resultCost + w.texts.WrittenLen(e.config) + e.size
	}
	p.size += len(`"":[],`) + itemCost + w.texts.WrittenLen(e.member) + skiadoc.MaxNumber +
		len(e.samples)*(skiadoc.MaxNumber+1+sampleCost)
	return p
}

// place returns the place of the entry, without its size.
func (o *openTest) place(e *entry) place {
	p := place{tests: len(o.tests), configs: o.configs.Len(), members: o.members.Len(), size: o.size}
	switch {
	case !o.some || e.test != o.test:
		return place{tests: p.tests + 1, configs: 1, members: 1, newResult: true}
	case e.config != o.config:
		p.configs++
		p.members, p.newResult = 0, true
	}
	p.members++
	return p
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

// checkOrder returns why the entry can't be written after the earlier ones, or nil.
func (w *Writer) checkOrder(e *entry) error {
	if w.Gather {
		return w.gathered.check(e)
	}
	return w.open.check(e)
}

// check returns why the entry can't be added, or nil.
func (o *openTest) check(e *entry) error {
	if !o.some || e.test != o.test {
		if _, ok := o.tests[e.test]; ok {
			return errors.New("its test was written already, before others: use Gather for records in any order")
		}
		return nil
	}
	if e.config != o.config {
		if o.configs.Has(e.config) {
			return errors.New("its test and config were written already, before others: " +
				"use Gather for records in any order")
		}
		return nil
	}
	return checkSameResult(o.members.Has(e.member), e.options, o.options)
}

// checkSameResult returns why an entry can't be added to a result that has the options, or nil. If
// again is set, the result has the entry already.
func checkSameResult(again bool, options, has traceid.Params) error {
	if again {
		return errors.New("it was written already")
	}
	if !options.Equal(has) {
		return errors.New("its options differ from those of an earlier measurement with the same test and config")
	}
	return nil
}
