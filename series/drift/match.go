package drift

import (
	"cmp"
	"slices"

	"perfdata/series"
)

// Series are matched by the params that remain in a view of them. A residue is the rest of one
// series.
type residue struct {
	sum uint64
	id  ref
}

// matchedAtOnce is the number of residues, of each side, that are in memory.
const matchedAtOnce = 600_000

// A view says, for each key, what of its values is compared.
type view []aspect

// An aspect is what of a value is compared.
type aspect uint8

const (
	wholeValue aspect = iota
	nothing
	itsSpelling // what its spellings have in common
	itsWords    // in whatever param they are
	itsAlias    // the name that it had before
)

// with returns the view with another aspect of some keys.
func (v view) with(a aspect, keys ...uint32) view {
	v = slices.Clone(v)
	for _, k := range keys {
		v[k] = a
	}
	return v
}

// sum returns the sum of the hashes of the compared parts of an ID, by the aspects of the pairs.
func (e *explainer) sum(r ref, aspects []aspect) (sum uint64) {
	count, rest := nextNumber(e.ids.at(r)[idHead:])
	for range count {
		var n uint32
		n, rest = nextNumber(rest)
		switch aspects[n] {
		case wholeValue:
			sum += hash(n)
		case itsSpelling:
			sum += e.pairs.spelling(n) * (2*uint64(e.key(n)) + 1)
		case itsWords:
			sum += e.pairs.bag(n)
		case itsAlias:
			sum += hash(e.aliases[n])
		}
	}
	return sum
}

// residues returns the residues of IDs, sorted: one part of them.
func (e *explainer) residues(all []ref, aspects []aspect, part, parts uint64) []residue {
	out := make([]residue, 0, len(all)/int(parts)+len(all)/32+64)
	for _, id := range all {
		if sum := e.sum(id, aspects); sum%parts == part {
			out = append(out, residue{sum, id})
		}
	}
	sortResidues(out)
	return out
}

func sortResidues(all []residue) {
	slices.SortFunc(all, func(a, b residue) int {
		if c := cmp.Compare(a.sum, b.sum); c != 0 {
			return c
		}
		return cmp.Compare(a.id, b.id)
	})
}

// eachMatch calls do with the vanished and the appeared IDs that are equal in a view.
func (e *explainer) eachMatch(v view, do func(vanished, appeared []residue)) {
	parts := uint64(max(len(e.vanished), len(e.appeared)))/matchedAtOnce + 1
	aspects := e.aspects(v)
	for part := range parts {
		matchSorted(e.residues(e.vanished, aspects, part, parts), e.residues(e.appeared, aspects, part, parts), do)
	}
}

// aspects returns the aspects of the pairs in a view: these are less memory than the pairs.
func (e *explainer) aspects(v view) []aspect {
	aspects := make([]aspect, e.pairs.len)
	e.pairs.all(func(n uint32, x *pair) {
		aspects[n] = v[x.key]
		if e.aliases != nil && e.aliases[n] != n && v[x.key] == wholeValue {
			aspects[n] = itsAlias
		}
	})
	return aspects
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

// keyName returns the name of the key of a pair.
func (e *explainer) keyName(number uint32) string { return e.keys[e.key(number)].name }

// params returns the numbers of the params of an ID. The next call overwrites them.
func (e *explainer) params(id ref) []uint32 {
	e.memory = e.ids.appendParams(e.memory[:0], id)
	return e.memory
}

// findKeys finds out how the IDs that nothing explains use the keys.
func (e *explainer) findKeys() {
	sides := make([]uint8, e.pairs.len) // of the pairs
	for side, all := range [][]ref{e.vanished, e.appeared} {
		for _, id := range all {
			for _, n := range e.params(id) {
				sides[n] |= 1 << side
			}
		}
	}

	const both = 1<<series.Old | 1<<series.New
	has, lacks, shared := make([]uint8, len(e.keys)), make([]uint8, len(e.keys)), make([]bool, len(e.keys))
	for n, on := range sides {
		x := e.pairs.at(uint32(n))
		has[x.key] |= on
		if on != both {
			lacks[x.key] |= on
		}
		if on != 0 && x.isOn(series.Old) && x.isOn(series.New) {
			shared[x.key] = true
		}
	}

	for i := range e.keys {
		k := &e.keys[i]
		k.isOneSided = has[i] == 1<<series.Old || has[i] == 1<<series.New
		k.isChanged = lacks[i] == both && uint32(i) != e.name && !k.isSplitting
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
	base := make(view, len(e.keys))
	var oneSided, changed []uint32

	for i, k := range e.keys {
		switch {
		case k.isSplitting:
			base[i] = nothing
		case k.isChanged && !isUnitKey(k.name):
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
		if !isTried && len(e.vanished) > 0 && len(e.appeared) > 0 {
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
	matches := make([]uint64, 0, min(len(e.vanished), len(e.appeared))) // two IDs
	e.eachMatch(v, func(vanished, appeared []residue) {
		if len(vanished) == 1 && len(appeared) == 1 {
			matches = append(matches, uint64(vanished[0].id)<<32|uint64(appeared[0].id))
		} else if isClear {
			e.tellMany(vanished, appeared)
		}
	})
	slices.Sort(matches)
	for _, match := range matches {
		e.tell(ref(match>>32), ref(match))
	}
	e.removeExplained()
}
