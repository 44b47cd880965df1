package drift

import (
	"cmp"
	"slices"
	"strings"

	"perfdata/unit"
)

// causes counts what differs between series that are the same otherwise.
type causes struct {
	changes        changes
	moves          map[moveKey]*change
	added, removed map[uint32]bool // keys
	merging        map[uint32]bool // removed keys without which several series are one
	dividing       map[uint32]bool // added keys by which one series is several
	renamed        map[[2]uint32]bool
}

// A moveKey identifies a cause that is not a change of a value: its kind, and the keys on both
// sides.
type moveKey struct {
	kind string
	a, b uint32
}

// changes counts the changes of values.
type changes struct {
	all     []change
	numbers map[[2]uint32]int // in all, by the pairs
	last    int
}

// A change is a pair in the place of another one.
type change struct {
	from, to uint32
	traces   int
	ratios   []float64 // of the values of some series, if the unit changed
}

func newCauses() causes {
	return causes{changes: changes{numbers: make(map[[2]uint32]int)}, moves: make(map[moveKey]*change),
		added: make(map[uint32]bool), removed: make(map[uint32]bool), merging: make(map[uint32]bool),
		dividing: make(map[uint32]bool), renamed: make(map[[2]uint32]bool)}
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

// move counts a cause that is not a change of a value, of which the pairs are an example.
func (e *explainer) move(kind string, from, to uint32) {
	key := moveKey{kind, e.key(from), e.key(to)}
	if e.causes.moves[key] == nil {
		e.causes.moves[key] = &change{from: from, to: to}
	}
	e.causes.moves[key].traces++
}

// tellMany counts what differs between several series that are matched.
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
		e.noteKeys(vanished, e.causes.removed, e.causes.merging)
	case len(vanished) == 1 && len(appeared) > 1:
		e.noteKeys(appeared, e.causes.added, e.causes.dividing)
	}
}

// noteKeys notes the keys, of some, in which series differ.
func (e *explainer) noteKeys(all []residue, among, to map[uint32]bool) {
	first := slices.Clone(e.params(all[0].id))
	for _, x := range all[1:] {
		for _, n := range e.params(x.id) {
			if k := e.key(n); among[k] && !e.keys[k].isSplitting && !slices.Contains(first, n) {
				to[k] = true
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
				e.causes.changes.of(a, b)
			}
		}
	}
}

// difference returns the pairs that only one of two IDs has. The next call overwrites them.
func (e *explainer) difference(old, new ref) (from, to []uint32) {
	e.from, e.to = e.ids.appendParams(e.from[:0], old), e.ids.appendParams(e.to[:0], new)
	from, to = e.onlyFrom[:0], e.onlyTo[:0]
	for i, n := range e.from {
		if (i >= len(e.to) || e.to[i] != n) && !slices.Contains(e.to, n) {
			from = append(from, n)
		}
	}
	for i, n := range e.to {
		if (i >= len(e.from) || e.from[i] != n) && !slices.Contains(e.from, n) {
			to = append(to, n)
		}
	}
	e.onlyFrom, e.onlyTo = from, to
	return from, to
}

// tell explains two series that are matched, and counts what differs between them.
func (e *explainer) tell(old, new ref) {
	e.ids.explain(old)
	e.ids.explain(new)
	from, to := e.difference(old, new)
	oldName, newName, isSameUnit := noName, noName, true
	hasSame := func(a uint32) func(b uint32) bool {
		return func(b uint32) bool { return e.key(b) == e.key(a) }
	}

	// The params that both have.
	rest := from[:0]
	for _, a := range from {
		j := slices.IndexFunc(to, hasSame(a))
		if j < 0 {
			rest = append(rest, a)
			continue
		}
		b, k := to[j], e.key(a)
		to = slices.Delete(to, j, j+1)
		isUnit := isUnitKey(e.keys[k].name)
		switch {
		case e.keys[k].isSplitting:
		case k == e.name:
			oldName, newName = a, b
		case !isUnit && e.pairs.spelling(a) == e.pairs.spelling(b):
			e.move(respelled, a, b)
		default:
			x := e.causes.changes.of(a, b)
			x.traces++
			if isUnit {
				isSameUnit = false
				if len(x.ratios) < maxRatios {
					x.ratios = append(x.ratios, e.ids.value(new, New)/e.ids.value(old, Old))
				}
			}
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
		j := slices.IndexFunc(to, func(b uint32) bool { return e.pairs.spelling(a) == e.pairs.spelling(b) })
		switch {
		case j >= 0:
			e.move(renamedKey, a, to[j])
			to = slices.Delete(to, j, j+1)
		case isPart(a, newName, oldName):
			e.move(merged, a, newName)
		default:
			e.causes.removed[e.key(a)] = true
		}
	}
	for _, b := range to {
		if isPart(b, oldName, newName) {
			e.move(split, oldName, b)
		} else {
			e.causes.added[e.key(b)] = true
		}
	}
	if oldName != noName && !hasPart && (e.aliases == nil || e.aliases[newName] != oldName) {
		e.causes.renamed[[2]uint32{oldName, newName}] = true
	}
	if isSameUnit {
		e.jumps.add(new, e.ids.value(old, Old), e.ids.value(new, New))
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
	noName      = ^uint32(0)

	// maxRatios is the number of ratios of values that are kept for a change.
	maxRatios = 1001
)

// findMerged explains the series that lack a param now, so that they have the ID of another one,
// which was there before.
func (e *explainer) findMerged() {
	isGone := func(k uint32) bool { return e.keys[k].values[Old] > 0 && e.keys[k].values[New] == 0 }
	e.vanished = e.dropWithout(e.vanished, isGone, func(old, new bool) bool { return old && new }, func(k uint32) {
		e.causes.removed[k], e.causes.merging[k] = true, true
	})
}

// dropWithout returns IDs without those that have some keys, and are, without them, one of those on some sides.
// It calls note with these keys.
func (e *explainer) dropWithout(
	all []ref, isKey func(k uint32) bool, isAmong func(old, new bool) bool, note func(k uint32),
) []ref {
	v := make(view, len(e.keys))
	for k := range v {
		if isKey(uint32(k)) {
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
				note(k)
				has = true
			}
		}
		return has
	})
}

