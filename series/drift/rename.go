package drift

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"unicode"

	"perfdata/series"
)

// Names are matched in steps, from the surest to the least sure. Both must have the same other
// params in the same number of series.

// An occurrence is a name that vanished or appeared, and where it was used. There may be
// millions: they have no pointers, and their texts stay where they are.
type occurrence struct {
	others  uint64  // a hash of the other params of all series with the name
	logs    float64 // the sum of the logarithms of the values
	number  uint32  // of the pair
	traces  uint32
	partner uint32 // the number of the pair that is the same benchmark, plus 1; 0 if there is none
}

// scale returns the mean logarithm of the values.
func (u *occurrence) scale() float64 { return u.logs / float64(u.traces) }

// findRenamed explains the series of benchmarks with another name: first where nothing else
// changed, and then also where params changed.
func (e *explainer) findRenamed() {
	if len(e.keys) == 0 {
		return
	}

	name := e.keys[e.name].name
	var all matcher
	for _, isStrict := range []bool{true, false} {
		if len(e.vanished) == 0 || len(e.appeared) == 0 {
			break
		}
		e.findKeys()
		isOther := func(k key) bool { return k.isOneSided || k.isChanged }
		if !isStrict && !slices.ContainsFunc(e.keys, isOther) {
			break
		}

		isIgnored := func(k uint32) bool { return e.keys[k].isSplitting || !isStrict && isOther(e.keys[k]) }
		m := &matcher{pairs: e.pairs, from: e.names(series.Old, e.vanished, isIgnored), to: e.names(series.New, e.appeared, isIgnored)}
		m.byParts()
		m.byFold()
		m.byAffixes()
		m.bySimilarity(isStrict)
		if !e.setAliases(m) {
			continue
		}

		e.findMatches()
		all.renamed, all.patterns = append(all.renamed, m.renamed...), append(all.patterns, m.patterns...)
		for parts, x := range m.parts {
			e.report.Moves = append(e.report.Moves, Move{Kind: renamedPart, Key: name, Part: parts,
				From: e.pairs.shown(x.from), To: e.pairs.shown(x.to), Traces: x.traces})
		}
	}

	for pair := range e.causes.renamed {
		all.renamed = append(all.renamed, pair)
	}
	slices.SortFunc(all.renamed, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	for _, pair := range all.renamed {
		e.report.Renamed = append(e.report.Renamed,
			Rename{name, e.pairs.shown(pair[0]), e.pairs.shown(pair[1])})
	}

	slices.SortFunc(all.patterns, func(a, b Pattern) int {
		return cmp.Or(b.Traces-a.Traces, strings.Compare(a.FromSuffix+" "+a.ToSuffix, b.FromSuffix+" "+b.ToSuffix),
			strings.Compare(a.FromPrefix+" "+a.ToPrefix, b.FromPrefix+" "+b.ToPrefix))
	})
	for i := range all.patterns {
		all.patterns[i].Key = name
	}
	if len(all.patterns) > 0 {
		e.report.Pattern, e.report.AlsoPattern = &all.patterns[0], all.patterns[1:]
	}
}

// setAliases notes which names are one benchmark, and reports whether there are any.
func (e *explainer) setAliases(m *matcher) bool {
	found := false
	for _, a := range m.from {
		if a.partner == 0 {
			continue
		}
		for n := uint32(len(e.aliases)); n < e.pairs.len; n++ {
			e.aliases = append(e.aliases, n)
		}
		e.aliases[a.partner-1], found = a.number, true
	}
	return found
}

// names returns the names of the IDs of a side that no series of the other side has.
func (e *explainer) names(side int, all []ref, isIgnored func(key uint32) bool) []occurrence {
	uses := make([]uint32, e.pairs.len) // indexes of names, plus 1
	count := 0
	for _, id := range all {
		for _, n := range e.params(id) {
			if x := e.pairs.at(n); x.key == e.name && !x.isOn(1-side) && uses[n] == 0 {
				count++
				uses[n] = uint32(count)
			}
		}
	}

	names := make([]occurrence, count)
	for _, id := range all {
		var u *occurrence
		sum := uint64(0)

		for _, n := range e.params(id) {
			switch k := e.key(n); {
			case k != e.name:
				if !isIgnored(k) {
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
			u.logs += math.Log2(e.ids.value(id, side) + math.SmallestNonzeroFloat32)
		}
	}
	return names
}

// A matcher matches names that vanished to names that appeared.
type matcher struct {
	pairs    *pairs
	from, to []occurrence
	renamed  [][2]uint32          // pairs that are one benchmark
	patterns []Pattern            // of others, without the key
	parts    map[[2]string]change // of others: the old and the new key of a part
	text     []byte               // scratch
	other    []byte
}

// fits reports whether two names can be of one benchmark: they have the same other params, and
// values of the same scale, which is a factor of at most 2 to the power of scale, or in another
// unit.
func fits(a, b *occurrence, scale float64) bool {
	if a.partner > 0 || b.partner > 0 || a.traces != b.traces || a.others != b.others {
		return false
	}
	distance := math.Abs(a.scale() - b.scale())
	return !(distance > scale) || scale >= 1 && isScale(distance)
}

// take notes that two names are of one benchmark.
func (m *matcher) take(a, b *occurrence) { a.partner, b.partner = b.number+1, a.number+1 }

func (m *matcher) rename(a, b *occurrence) {
	m.take(a, b)
	m.renamed = append(m.renamed, [2]uint32{a.number, b.number})
}

// byFold matches names that are the same without case and punctuation, and no others.
func (m *matcher) byFold() {
	m.byText(func(name uint32) []byte { return fold(m.shown(name)) }, m.rename)
}

// byParts matches names that are the same without the keys of their parts, as Sort/n=64 and
// Sort/size=64.
func (m *matcher) byParts() {
	m.parts = make(map[[2]string]change)
	m.byText(func(name uint32) []byte {
		m.text = m.pairs.appendWithoutKeys(m.text[:0], name)
		if !bytes.Contains(m.text, []byte("=")) {
			return m.shown(name)
		}

		return m.text
	}, func(a, b *occurrence) {
		m.take(a, b)
		from, to := strings.Split(m.pairs.shown(a.number), "/"), strings.Split(m.pairs.shown(b.number), "/")
		for i := range min(len(from), len(to)) {
			if from[i] == to[i] {
				continue
			}

			oldKey, _, _ := strings.Cut(from[i], "=")
			newKey, _, _ := strings.Cut(to[i], "=")
			parts := [2]string{oldKey, newKey}
			x, ok := m.parts[parts]
			if !ok || a.number < x.from { // the first name is the example: they come in the order of hashes
				x.from, x.to = a.number, b.number
			}
			x.traces += int(a.traces)
			m.parts[parts] = x
		}
	})
}

// byText matches names that have the same text, and no others.
func (m *matcher) byText(text func(name uint32) []byte, do func(a, b *occurrence)) {
	matchSorted(m.hashes(m.from, text), m.hashes(m.to, text), func(from, to []residue) {
		if a, b := &m.from[from[0].id], &m.to[to[0].id]; len(from) == 1 && len(to) == 1 && fits(a, b, 1) {
			do(a, b)
		}
	})
}

// hashes returns the hashes of the texts of names, sorted. The id of each is the index of the name.
func (m *matcher) hashes(names []occurrence, text func(name uint32) []byte) []residue {
	all := make([]residue, len(names))
	for i := range names {
		all[i] = residue{maphash.Bytes(m.pairs.seed, text(names[i].number)), ref(i)}
	}
	sortResidues(all)
	return all
}

// shown returns a name as a file spells it. The next call overwrites it.
func (m *matcher) shown(name uint32) []byte {
	m.text = m.pairs.appendShown(m.text[:0], name)
	return m.text
}

// fold returns a name without case and punctuation.
func fold(name []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if strings.ContainsRune(" _-./:", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// maxCompared bounds the names that are compared with each other.
const maxCompared = 300

// bySimilarity matches the remaining names: names that are alike, with values of a similar scale,
// and then names with nearly the same values. No other pair may be as good.
func (m *matcher) bySimilarity(byValues bool) {
	from, to := left(m.from, maxCompared+1), left(m.to, maxCompared+1)
	if len(from) > maxCompared || len(to) > maxCompared {
		return
	}
	folded := make(map[uint32]string)
	for _, u := range slices.Concat(from, to) {
		folded[u.number] = string(fold([]byte(m.pairs.shown(u.number))))
	}

	const alike = 0.6
	m.mutual(from, to, func(a, b *occurrence) float64 {
		if s := similarity(folded[a.number], folded[b.number]); s >= alike && fits(a, b, 1) {
			return s
		}
		return 0
	})

	const near = 0.07 // 5%
	if !byValues || len(left(m.from, maxCompared)) != len(left(m.to, maxCompared)) {
		return // some were removed or added: equal values may be a coincidence
	}
	m.mutual(from, to, func(a, b *occurrence) float64 {
		if !fits(a, b, near) {
			return 0
		}
		return 1 - math.Abs(a.scale()-b.scale())
	})
}

// mutual matches two names if each is the best for the other, by a score.
func (m *matcher) mutual(from, to []*occurrence, score func(a, b *occurrence) float64) {
	best := func(among []*occurrence, score func(b *occurrence) float64) *occurrence {
		var found *occurrence
		most := 0.0
		for _, b := range among {
			if s := score(b); s > most {
				found, most = b, s
			} else if s == most {
				found = nil
			}
		}
		return found
	}

	matches := make(map[*occurrence]*occurrence)
	for _, a := range from {
		b := best(to, func(b *occurrence) float64 { return score(a, b) })
		if b != nil && best(from, func(a *occurrence) float64 { return score(a, b) }) == a {
			matches[a] = b
		}
	}
	for a, b := range matches {
		m.rename(a, b)
	}
}

// left returns the first names that are not matched, at most most of them.
func left(names []occurrence, most int) []*occurrence {
	var all []*occurrence
	for i := range names {
		if u := &names[i]; u.partner == 0 && len(all) < most {
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
