package change_test

import (
	"fmt"
	"maps"
	"slices"
)

// A score counts the true changes that were found: a point within 5 of a change matches it, and
// each point matches once.
type score struct {
	hits, found, truth int
	falses, unchanged  int // found points, and values, of series without a change
}

func (s *score) add(t trace, found []int) {
	s.hits += matches(t.truth, found)
	s.found += len(found)
	s.truth += len(t.truth)
	if len(t.truth) == 0 {
		s.falses += len(found)
		s.unchanged += len(t.values)
	}
}

func (s *score) f1() float64 { return 2 * float64(s.hits) / float64(max(s.found+s.truth, 1)) }

func (s *score) falsePerThousand() float64 {
	return 1000 * float64(s.falses) / float64(max(s.unchanged, 1))
}

func (s *score) String() string {
	return fmt.Sprintf("F1 %.3f, %d right of %d found, of %d; %.3f false per 1,000",
		s.f1(), s.hits, s.found, s.truth, s.falsePerThousand())
}

// matches counts the places of truth, in order, that have a point within 5.
func matches(truth, found []int) int {
	left := slices.Clone(found)
	n := 0
	for _, t := range truth {
		best := -1
		for i, x := range left {
			if d := abs(t - x); d <= 5 && (best < 0 || d < abs(t-left[best]) || d == abs(t-left[best]) && x < left[best]) {
				best = i
			}
		}
		if best >= 0 {
			n++
			left = slices.Delete(left, best, best+1)
		}
	}
	return n
}

func abs(x int) int { return max(x, -x) }

// annotatedF1 returns F1 as van den Burg and Williams define it for several annotators, whose
// sets, and the found points, contain the start of the series; and the mean part of the
// annotators' changes that are found.
func annotatedF1(annotations map[string][]int, found []int) (f1, recall float64) {
	found = withStart(found)
	var union []int
	r := 0.0
	for _, a := range annotations {
		u := withStart(a)
		union = append(union, u...)
		r += float64(matches(u, found)) / float64(len(u))
	}
	union = withStart(union)
	p := float64(matches(union, found)) / float64(len(found))
	r /= float64(len(annotations))
	return 2 * p * r / (p + r), r
}

func withStart(places []int) []int {
	s := append([]int{0}, places...)
	slices.Sort(s)
	return slices.Compact(s)
}

// coverings returns the mean over annotators of how well the found segments cover theirs.
func coverings(annotations map[string][]int, found []int, n int) float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		for _, theirs := range parts(annotations[name], n) {
			best := 0.0
			for _, ours := range parts(found, n) {
				common := max(0, min(theirs[1], ours[1])-max(theirs[0], ours[0]))
				together := theirs[1] - theirs[0] + ours[1] - ours[0] - common
				best = max(best, float64(common)/float64(together))
			}
			sum += float64(theirs[1]-theirs[0]) * best / float64(n)
		}
	}
	return sum / float64(len(annotations))
}

// parts returns the segments between places.
func parts(places []int, n int) [][2]int {
	var all [][2]int
	bounds := append(withStart(places), n)
	for i := 1; i < len(bounds); i++ {
		all = append(all, [2]int{bounds[i-1], bounds[i]})
	}
	return all
}