// setCauses reports what was counted.
func (e *explainer) setCauses() {
	c := &e.causes
	names := func(set map[uint32]bool) []string {
		var all []string
		for k := range set {
			all = append(all, e.keys[k].name)
		}
		slices.Sort(all)
		return all
	}
	r := &e.report
	r.AddingKeys, r.RemovingKeys = names(c.added), names(c.removed)
	r.DividingKeys, r.MergingKeys = names(c.dividing), names(c.merging)
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
		if key.kind == renamedKey && x.traces < most[key.a] {
			continue
		}
		m := Move{Kind: key.kind, Key: e.keys[key.a].name, NewKey: e.keys[key.b].name,
			From: e.pairs.shown(x.from), To: e.pairs.shown(x.to), Traces: x.traces}
		e.report.Moves = append(e.report.Moves, m)
	}
	sortMoves(e.report.Moves)
}

func sortMoves(all []Move) {
	slices.SortFunc(all, func(a, b Move) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), b.Traces-a.Traces, strings.Compare(a.Key, b.Key),
			strings.Compare(a.NewKey, b.NewKey), slices.Compare(a.Part[:], b.Part[:]))
	})
}

// setChanges reports the changes of values: each, or all of a key as one if there are several
// that are no explanation alone.
func (e *explainer) setChanges() {
	all := e.causes.changes.all
	name := func(n uint32) string { return e.keyName(n) }
	slices.SortFunc(all, func(a, b change) int {
		if c := cmp.Or(b.traces-a.traces, strings.Compare(name(a.from), name(b.from))); c != 0 {
			return c
		}
		return cmp.Or(strings.Compare(e.pairs.shown(a.from), e.pairs.shown(b.from)),
			strings.Compare(e.pairs.shown(a.to), e.pairs.shown(b.to)))
	})
	byKey := make(map[uint32][]change)
	for _, x := range all {
		byKey[e.key(x.from)] = append(byKey[e.key(x.from)], x)
	}

	var list []Change
	hasUnit := false
	for _, x := range all {
		k := e.key(x.from)
		name := e.keys[k].name
		if !isUnitKey(name) && isPool(byKey[k]) {
			if byKey[k][0].from == x.from && byKey[k][0].to == x.to {
				e.report.Moves = append(e.report.Moves, e.pool(name, byKey[k]))
			}
			continue
		}
		list = append(list, Change{name, e.pairs.shown(x.from), e.pairs.shown(x.to), x.traces})
		if isUnitKey(name) && !hasUnit {
			hasUnit = true
			e.setFactor(e.pairs.shown(x.from), e.pairs.shown(x.to), x.ratios)
		}
	}
	if len(list) > 0 {
		e.report.Changed, e.report.AlsoChanged = &list[0], list[1:]
	}
}

// isPool reports whether changes of a key are those of a pool of values: more than two, or
// several of one value.
func isPool(all []change) bool {
	return len(all) > 2 || len(all) == 2 && (all[0].from == all[1].from || all[0].to == all[1].to)
}

// pool returns the changes of a key as one.
func (e *explainer) pool(key string, all []change) Move {
	m := Move{Kind: replaced, Key: key, From: e.pairs.shown(all[0].from), To: e.pairs.shown(all[0].to)}
	values := [2]map[uint32]bool{{}, {}}
	for _, x := range all {
		values[Old][x.from], values[New][x.to] = true, true
		m.Traces += x.traces
	}
	m.Values = [2]int{len(values[Old]), len(values[New])}

	// What is the same in all changes is more than an example.
	m.Part = commonPart(m.From, m.To)
	for _, x := range all {
		if commonPart(e.pairs.shown(x.from), e.pairs.shown(x.to)) != m.Part {
			m.Part = [2]string{}
			break
		}
	}
	return m
}

// commonPart returns the parts in which two texts differ, if they begin or end with the same
// text: as far as separators.
func commonPart(a, b string) [2]string {
	start, end := 0, 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
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
