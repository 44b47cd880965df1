package drift

import (
	"cmp"
	"slices"
	"strings"

	"perfdata/unit"
)

// Series are matched by what is left of their params without some keys. A residue is that of one.
type residue struct {
	sum uint64
	id  ref
}

// matchedAtOnce is the number of residues, of each side, that are in memory.
const matchedAtOnce = 600_000

// residues returns the residues of IDs without some keys, sorted: one part of them.
func (e *explainer) residues(all []ref, dropped []bool, part, parts uint64) []residue {
	out := make([]residue, 0, len(all)/int(parts)+len(all)/32+64)
	for _, id := range all {
		if sum := e.ids.sum(id, dropped); sum%parts == part {
			out = append(out, residue{sum, id})
		}
	}
	sortResidues(out)
	return out
}

func sortResidues(all []residue) {
	slices.SortFunc(all, func(a, b residue) int {
		switch {
		case a.sum < b.sum:
			return -1
		case a.sum > b.sum:
			return 1
		}
		return cmp.Compare(a.id, b.id)
	})
}

// eachMatch calls do with the vanished and the appeared IDs that are equal without some keys.
func (e *explainer) eachMatch(drop func(key uint32) bool, do func(vanished, appeared []residue)) {
	parts := uint64(max(len(e.vanished), len(e.appeared)))/matchedAtOnce + 1
	dropped := make([]bool, e.pairs.len) // by pair: these are less memory than the pairs
	e.pairs.all(func(n uint32, x *pair) { dropped[n] = drop(x.key) })
	for part := range parts {
		matchSorted(e.residues(e.vanished, dropped, part, parts), e.residues(e.appeared, dropped, part, parts), do)
	}
}

// matchSorted calls do with the residues that are equal.
func matchSorted(a, b []residue, do func(vanished, appeared []residue)) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].sum < b[0].sum:
			a = a[1:]
		case a[0].sum > b[0].sum:
			b = b[1:]
		default:
			i, j := run(a), run(b)
			do(a[:i], b[:j])
			a, b = a[i:], b[j:]
		}
	}
}

// run returns the number of residues at the beginning that are equal.
func run(all []residue) int {
	n := 1
	for n < len(all) && all[n].sum == all[0].sum {
		n++
	}
	return n
}

// removeExplained removes the IDs that are explained from the lists.
func (e *explainer) removeExplained() {
	e.vanished = slices.DeleteFunc(e.vanished, e.ids.isExplained)
	e.appeared = slices.DeleteFunc(e.appeared, e.ids.isExplained)
}

// key returns the key of a pair.
func (e *explainer) key(number uint32) uint32 { return e.pairs.at(number).key }

// params returns the numbers of the params of an ID. The next call overwrites them.
func (e *explainer) params(id ref) []uint32 {
	e.memory = e.ids.appendParams(e.memory[:0], id)
	return e.memory
}

// dropSplitting explains the series that differ in splitting keys only, if these are on both sides.
func (e *explainer) dropSplitting() {
	if len(e.report.SplittingKeys) == 0 {
		return
	}
	e.eachMatch(func(k uint32) bool { return e.splitting[k] && e.values[k][Old] > 0 && e.values[k][New] > 0 },
		func(vanished, appeared []residue) { e.explain(vanished, appeared) })
	e.removeExplained()
}

// explain notes that IDs are explained.
func (e *explainer) explain(lists ...[]residue) {
	for _, list := range lists {
		for _, x := range list {
			e.ids.explain(x.id)
		}
	}
}

// findAdded explains the series that have more params than before, or fewer.
func (e *explainer) findAdded() {
	has := [2][]bool{make([]bool, len(e.pairs.keys)), make([]bool, len(e.pairs.keys))}
	for n, on := range e.sides() {
		k := e.key(uint32(n))
		has[Old][k] = has[Old][k] || on&(1<<Old) != 0
		has[New][k] = has[New][k] || on&(1<<New) != 0
	}
	if slices.Equal(has[Old], has[New]) {
		return
	}

	keys := [2]map[string]bool{{}, {}}
	e.eachMatch(func(k uint32) bool { return has[Old][k] != has[New][k] || e.splitting[k] },
		func(vanished, appeared []residue) {
			e.explain(vanished, appeared)
			for side, list := range [][]residue{vanished, appeared} {
				for _, n := range e.params(list[0].id) {
					if k := e.key(n); !has[1-side][k] {
						keys[side][e.pairs.keys[k].name] = true
					}
				}
			}
		})
	e.report.RemovingKeys, e.report.AddingKeys = sorted(keys[Old]), sorted(keys[New])
	e.removeExplained()
}

