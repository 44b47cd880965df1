package drift

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A Report says why series begin and end. Its members are those of the JSON that the tool prints.
type Report struct {
	OldFiles  int `json:"old_files"`
	NewFiles  int `json:"new_files"`
	Same      int `json:"same"`     // trace IDs on both sides
	Vanished  int `json:"vanished"` // on the old side only
	Appeared  int `json:"appeared"` // on the new side only
	bareNames []string

	// EmptyFiles counts the new files without measurements.
	EmptyFiles int `json:"empty_files"`

	// SplittingKeys are params that have another value in almost every file, so that each file begins
	// new series.
	SplittingKeys []string `json:"splitting_keys,omitempty"`

	// AddingKeys and RemovingKeys are params that new series have in addition, or lack, and else are
	// old series.
	AddingKeys   []string `json:"explained_by_adding_keys,omitempty"`
	RemovingKeys []string `json:"explained_by_removing_keys,omitempty"`

	// Cardinality has the numbers of values, old and new, of params that multiply series.
	Cardinality map[string][2]int `json:"cardinality,omitempty"`

	// Changed is the change of a param in most series, and AlsoChanged are others.
	Changed     *Change  `json:"changed,omitempty"`
	AlsoChanged []Change `json:"also_changed,omitempty"`

	// ValueFactor is what old values are multiplied by, if the unit changed. Exact says that it is
	// that of the units, and that the values follow it.
	ValueFactor *float64 `json:"value_factor,omitempty"`
	Exact       *bool    `json:"exact_after_conversion,omitempty"`

	// VaryingKeys are params that have another value in every record.
	VaryingKeys []string `json:"varying_keys,omitempty"`

	// MergingKeys are removed params in which benchmarks differed that share an ID now. DividingKeys are
	// added params in which series differ that were one before.
	MergingKeys  []string `json:"merging_keys,omitempty"`
	DividingKeys []string `json:"dividing_keys,omitempty"`

	// Moves are other changes of params.
	Moves []Move `json:"moves,omitempty"`

	// Jumps are values of another scale under the same unit.
	Jumps []Jump `json:"jumps,omitempty"`

	// Renamed are benchmarks with another name, and Pattern is what most new names have in common.
	Renamed     []Rename  `json:"renamed,omitempty"`
	Pattern     *Pattern  `json:"renamed_pattern,omitempty"`
	AlsoPattern []Pattern `json:"also_renamed_pattern,omitempty"`

	// Collisions are values that differ, and are equal in trace IDs.
	Collisions []Collision `json:"collisions,omitempty"`

	// Unexplained are the series that vanished or appeared and nothing above explains.
	Unexplained Unexplained `json:"unexplained"`
}

// A Change is a param that has another value in several series.
type Change struct {
	Key    string `json:"key"`
	From   string `json:"from"`
	To     string `json:"to"`
	Traces int    `json:"traces"`
}

// A Move is a change of a param in several series that is not one of one value to another:
//
//   - "renamed key": the key Key is NewKey now, with the same values.
//   - "merged": the param is a part of the value of NewKey now, the name.
//   - "split": a part of the value of Key, the name, is the param NewKey now.
//   - "respelled": values are spelled in another way, such as 1 and 001.
//   - "replaced": several values became others. Part is what all of these have in common, if anything:
//     the old and the new text between the same beginnings and ends.
//
// From and To are the values in one of the series.
type Move struct {
	Kind   string    `json:"kind"`
	Key    string    `json:"key"`
	NewKey string    `json:"new_key,omitempty"`
	From   string    `json:"from"`
	To     string    `json:"to"`
	Values [2]int    `json:"values,omitzero"` // the numbers of the old and the new values
	Part   [2]string `json:"part,omitzero"`
	Traces int       `json:"traces"`
}

// A Jump is that values are multiplied by a factor between units, or are all 0, which the Factor is
// then. It is that of all series on both sides if Key is empty, and else of those with a param.
type Jump struct {
	Key    string  `json:"key,omitempty"`
	Value  string  `json:"value,omitempty"`
	Factor float64 `json:"factor"`
	Traces int     `json:"traces"`
}

// A Rename is a benchmark with another name.
type Rename struct {
	Key  string `json:"key"`
	From string `json:"from"`
	To   string `json:"to"`
}

// A Pattern is a change of the ends, or of the beginnings, of several names.
type Pattern struct {
	Key        string `json:"key"`
	FromSuffix string `json:"from_suffix"`
	ToSuffix   string `json:"to_suffix"`
	FromPrefix string `json:"from_prefix,omitempty"`
	ToPrefix   string `json:"to_prefix,omitempty"`
	Traces     int    `json:"traces"`
}

