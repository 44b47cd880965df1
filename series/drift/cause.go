package drift

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"perfdata/series"
	"perfdata/unit"
)

// causes are the differences between series that are otherwise the same.
type causes struct {
	changes map[[2]uint32]*change // of pairs to others with the same key
	last    *change               // the one that was counted last, which is often the next
	moves   map[moveKey]*change

	renamed map[[2]uint32]bool
}

// A moveKey identifies a cause that is not a change of a value: its kind, and the keys on both
// sides.
type moveKey struct {
	kind string
	a, b uint32
}

// A change is a pair in the place of another one.
type change struct {
	from, to uint32
	first    uint64 // the view and the old series of a move that has these
	traces   int
	ratios   []float64 // of the values of some series, if the unit changed
}

func newCauses() causes {
	return causes{changes: make(map[[2]uint32]*change), last: new(change), moves: make(map[moveKey]*change),
		renamed: make(map[[2]uint32]bool)}
}

// change returns the change of a value.
func (c *causes) change(from, to uint32) *change {
	if c.last.from != from || c.last.to != to {
		key := [2]uint32{from, to}
		if c.changes[key] == nil {
			c.changes[key] = &change{from: from, to: to}
		}
		c.last = c.changes[key]
	}
	return c.last
}

// move counts a cause that is not a change of a value, with the pairs of a series as an example:
// the first series in the first view, because hashes decide the order of some.
func (e *explainer) move(kind string, of ref, from, to uint32) {
	key, first := moveKey{kind, e.key(from), e.key(to)}, uint64(e.views)<<32|uint64(of)
	x := e.causes.moves[key]
	if x == nil {
		x = &change{first: math.MaxUint64}
		e.causes.moves[key] = x
	}
	if x.traces++; first < x.first {
		x.from, x.to, x.first = from, to, first
	}
}

// tellMany counts the differences between several series that are matched.
func (e *explainer) tellMany(vanished, appeared []residue) {
	for i := range max(len(vanished), len(appeared)) {
		a, b := vanished[min(i, len(vanished)-1)].id, appeared[min(i, len(appeared)-1)].id
		if i < len(vanished) {
			e.tell(a, b)
		} else {
			e.ids.explain(b)
			e.noteValues(a, b)
		}
	}
	switch {
	case len(vanished) > 1 && len(appeared) == 1:
		e.eachDifference(vanished, func(k *key) { k.isMerging = k.isMerging || k.isRemoved })
	case len(vanished) == 1 && len(appeared) > 1:
		e.eachDifference(appeared, func(k *key) { k.isDividing = k.isDividing || k.isAdded })
	}
}

// eachDifference calls do with the keys in which series differ.
func (e *explainer) eachDifference(all []residue, do func(k *key)) {
	first := slices.Clone(e.params(all[0].id))
	for _, x := range all[1:] {
		for _, n := range e.params(x.id) {
			if k := &e.keys[e.key(n)]; !k.isSplitting && !slices.Contains(first, n) {
				do(k)
			}
		}
	}
}

// noteValues notes the values of a new series in changes of which others are counted already.
func (e *explainer) noteValues(old, new ref) {
	from, to := e.difference(old, new)
	for _, a := range from {
		for _, b := range to {
			if k := e.key(a); e.key(b) == k && k != e.name && !e.keys[k].isSplitting {
				e.causes.change(a, b)
			}
		}
	}
}

// difference returns the pairs that only one of two IDs has. The next call overwrites them.
func (e *explainer) difference(old, new ref) (from, to []uint32) {
	e.from, e.to = e.ids.appendParams(e.from[:0], old), e.ids.appendParams(e.to[:0], new)
	e.onlyFrom, e.onlyTo = appendOthers(e.onlyFrom[:0], e.from, e.to), appendOthers(e.onlyTo[:0], e.to, e.from)
	return e.onlyFrom, e.onlyTo
}

// appendOthers appends the pairs that are not among others, which are often at the same index.
func appendOthers(dst, pairs, others []uint32) []uint32 {
	for i, n := range pairs {
		if (i >= len(others) || others[i] != n) && !slices.Contains(others, n) {
			dst = append(dst, n)
		}
	}
	return dst
}

