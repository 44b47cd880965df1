package drift

import (
	"slices"
	"strings"
	"unicode"

	"perfdata/series"
)

// countValues counts the values of the keys, and finds the key that names benchmarks: the most
// common ones are well known, and else it is the one with the most values.
func (e *explainer) countValues() {
	e.pairs.all(func(_ uint32, x *pair) {
		k := &e.keys[x.key]
		k.distinct++
		k.places += x.files()
		for side := range 2 {
			if x.isOn(side) {
				k.values[side]++
			}
		}
	})
	e.findName()
}

// findName finds the key that names benchmarks, which is none that splits series.
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

// findSplitting finds the keys that split series, and the keys that multiply them.
func (e *explainer) findSplitting() {
	for i := range e.keys {
		switch k := &e.keys[i]; {
		case k.isSplitting:
		case e.isSplitting(uint32(i)):
			k.isSplitting = true
			e.report.SplittingKeys = append(e.report.SplittingKeys, k.name)
		case uint32(i) != e.name && k.values[series.Old] > 0 && k.values[series.New] >= manyTimes*k.values[series.Old]:
			if e.report.Cardinality == nil {
				e.report.Cardinality = make(map[string][2]int)
			}
			e.report.Cardinality[k.name] = k.values
		}
	}
	slices.Sort(e.report.SplittingKeys)
}

// findVarying finds the keys that have another value in every record. Without these, most series
// are the same as others, and there are several, so that the keys are not the names of
// benchmarks.
func (e *explainer) findVarying() {
	counts, shared := make([]int, len(e.keys)), make([]int, len(e.keys))
	e.ids.all(func(id ref) {
		for _, n := range e.params(id) {
			counts[e.key(n)]++
		}
	})
	e.pairs.all(func(_ uint32, x *pair) {
		if x.isOn(series.Old) && x.isOn(series.New) {
			shared[x.key]++
		}
	})

	var found, fewValues []uint32
	for i, count := range counts {
		k, n := &e.keys[i], uint32(i)
		old, new := k.values[series.Old], k.values[series.New]
		isFew := min(old, new) < leastVarying
		isUnique := 10*(old+new) >= 9*count && 10*shared[i] <= old+new
		switch {
		case isFew && shared[i] == 0 && n != e.name:
			fewValues = append(fewValues, n) // it may have changed, too
		case !isFew && isUnique && !slices.Contains(wellKnownNames(), k.name) && !e.hasSpellings(n):
			found = append(found, n)
		}
	}

	if len(found) == 0 {
		return
	}

	aspects := e.aspects(make(view, len(e.keys)).with(nothing, append(fewValues, found...)...))
	seen, all := make(map[uint64]bool), 0
	step := uint64(e.ids.len/maxProbe + 1) // a sample by the hash has all equal ones
	e.ids.all(func(id ref) {
		if sum := e.sum(id, aspects); sum%step == 0 {
			seen[sum] = true
			all++
		}
	})
	if 4*(all-len(seen)) < all || len(seen) == 1 && slices.Contains(found, e.name) {
		return
	}

	for _, k := range found {
		e.keys[k].isSplitting = true
		e.report.VaryingKeys = append(e.report.VaryingKeys, e.keys[k].name)
	}
	slices.Sort(e.report.VaryingKeys)
	e.findName()
}

// hasSpellings reports whether new values of a key are other spellings of old ones, or differ
// from them in the same part.
func (e *explainer) hasSpellings(k uint32) bool {
	var values [2][]uint32
	e.pairs.all(func(n uint32, x *pair) {
		for side := range 2 {
			if x.key == k && x.isOn(side) && len(values[side]) < maxCompared {
				values[side] = append(values[side], n)
			}
		}
	})
	spellings := make(map[uint64]bool)
	for _, n := range values[series.Old] {
		spellings[e.pairs.spelling(n)] = true
	}

	alike := 0
	for _, n := range values[series.New] {
		if spellings[e.pairs.spelling(n)] {
			alike++
		}
	}

	parts := make(map[[2]string]int)
	for _, a := range values[series.Old][:leastVarying] {
		for _, b := range values[series.New] {
			if part := commonPart(e.pairs.shown(a), e.pairs.shown(b)); strings.ContainsFunc(part[0], unicode.IsLetter) {
				parts[part]++
			}
		}
	}
	for _, count := range parts {
		alike = max(alike, count*len(values[series.New])/leastVarying)
	}
	return 2*alike >= len(values[series.New])
}

// leastVarying is the number of values, on each side, of a key that may vary from record to
// record.
const leastVarying = 4

// wellKnownNames returns the keys that name benchmarks, the best last.
func wellKnownNames() []string { return []string{"benchmark", "name", "test"} }

// manyTimes is how many times as many values a param must have to be said to multiply series.
const manyTimes = 10

// isSplitting reports whether a key has one value in each file, and another one in at least four
// of five. On one side, it has several.
func (e *explainer) isSplitting(k uint32) bool {
	x := &e.keys[k]
	all, several := int(x.files[series.Old]+x.files[series.New]), false
	for side, files := range x.files {
		several = several || files >= 2 && 5*x.values[side] >= 4*int(files) && x.values[side] >= 2
	}
	return several && 5*x.distinct >= 4*all && 5*x.places <= 6*all && e.merges(k)
}

// merges reports whether series are the same without a key: else it tells benchmarks apart.
func (e *explainer) merges(k uint32) bool {
	v := make(view, len(e.keys)).with(nothing, k)
	for i := range uint32(len(v)) {
		if e.maySplit(i) {
			v[i] = nothing
		}
	}
	aspects, seen, merged := e.aspects(v), make(map[uint64]bool), false
	e.ids.all(func(id ref) {
		has := slices.ContainsFunc(e.params(id), func(n uint32) bool { return e.key(n) == k })
		if has && !merged && len(seen) <= maxProbe {
			sum := e.sum(id, aspects)
			merged, seen[sum] = seen[sum], true
		}
	})
	return merged
}

// maxProbe bounds the IDs that merges and findVarying look at.
const maxProbe = 100_000

// maySplit reports whether a key splits, or may: it has as many values as files.
func (e *explainer) maySplit(i uint32) bool {
	k := &e.keys[i]
	values := k.values[series.Old] + k.values[series.New]
	return i != e.name && values > 2 && 5*values >= 4*int(k.files[series.Old]+k.files[series.New])
}
