package drift

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strings"
)

// Names are matched in steps, from the surest to the least sure. Both must have the same other params
// in the same number of series.

// A nameUse is a name that vanished or appeared, and where it was used. There may be millions: they
// have no pointers, and their texts stay where they are.
type nameUse struct {
	others  uint64  // a hash of the other params of all series with the name
	logs    float64 // the sum of the logarithms of the values
	number  uint32  // of the pair
	traces  uint32
	isTaken bool
}

// scale returns the mean logarithm of the values.
func (u *nameUse) scale() float64 { return u.logs / float64(u.traces) }

// findRenamed explains the series of benchmarks with another name.
func (e *explainer) findRenamed() {
	m := &matcher{pairs: e.pairs, from: e.names(e.vanished, New), to: e.names(e.appeared, Old)}
	if len(m.from) == 0 || len(m.to) == 0 {
		return
	}
	m.byFold()
	m.byEnds()
	m.bySimilarity()

	name := e.pairs.keys[e.name].name
	slices.SortFunc(m.renamed, func(a, b [2]uint32) int { return cmp.Compare(a[0], b[0]) })
	for _, pair := range m.renamed {
		e.report.Renamed = append(e.report.Renamed, Rename{name, e.pairs.shown(pair[0]), e.pairs.shown(pair[1])})
	}
	e.setPatterns(name, m.patterns)
	e.explainNames(m)
}

// setPatterns reports patterns, the most common first.
func (e *explainer) setPatterns(name string, all []Pattern) {
	for i := range all {
		all[i].Key = name
	}
	slices.SortFunc(all, func(a, b Pattern) int {
		return cmp.Or(b.Traces-a.Traces, strings.Compare(a.FromSuffix+" "+a.ToSuffix, b.FromSuffix+" "+b.ToSuffix),
			strings.Compare(a.FromPrefix+" "+a.ToPrefix, b.FromPrefix+" "+b.ToPrefix))
	})
	if len(all) > 0 {
		e.report.Pattern, e.report.AlsoPattern = &all[0], all[1:]
	}
}

// explainNames notes that the IDs with the names that were matched are explained.
func (e *explainer) explainNames(m *matcher) {
	isTaken := make([]bool, e.pairs.len)
	for _, names := range [][]nameUse{m.from, m.to} {
		for i := range names {
			isTaken[names[i].number] = names[i].isTaken
		}
	}
	for _, all := range [][]ref{e.vanished, e.appeared} {
		for _, id := range all {
			for _, n := range e.params(id) {
				if isTaken[n] {
					e.ids.explain(id)
				}
			}
		}
	}
	e.removeExplained()
}

// names returns the names of IDs that no series of the other side has.
func (e *explainer) names(all []ref, other Side) []nameUse {
	uses := make([]uint32, e.pairs.len) // indexes of names, plus 1
	count := 0
	for _, id := range all {
		for _, n := range e.params(id) {
			if x := e.pairs.at(n); x.key == e.name && !x.isOn(other) && uses[n] == 0 {
				count++
				uses[n] = uint32(count)
			}
		}
	}

	names := make([]nameUse, count)
	for _, id := range all {
		var u *nameUse
		sum := uint64(0)
		for _, n := range e.params(id) {
			switch k := e.key(n); {
			case k != e.name:
				if !e.splitting[k] {
					sum += hash(n)
				}
			case uses[n] > 0:
				u = &names[uses[n]-1]
				u.number = n
			}
		}
		if u != nil {
			u.traces++
			u.others += hash(uint32(sum>>32)) ^ sum
			u.logs += math.Log2(math.Abs(e.ids.value(id)) + math.SmallestNonzeroFloat32)
		}
	}
	return names
}

// A matcher matches names that vanished to those that appeared.
type matcher struct {
	pairs    *pairs
	from, to []nameUse
	renamed  [][2]uint32 // pairs that are one benchmark
	patterns []Pattern   // of others, without the key
	text     []byte      // scratch
	other    []byte
	runes    []rune
}

// fits reports whether two names can be of one benchmark: they have the same other params, and values
// of the same scale, which is a factor of at most 2 to the power of scale.
func fits(a, b *nameUse, scale float64) bool {
	return !a.isTaken && !b.isTaken && a.traces == b.traces && a.others == b.others &&
		!(math.Abs(a.scale()-b.scale()) > scale)
}

