package drift

import (
	"slices"
	"strings"
	"unicode"

	"perfdata/series"
)

const (
	// leastVarying is the number of values, on each side, of a key that may vary from record to record.
	leastVarying = 4

	// manyTimes is how many times as many values a param must have to be said to multiply series.
	manyTimes = 10

	maxProbe = 100_000 // IDs that merges and findVarying look at
)

// wellKnownNames returns the keys that name benchmarks, the best last.
func wellKnownNames() []string { return []string{"benchmark", "name", "test"} }

// keyNames returns the sorted names of keys.
func (e *explainer) keyNames(is func(k *key) bool) (names []string) {
	for i := range e.keys {
		if is(&e.keys[i]) {
			names = append(names, e.keys[i].name)
		}
	}
	slices.Sort(names)
	return names
}

// countValues counts the values of the keys, and finds the key that names benchmarks.
func (e *explainer) countValues() {
	for n := range e.facts.len {
		x := e.facts.at(n)
		k := &e.keys[x.key]
		k.distinct++
		k.places += int(x.seen / oneFile)
		for side := range 2 {
			if x.isOn(side) {
				k.values[side]++
			}
		}
	}
	e.findName()
}

// findName finds the key that names benchmarks, which is none that splits series: the most
// common ones are well known, and else it is the one with the most values.
func (e *explainer) findName() {
	best := -1
	for i, k := range e.keys {
		weight := k.values[series.Old] + k.values[series.New]
		if rank := slices.Index(wellKnownNames(), k.name); rank >= 0 {
			weight = 1<<30 + rank
		}
		if weight > best && !k.isSplitting {
			e.name, best = uint32(i), weight
		}
	}
}

// findSplitting finds the keys that split series, and the keys that multiply them. It explains
// the new series that are old ones, with another value of a key that multiplies series.
func (e *explainer) findSplitting() {
	isMultiplying := make([]bool, len(e.keys))
	for i := range e.keys {
		k := &e.keys[i]
		old, new := k.values[series.Old], k.values[series.New]
		switch {
		case k.isSplitting:
		case e.isSplitting(uint32(i)):
			k.isSplitting = true
			e.report.SplittingKeys = append(e.report.SplittingKeys, k.name)
		case uint32(i) != e.name && old > 0 && new >= manyTimes*old:
			if e.report.Cardinality == nil {
				e.report.Cardinality = make(map[string][2]int)
			}
			e.report.Cardinality[k.name], isMultiplying[i] = k.values, true
		}
	}
	slices.Sort(e.report.SplittingKeys)

	e.dropWithout(series.New, func(k uint32) bool { return isMultiplying[k] },
		func(id uint32) bool { return e.ids.isOn(series.Old, id) }, func(*key) {})
}

// isSplitting reports whether a key has one value in each file, and another one in at least four
// of five. On one side, it has several. Series are the same without it: else it tells benchmarks apart.
func (e *explainer) isSplitting(i uint32) bool {
	k := &e.keys[i]
	all, several := int(k.files[series.Old]+k.files[series.New]), false
	for side, files := range k.files {
		several = several || files >= 2 && 5*k.values[side] >= 4*int(files) && k.values[side] >= 2
	}
	if !several || 5*k.distinct < 4*all || 5*k.places > 6*all {
		return false
	}

	v, _ := e.without(func(j uint32) bool { // others that may split: they have as many values as files
		x := &e.keys[j]
		values := x.values[series.Old] + x.values[series.New]
		return j == i || j != e.name && values > 2 && 5*values >= 4*int(x.files[series.Old]+x.files[series.New])
	})
	seen := make(map[uint64]bool)
	for id := range e.ids.values.len {
		if !slices.ContainsFunc(e.paramsOf(id), func(n uint32) bool { return e.key(n) == i }) {
			continue
		}
		sum := e.sum(id, v)
		if seen[sum] {
			return true
		}
		if seen[sum] = true; len(seen) > maxProbe {
			break
		}
	}
	return false
}

// findVarying finds the keys that have another value in every record. Without these, most series
// are the same as others, and there are several, so that the keys are not the names of benchmarks.
func (e *explainer) findVarying() {
	counts := make([]int, len(e.keys)) // of the IDs with each key
	for id := range e.ids.values.len {
		for _, n := range e.paramsOf(id) {
			counts[e.key(n)]++
		}
	}

	var found, ignored []uint32
	for i, count := range counts {
		k, n := &e.keys[i], uint32(i)
		values := k.values[series.Old] + k.values[series.New]
		shared := values - k.distinct
		isFew := min(k.values[series.Old], k.values[series.New]) < leastVarying
		isUnique := 10*values >= 9*count && 10*shared <= values
		switch {
		case isFew && shared == 0 && n != e.name:
			ignored = append(ignored, n) // it may have changed, too
		case !isFew && isUnique && !slices.Contains(wellKnownNames(), k.name) && !e.hasSpellings(n):
			found = append(found, n)
		}
	}
	if len(found) == 0 {
		return
	}

	v := make(view, len(e.keys)).with(nothing, append(ignored, found...)...)
	seen, all := make(map[uint64]bool), 0
	step := uint64(e.ids.values.len/maxProbe + 1) // a sample by the hash has all equal ones
	for id := range e.ids.values.len {
		if sum := e.sum(id, v); sum%step == 0 {
			seen[sum] = true
			all++
		}
	}
	if 4*(all-len(seen)) < all || len(seen) == 1 && slices.Contains(found, e.name) {
		return
	}

	for _, k := range found {
		e.keys[k].isSplitting = true
	}
	e.report.VaryingKeys = e.keyNames(func(k *key) bool { return k.isSplitting })
	e.findName()
}

// hasSpellings reports whether new values of a key are other spellings of old ones, or differ
// from them in the same part.
func (e *explainer) hasSpellings(k uint32) bool {
	var values [2][]uint32
	for n := range e.facts.len {
		x := e.facts.at(n)
		for side := range values {
			if x.key == k && x.isOn(side) && len(values[side]) < maxCompared {
				values[side] = append(values[side], n)
			}
		}
	}
	old, new := values[series.Old], values[series.New]

	spellings := make(map[uint64]bool)
	for _, n := range old {
		spellings[e.spelling(n)] = true
	}
	alike := 0
	for _, n := range new {
		if spellings[e.spelling(n)] {
			alike++
		}
	}

	parts := make(map[[2]string]int)
	for _, a := range old[:leastVarying] {
		for _, b := range new {
			if part := commonPart(e.shown(a), e.shown(b)); strings.ContainsFunc(part[0], unicode.IsLetter) {
				parts[part]++
			}
		}
	}
	for _, count := range parts {
		alike = max(alike, count*len(new)/leastVarying)
	}
	return 2*alike >= len(new)
}
