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

// A scale is a factor between units. If jumps are nearer to the power of two, it is that.
type scale struct{ factor, binary float64 }

// isSmall reports whether values are often multiplied by the factor for other reasons.
func (s scale) isSmall() bool { return s.factor < 1000 && s.factor > 1/1000. }

// scales returns the factors, and 0 for values that are all 0.
func scales() []scale {
	all := []scale{{8, 8}, {10, 10}, {60, 60}, {100, 100}, {1e3, 1 << 10}, {3600, 3600}, {1e6, 1 << 20}, {1e9, 1 << 30},
		{1e12, 1 << 40}}
	for _, s := range all {
		all = append(all, scale{1 / s.factor, 1 / s.binary})
	}
	return append(all, scale{0, 0})
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
	withPair []int32 // new series with each pair
}

// Widths, as logarithms to the base 2.
const (
	leastJump = 2.8  // a factor of 7
	within25  = 0.32 // percent
	within10  = 0.14
	within5   = 0.07
	within2   = 0.03

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

// near reports whether a logarithm is near that of the factor.
func (s scale) near(log, width float64) bool {
	exact := math.Log2(s.factor)
	return log == exact || math.Abs(log-exact) < width
}

// findJumps reports the series whose values jumped.
func (e *explainer) findJumps() {
	for id := range e.ids.values.len {
		if e.ids.isOn(series.Old, id) && e.ids.isOn(series.New, id) {
			e.jumps.add(id, e.ids.value(id, series.Old), e.ids.value(id, series.New))
		}
	}
	all := e.jumps.all
	if len(all) == 0 {
		return
	}

	e.jumps.withPair = make([]int32, e.facts.len)
	for id := range e.ids.values.len {
		if e.ids.isOn(series.New, id) {
			for _, n := range e.paramsOf(id) {
				e.jumps.withPair[n]++
			}
		}
	}

	// No jump is near two factors.
	slices.SortFunc(all, func(a, b jump) int { return cmp.Or(cmp.Compare(a.log, b.log), cmp.Compare(a.id, b.id)) })
	for _, s := range scales() {
		width := within25
		if s.isSmall() {
			width = within10
		}
		isNear := func(j jump) bool { return s.near(float64(j.log), width) }
		if from := slices.IndexFunc(all, isNear); from >= 0 {
			to := from + 1
			for to < len(all) && isNear(all[to]) {
				to++
			}
			e.groupJumps(slices.Clone(all[from:to]), s)
		}
	}
	slices.SortFunc(e.report.Jumps, func(a, b Jump) int {
		return cmp.Or(b.Traces-a.Traces, cmp.Compare(b.Factor, a.Factor), strings.Compare(a.Key, b.Key),
			strings.Compare(a.Value, b.Value))
	})
}

// maxJumpGroups bounds the groups that are looked at.
const maxJumpGroups = 100

// groupJumps reports jumps near one factor: all, or in groups by a param.
func (e *explainer) groupJumps(all []jump, s scale) {
	if compared := e.jumps.compared; 10*len(all) >= 9*compared {
		if factor, ok := e.isJump(all, len(all), s); ok {
			e.report.Jumps = append(e.report.Jumps, Jump{Factor: factor, Traces: len(all), Of: compared})
			return
		}
	}

	// A group has nearly all series with a param, or is of one name. The largest is best.
	groups := 0
	largest := func(counts []int32) (best uint32, ok bool) {
		most := int32(0)
		for n, count := range counts {
			isName := e.key(uint32(n)) == e.name
			if (isName || 10*count >= 9*e.jumps.withPair[n]) && (count > most || count == most && isName) {
				best, most = uint32(n), count
			}
		}
		groups++
		return best, most > 0 && groups <= maxJumpGroups
	}
	eachGroup(e, all, func(j jump) uint32 { return j.id }, largest, func(pair uint32, group []jump) {
		if factor, ok := e.isJump(group, int(e.jumps.withPair[pair]), s); ok {
			e.report.Jumps = append(e.report.Jumps,
				Jump{Key: e.keyName(pair), Value: e.shown(pair), Factor: factor, Traces: len(group)})
		}
	})
}

// isJump returns the factor of sorted jumps near a scale, which a number of series might have, and
// whether it is more than chance.
func (e *explainer) isJump(all []jump, of int, s scale) (factor float64, ok bool) {
	least, median, most := float64(all[0].log), float64(all[len(all)/2].log), float64(all[len(all)-1].log)
	if d := math.Abs(median - math.Log2(s.binary)); d < withinBinary && d < math.Abs(median-math.Log2(s.factor)) {
		s.factor = s.binary
	}

	isUnit := func(key uint32) bool { return isUnitKey(e.keys[key].name) }
	isTime := func(n uint32) bool { // or a rate
		u, _ := unit.Parse(e.shown(n))
		return u.Quantity.Of == "s" || u.Quantity.Per == "s"
	}
	isMost := 10*len(all) >= 9*of
	isSeveral := len(e.pairsOf(all, func(key uint32) bool { return key == e.name }, 3)) == 3
	switch {
	case s.factor == 0:
		hasTime := isMost && slices.ContainsFunc(e.pairsOf(all, isUnit, maxCompared), isTime)
		return 0, hasTime || len(all) == e.jumps.compared
	case isSeveral && s.isSmall():
		return s.factor, isMost && s.near(median, within2)
	case isSeveral:
		return s.factor, s.near(median, within5)
	case s.isSmall():
		isPercent := s.factor == 100 || s.factor == 1/100.
		return s.factor, isPercent && s.near(least, within2) && s.near(most, within2)
	}
	return s.factor, s.near(least, within10) && s.near(most, within10)
}

// pairsOf returns the different pairs of series with some keys, at most most of them.
func (e *explainer) pairsOf(all []jump, isKey func(key uint32) bool, most int) (pairs []uint32) {
	for _, j := range all {
		for _, n := range e.paramsOf(j.id) {
			if len(pairs) < most && isKey(e.key(n)) && !slices.Contains(pairs, n) {
				pairs = append(pairs, n)
			}
		}
	}
	return pairs
}
