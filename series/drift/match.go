package drift

import (
	"cmp"
	"slices"
)

// Series are matched by what is left of their params in a view of them. A residue is that of one.
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

// sum returns the sum of the hashes of what is compared of an ID, by the aspects of the pairs.
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
		switch {
		case a.sum < b.sum:
			return -1
		case a.sum > b.sum:
			return 1
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

// params returns the numbers of the params of an ID. The next call overwrites them.
func (e *explainer) params(id ref) []uint32 {
	e.memory = e.ids.appendParams(e.memory[:0], id)
	return e.memory
}

// dropSplitting explains the series that differ in splitting keys only, if these are on both
// sides.
func (e *explainer) dropSplitting() {
	v := make(view, len(e.pairs.keys))
	for k := range v {
		if e.splitting[k] && e.values[k][Old] > 0 && e.values[k][New] > 0 {
			v[k] = nothing
		}
	}
	if !slices.Contains(v, nothing) {
		return
	}
	e.eachMatch(v, func(vanished, appeared []residue) {
		for _, x := range slices.Concat(vanished, appeared) {
			e.ids.explain(x.id)
		}
	})
	e.removeExplained()
}

// keyUse is how the IDs that nothing explains use the keys.
type keyUse struct {
	oneSided []bool // only one side has the key
	moved    []bool // of these: words of its values are elsewhere on the other side
	changed  []bool // either side has a value that the other one lacks; never the name
	pure     []bool // of these: the sides share no value
}

// findKeys finds out how the IDs that nothing explains use the keys.
func (e *explainer) findKeys() *keyUse {
	keys := e.pairs.keys
	u := &keyUse{make([]bool, len(keys)), make([]bool, len(keys)), make([]bool, len(keys)), make([]bool, len(keys))}
	sides := make([]uint8, e.pairs.len) // of the pairs
	for side, all := range [][]ref{e.vanished, e.appeared} {
		for _, id := range all {
			for _, n := range e.params(id) {
				sides[n] |= 1 << side
			}
		}
	}

	has, lacks, shared := make([]uint8, len(keys)), make([]uint8, len(keys)), make([]bool, len(keys))
	for n, on := range sides {
		x := e.pairs.at(uint32(n))
		has[x.key] |= on
		if on == 1<<Old || on == 1<<New {
			lacks[x.key] |= on
		}
		if on != 0 && x.isOn(Old) && x.isOn(New) {
			shared[x.key] = true
		}
	}
	const both = 1<<Old | 1<<New
	for k := range keys {
		u.oneSided[k] = has[k] == 1<<Old || has[k] == 1<<New
		u.changed[k] = lacks[k] == both && uint32(k) != e.name && !e.splitting[k]
		u.pure[k] = u.changed[k] && !shared[k]
	}
	e.findMoved(u, sides)
	return u
}

// maxSampled is the number of values of a key that are looked at to see whether they moved.
const maxSampled = 64

// findMoved finds the keys of one side whose values are, on the other side, in the name or in
// other keys of one side.
func (e *explainer) findMoved(u *keyUse, sides []uint8) {
	sampled := make([]int, len(u.oneSided))
	seen := make(map[uint64]uint8) // words of the values, and the sides that have them
	isSample := func(n uint32) bool { k := e.key(n); return sides[n] != 0 && u.oneSided[k] && sampled[k] < maxSampled }
	for n := range e.pairs.len {
		if isSample(n) {
			sampled[e.key(n)]++
			for _, word := range e.pairs.words(n) {
				seen[word] = 0
			}
		}
	}
	if len(seen) == 0 {
		return
	}
	for n, on := range sides {
		if k := e.key(uint32(n)); on != 0 && (u.oneSided[k] || k == e.name) {
			for _, word := range e.pairs.words(uint32(n)) {
				if s, ok := seen[word]; ok {
					seen[word] = s | on
				}
			}
		}
	}

	clear(sampled)
	found := make([]int, len(sampled))
	for n := range e.pairs.len {
		if !isSample(n) {
			continue
		}
		k := e.key(n)
		sampled[k]++
		isElsewhere := true
		for _, word := range e.pairs.words(n) {
			isElsewhere = isElsewhere && seen[word] == 1<<Old|1<<New
		}
		if isElsewhere {
			found[k]++
		}
	}
	for k := range sampled {
		u.moved[k] = sampled[k] > 0 && 2*found[k] >= sampled[k]
	}
}

// maxAlone is the number of changed keys that are also tried alone.
const maxAlone = 4

// findMatches explains the series that are equal in a view. It tries views from the one that
// ignores least to those that allow for several causes at once.
func (e *explainer) findMatches() {
	u := e.findKeys()
	base := make(view, len(e.pairs.keys))
	var alone []uint32
	for k := range base {
		switch {
		case e.splitting[k]:
			base[k] = nothing
		case u.changed[k]:
			if len(alone) < maxAlone {
				alone = append(alone, uint32(k))
			}
			if !isUnitKey(e.pairs.keys[k].name) {
				base[k] = itsSpelling
			}
		}
	}

	// In "moved", words are compared in whatever param they are.
	moved := slices.Clone(base)
	for k, is := range u.moved {
		if is {
			moved[k], moved[e.name] = itsWords, itsWords
		}
	}
	ignoring := func(v view, isIgnored func(k uint32) bool) view {
		v = slices.Clone(v)
		for k := range v {
			if isIgnored(uint32(k)) {
				v[k] = nothing
			}
		}
		return v
	}
	oneSided := func(k uint32) bool { return u.oneSided[k] && k != e.name }
	unmoved := func(k uint32) bool { return oneSided(k) && !u.moved[k] }
	changed := func(k uint32) bool { return u.changed[k] }
	views := []view{base, moved, ignoring(base, oneSided), ignoring(base, changed)}
	for _, alone := range alone {
		views = append(views, ignoring(base, func(k uint32) bool { return k == alone }))
	}
	views = append(views, ignoring(moved, unmoved), ignoring(moved, changed),
		ignoring(base, func(k uint32) bool { return oneSided(k) || changed(k) }))
	for _, alone := range alone {
		views = append(views, ignoring(base, func(k uint32) bool { return oneSided(k) || k == alone }),
			ignoring(moved, func(k uint32) bool { return unmoved(k) || k == alone }))
	}
	views = append(views, ignoring(moved, func(k uint32) bool { return unmoved(k) || changed(k) }))

	for i, v := range views {
		if len(e.vanished) == 0 || len(e.appeared) == 0 {
			return
		}
		if !slices.ContainsFunc(views[:i], func(w view) bool { return slices.Equal(v, w) }) {
			e.match(v, u)
		}
	}
}

// match explains the series that are equal in a view, where it is clear which is which: or if the
// sides share no value of the params that are ignored, so that it does not matter.
func (e *explainer) match(v view, u *keyUse) {
	isClear := true
	for k := range v {
		isClear = isClear && v[k] != itsWords && !(v[k] == nothing && u.changed[k] && !u.pure[k])
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
