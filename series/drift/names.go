package drift

import (
	"bytes"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"unicode"

	"perfdata/series"
)

// Names are matched in steps, from the surest to the least sure. Both must have the same other
// params in the same number of series.

// A matcher matches names that vanished to names that appeared.
type matcher struct {
	*explainer
	names [2][]occurrence // on each side only
	shape []byte          // scratch: of a name
}

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

// fits reports whether two names can be of one benchmark: they have the same other params, and
// values of the same scale, which is a factor of at most 2 to the power of most, or in another unit, which is
// a factor between units of 1000 or more.
func fits(a, b *occurrence, most float64) bool {
	if a.partner > 0 || b.partner > 0 || a.traces != b.traces || a.others != b.others {
		return false
	}
	distance := math.Abs(a.scale() - b.scale())
	isNear := func(s scale) bool { return !s.isSmall() && s.near(distance, within10) }
	return !(distance > most) || most >= 1 && slices.ContainsFunc(scales(), isNear)
}

// findRenamed explains the series of benchmarks with another name: first where nothing else
// changed, and then also where params changed.
func (e *explainer) findRenamed() {
	for _, isStrict := range []bool{true, false} {
		if len(e.rest[series.Old]) == 0 || len(e.rest[series.New]) == 0 || len(e.keys) == 0 {
			break
		}
		e.findKeys()
		isOther := func(k key) bool { return k.isOneSided || k.isChanged }
		if !isStrict && !slices.ContainsFunc(e.keys, isOther) {
			break
		}

		m := &matcher{explainer: e}
		for side := range m.names {
			m.names[side] = e.namesOf(side, func(k uint32) bool {
				return e.keys[k].isSplitting || !isStrict && isOther(e.keys[k])
			})
		}
		m.byParts()
		m.byText(func(name uint32) []byte { return fold(m.bytes(name)) }, m.rename)
		m.byAffixes()
		m.bySimilarity(isStrict)

		found := false
		for _, a := range m.names[series.Old] {
			if a.partner == 0 {
				continue
			}
			for n := uint32(len(e.aliases)); n < e.facts.len; n++ {
				e.aliases = append(e.aliases, n)
			}
			e.aliases[a.partner-1], found = a.number, true
		}
		if found {
			e.findMatches()
		}
	}
}

