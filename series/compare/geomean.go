package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"perfdata/series"
	"perfdata/series/judgment"
)

// A logMean is the mean of logarithms.
type logMean struct {
	mean  float64
	n     int
	isBad bool // a number was not positive
}

func (m *logMean) add(x float64) {
	if !(x > 0) || math.IsInf(x, 0) {
		m.isBad = true
		return
	}
	m.n++
	m.mean += (math.Log(x) - m.mean) / float64(m.n)
}

// geomean returns the geometric mean, or NaN.
func (m *logMean) geomean() float64 {
	if m.isBad || m.n == 0 {
		return math.NaN()
	}
	return math.Exp(m.mean)
}

// A groupMeans is what the geometric means of a group are made of.
type groupMeans struct {
	judgment.Geomean
	id              string // of the group
	old, new, ratio logMean
}

// geomeans returns the geometric means of each group and unit, in their order. As in benchstat,
// they are taken over the medians of all series, including series in one set only, and the ratio of
// two medians of 0 is 1.
func (c *Comparer) geomeans(report *Report, rule Rule, side int) []judgment.Geomean {
	groups := make(map[[2]string]*groupMeans)
	of := func(s *series.Series) *groupMeans {
		params := group(s, rule.By)
		key := [2]string{params.ID(), s.Quantity()}
		if len(params) == 0 {
			key[0] = ""
		}
		if groups[key] == nil {
			mean := judgment.Geomean{Group: params, Unit: s.Quantity(), Side: rule.name(side), SameSets: true}
			groups[key] = &groupMeans{Geomean: mean, id: key[0]}
		}
		return groups[key]
	}

	for _, row := range report.Rows {
		if row.Reason != "" || row.Side != rule.name(side) {
			continue
		}
		g := of(row.Series)
		g.Series++
		g.old.add(row.Old.Median)
		g.new.add(row.New.Median)
		if row.Old.Median == row.New.Median {
			g.ratio.add(1)
		} else {
			g.ratio.add(row.New.Median / row.Old.Median)
		}
	}

	for i, all := range [][]*series.Series{report.OnlyOld, report.OnlyNew} {
		for _, s := range all {
			g := of(s)
			g.SameSets = false
			if median, ok := c.center(s.AppendSide(nil, []int{series.Old, side}[i]), s.Exact); ok {
				[]*logMean{&g.old, &g.new}[i].add(median)
			}
		}
	}

	var sorted []*groupMeans
	for _, g := range groups {
		g.Old, g.New, g.Ratio = g.old.geomean(), g.new.geomean(), g.ratio.geomean()
		sorted = append(sorted, g)
	}
	slices.SortFunc(sorted, func(a, b *groupMeans) int {
		return cmp.Or(strings.Compare(a.id, b.id), strings.Compare(a.Unit, b.Unit))
	})
	means := make([]judgment.Geomean, len(sorted))
	for i, g := range sorted {
		means[i] = g.Geomean
	}
	return means
}

// center returns the median of values, or the most frequent one if they are exact.
func (c *Comparer) center(values []float64, exact bool) (float64, bool) {
	if reasonAgainst(values) != "" {
		return 0, false
	}
	slices.Sort(values)
	return summary(values, c.options.Confidence, exact).Median, true
}
