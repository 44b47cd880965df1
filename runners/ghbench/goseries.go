package ghbench

import (
	"slices"
	"strings"
)

// goSeries are the benches that the action has made from the lines of go test, in one entry. From a
// line with several values, it makes a bench whose unit is the rest of the line, and benches called
// "NAME - UNIT", of one value each.
type goSeries struct {
	first map[string]string   // by the name of a bench: its unit, or that of the last of them
	own   map[string][]string // by NAME: the UNITs for which there are benches
}

// add adds the next bench, whose unit is first, before any is asked for.
func (s *goSeries) add(full, first string) {
	if s.first == nil {
		s.first, s.own = map[string]string{}, map[string][]string{}
	}
	s.first[full] = first
	if name, ok := cutUnit(full, first); ok && !slices.Contains(s.own[name], first) {
		s.own[name] = append(s.own[name], first)
	}
}

// find returns, for a bench, the name to use, and the units that have benches of their own. If the
// bench repeats a value of another one, repeats is set.
func (s *goSeries) find(full, first string) (name string, own []string, repeats bool) {
	if name, ok := cutUnit(full, first); ok {
		switch s.first[name] {
		case "": // no bench
		case first:
			return "", nil, true
		default:
			full = name
		}
	}
	return full, s.own[full], false
}

// cutUnit returns NAME if the name is "NAME - UNIT".
func cutUnit(full, unit string) (name string, ok bool) {
	if name, ok = strings.CutSuffix(full, unit); ok {
		name, ok = strings.CutSuffix(name, " - ")
	}
	return name, ok
}