// tell explains two series that are matched, and counts the differences between them.
func (e *explainer) tell(old, new ref) {
	e.ids.explain(old)
	e.ids.explain(new)
	from, to := e.difference(old, new)
	take := func(is func(b uint32) bool) (b uint32, ok bool) { // removes a new pair
		i := slices.IndexFunc(to, is)
		if i < 0 {
			return 0, false
		}
		b = to[i]
		to = slices.Delete(to, i, i+1)
		return b, true
	}

	// The params that both have.
	oldName, newName, isSameUnit := noName, noName, true
	rest := from[:0]
	for _, a := range from {
		b, ok := take(func(b uint32) bool { return e.key(b) == e.key(a) })
		k := e.key(a)
		isUnit := isUnitKey(e.keys[k].name)
		switch {
		case !ok:
			rest = append(rest, a)
		case e.keys[k].isSplitting:
		case k == e.name:
			oldName, newName = a, b
		case !isUnit && e.pairs.spelling(a) == e.pairs.spelling(b):
			e.move(respelled, old, a, b)
		default:
			x := e.causes.change(a, b)
			x.traces++
			if isUnit && len(x.ratios) < maxRatios {
				x.ratios = append(x.ratios, e.ids.value(new, series.New)/e.ids.value(old, series.Old))
			}
			isSameUnit = isSameUnit && !isUnit
		}
	}

	// The params that one has: with another key, in the name, or not at all.
	hasPart := false
	isPart := func(part, in, notIn uint32) bool {
		is := oldName != noName && e.pairs.hasWords(in, part) && !e.pairs.hasWords(notIn, part)
		hasPart = hasPart || is
		return is
	}

	for _, a := range rest {
		b, ok := take(func(b uint32) bool { return e.pairs.spelling(a) == e.pairs.spelling(b) })
		switch {
		case ok:
			e.move(renamedKey, old, a, b)
		case isPart(a, newName, oldName):
			e.move(merged, old, a, newName)
		default:
			e.keys[e.key(a)].isRemoved = true
		}
	}

	for _, b := range to {
		if isPart(b, oldName, newName) {
			e.move(split, old, oldName, b)
		} else {
			e.keys[e.key(b)].isAdded = true
		}
	}
	if oldName != noName && !hasPart && (e.aliases == nil || e.aliases[newName] != oldName) {
		e.causes.renamed[[2]uint32{oldName, newName}] = true
	}
	if isSameUnit {
		e.jumps.add(new, e.ids.value(old, series.Old), e.ids.value(new, series.New))
	}
}

// Kinds of moves, and what noName is in the place of the number of a pair.
const (
	renamedKey  = "renamed key"
	respelled   = "respelled"
	merged      = "merged"
	split       = "split"
	renamedPart = "renamed part"
	replaced    = "replaced"

	replacedPart = "replaced part" // a text of replaced
	noName       = ^uint32(0)

	// maxRatios is the number of ratios of values that are kept for a change.
	maxRatios = 1001
)

// findMerged explains the series that lack a param now, so that they have the ID of another one,
// which was there before.
func (e *explainer) findMerged() {
	isGone := func(k *key) bool { return k.values[series.Old] > 0 && k.values[series.New] == 0 }
	e.vanished = e.dropWithout(e.vanished, isGone, func(old, new bool) bool { return old && new }, func(k *key) {
		k.isRemoved, k.isMerging = true, true
	})
}

// dropWithout returns IDs except the ones that have some keys and, without these keys, equal an ID
// on some sides. It calls note with these keys.
func (e *explainer) dropWithout(
	all []ref, isKey func(k *key) bool, isAmong func(old, new bool) bool, note func(k *key),
) []ref {
	v := make(view, len(e.keys))
	for k := range v {
		if isKey(&e.keys[k]) {
			v[k] = nothing
		}
	}
	if len(all) == 0 || !slices.Contains(v, nothing) {
		return all
	}

	aspects := e.aspects(v)
	var sums []uint64
	e.ids.all(func(id ref) {
		if isAmong(e.ids.sides(id)) {
			sums = append(sums, e.sum(id, aspects))
		}
	})

	slices.Sort(sums)
	return slices.DeleteFunc(all, func(id ref) bool {
		_, isThere := slices.BinarySearch(sums, e.sum(id, aspects))
		has := false
		for _, n := range e.params(id) {
			if k := e.key(n); isThere && v[k] == nothing {
				note(&e.keys[k])
				has = true
			}
		}
		return has
	})
}

// setCauses reports the counted causes.
func (e *explainer) setCauses() {
	names := func(is func(k *key) bool) []string {
		var all []string
		for i := range e.keys {
			if is(&e.keys[i]) {
				all = append(all, e.keys[i].name)
			}
		}
		slices.Sort(all)
		return all
	}
	r := &e.report
	r.AddingKeys = names(func(k *key) bool { return k.isAdded })
	r.RemovingKeys = names(func(k *key) bool { return k.isRemoved })
	r.DividingKeys = names(func(k *key) bool { return k.isDividing })
	r.MergingKeys = names(func(k *key) bool { return k.isMerging })
	e.setMoves()
	e.setChanges()
}

