package drift

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"perfdata/series"
	"perfdata/unit"
)

// Values that jump by a factor between units, such as 1000, are in another unit, whatever the
// files say: a benchmark that is slower is so by any factor. How near the factor must be depends
// on how likely it is without a reason:
//
//   - In several benchmarks, the median must be within 5% of the factor. A factor below 1000
//     needs 2% and nearly all series of a param: others were perhaps built without optimization.
//   - In one or two, each must be within 10%, and the factor 1000 or more; or within 2% of 100,
//     as between shares and percent.
//
// Values that are all 0 are not measured. Where that is so in some series only, it must be of all
// series of a param, and of times or rates, which are never 0: a benchmark that no longer
// allocates is an improvement.

// A scale is a factor between units. Of one that is near a power of two, that is the other one.
type scale struct {
	factor, binary float64
	isSmall        bool
}

// scales returns the factors.
func scales() []scale {
	return []scale{{8, 8, true}, {10, 10, true}, {60, 60, true}, {100, 100, true}, {1e3, 1 << 10, false},
		{3600, 3600, false}, {1e6, 1 << 20, false}, {1e9, 1 << 30, false}, {1e12, 1 << 40, false}}
}

// A jump is a series whose values are others: by the logarithm of their ratio, or infinitely if
// they are all 0 now.
type jump struct {
	id  uint32
	log float32
}

// jumps collects the series with jumps among the compared ones.
type jumps struct {
	all      []jump
	compared int
}

// Widths, as logarithms to the base 2.
const (
	leastJump  = 2.8  // a factor of 7
	withinWide = 0.32 // 25%
	within10   = 0.14
	within5    = 0.07
	within2    = 0.03

	withinBinary = 0.005 // of a power of two that is near one of ten
)

func (j *jumps) add(id uint32, old, new float64) {
	if old == 0 || math.IsInf(old, 1) || math.IsInf(new, 1) {
		return
	}
	j.compared++
	if log := math.Log2(new / old); math.Abs(log) > leastJump {
		j.all = append(j.all, jump{id, float32(log)})
	}
}

// isScale reports whether a number is the logarithm of a factor between units, of 1000 or more.
func isScale(log float64) bool {
	for _, s := range scales() {
		if !s.isSmall && math.Abs(math.Abs(log)-math.Log2(s.factor)) < within10 {
			return true
		}
	}
	return false
}

// findJumps reports the series whose values jumped.
func (e *explainer) findJumps() {
	for id := range e.ids.values.len {
		if old, new := e.ids.sides(id); old && new {
			e.jumps.add(id, e.ids.value(id, series.Old), e.ids.value(id, series.New))
		}
	}
	if len(e.jumps.all) == 0 {
		return
	}

	withPair := make([]int32, e.facts.len) // series
	for id := range e.ids.values.len {
		if e.ids.isOn(series.New, id) {
			for _, n := range e.paramsOf(id) {
				withPair[n]++
			}
		}
	}

	// The jumps by a factor, and by others near it, are a part of the sorted jumps. No parts
	// overlap.
	all := e.jumps.all
	slices.SortFunc(all, func(a, b jump) int { return cmp.Or(cmp.Compare(a.log, b.log), cmp.Compare(a.id, b.id)) })
	between := func(from, to float64) []jump {
		index := func(log float64) int {
			i, _ := slices.BinarySearchFunc(all, log, func(j jump, log float64) int {
				return cmp.Compare(float64(j.log), log)
			})
			return i
		}
		return all[index(from):index(to)]
	}
	e.groupJumps(between(math.Inf(-1), -math.MaxFloat32), withPair, e.isZero)

	for _, s := range scales() {
		width := withinWide
		if s.isSmall {
			width = within10
		}
		for _, sign := range []float64{1, -1} {
			log := sign * math.Log2(s.factor)
			e.groupJumps(between(log-width, log+width), withPair, func(group []jump, of int) (float64, bool) {
				return e.isJump(group, of, s, sign)
			})
		}
	}

	slices.SortFunc(e.report.Jumps, func(a, b Jump) int {
		return cmp.Or(b.Traces-a.Traces, cmp.Compare(b.Factor, a.Factor), strings.Compare(a.Key, b.Key),
			strings.Compare(a.Value, b.Value))
	})
}

