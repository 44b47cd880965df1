package change

import "slices"

// report makes points of the steps and trends, and of the outliers between them.
func (f *Finder) report() {
	for i, s := range f.steps {
		if !s.inTrend {
			f.points = append(f.points, f.stepPoint(i))
		}
	}
	for _, t := range f.trends {
		lo, hi := int(f.at[t.from]), int(f.at[t.to-1])+1
		f.points = append(f.points, Point{
			Index: lo + (hi-lo)/2, Lo: lo, Hi: hi,
			Before: t.first, After: t.last, Ratio: ratio(t.first, t.last), P: t.p, Kind: Trend,
		})
	}
	f.reportOutliers()
	slices.SortFunc(f.points, func(a, b Point) int {
		if a.Index != b.Index {
			return a.Index - b.Index
		}
		return int(a.Kind) - int(b.Kind)
	})
}

func (f *Finder) stepPoint(i int) Point {
	s := f.steps[i]
	a, b := f.neighbors(i)
	before, after := f.series.median(a, s.at), f.series.median(s.at, b)
	return Point{
		// Missing values before lo belong to neither side.
		Index: int(f.at[s.at]), Lo: int(f.at[s.lo-1]) + 1, Hi: int(f.at[s.hi]),
		Before: before, After: after, Ratio: ratio(before, after), P: s.p, Kind: Step,
	}
}

// reportOutliers adds the outliers of the segments between steps, and of trends.
func (f *Finder) reportOutliers() {
	from, next := 0, 0
	for i := 0; i <= len(f.steps); i++ {
		to := len(f.values)
		if i < len(f.steps) {
			to = f.steps[i].at
		}
		if to <= from {
			continue // in a trend
		}
		if next < len(f.trends) && f.trends[next].from <= from {
			t := &f.trends[next]
			f.appendOutliers(from, t.to, t)
			from, next = t.to, next+1
			continue
		}
		f.appendOutliers(from, to, nil)
		from = to
	}
}
