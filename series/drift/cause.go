package drift

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"perfdata/series"
	"perfdata/unit"
)

// A cause is a difference between series that are otherwise the same.
type cause struct {
	from, to uint32 // the pairs of a series that has it
	first    uint64 // the view and the old series of these
	traces   int
	ratios   []float64 // of the values of some series, if the unit changed
}

// A causeKey identifies a cause: by pairs if it is changed or renamed, and otherwise by the keys on
// both sides.
type causeKey struct {
	kind     string
	from, to uint32
}

// Kinds of causes.
const (
	changed    = "changed"
	renamed    = "renamed"
	renamedKey = "renamed key"
	respelled  = "respelled"
	merged     = "merged"
	split      = "split"

	renamedPart  = "renamed part"
	replaced     = "replaced"
	replacedPart = "replaced part" // a text of replaced
)

const (
	noName    = ^uint32(0) // in the place of the number of a pair
	maxRatios = 1001       // that are kept for a change
)

// cause returns the cause with a key.
func (e *explainer) cause(kind string, from, to uint32) *cause {
	key := causeKey{kind, from, to}
	x := e.causes[key]
	if x == nil {
		x = &cause{from: from, to: to, first: math.MaxUint64}
		e.causes[key] = x
	}
	return x
}

// move counts a cause that is not a change of a value, with the pairs of a series as an example:
// the first series in the first view, because hashes decide the order of some.
func (e *explainer) move(kind string, of, from, to uint32) {
	x, first := e.cause(kind, e.key(from), e.key(to)), uint64(e.views)<<32|uint64(of)
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
			e.isExplained[b] = true
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

// eachDifference calls do with the keys in which series differ from the first one.
func (e *explainer) eachDifference(all []residue, do func(k *key)) {
	for _, x := range all[1:] {
		_, others := e.difference(all[0].id, x.id)
		for _, n := range others {
			if k := &e.keys[e.key(n)]; !k.isSplitting {
				do(k)
			}
		}
	}
}

// noteValues notes the values of a new series in changes of which others are counted already.
func (e *explainer) noteValues(old, new uint32) {
	from, to := e.difference(old, new)
	for _, a := range from {
		for _, b := range to {
			if k := e.key(a); e.key(b) == k && k != e.name && !e.keys[k].isSplitting {
				e.cause(changed, a, b)
			}
		}
	}
}

// difference returns the pairs that only one of two IDs has. The next call overwrites them.
func (e *explainer) difference(old, new uint32) (from, to []uint32) {
	for side, id := range [2]uint32{old, new} {
		e.params[side] = e.ids.appendParams(e.params[side][:0], id)
	}
	for side := range e.onlyIn {
		pairs, others := e.params[side], e.params[1-side]
		e.onlyIn[side] = e.onlyIn[side][:0]
		for i, n := range pairs { // which are often at the same index
			if (i >= len(others) || others[i] != n) && !slices.Contains(others, n) {
				e.onlyIn[side] = append(e.onlyIn[side], n)
			}
		}
	}
	return e.onlyIn[series.Old], e.onlyIn[series.New]
}

// tell explains two series that are matched, and counts the differences between them.
func (e *explainer) tell(old, new uint32) {
	e.isExplained[old], e.isExplained[new] = true, true
	from, to := e.difference(old, new)
	oldValue, newValue := e.ids.value(old, series.Old), e.ids.value(new, series.New)

	// The params that both have.
	oldName, newName, isSameUnit := noName, noName, true
	from, to = pairUp(from, to, func(a, b uint32) bool { return e.key(a) == e.key(b) }, func(a, b uint32) {
		k := e.key(a)
		isUnit := isUnitKey(e.keys[k].name)
		switch {
		case e.keys[k].isSplitting:
		case k == e.name:
			oldName, newName = a, b
		case !isUnit && e.spelling(a) == e.spelling(b):
			e.move(respelled, old, a, b)
		default:
			x := e.cause(changed, a, b)
			x.traces++
			if isUnit && len(x.ratios) < maxRatios {
				x.ratios = append(x.ratios, newValue/oldValue)
			}
			isSameUnit = isSameUnit && !isUnit
		}
	})

	// The params that one has: with another key, in the name, or not at all.
	from, to = pairUp(from, to, func(a, b uint32) bool { return e.spelling(a) == e.spelling(b) }, func(a, b uint32) {
		e.move(renamedKey, old, a, b)
	})
	hasPart := false
	isPart := func(part, in, notIn uint32) bool {
		is := oldName != noName && e.hasWords(in, part) && !e.hasWords(notIn, part)
		hasPart = hasPart || is
		return is
	}
	for _, a := range from {
		if isPart(a, newName, oldName) {
			e.move(merged, old, a, newName)
		} else {
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

	if oldName != noName && !hasPart && e.alias(newName) != oldName {
		e.cause(renamed, oldName, newName)
	}
	if isSameUnit {
		e.jumps.add(new, oldValue, newValue)
	}
}

// pairUp calls do with each old pair and the first new one that fits. It returns the others.
func pairUp(from, to []uint32, fits func(a, b uint32) bool, do func(a, b uint32)) (restFrom, restTo []uint32) {
	restFrom = from[:0]
	for _, a := range from {
		i := slices.IndexFunc(to, func(b uint32) bool { return fits(a, b) })
		if i < 0 {
			restFrom = append(restFrom, a)
			continue
		}
		b := to[i]
		to = slices.Delete(to, i, i+1)
		do(a, b)
	}
	return restFrom, to
}

// findMerged explains the series that lack a param now, so that they have the ID of another one,
// which was there before.
func (e *explainer) findMerged() {
	isGone := func(k uint32) bool { return e.keys[k].values[series.Old] > 0 && e.keys[k].values[series.New] == 0 }
	isOnBoth := func(id uint32) bool { return e.ids.isOn(series.Old, id) && e.ids.isOn(series.New, id) }
	e.dropWithout(series.Old, isGone, isOnBoth, func(k *key) {
		k.isRemoved, k.isMerging = true, true
	})
}

// A change is a Change, and the ratios of the values of some series if the unit changed.
type change struct {
	Change
	ratios []float64
}

// setCauses reports the counted causes.
func (e *explainer) setCauses() {
	r := &e.report
	r.AddingKeys = e.keyNames(func(k *key) bool { return k.isAdded })
	r.RemovingKeys = e.keyNames(func(k *key) bool { return k.isRemoved })
	r.DividingKeys = e.keyNames(func(k *key) bool { return k.isDividing })
	r.MergingKeys = e.keyNames(func(k *key) bool { return k.isMerging })

	most := make(map[uint32]int) // of the series with a key that is renamed
	for key, x := range e.causes {
		if key.kind == renamedKey {
			most[key.from] = max(most[key.from], x.traces)
		}
	}

	var changes []change
	var renames []causeKey
	for key, x := range e.causes {
		from, to := e.shown(x.from), e.shown(x.to)
		switch {
		case key.kind == changed:
			changes = append(changes, change{Change{e.keyName(x.from), from, to, x.traces}, x.ratios})
		case key.kind == renamed:
			renames = append(renames, key)
		case key.kind != renamedKey || x.traces == most[key.from]: // a key has one other name: that of most series
			r.Moves = append(r.Moves, Move{Kind: key.kind, Key: e.keyName(x.from), NewKey: e.keyName(x.to),
				From: from, To: to, Traces: x.traces})
		}
	}
	slices.SortFunc(r.Moves, func(a, b Move) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), b.Traces-a.Traces, strings.Compare(a.Key, b.Key),
			strings.Compare(a.NewKey, b.NewKey), slices.Compare(a.Part[:], b.Part[:]))
	})
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(b.Traces-a.Traces, strings.Compare(a.Key, b.Key),
			strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	e.setChanges(changes)

	slices.SortFunc(renames, func(a, b causeKey) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	for _, x := range renames {
		r.Renamed = append(r.Renamed, Rename{e.keyName(x.from), e.shown(x.from), e.shown(x.to)})
	}

	slices.SortFunc(r.AlsoPattern, func(a, b Pattern) int {
		return cmp.Or(b.Traces-a.Traces, strings.Compare(a.FromSuffix+" "+a.ToSuffix, b.FromSuffix+" "+b.ToSuffix),
			strings.Compare(a.FromPrefix+" "+a.ToPrefix, b.FromPrefix+" "+b.ToPrefix))
	})
	if len(r.AlsoPattern) > 0 {
		r.Pattern, r.AlsoPattern = &r.AlsoPattern[0], r.AlsoPattern[1:]
	}
}

// setChanges reports the sorted changes of values: each, or all of a key as one if there are
// several that do not explain anything alone; and by what values are multiplied if their unit changed.
func (e *explainer) setChanges(all []change) {
	r, byKey := &e.report, make(map[string][]change)
	for _, x := range all {
		byKey[x.Key] = append(byKey[x.Key], x)
	}

	var list []Change
	for _, x := range all {
		pool := byKey[x.Key] // of values: more than two changes, or several of one value
		isPool := len(pool) > 2 || len(pool) == 2 && (pool[0].From == pool[1].From || pool[0].To == pool[1].To)
		switch {
		case isUnitKey(x.Key) || !isPool:
			list = append(list, x.Change)
		case x.Change == pool[0].Change:
			r.Moves = append(r.Moves, newPool(pool))
		}
	}
	if i := slices.IndexFunc(all, func(x change) bool { return isUnitKey(x.Key) }); i >= 0 {
		a, ok := unit.Parse(all[i].From)
		b, ok2 := unit.Parse(all[i].To)
		ratios := all[i].ratios
		slices.Sort(ratios)
		if factor, ok3 := a.Convert(1, b); ok && ok2 && ok3 && len(ratios) > 0 {
			measured := ratios[len(ratios)/2]
			exact := measured > factor/5 && measured < factor*5
			r.ValueFactor, r.Exact = &factor, &exact
		}
	}
	if len(list) > 0 {
		r.Changed, r.AlsoChanged = &list[0], list[1:]
	}
}

// newPool returns the changes of a key as one.
func newPool(all []change) Move {
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
