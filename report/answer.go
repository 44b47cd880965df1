package report

import "perfdata/series"

// CommitsOf returns the commits of an answer. The subject of one without a name is its run.
func CommitsOf(a *series.Answer) []series.Commit {
	commits := append([]series.Commit(nil), a.Commits...)
	for i := range commits {
		if c := &commits[i]; c.Hash == "" && a.Runs[i] != "" {
			c.Subject = "run " + a.Runs[i]
		}
	}
	return commits
}

// LineOf returns the values of the Old side of a series, as a page draws them.
func LineOf(s *series.Series) Line {
	return Line{
		Params: s.Identity, Unit: s.Unit, Better: s.Better, Exact: s.Exact,
		Points: AppendPoints(nil, s.Samples(series.Old), 0),
	}
}

// AppendPoints appends a point for each commit of samples, which follow one another. The index of
// a commit in Page.Commits is its place plus the first index.
func AppendPoints(dst []Point, samples []series.Sample, first int) []Point {
	var values []float64
	for i, sample := range samples {
		values = append(values, sample.Values...)
		if i+1 == len(samples) || samples[i+1].Commit != sample.Commit {
			dst = append(dst, PointOf(first+sample.Commit, values))
			values = values[:0]
		}
	}
	return dst
}