// namesOf returns the names of the IDs of a side that no series of the other side has.
func (e *explainer) namesOf(side int, isIgnored func(key uint32) bool) []occurrence {
	uses := make([]uint32, e.facts.len) // indexes of names, plus 1
	count := 0
	for _, id := range e.rest[side] {
		for _, n := range e.paramsOf(id) {
			if x := e.facts.at(n); x.key == e.name && !x.isOn(1-side) && uses[n] == 0 {
				count++
				uses[n] = uint32(count)
			}
		}
	}

	names := make([]occurrence, count)
	for _, id := range e.rest[side] {
		var u *occurrence
		sum := uint64(0)
		for _, n := range e.paramsOf(id) {
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

// take notes that two names are of one benchmark.
func (m *matcher) take(a, b *occurrence) { a.partner, b.partner = b.number+1, a.number+1 }

func (m *matcher) rename(a, b *occurrence) {
	m.take(a, b)
	m.cause(renamed, a.number, b.number)
}

// byParts matches names that are the same without the keys of their parts, as Sort/n=64 and
// Sort/size=64.
func (m *matcher) byParts() {
	moves := make(map[[2]string]cause)        // by the old and the new key of a part
	withoutKeys := func(name uint32) []byte { // that of Sort/n=64 is Sort/=64
		m.shape = m.shape[:0]
		for _, c := range m.bytes(name) {
			for c == '=' && len(m.shape) > 0 && isWord(m.shape[len(m.shape)-1]) {
				m.shape = m.shape[:len(m.shape)-1]
			}
			m.shape = append(m.shape, c)
		}
		return m.shape
	}

	m.byText(withoutKeys, func(a, b *occurrence) {
		m.take(a, b)
		from, to := strings.Split(m.shown(a.number), "/"), strings.Split(m.shown(b.number), "/")
		for i := range min(len(from), len(to)) {
			if from[i] == to[i] {
				continue
			}
			oldKey, _, _ := strings.Cut(from[i], "=")
			newKey, _, _ := strings.Cut(to[i], "=")
			parts := [2]string{oldKey, newKey}
			x, ok := moves[parts]
			if !ok || a.number < x.from { // the first name is the example: they come in the order of hashes
				x.from, x.to = a.number, b.number
			}
			x.traces += int(a.traces)
			moves[parts] = x
		}
	})
	for parts, x := range moves {
		m.report.Moves = append(m.report.Moves, Move{Kind: renamedPart, Key: m.keyName(x.from), Part: parts,
			From: m.shown(x.from), To: m.shown(x.to), Traces: x.traces})
	}
}

// byText matches names that have the same text, and no others.
func (m *matcher) byText(text func(name uint32) []byte, do func(a, b *occurrence)) {
	old, new := m.names[series.Old], m.names[series.New]
	matchEqual([2][]residue{m.hashes(old, text), m.hashes(new, text)}, func(from, to []residue) {
		if a, b := &old[from[0].id], &new[to[0].id]; len(from) == 1 && len(to) == 1 && fits(a, b, 1) {
			do(a, b)
		}
	})
}

// hashes returns the hashes of the texts of names. The id of each is the index of the name.
func (m *matcher) hashes(names []occurrence, text func(name uint32) []byte) []residue {
	all := make([]residue, len(names))
	for i := range names {
		all[i] = residue{maphash.Bytes(m.set.seed, text(names[i].number)), uint32(i)}
	}
	return all
}

// bytes returns a name as a file spells it. The next call overwrites it.
func (m *matcher) bytes(name uint32) []byte {
	m.text = m.appendShown(m.text[:0], name)
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
	from, to := unmatched(m.names[series.Old]), unmatched(m.names[series.New])
	if len(from) > maxCompared || len(to) > maxCompared {
		return
	}
	folded := make(map[uint32]string)
	for _, u := range slices.Concat(from, to) {
		folded[u.number] = string(fold(m.bytes(u.number)))
	}

	const alike = 0.6
	m.mutual(from, to, func(a, b *occurrence) float64 {
		if s := similarity(folded[a.number], folded[b.number]); s >= alike && fits(a, b, 1) {
			return s
		}
		return 0
	})

	const near = 0.07 // 5%
	if !byValues || len(from) != len(to) {
		return // some were removed or added: equal values may be a coincidence
	}
	m.mutual(from, to, func(a, b *occurrence) float64 {
		if !fits(a, b, near) {
			return 0
		}
		return 1 - math.Abs(a.scale()-b.scale())
	})
}

// A best is the index of the greatest score, or -1 if several are the greatest.
type best struct {
	index int
	score float64
}

func (x *best) offer(index int, score float64) {
	if score > x.score {
		*x = best{index, score}
	} else if score == x.score {
		x.index = -1
	}
}

// mutual matches two names if each is the best for the other, by a score.
func (m *matcher) mutual(from, to []*occurrence, score func(a, b *occurrence) float64) {
	bestTo, bestFrom := make([]best, len(from)), make([]best, len(to))
	for i, a := range from {
		for k, b := range to {
			s := score(a, b)
			bestTo[i].offer(k, s)
			bestFrom[k].offer(i, s)
		}
	}
	for i, x := range bestTo {
		if x.score > 0 && x.index >= 0 && bestFrom[x.index].index == i {
			m.rename(from[i], to[x.index])
		}
	}
}

// unmatched returns the names that are not matched.
func unmatched(names []occurrence) []*occurrence {
	var all []*occurrence
	for i := range names {
		if names[i].partner == 0 {
			all = append(all, &names[i])
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
	for i := range len(a) - 1 {
		counts[a[i:i+2]]++
	}
	common := 0
	for i := range len(b) - 1 {
		if counts[b[i:i+2]] > 0 {
			counts[b[i:i+2]]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}
