package change

import (
	"cmp"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/internal/elementary"
	"perfdata/internal/fdr"
	"perfdata/series"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

// A Found is a series with the points that were found in it, for [Findings].
type Found struct {
	Params traceid.Params
	Better format.Direction
	Points []Point

	// Commits are the places of the values in the order of all commits, in ascending order: a series
	// has no values at commits at which it was not measured. If it is nil, they are 0, 1 and so on.
	Commits []int

	shortage int // of commits: see Finder
}

// A Change is a point of a series that is not an outlier.
type Change struct {
	Series int // the index of the series
	Point  int // the index of the point
	Lo, Hi int // the interval, as places in the order of all commits
}

// point returns the point of a change.
func (c Change) point(all []Found) *Point { return &all[c.Series].Points[c.Point] }

// A Finding is the changes of one or more series that one commit may have caused: their intervals
// overlap, and they have one direction. All got worse, or all got better; or the direction is not known
// of any of them, and all values rose, or all fell.
type Finding struct {
	Kind   Kind // Step, Trend or Excursion
	At     int  // the place at which most series changed, in the order of all commits; of trends, the middle
	Lo, Hi int  // what the intervals have in common: the cause is at one of these places; of trends, the first one
	Back   int  // of an excursion: the place at which the level came back

	Params        traceid.Params // what nearly all of its series have in common
	Worse, Better int            // the number of changes; both are 0 if the direction is not known
	Changes       []Change       // the largest first

	// Ratio is the median of the ratios, and Least and Greatest are the extreme ones. If they are
	// on both sides of 1, as for times that rose and rates that fell, the median says nothing.
	Ratio, Least, Greatest float64
}

// Findings groups the steps, and the trends, of many series by their causes and directions. A change whose q is
// greater than maxQ is in none. Outliers have no cause worth a finding. The findings with the
// most and largest changes come first.
//
// The second result is the changes of all series, in the order of the series and points. Findings sets the Q
// of the points.
func Findings(all []Found, maxQ, threshold float64) ([]Finding, []Change) {
	var changes []Change
	tests := 0 // one for each change, and for each series without one, as if its p were 1
	for i := range all {
		s, before := &all[i], len(changes)
		for j, p := range s.Points {
			s.Points[j].Q = 1
			if p.Kind != Outlier {
				_, lo, hi := s.Places(p)
				changes = append(changes, Change{Series: i, Point: j, Lo: lo, Hi: hi})
			}
		}
		tests += max(1, len(changes)-before)
	}

	for i, q := range adjusted(all, changes, tests) {
		changes[i].point(all).Q = q
	}

	var findings []Finding
	for _, kind := range []Kind{Step, Trend} {
		var some []Change
		for _, c := range changes {
			if p := c.point(all); p.Kind == kind && p.Exceeds(threshold) {
				some = append(some, c)
			}
		}
		for _, group := range causes(all, some, tests, maxQ) {
			group.Kind = kind
			group.describe(all)
			findings = append(findings, group)
		}
	}

	findings = excursions(all, findings, threshold)
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.weight(all), a.weight(all)), a.At-b.At)
	})
	return findings, changes
}

// Places returns the place of a point of s, in the order of all commits, and the first and the last
// place of its interval. Commits without a value before a step are part of that: each of them may
// have caused it. The interval of a trend ends with its last value.
func (s *Found) Places(p Point) (at, lo, hi int) {
	at, lo, hi = s.place(p.Index), s.place(p.Lo), s.place(p.Hi)
	switch {
	case p.Kind == Trend:
		hi = max(s.place(p.Hi-1), at)
	case p.Kind == Step && p.Lo > 0:
		lo = s.place(p.Lo-1) + 1
	}
	return at, lo, max(lo, hi)
}

// place returns the place of a value in the order of all commits.
func (s *Found) place(i int) int {
	if len(s.Commits) == 0 {
		return i
	}
	return s.Commits[min(max(i, 0), len(s.Commits)-1)]
}

// adjusted returns the q of changes among a number of tests.
func adjusted(all []Found, changes []Change, tests int) []float64 {
	return fdr.Adjust(len(changes), func(i int) float64 { return changes[i].point(all).P }, tests-len(changes))
}

