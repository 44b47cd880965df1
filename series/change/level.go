package change

import "perfdata/series"

// LastLevel returns the index of the first sample that surely has the level of the last one: the
// sample after the last step, or 0 if there is no step. The samples are as for FindSamples.
func (f *Finder) LastLevel(samples []series.Sample) int {
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
		if p.Kind == Step {
			first = firsts[p.Hi]
		}
	}
	return first
}