// setMoves reports the causes that are not changes of values. A key has one other name: that of
// most series.
func (e *explainer) setMoves() {
	most := make(map[uint32]int)
	for key, x := range e.causes.moves {
		if key.kind == renamedKey {
			most[key.a] = max(most[key.a], x.traces)
		}
	}
	for key, x := range e.causes.moves {
		if key.kind != renamedKey || x.traces == most[key.a] {
			e.report.Moves = append(e.report.Moves, Move{Kind: key.kind, Key: e.keys[key.a].name, NewKey: e.keys[key.b].name,
				From: e.pairs.shown(x.from), To: e.pairs.shown(x.to), Traces: x.traces})
		}
	}
	slices.SortFunc(e.report.Moves, func(a, b Move) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), b.Traces-a.Traces, strings.Compare(a.Key, b.Key),
			strings.Compare(a.NewKey, b.NewKey), slices.Compare(a.Part[:], b.Part[:]))
	})
}

// setChanges reports the changes of values: each, or all of a key as one if there are several
// that do not explain anything alone.
func (e *explainer) setChanges() {
	var all []Change
	counts := make(map[Change]*change)
	pools := make(map[string][]Change) // by the key
	for _, x := range e.causes.changes {
		one := Change{e.keyName(x.from), e.pairs.shown(x.from), e.pairs.shown(x.to), x.traces}
		all, counts[one] = append(all, one), x
	}

	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(b.Traces-a.Traces, strings.Compare(a.Key, b.Key),
			strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	for _, x := range all {
		if !isUnitKey(x.Key) {
			pools[x.Key] = append(pools[x.Key], x)
		}
	}

	var list []Change
	for _, x := range all {
		switch pool := pools[x.Key]; {
		case !isPool(pool):
			list = append(list, x)
		case x == pool[0]:
			e.report.Moves = append(e.report.Moves, newPool(pool))
		}
	}
	if i := slices.IndexFunc(list, func(x Change) bool { return isUnitKey(x.Key) }); i >= 0 {
		e.setFactor(list[i].From, list[i].To, counts[list[i]].ratios)
	}
	if len(list) > 0 {
		e.report.Changed, e.report.AlsoChanged = &list[0], list[1:]
	}
}

// isPool reports whether changes of a key are changes within a pool of values: more than two, or
// several of one value.
func isPool(all []Change) bool {
	return len(all) > 2 || len(all) == 2 && (all[0].From == all[1].From || all[0].To == all[1].To)
}

// newPool returns the changes of a key as one.
func newPool(all []Change) Move {
	m := Move{Kind: replaced, Key: all[0].Key, From: all[0].From, To: all[0].To, Part: commonPart(all[0].From, all[0].To)}
	from, to := make(map[string]bool), make(map[string]bool)
	for _, x := range all {
		from[x.From], to[x.To] = true, true
		m.Traces += x.Traces
		if commonPart(x.From, x.To) != m.Part {
			m.Part = [2]string{} // it is not the same in all changes
		}
	}
	m.Values = [2]int{len(from), len(to)}
	return m
}

// commonPart returns the parts in which two texts differ, if they begin or end with the same
// text: as far as separators.
func commonPart(a, b string) [2]string {
	start, end := commonPrefix(a, b), 0
	for start > 0 && isWord(a[start-1]) {
		start--
	}
	for end < len(a)-start && end < len(b)-start && a[len(a)-end-1] == b[len(b)-end-1] {
		end++
	}
	for end > 0 && isWord(a[len(a)-end]) {
		end--
	}
	if start+end == 0 {
		return [2]string{}
	}
	return [2]string{a[start : len(a)-end], b[start : len(b)-end]}
}

// setFactor says by what values are multiplied if their unit changed.
func (e *explainer) setFactor(from, to string, ratios []float64) {
	a, ok := unit.Parse(from)
	b, ok2 := unit.Parse(to)
	factor, ok3 := a.Convert(1, b)
	if !ok || !ok2 || !ok3 || len(ratios) == 0 {
		return
	}
	slices.Sort(ratios)
	measured := ratios[len(ratios)/2]
	exact := measured > factor/5 && measured < factor*5
	e.report.ValueFactor, e.report.Exact = &factor, &exact
}
