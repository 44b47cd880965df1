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
	"perfdata/traceid"
	"perfdata/unit"
)

// A Rule says how series are laid out in a report. The series say which direction is better, and
// whether values are exact: a caller who knows otherwise sets their fields before.
type Rule struct {
	// Sides are the names of the sides: the first is compared with each of the others. If there are
	// none, [series.Old] is compared with [series.New].
	Sides []string

	// By lists the keys of params that group the series. Each group has geometric means of its own.
	By []string
}

// name returns the name of a side. Old and New may have none.
func (r *Rule) name(side int) string {
	if side >= len(r.Sides) {
		return ""
	}
	return r.Sides[side]
}

// A Report is the comparison of two sets of series.
type Report struct {
	Rows     []*judgment.Judgment // the worst first
	Geomeans []judgment.Geomean

	// OnlyOld and OnlyNew are the series that are judged and have only old values, or none of them.
	OnlyOld, OnlyNew []*series.Series

	// Undecided has one series of each benchmark that has several statistics, of which none is judged: see
	// [series.Judged].
	Undecided []*series.Series
}

// Compare compares the old and the new values of all series. Series without either are left out.
func (c *Comparer) Compare(all []*series.Series, rule Rule) *Report {
	last := max(len(rule.Sides)-1, series.New)
	isInBoth := func(s *series.Series) bool {
		for side := series.New; side <= last; side++ {
			if s.Has(side) {
				return s.Has(series.Old)
			}
		}
		return false
	}
	judged, undecided := series.Judged(all, isInBoth)
	report := &Report{Undecided: undecided}
	var old, new level

	for _, s := range judged {
		c.readLevel(&old, s, series.Old)
		found := false
		for side := series.New; side <= last; side++ {
			c.readLevel(&new, s, side)
			found = found || len(new.values) > 0
			if len(new.values) > 0 && len(old.values) > 0 {
				row := c.row(rule, s, nil, &old, &new)
				row.Side = rule.name(side)
				report.Rows = append(report.Rows, row)
			}
		}

		switch {
		case len(old.values) > 0 && !found:
			report.OnlyOld = append(report.OnlyOld, s)
		case len(old.values) == 0 && found:
			report.OnlyNew = append(report.OnlyNew, s)
		}
	}
	if len(rule.Sides) == 0 {
		c.pairConverted(report, rule)
	}

	c.options.Adjust(report.Rows)
	for side := series.New; side <= last; side++ {
		report.Geomeans = append(report.Geomeans, c.geomeans(report, rule, side)...)
	}
	slices.SortStableFunc(report.Rows, judgment.Compare)
	return report
}

// row compares the values of a series.
func (c *Comparer) row(rule Rule, s, from *series.Series, old, new *level) *judgment.Judgment {
	row := c.Samples(old.values, new.values, s.Better, s.Exact)
	row.Series, row.From, row.Group = s, from, group(s, rule.By)
	row.Old.Since, row.New.Since = old.since, new.since
	return &row
}

// A level is the values of a side of a series that have the level of its last commit.
type level struct {
	values []float64
	since  string // the first commit; empty if these are all values
}

// readLevel reads the values of a side of a series: those since its last step, if the order of its commits
// is known.
func (c *Comparer) readLevel(l *level, s *series.Series, side int) {
	l.values, l.since = l.values[:0], ""
	if s.IsOrdered(side) {
		samples := s.Samples(side)
		c.finder.Exact = s.Exact
		if first := c.finder.LastLevel(samples); first > 0 {
			l.since = s.CommitName(side, samples[first].Commit)
			for _, sample := range samples[first:] {
				l.values = append(l.values, sample.Values...)
			}
			return
		}
	}
	l.values = s.AppendSide(l.values, side)
}

// group returns the params with the keys.
func group(s *series.Series, keys []string) traceid.Params {
	var params []traceid.Param
	for _, key := range keys {
		if value, ok := s.Identity.Get(key); ok {
			params = append(params, traceid.Param{Key: key, Value: value})
		}
	}
	return traceid.FromPairs(params...)
}

// pairConverted compares series that are only in one set each, and differ only in their units, which
// measure the same quantity. The old values are converted.
func (c *Comparer) pairConverted(report *Report, rule Rule) {
	olds, news := byQuantity(report.OnlyOld), byQuantity(report.OnlyNew)
	paired := make(map[*series.Series]bool)
	for _, s := range report.OnlyNew {
		key := quantityKey(s)
		if key == "" || len(olds[key]) != 1 || len(news[key]) != 1 {
			continue
		}
		from := olds[key][0]
		var old, new level
		c.readLevel(&old, from, series.Old)
		c.readLevel(&new, s, series.New)
		a, _ := unit.Parse(from.Unit)
		b, _ := unit.Parse(s.Unit)
		for i, v := range old.values {
			old.values[i], _ = a.Convert(v, b)
		}
		report.Rows = append(report.Rows, c.row(rule, s, from, &old, &new))
		paired[s], paired[from] = true, true
	}

	isPaired := func(s *series.Series) bool { return paired[s] }
	report.OnlyOld = slices.DeleteFunc(report.OnlyOld, isPaired)
	report.OnlyNew = slices.DeleteFunc(report.OnlyNew, isPaired)
}

func byQuantity(all []*series.Series) map[string][]*series.Series {
	byKey := make(map[string][]*series.Series)
	for _, s := range all {
		byKey[quantityKey(s)] = append(byKey[quantityKey(s)], s)
	}
	return byKey
}

// quantityKey returns a text that series have in common which differ only in the unit of one quantity.
// It is empty if the unit is not known.
func quantityKey(s *series.Series) string {
	u, ok := unit.Parse(s.Unit)
	if !ok {
		return ""
	}
	rest := slices.DeleteFunc(s.Identity.Clone(), func(p traceid.Param) bool {
		return p.Value == s.Unit && (p.Key == "unit" || p.Key == "units")
	})
	return u.Quantity.String() + " " + rest.ID()
}

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
