package drift

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/series"
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
	names := m.hashes(m.names[series.New], m.bytes)
	sortResidues(names)
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
	text := func(u *occurrence) string {
		if reversed {
			return backwards(m.shown(u.number))
		}
		return m.shown(u.number)
	}
	vanished := unmatched(m.names[series.Old])
	step := (len(vanished) + maxSamples - 1) / maxSamples
	var samples []sample
	for i := 0; i < len(vanished); i += step {
		samples = append(samples, sample{use: vanished[i], text: text(vanished[i])})
	}
	slices.SortFunc(samples, func(a, b sample) int { return strings.Compare(a.text, b.text) })

	for _, u := range unmatched(m.names[series.New]) {
		name := text(u)
		n, _ := slices.BinarySearchFunc(samples, name, func(s sample, name string) int {
			return strings.Compare(s.text, name)
		})
		if n < len(samples) {
			samples[n].before = max(samples[n].before, name)
		}
		if n > 0 {
			samples[n-1].after = min(cmp.Or(samples[n-1].after, name), name)
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

// likelyAffixes returns the ends in which two texts differ: as they are, and from the last separator
// on.
func likelyAffixes(a, b string) [][2]string {
	n := commonPrefix(a, b)
	if n == 0 {
		return nil
	}

	ends := [][2]string{{a[n:], b[n:]}}
	startsWithSeparator := func(s string) bool { return s == "" || !isWord(s[0]) }
	for m := n; m > 0 && !(startsWithSeparator(a[n:]) && startsWithSeparator(b[n:])); m-- {
		if !isWord(a[m-1]) {
			return append(ends, [2]string{a[m-1:], b[m-1:]})
		}
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

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// byPattern matches the names that end in one text before, and in another one now, if there are
// two. The names that appeared are sorted by the hashes of their texts.
func (m *matcher) byPattern(ends [2]string, names []residue, samples []sample, reversed bool) {
	p := Pattern{Key: m.keys[m.name].name, FromSuffix: ends[0], ToSuffix: ends[1]}
	if reversed {
		p.FromSuffix, p.ToSuffix, p.FromPrefix, p.ToPrefix = "", "", backwards(ends[0]), backwards(ends[1])
	}
	found := 0
	for _, s := range samples {
		if m.successor(s.use, &p, names) != nil {
			found++
		}
	}
	if found < 2 {
		return
	}

	for i := range m.names[series.Old] {
		a := &m.names[series.Old][i]
		if b := m.successor(a, &p, names); b != nil {
			m.take(a, b)
			p.Traces += int(a.traces)
		}
	}
	m.report.AlsoPattern = append(m.report.AlsoPattern, p)
}

// successor returns the name that a name has after a change by a pattern. Without one, it is nil.
func (m *matcher) successor(a *occurrence, p *Pattern, names []residue) *occurrence {
	if a.partner > 0 {
		return nil
	}
	base, hasPrefix := bytes.CutPrefix(m.bytes(a.number), []byte(p.FromPrefix))
	base, hasSuffix := bytes.CutSuffix(base, []byte(p.FromSuffix))
	if !hasPrefix || !hasSuffix {
		return nil
	}

	m.shape = append(append(append(m.shape[:0], p.ToPrefix...), base...), p.ToSuffix...)
	sum := maphash.Bytes(m.set.seed, m.shape)
	i, _ := slices.BinarySearchFunc(names, sum, func(r residue, sum uint64) int { return cmp.Compare(r.sum, sum) })
	for ; i < len(names) && names[i].sum == sum; i++ {
		b := &m.names[series.New][names[i].id]
		if bytes.Equal(m.bytes(b.number), m.shape) && fits(a, b, 4) {
			return b
		}
	}
	return nil
}

func backwards(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}
