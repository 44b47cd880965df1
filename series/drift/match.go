package drift

import (
	"cmp"
	"slices"

	"perfdata/series"
)

// An explainer explains why IDs vanished and appeared.
type explainer struct {
	*pairs
	ids    *ids
	report Report
	name   uint32 // the key that names benchmarks

	rest        [2][]uint32 // the IDs that only one side has, and that nothing explains
	isExplained []bool      // of all IDs
	causes      map[causeKey]*cause
	aliases     []uint32 // of each pair: the name before, or the pair; nil if no name changed
	views       int      // that were tried
	jumps       jumps

	params [3][]uint32 // scratch: of IDs
	onlyIn [2][]uint32
}

// A view says, for each key, what of its values is compared.
type view []aspect

// An aspect is what of a value is compared.
type aspect uint8

const (
	wholeValue aspect = iota
	nothing
	itsSpelling // what its spellings have in common
	itsWords    // in whatever param they are
)

// with returns the view with another aspect of some keys.
func (v view) with(a aspect, keys ...uint32) view {
	v = slices.Clone(v)
	for _, k := range keys {
		v[k] = a
	}
	return v
}

// without returns a view without some keys, if there are any.
func (e *explainer) without(is func(k uint32) bool) (v view, ok bool) {
	v = make(view, len(e.keys))
	for k := range v {
		if is(uint32(k)) {
			v[k], ok = nothing, true
		}
	}
	return v, ok
}

// paramsOf returns the numbers of the params of an ID. The next call overwrites them.
func (e *explainer) paramsOf(id uint32) []uint32 {
	e.params[2] = e.ids.appendParams(e.params[2][:0], id)
	return e.params[2]
}

// sum returns the sum of the hashes of the parts of an ID that a view compares.
func (e *explainer) sum(id uint32, v view) (sum uint64) {
	for _, n := range e.paramsOf(id) {
		switch v[e.key(n)] {
		case wholeValue:
			sum += hash(e.alias(n))
		case itsSpelling:
			sum += e.spelling(n) * (2*uint64(e.key(n)) + 1)
		case itsWords: // in any order: if a param became a part of a name, the words of both are those of the new name
			for _, word := range e.words(n) {
				sum += hash(uint32(word>>32)) ^ word
			}
		}
	}
	return sum
}

// alias returns the name that a benchmark had before, or else the pair.
func (e *explainer) alias(n uint32) uint32 {
	if e.aliases == nil {
		return n
	}
	return e.aliases[n]
}

// Series are matched by the params that remain in a view of them. A residue is the rest of one
// series.
type residue struct {
	sum uint64
	id  uint32
}

// matchedAtOnce is the number of residues, of each side, that are in memory.
const matchedAtOnce = 600_000

// matchEqual calls do with the residues that are equal, in their order. It sorts both lists.
func matchEqual(sides [2][]residue, do func(vanished, appeared []residue)) {
	for _, all := range sides {
		sortResidues(all)
	}
	for a, b := sides[0], sides[1]; len(a) > 0 && len(b) > 0; {
		i, j := run(a, min(a[0].sum, b[0].sum)), run(b, min(a[0].sum, b[0].sum))
		if i > 0 && j > 0 {
			do(a[:i], b[:j])
		}
		a, b = a[i:], b[j:]
	}
}

func sortResidues(all []residue) {
	slices.SortFunc(all, func(a, b residue) int {
		if c := cmp.Compare(a.sum, b.sum); c != 0 {
			return c
		}
		return cmp.Compare(a.id, b.id)
	})
}

// run returns the number of residues at the beginning that have a sum.
func run(all []residue, sum uint64) (n int) {
	for n < len(all) && all[n].sum == sum {
		n++
	}
	return n
}

// findKeys finds out how the IDs that nothing explains use the keys.
func (e *explainer) findKeys() {
	sides := make([]uint8, e.facts.len) // of the pairs
	for side, all := range e.rest {
		for _, id := range all {
			for _, n := range e.paramsOf(id) {
				sides[n] |= 1 << side
			}
		}
	}

	has, lacks, shared := make([]uint8, len(e.keys)), make([]uint8, len(e.keys)), make([]bool, len(e.keys))
	for n, on := range sides {
		x := e.facts.at(uint32(n))
		has[x.key] |= on
		if on != bothSides {
			lacks[x.key] |= on
		}
		if on != 0 && x.isOn(series.Old) && x.isOn(series.New) {
			shared[x.key] = true
		}
	}

	for i := range e.keys {
		k := &e.keys[i]
		k.isOneSided = has[i] == 1<<series.Old || has[i] == 1<<series.New
		k.isChanged = lacks[i] == bothSides && uint32(i) != e.name && !k.isSplitting
		k.isPure = k.isChanged && !shared[i]
	}
}

