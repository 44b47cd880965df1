package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/judgment"
	"perfdata/traceid"
	"perfdata/unit"
)

// The columns of a [series.Collector] that are compared, unless [Rule.Columns] says otherwise.
const (
	Old = 0
	New = 1
)

// A Rule says how the series of a report are judged. The zero Rule takes what the series say.
type Rule struct {
	// Columns are those of the old and of the new values. If both are 0, they are [Old] and [New].
	Columns [2]int

	// By lists the keys of params that group the series. Each group has geometric means of its own.
	By []string

	// Better returns whether lower or higher values of a series are better, and whether only its unit
	// says so. If it is nil, the fields of the series decide.
	Better func(*series.Series) (better format.Direction, byUnit bool)

	// Exact reports whether the values of a series are exact. If it is nil, the field of the series
	// decides.
	Exact func(*series.Series) bool
}

// A Report is the comparison of two sets of series.
type Report struct {
	Rows     []*Row // the worst first
	Geomeans []Geomean

	// OnlyOld and OnlyNew are the series that are judged and have values on one side only.
	OnlyOld, OnlyNew []*series.Series

	// Others are other statistics of the benchmarks: see [series.Judged].
	Others []*series.Series
}

// A Row is the comparison of a series.
type Row struct {
	Series *series.Series // of the new values
	Group  traceid.Params // the params of Rule.By

	// From is the series of the old values, if it has another unit than Series, and nil otherwise.
	// Its values were converted to the unit of Series.
	From *series.Series

	Better format.Direction
	ByUnit bool // only the unit says what is better
	Exact  bool

	Result
}

// A Geomean is the geometric mean of the medians of a group of series with one unit.
type Geomean struct {
	Group traceid.Params
	Unit  string

	// Old and New are of all series of a side, and Ratio is of the ratios of those in both. They are
	// NaN if one of the numbers is not positive.
	Old, New, Ratio float64

	Series   int  // in both
	SameSets bool // all series are in both
}

// Compare compares the old and the new values of all series. Series without either are left out.
func (c *Comparer) Compare(all []*series.Series, rule Rule) *Report {
	if rule.Columns == [2]int{} {
		rule.Columns = [2]int{Old, New}
	}
	columns := rule.Columns
	isInBoth := func(s *series.Series) bool { return s.Has(columns[Old]) && s.Has(columns[New]) }
	judged, others := series.Judged(all, isInBoth)
	report := &Report{Others: others}
	var memory [2][]float64
	for _, s := range judged {
		old, new := s.AppendColumn(memory[Old][:0], columns[Old]), s.AppendColumn(memory[New][:0], columns[New])
		memory = [2][]float64{old, new}
		switch {
		case len(old)+len(new) == 0:
		case len(new) == 0:
			report.OnlyOld = append(report.OnlyOld, s)
		case len(old) == 0:
			report.OnlyNew = append(report.OnlyNew, s)
		default:
			report.Rows = append(report.Rows, c.row(rule, s, nil, old, new))
		}
	}
	c.pairConverted(report, rule)

	results := make([]*Result, len(report.Rows))
	for i, row := range report.Rows {
		results[i] = &row.Result
	}
	c.options.Adjust(results)
	report.Geomeans = c.geomeans(report, rule)
	slices.SortStableFunc(report.Rows, c.options.compareRows)
	return report
}

// row compares the values of a series.
func (c *Comparer) row(rule Rule, s, from *series.Series, old, new []float64) *Row {
	row := &Row{Series: s, From: from, Group: group(s, rule.By), Exact: rule.isExact(s)}
	row.Better, row.ByUnit = s.Better, s.ByUnit
	if rule.Better != nil {
		row.Better, row.ByUnit = rule.Better(s)
	}
	row.Result = c.Samples(old, new, row.Better, row.Exact)
	return row
}

func (r *Rule) isExact(s *series.Series) bool {
	if r.Exact != nil {
		return r.Exact(s)
	}
	return s.Exact
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
	if len(report.OnlyOld) == 0 || len(report.OnlyNew) == 0 {
		return
	}
	olds := make(map[string]*series.Series) // nil if several are the same quantity
	for _, s := range report.OnlyOld {
		key, ok := quantityKey(s)
		if _, several := olds[key]; several && ok {
			olds[key] = nil
		} else if ok {
			olds[key] = s
		}
	}
	news := make(map[string]int)
	for _, s := range report.OnlyNew {
		key, _ := quantityKey(s)
		news[key]++
	}

	paired := make(map[*series.Series]bool)
	for _, s := range report.OnlyNew {
		key, ok := quantityKey(s)
		from := olds[key]
		if !ok || from == nil || news[key] > 1 {
			continue
		}
		old := from.AppendColumn(nil, rule.Columns[Old])
		a, _ := unit.Parse(from.Unit)
		b, _ := unit.Parse(s.Unit)
		for i := range old {
			old[i], _ = a.Convert(old[i], b)
		}
		report.Rows = append(report.Rows, c.row(rule, s, from, old, s.AppendColumn(nil, rule.Columns[New])))
		paired[s], paired[from] = true, true
	}
	isPaired := func(s *series.Series) bool { return paired[s] }
	report.OnlyOld = slices.DeleteFunc(report.OnlyOld, isPaired)
	report.OnlyNew = slices.DeleteFunc(report.OnlyNew, isPaired)
}

// quantityKey returns a text that series have in common which differ only in the unit of one quantity.
// It is false if the unit is not known.
func quantityKey(s *series.Series) (string, bool) {
	u, ok := unit.Parse(s.Unit)
	if !ok {
		return "", false
	}
	var rest traceid.Params
	for _, p := range s.Identity {
		if p.Value != s.Unit || p.Key != "unit" && p.Key != "units" {
			rest = append(rest, p)
		}
	}
	return rest.ID() + u.Quantity.String(), true
}

// compareRows sorts rows, the worst first: by the verdict, and then by how much.
func (o *Options) compareRows(a, b *Row) int {
	return cmp.Or(
		o.rank(a)-o.rank(b),
		cmp.Compare(a.size(), b.size()),
		strings.Compare(a.Series.Trace, b.Series.Trace),
	)
}

// rank returns the place of a verdict among all: worse, changed, better, unknown and same. What is
// suspect is after what is not.
func (o *Options) rank(r *Row) int {
	rank := 2 * int(judgment.Worse-r.Verdict)
	switch {
	case r.Verdict == judgment.Unknown:
		rank = 2*int(judgment.Worse-judgment.Same) - 1
	case r.Suspect:
		rank++
	}
	return rank
}

// size returns a number that is the least for the largest change. Without a ratio, it is the greatest.
func (r *Row) size() float64 {
	size := -math.Abs(math.Log(math.Abs(r.Ratio)))
	if size != size {
		return math.Inf(1)
	}
	return size
}
