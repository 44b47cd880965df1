package change

import "perfdata/series"

// LastLevel returns the index of the first sample that surely has the level of the last one: that after the last
// step, or 0 if there is none. The samples are as those of FindSamples. Steps for which pass returns true are
// passed over, given how many commits follow them; it may be nil.
func (f *Finder) LastLevel(samples []series.Sample, pass func(p Point, commits int) bool) int {
	points := f.FindSamples(samples)
	if len(points) == 0 {
		return 0
	}
	var firsts []int // of the samples of each commit
	for i := range samples {
		if i == 0 || samples[i].Commit != samples[i-1].Commit {
			firsts = append(firsts, i)
		}
	}
	first := 0
	for _, p := range points {
		if p.Kind == Step && (pass == nil || !pass(p, len(firsts)-p.Index)) {
			first = firsts[p.Hi]
		}
	}
	return first
}
