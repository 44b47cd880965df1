package drift

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Names are matched in steps, from the surest to the least sure. Both must have the same other params
// in the same number of series.

// A nameUse is a name that vanished or appeared, and where it was used.
type nameUse struct {
	number  uint32 // of the pair
	text    string
	traces  int
	others  uint64  // a hash of the other params of all series with the name
	logs    float64 // the sum of the logarithms of the values
	isTaken bool
}

// scale returns the mean logarithm of the values.
func (u *nameUse) scale() float64 { return u.logs / float64(u.traces) }

// findRenamed explains the series of benchmarks with another name.
func (e *explainer) findRenamed() {
	from, to := e.names(e.vanished, New), e.names(e.appeared, Old)
	if len(from) == 0 || len(to) == 0 {
		return
	}
	m := &matcher{from: from, to: to}
	m.byKey(fold)
	m.byEnds()
	m.bySimilarity()

	slices.SortFunc(m.found, func(a, b namePair) int { return cmp.Compare(a.from.number, b.from.number) })
	done := make(map[uint32]bool)
	name := e.pairs.keys[e.name].name
	patterns := make(map[Pattern]int)
	for _, pair := range m.found {
		done[pair.from.number], done[pair.to.number] = true, true
		if pair.pattern == (Pattern{}) {
			e.report.Renamed = append(e.report.Renamed, Rename{name, pair.from.text, pair.to.text})
		} else {
			patterns[pair.pattern] += pair.from.traces
		}
	}
	e.setPatterns(name, patterns)
	e.explainNames(done)
}

// setPatterns reports patterns, the most common first.
func (e *explainer) setPatterns(name string, patterns map[Pattern]int) {
	var all []Pattern
	for p, traces := range patterns {
		p.Key, p.Traces = name, traces
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Pattern) int {
		return cmp.Or(b.Traces-a.Traces, strings.Compare(a.FromSuffix+" "+a.ToSuffix, b.FromSuffix+" "+b.ToSuffix),
			strings.Compare(a.FromPrefix+" "+a.ToPrefix, b.FromPrefix+" "+b.ToPrefix))
	})
	if len(all) > 0 {
		e.report.Pattern, e.report.AlsoPattern = &all[0], all[1:]
	}
}

// explainNames notes that the IDs with one of the names are explained.
func (e *explainer) explainNames(names map[uint32]bool) {
	for _, all := range [][]ref{e.vanished, e.appeared} {
		for _, id := range all {
			for _, n := range e.params(id) {
				if names[n] {
					e.ids.explain(id)
				}
			}
		}
	}
	e.removeExplained()
}

// names returns the names of IDs that no series of the other side has, in the order of their texts.
func (e *explainer) names(all []ref, other Side) []*nameUse {
	uses := make(map[uint32]*nameUse)
	var names []*nameUse
	for _, id := range all {
		var u *nameUse
		sum := uint64(0)
		for _, n := range e.params(id) {
			switch x := &e.pairs.all[n]; {
			case x.key != e.name:
				if !e.splitting[x.key] {
					sum += hash(n)
				}
			case x.files[other] > 0:
			default:
				if u = uses[n]; u == nil {
					u = &nameUse{number: n, text: e.pairs.shown(n)}
					uses[n] = u
					names = append(names, u)
				}
			}
		}
		if u != nil {
			u.traces++
			u.others += hash(uint32(sum>>32)) ^ sum
			u.logs += math.Log2(math.Abs(e.ids.value(id)) + math.SmallestNonzeroFloat32)
		}
	}

	slices.SortFunc(names, func(a, b *nameUse) int { return strings.Compare(a.text, b.text) })
	return names
}

// A matcher matches names that vanished to those that appeared.
type matcher struct {
	from, to []*nameUse
	found    []namePair
}

type namePair struct {
	from, to *nameUse
	pattern  Pattern // without key and traces; zero if there is none
}

// fits reports whether two names can be of one benchmark: they have the same other params, and values
// of the same scale, which is a factor of at most 2 to the power of scale.
func fits(a, b *nameUse, scale float64) bool {
	return !a.isTaken && !b.isTaken && a.traces == b.traces && a.others == b.others &&
		!(math.Abs(a.scale()-b.scale()) > scale)
}

func (m *matcher) take(a, b *nameUse, pattern Pattern) {
	a.isTaken, b.isTaken = true, true
	m.found = append(m.found, namePair{a, b, pattern})
}

// fold returns a name without case and punctuation.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-./:", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// byKey matches names that a function makes equal, and no others.
func (m *matcher) byKey(of func(string) string) {
	byKey := make(map[string]*nameUse)
	for _, b := range m.to {
		if k := of(b.text); byKey[k] == nil {
			byKey[k] = b
		} else {
			byKey[k] = &nameUse{isTaken: true} // several
		}
	}
	for _, a := range m.from {
		if b := byKey[of(a.text)]; b != nil && fits(a, b, 1) {
			m.take(a, b, Pattern{})
		}
	}
}