func sorted(set map[string]bool) []string {
	var all []string
	for s := range set {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// findChanged explains the series in which params other than the name have another value.
func (e *explainer) findChanged() {
	keys := e.differing()
	if len(keys) == 0 {
		return
	}
	found := changes{numbers: make(map[[2]uint32]int)}
	attempts := [][]uint32{keys}
	if len(keys) > 1 {
		for _, k := range keys {
			attempts = append(attempts, []uint32{k})
		}
	}
	for _, attempt := range attempts {
		e.matchChanged(attempt, &found)
	}

	changes := make([]Change, 0, len(found.all))
	var units *change
	for i := range found.all {
		x := &found.all[i]
		name := e.pairs.keys[e.key(x.from)].name
		changes = append(changes, Change{name, e.pairs.shown(x.from), e.pairs.shown(x.to), x.traces})
		if (name == "unit" || name == "units") && (units == nil || x.traces > units.traces) {
			units = x
		}
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(b.Traces-a.Traces, strings.Compare(a.Key, b.Key), strings.Compare(a.From, b.From),
			strings.Compare(a.To, b.To))
	})
	if len(changes) > 0 {
		e.report.Changed, e.report.AlsoChanged = &changes[0], changes[1:]
	}
	if units != nil {
		e.setFactor(e.pairs.shown(units.from), e.pairs.shown(units.to), units.ratios)
	}
}

// sides returns of each pair on which sides it is in IDs that nothing explains.
func (e *explainer) sides() []uint8 {
	sides := make([]uint8, e.pairs.len)
	for side, all := range [][]ref{e.vanished, e.appeared} {
		for _, id := range all {
			for _, n := range e.params(id) {
				sides[n] |= 1 << side
			}
		}
	}
	return sides
}

// differing returns the keys, except the name, that have a value on one side that the other one lacks.
func (e *explainer) differing() []uint32 {
	var has [2]map[uint32]bool
	has[Old], has[New] = make(map[uint32]bool), make(map[uint32]bool)
	for n, on := range e.sides() {
		if k := e.key(uint32(n)); on == 1<<Old || on == 1<<New {
			has[on>>1][k] = true
		}
	}
	var keys []uint32
	for k := range e.pairs.keys {
		if k := uint32(k); k != e.name && has[Old][k] && has[New][k] {
			keys = append(keys, k)
		}
	}
	return keys
}

// changes counts the changes of params.
type changes struct {
	all     []change
	numbers map[[2]uint32]int // in all, by the pairs
	last    int
}

// A change is a pair in the place of another one with the same key.
type change struct {
	from, to uint32
	traces   int
	ratios   []float64 // of the values of some series
}

// of returns a change, which is often the last one.
func (c *changes) of(from, to uint32) *change {
	if c.last < len(c.all) && c.all[c.last].from == from && c.all[c.last].to == to {
		return &c.all[c.last]
	}
	n, ok := c.numbers[[2]uint32{from, to}]
	if !ok {
		n = len(c.all)
		c.numbers[[2]uint32{from, to}] = n
		c.all = append(c.all, change{from: from, to: to})
	}
	c.last = n
	return &c.all[n]
}

// matchChanged explains the series that differ in some keys only, where it is clear which is which. It
// counts the changes, and keeps some ratios of the values.
func (e *explainer) matchChanged(keys []uint32, found *changes) {
	// The matches are sorted by hash. To look at the IDs in their own order saves a third of the time of
	// a million changes: they are too many for the processor's caches.
	matches := make([]uint64, 0, min(len(e.vanished), len(e.appeared))) // two IDs
	e.eachMatch(func(k uint32) bool { return slices.Contains(keys, k) || e.splitting[k] },
		func(vanished, appeared []residue) {
			if len(vanished) == 1 && len(appeared) == 1 {
				matches = append(matches, uint64(vanished[0].id)<<32|uint64(appeared[0].id))
			}
		})
	slices.Sort(matches)

	var from, to []uint32
	for _, match := range matches {
		old, new := ref(match>>32), ref(match)
		from, to = e.ids.appendParams(from[:0], old), e.ids.appendParams(to[:0], new)
		for i, a := range from {
			if i < len(to) && to[i] == a {
				continue // as most are
			}
			k := e.key(a)
			if !slices.Contains(keys, k) {
				continue
			}
			for j := range to {
				b := to[(i+j)%len(to)] // most are in the same place
				if e.key(b) != k {
					continue
				}
				if a != b {
					x := found.of(a, b)
					x.traces++
					if len(x.ratios) < maxRatios {
						x.ratios = append(x.ratios, e.ids.value(new)/e.ids.value(old))
					}
				}
				break
			}
		}
		e.ids.explain(old)
		e.ids.explain(new)
	}
	e.removeExplained()
}

// maxRatios is the number of ratios of values that are kept for a change.
const maxRatios = 1001

// setFactor says by what values are multiplied if their unit changed.
func (e *explainer) setFactor(from, to string, ratios []float64) {
	a, ok := unit.Parse(from)
	b, ok2 := unit.Parse(to)
	factor, ok3 := a.Convert(1, b)
	if !ok || !ok2 || !ok3 {
		return
	}
	slices.Sort(ratios)
	measured := ratios[len(ratios)/2]
	exact := measured > factor/5 && measured < factor*5
	e.report.ValueFactor, e.report.Exact = &factor, &exact
}
