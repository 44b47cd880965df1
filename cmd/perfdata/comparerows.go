package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"perfdata/internal/visible"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/series/judgment"
	"perfdata/traceid"
	"perfdata/unit"
)

// A shownTable is the rows of a comparison that have a unit and a group in common, for people.
type shownTable struct {
	group traceid.Params
	scale shownUnit
	unit  string // as files spell it
	rows  []*compare.Row
}

// A shownUnit is the base unit of a unit, in the words of benchstat.
type shownUnit struct {
	name  string
	from  unit.Unit // converted to the unit base; zero if it is not known
	base  unit.Unit
	class benchunit.Class
}

// unitShown returns how values of a unit are shown. Those of an unknown one are shown as they are.
func unitShown(text string) shownUnit {
	u, ok := unit.Parse(text)
	if !ok {
		return shownUnit{name: text, class: benchunit.ClassOf(text)}
	}
	q := u.Quantity
	base, _ := unit.Parse(q.String())
	if q.Of == "s" {
		q.Of = "sec"
	}
	return shownUnit{q.String(), u, base, benchunit.ClassOf(q.String())}
}

// format returns values with one prefix.
func (u shownUnit) format(values ...float64) []string {
	scaled := make([]float64, len(values))
	for i, v := range values {
		scaled[i] = v
		if converted, ok := u.from.Convert(v, u.base); ok {
			scaled[i] = converted
		}
	}
	scaler := benchunit.CommonScale(scaled, u.class)
	texts := make([]string, len(values))
	for i, v := range scaled {
		texts[i] = scaler.Format(v)
	}
	return texts
}

// tables returns the rows by group and unit, in their order.
func (c *comparison) tables() []*shownTable {
	type key struct{ group, unit string }
	byKey := make(map[key]*shownTable)
	var all []*shownTable
	for _, row := range c.report.Rows {
		k := key{groupText(row.Group), row.Series.Unit}
		if byKey[k] == nil {
			byKey[k] = &shownTable{group: row.Group, scale: unitShown(row.Series.Unit), unit: row.Series.Unit}
			all = append(all, byKey[k])
		}
		byKey[k].rows = append(byKey[k].rows, row)
	}
	return all
}

// groupText returns the params of a group in one line.
func groupText(group traceid.Params) string {
	var parts []string
	for key, value := range group.All() {
		parts = append(parts, key+"="+value)
	}
	return strings.Join(parts, " ")
}

// mainKeys are the params that name a benchmark. The first that a series has is shown without its key.
var mainKeys = []string{"name", "test", "benchmark", "bench"}

// A labeler names series by the params that they do not have in common.
type labeler struct{ common traceid.Params }

// newLabeler finds the params that all series have in common.
func newLabeler(all []*series.Series) *labeler {
	l := &labeler{}
	for i, s := range all {
		if i == 0 {
			l.common = slices.DeleteFunc(s.Identity.Clone(), func(p traceid.Param) bool {
				return slices.Contains(mainKeys, p.Key) || isUnitParam(s, p)
			})
			continue
		}
		l.common = slices.DeleteFunc(l.common, func(p traceid.Param) bool {
			value, ok := s.Identity.Get(p.Key)
			return !ok || value != p.Value
		})
	}
	return l
}

// labels returns a labeler of the rows of a comparison.
func (c *comparison) labels() *labeler {
	all := make([]*series.Series, len(c.report.Rows))
	for i, row := range c.report.Rows {
		all[i] = row.Series
	}
	return newLabeler(all)
}

func isUnitParam(s *series.Series, p traceid.Param) bool {
	return (p.Key == "unit" || p.Key == "units") && p.Value == s.Unit
}

// label returns the name of a series in its group, as Go benchmarks are named if it has a name.
func (l *labeler) label(s *series.Series, group traceid.Params) string {
	name, end := "", ""
	main := ""
	for _, key := range mainKeys {
		if value, ok := s.Identity.Get(key); ok {
			main, name = key, value
			break
		}
	}

	for _, p := range s.Identity {
		_, isCommon := l.common.Get(p.Key)
		_, isGroup := group.Get(p.Key)
		switch {
		case p.Key == main || isCommon || isGroup || isUnitParam(s, p):
		case p.Key == "gomaxprocs":
			end = "-" + p.Value
		case strings.HasPrefix(p.Key, "sub") && strings.Trim(p.Key[3:], "0123456789") == "" && len(p.Key) > 3:
			name += "/" + p.Value
		case name == "":
			name = p.Key + "=" + p.Value
		default:
			name += "/" + p.Key + "=" + p.Value
		}
	}
	if name+end == "" {
		return "(all)"
	}
	return visible.String(name + end)
}

// change returns a ratio as a change in percent.
func change(ratio float64) string {
	switch percent := (ratio - 1) * 100; {
	case math.IsInf(ratio, 0) || ratio != ratio:
		return "?"
	case math.Abs(percent) >= 1000:
		return fmt.Sprintf("%+.3gx", ratio)
	default:
		return fmt.Sprintf("%+.2f%%", percent)
	}
}

// intervalText returns the interval of a change, or nothing if there is none.
func intervalText(row *compare.Row) string {
	if row.Exact {
		return "exact"
	}
	if math.IsInf(row.Lo, 0) || math.IsInf(row.Hi, 0) || row.Lo == 0 {
		return ""
	}
	return change(row.Lo) + " to " + change(row.Hi)
}

// verdictText returns a verdict for people.
func verdictText(row *compare.Row) string {
	text := row.VerdictText()
	switch {
	case row.Verdict != judgment.Unknown:
	case row.Needed == 0:
		text += ", too noisy"
	default:
		text += fmt.Sprintf(", needs %d", row.Needed)
	}
	return text
}

// directionText says which values of a table are better, if that is the same for all.
func (t *shownTable) directionText() string {
	better, byUnit := t.rows[0].Better, t.rows[0].ByUnit
	for _, row := range t.rows {
		if row.Better != better {
			return ""
		}
		byUnit = byUnit || row.ByUnit
	}
	switch {
	case better == 0:
		return "it is not known whether lower or higher is better"
	case byUnit:
		return better.String() + " is better, by its unit"
	}
	return better.String() + " is better"
}

// converted returns lines about rows whose old values had another unit.
func (t *shownTable) converted() []string {
	var lines []string
	for _, row := range t.rows {
		if row.From == nil {
			continue
		}
		line := visible.String(fmt.Sprintf("old values were converted from %s to %s", row.From.Unit, row.Series.Unit))
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// summary returns the numbers of verdicts, the worst first.
func (c *comparison) summary() string {
	var parts []string
	for _, verdict := range []string{"worse", "worse?", "changed", "changed?", "better", "better?", "same", "unknown"} {
		if n := c.counts[verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	switch {
	case len(parts) == 0 && c.refused > 0:
		return "nothing to compare: no series that is in both sets can be judged"
	case len(parts) == 0:
		return "nothing to compare: no series is in both sets"
	}
	return strings.Join(parts, ", ")
}

// isIn reports whether a geometric mean is that of a table.
func (t *shownTable) isIn(g *compare.Geomean) bool {
	return g.Unit == t.unit && g.Group.Equal(t.group)
}
