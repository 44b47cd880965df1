package drift

import (
	"cmp"
	"slices"
	"strings"

	"perfdata/series"
)

// A Report says why series begin and end. Its members are the members of the JSON that the tool
// prints.
type Report struct {
	Counts

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

	// ValueFactor is the factor of the old values, if the unit changed. Exact says that it is the
	// factor of the units, and that the values follow it.
	ValueFactor *float64 `json:"value_factor,omitempty"`
	Exact       *bool    `json:"exact_after_conversion,omitempty"`

	// VaryingKeys are params that have another value in every record.
	VaryingKeys []string `json:"varying_keys,omitempty"`

	// MergingKeys are removed params in which benchmarks differed that share an ID now. DividingKeys
	// are added params in which series differ that were one before.
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

// Counts are the numbers of files and of trace IDs.
type Counts struct {
	OldFiles   int `json:"old_files"`
	NewFiles   int `json:"new_files"`
	Same       int `json:"same"`        // trace IDs on both sides
	Vanished   int `json:"vanished"`    // on the old side only
	Appeared   int `json:"appeared"`    // on the new side only
	EmptyFiles int `json:"empty_files"` // new files without measurements

	emptyNames []string // of the first of them
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
//   - "replaced": several values became others. Part is what all of these have in common, if
//     anything: the old and the new text between the same beginnings and ends.
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

// A Jump is a multiplication of values by a factor between units; the Factor is 0 if all values
// are 0. It is one of all series, or nearly all, if Key is empty, and else of series with a param.
type Jump struct {
	Key    string  `json:"key,omitempty"`
	Value  string  `json:"value,omitempty"`
	Factor float64 `json:"factor"`
	Traces int     `json:"traces"`
	Of     int     `json:"of,omitempty"` // the series on both sides, if Key is empty
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

// A Group is series that appeared, or vanished, and have a param in common that no series of the
// other side has.
type Group struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Traces  int    `json:"traces"`
	Appears bool   `json:"appears"`
}

// HasDrifted reports whether series ended, or keys split series, or values jumped, or new files
// are empty. New series alone are not drift.
func (r *Report) HasDrifted() bool {
	return r.Vanished > 0 || r.EmptyFiles > 0 || len(r.Jumps) > 0 ||
		len(r.SplittingKeys)+len(r.VaryingKeys)+len(r.Cardinality) > 0
}

// Report returns the differences between the sides. Call it once, after all measurements were
// added.
func (c *Collector) Report() *Report {
	c.endFile()
	e := &explainer{pairs: &c.pairs, ids: &c.ids, causes: make(map[causeKey]*cause)}
	r := &e.report
	r.Counts = c.counts
	for _, s := range []*set{&c.ids.set, &c.pairs.set} {
		s.table, s.tags = nil, nil // nothing more is added
	}
	e.isExplained = make([]bool, c.ids.values.len)

	for side := range e.rest {
		for id := range c.ids.values.len {
			if !c.ids.isOn(1-side, id) {
				e.rest[side] = append(e.rest[side], id)
			}
		}
	}
	r.Vanished, r.Appeared = len(e.rest[series.Old]), len(e.rest[series.New])
	r.Same = int(c.ids.values.len) - r.Vanished - r.Appeared

	e.countValues()
	e.findVarying()
	e.findSplitting()
	e.findMatches()
	e.findRenamed()
	e.findMerged()
	e.setCauses()
	e.findJumps()
	e.findCollisions()
	e.group()
	return r
}

// findCollisions finds values that are equal in trace IDs.
func (e *explainer) findCollisions() {
	for n, values := range e.spellings {
		if e.facts.at(n).seen&isPlain != 0 {
			values = append(values, string(e.value(n)))
		}
		if len(values) > 1 {
			e.report.Collisions = append(e.report.Collisions, Collision{e.keyName(n), slices.Sorted(slices.Values(values))})
		}
	}
	slices.SortFunc(e.report.Collisions, func(a, b Collision) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Values[0], b.Values[0]))
	})
}

// Groups of a side that are named: at most maxGroups, and after the first maxExamples only groups
// with at least one in leastShare of the series. Smaller ones say little about a million series.
const (
	maxGroups   = 20
	maxExamples = 5
	leastShare  = 100
)

// group says what the series that nothing explains have in common: the param of most of them,
// then that of most of the others, and so on.
func (e *explainer) group() {
	r := &e.report
	r.Unexplained.Vanished, r.Unexplained.Appeared = len(e.rest[series.Old]), len(e.rest[series.New])
	of := [2]int{r.Same + r.Vanished, r.Same + r.Appeared}
	isChanged := make([]bool, e.facts.len)
	for key := range e.causes {
		if key.kind == changed {
			isChanged[key.from], isChanged[key.to] = true, true
		}
	}

	for side, rest := range e.rest {
		if of[1-side] == 0 {
			continue // nothing of the other side tells groups apart
		}

		// The pair of most IDs that no file of the other side has and that did not change. If there are
		// several, the name is better, and then the first one.
		groups, least := 0, int32((len(rest)+leastShare-1)/leastShare)
		best := func(counts []int32) (pair uint32, ok bool) {
			most := int32(0)
			for n, count := range counts {
				if count == 0 || count < most || isChanged[n] {
					continue
				}
				x := e.facts.at(uint32(n))
				isBetter := count > most || x.key == e.name && e.key(pair) != e.name
				if isBetter && !x.isOn(1-side) {
					pair, most = uint32(n), count
				}
			}
			groups++
			return pair, most > 0 && groups <= maxGroups && (groups <= maxExamples || most >= least)
		}

		eachGroup(e, rest, func(id uint32) uint32 { return id }, best, func(pair uint32, group []uint32) {
			r.Unexplained.Groups = append(r.Unexplained.Groups,
				Group{e.keyName(pair), e.shown(pair), len(group), side == series.New})
		})
	}
}

// eachGroup splits series into groups with a pair in common: the best one by a function of how many of the rest
// have each pair, until it finds none. It calls do with each group.
func eachGroup[T any](
	e *explainer, all []T, id func(T) uint32, best func(counts []int32) (pair uint32, ok bool),
	do func(pair uint32, group []T),
) {
	counts := make([]int32, e.facts.len)
	add := func(one T, n int32) {
		for _, pair := range e.paramsOf(id(one)) {
			counts[pair] += n
		}
	}
	for _, one := range all {
		add(one, 1)
	}

	for pair, ok := best(counts); ok; pair, ok = best(counts) {
		var group []T
		all = slices.DeleteFunc(all, func(one T) bool {
			if !slices.Contains(e.paramsOf(id(one)), pair) {
				return false
			}
			group = append(group, one)
			add(one, -1)
			return true
		})
		do(pair, group)
	}
}