// byEnds matches names of which only the end, or the beginning, differs, in the same way in several.
func (m *matcher) byEnds() {
	for _, reversed := range []bool{false, true} {
		index := make(map[string]*nameUse)
		var texts []string
		for _, b := range m.to {
			if !b.isTaken {
				text := turned(b.text, reversed)
				index[text] = b
				texts = append(texts, text)
			}
		}
		slices.Sort(texts)

		counts := make(map[[2]string]int)
		for _, a := range m.from {
			if a.isTaken {
				continue
			}
			text := turned(a.text, reversed)
			for _, ends := range likelyEnds(text, texts) {
				counts[ends]++
			}
		}

		var all [][2]string
		for ends, count := range counts {
			if count > 1 {
				all = append(all, ends)
			}
		}
		slices.SortFunc(all, func(a, b [2]string) int {
			return cmp.Or(counts[b]-counts[a], len(b[0])+len(b[1])-len(a[0])-len(a[1]),
				strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
		})
		for _, ends := range all[:min(len(all), maxPatterns)] {
			m.byPattern(ends, index, reversed)
		}
	}
}

// maxPatterns is the number of patterns that are tried.
const maxPatterns = 20

// byPattern matches the names that end in one text before, and in another one now, if there are two.
func (m *matcher) byPattern(ends [2]string, index map[string]*nameUse, reversed bool) {
	pattern := Pattern{FromSuffix: ends[0], ToSuffix: ends[1]}
	if reversed {
		pattern = Pattern{FromPrefix: turned(ends[0], true), ToPrefix: turned(ends[1], true)}
	}
	var found []namePair
	for _, a := range m.from {
		if base, ok := strings.CutSuffix(turned(a.text, reversed), ends[0]); ok {
			if b := index[base+ends[1]]; b != nil && fits(a, b, 4) {
				found = append(found, namePair{a, b, pattern})
			}
		}
	}
	if len(found) < 2 {
		return
	}
	for _, pair := range found {
		m.take(pair.from, pair.to, pattern)
	}
}

// turned returns a text backwards if it is reversed.
func turned(text string, reversed bool) string {
	if !reversed {
		return text
	}
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// likelyEnds returns the ends in which a text and those next to it in sorted texts differ: as they are,
// and from the last separator on.
func likelyEnds(text string, texts []string) [][2]string {
	var ends [][2]string
	i, _ := slices.BinarySearch(texts, text)
	for _, j := range []int{i - 1, i} {
		if j < 0 || j == len(texts) {
			continue
		}
		n := commonPrefix(text, texts[j])
		if n == 0 {
			continue
		}
		ends = append(ends, [2]string{text[n:], texts[j][n:]})
		if m := separatorBefore(text, texts[j], n); m != n {
			ends = append(ends, [2]string{text[m:], texts[j][m:]})
		}
	}
	return ends
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// separatorBefore returns where the last part of two texts begins, whose first n bytes are equal: at
// the separator before it. Without one, it is n.
func separatorBefore(a, b string, n int) int {
	startsWithSeparator := func(s string) bool { return s == "" || !isWord(s[0]) }
	if startsWithSeparator(a[n:]) && startsWithSeparator(b[n:]) {
		return n
	}
	for m := n; m > 0; m-- {
		if !isWord(a[m-1]) {
			return m - 1
		}
	}
	return n
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// maxCompared bounds the names that are compared with each other.
const maxCompared = 300

// bySimilarity matches the remaining names: those that are alike, with values of a similar scale, and
// then those with nearly the same values. No other pair may be as good.
func (m *matcher) bySimilarity() {
	left := func(all []*nameUse) []*nameUse {
		return slices.DeleteFunc(slices.Clone(all), func(u *nameUse) bool { return u.isTaken })
	}
	from, to := left(m.from), left(m.to)
	if len(from) > maxCompared || len(to) > maxCompared {
		return
	}
	const alike = 0.6
	m.mutual(from, to, func(a, b *nameUse) float64 {
		if s := similarity(fold(a.text), fold(b.text)); s >= alike && fits(a, b, 1) {
			return s
		}
		return 0
	})

	const near = 0.07 // 5%
	if len(left(from)) != len(left(to)) {
		return // some were removed or added: equal values may be a coincidence
	}
	m.mutual(from, to, func(a, b *nameUse) float64 {
		if !fits(a, b, near) {
			return 0
		}
		return 1 - math.Abs(a.scale()-b.scale())
	})
}

// mutual matches names each of which is the best for the other, by a score.
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
		m.take(x.a, x.b, Pattern{})
	}
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