// A Collision is values of a param that are equal in trace IDs.
type Collision struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Unexplained counts series, and says what each group of them has in common.
type Unexplained struct {
	Vanished int     `json:"vanished"`
	Appeared int     `json:"appeared"`
	Groups   []Group `json:"groups,omitempty"`
}

// A Group is series that appeared, or vanished, and have a param in common that no series of the other
// side has.
type Group struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Traces  int    `json:"traces"`
	Appears bool   `json:"appears"`
}

// EmptyNames returns the names of the first 100 new files without measurements.
func (r *Report) EmptyNames() []string { return r.bareNames }

// HasDrifted reports whether series ended, or keys split series, or values jumped, or new files are
// empty. New series alone are not drift.
func (r *Report) HasDrifted() bool {
	return r.Vanished > 0 || r.EmptyFiles > 0 || len(r.Jumps) > 0 ||
		len(r.SplittingKeys)+len(r.VaryingKeys)+len(r.Cardinality) > 0
}

// Report says what differs between the sides. Call it once, after all measurements were added.
func (c *Collector) Report() *Report {
	c.endFile()
	e := &explainer{pairs: &c.pairs, ids: &c.ids, causes: newCauses()}
	r := &e.report
	r.OldFiles, r.NewFiles = c.files[Old].len, c.files[New].len
	r.EmptyFiles, r.bareNames = c.files[New].bare, c.files[New].empty
	c.ids.table, c.pairs.table = table{}, table{} // nothing more is added
	var counts [4]int                             // by the sides
	c.ids.all(func(id ref) { counts[c.ids.at(id)[0]&3]++ })
	r.Vanished, r.Appeared, r.Same = counts[1<<Old], counts[1<<New], counts[1<<Old|1<<New]
	e.vanished, e.appeared = make([]ref, 0, r.Vanished), make([]ref, 0, r.Appeared)
	c.ids.all(func(id ref) {
		switch old, new := c.ids.sides(id); {
		case !new:
			e.vanished = append(e.vanished, id)
		case !old:
			e.appeared = append(e.appeared, id)
		}
	})

	e.countValues()
	e.findVarying()
	e.findSplitting()
	e.dropMultiplied()
	e.dropSplitting()
	e.findMatches()
	e.findRenamed()
	e.findMerged()
	e.setCauses()
	e.findJumps()
	e.findCollisions()
	e.group()
	return r
}

// An explainer explains why IDs vanished and appeared. What is explained leaves its lists.
type explainer struct {
	pairs    *pairs
	ids      *ids
	report   Report
	vanished []ref
	appeared []ref
	causes   causes
	jumps    jumps
	aliases  []uint32 // of each pair: the name before, or the pair; nil if no name changed

	memory           []uint32 // of params
	from, to         []uint32
	onlyFrom, onlyTo []uint32

	values    [][2]int // of each key: the number of its values on each side
	distinct  []int    // of each key: the number of its values
	places    []int    // of each key: the numbers of the files of its values, added up
	splitting []bool   // of each key
	name      uint32   // the key that names benchmarks
}

