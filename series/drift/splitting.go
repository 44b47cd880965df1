package drift

import (
	"slices"
	"strings"
	"unicode"
)

// countValues counts the values of the keys, and finds the key that names benchmarks: the most
// common ones are well known, and else it is the one with the most values.
func (e *explainer) countValues() {
	p := e.pairs
	e.values, e.splitting = make([][2]int, len(p.keys)), make([]bool, len(p.keys))
	e.distinct, e.places = make([]int, len(p.keys)), make([]int, len(p.keys))
	p.all(func(_ uint32, x *pair) {
		e.distinct[x.key]++
		e.places[x.key] += x.files()
		for side := range Snapshot(2) {
			if x.isOn(side) {
				e.values[x.key][side]++
			}
		}
	})

	e.findName()
}

// findName finds the key that names benchmarks, which is none that splits series.
func (e *explainer) findName() {
	best := -1
	for k := range e.pairs.keys {
		if e.splitting[k] {
			continue
		}
		rank := slices.Index(wellKnownNames(), e.pairs.keys[k].name)
		weight := e.values[k][Old] + e.values[k][New]
		if rank >= 0 {
			weight = 1<<30 + rank
		}
		if weight > best {
			e.name, best = uint32(k), weight
		}
	}
}

// findSplitting finds the keys that split series, and those that multiply them.
func (e *explainer) findSplitting() {
	for k := range e.pairs.keys {
		switch {
		case e.splitting[k]:
		case e.isSplitting(uint32(k)):
			e.splitting[k] = true
			e.report.SplittingKeys = append(e.report.SplittingKeys, e.pairs.keys[k].name)
		case uint32(k) != e.name && e.values[k][Old] > 0 && e.values[k][New] >= manyTimes*e.values[k][Old]:
			if e.report.Cardinality == nil {
				e.report.Cardinality = make(map[string][2]int)
			}
			e.report.Cardinality[e.pairs.keys[k].name] = e.values[k]
		}
	}
	slices.Sort(e.report.SplittingKeys)
}

// findVarying finds the keys that have another value in every record. Without these, most series
// are the same as others, and there are several, so that the keys are not the names of
// benchmarks.
func (e *explainer) findVarying() {
	series, shared := make([]int, len(e.pairs.keys)), make([]int, len(e.pairs.keys))
	e.ids.all(func(id ref) {
		for _, n := range e.params(id) {
			series[e.key(n)]++
		}
	})
	e.pairs.all(func(_ uint32, x *pair) {
		if x.isOn(Old) && x.isOn(New) {
			shared[x.key]++
		}
	})
	var found []uint32
	v := make(view, len(series))
	for k, count := range series {
		old, new := e.values[k][Old], e.values[k][New]
		isKnown := slices.Contains(wellKnownNames(), e.pairs.keys[k].name)
		isFew := min(old, new) < leastVarying
		isUnique := 10*(old+new) >= 9*count && 10*shared[k] <= old+new
		switch {
		case isFew && shared[k] == 0 && uint32(k) != e.name:
			v[k] = nothing // it may have changed, too
		case !isFew && isUnique && !isKnown && !e.hasSpellings(uint32(k)):
			found = append(found, uint32(k))
			v[k] = nothing
		}
	}
	if len(found) == 0 {
		return
	}

	aspects := e.aspects(v)
	seen := make(map[uint64]bool)
	all, again := 0, 0
	step := uint64(e.ids.len/maxProbe + 1) // a sample by the hash has all that are the same
	e.ids.all(func(id ref) {
		if sum := e.sum(id, aspects); sum%step == 0 {
			all++
			if seen[sum] {
				again++
			}
			seen[sum] = true
		}
	})
	if 4*again < all || len(seen) == 1 && slices.Contains(found, e.name) {
		return
	}
	for _, k := range found {
		e.splitting[k] = true
		e.report.VaryingKeys = append(e.report.VaryingKeys, e.pairs.keys[k].name)
	}
	slices.Sort(e.report.VaryingKeys)
	e.findName()
}

// hasSpellings reports whether new values of a key are other spellings of old ones, or differ
// from them in the same part.
func (e *explainer) hasSpellings(k uint32) bool {
	var values [2][]uint32
	e.pairs.all(func(n uint32, x *pair) {
		for side := range Snapshot(2) {
			if x.key == k && x.isOn(side) && len(values[side]) < maxCompared {
				values[side] = append(values[side], n)
			}
		}
	})
	spellings := make(map[uint64]bool)
	for _, n := range values[Old] {
		spellings[e.pairs.spelling(n)] = true
	}
	alike := 0
	for _, n := range values[New] {
		if spellings[e.pairs.spelling(n)] {
			alike++
		}
	}

	parts := make(map[[2]string]int)
	for _, a := range values[Old][:leastVarying] {
		for _, b := range values[New] {
			if part := commonPart(e.pairs.shown(a), e.pairs.shown(b)); strings.ContainsFunc(part[0], unicode.IsLetter) {
				parts[part]++
			}
		}
	}
	for _, count := range parts {
		alike = max(alike, count*len(values[New])/leastVarying)
	}
	return 2*alike >= len(values[New])
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
	files := e.pairs.keys[k].files
	all := int(files[Old] + files[New])
	several := false
	for side := range 2 {
		several = several || files[side] >= 2 && 5*e.values[k][side] >= 4*int(files[side]) && e.values[k][side] >= 2
	}
	if !several || 5*e.distinct[k] < 4*all || 5*e.places[k] > 6*all {
		return false
	}
	return e.merges(k)
}

// merges reports whether series are the same without a key: else it tells benchmarks apart.
func (e *explainer) merges(k uint32) bool {
	seen := make(map[uint64]bool)
	merged := false
	e.ids.all(func(id ref) {
		if merged || len(seen) > maxProbe {
			return
		}
		sum, has := uint64(0), false
		for _, n := range e.params(id) {
			if e.key(n) == k {
				has = true
			} else if !e.isSplit(n) {
				sum += hash(n)
			}
		}
		merged = merged || has && seen[sum]
		seen[sum] = seen[sum] || has
	})
	return merged
}

// maxProbe bounds the IDs that merges and findVarying look at.
const maxProbe = 100_000

// isSplit reports whether a pair has a key that splits, or may: one that has as many values as
// files.
func (e *explainer) isSplit(n uint32) bool {
	k := e.key(n)
	files := e.pairs.keys[k].files
	values := e.values[k][Old] + e.values[k][New]
	return k != e.name && values > 2 && 5*values >= 4*int(files[Old]+files[New])
}