func (m *matcher) rename(a, b *nameUse) {
	a.isTaken, b.isTaken = true, true
	m.renamed = append(m.renamed, [2]uint32{a.number, b.number})
}

// byFold matches names that are the same without case and punctuation, and no others.
func (m *matcher) byFold() {
	matchSorted(m.folded(m.from), m.folded(m.to), func(from, to []residue) {
		if a, b := &m.from[from[0].id], &m.to[to[0].id]; len(from) == 1 && len(to) == 1 && fits(a, b, 1) {
			m.rename(a, b)
		}
	})
}

// folded returns hashes of names without case and punctuation, sorted. The id of a residue is the index
// of the name.
func (m *matcher) folded(names []nameUse) []residue {
	all := make([]residue, len(names))
	for i := range names {
		m.text = m.pairs.appendShown(m.text[:0], names[i].number)
		m.text = fold(m.text)
		all[i] = residue{maphash.Bytes(m.pairs.seed, m.text), ref(i)}
	}
	sortResidues(all)
	return all
}

// fold returns a name without case and punctuation. It uses the memory of the name.
func fold(name []byte) []byte {
	lower, isASCII := name[:0], true
	for _, c := range name {
		isASCII = isASCII && c < 0x80
	}
	if !isASCII {
		name = bytes.ToLower(name)
		lower = name[:0]
	}

	for _, c := range name {
		switch {
		case c == ' ' || c == '_' || c == '-' || c == '.' || c == '/' || c == ':':
		case 'A' <= c && c <= 'Z':
			lower = append(lower, c-'A'+'a')
		default:
			lower = append(lower, c)
		}
	}
	return lower
}

// maxCompared bounds the names that are compared with each other.
const maxCompared = 300

// bySimilarity matches the remaining names: those that are alike, with values of a similar scale, and
// then those with nearly the same values. No other pair may be as good.
func (m *matcher) bySimilarity() {
	from, to := left(m.from, maxCompared+1), left(m.to, maxCompared+1)
	if len(from) > maxCompared || len(to) > maxCompared {
		return
	}
	folded := make(map[uint32]string)
	for _, u := range slices.Concat(from, to) {
		folded[u.number] = string(fold([]byte(m.pairs.shown(u.number))))
	}
	const alike = 0.6
	m.mutual(from, to, func(a, b *nameUse) float64 {
		if s := similarity(folded[a.number], folded[b.number]); s >= alike && fits(a, b, 1) {
			return s
		}
		return 0
	})

	const near = 0.07 // 5%
	if len(left(m.from, maxCompared)) != len(left(m.to, maxCompared)) {
		return // some were removed or added: equal values may be a coincidence
	}
	m.mutual(from, to, func(a, b *nameUse) float64 {
		if !fits(a, b, near) {
			return 0
		}
		return 1 - math.Abs(a.scale()-b.scale())
	})
}

// mutual matches two names if each is the best for the other, by a score.
func (m *matcher) mutual(from, to []*nameUse, score func(a, b *nameUse) float64) {
	best := func(a *nameUse, among []*nameUse, score func(a, b *nameUse) float64) *nameUse {
		var found *nameUse
		most := 0.0
		for _, b := range among {
			if s := score(a, b); s > most {
				found, most = b, s
			} else if s == most {
				found = nil
			}
		}
		return found
	}

	type match struct{ a, b *nameUse }
	var matches []match
	for _, a := range from {
		if b := best(a, to, score); b != nil {
			back := best(b, from, func(b, a *nameUse) float64 { return score(a, b) })
			if back == a {
				matches = append(matches, match{a, b})
			}
		}
	}
	for _, x := range matches {
		m.rename(x.a, x.b)
	}
}

// left returns the first names that are not matched, at most most of them.
func left(names []nameUse, most int) []*nameUse {
	var all []*nameUse
	for i := range names {
		if u := &names[i]; !u.isTaken && len(all) < most {
			all = append(all, u)
		}
	}
	return all
}

// similarity returns the share of the pairs of adjacent bytes that two texts have in common.
func similarity(a, b string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	counts := make(map[string]int)
	for i := 0; i+2 <= len(a); i++ {
		counts[a[i:i+2]]++
	}
	common := 0
	for i := 0; i+2 <= len(b); i++ {
		if counts[b[i:i+2]] > 0 {
			counts[b[i:i+2]]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}