// countValues counts the values of the keys, and finds the key that names benchmarks: the most common
// ones are well known, and else it is the one with the most values.
func (e *explainer) countValues() {
	p := e.pairs
	e.values, e.splitting = make([][2]int, len(p.keys)), make([]bool, len(p.keys))
	e.distinct, e.places = make([]int, len(p.keys)), make([]int, len(p.keys))
	p.all(func(_ uint32, x *pair) {
		e.distinct[x.key]++
		e.places[x.key] += x.files()
		for side := range Side(2) {
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

// findVarying finds the keys that have another value in every record. Without these, most series are the
// same as others, and there are several, so that the keys are not the names of benchmarks.
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
		if !isKnown && old >= leastVarying && new >= leastVarying && 10*(old+new) >= 9*count && 10*shared[k] <= old+new {
			if !e.hasSpellings(uint32(k)) {
				found = append(found, uint32(k))
				v[k] = nothing
			}
		} else if uint32(k) != e.name && shared[k] == 0 && min(old, new) < leastVarying {
			v[k] = nothing // it may have changed, too
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

// hasSpellings reports whether new values of a key are other spellings of old ones, or differ from them
// in the same part.
func (e *explainer) hasSpellings(k uint32) bool {
	var values [2][]uint32
	e.pairs.all(func(n uint32, x *pair) {
		for side := range Side(2) {
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

// leastVarying is the number of values, on each side, of a key that may vary from record to record.
const leastVarying = 4

// wellKnownNames returns the keys that name benchmarks, the best last.
func wellKnownNames() []string { return []string{"benchmark", "name", "test"} }

// manyTimes is how many times as many values a param must have to be said to multiply series.
const manyTimes = 10

// isSplitting reports whether a key has one value in each file, and another one in at least four of
// five. On one side, it has several.
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

// isSplit reports whether a pair has a key that splits, or may: one that has as many values as files.
func (e *explainer) isSplit(n uint32) bool {
	k := e.key(n)
	files := e.pairs.keys[k].files
	values := e.values[k][Old] + e.values[k][New]
	return k != e.name && values > 2 && 5*values >= 4*int(files[Old]+files[New])
}

// findCollisions finds values that are equal in trace IDs.
func (e *explainer) findCollisions() {
	for n, values := range e.pairs.spellings {
		if e.pairs.at(n).seen&isPlain != 0 {
			values = append(slices.Clone(values), string(e.pairs.text(n)))
		}
		if len(values) > 1 {
			values = slices.Sorted(slices.Values(values))
			e.report.Collisions = append(e.report.Collisions, Collision{e.pairs.keys[e.key(n)].name, values})
		}
	}
	slices.SortFunc(e.report.Collisions, func(a, b Collision) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Values[0], b.Values[0]))
	})
}

// Groups of a side that are named: at most maxGroups, and of those after the first maxExamples only
// such with one in leastShare of the series. Smaller ones say little about a million series.
const (
	maxGroups   = 20
	maxExamples = 5
	leastShare  = 100
)

// group says what the series that nothing explains have in common: the param of most of them, then that
// of most of the others, and so on.
func (e *explainer) group() {
	r := &e.report
	r.Unexplained.Vanished, r.Unexplained.Appeared = len(e.vanished), len(e.appeared)
	of := [2]int{r.Same + r.Vanished, r.Same + r.Appeared}
	changed := make([]bool, e.pairs.len)
	for pairs := range e.causes.changes.numbers {
		changed[pairs[0]], changed[pairs[1]] = true, true
	}
	for side, rest := range [][]ref{e.vanished, e.appeared} {
		if of[1-side] == 0 {
			continue // nothing of the other side tells groups apart
		}
		counts := make([]int32, e.pairs.len) // of the pairs in rest
		for _, id := range rest {
			for _, n := range e.params(id) {
				if !changed[n] {
					counts[n]++
				}
			}
		}

		for i := range maxGroups {
			best, count := e.mostCommon(counts, Side(1-side))
			if count == 0 || i >= maxExamples && count*leastShare < r.Unexplained.of(Side(side)) {
				break
			}
			r.Unexplained.Groups = append(r.Unexplained.Groups,
				Group{e.pairs.keys[e.key(best)].name, e.pairs.shown(best), count, side == int(New)})
			rest = slices.DeleteFunc(rest, func(id ref) bool {
				params := e.params(id)
				if !slices.Contains(params, best) {
					return false
				}
				for _, n := range params {
					if !changed[n] {
						counts[n]--
					}
				}
				return true
			})
		}
	}
}

// of returns the number of series of a side that nothing explains.
func (u *Unexplained) of(side Side) int {
	if side == Old {
		return u.Vanished
	}
	return u.Appeared
}

// mostCommon returns the pair that most IDs have and no file of the other side has, and their number,
// by the numbers of IDs with each pair. Of several, it prefers the name, and then the first one.
func (e *explainer) mostCommon(counts []int32, other Side) (best uint32, count int) {
	for n, c := range counts {
		if c := int(c); c == 0 || c < count {
			continue
		}
		x, c := e.pairs.at(uint32(n)), int(c)
		isBetter := c > count || x.key == e.name && e.key(best) != e.name
		if isBetter && !x.isOn(other) {
			best, count = uint32(n), c
		}
	}
	return best, count
}

// dropMultiplied explains the new series that are old ones, with another value of a param that
// multiplies series.
func (e *explainer) dropMultiplied() {
	if len(e.report.Cardinality) == 0 {
		return
	}
	sum := func(id ref) (sum uint64, has bool) {
		for _, n := range e.params(id) {
			if _, ok := e.report.Cardinality[e.pairs.keys[e.key(n)].name]; ok {
				has = true
			} else {
				sum += hash(n)
			}
		}
		return sum, has
	}

	old := make([]uint64, 0, e.report.Same+e.report.Vanished)
	e.ids.all(func(id ref) {
		if isOld, _ := e.ids.sides(id); isOld {
			s, _ := sum(id)
			old = append(old, s)
		}
	})
	slices.Sort(old)
	e.appeared = slices.DeleteFunc(e.appeared, func(id ref) bool {
		s, has := sum(id)
		_, isOld := slices.BinarySearch(old, s)
		return has && isOld
	})
}
