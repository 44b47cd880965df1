package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/aclements/go-moremath/stats"

	"perfdata/series"
	"perfdata/series/judgment"
)

// geomean returns the geometric mean of numbers, or NaN if one is not positive and finite.
func geomean(all []float64) float64 {
	if slices.Contains(all, math.Inf(1)) {
		return math.NaN()
	}
	return stats.GeoMean(all)
}

// A groupMeans is what the geometric means of a group are made of.
type groupMeans struct {
	judgment.Geomean
	id      string       // of the group
	medians [2][]float64 // of the old side, and of the other one
	ratios  []float64
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
		ratio := 1.0
		if row.Old.Median != row.New.Median {
			ratio = row.New.Median / row.Old.Median
		}
		g.ratios = append(g.ratios, ratio)
		g.medians[0], g.medians[1] = append(g.medians[0], row.Old.Median), append(g.medians[1], row.New.Median)
	}

	for i, all := range [][]*series.Series{report.OnlyOld, report.OnlyNew} {
		for _, s := range all {
			g := of(s)
			g.SameSets = false
			if values := s.AppendSide(nil, []int{series.Old, side}[i]); reasonAgainst(values) == "" {
				slices.Sort(values)
				g.medians[i] = append(g.medians[i], summary(values, c.options.Confidence, s.Exact).Median)
			}
		}
	}

	var means []judgment.Geomean
	for _, g := range slices.SortedFunc(maps.Values(groups), func(a, b *groupMeans) int {
		return cmp.Or(strings.Compare(a.id, b.id), strings.Compare(a.Unit, b.Unit))
	}) {
		g.Old, g.New, g.Ratio = geomean(g.medians[0]), geomean(g.medians[1]), geomean(g.ratios)
		means = append(means, g.Geomean)
	}
	return means
}
