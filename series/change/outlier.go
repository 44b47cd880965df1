package change

import (
	"slices"
)

// An outlier is this many times as far from the median as a normal value is that one in ten
// exceeds on this side.
const outlierSpreads = 5

// Segments of fewer values have no outliers.
const minOutlierSegment = 8

// appendOutliers adds the outliers in [a, b). fit returns the level at a position.
func (f *Finder) appendOutliers(a, b int, tr *trend) {
	n := b - a
	if n < minOutlierSegment {
		return
	}
	f.residues = f.residues[:0]
	if tr == nil {
		for _, i := range f.series.sorted(a, b) {
			f.residues = append(f.residues, f.values[i])
		}
	} else {
		for i := a; i < b; i++ {
			f.residues = append(f.residues, f.values[i]-tr.at(i))
		}
		slices.Sort(f.residues)
	}
	middle := mean(f.residues[(n-1)/2], f.residues[n/2])
	low := middle - float64(outlierSpreads*(middle-f.residues[n/10]))
	high := middle + float64(outlierSpreads*(f.residues[n-1-n/10]-middle))
	if f.residues[0] >= low && f.residues[n-1] <= high {
		return
	}

	for i := a; i < b; i++ {
		level := middle
		v := f.values[i]
		if tr != nil {
			level = tr.at(i)
			v -= level
			level += middle
		}
		if v >= low && v <= high {
			continue
		}
		at := int(f.at[i])
		f.points = append(f.points, Point{
			Index: at, Lo: at, Hi: at, Before: level, After: f.values[i], Ratio: ratio(level, f.values[i]),
			P: 1 / float64(n), Kind: Outlier,
		})
	}
}

// at returns the line of the trend at a position.
func (t *trend) at(i int) float64 {
	part := (float64(i-t.from) + 0.5) / float64(t.to-t.from)
	return mix(t.first, t.last, part)
}
