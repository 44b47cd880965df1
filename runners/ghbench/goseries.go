package ghbench

import (
	"slices"
	"strings"
)

// goSeries are the benches that the action has made from the lines of go test, in one entry. From a
// line with several values, it makes a bench whose unit is the rest of the line, and benches called
// "NAME - UNIT", of one value each.
type goSeries struct {
	byName  map[string]int // indices of lines
	lines   []goLine
	base    int       // the line that the previous "NAME - UNIT" was of
	benches []goBench // in their order
	at      int       // of the next bench
}

// A goLine is a name of benches, or the NAME of one that is called "NAME - UNIT".
type goLine struct {
	name  string
	first string   // unit of the bench, or of the last of them
	own   []string // the UNITs for which there are benches
}

// A goBench has the line that a bench is named after, and the line of its NAME, or -1.
type goBench struct{ line, base int }

// reset begins another entry.
func (s *goSeries) reset() {
	if s.byName == nil {
		s.byName = map[string]int{}
	}
	clear(s.byName)
	s.lines, s.benches, s.base, s.at = s.lines[:0], s.benches[:0], 0, 0
}

// add adds the next bench, before any is asked for.
func (s *goSeries) add(full, unit string) {
	first, _, _ := strings.Cut(unit, "\t")
	b := goBench{line: s.line(full), base: -1}
	s.lines[b.line].first = first
	if name, ok := cutUnit(full, first); ok {
		if s.lines[s.base].name != name {
			s.base = s.line(name)
		}
		b.base = s.base
		if own := &s.lines[b.base].own; !slices.Contains(*own, first) {
			*own = append(*own, first)
		}
	}
	s.benches = append(s.benches, b)
}

// line returns the index of the line with the name.
func (s *goSeries) line(name string) int {
	i, ok := s.byName[name]
	if !ok {
		i = len(s.lines)
		s.byName[name] = i
		s.lines = slices.Grow(s.lines, 1)[:i+1]
		s.lines[i] = goLine{name: name, own: s.lines[i].own[:0]}
	}
	return i
}

// next returns, for the next bench, whose unit is first, the name to use, and the units that have
// benches of their own. If the bench repeats a value of another one, repeats is set.
func (s *goSeries) next(first string) (name string, own []string, repeats bool) {
	b := s.benches[s.at]
	s.at++
	if b.base >= 0 {
		switch s.lines[b.base].first {
		case "": // no bench
		case first:
			return "", nil, true
		default:
			b.line = b.base
		}
	}
	return s.lines[b.line].name, s.lines[b.line].own, false
}

// cutUnit returns NAME if the name is "NAME - UNIT".
func cutUnit(full, unit string) (name string, ok bool) {
	if name, ok = strings.CutSuffix(full, unit); ok {
		name, ok = strings.CutSuffix(name, " - ")
	}
	return name, ok
}