// maxAlone is the number of keys that are also tried alone: keys that changed, and keys of one
// side.
const maxAlone = 3

// findMatches explains the series that are equal in a view. It tries views from the one that
// ignores least to views that allow for several causes at once.
func (e *explainer) findMatches() {
	e.findKeys()
	base, _ := e.without(func(k uint32) bool { return e.keys[k].isSplitting })
	var oneSided, changed []uint32
	for i, k := range e.keys {
		if k.isChanged && !isUnitKey(k.name) {
			base[i] = itsSpelling
		}
		if k.isOneSided && uint32(i) != e.name {
			oneSided = append(oneSided, uint32(i))
		}
		if k.isChanged {
			changed = append(changed, uint32(i))
		}
	}

	// The params that only one side has may be words of the name, or of each other: all of them, or one,
	// while the others are ignored.
	unsided := base.with(nothing, oneSided...)
	moved := []view{base}
	if len(oneSided) > 0 {
		moved[0] = base.with(itsWords, append(oneSided, e.name)...)
	}
	for _, k := range oneSided[:min(len(oneSided), maxAlone)] {
		moved = append(moved, unsided.with(itsWords, k, e.name))
	}

	views := []view{base, moved[0], unsided, base.with(nothing, changed...)}
	alone := changed[:min(len(changed), maxAlone)]
	for _, k := range alone {
		views = append(views, base.with(nothing, k))
	}
	for _, v := range append(moved, unsided) {
		views = append(views, v, v.with(nothing, changed...))
	}
	for _, k := range alone {
		views = append(views, moved[0].with(nothing, k), unsided.with(nothing, k))
	}

	for i, v := range views {
		isTried := slices.ContainsFunc(views[:i], func(w view) bool { return slices.Equal(v, w) })
		if !isTried && len(e.rest[series.Old]) > 0 && len(e.rest[series.New]) > 0 {
			e.match(v)
		}
	}
}

// match explains the series that are equal in a view, where it is clear which is which: or if the
// sides share no value of the params that are ignored, so that it does not matter.
func (e *explainer) match(v view) {
	e.views++
	isClear := true
	for k := range v {
		isClear = isClear && v[k] != itsWords && !(v[k] == nothing && e.keys[k].isChanged && !e.keys[k].isPure)
	}

	// The matches are sorted by hash. To look at the IDs in their own order saves a third of the
	// time of a million changes: they are too many for the processor's caches.
	matches := make([]uint64, 0, min(len(e.rest[series.Old]), len(e.rest[series.New]))) // two IDs
	note := func(vanished, appeared []residue) {
		if len(vanished) == 1 && len(appeared) == 1 {
			matches = append(matches, uint64(vanished[0].id)<<32|uint64(appeared[0].id))
		} else if isClear {
			e.tellMany(vanished, appeared)
		}
	}

	parts := max(len(e.rest[series.Old]), len(e.rest[series.New]))/matchedAtOnce + 1
	var sides [2][]residue
	for side, all := range e.rest {
		sides[side] = make([]residue, 0, len(all)/parts+len(all)/32+64)
	}
	for part := range parts {
		for side, all := range e.rest {
			sides[side] = sides[side][:0]
			for _, id := range all {
				if sum := e.sum(id, v); sum%uint64(parts) == uint64(part) {
					sides[side] = append(sides[side], residue{sum, id})
				}
			}
		}
		matchEqual(sides, note)
	}

	slices.Sort(matches)
	for _, match := range matches {
		e.tell(uint32(match>>32), uint32(match))
	}

	for side := range e.rest {
		e.rest[side] = slices.DeleteFunc(e.rest[side], func(id uint32) bool { return e.isExplained[id] })
	}
}

// dropWithout explains the IDs of a side that have some keys and, without these keys, equal an ID
// among some. It calls note with these keys.
func (e *explainer) dropWithout(
	side int, isKey func(k uint32) bool, isAmong func(id uint32) bool, note func(k *key),
) {
	v, ok := e.without(isKey)
	if len(e.rest[side]) == 0 || !ok {
		return
	}
	var sums []uint64
	for id := range e.ids.values.len {
		if isAmong(id) {
			sums = append(sums, e.sum(id, v))
		}
	}

	slices.Sort(sums)
	e.rest[side] = slices.DeleteFunc(e.rest[side], func(id uint32) bool {
		if _, isThere := slices.BinarySearch(sums, e.sum(id, v)); !isThere {
			return false
		}
		has := false
		for _, n := range e.paramsOf(id) {
			if k := e.key(n); v[k] == nothing {
				note(&e.keys[k])
				has = true
			}
		}
		return has
	})
}