// maxJumpGroups bounds the groups that are looked at.
const maxJumpGroups = 100

// A judge returns the factor of the values of a group, which has all except a few of a number of
// series, and whether it is more than chance.
type judge func(group []jump, of int) (factor float64, ok bool)

// groupJumps reports jumps by one factor: all, or in groups by a param.
func (e *explainer) groupJumps(all []jump, withPair []int32, judge judge) {
	if len(all) == 0 {
		return
	}
	if 10*len(all) >= 9*e.jumps.compared {
		if factor, ok := judge(all, len(all)); ok {
			e.report.Jumps = append(e.report.Jumps, Jump{Factor: factor, Traces: len(all), Of: e.jumps.compared})
			return
		}
	}

	// A group has nearly all series with a param, or is of one name. The largest is best.
	n := 0
	largest := func(counts []int32) (best uint32, ok bool) {
		most := int32(0)
		for n, count := range counts {
			isName := e.key(uint32(n)) == e.name
			if (isName || 10*count >= 9*withPair[n]) && (count > most || count == most && isName) {
				best, most = uint32(n), count
			}
		}

		n++
		return best, most > 0 && n <= maxJumpGroups
	}
	eachGroup(e, all, func(j jump) uint32 { return j.id }, largest, func(pair uint32, group []jump) {
		if factor, ok := judge(group, int(withPair[pair])); ok {
			key := e.keyName(pair)
			e.report.Jumps = append(e.report.Jumps,
				Jump{Key: key, Value: e.shown(pair), Factor: factor, Traces: len(group)})
		}
	})
}

// isJump returns the factor of jumps near a scale, which are sorted, and whether it is the factor
// of a unit.
func (e *explainer) isJump(all []jump, of int, s scale, sign float64) (factor float64, ok bool) {
	log := sign * float64(all[len(all)/2].log)
	factor = s.factor
	if d := math.Abs(log - math.Log2(s.binary)); d < withinBinary && d < math.Abs(log-math.Log2(factor)) {
		factor = s.binary
	}

	exact, from, to := math.Log2(factor), sign*float64(all[0].log), sign*float64(all[len(all)-1].log)
	most := max(math.Abs(from-exact), math.Abs(to-exact))
	switch isSet := e.hasNames(all, 3); {
	case isSet && s.isSmall:
		ok = math.Abs(log-exact) < within2 && 10*len(all) >= 9*of
	case isSet:
		ok = math.Abs(log-exact) < within5
	case s.isSmall:
		ok = s.factor == 100 && most < within2
	default:
		ok = most < within10
	}
	return math.Pow(factor, sign), ok
}

// isZero reports whether series whose values are all 0 are not measured.
func (e *explainer) isZero(all []jump, of int) (factor float64, ok bool) {
	if len(all) == e.jumps.compared {
		return 0, true
	}
	hasTime := false
	for _, j := range all {
		for _, n := range e.paramsOf(j.id) {
			if isUnitKey(e.keyName(n)) {
				u, _ := unit.Parse(e.shown(n))
				hasTime = hasTime || u.Quantity.Of == "s" || u.Quantity.Per == "s"
			}
		}
	}
	return 0, hasTime && 10*len(all) >= 9*of
}

// hasNames reports whether series have a number of names, or more.
func (e *explainer) hasNames(all []jump, least int) bool {
	names := make(map[uint32]bool)
	for _, j := range all {
		for _, n := range e.paramsOf(j.id) {
			if e.key(n) == e.name {
				names[n] = true
			}
		}
		if len(names) >= least {
			return true
		}
	}
	return false
}
