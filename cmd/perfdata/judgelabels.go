package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"perfdata/series"
	"perfdata/traceid"
	"perfdata/unit"
)

// A shownUnit is the base unit of a unit, in the words of benchstat.
type shownUnit struct {
	name  string
	known bool
	from  unit.Unit // converted to the unit base
	base  unit.Unit
	class benchunit.Class
}

// unitShown returns how values of a unit are shown. Those of an unknown one are shown as they are, without
// prefixes: 399 median ms, and not 399.0m.
func unitShown(text string) shownUnit {
	u, ok := unit.Parse(text)
	if !ok {
		return shownUnit{name: text}
	}
	q := u.Quantity
	base, _ := unit.Parse(q.String())
	if q.Of == "s" {
		q.Of = "sec"
	}
	return shownUnit{q.String(), true, u, base, benchunit.ClassOf(q.String())}
}

// format returns values with one prefix.
func (u shownUnit) format(values ...float64) []string {
	texts := make([]string, len(values))
	if !u.known {
		for i, v := range values {
			texts[i] = wholeNumber(v)
		}
		return texts
	}
	scaled := make([]float64, len(values))
	for i, v := range values {
		scaled[i] = v
		if converted, ok := u.from.Convert(v, u.base); ok {
			scaled[i] = converted
		}
	}
	scaler := benchunit.CommonScale(scaled, u.class)
	for i, v := range scaled {
		texts[i] = scaler.Format(v)
	}
	return texts
}

// wholeNumber returns a number with four digits, and all of its digits before the decimal point.
func wholeNumber(v float64) string {
	if size := math.Abs(v); size >= 1000 && size < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
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

// heading returns a line for each common param.
func (l *labeler) heading() []string {
	var lines []string
	for key, value := range l.common.All() {
		lines = append(lines, key+": "+value)
	}
	return lines
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
	return name + end
}

// changeText returns a ratio as a change in percent.
func changeText(ratio float64) string {
	switch percent := (ratio - 1) * 100; {
	case math.IsInf(ratio, 0) || ratio != ratio:
		return "?"
	case math.Abs(percent) >= 1000:
		return fmt.Sprintf("%+.3gx", ratio)
	default:
		return fmt.Sprintf("%+.2f%%", percent)
	}
}

// csvNumber returns a number, or nothing if it is not finite.
func csvNumber(x float64) string {
	if x-x != 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// shortCommit returns the first twelve digits of a whole hash of git, and any other name as it is.
func shortCommit(name string) string {
	if (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == "" {
		return name[:12]
	}
	return name
}

// shortNames returns the names of files without the folders that they have in common, and shortened where
// they are equal if they are longer than a width.
func shortNames(names []string, width int) []string {
	short := slices.Clone(names)
	prefix := commonPrefix(names)
	folder := strings.LastIndexByte(prefix, '/') + 1
	for i, name := range names {
		short[i] = name[folder:]
	}
	if len(names) < 2 || longest(short) <= width {
		return short
	}

	prefix = commonPrefix(short)
	if keep := min(len(prefix), 4); len(prefix)-keep > 3 {
		for i, name := range short {
			short[i] = name[:keep] + "..." + name[len(prefix):]
		}
	}
	reversed := func(s string) string {
		b := []byte(s)
		slices.Reverse(b)
		return string(b)
	}
	ends := make([]string, len(short))
	for i, name := range short {
		ends[i] = reversed(name)
	}
	if suffix := len(commonPrefix(ends)); longest(short) > width && suffix > 7 {
		for i, name := range short {
			short[i] = name[:len(name)-suffix] + "..." + name[len(name)-4:]
		}
	}
	return short
}

// commonPrefix returns what all texts begin with, without half of a character.
func commonPrefix(texts []string) string {
	prefix := texts[0]
	for _, text := range texts[1:] {
		n := 0
		for n < min(len(prefix), len(text)) && prefix[n] == text[n] {
			n++
		}
		prefix = prefix[:n]
	}
	for prefix != "" && prefix[len(prefix)-1] >= 0x80 {
		prefix = prefix[:len(prefix)-1]
	}
	return prefix
}

func longest(texts []string) int {
	n := 0
	for _, text := range texts {
		n = max(n, len([]rune(text)))
	}
	return n
}

// withoutStat returns the trace ID of a series without the param that names a statistic.
func withoutStat(s *series.Series) string {
	return slices.DeleteFunc(s.Identity.Clone(), func(p traceid.Param) bool { return p.Key == "stat" }).ID()
}