// slack is by how many commits an interval may miss the place of its cause: one in twenty does,
// usually by one or two. The interval of a counter without noise does not.
func slack(all []Found, c Change) int {
	if c.point(all).P == 0 {
		return 0
	}
	return 2
}

// wholeWeight is the weight of the interval of a change. The places of most intervals have equal parts of it.
const wholeWeight = 16 * 9 * 5 * 7 * 11 * 13 * 17 * 19 * 23

// causes groups changes by effect and place: first those around the place that most intervals with
// one effect contain, where narrow ones weigh more, and so on with the remaining changes that are
// significant among themselves. Changes with another effect at that place are not among the
// remaining ones: where one thing changed, so may others.
func causes(all []Found, changes []Change, tests int, maxQ float64) []Finding {
	var sure []Change // at a place where others changed
	rest := significant(all, changes, tests, maxQ)
	places := 0
	for _, c := range rest {
		places = max(places, c.Hi+1)
	}

	weights := make([]int64, effects*places) // the places of each effect, one after the other
	add := func(changes []Change, sign int64) {
		for _, c := range changes {
			first := int(c.effect(all)) * places
			for i := c.Lo; i <= c.Hi; i++ {
				weights[first+i] += sign * max(1, wholeWeight/int64(c.Hi-c.Lo+1))
			}
		}
	}
	add(rest, 1)

	var findings []Finding
	for len(sure)+len(rest) > 0 {
		heavy := slices.Index(weights, slices.Max(weights))
		f := Finding{At: heavy % places, Hi: places}
		isNear := func(c Change) bool { return c.Lo-slack(all, c) <= f.At && f.At <= c.Hi+slack(all, c) }

		near, far := divide(rest, isNear)
		f.Changes, sure = divide(append(sure, near...), func(c Change) bool {
			return int(c.effect(all)) == heavy/places && isNear(c)
		})
		for _, c := range f.Changes {
			if c.Lo <= f.At && f.At <= c.Hi {
				f.Lo, f.Hi = max(f.Lo, c.Lo), min(f.Hi, c.Hi)
			}
		}
		findings = append(findings, f)

		tests -= len(near)
		rest = significant(all, far, tests, maxQ)
		add(f.Changes, -1)
		add(far, -1)
		add(rest, 1)
	}
	return findings
}

// maxExcursion is the number of commits after which a level that comes back is news of its own.
const maxExcursion = 8

// excursions joins a finding with the one that takes it back: soon after it, in the same series, to the level
// before it.
func excursions(all []Found, findings []Finding, threshold float64) []Finding {
	for i := range findings {
		for j := range findings {
			f, g := &findings[i], &findings[j]
			if f.Kind == Step && g.Kind == Step && len(f.Changes) > 0 && g.At > f.At && g.At-f.At <= maxExcursion &&
				isTakenBack(all, f.Changes, g.Changes, threshold) {
				f.Kind, f.Back, g.Changes = Excursion, g.At, nil
			}
		}
	}
	return slices.DeleteFunc(findings, func(f Finding) bool { return len(f.Changes) == 0 })
}

// isTakenBack reports whether the steps of some changes are followed in each series by the ones of others, to the
// level before them.
func isTakenBack(all []Found, changes, others []Change, threshold float64) bool {
	isNext := make(map[*Point]bool, len(others))
	for _, c := range others {
		isNext[c.point(all)] = true
	}
	for _, c := range changes {
		rest := all[c.Series].Points[c.Point+1:]
		i := slices.IndexFunc(rest, func(p Point) bool { return p.Kind == Step })
		if i < 0 || !isNext[&rest[i]] ||
			(Point{Ratio: ratio(c.point(all).Before, rest[i].After)}).Exceeds(threshold) {
			return false
		}
	}
	return len(changes) == len(others)
}

// divide returns the changes that are part of something, and the others.
func divide(changes []Change, isPart func(Change) bool) (part, others []Change) {
	for _, c := range changes {
		if isPart(c) {
			part = append(part, c)
		} else {
			others = append(others, c)
		}
	}
	return part, others
}

// significant returns the changes whose q among a number of tests is at most maxQ.
func significant(all []Found, changes []Change, tests int, maxQ float64) []Change {
	var left []Change
	for i, q := range adjusted(all, changes, tests) {
		if q <= maxQ {
			left = append(left, changes[i])
		}
	}
	return left
}

