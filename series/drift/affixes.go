package drift

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxSamples  = 8192 // names whose ends are looked at to find patterns
	maxPatterns = 20   // patterns that are tried
)

// A sample is a name that vanished, with the names that appeared just before and after it in the
// order of their texts, which are reversed to look for beginnings. These are most likely to have
// another end. With a million names, only some are samples, so that a pattern is found if at least
// two of them have it, and the others need not be sorted.
type sample struct {
	use           *occurrence
	text          string
	before, after string // empty if there is none
}

// byAffixes matches names of which only the end, or the beginning, differs, in the same way in
// several.
func (m *matcher) byAffixes() {
	names := m.hashes(m.to, m.shown)
	for _, reversed := range []bool{false, true} {
		samples := m.samples(reversed)
		counts := make(map[[2]string]int)
		for _, s := range samples {
			for _, ends := range slices.Concat(likelyAffixes(s.text, s.before), likelyAffixes(s.text, s.after)) {
				counts[ends]++
			}
		}
		maps.DeleteFunc(counts, func(_ [2]string, count int) bool { return count == 1 })
		all := slices.SortedFunc(maps.Keys(counts), func(a, b [2]string) int {
			return cmp.Or(counts[b]-counts[a], len(b[0])+len(b[1])-len(a[0])-len(a[1]), slices.Compare(a[:], b[:]))
		})
		for _, ends := range all[:min(len(all), maxPatterns)] {
			m.byPattern(ends, names, samples, reversed)
		}
	}
}

// samples returns names that vanished and are not matched, with their neighbors.
func (m *matcher) samples(reversed bool) []sample {
	vanished := left(m.from, len(m.from))
	step := (len(vanished) + maxSamples - 1) / maxSamples
	var samples []sample
	for i := 0; i < len(vanished); i += step {
		samples = append(samples, sample{use: vanished[i], text: m.turned(vanished[i], reversed)})
	}
	slices.SortFunc(samples, func(a, b sample) int { return strings.Compare(a.text, b.text) })

	for i := range m.to {
		if m.to[i].partner > 0 {
			continue
		}
		text := m.turned(&m.to[i], reversed)
		n, _ := slices.BinarySearchFunc(samples, text, func(s sample, text string) int {
			return strings.Compare(s.text, text)
		})
		if n < len(samples) && samples[n].before < text {
			samples[n].before = text
		}
		if n > 0 && (samples[n-1].after == "" || samples[n-1].after > text) {
			samples[n-1].after = text
		}
	}

	// Where no name is between two samples, they have the same neighbors.
	for i := range samples[min(1, len(samples)):] {
		samples[i+1].before = cmp.Or(samples[i+1].before, samples[i].before)
	}
	for i := len(samples) - 2; i >= 0; i-- {
		samples[i].after = cmp.Or(samples[i].after, samples[i+1].after)
	}
	return samples
}

// turned returns the text of a name, backwards if it is reversed.
func (m *matcher) turned(u *occurrence, reversed bool) string {
	text := string(m.shown(u.number))
	if reversed {
		return backwards(text)
	}
	return text
}

// likelyAffixes returns the ends in which two texts differ: as they are, and from the last separator
// on.
func likelyAffixes(a, b string) [][2]string {
	n := commonPrefix(a, b)
	if n == 0 {
		return nil
	}
	ends := [][2]string{{a[n:], b[n:]}}
	if m := separatorBefore(a, b, n); m != n {
		ends = append(ends, [2]string{a[m:], b[m:]})
	}
	return ends
}

// commonPrefix returns the number of bytes of the runes at the beginning of both texts.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// separatorBefore returns where the last part of two texts begins, whose first n bytes are equal:
// at the separator before it. Without one, it is n.
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

// byPattern matches the names that end in one text before, and in another one now, if there are
// two.
func (m *matcher) byPattern(ends [2]string, names []residue, samples []sample, reversed bool) {
	pattern := Pattern{FromSuffix: ends[0], ToSuffix: ends[1]}
	if reversed {
		pattern = Pattern{FromPrefix: backwards(ends[0]), ToPrefix: backwards(ends[1])}
	}
	found := 0
	for i := range samples {
		if a := samples[i].use; a.partner == 0 && m.successor(a, &pattern, names) != nil {
			found++
		}
	}
	if found < 2 {
		return
	}

	for i := range m.from {
		a := &m.from[i]
		if a.partner > 0 {
			continue
		}
		if b := m.successor(a, &pattern, names); b != nil {
			m.take(a, b)
			pattern.Traces += int(a.traces)
		}
	}
	m.patterns = append(m.patterns, pattern)
}

// successor returns the name that a name has after a change by a pattern. Without one, it is nil.
func (m *matcher) successor(a *occurrence, p *Pattern, names []residue) *occurrence {
	if m.shown(a.number); len(m.text) < len(p.FromPrefix)+len(p.FromSuffix) {
		return nil
	}
	end := len(m.text) - len(p.FromSuffix)
	if string(m.text[:len(p.FromPrefix)]) != p.FromPrefix || string(m.text[end:]) != p.FromSuffix {
		return nil
	}
	base := m.text[len(p.FromPrefix):end]
	m.other = append(append(append(m.other[:0], p.ToPrefix...), base...), p.ToSuffix...)
	if b := m.find(names, m.other); b != nil && fits(a, b, 4) {
		return b
	}
	return nil
}

func backwards(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// find returns the name that appeared and has a text, or nil. The names are sorted by the hashes of their texts.
func (m *matcher) find(names []residue, text []byte) *occurrence {
	sum := maphash.Bytes(m.pairs.seed, text)
	i, _ := slices.BinarySearchFunc(names, sum, func(r residue, sum uint64) int { return cmp.Compare(r.sum, sum) })
	for ; i < len(names) && names[i].sum == sum; i++ {
		b := &m.to[names[i].id]
		if string(m.shown(b.number)) == string(text) {
			return b
		}
	}
	return nil
}