// describe sets what the series of a finding have in common, and its place.
func (f *Finding) describe(all []Found) {
	ratios := make([]float64, 0, len(f.Changes))
	for _, c := range f.Changes {
		ratios = append(ratios, c.point(all).Ratio)
	}
	n := len(ratios)
	f.Ratio = series.Median(ratios) // sorts them
	f.Least, f.Greatest = ratios[0], ratios[n-1]
	f.Params = common(all, f.Changes)
	switch f.Changes[0].effect(all) {
	case worse:
		f.Worse = n
	case better:
		f.Better = n
	}

	slices.SortStableFunc(f.Changes, func(a, b Change) int {
		p, q := a.point(all), b.point(all)
		return cmp.Or(cmp.Compare(q.magnitude(), p.magnitude()), all[a.Series].place(p.Index)-all[b.Series].place(q.Index))
	})
	if f.Kind != Step {
		first := f.Changes[0]
		f.At, f.Lo, f.Hi = all[first.Series].Places(*first.point(all))
		return
	}

	// Among the places that the intervals have in common, the one at which most steps are, and if there are
	// several, the one of the largest step. In simulations with steps of 10% in noise of up to 5%, this was the
	// right commit for 74% of single series, and for 96% of threes. The place that most intervals contain was
	// right for 59% and 87%.
	counts, most := make(map[int]int), 0
	for _, c := range f.Changes {
		at := all[c.Series].place(c.point(all).Index)
		if at < f.Lo || at > f.Hi {
			continue
		}
		if counts[at]++; counts[at] > most {
			f.At, most = at, counts[at]
		}
	}
}

// Verdict returns what a finding means: [judgment.Worse], [judgment.Better], or [judgment.Changed] if the direction
// is not known.
func (f *Finding) Verdict() judgment.Verdict {
	switch {
	case f.Worse > 0:
		return judgment.Worse
	case f.Better > 0:
		return judgment.Better
	}
	return judgment.Changed
}

// Verdict returns what a change of one of the series means.
func (c Change) Verdict(all []Found) judgment.Verdict {
	p := c.point(all)
	return judgment.VerdictOf(p.After > p.Before, all[c.Series].Better)
}

// An effect is what a change means. Where the direction of a series is not known, it is only whether the
// values rose or fell: nobody knows that what fell has to do with what rose.
type effect int

const (
	worse effect = iota
	better
	rise
	fall

	effects = iota
)

// effect returns the effect of a change.
func (c Change) effect(all []Found) effect {
	p := c.point(all)
	switch v := c.Verdict(all); {
	case v == judgment.Worse:
		return worse
	case v == judgment.Better:
		return better
	case p.After > p.Before:
		return rise
	}
	return fall
}

// common returns the params that the series of nearly all changes have. Of many changes, a few
// may be there by chance: up to one in twenty is allowed not to have a param.
func common(all []Found, changes []Change) traceid.Params {
	counts := make(map[traceid.Param]int)
	for _, c := range changes {
		for _, p := range all[c.Series].Params {
			counts[p]++
		}
	}
	var params traceid.Params
	for p, n := range counts {
		if 20*n >= 19*len(changes) {
			params = append(params, p)
		}
	}
	slices.SortFunc(params, func(a, b traceid.Param) int { return cmp.Compare(a.Key, b.Key) })
	return params
}

// weight returns the sum of the magnitudes of the changes.
func (f *Finding) weight(all []Found) float64 {
	sum := 0.0
	for _, c := range f.Changes {
		sum += c.point(all).magnitude()
	}
	return sum
}

// Exceeds reports whether the ratio of p is beyond a threshold, which is 0.05 for 5%: over 1.05,
// or under 1/1.05.
func (p Point) Exceeds(threshold float64) bool {
	return !(p.Ratio >= 1/(1+threshold) && p.Ratio <= 1+threshold)
}

// magnitude returns the size of a change: the absolute logarithm of its ratio, and at most that
// of 10, which is also that of a change from 0 or of the sign.
func (p Point) magnitude() float64 {
	const most = 10
	r := p.Ratio
	if !(r > 1.0/most && r < most) {
		r = most
	}
	return math.Abs(elementary.Log(r))
}
